"""The law of contact sounds: energies, gains and pitches by hand."""

from __future__ import annotations

import math
from dataclasses import fields, replace

import numpy as np
import pytest

from solidbody.sound.contact_law import FORGET_TIME, PairStates, Sounds, Touches, sounds_of
from solidbody.sound.sources import motor_sound

STEP = 0.01


def _touch(
    *,
    speed: float,
    at: float = 0.0,
    spin: float = 0.0,
    mass: float = 2.0,
    slip: float | None = None,
    key: int = 5,
) -> Touches:
    """A body that goes along x at `speed` over something at rest, turning about y.

    Its point of contact slips at `slip`; None = as fast as the body.
    """
    rest = [0.0, 0.0, 0.0]
    point = speed if slip is None else slip
    return Touches(
        key=np.array([key]),
        position=np.array([[at, 0.0, 0.0]]),
        point_velocities=np.array([[[point, 0.0, 0.0], rest]]),
        velocities=np.array([[[speed, 0.0, 0.0], rest]]),
        spin=np.array([[0.0, spin, 0.0]]),
        mass=np.array([mass]),
    )


def _heard(states: PairStates, touches: Touches) -> Sounds:
    return sounds_of(states, states.advance(touches, STEP), touches)


def test_the_energy_and_its_changes() -> None:
    """E = 2/2·3² = 9 J; dE = 9/0.01, ddE = 900/0.01."""
    states = PairStates()
    states.advance(_touch(speed=3.0), STEP)
    row = states.rows[0]
    assert row["energy"] == pytest.approx(9.0)
    assert row["rate"] == pytest.approx(900.0)
    assert row["change"] == pytest.approx(90_000.0)
    states.advance(Touches.none(), STEP)
    row = states.rows[0]
    assert row["energy"] == 0.0
    assert row["rate"] == pytest.approx(-900.0)
    assert row["velocity"].tolist() == [0.0, 0.0, 0.0]


def test_a_pair_is_forgotten_after_a_twentieth_of_a_second() -> None:
    """Five steps of 10 ms are not longer than 0.05 s, six are."""
    states = PairStates()
    states.advance(_touch(speed=1.0), STEP)
    for k in range(1, 7):
        states.advance(Touches.none(), STEP)
        states.forget()
        assert len(states.rows) == (1 if k * STEP <= FORGET_TIME + 1e-9 else 0)


def test_pairs_keep_their_own_states_as_others_come_and_go() -> None:
    """Three pairs, in any order of their keys: each has its own energy m·v²/2."""
    states = PairStates()
    for keys in ([7], [3, 7], [3, 5, 7], [5, 7]):
        parts = [_touch(speed=float(key), key=key) for key in keys]
        touches = Touches(
            *(np.concatenate([getattr(p, f.name) for p in parts]) for f in fields(Touches))
        )
        found = states.advance(touches, STEP)
        assert states.rows["key"][found].tolist() == keys
        assert states.rows["energy"][found].tolist() == pytest.approx([float(k) ** 2 for k in keys])
    assert states.rows["key"].tolist() == [3, 5, 7]
    assert states.rows["apart"].tolist() == [STEP, 0.0, 0.0]


def test_a_bump_is_as_loud_as_the_root_of_its_energy() -> None:
    """E = 0.02²·2/2 = 4e-4 J: gain sqrt(0.04) = 0.2; at 3 m/s it is 1; at 0.004 m/s it is not heard."""
    for speed, gain in ((0.02, 0.2), (3.0, 1.0), (0.004, 0.0)):
        assert _heard(PairStates(), _touch(speed=speed)).bump[0] == pytest.approx(gain)


def test_a_contact_that_does_not_change_does_not_bump() -> None:
    """The third step with the same energy."""
    states = PairStates()
    heard = [_heard(states, _touch(speed=1.0, at=0.01 * k)) for k in range(3)]
    assert heard[-1].bump[0] == 0.0


def test_sliding() -> None:
    """0.25 m/s, 20 kg: E = 0.625 J > 0.1, no spin: gain sqrt(0.25), pitch 0.8 + 0.4·0.5."""
    states = PairStates()
    heard = [_heard(states, _touch(speed=0.25, at=0.0025 * k, mass=20.0)) for k in range(3)]
    assert heard[-1].slides[0]
    assert (heard[-1].lasting[0], heard[-1].pitch[0]) == pytest.approx((0.5, 1.0))


def test_rolling() -> None:
    """The point of a rolling ball stands still: E = 0, spin 2.5π: gain 0.5, pitch 0.85 + 0.3·0.5."""
    states = PairStates()
    spin = 2.5 * math.pi
    rolls = [_touch(speed=0.5, slip=0.0, at=0.005 * k, spin=spin) for k in range(3)]
    heard = [_heard(states, touch) for touch in rolls]
    assert not heard[-1].slides[0]
    assert (heard[-1].lasting[0], heard[-1].pitch[0]) == pytest.approx((0.5, 1.0))


def test_turning_about_the_way_is_not_rolling() -> None:
    """Only the part of the spin across the velocity of the contact counts."""
    states = PairStates()
    spin = np.array([[8.0, 0.0, 0.0]])
    rolls = [_touch(speed=0.5, slip=0.0, at=0.005 * k) for k in range(3)]
    heard = [_heard(states, replace(touch, spin=spin)) for touch in rolls]
    assert heard[-1].lasting[0] == 0.0


def test_a_contact_that_does_not_go_along_with_the_body_is_silent() -> None:
    """The body moves at 0.5 m/s, the contact does not; 0.5 % more or less is along, 2 % is not."""
    for share, is_heard in ((0.0, False), (1.005, True), (1.02, False)):
        states = PairStates()
        touches = [_touch(speed=0.5, at=0.005 * share * k, mass=20.0) for k in range(3)]
        heard = [_heard(states, touch) for touch in touches]
        assert bool(heard[-1].lasting[0]) is is_heard, share


def test_motors_get_louder_and_higher() -> None:
    """A tenth of full scale at most."""
    slow, fast = motor_sound(0.5), motor_sound(1.0)
    assert fast[0] == pytest.approx(0.1)
    assert slow[0] < fast[0]
    assert slow[1] < fast[1]
