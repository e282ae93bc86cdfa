"""Io bodies: names, kinematics and copies of Choreonoid's SimpleController in Python."""

from __future__ import annotations

import io
import math
from pathlib import Path

import numpy as np
import pytest

import solidbody as sb
from solidbody.control.body_controller import BodyController, BodyControllerError, BodyControllers
from solidbody.control.io_body import (
    Body,
    ForceSensor,
    JointPath,
    Link,
    RateGyroSensor,
    SpotLight,
    degree,
    omegaFromRot,
    radian,
    rotFromAxisAngle,
    rotFromRpy,
    rpyFromRot,
)
from solidbody.control.io_body.simple_controller_io import (
    ActuationError,
    SimpleControllerIO,
    split_options,
)

ARM = """
format: ChoreonoidBody
format_version: 2.0
name: Arm
links:
  - { name: BASE, joint_type: fixed, translation: [ 0, 0, 1 ], rotation: [ 0, 0, 1, 30 ] }
  - { name: J0, parent: BASE, joint_id: 0, joint_type: revolute, joint_axis: Z, translation: [ 0, 0, 0.1 ],
      joint_range: [ -170, 170 ], joint_angle: 10 }
  - { name: J1, parent: J0, joint_id: 1, joint_type: revolute, joint_axis: Y, rotation: [ 1, 0, 0, 20 ],
      translation: [ 0, 0, 0.2 ], joint_range: 1 }
  - { name: J2, parent: J1, joint_id: 2, joint_type: revolute, joint_axis: Y, translation: [ 0, 0, 0.3 ] }
  - { name: J3, parent: J2, joint_id: 3, joint_type: revolute, joint_axis: Z, translation: [ 0, 0, 0.2 ] }
  - { name: J4, parent: J3, joint_id: 4, joint_type: revolute, joint_axis: Y, translation: [ 0, 0, 0.2 ] }
  - { name: J5, parent: J4, joint_id: 6, joint_type: revolute, joint_axis: X, translation: [ 0, 0, 0.1 ] }
  - name: SLIDE
    parent: J5
    joint_type: prismatic
    joint_axis: [ 0, 0, 1 ]
    elements:
      - { type: ForceSensor, name: Force }
      - { type: RateGyroSensor, name: Gyro }
      - { type: SpotLight, name: Lamp, on: false }
"""
BOX = """
format: ChoreonoidBody
format_version: 2.0
name: Box
links:
  - name: BOX
    joint_type: free
    translation: [ 0, 0, 0.4997 ]
    mass: 2
    inertia: [ 0.3, 0, 0, 0, 0.3, 0, 0, 0, 0.3 ]
    elements: { Shape: { geometry: { type: Box, size: [ 1, 1, 1 ] } } }
  - { name: WHEEL, parent: BOX, joint_id: 0, joint_type: revolute, joint_axis: Z, mass: 1,
      inertia: [ 1, 0, 0, 0, 1, 0, 0, 0, 1 ] }
"""
GROUND = """
format: ChoreonoidBody
format_version: 2.0
name: Ground
links:
  - name: GROUND
    joint_type: fixed
    elements:
      - { type: Shape, translation: [ 0, 0, -0.5 ], geometry: { type: Box, size: [ 9, 9, 1 ] } }
"""
ANGLES = (0.3, -0.4, 1.1, 0.7, -0.9, 0.5)


def _sim(folder: Path, text: str = ARM, *more: str) -> sb.Sim:
    scene = None
    for number, body in enumerate((text, *more)):
        path = folder / f"{number}.body"
        path.write_text(body)
        scene = sb.load(path) if scene is None else scene.add(path)
    assert scene is not None
    return sb.Sim(scene)


def _run(sim: sb.Sim, controller: BodyController, body: str | None = None) -> BodyControllers:
    runner = BodyControllers(sim)
    runner.add(controller, body)
    sim.attach(runner)
    return runner


