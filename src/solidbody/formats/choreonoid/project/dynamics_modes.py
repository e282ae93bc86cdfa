"""Simulator modes that change bodies: kinematics only, planar motion, stops at joint ranges."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from solidbody.base.transforms import Pose, Vec3
from solidbody.formats.choreonoid.body.extra_joints import turn_of_z
from solidbody.model.joints import (
    JointFree,
    JointHinge,
    JointSlider,
    LoopAttachment,
    LoopPlane,
    Stops,
)
from solidbody.model.links import Body, Link, Motion
from solidbody.model.scene import world_poses

_ACROSS: Final[Vec3] = (0.0, 1.0, 0.0)
"""Normal of the plane of the two-dimensional mode: places along y are kept."""


def moved_by_commands(body: Body) -> Body:
    """Return the body without dynamics: roots stay where they are put, joints go at once where they are told.

    Joints that close loops have no forces to do it with, and are left out.
    """
    return replace(body, links=tuple(_commanded(link) for link in body.links), loops=())


def _commanded(link: Link) -> Link:
    joint = link.joint
    if isinstance(joint, JointHinge | JointSlider) and joint.axis.motor is not None:
        motor = replace(joint.axis.motor, rigid=True)
        joint = replace(joint, axis=replace(joint.axis, motor=motor))
    return replace(link, motion=Motion.KINEMATIC, joint=joint)


def kept_in_plane(body: Body) -> Body:
    """Return the body with every floating link held in the x-z plane through where it starts.

    Choreonoid holds three points of each root at their first y: it neither moves along y nor turns
    out of the plane, and what hangs on it by joints is as free as ever.
    """
    planes: list[LoopPlane] = []
    for link, pose in zip(body.links, world_poses(body), strict=True):
        if isinstance(link.joint, JointFree) and link.motion is Motion.DYNAMIC:
            plane = Pose(pose.position, turn_of_z(_ACROSS))
            ends = LoopAttachment(None, plane), LoopAttachment(link.path, pose.inverse() * plane)
            planes.append(LoopPlane(ends, f"plane of {link.name}", link.span))
    return replace(body, loops=(*body.loops, *planes))


def stopped_at_ranges(body: Body) -> Body:
    """Return the body with joints that stop at the ends of their ranges."""
    return replace(body, links=tuple(_stopped(link) for link in body.links))


def _stopped(link: Link) -> Link:
    joint = link.joint
    if not isinstance(joint, JointHinge | JointSlider) or joint.axis.rated_range is None:
        return link
    axis = replace(joint.axis, stops=Stops(*joint.axis.rated_range))
    return replace(link, joint=replace(joint, axis=axis))
