"""A run says once which bodies touch at more points than are kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import solidbody as sb
from solidbody.cli.app import app
from solidbody.viewer.panel_commands import PanelCommands

CROWDED = """#VRML_SIM R2025a utf8
WorldInfo { contactProperties [ ContactProperties { maxContactJoints 3 } ] }
Viewpoint { }
Solid { name "floor" boundingObject Plane { size 10 10 } }
Solid { name "crate" translation 0 0 0.05 boundingObject Box { size 0.1 0.1 0.1 } physics Physics { } }
"""
MESSAGE = '"floor" and "crate" touch at up to 4 points, and their contact properties keep 3'


@pytest.fixture
def crowded(tmp_path: Path) -> Path:
    """A box that rests on four corners, of which three count."""
    path = tmp_path / "crowded.wbt"
    path.write_text(CROWDED, encoding="utf-8")
    return path


def test_headless_run_names_the_pair_once(crowded: Path) -> None:
    """At its end, on standard error, with the place in the file and the number in all."""
    result = CliRunner().invoke(app, ["run", str(crowded), "--headless", "--duration", "0.32"])
    assert result.exit_code == 0, result.stderr
    text = " ".join(result.stderr.split())
    assert text.count(MESSAGE) == 1
    assert "10 contacts were left out in all" in text
    assert "info: " in text and "[contacts-dropped]" in text


def test_page_names_the_pair_once(crowded: Path) -> None:
    """In its console, soon after it happened; again only after the file was read again."""
    sim = sb.Sim(sb.load(crowded))
    bench = PanelCommands(sim)
    for _ in range(3):
        sim.step()
        bench._next_look = 0.0  # a second has passed
    lines = [json.loads(item.data)["text"] for item in bench.messages_after(0)]
    assert len([line for line in lines if MESSAGE in line]) == 1
