"""Lowers motors, position sensors and brakes, and the limits that coupled motors share (rules W7.4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.formats.webots.lower.plain import lower_plain
from solidbody.formats.webots.lower.robots import nodes_of_robot
from solidbody.formats.webots.nodes.typed import TypedNode
from solidbody.model.motors import Brake, Motor, PositionSensor

COUPLING_MARK = "::"


@dataclass(frozen=True, slots=True)
class AxisDevices:
    """The devices on one axis; `motor_node` is the node of the motor (its muscles stand there)."""

    motor: Motor | None = None
    sensor: PositionSensor | None = None
    brake: Brake | None = None
    motor_node: TypedNode | None = None


@dataclass(frozen=True, slots=True)
class MotorLimits:
    """Limits of a motor after those of the motors coupled with it have been made to agree."""

    range: tuple[float, float]  # equal = unlimited
    max_velocity: float


Coupling = Mapping[TypedNode, MotorLimits]
"""Motor nodes whose limits differ from what is written."""


def lower_devices(
    devices: Iterable[TypedNode],
    position: float,
    *,
    has_robot: bool,
    coupling: Coupling,
    log: DiagnosticLog,
) -> AxisDevices:
    """Return the first motor, position sensor and brake of an axis that starts at `position`."""
    motor: Motor | None = None
    motor_node: TypedNode | None = None
    sensor: PositionSensor | None = None
    brake: Brake | None = None
    for device in devices:
        if not has_robot:
            device.warn(
                log,
                "device-without-robot",
                f"a {device.type} needs a Robot above it; it is left out.",
            )
            continue
        taken = {"PositionSensor": sensor, "Brake": brake}.get(device.type, motor)
        if taken is not None:
            device.warn(
                log,
                "second-device",
                f"the joint already has a {device.type}; only the first counts.",
            )
        elif device.type == "PositionSensor":
            sensor = lower_plain(PositionSensor, device)
        elif device.type == "Brake":
            brake = lower_plain(Brake, device)
        else:
            motor = lower_motor(device, position, coupling, log)
            motor_node = device
    return AxisDevices(motor, sensor, brake, motor_node)


def lower_motor(node: TypedNode, position: float, coupling: Coupling, log: DiagnosticLog) -> Motor:
    """Return the motor of a RotationalMotor or LinearMotor node."""
    p, i, d = node.vec3("controlPID")
    for word, is_bad, allowed in (("P", p <= 0, "> 0"), ("I", i < 0, ">= 0"), ("D", d < 0, ">= 0")):
        if is_bad:
            node.warn(log, "bad-gain", f"the gain {word} should be {allowed}.", field="controlPID")
    limits = coupling.get(node) or written_limits(node)
    reach = motor_range(node, *limits.range, position, log)
    return lower_plain(Motor, node, max_velocity=limits.max_velocity, range=reach)


def written_limits(node: TypedNode) -> MotorLimits:
    """Return the limits as the file has them."""
    return MotorLimits(
        (node.number("minPosition"), node.number("maxPosition")), node.number("maxVelocity")
    )


def motor_range(
    node: TypedNode, low: float, high: float, position: float, log: DiagnosticLog
) -> tuple[float, float] | None:
    """Return soft limits that hold the initial position; None if both are equal."""
    if low == high:
        return None
    if low > high:
        node.warn(
            log,
            "value-reset",
            f"minPosition {low:g} is above maxPosition {high:g}; they are exchanged.",
            field="minPosition",
        )
        low, high = high, low
    if not low <= position <= high:
        low, high = min(low, position), max(high, position)
        node.warn(
            log,
            "motor-limits-widened",
            f"the joint starts at {position:g}, outside the motor's limits; "
            f"they are widened to [{low:g}, {high:g}].",
            field="minPosition" if position == low else "maxPosition",
        )
    return low, high


def coupled_limits(robot: TypedNode, log: DiagnosticLog) -> dict[TypedNode, MotorLimits]:
    """Return the limits of the coupled motors of a robot, agreeing with the first of each group.

    Motors named `base::specifier` with one base are coupled. With multipliers m the limits of the
    others are those of the first times m_other / m_first (exchanged if that is negative); if it is
    unlimited, all are.
    """
    groups: dict[str, list[TypedNode]] = {}
    for node in nodes_of_robot(robot):
        if not node.is_a("Motor"):
            continue
        base, mark, _ = node.string("name").partition(COUPLING_MARK)
        if mark:
            groups.setdefault(base, []).append(node)
    result: dict[TypedNode, MotorLimits] = {}
    for base, motors in groups.items():
        if len(motors) == 1:
            motors[0].warn(
                log,
                "single-coupled-motor",
                f'no other motor of the robot is named "{base}{COUPLING_MARK}...", '
                "so it is coupled with none.",
                field="name",
            )
        else:
            result.update(_agreed(motors, log))
    return result


def _agreed(motors: list[TypedNode], log: DiagnosticLog) -> dict[TypedNode, MotorLimits]:
    written = {node: written_limits(node) for node in motors}
    first = motors[0]
    is_unlimited = written[first].range[0] == written[first].range[1]
    result: dict[TypedNode, MotorLimits] = {}
    for node in motors:
        ratio = node.number("multiplier") / first.number("multiplier")
        low, high = (x * ratio + 0.0 for x in written[first].range)
        agreed = MotorLimits(
            (0.0, 0.0) if is_unlimited else (min(low, high), max(low, high)),
            written[first].max_velocity * abs(ratio),
        )
        result[node] = agreed
        own = written[node]
        if agreed.range != own.range and not (is_unlimited and own.range[0] == own.range[1]):
            text = "unlimited" if is_unlimited else f"[{agreed.range[0]:g}, {agreed.range[1]:g}]"
            node.warn(
                log,
                "coupled-limits",
                f'the limits of position do not fit those of the coupled motor "{_name(first)}"; '
                f"changed to {text}.",
                field="minPosition",
            )
        if agreed.max_velocity != own.max_velocity:
            node.warn(
                log,
                "coupled-limits",
                f'maxVelocity does not fit that of the coupled motor "{_name(first)}"; '
                f"changed to {agreed.max_velocity:g}.",
                field="maxVelocity",
            )
    return result


def _name(node: TypedNode) -> str:
    return node.string("name")
