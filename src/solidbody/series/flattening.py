"""Names for the numbers of a message: a tree of fields, whatever its encoding was."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

MOST_NUMBERS: Final = 16
"""Numbers of an array that become series; longer ones are pictures, scans, covariances."""

DEEPEST: Final = 12
"""Fields within each other."""

IGNORED: Final = frozenset({"header", "timestamp", "stamp", "frame_id", "covariance"})
"""Fields that are not what a message is about."""

NOT_NUMBERS: Final = frozenset(
    {
        "SceneUpdate", "CompressedImage", "RawImage", "Image", "CameraCalibration", "CameraInfo",
        "PointCloud", "PointCloud2", "LaserScan", "Log", "String", "Clock",
    }
)  # fmt: skip
"""Last words of schemas whose messages are not read at all."""

_STATES: Final = ("position", "velocity", "effort", "acceleration")
_QUATERNION: Final = {"w": "qw", "x": "qx", "y": "qy", "z": "qz"}


def numbers_of(topic: str, fields: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """Yield names and numbers of a message.

    Joints and frames keep their own names, with the namespace of the topic: `arm.position`, `hand.x`,
    `hand.qw`. All else begins with the topic: `/odom.twist.twist.linear.x`, `/robot/gps[0]`.

    Args:
        topic: Where it was sent.
        fields: The message.
    """
    space = "".join(f"{part}/" for part in topic.split("/")[1:-1])
    match fields:
        case {"joints": list(joints)}:  # Foxglove's
            for joint in joints:
                if isinstance(joint, Mapping):
                    yield from _state(f"{space}{joint.get('name', '')}", joint)
        case {"name": list(names), "position": _}:  # ROS', and ours of before 2026-11-19
            for row, name in enumerate(names):
                yield from _state(f"{space}{name}", _row(fields, row))
        case {"transforms": list(frames)}:
            for frame in frames:
                if isinstance(frame, Mapping):
                    yield from _frame(frame)
        case {"values": values, "timestamp": _}:  # readings of our sensors
            yield from _list(topic, values)
        case {"data": data} if len(fields) == 1:
            yield from _value(topic, data, 0)
        case _:
            yield from _value(topic, fields, 0)


def _row(fields: Mapping[str, Any], row: int) -> dict[str, Any]:
    columns = {key: fields.get(key) for key in _STATES}
    return {
        key: column[row]
        for key, column in columns.items()
        if isinstance(column, Sequence | np.ndarray) and row < len(column)
    }


def _state(name: str, state: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    for key in _STATES:
        yield from _value(f"{name}.{key}", state.get(key), 0)


def _frame(frame: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    name = frame.get("child_frame_id", "")
    parts = frame.get("transform", frame)
    if not isinstance(parts, Mapping):
        return
    for field, keys in (("translation", {x: x for x in "xyz"}), ("rotation", _QUATERNION)):
        values = parts.get(field)
        if isinstance(values, Mapping):
            for key, said in keys.items():
                yield from _value(f"{name}.{said}", values.get(key), 0)


def _value(name: str, value: Any, depth: int) -> Iterator[tuple[str, float]]:
    if isinstance(value, bool | int | float | np.number):
        yield name, float(value)
    elif isinstance(value, Mapping) and depth < DEEPEST:
        if value.keys() <= {"sec", "nsec", "nanosec", "seconds", "nanos"}:
            return
        for key, item in value.items():
            if key not in IGNORED and not str(key).endswith("_covariance"):
                yield from _value(f"{name}.{key}", item, depth + 1)
    elif isinstance(value, Sequence | np.ndarray) and not isinstance(value, str | bytes):
        yield from _list(name, value)


def _list(name: str, values: Any) -> Iterator[tuple[str, float]]:
    if not isinstance(values, Sequence | np.ndarray) or len(values) > MOST_NUMBERS:
        return
    for row, value in enumerate(values):
        own = name if len(values) == 1 else f"{name}[{row}]"
        if value is None:
            yield own, math.nan
        elif isinstance(value, bool | int | float | np.number):
            yield own, float(value)
