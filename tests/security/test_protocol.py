"""Frames that claim more than they hold, hold what no controller sends, or are no frames at all."""

from __future__ import annotations

import random
import struct
import time
import tracemalloc

import pytest

from solidbody.control import protocol as p
from solidbody.control.client import solidbody_protocol as codec
from tests.control.messages import made, packed
from tests.fuzz.damage import damaged_bytes

HUGE = b"\xff\xff\xff\x7f"
TURN = struct.pack("<HI", 4, 1)


def number(cls: type[p.Message]) -> bytes:
    """Return how a message begins."""
    return struct.pack("<H", cls.NUMBER)


SET = TURN + codec.FieldSet.pack(1, -1, "a", None, 1)[:-9]
BAD = {
    "nothing": (b"", "the frame at byte 0: the frame ends within it"),
    "no frame of a program": (number(p.Welcome), "no such message has the number 3"),
    "2,147,483,647 messages": (b"\4\0" + HUGE, "Turn.said at byte 2: 2147483647 is more than the"),
    "more than there is": (b"\4\0\x10\0\0\0", "Turn.said at byte 2: 16 is more than there is"),
    "half a count": (b"\4\0\1", "Turn.said at byte 2: the frame ends within it"),
    "an unknown message": (
        TURN + b"\xff\xff",
        "Turn.said at byte 6: no such message has the number 65535",
    ),
    "what a simulator sends": (TURN + number(p.Note), "no such message has the number 39"),
    "half a number": (
        TURN + number(p.MotorVelocity) + b"\1\0\0\0\0",
        "MotorVelocity.value at byte 12: the frame ends within it",
    ),
    "no number": (
        TURN + codec.MotorVelocity.pack(1, 0.0)[:-8] + struct.pack("<d", float("nan")),
        "MotorVelocity.value at byte 12: it is not a number",
    ),
    "an endless step": (
        TURN + number(p.Step) + struct.pack("<d", float("inf")),
        "Step.milliseconds at byte 8: it is not finite",
    ),
    "a text of 2 GB": (
        TURN + number(p.RobotCustomData) + HUGE,
        "RobotCustomData.text at byte 8: 2147483647 is more than the 33554432 allowed",
    ),
    "a text that is not there": (
        TURN + number(p.RobotCustomData) + b"\xff\0\0\0x",
        "RobotCustomData.text at byte 8: 255 is more than there is",
    ),
    "no UTF-8": (
        TURN + number(p.RobotCustomData) + b"\1\0\0\0\xff",
        "RobotCustomData.text at byte 12: it is no UTF-8",
    ),
    "bytes that are not there": (
        TURN + number(p.EmitterSend) + b"\1\0\0\0" + b"\xff\xff\0\0",
        "EmitterSend.data at byte 12: 65535 is more than there is",
    ),
    "a polygon of 4 GB": (
        TURN + number(p.DisplayPolygon) + b"\1\0\0\0\xff\xff\0\0",
        "DisplayPolygon.x at byte 12: 65535 is more than there is",
    ),
    "a word that is none": (
        TURN + number(p.RobotInput) + b"\7\0\0\0\0",
        "RobotInput.kind at byte 8: there is no word 7",
    ),
    "a value of no kind": (SET + b"\x09", "FieldSet.value at byte 22: there is no value of kind 9"),
    "a value of 65 numbers": (
        SET + b"\4\x41\0\0\0" + bytes(520),
        "FieldSet.value at byte 23: 65 is more than the 64 allowed",
    ),
    "more than its message": (codec.Turn.pack([]) + b"\0", "1 bytes too many follow"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_malformed_frame_names_its_message_and_field(name: str) -> None:
    """And where in the frame it is wrong."""
    frame, problem = BAD[name]
    with pytest.raises(codec.ProtocolError) as caught:
        codec.parse(frame, codec.FROM_CLIENT)
    assert problem in str(caught.value)


def test_claims_cost_no_memory_and_no_time() -> None:
    """Five bytes once stood for sixteen gigabytes."""
    frames = [BAD[name][0] for name in BAD]
    frames += [b"\4\0\xff\xff\3\0" + b"\xff" * 600_000]
    tracemalloc.start()
    start = time.process_time()
    for frame in frames:
        with pytest.raises(codec.ProtocolError):
            codec.parse(frame, codec.FROM_CLIENT)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2_000_000
    assert time.process_time() - start < 3.0


@pytest.mark.parametrize("seed", range(8))
def test_random_and_damaged_frames_are_read_or_refused_and_nothing_else(seed: int) -> None:
    """Whatever the bytes are, the only error is that of the protocol."""
    chance = random.Random(seed)
    kinds = [p.Turn, p.Hello, p.Answer, p.StepAnswer, p.Welcome]
    read = refused = 0
    for _ in range(150):
        frame = packed(made(chance.choice(kinds), chance))
        for data in (
            frame,
            damaged_bytes(frame, chance),
            frame[: chance.randrange(len(frame) + 1)],
            frame[:2] + chance.randbytes(chance.randrange(60)),
            chance.randbytes(chance.randrange(40)),
        ):
            for family in (codec.FROM_CLIENT, codec.FROM_SIMULATOR):
                try:
                    codec.parse(data, family)
                    read += 1
                except codec.ProtocolError as error:
                    refused += "at byte" in str(error)
    assert read > 100
    assert refused > 100
