"""Sensors of what is near: distance, touch, light, radar echoes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from solidbody.base.transforms import IDENTITY, Quat, Vec3
from solidbody.model.devices.base import DeviceBase, LookupRow, LookupTable
from solidbody.model.shapes import Shape


class DistanceKind(Enum):
    """How a distance sensor combines its rays."""

    GENERIC = "generic"
    """Weighted mean of all rays."""
    INFRARED = "infrared"
    """Weighted mean, corrected by the colour of the drawn surface that is hit."""
    SONAR = "sonar"
    """Nearest surface hit within pi/8 of its normal."""
    LASER = "laser"
    """One ray, blind to transparent things."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceDistanceSensor(DeviceBase):
    """Distance along rays around +x; the largest input of `lookup` is its reach [m].

    Attributes:
        lookup: Curve from distance [m] to value.
        kind: How rays are combined.
        ray_count: Number of rays, >= 1.
        aperture: Full opening angle of the cone of rays [rad]; of a laser the radius of its beam [m].
        gaussian_width: Width of the ray weights, as a share of the aperture.
        resolution: Step of the reported value; None = continuous.
        red_sensitivity: How much the surface colour shifts an infrared value, 0..1.
    """

    lookup: LookupTable = LookupTable((LookupRow(0.0, 0.0), LookupRow(0.1, 1000.0)))
    kind: DistanceKind = DistanceKind.GENERIC
    ray_count: int = 1
    aperture: float = 1.5708
    gaussian_width: float = 1.0
    resolution: float | None = None
    red_sensitivity: float = 1.0


class TouchKind(Enum):
    """What a touch sensor reports."""

    BUMPER = "bumper"
    """1 while touched, else 0."""
    FORCE = "force"
    """Push along -x of the device [N]."""
    FORCE_3D = "force 3d"
    """Force vector in the device frame [N]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceTouchSensor(DeviceBase):
    """Contact or force on a part of the link.

    Attributes:
        kind: What is reported.
        lookup: Curve from force [N] to value (not for a bumper).
        resolution: Step of the reported value; None = continuous.
        shapes: Indices in `Link.shapes` of the surfaces that feel.
        feelers: Surfaces that feel but are no part of the link: they push nothing and nothing pushes
            them (a sensor without mass on a link that forces move). Poses in the link frame.
        told_turn: Turns the frame in which forces are told into the device frame.
    """

    kind: TouchKind = TouchKind.BUMPER
    lookup: LookupTable = LookupTable((LookupRow(0.0, 0.0), LookupRow(5000.0, 50000.0)))
    resolution: float | None = None
    shapes: tuple[int, ...] = ()
    feelers: tuple[Shape, ...] = ()
    told_turn: Quat = IDENTITY


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceLightSensor(DeviceBase):
    """Light that falls on a surface with normal +x.

    Attributes:
        lookup: Curve from irradiance to value.
        color_filter: Weight of red, green and blue.
        sees_occlusion: Whether things between lamp and sensor throw shadows on it.
        resolution: Step of the reported value; None = continuous.
    """

    lookup: LookupTable = LookupTable((LookupRow(0.0, 0.0), LookupRow(1.0, 1000.0)))
    color_filter: Vec3 = (1.0, 1.0, 1.0)
    sees_occlusion: bool = False
    resolution: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceRadar(DeviceBase):
    """Distance, speed and azimuth of links that reflect radar, around +x.

    Attributes:
        min_range: [m].
        max_range: [m].
        horizontal_field_of_view: Full angle in the xy plane [rad].
        vertical_field_of_view: Full angle [rad].
        min_absolute_radial_speed: Slower targets are not seen [m/s].
        radial_speed_range: Limits of signed radial speed [m/s]; None = all.
        cell_distance: Targets closer together than this are merged [m]; 0 = never.
        cell_speed: ... unless their speeds differ by more than this [m/s].
        range_noise: Standard deviation [m].
        speed_noise: Standard deviation [m/s].
        angular_noise: Standard deviation [rad].
        antenna_gain: Power ratio against an isotropic antenna (100 = 20 dBi).
        frequency: [Hz].
        transmitted_power: [W].
        min_detectable_power: [W].
        sees_occlusion: Whether things in between hide a target.
    """

    min_range: float = 1.0
    max_range: float = 50.0
    horizontal_field_of_view: float = 0.78
    vertical_field_of_view: float = 0.1
    min_absolute_radial_speed: float = 0.0
    radial_speed_range: tuple[float, float] | None = None
    cell_distance: float = 0.0
    cell_speed: float = 0.0
    range_noise: float = 0.0
    speed_noise: float = 0.0
    angular_noise: float = 0.0
    antenna_gain: float = 100.0
    frequency: float = 24e9
    transmitted_power: float = 0.1
    min_detectable_power: float = 1e-13
    sees_occlusion: bool = False


ProximityDevice = DeviceDistanceSensor | DeviceTouchSensor | DeviceLightSensor | DeviceRadar
"""A device of this file."""

__all__ = [
    "DeviceDistanceSensor",
    "DeviceLightSensor",
    "DeviceRadar",
    "DeviceTouchSensor",
    "DistanceKind",
    "ProximityDevice",
    "TouchKind",
]
