"""Sensors that Choreonoid has and Webots has not, in a program with Webots' interface."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import solidbody as sb
from solidbody.control import run_controller

BODY = """\
format: ChoreonoidBody
format_version: 2.0
angle_unit: degree
name: Bot
root_link: BASE
links:
  - { name: BASE, joint_type: fixed, mass: 1, rotation: [ 0, 0, 1, 30 ] }
  - name: ARM
    parent: BASE
    joint_id: 0
    joint_type: revolute
    joint_axis: Y
    mass: 2
    elements:
      - { type: ForceSensor, name: force }
      - { type: IMU, name: imu }
"""


def test_they_are_read_as_what_they_are_seen_as(tmp_path: Path) -> None:
    path = tmp_path / "bot.body"
    path.write_text(BODY)
    sim = sb.Sim(sb.load(path))
    (robot,) = (robot for body in sim.scene.bodies for robot in body.robots)
    done: list[str] = []

    def program() -> None:
        from controller import InertialUnit, Robot, TouchSensor

        bot = Robot()
        step = int(bot.getBasicTimeStep())
        force, imu = bot.getDevice("force"), bot.getDevice("imu")
        assert isinstance(force, TouchSensor)
        assert isinstance(imu, InertialUnit)
        assert force.getType() == TouchSensor.FORCE3D
        assert force.getLookupTable() == []
        assert imu.getNoise() == 0.0
        force.enable(step)
        imu.enable(step)
        for _ in range(3):
            bot.step(step)
        push = force.getValues()
        assert push is not None
        assert len(push) == 3
        assert math.hypot(*push) == pytest.approx(2 * 9.80665, rel=1e-3)
        x, y, z, w = imu.getQuaternion()
        assert math.hypot(x, y, z, w) == pytest.approx(1.0)
        turn = sim.link("ARM").orientation.tolist()
        assert [w, x, y, z] == pytest.approx(turn)
        assert len(imu.getRollPitchYaw()) == 3
        done.append("read")

    run_controller(sim, program, robot=robot.name)
    assert done
