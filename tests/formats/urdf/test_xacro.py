"""Macros in URDF files: what they stand for, and what is said of mistakes."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from typer.testing import CliRunner

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.cli.app import app
from solidbody.formats.loading import read_scene
from solidbody.formats.options import LoadOptions
from solidbody.formats.urdf.xacro_values import Value, XacroError, evaluate, is_true, literal
from solidbody.model.devices.vision import DeviceCamera
from solidbody.model.scene import Scene
from tests.formats.choreonoid.projects import body, item, project, world
from tests.formats.choreonoid.projects import read as read_project
from tests.formats.reading import link_named, the

HEAD = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">\n'
MASS = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
BASE = f'<link name="base">{MASS}</link>'
ARM = """<xacro:macro name="arm" params="name mass:=2 parent:=^|base *place **drawn">
  <link name="${name}"><inertial><mass value="${mass}"/></inertial><xacro:insert_block name="drawn"/></link>
  <joint name="${name}_joint" type="fixed">
    <parent link="${parent}"/><child link="${name}"/><xacro:insert_block name="place"/>
  </joint>
</xacro:macro>
"""
BALL = '<drawn><visual><geometry><sphere radius="0.1"/></geometry></visual></drawn>'


def read(folder: Path, *parts: str) -> tuple[Scene | None, DiagnosticLog]:
    """Return what a file with these parts behind the base gives."""
    path = folder / "robot.urdf.xacro"
    path.write_text(f"{HEAD}{BASE}\n" + "\n".join(parts) + "\n</robot>", "utf-8")
    return read_scene(path)


def scene_of(folder: Path, *parts: str) -> Scene:
    """Return the scene of a file that nothing is said about."""
    scene, log = read(folder, *parts)
    assert scene is not None and [str(one) for one in log] == []
    return scene


def link(name: str, x: str = "0") -> str:
    """Return a link and the joint that holds it at x."""
    return (
        f'<link name="{name}"/><joint name="j{name}" type="fixed"><parent link="base"/>'
        f'<child link="{name}"/><origin xyz="{x} 0 0"/></joint>'
    )


def insert(number: int) -> str:
    """Return what puts a block in."""
    return f'<xacro:insert_block name="b{number}"/>'


def place(scene: Scene, name: str) -> float:
    """Return where a link stands along x."""
    return link_named(scene, name).pose.position[0]


def test_properties_are_worked_out_when_they_are_asked_for(tmp_path: Path) -> None:
    """So that one may be made of others that come later."""
    scene = scene_of(
        tmp_path,
        '<xacro:property name="wide" value="${2 * half}"/>',
        '<xacro:property name="half" value="0.25"/>',
        link("a", "${wide}"),
        link("b", "${wide + half if half &lt; 1 else 0}"),
    )
    assert (place(scene, "a"), place(scene, "b")) == (0.5, 0.75)


def test_macros_have_defaults_blocks_and_names_of_where_they_are_called(tmp_path: Path) -> None:
    calls = (
        f'<xacro:arm name="a" mass="${{1 + 2}}"><origin xyz="1 0 0"/>{BALL}</xacro:arm>',
        '<xacro:property name="parent" value="a"/>',
        '<xacro:arm name="b"><origin xyz="1 0 0"/><drawn/></xacro:arm>',
    )
    scene = scene_of(tmp_path, ARM, *calls)
    a, b = link_named(scene, "a"), link_named(scene, "b")
    assert a.mass is not None and b.mass is not None
    assert (a.mass.mass, b.mass.mass) == (3.0, 2.0)
    assert [len(a.shapes), len(b.shapes)] == [1, 0]
    names = [one.name for one in scene.bodies[0].links]
    assert [names[one.parent] for one in (a, b) if one.parent is not None] == ["base", "a"]


def test_conditions_decide_what_is_there(tmp_path: Path) -> None:
    scene = scene_of(
        tmp_path,
        '<xacro:arg name="lifted" default="false"/>',
        f'<xacro:if value="$(arg lifted)">{link("a")}</xacro:if>',
        f'<xacro:unless value="$(arg lifted)">{link("b")}</xacro:unless>',
        f"<xacro:if value=\"${{'x' in ['x', 'y'] and not 0}}\">{link('c')}</xacro:if>",
    )
    assert [one.name for one in scene.bodies[0].links] == ["base", "b", "c"]


def test_files_of_packages_are_taken_in(tmp_path: Path) -> None:
    """They may be called by the package's name, which need not be that of its folder."""
    (tmp_path / "package.xml").write_text("<package><name>arms</name></package>", "utf-8")
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "arm.xacro").write_text(f"{HEAD}{ARM}</robot>", "utf-8")
    (tmp_path / "parts" / "more.xacro").write_text(f"{HEAD}{link('b')}</robot>", "utf-8")
    scene = scene_of(
        tmp_path,
        '<xacro:include filename="$(find arms)/parts/arm.xacro"/>',
        '<xacro:include filename="parts/more.xacro"/>',
        '<xacro:include filename="parts/none.xacro" optional="true"/>',
        '<xacro:arm name="a"><origin xyz="1 0 0"/><drawn/></xacro:arm>',
    )
    assert [one.name for one in scene.bodies[0].links] == ["base", "b", "a"]


