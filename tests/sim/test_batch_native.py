"""What native code does with the copies of a batch is what one simulation after the other does."""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path

import numpy as np
import pytest

import solidbody as sb
from benchmarks.scenes import four_bar, humanoid, six_joint_arm, two_wheeled_robot
from solidbody.formats.loading import read_scene_text
from solidbody.model.joints import JointFree
from solidbody.sim.batch import serial
from solidbody.sim.batch.batch import Batch
from solidbody.sim.batch.channels import STATE_OF
from solidbody.sim.step_hook import StepHook

EXAMPLES = Path(__file__).parents[2] / "examples"

COUPLED = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 gravity 0 }
Robot { name "pair" children [
 HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 }
   device [ RotationalMotor { name "jaw" maxVelocity 3 minPosition -0.5 maxPosition 0.75 maxTorque 4 } ]
   endPoint Solid { name "a" physics Physics { mass 1 } boundingObject Sphere { radius 0.05 } } }
 HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 anchor 1 0 0 }
   device [ RotationalMotor { name "jaw::back" multiplier -1.5 maxVelocity 2 minPosition -1 maxPosition 1
            maxTorque 3 } ]
   endPoint Solid { name "b" translation 1 0 0 physics Physics { mass 1 }
     boundingObject Sphere { radius 0.05 } } }
 SliderJoint { jointParameters JointParameters { axis 1 0 0 }
   device [ LinearMotor { name "free" maxVelocity 1 } ]
   endPoint Solid { name "c" translation 0 2 0 physics Physics { mass 2 }
     boundingObject Sphere { radius 0.05 } } }
 ] }
"""

KINEMATIC = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 16 }
Robot { name "mast" translation 0 0 1 children [
 HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 anchor 0.1 0 0 }
   device [ RotationalMotor { name "turn" } ]
   endPoint Solid { name "arm" translation 0.2 0 0 children [
     SliderJoint { jointParameters JointParameters { axis 1 0 0 }
       device [ LinearMotor { name "reach" } ]
       endPoint Solid { name "hand" translation 0.5 0 0.1 } } ] } } ] }
Robot { name "ball" translation 3 0 1 children [
 BallJoint { jointParameters BallJointParameters { anchor 0 0 -0.2 }
   device [ RotationalMotor { name "roll" } ] device2 [ RotationalMotor { name "pitch" } ]
   endPoint Solid { name "bob" translation 0 0 -0.4 physics Physics { mass 1 }
     boundingObject Sphere { radius 0.1 } } } ] }
"""


def scene_of(text: str) -> sb.Scene:
    """Return the scene of a world."""
    found, messages = read_scene_text(text)
    assert found is not None, list(messages)
    return found


MADE = {
    "coupled": lambda: scene_of(COUPLED),
    "kinematic": lambda: scene_of(KINEMATIC),
    "robot": two_wheeled_robot,
    "arm": six_joint_arm,
    "loop": lambda: four_bar()[0],
}


def commands_of(sim: sb.Sim) -> bytes:
    """Return what the motors are told, but for what tells them nothing."""
    return sim.state.commands.tobytes()


@pytest.mark.parametrize("mode", ["target_velocity", "target_position", "target_effort"])
@pytest.mark.parametrize("name", ["coupled", "kinematic", "arm"])
def test_the_law_of_commands_is_that_of_the_writer(name: str, mode: str) -> None:
    """Multipliers, limits and modes: random commands, beyond all limits, in the order of binding."""
    random = np.random.default_rng(5)
    batch = sb.Sim(MADE[name]()).batch(4)
    told = batch.bind(f"joint.{mode}")
    singles = [sb.Sim(MADE[name]()) for _ in range(len(batch))]
    rows = batch.channels[f"joint.{mode}"].rows
    value_of = STATE_OF[f"joint.{mode}"].mode
    assert value_of is not None
    for _ in range(5):
        told[:] = random.normal(scale=3.0, size=told.shape)
        batch.step(2)
        for copy, sim in enumerate(singles):
            for column, row in enumerate(rows):
                serial.COMMANDS[value_of](sim, row, told[copy, column])
            sim.step(2)
            assert commands_of(batch[copy]) == commands_of(sim)
            assert batch[copy].data.qvel.tobytes() == sim.data.qvel.tobytes()


