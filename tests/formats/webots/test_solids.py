"""Which solid becomes a link, which is merged, and what holds it (the table in lower/solids.py)."""

from __future__ import annotations

import math

import pytest

from solidbody.base.transforms import Pose
from solidbody.model.geometry import GeometryBox, GeometryPlane, GeometrySphere
from solidbody.model.joints import JointFixed, JointFree, JointHinge, JointSlider
from solidbody.model.links import Damping, Motion
from solidbody.model.scene import world_poses
from solidbody.model.shapes import ShapeRole
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

SPHERE_MASS = 1000.0 * 4.0 / 3.0 * math.pi * 0.1**3


def solid(name: str, *fields: str, kind: str = "Solid") -> str:
    """Return the text of a named solid."""
    return f'{kind} {{ name "{name}" {" ".join(fields)} }}'


def children(*nodes: str) -> str:
    """Return the text of a children field."""
    return f"children [ {' '.join(nodes)} ]"


def moving(name: str, *fields: str, kind: str = "Solid") -> str:
    """Return the text of a solid with physics and a sphere."""
    return solid(name, SPHERE, PHYSICS, *fields, kind=kind)


def hinge(end: str, axis: str = "0 0 1") -> str:
    """Return the text of a hinge."""
    parameters = f"jointParameters HingeJointParameters {{ axis {axis} }}"
    return f"HingeJoint {{ {parameters} endPoint {end} }}"


def test_solid_with_physics_floats() -> None:
    link = read_clean(moving("a")).bodies[0].links[0]
    assert isinstance(link.joint, JointFree)
    assert (link.motion, link.parent) == (Motion.DYNAMIC, None)


def test_solid_without_physics_is_kinematic() -> None:
    link = read_clean(solid("a", SPHERE)).bodies[0].links[0]
    assert isinstance(link.joint, JointFixed)
    assert (link.motion, link.mass) == (Motion.KINEMATIC, None)
    assert link.shapes[0].role is ShapeRole.COLLISION


def test_dynamic_child_of_a_dynamic_solid_is_merged() -> None:
    scene = read_clean(moving("a", children(moving("b", "translation 1 0 0"))))
    (link,) = scene.bodies[0].links
    assert [(frame.name, frame.path, frame.pose) for frame in link.frames] == [
        ("b", "a:b", Pose((1.0, 0.0, 0.0)))
    ]
    assert link.mass is not None
    assert link.mass.mass == pytest.approx(2 * SPHERE_MASS)
    assert link.mass.center == pytest.approx((0.5, 0.0, 0.0))
    # each sphere 2/5 m r^2, and both at half a metre from the common centre
    own = 2 * 0.4 * SPHERE_MASS * 0.01
    assert link.mass.inertia[:3] == pytest.approx(
        (own, own + 2 * SPHERE_MASS * 0.25, own + 2 * SPHERE_MASS * 0.25)
    )
    assert [shape.pose.position for shape in link.shapes] == [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0)]


def test_merging_goes_through_groups_and_poses() -> None:
    inner = f"Pose {{ translation 0 0 1 {children(moving('b', 'translation 0 0 1'))} }}"
    scene = read_clean(moving("a", children(f"Group {{ {children(inner)} }}")))
    (link,) = scene.bodies[0].links
    assert link.frames[0].pose.position == (0.0, 0.0, 2.0)


def test_merged_solids_keep_their_own_contact_material() -> None:
    scene = read_clean(moving("a", children(moving("b", 'contactMaterial "ice"'))))
    assert [shape.contact_material for shape in scene.bodies[0].links[0].shapes] == [
        "default",
        "ice",
    ]


@pytest.mark.parametrize("name", ["left wheel", "Right Wheel"])
def test_wheel_by_name_is_never_merged(name: str) -> None:
    scene = read_clean(
        moving("a", children(moving(name, "translation 1 0 0")), "translation 0 0 1")
    )
    wheel = link_named(scene, name)
    assert isinstance(wheel.joint, JointFree)
    assert (wheel.parent, wheel.pose.position) == (None, (1.0, 0.0, 1.0))


def test_touch_sensor_with_physics_has_its_own_body() -> None:
    scene = read_clean(moving("a", children(moving("bumper", kind="TouchSensor")), kind="Robot"))
    bumper = link_named(scene, "bumper")
    assert isinstance(bumper.joint, JointFixed)
    assert (bumper.parent, bumper.motion) == (0, Motion.DYNAMIC)


