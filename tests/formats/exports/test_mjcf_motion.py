"""The same controller moves an exported robot in plain MuJoCo as here, within stated bounds."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import solidbody as sb
from tests.formats.exports.models import ARM, GRIPPER, ROVER, begun, scene_of, step_to, to_mujoco

FAR = 0.03
"""[m] Between the rovers after 5 s, of the 3 m or so that they drive: MuJoCo's friction creeps."""


def test_rover_drives_for_five_seconds(tmp_path: Path) -> None:
    """It drives straight on, then in a bow; wheels are told velocities in both."""
    scene = scene_of(tmp_path, ROVER, "rover.wbt")
    model, _ = to_mujoco(scene)
    sim, data = sb.Sim(scene), begun(model)
    for until, left, right in ((2.0, 8.0, 8.0), (5.0, 6.0, 9.0)):
        for name, speed in (("left motor", left), ("right motor", right)):
            sim.joint(name).target_velocity = speed
            data.ctrl[model.actuator(name).id] = speed
        sim.run(until - sim.time)
        step_to(model, data, until)
    here, there = sim["rover"].position, data.body("rover").xpos
    assert math.hypot(*here[:2]) > 1.5
    assert math.dist(here, there) < FAR, (here, there)


def test_arm_reaches_its_targets(tmp_path: Path) -> None:
    scene = scene_of(tmp_path, ARM, "arm.wbt")
    model, _ = to_mujoco(scene)
    sim, data = sb.Sim(scene), begun(model)
    targets = ((2.0, (1.0, -0.6, 0.15)), (4.0, (-0.8, 0.4, 0.05)))
    for until, positions in targets:
        for name, position in zip(("turn", "lift", "reach"), positions, strict=True):
            sim.joint(name).target_position = position
            data.ctrl[model.actuator(name).id] = position
        sim.run(until - sim.time)
        step_to(model, data, until)
        assert math.dist(sim["hand"].position, data.body("hand").xpos) < 0.005
        for name, position in zip(("turn", "lift"), positions, strict=False):
            assert sim.joint(name).position == pytest.approx(position, abs=1e-3)


def test_gripper_closes_and_holds_its_ratio(tmp_path: Path) -> None:
    """One finger is commanded, the other one follows it; both meet the stop of the range."""
    scene = scene_of(tmp_path, GRIPPER, "gripper.urdf")
    model, said = to_mujoco(scene)
    assert model.nu == 1
    sim, data = sb.Sim(scene), begun(model)
    for until, goal in ((1.0, 0.03), (2.0, 0.01)):
        sim.joint("left finger").target_position = goal
        data.ctrl[0] = goal
        sim.run(until - sim.time)
        step_to(model, data, until)
        for finger in ("left finger", "right finger"):
            assert sim.joint(finger).position == pytest.approx(goal, abs=5e-4)
            assert data.joint(finger).qpos[0] == pytest.approx(goal, abs=1e-3)
    assert not [item for item in said if "material" in item.text]
