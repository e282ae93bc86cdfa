"""The motion log: which steps get a row, and how names and numbers are written."""

from __future__ import annotations

import csv
import io

import pytest

from solidbody.record.motion_log import header, row_step


def test_header_quotes_names_as_csv_does() -> None:
    """A reader of CSV gets the names back."""
    line = header(['a "b", c'], ["j"])
    (names,) = csv.reader(io.StringIO(line))
    assert names[0] == "time"
    assert names[1] == 'a "b", c.x'
    assert names[-2:] == ["j.q", "j.dq"]
    assert len(names) == 1 + 13 + 2


def test_every_step_has_a_row_without_a_period() -> None:
    """Row n is step n."""
    assert [row_step(n, None, 0.008) for n in range(4)] == [0, 1, 2, 3]


def test_period_is_met_in_spite_of_rounding() -> None:
    """0.3/0.1 is 2.9999999999999996 in doubles, and still three steps."""
    assert [row_step(n, 0.3, 0.1) for n in range(4)] == [0, 3, 6, 9]
    assert [row_step(n, 0.1, 0.01) for n in range(101)] == list(range(0, 1010, 10))


@pytest.mark.parametrize("period", [0.025, 0.0101])
def test_row_is_the_first_step_not_before_its_time(period: float) -> None:
    """A period that is no multiple of the step."""
    for index in range(200):
        step = row_step(index, period, 0.01)
        assert step * 0.01 >= index * period - 1e-7
        assert (step - 1) * 0.01 < index * period


def test_period_below_the_step_gives_every_step() -> None:
    """There is nothing in between to write."""
    assert [row_step(n, 0.001, 0.01) for n in range(4)] == [0, 1, 2, 3]
