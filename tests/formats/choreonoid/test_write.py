"""Body files written from the model: read again they give the same model; what they cannot say is told."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass, replace
from enum import Enum
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

import pytest

import solidbody as sb
from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.errors import NameLookupError, SaveError
from solidbody.base.transforms import Pose, quat_from_axis_angle
from solidbody.formats.choreonoid.keys.access import DEGREE
from solidbody.formats.choreonoid.keys.yaml_text import degrees, word_text, yaml_text
from solidbody.formats.choreonoid.write.body import body_text
from solidbody.formats.loading import read_scene_text
from solidbody.model.appearance import Appearance
from solidbody.model.contacts import ContactProperties, ContactTable
from solidbody.model.devices import Device, DeviceTrackBelt, DeviceUnknown
from solidbody.model.geometry import GeometryMesh, GeometryPlane, GeometrySphere
from solidbody.model.joints import (
    JointAxis,
    JointBall,
    JointFixed,
    JointFree,
    JointHinge,
    JointSlider,
    Stops,
)
from solidbody.model.links import Body, Link
from solidbody.model.mass import MassProperties, combined
from solidbody.model.scene import Scene, world_poses
from solidbody.model.shapes import Shape, ShapeRole
from tests.formats.comparing import differences
from tests.formats.reading import PHYSICS, SPHERE, read_clean

HEADER = "format: ChoreonoidBody\nformat_version: 2.0\nname: Model\n"

ROBOT = (
    HEADER
    + """
root_link: WAIST
standard_pose: [0, 30]
collision_detection_rules:
  - disabled_link_chain_level: 2
  - disabled_links: [ARM]
  - disabled_link_group: [WAIST, SLIDE]
links:
  - name: WAIST
    translation: [0, 0, 0.7]
    rotation: [0, 1, 0, 30]
    joint_type: free
    center_of_mass: [0.1, 0, 0]
    mass: 12.5
    inertia: [1, 0.1, 0, 0.1, 2, 0, 0, 0, 2.5]
    material: Sole
    some_key: {a: [1, two], b: "x: y"}
    elements:
      - type: Shape
        name: Hull
        translation: [0, 0, 0.1]
        rotation: [0, 0, 1, 45]
        geometry: {type: Box, size: [0.3, 0.2, 0.1]}
        appearance:
          material: {diffuse: [1, 0, 0.5], specular: [0.2, 0.2, 0.2], shininess: 0.3, transparency: 0.25}
      - type: Visual
        shape: {geometry: {type: Cylinder, radius: 0.1, height: 0.4, bottom: false}}
      - type: Collision
        shape: {geometry: {type: Capsule, radius: 0.05, height: 0.2}}
      - {type: Visual, shape: {geometry: {type: Cone, radius: 0.05, height: 0.2}}}
      - {type: Shape, geometry: {type: Sphere, radius: 0.02}}
      - type: Shape
        geometry: {type: IndexedFaceSet, vertices: [0,0,0, 1,0,0, 0,1,0, 0,0,1], faces: [0,2,1,-1, 0,1,3,-1]}
      - type: Shape
        geometry: {type: ElevationGrid, x_dimension: 2, z_dimension: 3, height: [1, 2, 3, 4, 5, 6]}
  - name: ARM
    joint_name: shoulder
    parent: WAIST
    translation: [0, 0.2, 0.3]
    rotation: [1, 0, 0, 20]
    joint_type: revolute
    joint_id: 0
    joint_axis: [0.6, 0, 0.8]
    joint_displacement: 33
    joint_range: [-100, unlimited]
    max_joint_velocity: 180
    max_joint_effort: 40
    rotor_inertia: 0.01
    gear_ratio: 10
    actuation_mode: joint_velocity
  - name: SLIDE
    parent: ARM
    joint_type: prismatic
    joint_id: 1
    joint_axis: -Y
    joint_displacement: 0.25
    joint_range: [-0.5, 0.5]
    mass: 0.5
  - name: BELT
    parent: WAIST
    joint_type: pseudo_continuous_track
    joint_id: 2
    joint_axis: Y
  - name: PLATE
    parent: WAIST
    joint_type: fixed
  - name: BALL
    parent: WAIST
    translation: [1, 0, 0]
    joint_type: free
