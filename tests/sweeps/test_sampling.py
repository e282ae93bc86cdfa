"""Points of studies: grids, lists, and samples whose spread is known."""

from __future__ import annotations

import numpy as np
import pytest

from solidbody.sweeps.sampling import MAX_SOBOL, grid_values, points_of, sobol, unit_sample
from solidbody.sweeps.study import Kind, Method, Parameter, Range, Study, StudyError
from solidbody.sweeps.study_file import study_of


def study(
    method: str = "grid", count: int | None = None, seed: int = 0, **parameters: object
) -> Study:
    sample = {"method": method, "seed": seed} | ({"count": count} if count else {})
    tables = {name: {"free": True, **spread} for name, spread in parameters.items()}  # type: ignore[dict-item]
    return study_of({"scene": "x.wbt", "duration": 1, "parameters": tables, "sample": sample})


def test_grid_has_every_combination_last_parameter_first() -> None:
    """The order of nested loops."""
    points = points_of(study(a={"values": [1, 2]}, b={"values": ["x", "y", "z"]}))
    assert points == [(1, "x"), (1, "y"), (1, "z"), (2, "x"), (2, "y"), (2, "z")]


def test_range_in_a_grid_has_its_bounds_exactly() -> None:
    """Also where steps between are not whole."""
    spread = Range(0.1, 0.7, 4)
    values = grid_values(Parameter("a", Kind.FREE, "", spread))
    assert (values[0], values[-1]) == (0.1, 0.7)
    assert values[1:3] == pytest.approx([0.3, 0.5])


def test_logarithmic_range_has_equal_ratios() -> None:
    """1, 10, 100, 1000."""
    values = grid_values(Parameter("a", Kind.FREE, "", Range(1.0, 1000.0, 4, is_log=True)))
    assert list(values) == pytest.approx([1.0, 10.0, 100.0, 1000.0])


def test_whole_numbers_are_not_repeated() -> None:
    """Ten of 1 to 4 are four."""
    values = grid_values(Parameter("a", Kind.FREE, "", Range(1, 4, 10, is_integer=True)))
    assert values == (1, 2, 3, 4)


def test_list_takes_values_one_by_one() -> None:
    """Zipped, not multiplied."""
    assert points_of(study("list", a={"values": [1, 2]}, b={"values": [3, 4]})) == [(1, 3), (2, 4)]
    with pytest.raises(StudyError, match="a 2, b 1"):
        points_of(study("list", a={"values": [1, 2]}, b={"values": [3]}))


@pytest.mark.parametrize("method", ["random", "latin-hypercube", "sobol"])
def test_sample_depends_on_its_seed_alone(method: str) -> None:
    """The same points again, others with another seed."""

    def points(seed: int) -> list[object]:
        return list(points_of(study(method, 16, seed, a={"range": [0, 1]}, b={"range": [-5, 5]})))

    assert points(3) == points(3)
    assert points(3) != points(4)


@pytest.mark.parametrize("method", list(Method)[2:])
def test_sample_stays_within_bounds_and_covers_whole_numbers(method: Method) -> None:
    """Each of five whole numbers about a fifth of the time; bounds are not passed."""
    made = study(
        method.value,
        500,
        a={"range": [1, 5], "integer": True},
        b={"range": [0.01, 100.0], "log": True},
        c={"values": ["x", "y"]},
    )
    points = points_of(made)
    counts = [sum(point[0] == k for point in points) for k in range(1, 6)]
    # of 500 draws of 1/5: 100 +- 9 (one sigma); four sigma
    assert sum(counts) == 500 and all(abs(count - 100) < 36 for count in counts)
    assert all(0.01 <= point[1] <= 100.0 for point in points)
    below = sum(point[1] < 1.0 for point in points)  # the middle of the logarithms
    assert abs(below - 250) < 45
    assert {point[2] for point in points} == {"x", "y"}


def test_latin_hypercube_has_one_point_in_each_slice() -> None:
    """Of every parameter."""
    cube = unit_sample(Method.LATIN_HYPERCUBE, 50, 4, seed=1)
    for column in cube.T:
        assert sorted((column * 50).astype(int)) == list(range(50))


def test_sobol_is_the_published_sequence() -> None:
    """Points 5 and 100 as scipy 1.17 has them: qmc.Sobol(21, scramble=False, bits=32).

    The first 512 points of all dimensions were equal when this was written.
    """
    points = sobol(101, MAX_SOBOL, np.zeros(MAX_SOBOL, dtype=np.uint64))
    assert points[0].tolist() == [0.0] * MAX_SOBOL
    assert points[5, :8].tolist() == [0.875, 0.875, 0.125, 0.375, 0.875, 0.625, 0.875, 0.375]
    expected = [0.8515625, 0.3203125, 0.4921875, 0.6796875]
    expected += [0.7421875, 0.8359375, 0.3359375, 0.7578125]
    assert points[100, 13:].tolist() == expected


@pytest.mark.parametrize("width", [1, 2, MAX_SOBOL])
def test_sobol_fills_every_slice_for_powers_of_two(width: int) -> None:
    """A net: 2^k points have one in each of 2^k slices, also with a digital shift."""
    cube = unit_sample(Method.SOBOL, 64, width, seed=7)
    for column in cube.T:
        assert sorted((column * 64).astype(int)) == list(range(64))


def test_too_many_runs_are_refused_before_they_are_made() -> None:
    """10^30 combinations would not fit anywhere."""
    many = {f"p{k}": {"range": [0, 1], "count": 1000} for k in range(10)}
    with pytest.raises(StudyError, match="at most 100,000"):
        points_of(study(**many))
