"""Robots in URDF: what becomes of links, joints, shapes and materials, and what is said of mistakes."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import solidbody as sb
from solidbody.base.diagnostics import DiagnosticLog, Severity
from solidbody.base.transforms import quat_rotate
from solidbody.formats.loading import read_scene
from solidbody.model.geometry import GeometryBox, GeometryCylinder, GeometryMesh, GeometrySphere
from solidbody.model.joints import (
    JointAxis,
    JointFixed,
    JointFree,
    JointHinge,
    JointSlider,
    Stops,
)
from solidbody.model.links import Link, Motion
from solidbody.model.scene import Scene
from solidbody.model.shapes import Shape, ShapeRole
from tests.formats.reading import link_named, the

ROUNDING = 1e-12
"""Angles go through axis and angle once."""

MASS = (
    '<inertial><origin xyz="0 0 0.1"/><mass value="2"/>'
    '<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.25"/></inertial>'
)
ENDS = '<parent link="base"/><child link="arm"/>'


def robot(*parts: str, base: str = MASS, arm: str = MASS) -> str:
    """Return a file with the links base and arm, one part in a line each."""
    head = f'<robot name="r">\n<link name="base">{base}</link>\n<link name="arm">{arm}</link>'
    return "\n".join((head, *parts, "</robot>"))


def joint(kind: str = "fixed", inside: str = "") -> str:
    """Return the joint between both links."""
    return f'<joint name="j" type="{kind}">{ENDS}{inside}</joint>'


def read(folder: Path, text: str) -> tuple[Scene | None, DiagnosticLog]:
    """Return what a file gives."""
    path = folder / "robot.urdf"
    path.write_text(text, "utf-8")
    return read_scene(path)


def scene_of(folder: Path, text: str) -> Scene:
    """Return the scene of a file that nothing is said about."""
    scene, log = read(folder, text)
    assert scene is not None and [str(item) for item in log] == []
    return scene


def arm_of(folder: Path, *parts: str, arm: str = MASS) -> Link:
    """Return the link arm of a robot."""
    return link_named(scene_of(folder, robot(*parts, arm=arm)), "arm")


def axis_of(link: Link) -> JointAxis:
    """Return the axis of a link's joint."""
    assert isinstance(link.joint, JointHinge | JointSlider)
    return link.joint.axis


def only_shape(folder: Path, inside: str, head: str = "") -> Shape:
    """Return the shape of a visual."""
    (shape,) = arm_of(folder, head, joint(), arm=f"{MASS}<visual>{inside}</visual>").shapes
    return shape


# links


def test_links_have_their_mass_where_it_is(tmp_path: Path) -> None:
    turned = MASS.replace('xyz="0 0 0.1"', f'xyz="0 0 0.1" rpy="0 0 {math.pi / 2}"')
    link = arm_of(tmp_path, joint("continuous"), arm=turned)
    assert link.mass is not None
    assert (link.mass.mass, link.mass.center) == (2.0, (0.0, 0.0, 0.1))
    assert link.mass.inertia[:3] == pytest.approx((0.2, 0.1, 0.25), abs=ROUNDING)


def test_links_without_inertial_have_no_mass(tmp_path: Path) -> None:
    link = arm_of(tmp_path, joint("continuous"), arm="")
    assert link.mass is not None and link.mass.mass == 0.0


