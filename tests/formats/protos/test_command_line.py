"""The options of all commands about where PROTOs come from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from solidbody.cli.app import app
from tests.formats.protos.projects import BALL, HEADER, write_project


def invoke(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [str(item) for item in arguments])


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A world whose PROTO lies in a folder that nobody has named yet."""
    monkeypatch.delenv("SOLIDBODY_PROTO_PATH", raising=False)
    monkeypatch.delenv("WEBOTS_HOME", raising=False)
    monkeypatch.setenv("SOLIDBODY_CACHE", str(tmp_path / "cache"))
    (tmp_path / "project").mkdir()
    (tmp_path / "extra").mkdir()
    (tmp_path / "extra" / "Blob.proto").write_text(HEADER + BALL, "utf-8")
    path = write_project(tmp_path / "project", "Blob { translation 0 0 1 }", {})
    text = path.read_text("utf-8").replace(
        "\n", '\nEXTERNPROTO "https://example.org/Blob.proto"\n', 1
    )
    path.write_text(text, "utf-8")
    return path


def test_check_says_what_is_missing_and_how_to_provide_it(world: Path) -> None:
    result = invoke("check", world)
    assert result.exit_code == 2 and "--proto-path" in result.stdout


def test_proto_path_makes_all_commands_find_it(world: Path) -> None:
    extra = world.parents[2] / "extra"
    assert invoke("check", world, "--proto-path", extra).exit_code == 0
    found = json.loads(invoke("info", world, "--json", "--proto-path", extra).stdout)
    assert [body["name"] for body in found["bodies"]] == ["ball"]
    target = world.with_suffix(".xml")
    assert invoke("convert", world, target, "--proto-path", extra).exit_code == 0
    assert "ball" in target.read_text("utf-8")
    run = invoke("run", world, "--headless", "--duration", "0.1", "--strict", "--proto-path", extra)
    assert run.exit_code == 0


def test_missing_protos_may_become_placeholders(world: Path) -> None:
    assert invoke("check", world, "--missing-protos=placeholder").exit_code == 0
    data = json.loads(invoke("info", world, "--json", "--missing-protos=placeholder").stdout)
    assert data["bodies"][0]["name"] == "Blob" and data["bodies"][0]["position"] == [0.0, 0.0, 1.0]
    assert data["diagnostics"][0]["code"] == "missing-proto"


def test_unknown_choice_is_bad_usage(world: Path) -> None:
    assert invoke("check", world, "--missing-protos=ignore").exit_code == 2
