"""Runs without the page keep real time where it is asked for, by the command line or by a supervisor."""

from __future__ import annotations

import math
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

import solidbody as sb
from solidbody.cli import pace
from solidbody.cli.app import app
from solidbody.cli.controllers import FAST, PAUSE, REAL_TIME, ControllerOutcome
from solidbody.cli.pace import Pace
from tests.control.projects import Project, robot

MODES = """
from controller import Supervisor
import time
sup = Supervisor()
print("at first", sup.simulationGetMode())
def timed(mode, milliseconds):
    sup.simulationSetMode(mode)
    sup.step(8)
    began = time.monotonic()
    sup.step(milliseconds)
    return time.monotonic() - began
real = timed(Supervisor.SIMULATION_MODE_REAL_TIME, 400)
fast = timed(Supervisor.SIMULATION_MODE_FAST, 40000)
again = timed(Supervisor.SIMULATION_MODE_REAL_TIME, 400)
print(real > 0.25, fast < 20.0, again > 0.25)
sup.simulationQuit(0)
sup.step(8)
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """An empty project."""
    return Project(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "mode"), [([], 2), (["--mode=realtime"], 1), (["--mode=fast"], 2)]
)
def test_a_supervisor_sets_the_mode_of_a_headless_run(
    project: Project, options: list[str], mode: int
) -> None:
    """And is told the one that the command line asks for."""
    project.controller("modes", MODES)
    world = project.world(robot("modes", fields="supervisor TRUE"))
    result = CliRunner().invoke(app, ["run", "--headless", str(world), *options])
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines() == [f"[robot] at first {mode}", "[robot] True True True"]


@pytest.mark.parametrize(("option", "least"), [("--mode=realtime", 0.4), ("--speed=2", 0.2)])
def test_the_command_line_sets_it_where_nobody_drives(
    project: Project, option: str, least: float
) -> None:
    """The last step takes its time too."""
    world = project.world("")
    began = time.monotonic()
    result = CliRunner().invoke(app, ["run", "--headless", str(world), "--duration=0.4", option])
    assert result.exit_code == 0, result.output
    assert time.monotonic() - began >= least


def test_a_run_that_had_to_wait_does_not_sprint(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten seconds on the clock of a machine without load, of which five were spent waiting."""
    now = 100.0
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        nonlocal now
        now += seconds
        slept.append(seconds)

    monkeypatch.setattr(pace.time, "monotonic", lambda: now)
    monkeypatch.setattr(pace.time, "sleep", sleep)
    sim = sb.Sim(sb.load(project.world("", step_ms=10)))
    speed = 1.0
    sim.attach(Pace(sim, lambda: speed))
    sim.step(101)
    assert sum(slept) == pytest.approx(1.0, abs=0.021)
    now += 5.0
    slept.clear()
    sim.step(100)
    assert sum(slept) == pytest.approx(1.0 - pace.LAG_LIMIT, abs=0.041)
    slept.clear()
    speed = math.inf
    sim.step(1000)
    assert slept == []
    speed = 0.5
    sim.step(101)
    assert sum(slept) == pytest.approx(2.0, abs=0.041)


def test_what_speed_modes_mean(project: Project) -> None:
    """Real time is the factor that was given, or 1."""
    sim, hub = project.start(robot("<none>"))
    outcome = ControllerOutcome(hub=hub)
    speeds: dict[int, list[float]] = {}
    for mode in (PAUSE, REAL_TIME, FAST):
        hub.mode = mode
        speeds[mode] = [outcome.speed(given) for given in (None, 3.0)]
    hub.close()
    assert speeds == {PAUSE: [math.inf, 3.0], REAL_TIME: [1.0, 3.0], FAST: [math.inf, math.inf]}
    assert ControllerOutcome().speed(None) == math.inf
    assert sim.step_count == 0
