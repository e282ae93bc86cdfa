"""Joints with several axes, loops, slots, tracks, propellers, muscles and coupled motors."""

from __future__ import annotations

import math

import pytest

from solidbody.base.transforms import Pose
from solidbody.model.devices import DeviceMuscle, DevicePropeller, DeviceTrackBelt
from solidbody.model.joints import (
    JointBall,
    JointFixed,
    JointHinge,
    JointHinge2,
    JointTrack,
    LoopBall,
    LoopGeneral,
    LoopHinge,
    Suspension,
)
from solidbody.model.links import Link, Motion
from solidbody.model.motors import Motor
from solidbody.model.scene import Scene
from tests.formats.reading import (
    PHYSICS,
    SPHERE,
    assert_warning,
    codes,
    link_named,
    read,
    read_clean,
)

END = f'Solid {{ name "end" translation 1 0 0 {SPHERE} {PHYSICS} }}'


def robot(*nodes: str, fields: str = "") -> str:
    """Return the text of a robot with these children."""
    return f"Robot {{ {SPHERE} {PHYSICS} {fields} children [ {' '.join(nodes)} ] }}"


def end_of(scene: Scene) -> Link:
    return link_named(scene, "end")


def hinge2(fields: str) -> JointHinge2:
    """Return the joint of a Hinge2Joint without faults."""
    joint = end_of(read_clean(robot(f"Hinge2Joint {{ {fields} endPoint {END} }}"))).joint
    assert isinstance(joint, JointHinge2)
    return joint


def ball(fields: str) -> JointBall:
    """Return the joint of a BallJoint without faults."""
    joint = end_of(read_clean(robot(f"BallJoint {{ {fields} endPoint {END} }}"))).joint
    assert isinstance(joint, JointBall)
    return joint


# Hinge2Joint


def test_hinge2_without_parameters_turns_about_x_then_z() -> None:
    joint = hinge2("")
    assert joint.axis1.direction == (1.0, 0.0, 0.0)
    assert joint.axis2.direction == (0.0, 0.0, 1.0)
    assert joint.anchor == (0.0, 0.0, 0.0)


def test_hinge2_parameters_devices_and_suspension() -> None:
    joint = hinge2(
        "jointParameters HingeJointParameters { axis 0 0 2 anchor 1 2 3 minStop -1 maxStop 1 "
        "suspensionSpringConstant 5 suspensionDampingConstant 2 suspensionAxis 0 0 1 } "
        "jointParameters2 JointParameters { axis 0 1 0 position 0.25 springConstant 3 } "
        'device [ RotationalMotor { name "steer" } ] '
        'device2 [ RotationalMotor { name "drive" } PositionSensor { name "s" } Brake { name "b" } ]'
    )
    assert (joint.anchor, joint.axis1.direction) == ((1.0, 2.0, 3.0), (0.0, 0.0, 1.0))
    assert joint.axis1.stops is not None and joint.axis1.stops.high == 1.0
    assert joint.suspension == Suspension((0.0, 0.0, 1.0), 5.0, 2.0)
    assert (joint.axis2.position, joint.axis2.spring) == (0.25, 3.0)
    assert joint.axis1.motor is not None and joint.axis1.motor.name == "steer"
    assert joint.axis2.motor is not None and joint.axis2.motor.name == "drive"
    assert joint.axis2.sensor is not None and joint.axis2.brake is not None


def test_second_axis_of_a_hinge2_is_carried_by_the_first() -> None:
    """At position pi/2 of the first axis (z), the second (x in the file) points along y."""
    joint = hinge2(
        "jointParameters HingeJointParameters { axis 0 0 1 position 1.5707963267948966 } "
        "jointParameters2 JointParameters { axis 1 0 0 }"
    )
    assert joint.axis2.direction == pytest.approx((0.0, 1.0, 0.0))


def test_hinge2_with_parallel_axes_uses_x_and_z() -> None:
    scene, log = read(
        robot(
            "Hinge2Joint { jointParameters HingeJointParameters { axis 0 1 0 } "
            f"jointParameters2 JointParameters {{ axis 0 -2 0 }} endPoint {END} }}"
        )
    )
    assert_warning(log, "parallel-axes", "1 0 0 and 0 0 1 are used instead")
    joint = end_of(scene).joint
    assert isinstance(joint, JointHinge2)
    assert (joint.axis1.direction, joint.axis2.direction) == ((1, 0, 0), (0, 0, 1))


