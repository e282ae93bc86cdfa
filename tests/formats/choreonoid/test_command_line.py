"""The options of the commands about where Choreonoid's files come from."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from solidbody.cli.app import app
from tests.formats.choreonoid.bodies import HEADER
from tests.formats.meshes import STL_TEXT


def invoke(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [str(item) for item in arguments])


@pytest.fixture(autouse=True)
def _nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CNOID_SHARE", "ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH", "GAZEBO_MODEL_PATH"):
        monkeypatch.delenv(name, raising=False)


def body_with(folder: Path, uri: str) -> Path:
    """Return a body whose mesh lies in a folder that nobody has named yet."""
    (folder / "robot").mkdir()
    (folder / "extra" / "part").mkdir(parents=True)
    (folder / "extra" / "part" / "m.stl").write_text(STL_TEXT)
    body = folder / "robot" / "a.body"
    body.write_text(
        f"{HEADER}links:\n  - name: ROOT\n    jointType: fixed\n"
        f"    elements: {{ Visual: {{ resource: {{ uri: '{uri}' }} }} }}\n"
    )
    return body


def test_check_says_what_is_missing_and_how_to_provide_it(tmp_path: Path) -> None:
    """The option is named."""
    result = invoke("check", body_with(tmp_path, "${SHARE}/part/m.stl"))
    assert result.exit_code == 2
    assert "--share" in result.stdout


def test_share_is_an_option_or_a_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of every command that reads files."""
    body = body_with(tmp_path, "${SHARE}/part/m.stl")
    result = invoke("check", body, "--share", tmp_path / "extra")
    assert result.exit_code == 0, result.stdout
    assert invoke("info", body, "--share", tmp_path / "extra").exit_code == 0
    monkeypatch.setenv("CNOID_SHARE", str(tmp_path / "extra"))
    assert invoke("check", body).exit_code == 0


def test_packages_are_found_in_the_folders_of_the_option(tmp_path: Path) -> None:
    """Without it the message names it."""
    body = body_with(tmp_path, "package://part/m.stl")
    result = invoke("check", body)
    assert result.exit_code == 2
    assert "--package-path" in result.stdout
    assert invoke("check", body, "--package-path", tmp_path / "extra").exit_code == 0
