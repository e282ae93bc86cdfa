"""Steps come due at the wanted factor of real time, whatever the clock does."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solidbody.viewer.pacing import FRAME_PERIOD, LAG_LIMIT, Pacer, RateMeter


def run(pacer: Pacer, *, seconds: float, wake_period: float, step_cost: float = 0.0) -> int:
    """Let a pacer run against a clock that only moves by waking and stepping; return the steps."""
    now, total = 100.0, 0
    pacer.restart(now, speed=pacer.speed)
    while now < 100.0 + seconds:
        steps = pacer.due(now)
        if steps > 0:
            pacer.count(steps, steps * step_cost)
            total += steps
        now += max(wake_period, steps * step_cost)
    return total


@given(
    speed=st.sampled_from([0.1, 0.5, 1.0, 3.0]),
    time_step=st.sampled_from([0.001, 0.008, 0.032]),
    wake_period=st.floats(0.001, 0.05),
)
def test_simulated_time_follows_the_wall_clock(
    speed: float, time_step: float, wake_period: float
) -> None:
    """After 3 s the steps taken are those due, but for the last wake and the limit per frame."""
    pacer = Pacer(time_step, speed, cost=1e-6)
    total = run(pacer, seconds=3.0, wake_period=wake_period, step_cost=1e-6)
    assert total * time_step == pytest.approx(
        3.0 * speed, abs=2 * (time_step + speed * wake_period)
    )


def test_a_slow_simulation_falls_behind_without_debt() -> None:
    """Half as fast as wanted, it runs at half speed and owes no more than the lag limit."""
    pacer = Pacer(0.01, 1.0)
    total = run(pacer, seconds=4.0, wake_period=0.001, step_cost=0.02)
    assert total == pytest.approx(200, abs=5)
    behind = 104.0 - pacer.scheduled
    assert behind <= LAG_LIMIT + 0.05


def test_at_full_speed_a_batch_fills_a_frame() -> None:
    """Batches are as long as a frame: long enough to be efficient, short enough to obey."""
    pacer = Pacer(0.01, math.inf, cost=1e-4)
    assert pacer.due(0.0) == int(FRAME_PERIOD / 1e-4)
    assert pacer.wait(0.0) == 0.0


def test_the_first_batch_is_one_step() -> None:
    """Nobody knows yet what a step costs."""
    assert Pacer(0.01, math.inf).due(0.0) == 1


def test_the_rate_is_measured_over_the_last_second() -> None:
    """A change of speed shows in full after the window."""
    meter = RateMeter()
    for i in range(200):
        meter.add(i * 0.01, i * 0.02)
    rate = 0.0
    for i in range(200, 330):
        rate = meter.add(i * 0.01, 4.0 + (i - 200) * 0.005)
    assert rate == pytest.approx(0.5, rel=1e-6)
