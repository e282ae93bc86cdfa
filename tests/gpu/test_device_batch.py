"""Batches on Warp's processor device: the interface of `Batch`, live arrays, masks, snapshots."""

from __future__ import annotations

import numpy as np
import pytest

import solidbody as sb
from solidbody.base.errors import SimulationError
from solidbody.formats.loading import read_scene_text
from solidbody.gpu.device import GpuDeviceError
from solidbody.sim.batch.device_batch import DeviceBatch
from tests.sim.test_batch_channels import ROBOT

pytestmark = pytest.mark.slow  # the first test of a process compiles or loads the kernels

COUNT = 3
SPEEDS = np.array([[1.0, -2.0], [3.0, 3.0], [0.0, 5.0]])
SAME = 1e-10


@pytest.fixture(scope="module")
def scene() -> sb.Scene:
    found, messages = read_scene_text(ROBOT)
    assert found is not None, list(messages)
    return found


@pytest.fixture
def batch(scene: sb.Scene) -> DeviceBatch:
    return sb.Sim(scene).batch(COUNT, device="cpu")


CHANNELS = (
    *("joint.position", "joint.velocity", "joint.effort", "joint.reaction"),
    *(
        "link.pose",
        "link.twist",
        "link.com",
        "sensor.gps",
        "sensor.gps_speed",
        "sensor.gps_velocity",
    ),
    *("sensor.gyro", "sensor.accelerometer", "sensor.compass", "sensor.inertial_unit"),
    *("sensor.altimeter", "sensor.position", "sensor.distance"),
)


@pytest.mark.native
def test_channels_equal_those_of_the_processor(scene: sb.Scene, batch: DeviceBatch) -> None:
    """Every channel that a device has, after every step, in every world."""
    other = sb.Sim(scene).batch(COUNT)
    period = 0.016
    wanted = {
        name: other.bind(name, period=period if name.startswith("sensor") else None)
        for name in CHANNELS
    }
    got = {name: batch.bind(name).numpy() for name in CHANNELS}
    assert all(got[name].shape == wanted[name].shape for name in CHANNELS)
    other.bind("joint.target_velocity")[:] = SPEEDS
    batch.bind("joint.target_velocity").assign(SPEEDS)
    for step in range(20):
        other.step()
        batch.step()
        for name in CHANNELS:
            if name == "sensor.accelerometer" and step == 0:
                continue  # nothing is known before the first step
            scale = max(1.0, float(np.abs(wanted[name]).max()))
            # accelerations are differences of velocities over 16 ms
            room = SAME * scale / (0.016 if name == "sensor.accelerometer" else 1.0)
            assert np.abs(got[name] - wanted[name]).max() <= room, (name, step)


@pytest.mark.native
def test_contact_forces_carry_the_robot(scene: sb.Scene, batch: DeviceBatch) -> None:
    """At rest the forces on all links are the weight."""
    force = batch.bind("link.contact_force", ["cart", "left wheel", "right wheel"]).numpy()
    batch.step(200)
    model = sb.Sim(scene).model
    mass = model.body_mass[model.body_treeid >= 0].sum()
    assert force.sum(axis=1)[:, 2] == pytest.approx(9.81 * mass, rel=1e-3)


def test_bound_arrays_are_the_same_for_the_same_request(batch: DeviceBatch) -> None:
    """And other libraries take them over without a copy."""
    pose = batch.bind("link.pose", "cart")
    assert batch.bind("link.pose", "cart") is pose
    before = np.from_dlpack(pose)
    batch.step(5)
    assert (before == pose.numpy()).all()
    assert pose.shape == (COUNT, 1, 7)


def test_masked_reset(batch: DeviceBatch) -> None:
    """Some worlds go back, the others go on."""
    start = batch.qpos()
    batch.step(10)
    moved = batch.qpos()
    batch.reset([1])
    assert (batch.qpos()[1] == start[1]).all()
    assert (batch.qpos()[[0, 2]] == moved[[0, 2]]).all()
    assert batch.time.tolist() == pytest.approx([0.16, 0.0, 0.16])


def test_steps_of_some_worlds(batch: DeviceBatch) -> None:
    """Those that are not asked for stand still."""
    start = batch.qpos()
    batch.step(3, ids=np.array([True, False, True]))
    assert (batch.qpos()[1] == start[1]).all()
    assert (batch.qpos()[0] != start[0]).any()


def test_results_do_not_depend_on_neighbours(scene: sb.Scene) -> None:
    """The same bytes for any number and order of worlds."""
    one, many = sb.Sim(scene).batch(1, device="cpu"), sb.Sim(scene).batch(5, device="cpu")
    speeds = np.linspace(-3, 3, 10).reshape(5, 2)
    many.bind("joint.target_velocity").assign(speeds)
    many.step(40)
    for k in (0, 3):
        one.reset()
        one.bind("joint.target_velocity").assign(speeds[k : k + 1])
        one.step(40)
        assert one.qpos()[0].tobytes() == many.qpos()[k].tobytes()


