"""Protocol messages with properties of devices, sent at connection and after supervisor changes."""

from __future__ import annotations

from typing import Annotated, Final

from solidbody.control.protocol.fields import (
    I32,
    I64,
    U8,
    U32,
    Choice,
    Number,
    Path,
    family,
    message,
)
from solidbody.control.protocol.frames import DeviceFacts

CONNECTORS: Final = ("symmetric", "active", "passive")


@message(100)
class PlainFacts(DeviceFacts):
    """A device of which there is no more to tell."""


@family
class JointFacts(DeviceFacts):
    """A device on a joint: whether it moves along its axis, and the tags of the others there (0 = none)."""

    linear: bool
    motor: U32
    position_sensor: U32
    brake: U32


@message(101)
class MotorFacts(JointFacts):
    """A motor: limits, factor on commands, target."""

    max_velocity: Number
    max_effort: Number
    min_position: Number
    max_position: Number
    acceleration: Number
    multiplier: Number
    target_position: Number


@message(102)
class PositionSensorFacts(JointFacts):
    """A position sensor and the step of its values; 1 = continuous."""

    resolution: Number


@message(103)
class BrakeFacts(JointFacts):
    """A brake."""


@family
class TableFacts(DeviceFacts):
    """A sensor with a lookup table, row by row: input, output, noise."""

    table: list[Number]


@message(104)
class LookupFacts(TableFacts):
    """An accelerometer, gyro, compass or light sensor."""


@message(105)
class DistanceSensorFacts(TableFacts):
    """A distance sensor."""

    min_value: Number
    max_value: Number
    aperture: Number
    kind: U8


@message(106)
class TouchSensorFacts(TableFacts):
    """A touch sensor."""

    kind: U8


@message(107)
class GpsFacts(DeviceFacts):
    """A GPS; 0 = local coordinates, 1 = on the globe."""

    system: U8


@message(108)
class InertialUnitFacts(DeviceFacts):
    """An inertial unit, and whether y is up in the world."""

    noise: Number
    y_up: bool


@family
class ImageFacts(DeviceFacts):
    """A device that takes images, and the file in which they are found."""

    width: U32
    height: U32
    fov: Number
    near: Number
    memory: Path


@message(109)
class CameraFacts(ImageFacts):
    """A camera."""

    exposure: Number
    segments_memory: Path
    min_fov: Number
    max_fov: Number
    has_zoom: bool
    has_focus: bool
    focal_length: Number
    focal_distance: Number
    min_focal_distance: Number
    max_focal_distance: Number
    has_recognition: bool
    has_segmentation: bool


@message(110)
class RangeFinderFacts(ImageFacts):
    """A range finder."""

    min_range: Number
    max_range: Number


@message(111)
class LidarFacts(ImageFacts):
    """A lidar."""

    vertical_fov: Number
    min_range: Number
    max_range: Number
    frequency: Number
    min_frequency: Number
    max_frequency: Number
    points_memory: Path


@message(112)
class EmitterFacts(DeviceFacts):
    """An emitter; -1 = no limit, or all channels."""

    channel: I32
    range: Number
    max_range: Number
    buffer_size: I64
    allowed_channels: list[I32]


@message(113)
class ReceiverFacts(DeviceFacts):
    """A receiver; channel -1 = all."""

    channel: I32
    allowed_channels: list[I32]


@message(114)
class RadarFacts(DeviceFacts):
    """A radar."""

    min_range: Number
    max_range: Number
    horizontal_fov: Number
    vertical_fov: Number


@message(115)
class ConnectorFacts(DeviceFacts):
    """A connector, and whether it is locked."""

    kind: Annotated[str, Choice(CONNECTORS)]
    is_on: bool


@message(116)
class GripperFacts(DeviceFacts):
    """A vacuum gripper, and whether it is on."""

    is_on: bool


@message(117)
class DisplayFacts(DeviceFacts):
    """A display."""

    width: U32
    height: U32
