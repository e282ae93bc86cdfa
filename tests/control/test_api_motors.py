"""Motors, brakes and position sensors, from controllers in processes of their own."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from tests.control.projects import Project

ARM = """
HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 anchor 0 0 5 }
  device [ RotationalMotor { name "arm" maxVelocity 4 maxTorque 50 minPosition -1 maxPosition 1 }
    PositionSensor { name "arm sensor" } Brake { name "arm brake" } ]
  endPoint Solid { translation 0 0 5 name "arm" boundingObject Box { size 0.1 0.1 0.1 }
    physics Physics { density -1 mass 1 } } }
SliderJoint { jointParameters JointParameters { axis 0 0 1 }
  device [ LinearMotor { name "lift" maxForce 100 } ]
  endPoint Solid { translation 0 0 9 name "lift" boundingObject Box { size 0.1 0.1 0.1 }
    physics Physics { density -1 mass 2 } } }
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_motors_know_their_limits_and_companions(project: Project) -> None:
    """Every getter, by method and by property."""
    out = project.exercise(
        """
        arm, lift = robot.getDevice("arm"), robot.getDevice("lift")
        out["facts"] = [arm.getMinPosition(), arm.getMaxPosition(), arm.getVelocity(),
            arm.getMaxVelocity(), arm.getAcceleration(), arm.getAvailableTorque(),
            arm.getMaxTorque(), arm.getMultiplier(), arm.getTargetPosition()]
        out["properties"] = [arm.min_position, arm.max_position, arm.target_velocity,
            arm.max_velocity, arm.target_acceleration, arm.available_torque, arm.max_torque,
            arm.multiplier, arm.target_position]
        out["lift"] = [lift.getAvailableForce(), lift.getMaxForce(), lift.available_force,
            lift.max_force]
        out["types"] = [arm.getType() == Motor.ROTATIONAL, lift.getType() == Motor.LINEAR,
            arm.getPositionSensor().type == Motor.ROTATIONAL, arm.getBrake().getType() == 0]
        sensor, brake = arm.getPositionSensor(), arm.getBrake()
        out["names"] = [sensor.getName(), brake.getName(), sensor.getMotor().name,
            sensor.getBrake().name, brake.getMotor().name, brake.getPositionSensor().name]
        out["none"] = [lift.getBrake(), lift.position_sensor]
        out["node types"] = [arm.getNodeType(), lift.getNodeType(), brake.node_type]
        """,
        devices=ARM,
    )
    assert out["facts"] == out["properties"] == [-1, 1, 4, 4, -1, 50, 50, 1, 0]
    assert out["lift"] == [100] * 4
    assert out["types"] == [True] * 4
    assert out["names"] == ["arm sensor", "arm brake", "arm", "arm brake", "arm", "arm sensor"]
    assert out["none"] == [None, None]
    # ROTATIONAL_MOTOR, LINEAR_MOTOR and BRAKE in Webots' nodes.h
    assert out["node types"] == [57, 50, 37]


def test_position_velocity_and_force_control(project: Project) -> None:
    """P control closes 1 - 10 * 0.008 of the error per step; velocity and limits as commanded."""
    out = project.exercise(
        """
        arm, sensor = robot.getDevice("arm"), robot.getDevice("arm sensor")
        sensor.enable(8)
        out["first"] = sensor.getValue()
        arm.setPosition(0.1)
        robot.step(8)
        out["step"] = sensor.value
        arm.setControlPID(5, 0, 0)
        robot.step(8)
        out["next"] = sensor.getValue()
        arm.setAcceleration(10.0)
        arm.setPosition(float("inf"))
        arm.setVelocity(-1.0)
        robot.step(8)
        out["velocity"] = sensor.getVelocity()
        for _ in range(20):
            robot.step(8)
        out["later"] = sensor.velocity
        arm.setPosition(3.0)
        arm.setVelocity(9.0)
        robot.step(8)
        out["targets"] = [arm.getTargetPosition(), arm.getVelocity()]
        arm.setAvailableTorque(20.0)
        arm.setTorque(30.0)
        robot.step(8)
        arm.setAvailableTorque(80.0)
        arm.setAvailableTorque(-1.0)
        arm.setAcceleration(-3.0)
        arm.setPosition(float("nan"))
        arm.setVelocity(float("nan"))
        robot.step(8)
        out["available"] = arm.available_torque
        """,
        devices=ARM,
    )
    assert math.isnan(out["first"])
    # the softness of the motor's row: cfm 1e-5 against an inertia of 1/600 kg m^2
    assert out["step"] == pytest.approx(0.1 * 10 * 0.008, rel=1e-3)
    assert out["next"] == pytest.approx(out["step"] + (0.1 - out["step"]) * 5 * 0.008, rel=1e-3)
    assert abs(out["velocity"]) < 0.5, "it cannot turn round at once"
    assert out["later"] == pytest.approx(-1.0, rel=1e-3)
    assert out["targets"] == [3, 9], "what was asked for, whatever the limits leave of it"
    assert out["available"] == 80, "what was asked for"
    errors = "\n".join(project.errors())
    for text in (
        "arm: too big requested position: 3 > maxPosition 1",
        "arm: The requested velocity 9 exceeds 'maxVelocity' = 4",
        "arm: The requested motor force 30 exceeds the available 20",
        "arm: The requested available force 80 exceeds 50",
        "Motor.setAvailableForce() called with a negative value",
        "Motor.setAcceleration() called with a negative value",
        "Motor.setPosition() called with NaN",
        "Motor.setVelocity() called with NaN",
    ):
        assert text in errors


