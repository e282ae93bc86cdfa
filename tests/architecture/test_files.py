"""What may stand in tracked files, and how long they may be."""

from __future__ import annotations

import ast
import re
import tomllib

import pytest

from tests.architecture.sources import ROOT, tracked_files, tree

LONGEST = 700
"""Lines. Files are split by ideas, never by numbers: one idea may be long. A file that grows past this is
looked at again; if it still holds one idea, it goes into the list below with that idea as its reason."""

LONGER_WITH_REASON: dict[str, str] = {
    "web/src/protocol.ts": "generated: all messages between page and server",
}
"""Path -> the one idea that it holds."""

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


def test_long_files_hold_one_idea() -> None:
    """Files that hold everything start as long files; a long one says what its idea is."""
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


def test_tests_wait_for_what_happens() -> None:
    """None sleeps, in the hope that it is long enough: `tests/waiting.py` waits for a condition."""
    wrong = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in tracked_files()
        if path.is_relative_to(ROOT / "tests")
        and path.suffix == ".py"
        and "sleep(" in path.read_text(encoding="utf-8")
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("time.sleep", "sleep")
    ]
    assert len(wrong) == 1 and wrong[0].startswith("tests/waiting.py:"), wrong


def test_every_page_is_in_the_index() -> None:
    """docs/README.md links to all pages of docs/, and to nothing that is not there."""
    docs = ROOT / "docs"
    index = (docs / "README.md").read_text(encoding="utf-8")
    linked = {(docs / name).resolve() for name in re.findall(r"\]\(([^)#]+)", index)}
    assert {path for path in linked if not path.is_file()} == set()
    assert set(docs.rglob("*.md")) - linked == {docs / "README.md"}


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


def test_type_checkers_find_our_types() -> None:
    """The wheel has the file that says that our annotations are meant for others."""
    wheel = pytest.importorskip("hatchling.builders.wheel", exc_type=ImportError)
    found = wheel.WheelBuilder(str(ROOT)).recurse_included_files()
    assert "solidbody/py.typed" in {item.distribution_path for item in found}


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
    assert tops - by_itself - {".ci", ".github"} == {name.removeprefix("/") for name in named}
