"""Contact sounds (bump, roll, slide): which, how loud and how high, for all pairs (rules W6.1).

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
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]

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
class Touches:
    """Pairs of shapes that touch, at one moment; one row each.

    Attributes:
        key: (n,) number of the pair, rising.
        position: (n, 3) of the contact [m].
        point_velocities: (n, 2, 3) of both bodies at the contact [m/s].
        velocities: (n, 2, 3) of both centres of mass [m/s].
        spin: (n, 3) sum of both angular velocities [rad/s].
        mass: (n,) sum of both masses [kg].
    """

    key: Integers
    position: Floats
    point_velocities: Floats
    velocities: Floats
    spin: Floats
    mass: Floats

    @classmethod
    def none(cls) -> Touches:
        """Nothing touches."""
        pairs = np.zeros((0, 2, 3))
        return cls(np.zeros(0, np.int64), pairs[:, 0], pairs, pairs, pairs[:, 0], np.zeros(0))


@dataclass(frozen=True, slots=True)
class Sounds:
    """What is to be heard of pairs that touch; one row each, gain 0 = nothing.

    Attributes:
        bump: (n,) gain of a knock; its pitch is 1.
        lasting: (n,) gain of the sound of a contact that goes along with a body.
        pitch: (n,) of that.
        slides: (n,) whether it slides; else it rolls.
    """

    bump: Floats
    lasting: Floats
    pitch: Floats
    slides: Flags


_STATE = np.dtype(
    [
        ("key", np.int64),
        ("energy", np.float64),
        ("rate", np.float64),
        ("change", np.float64),
        ("velocity", np.float64, 3),
        ("position", np.float64, 3),
        ("apart", np.float64),
    ]
)
"""Of one pair: its number, E [J], dE [W], ddE [W/s], Vc [m/s], contact [m], time without contact [s]."""


class PairStates:
    """What is remembered of pairs that touch, or did so a moment ago.

    Attributes:
        rows: One of `_STATE` per pair, by rising key. A velocity or position that is not known is NaN.
    """

    def __init__(self) -> None:
        self.rows = np.zeros(0, dtype=_STATE)

    def advance(self, touches: Touches, elapsed: float) -> Integers:
        """Take in what touches, `elapsed` seconds after the last time; return the rows of `touches`."""
        self._admit(touches.key)
        found = np.searchsorted(self.rows["key"], touches.key)
        gap = touches.point_velocities[:, 0] - touches.point_velocities[:, 1]
        energy = np.zeros(len(self.rows))
        energy[found] = 0.5 * touches.mass * (gap * gap).sum(axis=1)
        if elapsed > 0.0:
            rate = (energy - self.rows["energy"]) / elapsed
            self.rows["change"] = (rate - self.rows["rate"]) / elapsed
            self.rows["rate"] = rate
            last = self.rows["position"][found]
            known = ~np.isnan(last[:, 0])
            self.rows["velocity"][found[known]] = (touches.position - last)[known] / elapsed
        self.rows["energy"] = energy
        parted = np.ones(len(self.rows), dtype=bool)
        parted[found] = False
        self.rows["apart"][found] = 0.0
        self.rows["apart"][parted] += elapsed
        self.rows["velocity"][parted] = 0.0
        self.rows["position"][parted] = np.nan
        self.rows["position"][found] = touches.position
        return found

    def forget(self) -> None:
        """Forget the pairs that have not touched for a while."""
        stays = self.rows["apart"] <= FORGET_TIME
        if not stays.all():
            self.rows = self.rows[stays]

    def _admit(self, keys: Integers) -> None:
        new = keys[~np.isin(keys, self.rows["key"], assume_unique=True)]
        if not len(new):
            return
        fresh = np.zeros(len(new), dtype=_STATE)
        fresh["key"] = new
        fresh["velocity"] = fresh["position"] = np.nan
        self.rows = np.sort(np.concatenate([self.rows, fresh]), order="key")


def sounds_of(states: PairStates, found: Integers, touches: Touches) -> Sounds:
    """Return what is heard of the pairs that touch; `found` are their rows."""
    rows = states.rows[found]
    energy, velocity = rows["energy"], rows["velocity"]
    is_sudden = (energy > 1e-6) & (np.abs(rows["change"]) > 1.0)
    bump = np.where(is_sudden, np.clip(np.sqrt(100.0 * energy), 0.0, 1.0), 0.0)
    between = touches.velocities[:, 1] - touches.velocities[:, 0]
    speed, along = np.linalg.norm(between, axis=1), np.linalg.norm(velocity, axis=1)
    # NaN, where the contact has no velocity yet, goes along with nothing
    goes_along = (speed > 0.01) & (np.abs(speed - along) <= 0.01 * along)
    normal = velocity / np.where(goes_along, along, 1.0)[:, None]
    across = touches.spin - (touches.spin * normal).sum(axis=1, keepdims=True) * normal
    turning = np.linalg.norm(across, axis=1)
    slides = goes_along & (energy > 0.1) & (turning <= 0.1)
    rolls = goes_along & (energy <= 0.1) & (turning > 0.1)
    sliding = np.sqrt(np.minimum(along, 1.0))
    rolling = np.minimum(turning / (5.0 * math.pi), 1.0)
    lasting = np.where(slides, sliding, np.where(rolls, rolling, 0.0))
    pitch = np.where(slides, 0.8 + 0.4 * lasting, 0.85 + 0.3 * lasting)
    return Sounds(
        bump=np.where(bump > LEAST_GAIN, bump, 0.0),
        lasting=np.where(lasting > LEAST_GAIN, lasting, 0.0),
        pitch=pitch,
        slides=slides,
    )