def _joint(body: Body, which: int | str) -> Link:
    found = body.joint(which)
    assert found is not None
    return found


def _link(body: Body, which: int | str) -> Link:
    found = body.link(which)
    assert found is not None
    return found


def _matrix(pose: np.ndarray) -> np.ndarray:
    x, y, z, w, i, j, k = pose
    out = np.eye(4)
    out[:3, 3] = x, y, z
    out[:3, :3] = rotFromAxisAngle(np.array([1.0, 0, 0]), 0.0)
    length = math.sqrt(i * i + j * j + k * k)
    if length:
        out[:3, :3] = rotFromAxisAngle(np.array([i, j, k]) / length, 2.0 * math.atan2(length, w))
    return out


# ------------------------------------------------------------------------------------------ angles


def test_angles_go_there_and_back() -> None:
    """Rz Ry Rx; with the nose straight up only the sum of roll and yaw is known."""
    assert radian(180.0) == pytest.approx(math.pi)
    assert degree(np.array([math.pi, 0.0])) == pytest.approx([180.0, 0.0])
    expected = (
        rotFromAxisAngle([0, 0, 1], 0.3)
        @ rotFromAxisAngle([0, 1, 0], 0.2)
        @ rotFromAxisAngle([1, 0, 0], 0.1)
    )
    assert rotFromRpy(0.1, 0.2, 0.3) == pytest.approx(expected)
    assert rpyFromRot(rotFromRpy([0.1, 0.2, 0.3])) == pytest.approx([0.1, 0.2, 0.3])
    roll, pitch, yaw = rpyFromRot(rotFromRpy(0.4, math.pi / 2, 0.1))
    assert (roll, pitch, yaw) == pytest.approx((0.3, math.pi / 2, 0.0))


@pytest.mark.parametrize("angle", [0.01, 1.0, 3.0, math.pi - 1e-5, math.pi - 1e-9])
def test_a_turn_is_axis_times_angle(angle: float) -> None:
    """Also close to half a turn, where the skew part vanishes; below 1.4 mrad it counts as none."""
    axis = np.array([1.0, -2.0, 2.0]) / 3.0
    assert omegaFromRot(rotFromAxisAngle(axis, angle)) == pytest.approx(angle * axis, abs=1e-6)
    assert omegaFromRot(rotFromAxisAngle(axis, 1e-3)).tolist() == [0.0, 0.0, 0.0]


# -------------------------------------------------------------------------------------- kinematics


def test_a_body_has_its_links_and_joints_by_number_and_name(tmp_path: Path) -> None:
    """Number 5 is missing: a link that is none stands for it. The joint without number comes last."""
    body = Body(_sim(tmp_path).scene.bodies[0])
    assert (body.numLinks(), body.numJoints(), body.numAllJoints()) == (8, 7, 8)
    assert [joint.jointId() for joint in body.joints()] == [0, 1, 2, 3, 4, -1, 6]
    assert not _joint(body, 5).isValid() and _joint(body, 7).name() == "SLIDE"
    assert _link(body, "J1").parent() is _link(body, "J0")
    assert _link(body, "J1").isRevoluteJoint() and _link(body, "SLIDE").isPrismaticJoint()
    assert body.link("J9") is None and body.joint("J9") is None
    assert _joint(body, 0).q_upper == pytest.approx(math.radians(170))
    assert _joint(body, 0).q == pytest.approx(math.radians(10))
    assert body.mass() == pytest.approx(8.0)


