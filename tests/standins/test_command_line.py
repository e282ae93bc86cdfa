"""`solidbody protos`: what is listed, shown, and found for a world."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from solidbody.cli.app import app
from solidbody.formats.webots.protos.standin_protos import own_names

WORLD = """#VRML_SIM R2025a utf8
EXTERNPROTO "https://example.org/RectangleArena.proto"
EXTERNPROTO "../protos/Mine.proto"
EXTERNPROTO "https://example.org/NoSuchThing.proto"
WorldInfo { }
Viewpoint { }
RectangleArena { }
Mine { }
NoSuchThing { }
"""
MINE = '#VRML_SIM R2025a utf8\nPROTO Mine [ ] { Solid { name "mine" } }\n'


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SOLIDBODY_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("WEBOTS_HOME", raising=False)
    for folder in ("worlds", "protos"):
        (tmp_path / folder).mkdir()
    (tmp_path / "protos" / "Mine.proto").write_text(MINE, "utf-8")
    path = tmp_path / "worlds" / "test.wbt"
    path.write_text(WORLD, "utf-8")
    return path


def run(*words: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["protos", *words])
    return result.exit_code, result.stdout, result.stderr


def test_list_names_every_proto_once_with_its_group() -> None:
    status, output, _ = run("list", "--json")
    rows = json.loads(output)
    assert status == 0
    assert sorted(row["name"] for row in rows) == sorted(own_names())
    assert {"name": "Floor", "group": "floors"}.items() <= next(
        row for row in rows if row["name"] == "Floor"
    ).items()
    assert all(row["about"] for row in rows)


def test_show_prints_a_file_that_declares_the_proto() -> None:
    for name in ("Floor", "Parquetry"):
        status, output, _ = run("show", name)
        assert status == 0
        assert output.startswith("#VRML_SIM") and f"PROTO {name} [" in output


def test_show_guesses_what_was_meant() -> None:
    status, _, errors = run("show", "RectangelArena")
    assert status == 2
    assert 'Did you mean "RectangleArena"?' in errors


def test_where_tells_own_ours_and_missing_apart(world: Path) -> None:
    status, output, _ = run("where", str(world), "--json")
    rows = {row["name"]: row for row in json.loads(output)}
    assert status == 2  # one is missing
    assert rows["Mine"]["origin"] == "project"
    assert rows["Mine"]["file"].endswith("Mine.proto")
    assert rows["RectangleArena"]["origin"] == "solidbody"
    assert rows["BrushedAluminium"]["origin"] == "solidbody"  # used by the arena
    assert rows["NoSuchThing"]["origin"] == "missing"
    assert rows["NoSuchThing"]["file"] == "" and rows["NoSuchThing"]["reason"]


def test_where_counts_in_a_last_line(world: Path) -> None:
    _, output, errors = run("where", str(world))
    assert "RectangleArena" in output
    assert "1 missing" in errors


def test_where_refuses_a_file_that_is_no_world(tmp_path: Path) -> None:
    status, output, errors = run("where", str(tmp_path / "nothing.wbt"))
    assert (status, output) == (2, "")
    assert "nothing.wbt" in errors
