"""From the true value to the reported one: curve with relative noise, resolution, disabled axes."""

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
        self._curves = [
            (_rows(table), np.array([k for k, other in enumerate(lookups) if other == table]))
            for table in dict.fromkeys(lookups)
            if table != NOTHING
        ]
        self._step = np.array([np.nan if step is None else step for step in resolutions])
        self._has_steps = bool(np.isfinite(self._step).any())
        self._hidden = np.array([[not a.x, not a.y, not a.z] for a in axes or ()], dtype=bool)
        self._has_hidden = bool(self._hidden.any())

    def __call__(
        self,
        devices: NDArray[np.intp],
        values: NDArray[np.float64],
        random: np.random.Generator,
    ) -> NDArray[np.float64]:
        """Return what the devices report for these true values (one row per device)."""
        for curve, members in self._curves:
            at = np.flatnonzero(np.isin(devices, members))
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


def _rows(table: LookupTable) -> NDArray[np.float64]:
    return np.array([[row.input, row.output, row.noise] for row in table.rows])


def _through(
    curve: NDArray[np.float64], values: NDArray[np.float64], random: np.random.Generator
) -> NDArray[np.float64]:
    """Interpolate (constant outside the curve), then add the relative noise."""
    flat = values.ravel()
    out = np.interp(flat, curve[:, 0], curve[:, 1])
    if curve[:, 2].any():
        noise = np.interp(flat, curve[:, 0], curve[:, 2])
        out = out * (1.0 + noise * random.standard_normal(out.size))
    # what is not a number has no place on a curve
    return np.where(np.isnan(flat), np.nan, out).reshape(values.shape)
