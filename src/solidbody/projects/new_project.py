"""Writes a project to begin with: a world, a program for its robot, a test, a workflow for CI."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True)
class RobotTemplate:
    """A robot to begin with; its files are in the folder of templates that has its name."""

    name: str
    what: str


ROBOTS = (
    RobotTemplate("wheels", "A robot on two wheels that wanders by its distance sensors."),
    RobotTemplate("arm", "An arm with three joints that brings its hand from mark to mark."),
    RobotTemplate("drone", "A drone with four propellers that flies from place to place."),
)

ENDINGS = {"python": ".py", "c": ".c", "cpp": ".cpp"}
"""Language of the program -> ending of its source."""

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")


class ProjectError(ValueError):
    """A project cannot be written: its name, its folder or what was chosen."""


def create_project(folder: Path, robot: str = "wheels", language: str = "python") -> list[Path]:
    """Write a project into a new or empty folder, whose name is its own; return its files.

    Raises:
        ProjectError: for a name that no file should have, a folder that holds something, an
            unknown robot or language. Nothing is written then.
    """
    folder = folder.absolute()
    kind = next((known for known in ROBOTS if known.name == robot), None)
    if kind is None:
        raise ProjectError(f"no robot {robot!r}; there are {', '.join(r.name for r in ROBOTS)}")
    if language not in ENDINGS:
        raise ProjectError(f"no programs in {language!r}; there are {', '.join(ENDINGS)}")
    name = folder.name
    if not NAME.fullmatch(name):
        raise ProjectError(
            f"{name!r} is no name for a project: a letter, then letters, digits, - and _, 64 at most"
        )
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ProjectError(f"{folder} is there and not empty")

    written = []
    for place, text in _files(name, kind, language).items():
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        written.append(path)
    return written


def _files(name: str, robot: RobotTemplate, language: str) -> dict[str, str]:
    """Return the text of each file by its place in the project."""
    program = f"driver{ENDINGS[language]}"
    module = re.sub(r"\W", "_", name).lower()
    words = {"NAME": name, "WHAT": robot.what, "PROGRAM": program, "MODULE": module}

    def fill(template: str) -> str:
        # Python files have an ending more: they are no modules of ours
        ending = ".in" if template.endswith(".py") else ""
        text = (TEMPLATES / (template + ending)).read_text(encoding="utf-8")
        for word, value in words.items():
            text = text.replace(f"@{word}@", value)
        return text

    words["HEAD"] = fill("shared/test_head.py").rstrip()
    files = {
        f"worlds/{name}.wbt": fill(f"{robot.name}/world.wbt"),
        f"controllers/driver/{program}": fill(f"{robot.name}/{program}"),
        f"tests/test_{module}.py": fill(f"{robot.name}/test_world.py"),
        "README.md": fill("shared/README.md"),
        ".github/workflows/test.yml": fill("shared/test.yml"),
        ".gitignore": fill("shared/gitignore"),
    }
    if language != "python":
        files["controllers/driver/Makefile"] = fill("shared/Makefile")
    return files
