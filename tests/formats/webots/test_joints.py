"""Joints, motors and the devices on their axes."""

from __future__ import annotations

import math

import pytest

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.model.joints import JointHinge, JointSlider, Stops, Suspension
from solidbody.model.motors import ControlMode, Motor
from solidbody.model.scene import Scene
from tests.formats.reading import (
    PHYSICS,
    SPHERE,
    assert_error,
    assert_warning,
    codes,
    read,
    read_clean,
)

END = f'Solid {{ name "end" {SPHERE} {PHYSICS} }}'


def robot(*joints: str) -> str:
    """Return the text of a robot with these joints."""
    return f"Robot {{ {SPHERE} {PHYSICS} children [ {' '.join(joints)} ] }}"


def hinge_text(parameters: str = "", devices: str = "", end: str = END) -> str:
    """Return the text of a hinge."""
    inner = f"jointParameters HingeJointParameters {{ {parameters} }}"
    return f"HingeJoint {{ {inner} device [ {devices} ] endPoint {end} }}"


def slider_text(parameters: str = "", devices: str = "") -> str:
    """Return the text of a slider."""
    inner = f"jointParameters JointParameters {{ {parameters} }}"
    return f"SliderJoint {{ {inner} device [ {devices} ] endPoint {END} }}"


def first_joint(scene: Scene) -> JointHinge | JointSlider:
    """Return the joint of the second link."""
    joint = scene.bodies[0].links[1].joint
    assert isinstance(joint, JointHinge | JointSlider)
    return joint


def hinge(parameters: str = "", devices: str = "") -> JointHinge:
    """Return the hinge of a robot without faults."""
    joint = first_joint(read_clean(robot(hinge_text(parameters, devices))))
    assert isinstance(joint, JointHinge)
    return joint


def hinge_log(parameters: str = "", devices: str = "") -> tuple[JointHinge, DiagnosticLog]:
    """Return the hinge of a robot, and what there was to say."""
    scene, log = read(robot(hinge_text(parameters, devices)))
    joint = first_joint(scene)
    assert isinstance(joint, JointHinge)
    return joint, log


def motor(fields: str = "", parameters: str = "") -> Motor:
    """Return the motor of a hinge without faults."""
    found = hinge(parameters, f"RotationalMotor {{ {fields} }}").axis.motor
    assert found is not None
    return found


def motor_log(fields: str, parameters: str = "") -> tuple[Motor, DiagnosticLog]:
    """Return the motor of a hinge, and what there was to say."""
    joint, log = hinge_log(parameters, f"RotationalMotor {{ {fields} }}")
    assert joint.axis.motor is not None
    return joint.axis.motor, log


# parameters


def test_axis_without_parameters_is_x_for_hinges_and_z_for_sliders() -> None:
    for name, axis in (("HingeJoint", (1.0, 0.0, 0.0)), ("SliderJoint", (0.0, 0.0, 1.0))):
        joint = first_joint(read_clean(robot(f"{name} {{ endPoint {END} }}")))
        assert joint.axis.direction == axis


def test_axis_is_normalised() -> None:
    assert hinge("axis 0 3 4").axis.direction == pytest.approx((0.0, 0.6, 0.8))


def test_null_axis_is_reset() -> None:
    joint, log = hinge_log("axis 0 0 0")
    assert_warning(log, "null-axis", "reset to 0 0 1")
    assert joint.axis.direction == (0.0, 0.0, 1.0)


def test_anchor_and_position_are_kept() -> None:
    joint = hinge("anchor 1 2 3 position 0.5")
    assert (joint.anchor, joint.axis.position) == ((1.0, 2.0, 3.0), 0.5)


def test_hidden_position_counts_without_parameters() -> None:
    joint = first_joint(read_clean(robot(f"HingeJoint {{ position 0.5 endPoint {END} }}")))
    assert joint.axis.position == 0.5


def test_equal_stops_are_no_stops() -> None:
    assert hinge().axis.stops is None
    assert hinge("minStop 0.5 maxStop 0.5").axis.stops is None


def test_stops_take_the_worlds_erp_and_cfm_unless_given() -> None:
    assert hinge("minStop -1 maxStop 1").axis.stops == Stops(-1.0, 1.0)
    stops = hinge("minStop -1 maxStop 1 stopERP 0.5 stopCFM 0.1").axis.stops
    assert stops == Stops(-1.0, 1.0, 0.5, 0.1)


def test_exchanged_stops_are_put_in_order() -> None:
    joint, log = hinge_log("minStop 1 maxStop -1")
    assert_warning(log, "value-reset", "they are exchanged")
    assert joint.axis.stops == Stops(-1.0, 1.0)


def test_position_outside_the_stops_is_reported() -> None:
    _, log = hinge_log("minStop -1 maxStop 1 position 2")
    assert_warning(log, "position-outside-stops", "position 2 lies outside")


@pytest.mark.parametrize("stops", ["minStop -4 maxStop 1", "minStop -1 maxStop 4"])
def test_stops_beyond_half_a_turn_are_not_effective(stops: str) -> None:
    _, log = hinge_log(stops)
    assert_warning(log, "stop-not-effective", "not effective")


def test_stops_of_a_slider_may_be_far_apart() -> None:
    joint = first_joint(read_clean(robot(slider_text("minStop -10 maxStop 10"))))
    assert joint.axis.stops == Stops(-10.0, 10.0)


@pytest.mark.parametrize("field", ["springConstant", "dampingConstant", "staticFriction"])
def test_negative_constants_become_positive(field: str) -> None:
    joint, log = hinge_log(f"{field} -3")
    assert_warning(log, "value-reset", "changed to 3")
    axis = joint.axis
    assert max(axis.spring, axis.damping, axis.static_friction) == 3.0


