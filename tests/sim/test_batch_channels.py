"""Channels of a batch: live arrays over copies, read and commanded by name."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import solidbody as sb
from solidbody.base.errors import NameLookupError, SimulationError
from solidbody.formats.loading import read_scene_text

ROBOT = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 16 }
Solid { translation 0 0 -0.5 name "floor" children [ DEF F Shape { geometry Box { size 10 10 1 } } ]
  boundingObject USE F }
Solid { translation 1 0 0.2 name "box" children [ DEF B Shape { geometry Box { size 0.4 0.4 0.4 } } ]
  boundingObject USE B }
Robot { name "cart" translation 0 0 0.1 children [
 GPS { } Gyro { } Accelerometer { } Compass { } InertialUnit { } Altimeter { }
 DEF S Shape { geometry Box { size 0.2 0.2 0.1 } }
 DistanceSensor { name "ds0" translation 0.11 0 0 lookupTable [0 1000 0, 2 0 0] }
 DistanceSensor { name "ds1" translation 0 0.11 0 rotation 0 0 1 1.57 lookupTable [0 1000 0, 2 0 0] }
 HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 anchor 0 0.12 -0.03 }
   device [ RotationalMotor { name "left motor" maxVelocity 20 } PositionSensor { name "left turn" } ]
   endPoint Solid { name "left wheel" translation 0 0.12 -0.03 rotation 1 0 0 1.5708
     children [ DEF W Shape { geometry Cylinder { radius 0.06 height 0.02 } } ]
     boundingObject USE W physics Physics { } } }
 HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 anchor 0 -0.12 -0.03 }
   device [ RotationalMotor { name "right motor" maxVelocity 20 } PositionSensor { name "right turn" } ]
   endPoint Solid { name "right wheel" translation 0 -0.12 -0.03 rotation 1 0 0 1.5708
     children [ USE W ] boundingObject USE W physics Physics { } } }
 ] boundingObject USE S physics Physics { } }
"""

COUNT = 3
SPEEDS = np.array([[1.0, -2.0], [3.0, 3.0], [0.0, 5.0]])


@pytest.fixture(scope="module")
def scene() -> sb.Scene:
    found, messages = read_scene_text(ROBOT)
    assert found is not None, list(messages)
    return found


def test_channels_say_what_there_is(scene: sb.Scene) -> None:
    """Names, shapes, items and units."""
    channels = sb.Sim(scene).batch(1).channels
    assert channels["joint.position"].items == ("left motor", "right motor")
    assert channels["link.pose"].shape == (5, 7)
    assert channels["sensor.distance"].shape == (2,)
    assert channels["sensor.gps"].unit == "m or degrees"
    assert channels["joint.target_velocity"].writable
    assert not channels["joint.velocity"].writable


def test_unknown_names_get_a_guess(scene: sb.Scene) -> None:
    """Of channels and of items."""
    batch = sb.Sim(scene).batch(1)
    with pytest.raises(NameLookupError, match=r'Did you mean "joint\.velocity"'):
        batch.bind("joint.velocty")
    with pytest.raises(
        NameLookupError, match=r'no joint of joint\.position.*Did you mean "left motor"'
    ):
        batch.bind("joint.position", "left moto")
    with pytest.raises(NameLookupError, match=r"no device of sensor\.distance"):
        batch.bind("sensor.distance", "us*")


def test_items_come_in_the_order_that_was_asked_for(scene: sb.Scene) -> None:
    """Names, patterns and other names of the same joint, each once."""
    batch = sb.Sim(scene).batch(2)
    assert batch.bind("link.pose", ["cart", "* wheel"]).shape == (2, 3, 7)
    both = batch.bind("joint.position", ["right motor", "*"])
    batch.place("joint.position", [0.25], items="left turn")
    assert both.tolist() == [[0.0, 0.25]] * 2
    assert batch.bind("joint.position", ["right motor", "left motor"]) is both


