"""Bodies in OpenHRP's language: `.wrl` files with Humanoid, Joint and Segment nodes."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from solidbody.base.diagnostics import DiagnosticLog, Severity
from solidbody.formats.geometry.trees import MAX_PARTS
from solidbody.formats.loading import read_scene
from solidbody.model.devices import (
    DeviceCamera,
    DeviceForceSensor,
    DeviceLidar,
    DeviceLight,
    ImageContent,
)
from solidbody.model.environment import LightSpot
from solidbody.model.geometry import GeometryBox, GeometrySphere
from solidbody.model.joints import (
    JointFixed,
    JointFree,
    JointHinge,
    JointSlider,
    JointTrack,
    LoopBall,
    LoopPiston,
)
from solidbody.model.scene import Scene
from solidbody.model.shapes import ShapeRole
from tests.formats.reading import link_named, the

PROTOS = """#VRML V2.0 utf8
PROTO Joint [
  exposedField SFVec3f translation 0 0 0 exposedField SFRotation rotation 0 0 1 0
  exposedField MFNode children [] exposedField SFString jointType "" exposedField SFInt32 jointId -1
  exposedField SFVec3f jointAxis 0 0 1 exposedField MFFloat llimit [] exposedField MFFloat ulimit []
  eventIn MFNode addChildren
] { Transform { translation IS translation rotation IS rotation children IS children } }
PROTO Segment [
  exposedField SFFloat mass 0 exposedField SFVec3f centerOfMass 0 0 0
  exposedField MFFloat momentsOfInertia [ 0 0 0 0 0 0 0 0 0 ] exposedField MFNode children []
] { Group { children IS children } }
PROTO Surface [ field MFNode visual [] field MFNode collision [] ] { Group { children IS visual } }
PROTO Humanoid [
  exposedField MFNode humanoidBody [] exposedField SFString name "" exposedField MFNode viewpoints []
] { Transform { children [ Group { children IS viewpoints } ] } }
"""
"""As such files have them: the PROTO of Humanoid draws viewpoints and no body."""

SEGMENT = "mass 2 centerOfMass 0 0 0.1 momentsOfInertia [ 0.1 0 0 0 0.2 0 0 0 0.25 ]"
BOX = "Shape { geometry Box { size 0.2 0.4 0.6 } }"


def body(*joints: str, root: str = 'jointType "free" translation 0 0 0.8') -> str:
    """Return a file with a root link of 2 kg and these nodes below it."""
    link = f"DEF BASE_S Segment {{ {SEGMENT} children [ {BOX} ] }}"
    base = f"DEF BASE Joint {{ {root} children [ {link} {' '.join(joints)} ] }}"
    return f'{PROTOS}DEF R Humanoid {{ name "walker" humanoidBody [ {base} ] }}\n'


def read(folder: Path, text: str) -> tuple[Scene, DiagnosticLog]:
    """Return the scene of a body file."""
    path = folder / "robot.wrl"
    path.write_text(text, "utf-8")
    scene, log = read_scene(path)
    assert scene is not None, [str(item) for item in log]
    return scene, log


def test_joints_are_links_and_segments_their_mass_and_shapes(tmp_path: Path) -> None:
    arm = 'DEF ARM Joint { jointType "rotate" jointId 0 jointAxis 0 1 0 translation 0 0 0.3 '
    arm += f"llimit [ -1 ] ulimit [ 2 ] children [ DEF ARM_S Segment {{ {SEGMENT} }} ] }}"
    scene, log = read(tmp_path, body(arm))
    assert [str(item) for item in log] == []
    (found,) = scene.bodies
    assert (found.name, [link.name for link in found.links]) == ("R", ["BASE", "ARM"])
    base, link = found.links
    assert isinstance(base.joint, JointFree) and base.pose.position == (0.0, 0.0, 0.8)
    assert base.mass is not None
    assert (base.mass.mass, base.mass.center) == (2.0, (0.0, 0.0, 0.1))
    assert base.mass.inertia[0] == pytest.approx(0.1)
    (shape,) = base.shapes
    assert isinstance(shape.geometry, GeometryBox) and shape.geometry.size == (0.2, 0.4, 0.6)
    assert isinstance(link.joint, JointHinge) and link.pose.position == (0.0, 0.0, 0.3)
    assert link.joint.axis.direction == (0.0, 1.0, 0.0)
    assert link.joint.axis.motor is not None


@pytest.mark.parametrize(
    ("kind", "joint"),
    [
        ("rotate", JointHinge),
        ("slide", JointSlider),
        ("fixed", JointFixed),
        ("crawler", JointTrack),
    ],
)
def test_types_of_joints(tmp_path: Path, kind: str, joint: type) -> None:
    arm = f'DEF ARM Joint {{ jointType "{kind}" jointId 0 children [ Segment {{ {SEGMENT} }} ] }}'
    scene, _ = read(tmp_path, body(arm))
    assert isinstance(link_named(scene, "ARM").joint, joint)


def test_axes_may_be_letters_and_transforms_stand_between_joints(tmp_path: Path) -> None:
    joint = f'DEF ARM Joint {{ jointType "rotate" jointId 0 jointAxis "y" children Segment {{ {SEGMENT} }} }}'
    scene, _ = read(tmp_path, body(f"Transform {{ translation 0 1 0 children {joint} }}"))
    link = link_named(scene, "ARM")
    assert isinstance(link.joint, JointHinge)
    assert (link.pose.position, link.joint.axis.direction) == ((0, 1, 0), (0, 1, 0))


def test_sensors_are_devices_where_they_stand(tmp_path: Path) -> None:
    camera = 'DEF EYE VisionSensor { fieldOfView 0.9 width 64 height 48 type "COLOR" sensorId 0 }'
    force = "DEF FOOT ForceSensor { translation 0 0 -0.1 sensorId 0 }"
    urg = "DEF URG RangeSensor { scanAngle 3.0 scanStep 0.1 maxDistance 5 sensorId 0 }"
    held = f"Transform {{ translation 1 0 0 children {camera} }}"
    inside = f"DEF HEAD_S Segment {{ {SEGMENT} children [ {held} ] }}"
    head = f'DEF HEAD Joint {{ jointType "rotate" jointId 0 children [ {inside} {force} {urg} ] }}'
    scene, _ = read(tmp_path, body(head))
    devices = {item.name: item for item in link_named(scene, "HEAD").devices}
    eye, foot, laser = devices["EYE"], devices["FOOT"], devices["URG"]
    assert isinstance(eye, DeviceCamera) and (eye.width, eye.height) == (64, 48)
    assert eye.pose.position == (1.0, 0.0, 0.0)
    assert isinstance(foot, DeviceForceSensor) and foot.pose.position == (0.0, 0.0, -0.1)
    assert isinstance(laser, DeviceLidar)


SENSOR = "exposedField SFVec3f translation 0 0 0 exposedField SFRotation rotation 0 0 1 0"
SENSOR_PROTOS = f"""
PROTO VisionSensor [ {SENSOR} exposedField SFInt32 sensorId -1 exposedField SFString type "NONE"
  exposedField SFFloat fieldOfView 0.785 exposedField SFInt32 width 32 exposedField SFInt32 height 24
] {{ Group {{ }} }}
PROTO RangeSensor [ {SENSOR} exposedField SFFloat scanAngle 3.2 exposedField SFFloat scanStep 0.1
  exposedField SFFloat maxDistance 7 ] {{ Group {{ }} }}