@pytest.mark.parametrize("name", sorted(MADE))
def test_channels_are_what_each_copy_reads(name: str) -> None:
    """All channels of the state, after motion and after a reset."""
    batch = sb.Sim(MADE[name]()).batch(3)
    names = [c for c in batch.channels if not batch.channels[c].writable and c in STATE_OF]
    arrays = {name: batch.bind(name) for name in names}
    velocity = batch.bind("joint.target_velocity")
    velocity[:] = np.linspace(-2.0, 2.0, velocity.size).reshape(velocity.shape)
    batch.step(25)
    _compare(batch, arrays)
    batch.reset([1])
    _compare(batch, arrays)


def _compare(batch: Batch, arrays: dict[str, np.ndarray]) -> None:
    for name, array in arrays.items():
        channel = batch.channels[name]
        for copy in range(len(batch)):
            places = range(len(channel.items))
            wanted = serial.read_channel(batch[copy], channel, list(places))
            # products of matrices sum in another order in BLAS
            assert array[copy] == pytest.approx(wanted, rel=1e-12, abs=1e-13), name


def states(batch: Batch) -> list[bytes]:
    """Return the whole state of each copy."""
    return [batch.snapshot([copy])[0].to_bytes() for copy in range(len(batch))]


@pytest.mark.parametrize("threads", [1, 3, 16])
def test_threads_order_and_subsets_change_no_byte(threads: int) -> None:
    """The same steps: all at once on one thread; in turns of some copies on several."""
    scene = humanoid()[0]
    one, other = sb.Sim(scene).batch(5, threads=1), sb.Sim(scene).batch(5, threads=threads)
    for batch in (one, other):
        batch.bind("joint.target_velocity")[:] = np.linspace(-1, 1, 5)[:, None]
    one.step(12)
    other.step(4)
    for ids in ([4, 1], [0], np.array([False, False, True, True, False])):
        other.step(3, ids)
    for ids in ([3, 2, 0], [1, 4]):
        other.step(5, ids)
    assert states(one) == states(other)
    one.reset([1, 3])
    other.reset([3])
    other.reset([1])
    assert states(one) == states(other)


@pytest.mark.parametrize("name", ["joint.position", "joint.velocity", "link.pose", "link.twist"])
def test_placing_is_what_handles_do(name: str) -> None:
    """Of joints and of a free link."""
    random = np.random.default_rng(2)
    batch = sb.Sim(two_wheeled_robot()).batch(3)
    batch.step(5)
    items = batch.channels[name].items[-1:]
    values = random.normal(size=(2, 1, *batch.channels[name].each))
    if name == "link.pose":
        links = range(len(batch[0].link_names))
        root = next(k for k in links if isinstance(batch[0].link_model(k).joint, JointFree))
        items = batch.channels[name].items[root : root + 1]
        values[..., 3:] /= np.linalg.norm(values[..., 3:], axis=-1, keepdims=True)
    sims = [sb.Sim(two_wheeled_robot()) for _ in range(3)]
    (row,) = (batch.channels[name].rows[batch.channels[name].items.index(item)] for item in items)
    for sim in sims:
        sim.step(5)
    batch.place(name, values, items, ids=[0, 2])
    for sim, value in zip((sims[0], sims[2]), values[:, 0], strict=True):
        serial.PLACED[name](sim, row, value)
    for copy, sim in enumerate(sims):
        assert batch[copy].poses() == pytest.approx(sim.poses(), abs=1e-12)
        assert batch[copy].velocities() == pytest.approx(sim.velocities(), abs=1e-12)