def test_dynamic_solid_below_kinematic_ones_only_is_fixed_to_them() -> None:
    """It stands as they do, and goes along where a program puts them."""
    scene = read_clean(solid("a", "translation 0 0 1", children(moving("b", "translation 1 0 0"))))
    link = link_named(scene, "b")
    assert isinstance(link.joint, JointFixed)
    assert (link.motion, link.parent, link.pose.position) == (Motion.DYNAMIC, 0, (1.0, 0.0, 0.0))


def test_dynamic_solid_cut_off_by_a_kinematic_one_falls() -> None:
    scene, log = read(moving("a", "translation 0 0 1", children(solid("b", children(moving("c"))))))
    assert_warning(log, "unconnected-solid", "nothing connects it, so it falls")
    link = link_named(scene, "c")
    assert isinstance(link.joint, JointFree)
    assert (link.parent, link.pose.position) == (None, (0.0, 0.0, 1.0))


def test_kinematic_child_of_a_kinematic_solid_is_its_own_link() -> None:
    scene = read_clean(solid("a", "translation 0 0 1", children(solid("b", "translation 1 0 0"))))
    link = link_named(scene, "b")
    assert isinstance(link.joint, JointFixed)
    assert (link.motion, link.parent, link.pose.position) == (Motion.KINEMATIC, 0, (1.0, 0.0, 0.0))
    assert world_poses(scene.bodies[0])[1].position == (1.0, 0.0, 1.0)


def test_kinematic_child_of_a_dynamic_solid_rides_along() -> None:
    shape = "Shape { geometry Box { } }"
    scene = read_clean(moving("a", children(solid("b", "translation 1 0 0", children(shape)))))
    (link,) = scene.bodies[0].links
    assert link.frames[0].name == "b"
    drawn = [item for item in link.shapes if item.role is ShapeRole.VISUAL]
    assert [item.pose.position for item in drawn] == [(1.0, 0.0, 0.0)]
    assert link.mass is not None and link.mass.mass == pytest.approx(SPHERE_MASS)


def test_bounding_object_of_a_kinematic_child_of_a_dynamic_solid_does_nothing() -> None:
    scene, log = read(moving("a", children(solid("b", SPHERE))))
    found = assert_warning(log, "collision-ignored", "its bounding object does nothing")
    assert found.field == "boundingObject"
    assert len(scene.bodies[0].links[0].shapes) == 1


def test_joint_between_dynamic_solids_makes_a_child_link() -> None:
    scene = read_clean(moving("a", children(hinge(moving("b", "translation 1 0 0")))))
    link = link_named(scene, "b")
    assert isinstance(link.joint, JointHinge)
    assert (link.parent, link.pose.position) == (0, (1.0, 0.0, 0.0))


def test_joint_below_a_kinematic_solid_holds_to_it() -> None:
    scene = read_clean(solid("a", "translation 0 0 1", children(hinge(moving("b")))))
    link = link_named(scene, "b")
    assert isinstance(link.joint, JointHinge)
    assert (link.parent, link.motion) == (0, Motion.DYNAMIC)


def test_joint_below_a_kinematic_part_of_a_dynamic_solid_holds_to_the_world() -> None:
    scene, log = read(
        moving("a", "translation 0 0 1", children(solid("b", children(hinge(moving("c"))))))
    )
    assert_warning(log, "joint-to-world", "the joint holds to the world")
    link = link_named(scene, "c")
    assert isinstance(link.joint, JointHinge)
    assert (link.parent, link.pose.position, link.joint.anchor) == (
        None,
        (0.0, 0.0, 1.0),
        (0.0, 0.0, 1.0),
    )


def test_joint_with_a_kinematic_end_point_is_kept() -> None:
    scene = read_clean(moving("a", children(hinge(solid("b")))))
    link = link_named(scene, "b")
    assert isinstance(link.joint, JointHinge)
    assert (link.motion, link.parent) == (Motion.KINEMATIC, 0)


def test_solid_merged_below_a_joint_belongs_to_the_end_point() -> None:
    scene = read_clean(moving("a", children(hinge(moving("b", children(moving("c")))))))
    assert [link.name for link in scene.links()] == ["a", "b"]
    assert [frame.path for frame in link_named(scene, "b").frames] == ["a:b:c"]