PROTO SpotLightDevice [ {SENSOR} exposedField SFFloat beamWidth 0.5 exposedField SFBool on FALSE
  exposedField SFColor color 1 0 0 ] {{ Group {{ }} }}
"""
"""PROTOs with numbers that no loader has by itself."""


def test_fields_left_out_are_those_of_the_proto(tmp_path: Path) -> None:
    held = "DEF EYE VisionSensor { } DEF URG RangeSensor { maxDistance 5 } DEF LAMP SpotLightDevice { }"
    arm = "DEF ARM Joint { jointId 0 children [ Segment { } ] }"
    text = body(held, arm).replace("DEF R Humanoid", f"{SENSOR_PROTOS}DEF R Humanoid")
    text = text.replace('jointType ""', 'jointType "slide"').replace(
        "SFFloat mass 0", "SFFloat mass 3"
    )
    scene, log = read(tmp_path, text)
    assert [str(item) for item in log] == []
    devices = {item.name: item for item in link_named(scene, "BASE").devices}
    eye, laser, lamp = devices["EYE"], devices["URG"], devices["LAMP"]
    assert isinstance(eye, DeviceCamera) and (eye.width, eye.height) == (32, 24)
    assert isinstance(laser, DeviceLidar) and laser.max_range == 5.0
    assert laser.yaw_range == pytest.approx((-1.6, 1.6))
    assert isinstance(lamp, DeviceLight) and isinstance(lamp.light, LightSpot)
    assert (lamp.light.is_on, lamp.light.beam_width, lamp.light.color) == (False, 0.5, (1, 0, 0))
    found = link_named(scene, "ARM")
    assert isinstance(found.joint, JointSlider)
    assert found.mass is not None and found.mass.mass == 3.0


@pytest.mark.parametrize(
    ("word", "content"),
    [
        ("NONE", ImageContent.COLOR),
        ("COLOR", ImageContent.COLOR),
        ("DEPTH", ImageContent.DEPTH),
        ("COLOR_POINT_CLOUD", ImageContent.COLOR_POINT_CLOUD),
    ],
)
def test_cameras_see_colours_unless_they_name_something_else(
    tmp_path: Path, word: str, content: ImageContent
) -> None:
    scene, _ = read(tmp_path, body(f'DEF EYE VisionSensor {{ type "{word}" }}'))
    (eye,) = link_named(scene, "BASE").devices
    assert isinstance(eye, DeviceCamera) and eye.content is content


def test_joint_without_a_type_is_fixed(tmp_path: Path) -> None:
    scene, _ = read(tmp_path, body(root="translation 0 0 1"))
    assert isinstance(link_named(scene, "BASE").joint, JointFixed)


def test_joint_without_a_segment_has_no_mass(tmp_path: Path) -> None:
    """A link of a body file would have 1 kg."""
    inner = f'DEF B Joint {{ jointType "rotate" jointId 1 children [ Segment {{ {SEGMENT} }} ] }}'
    scene, _ = read(
        tmp_path, body(f'DEF A Joint {{ jointType "rotate" jointId 0 children {inner} }}')
    )
    found = link_named(scene, "A")
    assert found.mass is None or found.mass.mass == 0.0


def test_one_limit_is_enough(tmp_path: Path) -> None:
    arm = f'DEF ARM Joint {{ jointType "rotate" jointId 0 ulimit 2 children Segment {{ {SEGMENT} }} }}'
    scene, log = read(tmp_path, body(arm))
    assert [str(item) for item in log] == []
    joint = link_named(scene, "ARM").joint
    assert isinstance(joint, JointHinge) and joint.axis.rated_range == (-math.inf, 2.0)


def test_inertia_of_the_rotor_may_be_given_for_the_joint(tmp_path: Path) -> None:
    rotor = "gearRatio 10 rotorInertia 1 equivalentInertia 0.5"
    arm = (
        f'DEF ARM Joint {{ jointType "rotate" jointId 0 {rotor} children Segment {{ {SEGMENT} }} }}'
    )
    scene, _ = read(tmp_path, body(arm))
    joint = link_named(scene, "ARM").joint
    assert isinstance(joint, JointHinge) and joint.axis.armature == 0.5


def test_unknown_joint_type_is_an_error_with_its_place(tmp_path: Path) -> None:
    _, log = read(tmp_path, body('DEF ARM Joint { jointType "rotat" }'))
    found = the(log, "joint-type")
    assert found.severity is Severity.ERROR and found.field == "jointType"
    assert 'got "rotat"; the joint is fixed. Did you mean "rotate"?' in found.text
    assert found.span.line == PROTOS.count("\n") + 1


def test_joints_and_segments_may_share_a_name(tmp_path: Path) -> None:
    inside = f"DEF ARM Segment {{ {SEGMENT} children [ {BOX} ] }}"
    arm = f'DEF ARM Joint {{ jointType "rotate" jointId 0 children [ {inside} ] }}'
    scene, log = read(tmp_path, body(arm).replace("BASE_S", "BASE"))
    assert [str(item) for item in log] == []
    assert [len(link.shapes) for link in scene.bodies[0].links] == [1, 1]


def test_joints_may_stand_in_what_the_mouse_turns(tmp_path: Path) -> None:
    arm = f'DEF ARM Joint {{ jointType "rotate" jointId 0 children [ Segment {{ {SEGMENT} }} ] }}'
    scene, log = read(tmp_path, body(f"CylinderSensorY {{ maxAngle 1 children [ {arm} ] }}"))
    assert [str(item) for item in log] == []
    assert [link.name for link in scene.bodies[0].links] == ["BASE", "ARM"]


def test_axes_of_fixed_joints_do_not_matter(tmp_path: Path) -> None:
    arm = f'DEF ARM Joint {{ jointType "fixed" jointAxis 0 0 0 children [ Segment {{ {SEGMENT} }} ] }}'
    _, log = read(tmp_path, body(arm))
    assert [str(item) for item in log] == []


def test_robots_of_many_parts_are_drawn_to_the_last(tmp_path: Path) -> None:
    """Files of meshes are looked through for names only so far."""
    many = "Group { } " * MAX_PARTS
    arm = f'DEF ARM Joint {{ jointType "fixed" children [ Segment {{ {SEGMENT} children [ {BOX} ] }} ] }}'
    scene, log = read(tmp_path, body(arm).replace(BOX, f"{BOX} {many}", 1))
    assert len(link_named(scene, "ARM").shapes) == 1, [str(item) for item in log]


def test_segments_need_no_name(tmp_path: Path) -> None:
    scene, log = read(tmp_path, body().replace("DEF BASE_S ", ""))
    assert [str(item) for item in log] == []
    assert len(scene.bodies[0].links[0].shapes) == 1


@pytest.mark.parametrize("name", ["Surface", "SegmentShape"])
def test_surfaces_draw_one_thing_and_collide_as_another(tmp_path: Path, name: str) -> None:
    ball = "Shape { geometry Sphere { radius 0.1 } }"
    surface = f"Surface {{ visual [ {ball} ] collision [ {BOX} ] }}"
    held = f"Transform {{ translation 0 0 1 children [ {surface} ] }}"
    scene, log = read(tmp_path, body().replace(BOX, held).replace("Surface", name))
    assert [str(item) for item in log] == []
    drawn, touched = scene.bodies[0].links[0].shapes
    assert isinstance(drawn.geometry, GeometrySphere) and drawn.role is ShapeRole.VISUAL
    assert isinstance(touched.geometry, GeometryBox) and touched.role is ShapeRole.COLLISION
    assert drawn.pose.position == touched.pose.position == (0.0, 0.0, 1.0)


@pytest.mark.parametrize(
    ("kind", "loop"), [("ball", LoopBall), ("xyz", LoopBall), ("xy", LoopPiston)]
)
def test_extra_joints_close_loops(tmp_path: Path, kind: str, loop: type) -> None:
    arm = f'DEF ARM Joint {{ jointType "rotate" jointId 0 children [ Segment {{ {SEGMENT} }} ] }}'
    extra = f'DEF L ExtraJoint {{ jointType "{kind}" link1Name "BASE" link2Name "ARM" '
    scene, log = read(tmp_path, body(arm) + extra + "link2LocalPos 0 0 2 }\n")
    assert [str(item) for item in log] == []
    (found,) = scene.bodies[0].loops
    assert isinstance(found, loop) and found.name == "L"
    assert [end.pose.position for end in found.ends] == [(0, 0, 0), (0, 0, 2)]


def test_unknown_extra_joint_is_an_error_with_its_place(tmp_path: Path) -> None:
    _, log = read(tmp_path, body() + 'ExtraJoint { jointType "bal" }')
    found = the(log, "joint-type")
    assert 'got "bal"; it is left out. Did you mean "ball"?' in found.text
    assert found.span.line == PROTOS.count("\n") + 2


def test_messages_about_parts_have_the_place_of_their_node(tmp_path: Path) -> None:
    extra = 'ExtraJoint { jointType "ball" link1Name "BASE" link2Name "AMR" }'
    _, log = read(tmp_path, f"{body()}\n{extra}")
    assert the(log, "unknown-link").span.line == PROTOS.count("\n") + 3


def test_file_without_a_humanoid_is_one_link_that_stands(tmp_path: Path) -> None:
    scene, log = read(tmp_path, f"#VRML V2.0 utf8\n{BOX}\n")
    assert [str(item) for item in log] == []
    (link,) = scene.bodies[0].links
    assert link.name == "Root" and isinstance(link.joint, JointFixed)
    assert link.mass is not None and link.mass.mass == 1.0
    assert [type(shape.geometry) for shape in link.shapes] == [GeometryBox]


def test_file_without_nodes_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "empty.wrl"
    path.write_text("#VRML V2.0 utf8\n", "utf-8")
    scene, log = read_scene(path)
    assert scene is None
    assert the(log, "no-body").text == "the file describes no body: it has no nodes."


@pytest.mark.parametrize("ending", ["yaml", "yml", "body"])
def test_files_of_keys_may_wrap_such_bodies(tmp_path: Path, ending: str) -> None:
    (tmp_path / "robot.wrl").write_text(body(), "utf-8")
    path = tmp_path / f"robot.{ending}"
    path.write_text("modelFile: robot.wrl\nstandardPose: [ 1, 2 ]\n", "utf-8")
    scene, log = read_scene(path)
    assert scene is not None and [str(item) for item in log] == []
    (found,) = scene.bodies
    assert (found.name, len(found.links[0].shapes)) == ("R", 1)
    assert found.metadata == (("standardPose", "[1, 2]"),)


def test_projects_may_name_such_bodies(tmp_path: Path) -> None:
    (tmp_path / "robot.wrl").write_text(body(), "utf-8")
    project = tmp_path / "p.cnoid"
    project.write_text(
        """
items:
  id: 0
  name: Root
  plugin: Base
  class: RootItem
  children:
    - id: 1
      name: World
      plugin: Body
      class: WorldItem
      children:
        - id: 2
          name: me
          plugin: Body
          class: BodyItem
          data: { modelFile: robot.wrl, initialRootPosition: [ 1, 2, 3 ] }
        - { id: 3, name: S, plugin: Body, class: AISTSimulatorItem }
""",
        "utf-8",
    )
    scene, log = read_scene(project)
    assert scene is not None and not log.has_errors, [str(item) for item in log]
    assert [item.name for item in scene.bodies] == ["me"]
    assert scene.bodies[0].links[0].pose.position == (1.0, 2.0, 3.0)