def test_hidden_positions_of_a_joint_without_parameters() -> None:
    joint = hinge2("position 0.5 position2 0.75")
    assert (joint.axis1.position, joint.axis2.position) == (0.5, 0.75)


# BallJoint


def test_ball_joint_has_default_axes_x_y_z() -> None:
    joint = ball("jointParameters BallJointParameters { anchor 0 0 1 }")
    axes = [axis.direction for axis in (joint.axis1, joint.axis2, joint.axis3)]
    assert axes == [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
    assert joint.anchor == (0.0, 0.0, 1.0)


def test_missing_axis_of_a_ball_joint_is_a_cross_product() -> None:
    joint = ball("jointParameters2 JointParameters { axis 0 1 0 }")
    assert joint.axis1.direction == (0.0, 1.0, 0.0)
    assert joint.axis3.direction == (0.0, 0.0, -1.0)  # y x X
    joint = ball("jointParameters3 JointParameters { axis 0 1 0 }")
    assert joint.axis1.direction == (1.0, 0.0, 0.0)  # y x Z
    joint = ball("jointParameters2 JointParameters { axis 1 0 0 }")
    assert joint.axis3.direction == (0.0, -1.0, 0.0)  # X is parallel to X, so x x Z


def test_ball_joint_with_parallel_axes_uses_x_and_z() -> None:
    parameters = "JointParameters { axis 0 1 0 }"
    text = f"BallJoint {{ jointParameters2 {parameters} jointParameters3 {parameters} endPoint {END} }}"
    _, log = read(robot(text))
    assert_warning(log, "parallel-axes", "1 0 0 and 0 0 1 are used instead")


def test_spring_of_the_only_ball_parameters_holds_for_all_axes() -> None:
    joint = ball("jointParameters BallJointParameters { springConstant 2 dampingConstant 1 }")
    assert [axis.spring for axis in (joint.axis1, joint.axis2, joint.axis3)] == [2.0] * 3
    assert [axis.damping for axis in (joint.axis1, joint.axis2, joint.axis3)] == [1.0] * 3
    joint = ball(
        "jointParameters BallJointParameters { springConstant 2 } "
        "jointParameters2 JointParameters { axis 1 0 0 springConstant 5 }"
    )
    assert [axis.spring for axis in (joint.axis1, joint.axis2, joint.axis3)] == [2.0, 5.0, 0.0]


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        ("", (-math.pi / 2, math.pi / 2)),
        ("minPosition -3 maxPosition 1", (-math.pi / 2, 1.0)),
    ],
)
def test_second_motor_of_a_ball_joint_stays_within_a_quarter_turn(
    limits: str, expected: tuple[float, float]
) -> None:
    joint = ball(f"device2 [ RotationalMotor {{ {limits} }} ]")
    assert joint.axis2.motor is not None
    assert joint.axis2.motor.range == pytest.approx(expected)


def test_motors_of_all_three_axes() -> None:
    joint = ball(
        'device [ RotationalMotor { name "a" } ] device2 [ RotationalMotor { name "b" } ] '
        'device3 [ RotationalMotor { name "c" } ]'
    )
    motors = [axis.motor for axis in (joint.axis1, joint.axis2, joint.axis3)]
    assert [motor.name for motor in motors if motor] == ["a", "b", "c"]


def test_joint_of_a_part_without_physics_is_kinematic() -> None:
    text = 'BallJoint { endPoint Solid { name "end" } }'
    link = end_of(read_clean(robot(text)))
    assert link.motion is Motion.KINEMATIC
    assert isinstance(link.joint, JointBall)


# SolidReference


def loop_text(joint: str, name: str = "end", fields: str = "") -> str:
    slider = f"SliderJoint {{ endPoint {END} }}"
    return robot(slider, f'{joint} {{ {fields} endPoint SolidReference {{ solidName "{name}" }} }}')


def test_hinge_to_a_reference_closes_a_loop_with_both_ends() -> None:
    parameters = "jointParameters HingeJointParameters { axis 0 1 0 anchor 1 0 2 }"
    (loop,) = read_clean(loop_text("HingeJoint", fields=parameters)).bodies[0].loops
    assert isinstance(loop, LoopHinge)
    near, far = loop.ends
    assert (near.link, far.link) == ("robot", "robot:end")
    assert near.pose.position == (1.0, 0.0, 2.0)
    assert near.pose.direction((0.0, 0.0, 1.0)) == pytest.approx((0.0, 1.0, 0.0))
    assert far.pose.position == pytest.approx((0.0, 0.0, 2.0))  # the end stands at x = 1


