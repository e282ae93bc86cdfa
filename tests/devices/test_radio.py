"""Packets between robots: when they arrive, who gets them, how strong they are."""

from __future__ import annotations

import math

import pytest

import solidbody as sb
from solidbody.devices.radio.packets import Emitters, Receivers
from tests.devices.worlds import sim_of


def _pair(emitter: str = "", receiver: str = "", *, between: str = "", turn: str = "") -> sb.Sim:
    """An emitter at the origin and a receiver 2 m ahead, on two robots."""
    return sim_of(
        f'Robot {{ name "a" children [ Emitter {{ {emitter} }} ] }} {between} '
        f'Robot {{ name "b" translation 2 0 0 {turn} children [ Receiver {{ {receiver} }} ] }}'
    )


def _send(sim: sb.Sim, data: bytes) -> bool:
    group, row = sim.devices.group_of(sim.devices.names["emitter"])
    assert isinstance(group, Emitters)
    return group.send(row, data)


def _received(sim: sb.Sim) -> list[bytes]:
    group, row = sim.devices.group_of(sim.devices.names["receiver"])
    assert isinstance(group, Receivers)
    return [packet.data for packet in group.states[row].queue]


def test_a_packet_arrives_with_the_next_step() -> None:
    """In the order in which packets were sent."""
    sim = _pair()
    sim.device("receiver").enable()
    _send(sim, b"one")
    _send(sim, b"two")
    assert _received(sim) == []
    sim.step()
    assert _received(sim) == [b"one", b"two"]
    assert sim.device("receiver").value == 2.0


def test_a_slow_line_takes_its_time() -> None:
    """1000 baud, 10 bits per byte: 8 bits in a step of 8 ms, so 2 bytes need three steps."""
    sim = _pair("baudRate 1000 byteSize 10")
    sim.device("receiver").enable()
    _send(sim, b"ab")
    sim.step(2)
    assert _received(sim) == []
    sim.step()
    assert _received(sim) == [b"ab"]


@pytest.mark.parametrize(
    ("emitter", "receiver", "arrives"),
    [
        ("channel 3", "channel 3", True),
        ("channel 3", "channel 4", False),
        ("channel -1", "channel 4", True),
        ("channel 3", "channel -1", True),
        ("range 1.9", "", False),
        ("range 2.1", "", True),
        ('type "serial"', "", False),
        ('type "infra-red"', 'type "infra-red"', True),
    ],
)
def test_who_gets_it(emitter: str, receiver: str, arrives: bool) -> None:
    """Same channel or broadcast, same medium, in range."""
    sim = _pair(emitter, receiver)
    sim.device("receiver").enable()
    _send(sim, b"x")
    sim.step(2)
    assert _received(sim) == ([b"x"] if arrives else [])


def test_a_robot_does_not_hear_itself() -> None:
    """Never."""
    sim = sim_of("Robot { children [ Emitter { } Receiver { } ] }")
    sim.device("receiver").enable()
    _send(sim, b"x")
    sim.step(2)
    assert _received(sim) == []


def test_infrared_light_needs_free_sight_and_facing_cones() -> None:
    """A wall in between, or a receiver that looks away."""
    infrared = 'type "infra-red" aperture 1'
    away = f"rotation 0 0 1 {math.pi}"
    wall = "Solid { translation 1 0 0 boundingObject Box { size 0.1 1 1 } }"
    for between, turn, arrives in (("", away, True), ("", "", False), (wall, away, False)):
        sim = _pair(infrared, infrared, between=between, turn=turn)
        sim.device("receiver").enable()
        _send(sim, b"x")
        sim.step(2)
        assert bool(_received(sim)) is arrives


def test_an_aperture_of_zero_is_no_cone() -> None:
    """Webots asks for angles only where an aperture is above 0, though the field may be 0."""
    infrared = 'type "infra-red" aperture 0'
    sim = _pair(infrared, infrared)
    sim.device("receiver").enable()
    _send(sim, b"x")
    sim.step(2)
    assert _received(sim) == [b"x"], "though the receiver looks away"


def test_a_packet_goes_as_far_as_the_emitter_reached_when_it_was_sent() -> None:
    """Not as far as it reaches when the packet leaves."""
    sim = _pair("range 1")
    sim.device("receiver").enable()
    group, row = sim.devices.group_of(sim.devices.names["emitter"])
    assert isinstance(group, Emitters)
    _send(sim, b"near")
    group.states[row].range = 3.0
    _send(sim, b"far")
    group.states[row].range = 1.0
    sim.step()
    assert _received(sim) == [b"far"]


def test_what_has_arrived_stays_when_a_receiver_is_turned_off() -> None:
    """It hears nothing new; what waits for the next sample can be read once it is on again."""
    sim = _pair()
    receiver = sim.device("receiver")
    receiver.enable(0.016)
    _send(sim, b"one")
    sim.step(2)
    _send(sim, b"two")
    sim.step()
    receiver.disable()
    _send(sim, b"three")
    sim.step(2)
    assert _received(sim) == [b"one"]
    receiver.enable()
    sim.step()
    assert _received(sim) == [b"one", b"two"]


def test_room_counts_when_packets_are_sampled() -> None:
    """What a program reads in the meantime makes room for what has arrived already."""
    sim = _pair("", "bufferSize 3")
    sim.device("receiver").enable(0.016)
    _send(sim, b"one")
    sim.step(2)
    _send(sim, b"two")
    sim.step()
    group, row = sim.devices.group_of(sim.devices.names["receiver"])
    assert isinstance(group, Receivers)
    group.states[row].queue.clear()
    sim.step()
    assert _received(sim) == [b"two"]


def test_signal_strength_and_direction() -> None:
    """1/d^2, and the way to the emitter in the receiver's own axes."""
    sim = _pair(turn=f"rotation 0 0 1 {math.pi / 2}")
    sim.device("receiver").enable()
    _send(sim, b"x")
    sim.step()
    group, row = sim.devices.group_of(sim.devices.names["receiver"])
    assert isinstance(group, Receivers)
    (packet,) = group.states[row].queue
    assert packet.signal == pytest.approx(0.25)
    # the emitter lies along -x of the world, which is +y for a receiver turned by 90 degrees
    assert packet.direction == pytest.approx((0.0, 1.0, 0.0), abs=1e-12)


def test_a_full_buffer_takes_nothing_more() -> None:
    """Of the emitter: send fails; of the receiver: packets are lost."""
    sim = _pair("bufferSize 4", "bufferSize 5")
    sim.device("receiver").enable()
    assert _send(sim, b"abcd")
    assert not _send(sim, b"e")
    sim.step()
    assert _send(sim, b"ef")
    sim.step()
    assert _received(sim) == [b"abcd"]
