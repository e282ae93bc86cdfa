"""The law of contact sounds: energies, gains and pitches by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from solidbody.sound.contact_law import (
    ContactSound,
    PairState,
    Touch,
    bump_of,
    lasting_sound_of,
)
from solidbody.sound.sources import motor_sound

STEP = 0.01


def _touch(*, speed: float, at: float = 0.0, spin: float = 0.0, mass: float = 2.0) -> Touch:
    """A body that slides along x at `speed` on something at rest, turning about y."""
    moving, rest = np.array([speed, 0.0, 0.0]), np.zeros(3)
    return Touch(
        np.array([at, 0.0, 0.0]), (moving, rest), (moving, rest), np.array([0, spin, 0.0]), mass
    )


def test_the_energy_and_its_changes() -> None:
    """E = 2/2·3² = 9 J; dE = 9/0.01, ddE = 900/0.01."""
    state = PairState()
    state.touch(_touch(speed=3.0), STEP)
    assert state.energy == pytest.approx(9.0)
    assert state.rate == pytest.approx(900.0)
    assert state.change == pytest.approx(90_000.0)
    state.part(STEP)
    assert state.energy == 0.0
    assert state.rate == pytest.approx(-900.0)


def test_a_bump_is_as_loud_as_the_root_of_its_energy() -> None:
    """E = 0.02²·2/2 = 4e-4 J: gain sqrt(0.04) = 0.2; at 3 m/s it is 1."""
    for speed, gain in ((0.02, 0.2), (3.0, 1.0)):
        state = PairState()
        state.touch(_touch(speed=speed), STEP)
        sound = bump_of(state)
        assert sound is not None
        assert (sound.kind, sound.pitch) == (ContactSound.BUMP, 1.0)
        assert sound.gain == pytest.approx(gain)


def test_a_contact_that_does_not_change_does_not_bump() -> None:
    """The third step with the same energy."""
    state = PairState()
    for k in range(3):
        state.touch(_touch(speed=1.0, at=0.01 * k), STEP)
    assert bump_of(state) is None


def _lasting(*, speed: float, spin: float, mass: float) -> PairState:
    state = PairState()
    for k in range(3):
        state.touch(_touch(speed=speed, at=speed * STEP * k, spin=spin, mass=mass), STEP)
    return state


def test_sliding() -> None:
    """0.25 m/s, 20 kg: E = 0.625 J > 0.1, no spin: gain sqrt(0.25), pitch 0.8 + 0.4·0.5."""
    touch = _touch(speed=0.25, at=0.005, mass=20.0)
    sound = lasting_sound_of(_lasting(speed=0.25, spin=0.0, mass=20.0), touch)
    assert sound is not None
    assert sound.kind is ContactSound.SLIDE
    assert (sound.gain, sound.pitch) == pytest.approx((0.5, 1.0))


def test_rolling() -> None:
    """The point of a rolling ball stands still: E = 0, spin 2.5π: gain 0.5, pitch 0.85 + 0.3·0.5."""
    spin = 2.5 * math.pi
    state = PairState()
    rest, centre = np.zeros(3), np.array([0.5, 0.0, 0.0])

    def touch(k: int) -> Touch:
        return Touch(
            np.array([0.005 * k, 0.0, 0.0]),
            (rest, rest),
            (centre, rest),
            np.array([0, spin, 0]),
            1.0,
        )

    for k in range(3):
        state.touch(touch(k), STEP)
    sound = lasting_sound_of(state, touch(2))
    assert sound is not None
    assert sound.kind is ContactSound.ROLL
    assert (sound.gain, sound.pitch) == pytest.approx((0.5, 1.0))


def test_a_contact_that_does_not_go_along_with_the_body_is_silent() -> None:
    """The body moves at 0.5 m/s, the contact does not."""
    state = PairState()
    for _ in range(3):
        state.touch(_touch(speed=0.5, at=0.0, mass=20.0), STEP)
    assert lasting_sound_of(state, _touch(speed=0.5, mass=20.0)) is None


def test_motors_get_louder_and_higher() -> None:
    """A tenth of full scale at most."""
    slow, fast = motor_sound(0.5), motor_sound(1.0)
    assert fast[0] == pytest.approx(0.1)
    assert slow[0] < fast[0]
    assert slow[1] < fast[1]