def test_devices_of_a_joint_without_end_point_stay_usable() -> None:
    joint = 'HingeJoint { device [ PositionSensor { name "p" } RotationalMotor { name "m" } ] }'
    scene, log = read(moving("a", children(joint), kind="Robot"))
    assert codes(log) == ["joint-without-end"]
    link = scene.bodies[0].links[1]
    assert (link.name, link.motion, link.mass, link.shapes) == ("p", Motion.KINEMATIC, None, ())
    assert isinstance(link.joint, JointHinge)
    assert link.joint.axis.motor is not None and link.joint.axis.motor.name == "m"


def test_joint_without_end_point_is_only_information() -> None:
    scene, log = read(moving("a", children("HingeJoint { }", "SliderJoint { endPoint NULL }")))
    assert codes(log) == ["joint-without-end", "joint-without-end"]
    assert not log.has_errors
    assert len(scene.bodies[0].links) == 1


def test_joint_without_a_solid_above_it_connects_nothing() -> None:
    scene, log = read(f"Group {{ {children(hinge(moving('a')))} }}")
    assert_warning(log, "joint-without-parent", "not connected")
    assert isinstance(link_named(scene, "a").joint, JointFree)


def test_pose_and_anchor_are_given_in_the_frame_of_the_parent_link() -> None:
    """The joint stands in a Pose inside a merged solid: all of it is composed."""
    joint = (
        "SliderJoint { jointParameters JointParameters { axis 1 0 0 } "
        f"endPoint {moving('c', 'translation 1 0 0')} }}"
    )
    turned = f"Pose {{ translation 0 0 1 rotation 0 0 1 1.5707963267948966 {children(joint)} }}"
    scene = read_clean(moving("a", children(moving("b", "translation 2 0 0", children(turned)))))
    link = link_named(scene, "c")
    assert link.pose.position == pytest.approx((2.0, 1.0, 1.0))
    assert isinstance(link.joint, JointSlider)
    assert link.joint.axis.direction == pytest.approx((0.0, 1.0, 0.0))


def test_one_body_per_top_solid() -> None:
    scene = read_clean(f"Group {{ {children(moving('a'), moving('b', 'translation 1 0 0'))} }}")
    assert [body.name for body in scene.bodies] == ["a", "b"]


def test_links_come_after_their_parents() -> None:
    arm = moving("c", children(hinge(moving("d"))))
    scene = read_clean(moving("a", children(hinge(moving("b", children(hinge(arm)))))))
    assert [(link.name, link.parent) for link in scene.bodies[0].links] == [
        ("a", None),
        ("b", 0),
        ("c", 1),
        ("d", 2),
    ]


def test_long_chain_is_read() -> None:
    """A snake of 300 links nests 900 deep."""
    count = 300
    text = ""
    for i in range(count, 0, -1):
        text = moving(f"link {i}", children(hinge(text)) if text else "")
    scene = read_clean(text)
    assert len(scene.bodies[0].links) == count


def test_device_counts_as_a_part() -> None:
    shape = "Shape { geometry Box { } }"
    camera = f'Camera {{ name "eye" translation 0 0 1 {PHYSICS} {SPHERE} {children(shape)} }}'
    scene = read_clean(moving("r", children(camera), kind="Robot"))
    (link,) = scene.bodies[0].links
    assert link.mass is not None and link.mass.mass == pytest.approx(2 * SPHERE_MASS)
    assert [(device.name, device.pose.position) for device in link.devices] == [
        ("eye", (0.0, 0.0, 1.0))
    ]


# shapes outside solids, scale, planes


def test_shapes_outside_solids_are_decoration() -> None:
    text = """
        DEF SKY Group { children [ Pose { translation 0 0 3 children [ Shape { geometry Box { } } ] }
                                   Shape { geometry Sphere { } } ] }
        Shape { geometry Box { } }
    """
    scene = read_clean(text)
    assert [link.name for link in scene.links()] == ["SKY", "Shape"]
    sky = link_named(scene, "SKY")
    assert (sky.motion, len(sky.shapes)) == (Motion.KINEMATIC, 2)
    assert sky.shapes[0].pose.position == (0.0, 0.0, 3.0)
    assert all(shape.role is ShapeRole.VISUAL for link in scene.links() for shape in link.shapes)


