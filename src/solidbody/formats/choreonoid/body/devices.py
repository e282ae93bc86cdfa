"""Reads device nodes of a body file.

The key table says what becomes of plain keys; `_MORE` and `devices_vision` read what is not plain.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from solidbody.base.diagnostics import did_you_mean
from solidbody.base.transforms import Pose
from solidbody.formats.choreonoid.body.devices_vision import VISION, DeviceStart
from solidbody.formats.choreonoid.keys.access import Keys
from solidbody.formats.choreonoid.keys.devices import (
    PLAIN_DEVICES,
    DeviceKeys,
    DigitalActionKeys,
    DigitalIOKeys,
    GroundEffectKeys,
    HolderKeys,
    RotorDeviceKeys,
    WallEffectKeys,
    line_of,
    scalars_of,
)
from solidbody.formats.choreonoid.keys.info_text import info_of
from solidbody.formats.choreonoid.keys.table import Table, plain_values
from solidbody.formats.link_trees.node_transforms import NodeTransform
from solidbody.model.devices import Device, DeviceUnknown, ProximityEffect

DEVICE_TYPES: Final = frozenset((*PLAIN_DEVICES, *VISION))
"""Types of nodes that `device_of` turns into devices."""

_PLUGINS: Final = {
    "CompetitorMarker": "the WRS2018 plugin",
    "PassiveMarker": "the TrafficControl plugin",
    "PxContinuousTrack": "the PhysX plugin",
    "AGXWireDevice": "the AGXDynamics plugin",
    "AGXMagneticJointDevice": "the AGXDynamics plugin",
    "AGXBreakableJointDevice": "the AGXDynamics plugin",
    "AGXVehicleContinuousTrackDevice": "the AGXDynamics plugin",
    "Thruster": "the hairo-world plugin",
    "Rotor": "the hairo-world plugin",
    "DoseMeter": "the hairo-world plugin",
    "PinholeCamera": "the hairo-world plugin",
    "ComptonCamera": "the hairo-world plugin",
    "NoisyCamera": "the hairo-world plugin",
}
"""Device types of plugins that nothing here simulates, and where they come from."""

PLUGIN_TYPES: Final = frozenset(_PLUGINS)

_SENSORS: Final = ("AccelerationSensor", "RateGyroSensor", "IMU", "Imu", "ForceSensor", "ZmpDevice")
"""Types that measure without being switched on. Pictures take long: those are asked for one by one."""


def device_of(type_name: str, keys: Keys, place: NodeTransform) -> Device | None:
    """Return the device of a node.

    A type that is not known becomes an inert `DeviceUnknown`: with a warning if it belongs to a plugin,
    else with an error. None comes of a Camera without a format, as in Choreonoid.

    Args:
        type_name: The node's type.
        keys: Its keys.
        place: Of the node, its own translation and rotation included, in its link.
    """
    for row in DeviceKeys.rows.values():
        keys.find(row)
    start = _start(type_name, keys, place)
    if type_name in PLAIN_DEVICES:
        table = PLAIN_DEVICES[type_name]
        values = {**start, **plain_values(keys, table, type_name, span=keys.span)}
        if type_name in _MORE:
            values |= _MORE[type_name](keys, start)
    elif type_name in VISION:
        reader, tables = VISION[type_name]
        found = reader(keys, start)
        keys.warn_of_slips(*tables)
        return None if found is None else replace(found, info=info_of(keys))
    else:
        return _unknown(type_name, keys, start)
    keys.warn_of_slips(table)
    assert table.makes is not None
    return table.makes(**values, info=info_of(keys))


def _start(type_name: str, keys: Keys, place: NodeTransform) -> DeviceStart:
    values = plain_values(keys, DeviceKeys)
    name = values["name"] or type_name
    placement = place.placement()
    if placement.is_scaled or placement.is_sheared:
        keys.warning(
            "scaled-device",
            "",
            f'the device "{name}" stands in a frame that is scaled; '
            "its own frame keeps place and direction and is not scaled.",
        )
    return DeviceStart(
        name=name,
        pose=placement.pose,
        number=values["number"],
        samples_itself=type_name in _SENSORS,
        span=keys.span,
    )


def _unknown(type_name: str, keys: Keys, start: DeviceStart) -> DeviceUnknown:
    source = _PLUGINS.get(type_name)
    if source is not None:
        text = f'devices of the type "{type_name}" ({source}) do nothing here; kept by name.'
        keys.warning("unknown-device", DeviceKeys.type, text)
    else:
        keys.error(
            "unknown-node",
            DeviceKeys.type,
            f'no node type is named "{type_name}", and Choreonoid opens no body that has one; kept as a '
            f"device that does nothing.{did_you_mean(type_name, DEVICE_TYPES)}",
        )
    return DeviceUnknown(**start, kind=type_name, fields=info_of(keys))


# ---------------------------------------------------------------------------- what is not plain


def _imu_of_the_manual(keys: Keys, start: DeviceStart) -> dict[str, Any]:
    text = '"Imu" stands in Choreonoid\'s manual, but its loader takes "IMU" only; read as "IMU".'
    keys.warning("manual-spelling", DeviceKeys.type, text)
    return {}


def _holder(keys: Keys, start: DeviceStart) -> dict[str, Any]:
    found = keys.read(HolderKeys.category)
    return {"categories": found} if found else {}


def _digital_io(keys: Keys, start: DeviceStart) -> dict[str, Any]:
    switches = keys.read(DigitalIOKeys.input_to_device_switch_connections)
    return {"switches": (*switches, *_old_actions(keys))}


def _old_actions(keys: Keys) -> list[tuple[int, str]]:
    """Return the switches of the old form `action: { input: { 3: [ device, NAME, on ] } }`."""
    action = keys.keys(DigitalIOKeys.action)
    inputs = None if action is None else action.keys(DigitalActionKeys.input)
    out: list[tuple[int, str]] = []
    for key, value in () if inputs is None else inputs.yaml.pairs:
        line = line_of(key)
        words = [item.text for item in scalars_of(value)]
        if line is not None and len(words) >= 2 and words[0] == "device":
            out.append((line, words[1]))
        else:
            text = "expected lines with [ device, NAME, on ]."
            keys.error("wrong-value", DigitalIOKeys.action, text, span=key.span)
    return out


def _rotor(keys: Keys, start: DeviceStart) -> dict[str, Any]:
    effect = keys.keys(RotorDeviceKeys.effect)
    return {
        # the point of attack is part of the device frame here
        "pose": start["pose"] * Pose(keys.read(RotorDeviceKeys.position)),
        "wall_effect": _proximity(effect, WallEffectKeys),
        "ground_effect": _proximity(effect, GroundEffectKeys),
    }


def _proximity(keys: Keys | None, table: type[Table]) -> ProximityEffect | None:
    """Return an effect near a surface; all three of its keys are needed."""
    values = {} if keys is None else plain_values(keys, table)
    return None if not values or None in values.values() else ProximityEffect(**values)


_MORE: Final[Mapping[str, Callable[[Keys, DeviceStart], dict[str, Any]]]] = {
    "Imu": _imu_of_the_manual,
    "Holder": _holder,
    "DigitalIO": _digital_io,
    "RotorDevice": _rotor,
}
"""Fields that the generic pass does not read, by type; the table says why."""
