"""The wire protocol between server and page. The TypeScript side is generated from this file.

Three kinds of messages:

- the scene, once, as JSON over HTTP (`protocol_scene.WireScene`): what to draw;
- frames, many, as one binary websocket message each (`FrameHeader`, then float32 poses and travels);
- commands (page to server) and events (server to page), rare, as JSON text on the websocket.

After a change run `python -m solidbody.viewer.protocol_ts`; a test compares both sides.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from enum import IntEnum
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from solidbody.viewer.protocol_live import CommandShow, LiveEvent
from solidbody.viewer.protocol_work import WORK_COMMANDS, WorkCommand, WorkEvent, parse_work

PROTOCOL_VERSION: Final = 2
"""Raised with every change that an older page could not read; the page checks it."""

FRAME_MAGIC: Final = 0x31464253
"""First four bytes of every frame: "SBF1"."""

POSE_FLOATS: Final = 7
"""Numbers per pose: x y z [m], then the quaternion w x y z."""

SCENE_PATH: Final = "/api/scene"
OUTLINE_PATH: Final = "/api/outline"
STREAM_PATH: Final = "/api/stream"

COMMAND_BYTES_LIMIT: Final = 32_768
"""Longest command text that is read [bytes]: an edited field with many numbers fits."""

STEPS_PER_COMMAND_LIMIT: Final = 10_000
"""Most steps one command may ask for: keeps a mistake from blocking the player for long."""

SPEED_LIMIT: Final = 1e6
"""Largest speed factor; beyond any real one, and still exact in float32."""

# --- frames ---------------------------------------------------------------------------------------


class PlayState(IntEnum):
    """What the player is doing."""

    PAUSED = 0
    RUNNING = 1
    FAILED = 2
    FINISHED = 3


def _wire(code: str) -> Any:
    """Declare a header field with its `struct` code."""
    return field(metadata={"struct": code})


@dataclass(frozen=True, slots=True)
class FrameHeader:
    """The fixed start of a frame, little endian.

    As float32 follow the poses of all moving links, then how far each belt has run [m].

    Attributes:
        magic: Always `FRAME_MAGIC`.
        sequence: Counts published frames; a gap means that this client skipped some.
        epoch: Counts resets: poses are not interpolated across a change.
        state: A `PlayState`.
        time: Simulated time [s].
        clock: The server's steady clock when the frame was made [s].
        real_time_factor: Simulated seconds per second, lately.
        speed: Wanted factor; infinite = as fast as possible.
        step_count: Steps since the start or reset.
        not_converged: Steps whose contact solution missed its tolerance.
        body_count: Poses that follow.
        step_cost: Wall time that a step takes, lately [s]; 0 = not known yet.
        belt_count: Travels that follow the poses.
    """

    magic: int = _wire("I")
    sequence: int = _wire("I")
    epoch: int = _wire("I")
    state: int = _wire("I")
    time: float = _wire("d")
    clock: float = _wire("d")
    real_time_factor: float = _wire("f")
    speed: float = _wire("f")
    step_count: int = _wire("I")
    not_converged: int = _wire("I")
    body_count: int = _wire("I")
    step_cost: float = _wire("f")
    belt_count: int = _wire("I")


_HEADER = struct.Struct("<" + "".join(item.metadata["struct"] for item in fields(FrameHeader)))
HEADER_BYTES: Final = _HEADER.size
_UINT32_MASK: Final = 0xFFFF_FFFF


def encode_frame(
    poses: NDArray[np.float64],
    travels: Sequence[float] = (),
    *,
    sequence: int,
    epoch: int,
    state: PlayState,
    time: float,
    clock: float,
    real_time_factor: float,
    speed: float,
    step_count: int,
    not_converged: int,
    step_cost: float = 0.0,
) -> bytes:
    """Return one frame: header, then the poses (n, 7) of the moving links and the travels of belts."""
    buffer = bytearray(HEADER_BYTES + 4 * (POSE_FLOATS * len(poses) + len(travels)))
    _HEADER.pack_into(
        buffer,
        0,
        FRAME_MAGIC,
        sequence & _UINT32_MASK,
        epoch & _UINT32_MASK,
        int(state),
        time,
        clock,
        real_time_factor,
        speed,
        step_count & _UINT32_MASK,
        min(not_converged, _UINT32_MASK),
        len(poses),
        step_cost,
        len(travels),
    )
    numbers = np.frombuffer(buffer, dtype="<f4", offset=HEADER_BYTES)
    end = POSE_FLOATS * len(poses)
    numbers[:end].reshape(-1, POSE_FLOATS)[...] = poses
    numbers[end:] = travels
    return bytes(buffer)


def decode_frame(
    message: bytes,
) -> tuple[FrameHeader, NDArray[np.float32], NDArray[np.float32]]:
    """Return header, poses (n, 7) and travels of a frame, for clients written in Python.

    Raises:
        ValueError: The bytes are not one complete frame.
    """
    if len(message) < HEADER_BYTES:
        raise ValueError(f"a frame has at least {HEADER_BYTES} bytes, got {len(message)}")
    header = FrameHeader(*_HEADER.unpack_from(message))
    if header.magic != FRAME_MAGIC:
        raise ValueError(f"not a frame: starts with {header.magic:#x}, not {FRAME_MAGIC:#x}")
    end = POSE_FLOATS * header.body_count
    expected = HEADER_BYTES + 4 * (end + header.belt_count)
    if len(message) != expected:
        raise ValueError(f"a frame of {header.body_count} bodies has {expected} bytes")
    numbers = np.frombuffer(message, "<f4", offset=HEADER_BYTES)
    return header, numbers[:end].reshape(-1, POSE_FLOATS), numbers[end:]


# --- commands and events --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CommandPlay:
    """Let time run."""

    command: Literal["play"] = "play"


@dataclass(frozen=True, slots=True)
class CommandPause:
    """Hold time."""

    command: Literal["pause"] = "pause"


@dataclass(frozen=True, slots=True)
class CommandStep:
    """Pause and advance by `count` steps."""

    count: int
    command: Literal["step"] = "step"


@dataclass(frozen=True, slots=True)
class CommandReset:
    """Go back to the start; playing or pausing stays as it is."""

    command: Literal["reset"] = "reset"


@dataclass(frozen=True, slots=True)
class CommandSpeed:
    """Run at `factor` times real time; null = as fast as possible."""

    factor: float | None
    command: Literal["speed"] = "speed"


@dataclass(frozen=True, slots=True)
class CommandReady:
    """The page shows the scene: a simulation that waits for its first viewer may start."""

    command: Literal["ready"] = "ready"


PlayerCommand = CommandPlay | CommandPause | CommandStep | CommandReset | CommandSpeed
Command = (
    CommandPlay
    | CommandPause
    | CommandStep
    | CommandReset
    | CommandSpeed
    | CommandReady
    | CommandShow
    | WorkCommand
)


@dataclass(frozen=True, slots=True)
class EventHello:
    """First message of a connection. Another `revision` than the page's means: load the scene."""

    protocol: int
    revision: str
    event: Literal["hello"] = "hello"


