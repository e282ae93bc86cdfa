"""The common model as Webots worlds and PROTOs, read again."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.transforms import Pose, quat_from_axis_angle
from solidbody.devices.imaging.optics import lidar_directions
from solidbody.formats.choreonoid.write.body import body_text
from solidbody.formats.loading import read_scene_text
from solidbody.formats.webots.export.files import proto_name, proto_text, world_text
from solidbody.model.contacts import ContactProperties, ContactTable
from solidbody.model.devices import (
    DeviceCamera,
    DeviceForceSensor,
    DeviceImu,
    DeviceLidar,
    DeviceLight,
    DeviceRangeFinder,
    ImageContent,
)
from solidbody.model.devices.vision import DepthQuality
from solidbody.model.environment import LightDirectional, LightPoint
from solidbody.model.geometry import GeometryBox, GeometryCone, GeometryMesh
from solidbody.model.joints import (
    JointAxis,
    JointFixed,
    JointFree,
    JointHinge,
    JointTrack,
    LoopAttachment,
    LoopHinge,
    LoopPiston,
)
from solidbody.model.links import Body, Link
from solidbody.model.mass import MassProperties
from solidbody.model.motors import Motor
from solidbody.model.scene import Physics, Scene
from solidbody.model.shapes import Shape, ShapeRole
from tests.formats.comparing import differences
from tests.formats.reading import PHYSICS, SPHERE, codes, link_named, read_clean

EXAMPLES = Path(__file__).parents[3] / "examples"

BALL = MassProperties(2.0, (0.1, 0.0, 0.0), (0.3, 0.2, 0.4, 0.01, 0.0, 0.0))


def written_and_read(scene: Scene) -> tuple[Scene, DiagnosticLog]:
    """Return what the written world says, and what writing it could not say."""
    lost = DiagnosticLog()
    read, log = read_scene_text(world_text(scene, lost))
    assert read is not None
    assert [str(item) for item in log] == []
    return read, lost


def robot(*links: Link, **fields: object) -> Scene:
    """Return a scene with one body."""
    return Scene("world", "robot.body", bodies=(Body("robot", links, **fields),))  # type: ignore[arg-type]


def link(name: str, **fields: object) -> Link:
    """Return a link with a mass."""
    return Link(name, name, mass=BALL, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "name", ["asymmetric", "bounce", "playground", "rolling", "slip", "slopes"]
)
def test_world_written_from_its_model_is_the_same_world(name: str) -> None:
    """Masses, places, joints, shapes and contact rows come back; names of drawn shapes do not."""
    text = (EXAMPLES / f"{name}.wbt").read_text(encoding="utf-8")
    before, _ = read_scene_text(text, str(EXAMPLES / f"{name}.wbt"))
    assert before is not None
    after, lost = written_and_read(before)
    assert codes(lost) == []
    for part in ("bodies", "contacts", "physics", "lights"):
        one, other = getattr(before, part), getattr(after, part)
        assert list(differences(one, other, path=part, without=("name",))) == []


@pytest.mark.parametrize(
    "joint",
    [
        "HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 anchor 1 2 3 position 0.5 "
        "minStop -1 maxStop 1 springConstant 3 dampingConstant 2 staticFriction 1 "
        "suspensionSpringConstant 5 suspensionAxis 0 1 0 stopERP 0.3 } device [ RotationalMotor { "
        'name "m" maxTorque 4 maxVelocity 3 minPosition -0.6 maxPosition 0.7 controlPID 5 1 2 } '
        'PositionSensor { name "s" noise 0.1 } Brake { name "b" } ] endPoint %s }',
        "SliderJoint { jointParameters JointParameters { axis 0 1 0 position 0.2 } "
        'device [ LinearMotor { name "m" maxForce 7 } ] endPoint %s }',
        "Hinge2Joint { jointParameters HingeJointParameters { axis 0 0 1 anchor 0 1 0 position 0.3 } "
        "jointParameters2 JointParameters { axis 0 1 0 position -0.4 } endPoint %s }",
        "BallJoint { jointParameters BallJointParameters { anchor 0 0 1 position 0.3 } "
        "jointParameters2 JointParameters { axis 0 0 1 position 0.2 springConstant 2 } "
        "jointParameters3 JointParameters { axis 0 1 0 position -0.1 } endPoint %s }",
        'Track { name "part" %s device [ LinearMotor { name "m" } ] }',
    ],
)
def test_joints_come_back_with_all_their_values(joint: str) -> None:
    """Axes at the stored pose are turned back to position 0, where the file has them."""
    end = f'Solid {{ translation 0 0 2 rotation 0 1 0 0.7 name "part" {SPHERE} {PHYSICS} }}'
    inner = joint % (f"{SPHERE} {PHYSICS}" if joint.startswith("Track") else end)
    before = read_clean(f'Robot {{ name "r" {SPHERE} {PHYSICS} children [ {inner} ] }}')
    after, lost = written_and_read(before)
    assert codes(lost) == []
    assert list(differences(before.bodies, after.bodies, without=("name", "path"))) == []


def test_robot_of_another_format_gets_a_robot_node_motors_and_sensors() -> None:
    """A numbered joint can be commanded and read, so it has both devices."""
    axis = JointAxis((0.0, 0.0, 1.0), 0.4, motor=Motor("arm", max_effort=math.inf), armature=0.5)
    scene = robot(
        link("base"),
        link("arm", parent=0, joint=JointHinge("arm", axis, (0.0, 0.0, 1.0)), joint_number=0),
    )
    after, lost = written_and_read(scene)
    body = after.bodies[0]
    assert [item.name for item in body.robots] == ["robot"]
    hinge = body.links[1].joint
    assert isinstance(hinge, JointHinge)
    assert hinge.axis.motor is not None
    assert hinge.axis.motor.name == "arm"
    assert hinge.axis.sensor is not None
    assert hinge.axis.sensor.name == "arm sensor"
    assert (hinge.anchor, hinge.axis.position) == ((0.0, 0.0, 1.0), 0.4)
    assert [item.text for item in lost] == ['joint "arm": Webots cannot say rotor inertia 0.5']


def test_link_fixed_to_the_world_stands_without_physics() -> None:
    """A Solid with Physics at the top would fall."""
    after, lost = written_and_read(robot(link("base", joint=JointFixed())))
    assert after.bodies[0].links[0].mass is None
    assert "written without Physics" in lost.items[0].text


def test_trees_of_one_body_become_solids_of_their_own() -> None:
    """Their places are those in the world."""
    free = link("free", joint=JointFree(), pose=Pose((1.0, 0.0, 3.0)))
    after, _ = written_and_read(robot(link("base"), free))
    assert [body.name for body in after.bodies] == ["base", "free"]
    assert after.bodies[1].links[0].pose == free.pose


def test_shape_that_is_both_is_drawn_and_collides() -> None:
    """A mesh is written once and referred to from the bounding object."""
    mesh = GeometryMesh(
        ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
        ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)),
    )
    scene = robot(link("base", shapes=(Shape(mesh, Pose((1.0, 0.0, 0.0)), ShapeRole.BOTH),)))
    text = world_text(scene, DiagnosticLog())
    assert text.count("DEF GEOMETRY_1 IndexedFaceSet") == 1
    assert text.count("USE GEOMETRY_1") == 1
    after, _ = written_and_read(scene)
    roles = [(item.role, item.pose.position) for item in after.bodies[0].links[0].shapes]
    assert roles == [
        (ShapeRole.COLLISION, (1.0, 0.0, 0.0)),
        (ShapeRole.VISUAL, (1.0, 0.0, 0.0)),
    ]


def test_cone_that_collides_becomes_a_mesh() -> None:
    """Webots has no cone in bounding objects."""
    cone = Shape(GeometryCone(0.5, 1.0), role=ShapeRole.COLLISION)
    after, _ = written_and_read(robot(link("base", shapes=(cone,))))
    mesh = after.bodies[0].links[0].shapes[0].geometry
    assert isinstance(mesh, GeometryMesh)
    assert max(point[2] for point in mesh.vertices) == 0.5


def test_track_is_turned_so_that_x_is_forward() -> None:
    """What is fixed to it is turned back, so that nothing moves in the world."""
    joint = JointTrack("t", JointAxis((0.0, 1.0, 0.0)), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    box = Shape(GeometryBox((1.0, 2.0, 3.0)), Pose((0.0, 0.5, 0.0)), ShapeRole.COLLISION)
    turned = quat_from_axis_angle((0.0, 0.0, 1.0), math.pi / 2)
    track = link("t", parent=0, joint=joint, shapes=(box,))
    after, _ = written_and_read(robot(link("base"), track))
    found = link_named(after, "t")
    assert isinstance(found.joint, JointTrack)
    assert list(differences(found.joint.direction, (0.0, 1.0, 0.0))) == []
    assert list(differences(found.pose.rotation, turned)) == []
    place = found.pose * found.shapes[0].pose
    assert list(differences(place, box.pose)) == []


def test_link_of_two_contact_materials_becomes_solids_that_are_merged() -> None:
    """Each has half the mass about the same centre, so that together they are the link."""
    first, second = (
        Shape(GeometryBox((1.0, 1.0, 1.0)), Pose((x, 0.0, 0.0)), ShapeRole.BOTH, contact_material=m)
        for x, m in ((0.0, "rubber"), (2.0, "ice"))
    )
    scene = robot(link("base", shapes=(first, second)))
    after, lost = written_and_read(scene)
    assert codes(lost) == []
    (found,) = after.bodies[0].links
    assert list(differences(found.mass, BALL)) == []
    collide = [item for item in found.shapes if item.role is ShapeRole.COLLISION]
    assert [(item.contact_material, item.pose.position[0]) for item in collide] == [
        ("rubber", 0.0),
        ("ice", 2.0),
    ]


def test_touch_sensor_with_physics_stays_a_link() -> None:
    """It is a Solid of its own in Webots, which is never merged."""
    touch = f'TouchSensor {{ name "bumper" type "force" {SPHERE} {PHYSICS} }}'
    before = read_clean(f'Robot {{ name "r" {SPHERE} {PHYSICS} children [ {touch} ] }}')
    after, lost = written_and_read(before)
    assert codes(lost) == []
    assert list(differences(before.bodies, after.bodies)) == []


@pytest.mark.parametrize(
    "device",
    [
        'LED { name "d" translation 1 0 0 children [ Group { children [ Shape { geometry Sphere { } } '
        "PointLight { location 0 0 1 } ] } ] }",
        'Display { name "d" translation 1 0 0 width 8 children [ Shape { geometry Box { } } ] }',
        f'TouchSensor {{ name "d" translation 1 0 0 {SPHERE} }}',
    ],
)
def test_devices_keep_the_shapes_and_lamps_that_are_theirs(device: str) -> None:
    """What glows, shows or feels stands in the node of the device."""
    before = read_clean(f'Robot {{ name "r" {SPHERE} {PHYSICS} children [ {device} ] }}')
    after, lost = written_and_read(before)
    assert codes(lost) == []
    assert list(differences(before.bodies, after.bodies)) == []
    lamps = tuple(item for item in after.lights if not isinstance(item, LightDirectional))
    assert list(differences(before.lights, lamps)) == []


def test_default_of_another_contact_table_is_spelled_out() -> None:
    """Webots' own default would take its place."""
    soft = ContactProperties(friction=(0.5,), bounce=0.0)
    shape = Shape(GeometryBox((1.0, 1.0, 1.0)), role=ShapeRole.BOTH, contact_material="Sole")
    scene = replace(robot(link("base", shapes=(shape,))), contacts=ContactTable((), soft))
    after, _ = written_and_read(scene)
    assert [row.materials for row in after.contacts.entries] == [
        ("Sole", "Sole"),
        ("Sole", "default"),
        ("default", "default"),
    ]
    assert {row.friction for row in after.contacts.entries} == {(0.5,)}


