"""Motion beside that of Choreonoid's own AIST simulator, logged with its libraries at 1 ms.

Each run is written as a project and read back, so files, units, materials and the mapping of contacts all
take part. The reference prints twelve digits.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from solidbody.sim import Sim
from tests.physics import choreonoid_runs
from tests.physics.choreonoid_runs import REFERENCE, NotHereError, Run

pytestmark = pytest.mark.skipif(not REFERENCE.is_dir(), reason="the reference runs are not here")


def prepared(name: str, folder: Path, *, until: float) -> tuple[Sim, list[dict[str, str]]]:
    """Return the simulation of a reference scene, and the rows of the reference up to a time."""
    try:
        return choreonoid_runs.prepared(name, folder, until=until)
    except NotHereError as error:
        pytest.skip(str(error))


def repeat(name: str, folder: Path, *, until: float = math.inf) -> Run:
    """Run a reference scene again, from its description."""
    try:
        return choreonoid_runs.repeat(name, folder, until=until)
    except NotHereError as error:
        pytest.skip(str(error))


def test_a_falling_cube_falls_as_there(tmp_path: Path) -> None:
    """Semi-implicit Euler is exact for it: only the printed digits are left."""
    run = repeat("free_fall_cube", tmp_path)
    assert np.abs(run.ours - run.theirs).max() < 1e-10


def test_a_double_pendulum_swings_as_there(tmp_path: Path) -> None:
    """Joints, masses and rotor inertia; two seconds, before it becomes chaotic."""
    run = repeat("pendulum_euler", tmp_path, until=2.0)
    assert np.abs(run.our_joints - run.their_joints).max() < 1e-9
    assert np.abs(run.our_joints - run.our_joints[0]).max() > 1.0  # it does swing


def test_a_double_pendulum_swings_as_there_by_runge_and_kutta(tmp_path: Path) -> None:
    """The same by the other rule: fourth order for chains on a fixed base, the same stages."""
    run = repeat("pendulum_rk", tmp_path, until=2.0)
    assert np.abs(run.our_joints - run.their_joints).max() < 1e-9
    assert np.abs(run.our_joints - run.our_joints[0]).max() > 1.0  # it does swing


def test_a_dropped_cube_sinks_in_and_rises_as_there(tmp_path: Path) -> None:
    """The push-out law step by step: the original's ten sweeps leave 1e-3 of a force, 1.3 um here."""
    run = repeat("cube_drop", tmp_path)
    assert np.abs(run.ours - run.theirs).max() < 1e-5
    assert run.ours[-1, 0, 2] == pytest.approx(0.04972, abs=1e-5)


def test_a_cube_sticks_on_a_slope_as_there(tmp_path: Path) -> None:
    """tan 20 degrees = 0.364 is below 0.5; the original creeps by its unfinished sweeps, we do not."""
    run = repeat("cube_slope20", tmp_path)
    assert np.abs(run.ours - run.theirs).max() < 2e-5
    late = run.times > 0.5
    along = np.array([math.cos(math.radians(20)), 0.0, -math.sin(math.radians(20))])
    speed = np.diff(run.ours[late, 0] @ along) / np.diff(run.times[late])
    assert np.abs(speed).max() < 1e-5  # a tenth of what counts as sliding


def test_a_stack_comes_to_rest_as_there(tmp_path: Path) -> None:
    """Five cubes, each deeper by the rest depth.

    In the original the four upper contacts still have depths from 0.04 to 0.27 mm after 2 s: edges that
    coincide give it other points in each step. So five contacts may differ by 0.1 mm each.
    """
    run = repeat("cube_stack5", tmp_path)
    heights = run.ours[-1, :, 2]
    assert np.abs(heights - run.theirs[-1, :, 2]).max() < 5e-4
    expected = [0.05 + 0.1 * k - 0.00025 * (k + 1) for k in range(5)]
    assert heights == pytest.approx(
        expected, abs=2e-6
    )  # exp(-5/s * 2 s) of the first 0.25 mm: 1e-8


def test_a_closed_loop_stays_as_there(tmp_path: Path) -> None:
    """At its equilibrium, although its two anchors are 4 cm apart along the hinge."""
    run = repeat("closed_link", tmp_path)
    assert np.abs(run.our_joints - run.their_joints).max() < 1e-6


