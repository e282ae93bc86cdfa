"""Snapshots: the complete state of a simulation, in memory or in a file."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from solidbody.base.output_files import write_whole

FOREIGN = "the snapshot does not belong to this simulation"

MAGIC = b"solidbody state 2\n"
"""First bytes of a file of snapshots; the number changes when what is stored changes."""

ANY_MAGIC = MAGIC[:-2]

MAX_NUMBER = 2**53
"""Of steps and of bytes: whole numbers that a time in seconds is made of exactly."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything that the next step depends on, as bytes: restoring continues bit for bit.

    It belongs to the scene it was taken from: any simulation of the same scene takes it, in this process
    or another one.

    Attributes:
        step_count: Steps since the start.
        qpos: Positions.
        qvel: Velocities.
        qacc: Accelerations of the last step.
        mocap: Poses of kinematic bodies.
        asleep: Who sleeps.
        forces: Forces applied from outside.
        state: The row of `contact/state.py`: motors, movers, grips, rotors, rest.
        places: Poses of bodies that are fixed to others (PLACES of `sim/core.py`); none = as compiled.
        solver: Warm starts.
    """

    step_count: int
    qpos: bytes
    qvel: bytes
    qacc: bytes
    mocap: bytes
    asleep: bytes
    forces: bytes
    state: bytes
    places: bytes
    solver: bytes

    def to_bytes(self) -> bytes:
        """Return the snapshot as bytes, for a file or another process."""
        parts = [getattr(self, name) for name in _PARTS]
        head = json.dumps([self.step_count, *map(len, parts)]).encode()
        return MAGIC + struct.pack("<I", len(head)) + head + b"".join(parts)

    @classmethod
    def from_bytes(cls, data: bytes) -> Snapshot:
        """Return what `to_bytes` made; ValueError if it did not."""
        found = _read(data, 0)
        if found is None or found[1] != len(data):
            raise ValueError(_refusal(data, "these bytes are not one snapshot"))
        return found[0]


_PARTS = tuple(field.name for field in fields(Snapshot) if field.name != "step_count")


def _read(data: bytes, start: int) -> tuple[Snapshot, int] | None:
    """Return the snapshot at `start` and where it ends, None if there is none."""
    at = start + len(MAGIC) + 4
    if data[start : start + len(MAGIC)] != MAGIC or len(data) < at:
        return None
    size = struct.unpack("<I", data[at - 4 : at])[0]
    try:
        numbers = json.loads(data[at : at + size])
    except (ValueError, RecursionError):
        return None
    if not isinstance(numbers, list) or len(numbers) != 1 + len(_PARTS):
        return None
    if not all(type(number) is int and 0 <= number <= MAX_NUMBER for number in numbers):
        return None
    count, *lengths = numbers
    at += size
    if at + sum(lengths) > len(data):
        return None
    parts: dict[str, bytes] = {}
    for name, length in zip(_PARTS, lengths, strict=True):
        parts[name] = data[at : at + length]
        at += length
    return Snapshot(step_count=count, **parts), at


def _refusal(data: bytes, text: str) -> str:
    """Return why bytes are refused."""
    if data.startswith(ANY_MAGIC) and not data.startswith(MAGIC):
        return f"{text} of this release of solidbody: it was made by another one"
    return text


def save_snapshots(path: Path, snapshots: Sequence[Snapshot]) -> None:
    """Write snapshots to one file, oldest first."""
    write_whole(path, b"".join(snapshot.to_bytes() for snapshot in snapshots))


def load_snapshots(path: Path) -> tuple[Snapshot, ...]:
    """Return the snapshots of a file; ValueError if it holds something else."""
    data = path.read_bytes()
    out: list[Snapshot] = []
    at = 0
    while at < len(data):
        found = _read(data, at)
        if found is None:
            raise ValueError(_refusal(data, f"{path} is not a file of snapshots"))
        snapshot, at = found
        out.append(snapshot)
    return tuple(out)


def fill_all(parts: Sequence[tuple[bytes, tuple[Any, ...]]]) -> None:
    """Copy bytes into arrays, part by part; ValueError before any if one does not fit."""
    if any(len(source) != sum(array.nbytes for array in arrays) for source, arrays in parts):
        raise ValueError(FOREIGN)
    for source, arrays in parts:
        start = 0
        for array in arrays:
            values = np.frombuffer(source[start : start + array.nbytes], dtype=array.dtype)
            array[...] = values.reshape(array.shape)
            start += array.nbytes
