"""Exact solution of small box-bounded problems, by block principal pivoting."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

ROUNDING = 1e-13
"""Violations below this share of the terms they are differences of are rounding, not violations."""


def solve_box(a: Array, b: Array, lo: Array, hi: Array) -> Array:
    """Return f that minimises 1/2 f'a f + b'f within lo <= f <= hi, for positive definite `a`.

    Each row is free, at its low or at its high bound. Solve the free rows exactly, then exchange
    every row that violates its bound or the sign of its gradient. All at once is fast but may
    cycle; when the number of violations has not gone down for a while, only the last violator is
    exchanged, which always ends (Murty's rule; Judice and Pires 1994 for the combination).
    """
    n = len(b)
    state = np.zeros(n, dtype=int)  # 0 free, -1 low, +1 high
    fixed = hi <= lo
    state[fixed] = -1
    least, patience = n + 1, 10
    while True:
        f = np.where(state < 0, lo, np.where(state > 0, hi, 0.0))
        free = state == 0
        bound = ~free
        f[free] = 0.0
        rhs = -(b[free] + a[np.ix_(free, bound)] @ f[bound])
        f[free] = np.linalg.solve(a[np.ix_(free, free)], rhs)
        gradient = a @ f + b
        size = np.abs(a) @ np.abs(f) + np.abs(b)
        noise = ROUNDING * (size / np.diag(a))
        wants_low = free & (f < lo - noise)
        wants_high = free & (f > hi + noise)
        slack = ROUNDING * size
        leaves = ~fixed & (((state < 0) & (gradient < -slack)) | ((state > 0) & (gradient > slack)))
        bad = np.flatnonzero(wants_low | wants_high | leaves)
        if len(bad) == 0:
            return np.clip(f, lo, hi)
        if len(bad) < least:
            least, patience = len(bad), 10
        else:
            patience -= 1
        if patience < 0:
            bad = bad[-1:]
        for i in bad:
            state[i] = 0 if leaves[i] else (-1 if wants_low[i] else 1)