def test_forward_kinematics_are_those_of_the_simulation(tmp_path: Path) -> None:
    """Poses of all links, and velocities, for any positions and speeds of the joints."""
    sim = _sim(tmp_path)
    body = Body(sim.scene.bodies[0])
    positions = dict(zip(("J0", "J1", "J2", "J3", "J4", "J5"), ANGLES, strict=True)) | {
        "SLIDE": 0.25
    }
    for name, q in positions.items():
        sim.joint(name).position = q
        _joint(body, name).q = q
    body.calcForwardKinematics()
    for row, link in enumerate(body.links()):
        assert pytest.approx(_matrix(sim.pose(row)), abs=1e-12) == link.T
    # speeds against positions a little later
    later = body.clone()
    h = 1e-6
    for joint, known, speed in zip(later.allJoints(), body.allJoints(), range(1, 9), strict=True):
        known.dq = 0.1 * speed
        joint.q += h * known.dq
    later.calcForwardKinematics()
    body.calcForwardKinematics(True)
    for after, link in zip(later.links(), body.links(), strict=True):
        assert link.v == pytest.approx((after.p - link.p) / h, abs=1e-5)
        turn = after.R @ link.R.T
        assert link.w == pytest.approx(np.array([turn[2, 1], turn[0, 2], turn[1, 0]]) / h, abs=1e-5)


def test_accelerations_follow_from_those_of_joints(tmp_path: Path) -> None:
    """Against velocities a little later."""
    body = Body(_sim(tmp_path).scene.bodies[0])
    for joint, q in zip(body.allJoints(), (*ANGLES, 0.2, 0.3), strict=True):
        joint.q, joint.dq, joint.ddq = q, 0.5 + q, 1.0 - q
    later = body.clone()
    h = 1e-6
    for joint in later.allJoints():
        joint.q += h * joint.dq
        joint.dq += h * joint.ddq
    body.calcForwardKinematics(True, True)
    later.calcForwardKinematics(True)
    for after, link in zip(later.links(), body.links(), strict=True):
        assert link.dv == pytest.approx((after.v - link.v) / h, abs=1e-4)
        assert link.dw == pytest.approx((after.w - link.w) / h, abs=1e-4)


def test_inverse_kinematics_reach_a_pose_and_say_when_not(tmp_path: Path) -> None:
    """What forward kinematics give can be reached; what is too far leaves all as it was.

    Turns that remain below 1.4 mrad count as none, there too.
    """
    body = Body(_sim(tmp_path).scene.bodies[0])
    path = JointPath.getCustomPath(_link(body, "BASE"), _link(body, "J5"))
    assert [joint.name() for joint in path.joints()] == ["J0", "J1", "J2", "J3", "J4", "J5"]
    for joint, q in zip(path.joints(), ANGLES, strict=True):
        joint.q = q
    body.calcForwardKinematics()
    goal = path.endLink().T.copy()
    for joint, q in zip(path.joints(), ANGLES, strict=True):
        joint.q = q + 0.1
    body.calcForwardKinematics()
    assert path.calcInverseKinematics(goal)
    assert 3 < path.numIterations() < 20
    assert [joint.q for joint in path.joints()] == pytest.approx(ANGLES, abs=1e-3)
    assert (goal == path.endLink().T).all()
    path.calcForwardKinematics()
    assert path.endLink().p == pytest.approx(goal[:3, 3], abs=1e-7)
    assert pytest.approx(goal[:3, :3], abs=1.5e-3) == path.endLink().R
    before = [joint.q for joint in path.joints()], path.endLink().T.copy()
    far = goal.copy()
    far[0, 3] += 5.0
    assert not path.calcInverseKinematics(far)
    assert [joint.q for joint in path.joints()] == before[0]
    assert (before[1] == path.endLink().T).all()
    path.setBestEffortIkEnabled(True)
    far[:3, 3] = before[1][:3, 3] + 0.4 * (before[1][:3, 3] - path.baseLink().p)
    assert not path.calcInverseKinematics(far)
    assert np.linalg.norm(path.endLink().p - far[:3, 3]) < 0.9 * np.linalg.norm(
        before[1][:3, 3] - far[:3, 3]
    )


