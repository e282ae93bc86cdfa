"""What a vision simulator item does to the cameras and range sensors of a project.

Without one (or with `enabled: false`) Choreonoid's vision sensors deliver nothing: they are off at the start.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from solidbody.formats.choreonoid.keys.access import Keys
from solidbody.formats.choreonoid.keys.checks import not_negative, positive
from solidbody.formats.choreonoid.project.items import Item
from solidbody.model.appearance import Color
from solidbody.model.devices import Device, DeviceCamera, DeviceLidar
from solidbody.model.links import Body

SLOWEST: Final = 0.1
"""[Hz] Slower sensors are run at this rate."""

PLAIN: Final = "GLVisionSimulatorItem"
WITH_EFFECTS: Final = "VFXVisionSimulatorItem"
"""Classes of vision simulators; the second, of a plugin, has the keys of the first and spoils pictures."""

_NO_MEANING: Final = (
    ("record_vision_data", "recordVisionData"),
    ("thread_mode", "threadMode"),
    ("useThreadsForSensors",),
    ("best_effort", "bestEffort"),
    ("all_scene_objects", "allSceneObjects"),
    ("range_sensor_precision_ratio", "rangeSensorPrecisionRatio"),
    ("enable_head_light", "enableHeadLight"),
    ("enable_world_light", "enableWorldLight"),
    ("enable_additional_lights", "enableAdditionalLights"),
    ("msaa_level", "msaaLevel"),
    ("infinite_far_clip", "infiniteFarClip"),
    ("max_latency", "maxLatency"),
    ("shoot_all_scene_objects", "shootAllSceneObjects"),
    ("dynamics_type",),
    ("vfx_event_file_path",),
)
"""How pictures are made and kept; ours are made in another way, as soon as they are due."""


@dataclass(frozen=True, slots=True)
class VisionSettings:
    """Which sensors see, and how often.

    Attributes:
        bodies: Names of body items; empty = all.
        sensors: Names of devices; empty = all.
        max_rate: [Hz].
        is_smooth: Whether edges are smoothed.
        background: Colour of what is nowhere; None = as the scene has it.
    """

    bodies: frozenset[str] = frozenset()
    sensors: frozenset[str] = frozenset()
    max_rate: float = 1000.0
    is_smooth: bool = False
    background: Color | None = None


def read_vision(item: Item) -> VisionSettings | None:
    """Return the settings of a vision simulator item, None if it is switched off."""
    keys = item.keys
    for names in _NO_MEANING:
        keys.find(*names)
    is_enabled = keys.flag("enabled", default=True)
    if item.class_name == WITH_EFFECTS and is_enabled:
        text = "cameras see without the noise and distortions that this simulator adds."
        keys.info("not-read", "", text)
    settings = VisionSettings(
        bodies=_names(keys, "target_bodies", "targetBodies"),
        sensors=_names(keys, "target_sensors", "targetSensors"),
        max_rate=positive(keys, "max_frame_rate", "maxFrameRate", default=1000.0),
        is_smooth=keys.flag("antialiasing", "antiAliasing", default=False),
        background=keys.vec3("background_color", "backgroundColor", default=None),
    )
    if not_negative(keys, "depth_error", "depthError", default=0.0):
        keys.info("not-read", "depth_error", "range sensors have no constant error here.")
    return settings if is_enabled else None


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


def _names(keys: Keys, *names: str) -> frozenset[str]:
    return frozenset(keys.texts(*names))
