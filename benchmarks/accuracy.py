"""How good a run is, from the poses and velocities of its links, whichever engine made it.

energy      change of kinetic and potential energy, as the height by which it would lift all that moves
            [mm/s]; only where no motor adds any, and friction takes: below 0 is right there
drift       how fast links move that should rest: root mean square [mm/s]
joint error greatest distance between the two sides of a joint's anchor, loops included [mm]
penetration deepest contact of the last step [mm]
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.cases import BenchScene
from solidbody.base.transforms import Pose, Vec3
from solidbody.model.joints import JointHinge
from solidbody.model.links import Link, Motion
from solidbody.model.scene import Scene, world_poses

Floats = NDArray[np.float64]
MILLI = 1e3


@dataclass(frozen=True, slots=True)
class State:
    """Links in the order of the scene.

    Attributes:
        poses: (links, 7) position [m] of the origin and quaternion w x y z.
        velocities: (links, 6) of the origin [m/s], angular [rad/s], world axes.
        depth: Deepest contact [m].
    """

    poses: Floats
    velocities: Floats
    depth: float


@dataclass(frozen=True, slots=True)
class Accuracy:
    """See the head of this file; None = does not apply."""

    penetration: float
    energy: float | None
    drift: float | None
    joint_error: float | None

    def text(self) -> str:
        """Return it for the table."""
        named = (
            ("penetration", self.penetration, "mm"),
            ("energy", self.energy, "mm/s"),
            ("drift", self.drift, "mm/s"),
            ("joint error", self.joint_error, "mm"),
        )
        return ", ".join(
            f"{name} {value:.2g} {unit}" for name, value, unit in named if value is not None
        )


def judge(bench: BenchScene, before: State, after: State, seconds: float) -> Accuracy:
    """Return how good the part of a run between two states is."""
    scene = bench.scene
    links = list(scene.links())
    moves = np.array(
        [link.motion is not Motion.KINEMATIC and link.mass is not None for link in links]
    )
    energy = None
    if not bench.speeds:
        weight = sum(link.mass.mass for link in links if link.mass) * _strength(scene)
        change = _energy(scene, links, after) - _energy(scene, links, before)
        energy = MILLI * change / weight / seconds
    drift = None
    if bench.is_still:
        moved = (after.poses - before.poses)[moves, :3]
        drift = MILLI * float(np.sqrt((moved**2).sum(axis=1).mean())) / seconds
    depth = after.depth if after.depth > 0.0 else 0.0
    return Accuracy(MILLI * depth, energy, drift, _joint_error(scene, after))


def _strength(scene: Scene) -> float:
    return float(np.linalg.norm(scene.physics.gravity))


def _energy(scene: Scene, links: list[Link], state: State) -> float:
    """Return kinetic and potential energy [J]."""
    gravity, total = np.array(scene.physics.gravity), 0.0
    for link, row, speed in zip(links, state.poses, state.velocities, strict=True):
        if link.mass is None or link.motion is Motion.KINEMATIC:
            continue
        turn = _matrix(row[3:])
        arm = turn @ np.array(link.mass.center)
        spin = turn.T @ speed[3:]
        velocity = speed[:3] + np.cross(speed[3:], arm)
        xx, yy, zz, xy, xz, yz = link.mass.inertia
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        total += 0.5 * link.mass.mass * float(velocity @ velocity) + 0.5 * float(
            spin @ inertia @ spin
        )
        total -= link.mass.mass * float(gravity @ (row[:3] + arm))
    return total


def _joint_error(scene: Scene, state: State) -> float | None:
    """Return the greatest distance of two points that a hinge or loop should keep together [mm]."""
    worst: float | None = None
    start = 0
    for body in scene.bodies:
        rows = state.poses[start : start + len(body.links)]
        at_start = world_poses(body)
        paths = [link.path for link in body.links]
        start += len(body.links)
        for number, link in enumerate(body.links):
            if not isinstance(link.joint, JointHinge):
                continue
            above = Pose() if link.parent is None else at_start[link.parent]
            anchor = above.point(link.joint.anchor)
            mine = at_start[number].inverse().point(anchor)
            there = np.array(anchor)
            if link.parent is not None:
                there = _point(rows[link.parent], link.joint.anchor)
            gap = float(np.linalg.norm(_point(rows[number], mine) - there))
            worst = max(worst or 0.0, gap)
        for loop in body.loops:
            points = [
                _point(rows[paths.index(end.link)], end.pose.position)
                for end in loop.ends
                if end.link in paths
            ]
            if len(points) == 2:
                worst = max(worst or 0.0, float(np.linalg.norm(points[0] - points[1])))
    return None if worst is None else MILLI * worst


def _point(row: Floats, local: Vec3) -> Floats:
    return row[:3] + _matrix(row[3:]) @ np.array(local)


def _matrix(q: Floats) -> Floats:
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