LIMITS = """\
joint_limits:
  shoulder: {max_position: !degrees  180.0, max_effort: 330.0, has_limits: true}
  wrist: {max_position: !radians 2, names: [a, 'b', "3"], nothing: ~}
offsets: &o [1, -2.5e-1]
again: *o
"""


def test_tables_come_from_yaml_files(tmp_path: Path) -> None:
    """As in the files of Universal Robots: angles in degrees, mappings by index or by dot."""
    (tmp_path / "limits.yaml").write_text(LIMITS, "utf-8")
    scene = scene_of(
        tmp_path,
        '<xacro:property name="file" value="limits.yaml"/>',
        '<xacro:property name="all" value="${xacro.load_yaml(file)}"/>',
        """<xacro:property name="limits" value="${all['joint_limits']}"/>""",
        link("s${limits['shoulder']['max_position']}"),
        link("w${limits.wrist.max_position} ${limits.wrist['names'][2]}1"),
        link("n${limits.wrist.nothing} ${limits.wrist.get('no', 7)} ${len(limits.keys())}"),
        link("o${sum(load_yaml(file).again)}"),
        """<xacro:if value="${limits.shoulder.has_limits and 'wrist' in limits}">"""
        + link("held")
        + "</xacro:if>",
    )
    names = [one.name for one in scene.bodies[0].links]
    assert names == ["base", f"s{math.pi}", "w2.0 31", "nFalse 7 2", "o0.75", "held"]


def test_tables_of_packages_are_named_within_an_expression(tmp_path: Path) -> None:
    """As in the files of Franka Robotics."""
    folder = tmp_path / "config"
    folder.mkdir()
    (folder / "limits.yaml").write_text(LIMITS, "utf-8")
    path = tmp_path / "r.xacro"
    table = "${xacro.load_yaml('$(find arms)/config/limits.yaml')}"
    path.write_text(
        f'{HEAD}<xacro:property name="all" value="{table}"/>{BASE}'
        + link("o${all['offsets'][0]}")
        + "</robot>",
        "utf-8",
    )
    scene, log = read_scene(path, options=LoadOptions(packages=(("arms", tmp_path),)))
    assert scene is not None and [str(one) for one in log] == []
    assert [one.name for one in scene.bodies[0].links] == ["base", "o1"]


