"""`--drive` and `--hold`: motors are commanded from the command line."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from solidbody.cli.app import app
from solidbody.cli.drive import Drive, DriveError, apply_drives, parse_drive
from solidbody.formats.loading import load
from solidbody.sim import Sim

ROBOT = Path(__file__).parents[2] / "examples" / "robot.wbt"


def run_cli(*words: str) -> Result:
    """Run the command in this process."""
    return CliRunner().invoke(app, list(words))


@pytest.mark.parametrize(
    ("text", "drive"),
    [
        ("left motor=8", Drive("left motor", 8.0, "velocity")),
        ("a=b=1e-3:position", Drive("a=b", 1e-3, "position")),
        ("x:y=-2:effort", Drive("x:y", -2.0, "effort")),
    ],
)
def test_commands_are_read(text: str, drive: Drive) -> None:
    """Names may hold any character; velocity is the default."""
    assert parse_drive(text) == drive


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("left motor", "takes JOINT=VALUE"),
        ("=3", "takes JOINT=VALUE"),
        ("m=fast", "finite number"),
        ("m=nan", "finite number"),
        ("m=1:speed", "Allowed: velocity, position, effort"),
    ],
)
def test_nonsense_is_refused(text: str, message: str) -> None:
    """The message says what is allowed."""
    with pytest.raises(DriveError, match=message):
        parse_drive(text)


def test_commands_outlive_a_reset() -> None:
    """What the command line says holds from the start, each time."""
    sim = Sim(load(ROBOT))
    apply_drives(sim, [Drive("left motor", 8.0, "velocity"), Drive("right motor", 8.0, "velocity")])
    sim.step(50)
    there = sim["robot"].position.copy()
    assert there[0] > 0.1
    sim.reset()
    sim.step(50)
    assert (sim["robot"].position == there).all()


def test_driven_robot_drives(tmp_path: Path) -> None:
    """Through the real command: the robot has moved forward by the end of the log."""
    out = tmp_path / "out.csv"
    done = run_cli(
        "run", str(ROBOT), "--headless", "--duration", "1", "--log", str(out),
        "--drive", "left motor=8", "--drive", "right motor=8",
    )  # fmt: skip
    assert done.exit_code == 0
    with out.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert float(rows[-1]["robot.x"]) - float(rows[0]["robot.x"]) > 0.5


@pytest.mark.parametrize("drive", ["no such joint=1", "left motor=x", "left motor=1:fast"])
def test_bad_command_ends_with_status_2(drive: str) -> None:
    """And says why."""
    done = run_cli("run", str(ROBOT), "--headless", "--duration", "0.1", "--drive", drive)
    assert done.exit_code == 2
    assert any(word in done.stderr for word in ("no joint is named", "--drive"))


ARM = """
format: ChoreonoidBody
format_version: 2.0
name: Arm
links:
  - { name: BASE, joint_type: fixed }
  - { name: UPPER, parent: BASE, joint_type: revolute, joint_axis: Y, joint_id: 0, joint_angle: 30,
      mass: 1, center_of_mass: [ 0.5, 0, 0 ] }
  - { name: LOWER, parent: UPPER, joint_type: revolute, joint_axis: Y, joint_id: 1,
      translation: [ 1, 0, 0 ], mass: 1, center_of_mass: [ 0.5, 0, 0 ] }
"""
"""Its joints are free until a program commands them."""

HELD = 1e-6
"""[rad] More than a rigid motor gives way under 30 N*m; a free arm falls by 0.1 rad and more in 0.2 s."""


@pytest.mark.parametrize(
    ("options", "upper", "lower"),
    [
        ((), False, False),
        (("--hold",), True, True),
        (("--hold", "--drive", "LOWER=0:effort"), True, False),
    ],
)
def test_joints_are_held_where_they_start(
    tmp_path: Path, options: tuple[str, ...], upper: bool, lower: bool
) -> None:
    """Those that nothing else commands; held rigidly, as Choreonoid's motors hold."""
    path, out = tmp_path / "arm.body", tmp_path / "out.csv"
    path.write_text(ARM, "utf-8")
    done = run_cli("run", str(path), "--headless", "--duration", "0.2", "--log", str(out), *options)
    assert done.exit_code == 0, done.stderr
    with out.open(newline="") as file:
        rows = list(csv.DictReader(file))
    moved = [
        abs(float(rows[-1][f"{name}.q"]) - float(rows[0][f"{name}.q"]))
        for name in ("UPPER", "LOWER")
    ]
    assert [way < HELD for way in moved] == [upper, lower]