def test_loops_become_joints_to_solid_references() -> None:
    """A piston has no counterpart; ends that do not meet are reported."""
    ends = (
        LoopAttachment("base", Pose((1.0, 0.0, 0.0))),
        LoopAttachment("arm", Pose((1.0, 0.0, 0.5))),
    )
    arm = link("arm", parent=0, joint=JointHinge("arm", JointAxis((0.0, 0.0, 1.0))))
    scene = robot(link("base"), arm, loops=(LoopHinge(ends, "shut"), LoopPiston(ends, "slide")))
    after, lost = written_and_read(scene)
    (loop,) = after.bodies[0].loops
    assert isinstance(loop, LoopHinge)
    assert (loop.name, loop.ends[0].pose.position) == ("shut", (1.0, 0.0, 0.0))
    texts = [item.text for item in lost]
    assert 'the ends of the hinge loop "shut" are 0.5 m apart at the start' in texts[0]
    assert texts[1] == 'Webots has no joint for the piston loop "slide"; it is left out'


def test_devices_become_nodes_that_mean_the_same() -> None:
    """An IMU is two sensors, a depth camera a Camera and a RangeFinder; the rest is reported."""
    eye = DeviceCamera(
        name="eye", content=ImageContent.COLOR_DEPTH, depth=DepthQuality(), width=320, height=240
    )
    devices = (
        DeviceImu(name="imu"),
        eye,
        DeviceLight(name="lamp", light=LightPoint((0.0, 0.0, 0.0))),
        DeviceForceSensor(name="force"),
    )
    after, lost = written_and_read(robot(link("base", devices=devices)))
    found = after.bodies[0].links[0].devices
    assert [item.name for item in found] == ["imu accelerometer", "imu gyro", "eye", "eye depth"]
    assert isinstance(found[3], DeviceRangeFinder)
    assert (found[3].width, found[3].max_range) == (320, 10.0)
    assert [type(item) for item in after.lights] == [LightDirectional, LightPoint]  # a sun is added
    assert lost.items[-1].text == 'device "force" (ForceSensor) has no node in Webots'