def test_scale_of_transforms_reaches_drawn_shapes() -> None:
    inner = "Pose { translation 1 1 1 children [ Shape { geometry Box { } } ] }"
    scene = read_clean(f"Solid {{ children [ Transform {{ scale 1 2 3 children [ {inner} ] }} ] }}")
    shape = scene.bodies[0].links[0].shapes[0]
    assert (shape.scale, shape.pose.position) == ((1.0, 2.0, 3.0), (1.0, 2.0, 3.0))


def test_scale_turns_with_a_right_angle() -> None:
    inner = "Pose { rotation 0 0 1 1.5707963267948966 children [ Shape { geometry Box { } } ] }"
    scene = read_clean(f"Transform {{ scale 1 2 3 children [ {inner} ] }}")
    assert scene.bodies[0].links[0].shapes[0].scale == pytest.approx((2.0, 1.0, 3.0))


def test_sheared_shape_is_reported() -> None:
    inner = "Pose { rotation 0 0 1 0.5 children [ Shape { geometry Box { } } ] }"
    _, log = read(f"Transform {{ scale 1 2 1 children [ {inner} ] }}")
    assert_warning(log, "sheared-shape", "drawn without the shear")


def test_solid_inside_a_transform_with_a_scale_is_reported() -> None:
    """One without a scale is a Pose, whatever the release."""
    _, log = read("Transform { scale 2 2 2 children [ Solid { } ] }")
    assert_warning(log, "solid-in-transform", "may not stand inside a Transform")
    for release in ("R2022b", "R2025a"):
        _, log = read("Transform { children [ Solid { } ] }", release=release)
        assert codes(log) == []


def test_plane_of_a_solid_with_physics_stays_where_it_is() -> None:
    bounding = "boundingObject Group { children [ Plane { } Box { size 1 1 1 } ] }"
    scene, log = read(
        f'Solid {{ name "a" translation 0 0 1 linearVelocity 1 0 0 {bounding} {PHYSICS} }}'
    )
    assert_warning(log, "plane-with-physics", "unbounded static half-space")
    moved, still = scene.bodies[0].links
    assert [type(shape.geometry) for shape in moved.shapes] == [GeometryBox]
    assert [type(shape.geometry) for shape in still.shapes] == [GeometryPlane]
    assert (still.motion, still.pose.position) == (Motion.KINEMATIC, (0.0, 0.0, 1.0))
    assert still.linear_velocity == (0.0, 0.0, 0.0)
    assert moved.mass is not None and moved.mass.mass == pytest.approx(1000.0)


# velocities, damping, warnings about masses


def test_hidden_velocities_are_initial_velocities() -> None:
    link = read_clean(moving("a", "linearVelocity 1 2 3 angularVelocity 4 5 6")).bodies[0].links[0]
    assert (link.linear_velocity, link.angular_velocity) == ((1.0, 2.0, 3.0), (4.0, 5.0, 6.0))


def test_velocity_in_the_file_is_that_of_the_centre_of_mass() -> None:
    physics = "physics Physics { centerOfMass [ 1 0 0 ] }"
    link = (
        read_clean(f"Solid {{ {SPHERE} {physics} linearVelocity 0 0 0 angularVelocity 0 0 2 }}")
        .bodies[0]
        .links[0]
    )
    assert link.linear_velocity == pytest.approx((0.0, -2.0, 0.0))


def test_velocity_of_a_merged_solid_is_ignored() -> None:
    scene = read_clean(moving("a", children(moving("b", "linearVelocity 1 0 0"))))
    assert scene.bodies[0].links[0].linear_velocity == (0.0, 0.0, 0.0)


def test_damping_of_merged_solids_is_weighted_by_volume() -> None:
    damped = "physics Physics { damping Damping { linear 0.8 angular 0.4 } }"
    small = f"Solid {{ boundingObject Box {{ size 1 1 1 }} {damped} }}"
    text = f"Solid {{ boundingObject Box {{ size 1 1 3 }} {PHYSICS} {children(small)} }}"
    link = read_clean(text).bodies[0].links[0]
    assert link.damping is not None
    assert (link.damping.linear, link.damping.angular) == pytest.approx((0.2, 0.1))


