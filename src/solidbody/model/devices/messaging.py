"""Devices that exchange data: emitters, receivers, sound, digital lines."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from math import inf

from solidbody.base.transforms import IDENTITY, Quat
from solidbody.model.devices.base import DeviceBase


class Medium(Enum):
    """What carries a message."""

    RADIO = "radio"
    SERIAL = "serial"
    INFRARED = "infrared"
    """Needs both cones to face each other and nothing in between."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceEmitter(DeviceBase):
    """Sends packets to receivers on the same channel and medium.

    Attributes:
        medium: What carries the packets.
        range: Reach [m].
        max_range: Largest reach that a program may set [m].
        aperture: Full angle of the infrared cone around +x [rad]; None = all around.
        channel: None = to all channels.
        baud_rate: Bits per second; None = a packet is sent within one step.
        byte_size: Bits on the line per byte.
        buffer_size: Bytes that may wait; None = unlimited.
        allowed_channels: Channels that a program may choose; empty = any.
    """

    medium: Medium = Medium.RADIO
    range: float = inf
    max_range: float = inf
    aperture: float | None = None
    channel: int | None = 0
    baud_rate: int | None = None
    byte_size: int = 8
    buffer_size: int | None = None
    allowed_channels: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceReceiver(DeviceBase):
    """Gets packets from emitters on the same channel and medium.

    Attributes:
        medium: What carries the packets.
        aperture: Full angle of the infrared cone around +x [rad]; None = all around.
        channel: None = from all channels.
        baud_rate: Bits per second; None = a packet arrives within one step.
        byte_size: Bits on the line per byte.
        buffer_size: Bytes that may wait; None = unlimited.
        signal_strength_noise: Standard deviation, relative.
        direction_noise: Standard deviation of the direction to the emitter, relative to distance.
        allowed_channels: Channels that a program may choose; empty = any.
        told_turn: Turns the frame in which directions to emitters are told into the device frame.
    """

    medium: Medium = Medium.RADIO
    aperture: float | None = None
    channel: int | None = 0
    baud_rate: int | None = None
    byte_size: int = 8
    buffer_size: int | None = None
    signal_strength_noise: float = 0.0
    direction_noise: float = 0.0
    allowed_channels: tuple[int, ...] = ()
    told_turn: Quat = IDENTITY


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceSpeaker(DeviceBase):
    """Plays sounds and speaks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceMicrophone(DeviceBase):
    """Hears speakers.

    Attributes:
        aperture: Full angle of the cone around +x [rad]; None = all around.
    """

    aperture: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceDigitalIo(DeviceBase):
    """Lines that are on or off, by number.

    Attributes:
        line_count: Number of input lines and of output lines.
        output_labels: (line, text) of named outputs.
        input_labels: (line, text) of named inputs.
        switches: (input line, device name): the line turns the device on and off.
    """

    line_count: int = 0
    output_labels: tuple[tuple[int, str], ...] = ()
    input_labels: tuple[tuple[int, str], ...] = ()
    switches: tuple[tuple[int, str], ...] = ()


MessagingDevice = (
    DeviceEmitter | DeviceReceiver | DeviceSpeaker | DeviceMicrophone | DeviceDigitalIo
)
"""A device of this file."""

__all__ = [
    "DeviceDigitalIo",
    "DeviceEmitter",
    "DeviceMicrophone",
    "DeviceReceiver",
    "DeviceSpeaker",
    "Medium",
    "MessagingDevice",
]
