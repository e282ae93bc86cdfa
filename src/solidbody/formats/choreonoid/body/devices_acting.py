"""Devices that carry, hold, switch and push: conveyors, holders, digital lines, rotors."""

from __future__ import annotations

from typing import Final

from solidbody.base.transforms import Pose
from solidbody.formats.choreonoid.keys.access import Keys
from solidbody.formats.choreonoid.keys.checks import DeviceStart, not_negative, unit_vector
from solidbody.formats.choreonoid.keys.yaml_tree import YamlList, YamlNode, YamlScalar
from solidbody.model.devices import (
    ConveyorKind,
    DeviceAttachment,
    DeviceConveyor,
    DeviceDigitalIo,
    DeviceHolder,
    DeviceRotor,
    HoldCondition,
    ProximityEffect,
)

MAX_LINES: Final = 4096
"""Largest number of digital lines; real boxes have tens."""

_CONVEYORS: Final = {"linear": ConveyorKind.LINEAR, "rotary": ConveyorKind.ROTARY}
_CONDITIONS: Final = {
    "distance": HoldCondition.DISTANCE,
    "collision": HoldCondition.COLLISION,
    "name": HoldCondition.NAME,
}


def _conveyor(keys: Keys, start: DeviceStart) -> DeviceConveyor:
    return DeviceConveyor(
        **start,
        kind=keys.choice(
            "conveyor_type", "conveyorType", table=_CONVEYORS, default=ConveyorKind.LINEAR
        ),
        axis=unit_vector(keys, "axis", default=(1.0, 0.0, 0.0)),
        speed=keys.number("speed", default=0.0),
        is_on=keys.flag("on", default=True),
    )


def _holder(keys: Keys, start: DeviceStart) -> DeviceHolder:
    return DeviceHolder(
        **start,
        categories=keys.texts("category") or keys.texts("categories"),
        condition=keys.choice("hold_condition", table=_CONDITIONS, default=HoldCondition.DISTANCE),
        max_distance=not_negative(keys, "max_hold_distance", default=0.1),
        target_name=keys.text("hold_target_name", default=""),
        is_on=keys.flag("on", default=False),
    )


def _attachment(keys: Keys, start: DeviceStart) -> DeviceAttachment:
    return DeviceAttachment(
        **start, category=keys.text("category", default=""), is_on=keys.flag("on", default=False)
    )


def _digital_io(keys: Keys, start: DeviceStart) -> DeviceDigitalIo:
    count = keys.integer("num_signal_lines", default=0)
    if not 0 <= count <= MAX_LINES:
        text = f"expected a whole number from 0 to {MAX_LINES}, got {count}."
        keys.error("out-of-range", "num_signal_lines", text)
        count = 0
    return DeviceDigitalIo(
        **start,
        line_count=count,
        output_labels=_labels(keys, "out_labels"),
        input_labels=_labels(keys, "in_labels"),
        switches=(*_connections(keys), *_old_actions(keys)),
    )


def _labels(keys: Keys, name: str) -> tuple[tuple[int, str], ...]:
    """Return (line, text) of a mapping from line numbers to texts."""
    found = keys.keys(name)
    if found is None:
        return ()
    out: list[tuple[int, str]] = []
    for key, value in found.yaml.pairs:
        line = _line(key)
        if line is None or not isinstance(value, YamlScalar):
            keys.error("wrong-value", name, "expected line numbers with texts.", span=key.span)
        else:
            out.append((line, value.text))
    return tuple(out)


def _connections(keys: Keys) -> list[tuple[int, str]]:
    name = "input_to_device_switch_connections"
    out: list[tuple[int, str]] = []
    for item in keys.items(name):
        words = _scalars(item)
        line = _line(words[0]) if len(words) == 2 else None
        if line is None:
            keys.error(
                "wrong-value", name, "expected pairs of [line, device name].", span=item.span
            )
        else:
            out.append((line, words[1].text))
    return out


def _old_actions(keys: Keys) -> list[tuple[int, str]]:
    """Return the switches of the old form `action: { input: { 3: [ device, NAME, on ] } }`."""
    action = keys.keys("action")
    inputs = None if action is None else action.keys("input")
    out: list[tuple[int, str]] = []
    for key, value in () if inputs is None else inputs.yaml.pairs:
        line = _line(key)
        words = [item.text for item in _scalars(value)]
        if line is not None and len(words) >= 2 and words[0] == "device":
            out.append((line, words[1]))
        else:
            keys.error(
                "wrong-value",
                "action",
                "expected lines with [ device, NAME, on ].",
                span=key.span,
            )
    return out


def _scalars(node: YamlNode) -> list[YamlScalar]:
    items = node.items if isinstance(node, YamlList) else ()
    return [item for item in items if isinstance(item, YamlScalar)]


def _line(node: YamlNode) -> int | None:
    text = node.text.strip() if isinstance(node, YamlScalar) else ""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def _rotor(keys: Keys, start: DeviceStart) -> DeviceRotor:
    # the point of attack is part of the device frame here
    start = {**start, "pose": start["pose"] * Pose(keys.translation("position"))}
    effect = keys.keys("effect", "effectParameter")
    return DeviceRotor(
        **start,
        direction=unit_vector(keys, "direction", default=(0.0, 0.0, 1.0)),
        force=keys.number("value", default=0.0),
        force_range=_range(keys, "value_range", "valueRange"),
        torque=keys.number("torque", default=0.0),
        torque_range=_range(keys, "torque_range", "torqueRange"),
        wall_effect=_proximity(effect, "wall"),
        ground_effect=_proximity(effect, "ground"),
    )


def _range(keys: Keys, *names: str) -> tuple[float, float] | None:
    values = keys.vector(*names, size=2, default=None)
    return None if values is None else (min(values), max(values))


def _proximity(keys: Keys | None, prefix: str) -> ProximityEffect | None:
    """Return an effect near a surface; all three of its keys are needed."""
    if keys is None:
        return None
    numbers = [
        keys.number(f"{prefix}_{name}", f"{prefix}{camel}", default=None)
        for name, camel in (
            ("distance", "Distance"),
            ("norm_middle_value", "NormMiddleValue"),
            ("max_rate", "MaxRate"),
        )
    ]
    distance, middle, rate = numbers
    if distance is None or middle is None or rate is None:
        return None
    return ProximityEffect(distance, middle, rate)


ACTING = {
    "Conveyor": _conveyor,
    "Holder": _holder,
    "Attachment": _attachment,
    "DigitalIO": _digital_io,
    "RotorDevice": _rotor,
}