@dataclass(frozen=True, slots=True)
class EventFailure:
    """The simulation stopped with an error; an empty text takes the message back (after a reset)."""

    text: str
    event: Literal["failure"] = "failure"


@dataclass(frozen=True, slots=True)
class EventRefused:
    """A command was not understood and changed nothing."""

    text: str
    event: Literal["refused"] = "refused"


Event = EventHello | EventFailure | EventRefused | LiveEvent | WorkEvent


def parse_command(text: str) -> Command:
    """Return the command in a JSON text.

    Raises:
        ValueError: The text is not a command; the message says what is wrong with it.
    """
    if len(text) > COMMAND_BYTES_LIMIT:
        raise ValueError(f"a command has at most {COMMAND_BYTES_LIMIT} bytes")
    try:
        data = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise ValueError("a command is a JSON object") from error
    match data:
        case {"command": "play"}:
            return CommandPlay()
        case {"command": "pause"}:
            return CommandPause()
        case {"command": "reset"}:
            return CommandReset()
        case {"command": "ready"}:
            return CommandReady()
        case {"command": "step", "count": int(count)} if not isinstance(count, bool):
            if not 1 <= count <= STEPS_PER_COMMAND_LIMIT:
                raise ValueError(f"step: count must be 1 to {STEPS_PER_COMMAND_LIMIT}")
            return CommandStep(count)
        case {"command": "speed", "factor": None}:
            return CommandSpeed(None)
        case {"command": "speed", "factor": int(factor) | float(factor)} if factor is not True:
            if not 0 < factor <= SPEED_LIMIT:
                raise ValueError(f"speed: factor must be above 0 and at most {SPEED_LIMIT:g}")
            return CommandSpeed(float(factor))
        case {
            "command": "show",
            "sounds": bool(sounds),
            "listens": bool(listens),
            "rays": bool(rays),
            "points": bool(points),
        }:
            return CommandShow(sounds, listens, rays, points)
        case {"command": str()} if (work := parse_work(data)) is not None:
            return work
        case _:
            raise ValueError(
                "expected one of play, pause, step (count), reset, speed (factor or null), "
                "show (sounds, listens, rays, points), " + ", ".join(WORK_COMMANDS)
            )
