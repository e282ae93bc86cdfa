"""Scenes of several files: places, names, paths, contact tables, surroundings."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

import solidbody as sb
from solidbody.base.errors import LoadError
from solidbody.base.transforms import IDENTITY, Pose, quat_from_axis_angle, quat_multiply
from solidbody.formats.scene_merging import (
    Placement,
    SceneFile,
    joined_scenes,
    moved_scene,
    parse_scene_file,
    placement_of,
    read_scene_files,
)
from solidbody.model.contacts import ContactProperties, ContactTable
from solidbody.model.devices import DeviceLed
from solidbody.model.geometry import GeometrySphere
from solidbody.model.joints import JointAxis, JointHinge, LoopAttachment, LoopBall
from solidbody.model.links import Body, CollisionRules, Link
from solidbody.model.mass import MassProperties
from solidbody.model.scene import Scene, world_poses
from solidbody.model.shapes import Shape, ShapeRole
from tests.formats.comparing import differences
from tests.formats.reading import PHYSICS, SPHERE, codes, read_clean

QUARTER = math.pi / 2
ABOUT_Z = quat_from_axis_angle((0.0, 0.0, 1.0), QUARTER)

ARENA = "WorldInfo { basicTimeStep 8 }\nViewpoint { }\nDirectionalLight { }\n"
ROBOT = f'Robot {{ name "bot" translation 0 0 1 rotation 0 0 1 1.5 {SPHERE} {PHYSICS} }}'


def write(folder: Path, name: str, text: str) -> str:
    """Write a world and return its path."""
    path = folder / name
    path.write_text(f"#VRML_SIM R2025a utf8\n{text}\n", encoding="utf-8")
    return str(path)


def arm(name: str = "arm") -> Scene:
    """Return a scene of two links, a loop to the world and collision rules, by hand."""
    mass = MassProperties(1.0, inertia=(1.0, 1.0, 1.0, 0.0, 0.0, 0.0))
    shape = Shape(GeometrySphere(0.1), role=ShapeRole.BOTH, contact_material="rubber")
    hinge = JointHinge("elbow", JointAxis((1.0, 0.0, 0.0)), (0.0, 0.0, 1.0))
    base = Link(f"{name} base", f"{name}:base", mass=mass, shapes=(shape,))
    end = Link(
        f"{name} end", f"{name}:end", Pose((0.0, 0.0, 1.0)), 0, hinge, mass=mass, shapes=(shape,)
    )
    ends = (
        LoopAttachment(f"{name}:end", Pose()),
        LoopAttachment(None, Pose((0.0, 0.0, 1.0))),
    )
    rules = CollisionRules(
        disabled_links=(f"{name}:end",), disabled_pairs=((f"{name}:base", f"{name}:end"),)
    )
    body = Body(name, (base, end), loops=(LoopBall(ends),), collision=rules)
    return Scene(name, f"{name}.body", bodies=(body,))


@pytest.mark.parametrize(
    ("numbers", "place"),
    [
        ((1, 2, 3), Placement((1.0, 2.0, 3.0), None)),
        ((1, 2, 3, QUARTER), Placement((1.0, 2.0, 3.0), ABOUT_Z)),
        ((1, 2, 3, 0, 0, QUARTER), Placement((1.0, 2.0, 3.0), ABOUT_Z)),
        ((1, 2, 3, 0, 0, 5, QUARTER), Placement((1.0, 2.0, 3.0), ABOUT_Z)),
    ],
)
def test_place_is_position_and_one_of_three_rotations(
    numbers: tuple[float, ...], place: Placement
) -> None:
    """Yaw alone, roll pitch yaw, or axis and angle."""
    assert list(differences(placement_of(numbers), place)) == []


def test_roll_pitch_and_yaw_turn_about_fixed_axes() -> None:
    """R = Rz(yaw) Ry(pitch) Rx(roll)."""
    found = placement_of((0, 0, 0, 0.3, 0.2, 0.1)).rotation
    x, y, z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    turned = quat_multiply(quat_from_axis_angle(y, 0.2), quat_from_axis_angle(x, 0.3))
    assert found == quat_multiply(quat_from_axis_angle(z, 0.1), turned)


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ((1, 2), "got 2 numbers"),
        ((1, 2, 3, 4, 5), "got 5 numbers"),
        ((1, 2, math.nan), "must be finite"),
        ((0, 0, 0, 0, 0, 0, 1), "must not be null"),
    ],
)
def test_other_numbers_are_no_place(numbers: tuple[float, ...], message: str) -> None:
    """The message says what is allowed."""
    with pytest.raises(ValueError, match=message):
        placement_of(numbers)


def test_part_is_a_file_with_or_without_a_place(tmp_path: Path) -> None:
    """An @ that belongs to a file's name stays in it."""
    assert parse_scene_file("a.wbt") == SceneFile("a.wbt")
    assert parse_scene_file("a.body@0,0,0.7") == SceneFile("a.body", Placement((0.0, 0.0, 0.7)))
    assert parse_scene_file("me@home.wbt") == SceneFile("me@home.wbt")
    named = tmp_path / "a@1,2,3"
    named.touch()
    assert parse_scene_file(str(named)) == SceneFile(str(named))
    with pytest.raises(ValueError, match='"0,0,up" is no place; expected x,y,z or'):
        parse_scene_file("a.body@0,0,up")


