"""Where nodes may stand and what that makes of them (docs/behaviour: W1.2, W2.1, W3.1 to W3.4, W7.1)."""

from __future__ import annotations

import pytest

from solidbody.base.diagnostics import Severity
from solidbody.model.devices import DeviceConnector
from solidbody.model.joints import JointFixed, JointFree, JointHinge
from solidbody.model.links import Damping, Motion
from tests.formats.reading import (
    PHYSICS,
    SPHERE,
    assert_warning,
    codes,
    link_named,
    read,
    read_clean,
    the,
)

MOVING = f"{SPHERE} {PHYSICS}"
WRAPPINGS = {
    "directly": "%s",
    "in a Group": "Group { children %s }",
    "in a Pose": "Pose { translation 0 0 1 children %s }",
    "in a pair of Slots": "Slot { endPoint Slot { endPoint %s } }",
    "in all of them": "Group { children Pose { children Slot { endPoint Slot { endPoint %s } } } }",
}


# 2: the world


@pytest.mark.parametrize("node", ["WorldInfo", "Viewpoint", "Background", "Fog"])
def test_world_has_one_of_each_node_about_the_whole(node: str) -> None:
    _, log = read(f"{node} {{ }} {node} {{ }}")
    assert the(log, "second-node").text == f"a world has one {node} at most; only the first counts."


@pytest.mark.parametrize("node", ["WorldInfo", "Viewpoint"])
def test_missing_world_info_and_viewpoint_are_made(node: str) -> None:
    from solidbody.formats.loading import read_scene_text

    other = {"WorldInfo": "Viewpoint", "Viewpoint": "WorldInfo"}[node]
    scene, log = read_scene_text(f"#VRML_SIM R2025a utf8\n{other} {{ }}\n")
    assert scene is not None and scene.physics.time_step == 0.032
    (found,) = log.items
    assert (found.severity, found.text) == (
        Severity.INFO,
        f"the world has no {node}; defaults are used.",
    )


def test_use_may_stand_at_the_top() -> None:
    """Of the nearest node of that name before it: the inner one of two."""
    scene = read_clean(
        'DEF A Solid { translation 0 0 5 name "a" children DEF A Shape { geometry Sphere { } } } USE A'
    )
    assert [len(link.shapes) for link in scene.links()] == [1, 1]
    _, log = read("USE A")
    assert the(log, "undefined-use").text == 'no node before this place has the DEF name "A".'


def test_fractional_time_step_is_kept() -> None:
    assert read_clean("WorldInfo { basicTimeStep 0.5 }").physics.time_step == 0.0005


@pytest.mark.parametrize("time", ["0", "-1"])
def test_disable_time_up_to_zero_means_that_bodies_never_sleep(time: str) -> None:
    assert read_clean(f"WorldInfo {{ physicsDisableTime {time} }}").physics.sleeping is None


def test_world_erp_and_cfm_do_not_reach_contacts() -> None:
    scene = read_clean("WorldInfo { ERP 0.9 CFM 0.5 }")
    assert (scene.physics.erp, scene.physics.cfm) == (0.9, 0.5)
    assert (scene.contacts.default.soft_erp, scene.contacts.default.soft_cfm) == (0.2, 0.001)


# 3.1: where solids may stand


@pytest.mark.parametrize("wrapping", WRAPPINGS)
def test_solid_may_stand(wrapping: str) -> None:
    inner = WRAPPINGS[wrapping] % f'Solid {{ name "b" {MOVING} }}'
    scene = read_clean(f'Solid {{ name "a" {MOVING} children [ {inner} ] }}')
    (link,) = scene.bodies[0].links
    assert [frame.path for frame in link.frames] == ["a:b"]


def test_solid_below_a_transform_is_reported_and_not_scaled() -> None:
    scene, log = read("Transform { scale 2 2 2 children Solid { boundingObject Box { } } }")
    assert_warning(log, "solid-in-transform", "a Solid may not stand inside a Transform")
    assert scene.bodies[0].links[0].shapes[0].scale == (1.0, 1.0, 1.0)


def test_transform_without_scale_may_hold_a_solid_as_a_pose_may() -> None:
    scene = read_clean("Transform { translation 1 0 0 children Solid { boundingObject Box { } } }")
    assert scene.bodies[0].links[0].pose.position == (1.0, 0.0, 0.0)


# 3.2: names


@pytest.mark.parametrize("wrapping", WRAPPINGS)
def test_names_clash_whatever_lies_between_the_solids(wrapping: str) -> None:
    inner = WRAPPINGS[wrapping] % 'Solid { name "x" }'
    scene, log = read(f'Solid {{ name "a" children [ Solid {{ name "x" }} {inner} ] }}')
    found = assert_warning(log, "duplicate-name", 'another solid beside this one is also named "x"')
    assert found.field == "name"
    assert [link.path for link in scene.links()] == ["a", "a:x", "a:x(1)"]