extra_joints:
  - {link1_name: SLIDE, link2_name: PLATE, joint_type: hinge, axis: [0, 1, 0],
     translation_in_link1: [0, 0, 1]}
  - {link1_name: SLIDE, link2_name: ARM, joint_type: ball, translation_in_link2: [0, 0, 1]}
  - {link1_name: SLIDE, link2_name: ARM, joint_type: piston, rotation_in_link1: [0, 1, 0, 90]}
"""
)

DEVICES = """
      - {type: AccelerationSensor, name: acc, id: 0, max_acceleration: [1, 2, 3], rotation: [0, 0, 1, 90]}
      - {type: RateGyroSensor, name: gyro, max_angular_velocity: [1, 2, 3]}
      - {type: IMU, name: imu}
      - {type: ForceSensor, name: force, max_force: [1, 2, 3], max_torque: [4, 5, 6]}
      - {type: Camera, name: eye, format: COLOR, width: 320, height: 240, field_of_view: 60, frame_rate: 20}
      - {type: Camera, name: depth, format: COLOR_DEPTH, optical_frame: robotics, max_distance: 4}
      - {type: Camera, name: fish, format: COLOR, lens_type: FISHEYE, field_of_view: 170, optical_frame: cv}
      - {type: RangeSensor, name: scan, yaw_range: 270, yaw_step: 0.5, max_distance: 20, scan_rate: 40,
         optical_frame_rotation: [1, 0, 0, 10]}
      - {type: RangeSensor, name: half, min_yaw_angle: 0, max_yaw_angle: 90, yaw_samples: 10, pitch_range: 30,
         pitch_samples: 4, detection_rate: 0.9, error_deviation: 0.01, on: false}
      - {type: PointLight, name: lamp, color: [1, 0.5, 0], intensity: 2, attenuation: [1, 0, 0.1]}
      - {type: SpotLight, name: beam, direction: [1, 0, 0], beam_width: 20, cut_off_angle: 30, on: false}
      - {type: MarkerDevice, name: mark, marker_type: cross, size: 0.2, offset_translation: [0, 0, 1]}
      - {type: Conveyor, name: belt, conveyor_type: rotary, axis: [0, 0, 1], speed: 0.4}
      - {type: Holder, name: hold, categories: [a, b], hold_condition: collision, on: true}
      - {type: Attachment, name: part, category: a}
      - {type: DigitalIO, name: io, num_signal_lines: 8, out_labels: {1: "o: ne"}, in_labels: {2: two},
         input_to_device_switch_connections: [[3, lamp]]}
      - {type: ZmpDevice, name: zmp}
      - {type: SmokeDevice, name: smoke, num_particles: 5, emission_range: 30}
      - {type: RotorDevice, name: rotor, value: 2, value_range: [-1, 5], position: [0, 0, 0.1],
         effect: {wall_distance: 1, wall_norm_middle_value: 0.5, wall_max_rate: 0.2}}
      - {type: DoseMeter, name: dose, level: 3, words: [a, "b c"]}