def test_a_restored_world_goes_on_the_same(batch: DeviceBatch) -> None:
    """Bit for bit, in another place too."""
    batch.bind("joint.target_velocity").assign(SPEEDS)
    batch.step(20)
    state = batch.snapshot([0])
    batch.step(20)
    wanted = batch.qpos()[0]
    batch.bind("joint.target_velocity").assign(SPEEDS[[0, 1, 0]])
    batch.restore(state, [2])
    batch.step(20)
    assert batch.qpos()[2].tobytes() == wanted.tobytes()


def test_placed_links_and_joints(batch: DeviceBatch) -> None:
    """Where they were put, at once."""
    pose = batch.bind("link.pose", "cart").numpy()
    wanted = np.array([1.0, 2.0, 3.0, np.cos(0.3), 0.0, 0.0, np.sin(0.3)])
    batch.place("link.pose", wanted, "cart", [1])
    assert pose[1, 0] == pytest.approx(wanted)
    angle = batch.bind("joint.position", "left motor").numpy()
    batch.place("joint.position", 0.7, "left motor")
    assert angle[:, 0].tolist() == [0.7] * 3


def test_worlds_that_are_not_finite_are_masked_and_named(batch: DeviceBatch) -> None:
    """The others go on; a reset brings them back."""
    speed = batch.bind("joint.target_velocity")
    bad = SPEEDS.copy()
    bad[1, 0] = np.nan
    speed.assign(bad)
    with pytest.raises(SimulationError, match=r"simulation 1: .*no longer finite"):
        batch.step()
    assert batch.failed.tolist() == [False, True, False]
    assert np.isfinite(batch.qpos()).all()
    speed.assign(SPEEDS)
    batch.reset([1])
    batch.step()
    assert not batch.failed.any()


def test_contacts_beyond_the_room_are_counted(scene: sb.Scene) -> None:
    """Two wheels and a box have more than two points."""
    batch = sb.Sim(scene).batch(1, device="cpu", contacts=2)
    batch.step(100)
    assert batch.stats["lost"][0] > 0


def test_what_devices_cannot_read_is_refused(batch: DeviceBatch) -> None:
    """By name, when it is bound."""
    with pytest.raises(ValueError, match=r"sensors on a device measure at the end"):
        batch.bind("sensor.distance", period=0.1)


def test_there_is_no_such_device(scene: sb.Scene) -> None:
    """What is missing is said, and what to do."""
    with pytest.raises(GpuDeviceError, match="a device is"):
        sb.Sim(scene).batch(1, device="tpu")


@pytest.mark.native
def test_whole_arrays_are_those_of_the_processor(scene: sb.Scene, batch: DeviceBatch) -> None:
    """Poses and velocities of all links, states of all joints."""
    other = sb.Sim(scene).batch(COUNT)
    other.bind("joint.target_velocity")[:] = SPEEDS
    batch.bind("joint.target_velocity").assign(SPEEDS)
    other.step(20)
    batch.step(20)
    for name in ("poses", "velocities", "joint_states"):
        wanted, got = getattr(other, name)(), getattr(batch, name)()
        assert got.shape == wanted.shape
        assert np.abs(got - wanted).max() <= 1e-9, name


def test_resets_give_back_the_commands_of_the_start(batch: DeviceBatch) -> None:
    """As on the processor: what was told is forgotten in the worlds that begin anew."""
    speed = batch.bind("joint.target_velocity")
    start = speed.numpy().copy()
    speed.assign(SPEEDS)
    batch.step(3)
    batch.reset([1], seeds=[7])
    assert (speed.numpy()[1] == start[1]).all()
    assert (speed.numpy()[[0, 2]] == SPEEDS[[0, 2]]).all()


@pytest.mark.parametrize("more", [{"contacts": 0}, {"contacts": 2.5}, {"threads": 2}])
def test_arguments_that_make_no_sense(scene: sb.Scene, more: dict[str, float]) -> None:
    """They are refused before anything is allocated."""
    with pytest.raises(ValueError, match=r"room for contacts|threads"):
        sb.Sim(scene).batch(2, device="cpu", **more)  # type: ignore[call-overload]


def test_too_many_worlds_are_refused(scene: sb.Scene) -> None:
    """With the memory that each of them takes."""
    with pytest.raises(
        GpuDeviceError, match=r"1000000000 worlds of .* KiB each need .*: \d+ worlds fit"
    ):
        sb.Sim(scene).batch(10**9, device="cpu")
