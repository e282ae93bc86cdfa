"""Motors: control modes, limits, coupling, feedback, brakes, rigid motion; on both engines."""

from __future__ import annotations

import math

import numpy as np
import pytest

from solidbody.model.geometry import GeometryBox, GeometrySphere
from solidbody.model.joints import JointAxis, JointHinge, JointSlider, Stops
from solidbody.model.links import Body, Robot
from solidbody.model.motors import Brake, ControlMode, Motor, Pid
from solidbody.model.scene import RotationRule
from solidbody.sim import Sim
from tests.physics import building as b
from tests.physics.referee import OUR_ENGINES

H = 0.008
BALL = GeometrySphere(0.1)
INERTIA = 0.4 * 1.0 * 0.1**2
CFM = 1e-5


def wheel(
    axis: JointAxis, engine: str = "native", *, gravity: tuple[float, float, float] = (0, 0, 0)
) -> Sim:
    """A ball of 1 kg on a hinge through its centre."""
    joint = JointHinge("axle", axis)
    link = b.jointed_link("wheel", BALL, joint, parent=None, at=(0, 0, 0))
    scene = b.scene(b.robot("r", link), gravity=gravity, step=H, rotation=RotationRule.EXACT)
    return Sim(scene, engine=engine)  # type: ignore[arg-type]


def driven(motor: Motor, engine: str = "native") -> Sim:
    """The wheel with a motor."""
    return wheel(JointAxis((0.0, 0.0, 1.0), motor=motor), engine)


@pytest.mark.parametrize("engine", OUR_ENGINES)
def test_position_is_approached_as_the_gain_says(engine: str) -> None:
    """First order below the speed limit: the error shrinks by 1 - p*h each step."""
    sim = driven(Motor("m", max_velocity=100.0, max_effort=1000.0, pid=Pid(p=10.0)), engine)
    sim.joint("m").target_position = 1.0
    errors: list[float] = []
    for _ in range(20):
        sim.step()
        errors.append(1.0 - sim.joint("m").position)
    expected = (1 - 10.0 * H) ** np.arange(1, 21)
    # CFM lets the first step fall short by cfm*I*v/h
    assert errors == pytest.approx(expected, abs=CFM * INERTIA * 10.0 / H)


@pytest.mark.parametrize("engine", OUR_ENGINES)
def test_integral_and_derivative_follow_the_controller(engine: str) -> None:
    """V = p e + i sum(e h) + d (e - e_before)/h, replayed with the measured positions."""
    p, i, d = 4.0, 2.0, 0.01
    sim = driven(Motor("m", max_velocity=100.0, max_effort=1e4, pid=Pid(p, i, d)), engine)
    joint = sim.joint("m")
    joint.target_position = 0.5
    integral = before = 0.0
    for _ in range(30):
        error = 0.5 - joint.position
        integral += error * H
        expected = p * error + i * integral + d * (error - before) / H
        before = error
        sim.step()
        # CFM takes cfm*I*v/h = 1.3e-5 rad/s of the first step's speed
        assert joint.velocity == pytest.approx(expected, abs=2e-5)


@pytest.mark.parametrize("engine", OUR_ENGINES)
def test_acceleration_limits_the_change_of_speed(engine: str) -> None:
    """The commanded speed grows by a*h per step, and shrinks by it when reversed."""
    sim = driven(Motor("m", max_velocity=100.0, max_effort=1e4, acceleration=5.0), engine)
    sim.joint("m").target_velocity = 1.0
    sim.step(10)
    assert sim.joint("m").velocity == pytest.approx(5.0 * 10 * H, abs=1e-6)
    sim.joint("m").target_velocity = -1.0
    sim.step(5)
    assert sim.joint("m").velocity == pytest.approx(5.0 * 5 * H, abs=1e-6)


