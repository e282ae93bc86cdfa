"""What controllers are told of the links of a body before anything moves."""

from __future__ import annotations

from typing import Any

import numpy as np

from solidbody.base.transforms import (
    IDENTITY,
    Pose,
    Vec3,
    quat_conjugate,
    quat_from_axis_angle,
    quat_multiply,
    quat_rotate,
    scale,
    subtract,
)
from solidbody.control.body_copies.device_slots import pose_numbers
from solidbody.model.joints import (
    JointFixed,
    JointFree,
    JointHinge,
    JointSlider,
    JointTrack,
    joint_axes,
)
from solidbody.model.links import Body, Link
from solidbody.model.scene import world_poses

REVOLUTE, PRISMATIC, FREE, FIXED, TRACK = range(5)
"""Types of joints, as Choreonoid numbers them."""


def joint_links(body: Body) -> list[int]:
    """Return the links whose joint has a slot in the block."""
    moving = JointHinge | JointSlider | JointTrack
    return [k for k, link in enumerate(body.links) if isinstance(link.joint, moving)]


def link_facts(body: Body) -> list[tuple[Any, ...]]:
    """Return what hosts are told of the links, the fields of `LinkFacts`."""
    slots = {link: k for k, link in enumerate(joint_links(body))}
    poses = world_poses(body)
    return [
        _facts(link, pose, slots.get(k, -1))
        for k, (link, pose) in enumerate(zip(body.links, poses, strict=True))
    ]


def _facts(link: Link, world: Pose, slot: int) -> tuple[Any, ...]:
    axis = next(iter(joint_axes(link.joint)), None)
    position = 0.0 if axis is None else axis.position
    offset = _pose_at_zero(link)
    direction: Vec3 = (0.0, 0.0, 1.0)
    if axis is not None:
        direction = quat_rotate(quat_conjugate(offset.rotation), axis.direction)
    low, high = (-np.inf, np.inf) if axis is None or axis.rated_range is None else axis.rated_range
    mass = link.mass
    xx, yy, zz, xy, xz, yz = (0.0,) * 6 if mass is None else mass.inertia
    number = -1 if link.joint_number is None else link.joint_number
    shape = next(iter(link.shapes), None)
    joint_name = getattr(link.joint, "name", "")
    return (
        link.name if not link.label else link.label,
        joint_name if joint_name != link.name else "",
        "" if shape is None else shape.contact_material,
        -1 if link.parent is None else link.parent,
        number,
        _joint_type(link),
        slot,
        pose_numbers(offset),
        pose_numbers(world),
        direction,
        position,
        low,
        high,
        np.inf if axis is None else axis.velocity_limit,
        np.inf if axis is None else axis.effort_limit,
        0.0 if axis is None else axis.armature,
        0.0 if mass is None else mass.mass,
        (0.0, 0.0, 0.0) if mass is None else mass.center,
        (xx, xy, xz, xy, yy, yz, xz, yz, zz),
    )


def _joint_type(link: Link) -> int:
    match link.joint:
        case JointHinge():
            return REVOLUTE
        case JointSlider():
            return PRISMATIC
        case JointFree():
            return FREE
        case JointTrack():
            return TRACK
        case _:
            return FIXED


def _pose_at_zero(link: Link) -> Pose:
    """Return where a link is in its parent when its joint stands at 0."""
    match link.joint:
        case JointHinge(axis=axis):
            back = quat_from_axis_angle(axis.direction, -axis.position)
            return Pose(link.pose.position, quat_multiply(back, link.pose.rotation))
        case JointSlider(axis=axis):
            shift = scale(axis.direction, axis.position)
            return Pose(subtract(link.pose.position, shift), link.pose.rotation)
        case JointFixed() if link.parent is None:
            return Pose((0.0, 0.0, 0.0), IDENTITY)
        case _:
            return link.pose