def test_snapshots_go_on_in_single_simulations() -> None:
    """And theirs in copies."""
    scene = sb.load(EXAMPLES / "robot.wbt")
    sim = sb.Sim(scene)
    batch = sim.batch(2)
    batch.bind("joint.target_velocity")[:] = [[1.0, 2.0], [3.0, -1.0]]
    batch.step(20)
    sim.restore(batch.snapshot()[1])
    sim.step(10)
    batch.step(10)
    assert sim.snapshot().to_bytes() == batch.snapshot([1])[0].to_bytes()
    batch.reset([0], state=sim.snapshot())
    assert batch.time[0] == sim.time
    assert batch[0].data.qpos.tobytes() == sim.data.qpos.tobytes()


def test_a_copy_that_fails_keeps_what_mujoco_said_and_comes_back() -> None:
    """Also when nothing but a reset is done."""
    batch = sb.Sim(two_wheeled_robot()).batch(3)
    speed = batch.bind("joint.target_velocity")
    speed[:] = 1.0
    batch[1].data.qvel[:] = np.inf
    batch.step(3, on_error="mask")
    assert batch.failed.tolist() == [False, True, False]
    batch.reset(batch.failed)
    speed[:] = 1.0
    batch.step(6, ids=[1])
    batch.step(3, ids=[0, 2])
    assert states(batch)[0] == states(batch)[1] == states(batch)[2]


class Counter(StepHook):
    """Counts steps one by one."""

    def __init__(self) -> None:
        self.steps = 0

    def before_steps(self) -> None:
        """Nothing to do."""

    def steps_until_due(self) -> int:
        """Each."""
        return 1

    def reset(self) -> None:
        """Begin anew."""
        self.steps = 0

    def after_steps(self) -> None:
        """Count."""
        self.steps += 1


@pytest.mark.skipif(sys.platform != "linux", reason="memory is given back on Linux")
def test_copies_give_back_what_nobody_writes() -> None:
    """Copies of a small robot take 0.07 MB each.

    0.28 more with Python's objects for MuJoCo's statistics of its solver, 0.16 with the memory for these.
    """
    sim = sb.Sim(MADE["robot"]())
    sim.batch(2).step()
    gc.collect()
    before = int(Path("/proc/self/statm").read_text().split()[1])
    batch = sim.batch(100)
    batch.step(2)
    pages = int(Path("/proc/self/statm").read_text().split()[1]) - before
    assert pages * os.sysconf("SC_PAGE_SIZE") / len(batch) < 0.15e6
    assert not batch[7].data.solver.improvement.any()


@pytest.mark.parametrize("name", sorted(MADE))
def test_copies_that_are_looked_at_go_on_as_they_would(name: str) -> None:
    """MuJoCo's state of a copy becomes an object of Python when somebody asks for it, amid a run."""
    sim = sb.Sim(MADE[name]())
    looked, plain = sim.batch(3), sim.batch(3)
    for batch in (looked, plain):
        batch.bind("joint.target_velocity")[:] = 1.5
        batch.step(7)
    contacts = looked[1].data.ncon
    assert contacts == looked[1].data.contact.pos.shape[0]
    assert looked[1].data.qpos.tobytes() == plain.qpos()[1].tobytes()
    for batch in (looked, plain):
        batch.step(7)
        batch.reset([2])
        batch.step(2)
    assert looked.snapshot()[1].to_bytes() == plain.snapshot()[1].to_bytes()
    assert states(looked) == states(plain)


def test_what_goes_along_with_one_copy_is_called() -> None:
    """The steps of that copy are done one by one; the others stay together, and all move as before."""
    scene = sb.load(EXAMPLES / "robot.wbt")
    plain, batch = sb.Sim(scene).batch(2), sb.Sim(scene).batch(2)
    pose = batch.bind("link.pose")
    for some in (plain, batch):
        some.bind("joint.target_velocity")[:] = 2.0
    counter = Counter()
    batch[1].attach(counter)
    plain.step(8)
    batch.step(8)
    assert counter.steps == 8
    assert states(plain) == states(batch)
    # products of matrices sum in another order in BLAS
    assert pose[1] == pytest.approx(batch[1].poses(), rel=1e-12, abs=1e-13)