"""


def read(text: str) -> Scene:
    """Read a body file."""
    scene, _ = read_scene_text(text, "model.body")
    assert scene is not None
    return scene


def written(scene: Scene) -> tuple[str, list[str]]:
    """Return the first body as a body file, and what that could not say."""
    lost = DiagnosticLog()
    return body_text(scene, scene.bodies[0], lost), [item.text for item in lost]


def assert_comes_back(text: str) -> None:
    """Check that a file read, written and read again gives the same model, and the same text."""
    first = read(text)
    again, lost = written(first)
    assert lost == []
    second, log = read_scene_text(again, "model.body")
    assert second is not None
    assert not log.has_errors
    assert list(differences(first.bodies, second.bodies)) == []
    assert written(second)[0] == again


def test_robot_comes_back() -> None:
    """Frames, joints, limits, masses, shapes, looks, loops, rules and information."""
    assert_comes_back(ROBOT)


def test_devices_come_back() -> None:
    """Every type with every key."""
    assert_comes_back(HEADER + "links:\n  - name: BODY\n    elements:" + DEVICES)


def kinds_of_devices(kind: Any = Device) -> Iterator[type[Any]]:
    """Yield the classes of all devices that a link can have."""
    for part in get_args(kind) or (kind,):
        yield from (part,) if isinstance(part, type) else kinds_of_devices(part)


def sample(kind: Any) -> Any:
    """Return a value of a type."""
    options = [part for part in get_args(kind) if part not in (NoneType, Ellipsis)]
    if get_origin(kind) is tuple:
        return tuple(map(sample, options))
    if options:
        return sample(options[0])
    if is_dataclass(kind):
        return made(kind)
    if issubclass(kind, Enum):
        return list(kind)[-1]
    return {float: 0.5, int: 3, str: "some", bool: True}[kind]


def made(kind: type[Any]) -> Any:
    """Return an instance with values for all that has no default."""
    hints = get_type_hints(kind)
    needed = [x for x in fields(kind) if x.default is MISSING and x.default_factory is MISSING]
    return kind(**{item.name: sample(hints[item.name]) for item in needed})


@pytest.mark.parametrize("kind", [*kinds_of_devices()], ids=lambda kind: kind.__name__)
def test_a_device_of_any_kind_is_written_as_it_is_read_or_not_at_all(kind: type[Any]) -> None:
    """Nothing that is written is refused, and what comes back comes back again as it is."""
    holder = link("BODY", joint=JointFree(), devices=(made(kind),))
    text, lost = written(model(holder))
    first, log = read_scene_text(text, "model.body")
    assert first is not None and [str(item) for item in log] == []
    is_lost = any("has no node in Choreonoid" in said for said in lost)
    is_drawn = kind is DeviceTrackBelt  # the joint says what it does
    assert len(first.bodies[0].links[0].devices) == (not is_lost and not is_drawn)
    again, lost = written(first)
    assert lost == [] and list(differences(first.bodies, read(again).bodies)) == []


@pytest.mark.parametrize(("kind", "is_kept"), [("DoseMeter", True), ("Radio", False)])
def test_devices_of_plugins_are_kept_by_name_and_those_of_other_programs_told(
    kind: str, is_kept: bool
) -> None:
    """Choreonoid opens no body with a type that neither it nor a plugin knows."""
    device = DeviceUnknown(name="far", kind=kind, fields=(("level", "3"),))
    holder = link("BODY", joint=JointFree(), devices=(device,))
    text, lost = written(model(holder))
    said = [] if is_kept else ['device "far" (Radio) has no node in Choreonoid']
    assert lost == said
    back = [replace(item, span=device.span) for item in read(text).bodies[0].links[0].devices]
    assert back == ([device] if is_kept else [])


def test_radians_become_degrees() -> None:
    """Format 2.0 knows degrees only."""
    text = (
        "format: ChoreonoidBody\nformat_version: 1.0\nangle_unit: radian\nname: Model\n"
        "standard_pose: [1.5707963267948966]\nlinks:\n"
        "  - {name: BASE}\n"
        "  - {name: ARM, parent: BASE, rotation: [0, 0, 1, 1.1], joint_type: revolute, joint_id: 0,\n"
        "     joint_range: [-1.3, 0.7]}\n"
    )
    first = read(text)
    again = written(first)[0]
    assert "angle_unit: degree" in again
    assert "standard_pose: [90]" in again
    assert list(differences(first.bodies, read(again).bodies)) == []


def test_file_says_what_a_person_would_write() -> None:
    """Whole degrees, letters for axes, no defaults."""
    text = written(read(ROBOT))[0]
    for line in (
        "format_version: 2.0",
        "    joint_angle: 33",
        "    joint_range: [-100, unlimited]",
        "    max_joint_velocity: 180",
        "    joint_axis: -Y",
        "    joint_axis_inertia: 1",
        "    material: Sole",
        '    some_key: {a: [1, two], b: "x: y"}',
        "standard_pose: [0, 30]",
    ):
        assert f"\n{line}\n" in text, line


@pytest.mark.parametrize("angle", [90.0, 33.3, 0.1, -100.0, 1e-7, 359.999])
def test_degrees_are_read_as_the_same_angle(angle: float) -> None:
    """And are the number that was written once."""
    assert degrees(angle * DEGREE) == angle


def test_words_are_quoted_where_they_must_be() -> None:
    """Line breaks, colons and numbers stay texts."""
    assert word_text("ARM_1") == "ARM_1"
    assert word_text('a: "b"\n') == '"a: \\"b\\"\\n"'
    assert yaml_text({"a": {}, "b": [1.0, 2.5], "c": None}) == "a: {}\nb: [1, 2.5]\n"


# ------------------------------------------------------------------------------ from other formats


def model(*links: Link) -> Scene:
    """Return a scene with one body."""
    return Scene("world", "world.wbt", bodies=(Body("robot", links),))


def link(name: str, **fields: object) -> Link:
    """Return a link with a mass off its origin."""
    mass = MassProperties(2.0, (0.1, 0.2, 0.3), (0.3, 0.2, 0.4, 0.01, 0.0, 0.0))
    return Link(name, name, mass=mass, **fields)  # type: ignore[arg-type]


def test_hinge_away_from_the_origin_moves_the_link_frame_to_it() -> None:
    """Masses stay where they are in the world, and turn about the same line."""
    turn = quat_from_axis_angle((0.0, 1.0, 0.0), 0.5)
    hinge = JointHinge("elbow", JointAxis((0.0, 1.0, 0.0), 0.5), (1.0, 0.0, 0.5))
    before = model(
        link("base"), link("arm", pose=Pose((2.0, 0.0, 0.0), turn), parent=0, joint=hinge)
    )
    text, lost = written(before)
    assert lost == []
    after = read(text).bodies[0]
    arm = after.links[1]
    assert isinstance(arm.joint, JointHinge)
    assert list(differences(arm.joint.anchor, (1.0, 0.0, 0.5))) == []
    assert list(differences(arm.joint.axis.direction, (0.0, 1.0, 0.0))) == []
    assert arm.joint.axis.position == 0.5
    assert list(differences(_centers(before.bodies[0]), _centers(after))) == []


def _centers(body: Body) -> tuple[tuple[float, float, float], ...]:
    places = zip(world_poses(body), body.links, strict=True)
    return tuple(pose.point(item.mass.center) for pose, item in places if item.mass is not None)


def test_joint_with_several_axes_becomes_a_chain() -> None:
    """The links between have no mass."""
    axes = [JointAxis(x) for x in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))]
    ball = JointBall("b", axes[0], axes[1], axes[2], (0.0, 0.0, 1.0))
    before = model(link("base"), link("arm", pose=Pose((0.0, 0.0, 2.0)), parent=0, joint=ball))
    text, lost = written(before)
    assert "written as a chain of hinges" in lost[0]
    after = read(text).bodies[0]
    assert [item.name for item in after.links] == ["base", "arm axis 1", "arm axis 2", "arm"]
    assert sum(item.mass.mass for item in after.links if item.mass) == 4.0
    assert list(differences(_centers(before.bodies[0])[-1], _centers(after)[-1])) == []


def test_what_a_joint_cannot_say_is_told() -> None:
    """Stops become a range that nothing enforces."""
    axis = JointAxis((0.0, 0.0, 1.0), stops=Stops(-1.0, 1.0), spring=2.0, damping=1.0, velocity=3.0)
    text, lost = written(model(link("base"), link("arm", parent=0, joint=JointSlider("s", axis))))
    assert lost == [
        'joint "s": Choreonoid cannot say stops that are enforced (the range is written as a rating),'
        " a spring, damping, an initial velocity"
    ]
    assert "joint_range: [-1, 1]" in text


def test_link_of_two_contact_materials_becomes_two_links() -> None:
    """Fixed to each other, with half the mass each."""
    shapes = tuple(
        Shape(GeometrySphere(0.1), role=ShapeRole.BOTH, contact_material=name)
        for name in ("Sole", "Tire")
    )
    before = model(link("foot", shapes=shapes))
    text, lost = written(before)
    assert lost == []
    foot, other = read(text).bodies[0].links
    assert (other.name, other.parent, type(other.joint)) == ("foot Tire", 0, JointFixed)
    assert [item.shapes[0].contact_material for item in (foot, other)] == ["Sole", "Tire"]
    assert foot.mass is not None
    assert other.mass is not None
    assert (
        list(differences(combined((foot.mass, other.mass)), before.bodies[0].links[0].mass)) == []
    )


def test_contact_properties_belong_to_a_project() -> None:
    """Those of Choreonoid's own table are found again, others are not."""
    shape = Shape(GeometrySphere(0.1), role=ShapeRole.BOTH, contact_material="rubber")
    rows = ContactTable((ContactProperties(("rubber", "default"), (0.9,)),))
    _, lost = written(replace(model(link("base", shapes=(shape,))), contacts=rows))
    assert len(lost) == 1
    assert 'contact properties of "robot" are left out' in lost[0]


