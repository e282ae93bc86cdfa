"""Lowers joints whose end point is a SolidReference: they close a loop between two links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from solidbody.base.diagnostics import DiagnosticLog, did_you_mean
from solidbody.base.transforms import IDENTITY, Pose, Quat, Vec3, cross, dot, norm, quat_normalized
from solidbody.formats.webots.lower.builders import LinkBuilder
from solidbody.formats.webots.lower.joints import LoweredJoint
from solidbody.formats.webots.lower.lowering_context import LoweringContext
from solidbody.formats.webots.nodes.typed import TypedNode
from solidbody.model.joints import (
    JointAxis,
    JointBall,
    JointHinge,
    JointHinge2,
    JointSlider,
    Loop,
    LoopAttachment,
    LoopBall,
    LoopGeneral,
    LoopHinge,
)

STATIC: Final = "<static environment>"


@dataclass(frozen=True, slots=True)
class PendingLoop:
    """A loop whose other end may come later in the file."""

    node: TypedNode
    reference: TypedNode
    place: LoweringContext
    joint: LoweredJoint


def lower_loop(pending: PendingLoop, log: DiagnosticLog) -> Loop | None:
    """Return the loop between the link above the joint and the solid that it refers to."""
    place, joint = pending.place, pending.joint
    body, near, upper = place.body, place.link, place.upper
    assert body is not None and near is not None and upper is not None
    name = pending.reference.string("solidName")
    far: LinkBuilder | None = None
    if name != STATIC:
        if name == upper.node.string("name"):
            pending.reference.warn(
                log,
                "loop-to-itself",
                f'"{name}" is the solid above the joint itself; the joint is left out.',
                field="solidName",
            )
            return None
        far = body.solids.get(name)
        if far is None:
            pending.reference.warn(
                log,
                "unknown-solid",
                f'no solid below the same top node is named "{name}"; the joint is left out.'
                f"{did_you_mean(name, body.solids)}",
                field="solidName",
            )
            return None
    pose = _joint_pose(joint, place.frame.pose)
    world = near.world * pose
    ends = (
        LoopAttachment(near.path, pose),
        LoopAttachment(None, world)
        if far is None
        else LoopAttachment(far.path, far.world.inverse() * world),
    )
    span = pending.node.span
    if isinstance(joint, JointHinge) and joint.suspension is None and _is_plain(joint.axis):
        return LoopHinge(ends, joint.name, span)
    if isinstance(joint, JointBall) and all(
        _is_plain(axis) for axis in (joint.axis1, joint.axis2, joint.axis3)
    ):
        return LoopBall(ends, joint.name, span)
    return LoopGeneral(ends, joint, joint.name, span)


def _is_plain(axis: JointAxis) -> bool:
    """Whether the axis only turns: no stops, springs, friction or devices."""
    return axis == JointAxis(axis.direction, axis.position)


def _joint_pose(joint: LoweredJoint, frame: Pose) -> Pose:
    """Return the joint frame in the near link: at the anchor, z along the first axis."""
    match joint:
        case JointHinge():
            return Pose(joint.anchor, _z_to(joint.axis.direction))
        case JointHinge2() | JointBall():
            return Pose(joint.anchor, _z_to(joint.axis1.direction))
        case JointSlider():
            return Pose(frame.position, _z_to(joint.axis.direction))


def _z_to(direction: Vec3) -> Quat:
    """Return the shortest turn from +z to a unit vector: q ~ (1 + z.d, z x d)."""
    z = (0.0, 0.0, 1.0)
    w, v = 1.0 + dot(z, direction), cross(z, direction)
    if norm(v) < 1e-12:
        return IDENTITY if w > 1.0 else (0.0, 1.0, 0.0, 0.0)
    return quat_normalized((w, *v))
