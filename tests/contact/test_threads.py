"""Islands of one step on several threads: same bytes for any number, and none for small scenes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchmarks.scenes import many_robots, mixed_pile, two_wheeled_robot
from solidbody.contact.engine import MOST_THREADS, usual_threads
from solidbody.contact.native import NativeStep
from solidbody.model.scene import Scene
from solidbody.sim import Sim
from solidbody.sim.snapshot import Snapshot

TASKS = Path("/proc/self/task")


def make(scene: Scene, threads: int, speeds: dict[str, float] | None = None) -> Sim:
    """Return a simulation whose motors run."""
    sim = Sim(scene, engine="native", threads=threads)
    for name, speed in (speeds or {}).items():
        sim.joint(name).target_velocity = speed
    return sim


@pytest.mark.slow
@pytest.mark.parametrize("case", ["robots", "pile"])
def test_any_number_of_threads_gives_the_same_bytes(case: str) -> None:
    """State, warm starts and statistics after 60 steps on 1, 2, 4 and 7 threads."""
    scene, speeds, start = (*many_robots(50), 0) if case == "robots" else (mixed_pile(90), {}, 120)
    sims = [make(scene, threads, speeds) for threads in (1, 2, 4, 7)]
    sims[0].step(start)
    state = sims[0].snapshot()
    ends: list[tuple[Snapshot, list[int], float]] = []
    for sim in sims:
        sim.restore(state)
        sim.step(60)
        step = sim.core.step
        counts = [int(step.stats[name][0]) for name in ("islands", "rows", "sweeps", "solves")]
        ends.append((sim.snapshot(), counts, float(step.stats["residual"][0])))
    assert ends[0][1][0] > 10
    assert all(end == ends[0] for end in ends)


@pytest.mark.skipif(not TASKS.is_dir(), reason="counts threads as Linux lists them")
def test_threads_are_started_for_large_scenes_only_and_end_with_them() -> None:
    """A robot starts none; fifty of them start three beside the caller's."""
    before = len(os.listdir(TASKS))
    small = make(two_wheeled_robot(), 4)
    small.step(20)
    assert len(os.listdir(TASKS)) == before
    scene, speeds = many_robots(50)
    large = make(scene, 4, speeds)
    large.step(20)
    assert len(os.listdir(TASKS)) == before + 3
    assert isinstance(large.core.step, NativeStep)
    large.core.step.use_threads(2)
    large.step(1)
    assert len(os.listdir(TASKS)) == before + 1
    del large
    assert len(os.listdir(TASKS)) == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_child_process_starts_threads_of_its_own() -> None:
    """Threads do not survive a fork; the child goes on and gives the same bytes."""
    scene, speeds = many_robots(50)
    sim = make(scene, 2, speeds)
    sim.step(10)
    state = sim.snapshot()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        sim.step(5)
        os.write(writing, sim.snapshot().qpos[:1024])
        os._exit(0)
    os.close(writing)
    told = os.read(reading, 1024)
    os.close(reading)
    assert os.waitpid(child, 0)[1] == 0
    sim.restore(state)
    sim.step(5)
    assert told == sim.snapshot().qpos[:1024]


def test_less_than_one_thread_is_refused() -> None:
    """The text says what is allowed."""
    with pytest.raises(ValueError, match="threads must be at least 1, got 0"):
        make(two_wheeled_robot(), 0)


def test_a_simulation_uses_few_threads_unless_told() -> None:
    """One per processor, four at most."""
    assert 1 <= usual_threads() <= min(MOST_THREADS, os.cpu_count() or 1)