def test_a_path_goes_up_and_down(tmp_path: Path) -> None:
    """From a link in the middle to one on another branch: its own joint counts, turned round."""
    text = ARM + "  - { name: K, parent: J0, joint_id: 5, joint_type: revolute, joint_axis: X }\n"
    body = Body(_sim(tmp_path, text).scene.bodies[0])
    path = JointPath(_link(body, "J2"), _link(body, "K"))
    assert [joint.name() for joint in path.joints()] == ["J2", "J1", "K"]
    assert [path.isJointDownward(k) for k in range(3)] == [False, False, True]
    base, end, h = path.baseLink(), path.endLink(), 1e-7
    jacobian, start = path.calcJacobian(), end.T.copy()
    for k, joint in enumerate(path.joints()):
        fixed = base.T.copy()
        joint.q += h
        path.calcForwardKinematics()
        assert (fixed == base.T).all()
        turn = end.R @ start[:3, :3].T
        found = [*(end.p - start[:3, 3]), turn[2, 1], turn[0, 2], turn[1, 0]]
        assert np.array(found) / h == pytest.approx(jacobian[:, k], abs=1e-5)
        joint.q -= h
        path.calcForwardKinematics()


# ------------------------------------------------------------------------------------------ copies


class Impulse(BodyController):
    """One newton metre on the wheel in the first step; notes what it sees."""

    in_initialize = 0.0

    def initialize(self, io: SimpleControllerIO) -> bool:
        self.io_ = io
        self.wheel = _joint(io.body(), "WHEEL")
        self.wheel.setActuationMode(Link.JointTorque)
        io.enableIO(self.wheel)
        io.enableInput(self.wheel, Link.JointVelocity)
        self.wheel.u = self.in_initialize
        self.seen: list[float] = []
        self.times: list[float] = []
        return True

    def control(self) -> bool:
        self.seen.append(self.wheel.dq)
        self.times.append(self.io_.currentTime())
        self.wheel.u = 1.0 if len(self.seen) == 1 else 0.0
        return False


@pytest.mark.parametrize(("no_delay", "first"), [(False, 2), (True, 1)])
def test_a_command_is_seen_two_steps_later_or_one(
    tmp_path: Path, no_delay: bool, first: int
) -> None:
    """As the life-cycle probe found; `control` is called on although it returned False."""
    sim = _sim(tmp_path, BOX)
    controller = Impulse()
    controller.no_delay = no_delay
    _run(sim, controller)
    sim.step(4)
    assert controller.seen[:first] == [0.0] * first
    # against the box, which turns the other way: 1/1 + 1/0.3 per kg m^2
    assert controller.seen[first] == pytest.approx(sim.time_step * (1.0 + 1.0 / 0.3), rel=1e-6)
    assert controller.seen[3] == pytest.approx(controller.seen[first])
    assert controller.times == pytest.approx([k * sim.time_step for k in range(4)])


def test_what_initialize_writes_acts_in_the_first_step(tmp_path: Path) -> None:
    """The output copy runs once before the simulation starts."""
    sim = _sim(tmp_path, BOX)
    controller = Impulse()
    controller.in_initialize = 2.0
    _run(sim, controller)
    sim.step(2)
    assert controller.seen[1] == pytest.approx(2.0 * sim.time_step * (1.0 + 1.0 / 0.3), rel=1e-6)


def test_what_is_not_enabled_stays_as_it_was(tmp_path: Path) -> None:
    """Without a mode before `enableIO` there is no input; link poses do not follow by themselves."""

    class Watch(BodyController):
        def initialize(self, io: SimpleControllerIO) -> bool:
            self.box = io.body().rootLink()
            self.wheel = _joint(io.body(), 0)
            io.enableIO(self.wheel)
            self.other = io.body().clone().rootLink()
            io.enableInput(self.other, 0)
            return True

    sim = _sim(tmp_path, BOX)
    controller = Watch()
    _run(sim, controller)
    sim.step(100)
    assert sim.link("BOX").position[2] < 0.46
    assert controller.box.p[2] == pytest.approx(0.4997)
    assert controller.wheel.q == 0.0