def test_robots_without_any_mass_stand_and_weigh_as_water(tmp_path: Path) -> None:
    """As those that are only shown have none: collision counts, then what is drawn, of meshes the box."""
    (tmp_path / "wedge.obj").write_text(
        "v 0 0 0\nv 0.2 0 0\nv 0 0.1 0\nv 0 0 0.1\nf 1 3 2\nf 1 2 4\n", "utf-8"
    )
    parts = {
        "base": "",
        "box": '<visual><geometry><sphere radius="1"/></geometry></visual><collision>'
        '<origin xyz="0 0 1"/><geometry><box size="0.1 0.2 0.3"/></geometry></collision>',
        "ball": '<visual><geometry><sphere radius="0.1"/></geometry></visual>',
        "wedge": '<visual><geometry><mesh filename="wedge.obj"/></geometry></visual>',
    }
    links = [f'<link name="{name}">{form}</link>' for name, form in parts.items()]
    joints = [
        f'<joint name="j{name}" type="continuous"><parent link="base"/><child link="{name}"/></joint>'
        for name in list(parts)[1:]
    ]
    scene, log = read(tmp_path, f'<robot name="r">{"".join(links + joints)}</robot>')
    assert scene is not None
    assert the(log, "no-mass").severity is Severity.WARNING
    base, *moving = scene.bodies[0].links
    assert base.motion is Motion.KINEMATIC
    masses = [link.mass.mass for link in moving if link.mass is not None]
    assert masses == pytest.approx([6.0, 4000 / 3 * math.pi * 0.1**3, 2.0])
    assert moving[0].mass is not None and moving[0].mass.center == (0.0, 0.0, 1.0)
    sim = sb.Sim(scene)
    sim.step(20)
    assert np.isfinite(sim.poses()).all()


def test_root_moves_freely_unless_it_is_the_world(tmp_path: Path) -> None:
    text = robot(joint())
    assert isinstance(link_named(scene_of(tmp_path, text), "base").joint, JointFree)
    held = link_named(scene_of(tmp_path, text.replace('"base"', '"world"')), "world")
    assert isinstance(held.joint, JointFixed) and held.motion is Motion.KINEMATIC


def test_root_need_not_come_first(tmp_path: Path) -> None:
    turned = '<joint name="j" type="fixed"><parent link="arm"/><child link="base"/></joint>'
    body = scene_of(tmp_path, robot(turned)).bodies[0]
    assert [link.name for link in body.links] == ["arm", "base"]


# joints


@pytest.mark.parametrize(
    ("kind", "made"),
    [
        ("revolute", JointHinge),
        ("continuous", JointHinge),
        ("prismatic", JointSlider),
        ("fixed", JointFixed),
        ("floating", JointFree),
    ],
)
def test_types_of_joints(tmp_path: Path, kind: str, made: type) -> None:
    assert isinstance(arm_of(tmp_path, joint(kind)).joint, made)


def test_joints_turn_about_x_unless_they_say_otherwise(tmp_path: Path) -> None:
    assert axis_of(arm_of(tmp_path, joint("continuous"))).direction == (1.0, 0.0, 0.0)
    link = arm_of(tmp_path, joint("continuous", '<axis xyz="0 3 4"/>'))
    assert axis_of(link).direction == pytest.approx((0.0, 0.6, 0.8), abs=ROUNDING)


def test_rpy_turns_about_fixed_axes_x_then_y_then_z(tmp_path: Path) -> None:
    turn = f'<origin xyz="1 2 3" rpy="{math.pi / 2} 0 {math.pi / 2}"/>'
    pose = arm_of(tmp_path, joint("fixed", turn)).pose
    assert pose.position == (1.0, 2.0, 3.0)
    assert quat_rotate(pose.rotation, (0.0, 1.0, 0.0)) == pytest.approx((0, 0, 1), abs=ROUNDING)
    assert quat_rotate(pose.rotation, (1.0, 0.0, 0.0)) == pytest.approx((0, 1, 0), abs=ROUNDING)


def test_limits_stop_joints_and_dynamics_slow_them(tmp_path: Path) -> None:
    limit = '<limit lower="-1" upper="0.5" velocity="3" effort="7"/>'
    axis = axis_of(
        arm_of(tmp_path, joint("revolute", f'{limit}<dynamics damping="0.2" friction="0.1"/>'))
    )
    assert axis.stops == Stops(-1.0, 0.5)
    assert (axis.velocity_limit, axis.effort_limit) == (3.0, 7.0)
    assert (axis.damping, axis.static_friction) == (0.2, 0.1)


def test_continuous_joints_have_no_stops(tmp_path: Path) -> None:
    axis = axis_of(arm_of(tmp_path, joint("continuous", '<limit velocity="3" effort="7"/>')))
    assert axis.stops is None and axis.velocity_limit == 3.0