def test_only_a_position_ends_force_control(project: Project) -> None:
    """A velocity alone does not: the torque goes on accelerating by T h/I per step, I = 1/600 kg m^2."""
    out = project.exercise(
        """
        arm, sensor = robot.getDevice("arm"), robot.getDevice("arm sensor")
        sensor.enable(8)
        arm.setTorque(0.01)
        for _ in range(10):
            robot.step(8)
        arm.setVelocity(3.0)
        for _ in range(10):
            robot.step(8)
        out["pushed"] = sensor.velocity
        arm.setPosition(float("inf"))
        for _ in range(3):
            robot.step(8)
        out["driven"] = sensor.velocity
        """,
        devices=ARM,
    )
    # the arm's centre is in its axis: gravity has no part in it
    assert out["pushed"] == pytest.approx(0.01 * 0.008 * 600 * 20, rel=1e-6)
    assert out["driven"] == pytest.approx(3.0, rel=1e-3)


def test_forces_are_fed_back(project: Project) -> None:
    """A slider that carries 2 kg against gravity feels 2 * 9.81 N; off it says nothing."""
    out = project.exercise(
        """
        lift, arm = robot.getDevice("lift"), robot.getDevice("arm")
        out["off"] = [lift.getForceFeedback(), lift.getForceFeedbackSamplingPeriod()]
        lift.enableForceFeedback(8)
        arm.enableTorqueFeedback(16)
        for _ in range(10):
            robot.step(8)
        out["force"] = lift.getForceFeedback()
        out["same"] = lift.force_feedback == lift.getForceFeedback()
        out["torque"] = [arm.getTorqueFeedback(), arm.torque_feedback]
        out["periods"] = [lift.force_feedback_sampling_period,
            arm.getTorqueFeedbackSamplingPeriod()]
        lift.setForce(30.0)
        robot.step(8); robot.step(8)
        out["pushed"] = lift.getForceFeedback()
        lift.disableForceFeedback()
        arm.disableTorqueFeedback()
        out["over"] = [lift.getForceFeedbackSamplingPeriod(), arm.torque_feedback_sampling_period]
        """,
        devices=ARM,
    )
    assert math.isnan(out["off"][0]) and out["off"][1] == 0
    # the lift stands still after ten steps, up to the softness of its motor
    assert abs(out["force"]) == pytest.approx(2 * 9.81, rel=1e-2)
    # as in Webots, whose joint bears nothing along its axis while a program pushes what it holds
    assert out["pushed"] == pytest.approx(0.0, abs=1e-6)
    assert out["same"] and out["torque"][0] == out["torque"][1]
    assert abs(out["torque"][0]) < 1e-6, "the arm's weight is in its axis"
    assert (out["periods"], out["over"]) == ([8, 16], [0, 0])


def test_brakes_slow_a_free_joint(project: Project) -> None:
    """A motor without torque lets the arm spin; damping c on the inertia I takes c h / I per step."""
    out = project.exercise(
        """
        arm, sensor = robot.getDevice("arm"), robot.getDevice("arm sensor")
        sensor.enable(8)
        arm.setPosition(float("inf"))
        arm.setVelocity(2.0)
        robot.step(8); robot.step(8); robot.step(8)
        arm.setAvailableTorque(0.0)
        robot.step(8); robot.step(8)
        out["free"] = sensor.getVelocity()
        robot.getDevice("arm brake").setDampingConstant(0.05)
        robot.step(8)
        out["braked"] = sensor.getVelocity()
        robot.getDevice("arm brake").setDampingConstant(-1.0)
        robot.step(8)
        """,
        devices=ARM,
    )
    assert out["free"] == pytest.approx(2.0, rel=1e-3)
    inertia = 1.0 / 6.0 * 0.1**2
    # implicit damping: v' = v / (1 + c h / I)
    assert out["braked"] == pytest.approx(out["free"] / (1 + 0.05 * 0.008 / inertia), rel=1e-2)
    assert "got a negative value" in "\n".join(project.errors())


