"""Tables of mechanisms beside plain joints: ball joints, loops, tracks, kinematic joints, propellers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import mujoco
import numpy as np

from solidbody.base.transforms import (
    Pose,
    Quat,
    Vec3,
    cross,
    dot,
    normalized,
    quat_conjugate,
    quat_rotate,
)
from solidbody.compiler.axes import AxisList
from solidbody.compiler.bodies import LinkPart, has_velocity
from solidbody.contact import layout
from solidbody.contact import tables as t
from solidbody.model.devices import DevicePropeller, DeviceRotor
from solidbody.model.joints import (
    JointBall,
    JointFixed,
    JointFree,
    JointHinge,
    JointHinge2,
    JointSlider,
    JointTrack,
    Loop,
    LoopBall,
    LoopFixed,
    LoopGeneral,
    LoopHinge,
    LoopPiston,
    LoopPlane,
    joint_axes,
)
from solidbody.model.links import Body, Motion
from solidbody.model.scene import Scene

_AXIS_Z: Vec3 = (0.0, 0.0, 1.0)


def _table(dtype: np.dtype[np.void], rows: int) -> t.Table:
    return np.zeros(rows, dtype=dtype)


def ball_table(scene: Scene, parts: Sequence[LinkPart], axes: AxisList) -> t.Table:
    """Return BALL rows of ball joints with axes of their own, in trees and in loops."""
    chosen: list[tuple[JointBall, Quat, int, int]] = []
    for k, part in enumerate(parts):
        joint, first = part.link.joint, axes.of_link[k]
        if not isinstance(joint, JointBall) or first >= axes.named:
            continue
        binding = axes.rows[first][1]
        if binding.kind is layout.AxisKind.BALL and binding.joint == joint.name:
            chosen.append((joint, part.link.pose.rotation, first, -1))
    for k, loop in enumerate(loop for body in scene.bodies for loop in body.loops):
        if (
            k in axes.of_loop
            and isinstance(loop, LoopGeneral)
            and isinstance(loop.joint, JointBall)
        ):
            # axes are in the frame of the link above the joint, which is end 0
            chosen.append((loop.joint, loop.ends[0].pose.rotation, axes.of_loop[k], k))
    out = _table(layout.BALL, len(chosen))
    for row, (joint, rotation, first, loop) in zip(out, chosen, strict=True):
        row["axis"], row["loop"] = first, loop
        turn_ball(row, joint, rotation)
        row["start"] = [axis.position for axis in joint_axes(joint)]
    return out


def turn_ball(row: t.Record, joint: JointBall, rotation: Quat) -> None:
    """Write the axes of a ball joint into its BALL row; `rotation` is that of its link in the one above."""
    back = quat_conjugate(rotation)
    one, two, three = (axis.direction for axis in joint_axes(joint))
    row["first"], row["third"] = quat_rotate(back, one), quat_rotate(back, three)
    # the middle axis is perpendicular to the outer two, whatever the file says
    row["second"] = quat_rotate(back, normalized(cross(three, one), fallback=two))


_LOOP_KINDS = {
    LoopBall: layout.LoopKind.BALL,
    LoopHinge: layout.LoopKind.HINGE,
    LoopPiston: layout.LoopKind.PISTON,
    LoopFixed: layout.LoopKind.FIXED,
    LoopPlane: layout.LoopKind.PLANE,
    JointBall: layout.LoopKind.BALL,
    JointHinge: layout.LoopKind.HINGE,
    JointFixed: layout.LoopKind.FIXED,
    JointSlider: layout.LoopKind.SLIDER,
    JointHinge2: layout.LoopKind.HINGE2,
    JointFree: layout.LoopKind.NONE,
    JointTrack: layout.LoopKind.FIXED,
}


def loop_table(scene: Scene, parts: Sequence[LinkPart], axes: AxisList) -> t.Table:
    """Return LOOP rows of all loops."""
    by_path = {part.link.path: part for part in parts}
    places = {path: (part.offset, part.world) for path, part in by_path.items()}
    loops = [loop for body in scene.bodies for loop in body.loops]
    out = _table(layout.LOOP, len(loops))
    for k, (row, loop) in enumerate(zip(out, loops, strict=True)):
        joint = loop.joint if isinstance(loop, LoopGeneral) else None
        row["kind"] = _LOOP_KINDS[type(loop if joint is None else joint)]
        row["body"] = [0 if end.link is None else by_path[end.link].body.id for end in loop.ends]
        starts = () if joint is None else [axis.position for axis in joint_axes(joint)[:2]]
        row["start"][: len(starts)] = starts
        row["axis"] = axes.of_loop.get(k, -1)
        place_loop(row, loop, places)
    return out


def place_loop(row: t.Record, loop: Loop, places: Mapping[str, tuple[Pose, Pose]]) -> None:
    """Write where the ends of a loop are into its LOOP row, and how far they are turned at the start.

    `places` are the frames of links, by their paths: in their bodies, and in the world.
    """
    worlds: list[Pose] = []
    for e, end in enumerate(loop.ends):
        offset, world = (Pose(), Pose()) if end.link is None else places[end.link]
        pose = end.pose if end.link is None else offset * end.pose
        worlds.append(end.pose if end.link is None else world * end.pose)
        row["pos"][e], row["quat"][e] = pose.position, pose.rotation
    z, x = worlds[0].direction(_AXIS_Z), worlds[0].direction((1.0, 0.0, 0.0))
    other = worlds[1].direction((1.0, 0.0, 0.0))
    row["turned"] = math.atan2(dot(cross(x, other), z), dot(x, other) - dot(x, z) * dot(other, z))
    if isinstance(loop, LoopGeneral) and isinstance(loop.joint, JointHinge2):
        # axes are in the frame of the link above the joint, which is end 0
        back = quat_conjugate(loop.ends[0].pose.rotation)
        row["second"] = quat_rotate(back, loop.joint.axis2.direction)


def track_table(model: mujoco.MjModel, parts: Sequence[LinkPart], axes: AxisList) -> t.Table:
    """Return TRACK rows."""
    chosen = [(k, part) for k, part in enumerate(parts) if isinstance(part.link.joint, JointTrack)]
    out = _table(layout.TRACK, len(chosen))
    for row, (k, part) in zip(out, chosen, strict=True):
        joint = part.link.joint
        assert isinstance(joint, JointTrack)
        row["body"], row["axis"] = part.body.id, axes.of_link[k]
        row["around"] = joint.around
        turn_track(row, joint, part.link.pose.rotation)
        row["mass"] = _rigid_mass(model, part)
    return out


def turn_track(row: t.Record, joint: JointTrack, rotation: Quat) -> None:
    """Write the directions of a track into its TRACK row; `rotation` is that of its link in the one above."""
    back = quat_conjugate(rotation)
    row["forward"], row["up"] = quat_rotate(back, joint.direction), quat_rotate(back, joint.up)


def _rigid_mass(model: mujoco.MjModel, track: LinkPart) -> float:
    """Return the mass of all that is rigidly one with a track [kg]: what a force on its belt moves."""
    if track.link.mass is None:
        return math.inf
    group = model.body_weldid[track.body.id]
    if group == 0:  # on something that stands still
        return track.link.mass.mass
    return float(model.body_mass[model.body_weldid == group].sum())


def is_kinematic_joint(part: LinkPart) -> bool:
    """Whether the link has no physics but a joint that moves it, or holds it where it is.

    One that starts with a velocity of its own goes away from a joint without motors.
    """
    joint = part.link.joint
    if part.link.motion is not Motion.KINEMATIC or isinstance(
        joint, JointFree | JointFixed | JointTrack
    ):
        return False
    return not has_velocity(part.link) or any(axis.motor for axis in joint_axes(joint))


def kinematic_joints(parts: Sequence[LinkPart]) -> list[tuple[int, LinkPart]]:
    """Return the links that a joint without physics moves, in the order of the KINEMATIC rows."""
    return [(k, part) for k, part in enumerate(parts) if is_kinematic_joint(part)]


def kinematic_table(parts: Sequence[LinkPart], axes: AxisList) -> t.Table:
    """Return KINEMATIC rows."""
    chosen = kinematic_joints(parts)
    out = _table(layout.KINEMATIC, len(chosen))
    for row, (k, part) in zip(out, chosen, strict=True):
        joint, above = part.link.joint, part.parent_offset
        row["body"], row["axis"] = part.body.id, axes.of_link[k]
        row["slides"] = isinstance(joint, JointSlider)
        if isinstance(joint, JointHinge | JointHinge2 | JointBall):
            row["anchor"] = above.point(joint.anchor)
        listed = joint_axes(joint)
        row["axes"] = len(listed)
        for i, axis in enumerate(listed):
            row["direction"][i] = above.direction(axis.direction)
            row["start"][i] = axis.position
    return out


def propellers(
    parts: Sequence[LinkPart],
) -> list[tuple[int, int, LinkPart, DevicePropeller | DeviceRotor]]:
    """Return link, number and device of propellers with a motor and of rotors, in the order of their rows."""
    return [
        (k, number, part, device)
        for k, part in enumerate(parts)
        for number, device in enumerate(part.link.devices)
        if (isinstance(device, DevicePropeller) and device.motor is not None)
        or isinstance(device, DeviceRotor)
    ]


def propeller_table(parts: Sequence[LinkPart], axes: AxisList) -> t.Table:
    """Return PROPELLER rows."""
    rows = propellers(parts)
    out = _table(layout.PROPELLER, len(rows))
    for row, (k, number, part, device) in zip(out, rows, strict=True):
        pose = part.offset * device.pose
        row["body"] = part.body.id
        if isinstance(device, DeviceRotor):
            row["axis"] = -1
            row["point"], row["direction"] = pose.position, pose.direction(device.direction)
            continue
        assert device.motor is not None
        row["axis"] = axes.of_propeller[k, number]
        row["point"] = pose.point(device.center_of_thrust)
        row["direction"] = pose.direction(device.shaft_axis)
        row["local"] = device.shaft_axis
        row["thrust"], row["torque"] = device.thrust_constants, device.torque_constants
        row["max_torque"] = device.motor.max_effort
    return out


def coupled_rows(
    bodies: Sequence[Body], axes: AxisList, parts: Sequence[LinkPart]
) -> list[list[int]]:
    """Return for each named axis the rows of the motors coupled with its own, itself included.

    Motors of one robot whose names share the part before `::` are coupled.
    """
    robots = _robot_of_joints(bodies)
    owner = {row: k for k, row in axes.of_link.items()}
    owner |= {row: k for (k, _), row in axes.of_propeller.items()}
    groups: dict[tuple[int, str], list[int]] = {}
    keys: list[tuple[int, str] | None] = []
    link = -1
    for row, (axis, _) in enumerate(axes.rows[: axes.named]):
        link = owner.get(row, link)
        base, mark, _ = axis.motor.name.partition("::") if axis.motor else ("", "", "")
        key = (robots[link], base) if mark and link < len(parts) else None
        keys.append(key)
        if key is not None:
            groups.setdefault(key, []).append(row)
    return [[row] if key is None else groups[key] for row, key in enumerate(keys)]


def _robot_of_joints(bodies: Sequence[Body]) -> list[int]:
    """Return a number of the robot of the joint of each link of the scene."""
    out: list[int] = []
    count = 0
    for body in bodies:
        none = -1 - len(out)  # of the body itself
        nearest = body.robot_of_links()
        found = [body.robot_of_joint(index, nearest) for index in range(len(nearest))]
        out += [none if k is None else count + k + 1 for k in found]
        count += len(body.robots)
    return out