def test_limits_of_zero_are_none(tmp_path: Path) -> None:
    """Exporters of drawing programs write them for joints that nobody has given limits."""
    zeros = '<limit lower="0" upper="0" effort="0" velocity="0"/>'
    scene, log = read(tmp_path, robot(joint("revolute", zeros)))
    assert scene is not None
    axis = axis_of(link_named(scene, "arm"))
    assert (axis.stops, axis.velocity_limit, axis.effort_limit) == (None, math.inf, math.inf)
    found = the(log, "empty-range")
    assert found.text == "both ends of its range are 0; it is not stopped at all."
    assert found.severity is Severity.WARNING


def test_joints_that_move_are_numbered_in_the_order_of_the_links(tmp_path: Path) -> None:
    body = scene_of(tmp_path, robot(joint("continuous"))).bodies[0]
    assert [link.joint_number for link in body.links] == [None, 0]
    assert [robot.name for robot in body.robots] == ["r"]


def test_planar_joints_are_warned_of(tmp_path: Path) -> None:
    _, log = read(tmp_path, robot(joint("planar")))
    found = the(log, "planar-joint")
    said = "planar joints are held fixed here."
    assert (found.severity, found.text) == (Severity.WARNING, said)
    assert found.node == '<joint name="j">'


# shapes


def test_cylinders_stand_along_z_and_boxes_and_balls_have_their_size(tmp_path: Path) -> None:
    shape = only_shape(tmp_path, '<geometry><cylinder radius="0.1" length="0.4"/></geometry>')
    assert shape.geometry == GeometryCylinder(0.1, 0.4) and shape.role is ShapeRole.VISUAL
    upright = quat_rotate(shape.pose.rotation, (0.0, 0.0, 1.0))
    assert tuple(map(abs, upright)) == pytest.approx((0, 0, 1), abs=ROUNDING)
    box = only_shape(tmp_path, '<geometry><box size="1 2 3"/></geometry><origin xyz="4 5 6"/>')
    assert box.geometry == GeometryBox((1.0, 2.0, 3.0)) and box.pose.position == (4.0, 5.0, 6.0)
    ball = only_shape(tmp_path, '<geometry><sphere radius="0.3"/></geometry>')
    assert ball.geometry == GeometrySphere(0.3)


def test_collisions_are_touched_and_not_seen(tmp_path: Path) -> None:
    inside = '<collision><geometry><sphere radius="0.3"/></geometry></collision>'
    (shape,) = arm_of(tmp_path, joint(), arm=MASS + inside).shapes
    assert shape.role is ShapeRole.COLLISION


@pytest.mark.parametrize(
    "material",
    ['<material name="m"/>', '<material name="own"><color rgba="0 0.5 1 0.75"/></material>'],
)
def test_materials_are_named_or_stand_there(tmp_path: Path, material: str) -> None:
    head = '<material name="m"><color rgba="0 0.5 1 0.75"/></material>'
    shape = only_shape(tmp_path, f'<geometry><box size="1 1 1"/></geometry>{material}', head)
    assert shape.appearance is not None
    assert shape.appearance.base_color == (0.0, 0.5, 1.0)
    assert shape.appearance.transparency == 0.25


def test_a_material_without_a_colour_is_warned_of(tmp_path: Path) -> None:
    visual = '<visual><geometry><box size="1 1 1"/></geometry><material name="blu"/></visual>'
    head = '<material name="blue"><color rgba="0 0 1 1"/></material>'
    _, log = read(tmp_path, robot(head, joint(), arm=MASS + visual))
    said = 'no material "blu" has a colour; the shape is white. Did you mean "blue"?'
    assert the(log, "material").text == said


STL = """solid s
facet normal 0 0 1
outer loop
vertex 0 0 0
vertex 1000 0 0
vertex 0 1000 0
endloop
endfacet
endsolid s
"""


@pytest.mark.parametrize("uri", ["package://walker_description/meshes/a.STL", "../meshes/a.STL"])
def test_meshes_come_from_the_package_around_whatever_its_folder_is_called(
    tmp_path: Path, uri: str
) -> None:
    for name in ("urdf", "meshes"):
        (tmp_path / "clone" / name).mkdir(parents=True)
    (tmp_path / "clone" / "meshes" / "a.STL").write_text(STL)
    (tmp_path / "clone" / "package.xml").write_text(
        "<package><name>walker_description</name></package>"
    )
    mesh = f'<geometry><mesh filename="{uri}" scale="0.001 0.001 0.001"/></geometry>'
    paint = '<material name="m"><color rgba="1 0 0 1"/></material>'
    shape = only_shape(tmp_path / "clone" / "urdf", mesh + paint)
    assert isinstance(shape.geometry, GeometryMesh)
    assert max(max(point) for point in shape.geometry.vertices) == pytest.approx(1.0, abs=1e-6)
    assert shape.appearance is not None and shape.appearance.base_color == (1.0, 0.0, 0.0)