def test_links_give_pose_twist_acceleration_and_contacts(tmp_path: Path) -> None:
    """A box at rest on the ground: four points carry its weight upwards; in the air it falls with g."""

    class Watch(BodyController):
        def initialize(self, io: SimpleControllerIO) -> bool:
            self.box = io.body().rootLink()
            flags = Link.LinkPosition | Link.LinkTwist | Link.LinkAcceleration
            io.enableInput(self.box, flags | Link.LinkContactState)
            return True

    controller = Watch()
    sim = _sim(tmp_path, BOX)
    _run(sim, controller)
    sim.step(11)
    g = 9.80665
    assert controller.box.p == pytest.approx(sim.link("BOX").position, abs=1e-2)
    assert controller.box.v[2] == pytest.approx(-g * 10 * sim.time_step)
    assert controller.box.dv[2] == pytest.approx(-g)
    assert controller.box.contactPoints() == []
    controller = Watch()
    sim = _sim(tmp_path, BOX, GROUND)
    _run(sim, controller, "Box")
    sim.step(500)
    points = controller.box.contactPoints()
    assert len(points) == 4
    assert sum(point.force[2] for point in points) == pytest.approx(3 * g, rel=1e-4)
    assert all(point.normal[2] == pytest.approx(1.0) for point in points)
    assert all(point.depth == pytest.approx(0.00025, abs=1e-5) for point in points)


def test_positions_and_velocities_are_there_after_one_step(tmp_path: Path) -> None:
    """High gain: whatever it takes, and beyond the range that a joint is meant for (1 degree)."""

    class Go(BodyController):
        def initialize(self, io: SimpleControllerIO) -> bool:
            self.first, self.second = _joint(io.body(), 1), _joint(io.body(), 2)
            io.enableOutput(self.first, self.JointDisplacement)
            io.enableOutput(self.second, self.JointVelocity)
            self.first.q_target, self.second.dq_target = 0.1, 3.0
            io.setNoDelayMode(True)
            return True

    sim = _sim(tmp_path)
    _run(sim, Go())
    sim.step()
    assert sim.joint("J1").position == pytest.approx(0.1, abs=1e-6)
    assert sim.joint("J2").velocity == pytest.approx(
        3.0, abs=1e-3
    )  # the other one jumps by 100 rad/s
    sim.step(9)
    assert sim.joint("J2").velocity == pytest.approx(3.0, abs=1e-6)
    assert sim.joint("J1").position == pytest.approx(0.1, abs=1e-9)
    assert sim.joint("J2").position == pytest.approx(3.0 * 10 * sim.time_step, abs=1e-5)


def test_a_wrench_about_the_origin_carries_a_body(tmp_path: Path) -> None:
    """Its weight, through its centre: it stays, although the force is given about the world's origin."""

    class Carry(BodyController):
        def initialize(self, io: SimpleControllerIO) -> bool:
            self.box = io.body().rootLink()
            self.mass = io.body().mass()
            self.box.setActuationMode(Link.LinkExtWrench)
            io.enableIO(self.box)
            io.setNoDelayMode(True)
            return True

        def control(self) -> bool:
            self.box.F_ext = np.zeros(6)
            self.box.addExternalForceAtLocalPosition([0, 0, self.mass * 9.80665], [0, 0, 0])
            return True

    sim = _sim(tmp_path, BOX.replace("[ 0, 0, 0.4997 ]", "[ 3, 2, 1 ]"))
    _run(sim, Carry())
    sim.step(200)
    assert sim.link("BOX").position == pytest.approx([3.0, 2.0, 1.0], abs=1e-9)
    assert sim.link("BOX").orientation == pytest.approx([1, 0, 0, 0], abs=1e-9)