def test_damping_of_zero_leaves_the_default() -> None:
    text = "WorldInfo { defaultDamping Damping { linear 0.3 } } " + (
        f"Solid {{ {SPHERE} physics Physics {{ damping Damping {{ linear 0 angular 0 }} }} }}"
    )
    scene = read_clean(text)
    assert scene.bodies[0].links[0].damping is None
    assert scene.physics.damping == Damping(0.3, 0.2)


def test_light_and_oblong_solid_is_reported() -> None:
    _, log = read(f"Solid {{ boundingObject Box {{ size 0.001 0.001 0.1 }} {PHYSICS} }}")
    assert_warning(log, "light-and-oblong", "may be unstable")


def test_great_ratio_of_masses_is_reported() -> None:
    heavy = 'Solid { name "heavy" boundingObject Box { size 10 10 10 } physics Physics { } }'
    light = 'Solid { name "light" boundingObject Sphere { radius 0.1 } physics Physics { } }'
    _, log = read(heavy + light)
    assert '"heavy" (1e+06 kg)' in assert_warning(log, "mass-ratio", "100000 times").text


def test_fields_of_a_solid_reach_the_link() -> None:
    text = """DEF LABEL Solid { model "m" description "d" locked TRUE radarCrossSection 2
        recognitionColors [ 1 0 0, 0 1 0 ] translationStep 0.5 rotationStep 0.25 }"""
    link = read_clean(text).bodies[0].links[0]
    assert (link.label, link.model, link.description, link.is_locked) == ("LABEL", "m", "d", True)
    assert (link.radar_cross_section, len(link.recognition_colors)) == (2.0, 2)
    assert (link.translation_step, link.rotation_step) == (0.5, 0.25)


def test_fields_of_a_merged_solid_reach_its_frame() -> None:
    part = moving(
        "b",
        'model "m" description "d" locked TRUE radarCrossSection 2 recognitionColors [ 1 0 0 ]',
        children("Shape { geometry Box { } }"),
    )
    (link,) = read_clean(moving("a", children(part))).bodies[0].links
    (frame,) = link.frames
    assert (frame.model, frame.description, frame.is_locked) == ("m", "d", True)
    assert (frame.radar_cross_section, frame.recognition_colors) == (2.0, ((1.0, 0.0, 0.0),))
    assert (link.radar_cross_section, link.recognition_colors) == (0.0, ())
    assert [shape.frame for shape in link.shapes] == [None, 0, 0]


def test_shapes_know_the_part_that_they_belong_to() -> None:
    shape = "Shape { geometry Box { } }"
    inner = moving("c", children(shape))
    (link,) = read_clean(moving("a", children(moving("b", children(inner, shape)), shape))).links()
    assert [frame.name for frame in link.frames] == ["b", "c"]
    drawn = [item.frame for item in link.shapes if item.role is ShapeRole.VISUAL]
    collides = [item.frame for item in link.shapes if item.role is ShapeRole.COLLISION]
    assert (collides, drawn) == ([None, 0, 1], [1, 0, None])


def test_segmentation_colour_is_that_of_the_nearest_solid_that_has_one() -> None:
    shape = "Shape { geometry Box { } }"
    red, green = "recognitionColors [ 1 0 0, 0 0 1 ]", "recognitionColors [ 0 1 0 ]"
    text = solid(
        "a",
        children(
            shape,
            solid("b", red, children(shape, hinge(solid("c", children(shape))))),
            solid("d", red, children(solid("e", green, children(shape)))),
        ),
    )
    scene = read_clean(text)
    found = {link.name: [s.segmentation_color for s in link.shapes] for link in scene.links()}
    assert found == {
        "a": [None],
        "b": [(1.0, 0.0, 0.0)],
        "c": [(1.0, 0.0, 0.0)],
        "d": [],
        "e": [(0.0, 1.0, 0.0)],
    }


# names and paths


def test_name_is_the_written_one_then_the_label_then_the_default() -> None:
    scene = read_clean('DEF A Solid { name "a" } DEF B Robot { } Robot { name "c" } Solid { }')
    assert [link.name for link in scene.links()] == ["a", "B", "c", "solid"]
    assert [link.path for link in scene.links()] == ["a", "robot", "c", "solid"]