def test_meshes_of_an_unknown_package_are_looked_for_in_the_project(tmp_path: Path) -> None:
    """A folder that was downloaded alone has no package.xml."""
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "a.stl").write_text(STL)
    uri = "package://walker_description/meshes/a.stl"
    visual = f'<visual><geometry><mesh filename="{uri}"/></geometry></visual>'
    scene, log = read(tmp_path, robot(joint(), arm=MASS + visual))
    assert scene is not None and len(link_named(scene, "arm").shapes) == 1
    found = the(log, "other-address")
    said = f'"{uri}" cannot be read; "{tmp_path}/meshes/a.stl" is taken for it.'
    assert (found.severity, found.text) == (Severity.WARNING, said)


OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
RED = '<material name="m"><color rgba="1 0 0 1"/></material>'


@pytest.mark.parametrize(("paint", "color"), [("", (1.0, 0.0, 0.0)), ("usemtl own\n", (0, 1, 0))])
def test_meshes_have_the_colour_of_the_robot_where_they_have_none(
    tmp_path: Path, paint: str, color: tuple[float, ...]
) -> None:
    (tmp_path / "a.mtl").write_text("newmtl own\nKd 0 1 0\n")
    (tmp_path / "a.obj").write_text(f"mtllib a.mtl\n{paint}{OBJ}" if paint else OBJ)
    shape = only_shape(tmp_path, f'<geometry><mesh filename="a.obj"/></geometry>{RED}')
    assert shape.appearance is not None
    assert shape.appearance.base_color == pytest.approx(color, abs=0.01)


# mistakes

LINK = '<robot name="r">\n<link name="arm">\n'


@pytest.mark.parametrize(
    ("inside", "code", "field", "column"),
    [
        ('<inertial><mass value="-2"/></inertial>', "negative-mass", "<mass>.value", 11),
        (
            '<inertial><origin rpy="0 0 0.8"/><mass value="2"/><inertia ixy="1.7e308" ixx="1.7e308"/>'
            "</inertial>",
            "not-finite",
            "<inertial>",
            1,
        ),
        (
            '<visual><geometry><box size="1 -1 1"/></geometry></visual>',
            "wrong-size",
            "<box>.size",
            19,
        ),
        (
            '<visual><geometry><cylinder radius="0" length="1"/></geometry></visual>',
            "flat-shape",
            "<cylinder>.radius",
            19,
        ),
        (
            '<visual><geometry><mesh filename="a.yaml"/></geometry></visual>',
            "missing-mesh",
            "<mesh>.filename",
            19,
        ),
        ("<visual><geometry><mesh/></geometry></visual>", "missing-key", "<mesh>.filename", 19),
        (
            '<visual><geometry><mesh filename="a.obj" scale="1 0 1"/></geometry></visual>',
            "null-scale",
            "<mesh>.scale",
            19,
        ),
        (
            '<visual><geometry><sphere radius="1"/></geometry>'
            '<material name="m"><color rgba="255 0 0 1"/></material></visual>',
            "wrong-value",
            "<color>.rgba",
            69,
        ),
    ],
)
def test_messages_name_the_element_and_stand_where_it_is(
    tmp_path: Path, inside: str, code: str, field: str, column: int
) -> None:
    (tmp_path / "a.obj").write_text(OBJ)
    scene, log = read(tmp_path, f"{LINK}{inside}</link></robot>")
    assert scene is not None
    found = the(log, code)
    assert (found.span.line, found.span.column) == (3, column)
    assert f"{found.node}.{found.field}".rstrip(".") == field
    assert not any("Choreonoid" in str(item) or "elements" in str(item) for item in log)