@pytest.mark.parametrize("engine", OUR_ENGINES)
def test_available_effort_bounds_the_motor_and_zero_frees_it(engine: str) -> None:
    """With effort F the rate grows by F/I*h; without any the wheel coasts."""
    sim = driven(Motor("m", max_velocity=100.0, max_effort=10.0), engine)
    joint = sim.joint("m")
    joint.available_effort = 0.02
    joint.target_velocity = 50.0
    sim.step(10)
    assert joint.velocity == pytest.approx(0.02 / INERTIA * 10 * H, rel=1e-9)
    assert joint.measured_effort == pytest.approx(0.02, rel=1e-9)
    joint.available_effort = 0.0
    reached = joint.velocity
    sim.step(10)
    assert joint.velocity == reached
    joint.available_effort = 99.0
    assert joint.available_effort == 10.0  # never more than it is built for


@pytest.mark.parametrize("engine", OUR_ENGINES)
def test_effort_mode_pushes_with_just_that(engine: str) -> None:
    """Torque T for n steps: rate T/I*n*h; commands beyond the available effort are cut."""
    sim = driven(Motor("m", max_effort=0.05), engine)
    sim.joint("m").effort = 0.03
    sim.step(20)
    assert sim.joint("m").velocity == pytest.approx(0.03 / INERTIA * 20 * H, rel=1e-12)
    assert sim.joint("m").measured_effort == 0.03
    sim.joint("m").effort = 7.0
    assert sim.joint("m").effort == 0.05


@pytest.mark.parametrize("engine", OUR_ENGINES)
def test_feedback_of_a_motor_that_holds_a_weight_is_its_moment(engine: str) -> None:
    """A bar of 1 kg held level at its end: m*g*l on the motor, all of it on the stop without one."""
    bar = GeometryBox((0.4, 0.1, 0.1))
    moment = b.GRAVITY * 0.2
    held = b.hinge("j", (0, 1, 0), (-0.2, 0, 0), motor=Motor("m", max_effort=10.0))
    link = b.jointed_link("bar", bar, held, parent=None, at=(0, 0, 0))
    sim = Sim(b.scene(b.robot("r", link), step=H), engine=engine)  # type: ignore[arg-type]
    sim.step(200)
    # it sags until p*error gives the rate that CFM takes away: 1e-5*2/10 rad
    assert sim.joint("m").feedback == pytest.approx(-moment, rel=1e-6)
    stopped = b.hinge("j", (0, 1, 0), (-0.2, 0, 0), stops=Stops(-1.0, 0.0))
    link = b.jointed_link("bar", bar, stopped, parent=None, at=(0, 0, 0))
    sim = Sim(b.scene(b.robot("r", link), step=H), engine=engine)  # type: ignore[arg-type]
    sim.step(200)
    assert sim.joint("j").feedback == pytest.approx(-moment, rel=1e-4)
    assert sim.joint("j").measured_effort == 0.0


@pytest.mark.parametrize("engine", OUR_ENGINES)
def test_brake_adds_its_damping(engine: str) -> None:
    """Implicit damper: each step divides the rate by 1 + h*c/I."""
    sim = wheel(JointAxis((0, 0, 1), velocity=3.0, brake=Brake("stopper")), engine)
    sim.joint("stopper").brake = 0.01
    sim.step(25)
    assert sim.joint("axle").velocity == pytest.approx(
        3.0 / (1 + H * 0.01 / INERTIA) ** 25, rel=1e-9
    )


@pytest.mark.parametrize("stiffness", [1.0, 1e2, 1e4, 1e6])
@pytest.mark.parametrize("engine", OUR_ENGINES)
def test_springs_of_any_stiffness_follow_the_implicit_recurrence(
    engine: str, stiffness: float
) -> None:
    """I (v+ - v)/h = -k (q + h v+) - d v+, at 8 ms, from soft to rigid."""
    damping, start = 0.002, 0.2
    axis = JointAxis((0, 0, 1), position=start, spring=stiffness, damping=damping)
    sim = wheel(axis, engine)
    q, v = start, 0.0
    for _ in range(60):
        v = (INERTIA * v - H * stiffness * q) / (INERTIA + H * damping + H * H * stiffness)
        q += H * v
        sim.step()
        assert sim.joint("axle").position == pytest.approx(q, abs=1e-9)
    assert sim.stats.not_converged == 0


