"""`solidbody new` and `solidbody examples`: files to begin with."""

from __future__ import annotations

import json
from pathlib import Path

from solidbody.cli.console import say_error
from solidbody.cli.status import BAD_INPUT, OK


def new_project(folder: Path, robot: str, language: str) -> int:
    """Write a project and say how to go on; return the exit status."""
    from solidbody.projects.new_project import ProjectError, create_project

    try:
        files = create_project(folder, robot, language)
    except (ProjectError, OSError) as error:
        say_error(str(error))
        return BAD_INPUT
    for file in files:
        print(f"  {folder / file.relative_to(folder.absolute())}")
    world = next(file for file in files if file.suffix == ".wbt").relative_to(folder.absolute())
    print(f"\nNext: cd {folder} && solidbody run {world}    (test it: pytest)")
    return OK


def show_examples(*, as_json: bool) -> int:
    """List the examples; return the exit status."""
    from solidbody.projects.example_files import ExampleError, list_examples

    try:
        known = list_examples()
    except ExampleError as error:
        say_error(str(error))
        return BAD_INPUT
    if as_json:
        print(json.dumps([{"name": e.name, "shows": e.what} for e in known], indent=2))
        return OK
    width = max(len(example.name) for example in known)
    for example in known:
        print(f"{example.name:{width}}  {example.what}")
    print("\nCopy one and run it: solidbody examples NAME --run")
    return OK


def take_example(name: str, into: Path) -> Path | None:
    """Copy an example; return the file to run, or None after having said what is wrong."""
    from solidbody.projects.example_files import ExampleError, copy_example, find_example

    try:
        return copy_example(find_example(name), into)
    except (ExampleError, OSError) as error:
        say_error(str(error))
        return None