@pytest.mark.parametrize(
    ("ends", "code", "said"),
    [
        ("", "no-parent", 'it is the child of no joint, and the root is "base"; left out.'),
        (
            '<parent link="bsae"/><child link="arm"/>',
            "unknown-parent",
            'no link is named "bsae"; what hangs on it is left out. Did you mean "base"?',
        ),
        (
            '<child link="arm"/>',
            "missing-key",
            'a joint needs <parent link="...">; it is left out.',
        ),
    ],
)
def test_links_that_hang_nowhere_are_said_once(
    tmp_path: Path, ends: str, code: str, said: str
) -> None:
    joined = ends and f'<joint name="j" type="fixed">{ends}</joint>'
    scene, log = read(tmp_path, robot(joined))
    assert scene is not None and [link.name for link in scene.bodies[0].links] == ["base"]
    assert [(item.code, item.text) for item in log] == [(code, said)]


def test_names_of_joints_that_are_there_twice_are_made_different(tmp_path: Path) -> None:
    hand = '<link name="hand"/><joint name="j" type="fixed"><parent link="arm"/><child link="hand"/></joint>'
    scene, log = read(tmp_path, robot(joint("continuous"), hand))
    assert scene is not None
    found = the(log, "duplicate-name")
    assert found.text == "another joint has this name; one of them gets a number."
    assert (found.span.line, found.node) == (5, '<joint name="j">')


def test_ranges_that_are_upside_down_are_turned_and_negative_limits_left_out(
    tmp_path: Path,
) -> None:
    limit = '<limit lower="1" upper="-1" velocity="-3" effort="7"/>'
    scene, log = read(tmp_path, robot(joint("revolute", limit)))
    assert scene is not None
    axis = axis_of(link_named(scene, "arm"))
    assert axis.stops == Stops(-1.0, 1.0)
    assert (axis.velocity_limit, axis.effort_limit) == (math.inf, 7.0)
    assert the(log, "range-order").text == "the range [1, -1] is upside down; it is turned."
    assert the(log, "wrong-value").text == "a limit is not negative, got -3; none is set."


@pytest.mark.parametrize(
    ("text", "code", "said", "line"),
    [
        ("<robot>\n<link></robot>", "bad-xml", "this is not XML: mismatched tag.", 2),
        ("", "bad-xml", "this is not XML: no element found.", 1),
        (
            '<!DOCTYPE r [\n<!ENTITY a "b">]>\n<robot/>',
            "bad-xml",
            "entities of a file's own are not read.",
            2,
        ),
        (
            "<a>" * 101,
            "bad-xml",
            "elements stand more than 100 deep in each other.",
            1,
        ),
        (
            "<sdf/>",
            "wrong-format",
            "the outermost element of URDF is <robot>, got <sdf>.",
            1,
        ),
        ("<robot/>", "no-body", "the robot has no root link: it has no links.", 1),
        (
            '<robot><link name="a"/>\n<joint name="j" type="fixed"><parent link="a"/>'
            '<child link="a"/></joint></robot>',
            "no-body",
            "the robot has no root link: every link is the child of a joint.",
            1,
        ),
    ],
)
def test_files_that_give_no_robot_say_why(
    tmp_path: Path, text: str, code: str, said: str, line: int
) -> None:
    scene, log = read(tmp_path, text)
    assert scene is None
    found = the(log, code)
    assert (found.text, found.span.line) == (said, line)


