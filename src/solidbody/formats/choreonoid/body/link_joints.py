"""Reads the joint keys of a link: type, axis, start, ratings and mode (docs/behaviour, C4.1).

Choreonoid never stops a joint at the ends of its range, so the range becomes a rating of the axis.
"""

from __future__ import annotations

import math
from typing import Final

from solidbody.base.transforms import Vec3, norm, scale
from solidbody.formats.choreonoid.keys.access import DEGREE, Keys
from solidbody.formats.choreonoid.keys.bodies import AXES, JointKeys
from solidbody.formats.choreonoid.keys.table import plain_values
from solidbody.formats.link_trees.drafts import Actuation, JointDraft, JointKind

_Z: Final = AXES["Z"]
_WITHOUT_AXIS: Final = (JointKind.FIXED, JointKind.FREE)

UNIT_TOLERANCE: Final = 1e-3
"""How far from 1 the length of an axis may be before it is worth a warning: three written digits."""


def read_joint(keys: Keys) -> JointDraft:
    """Return the joint of a Link (or SubBody) mapping."""
    values = plain_values(keys, JointKeys)
    kind, actuation = values["kind"], values["actuation"]
    if kind is JointKind.TRACK or actuation is Actuation.SURFACE_VELOCITY:
        kind, actuation = JointKind.TRACK, Actuation.VELOCITY
    is_revolute = kind is JointKind.REVOLUTE
    factor = keys.reading.angle_factor if is_revolute else 1.0
    found = keys.find(JointKeys.joint_type)
    limits = values["rated_range"]
    values |= {
        "kind": kind,
        "actuation": actuation,
        "axis": _axis(keys, values["axis"], has_one=kind not in _WITHOUT_AXIS),
        "position": _position(keys, kind, factor),
        "rated_range": None if limits is None else (limits[0] * factor, limits[1] * factor),
        "velocity_limit": _velocity_limit(keys, values["velocity_limit"]) * factor,
        "armature": _armature(keys),
        "span": keys.span if found is None else found[1].span,
    }
    return JointDraft(**values)


def read_axis(keys: Keys) -> Vec3:
    """Return the axis of a joint that has one."""
    return _axis(keys, keys.read(JointKeys.joint_axis), has_one=True)


def _axis(keys: Keys, axis: Vec3, *, has_one: bool) -> Vec3:
    """Return the axis with length 1; a joint that has none may write zeros."""
    if not has_one:
        return scale(axis, 1.0 / norm(axis)) if 1e-12 < norm(axis) < math.inf else _Z
    return unit_axis(keys, keys.written(JointKeys.joint_axis), axis, fallback=_Z)


def unit_axis(keys: Keys, name: str, axis: Vec3, *, fallback: Vec3) -> Vec3:
    """Return the axis with length 1; another length is worth a warning, none at all an error."""
    length = norm(axis)
    if length < 1e-12 or not math.isfinite(length):
        keys.error("null-axis", name, f"the axis has no direction; {list(fallback)} is used.")
        return fallback
    if abs(length - 1.0) > UNIT_TOLERANCE:
        keys.warning(
            "axis-length",
            name,
            f"the axis has length {length:g}, not 1; it is normalised here, while Choreonoid takes it "
            "as it is and moves the link by the wrong amount.",
        )
    return scale(axis, 1.0 / length)


def _position(keys: Keys, kind: JointKind, factor: float) -> float:
    angle = keys.read(JointKeys.joint_angle)
    displacement = keys.read(JointKeys.joint_displacement)
    if angle is not None and displacement is not None:
        text = "joint_displacement is given too and counts."
        keys.warning("duplicate-key", JointKeys.joint_angle, text)
    if displacement is not None:
        if kind is JointKind.REVOLUTE and factor == DEGREE and displacement != 0.0:
            keys.info(
                "displacement-unit",
                JointKeys.joint_displacement,
                f"read as {displacement:g} degrees, as Choreonoid does; its manual says radians.",
            )
        return displacement * factor
    if angle is None:
        return 0.0
    unit = keys.reading.angle_factor
    if kind is JointKind.PRISMATIC and unit != 1.0 and angle != 0.0:
        keys.warning(
            "angle-of-slider",
            JointKeys.joint_angle,
            f"on a prismatic joint this means {angle:g}*pi/180 = {angle * unit:g} m, as Choreonoid has "
            "it; write joint_displacement for metres.",
        )
    return angle * unit


def _velocity_limit(keys: Keys, limit: float) -> float:
    """Return the limit, that of a range where none is given."""
    ends = keys.read(JointKeys.joint_velocity_range)
    if not keys.has(JointKeys.joint_velocity_range):
        return limit
    name = keys.written(JointKeys.joint_velocity_range)
    if keys.has(JointKeys.max_joint_velocity):
        keys.warning(
            "velocity-limits",
            name,
            "max_joint_velocity is given too and counts, as in Choreonoid (its manual has it the other "
            "way round).",
        )
        return limit
    if ends is None:
        return math.inf
    low, high = ends
    if low != -high:
        keys.warning(
            "velocity-range",
            name,
            f"the limits {low:g} and {high:g} differ; the larger one holds both ways here.",
        )
    return max(abs(low), abs(high))


def _armature(keys: Keys) -> float:
    """Return the rotor inertia seen at the joint: given, or gear_ratio^2 * rotor_inertia."""
    gear = keys.read(JointKeys.gear_ratio)
    rotor = keys.read(JointKeys.rotor_inertia)
    found = keys.read(JointKeys.joint_axis_inertia)
    armature = gear * gear * rotor if found is None else found
    if armature < 0.0 or not math.isfinite(armature):
        keys.error(
            "wrong-value",
            JointKeys.rotor_inertia if found is None else JointKeys.joint_axis_inertia,
            f"an inertia is finite and not negative, got {armature:g}; 0 is used.",
        )
        return 0.0
    return armature