def test_end_points_of_joints_are_siblings_of_other_solids() -> None:
    joint = f'HingeJoint {{ endPoint Solid {{ name "x" {MOVING} }} }}'
    _, log = read(f'Solid {{ {MOVING} children [ Solid {{ name "x" {MOVING} }} {joint} ] }}')
    assert codes(log) == ["duplicate-name"]


# 3.3: rows of the table of bounding objects that no other file tests


@pytest.mark.parametrize("node", ["Slot { }", "SpotLight { }", "DirectionalLight { }", "Fog { }"])
def test_nodes_that_are_no_forms_are_refused_in_bounding_objects(node: str) -> None:
    scene, log = read(f"Solid {{ boundingObject {node} }}")
    assert f"a {node.split()[0]} is not allowed in a bounding object" in log.items[0].text
    assert scene.bodies[0].links[0].shapes == ()


@pytest.mark.parametrize(
    ("node", "code"), [("IndexedFaceSet { }", "empty-geometry"), ("Mesh { }", "missing-mesh")]
)
def test_mesh_without_triangles_gives_the_default_mass(node: str, code: str) -> None:
    scene, log = read(f"Solid {{ boundingObject {node} {PHYSICS} }}")
    assert codes(log) == [code, "default-inertia"]
    mass = scene.bodies[0].links[0].mass
    assert mass is not None and (mass.mass, mass.inertia[:3]) == (1.0, (1.0, 1.0, 1.0))


def test_bounding_object_of_a_fluid_has_the_same_rules() -> None:
    scene, log = read("Fluid { boundingObject Group { children [ Cone { } Box { } ] } }")
    assert_warning(log, "illegal-bounding-object", "a Cone cannot be used in a bounding object")
    assert len(scene.fluids[0].shapes) == 1


# 3.4: bodies


def test_merging_goes_up_to_the_end_point_of_a_joint() -> None:
    inner = f'Solid {{ name "c" {MOVING} children Solid {{ name "d" {MOVING} }} }}'
    joint = f'HingeJoint {{ endPoint Solid {{ name "b" {MOVING} children {inner} }} }}'
    scene = read_clean(f'Solid {{ name "a" {MOVING} children {joint} }}')
    assert [link.name for link in scene.links()] == ["a", "b"]
    assert [frame.path for frame in link_named(scene, "b").frames] == ["a:b:c", "a:b:c:d"]


def test_merging_goes_up_to_the_last_solid_below_one_without_physics() -> None:
    inner = f'Solid {{ name "b" {MOVING} children Solid {{ name "c" {MOVING} }} }}'
    scene = read_clean(f'Solid {{ name "a" children {inner} }}')
    link = link_named(scene, "b")
    assert [link.name for link in scene.links()] == ["a", "b"]
    assert [frame.path for frame in link.frames] == ["a:b:c"]
    assert isinstance(link.joint, JointFixed) and link.parent == 0


def test_end_point_below_a_solid_without_physics_is_not_glued_to_the_world() -> None:
    joint = f'HingeJoint {{ endPoint Solid {{ name "b" {MOVING} }} }}'
    scene = read_clean(f'Solid {{ name "a" children {joint} }}')
    assert isinstance(link_named(scene, "b").joint, JointHinge)


def test_helix_stays_kinematic_and_does_not_merge() -> None:
    helix = f'fastHelix Solid {{ name "helix" {PHYSICS} }}'
    scene = read_clean(f'Robot {{ name "a" {MOVING} children Propeller {{ {helix} }} }}')
    link = link_named(scene, "helix")
    assert (link.motion, link.mass) == (Motion.KINEMATIC, None)


def test_members_without_damping_count_with_their_volume() -> None:
    """1 m^3 of four has 0.8: the mean is 0.2; the world's default does not come into it."""
    damped = "physics Physics { damping Damping { linear 0.8 angular 0 } }"
    small = f'Solid {{ name "b" boundingObject Box {{ size 1 1 1 }} {damped} }}'
    text = f"Solid {{ boundingObject Box {{ size 1 1 3 }} {PHYSICS} children [ {small} ] }}"
    scene = read_clean(f"WorldInfo {{ defaultDamping Damping {{ }} }} {text}")
    assert scene.bodies[0].links[0].damping == Damping(0.2, 0.0)


# 3.5: solids without physics


def test_velocity_of_a_solid_without_physics_is_kept() -> None:
    link = read_clean("Solid { linearVelocity 1 2 3 angularVelocity 4 5 6 }").bodies[0].links[0]
    assert (link.motion, link.linear_velocity, link.angular_velocity) == (
        Motion.KINEMATIC,
        (1.0, 2.0, 3.0),
        (4.0, 5.0, 6.0),
    )


def test_no_warning_about_the_bounding_object_of_an_end_point_without_physics() -> None:
    joint = f'HingeJoint {{ endPoint Solid {{ name "b" {SPHERE} }} }}'
    scene = read_clean(f"Robot {{ {MOVING} children {joint} }}")
    assert link_named(scene, "b").motion is Motion.KINEMATIC


