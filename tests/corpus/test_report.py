"""`solidbody check FOLDER`: a line per world, tables at the end, the status of check."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from solidbody.cli import check_folder
from solidbody.cli.app import app
from solidbody.cli.check_folder import Outcome, check_world, summary_lines, worlds_in
from solidbody.formats.options import DEFAULT_OPTIONS

HEAD = "#VRML_SIM R2025a utf8\nWorldInfo { }\nViewpoint { }\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Worlds of every outcome that files can have."""
    texts = {
        "clean.wbt": HEAD,
        "inner/warned.wbt": HEAD + "WorldInfo { }",
        "inner/wrong.wbt": HEAD + "Solid { mass 1 }",
        "lacking.wbt": HEAD.replace("\nW", '\nEXTERNPROTO "Altar.proto"\nW', 1) + "Altar { }",
    }
    for name, text in texts.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


def test_robots_of_all_formats_are_checked(tmp_path: Path) -> None:
    """Parts of others are not, nor what the extension .xml means elsewhere."""
    names = (
        "a.wbt",
        "b.body",
        "c.proto",
        "d.txt",
        "e.BODY",
        "f.urdf",
        "g.sdf",
        "h.world",
        "i.mjcf",
    )
    for name in (*names, "j.xacro", "k.cnoid"):
        (tmp_path / name).write_text("", encoding="utf-8")
    texts = {
        "l.xml": '<?xml version="1.0"?>\n<!-- <a/> -->\n<mujoco model="m"/>',
        "m.xml": "<package><name>x</name></package>",
        "n.xml": "<mujocoinclude/>",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    found = [Path(path).name for path in worlds_in([str(tmp_path)])]
    assert "".join(name[0] for name in found) == "abefghikl"


def test_folder_gives_a_line_per_world_and_tables(folder: Path) -> None:
    result = CliRunner().invoke(app, ["check", str(folder)])
    assert result.exit_code == 2
    lines = result.stdout.splitlines()
    for name, word in (
        ("clean.wbt", "clean"),
        ("warned.wbt", "warnings"),
        ("wrong.wbt", "errors"),
        ("lacking.wbt", "missing files"),
    ):
        (line,) = [line for line in lines[:4] if name in line]
        assert line.startswith(word) and " s  " in line
    assert any(line.split() == ["unknown-field", "error", "1", "1"] for line in lines)
    assert any(line.split() == ["internal", "error", "0"] for line in lines)


def test_folder_without_errors_has_status_0(folder: Path) -> None:
    (folder / "lacking.wbt").unlink()
    (folder / "inner" / "wrong.wbt").unlink()
    assert CliRunner().invoke(app, ["check", str(folder)]).exit_code == 0


def test_folder_report_as_json(folder: Path) -> None:
    result = CliRunner().invoke(app, ["check", "--json", str(folder)])
    reports = json.loads(result.stdout)
    outcomes = {Path(item["file"]).name: item["outcome"] for item in reports}
    assert outcomes == {
        "clean.wbt": "clean",
        "warned.wbt": "warnings",
        "wrong.wbt": "errors",
        "lacking.wbt": "missing files",
    }
    assert reports[0]["diagnostics"] == [] and reports[0]["seconds"] > 0


def test_a_failure_of_ours_is_reported_and_the_rest_goes_on(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(path: str, reading: object) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr(check_folder, "read_and_compile", fail)
    reports = [check_world(path, DEFAULT_OPTIONS) for path in worlds_in([str(folder)])]
    assert [report.outcome for report in reports] == [Outcome.FAILED] * 4
    assert "RuntimeError: boom" in reports[0].failure
    assert any("internal-error" in line for line in summary_lines(reports))