def test_siblings_with_one_name_are_told_apart_with_a_warning() -> None:
    scene, log = read('Solid { name "a" } Solid { name "a" } Solid { name "a(1)" }')
    assert [link.name for link in scene.links()] == ["a", "a(1)", "a(2)"]
    assert [link.path for link in scene.links()] == ["a", "a(1)", "a(2)"]
    assert codes(log) == ["duplicate-name", "duplicate-name"]


def test_same_name_below_different_solids_needs_no_warning() -> None:
    scene = read_clean(solid("a", children(solid("x"))) + solid("b", children(solid("x"))))
    assert [link.name for link in scene.links()] == ["a", "x", "b", "x(1)"]
    assert [link.path for link in scene.links()] == ["a", "a:x", "b", "b:x"]


def test_path_escapes_colons_and_backslashes() -> None:
    scene = read_clean(r'Solid { name "a:b" children [ Solid { name "c\\d" } ] }')
    assert link_named(scene, r"c\d").path == r"a\:b:c\\d"


# robots


def test_robot_is_recorded_with_its_link() -> None:
    text = """Robot { name "r" controller "c" controllerArgs [ "x" "y" ] customData "d"
        supervisor TRUE synchronization FALSE battery [ 1 2 3 ] cpuConsumption 4 selfCollision TRUE
        window "<none>" remoteControl "<none>" }"""
    (robot,) = read_clean(text).bodies[0].robots
    assert (robot.name, robot.link, robot.controller) == ("r", 0, "c")
    assert (robot.controller_args, robot.custom_data) == (("x", "y"), "d")
    assert (robot.is_supervisor, robot.is_synchronous, robot.self_collision) == (True, False, True)
    assert (robot.battery, robot.cpu_consumption) == ((1.0, 2.0, 3.0), 4.0)
    assert (robot.window, robot.remote_control) == ("", "")


def test_nested_robots_point_at_their_own_links() -> None:
    scene = read_clean(moving("a", children(hinge(moving("b", kind="Robot"))), kind="Robot"))
    assert [(robot.name, robot.link) for robot in scene.bodies[0].robots] == [("a", 0), ("b", 1)]


def test_battery_takes_three_values() -> None:
    scene, log = read("Robot { battery [ 1 2 ] }")
    assert_warning(log, "value-reset", "takes 3 values")
    assert scene.bodies[0].robots[0].battery is None
    scene, log = read("Robot { battery [ 1 2 3 4 ] }")
    assert_warning(log, "value-reset", "the rest is ignored")
    assert scene.bodies[0].robots[0].battery == (1.0, 2.0, 3.0)


def test_old_data_field_is_custom_data() -> None:
    scene, log = read('Robot { data "x" }')
    assert "use customData" in the(log, "deprecated-field").text
    assert scene.bodies[0].robots[0].custom_data == "x"


def test_used_shape_stands_in_every_solid_that_uses_it() -> None:
    scene = read_clean(
        "Solid { children [ DEF S Shape { geometry Sphere { } } ] }"
        ' Solid { name "b" children [ USE S ] }'
    )
    assert all(isinstance(link.shapes[0].geometry, GeometrySphere) for link in scene.links())


def test_moving_base_without_physics_does_not_carry_parts_with_physics() -> None:
    _, log = read(solid("a", "linearVelocity 1 0 0", children(moving("b"))))
    assert_warning(log, "base-moves-alone", "do not follow")
    read_clean(solid("a", "linearVelocity 1 0 0", children(solid("b"))))
    read_clean(solid("a", children(moving("b"), solid("c", "linearVelocity 1 0 0"))))


def test_billboard_is_a_link_before_the_eye_of_the_viewer() -> None:
    """Its shapes have their places in the frame of the viewer, wherever it stands; nothing reaches them."""
    ball = "Shape { geometry Sphere { radius 0.1 } }"
    board = f"Billboard {{ children [ Pose {{ translation 2 0 0 children [ {ball} ] }} ] }}"
    scene = read_clean(f"{board} Pose {{ translation 9 9 9 children [ {board} {ball} ] }}")
    boards = [link for link in scene.links() if link.follows_view]
    assert len(boards) == 2
    for link in boards:
        (only,) = link.shapes
        assert only.pose.position == (2.0, 0.0, 0.0)
        assert not only.casts_shadows and not only.is_pickable
    (other,) = (link for link in scene.links() if not link.follows_view and link.shapes)
    assert other.shapes[0].pose.position == (9.0, 9.0, 9.0)