def test_reference_may_come_before_the_solid() -> None:
    reference = 'BallJoint { endPoint SolidReference { solidName "end" } }'
    scene = read_clean(robot(reference, f"SliderJoint {{ endPoint {END} }}"))
    (loop,) = scene.bodies[0].loops
    assert isinstance(loop, LoopBall)


def test_reference_to_the_static_environment() -> None:
    (loop,) = read_clean(loop_text("BallJoint", "<static environment>")).bodies[0].loops
    assert loop.ends[1].link is None


@pytest.mark.parametrize(
    ("joint", "fields"),
    [
        ("HingeJoint", "device [ RotationalMotor { } ]"),
        ("HingeJoint", "jointParameters HingeJointParameters { springConstant 1 }"),
        ("SliderJoint", ""),
        ("Hinge2Joint", ""),
        ("BallJoint", "jointParameters BallJointParameters { dampingConstant 1 }"),
    ],
)
def test_loop_that_does_more_than_hold_keeps_its_joint(joint: str, fields: str) -> None:
    (loop,) = read_clean(loop_text(joint, fields=fields)).bodies[0].loops
    assert isinstance(loop, LoopGeneral)
    assert type(loop.joint).__name__ == "Joint" + joint.removesuffix("Joint")


def test_reference_to_an_unknown_solid_is_left_out() -> None:
    scene, log = read(loop_text("HingeJoint", "ends"))
    assert_warning(
        log, "unknown-solid", 'is named "ends"; the joint is left out. Did you mean "end"'
    )
    assert scene.bodies[0].loops == ()


def test_reference_to_the_solid_above_is_refused() -> None:
    _, log = read(loop_text("HingeJoint", "robot"))
    assert_warning(log, "loop-to-itself", '"robot" is the solid above the joint itself')


def test_slanted_joint_frames_agree_in_the_world() -> None:
    parameters = "jointParameters HingeJointParameters { axis 1 2 2 anchor 0 1 0 }"
    scene = read_clean(loop_text("HingeJoint", fields=parameters))
    links = {link.path: link for link in scene.links()}
    (loop,) = scene.bodies[0].loops
    worlds = []
    for end in loop.ends:
        assert end.link is not None
        link = links[end.link]
        base = links["robot"].pose * link.pose if link.parent is not None else link.pose
        worlds.append(base * end.pose)
    assert worlds[0].position == pytest.approx(worlds[1].position)
    assert worlds[0].direction((0, 0, 1)) == pytest.approx(worlds[1].direction((0, 0, 1)))
    assert worlds[0].direction((0, 0, 1)) == pytest.approx((1 / 3, 2 / 3, 2 / 3))


# Slot


def test_slots_pass_their_content_through() -> None:
    inner = f'Slot {{ type "wheel" endPoint Slot {{ type "wheel" endPoint {END} }} }}'
    scene = read_clean(robot(f"HingeJoint {{ endPoint {inner} }}"))
    assert isinstance(end_of(scene).joint, JointHinge)
    shape = "Slot { endPoint Shape { geometry Box { } } }"
    assert len(read_clean(robot(shape)).bodies[0].links[0].shapes) == 2


@pytest.mark.parametrize(("a", "b"), [("x+", "x-"), ("x-", "x+"), ("x", "x"), ("", "x"), ("x", "")])
def test_slots_that_fit(a: str, b: str) -> None:
    read_clean(robot(f'Slot {{ type "{a}" endPoint Slot {{ type "{b}" endPoint {END} }} }}'))


@pytest.mark.parametrize(("a", "b"), [("x+", "x+"), ("x", "y"), ("x+", "x")])
def test_slots_that_do_not_fit_hold_nothing(a: str, b: str) -> None:
    scene, log = read(robot(f'Slot {{ type "{a}" endPoint Slot {{ type "{b}" endPoint {END} }} }}'))
    found = assert_warning(
        log, "slot-types", f'a slot of type "{b}" does not fit one of type "{a}"'
    )
    assert "what it holds is left out" in found.text
    assert len(scene.bodies[0].links) == 1


def test_empty_slot_is_nothing() -> None:
    read_clean(robot("Slot { }", "Slot { endPoint Slot { } }"))
    _, log = read(robot("HingeJoint { endPoint Slot { } }"))
    assert codes(log) == ["joint-without-end"]


# Track


