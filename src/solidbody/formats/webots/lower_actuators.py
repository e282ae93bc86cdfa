"""Devices that send, hold, show and sound to the model; -1 becomes None or infinity here."""

from __future__ import annotations

import math
from typing import Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.transforms import Pose, normalized
from solidbody.formats.assets import AssetFinder
from solidbody.formats.webots.lower_shapes import lower_appearance
from solidbody.formats.webots.lower_vision import lower_size
from solidbody.formats.webots.typed import TypedNode
from solidbody.model.devices import (
    Battery,
    ConnectorKind,
    Device,
    DeviceCharger,
    DeviceConnector,
    DeviceDisplay,
    DeviceEmitter,
    DeviceLed,
    DeviceMicrophone,
    DeviceMuscle,
    DevicePen,
    DevicePropeller,
    DeviceReceiver,
    DeviceSkin,
    DeviceSpeaker,
    DeviceVacuumGripper,
    Medium,
)
from solidbody.model.motors import Motor

_MEDIA: Final = {"radio": Medium.RADIO, "serial": Medium.SERIAL, "infra-red": Medium.INFRARED}


def lower_actuator(node: TypedNode, pose: Pose, log: DiagnosticLog) -> Device | None:
    """Return the device of a node, at `pose` in its link; None for a node that is none of these."""
    name, span = node.string("name"), node.span
    match node.type:
        case "Emitter":
            return _emitter(node, pose, log)
        case "Receiver":
            return _receiver(node, pose, log)
        case "Connector":
            return _connector(node, pose)
        case "VacuumGripper":
            return DeviceVacuumGripper(
                name=name,
                pose=pose,
                span=span,
                is_on=node.boolean("isOn"),
                tensile_strength=_unlimited(node, "tensileStrength"),
                shear_strength=_unlimited(node, "shearStrength"),
                contact_points=node.integer("contactPoints"),
            )
        case "LED":
            return DeviceLed(
                name=name,
                pose=pose,
                span=span,
                colors=node.colors("color"),
                gradual=node.boolean("gradual"),
            )
        case "Display":
            width, height = lower_size(node, log)
            return DeviceDisplay(name=name, pose=pose, span=span, width=width, height=height)
        case "Pen":
            return DevicePen(
                name=name,
                pose=pose,
                span=span,
                ink_color=node.color("inkColor"),
                ink_density=node.number("inkDensity"),
                lead_size=node.number("leadSize"),
                max_distance=node.number("maxDistance") or None,
                is_writing=node.boolean("write"),
            )
        case "Speaker":
            return DeviceSpeaker(name=name, pose=pose, span=span)
        case "Microphone":
            return DeviceMicrophone(
                name=name, pose=pose, span=span, aperture=node.number_or_none("aperture")
            )
        case "Charger":
            return _charger(node, pose, log)
        case _:
            return None


def _emitter(node: TypedNode, pose: Pose, log: DiagnosticLog) -> DeviceEmitter:
    reach, most = _unlimited(node, "range"), _unlimited(node, "maxRange")
    if reach > most:
        node.warn(
            log,
            "inconsistent-values",
            f"range {reach:g} is above maxRange {most:g}; reset to maxRange.",
            field="range",
        )
        reach = most
    return DeviceEmitter(
        name=node.string("name"),
        pose=pose,
        span=node.span,
        medium=_MEDIA[node.string("type")],
        range=reach,
        max_range=most,
        aperture=_cone(node),
        channel=_channel(node, log),
        baud_rate=node.integer_or_none("baudRate"),
        byte_size=node.integer("byteSize"),
        buffer_size=node.integer_or_none("bufferSize"),
        allowed_channels=node.integers("allowedChannels"),
    )


def _cone(node: TypedNode) -> float | None:
    """Return the angle of the infrared cone; a cone without an opening is none (WbReceiver.cpp)."""
    return node.number_or_none("aperture") or None


def _channel(node: TypedNode, log: DiagnosticLog) -> int | None:
    """Return the channel, one of those that are allowed; None = all."""
    channel, allowed = node.integer_or_none("channel"), node.integers("allowedChannels")
    if not allowed or (-1 if channel is None else channel) in allowed:
        return channel
    node.warn(
        log,
        "inconsistent-values",
        f"{-1 if channel is None else channel} is not one of allowedChannels "
        f"({', '.join(map(str, allowed))}); reset to {allowed[0]}.",
        field="channel",
    )
    return None if allowed[0] == -1 else allowed[0]


