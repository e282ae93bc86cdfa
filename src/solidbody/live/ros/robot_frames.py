"""Frames of a robot as ROS knows them: those of its URDF, from the positions of its joints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from solidbody.base.transforms import Pose
from solidbody.base.vectors import multiply, rotate
from solidbody.control.device_tags import RobotPlace
from solidbody.control.urdf import ROOT, UrdfJoint, urdf_joints

if TYPE_CHECKING:
    from solidbody.sim import Sim

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class FixedFrame:
    """A frame that does not move against its parent."""

    parent: str
    child: str
    pose: Pose


class RobotFrames:
    """The joints of a robot's URDF with their rows in the simulation.

    Attributes:
        root: Frame of the robot itself.
        fixed: What does not move.
        moving: Joints that move, in the order of `transforms`.
        rows: Their rows in `Sim.joint_states()`.
    """

    def __init__(self, sim: Sim, place: RobotPlace, prefix: str) -> None:
        self.root = prefix + ROOT
        joints = urdf_joints(place, prefix)
        first = place.link - place.robot.link
        rows = [_row(sim, first, joint) for joint in joints]
        self.fixed = [
            FixedFrame(joint.parent, joint.child, joint.pose)
            for joint, row in zip(joints, rows, strict=True)
            if row is None
        ]
        known = [(joint, row) for joint, row in zip(joints, rows, strict=True) if row is not None]
        self.moving: list[UrdfJoint] = [joint for joint, _ in known]
        self.rows = np.array([row for _, row in known], dtype=np.intp)
        self._places = np.array([joint.pose.position for joint in self.moving]).reshape(-1, 3)
        turns = np.array([joint.pose.rotation for joint in self.moving]).reshape(-1, 4)
        axes = np.array([joint.direction for joint in self.moving]).reshape(-1, 3)
        self._starts = np.array([joint.start for joint in self.moving])
        slides = np.array([joint.kind == "prismatic" for joint in self.moving], dtype=bool)
        # a joint goes along its axis in the parent, or turns: cos(half)·turn + sin(half)·(turn·axis)
        self._ways = rotate(turns, axes) * slides[:, None]
        self._halves = np.where(slides, 0.0, 0.5)
        crossed = multiply(turns, np.column_stack((np.zeros(len(axes)), axes)))
        self._turns, self._crossed = (rows[:, [1, 2, 3, 0]] for rows in (turns, crossed))

    def transforms(self, positions: Floats) -> Floats:
        """Return x y z, qx qy qz qw of each moving frame in its parent at positions of its joint."""
        way = positions - self._starts
        half = (self._halves * way)[:, None]
        out = np.empty((len(way), 7))
        out[:, :3] = self._places + way[:, None] * self._ways
        out[:, 3:] = np.cos(half) * self._turns + np.sin(half) * self._crossed
        return out


def _row(sim: Sim, first: int, joint: UrdfJoint) -> int | None:
    """Return the row of what moves a joint; None = nothing does."""
    if joint.kind == "fixed" or joint.link < 0:
        return None
    try:
        return sim.axis_row(first + joint.link, joint.axis)
    except KeyError:
        return None