TRACK = (
    f'Track {{ name "left" translation 0 1 0 rotation 0 0 1 1.5707963267948966 {SPHERE} {PHYSICS} '
    'device [ LinearMotor { name "belt" maxForce 7 } PositionSensor { name "s" } ] '
    "textureAnimation 2 0 geometriesCount 4 "
    "animatedGeometry Pose { translation 0 0 1 children Shape { geometry Box { } } } children [ "
    "TrackWheel { position 1 2 radius 0.3 inner FALSE children Shape { geometry Sphere { } } } "
    "Group { children TrackWheel { } } ] }"
)


def test_track_gets_a_link_whose_surface_moves() -> None:
    scene = read_clean(robot(TRACK))
    link = link_named(scene, "left")
    assert isinstance(link.joint, JointTrack)
    assert (link.motion, link.parent) == (Motion.DYNAMIC, 0)
    assert link.joint.direction == pytest.approx((0.0, 1.0, 0.0))
    assert link.joint.up == pytest.approx((0.0, 0.0, 1.0))
    motor, sensor = link.joint.axis.motor, link.joint.axis.sensor
    assert motor is not None and (motor.name, motor.max_effort) == ("belt", 7.0)
    assert sensor is not None


def test_belt_of_a_track() -> None:
    (belt,) = link_named(read_clean(robot(TRACK)), "left").devices
    assert isinstance(belt, DeviceTrackBelt)
    assert [(w.position, w.radius, w.inner) for w in belt.wheels] == [
        ((1.0, 2.0), 0.3, False),
        ((0.0, 0.0), 0.1, True),
    ]
    assert (belt.texture_velocity, belt.element_count) == ((2.0, 0.0), 4)
    assert belt.element is not None and belt.element.pose.position == (0.0, 0.0, 1.0)


def test_the_belt_of_a_scaled_track_is_scaled() -> None:
    """Solids had a scale before R2023a: wheels, elements and where they stand become half as large."""
    text = robot(TRACK).replace('name "left"', 'name "left" scale 0.5 0.5 0.5')
    scene, _ = read(text.replace("Pose {", "Transform {"), release="R2022a")
    (belt,) = link_named(scene, "left").devices
    assert isinstance(belt, DeviceTrackBelt)
    assert [(w.position, w.radius) for w in belt.wheels] == [((0.5, 1.0), 0.15), ((0, 0), 0.05)]
    assert belt.element is not None
    assert (belt.element.pose.position, belt.element.scale) == ((0, 0, 0.5), (0.5, 0.5, 0.5))


def test_shapes_of_track_wheels_are_drawn_at_their_places() -> None:
    link = link_named(read_clean(robot(TRACK)), "left")
    assert link.shapes[1].pose.position == (1.0, 0.0, 2.0)


def test_track_without_physics_on_a_dynamic_robot_does_not_collide() -> None:
    scene, log = read(robot(f'Track {{ name "t" {SPHERE} }}'))
    assert_warning(log, "collision-ignored", "its bounding object does nothing")
    assert link_named(scene, "t").shapes == ()


def test_track_at_a_joint_says_that_its_surface_stands_still() -> None:
    text = f'HingeJoint {{ endPoint Track {{ name "t" {SPHERE} {PHYSICS} }} }}'
    scene, log = read(robot(text))
    assert_warning(log, "track-on-joint", "its surface does not move")
    assert isinstance(link_named(scene, "t").joint, JointHinge)


# Propeller


def propeller(fields: str) -> tuple[Scene, DevicePropeller]:
    scene = read_clean(robot(f"Pose {{ translation 0 0 1 children Propeller {{ {fields} }} }}"))
    (device,) = scene.bodies[0].links[0].devices
    assert isinstance(device, DevicePropeller)
    return scene, device


def test_propeller_with_all_fields() -> None:
    _, device = propeller(
        "shaftAxis 0 0 2 centerOfThrust 1 0 0 thrustConstants 3 4 torqueConstants 5 6 "
        'fastHelixThreshold 7 device RotationalMotor { name "m" maxTorque 9 }'
    )
    assert device.pose == Pose((0.0, 0.0, 1.0))
    assert (device.shaft_axis, device.center_of_thrust) == ((0, 0, 1), (1, 0, 0))
    assert (device.thrust_constants, device.torque_constants) == ((3, 4), (5, 6))
    assert (device.fast_threshold, device.name) == (7.0, "m")
    assert device.motor is not None and device.motor.max_effort == 9.0


def test_helices_are_kinematic_links_even_with_physics() -> None:
    helix = f'Solid {{ name "%s" {PHYSICS} children Shape {{ geometry Box {{ }} }} }}'
    scene, device = propeller(f"fastHelix {helix % 'fast'} slowHelix {helix % 'slow'}")
    assert (device.fast_helix, device.slow_helix) == ("robot:fast", "robot:slow")
    for name in ("fast", "slow"):
        link = link_named(scene, name)
        assert (link.motion, link.parent) == (Motion.KINEMATIC, 0)
        assert isinstance(link.joint, JointFixed)


