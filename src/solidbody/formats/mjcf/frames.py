"""Numbers of MuJoCo's arrays as poses and vectors, and where joints put bodies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from solidbody.base.transforms import (
    Pose,
    Quat,
    Vec3,
    add,
    quat_from_axis_angle,
    quat_rotate,
    scale,
    subtract,
)
from solidbody.formats.mjcf.compiling import Model


def vector(row: Any) -> Vec3:
    """Return three numbers."""
    x, y, z = (float(number) for number in row[:3])
    return x, y, z


def quaternion(row: Any) -> Quat:
    """Return the four numbers of a rotation (w, x, y, z)."""
    w, x, y, z = (float(number) for number in row[:4])
    return w, x, y, z


def turn_about(anchor: Vec3, rotation: Quat) -> Pose:
    """Return the motion that turns about a point."""
    return Pose(subtract(anchor, quat_rotate(rotation, anchor)), rotation)


@dataclass(frozen=True, slots=True)
class MjcfState:
    """Where everything is: positions and velocities of joints, poses of what programs move."""

    qpos: Any
    qvel: Any
    mocap_pos: Any
    mocap_quat: Any
    ctrl: Any

    def body_frame(self, model: Model, body: int) -> Pose:
        """Return where a body would be in its parent without its joints."""
        mocap = int(model.body_mocapid[body])
        if mocap >= 0:
            return Pose(vector(self.mocap_pos[mocap]), quaternion(self.mocap_quat[mocap]))
        return Pose(vector(model.body_pos[body]), quaternion(model.body_quat[body]))

    def moved(self, model: Model, joint: int) -> Pose:
        """Return what a hinge, slide or ball does to the frame it acts in."""
        import mujoco

        at = int(model.jnt_qposadr[joint])
        if int(model.jnt_type[joint]) == mujoco.mjtJoint.mjJNT_BALL:
            return turn_about(vector(model.jnt_pos[joint]), unit(self.qpos[at : at + 4]))
        way = float(self.qpos[at]) - float(model.qpos0[at])
        axis = vector(model.jnt_axis[joint])
        if int(model.jnt_type[joint]) == mujoco.mjtJoint.mjJNT_SLIDE:
            return Pose(scale(axis, way))
        return turn_about(vector(model.jnt_pos[joint]), quat_from_axis_angle(axis, way))

    def free_pose(self, model: Model, joint: int) -> Pose:
        """Return where a free joint has its body in the world."""
        at = int(model.jnt_qposadr[joint])
        return Pose(vector(self.qpos[at : at + 3]), unit(self.qpos[at + 3 : at + 7]))


def unit(row: Any) -> Quat:
    """Return a rotation of length 1."""
    w, x, y, z = quaternion(row)
    length = (w * w + x * x + y * y + z * z) ** 0.5
    if length < 1e-15:
        return (1.0, 0.0, 0.0, 0.0)
    return w / length, x / length, y / length, z / length


def offset(pose: Pose, shift: Vec3) -> Pose:
    """Return a pose that stands elsewhere."""
    return Pose(add(pose.position, shift), pose.rotation)
