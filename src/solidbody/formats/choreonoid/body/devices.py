"""Device nodes of a body file to the model's devices.

Each device type has a builder in one of the `devices_*` files; this file knows which, reads what all have
in common, and keeps the rest of the node as information.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from solidbody.base.diagnostics import did_you_mean
from solidbody.formats.choreonoid.body.devices_acting import ACTING
from solidbody.formats.choreonoid.body.devices_motion import MOTION
from solidbody.formats.choreonoid.body.devices_showing import SHOWING
from solidbody.formats.choreonoid.body.devices_vision import VISION
from solidbody.formats.choreonoid.body.places import Place
from solidbody.formats.choreonoid.keys.access import Keys
from solidbody.formats.choreonoid.keys.checks import DeviceStart
from solidbody.formats.choreonoid.keys.info_text import info_of
from solidbody.model.devices import Device, DeviceUnknown

Builder = Callable[[Keys, DeviceStart], Device | None]
"""Reads the keys of one type; None (after a message) where no device comes of it."""

BUILDERS: Final[Mapping[str, Builder]] = {**MOTION, **VISION, **SHOWING, **ACTING}

DEVICE_TYPES: Final = frozenset(BUILDERS)
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

_SENSORS: Final = frozenset(MOTION)
"""Types that measure without being switched on. Pictures take long: those are asked for one by one."""

_COMMON: Final = ("type", "elements", "translation", "rotation", "scale")
_COMMON_FLAGS: Final = ("is_optional", "isOptional", "is_meta_scene")
"""Keys that belong to the walk over nodes, not to the device."""


def device_of(type_name: str, keys: Keys, place: Place) -> Device | None:
    """Return the device of a node.

    A type that is not known becomes an inert `DeviceUnknown`: with a warning if it belongs to a plugin,
    else with an error. None comes of a Camera without a format, as in Choreonoid.

    Args:
        type_name: The node's type.
        keys: Its keys.
        place: Of the node, its own translation and rotation included, in its link.
    """
    for name in (*_COMMON, *_COMMON_FLAGS):
        keys.node(name)
    start = _start(type_name, keys, place)
    builder = BUILDERS.get(type_name)
    if builder is None:
        return _unknown(type_name, keys, start)
    device = builder(keys, start)
    keys.warn_of_slips()
    return None if device is None else replace(device, info=info_of(keys))


def _start(type_name: str, keys: Keys, place: Place) -> DeviceStart:
    name = keys.text("name", default="") or type_name
    number = keys.integer("id", default=-1)
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
        number=number if number >= 0 else None,
        samples_itself=type_name in _SENSORS,
        span=keys.span,
    )


def _unknown(type_name: str, keys: Keys, start: DeviceStart) -> DeviceUnknown:
    source = _PLUGINS.get(type_name)
    if source is not None:
        text = f'devices of the type "{type_name}" ({source}) do nothing here; kept by name.'
        keys.warning("unknown-device", "type", text)
    else:
        keys.error(
            "unknown-node",
            "type",
            f'no node type is named "{type_name}", and Choreonoid opens no body that has one; kept as a '
            f"device that does nothing.{did_you_mean(type_name, DEVICE_TYPES)}",
        )
    return DeviceUnknown(**start, kind=type_name, fields=info_of(keys))
