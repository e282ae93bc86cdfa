"""Reads the joint keys of a link: type, axis, start, ratings and mode (docs/behaviour, C4.1).

Choreonoid never stops a joint at the ends of its range, so the range becomes a rating of the axis. URDF does:
there the ends are stops, and damping and friction act.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

from solidbody.base.span import SourceSpan
from solidbody.base.transforms import (
    Pose,
    Vec3,
    add,
    cross,
    norm,
    quat_from_axis_angle,
    quat_multiply,
    quat_rotate,
    scale,
    subtract,
)
from solidbody.formats.choreonoid.keys.access import DEGREE, Keys, shown
from solidbody.formats.choreonoid.keys.bodies import (
    ACTUATION,
    AXES,
    TYPES,
    UNLIMITED,
    Actuation,
    JointKeys,
    JointKind,
    ResistanceKeys,
)
from solidbody.formats.choreonoid.keys.kinds import number_of, vec3_of
from solidbody.formats.choreonoid.keys.table import Key
from solidbody.formats.choreonoid.keys.yaml_tree import YamlList, YamlNode, YamlScalar
from solidbody.model.joints import (
    Joint,
    JointAxis,
    JointFixed,
    JointFree,
    JointHinge,
    JointSlider,
    JointTrack,
    Stops,
)
from solidbody.model.motors import ControlMode, Motor

_FOREIGN_TYPES: Final = {
    "continuous": (JointKind.REVOLUTE, "revolute without a joint_range"),
    "rotate": (JointKind.REVOLUTE, "revolute"),
    "rotational": (JointKind.REVOLUTE, "revolute"),
    "hinge": (JointKind.REVOLUTE, "revolute"),
    "slider": (JointKind.PRISMATIC, "prismatic"),
    "linear": (JointKind.PRISMATIC, "prismatic"),
    "floating": (JointKind.FREE, "free"),
}
"""Words of other formats: (what is meant, what to write)."""

MODES: Final = {
    Actuation.EFFORT: ControlMode.EFFORT,
    Actuation.DISPLACEMENT: ControlMode.POSITION,
    Actuation.VELOCITY: ControlMode.VELOCITY,
}
"""Modes of motors; the others have none."""

_Z: Final = AXES["Z"]

UNIT_TOLERANCE: Final = 1e-3
"""How far from 1 the length of an axis may be before it is worth a warning: three written digits."""

MAX_NUMBER: Final = 99_999
"""Largest joint id: programs make lists that long."""


@dataclass(frozen=True, slots=True)
class JointDraft:
    """The joint of a link before its place in the tree is known.

    Attributes:
        kind: The type.
        axis: Unit vector in the link frame.
        position: At the start [rad] or [m].
        rated_range: [rad] or [m]; None = unlimited on both sides.
        velocity_limit: [rad/s] or [m/s].
        effort_limit: [N*m] or [N].
        armature: Rotor inertia seen at the joint.
        actuation: What drives it from the start; None = whatever a program chooses.
        number: Place in the list of joints; None = not in it.
        stops: Hard limits [rad] or [m]; None = none.
        damping: [N*m*s/rad] or [N*s/m].
        friction: Dry friction [N*m] or [N].
        span: Where the type is written, else the link.
    """

    kind: JointKind
    axis: Vec3
    position: float
    rated_range: tuple[float, float] | None
    velocity_limit: float
    effort_limit: float
    armature: float
    actuation: Actuation | None
    number: int | None
    span: SourceSpan
    stops: Stops | None = None
    damping: float = 0.0
    friction: float = 0.0

    def moved(self, offset: Pose) -> Pose:
        """Return the link's pose in its parent at the start, from the pose at position 0.

        Revolute: R_b exp(a q); prismatic: b + R_b a q.
        """
        match self.kind:
            case JointKind.REVOLUTE:
                turn = quat_from_axis_angle(self.axis, self.position)
                return Pose(offset.position, quat_multiply(offset.rotation, turn))
            case JointKind.PRISMATIC:
                shift = quat_rotate(offset.rotation, scale(self.axis, self.position))
                return Pose(add(offset.position, shift), offset.rotation)
            case _:
                return offset

    def joint(self, name: str, offset: Pose) -> Joint:
        """Return the model's joint; `offset` is the link's pose in its parent at position 0."""
        match self.kind:
            case JointKind.FIXED:
                return JointFixed()
            case JointKind.FREE:
                return JointFree()
            case JointKind.REVOLUTE:
                return JointHinge(name, self._axis(name, offset), offset.position, span=self.span)
            case JointKind.PRISMATIC:
                return JointSlider(name, self._axis(name, offset), span=self.span)
            case JointKind.TRACK:
                return self._track(name, offset)

    def _axis(self, name: str, offset: Pose) -> JointAxis:
        return JointAxis(
            offset.direction(self.axis),
            self.position,
            stops=self.stops,
            rated_range=self.rated_range,
            damping=self.damping,
            static_friction=self.friction,
            armature=self.armature,
            velocity_limit=self.velocity_limit,
            effort_limit=self.effort_limit,
            motor=self._motor(name),
        )

    def _motor(self, name: str) -> Motor | None:
        """Return the motor of a joint that programs can command: one with a number or a mode."""
        if self.number is None and self.actuation is None:
            return None
        mode = ControlMode.FREE if self.actuation is None else MODES.get(self.actuation)
        range_ = self.rated_range
        return Motor(
            name,
            max_velocity=self.velocity_limit,
            max_effort=self.effort_limit,
            range=range_ if range_ and math.isfinite(range_[1] - range_[0]) else None,
            mode=mode or ControlMode.FREE,
            consumption=0.0,
            span=self.span,
            rigid=True,
        )

    def _track(self, name: str, offset: Pose) -> JointTrack:
        """Return the track: on flat ground, positive speed drives along axis x up. Its axis stays its own."""
        axis = offset.direction(self.axis)
        up = _perpendicular_part(_Z, axis)
        if norm(up) < 1e-3:  # a track that lies on its side: any direction round the axis will do
            up = _perpendicular_part((1.0, 0.0, 0.0), axis)
        up = scale(up, 1.0 / norm(up))
        forward = cross(axis, up)
        rated = JointAxis(
            axis,
            velocity_limit=self.velocity_limit,
            effort_limit=self.effort_limit,
            motor=Motor(
                name,
                max_velocity=self.velocity_limit,
                max_effort=self.effort_limit,
                mode=ControlMode.VELOCITY,
                consumption=0.0,
                span=self.span,
            ),
        )
        return JointTrack(name, rated, forward, up, span=self.span, around=True)


def read_joint(keys: Keys) -> JointDraft:
    """Return the joint of a Link (or SubBody) mapping."""
    number = _number(keys)
    kind = _kind(keys)
    actuation = _actuation(keys)
    if kind is JointKind.TRACK or actuation is Actuation.SURFACE_VELOCITY:
        kind, actuation = JointKind.TRACK, Actuation.VELOCITY
    axis = read_axis(keys, has_one=kind not in (JointKind.FIXED, JointKind.FREE))
    is_revolute = kind is JointKind.REVOLUTE
    factor = keys.reading.angle_factor if is_revolute else 1.0
    found = keys.find(JointKeys.joint_type)
    resists = keys.reading.joints_resist
    rated_range = _range(keys, factor)
    return JointDraft(
        kind=kind,
        axis=axis,
        position=_position(keys, kind, factor),
        rated_range=rated_range,
        velocity_limit=_velocity_limit(keys, factor),
        effort_limit=_limit(keys, JointKeys.max_joint_effort, 1.0),
        armature=_armature(keys),
        actuation=actuation,
        number=number,
        span=keys.span if found is None else found[1].span,
        stops=Stops(*rated_range) if resists and rated_range is not None else None,
        damping=_resistance(keys, ResistanceKeys.joint_damping) if resists else 0.0,
        friction=_resistance(keys, ResistanceKeys.joint_friction) if resists else 0.0,
    )


def _number(keys: Keys) -> int | None:
    number = keys.read(JointKeys.joint_id)
    if number > MAX_NUMBER:
        text = f"a joint id is at most {MAX_NUMBER}, got {number:g}."
        keys.error("wrong-value", JointKeys.joint_id, text)
        return None
    return number if number >= 0 else None


def _kind(keys: Keys) -> JointKind:
    found = keys.find(JointKeys.joint_type)
    if found is None:
        return JointKind.FIXED
    name, value = found
    text = value.text if isinstance(value, YamlScalar) else ""
    if text in TYPES:
        return TYPES[text]
    words = ", ".join(TYPES)
    if text in _FOREIGN_TYPES:
        kind, advice = _FOREIGN_TYPES[text]
        keys.error(
            "joint-type",
            name,
            f'"{text}" is no joint type in Choreonoid, which has {words}; write {advice}. Read as that.',
        )
        return kind
    keys.error(
        "joint-type",
        name,
        f"expected one of {words}, got {shown(value)}.{keys.reading.guess(text, TYPES)} Read as fixed.",
    )
    return JointKind.FIXED


def read_axis(keys: Keys, *, has_one: bool = True) -> Vec3:
    """Return the axis; a joint that has none may write zeros."""
    found = keys.find(JointKeys.joint_axis)
    if found is None:
        return _Z
    name, value = found
    if isinstance(value, YamlScalar):
        axis = AXES.get(value.text.upper())
        if axis is None:
            keys.wrong(name, value, "a list of 3 numbers or one of X, Y, Z, -X, -Y, -Z")
        return axis or _Z
    axis = vec3_of(keys, name, value) or _Z
    if not has_one:
        return scale(axis, 1.0 / norm(axis)) if 1e-12 < norm(axis) < math.inf else _Z
    return unit_axis(keys, name, axis, fallback=_Z)


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


def _actuation(keys: Keys) -> Actuation | None:
    found = keys.find(JointKeys.actuation_mode)
    if found is None:
        return None
    name, value = found
    text = value.text if isinstance(value, YamlScalar) else ""
    if text in ACTUATION:
        return ACTUATION[text]
    camel = "".join(word if k == 0 else word.capitalize() for k, word in enumerate(text.split("_")))
    mode = ACTUATION.get(camel)
    advice = f' Write "{mode.value}".' if mode else keys.reading.guess(text, ACTUATION)
    keys.error(
        "actuation-mode",
        name,
        f"expected one of {', '.join(ACTUATION)}, got {shown(value)}.{advice} "
        + ("Read as that." if mode else "No mode is set."),
    )
    return mode


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


def _range(keys: Keys, factor: float) -> tuple[float, float] | None:
    found = keys.find(JointKeys.joint_range)
    if found is None:
        return None
    name, value = found
    if isinstance(value, YamlList):
        ends = _pair(keys, name, value)
        if ends is None:
            return None
        low, high = ends
    else:
        limit = _number_or_unlimited(keys, name, value)
        if limit is None:
            return None
        low, high = -limit, limit
    if low > high:
        keys.warning(
            "range-order", name, f"the range [{low:g}, {high:g}] is upside down; it is turned."
        )
        low, high = high, low
    return None if low == -math.inf and high == math.inf else (low * factor, high * factor)


def _velocity_limit(keys: Keys, factor: float) -> float:
    found = keys.find(JointKeys.joint_velocity_range)
    limit = _limit(keys, JointKeys.max_joint_velocity, factor)
    if found is None:
        return limit
    name, value = found
    if keys.has(JointKeys.max_joint_velocity):
        keys.warning(
            "velocity-limits",
            name,
            "max_joint_velocity is given too and counts, as in Choreonoid (its manual has it the other "
            "way round).",
        )
        return limit
    if not isinstance(value, YamlList):
        keys.wrong(name, value, "a list [low, high]")
        return math.inf
    ends = _pair(keys, name, value)
    if ends is None:
        return math.inf
    low, high = ends
    if low != -high:
        keys.warning(
            "velocity-range",
            name,
            f"the limits {low:g} and {high:g} differ; the larger one holds both ways here.",
        )
    return max(abs(low), abs(high)) * factor


def _limit(keys: Keys, row: Key[Any], factor: float) -> float:
    found = keys.find(row)
    if found is None:
        return math.inf
    limit = _number_or_unlimited(keys, *found)
    if limit is None:
        return math.inf
    if limit < 0.0:
        keys.error("wrong-value", found[0], f"a limit is not negative, got {limit:g}; none is set.")
        return math.inf
    return limit * factor


def _pair(keys: Keys, name: str, value: YamlList) -> tuple[float, float] | None:
    if len(value.items) != 2:
        keys.wrong(name, value, "a list [low, high]")
        return None
    low = _number_or_unlimited(keys, name, value.items[0])
    high = _number_or_unlimited(keys, name, value.items[1])
    if low is None or high is None:
        return None
    return (-math.inf if math.isinf(low) else low), (math.inf if math.isinf(high) else high)


def _number_or_unlimited(keys: Keys, name: str, value: YamlNode) -> float | None:
    if isinstance(value, YamlScalar) and value.text == UNLIMITED:
        return math.inf
    if isinstance(value, YamlScalar) and value.text.lstrip("+-.").lower() in ("inf", "infinity"):
        keys.warning(
            "infinite-limit",
            name,
            f'write "{UNLIMITED}" instead of {shown(value)}.',
            span=value.span,
        )
        return -math.inf if value.text.startswith("-") else math.inf
    return number_of(keys, name, value)


def _resistance(keys: Keys, row: Key[float]) -> float:
    number = keys.read(row)
    if number < 0.0:
        keys.error("wrong-value", row, f"it is not negative, got {number:g}; 0 is used.")
    return max(number, 0.0)


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


def _perpendicular_part(v: Vec3, axis: Vec3) -> Vec3:
    along = v[0] * axis[0] + v[1] * axis[1] + v[2] * axis[2]
    return subtract(v, scale(axis, along))
