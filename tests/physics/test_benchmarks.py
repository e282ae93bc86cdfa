"""The benchmarks run; how fast they are is nobody's test."""

from __future__ import annotations

import pytest

from benchmarks import ode_loop
from benchmarks.__main__ import BULLET, COLUMNS, ODE, OURS, QUICK, cell, ratios
from benchmarks.scenes import BenchScene, bench_scenes, one_box, two_wheeled_robot
from benchmarks.timing import time_scene
from tests.ode.library import OdeUnavailableError

pytestmark = pytest.mark.native


def test_every_engine_times_a_robot() -> None:
    """One short round: positive times, or a reason."""
    speeds = {"left motor": 8.0, "right motor": 8.0}
    bench = BenchScene("robot", two_wheeled_robot(), speeds, settle=5, steps=5, ode_steps=5)
    for timing in time_scene(bench, COLUMNS, rounds=2):
        if timing.missing:
            assert timing.engine in (ODE, QUICK, BULLET)
            assert cell(timing) == "-"
        else:
            assert len(timing.rounds) == 2
            assert 0.0 < timing.best <= timing.median


def test_missing_compiler_is_said_not_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without cc the ODE column is empty and says why."""

    def refuse() -> None:
        raise OdeUnavailableError("no C compiler (cc)")

    monkeypatch.setattr(ode_loop, "load_loop", refuse)
    timings = time_scene(BenchScene("box", one_box(), settle=1, steps=1), COLUMNS, rounds=1)
    by_engine = {timing.engine: timing for timing in timings}
    assert by_engine[ODE].missing == "no C compiler (cc)"
    assert by_engine[OURS].rounds
    assert ratios(timings)[0] == "-"


def test_scenes_have_distinct_names() -> None:
    """Rows of the table can be asked for by name."""
    names = [bench.name for bench in bench_scenes()]
    assert len(set(names)) == len(names)