# 7.1: joints


@pytest.mark.parametrize("wrapping", WRAPPINGS)
def test_joint_may_stand(wrapping: str) -> None:
    inner = WRAPPINGS[wrapping] % f'HingeJoint {{ endPoint Solid {{ name "b" {MOVING} }} }}'
    scene = read_clean(f'Solid {{ name "a" {MOVING} children [ {inner} ] }}')
    link = link_named(scene, "b")
    assert isinstance(link.joint, JointHinge) and link.parent == 0


def test_anchor_and_axis_are_in_the_nearest_pose() -> None:
    parameters = "jointParameters HingeJointParameters { axis 1 0 0 anchor 1 0 0 }"
    joint = f'HingeJoint {{ {parameters} endPoint Solid {{ name "b" {MOVING} }} }}'
    pose = f"Pose {{ translation 0 0 5 rotation 0 0 1 1.5707963267948966 children {joint} }}"
    found = link_named(read_clean(f"Solid {{ {MOVING} children {pose} }}"), "b").joint
    assert isinstance(found, JointHinge)
    assert found.anchor == pytest.approx((0.0, 1.0, 5.0))
    assert found.axis.direction == pytest.approx((0.0, 1.0, 0.0))


@pytest.mark.parametrize(
    ("joint", "device"),
    [
        ("HingeJoint", "RotationalMotor"),
        ("HingeJoint", "PositionSensor"),
        ("HingeJoint", "Brake"),
        ("SliderJoint", "LinearMotor"),
        ("SliderJoint", "PositionSensor"),
        ("SliderJoint", "Brake"),
    ],
)
def test_axis_has_one_device_of_each_kind(joint: str, device: str) -> None:
    devices = " ".join(f'{device} {{ name "{name}" }}' for name in "ab")
    text = f'{joint} {{ device [ {devices} ] endPoint Solid {{ name "b" {MOVING} }} }}'
    _, log = read(f"Robot {{ {MOVING} children {text} }}")
    assert_warning(
        log, "second-device", f"the joint already has a {device}; only the first counts."
    )


@pytest.mark.parametrize("device", ["RotationalMotor", "PositionSensor", "Brake"])
def test_joint_devices_need_a_robot_above_them(device: str) -> None:
    text = f'HingeJoint {{ device {device} {{ }} endPoint Solid {{ name "b" {MOVING} }} }}'
    _, log = read(f"Solid {{ {MOVING} children {text} }}")
    assert_warning(
        log, "device-without-robot", f"a {device} needs a Robot above it; it is left out."
    )


def test_joint_whose_end_point_alone_has_physics_holds_to_what_stands_still() -> None:
    joint = f'HingeJoint {{ endPoint Solid {{ name "b" {MOVING} }} }}'
    scene = read_clean(f'Solid {{ name "a" children {joint} }}')
    assert [link.motion for link in scene.links()] == [Motion.KINEMATIC, Motion.DYNAMIC]


def test_solid_without_joint_and_without_solid_above_is_free() -> None:
    assert isinstance(
        read_clean(f"Pose {{ children Solid {{ {MOVING} }} }}").bodies[0].links[0].joint, JointFree
    )


# 7.10, 9.0


def test_motor_of_a_track_has_no_muscles() -> None:
    motor = "device LinearMotor { muscles Muscle { } }"
    scene, log = read(f"Robot {{ {MOVING} children Track {{ {MOVING} {motor} }} }}")
    assert_warning(log, "muscle-in-track", "the motor of a Track has no muscles")
    assert all(len(link.devices) <= 1 for link in scene.links())


@pytest.mark.parametrize("device", ["Camera", "GPS", "LED", "Receiver"])
def test_devices_need_a_robot_above_them(device: str) -> None:
    _, log = read(f"Solid {{ children {device} {{ }} }}")
    assert_warning(log, "device-without-robot", f"a {device} needs a Robot above it")


@pytest.mark.parametrize("device", ["Connector", "VacuumGripper"])
def test_devices_that_others_hold_on_to_may_stand_on_any_solid(device: str) -> None:
    read_clean(f"Solid {{ children Pose {{ children {device} {{ }} }} }}")
    _, log = read(f"Group {{ children {device} {{ }} }}")
    assert_warning(log, "device-without-robot", f"a {device} needs a Robot above it")


def test_model_of_a_connector_is_the_key_that_it_fits_by() -> None:
    scene = read_clean('Robot { children Connector { model "magnetic" } }')
    (found,) = [device for link in scene.links() for device in link.devices]
    assert isinstance(found, DeviceConnector) and found.model == "magnetic"


def test_devices_belong_to_the_nearest_robot() -> None:
    inner = 'Robot { name "inner" children GPS { name "g" } }'
    read_clean(f'Robot {{ name "outer" children [ GPS {{ name "g" }} {inner} ] }}')
