"""Models of SDF: links, joints of all types, frames, nested and included models, loops, couplings."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import solidbody as sb
from solidbody.base.diagnostics import DiagnosticLog, Severity
from solidbody.formats.loading import read_scene
from solidbody.model.joints import (
    JointBall,
    JointFixed,
    JointFree,
    JointHinge,
    JointHinge2,
    JointSlider,
    LoopBall,
    LoopFixed,
    LoopHinge,
    joint_axes,
)
from solidbody.model.links import Link, Motion
from solidbody.model.scene import Scene, world_poses
from tests.formats.reading import the

BOX = "<geometry><box><size>0.2 0.2 0.2</size></box></geometry>"
MASS = "<inertial><mass>2</mass><inertia><ixx>0.1</ixx><iyy>0.2</iyy><izz>0.25</izz></inertia></inertial>"


def link(name: str, inside: str = "") -> str:
    return f'<link name="{name}">{MASS}{inside}</link>'


def at(*numbers: float, frame: str = "") -> str:
    named = f' relative_to="{frame}"' if frame else ""
    return f"<pose{named}>{' '.join(map(str, (*numbers, *[0] * (6 - len(numbers)))))}</pose>"


def read(folder: Path, inside: str, version: str = "1.9") -> tuple[Scene | None, DiagnosticLog]:
    path = folder / "model.sdf"
    path.write_text(f'<sdf version="{version}">{inside}</sdf>', "utf-8")
    return read_scene(path)


def scene_of(folder: Path, inside: str, version: str = "1.9") -> Scene:
    scene, log = read(folder, inside, version)
    assert scene is not None and [str(item) for item in log] == []
    return scene


def named(scene: Scene, name: str) -> Link:
    return next(link for link in scene.links() if link.name == name)


def place(scene: Scene, name: str) -> tuple[float, ...]:
    for body in scene.bodies:
        for item, pose in zip(body.links, world_poses(body), strict=True):
            if item.name == name:
                return pose.position
    raise KeyError(name)


def model(*parts: str, more: str = "") -> str:
    return f'<model name="m"{more}>{"".join(parts)}</model>'


def joint(kind: str, inside: str = "", parent: str = "a", child: str = "b", name: str = "j") -> str:
    ends = f"<parent>{parent}</parent><child>{child}</child>"
    return f'<joint name="{name}" type="{kind}">{ends}{inside}</joint>'


Z = "<axis><xyz>0 0 1</xyz></axis>"


@pytest.mark.parametrize(
    ("kind", "made"),
    [
        ("revolute", JointHinge),
        ("continuous", JointHinge),
        ("prismatic", JointSlider),
        ("fixed", JointFixed),
        ("ball", JointBall),
        ("universal", JointHinge2),
        ("revolute2", JointHinge2),
    ],
)
def test_types_of_joints(kind: str, made: type, tmp_path: Path) -> None:
    axes = "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2>"
    scene = scene_of(tmp_path, model(link("a"), link("b"), joint(kind, axes)))
    assert isinstance(named(scene, "a").joint, JointFree)
    assert isinstance(named(scene, "b").joint, made)


def test_joint_frame_axis_and_limits(tmp_path: Path) -> None:
    """The joint stands in the frame of its child unless it says else; so does its axis."""
    axis = (
        "<axis><xyz>0 1 0</xyz><limit><lower>-1</lower><upper>2</upper><effort>7</effort>"
        "<velocity>3</velocity></limit><dynamics><damping>0.5</damping><friction>0.1</friction>"
        "<spring_stiffness>4</spring_stiffness><spring_reference>0.2</spring_reference></dynamics></axis>"
    )
    turned = "<pose>1 0 0 0 0 1.5707963267948966</pose>"
    text = model(link("a"), link("b", turned), joint("revolute", at(0, 0.5, 0) + axis))
    scene = scene_of(tmp_path, text)
    made = named(scene, "b").joint
    assert isinstance(made, JointHinge)
    assert made.anchor == pytest.approx((0.5, 0.0, 0.0))
    assert made.axis.direction == pytest.approx((-1.0, 0.0, 0.0))
    assert made.axis.stops is not None and (made.axis.stops.low, made.axis.stops.high) == (
        -1.0,
        2.0,
    )
    motor = made.axis.motor
    assert motor is not None and (motor.max_effort, motor.max_velocity) == (7.0, 3.0)
    assert (made.axis.damping, made.axis.static_friction) == (0.5, 0.1)
    assert (made.axis.spring, made.axis.spring_rest) == (4.0, 0.2)


def test_axis_in_the_frame_of_the_model(tmp_path: Path) -> None:
    """By `expressed_in`, and by `use_parent_model_frame` of older versions."""
    turned = "<pose>1 0 0 0 0 1.5707963267948966</pose>"
    for version, axis in (
        ("1.6", "<axis><xyz>0 1 0</xyz><use_parent_model_frame>1</use_parent_model_frame></axis>"),
        ("1.8", '<axis><xyz expressed_in="__model__">0 1 0</xyz></axis>'),
        ("1.8", '<axis><xyz expressed_in="f">1 0 0</xyz></axis>'),
    ):
        frame = '<frame name="f"><pose>0 0 0 0 0 1.5707963267948966</pose></frame>'
        text = model(link("a"), link("b", turned), frame, joint("continuous", axis))
        made = named(scene_of(tmp_path, text, version), "b").joint
        assert joint_axes(made)[0].direction == pytest.approx((0.0, 1.0, 0.0), abs=1e-12)


def test_poses_relative_to_each_other(tmp_path: Path) -> None:
    """Frames, joints and links can be what a pose is relative to, in any order."""
    text = model(
        at(0, 0, 10),
        link("c", at(0, 0, 1, frame="f")),
        '<frame name="f" attached_to="b"><pose>0 1 0 0 0 0</pose></frame>',
        link("a", at(1, 0, 0)),
        link("b", at(1, 0, 0, frame="j")),
        joint("fixed", at(0, 2, 0, frame="a")),
        joint("fixed", parent="b", child="c", name="k"),
    )
    scene = scene_of(tmp_path, text)
    assert place(scene, "a") == pytest.approx((1.0, 0.0, 10.0))
    assert place(scene, "b") == pytest.approx((2.0, 2.0, 10.0))
    assert place(scene, "c") == pytest.approx((2.0, 3.0, 11.0))


def test_poses_by_quaternion_and_in_degrees(tmp_path: Path) -> None:
    half = math.sqrt(0.5)
    quat = f'<pose rotation_format="quat_xyzw">1 2 3 0 0 {half} {half}</pose>'
    degrees = '<pose degrees="true">1 2 3 0 0 90</pose>'
    for pose in (quat, degrees):
        scene = scene_of(tmp_path, model(pose, link("a"), link("b", at(1, 0, 0)), joint("fixed")))
        assert place(scene, "b") == pytest.approx((1.0, 3.0, 3.0))


def test_nested_models_and_names_across_them(tmp_path: Path) -> None:
    inner = (
        f'<model name="n">{at(0, 0, 1)}{link("x")}{link("y", at(1, 0, 0))}'
        f"{joint('revolute', Z, 'x', 'y')}</model>"
    )
    text = model(link("a"), inner, joint("fixed", parent="a", child="n::x", name="k"))
    scene = scene_of(tmp_path, text)
    assert [item.name for item in scene.links()] == ["a", "n::x", "n::y"]
    assert place(scene, "n::y") == pytest.approx((1.0, 0.0, 1.0))
    assert [item.parent for item in scene.links()] == [None, 0, 1]
    framed = model(
        link("a"), inner.replace('"n">', '"n" placement_frame="y">'), joint("fixed", child="n")
    )
    assert place(scene_of(tmp_path, framed), "n::y") == pytest.approx((0.0, 0.0, 1.0))


def test_joints_to_the_world_and_static_models(tmp_path: Path) -> None:
    text = model(link("a", at(0, 0, 1)), joint("revolute", Z, parent="world", child="a"))
    scene = scene_of(tmp_path, text)
    assert isinstance(named(scene, "m").joint, JointHinge)
    still = scene_of(tmp_path, model("<static>true</static>", link("a"), link("b")))
    assert {item.motion for item in still.links()} == {Motion.KINEMATIC}


def test_rings_of_links_become_loops(tmp_path: Path) -> None:
    """Four bars: the fourth joint closes the ring, and stays closed while it swings."""
    parts = [
        link(name, at(*spot))
        for name, spot in zip("abc", ((0, 0, 0), (1, 0, 0), (2, 0, 0)), strict=True)
    ]
    axis = "<axis><xyz>0 1 0</xyz></axis>"
    ring = [
        joint("revolute", axis, "world", "a", "j0"),
        joint("revolute", axis, "a", "b", "j1"),
        joint("revolute", axis, "b", "c", "j2"),
        joint("revolute", axis, "world", "c", "j3"),
    ]
    scene = scene_of(tmp_path, model(*parts, *ring))
    (loop,) = scene.bodies[0].loops
    assert isinstance(loop, LoopHinge)
    sim = sb.Sim(scene)
    sim.run(0.5)
    assert math.dist(sim["c"].position, (2.0, 0.0, 0.0)) < 1e-3
    for kind, made in (("ball", LoopBall), ("fixed", LoopFixed)):
        text = model(*parts, *ring[:3], joint(kind, "", "a", "c", "j3"))
        assert isinstance(scene_of(tmp_path, text).bodies[0].loops[0], made)


def test_a_link_with_two_parents_holds_one_of_them(tmp_path: Path) -> None:
    """c hangs on a; b, which hangs on nothing, hangs on c: the same motion, seen from the other end."""
    text = model(
        link("a"),
        link("b", at(1, 0, 0)),
        link("c", at(2, 0, 0)),
        joint("revolute", Z, "a", "c", "j1"),
        joint("revolute", Z, "b", "c", "j2"),
    )
    scene = scene_of(tmp_path, text)
    assert not scene.bodies[0].loops
    assert joint_axes(named(scene, "b").joint)[0].direction == pytest.approx((0.0, 0.0, -1.0))
    names = [item.name for item in scene.links()]
    assert [names[item.parent] if item.parent is not None else "" for item in scene.links()] == [
        "",
        "a",
        "c",
    ]


def test_mimic_and_gearbox(tmp_path: Path) -> None:
    follows = (
        '<axis><xyz>0 0 1</xyz><mimic joint="j1"><multiplier>2</multiplier>'
        "<offset>0.1</offset><reference>0.5</reference></mimic></axis>"
    )
    links = [link("a"), link("b", at(1, 0, 0)), link("c", at(2, 0, 0))]
    two = [joint("revolute", Z, "a", "b", "j1"), joint("revolute", follows, "a", "c", "j2")]
    (coupling,) = scene_of(tmp_path, model(*links, *two), "1.11").bodies[0].couplings
    assert (coupling.multiplier, coupling.offset) == pytest.approx((2.0, -0.9))
    gears = [
        joint("revolute", Z, "a", "b", "j1"),
        joint("revolute", Z, "a", "c", "j2"),
        joint("gearbox", "<gearbox_ratio>3</gearbox_ratio>", "b", "c", "g"),
    ]
    (coupling,) = scene_of(tmp_path, model(*links, *gears)).bodies[0].couplings
    assert coupling.multiplier == -3.0 and coupling.follower.endswith("c")


def test_included_models(tmp_path: Path) -> None:
    """By folder and model.config, renamed and placed; merged ones give their parts to who includes them."""
    folder = tmp_path / "models" / "part"
    folder.mkdir(parents=True)
    inner = model(
        at(9, 9, 9), link("p"), link("q", at(0, 0, 1)), joint("fixed", parent="p", child="q")
    )
    (folder / "new.sdf").write_text(f'<sdf version="1.9">{inner}</sdf>')
    (folder / "model.config").write_text(
        '<model><name>part</name><sdf version="1.6">old.sdf</sdf><sdf version="1.10">new.sdf</sdf></model>'
    )
    include = "<include{}><uri>model://part</uri>{}<pose>1 0 0 0 0 0</pose></include>"
    path = tmp_path / "models" / "robot"
    path.mkdir()
    text = model(
        link("a"), include.format("", "<name>n</name>"), joint("fixed", parent="a", child="n::p")
    )
    scene = scene_of(path, text)
    assert place(scene, "n::q") == pytest.approx((1.0, 0.0, 1.0))
    text = model(
        link("a"),
        include.format(' merge="true"', ""),
        joint("fixed", parent="a", child="p", name="k"),
    )
    assert place(scene_of(path, text), "q") == pytest.approx((1.0, 0.0, 1.0))


def test_mass_and_automatic_inertia(tmp_path: Path) -> None:
    mass = (
        "<inertial><pose>0 0 0.1 0 0 0</pose><mass>3</mass><inertia><ixx>1</ixx>"
        "<iyy>2</iyy><izz>2.5</izz><ixy>0.1</ixy></inertia></inertial>"
    )
    made = named(scene_of(tmp_path, model(f'<link name="a">{mass}</link>')), "m").mass
    assert made is not None and made.mass == 3.0 and made.center == (0.0, 0.0, 0.1)
    assert made.inertia == pytest.approx((1.0, 2.0, 2.5, 0.1, 0.0, 0.0))
    auto = '<inertial auto="true"><density>500</density></inertial>'
    text = model(f'<link name="a">{auto}<collision name="c">{BOX}</collision></link>')
    made = named(scene_of(tmp_path, text, "1.11"), "m").mass
    assert made is not None and made.mass == pytest.approx(4.0)
    cone = "<geometry><cone><radius>0.2</radius><length>0.8</length></cone></geometry>"
    text = model(f'<link name="a">{auto}<collision name="c">{cone}</collision></link>')
    made = named(scene_of(tmp_path, text, "1.11"), "m").mass
    m = 500 * math.pi * 0.2**2 * 0.8 / 3
    assert made is not None and made.mass == pytest.approx(m)
    assert made.center == pytest.approx((0.0, 0.0, -0.2))  # a quarter of the height above the base
    assert made.inertia[2] == pytest.approx(0.3 * m * 0.2**2)
    assert made.inertia[0] == pytest.approx(m * (3 / 20 * 0.2**2 + 3 / 80 * 0.8**2))
    scene, log = read(tmp_path, model(f'<link name="a">{auto}</link>'), "1.11")
    assert scene is not None
    made = named(scene, "m").mass
    assert the(log, "no-mass").severity is Severity.WARNING
    assert made is not None and made.mass == 1.0


@pytest.mark.parametrize(
    ("parts", "code", "text"),
    [
        (
            link("a") + joint("fixed"),
            "unknown-link",
            'no link is named "b"; the joint is left out.',
        ),
        (link("a") + link("a"), "duplicate-name", 'the name "a" is taken; it is left out.'),
        (link("a") + link("b") + joint("revolut"), "joint-type", 'Did you mean "revolute"?'),
        (link("a", at(0, frame="zz")), "unknown-frame", 'no frame is named "zz"'),
        (link("a", "<pose>1 2 nan 0 0 0</pose>"), "wrong-value", "expected 6 numbers"),
        (
            link("a", at(0, frame="b")) + link("b", at(0, frame="a")) + joint("fixed"),
            "frame-ring",
            "depends on itself",
        ),
        (
            link("a", f'<collision name="c">{BOX.replace("box", "bx")}</collision>'),
            "geometry",
            'Did you mean "box"?',
        ),
        (
            link(
                "a", '<visual name="v"><geometry><mesh><uri>no.stl</uri></mesh></geometry></visual>'
            ),
            "missing-mesh",
            "there is no such file",
        ),
        (link("a") + "<include><uri>model://nowhere</uri></include>", "missing-model", "nowhere"),
    ],
)
def test_mistakes_are_told_with_their_place(
    parts: str, code: str, text: str, tmp_path: Path
) -> None:
    scene, log = read(tmp_path, model(parts))
    assert scene is not None
    found = [item for item in log if item.code == code]
    assert found and text in found[0].text, [str(item) for item in log]
    assert found[0].span.line == 1 and found[0].span.column > 1


def test_models_that_include_themselves(tmp_path: Path) -> None:
    text = model(link("a"), "<include><uri>model.sdf</uri></include>")
    scene, log = read(tmp_path, text)
    assert scene is not None
    assert [item.code for item in log] == ["include-ring"]


def test_many_includes_are_bounded(tmp_path: Path) -> None:
    """Each file takes in the next one ten times: that would be 10^12 models."""
    for number in range(12):
        inner = f"<include><uri>m{number + 1}.sdf</uri><name>{{}}</name></include>"
        parts = "".join(inner.format(f"n{k}") for k in range(10)) if number < 11 else ""
        (tmp_path / f"m{number}.sdf").write_text(
            f'<sdf version="1.9"><model name="m">{link("a")}{parts}</model></sdf>'
        )
    scene, log = read_scene(tmp_path / "m0.sdf")
    codes = {item.code for item in log}
    assert "too-much" in codes or "too-many-links" in codes
    assert scene is not None


def test_models_of_a_project_are_found(tmp_path: Path) -> None:
    """Beside the world, in `models` there, and in the `models` beside its folder `worlds`."""
    part = f'<sdf version="1.9">{model(link("p"))}</sdf>'
    for number, place_of in enumerate(("worlds/one", "worlds/models/two", "models/three")):
        folder = tmp_path / place_of
        folder.mkdir(parents=True)
        (folder / "model.sdf").write_text(part.replace('name="m"', f'name="part {number}"'))
    world = tmp_path / "worlds" / "w.sdf"
    includes = "".join(
        f"<include><uri>model://{name}</uri><name>{name}</name></include>"
        for name in ("one", "two", "three")
    )
    world.write_text(f'<sdf version="1.9"><world name="w">{includes}</world></sdf>')
    scene, log = read_scene(world)
    assert scene is not None and not log.has_errors, [str(item) for item in log]
    assert {body.name for body in scene.bodies} >= {"one", "two", "three"}


@pytest.mark.parametrize("name", ["wheel", "world"])
def test_a_joint_that_is_called_as_something_else_is(name: str, tmp_path: Path) -> None:
    """Files before 1.7 have that: the joint moves, and gets a name of its own."""
    turn = joint("revolute", Z, "base", "wheel", name)
    text = model(link("base"), link("wheel", at(1, 0, 0)), turn)
    scene, log = read(tmp_path, text, "1.6")
    assert scene is not None
    moved = named(scene, "wheel").joint
    assert isinstance(moved, JointHinge) and moved.name == f"{name} joint"
    (told,) = (item for item in log if item.code == "duplicate-name")
    assert told.severity is Severity.WARNING and f'"{name} joint"' in told.text


def test_a_joint_with_equal_limits_is_held(tmp_path: Path) -> None:
    """As models of Gazebo lock joints: a beam that would fall stays. No effort is a motor still."""
    limits = "<limit><lower>0.3</lower><upper>0.3</upper><effort>0</effort></limit>"
    axis = f"<axis><xyz>0 1 0</xyz>{limits}</axis>"
    beam = link("b", at(0.5, 0, 0) + "<inertial><mass>1</mass></inertial>")
    text = model(
        link("a"),
        beam,
        joint("fixed", parent="world", child="a", name="w"),
        joint("revolute", axis),
    )
    scene, _ = read(tmp_path, text)
    assert scene is not None
    sim = sb.Sim(scene)
    sim.run(1.0)
    held = sim.joint("j").position
    sim.run(1.0)
    assert sim.joint("j").position == pytest.approx(held, abs=1e-3)
    assert held == pytest.approx(0.3, abs=0.02)
    scene.save(tmp_path / "m.xml")
    loaded, log = read_scene(tmp_path / "m.xml")
    assert loaded is not None and not log.has_errors