def test_suspension_needs_a_spring_or_a_damper() -> None:
    assert hinge("suspensionAxis 0 0 1").suspension is None
    joint = hinge("suspensionSpringConstant 5 suspensionAxis 0 0 2")
    assert joint.suspension == Suspension((0.0, 0.0, 1.0), 5.0, 0.0)


# names


def test_joint_is_named_after_its_motor_then_sensor_then_label_then_child() -> None:
    motor_and_sensor = 'PositionSensor { name "s" } RotationalMotor { name "m" }'
    assert hinge(devices=motor_and_sensor).name == "m"
    assert hinge(devices='PositionSensor { name "s" }').name == "s"
    assert first_joint(read_clean(robot("DEF J " + hinge_text()))).name == "J"
    assert hinge().name == "end"


def test_joint_names_are_unique_in_the_scene() -> None:
    joints = [
        hinge_text(devices="RotationalMotor { }", end=END.replace('"end"', f'"end {i}"'))
        for i in range(2)
    ]
    scene, log = read(robot(*joints))
    assert_warning(log, "duplicate-device", 'is also named "rotational motor"')
    names = [link.joint.name for link in scene.links() if isinstance(link.joint, JointHinge)]
    assert names == ["rotational motor", "rotational motor(1)"]


# devices


def test_motor_has_the_fields_of_its_node() -> None:
    found = motor(
        'name "m" acceleration 2 consumptionFactor 3 controlPID 4 5 6 maxVelocity 7 '
        'minPosition -1 maxPosition 1 maxTorque 8 multiplier 9 sound ""'
    )
    assert (found.name, found.acceleration, found.consumption) == ("m", 2.0, 3.0)
    assert (found.pid.p, found.pid.i, found.pid.d) == (4.0, 5.0, 6.0)
    assert (found.max_velocity, found.max_effort, found.multiplier) == (7.0, 8.0, 9.0)
    assert (found.range, found.sound, found.mode) == ((-1.0, 1.0), "", ControlMode.POSITION)


def test_motor_may_give_energy_back() -> None:
    """The e-puck of Webots has a consumption factor of -0.001: it is taken as it is."""
    assert motor("consumptionFactor -0.001").consumption == -0.001


def test_motor_defaults_are_those_of_webots() -> None:
    found = motor()
    assert (found.name, found.max_velocity, found.max_effort) == ("rotational motor", 10.0, 10.0)
    assert (found.range, found.acceleration, found.pid.p) == (None, None, 10.0)


def test_linear_motor_drives_a_slider() -> None:
    joint = first_joint(read_clean(robot(slider_text(devices="LinearMotor { maxForce 3 }"))))
    assert joint.axis.motor is not None
    assert (joint.axis.motor.name, joint.axis.motor.max_effort) == ("linear motor", 3.0)


def test_limits_of_the_motor_are_rated_limits_of_the_axis() -> None:
    axis = hinge(devices="RotationalMotor { maxVelocity 3 maxTorque 4 }").axis
    assert (axis.velocity_limit, axis.effort_limit) == (3.0, 4.0)
    assert (hinge().axis.velocity_limit, hinge().axis.effort_limit) == (math.inf, math.inf)


@pytest.mark.parametrize(
    ("fields", "attribute", "expected"),
    [
        ("maxVelocity -3", "max_velocity", 3.0),
        ("maxTorque -3", "max_effort", 10.0),
        ("acceleration -3", "acceleration", None),
        ("multiplier 0", "multiplier", 1.0),
    ],
)
def test_bad_motor_values_are_reset(fields: str, attribute: str, expected: float | None) -> None:
    found, log = motor_log(fields)
    assert codes(log) == ["value-reset"]
    assert getattr(found, attribute) == expected


def test_bad_gains_are_only_reported() -> None:
    found, log = motor_log("controlPID 0 -1 -2")
    assert codes(log) == ["bad-gain", "bad-gain", "bad-gain"]
    assert (found.pid.p, found.pid.i, found.pid.d) == (0.0, -1.0, -2.0)


def test_motor_limits_are_widened_to_the_start() -> None:
    found, log = motor_log("minPosition 0 maxPosition 1", "position -0.5")
    assert_warning(log, "motor-limits-widened", "widened to [-0.5, 1]")
    assert found.range == (-0.5, 1.0)


def test_motor_limits_outside_the_stops_are_reported() -> None:
    _, log = motor_log("minPosition -2 maxPosition 2", "minStop -1 maxStop 1")
    assert_warning(log, "motor-limits-outside-stops", "should lie inside the stops")


def test_sensor_and_brake_are_kept() -> None:
    axis = hinge(devices='PositionSensor { noise 0.1 resolution 0.2 } Brake { name "b" }').axis
    assert axis.sensor is not None and axis.brake is not None
    assert (axis.sensor.noise, axis.sensor.resolution, axis.brake.name) == (0.1, 0.2, "b")


def test_only_the_first_motor_counts() -> None:
    joint, log = hinge_log(devices='RotationalMotor { name "a" } RotationalMotor { name "b" }')
    assert_warning(log, "second-device", "only the first counts")
    assert joint.axis.motor is not None and joint.axis.motor.name == "a"


def test_motor_of_the_other_kind_is_left_out() -> None:
    joint, log = hinge_log(devices="LinearMotor { }")
    assert_error(
        log, "wrong-node", "a LinearMotor node is not allowed here (allowed: RotationalMotor"
    )
    assert joint.axis.motor is None


def test_devices_need_a_robot_above_them() -> None:
    text = hinge_text(devices="RotationalMotor { }")
    scene, log = read(f"Solid {{ {SPHERE} {PHYSICS} children [ {text} ] }}")
    assert_warning(log, "device-without-robot", "needs a Robot above it")
    assert first_joint(scene).axis.motor is None
