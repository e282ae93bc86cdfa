"""Recordings keep what programs print, beside what the run did."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

import solidbody as sb
from solidbody.cli.app import app
from tests.record.mcap_contents import messages_of

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 10 }
Robot { name "bot" controller "talker" }
"""
PROGRAM = """import sys
from controller import Robot
robot = Robot()
print("hello", flush=True)
while robot.step(10) != -1:
    if robot.getTime() > 0.045 and robot.getTime() < 0.055:
        print("careful", file=sys.stderr, flush=True)
"""


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """Return a world whose robot talks."""
    folder = tmp_path / "controllers" / "talker"
    folder.mkdir(parents=True)
    (folder / "talker.py").write_text(PROGRAM, encoding="utf-8")
    path = tmp_path / "worlds" / "talk.wbt"
    path.parent.mkdir()
    path.write_text(WORLD, encoding="utf-8")
    return path


@pytest.mark.slow
def test_lines_of_programs_are_recorded(world: Path, tmp_path: Path) -> None:
    """As Foxglove's log in MCAP, and as /rosout in bags of ROS 2; series leave them out."""
    highlevel = pytest.importorskip("rosbags.highlevel")
    run, bag = tmp_path / "run.mcap", tmp_path / "bag"
    ask = ["run", str(world), "--headless", "--duration", "1"]
    result = CliRunner().invoke(app, [*ask, "--record", str(run), "--record", f"{bag}/"])
    assert result.exit_code == 0, result.output
    logged = [
        message for schema, _, message in messages_of(run)["/log"] if schema == "foxglove.Log"
    ]
    told = [(one["name"], one["message"]) for one in logged]
    assert ("bot", "hello") in told and ("bot", "careful") in told
    (careful,) = [one for one in logged if one["message"] == "careful"]
    (hello,) = [one for one in logged if one["message"] == "hello"]
    assert careful["level"] != hello["level"]
    with highlevel.AnyReader([bag]) as reader:
        lines = [
            reader.deserialize(data, connection.msgtype)
            for connection, _, data in reader.messages()
            if connection.topic == "/rosout"
        ]
    assert {(20, "bot", "hello"), (40, "bot", "careful")} <= {
        (line.level, line.name, line.msg) for line in lines
    }
    assert not any(name.startswith("/log") for name in sb.read_recording(run))
