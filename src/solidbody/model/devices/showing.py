"""Devices that are seen: lamps, screens, pens, skins, markers, particles."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from solidbody.base.transforms import WORLD, Pose, Vec3
from solidbody.model.appearance import Appearance, Color
from solidbody.model.devices.base import DeviceBase
from solidbody.model.environment import Light


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceLight(DeviceBase):
    """A lamp that a program can switch.

    Attributes:
        light: What shines; its position and direction are in the device frame.
    """

    light: Light


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceLed(DeviceBase):
    """Lights up shapes and lamps of the link.

    Attributes:
        colors: Colours that the values 1, 2, ... select.
        gradual: Value 0..255 scales the one colour, or is 0xRRGGBB when there is none.
        shapes: Indices in `Link.shapes` of what glows.
        lights: Indices in `Scene.lights` of what shines.
    """

    colors: tuple[Color, ...] = ((1.0, 0.0, 0.0),)
    gradual: bool = False
    shapes: tuple[int, ...] = ()
    lights: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceDisplay(DeviceBase):
    """An image that a program draws on.

    Attributes:
        width: [pixels].
        height: [pixels].
        shape: Index in `Link.shapes` of the surface that shows it; None = none.
    """

    width: int = 64
    height: int = 64
    shape: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DevicePen(DeviceBase):
    """Paints on surfaces along its -z axis.

    Attributes:
        ink_color: Of the trace.
        ink_density: 0 clear .. 1 opaque.
        lead_size: Width of the trace [m].
        max_distance: Reach [m]; None = unlimited.
        is_writing: Whether it writes at the start.
        hides_paper: Whether thin ink is mixed with white, and not with what is below it.
    """

    ink_color: Color = (0.0, 0.0, 0.0)
    ink_density: float = 0.5
    lead_size: float = 0.002
    max_distance: float | None = None
    is_writing: bool = True
    hides_paper: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceSkin(DeviceBase):
    """A mesh that bends with bones.

    Attributes:
        uri: Address of the model.
        scale: Factors along the axes.
        appearances: By the model's materials, in order.
        bones: Paths of the links that drive bones; empty = a program moves them.
        casts_shadows: Whether it throws a shadow.
    """

    uri: str = ""
    scale: Vec3 = (1.0, 1.0, 1.0)
    appearances: tuple[Appearance, ...] = ()
    bones: tuple[str, ...] = ()
    casts_shadows: bool = True


class MarkerKind(Enum):
    """What a marker looks like."""

    CROSS = "cross"
    SPHERE = "sphere"
    AXES = "axes"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceMarker(DeviceBase):
    """A mark for the eye.

    Attributes:
        kind: What it looks like.
        size: [m].
        color: Of the mark.
        emission: Share of its own light, 0..1.
        transparency: 0 opaque .. 1 invisible.
        offset: Of the drawn mark in the device frame.
        is_on: Whether it is shown at the start.
    """

    kind: MarkerKind = MarkerKind.SPHERE
    size: float = 0.01
    color: Color = (1.0, 1.0, 1.0)
    emission: float = 0.5
    transparency: float = 0.7
    offset: Pose = WORLD
    is_on: bool = True


class EffectKind(Enum):
    """What particles look like."""

    SMOKE = "smoke"
    FIRE = "fire"
    FOUNTAIN = "fountain"
    RAIN = "rain"
    SNOW = "snow"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceEffect(DeviceBase):
    """A cloud of drawn particles; None leaves a value to the kind of effect.

    Attributes:
        kind: What the particles look like.
        particle_count: How many live at a time.
        particle_size: [m].
        life_time: Of one particle [s].
        offset_time: How old the cloud is at the start [s].
        speed: Mean speed at birth [m/s].
        speed_variation: Spread of that speed [m/s].
        emission_angle: Half angle of the cone in which particles leave [rad].
        acceleration: Of every particle [m/s^2], device frame.
        tint: Colour factor.
        is_on: Whether it works at the start.
    """

    kind: EffectKind
    particle_count: int | None = None
    particle_size: float | None = None
    life_time: float | None = None
    offset_time: float = 0.0
    speed: float | None = None
    speed_variation: float | None = None
    emission_angle: float | None = None
    acceleration: Vec3 | None = None
    tint: Color = (1.0, 1.0, 1.0)
    is_on: bool = True


ShowingDevice = (
    DeviceLight | DeviceLed | DeviceDisplay | DevicePen | DeviceSkin | DeviceMarker | DeviceEffect
)
"""A device of this file."""

__all__ = [
    "DeviceDisplay",
    "DeviceEffect",
    "DeviceLed",
    "DeviceLight",
    "DeviceMarker",
    "DevicePen",
    "DeviceSkin",
    "EffectKind",
    "MarkerKind",
    "ShowingDevice",
]