def test_added_world_stands_where_it_is_put(tmp_path: Path) -> None:
    """The place of a world is that of its origin; the first file gives physics and light."""
    scene = sb.load(write(tmp_path, "arena.wbt", ARENA + f"Solid {{ {SPHERE} {PHYSICS} }}"))
    mixed = scene.add(write(tmp_path, "robot.wbt", "DirectionalLight { }\n" + ROBOT), at=(5, 0, 0))
    assert mixed.physics.time_step == 0.008
    assert [body.name for body in mixed.bodies] == ["solid", "bot"]
    assert mixed.bodies[1].links[0].pose.position == (5.0, 0.0, 1.0)
    assert len(mixed.lights) == 1
    assert len(scene.bodies) == 1  # scenes do not change


def test_root_of_a_robot_file_goes_where_it_is_put(tmp_path: Path) -> None:
    """A place of three numbers keeps the robot's own rotation, more numbers replace it."""
    path = write(tmp_path, "Bot.proto", f"PROTO Bot [ ]\n{{\n{ROBOT}\n}}")
    scene = read_clean("")
    kept = scene.add(path, at=(5, 0, 0)).bodies[0].links[0].pose
    assert list(differences(kept, Pose((5.0, 0.0, 0.0), _turn(1.5)))) == []
    turned = scene.add(path, at=(5, 0, 0, QUARTER)).bodies[0].links[0].pose
    assert list(differences(turned, Pose((5.0, 0.0, 0.0), ABOUT_Z))) == []
    own = scene.add(path).bodies[0].links[0].pose
    assert list(differences(own, Pose((0.0, 0.0, 1.0), _turn(1.5)))) == []


def _turn(angle: float) -> tuple[float, float, float, float]:
    return quat_from_axis_angle((0.0, 0.0, 1.0), angle)


def test_names_and_paths_of_a_second_copy_are_free() -> None:
    """What speaks of paths (loops, rules) follows."""
    twice = joined_scenes(arm(), arm())
    first, second = twice.bodies
    assert (first.name, second.name) == ("arm", "arm(1)")
    assert [link.name for link in second.links] == ["arm base(1)", "arm end(1)"]
    assert [link.path for link in second.links] == ["arm(1):base", "arm(1):end"]
    assert second.collision.disabled_links == ("arm(1):end",)
    assert second.collision.disabled_pairs == (("arm(1):base", "arm(1):end"),)
    assert second.loops[0].ends[0].link == "arm(1):end"
    hinge = second.links[1].joint
    assert isinstance(hinge, JointHinge)
    assert hinge.name == "elbow(1)"


def test_everything_that_stands_in_the_world_is_moved() -> None:
    """Links below others follow by themselves; ends of loops in the world are moved."""
    by = Pose((1.0, 0.0, 0.0), ABOUT_Z)
    body = moved_scene(arm(), by).bodies[0]
    assert body.links[1] == arm().bodies[0].links[1]
    assert body.loops[0].ends[1].pose == by * Pose((0.0, 0.0, 1.0))
    before, after = world_poses(arm().bodies[0]), world_poses(body)
    assert list(differences(tuple(by * pose for pose in before), after)) == []


