"""Every code of a diagnostic is explained, and every example does what it says."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from solidbody.cli.app import app
from solidbody.cli.reading import load_options, read_and_compile
from solidbody.explanations.codes import UnknownCodeError, explain, explanations
from solidbody.formats.mjcf import source as mjcf_source
from tests.architecture.sources import PACKAGE, tree

RECORDERS = {
    "_RefusedError": (0,),
    "_error": (0,),
    "_report": (3,),
    "Diagnostic": (1,),
    "error": (0,),
    "fail": (1,),
    "info": (0,),
    "inform": (1,),
    "note": (0,),
    "record": (0,),
    "report": (0, 1),
    "warn": (0, 1),
    "warning": (0,),
}
"""What notes a diagnostic -> which of its arguments may be the code."""

NO_CODES = {"error", "warning", "faces"}
"""Words in those places that are no codes: severities, a part of a mesh."""

CODE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
KEBAB = re.compile(r"[a-z0-9]+(-[a-z0-9]+)+")


def texts(value: ast.expr) -> Iterator[str]:
    """Yield the texts that an expression may be."""
    match value:
        case ast.Constant(value=str(text)):
            yield text
        case ast.IfExp(body=body, orelse=other):
            yield from texts(body)
            yield from texts(other)
        case ast.Tuple(elts=items):
            for item in items:
                yield from texts(item)
        case _:
            pass


def codes_of(path: Path) -> Iterator[str]:
    """Yield the codes that a module gives to diagnostics."""
    for node in ast.walk(tree(path)):
        match node:
            case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name), args=given):
                for place in RECORDERS.get(name, ()):
                    if place < len(given):
                        yield from filter(CODE.fullmatch, texts(given[place]))
            case (
                ast.Assign(targets=[target], value=value)
                | ast.AnnAssign(target=target, value=ast.expr() as value)
            ):
                names = [item.id for item in ast.walk(target) if isinstance(item, ast.Name)]
                if {"code", "CODE", "LOST"} & set(names):
                    yield from filter(KEBAB.fullmatch, texts(value))


def emitted() -> set[str]:
    """Return all codes of the source, those that are put together at run time included."""
    found = {f"no-{tag}" for tag in mjcf_source._REFUSED}
    for path in PACKAGE.rglob("*.py"):
        if "client" not in path.parts:  # of programs
            found.update(codes_of(path))
    return found - NO_CODES


@pytest.mark.slow  # reads all sources
def test_every_code_is_explained() -> None:
    """A new code has a row in a table of src/solidbody/explanations, and a row has its code."""
    assert emitted() == set(explanations())


def test_explanations_are_sentences() -> None:
    """Each of the three parts says something, and ends."""
    wrong = [
        row.code
        for row in explanations().values()
        for part in (row.means, row.why, row.do)
        if len(part) < 8 or not part.endswith((".", "`.", ")."))
    ]
    assert not wrong


def test_examples_have_the_fault_before_and_not_after(tmp_path: Path) -> None:
    """Each is read and compiled in both forms."""
    options = load_options(None, allow_download=False, missing_protos="error")
    rows = [row for row in explanations().values() if row.example is not None]
    assert len(rows) > 80
    for row in rows:
        assert row.example is not None
        found: list[bool] = []
        for part in (row.example.before, row.example.after):
            file = tmp_path / f"model{row.example.language.suffix}"
            file.write_text(row.example.file_of(part), encoding="utf-8")
            found.append(row.code in {item.code for item in read_and_compile(str(file), options)})
        assert found == [True, False], row.code


def test_the_command_explains_lists_and_guesses() -> None:
    """`solidbody explain`: one code, all codes, a slip; as JSON too."""
    run = CliRunner().invoke
    one = run(app, ["explain", "unknown-field"])
    assert one.exit_code == 0
    assert explanations()["unknown-field"].means in " ".join(one.stdout.split())
    listed = run(app, ["explain"])
    assert listed.exit_code == 0 and all(code in listed.stdout for code in explanations())
    data = json.loads(run(app, ["explain", "--json"]).stdout)
    assert {row["code"] for row in data} == set(explanations())
    row = json.loads(run(app, ["explain", "unknown-field", "--json"]).stdout)
    assert row["example"]["format"] == ".wbt" and row["example"]["before"].startswith("#VRML_SIM")
    slip = run(app, ["explain", "unknown-feild"])
    assert slip.exit_code == 2 and 'Did you mean "unknown-field"?' in slip.stderr


def test_unknown_codes_are_refused() -> None:
    """With a guess where one is near."""
    with pytest.raises(UnknownCodeError, match='Did you mean "missing-proto"'):
        explain("missing-protos")