def test_properties_may_be_worked_out_at_once(tmp_path: Path) -> None:
    """As in the inertias of Franka's arms: a name then stands for a part of what it stood for."""
    (tmp_path / "limits.yaml").write_text(LIMITS, "utf-8")
    scene = scene_of(
        tmp_path,
        """<xacro:property name="table" value="${xacro.load_yaml('limits.yaml')}"/>""",
        """<xacro:macro name="one" params="name table:=^">
          <xacro:property name="table" value="${table[name]}" lazy_eval="false"/>"""
        + link("o${table[1]}")
        + "</xacro:macro>",
        '<xacro:one name="offsets"/>',
    )
    assert [one.name for one in scene.bodies[0].links] == ["base", "o-0.25"]


def test_texts_in_elements_are_worked_out(tmp_path: Path) -> None:
    """As sensors of Gazebo have them, in macros and outside."""
    scene = scene_of(
        tmp_path,
        '<xacro:property name="high" value="12"/>',
        """<xacro:macro name="eye" params="on size">
          <gazebo reference="${on}"><sensor type="camera" name="${on} eye"><update_rate>20</update_rate>
            <camera><image><width>${2 * size}</width><height>${high}</height></image></camera>
          </sensor></gazebo></xacro:macro>""",
        '<xacro:eye on="base" size="8"/>',
    )
    (camera,) = link_named(scene, "base").devices
    assert isinstance(camera, DeviceCamera)
    assert (camera.name, camera.width, camera.height) == ("base eye", 16, 12)


def test_expressions_deep_in_each_other_are_refused(tmp_path: Path) -> None:
    text = "$(eval " * 200 + "1" + ")" * 200
    _, log = read(tmp_path, f'<link name="{text}"/>')
    assert "deep in each other" in the(log, "xacro").text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: !degrees up", 'an angle is a number, got "up"'),
        ("a: [1", "cannot be read"),
        ("&a [*a]", "cannot be read"),
        ("[" * 3000, "cannot be read"),
        (
            "a: &a [1,1,1,1,1,1,1,1,1,1]\n"
            + "\n".join(
                f"{chr(98 + k)}: &{chr(98 + k)} [{','.join([f'*{chr(97 + k)}'] * 10)}]"
                for k in range(9)
            ),
            "cannot be read",
        ),
    ],
    ids=["angle", "unfinished", "circle", "deep", "bomb"],
)
def test_tables_that_cannot_be_read_say_why(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "t.yaml").write_text(text, "utf-8")
    scene, log = read(tmp_path, link("${load_yaml('t.yaml')}"))
    assert scene is not None
    assert said in next(one.text for one in log if one.code == "xacro")


def test_yaml_files_elsewhere_are_not_read(tmp_path: Path) -> None:
    _, log = read(tmp_path, link("${load_yaml('/etc/passwd')}"))
    said = {one.text.split(" (")[0] for one in log if one.code == "xacro"}
    where = "the path leads out of the folders that may be read"
    assert said == {f'"/etc/passwd" cannot be read: {where}'}


def test_eval_and_env_are_worked_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARM_KIND", "long")
    scene = scene_of(
        tmp_path,
        '<xacro:arg name="size" default="3"/>',
        link("$(eval size * (1 + 1))"),
        link("$(eval 'a)' if arg('size') == 3 else 'b') $(env ARM_KIND) $(optenv NO_SUCH so far)"),
    )
    assert [one.name for one in scene.bodies[0].links] == ["base", "6", "a) long so far"]


def test_a_package_may_be_named_with_its_folder(tmp_path: Path) -> None:
    far = tmp_path / "far" / "v2"
    far.mkdir(parents=True)
    (far / "arm.xacro").write_text(f"{HEAD}{ARM}</robot>", "utf-8")
    here = tmp_path / "here"
    here.mkdir()
    path = here / "r.xacro"
    include = '<xacro:include filename="$(find arms)/arm.xacro"/>'
    path.write_text(f"{HEAD}{BASE}{include}</robot>", "utf-8")
    _, log = read_scene(path)
    assert "in none of the folders of --package" in the(log, "xacro").text
    _, log = read_scene(path, options=LoadOptions(packages=(("arms", far),)))
    assert not log.has_errors