def test_joint_to_the_world_is_moved_with_its_link() -> None:
    """Anchors and axes of such joints are given in the world."""
    mass = MassProperties(1.0)
    hinge = JointHinge("h", JointAxis((1.0, 0.0, 0.0)), (2.0, 0.0, 0.0))
    scene = Scene("s", "s", bodies=(Body("b", (Link("a", "a", joint=hinge, mass=mass),)),))
    moved = moved_scene(scene, Pose((0.0, 0.0, 1.0), ABOUT_Z)).bodies[0].links[0].joint
    assert isinstance(moved, JointHinge)
    assert list(differences(moved.anchor, (0.0, 2.0, 1.0))) == []
    assert list(differences(moved.axis.direction, (0.0, 1.0, 0.0))) == []


def test_contact_rows_of_both_files_hold() -> None:
    """The first file's win; the second's own materials keep its default between themselves."""
    soft = ContactProperties(friction=(0.3,))
    rubber = ContactProperties(("rubber", "ice"), (0.9,))
    first = replace(read_clean(""), contacts=ContactTable((rubber,)))
    other = ContactProperties(("rubber", "ice"), (0.1,))
    wood = ContactProperties(("wood", "ice"), (0.6,))
    second = replace(arm(), contacts=ContactTable((other, wood), soft))
    table = joined_scenes(first, second).contacts
    assert [(row.materials, row.friction) for row in table.entries] == [
        (("rubber", "ice"), (0.9,)),
        (("wood", "ice"), (0.6,)),
        (("rubber", "rubber"), (0.3,)),
    ]
    assert table.default == first.contacts.default


def test_lamps_of_links_come_along_and_keep_their_switches() -> None:
    """The number of a light in the scene changes."""
    lamp = f'Robot {{ name "r" {SPHERE} children [ LED {{ children [ PointLight {{ }} ] }} ] }}'
    mixed = joined_scenes(read_clean("DirectionalLight { }"), read_clean(lamp))
    (device,) = [device for link in mixed.links() for device in link.devices]
    assert isinstance(device, DeviceLed)
    assert device.lights == (1,)
    assert len(mixed.lights) == 2


def test_another_up_direction_is_reported() -> None:
    """Old worlds have y up."""
    old = read_clean('WorldInfo { coordinateSystem "NUE" }')
    mixed = joined_scenes(read_clean(""), old)
    assert [item.code for item in mixed.diagnostics] == ["mixed-axes"]


def test_file_that_cannot_be_read_leaves_the_others(tmp_path: Path) -> None:
    """With an error; without the first file there is nothing."""
    arena = write(tmp_path, "arena.wbt", ARENA + ROBOT)
    scene, log = read_scene_files(
        [SceneFile(arena), SceneFile("missing.wbt"), SceneFile("robot.txt")]
    )
    assert scene is not None
    assert len(scene.bodies) == 1
    assert codes(log)[-1] == "unknown-extension"
    assert log.has_errors
    nothing, log = read_scene_files([SceneFile("missing.wbt"), SceneFile(arena)])
    assert nothing is None
    assert log.has_errors


def test_adding_a_file_without_bodies_is_an_error(tmp_path: Path) -> None:
    """Nobody adds nothing on purpose."""
    empty = write(tmp_path, "empty.wbt", ARENA)
    with pytest.raises(LoadError, match="the file has no bodies"):
        read_clean("").add(empty)


def test_scene_can_be_added_too() -> None:
    """A pose says where."""
    mixed = read_clean("").add(arm(), at=Pose((0.0, 0.0, 2.0)))
    assert mixed.bodies[0].links[0].pose == Pose((0.0, 0.0, 2.0), IDENTITY)


def test_mixed_scene_is_simulated() -> None:
    """Two copies fall side by side."""
    ball = read_clean(f'Solid {{ name "ball" {SPHERE} {PHYSICS} }}')
    sim = sb.Sim(ball.add(ball, at=(1, 0, 0)))
    sim.step()
    assert sim["ball(1)"].position[0] == 1.0
    assert sim["ball(1)"].position[2] == sim["ball"].position[2] < 0.0