def test_gravity_that_does_not_point_down_is_reported() -> None:
    """Webots takes a number."""
    scene = Scene("w", "w.cnoid", Physics(gravity=(3.0, 0.0, -4.0)))
    after, lost = written_and_read(scene)
    assert after.physics.gravity == (0.0, 0.0, -5.0)
    assert codes(lost) == ["lost-in-webots"]


def test_world_with_y_up_keeps_its_axes() -> None:
    """Gravity is an amount along the down axis of the world's coordinate system."""
    for system in ("NUE", "EUN"):
        before = read_clean(f'WorldInfo {{ coordinateSystem "{system}" gravity 5 }}')
        after, lost = written_and_read(before)
        assert codes(lost) == []
        assert (after.physics.gravity, after.geodesy) == ((0.0, -5.0, 0.0), before.geodesy)


def test_robot_without_surroundings_can_be_seen() -> None:
    """Webots shows a world without light black."""
    after, _ = written_and_read(robot(link("base")))
    assert len(after.lights) == 1
    assert after.background is not None
    assert after.viewpoint.pose.position == (-10.0, 0.0, 0.0)


def test_information_that_is_left_out_is_named() -> None:
    """Keys of body files that only other programs read."""
    scene = robot(link("base", metadata=(("AMOR", "1"),)), metadata=(("standard_pose", "[0]"),))
    _, lost = written_and_read(scene)
    assert lost.items[0].text == '"robot": information is left out: standard_pose, AMOR'


