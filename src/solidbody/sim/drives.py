"""Robots without physics that their wheels move over the ground (`model.links.DifferentialDrive`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import mujoco
import numpy as np

from solidbody.compiler.movers import fill_mover
from solidbody.model.links import DifferentialDrive

if TYPE_CHECKING:
    from solidbody.sim.simulation import Sim


@dataclass(frozen=True, slots=True)
class BoundDrive:
    """A drive, the link that it moves and the axes of its wheels, as rows of the simulation."""

    drive: DifferentialDrive
    link: int
    left: int
    right: int


def bound_drives(sim: Sim) -> tuple[BoundDrive, ...]:
    """Return the drives of all robots of a scene."""
    rows = {name: k for k, name in enumerate(sim.joint_names)}
    found: list[BoundDrive] = []
    first = 0
    for body in sim.scene.bodies:
        for robot in body.robots:
            drive = robot.drive
            if drive is not None:
                found.append(
                    BoundDrive(drive, first + robot.link, rows[drive.left], rows[drive.right])
                )
        first += len(body.links)
    return tuple(found)


def turn_wheels_into_motion(sim: Sim, bound: BoundDrive) -> None:
    """Give a robot the velocity that the speeds of its wheels mean for the next step.

    The direction is that of the middle of the step, as Webots takes it: the robot then stays on the
    circle that the wheels describe.
    """
    drive = bound.drive
    left, right = (float(sim.motor_states[row]["velocity"]) for row in (bound.left, bound.right))
    speed = drive.wheel_radius * (left + right) / 2.0
    turning = drive.wheel_radius * (right - left) / drive.axle_length
    body = int(sim.compiled.binding.body[bound.link])
    sim.refresh()
    forward, up = np.zeros(3), np.zeros(3)
    mujoco.mju_rotVecQuat(forward, np.array(drive.forward), sim.data.xquat[body])
    mujoco.mju_rotVecQuat(up, np.array(drive.up), sim.data.xquat[body])
    half = turning * sim.time_step / 2.0
    row = sim.mover_row(bound.link)
    fill_mover(row, sim.model, body)
    row["linear"] = speed * (np.cos(half) * forward + np.sin(half) * np.cross(up, forward))
    row["angular"] = turning * up
