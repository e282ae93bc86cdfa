"""The examples that come with solidbody: which there are, and copies of them to work on."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

PACKAGED = Path(__file__).parents[1] / "examples"
"""Where a wheel has them."""

CHECKOUT = Path(__file__).parents[3] / "examples"
"""Where they are in a checkout."""

ROW = re.compile(r"^\| (?P<names>`[^|]+`) \| (?P<what>.+) \|$", re.MULTILINE)
"""A row of the tables in README.md of the examples: files, and what they show."""


class ExampleError(ValueError):
    """There is no such example, or no room for its copy."""


@dataclass(frozen=True)
class Example:
    """A file that `solidbody run` opens, with what it shows."""

    name: str  # path below the folder of examples, in slashes
    what: str


def examples_folder() -> Path:
    """Return the folder of the examples."""
    for folder in (PACKAGED, CHECKOUT):
        if (folder / "README.md").is_file():
            return folder
    raise ExampleError("this installation came without examples")


def list_examples() -> list[Example]:
    """Return all examples, in the order of their README, which says what they show."""
    text = (examples_folder() / "README.md").read_text(encoding="utf-8")
    return [
        Example(name, row["what"])
        for row in ROW.finditer(text)
        for name in re.findall(r"`([^`]+)`", row["names"])
    ]


def find_example(wanted: str) -> Example:
    """Return the example of this name: a whole path, or its last part with or without its ending."""
    known = list_examples()
    for key in (lambda e: e.name, lambda e: Path(e.name).name, lambda e: Path(e.name).stem):
        found = [example for example in known if key(example) == wanted]
        if len(found) == 1:
            return found[0]
        if found:
            names = ", ".join(example.name for example in found)
            raise ExampleError(f"{wanted!r} is several examples: {names}")
    from difflib import get_close_matches

    near = get_close_matches(wanted, [Path(e.name).stem for e in known], n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise ExampleError(f"no example {wanted!r}.{hint} `solidbody examples` lists them")


def copy_example(example: Example, into: Path) -> Path:
    """Copy an example with what it needs into a folder; return the copy of the file to run.

    A world in a folder of its own comes with that folder, another one with the textures that it names.

    Raises:
        ExampleError: where something with the same name is in the way. Nothing is written then.
    """
    source = examples_folder()
    top = Path(example.name).parts[0]
    if (into / top).exists():
        raise ExampleError(f"{into / top} is there already")
    places = [top]
    if (source / top).is_file() and "textures/" in (source / top).read_text(encoding="utf-8"):
        places.append("textures")
    into.mkdir(parents=True, exist_ok=True)
    for place in places:
        if (source / place).is_dir():
            leave = shutil.ignore_patterns("build", "__pycache__", "*.wbproj")
            shutil.copytree(source / place, into / place, ignore=leave, dirs_exist_ok=True)
        else:
            shutil.copy2(source / place, into / place)
    return into / example.name