def test_null_shaft_axis_becomes_y() -> None:
    scene, log = read(robot("Propeller { shaftAxis 0 0 0 }"))
    assert_warning(log, "null-axis", "reset to 0 1 0")
    (device,) = scene.bodies[0].links[0].devices
    assert isinstance(device, DevicePropeller) and device.shaft_axis == (0.0, 1.0, 0.0)


def test_propeller_on_a_solid_without_physics_pushes_nothing() -> None:
    _, log = read("Robot { children Propeller { } }")
    assert_warning(log, "propeller-without-physics", "nothing is pushed")


# Muscle


def test_muscle_between_the_links_of_a_joint() -> None:
    muscle = "Muscle { volume 0.5 startOffset 1 0 0 endOffset 0 1 0 color [ 1 0 0 ] visible FALSE }"
    motor = f'RotationalMotor {{ name "m" muscles [ {muscle} ] }}'
    scene = read_clean(robot(f"HingeJoint {{ device [ {motor} ] endPoint {END} }}"))
    (device,) = scene.bodies[0].links[0].devices
    assert isinstance(device, DeviceMuscle)
    assert (device.motor, device.end, device.volume) == ("m", "robot:end", 0.5)
    assert (device.start_offset, device.end_offset) == ((1, 0, 0), (0, 1, 0))
    assert (device.colors, device.is_visible) == (((1.0, 0.0, 0.0),), False)


# coupled motors


def coupled(*motors: str) -> tuple[list[Motor], list[str]]:
    """Return the motors of a robot with one hinge for each, and the messages about them."""
    joints = [
        f"HingeJoint {{ device [ RotationalMotor {{ {fields} }} ] "
        f'endPoint Solid {{ name "e{i}" {SPHERE} {PHYSICS} }} }}'
        for i, fields in enumerate(motors)
    ]
    scene, log = read(robot(*joints))
    found = [link.joint.axis.motor for link in scene.links() if isinstance(link.joint, JointHinge)]
    return [motor for motor in found if motor], [item.text for item in log]


def test_coupled_motors_that_agree_say_nothing() -> None:
    motors, messages = coupled(
        'name "g::a" minPosition -1 maxPosition 2 maxVelocity 3',
        'name "g::b" multiplier -2 minPosition -4 maxPosition 2 maxVelocity 6',
    )
    assert messages == []
    assert [motor.range for motor in motors] == [(-1.0, 2.0), (-4.0, 2.0)]


def test_limits_of_coupled_motors_follow_the_first() -> None:
    motors, messages = coupled(
        'name "g::a" minPosition -1 maxPosition 2 maxVelocity 3',
        'name "g::b" multiplier -0.5 minPosition -9 maxPosition 9',
    )
    assert motors[1].range == (-1.0, 0.5)
    assert motors[1].max_velocity == 1.5
    assert 'do not fit those of the coupled motor "g::a"; changed to [-1, 0.5]' in messages[0]
    assert (
        'maxVelocity does not fit that of the coupled motor "g::a"; changed to 1.5' in messages[1]
    )


def test_coupled_motors_are_unlimited_if_the_first_is() -> None:
    limited = 'name "g::{}" minPosition -1 maxPosition 2'
    motors, messages = coupled('name "g::a"', limited.format("b"))
    assert [motor.range for motor in motors] == [None, None]
    assert len(messages) == 1 and "changed to unlimited" in messages[0]
    motors, messages = coupled(limited.format("a"), 'name "g::b"')
    assert [motor.range for motor in motors] == [(-1.0, 2.0), (-1.0, 2.0)]
    assert len(messages) == 1 and "changed to [-1, 2]" in messages[0]


def test_coupled_name_without_others_warns() -> None:
    _, messages = coupled('name "g::a"', 'name "h"')
    assert messages == [
        'no other motor of the robot is named "g::...", so it is coupled with none.'
    ]


def test_parameters_of_unused_axes_may_be_null() -> None:
    joint = hinge2("jointParameters NULL jointParameters2 NULL")
    assert joint.axis2.direction == (0.0, 0.0, 1.0)
    joint = ball("jointParameters NULL jointParameters2 NULL jointParameters3 NULL")
    assert joint.axis3.direction == (0.0, 0.0, 1.0)