@pytest.mark.parametrize(
    ("parts", "code", "said"),
    [
        (
            (joint("hinge"),),
            "joint-type",
            "expected one of revolute, continuous, prismatic, fixed, floating, planar, "
            'got "hinge"; the joint is fixed.',
        ),
        (
            (joint(), joint().replace('"j"', '"k"')),
            "two-parents",
            'the link "arm" is the child of two joints; this one is left out.',
        ),
        (
            (joint(), '<joint name="k" type="fixed"><parent link="arm"/></joint>'),
            "missing-key",
            'a joint needs <child link="...">; it is left out.',
        ),
        (
            (joint(), joint().replace('child link="arm"', 'child link="amr"')),
            "unknown-link",
            'no link is named "amr"; the joint is left out. Did you mean "arm"?',
        ),
        (
            (joint("fixed", '<origin xyz="0 0"/>'),),
            "wrong-value",
            'expected 3 numbers, got "0 0"; 0 0 0 is used.',
        ),
        (
            (joint("revolute", '<limit lower="-1" upper="x"/>'),),
            "wrong-value",
            'expected a number, got "x"; 0 is used.',
        ),
        (
            (joint("continuous", '<axis xyz="0 0 0"/>'),),
            "null-axis",
            "the axis has no direction; 1 0 0 is used.",
        ),
        (
            (joint("continuous", '<dynamics damping="-1"/>'),),
            "wrong-value",
            "it is not negative, got -1; 0 is used.",
        ),
    ],
)
def test_mistakes_are_errors_and_the_rest_is_read(
    tmp_path: Path, parts: tuple[str, ...], code: str, said: str
) -> None:
    scene, log = read(tmp_path, robot(*parts))
    assert scene is not None and len(scene.bodies[0].links) == 2
    found = the(log, code)
    assert (found.severity, found.text) == (Severity.ERROR, said)
    assert found.span.line >= 3  # where the joints are (damping: where the link is)


@pytest.mark.parametrize(
    ("inside", "said"),
    [
        ("", "got nothing; it is left out."),
        ("<geometry/>", "got nothing; it is left out."),
        ("<geometry><bax/></geometry>", 'got <bax>; it is left out. Did you mean "box"?'),
    ],
)
def test_unknown_forms_are_errors(tmp_path: Path, inside: str, said: str) -> None:
    scene, log = read(tmp_path, robot(joint(), arm=f"{MASS}<visual>{inside}</visual>"))
    assert scene is not None
    start = "expected a geometry of box, cylinder, sphere, capsule, mesh, "
    assert the(log, "geometry").text == start + said


def test_what_is_not_read_is_said_once(tmp_path: Path) -> None:
    _, log = read(tmp_path, robot(joint(), "<gazebo/>", "<gazebo/>", "<jiont/>"))
    assert [item.text for item in log] == [
        '<jiont> in <robot> is not read. Did you mean "joint"?',
        "<gazebo> without a reference is about Gazebo itself: it is not read.",
    ]


# where such robots stand


def test_robots_have_no_table_of_materials(tmp_path: Path) -> None:
    """So that nobody is told what becomes of materials that no file has named."""
    contacts = scene_of(tmp_path, robot(joint())).contacts
    assert contacts.entries == () and contacts.default.friction == (0.5,)


@pytest.mark.parametrize(
    "inside", ["links: [ { type: SubBody, uri: robot.urdf } ]", "modelFile: robot.urdf"]
)
def test_body_files_may_hold_such_robots(tmp_path: Path, inside: str) -> None:
    text = robot(joint("revolute", '<limit lower="-1" upper="0.5"/><dynamics damping="2"/>'))
    (tmp_path / "robot.urdf").write_text(text, "utf-8")
    body = tmp_path / "whole.body"
    body.write_text(f"format: ChoreonoidBody\nformatVersion: 1.0\n{inside}\n", "utf-8")
    if inside.startswith("model"):
        body.write_text(f"{inside}\n", "utf-8")
    scene, log = read_scene(body)
    assert scene is not None and [str(item) for item in log] == []
    axis = axis_of(link_named(scene, "arm"))
    assert (axis.stops, axis.damping) == (Stops(-1.0, 0.5), 2.0)


def test_projects_may_name_such_robots(tmp_path: Path) -> None:
    (tmp_path / "robot.urdf").write_text(robot(joint("continuous")), "utf-8")
    project = tmp_path / "p.cnoid"
    project.write_text(
        """
items:
  class: WorldItem
  children:
    - class: BodyItem
      name: me
      data:
        file: robot.urdf
        format: URDF
        initialRootPosition: [ 1, 2, 3 ]
        initialJointPositions: [ 0.5 ]
    - { class: AISTSimulatorItem }
""",
        "utf-8",
    )
    scene, log = read_scene(project)
    assert scene is not None and [str(item) for item in log] == []
    base, arm = scene.bodies[0].links
    assert (base.pose.position, axis_of(arm).position) == ((1.0, 2.0, 3.0), 0.5)