def test_a_root_goes_where_it_is_put(tmp_path: Path) -> None:
    """A floating root in LinkPosition mode: no force moves it, and its velocity follows."""

    class Circle(BodyController):
        def initialize(self, io: SimpleControllerIO) -> bool:
            self.box, self.io_ = io.body().rootLink(), io
            io.enableOutput(self.box, Link.LinkPosition)
            io.setNoDelayMode(True)
            return True

        def control(self) -> bool:
            t = self.io_.currentTime() + self.io_.timeStep()
            self.box.p = (math.cos(t) - 1.0, math.sin(t), 0.7)
            self.box.R = rotFromAxisAngle([0, 0, 1], t)
            return True

    sim = _sim(tmp_path, BOX)
    _run(sim, Circle(), "Box")
    sim.step(500)
    angle = 500 * sim.time_step
    expected = [math.cos(angle) - 1.0, math.sin(angle), 0.7]
    assert sim.link("BOX").position == pytest.approx(expected, abs=1e-9)
    assert sim.link("BOX").angular_velocity == pytest.approx([0, 0, 1], abs=1e-6)


def test_devices_are_read_when_enabled_and_written_when_told(tmp_path: Path) -> None:
    """The sensor that is not enabled reads 0; the lamp goes on in the first step."""

    class Feel(BodyController):
        def initialize(self, io: SimpleControllerIO) -> bool:
            body = io.body()
            for joint in body.joints():
                io.enableOutput(joint, Link.JointDisplacement)
            found = body.findDevice(ForceSensor), body.findDevice(RateGyroSensor, "Gyro")
            self.force, self.gyro = found
            assert self.force is not None and body.findDevice(RateGyroSensor, "Force") is None
            assert len(body.devices()) == 3 and body.devices(SpotLight)[0].name() == "Lamp"
            io.enableInput(self.force)
            lamp = body.findDevice(SpotLight)
            assert lamp is not None and not lamp.on()
            lamp.on(True)
            lamp.notifyStateChange()
            return True

    sim = _sim(tmp_path)
    controller = Feel()
    _run(sim, controller)
    assert sim.device("Lamp").is_on
    force = controller.force
    assert force is not None and (force.F == 0.0).all()
    sim.step(5)
    assert np.linalg.norm(force.f) > 0.0 and force.wrench() is force.F
    assert controller.gyro is not None and (controller.gyro.w == 0.0).all()


# -------------------------------------------------------------------------------------- life cycle


def test_calls_come_in_the_order_of_the_original(tmp_path: Path) -> None:
    """configure once; initialize, start and stop for each run; unconfigure at the end."""
    calls: list[str] = []

    class Probe(BodyController):
        def configure(self, config: SimpleControllerIO) -> bool:
            calls.append(f"configure {config.controllerName()} {config.body().name()}")
            return True

        def initialize(self, io: SimpleControllerIO) -> bool:
            calls.append(f"initialize {io.optionString()}")
            return True

        def start(self) -> bool:
            calls.append("start")
            return True

        def control(self) -> bool:
            calls.append("control")
            return False

        def stop(self) -> None:
            calls.append("stop")

        def unconfigure(self) -> None:
            calls.append("unconfigure")

    sim = _sim(tmp_path)
    runner = BodyControllers(sim)
    runner.add(Probe(), None, "fast")
    sim.attach(runner)
    sim.step(2)
    sim.reset()
    sim.step()
    runner.close()
    assert calls == [
        *("configure Probe Arm", "initialize fast", "start", "control", "control"),
        *("stop", "initialize fast", "start", "control", "stop", "unconfigure"),
    ]


@pytest.mark.parametrize("method", ["configure", "initialize", "start"])
def test_a_controller_that_refuses_is_named(tmp_path: Path, method: str) -> None:
    """With the method that returned False."""

    class No(BodyController):
        def initialize(self, io: SimpleControllerIO) -> bool:
            return True

    setattr(No, method, lambda self, *io: False)
    if method == "initialize":
        No.initialize = lambda self, io: False  # type: ignore[method-assign]
    with pytest.raises(BodyControllerError, match=f'{method} of No for "Arm" returned False'):
        BodyControllers(_sim(tmp_path)).add(No())