def test_coupled_motors_follow_each_other(project: Project) -> None:
    """One command, each with its own multiplier."""
    out = project.exercise(
        """
        for name in ("a", "b"):
            robot.getDevice("sensor " + name).enable(8)
        robot.getDevice("wheel::a").setPosition(float("inf"))
        robot.getDevice("wheel::a").setVelocity(1.0)
        for _ in range(5):
            robot.step(8)
        out["speeds"] = [robot.getDevice("sensor " + name).getVelocity() for name in ("a", "b")]
        """,
        devices="".join(
            f"""HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 1 0 anchor {x} 0 7 }}
              device [ RotationalMotor {{ name "wheel::{name}" multiplier {m} maxVelocity {v} }}
                PositionSensor {{ name "sensor {name}" }} ]
              endPoint Solid {{ translation {x} 0 7 name "w{name}" boundingObject Sphere {{ radius 0.1 }}
                physics Physics {{ density -1 mass 1 }} }} }}"""
            for name, x, m, v in (("a", 0, 1, 10), ("b", 2, -2, 20))
        ),
    )
    assert out["speeds"] == pytest.approx([1.0, -2.0], rel=1e-2)


def test_motors_tell_what_was_asked_for_and_go_as_far_as_they_may(project: Project) -> None:
    """As in Webots' library; a negative velocity is for motors that turn without end."""
    out = project.exercise(
        """
        arm = robot.getDevice("arm")
        for target in (9.0, -0.5, math.inf):
            arm.setPosition(target)
            robot.step(8)
            out[str(target)] = arm.getTargetPosition()
        arm.setVelocity(-9.0)
        arm.setAvailableTorque(1e6)
        robot.step(8)
        out["velocity"] = arm.getVelocity()
        out["available"] = arm.getAvailableTorque()
        arm.setVelocity(2.0)
        arm.setPosition(9.0)
        arm.setVelocity(-1.0)
        for _ in range(200):
            robot.step(8)
        sensor = arm.getPositionSensor()
        sensor.enable(8)
        robot.step(8)
        out["end"] = [arm.getVelocity(), round(sensor.getValue(), 3)]
        """,
        devices=ARM,
        seconds=3.0,
    )
    assert out.pop("end") == [2.0, 1.0]
    assert out == {
        "9.0": 9.0,
        "-0.5": -0.5,
        "inf": math.inf,
        "velocity": -9.0,
        "available": 1e6,
    }
    assert any(
        "negative velocity (-1) while the motor goes to a position (9)" in line
        for line in project.errors()
    )


def test_coupled_motors_tell_what_the_others_were_asked_for_times_their_multiplier(
    project: Project,
) -> None:
    """The one that was asked tells it as it was."""
    joint = (
        'HingeJoint {{ device [ RotationalMotor {{ name "a::{0}" multiplier {1} maxVelocity {2} '
        "maxPosition {3} minPosition {4} }} ] }} "
    )
    out = project.exercise(
        """
        motors = [robot.getDevice(name) for name in ("a::b", "a::c")]
        motors[0].setVelocity(30.0)
        motors[0].setPosition(3.0)
        robot.step(8)
        out["targets"] = [motor.getTargetPosition() for motor in motors]
        out["velocities"] = [motor.getVelocity() for motor in motors]
        """,
        devices=joint.format("b", 2, 10, 1, -1) + joint.format("c", -4, 20, 2, -2),
    )
    assert out == {"targets": [3.0, -12.0], "velocities": [30.0, -120.0]}


def test_motors_of_joints_without_end_work_and_coupled_ones_tell_of_each_other(
    project: Project,
) -> None:
    """Nothing hangs on the joints; a motor whose name has no mark is not coupled."""
    names = ("a", "a::b", "a::c")
    joint = (
        'HingeJoint {{ device [ RotationalMotor {{ name "{0}" maxVelocity 10 }} '
        'PositionSensor {{ name "{0} sensor" }} ] }} '
    )
    out = project.exercise(
        """
        motors = [robot.getDevice(name) for name in ("a", "a::b", "a::c")]
        sensors = [motor.getPositionSensor() for motor in motors]
        for sensor in sensors:
            sensor.enable(8)
        motors[2].setVelocity(2.5)
        motors[2].setPosition(0.25)
        for _ in range(40):
            robot.step(8)
        out["targets"] = [motor.getTargetPosition() for motor in motors]
        out["velocities"] = [motor.getVelocity() for motor in motors]
        out["positions"] = [sensor.getValue() for sensor in sensors]
        """,
        devices="".join(joint.format(name) for name in names),
    )
    assert out["targets"] == [0.0, 0.25, 0.25]
    assert out["velocities"] == [10.0, 2.5, 2.5]
    assert out["positions"] == pytest.approx([0.0, 0.25, 0.25], abs=1e-9)
