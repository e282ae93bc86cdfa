"""Rules of joints, motors, tracks and propellers (docs/behaviour, W7.1 to W7.9), by closed forms."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pytest

from solidbody.sim import Sim
from tests.devices.worlds import sim_of
from tests.physics import building as b

G = 9.81
H = 0.008
CFM = 1e-5
FREE = "gravity 0 physicsDisableTime 0"
AWAKE = "physicsDisableTime 0"


def joint(
    kind: str, parameters: str, device: str = "", *, at: str = "0 0 0", extra: str = ""
) -> str:
    """A ball of 1 kg on a joint to a robot that stands still."""
    type_ = "HingeJointParameters" if kind == "HingeJoint" else "JointParameters"
    return (
        f'Robot {{ name "robot" children [ {kind} {{ jointParameters {type_} {{ {parameters} }} '
        f'device [ {device} ] endPoint Solid {{ name "ball" translation {at} {extra} '
        "boundingObject Sphere { radius 0.1 } physics Physics { density -1 mass 1 } } } ] }"
    )


def slider(parameters: str = "", device: str = "", *, extra: str = "", world: str = FREE) -> Sim:
    """A slider along z."""
    return sim_of(joint("SliderJoint", parameters, device, extra=extra), world=world)


class Zero(NamedTuple):
    """A joint whose file has a position, and the pose of its end point at position 0."""

    kind: str
    parameters: str
    pose: str
    place: tuple[float, float, float]
    turn: float


@pytest.mark.parametrize(
    "case",
    [
        # T0 = R(-p) (T - anchor) + anchor with T = (1, 0, 0), anchor (0.5, 0, 0), p = pi/2 about z
        Zero(
            "HingeJoint",
            "axis 0 0 1 anchor 0.5 0 0 position 1.570796326794897",
            "1 0 0",
            (0.5, -0.5, 0),
            -0.5 * math.pi,
        ),
        Zero(
            "HingeJoint",
            "axis 0 0 -2 anchor 0.5 0 0 position 1.570796326794897",
            "1 0 0",
            (0.5, 0.5, 0),
            0.5 * math.pi,
        ),
        # T0 = T - p*axis, the axis normalised
        Zero("SliderJoint", "axis 0 3 0 position 0.25", "1 0 0", (1, -0.25, 0), 0.0),
    ],
    ids=["hinge", "hinge about -z", "slider"],
)
def test_position_zero_is_the_pose_of_the_file_turned_back(case: Zero) -> None:
    """A spring pulls to position 0, wherever the file has the end point."""
    spring = case.parameters + " springConstant 50 dampingConstant 20"
    sim = sim_of(joint(case.kind, spring, at=case.pose), world=FREE)
    sim.run(6.0)
    # the slowest of the overdamped rates is 2.9/s: 3e-8 of the way are left
    assert sim["ball"].position == pytest.approx(case.place, abs=1e-6)
    turn = b.turned((0, 0, 1), case.turn)
    assert abs(np.dot(sim["ball"].orientation, turn)) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize(("erp", "cfm"), [(-1.0, -1.0), (0.5, 1e-3)])
@pytest.mark.parametrize(("axis", "low", "high"), [("0 1 0", -1.0, 0.3), ("0 -1 0", -0.3, 1.0)])
def test_hinge_rests_on_its_stop_by_its_erp_and_cfm(
    erp: float, cfm: float, axis: str, low: float, high: float
) -> None:
    """erp/h*violation = cfm*moment, the moment being m g l cos(q); -1 means the values of the world."""
    parameters = f"axis {axis} anchor -0.2 0 0 minStop {low} maxStop {high}"
    text = joint("HingeJoint", f"{parameters} stopERP {erp} stopCFM {cfm}")
    sim = sim_of(text, world=AWAKE)
    sim.run(6.0)
    e, c = (erp, cfm) if erp > 0 else (0.2, 1e-5)
    beyond = c * G * 0.2 * math.cos(0.3) * H / e
    # the moment changes by tan(0.3)*beyond of itself over the violation
    assert abs(sim.joint("ball").position) == pytest.approx(0.3 + beyond, abs=beyond * 1e-3)


def test_equal_stops_are_no_stops_in_motion() -> None:
    """minStop = maxStop = 0.1: it falls through both."""
    sim = slider("minStop 0.1 maxStop 0.1", world=AWAKE)
    sim.run(0.5)
    assert sim["ball"].linear_velocity[2] == pytest.approx(-G * sim.time, rel=1e-9)


def test_static_friction_opposes_a_force() -> None:
    """Force control leaves the dry friction on: 5 N against 3 N accelerate 1 kg by 2 m/s^2."""
    sim = slider("staticFriction 3", 'LinearMotor { name "m" maxForce 100 }')
    sim.joint("m").effort = 5.0
    sim.step(100)
    assert sim["ball"].linear_velocity[2] == pytest.approx(2.0 * 100 * H, rel=1e-9)
    sim.joint("m").effort = 2.0
    sim.run(2.0)
    # 2 N do not overcome it: CFM lets 1e-5*2 m/s through
    assert sim["ball"].linear_velocity[2] == pytest.approx(CFM * 2.0, rel=1e-3)


@pytest.mark.parametrize(("static", "force"), [(3.0, 1.0), (1.0, 3.0)])
def test_motor_pushes_with_the_greater_of_friction_and_force(static: float, force: float) -> None:
    """fMax = max(staticFriction, available force)."""
    device = f'LinearMotor {{ name "m" maxForce {force} maxVelocity 100 }}'
    sim = slider(f"staticFriction {static}", device)
    sim.joint("m").target_velocity = 50.0
    sim.step(100)
    assert sim["ball"].linear_velocity[2] == pytest.approx(3.0 * 100 * H, rel=1e-9)


@pytest.mark.parametrize("stiffness", [10.0, 1e3, 1e6])
def test_spring_carries_a_weight_at_mg_over_k(stiffness: float) -> None:
    """Critically damped."""
    damping = 2 * math.sqrt(stiffness)
    sim = slider(f"springConstant {stiffness} dampingConstant {damping}", world=AWAKE)
    sim.run(8.0)
    # sqrt(10)/s for 8 s leave 2.6e-10 of the way, times 1 + 25
    assert sim["ball"].position[2] == pytest.approx(-G / stiffness, rel=1e-7)


@pytest.mark.parametrize(
    ("constant", "device"), [("dampingConstant 3", ""), ("", 'Brake { name "b" }')]
)
def test_damper_and_brake_divide_the_speed_each_step(constant: str, device: str) -> None:
    """v+ = v/(1 + h*c/m), from either of them."""
    sim = slider(constant, device, extra="linearVelocity 0 0 2")
    if device:
        sim.joint("b").brake = 3.0
    sim.step(50)
    assert sim["ball"].linear_velocity[2] == pytest.approx(2.0 / (1 + H * 3.0) ** 50, rel=1e-9)


def test_damping_of_a_jointed_body_takes_momenta_about_its_axis() -> None:
    """A ball 0.3 m off its hinge loses (m r^2 a + I b)/(m r^2 + I) of its rate per step.

    a and b are the shares 1 - (1 - d)^h of its linear and angular momentum.
    """
    linear, angular, arm, inertia = 0.3, 0.9, 0.3, 0.4 * 0.01
    physics = "physics Physics { density -1 mass 1 "
    damped = physics + f"damping Damping {{ linear {linear} angular {angular} }} "
    velocity = "linearVelocity 0 0.6 0 angularVelocity 0 0 2"
    text = joint("HingeJoint", "axis 0 0 1", at="0.3 0 0", extra=velocity)
    sim = sim_of(text.replace(physics, damped), world=FREE)
    sim.step(100)
    shares = [1 - (1 - d) ** H for d in (linear, angular)]
    lost = (arm**2 * shares[0] + inertia * shares[1]) / (arm**2 + inertia)
    assert sim.joint("ball").velocity == pytest.approx(2.0 * (1 - lost) ** 100, rel=1e-9)


def test_derivative_of_the_controller_counts_from_the_first_step() -> None:
    """V = p e + d (e - 0)/h when the memory is empty; setting gains empties it."""
    device = 'LinearMotor { name "m" maxForce 1e6 maxVelocity 1000 controlPID 10 0 0.01 }'
    sim = slider("", device)
    joint = sim.joint("m")
    joint.target_position = 1.0
    sim.step()
    # CFM takes cfm*m/h = 1.25e-3 of the change of speed
    assert joint.velocity == pytest.approx((10.0 + 0.01 / H) / (1 + CFM / H), rel=1e-9)
    error = 1.0 - joint.position
    before = joint.velocity
    joint.gains = (10.0, 0.0, 0.01)
    sim.step()
    wanted = 10.0 * error + 0.01 * error / H
    k = CFM / H
    assert joint.velocity == pytest.approx((wanted + k * before) / (1 + k), rel=1e-9)


def test_speed_limit_holds_in_position_control() -> None:
    """|V| <= |target velocity|, whatever its sign."""
    sim = slider("", 'LinearMotor { name "m" maxForce 1e6 maxVelocity 5 }')
    sim.joint("m").target_position = 1.0
    sim.joint("m").speed_limit = 0.3
    sim.step(100)
    assert sim["ball"].linear_velocity[2] == pytest.approx(0.3, rel=1e-6)


def test_unstable_gain_grows_as_the_recurrence_says() -> None:
    """p*h = 2.4 > 2: the error is multiplied by 1 - p*h = -1.4 per step."""
    sim = slider("", 'LinearMotor { name "m" maxForce 1e9 maxVelocity 1e9 controlPID 300 0 0 }')
    sim.joint("m").target_position = 0.01
    sim.step(10)
    # CFM takes 1.25e-3 of each change of speed, which are 2.4 times as great: 3 % in ten steps
    assert 0.01 - sim.joint("m").position == pytest.approx(0.01 * 1.4**10, rel=0.05)


# ---------------------------------------------------------------- tracks


def belt(physics: str, length: float = 5.0) -> str:
    """A belt 0.2 m high along x, on a robot that stands still."""
    return (
        'Robot { children [ Track { name "belt" device [ LinearMotor { name "m" maxForce 100 } '
        f'Brake {{ name "b" }} ] boundingObject Box {{ size {length} 0.5 0.2 }} {physics} }} ] }}'
    )


WITH_MASS = "physics Physics { density -1 mass 4 }"


def test_belt_sets_a_ball_rolling_at_two_sevenths_of_its_speed() -> None:
    """Impulse J at the lowest point: v = J/m, w r = 5/2 v the other way; v + w r = 0.3."""
    ball = (
        'Solid { name "ball" translation 0 0 0.1996 boundingObject Sphere { radius 0.1 } '
        "physics Physics { density -1 mass 1 } }"
    )
    world = "contactProperties [ ContactProperties { bounce 0 } ]"
    sim = sim_of(belt(WITH_MASS) + ball, world=world)
    sim.joint("m").target_velocity = 0.3
    sim.run(0.5)
    # it sinks in by 0.4 mm of its 100: the lever is that much shorter
    assert sim["ball"].linear_velocity[0] == pytest.approx(0.3 * 2 / 7, rel=8e-3)


@pytest.mark.parametrize(("brake", "steps"), [(0.0, 5), (30.0, 40)])
def test_brake_of_a_track_takes_from_its_force(brake: float, steps: int) -> None:
    """v = (F - c v_before)*h/m each step: a recurrence, not an integral."""
    sim = sim_of(belt(WITH_MASS), world=AWAKE)
    sim.joint("m").effort = 10.0
    sim.joint("b").brake = brake
    speed = 0.0
    for _ in range(steps):
        speed = (10.0 - brake * speed) * H / 4.0
    sim.step(steps)
    assert sim.joint("m").velocity == pytest.approx(speed, rel=1e-12)


def test_force_moves_no_track_without_a_body() -> None:
    """There is no mass to divide by."""
    sim = sim_of(belt(""), world=AWAKE)
    sim.joint("m").effort = 10.0
    sim.step(5)
    assert sim.joint("m").velocity == 0.0


# ---------------------------------------------------------------- propellers


@pytest.mark.parametrize("speed", [50.0, -50.0])
def test_advance_is_taken_along_the_axis_in_its_own_coordinates(speed: float) -> None:
    """A propeller along its own z, turned to push along x: V is the world's z velocity, T acts along x.

    T = t1 |w| w - t2 |w| V and Q = q1 |w| w - q2 |w| V, in the step after the shaft has its speed.
    """
    drone = (
        'Robot { name "drone" rotation 0 1 0 1.570796326794897 linearVelocity 0.7 0 0.2 children [ '
        "Propeller { shaftAxis 0 0 1 thrustConstants 0.02 0.4 torqueConstants 0.001 0.03 "
        'device RotationalMotor { name "m" maxVelocity 100 maxTorque 1e6 } } ] '
        "boundingObject Sphere { radius 0.1 } physics Physics { density -1 mass 1 } }"
    )
    sim = sim_of(drone, world=FREE)
    sim.joint("m").target_velocity = speed
    sim.step()
    thrust = 0.02 * 50.0 * speed - 0.4 * 50.0 * 0.2
    torque = 0.001 * 50.0 * speed - 0.03 * 50.0 * 0.2
    expected = (0.7 + thrust * H, 0.0, 0.2)
    assert sim["drone"].linear_velocity == pytest.approx(expected, abs=1e-12)
    # I = 2/5 m r^2
    spin = -torque * H / (0.4 * 0.01)
    assert sim["drone"].angular_velocity == pytest.approx((spin, 0.0, 0.0), abs=1e-9)
    assert sim.joint("m").feedback == pytest.approx(abs(thrust) + abs(torque), rel=1e-12)


def test_motor_that_drives_away_from_a_stop_goes_at_its_speed() -> None:
    """ODE has one row for motor and stop, and pushes with the full force for that step: 8 m/s."""
    motor = 'LinearMotor { name "m" maxForce 1000 maxVelocity 10 }'
    sim = slider("position 0 minStop 0 maxStop 1", motor)
    sim.joint("m").target_velocity = -0.5
    sim.step(10)
    sim.joint("m").target_velocity = 0.5
    for _ in range(3):
        sim.step()
        # CFM times the force that it takes, up to 125 N, is missing
        assert sim["ball"].linear_velocity[2] == pytest.approx(0.5, abs=125 * CFM)


def test_bodies_spin_at_ten_thousand_at_most() -> None:
    """[rad/s], in Webots as here."""
    ball = (
        'Solid { name "ball" angularVelocity 0 0 20000 boundingObject Sphere { radius 0.1 } '
        "physics Physics { density -1 mass 1 } }"
    )
    sim = sim_of(ball, world=FREE)
    sim.step(5)
    assert sim["ball"].angular_velocity == pytest.approx((0, 0, 10000), rel=1e-9, abs=1e-6)
