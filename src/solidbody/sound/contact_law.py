"""Which sound two touching shapes make: bump, roll or slide, how loud and how high.

With the point velocities v1, v2 and masses m1, m2 (0 for what physics does not move) the energy of a
contact is E = (m1 + m2)·|v1 - v2|²/2; dE and ddE are its first and second difference per second. Vc is
the velocity of the contact point itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

LEAST_GAIN = 0.05
"""Quieter sounds are not started."""

FORGET_TIME = 0.05
"""[s] A pair that has not touched for longer is forgotten."""


class ContactSound(Enum):
    """What a contact sounds like."""

    BUMP = "bump"
    ROLL = "roll"
    SLIDE = "slide"


@dataclass(frozen=True, slots=True)
class Touch:
    """Two shapes that touch, at one moment.

    Attributes:
        position: Of the contact [m].
        point_velocities: Of both bodies at the contact, one after the other [m/s].
        velocities: Of both centres of mass [m/s].
        spin: Sum of both angular velocities [rad/s].
        mass: Sum of both masses [kg].
    """

    position: Floats
    point_velocities: tuple[Floats, Floats]
    velocities: tuple[Floats, Floats]
    spin: Floats
    mass: float


@dataclass(frozen=True, slots=True)
class Sound:
    """What is to be heard."""

    kind: ContactSound
    gain: float
    pitch: float


@dataclass(slots=True)
class PairState:
    """What is remembered of two shapes that touch."""

    energy: float = 0.0
    rate: float = 0.0
    change: float = 0.0
    velocity: Floats | None = None
    position: Floats | None = None
    apart: float = 0.0

    def touch(self, touch: Touch, elapsed: float) -> None:
        """Take in a contact, `elapsed` seconds after the last one."""
        first, second = touch.point_velocities
        gap = first - second
        self._energy(0.5 * touch.mass * float(gap @ gap), elapsed)
        if self.position is not None and elapsed > 0.0:
            self.velocity = (touch.position - self.position) / elapsed
        self.position = touch.position
        self.apart = 0.0

    def part(self, elapsed: float) -> None:
        """Take in that there was no contact."""
        self._energy(0.0, elapsed)
        self.velocity = np.zeros(3)
        self.position = None
        self.apart += elapsed

    def _energy(self, energy: float, elapsed: float) -> None:
        if elapsed > 0.0:
            rate = (energy - self.energy) / elapsed
            self.change = (rate - self.rate) / elapsed
            self.rate = rate
        self.energy = energy


def bump_of(state: PairState) -> Sound | None:
    """Return the knock of a contact whose energy changes suddenly."""
    if not (state.energy > 1e-6 and abs(state.change) > 1.0):
        return None
    gain = min(max(math.sqrt(100.0 * state.energy), 0.0), 1.0)
    return Sound(ContactSound.BUMP, gain, 1.0) if gain > LEAST_GAIN else None


def lasting_sound_of(state: PairState, touch: Touch) -> Sound | None:
    """Return the sound of a contact that goes along with one of the bodies: sliding or rolling."""
    if state.velocity is None:
        return None
    first, second = touch.velocities
    speed, along = float(np.linalg.norm(second - first)), float(np.linalg.norm(state.velocity))
    if not (speed > 0.01 and abs(speed - along) <= 0.01 * along):
        return None
    normal = state.velocity / along
    across = touch.spin - float(touch.spin @ normal) * normal
    turning = float(np.linalg.norm(across))
    if state.energy > 0.1 and turning <= 0.1:
        gain = math.sqrt(min(along, 1.0))
        sound = Sound(ContactSound.SLIDE, gain, 1.0 - 0.2 + 0.4 * gain)
    elif state.energy <= 0.1 and turning > 0.1:
        gain = min(turning / (5.0 * math.pi), 1.0)
        sound = Sound(ContactSound.ROLL, gain, 1.0 - 0.15 + 0.3 * gain)
    else:
        return None
    return sound if sound.gain > LEAST_GAIN else None
