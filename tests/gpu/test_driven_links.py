"""Links without physics that move, and propellers: the kernels against the native step."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from solidbody.base.transforms import Pose
from solidbody.gpu.coverage import NotOnDevice
from solidbody.model.devices import DeviceAccelerometer, DeviceGps, DevicePropeller
from solidbody.model.geometry import GeometryBox, GeometrySphere
from solidbody.model.joints import JointAxis, JointFixed, JointHinge, JointHinge2, JointSlider
from solidbody.model.links import Body, Link, Motion
from solidbody.model.motors import ControlMode, Motor, PositionSensor
from solidbody.model.scene import MoveRule, Scene, Sleeping
from solidbody.sim import Sim
from solidbody.sim.batch.device_batch import DeviceBatch
from tests.gpu.comparing import DEVICE, SAME, compare
from tests.physics import building as b
from tests.physics.twins import Twin

pytestmark = pytest.mark.slow  # the first test of a process compiles or loads the kernels

PLATE = GeometryBox((0.4, 0.4, 0.1))


def motor(name: str, **changes: object) -> Motor:
    """A strong motor in velocity control."""
    values = {"max_velocity": 50.0, "max_effort": math.inf, "mode": ControlMode.VELOCITY}
    return Motor(name, **(values | changes))  # type: ignore[arg-type]


def part(name: str, joint: JointHinge | JointHinge2 | JointSlider, at: Pose, parent: int) -> Link:
    """A plate without physics."""
    shapes = (b.collider(PLATE),)
    return Link(
        name, name, pose=at, parent=parent, joint=joint, motion=Motion.KINEMATIC, shapes=shapes
    )


def base() -> Link:
    """What carries the others, turned and off the origin."""
    pose = Pose((0.1, -0.2, 0.0), b.turned((0.0, 0.0, 1.0), 0.3))
    return Link("base", "base", pose=pose, joint=JointFixed(), motion=Motion.KINEMATIC)


def lift() -> Scene:
    """A lift with a table that turns and tilts on it, and balls on both."""
    up = JointSlider("lift", JointAxis((0, 0, 1), motor=motor("up")))
    axes = (
        JointAxis((0, 0, 1), motor=motor("turn", acceleration=3.0)),
        JointAxis((1, 0, 0), motor=motor("tilt", max_effort=2.0, range=(-0.2, 0.1))),
    )
    table = JointHinge2("table", *axes, anchor=(0.1, 0.0, 0.0))
    links = (
        base(),
        part("plate", up, Pose(), 0),
        part("top", table, Pose((0.6, 0.0, 0.2)), 1),
    )
    balls = [
        b.free_body(name, GeometrySphere(0.1), at=at)
        for name, at in (("one", (0.1, -0.2, 0.149)), ("two", (0.7, 0.0, 0.349)))
    ]
    return b.scene(Body("machine", links), *balls)


def ridden() -> Scene:
    """A box that falls onto a floor with a part without physics that turns on it."""
    joint = JointHinge("neck", JointAxis((0, 0, 1), motor=motor("neck")))
    body = b.free_link("body", GeometryBox((0.2, 0.2, 0.2)), at=(0, 0, 0.2))
    head = part("head", joint, Pose((0.3, 0.0, 0.1)), 0)
    return b.scene(b.floor(), Body("r", (body, head)))


def thrown() -> Scene:
    """A plate without physics that flies and turns under a ball."""
    link = Link(
        "plate",
        "plate",
        joint=JointFixed(),
        motion=Motion.KINEMATIC,
        shapes=(b.collider(PLATE),),
        linear_velocity=(0.1, 0.0, 0.3),
        angular_velocity=(0.0, 0.4, 0.2),
    )
    ball = b.free_body("ball", GeometrySphere(0.1), at=(0.05, 0.0, 0.149))
    return b.scene(Body("plate", (link,)), ball)


def drone() -> Scene:
    """A box with a propeller off its centre, over a floor."""
    driven = replace(motor("prop", max_velocity=1e4, max_effort=0.5), acceleration=30.0)
    device = DevicePropeller(
        name="propeller",
        shaft_axis=(0.0, 0.1, 1.0),
        center_of_thrust=(0.1, 0.0, 0.0),
        thrust_constants=(0.02, 0.1),
        torque_constants=(0.001, 0.002),
        motor=driven,
    )
    link = replace(b.free_link("drone", PLATE, at=(0, 0, 0.06)), devices=(device,))
    return b.scene(b.floor(), Body("drone", (link,)))


def late(scene: Scene) -> Scene:
    """Return a scene whose links without physics move when contacts have been found, as in Webots."""
    return replace(scene, physics=replace(scene.physics, moving=MoveRule.AFTER_CONTACTS))


LIFTING = {"lift": 0.2, "table[0]": 1.5, "table[1]": 0.3}
TWINS = [
    Twin("a lift", lift(), speeds=LIFTING),
    Twin("on a body", ridden(), speeds={"neck": 3.0}),
    Twin("thrown", thrown()),
    Twin("drone", drone(), speeds={"prop": 40.0}),
    Twin("a late lift", late(lift()), speeds=LIFTING),
    Twin("thrown late", late(thrown())),
]


@pytest.mark.native
@pytest.mark.parametrize("twin", TWINS, ids=lambda t: t.name)
def test_kernels_equal_the_native_step(twin: Twin) -> None:
    """Positions, velocities and the number of contacts after every step."""
    compare(twin)
    sim = Sim(twin.scene)
    for name, speed in (twin.speeds or {}).items():
        sim.joint(name).target_velocity = speed
    contacts = [sim.stats.contacts for _ in range(50) if sim.step() is None]
    assert max(contacts) > 0


def test_late_links_with_a_mass_are_refused_on_bodies_with_physics() -> None:
    """Inertia would have to be worked out once more in the middle of the step."""
    with pytest.raises(NotOnDevice, match="has a mass on one with physics"):
        Sim(late(ridden())).batch(1, device=DEVICE)


@pytest.mark.native
def test_what_moves_without_physics_wakes_what_sleeps_on_it() -> None:
    """A ball rests on the lift until that is told to go up."""
    scene = lift()
    scene = replace(scene, physics=replace(scene.physics, sleeping=Sleeping(0.1, 0.05, 0.2)))
    sim = Sim(scene, engine="native")
    one, many = sim.batch(1), sim.batch(1, device=DEVICE)
    told = one.bind("joint.target_velocity", "lift"), many.bind("joint.target_velocity", "lift")
    for speed in (0.0, 0.3, 0.0):
        told[0][:] = speed
        told[1].fill_(speed)
        for _ in range(40):
            one.step()
            many.step()
            assert np.abs(one.qpos() - many.qpos()).max() <= SAME
        if speed:
            assert np.abs(many.qvel()).max() > 0.1
    many.step(80)
    still = many.qpos()
    many.step()
    assert (many.qpos() == still).all()


def _state(batch: DeviceBatch) -> np.ndarray:
    return np.concatenate(
        [batch.qpos(), batch.bind("link.pose").numpy().reshape(len(batch), -1)], 1
    )


@pytest.mark.native
@pytest.mark.parametrize("order", [late, lambda scene: scene], ids=["late", "first"])
@pytest.mark.parametrize("make", [lift, thrown])
def test_links_are_read_and_are_part_of_the_state(
    make: Callable[[], Scene], order: Callable[[Scene], Scene]
) -> None:
    """Poses as of the processor, the same bytes after restore and reset, in any batch."""
    sim = Sim(order(make()), engine="native")
    one, many, few = sim.batch(1), sim.batch(3, device=DEVICE), sim.batch(1, device=DEVICE)
    poses = one.bind("link.pose")
    first = _state(many).copy()
    positions = None
    if make is lift:
        positions = one.bind("joint.position"), many.bind("joint.position")
        one.bind("joint.target_velocity", "lift")[:] = 0.2
        for batch in (many, few):
            batch.bind("joint.target_velocity", "lift").fill_(0.2)
    one.step(30)
    many.step(30)
    few.step(30)
    found = _state(many).copy()
    assert np.abs(many.bind("link.pose").numpy()[0] - poses[0]).max() <= SAME
    assert np.abs(found[0] - first[0]).max() > 0.01
    assert (found[0] == _state(few)[0]).all()
    assert (found == found[0]).all()
    if positions is not None:
        assert np.abs(positions[1].numpy()[0] - positions[0][0]).max() <= SAME
    kept = many.snapshot()
    many.step(20)
    later = _state(many).copy()
    many.restore(kept)
    many.step(20)
    assert (_state(many) == later).all()
    many.reset()
    assert (_state(many) == first).all()
    with pytest.raises(ValueError, match="no force moves it"):
        many.bind("link.twist", "plate")


@pytest.mark.native
def test_sensors_of_driven_links() -> None:
    """Position sensors and GPS as of an ordinary simulation; what needs velocities there is refused."""
    scene = late(lift())
    machine, *others = scene.bodies
    ground, plate, top = machine.links
    sensor = PositionSensor("height", resolution=1e-3)
    joint = JointSlider("lift", JointAxis((0, 0, 1), motor=motor("up"), sensor=sensor))
    links = (
        replace(ground, devices=(DeviceAccelerometer(name="still"), DeviceGps(name="base gps"))),
        replace(plate, joint=joint, devices=(DeviceGps(name="gps"),)),
        replace(top, devices=(DeviceAccelerometer(name="moved"),)),
    )
    scene = replace(scene, bodies=(replace(machine, links=links), *others))
    sim = Sim(scene, engine="native")
    batch = sim.batch(1, device=DEVICE)
    names = {"sensor.position": "height", "sensor.gps": "gps"}
    found = {name: batch.bind(name, item) for name, item in names.items()}
    for name in names.values():
        sim.device(name).enable(sim.time_step)
    batch.bind("joint.target_velocity", "lift").fill_(0.2)
    sim.joint("lift").target_velocity = 0.2
    for _ in range(20):
        batch.step()
        sim.step()
    for name, item in names.items():
        wanted = np.ravel(sim.device(item).value)
        got = found[name].numpy().ravel()
        assert np.abs(got - wanted[: len(got)]).max() <= SAME, name
    still = batch.bind("sensor.gps_speed", "base gps")
    batch.step()
    assert (still.numpy() == 0.0).all()
    with pytest.raises(ValueError, match="on a link without physics that moves"):
        batch.bind("sensor.gps_speed", "gps")
    for name in ("still", "moved"):
        with pytest.raises(ValueError, match="measures what no link does"):
            batch.bind("sensor.accelerometer", name)
