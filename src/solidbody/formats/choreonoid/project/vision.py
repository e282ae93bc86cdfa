"""Applies a vision simulator item to the cameras and range sensors of a project (docs/behaviour, C14.1).

Without one (or with `enabled: false`) Choreonoid's vision sensors deliver nothing: they are off at the start.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from solidbody.formats.choreonoid.keys.items import Item
from solidbody.formats.choreonoid.keys.projects import VisionSimulatorItemKeys
from solidbody.formats.choreonoid.keys.settings import VisionSettings
from solidbody.formats.choreonoid.keys.table import plain_values
from solidbody.model.devices import Device, DeviceCamera, DeviceLidar
from solidbody.model.links import Body

SLOWEST: Final = 0.1
"""[Hz] Slower sensors are run at this rate."""

PLAIN: Final = "GLVisionSimulatorItem"
WITH_EFFECTS: Final = "VFXVisionSimulatorItem"
"""Classes of vision simulators; the second, of a plugin, has the keys of the first and spoils pictures."""


def read_vision(item: Item) -> VisionSettings | None:
    """Return the settings of a vision simulator item, None if it is switched off."""
    keys = item.keys
    keys.pass_over(VisionSimulatorItemKeys)
    settings = VisionSettings(**plain_values(keys, VisionSimulatorItemKeys))
    if item.class_name == WITH_EFFECTS and settings.is_on:
        text = "cameras see without the noise and distortions that this simulator adds."
        keys.info("not-read", "", text)
    if keys.read(VisionSimulatorItemKeys.depth_error):
        text = "range sensors have no constant error here."
        keys.info("not-read", VisionSimulatorItemKeys.depth_error, text)
    return settings if settings.is_on else None


def with_vision(body: Body, item_name: str, simulators: Sequence[VisionSettings]) -> Body:
    """Return the body with its vision sensors as the vision simulators run them."""
    here = [found for found in simulators if not found.bodies or item_name in found.bodies]
    links = tuple(
        replace(link, devices=tuple(_device(device, here) for device in link.devices))
        for link in body.links
    )
    return replace(body, links=links)


def _device(device: Device, simulators: Sequence[VisionSettings]) -> Device:
    """Return the device as the first simulator runs that has it among its targets."""
    if not isinstance(device, DeviceCamera | DeviceLidar):
        return device
    having = (found for found in simulators if not found.sensors or device.name in found.sensors)
    settings = next(having, None)
    if settings is None:
        return replace(device, is_on=False)
    if isinstance(device, DeviceLidar):
        return replace(
            device,
            scan_rate=_rate(device.scan_rate, settings),
            yaw_range=_centred(device.yaw_range),
            pitch_range=_centred(device.pitch_range),
        )
    return replace(
        device,
        frame_rate=_rate(device.frame_rate, settings),
        anti_aliasing=settings.is_smooth,
    )


def _rate(rate: float | None, settings: VisionSettings) -> float | None:
    return None if rate is None else min(max(rate, SLOWEST), settings.max_rate)


def _centred(angles: tuple[float, float]) -> tuple[float, float]:
    """The vision simulator knows how wide a scan is, not where it lies."""
    half = 0.5 * (angles[1] - angles[0])
    return -half, half