def test_options_are_split_as_there() -> None:
    """The measured case of the life-cycle probe."""
    assert split_options('fromsim impulse "a b" c\\ d') == ["fromsim", "impulse", "a b", "c d"]
    assert split_options("  a  ") == ["a"]


def test_options_may_be_a_mapping(tmp_path: Path) -> None:
    """What is none is told on the stream."""
    sim, stream = _sim(tmp_path), io.StringIO()

    def given(text: str) -> object:
        source = sim.scene.bodies[0]
        return SimpleControllerIO(sim, source, "C", text, stream).structuredOptions()

    assert given("{ speed: 2, mode: [ 1, 2 ] }") == {"speed": 2, "mode": [1, 2]}
    assert given("") == {}
    assert given("{ speed: ") is None
    assert stream.getvalue().startswith("C: ")


def test_objects_are_shared_by_name_and_kind(tmp_path: Path) -> None:
    """As joysticks are."""
    sim = _sim(tmp_path)
    given = SimpleControllerIO(sim, sim.scene.bodies[0], "C", "", None)
    first = given.getOrCreateSharedObject(list, "joystick")
    assert given.getOrCreateSharedObject(list, "joystick") is first
    assert given.findSharedObject(dict, "joystick") is None


@pytest.mark.parametrize(
    ("joint", "value", "message"),
    [
        ("J0", math.nan, 'Bad: it has set u of "J0" to nan'),
    ],
)
def test_commands_that_cannot_be_are_errors(
    tmp_path: Path, joint: str, value: float, message: str
) -> None:
    """They name controller and joint."""

    class Bad(BodyController):
        def initialize(self, io: SimpleControllerIO) -> bool:
            link = _joint(io.body(), joint)
            io.enableOutput(link, Link.JointEffort)
            link.u = value
            return True

    with pytest.raises(ActuationError, match=message):
        BodyControllers(_sim(tmp_path)).add(Bad())


@pytest.mark.parametrize("mode", [Link.JointEffort, Link.JointVelocity])
def test_a_joint_without_id_is_commanded_like_any_other(tmp_path: Path, mode: int) -> None:
    """2 N on a wheel of 1 kg m2, or 2 rad/s: what counts is the link's mode, as in the original."""

    class Spin(BodyController):
        def initialize(self, io: SimpleControllerIO) -> bool:
            self.wheel = _link(io.body(), "WHEEL")
            self.wheel.setActuationMode(mode)
            io.enableIO(self.wheel)
            return True

        def control(self) -> bool:
            self.wheel.u = self.wheel.dq_target = 2.0
            return True

    sim = _sim(tmp_path, BOX.replace("joint_id: 0, ", ""), GROUND)
    _run(sim, Spin(), "Box")
    assert sim.joint("WHEEL").position == 0.0
    sim.step(101)
    expected = 0.2 if mode == Link.JointEffort else 2.0
    # the box beneath turns the other way as far as its friction lets it: it holds
    assert sim.joint("WHEEL").velocity == pytest.approx(expected, rel=1e-3)


def test_modes_that_are_not_there_are_told(tmp_path: Path) -> None:
    """The rest works."""

    class Odd(BodyController):
        def initialize(self, io: SimpleControllerIO) -> bool:
            io.enableOutput(_link(io.body(), "J0"), Link.JointTorque | Link.LinkTwist)
            io.enableOutput(_link(io.body(), "BASE"), Link.JointTorque)
            return True

    stream = io.StringIO()
    BodyControllers(_sim(tmp_path), stream).add(Odd())
    assert stream.getvalue().splitlines() == [
        'Odd: the joint of "BASE" does not move and is not commanded',
        'Odd: LinkTwist of "J0" is not commanded here',
    ]
