"""What may stand in tracked files, and how long they may be."""

from __future__ import annotations

import re
import tomllib

from tests.architecture.sources import ROOT, tracked_files

LONGEST = 600
"""Lines. A file that grows past this holds two ideas."""

LONGER_WITH_REASON: dict[str, str] = {
    "web/src/protocol.ts": "generated: all messages between page and server",
}
"""Path -> why one idea needs more lines: a table, a single physics stage."""

SOURCE_SUFFIXES = frozenset({".py", ".c", ".h", ".ts", ".css", ".html"})

# Written in two parts, so that this file does not hold what it looks for.
FORBIDDEN = {
    "a path of somebody's machine": re.compile(
        "|".join(
            [r"(?<![\w.])/wo" r"rk/", r"(?<![\w.])/ro" r"ot/", r"/ho" r"me/\w+", r"/Us" r"ers/\w+"]
        )
    ),
    "an address of a package registry": re.compile(
        "|".join(
            [
                r"pypi\.o" r"rg",
                r"python" r"hosted",
                r"npm" r"js\.(org|com)",
                r"deb\." r"debian",
                r"/op" r"t/pypi",
            ]
        )
    ),
}


def test_no_file_names_a_machine_or_a_registry() -> None:
    """A clone works anywhere, with whatever package sources are set up there."""
    wrong: list[str] = []
    for path in tracked_files():
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            continue
        wrong += [
            f"{path.relative_to(ROOT)}:{number} holds {what}"
            for number, line in enumerate(lines, 1)
            for what, pattern in FORBIDDEN.items()
            if pattern.search(line)
        ]
    assert not wrong


def test_no_source_file_is_longer_than_one_idea() -> None:
    """God modules start as long files."""
    wrong = {
        name: lines
        for path in tracked_files()
        if path.suffix in SOURCE_SUFFIXES
        and (name := path.relative_to(ROOT).as_posix()) not in LONGER_WITH_REASON
        and (lines := path.read_text(encoding="utf-8").count("\n")) > LONGEST
    }
    assert not wrong


def test_exceptions_to_the_length_are_still_needed() -> None:
    """A file that was split leaves the list."""
    for name in LONGER_WITH_REASON:
        assert (ROOT / name).read_text(encoding="utf-8").count("\n") > LONGEST


def test_constraints_are_exact_and_plain() -> None:
    """`name==version` and comments: no ranges, no addresses, no options."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    wrong = [
        line for line in lines if not re.fullmatch(r"#.*|[A-Za-z0-9._-]+==[A-Za-z0-9.]+|", line)
    ]
    assert not wrong


def test_every_dependency_is_pinned() -> None:
    """What pyproject.toml asks for by range, constraints.txt fixes."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = project["project"]["dependencies"] + project["project"]["optional-dependencies"]["dev"]
    wanted += project["build-system"]["requires"]
    names = {re.match(r"[A-Za-z0-9._-]+", item)[0].lower() for item in wanted}  # type: ignore[index]
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = {line.split("==")[0].lower() for line in lines if "==" in line}
    assert names <= pinned


def test_the_source_package_holds_all_that_a_clone_holds() -> None:
    """So that make run and make test work in it; only what drives our own CI stays out."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    named = project["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    by_itself = {
        ".gitignore",
        "LICENSE",
        "README.md",
        "pyproject.toml",
    }  # hatchling always adds these
    tops = {path.relative_to(ROOT).parts[0] for path in tracked_files()}
    assert tops - by_itself - {".ci"} == {name.removeprefix("/") for name in named}