def gripper(name: str, y: float) -> Body:
    """A robot with two coupled fingers, at `y`; its joints are `name 0` and `name 1`."""
    base = b.static_body(name, GeometryBox((0.1, 0.1, 0.1)), at=(0, y, 0)).links[0]
    links = [base]
    for k, (motor, factor) in enumerate((("grip::left", 1.0), ("grip::right", -2.0))):
        axis = JointAxis((1, 0, 0), motor=Motor(motor, max_effort=1e3, multiplier=factor))
        joint = JointSlider(f"{name} {k}", axis)
        link = b.jointed_link(f"{name} finger {k}", BALL, joint, parent=0, at=(0, 0, 1.0 + k))
        links.append(link)
    return Body(name, tuple(links), robots=(Robot(name, 0),))


def test_coupled_motors_follow_each_with_its_own_multiplier() -> None:
    """`grip::left` and `grip::right` of one robot; motors of another robot are not coupled."""
    sim = Sim(b.scene(gripper("a", 0.0), gripper("b", 5.0), gravity=(0, 0, 0), step=H))
    sim.joint("a 0").target_velocity = 0.5
    sim.step(50)
    rates = [sim.joint(name).velocity for name in ("a 0", "a 1", "b 0", "b 1")]
    assert rates == pytest.approx([0.5, -1.0, 0.0, 0.0], abs=1e-6)
    sim.joint("a 1").target_position = 0.1
    assert sim.joint("a 0").target_position == 0.1
    assert sim.joint("a 1").target_position == -0.2
    sim.joint("a 0").effort = 3.0
    assert sim.joint("a 1").effort == -6.0


@pytest.mark.parametrize("engine", OUR_ENGINES)
def test_rigid_motor_prescribes_the_motion(engine: str) -> None:
    """A position is there after one step, a speed is kept, under any load."""
    motor = Motor(
        "m", max_velocity=math.inf, max_effort=math.inf, mode=ControlMode.FREE, rigid=True
    )
    joint = b.slider("lift", (0, 0, 1), motor=motor)
    link = b.jointed_link("cage", BALL, joint, parent=None, at=(0, 0, 0), mass=500.0)
    sim = Sim(b.scene(b.robot("r", link), step=0.001), engine=engine)  # type: ignore[arg-type]
    sim.joint("m").target_position = 0.01
    sim.step()
    # the least softness of any row is 1e-9: 5e6 N of impact leave 5e-6 m after 1 ms
    assert sim.joint("m").position == pytest.approx(0.01, abs=1e-5)
    sim.joint("m").target_velocity = 2.0
    sim.step(10)
    assert sim.joint("m").velocity == pytest.approx(2.0, abs=1e-5)


def test_joint_positions_are_not_wrapped() -> None:
    """A wheel that turns for 4 s at 8 rad/s has turned by 32 rad."""
    sim = driven(Motor("m", max_velocity=10.0, max_effort=1e4))
    sim.joint("m").target_velocity = 8.0
    sim.run(4.0)
    assert sim.joint("m").position == pytest.approx(32.0, abs=0.01)


@pytest.mark.parametrize(
    ("attribute", "value", "text"),
    [
        ("available_effort", -1.0, "available_effort must be >= 0"),
        ("acceleration", -1.0, "acceleration must be >= 0"),
        ("brake", -0.1, "brake must be >= 0"),
        ("target_velocity", math.nan, "target_velocity must be a finite number"),
        ("gains", (1.0, 2.0), "gains takes 3 finite numbers"),
    ],
)
def test_nonsense_is_refused_by_name(attribute: str, value: object, text: str) -> None:
    """The message names what was set."""
    sim = driven(Motor("m"))
    with pytest.raises(ValueError, match=text):
        setattr(sim.joint("m"), attribute, value)
