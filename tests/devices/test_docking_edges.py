"""Messages, docking and touch: what fields change, one by one."""

from __future__ import annotations

import math

import numpy as np
import pytest

import solidbody as sb
from solidbody.devices.actuators.connectors import Connectors
from solidbody.devices.actuators.lamps import led_color
from solidbody.devices.radio.packets import Emitters, RadioPacket, Receivers
from solidbody.formats.loading import read_scene_text
from solidbody.model.devices import DeviceLed
from tests.devices.worlds import sim_of

COUNT = 2000
SPREAD = 4.0 / math.sqrt(2 * COUNT)
"""Relative error of a deviation of that many samples: four of its own deviations 1/sqrt(2 n)."""


# --- messages -------------------------------------------------------------------------------------


def _pair(emitter: str = "", receiver: str = "", *, turn: str = "", between: str = "") -> sb.Sim:
    """An emitter at the origin and a receiver 2 m ahead, on two robots."""
    sim = sim_of(
        f'Robot {{ name "a" children [ Emitter {{ {emitter} }} ] }} {between} '
        f'Robot {{ name "b" translation 2 0 0 {turn} children [ Receiver {{ {receiver} }} ] }}'
    )
    sim.device("receiver").enable()
    return sim


def _sent(sim: sb.Sim, count: int = 1) -> list[RadioPacket]:
    """Send some packets, and return what can be read of them a step later."""
    emitters, row = sim.devices.group_of(sim.devices.names["emitter"])
    receivers, at = sim.devices.group_of(sim.devices.names["receiver"])
    assert isinstance(emitters, Emitters)
    assert isinstance(receivers, Receivers)
    for _ in range(count):
        assert emitters.send(row, b"x")
    sim.step()
    return list(receivers.states[at].queue)


@pytest.mark.parametrize(
    ("aperture", "turn", "arrives"),
    [(0.9, 0.44, True), (0.9, 0.46, False), (-1, 3.0, True), (6.3, 3.1, True)],
)
def test_an_aperture_is_the_full_angle_of_a_cone(
    aperture: float, turn: float, arrives: bool
) -> None:
    """The receiver looks back along -x, turned away by `turn`; -1 is every direction."""
    infrared = 'type "infra-red"'
    facing = f"rotation 0 0 1 {math.pi + turn}"
    sim = _pair(infrared, f"{infrared} aperture {aperture}", turn=facing)
    assert bool(_sent(sim)) is arrives


def test_a_cone_is_not_for_radio() -> None:
    """Apertures and walls are for light only."""
    wall = "Solid { translation 1 0 0 boundingObject Box { size 0.1 1 1 } }"
    assert _sent(_pair("aperture 0.1", "aperture 0.1", turn="rotation 0 0 1 1", between=wall))


def test_the_noise_of_signals_is_relative_and_never_negative() -> None:
    """1/d² = 0.25 with 20 % of noise; with 300 % of it, no signal is below 0."""
    signals = np.array([p.signal for p in _sent(_pair("", "signalStrengthNoise 0.2"), COUNT)])
    assert np.mean(signals) == pytest.approx(0.25, abs=4 * 0.05 / math.sqrt(COUNT))
    assert np.std(signals) == pytest.approx(0.05, rel=SPREAD)
    wild = np.array([p.signal for p in _sent(_pair("", "signalStrengthNoise 3"), COUNT)])
    # N(0,1) < -1/3 in 37 % of cases
    assert wild.min() == 0.0
    assert np.mean(wild == 0.0) == pytest.approx(0.369, abs=0.045)


def test_the_noise_of_directions_is_an_angle() -> None:
    """0.01 of the distance to each side: unit vectors with a deviation of 0.01 across."""
    found = np.array([p.direction for p in _sent(_pair("", "directionNoise 0.01"), COUNT)])
    assert np.linalg.norm(found, axis=1) == pytest.approx(np.ones(COUNT))
    assert found[:, 0] == pytest.approx(-np.ones(COUNT), abs=0.002)
    for side in (1, 2):
        assert np.std(found[:, side]) == pytest.approx(0.01, rel=SPREAD)


def test_a_receiver_that_is_off_gets_nothing_even_later() -> None:
    """What was sent then is lost."""
    sim = _pair()
    sim.device("receiver").disable()
    assert _sent(sim) == []
    sim.device("receiver").enable()
    sim.step(3)
    assert len(_sent(sim)) == 1


