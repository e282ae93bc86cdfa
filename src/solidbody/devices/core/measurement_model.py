"""Turns a true value into a sensor reading: lookup table, noise, resolution, disabled axes (rules W9.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from solidbody.model.devices import AxisMask, LookupTable

NOTHING: Final = LookupTable()


class Finish:
    """What happens to the values of the devices of one group. Rows are devices, columns components."""

    def __init__(
        self,
        lookups: Sequence[LookupTable],
        resolutions: Sequence[float | None],
        axes: Sequence[AxisMask] | None = None,
    ) -> None:
        numbers = {
            table: n for n, table in enumerate(t for t in dict.fromkeys(lookups) if t != NOTHING)
        }
        self._curves = [_rows(table) for table in numbers]
        self._curve_of = np.array([numbers.get(table, -1) for table in lookups], dtype=np.intp)
        self._one_curve = len(self._curves) == 1 and bool((self._curve_of == 0).all())
        self._step = np.array([np.nan if step is None else step for step in resolutions])
        self._has_steps = bool(np.isfinite(self._step).any())
        self._hidden = np.array([[not a.x, not a.y, not a.z] for a in axes or ()], dtype=bool)
        self._has_hidden = bool(self._hidden.any())

    def is_plain(self, device: int) -> bool:
        """Whether a device reports its true value."""
        has_step = self._has_steps and bool(np.isfinite(self._step[device]))
        is_hidden = self._has_hidden and bool(self._hidden[device].any())
        return self._curve_of[device] < 0 and not has_step and not is_hidden

    def __call__(
        self,
        devices: NDArray[np.intp],
        values: NDArray[np.float64],
        random: np.random.Generator,
    ) -> NDArray[np.float64]:
        """Return what the devices report for these true values (one row per device)."""
        if self._one_curve:
            values = _through(self._curves[0], values, random)
        elif self._curves:
            number = self._curve_of[devices]
            for n, curve in enumerate(self._curves):
                at = np.flatnonzero(number == n)
                if at.size:
                    values[at] = _through(curve, values[at], random)
        if self._has_steps:
            step = self._step[devices][:, None]
            values = np.where(np.isfinite(step), rounded(values, step), values)
        if self._has_hidden:
            values = np.where(self._hidden[devices], np.nan, values)
        return values


def rounded(values: NDArray[np.float64], step: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """Return the multiples of `step` nearest to `values`, halves away from zero (C's `round`)."""
    ratio = values / step
    return step * np.copysign(np.floor(np.abs(ratio) + 0.5), ratio)


Curve = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64] | None]
"""Inputs, outputs, and relative noise where there is any."""


def _rows(table: LookupTable) -> Curve:
    rows = np.array([[row.input, row.output, row.noise] for row in table.rows])
    noise = rows[:, 2].copy() if rows[:, 2].any() else None
    return rows[:, 0].copy(), rows[:, 1].copy(), noise


def _through(
    curve: Curve, values: NDArray[np.float64], random: np.random.Generator
) -> NDArray[np.float64]:
    """Interpolate (constant outside the curve), then add the relative noise."""
    flat = values.ravel()
    inputs, outputs, deviations = curve
    out = np.interp(flat, inputs, outputs)
    if deviations is not None:
        noise = np.interp(flat, inputs, deviations)
        out = out * (1.0 + noise * random.standard_normal(out.size))
    # what is not a number has no place on a curve; np.interp keeps it so
    return out.reshape(values.shape)
