"""Base class of all devices, and small parts that several kinds share.

Device frames are forward-left-up: a device that looks or points somewhere does so along its +x
axis, with +z up. A reader whose format means another axis rotates the pose instead.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise

from solidbody.base.span import NOWHERE, SourceSpan
from solidbody.base.transforms import WORLD, Pose


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceBase:
    """Name and place of a device.

    Attributes:
        name: Unique in its robot; the key by which a program asks for it.
        model: What kind of thing the file calls it; programs may ask.
        pose: Device frame in the link frame.
        number: The file's own number for it; None = it has none.
        info: (key, value as written) of what the file says beyond what is known here.
        samples_itself: Whether it measures in every step without being switched on, from the moment that a
            program first asks the simulation for a device.
        span: Place in the source file.
    """

    name: str
    model: str = ""
    pose: Pose = WORLD
    number: int | None = None
    info: tuple[tuple[str, str], ...] = ()
    samples_itself: bool = False
    span: SourceSpan = NOWHERE


@dataclass(frozen=True, slots=True)
class LookupRow:
    """One support point of a sensor curve; `noise` is relative to the output."""

    input: float
    output: float
    noise: float = 0.0


@dataclass(frozen=True, slots=True)
class LookupTable:
    """A sensor curve, linear between rows and constant outside them.

    The reported value is output * (1 + noise * N(0, 1)). An empty table reports the input itself.
    """

    rows: tuple[LookupRow, ...] = ()

    def __post_init__(self) -> None:
        inputs = [row.input for row in self.rows]
        if any(b <= a for a, b in pairwise(inputs)):
            raise ValueError(f"inputs of a lookup table must increase, got {inputs}")

    @property
    def max_input(self) -> float | None:
        """The largest input, which is the reach of a distance sensor; None when empty."""
        return self.rows[-1].input if self.rows else None

    def at(self, x: float) -> tuple[float, float]:
        """Return (output, relative noise) at input `x`."""
        if not self.rows:
            return x, 0.0
        index = bisect_right(self.rows, x, key=lambda row: row.input)
        if index == 0 or index == len(self.rows):
            row = self.rows[0 if index == 0 else -1]
            return row.output, row.noise
        low, high = self.rows[index - 1], self.rows[index]
        t = (x - low.input) / (high.input - low.input)
        return (
            low.output + t * (high.output - low.output),
            low.noise + t * (high.noise - low.noise),
        )


@dataclass(frozen=True, slots=True)
class AxisMask:
    """Which components of a vector a sensor reports; the others read as not-a-number."""

    x: bool = True
    y: bool = True
    z: bool = True


__all__ = [
    "AxisMask",
    "DeviceBase",
    "LookupRow",
    "LookupTable",
]