def test_a_humanoid_collapses_as_there(tmp_path: Path) -> None:
    """SR1 without torque for half a second: 29 joints, eight foot contacts with friction 1."""
    run = repeat("sr1_fall", tmp_path, until=0.5)
    # the original's error per step of 1e-3 of the contact forces grows as the legs fold
    assert np.abs(run.ours - run.theirs).max() < 1e-3
    assert np.abs(run.our_joints - run.their_joints).max() < 2e-3
    assert run.ours[-1, 0, 2] < 0.5 < run.ours[0, 0, 2]


def test_a_crawler_speeds_up_and_runs_as_there(tmp_path: Path) -> None:
    """Both tracks at 1.5 m/s from the second step: slipping at first, then at the belts' speed.

    It starts just touching: rounding decides whether the first step, before the tracks run, has contacts.
    That is one step of friction, mu*g*h = 4.9 mm/s, more or less for the 0.3 s of slipping.
    """
    sim, rows = prepared("crawler_straight", tmp_path, until=1.0)
    root = next(
        link.name
        for found in sim.scene.bodies
        for link in found.links[:1]
        if found.name == "Crawler"
    )
    for row in rows:
        while sim.stats.steps < round(float(row["time"]) / 0.001):
            sim.step()
            for name in ("CRAWLER_TRACK_L", "CRAWLER_TRACK_R"):
                sim.joint(name).target_velocity = 1.5
        place = [float(row[f"Crawler.p{a}"]) for a in "xyz"]
        off = np.abs(sim[root].position - place)
        assert off[0] < 0.0049 * 0.3
        assert off[1:].max() < 2e-5
    assert sim[root].linear_velocity[0] == pytest.approx(1.5, abs=1e-5)


@pytest.mark.slow
def test_a_humanoid_stands_and_feels_as_there(tmp_path: Path) -> None:
    """SR1 held by the sample controller's PD: motion to micrometres, ankle forces, acceleration.

    Its output acts one step after the state that it was computed from.
    """
    sim, rows = prepared("sr1_stand", tmp_path, until=0.5)
    names = [column.split(".")[1] for column in rows[0] if column.endswith(".q")]
    joints = [sim.joint(name) for name in names]
    wanted = np.array([joint.position for joint in joints])
    # arms 3000, legs and trunk 8000, all with 100 (the controller's file)
    stiffness = np.array([3000.0 if "ARM" in name else 8000.0 for name in names])
    left, right = sim.device("LeftAnkleForceSensor"), sim.device("RightAnkleForceSensor")
    acceleration, gyro = sim.device("WaistAccelSensor"), sim.device("WaistGyro")
    before, effort = wanted, np.zeros(len(names))
    for row in rows:
        for _ in range(round(float(row["time"]) / 0.001) - sim.stats.steps):
            now = np.array([joint.position for joint in joints])
            following = stiffness * (wanted - now) - 100.0 * (now - before) / 0.001
            for joint, value in zip(joints, effort.tolist(), strict=True):
                joint.effort = value
            sim.step()
            before, effort = now, following
        place = [float(row[f"SR1.p{a}"]) for a in "xyz"]
        root = sim.poses()[[link.name for link in sim.scene.links()].index("WAIST"), :3]
        assert np.abs(root - place).max() < 1e-5
    last = rows[-1]

    def logged(sensor: str, quantity: str) -> list[float]:
        return [float(last[f"SR1.{sensor}.{quantity}{a}"]) for a in "xyz"]

    # the original's contact forces are good to 1e-3: half a newton of 620, 0.01 m/s^2 of g
    assert np.abs(left.value[:3] - logged("LeftAnkleForceSensor", "f")).max() < 0.6
    assert np.abs(right.value[:3] - logged("RightAnkleForceSensor", "f")).max() < 0.6
    assert np.abs(acceleration.value - logged("WaistAccelSensor", "a")).max() < 0.01
    assert np.abs(gyro.value - logged("WaistGyro", "w")).max() < 1e-4
    assert acceleration.value[2] > 9.0  # upwards at rest
    assert left.value[2] > 500.0  # the ground pushes up