def test_dollars_may_be_meant(tmp_path: Path) -> None:
    scene = scene_of(tmp_path, link("$${a}"))
    assert [one.name for one in scene.bodies[0].links] == ["base", "${a}"]


def test_bodies_of_projects_may_have_macros(tmp_path: Path) -> None:
    path = tmp_path / "r.xacro"
    path.write_text(f'{HEAD}<link name="${{1 + 1}}">{MASS}</link></robot>', "utf-8")
    robot = body("Robot", "r.xacro", "format: URDF")
    scene, messages = read_project(tmp_path, project(world(robot, item("AISTSimulatorItem", "A"))))
    assert messages == []
    assert [one.name for one in scene.bodies[0].links] == ["2"]


@pytest.mark.parametrize(
    ("part", "text"),
    [
        ("<xacro:amr/>", 'no macro is named "amr"; it is left out. Did you mean "arm"?'),
        ('<xacro:call macro="amr"/>', 'no macro is named "amr". Did you mean "arm"?'),
        ('<xacro:arm name="a"><drawn/></xacro:arm>', 'the block "drawn" is missing.'),
        ("<xacro:arm><origin/><drawn/></xacro:arm>", 'the parameter "name" is missing.'),
        (
            '<xacro:arm name="a" mas="3"><origin/><drawn/></xacro:arm>',
            'the macro has no parameter "mas". Did you mean "mass"?',
        ),
        (
            '<xacro:include filename="no.xacro"/>',
            '"no.xacro" cannot be taken in: there is no such file.',
        ),
        ('<xacro:insert_block name="no"/>', 'no block is named "no".'),
        ("<xacro:property/>", '<xacro:property> needs the attribute "name".'),
        ('<xacro:if value="perhaps"/>', 'expected true, false or a number, got "perhaps".'),
        ('<link name="${no}"/>', 'nothing is named "no".'),
        ('<link name="$(arg no)"/>', 'the argument "no" has no default; say --xacro-arg no=VALUE.'),
        ('<link name="$(anon a)"/>', '"$(anon a)" is not worked out here.'),
        ('<link name="$(eval no)"/>', 'nothing is named "no".'),
        ('<link name="$(env NO_SUCH)"/>', 'the environment variable "NO_SUCH" is not set.'),
        (
            """<link name="${xacro.load_yaml('no.yaml')}"/>""",
            '"no.yaml" cannot be read: there is no such file.',
        ),
        ('<link name="${load_yaml(1)}"/>', '"load_yaml" takes one text.'),
        (
            '<xacro:property name="x" value="${x}"/><link name="${x}"/>',
            '"x" is made of itself.',
        ),
    ],
)
def test_mistakes_are_named_with_their_place(tmp_path: Path, part: str, text: str) -> None:
    scene, log = read(tmp_path, ARM, part)
    assert scene is not None
    found = the(log, "xacro")
    assert found.text == text
    assert found.span.line == f"{HEAD}{BASE}\n{ARM}\n".count("\n") + 1


