"""Chooses the points of a study: grids, lists, random samples, Latin hypercubes, Sobol's sequence.

Samples are numbers 0 <= u < 1, one per point and parameter; a parameter turns its u into a value. They depend
on the seed alone.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from solidbody.sweeps.study import MAX_RUNS, Method, Parameter, Range, Study, StudyError, Value

_DIRECTIONS: Final = (
    (0, ()),
    (0, (1,)),
    (1, (1, 3)),
    (1, (1, 3, 1)),
    (2, (1, 1, 1)),
    (1, (1, 1, 3, 3)),
    (4, (1, 3, 5, 13)),
    (2, (1, 1, 5, 5, 17)),
    (4, (1, 1, 5, 5, 5)),
    (7, (1, 1, 7, 11, 19)),
    (11, (1, 1, 5, 1, 1)),
    (13, (1, 1, 1, 3, 11)),
    (14, (1, 3, 5, 5, 31)),
    (1, (1, 3, 3, 9, 7, 49)),
    (13, (1, 1, 1, 15, 21, 21)),
    (16, (1, 3, 1, 13, 27, 49)),
    (19, (1, 1, 1, 15, 7, 5)),
    (22, (1, 3, 1, 15, 13, 25)),
    (25, (1, 1, 5, 5, 19, 61)),
    (1, (1, 3, 7, 11, 23, 15, 103)),
    (4, (1, 3, 7, 13, 13, 15, 69)),
)
"""Per dimension the inner coefficients of its primitive polynomial, as a number, and its first direction
numbers. Source: S. Joe, F. Y. Kuo, "Constructing Sobol sequences with better two-dimensional projections",
SIAM J. Sci. Comput. 30 (2008), table new-joe-kuo-6."""

MAX_SOBOL: Final = len(_DIRECTIONS)
"""Parameters of a sample by Sobol's sequence."""

_BITS: Final = 32


def points_of(study: Study) -> list[tuple[Value, ...]]:
    """Return the points of a study in order, each with one value per parameter.

    Raises:
        StudyError: There are none, or too many.
    """
    parameters, sample = study.conditions.parameters, study.sample
    if sample.method is Method.GRID:
        columns = [grid_values(parameter) for parameter in parameters]
        _check_count(study, math.prod(map(len, columns)))
        return list(itertools.product(*columns))
    if sample.method is Method.LIST:
        points = list(study.points) or _zipped(study)
        _check_count(study, len(points))
        return points
    _check_count(study, sample.count)
    cube = unit_sample(sample.method, sample.count, len(parameters), sample.seed)
    columns = [sampled_values(parameter, cube[:, k]) for k, parameter in enumerate(parameters)]
    return list(zip(*columns, strict=True)) if columns else [()] * sample.count


def grid_values(parameter: Parameter) -> Sequence[Value]:
    """Return the values of a parameter in a grid."""
    spread = parameter.values
    if not isinstance(spread, Range):
        return spread
    last = max(spread.count - 1, 1)
    # the bounds themselves, without rounding
    inner = [_scaled(spread, k / last) for k in range(1, spread.count - 1)]
    found = [spread.low, *inner, spread.high][: spread.count]
    if not spread.is_integer:
        return found
    return tuple(dict.fromkeys(round(value) for value in found))


def sampled_values(parameter: Parameter, units: NDArray[np.float64]) -> list[Value]:
    """Return the value of a parameter for each u."""
    spread = parameter.values
    if not isinstance(spread, Range):
        return [spread[int(u * len(spread))] for u in units.tolist()]
    if spread.is_integer:
        low, high = round(spread.low), round(spread.high)
        whole = Range(low - 0.5, high + 0.5)
        if spread.is_log:
            whole = Range(max(low - 0.5, 0.5), high + 0.5, is_log=True)
        return [min(max(round(_scaled(whole, u)), low), high) for u in units.tolist()]
    return [min(max(_scaled(spread, u), spread.low), spread.high) for u in units.tolist()]


def _scaled(spread: Range, u: float) -> float:
    if spread.is_log:
        return math.exp(math.log(spread.low) * (1.0 - u) + math.log(spread.high) * u)
    return spread.low * (1.0 - u) + spread.high * u


def unit_sample(method: Method, count: int, width: int, seed: int) -> NDArray[np.float64]:
    """Return (count, width) numbers 0 <= u < 1."""
    random = np.random.Generator(np.random.PCG64(seed))
    if method is Method.RANDOM:
        return random.random((count, width))
    if method is Method.LATIN_HYPERCUBE:
        slices = np.stack([random.permutation(count) for _ in range(width)], axis=1)
        return (slices + random.random((count, width))) / count
    return sobol(count, width, random.integers(0, 1 << _BITS, size=width, dtype=np.uint64))


def sobol(count: int, width: int, shift: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Return the first points of Sobol's sequence (in Gray code order), shifted digit by digit."""
    out = np.empty((count, width))
    index = np.arange(count, dtype=np.uint64)
    gray = index ^ (index >> np.uint64(1))
    for k in range(width):
        value = np.full(count, shift[k], dtype=np.uint64)
        for bit, direction in enumerate(_directions(k)):
            is_set = (gray >> np.uint64(bit)) & np.uint64(1)
            value ^= is_set * np.uint64(direction)
        out[:, k] = value / float(1 << _BITS)
    return out


def _directions(dimension: int) -> list[int]:
    """Return the direction numbers of a dimension, as fractions of 2^32."""
    inner, first = _DIRECTIONS[dimension]
    degree = len(first)
    if degree == 0:
        return [1 << (_BITS - 1 - k) for k in range(_BITS)]
    found = [m << (_BITS - 1 - k) for k, m in enumerate(first)]
    for k in range(degree, _BITS):
        value = found[k - degree] ^ (found[k - degree] >> degree)
        for j in range(1, degree):
            if inner >> (degree - 1 - j) & 1:
                value ^= found[k - j]
        found.append(value)
    return found


def _zipped(study: Study) -> list[tuple[Value, ...]]:
    """Return the points of parameters whose values belong together one by one."""
    columns = [grid_values(parameter) for parameter in study.conditions.parameters]
    lengths = {len(column) for column in columns}
    if len(lengths) > 1:
        told = ", ".join(
            f"{p.name} {len(c)}" for p, c in zip(study.conditions.parameters, columns, strict=True)
        )
        raise StudyError(
            f"{study.place('sample')}the method list takes the values of all parameters one by one,"
            f" so there must be as many of each: {told}"
        )
    return list(zip(*columns, strict=True)) if columns else [()]


def _check_count(study: Study, points: int) -> None:
    runs = points * max(len(study.seeds), 1)
    if points == 0:
        raise StudyError(f"{study.place('parameters')}there is no point: a parameter has no values")
    if runs > MAX_RUNS:
        raise StudyError(
            f"{study.place('parameters')}these are {runs:,} runs; a study has at most {MAX_RUNS:,}."
            " Take fewer values, or a sample of them"
        )
