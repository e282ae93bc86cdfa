"""Messages about sounds, looks, rays and points: part of the wire protocol of the page.

Each event tells all there is at a moment: a tab that missed some, or comes later, misses nothing.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Final, Literal

from solidbody.viewer.protocol_scene import Float32Base64, Vector3

SOUNDS_PATH: Final = "/api/sounds"
"""Below it, each sound that can be heard has a number."""

PAINT_MAGIC: Final = 0x31544253
"""First four bytes of a picture that covers a shape: "SBT1"; the shape and a PNG follow."""

INK_MAGIC: Final = 0x32544253
"""First four bytes of a layer of paint over a shape: "SBT2"; the shape and a PNG follow, alpha = density.

Sides of a form lie beside each other, so that paint shows once: +x -x +y -y +z -z of a box; side, top and
bottom of a cylinder or cone.
"""

PAINT_HEADER: Final = struct.Struct("<II")
"""Magic, number of the shape in the scene's list."""

PAINT_HEADER_BYTES: Final = PAINT_HEADER.size


@dataclass(frozen=True, slots=True)
class CommandShow:
    """What this tab keeps, plays and draws besides, from now on: sounds, rays of sensors, points of lidars.

    Attributes:
        sounds: Whether it is told of sounds.
        listens: Whether it plays them; else it only keeps them for a replay.
        rays: Whether it is told of rays.
        points: Whether it is told of points.
    """

    sounds: bool
    listens: bool
    rays: bool
    points: bool
    command: Literal["show"] = "show"


@dataclass(frozen=True, slots=True)
class WireVoice:
    """A sound that is played.

    Attributes:
        number: Another one for every sound that begins.
        clip: Where its samples are, below `SOUNDS_PATH`.
        loops: Whether it goes on until it is no longer listed; others end by themselves.
        gain: Factor on the samples, 0..1, one metre away.
        pitch: Factor on their speed.
        balance: -1 left .. 1 right.
        at: Where it comes from [m], null = from everywhere.
    """

    number: int
    clip: int
    loops: bool
    gain: float
    pitch: float
    balance: float
    at: Vector3 | None


@dataclass(frozen=True, slots=True)
class EventSounds:
    """All sounds that are played now, and those that have begun and ended within the last moments."""

    voices: list[WireVoice]
    event: Literal["sounds"] = "sounds"


@dataclass(frozen=True, slots=True)
class WireGlow:
    """Light that a shape gives off, instead of what its material says; linear RGB."""

    shape: int
    color: Vector3


@dataclass(frozen=True, slots=True)
class WireLamp:
    """How a light of the scene's list shines."""

    light: int
    is_on: bool
    color: Vector3
    intensity: float


@dataclass(frozen=True, slots=True)
class WireTint:
    """Colour of a shape, instead of what its material says; that of a screen (sRGB)."""

    shape: int
    color: Vector3


@dataclass(frozen=True, slots=True)
class EventLooks:
    """All looks that differ from the scene's.

    Lamps that programs switch, muscles at work, shapes that supervisors hide.
    """

    glows: list[WireGlow]
    lamps: list[WireLamp]
    tints: list[WireTint]
    hidden: list[int]
    event: Literal["looks"] = "looks"


@dataclass(frozen=True, slots=True)
class EventRays:
    """Rays of distance sensors: xyz of both ends, then 1 if something is hit, else 0; seven numbers each."""

    rays: Float32Base64
    event: Literal["rays"] = "rays"


@dataclass(frozen=True, slots=True)
class EventPoints:
    """What lidars and range finders see: xyz of each point in the world."""

    points: Float32Base64
    event: Literal["points"] = "points"


LiveEvent = EventSounds | EventLooks | EventRays | EventPoints