def _receiver(node: TypedNode, pose: Pose, log: DiagnosticLog) -> DeviceReceiver:
    return DeviceReceiver(
        name=node.string("name"),
        pose=pose,
        span=node.span,
        medium=_MEDIA[node.string("type")],
        aperture=_cone(node),
        channel=_channel(node, log),
        baud_rate=node.integer_or_none("baudRate"),
        byte_size=node.integer("byteSize"),
        buffer_size=node.integer_or_none("bufferSize"),
        signal_strength_noise=node.number("signalStrengthNoise"),
        direction_noise=node.number("directionNoise"),
        allowed_channels=node.integers("allowedChannels"),
    )


def _connector(node: TypedNode, pose: Pose) -> DeviceConnector:
    return DeviceConnector(
        name=node.string("name"),
        pose=pose,
        span=node.span,
        kind=ConnectorKind(node.string("type")),
        is_locked=node.boolean("isLocked"),
        auto_lock=node.boolean("autoLock"),
        unilateral_lock=node.boolean("unilateralLock"),
        unilateral_unlock=node.boolean("unilateralUnlock"),
        distance_tolerance=node.number("distanceTolerance"),
        axis_tolerance=node.number("axisTolerance"),
        rotation_tolerance=node.number("rotationTolerance"),
        docking_angles=node.integer("numberOfRotations") or None,
        snap=node.boolean("snap"),
        tensile_strength=_unlimited(node, "tensileStrength"),
        shear_strength=_unlimited(node, "shearStrength"),
    )


def _charger(node: TypedNode, pose: Pose, log: DiagnosticLog) -> DeviceCharger:
    values = node.numbers("battery")
    if values and len(values) != 3:
        node.warn(
            log,
            "value-reset",
            f"takes 3 values (energy, capacity, charging power) or none, got {len(values)}; "
            + ("the rest is ignored." if len(values) > 3 else "none is used."),
            field="battery",
        )
    return DeviceCharger(
        name=node.string("name"),
        pose=pose,
        span=node.span,
        battery=Battery(*values[:3]) if len(values) >= 3 else None,
        radius=node.number("radius"),
        emissive=node.color("emissiveColor"),
        gradual=node.boolean("gradual"),
    )


def lower_propeller(
    node: TypedNode, pose: Pose, motor: Motor | None, name: str, log: DiagnosticLog
) -> DevicePropeller:
    """Return the propeller of a node; `pose` is the nearest upper Pose in the link."""
    axis = node.vec3("shaftAxis")
    if axis == (0.0, 0.0, 0.0):
        node.warn(log, "null-axis", "the axis is null; reset to 0 1 0.", field="shaftAxis")
    return DevicePropeller(
        name=name,
        pose=pose,
        span=node.span,
        shaft_axis=normalized(axis, fallback=(0.0, 1.0, 0.0)),
        center_of_thrust=node.vec3("centerOfThrust"),
        thrust_constants=node.vec2("thrustConstants"),
        torque_constants=node.vec2("torqueConstants"),
        motor=motor,
        fast_threshold=node.number("fastHelixThreshold"),
    )


def lower_muscle(node: TypedNode, motor: Motor, end: str, pose: Pose) -> DeviceMuscle:
    """Return a muscle that shows what `motor` does between a link and the one at `end`."""
    return DeviceMuscle(
        name=f"muscle of {motor.name}",
        pose=pose,
        span=node.span,
        motor=motor.name,
        end=end,
        volume=node.number("volume"),
        start_offset=node.vec3("startOffset"),
        end_offset=node.vec3("endOffset"),
        colors=node.colors("color"),
        casts_shadows=node.boolean("castShadows"),
        is_visible=node.boolean("visible"),
    )


def lower_skin(
    node: TypedNode, pose: Pose, bones: tuple[str, ...], finder: AssetFinder
) -> DeviceSkin:
    """Return the skin of a node; `bones` are the paths of the links that drive it."""
    looks = (lower_appearance(item, finder) for item in node.children("appearance"))
    return DeviceSkin(
        name=node.string("name"),
        pose=pose * node.pose(),
        span=node.span,
        uri=finder.address(node.string("modelUrl"), node.place("modelUrl").file),
        scale=node.vec3("scale"),
        appearances=tuple(look for look in looks if look is not None),
        bones=bones,
        casts_shadows=node.boolean("castShadows"),
    )


def _unlimited(node: TypedNode, field: str) -> float:
    """Return a length or force in which -1 stands for no limit."""
    value = node.number(field)
    return math.inf if value == -1.0 else value
