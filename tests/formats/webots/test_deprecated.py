"""Nodes and fields that Webots no longer has, and what they become."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from solidbody.formats.loading import read_scene
from solidbody.model.joints import JointFixed, JointFree, JointHinge, JointSlider, Stops
from solidbody.model.links import Motion
from solidbody.model.motors import Pid
from tests.formats.reading import (
    PHYSICS,
    SPHERE,
    assert_warning,
    codes,
    link_named,
    read,
    the,
)


def robot(*nodes: str, kind: str = "Robot", fields: str = "") -> str:
    """Return the text of a robot with these children."""
    return f"{kind} {{ {SPHERE} {PHYSICS} {fields} children [ {' '.join(nodes)} ] }}"


# Servo


def test_rotational_servo_is_a_hinge_with_motor_and_sensor() -> None:
    scene, log = read(
        robot(
            f'Servo {{ name "arm" translation 1 2 3 rotation 0 0 1 0.5 {SPHERE} {PHYSICS} position 0.5 '
            "maxVelocity 2 maxForce 3 controlP 4 acceleration 5 minPosition -1 maxPosition 1 "
            "minStop -2 maxStop 2 springConstant 6 dampingConstant 7 staticFriction 8 "
            "children Shape { geometry Box { } } }"
        )
    )
    assert_warning(log, "deprecated-node", "it is read as a HingeJoint or SliderJoint with a motor")
    link = link_named(scene, "arm")
    joint = link.joint
    assert isinstance(joint, JointHinge)
    assert (link.parent, link.motion, link.pose.position) == (0, Motion.DYNAMIC, (1, 2, 3))
    axis = joint.axis
    assert (axis.direction, joint.anchor, axis.position) == ((0, 0, 1), (1, 2, 3), 0.5)
    assert axis.stops == Stops(-2.0, 2.0)
    assert (axis.spring, axis.damping, axis.static_friction) == (6.0, 7.0, 8.0)
    motor, sensor = axis.motor, axis.sensor
    assert motor is not None and sensor is not None
    assert (motor.name, motor.max_velocity, motor.max_effort) == ("arm", 2.0, 3.0)
    assert (motor.range, motor.acceleration, motor.pid) == ((-1.0, 1.0), 5.0, Pid(4.0, 0.0, 0.0))
    assert sensor.name == "arm_sensor"


def test_linear_servo_is_a_slider() -> None:
    scene, _ = read(robot(f'Servo {{ name "lift" type "linear" {SPHERE} {PHYSICS} }}'))
    joint = link_named(scene, "lift").joint
    assert isinstance(joint, JointSlider)
    assert joint.axis.direction == (0.0, 1.0, 0.0)  # the axis of a rotation that is not written


def test_servo_without_physics_is_a_kinematic_joint() -> None:
    scene, _ = read(robot('Servo { name "neck" }'))
    link = link_named(scene, "neck")
    assert link.motion is Motion.KINEMATIC and isinstance(link.joint, JointHinge)


# DifferentialWheels, Supervisor


def test_wheels_of_a_differential_wheels_robot_turn() -> None:
    wheels = [
        f'Solid {{ name "{side} wheel" translation {x} 0 0 {SPHERE} {PHYSICS} }}'
        for side, x in (("left", -0.1), ("right", 0.1))
    ]
    fields = (
        "maxSpeed 5 maxAcceleration 6 maxForce 7 motorConsumption 2 encoderNoise 0.1 "
        "encoderResolution 100 axleLength 0.2 wheelRadius 0.03 speedUnit 0.1 slipNoise 0"
    )
    scene, log = read(robot(*wheels, kind="DifferentialWheels", fields=fields))
    assert_warning(log, "deprecated-node", "a Robot with two HingeJoint wheels")
    left = link_named(scene, "left wheel")
    joint = left.joint
    assert isinstance(joint, JointHinge)
    assert (left.parent, joint.anchor, joint.axis.direction) == (0, (-0.1, 0, 0), (-1, 0, 0))
    motor, sensor = joint.axis.motor, joint.axis.sensor
    assert motor is not None and sensor is not None
    assert (motor.name, motor.max_velocity, motor.acceleration) == ("left wheel motor", 5.0, None)
    assert (motor.max_effort, motor.consumption) == (7.0, 2.0)
    assert (sensor.name, sensor.noise) == ("left wheel sensor", 0.1)
    assert sensor.resolution == pytest.approx(0.01)
    assert isinstance(link_named(scene, "right wheel").joint, JointHinge)
    assert scene.bodies[0].robots[0].name == "differential wheels"


def test_wheel_names_elsewhere_are_only_not_merged() -> None:
    scene, log = read(robot(f'Solid {{ name "left wheel" {SPHERE} {PHYSICS} }}'))
    assert codes(log) == []
    assert isinstance(link_named(scene, "left wheel").joint, JointFree)


def test_supervisor_is_a_robot_that_supervises() -> None:
    scene, log = read('Supervisor { name "s" controller "c" }')
    assert_warning(log, "deprecated-node", "a Robot with supervisor TRUE")
    (found,) = scene.bodies[0].robots
    assert (found.name, found.controller, found.is_supervisor) == ("s", "c", True)


# contact properties in Physics


def test_contact_fields_of_physics_still_count() -> None:
    scene, log = read(
        f'WorldInfo {{ contactProperties [ ContactProperties {{ material2 "ice" softCFM 0.5 }} ] }} '
        f"Solid {{ {SPHERE} physics Physics {{ coulombFriction -1 bounce 0.1 bounceVelocity 0.2 "
        "forceDependentSlip 3 } }"
        f'Solid {{ name "floor" contactMaterial "ice" {SPHERE} }} Solid {{ name "wall" {SPHERE} }}'
    )
    assert codes(log) == ["deprecated-field"] * 4
    assert (
        "a ContactProperties node of WorldInfo for the solid's contactMaterial" in log.items[0].text
    )
    shape = scene.bodies[0].links[0].shapes[0]
    on_ice = scene.contacts.find(shape.contact_material, "ice")
    assert (on_ice.friction, on_ice.bounce, on_ice.soft_cfm) == ((math.inf,), 0.1, 0.5)
    assert (on_ice.bounce_velocity, on_ice.slip) == (0.2, (3.0,))
    on_wall = scene.contacts.find("default", shape.contact_material)
    assert (on_wall.friction, on_wall.soft_cfm) == ((math.inf,), 0.001)
    assert scene.contacts.find("default", "default").friction == (1.0,)


def test_two_solids_with_contact_fields_of_their_own_meet_in_the_middle() -> None:
    scene, _ = read(
        f'Solid {{ name "a" {SPHERE} physics Physics {{ coulombFriction 1 }} }} '
        f'Solid {{ name "b" {SPHERE} physics Physics {{ coulombFriction 2 bounce 0 }} }}'
    )
    a, b = (link.shapes[0].contact_material for link in scene.links())
    for first, second in ((a, b), (b, a)):
        found = scene.contacts.find(first, second)
        assert (found.friction, found.bounce) == ((1.5,), 0.0)


def test_solid_without_contact_fields_keeps_its_material() -> None:
    scene, _ = read(f"Solid {{ {SPHERE} {PHYSICS} }}")
    assert scene.bodies[0].links[0].shapes[0].contact_material == "default"
    assert scene.contacts.entries == ()


def test_orientation_turns_the_inertia_matrix() -> None:
    scene, _ = read(
        f"Solid {{ {SPHERE} physics Physics {{ density -1 mass 1 centerOfMass [ 0 0 0 ] "
        "inertiaMatrix [ 1 2 2.5, 0 0 0 ] orientation 0 0 1 1.5707963267948966 } }"
    )
    mass = scene.bodies[0].links[0].mass
    assert mass is not None
    assert mass.inertia == pytest.approx((2.0, 1.0, 2.5, 0.0, 0.0, 0.0), abs=1e-12)


# scale of solids before R2023b

SCALED = (
    "Solid { scale 2 2 2 translation 1 0 0 boundingObject Pose { translation 0 0 1 children "
    "Box { size 1 1 1 } } physics Physics { %s } children [ "
    "Pose { translation 0 1 0 children Shape { geometry Sphere { } } } "
    "HingeJoint { jointParameters HingeJointParameters { anchor 0 0 3 } endPoint Solid { "
    'name "end" translation 0 0 4 boundingObject Box { size 1 1 1 } physics Physics { } } } ] }'
)


def test_scale_of_a_solid_reaches_everything_below_it() -> None:
    scene, log = read(SCALED % "", release="R2023a")
    assert codes(log) == []
    link, end = scene.links()
    box, ball = link.shapes
    assert box.pose.position == (0.0, 0.0, 2.0)
    assert box.geometry.size == (2.0, 2.0, 2.0)  # type: ignore[union-attr]
    assert (ball.pose.position, ball.scale) == ((0.0, 2.0, 0.0), (2.0, 2.0, 2.0))
    assert link.pose.position == (1.0, 0.0, 0.0)
    assert end.pose.position == (0.0, 0.0, 8.0)
    assert isinstance(end.joint, JointHinge) and end.joint.anchor == (0.0, 0.0, 6.0)
    assert end.mass is not None and end.mass.mass == pytest.approx(8000.0)


@pytest.mark.parametrize("physics", ["", "density -1 mass 1000"])
def test_masses_grow_with_the_cube_and_inertias_with_the_fifth_power(physics: str) -> None:
    scene, _ = read(SCALED % physics, release="R2023a")
    mass = scene.bodies[0].links[0].mass
    assert mass is not None
    assert mass.mass == pytest.approx(8 * 1000.0)
    assert mass.center == pytest.approx((0.0, 0.0, 2.0))
    assert mass.inertia[0] == pytest.approx(32 * 1000.0 / 6.0)


def test_custom_inertia_grows_with_the_fifth_power() -> None:
    custom = "density -1 mass 1 centerOfMass [ 0 0 1 ] inertiaMatrix [ 1 1 1, 0 0 0 ]"
    scene, _ = read(SCALED % custom, release="R2023a")
    mass = scene.bodies[0].links[0].mass
    assert mass is not None
    assert (mass.mass, mass.center, mass.inertia[0]) == (8.0, (0.0, 0.0, 2.0), 32.0)


def test_unequal_scale_of_a_solid_with_physics_becomes_equal() -> None:
    scene, log = read(f"Solid {{ scale 1 3 1 {SPHERE} {PHYSICS} }}", release="R2023a")
    assert_warning(log, "value-reset", "got 1 3 1; changed to 3 3 3")
    geometry = scene.bodies[0].links[0].shapes[0].geometry
    assert geometry.radius == pytest.approx(0.3)  # type: ignore[union-attr]


def test_scale_that_is_not_positive_becomes_1() -> None:
    scene, log = read(f"Solid {{ scale 0 -2 1 {SPHERE} {PHYSICS} }}", release="R2023a")
    assert "what is not becomes 1" in the(log, "value-reset").text
    geometry = scene.bodies[0].links[0].shapes[0].geometry
    assert geometry.radius == pytest.approx(0.1)  # type: ignore[union-attr]


def test_solid_without_physics_may_have_unequal_scale() -> None:
    scene, log = read("Solid { scale 1 2 3 boundingObject Box { } }", release="R2023a")
    assert codes(log) == []
    link = scene.bodies[0].links[0]
    assert isinstance(link.joint, JointFixed)
    assert link.shapes[0].geometry.size == (2.0, 4.0, 6.0)  # type: ignore[union-attr]


def test_scale_in_an_old_proto_counts_in_a_new_world(tmp_path: Path) -> None:
    (tmp_path / "Old.proto").write_text(
        "#VRML_SIM R2022a utf8\nPROTO Old [ field SFVec3f scale 3 3 3 ] "
        "{ Solid { scale IS scale boundingObject Sphere { radius 0.1 } } }\n"
    )
    world = tmp_path / "w.wbt"
    world.write_text('#VRML_SIM R2025a utf8\nEXTERNPROTO "Old.proto"\nWorldInfo { }\nOld { }\n')
    scene, log = read_scene(world)
    assert scene is not None
    assert codes(log) == ["missing-node"]  # the viewpoint
    geometry = scene.bodies[0].links[0].shapes[0].geometry
    assert geometry.radius == pytest.approx(0.3)  # type: ignore[union-attr]
