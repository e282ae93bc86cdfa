"""The law stands twice, in C and in Python: both give the same numbers on the same inputs."""

from __future__ import annotations

import ctypes
import itertools
import math
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from solidbody.contact import law
from solidbody.contact.native import NativeUnavailable, load_library

SAME = 1e-15
"""Both do the same few operations in double precision; sums of three may round differently."""

Case = tuple[int, str, Callable[..., object], list[list[float]]]


def unit_vectors() -> list[list[float]]:
    """Directions along axes, edges and corners, and some in between."""
    random = np.random.default_rng(7)
    grid = [v for v in itertools.product((-1.0, 0.0, 1.0), repeat=3) if any(v)]
    vectors = np.array([*grid, *random.normal(size=(20, 3))])
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).tolist()


def rotation(seed: int) -> list[float]:
    """A random rotation matrix, row-major."""
    q, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    return (q * np.sign(np.linalg.det(q))).flatten().tolist()


def cases() -> Iterator[Case]:
    """Yield (number in sb_law_probe.c, name, Python function, inputs)."""
    h = (0.008, 0.032)
    yield (
        0,
        "normal",
        law.row_normal,
        [
            [step, depth, vn, 0.2, cfm, bounce, 0.01, rest, scale]
            for rest, scale in ((0.0, math.inf), (2.5e-4, 1e-3))
            for step in h
            for depth in (-1e-9, 0.0, 1e-4, 0.1)
            for vn in (-3.0, -0.011, -0.009, 0.0, 1.0)
            for cfm in (0.0, 1e-3)
            for bounce in (0.0, 0.5, 1.0)
        ],
    )
    yield 1, "friction", law.row_friction, [[0.5, 0.0, 1e-5], [0.0, 0.02, 1e-5], [0.0, 0.0, 0.0]]
    yield 2, "rolling row", law.row_rolling, [[1e-5], [0.0]]
    yield (
        3,
        "bound",
        law.friction_bound,
        [[mu, fn] for mu in (0.0, 0.5, math.inf) for fn in (-1.0, 0.0, 9.81)],
    )
    yield 4, "motor", law.row_motor, [[3.0, 10.0, 1e-5], [0.0, 0.0, 0.0]]
    yield (
        5,
        "spring",
        law.row_spring,
        [[s, q, k, d] for s in h for q in (-0.3, 0.0, 1.0) for k, d in ((0, 1), (1e6, 0), (5, 2))],
    )
    yield (
        6,
        "stop",
        law.row_stop,
        [
            [s, side, violation, v, 0.2, cfm, bounce]
            for s in h
            for side in (1, -1)
            for violation in (-0.01, 0.0, 0.01)
            for v in (-2.0, 0.0, 2.0)
            for cfm in (0.0, 1e-5)
            for bounce in (0.0, 0.7)
        ],
    )
    yield 7, "bilateral", law.row_bilateral, [[0.008, 1e-3, 0.2, 1e-5], [0.032, -1.0, 0.8, 0.0]]


