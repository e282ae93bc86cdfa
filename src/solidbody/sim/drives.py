"""Differential drives without physics: wheels move the robot (rules W3.4.5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from solidbody.contact.vectors import rotate, rotate_back
from solidbody.model.links import DifferentialDrive
from solidbody.model.shapes import ShapeRole
from solidbody.sim.penetration_depth import PenetrableGeoms, Penetration

if TYPE_CHECKING:
    from solidbody.sim.core import Core
    from solidbody.sim.simulation import Sim


@dataclass(frozen=True, slots=True)
class BoundDrive:
    """A drive in a simulation.

    Attributes:
        drive: What the scene says.
        link: The link that it moves.
        left: Axis of the left wheel.
        right: Axis of the right wheel.
        own: Geoms of that link.
        others: What is not part of the robot.
    """

    drive: DifferentialDrive
    link: int
    left: int
    right: int
    own: tuple[int, ...]
    others: PenetrableGeoms


def bound_drives(sim: Sim) -> tuple[BoundDrive, ...]:
    """Return the drives of all robots of a scene."""
    rows = {name: k for k, name in enumerate(sim.joint_names)}
    found: list[BoundDrive] = []
    first = 0
    for body in sim.scene.bodies:
        for robot in body.robots:
            drive = robot.drive
            if drive is not None:
                link = first + robot.link
                own, others = _geoms(sim, link)
                found.append(
                    BoundDrive(drive, link, rows[drive.left], rows[drive.right], own, others)
                )
        first += len(body.links)
    return tuple(found)


def turn_wheels_into_motion(core: Core, bound: BoundDrive) -> None:
    """Give a robot the velocity that the speeds of its wheels mean for the next step.

    The direction is that of the middle of the step, as Webots takes it: the robot then stays on the
    circle that the wheels describe.
    """
    drive = bound.drive
    left, right = (float(core.state.motors[row]["velocity"]) for row in (bound.left, bound.right))
    speed = drive.wheel_radius * (left + right) / 2.0
    turning = drive.wheel_radius * (right - left) / drive.axle_length
    body = int(core.compiled.binding.body[bound.link])
    core.refresh()
    forward, up = (rotate(core.data.xquat[body], v) for v in (drive.forward, drive.up))
    half = turning * core.time_step / 2.0
    row = core.mover_row(bound.link)
    row["linear"] = speed * (np.cos(half) * forward + np.sin(half) * np.cross(up, forward))
    row["angular"] = turning * up


def push_back(core: Core, drives: tuple[BoundDrive, ...]) -> None:
    """Move robots out of what they have run into, in the ground plane: the mean over all that they touch."""
    core.refresh()
    linked = {bound.link for bound in drives}
    for bound, way in [(bound, _way_out(core, bound, linked)) for bound in drives]:
        if not way.any():
            continue
        body = int(core.compiled.binding.body[bound.link])
        mocap = int(core.model.body_mocapid[body])
        if mocap >= 0:
            core.data.mocap_pos[mocap] += way
        else:
            parent = core.data.xquat[core.model.body_parentid[body]]
            core.own_model().body_pos[body] += rotate_back(parent, way)
        core.state_changed(bound.link)


def _way_out(core: Core, bound: BoundDrive, driven: set[int]) -> NDArray[np.float64]:
    """Return the mean of depth * |n| * n over all touching pairs, n = normal within the ground plane.

    Of a pair that touches at several points the one with the longest way counts. Another robot of this kind
    takes half of the way itself.
    """
    up = rotate(core.data.xquat[int(core.compiled.binding.body[bound.link])], bound.drive.up)
    ways: dict[tuple[int, int], NDArray[np.float64]] = {}
    for geom in bound.own:
        for touch in bound.others.touches(core.model, core.data, core.step, geom):
            way, pair = _flat_way(touch, up), (geom, touch.other)
            if int(core.compiled.binding.geom_owner[touch.other, 0]) in driven:
                way = 0.5 * way
            if pair not in ways or way @ way > ways[pair] @ ways[pair]:
                ways[pair] = way
    return np.sum(list(ways.values()), axis=0) / len(ways) if ways else np.zeros(3)


def _flat_way(touch: Penetration, up: NDArray[np.float64]) -> NDArray[np.float64]:
    flat = touch.normal - (touch.normal @ up) * up
    return touch.depth * np.linalg.norm(flat) * flat


def _geoms(sim: Sim, link: int) -> tuple[tuple[int, ...], PenetrableGeoms]:
    """Return the geoms of a link that collide, and those of all that is not carried by it."""
    binding = sim.compiled.binding
    own: list[int] = []
    others: list[int] = []
    for geom, (owner, number) in enumerate(binding.geom_owner):
        if owner < 0 or number < 0:
            continue
        shape = sim.link_model(int(owner)).shapes[int(number)]
        if shape.role is ShapeRole.VISUAL:
            continue
        above = int(owner)
        while above not in (link, -1):
            above = int(binding.parent[above])
        if int(owner) == link:
            own.append(geom)
        elif above < 0:
            others.append(geom)
    return tuple(own), PenetrableGeoms.of(sim, others)
