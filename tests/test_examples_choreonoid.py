"""The demo project of Choreonoid's format: it loads without a word and moves as its parts say."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import solidbody as sb
from solidbody.control.body_controller import attach_controllers, parse_choice
from solidbody.control.simple_controllers import SimpleControllers
from tests.control.cnoid.projects import needs_cpp

YARD = Path(__file__).parent.parent / "examples" / "choreonoid" / "yard.cnoid"


def test_the_rover_drives_at_the_speed_of_its_tracks() -> None:
    """Straight ahead with its mast held, at rest depth, without one unconverged step."""
    scene = sb.load(YARD)
    assert scene.diagnostics == ()
    sim = sb.Sim(scene)
    for name in ("TRACK_L", "TRACK_R"):
        sim.joint(name).target_velocity = 0.8
    sim.step(500)
    assert sim["CHASSIS"].linear_velocity[:2] == pytest.approx([0.8, 0.0], abs=1e-4)
    assert sim["CHASSIS"].position[2] == pytest.approx(0.1 - 0.00025, abs=1e-5)
    assert sim.joint("MAST").position == pytest.approx(math.radians(30), abs=1e-6)
    assert sim.stats.not_converged == 0


def test_the_rover_turns_where_its_tracks_run_against_each_other() -> None:
    """To the left when the right track goes forward."""
    sim = sb.Sim(sb.load(YARD))
    sim.joint("TRACK_L").target_velocity = -0.5
    sim.joint("TRACK_R").target_velocity = 0.5
    sim.step(500)
    assert sim["CHASSIS"].angular_velocity[2] > 0.5


@needs_cpp
@pytest.mark.slow
def test_a_rover_patrols_a_square_with_its_controller_in_c() -> None:
    """Compiled from its one source; a side takes two seconds, and the first turn is to the left."""
    command = [sys.executable, "-m", "solidbody.cli", "run", str(YARD.with_name("patrol.cnoid"))]
    result = subprocess.run(
        [*command, "--headless", "--duration", "8"],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert result.returncode == 0, result.stderr
    corners = [float(line.split()[3]) for line in result.stdout.splitlines() if "corner at" in line]
    # its tracks slip while they gather speed
    assert corners[0] == pytest.approx(1.5 / 0.8, abs=0.1)
    assert len(corners) == 2


WALK = YARD.with_name("walk.cnoid")


def walked(seconds: float, *, in_python: bool) -> tuple[np.ndarray, list[str]]:
    """Let the humanoid walk; return the poses of its waist every 20 ms, and what was said."""
    sim, said = sb.Sim(sb.load(WALK)), list[str]()
    controllers = None
    if in_python:
        attach_controllers(sim, [parse_choice("SR1=walk.py", WALK.parent)])
    else:
        controllers = SimpleControllers(
            sim, say=lambda level, text: said.append(f"{level}: {text}")
        )
        controllers.start()
    poses: list[np.ndarray] = []
    try:
        for _ in range(round(seconds / 0.02)):
            sim.step(10)
            poses.append(sim.pose(0))
    finally:
        if controllers is not None:
            controllers.close()
    return np.array(poses), [line for line in said if not line.startswith("info")]


@needs_cpp
@pytest.mark.slow
def test_a_humanoid_walks_with_its_controller_in_c_and_the_same_way_in_python() -> None:
    """Ten steps, two of 0.15 m and eight of 0.3 m, bring each foot 1.35 m ahead; the waist keeps its height.

    Torques give way: feet come down earlier or later than planned and slide; 5 % is left for that.
    """
    poses, said = walked(12.0, in_python=False)
    assert said == []
    assert poses[-1, :2] == pytest.approx([1.35, 0.0], abs=0.07)
    assert abs(poses[:, 2] - 0.6617).max() < 0.01
    assert abs(poses[:, 1]).max() < 0.12
    upright = 2.0 * np.arccos(np.minimum(abs(poses[:, 3]), 1.0))
    assert np.degrees(upright.max()) < 4.0
    # two and a half steps in Python: rounding is all that is between them
    python, _ = walked(3.2, in_python=True)
    assert poses[: len(python)] == pytest.approx(python, abs=1e-6)
    assert python[-1, 0] > 0.1


PROJECT = """
items:
  { name: Root, class: RootItem, children: [ { name: World, class: WorldItem, children: [
    { name: SR1, class: BodyItem, data: { file: "${SHARE}/model/SR1/SR1.body" } },
    { name: AIST, class: AISTSimulatorItem, data: { time_step: 0.002, gravity: [ 0, 0, 0 ] } } ] } ] }
"""


@pytest.mark.parametrize("mode", ["torque", "position", "velocity"])
def test_a_recorded_motion_is_played_in_each_mode(tmp_path: Path, mode: str) -> None:
    """An elbow that bends by 0.2 rad in 0.2 s, weightless; torques overshoot where it stops at once."""
    (tmp_path / "bend.cnoid").write_text(PROJECT)
    frames = [[0.0] * 29 for _ in range(101)]
    for k, frame in enumerate(frames):
        frame[9] = -0.002 * k
    rows = "\n".join(f"      - {frame}" for frame in frames)
    (tmp_path / "bend.seq").write_text(
        "type: CompositeSeq\nformatVersion: 2\nframeRate: 500\ncomponents:\n  -\n"
        "    type: MultiValueSeq\n    content: JointDisplacement\n    numParts: 29\n"
        f"    frames:\n{rows}\n"
    )
    sim = sb.Sim(sb.load(tmp_path / "bend.cnoid"))
    choice = parse_choice(f"SR1=sr1_walk.py {tmp_path}/bend.seq {mode}", YARD.parent)
    attach_controllers(sim, [choice])
    sim.step(130)
    within = 3e-2 if mode == "torque" else 1e-6
    assert sim.joint("RARM_ELBOW").position == pytest.approx(-0.2, abs=within)
    assert sim.joint("LARM_ELBOW").position == pytest.approx(0.0, abs=within)