# --- connectors -----------------------------------------------------------------------------------


def _blocks(first: str, second: str, *, turn: float = 0.0) -> Connectors:
    """Two blocks whose connectors meet at 5 mm; the second one is turned by `turn` about their axis."""
    block = (
        'Robot {{ name "{0}" translation {1} children [ Transform {{ children [ Connector {{ '
        "translation 0.06 0 0 rotation 1 0 0 {2} {3} }} ] }} ] boundingObject Box {{ size 0.1 0.1 0.1 }} "
        "physics Physics {{ density -1 mass 1 }} }} "
    )
    nodes = block.format("A", "0 0 0", 0, first) + block.format(
        "B", f"0.125 0 0 rotation 0 0 1 {math.pi}", turn, second
    )
    sim = sim_of(nodes, world="gravity 0")
    return next(g for g in sim.devices.groups if isinstance(g, Connectors))


@pytest.mark.parametrize(
    ("rotations", "turn", "near"),
    [
        (4, math.pi / 2, True),
        (4, math.pi / 2 + 0.19, True),
        (4, math.pi / 2 + 0.21, False),
        (4, math.pi / 4, False),
        (1, math.pi / 2, False),
        (3, 2 * math.pi / 3, True),
        (0, 0.77, True),  # any turn
    ],
)
def test_docking_angles_are_shares_of_a_turn(rotations: int, turn: float, near: bool) -> None:
    """2π/numberOfRotations apart, within the rotationTolerance of 0.2 rad."""
    fields = f"numberOfRotations {rotations}"
    assert _blocks(fields, fields, turn=turn).is_near(0) is near


def test_without_unilateral_lock_both_must_lock() -> None:
    """The first one alone attaches nothing; once the other is locked too, it does."""
    connectors = _blocks("unilateralLock FALSE", "unilateralLock FALSE")
    connectors.lock(0)
    assert connectors.peer_of(0) is None
    connectors.lock(1)
    assert connectors.peer_of(0) == 1


def test_without_unilateral_unlock_both_must_unlock() -> None:
    """While the peer is locked, one that unlocks stays attached."""
    connectors = _blocks("unilateralUnlock FALSE", "unilateralUnlock FALSE")
    connectors.lock(0)
    connectors.lock(1)
    connectors.unlock(0)
    assert connectors.peer_of(0) == 1
    connectors.unlock(1)
    assert connectors.peer_of(0) is None


# --- touch, lamps, batteries ----------------------------------------------------------------------


def test_a_touch_sensor_of_an_unknown_type_is_a_bumper_and_told() -> None:
    """It reads 1 on the floor, without a table."""
    text = (
        "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 8 }\nSolid { boundingObject Plane { } }\n"
        'Robot { translation 0 0 0.1 children [ TouchSensor { type "feeler" boundingObject '
        "Sphere { radius 0.101 } } ] boundingObject Sphere { radius 0.1 } physics Physics { } }\n"
    )
    scene, log = read_scene_text(text)
    assert scene is not None
    assert any("feeler" in item.text for item in log)
    sim = sb.Sim(scene)
    sim.device("touch sensor").enable()
    sim.step(3)
    assert sim.device("touch sensor").value == 1.0


@pytest.mark.parametrize(
    ("colors", "gradual", "value", "expected"),
    [
        (((1.0, 0.0, 0.0), (0.0, 0.5, 0.0)), False, 2, (0.0, 0.5, 0.0)),
        (((1.0, 0.0, 0.0),), False, 0, (0.0, 0.0, 0.0)),
        (((1.0, 0.5, 0.0),), True, 51, (0.2, 0.1, 0.0)),  # 51/255 of the colour
        ((), True, 0x33FF00, (0.2, 1.0, 0.0)),
    ],
)
def test_led_values_choose_or_mix_colours(
    colors: tuple[tuple[float, float, float], ...],
    gradual: bool,
    value: int,
    expected: tuple[float, float, float],
) -> None:
    """Number of a colour, share of one colour, or 0xRRGGBB."""
    device = DeviceLed(name="led", colors=colors, gradual=gradual)
    assert led_color(device, value) == pytest.approx(expected)