@pytest.mark.slow
def test_what_is_bound_is_what_each_copy_says(scene: sb.Scene) -> None:
    """After steps and a reset of one copy, compared with single simulations."""
    batch = sb.Sim(scene).batch(COUNT)
    speed = batch.bind("joint.target_velocity")
    bound = {
        name: batch.bind(name)
        for name in ("joint.position", "joint.velocity", "joint.effort", "link.pose", "link.twist")
    }
    speed[:] = SPEEDS
    batch.step(30)
    for copy in range(COUNT):
        sim = sb.Sim(scene)
        for name, value in zip(("left motor", "right motor"), SPEEDS[copy], strict=True):
            sim.joint(name).target_velocity = value
        sim.step(30)
        assert bound["joint.position"][copy].tolist() == sim.joint_states()[:, 0].tolist()
        assert bound["joint.velocity"][copy].tolist() == sim.joint_states()[:, 1].tolist()
        assert bound["joint.effort"][copy].tolist() == sim.motor_states["effort"].tolist()
        assert bound["link.pose"][copy].tolist() == sim.poses().tolist()
        assert bound["link.twist"][copy].tolist() == sim.velocities().tolist()
    moved = bound["link.pose"].copy()
    batch.reset(ids=[1])
    assert bound["link.pose"][1].tolist() == sb.Sim(scene).poses().tolist()
    assert bound["link.pose"][[0, 2]].tolist() == moved[[0, 2]].tolist()
    assert batch.time.tolist() == pytest.approx([0.48, 0.0, 0.48])


def test_contact_forces_carry_the_weight(scene: sb.Scene) -> None:
    """At rest: what the wheels and the body get is the weight of the cart."""
    sim = sb.Sim(scene)
    batch = sim.batch(2)
    force = batch.bind("link.contact_force", ["cart", "* wheel"])
    batch.step(200)
    weight = 9.81 * sum(sim.model.body_mass[sim.compiled.binding.body[2:]])
    # resting contacts give way by less than a thousandth of the weight per step
    assert force.sum(axis=1)[:, 2] == pytest.approx([weight] * 2, rel=1e-3)


def test_a_motor_has_one_commander(scene: sb.Scene) -> None:
    """Velocity and position cannot both be bound."""
    batch = sb.Sim(scene).batch(1)
    batch.bind("joint.target_velocity", "left motor")
    with pytest.raises(
        ValueError, match=r'"left motor" is commanded by joint\.target_velocity already'
    ):
        batch.bind("joint.target_position")


