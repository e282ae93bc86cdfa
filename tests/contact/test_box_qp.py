"""The reference solver against the conditions of a minimum."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from solidbody.contact.reference.box_qp import solve_box

SLACK = 1e-9
"""Matrices have condition numbers up to 1e6: 1e-16 * 1e6, with room."""


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 25), st.sampled_from([1e-3, 1e-1, 1.0]))
def test_solution_meets_the_conditions_of_a_minimum(seed: int, n: int, soft: float) -> None:
    """Free rows have no gradient; rows at a bound are pushed against it."""
    random = np.random.default_rng(seed)
    rank = max(1, n // 2)
    y = random.normal(size=(n, rank))
    a = y @ y.T + soft * np.eye(n)
    b = random.normal(size=n) * 10
    lo = np.where(random.random(n) < 0.3, -np.inf, -random.random(n))
    hi = np.where(random.random(n) < 0.3, np.inf, random.random(n))
    equal = random.random(n) < 0.1
    lo[equal] = hi[equal] = 0.0
    f = solve_box(a, b, lo, hi)
    gradient = a @ f + b
    scale = SLACK * (1 + np.abs(a) @ np.abs(f) + np.abs(b))
    assert ((f >= lo) & (f <= hi)).all()
    assert (np.abs(gradient[(f > lo) & (f < hi)]) <= scale[(f > lo) & (f < hi)]).all()
    assert (gradient[(f == lo) & ~equal] >= -scale[(f == lo) & ~equal]).all()
    assert (gradient[(f == hi) & ~equal] <= scale[(f == hi) & ~equal]).all()
