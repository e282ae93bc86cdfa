"""Many copies at once: the same as one after the other, for any number of threads."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import solidbody as sb
from solidbody.base.errors import SimulationError
from solidbody.formats.loading import read_scene_text

EXAMPLES = Path(__file__).parents[2] / "examples"
COUNT = 6


@pytest.fixture(scope="module")
def robot() -> sb.Scene:
    return sb.load(EXAMPLES / "robot.wbt")


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2, 5, 64])
def test_a_batch_is_what_single_simulations_are(robot: sb.Scene, threads: int) -> None:
    """Bit for bit, with other commands in each copy."""
    speeds = np.linspace(-3.0, 3.0, COUNT)
    sim = sb.Sim(robot)
    batch = sim.batch(COUNT, threads=threads)
    batch.joint("left motor").target_velocity = speeds
    batch.joint("right motor").target_velocity = 2.0
    batch.step(60)
    batch.step(40)
    for number, speed in enumerate(speeds):
        sim.reset()
        sim.joint("left motor").target_velocity = speed
        sim.joint("right motor").target_velocity = 2.0
        sim.step(100)
        assert sim.data.qpos.tobytes() == batch.qpos()[number].tobytes()
        assert sim.time == batch[number].time


def test_copies_begin_at_the_start_whatever_the_original_did(robot: sb.Scene) -> None:
    """Commands and motion of the original stay its own."""
    sim = sb.Sim(robot)
    fresh = sim.poses()
    sim.joint("left motor").target_velocity = 3.0
    sim.step(50)
    moved = sim.poses()
    copy = sim.copy()
    assert copy.poses().tobytes() == fresh.tobytes()
    assert sim.poses().tobytes() == moved.tobytes()
    assert sim.joint("left motor").target_velocity == 3.0
    assert copy.joint("left motor").target_velocity != 3.0
    copy.step(10)
    assert sim.poses().tobytes() == moved.tobytes()


def test_what_is_read_has_one_row_per_copy(robot: sb.Scene) -> None:
    """Poses, velocities, joints and handles."""
    sim = sb.Sim(robot)
    batch = sim.batch(3)
    links, axes = len(sim.link_names), len(sim.joint_names)
    assert batch.poses().shape == (3, links, 7)
    assert batch.velocities().shape == (3, links, 6)
    assert batch.joint_states().shape == (3, axes, 2)
    assert batch.joint("left motor").position.shape == (3,)
    assert batch.link(sim.link_names[0]).position.shape == (3, 3)
    assert batch.map(lambda one: one.step_count) == [0, 0, 0]


def test_a_failure_names_the_copy(robot: sb.Scene) -> None:
    """The others have gone on."""
    batch = sb.Sim(robot).batch(3)
    batch[1].data.qvel[0] = np.nan
    with pytest.raises(SimulationError, match="simulation 1: the state is no longer finite"):
        batch.step(5)
    assert [sim.step_count for sim in batch][0::2] == [5, 5]


def test_devices_are_sampled_in_a_batch_too() -> None:
    """Copies with devices that are on are stepped one by one."""
    text = """#VRML_SIM R2025a utf8
    Robot { translation 0 0 1 children [ GPS { } ] boundingObject Sphere { }
      physics Physics { density -1 mass 1 } }"""
    scene, _ = read_scene_text(text)
    assert scene is not None
    batch = sb.Sim(scene).batch(2)
    batch[1].device("gps").enable()
    batch.step(3)
    assert batch[1].device("gps").value[2] < 1.0
    assert batch[0].step_count == batch[1].step_count == 3


def test_an_empty_batch_is_refused(robot: sb.Scene) -> None:
    """With the number that was asked for."""
    with pytest.raises(ValueError, match="at least one simulation, got 0"):
        sb.Sim(robot).batch(0)