def test_proto_lets_a_world_set_the_usual_fields(tmp_path: Path) -> None:
    """The root's own values are the defaults."""
    axis = JointAxis((0.0, 0.0, 1.0), motor=Motor("arm"))
    scene = robot(
        link("base", pose=Pose((0.0, 0.0, 0.7))),
        link("arm", parent=0, joint=JointHinge("arm", axis)),
    )
    text = proto_text(scene, scene.bodies[0], "MyRobot", DiagnosticLog())
    (tmp_path / "MyRobot.proto").write_text(text, encoding="utf-8")
    world = (
        '#VRML_SIM R2025a utf8\nEXTERNPROTO "MyRobot.proto"\nWorldInfo { }\nViewpoint { }\n'
        'MyRobot { }\nMyRobot { translation 1 2 3 name "two" controller "walk" }\n'
    )
    read, log = read_scene_text(world, str(tmp_path / "w.wbt"))
    assert read is not None
    assert [str(item) for item in log] == []
    one, two = read.bodies
    assert (one.robots[0].name, one.links[0].pose.position) == ("robot", (0.0, 0.0, 0.7))
    assert (two.robots[0].controller, two.links[0].pose.position) == ("walk", (1.0, 2.0, 3.0))


def test_proto_leaves_out_what_nothing_holds() -> None:
    """A PROTO is one node."""
    scene = robot(link("base"), link("free"))
    lost = DiagnosticLog()
    proto_text(scene, scene.bodies[0], "R", lost)
    assert '"free"' in lost.items[0].text


