"""Exports masses: the frame of each solid and its Physics node."""

from __future__ import annotations

import math
from typing import Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.transforms import (
    WORLD,
    Pose,
    Quat,
    Vec3,
    add,
    cross,
    dot,
    normalized,
    quat_conjugate,
    quat_multiply,
    scale,
    subtract,
)
from solidbody.formats.geometry.affine import quat_of_axes
from solidbody.formats.vrml.syntax import NodeSyntax
from solidbody.formats.webots.export.nodes import node
from solidbody.formats.webots.export.plain import plain_node
from solidbody.formats.webots.export.shapes import LOST
from solidbody.formats.webots.lower.mass import is_positive_definite
from solidbody.model.joints import JointFixed, JointTrack
from solidbody.model.links import Link, Motion
from solidbody.model.mass import MassProperties

LEAST_MOMENT: Final = 1e-9
"""[kg*m^2] Written in place of moments that are not positive, which Webots refuses."""


def written_frame(link: Link) -> Pose:
    """Return the link frame in the solid that is written for it; they differ for tracks only."""
    joint = link.joint
    if not isinstance(joint, JointTrack):
        return WORLD
    wanted = _rotation_of(joint.direction, joint.up)
    turn = quat_multiply(quat_conjugate(wanted), link.pose.rotation)
    return WORLD if math.hypot(*turn[1:]) < 1e-12 else Pose(rotation=turn)


def _rotation_of(forward: Vec3, up: Vec3) -> Quat:
    """Return the rotation whose x axis is `forward` and whose z axis is `up`, made orthogonal."""
    x = normalized(forward, fallback=(1.0, 0.0, 0.0))
    z = subtract(up, scale(x, dot(x, up)))
    z = normalized(z, fallback=normalized(cross(x, (0.0, 1.0, 0.0)), fallback=(0.0, 0.0, 1.0)))
    return quat_of_axes(x, cross(z, x), z)


def center_velocity(link: Link, world: Pose) -> Vec3:
    """Return the velocity of the centre of mass, which is what a Solid stores: v + w x (R c)."""
    center = link.mass.center if link.mass else (0.0, 0.0, 0.0)
    return add(link.linear_velocity, cross(link.angular_velocity, world.direction(center)))


def physics_node(link: Link, frame: Pose, log: DiagnosticLog) -> NodeSyntax | None:
    """Return the Physics of a link; None for one that stands."""
    if link.mass is None:
        return None
    is_bolted = link.parent is None and isinstance(link.joint, JointFixed)
    if is_bolted or link.motion is Motion.KINEMATIC:
        log.info(
            LOST,
            link.span,
            f'"{link.name}" stands fixed in the world: it is written without Physics, '
            f"so that its mass of {link.mass.mass:g} kg is left out",
        )
        return None
    mass = _real_mass(link, link.mass.placed(frame) if frame != WORLD else link.mass, log)
    return node(
        "Physics",
        density=-1.0,
        mass=mass.mass,
        centerOfMass=[mass.center],
        inertiaMatrix=[mass.inertia[:3], mass.inertia[3:]],
        damping=None if link.damping is None else plain_node(link.damping),
    )


def _real_mass(link: Link, mass: MassProperties, log: DiagnosticLog) -> MassProperties:
    """Return a mass that Webots takes: above 0, with a positive definite inertia."""
    total, inertia = mass.mass, mass.inertia
    if total <= 0.0:
        total = LEAST_MOMENT
    if not is_positive_definite(inertia):
        xx, yy, zz = (max(x, LEAST_MOMENT) for x in inertia[:3])
        inertia = (xx, yy, zz, 0.0, 0.0, 0.0)
    if (total, inertia) != (mass.mass, mass.inertia):
        log.warning(
            LOST,
            link.span,
            f'"{link.name}": Webots takes a mass above 0 and a positive definite inertia only; '
            f"{total:g} kg and {inertia} kg*m^2 are written",
        )
    return MassProperties(total, mass.center, inertia)