def test_properties_that_cannot_be_worked_out_say_so_each_time(tmp_path: Path) -> None:
    """They are not taken for properties that are made of themselves."""
    wrong = '<xacro:property name="x" value="${no}"/>'
    _, log = read(tmp_path, wrong, link("${x}"))
    said = {one.text for one in log if one.code == "xacro"}
    assert said == {'nothing is named "no".'}


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ('<xacro:macro name="m"><xacro:m/></xacro:macro><xacro:m/>', "more than 120 deep"),
        (
            "".join(
                f'<xacro:macro name="m{k}">{f"<xacro:m{k - 1}/>" * 10}</xacro:macro>'
                for k in range(1, 9)
            )
            + '<xacro:macro name="m0"><link name="a"/></xacro:macro><xacro:m8/>',
            "come to more than 100000 elements",
        ),
        (
            '<xacro:property name="b0"><link name="a"/></xacro:property>'
            + "".join(
                f'<xacro:property name="b{k}">{insert(k - 1) * 10}</xacro:property>'
                for k in range(1, 30)
            )
            + insert(29),
            "come to more than 100000 elements",
        ),
    ],
)
def test_macros_without_end_are_refused(tmp_path: Path, parts: str, text: str) -> None:
    scene, log = read(tmp_path, parts)
    assert scene is None
    assert text in the(log, "xacro").text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2 * 3", 7),
        ("-pi / 2", -math.pi / 2),
        ("radians(90)", math.pi / 2),
        ("math.sqrt(16) // 3", 1.0),
        ("2 ** 3", 8.0),
        ("9007199254740992 * 2", 2.0**54),
        ("'a' + str(1)", "a1"),
        ("x['k'][1]", 5),
        ("x.k[0] > 3 or no", True),
        ("'A_b'.lower().split('_')", ["a", "b"]),
        ("max(1, 2) if True else 0", 2),
    ],
)
def test_expressions_are_those_of_python(text: str, value: Value) -> None:
    names: dict[str, Value] = {"x": {"k": [4, 5]}}
    assert evaluate(text, names.get) == value


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').remove('x')",
        "().__class__",
        "'a' * 10**9",
        "'%999999999d' % 1",
        "9**9**9**9",
        f"'{'a' * 600}'.replace('a', '{'b' * 600}')",
        f"'a'.join([{','.join([repr('b' * 100)] * 9)}]).join('{'c' * 800}')",
        "[x for x in 'abc']",
        "1 / 0",
        "1 +",
        "open('x')",
        "(" * 300 + "1" + ")" * 300,
        "1" + " + 1" * 600,
    ],
)
def test_other_expressions_are_refused(text: str) -> None:
    """Whatever could reach out of the file, or take all memory."""
    with pytest.raises(XacroError):
        evaluate(text, lambda _: None)


@pytest.mark.parametrize(
    ("text", "value"),
    [("7", 7), ("-0.5", -0.5), ("1e3", 1000.0), ("true", True), ("'7'", "7"), ("a b", "a b")],
)
def test_texts_are_numbers_where_they_look_like_them(text: str, value: Value) -> None:
    found = literal(text)
    assert found == value and type(found) is type(value)


def test_conditions_are_truth_values_or_numbers() -> None:
    assert [is_true(value) for value in ("1", "0.0", "True", 2, False)] == [
        True,
        False,
        True,
        True,
        False,
    ]


def test_arguments_are_given_from_outside(tmp_path: Path) -> None:
    """They come before defaults; one that is needed and not given is told with how to give it."""
    path = tmp_path / "r.xacro"
    path.write_text(
        """<robot name="$(arg name)" xmlns:xacro="http://www.ros.org/wiki/xacro">
        <xacro:arg name="name"/><xacro:arg name="count" default="1"/>
        <link name="world"/><xacro:if value="$(eval count > 2)"><link name="b"/>
        <joint name="j" type="fixed"><parent link="world"/><child link="b"/></joint></xacro:if></robot>""",
        "utf-8",
    )
    given = LoadOptions(xacro_args=(("name", "bob"), ("count", "3")))
    scene, log = read_scene(path, options=given)
    assert scene is not None and not log.has_errors
    assert (scene.bodies[0].name, len(scene.bodies[0].links)) == ("bob", 2)
    scene, log = read_scene(path)
    assert "--xacro-arg name=VALUE" in next(iter(log)).text
    asked = ["check", str(path), "--xacro-arg", "name:=ann", "--xacro-arg", "count=1"]
    assert CliRunner().invoke(app, asked).exit_code == 0
    refused = CliRunner().invoke(app, ["check", str(path), "--xacro-arg", "name"])
    assert refused.exit_code == 2 and "NAME=VALUE" in refused.output
