"""Emitters and receivers, from controllers in processes of their own."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from tests.control.projects import Project, robot

RADIO = """
Emitter { name "emitter" channel 1 bufferSize 64 maxRange 20 allowedChannels [ 1, 2 ] }
Receiver { name "receiver" channel 1 }
"""
TALK = """
    import struct
    from controller import Robot
    robot = Robot()
    emitter = robot.getDevice("emitter")
    for message in (%s):
        emitter.send(message)
    while robot.step(8) != -1:
        pass
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def other(project: Project, messages: str, *, devices: str = RADIO, x: float = 2.0) -> str:
    """Return a second robot, 2 m away, that sends messages."""
    project.controller("talk", TALK % messages)
    return robot("talk", name="other", x=x, devices=devices)


def test_packets_are_read_as_what_they_were(project: Project) -> None:
    """Text, bytes, floats, integers and booleans, one packet after the other."""
    nodes = other(project, '"grüß", b"\\x00\\x01", [1.5, 2], [3, -4], [True, False]')
    out = project.exercise(
        """
        receiver = robot.getDevice("receiver")
        receiver.enable(8)
        out["empty"] = [receiver.getQueueLength(), receiver.getString(), receiver.getDataSize()]
        for _ in range(4):
            robot.step(8)
        out["length"] = [receiver.getQueueLength(), receiver.queue_length]
        out["text"] = [receiver.getString(), receiver.string, receiver.getDataSize(),
            receiver.data_size]
        out["signal"] = [receiver.getSignalStrength(), receiver.signal_strength]
        out["direction"] = [receiver.getEmitterDirection(), receiver.emitter_direction]
        receiver.getData()
        receiver.nextPacket()
        out["bytes"] = [list(receiver.getBytes()), list(receiver.data)]
        receiver.nextPacket()
        out["floats"] = receiver.getFloats()
        receiver.nextPacket()
        out["ints"] = receiver.getInts()
        receiver.nextPacket()
        out["bools"] = [receiver.getBools(), receiver.getDataSize()]
        receiver.nextPacket()
        out["left"] = receiver.getQueueLength()
        receiver.nextPacket()
        out["channel"] = receiver.getChannel()
        receiver.setChannel(-1)
        receiver.channel = -7
        out["then"] = receiver.channel
        receiver.disable()
        out["off"] = receiver.getQueueLength()
        """,
        devices=RADIO,
        nodes=nodes,
    )
    assert out["empty"] == [0, None, -1]
    assert out["length"] == [5, 5]
    # UTF-8 has two bytes for each of the last two letters
    assert out["text"] == ["grüß", "grüß", 6, 6]
    # 2 m away, straight ahead
    assert out["signal"] == pytest.approx([0.25, 0.25])
    assert out["direction"] == [pytest.approx([1, 0, 0])] * 2
    assert out["bytes"] == [[0, 1], [0, 1]]
    assert (out["floats"], out["ints"], out["bools"]) == ([1.5, 2], [3, -4], [[True, False], 2])
    assert (out["left"], out["channel"], out["then"], out["off"]) == (0, 1, -1, 0)
    errors = "\n".join(project.errors())
    assert "Receiver.getString()" in errors and "there is no packet to read" in errors
    assert "nextPacket()" not in errors, "to drop what is not there is no fault"
    assert "-7 is not a channel; -1 stands for all" in errors
    assert "Receiver.getData() is deprecated" in errors


def test_old_programs_decode_and_unpack_packets(project: Project) -> None:
    """`getData` gave bytes until R2022a and text since then: both kinds of program read on."""
    nodes = other(project, '"go 1", struct.pack("chd", b"a", 45, 1.25), b"\\xff"')
    out = project.exercise(
        """
        import struct

        receiver = robot.getDevice("receiver")
        receiver.enable(8)
        out["empty"] = receiver.getData()
        for _ in range(4):
            robot.step(8)
        text = receiver.getData()
        out["text"] = [text, text.decode("utf-8"), "go" in text, text.split()]
        receiver.nextPacket()
        out["numbers"] = struct.unpack("chd", receiver.getData())[1:]
        receiver.nextPacket()
        out["no text"] = list(receiver.getData())
        """,
        devices=RADIO,
        nodes=nodes,
    )
    assert out["empty"] is None
    assert out["text"] == ["go 1", "go 1", True, ["go", "1"]]
    assert (out["numbers"], out["no text"]) == ([45, 1.25], [255])


def test_what_an_emitter_takes(project: Project) -> None:
    """A full buffer gives 0; wrong messages, channels and ranges are refused with a message."""
    out = project.exercise(
        """
        emitter = robot.getDevice("emitter")
        out["sent"] = [emitter.send("x" * 40), emitter.send("x" * 40), emitter.send(b"12345", 2)]
        out["wrong"] = [emitter.send(""), emitter.send([]), emitter.send({}),
            emitter.send(["a"]), emitter.send([1 << 40])]
        robot.step(8)
        out["again"] = emitter.send("x" * 40)
        out["facts"] = [emitter.getChannel(), emitter.getRange(), emitter.getBufferSize(),
            emitter.buffer_size, Emitter.CHANNEL_BROADCAST]
        emitter.setChannel(2)
        emitter.setChannel(3)
        ranges = []
        for wanted in (5, -0.3, 50, 5, -1):
            emitter.setRange(wanted)
            ranges.append(emitter.range)
        out["set"] = [emitter.channel, ranges]
        """,
        devices=RADIO,
        nodes=other(project, '"hello"'),
    )
    assert out["sent"] == [1, 0, 1], "40 bytes of 64, no room for 40 more, then 2"
    assert out["wrong"] == [0] * 5
    assert out["again"] == 1, "within a step the buffer is empty"
    assert out["facts"] == [1, 20, 64, 64, -1], "the range is at most maxRange"
    assert out["set"] == [2, [5, 5, 20, 5, 20]], "clipped to maxRange, also for -1 = everywhere"
    errors = "\n".join(project.errors())
    for text in (
        "the message is empty",
        "cannot send a dict",
        "cannot send a list",
        "3 is not one of allowedChannels: 1, 2",
        "-0.3 is not a range; -1 stands for everywhere",
    ):
        assert text in errors


def test_packets_of_other_channels_and_out_of_range_do_not_arrive(project: Project) -> None:
    """Nor those that were sent before a receiver listens."""
    far = RADIO.replace("maxRange 20", "maxRange 20 range 1")
    out = project.exercise(
        """
        receiver = robot.getDevice("receiver")
        receiver.enable(8)
        for _ in range(4):
            robot.step(8)
        out["length"] = receiver.getQueueLength()
        out["nothing"] = [receiver.getBytes(), receiver.getFloats(), receiver.getEmitterDirection(),
            receiver.getSignalStrength()]
        """,
        devices=RADIO,
        nodes=other(project, '"hello"', devices=far),
    )
    assert out["length"] == 0
    assert out["nothing"][:3] == [None] * 3 and math.isnan(out["nothing"][3])
