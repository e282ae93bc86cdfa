"""The benchmarks run; how fast they are is nobody's test."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import ode_loop
from benchmarks.__main__ import BULLET, COLUMNS, ODE, OURS, QUICK, cell, ratios
from benchmarks.accuracy import State
from benchmarks.cases import BenchScene, bench_scenes
from benchmarks.chart import draw
from benchmarks.scenes import one_box, two_wheeled_robot
from benchmarks.timing import Column, time_scene
from solidbody.base.errors import SimulationError
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


WANTED = (
    *("one box", "two-wheeled robot", "6-joint arm", "30-joint humanoid", "four-bar loop"),
    *("stack of 10", "50 robots", "pile of 30", "pile of 100", "pile of 300", "pile of 1000"),
)


def test_every_scene_is_timed_moving_and_settled() -> None:
    """A free chain never settles; all others are timed in both phases."""
    names = {bench.name for bench in bench_scenes()}
    assert {f"{name}, {phase}" for name in WANTED for phase in ("moving", "settled")} <= names
    assert "chain of 50, moving" in names


def test_a_failure_of_one_engine_is_a_reason_not_the_end() -> None:
    """An engine that cannot go on is left out of further rounds; the others are timed."""

    class Fails:
        def settle(self, steps: int) -> None: ...

        def step(self, steps: int) -> None:
            raise SimulationError("the state is no longer finite", time=1.0)

        def start_from(self, state: State) -> None: ...

        def state(self) -> None: ...

        def remark(self) -> str:
            return ""

        def close(self) -> None: ...

    bench = BenchScene("box", one_box(), settle=1, steps=1)
    columns = (Column("broken", lambda _: Fails()), COLUMNS[0])
    broken, ours = time_scene(bench, columns, rounds=2)
    assert broken.missing == "the state is no longer finite"
    assert not broken.rounds
    assert len(ours.rounds) == 2


def test_the_picture_is_drawn(tmp_path: Path) -> None:
    """One group of bars per scene."""
    bench = BenchScene("box", one_box(), settle=1, steps=1)
    draw(tmp_path / "made" / "bars.png", time_scene(bench, COLUMNS[:2], rounds=1))
    assert (tmp_path / "made" / "bars.png").read_bytes().startswith(b"\x89PNG")