def test_bad_arguments_are_named(scene: sb.Scene) -> None:
    """Commands that are no numbers, copies that are not there, shapes that do not fit."""
    batch = sb.Sim(scene).batch(COUNT)
    speed = batch.bind("joint.target_velocity")
    speed[2, 1] = np.nan
    with pytest.raises(
        ValueError, match=r'of "right motor" in copy 2 must be a finite number, got nan'
    ):
        batch.step()
    speed[:] = 0.0
    with pytest.raises(IndexError, match="there is no copy 3: they are 0 to 2"):
        batch.step(ids=[0, 3])
    with pytest.raises(ValueError, match=r"a mask over copies has shape \(3,\)"):
        batch.reset(ids=np.ones(2, dtype=bool))
    with pytest.raises(ValueError, match="whole numbers or a mask"):
        batch.reset(ids=[0.5])
    with pytest.raises(ValueError, match=r"takes values of shape \(3, 2\), got \(3,\)"):
        batch.place("joint.position", [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match=r"link\.com cannot be placed"):
        batch.place("link.com", 0.0)
    with pytest.raises(ValueError, match="3 whole numbers, not negative"):
        batch.reset(seeds=[1, 2])
    with pytest.raises(ValueError, match=r'"raise" or "mask"'):
        batch.step(on_error="ignore")
    with pytest.raises(ValueError, match=r"n must be a whole number, got 1\.5"):
        batch.step(1.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"sensor\.gps: say which items"):
        batch.bind("sensor.gps", [])
    for period in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(ValueError, match="positive and finite"):
            batch.bind("sensor.gps", period=period)
    with pytest.raises(ValueError, match=r"link\.pose is no sensor"):
        batch.bind("link.pose", period=0.1)
    for wrong in ({"threads": 0}, {"threads": 1.5}, {"seed": -1}, {"seed": 2**70}):
        with pytest.raises(ValueError, match=f"{next(iter(wrong))} must be"):
            sb.Sim(scene).batch(2, **wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="count must be a whole number"):
        sb.Sim(scene).batch(1.5)  # type: ignore[arg-type]


def test_copies_that_fail_are_masked(scene: sb.Scene) -> None:
    """The others go on; a reset brings it back."""
    batch = sb.Sim(scene).batch(COUNT)
    batch[1].data.qvel[0] = np.nan
    batch.step(5, on_error="mask")
    assert batch.failed.tolist() == [False, True, False]
    batch.step(5, on_error="mask")
    assert [sim.step_count for sim in batch][0::2] == [10, 10]
    batch.reset(batch.failed)
    assert not batch.failed.any()
    batch.step(5)
    assert batch[1].step_count == 5


def test_a_failure_is_raised_with_its_copy(scene: sb.Scene) -> None:
    """And stays known."""
    batch = sb.Sim(scene).batch(COUNT)
    batch[2].data.qvel[0] = np.nan
    with pytest.raises(SimulationError, match="simulation 2: the state is no longer finite"):
        batch.step(3)
    assert batch.failed.tolist() == [False, False, True]


def test_only_some_copies_go_on(scene: sb.Scene) -> None:
    """By numbers, or by a mask."""
    batch = sb.Sim(scene).batch(COUNT)
    batch.step(4, ids=[2])
    batch.step(1, ids=np.array([True, False, True]))
    assert (batch.time / 0.016).round(6).tolist() == [1.0, 0.0, 5.0]


def test_snapshots_are_of_some_copies_or_all(scene: sb.Scene) -> None:
    """Restoring gives the same bytes again."""
    batch = sb.Sim(scene).batch(COUNT)
    batch.bind("joint.target_velocity")[:] = SPEEDS
    pose = batch.bind("link.pose")
    batch.step(10)
    kept = batch.snapshot()
    batch.step(10)
    later = pose.copy()
    batch.restore(kept)
    batch.step(10)
    assert pose.tobytes() == later.tobytes()
    batch.reset(ids=[0, 2], state=kept[1])
    assert pose[0].tolist() == pose[2].tolist()
    with pytest.raises(ValueError, match="1 copies need as many states, got 3"):
        batch.reset(ids=[0], state=kept)
    batch.reset(ids=[True, False, True], state=kept[[True, False, True]])
    assert pose[2].tolist() != pose[0].tolist()
    assert (len(kept[1:]), kept[-1].step_count) == (2, 10)


def test_snapshots_travel_and_batches_say_what_does(scene: sb.Scene) -> None:
    """A pickled snapshot goes on in another batch, without the batch that it came from."""
    batch = sb.Sim(scene).batch(COUNT)
    batch.bind("joint.target_velocity")[:] = SPEEDS
    pose = batch.bind("link.pose")
    batch.step(5)
    kept, now = pickle.dumps(batch.snapshot()), pose.copy()
    with pytest.raises(TypeError, match="pickle its Sim, and its snapshot"):
        pickle.dumps(batch)
    other = sb.Sim(scene).batch(COUNT)
    found = other.bind("link.pose")
    other.restore(pickle.loads(kept))
    assert found.tobytes() == now.tobytes()


def test_values_come_in_the_order_of_the_copies_that_are_named(scene: sb.Scene) -> None:
    """Also where these are not in order: places, constants, seeds and states."""
    batch = sb.Sim(scene).batch(COUNT)
    pose, gps = batch.bind("link.pose", "cart"), batch.bind("sensor.gps")
    batch.vary("sensor.noise", 0.1, "gps")
    wanted = [[[x, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0]] for x in (7.0, 8.0)]
    batch.place("link.pose", wanted, "cart", ids=[2, 0])
    assert pose[:, 0, 0].tolist() == [8.0, 0.0, 7.0]
    batch.vary("link.mass", [[5.0], [6.0]], "cart", ids=[2, 0])
    assert batch.constants("link.mass", "cart")[[2, 0], 0].tolist() == [5.0, 6.0]
    kept = batch.snapshot(ids=[2, 0])
    batch.reset()
    batch.reset(ids=[0, 2], state=kept)
    assert pose[:, 0, 0].tolist() == [7.0, 0.0, 8.0]
    batch.reset(ids=[2, 0], seeds=[4, 5])
    one = gps.copy()
    batch.reset(ids=[0, 2], seeds=[5, 4])
    assert gps.tolist() == one.tolist() and gps[0].tolist() != gps[2].tolist()


def test_a_sensor_has_the_period_that_was_asked_for_last(scene: sb.Scene) -> None:
    """Binding again says how often; without a period it changes nothing."""
    batch = sb.Sim(scene).batch(1)
    batch.bind("joint.target_velocity")[:] = 5.0
    gps = batch.bind("sensor.gps")
    assert batch.bind("sensor.gps", period=0.064) is gps is batch.bind("sensor.gps")
    seen = []
    for _ in range(8):
        batch.step()
        seen.append(gps[0, 0, 2])
    assert len(set(seen)) == 3  # before, and at the fourth and eighth step


def test_lists_of_names_are_tables(scene: sb.Scene) -> None:
    """One line for each channel or variable, with its unit."""
    batch = sb.Sim(scene).batch(2)
    lines = repr(batch.channels).splitlines()
    assert len(lines) == len(batch.channels)
    assert any(line.startswith("joint.velocity ") and "[rad/s or m/s]" in line for line in lines)
    assert "link.mass" in repr(batch.variables)
    batch.bind("link.pose")
    assert repr(batch).startswith("<Batch of 2 copies, ") and repr(batch).endswith("link.pose>")