@pytest.mark.parametrize(
    ("stem", "name"), [("SR1", "SR1"), ("my robot-2", "my_robot_2"), ("2F85", "Robot2F85")]
)
def test_proto_name_is_legal(stem: str, name: str) -> None:
    """Letters, digits and underscores, a letter first."""
    assert proto_name(stem) == name


def test_rays_of_lidars_stay_where_they_are_in_both_formats() -> None:
    """Choreonoid's outer rays lie on the ends of the range, Webots' half a part inside of them."""

    def yaws(scene: Scene) -> list[float]:
        (lidar,) = (d for part in scene.links() for d in part.devices if isinstance(d, DeviceLidar))
        return sorted(lidar_directions(lidar)[1].tolist())

    text = """
format: ChoreonoidBody
format_version: 2.0
name: scanner
root_link: BASE
links:
  - {name: BASE, joint_type: free, mass: 1, elements: [
      {type: RangeSensor, name: scan, yaw_range: 90, yaw_samples: 10, max_distance: 5}]}
"""
    body, _ = read_scene_text(text, "scanner.body")
    assert body is not None
    world, _ = written_and_read(body)
    assert yaws(body)[0] == pytest.approx(-math.pi / 4)
    assert yaws(world) == pytest.approx(yaws(body))
    again, _ = read_scene_text(body_text(world, world.bodies[0], DiagnosticLog()), "again.body")
    assert again is not None
    assert yaws(again) == pytest.approx(yaws(body))


def test_robot_that_shares_a_link_is_lost_and_its_devices_are_not() -> None:
    """A robot without physics on one with physics has no solid of its own in the model."""
    inner = 'Robot { name "inner" children [ GPS { name "inside" } ] }'
    children = f'children [ GPS {{ name "outside" }} {inner} ]'
    scene = read_clean(f'Robot {{ name "outer" {PHYSICS} {SPHERE} {children} }}')
    read, lost = written_and_read(scene)
    assert [robot.name for robot in read.bodies[0].robots] == ["outer"]
    names = [device.name for link in read.links() for device in link.devices]
    assert sorted(names) == ["inside", "outside"]
    assert [item.text for item in lost] == [
        'the robot "inner" is one link with "outer", which gets its devices'
    ]


def test_robot_that_is_one_link_with_a_solid_keeps_its_program() -> None:
    """Without physics on a solid with physics: the solid is written as the robot."""
    inner = 'Robot { name "inner" controller "drive" children [ GPS { } ] }'
    scene = read_clean(f'Solid {{ name "cart" {PHYSICS} {SPHERE} children [ {inner} ] }}')
    read, lost = written_and_read(scene)
    assert [(robot.name, robot.controller) for robot in read.bodies[0].robots] == [
        ("inner", "drive")
    ]
    assert codes(lost) == []