def vector_cases() -> Iterator[tuple[int, str, list[list[float]], Callable[[list[float]], object]]]:
    """Yield functions whose arguments are vectors: (number, name, flat inputs, adapter)."""
    values = ((0.1, 0.2, 0.3, 0.4), (0.0, 0.5, 0.0, 0.0), (math.inf, 0.5, 1.0, math.inf))
    angles = ((1.0, 0.0), (0.0, 1.0), (0.6, 0.8))
    combos = [[n, *f, c, s] for n in (1, 2, 3, 4) for f in values for c, s in angles]
    yield 8, "combine", combos, lambda x: law.combine(int(x[0]), x[1:5], x[5], x[6])
    yield 9, "slip", combos, lambda x: law.combine_slip(int(x[0]), x[1:5], x[5], x[6])
    rhos = [[n, *rho] for n in (1, 2) for rho in ((0, 0, 0), (0.1, 0, 0), (0.1, 0.2, 0), (0, 0, 1))]

    def rolling(x: list[float]) -> list[float]:
        per_axis, rho = law.rolling(int(x[0]), x[1:4])
        return [*rho, float(per_axis)]

    yield 10, "rolling", rhos, rolling
    yield 11, "tangent", unit_vectors(), lambda x: law.tangent(np.array(x))
    directions = [
        [*rotation(seed), *axes, *n]
        for seed in range(3)
        for axes in ((2, 0, 2), (1, 2, 1))
        for n in unit_vectors()
    ]

    def direction(x: list[float]) -> object:
        axes = (int(x[9]), int(x[10]), int(x[11]))
        return law.friction_direction(np.array(x[:9]).reshape(3, 3), *axes, np.array(x[12:]))

    yield 12, "direction", directions, direction
    turns = [
        [*n, a, *v] for n in unit_vectors()[:9] for a in (-0.7, 0.0, 2.0) for v in unit_vectors()
    ]
    yield 13, "rotate", turns, lambda x: law.rotate(np.array(x[:3]), x[3], np.array(x[4:]))
    pairs = [[*a, *b] for a in unit_vectors() for b in unit_vectors()[::3]]
    yield 14, "angle", pairs, lambda x: law.angle(np.array(x[:3]), np.array(x[3:]))
    shifts = [
        [a, b, f0, f1, first]
        for a in range(8)
        for b in range(8)
        for f0, f1 in ((1.0, 0.9), (0.9, 1.0), (1.0, 1.0), (0.8, 0.8))
        for first in (0, 1)
    ]
    slides = [
        [*n, *u, *responses]
        for n in unit_vectors()
        for u in ((0.0, 0.0), (1.0, 0.0), (0.3, -0.4), (-9e-5, 2.0))
        for responses in ((1.0, 1.0), (0.2, 3.0), (0.0, 1.0))
    ]
    yield (
        16,
        "sliding",
        slides,
        lambda x: law.sliding_tangent(law.world_tangents(np.array(x[:3])), x[3:5], x[5:]),
    )
    shares = [[v, lost] for v in (0.0, 1e-8, 1.0) for lost in (0.0, 2.4e-5, math.inf)]
    yield 17, "across", shares, lambda x: law.across_share(*x)
    yield (
        15,
        "shift",
        shifts,
        lambda x: law.point_shift(law.Form(int(x[0])), law.Form(int(x[1])), x[2], x[3], int(x[4])),
    )


@pytest.fixture(scope="module")
def probe() -> Callable[[int, list[float]], list[float]]:
    """Return a caller of the native law; outputs are poisoned before each call."""
    try:
        library = load_library()
    except NativeUnavailable as reason:
        pytest.skip(str(reason))

    def call(which: int, x: list[float]) -> list[float]:
        inputs = (ctypes.c_double * 16)(*x)
        out = (ctypes.c_double * 8)(*[math.nan] * 8)
        count = library.sb_probe(which, inputs, out)
        assert count > 0
        return list(out[:count])

    return call


@pytest.mark.parametrize("case", list(cases()), ids=lambda case: case[1])
def test_rows_agree(case: Case, probe: Callable[[int, list[float]], list[float]]) -> None:
    """Target, softness and bounds of every kind of row."""
    which, _, function, inputs = case
    for x in inputs:
        expected = np.atleast_1d(np.array(function(*x), dtype=float))
        np.testing.assert_allclose(probe(which, x), expected, rtol=SAME, atol=0, err_msg=str(x))


@pytest.mark.parametrize("case", list(vector_cases()), ids=lambda case: case[1])
def test_surfaces_directions_and_points_agree(
    case: tuple[int, str, list[list[float]], Callable[[list[float]], object]],
    probe: Callable[[int, list[float]], list[float]],
) -> None:
    """Friction of two surfaces, tangents and contact points."""
    which, _, inputs, function = case
    for x in inputs:
        expected = np.atleast_1d(np.array(function(x), dtype=float))
        np.testing.assert_allclose(probe(which, x), expected, rtol=SAME, atol=SAME, err_msg=str(x))


def test_a_spring_row_is_a_spring_damper() -> None:
    """f = -k (q + h v) - d v solves the row for any v."""
    h, q, k, d, v = 0.008, 0.3, 50.0, 2.0, -1.7
    row = law.row_spring(h, q, k, d)
    force = -k * (q + h * v) - d * v
    assert v + row.cfm * force == pytest.approx(row.c, abs=1e-14)


def test_infinite_friction_does_not_become_nan() -> None:
    """An infinite coefficient across its direction adds nothing."""
    assert law.combine(2, (math.inf, 0.5), 0.0, 1.0) == (math.inf, math.inf)
    mu, mu2 = law.combine(4, (0.1, 0.2, math.inf, 0.4), 0.0, 1.0)
    assert mu == pytest.approx(0.5)
    assert mu2 == math.inf