def test_plane_becomes_a_box_below_it() -> None:
    """Its top is where the plane was."""
    plane = Shape(GeometryPlane((4.0, 6.0)), role=ShapeRole.COLLISION)
    text, lost = written(model(link("floor", shapes=(plane,))))
    assert "a box of 4 x 6 m takes its place" in lost[0]
    assert "size: [4, 6, 1]" in text
    assert "translation: [0, 0, -0.5]" in text


def test_mesh_keeps_normals_and_texture_coordinates() -> None:
    """Each distinct one is written once."""
    mesh = GeometryMesh(
        ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (1.0, 1.0, 0.0)),
        ((0, 1, 2), (1, 3, 2)),
        ((0.0, 0.0, 1.0),) * 6,
        ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)),
    )
    text, _ = written(model(link("base", shapes=(Shape(mesh, role=ShapeRole.BOTH),))))
    assert "normals: [0, 0, 1]" in text
    assert read(text).bodies[0].links[0].shapes[0].geometry == mesh


def test_address_of_an_image_is_relative_to_the_new_file(tmp_path: Path) -> None:
    """It leads to the same file."""
    from solidbody.model.appearance import Texture

    shape = Shape(
        GeometryMesh(((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)), ((0, 1, 2),)),
        appearance=Appearance(texture=Texture("images/wood.png")),
    )
    scene = replace(model(link("base", shapes=(shape,))), source=str(tmp_path / "a" / "a.body"))
    text = body_text(scene, scene.bodies[0], DiagnosticLog(), target=str(tmp_path / "b" / "b.body"))
    assert "uri: ../a/images/wood.png" not in text  # quoted, since it is more than a word
    assert 'uri: "../a/images/wood.png"' in text


