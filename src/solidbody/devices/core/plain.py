"""Plain sensors, whose values come straight from the state: read in one native call where possible.

A sensor with noise, a curve, a resolution or hidden axes is no such sensor: its group samples it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from solidbody.base.transforms import IDENTITY, ZERO, Quat, Vec3

Floats = NDArray[np.float64]


class PlainKind(Enum):
    """What is read; the names are those of `contact.sensing.SenseKind`."""

    ACCELERATION = "acceleration minus `extra`, own axes"
    TURN = "angular velocity, own axes"
    BOTH = "acceleration minus `extra` and angular velocity, own axes"
    ATTITUDE = "quaternion x y z w"
    DIRECTION = "the direction `extra`, own axes"
    PLACE = "position plus `extra`, speed, velocity"
    HEIGHT = "position along `extra`, plus `offset`"
    AXIS = "position of a joint axis"


class PlainPlan(Protocol):
    """Some sensors that are read together; `elapsed` is the time since each of them was [s]."""

    elapsed: Floats


class PlainReader(Protocol):
    """Reads plain sensors."""

    def plan(self, rows: NDArray[np.int32]) -> PlainPlan:
        """Return a plan to read these again and again."""
        ...

    def read(self, plan: Any) -> bool:
        """Read them; False if they must be sampled by their groups this time."""
        ...


@dataclass(frozen=True, slots=True)
class Plain:
    """How one sensor is read.

    Attributes:
        kind: What is read.
        link: Row of its link; of a joint axis, the row of the axis.
        position: In the link frame [m].
        rotation: In the link frame.
        extra: See `PlainKind`.
        offset: See `PlainKind`.
        memory: Three numbers that hold the velocity at the last reading.
    """

    kind: PlainKind
    link: int
    position: Vec3 = ZERO
    rotation: Quat = IDENTITY
    extra: Vec3 = ZERO
    offset: float = 0.0
    memory: NDArray[Any] | None = None


def vec3(values: Floats) -> Vec3:
    """Return three numbers as a tuple."""
    x, y, z = values.tolist()
    return x, y, z
