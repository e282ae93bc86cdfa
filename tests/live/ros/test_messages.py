"""Messages are ROS' own: their definitions and their bytes, by `rosbags`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from solidbody.live.ros.cdr import CdrError, MessageTemplate, decode, encode
from solidbody.live.ros.definitions import DEFINITIONS, PRIMITIVES, message_text
from tests.live.ros.fast_dds import store

typesys = pytest.importorskip("rosbags.typesys")

SHARED = [name for name in DEFINITIONS if "/srv/" not in name and "simulation_" not in name]


@pytest.mark.parametrize("name", SHARED)
def test_definitions_are_the_official_ones(name: str) -> None:
    """Names, types and order of all fields, of parts too, in Jazzy and in Humble."""
    told = typesys.get_types_from_msg(message_text(name), name)
    humble = typesys.get_typestore(typesys.Stores.ROS2_HUMBLE)
    for part, (_, fields) in told.items():
        assert fields == store().fielddefs[part][1], part
        there = humble.fielddefs[part][1]
        assert fields[: len(there)] == there, part  # Range has one more since


def some_value(kind: str, count: int | None, random: np.random.Generator) -> Any:
    """Return something for a field."""
    if count is not None:
        length = count or int(random.integers(0, 5))
        if kind in PRIMITIVES:
            return [some_value(kind, None, random) for _ in range(length)]
        return [some_value(kind, None, random) for _ in range(length)]
    if kind == "string":
        return "".join(random.choice(list("aä 漢/"), int(random.integers(0, 6))))
    if kind == "bool":
        return bool(random.integers(0, 2))
    if kind.startswith("float"):
        return float(np.float32(random.normal()))
    if kind in PRIMITIVES:
        return int(random.integers(0, 127))
    return some_message(kind, random)


def some_message(name: str, random: np.random.Generator) -> dict[str, Any]:
    fields = DEFINITIONS[name].fields
    return {item.name: some_value(item.kind, item.count, random) for item in fields}


def as_theirs(name: str, message: dict[str, Any]) -> Any:
    """Return a message as an object of `rosbags`."""
    values: dict[str, Any] = {}
    for item in DEFINITIONS[name].fields:
        value = message[item.name]
        if item.kind in DEFINITIONS:
            value = (
                as_theirs(item.kind, value)
                if item.count is None
                else [as_theirs(item.kind, one) for one in value]
            )
        elif item.count is not None and item.kind in PRIMITIVES:
            value = np.array(value, dtype=item.kind)
        values[item.name] = value
    return store().types[name](**values)


@pytest.mark.parametrize("name", SHARED)
def test_bytes_are_those_of_rosbags(name: str) -> None:
    """Written by us, and read by us from the other byte order."""
    random = np.random.default_rng(len(name))
    for _ in range(5):
        message = some_message(name, random)
        theirs = as_theirs(name, message)
        little = bytes(store().serialize_cdr(theirs, name, little_endian=True))
        ours = encode(name, message)
        assert ours == little[: len(ours)] and not any(little[len(ours) :])
        big = store().serialize_cdr(theirs, name, little_endian=False)
        for data in (little, bytes(big)):
            assert encode(name, decode(name, data)) == ours


@pytest.mark.parametrize("name", ["sensor_msgs/msg/Imu", "tf2_msgs/msg/TFMessage"])
def test_short_and_strange_bytes_are_refused(name: str) -> None:
    """Wherever they end, and whatever they promise."""
    message = some_message(name, np.random.default_rng(1))
    message["transforms"] = [
        some_message("geometry_msgs/msg/TransformStamped", np.random.default_rng(2))
    ]
    data = encode(name, message)
    for length in range(len(data) - 1):
        with pytest.raises(CdrError):
            decode(name, data[:length])
    with pytest.raises(CdrError, match="head of plain CDR"):
        decode(name, b"\x00\x03" + data[2:])
    with pytest.raises(CdrError):
        decode("std_msgs/msg/Float64MultiArray", b"\x00\x01\x00\x00" + b"\xff" * 8)
    with pytest.raises(CdrError, match="UTF-8"):
        decode("std_msgs/msg/String", b"\x00\x01\x00\x00\x02\x00\x00\x00\xff\x00")


def test_a_template_is_the_message() -> None:
    """With times and numbers filled in."""
    frame = {"header": {"frame_id": "odd"}, "child_frame_id": "x"}
    template = MessageTemplate("tf2_msgs/msg/TFMessage", {"transforms": [frame, frame]})
    values = np.arange(14.0)
    stamp = {"sec": 3, "nanosec": 5}
    told = [
        {
            "header": {"frame_id": "odd", "stamp": stamp},
            "child_frame_id": "x",
            "transform": {
                "translation": dict(zip("xyz", row[:3], strict=True)),
                "rotation": dict(zip("xyzw", row[3:], strict=True)),
            },
        }
        for row in values.reshape(2, 7)
    ]
    plain = encode("tf2_msgs/msg/TFMessage", {"transforms": told})
    assert template.bytes_at(3_000_000_005, values) == plain


def test_arrays_of_a_fixed_length_are_checked() -> None:
    """And left out ones are zero."""
    with pytest.raises(ValueError, match="takes 9 numbers"):
        encode("sensor_msgs/msg/Imu", {"orientation_covariance": [1.0]})
    told = decode(
        "sensor_msgs/msg/LaserScan", encode("sensor_msgs/msg/LaserScan", {"ranges": [math.inf]})
    )
    assert told["ranges"].tolist() == [math.inf] and not len(told["intensities"])