# ------------------------------------------------------------------------------------------ saving


def test_scene_saves_itself(tmp_path: Path) -> None:
    """The extension chooses the format; the file can be loaded."""
    path = tmp_path / "out.body"
    scene = read(ROBOT)
    assert scene.save(path) == ()
    assert list(differences(sb.load(path).bodies, scene.bodies)) == []
    sb.save(scene.bodies[0], path)
    assert list(differences(sb.load(path).bodies, scene.bodies)) == []
    sb.save(scene, tmp_path / "Out.proto")
    assert sb.load(tmp_path / "Out.proto").bodies[0].robots[0].name == "Model"


def test_robot_is_the_only_one_or_the_one_that_is_named(tmp_path: Path) -> None:
    """The message lists the names."""
    solid = f"{SPHERE} {PHYSICS} }}\n"
    one, two = (f'Robot {{ name "{name}" {solid}' for name in ("one", "two"))
    floor = f"Solid {{ {SPHERE} }}\n"
    assert "name: one" in _saved(read_clean(one + floor), tmp_path)
    both = read_clean(one + two + floor)
    with pytest.raises(SaveError, match=r'has 2 robots or bodies to choose from.*"one", "two"'):
        both.save(tmp_path / "x.body")
    assert "name: two" in _saved(both, tmp_path, "two")
    with pytest.raises(NameLookupError, match=r'no robot is named "tow"\. Did you mean "two"'):
        both.save(tmp_path / "x.body", robot="tow")


def _saved(scene: Scene, folder: Path, robot: str | None = None) -> str:
    path = folder / "saved.body"
    scene.save(path, robot=robot)
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("x.stl", 'cannot write ".stl" files; known: .xml, .wbt, .proto, .body, .urdf'),
        ("2-legs.proto", 'cannot be the name of a PROTO.*write "Robot2_legs.proto"'),
    ],
)
def test_file_that_nothing_writes_is_refused(tmp_path: Path, name: str, message: str) -> None:
    """Before anything is written."""
    with pytest.raises(SaveError, match=message):
        read(ROBOT).save(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_infinite_numbers_are_never_written() -> None:
    """Limits without an end are left out or called unlimited."""
    text, _ = written(read(ROBOT))
    assert not {"inf", "nan"} & set(text.replace(",", " ").split())
    assert math.inf not in [x for item in read(text).links() for x in item.pose.position]
