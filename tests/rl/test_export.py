"""A policy becomes an ordinary Webots controller that `solidbody run` starts."""

from __future__ import annotations

import ast
import csv
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import solidbody as sb
from solidbody import rl
from solidbody.base.errors import SolidbodyError
from solidbody.rl.registration import TASKS, task_class
from solidbody.rl.task import CONTROLLERS
from solidbody.rl.tasks.biped import Biped
from solidbody.rl.tasks.goal import Goal
from solidbody.rl.tasks.line import line_points
from solidbody.rl.tasks.pole import Pole

EXAMPLES = Path(__file__).parents[2] / "examples/learning"

BALANCE = rl.dense_policy([([[0.3, 3.0, 0.5, 0.8]], [0.0])], low=[-1.0], high=[1.0])
"""Push after the pole, and a little more to come back."""


def drive(world: Path, seconds: float) -> tuple[str, list[dict[str, float]]]:
    """Run a world with its controller from the shell; return what was printed, and the log."""
    log = world.with_suffix(".csv")
    command = [sys.executable, "-m", "solidbody", "run", str(world), "--headless"]
    done = subprocess.run(
        [*command, "--duration", str(seconds), "--log", str(log)],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    with log.open(newline="", encoding="utf-8") as rows:
        return done.stdout, [
            {name: float(value) for name, value in row.items()} for row in csv.DictReader(rows)
        ]


def lean(world: Path) -> None:
    """Let the pole begin 0.06 rad from the vertical."""
    text = world.read_text(encoding="utf-8")
    upright = {
        "anchor 0 0 0.06": "position 0.06 anchor 0 0 0.06",
        "translation 0 0 0.56": "rotation 0 1 0 0.06 translation 0.02998 0 0.5591",
    }
    for old, new in upright.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    world.write_text(text, encoding="utf-8")


@pytest.mark.slow
def test_exported_policy_balances_a_pole(tmp_path: Path) -> None:
    """For 4 s, from 0.06 rad; a policy that does nothing lets it fall."""
    nothing = rl.dense_policy([(np.zeros((1, 4)), [0.0])], low=[-1.0], high=[1.0])
    worst = []
    for name, policy in (("one", BALANCE), ("two", nothing)):
        world = rl.export_controller(policy, Pole, tmp_path / name)
        lean(world)
        _, rows = drive(world, 4.0)
        worst.append(max(abs(row["pole sensor.q"]) for row in rows))
    assert worst[0] < 0.15 and worst[1] > 1.0


def steer() -> rl.Policy:
    """Return a policy that turns to a goal that nothing is in the way of."""
    weights = np.zeros((2, 13))
    weights[:, 8] = 0.5  # ahead
    weights[:, 9] = -1.0, 1.0  # to the left
    return rl.dense_policy([(weights, [0.0, 0.0])], low=[-1.0, -1.0], high=[1.0, 1.0])


@pytest.mark.slow
def test_exported_program_is_told_its_goal(tmp_path: Path) -> None:
    """It drives there by GPS, inertial unit and wheels, says so and stops."""
    world = rl.export_controller(steer(), Goal, tmp_path, arguments=["-2.3", "-0.6"])
    said, rows = drive(world, 8.0)
    assert "arrived at -2.3 -0.6" in said
    assert np.hypot(rows[-1]["robot.x"] + 2.3, rows[-1]["robot.y"] + 0.6) < 0.3
    assert abs(rows[-1]["robot.vx"]) + abs(rows[-1]["robot.vy"]) < 0.05


def away(row: dict[str, float], link: str, place: tuple[float, float, float]) -> float:
    """Return how far a link is from a place [m]."""
    return float(np.linalg.norm([row[f"{link}.{axis}"] for axis in "xyz"] - np.array(place)))


@dataclass(frozen=True)
class Trained:
    """What a policy of the examples should do.

    Attributes:
        seconds: How long it is watched.
        is_done: Tells by the last row of the log.
        arguments: Of the program.
        start: Text of the world -> text instead, for another start.
    """

    seconds: float
    is_done: Callable[[dict[str, float]], bool]
    arguments: tuple[str, ...] = ()
    start: tuple[str, str] = ("", "")


def is_on_the_line(row: dict[str, float]) -> bool:
    """Whether the line follower is on its line, a good way from where it began."""
    place = np.array([row["robot.x"], row["robot.y"]])
    gone = float(np.linalg.norm(place - line_points()[0]))
    return bool(np.linalg.norm(line_points() - place, axis=1).min() < 0.06 and gone > 0.5)


TRAINED = {
    # from one corner of the arena to the other
    "goal": Trained(
        16.0, lambda row: np.hypot(row["robot.x"] - 2.3, row["robot.y"] - 2.3) < 0.3, ("2.3", "2.3")
    ),
    "line": Trained(6.0, is_on_the_line),
    "four_legs": Trained(4.0, lambda row: row["walker.x"] > 1.0 and row["walker.z"] > 0.2),
    # the hand is 0.1 m beyond the origin of the last link
    "reach": Trained(
        3.0,
        lambda row: abs(away(row, "wrist link", (0.2, -0.4, 0.5)) - 0.1) < 0.06,
        ("0.2", "-0.4", "0.5"),
    ),
    "hover": Trained(
        4.0,
        lambda row: away(row, "drone", (0.0, 0.0, 1.5)) < 0.2,
        start=("Robot {\n  translation 0 0 1.5", "Robot {\n  translation 0.5 -0.4 1.2"),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", TRAINED)
def test_trained_policy_does_its_task_as_a_controller(name: str, tmp_path: Path) -> None:
    """What the examples have learned: `solidbody run` with the robot's own sensors."""
    expected = TRAINED[name]
    policy = rl.Policy.load(EXAMPLES / f"policies/{name}.json")
    task = next(place for place, _ in TASKS.values() if f".{name}:" in place)
    world = rl.export_controller(policy, task_class(task), tmp_path, arguments=expected.arguments)
    text, (old, new) = world.read_text(encoding="utf-8"), expected.start
    assert old in text
    world.write_text(text.replace(old, new, 1), encoding="utf-8")
    _, rows = drive(world, expected.seconds)
    assert expected.is_done(rows[-1])


@pytest.mark.parametrize("name", TASKS)
def test_project_can_be_opened(name: str, tmp_path: Path) -> None:
    """The world of each task of Webots names its controller, which holds the policy; no warning."""
    task = task_class(TASKS[name][0])
    if task is Biped:
        with pytest.raises(SolidbodyError, match="Biped has no program"):
            rl.export_controller(BALANCE, task, tmp_path)
        return
    world = rl.export_controller(BALANCE, task, tmp_path, arguments=["1", "a b"])
    scene = sb.load(world)
    (robot,) = (robot for body in scene.bodies for robot in body.robots)
    assert robot.controller == world.stem and robot.controller_args == ("1", "a b")
    home = tmp_path / "controllers" / world.stem
    assert {item.name for item in home.iterdir()} == {
        "policy.py",
        "policy.json",
        f"{world.stem}.py",
    }
    text = world.read_text(encoding="utf-8")
    asked = asked_devices(home / f"{world.stem}.py")
    assert all(f'name "{name}"' in text for name in asked)


def asked_devices(program: Path) -> set[str]:
    """Return the names that a program gives to `getDevice` as they stand, and those of its own sensors."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(program.read_text())):
        if isinstance(node, ast.Constant) and node.value in ("gps", "imu", "gyro", "camera"):
            found.add(str(node.value))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            given = [item.value for item in node.args if isinstance(item, ast.Constant)]
            found |= {str(value) for value in given if node.func.attr == "getDevice"}
    return found


def test_policy_of_programs_is_that_of_numpy(tmp_path: Path) -> None:
    """The same actions to rounding, in Python without any package."""
    draw = np.random.default_rng(0)
    policy = rl.dense_policy(
        [(draw.normal(size=(8, 5)), draw.normal(size=8)), (draw.normal(size=(2, 8)), [0.1, -0.1])],
        low=[-1.0, -0.5],
        high=[1.0, 0.5],
        mean=draw.normal(size=5),
        deviation=draw.uniform(0.5, 2.0, 5),
    )
    policy.save(tmp_path / "policy.json")
    observed = draw.normal(size=(20, 5))
    code = (CONTROLLERS / "policy.py").read_text() + (
        f"\npolicy = LearnedPolicy({str(tmp_path / 'policy.json')!r})\n"
        f"print([policy(row) for row in {observed.tolist()}])\n"
        "try:\n    policy([1.0])\nexcept ValueError as error:\n    print(error)\n"
    )
    script = tmp_path / "script.py"
    script.write_text(code)
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(script)], capture_output=True, text=True, check=True
    )
    actions, said = done.stdout.splitlines()
    np.testing.assert_allclose(ast.literal_eval(actions), policy(observed), atol=1e-12)
    assert said == "5 numbers are wanted, 1 are observed"


def test_what_cannot_be_exported_is_told(tmp_path: Path) -> None:
    """A program whose name is none, a world of another format, a robot that there is not."""

    class Odd(Pole):
        controller = tmp_path / "a b.py"

    with pytest.raises(SolidbodyError, match='"a b" cannot be the name'):
        rl.export_controller(BALANCE, Odd, tmp_path)

    class Foreign(Pole):
        world = Biped.world

    with pytest.raises(SolidbodyError, match="no file of Webots"):
        rl.export_controller(BALANCE, Foreign, tmp_path)
    with pytest.raises(SolidbodyError, match="CART"):
        rl.export_controller(BALANCE, Pole, tmp_path, robot="CART")
