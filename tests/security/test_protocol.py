"""Frames that claim more than they hold, hold what no controller sends, or are no frames at all."""

from __future__ import annotations

import random
import socket
import struct
import time
import tracemalloc
from types import SimpleNamespace

import pytest

from solidbody.control import protocol as p
from solidbody.control.client import solidbody_protocol as codec
from solidbody.control.client import solidbody_turns as turns
from solidbody.control.client import solidbody_wire as wire
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


@pytest.mark.slow
def test_a_turn_of_more_messages_than_allowed_is_several_turns() -> None:
    """A program that draws pixel by pixel is not sent away."""
    said = [codec.DisplayPixel.pack(1, 2, 3)] * (codec.MOST_SAID + 5) + [codec.Step.pack(8.0)]
    frames = turns.frames_of(said)
    assert len(frames) == 2
    found = [message for frame in frames for message in codec.parse(frame, codec.FROM_CLIENT)[1]]
    assert len(found) == len(said)
    assert found[-1] == (p.Step.NUMBER, 8.0)
    with pytest.raises(codec.ProtocolError, match="more than the"):
        codec.Turn.pack(said)


def test_many_frames_at_once_are_read_in_the_time_of_each() -> None:
    """A hundred thousand small ones: what is left is not copied after each."""
    a, b = socket.socketpair()
    connection = wire.Connection(a)
    body = codec.Turn.pack([codec.Step.pack(8.0)])
    connection._buffer = (wire.HEADER.pack(len(body)) + body) * 100_000
    start = time.process_time()
    for _ in range(100_000):
        assert connection.receive(0.0) == body
    assert time.process_time() - start < 10.0, "it took minutes when the rest was copied each time"
    connection.close()
    b.close()


def test_a_frame_that_comes_byte_by_byte_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time limit is for the whole frame."""
    a, b = socket.socketpair()
    connection = wire.Connection(a)
    b.send(wire.HEADER.pack(1000))
    reads = 0
    arrived = connection._arrived

    def dribble(timeout: float | None) -> bytes | None:
        nonlocal reads
        reads += 1
        assert reads < 500, "it is still waiting"
        return b"x" if reads > 1 else arrived(timeout)

    connection._arrived = dribble
    monkeypatch.setattr(wire, "time", SimpleNamespace(monotonic=lambda: 0.01 * reads))
    assert connection.receive(0.05) is None
    connection.close()
    b.close()
