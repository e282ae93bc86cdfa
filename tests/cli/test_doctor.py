"""`solidbody doctor` and `python -m solidbody.selftest`: what is there, and whether it works."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from solidbody.base.extras import EXTRAS, command
from solidbody.cli import selftest
from solidbody.cli.app import app
from solidbody.contact.native import NativeUnavailable, load_library


def findings() -> dict[str, dict[str, str]]:
    """Return what the doctor finds, by name."""
    done = CliRunner().invoke(app, ["doctor", "--json"])
    found = json.loads(done.stdout)
    assert done.exit_code == (1 if any(item["state"] == "wrong" for item in found) else 0)
    return {item["name"]: item for item in found}


def test_the_doctor_looks_at_all_parts() -> None:
    """Each has a state; what is not well has advice."""
    found = findings()
    assert {"python", "mujoco", "numpy", "native step", "libController", "page"} <= found.keys()
    assert {"compiler", "browser", "graphics card", "Webots", "Choreonoid", "cache"} <= found.keys()
    assert {f"[{name}]" for name in EXTRAS} <= found.keys()
    assert {item["state"] for item in found.values()} <= {"ok", "missing", "wrong"}
    assert all(item["advice"] for item in found.values() if item["state"] != "ok")


def test_missing_parts_come_with_their_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """And are no reason to fail."""
    monkeypatch.setitem(sys.modules, "warp", None)
    found = findings()
    for name in ("[cameras]", "graphics card"):
        assert found[name]["state"] == "missing" and found[name]["advice"] == command("cameras")


def test_wrong_folders_are_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A WEBOTS_HOME that is none is wrong, one that is there is fine."""
    monkeypatch.setenv("WEBOTS_HOME", str(tmp_path))
    assert findings()["Webots"]["state"] == "wrong"
    (tmp_path / "projects").mkdir()
    assert findings()["Webots"]["state"] == "ok"
    monkeypatch.setenv("CNOID_SHARE", str(tmp_path / "none"))
    assert findings()["Choreonoid"]["state"] == "wrong"


def test_the_doctor_speaks_to_people() -> None:
    """A line each, and how to go on."""
    done = CliRunner().invoke(app, ["doctor"])
    lines = done.stdout.splitlines()
    assert lines[0].startswith("ok") and "Python" in lines[0]
    assert lines[-1] == "Try it out: python -m solidbody.selftest"


@pytest.mark.slow  # starts a simulation in a process of its own
def test_the_selftest_passes_here() -> None:
    """One line per check."""
    try:
        load_library()
    except NativeUnavailable as reason:
        pytest.skip(str(reason))
    done = subprocess.run(
        [sys.executable, "-m", "solidbody.selftest"],
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    lines = [line.split() for line in done.stdout.splitlines()]
    assert [line[:2] for line in lines] == [[name, "ok"] for name in selftest.CHECKS]


def test_the_selftest_notices_another_law(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A ball that bounces half a millimetre higher fails the check, and the status says so."""
    monkeypatch.setattr(selftest, "CHECKS", {"law": selftest.check_law})
    assert selftest.main() == 0
    monkeypatch.setattr(selftest, "WORLD", selftest.WORLD.replace("bounce 0.5 ", "bounce 0.501 "))
    assert selftest.main() == 1
    assert capsys.readouterr().out.splitlines()[1].startswith("law        FAILED the ball is")
