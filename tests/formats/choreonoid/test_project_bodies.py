"""Body items: where a body starts, how its joints stand, what it collides with."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from solidbody.base.transforms import quat_rotate
from solidbody.formats.choreonoid.project.bodies import joint_slots
from solidbody.model.joints import JointFixed, JointFree, JointHinge, JointSlider
from solidbody.model.links import Body, Link, Motion
from solidbody.model.scene import world_poses
from tests.formats.choreonoid.projects import ARM, body, project, read, world

EXACT = 1e-12
"""A few turns in double precision."""


def started(folder: Path, data: str = "", file: str = "arm.body") -> tuple[Body, list[str]]:
    """Return the body of an item and the messages about it (not about what a project lacks)."""
    scene, messages = read(folder, project(world(body("Robot", file, data))))
    quiet = [text for text in messages if "no simulator" not in text]
    return scene.bodies[0], quiet


def link(found: Body, name: str) -> Link:
    """Return a link by name."""
    return next(item for item in found.links if item.name == name)


def axis_position(item: Link) -> float:
    """Return where a joint stands."""
    assert isinstance(item.joint, JointHinge | JointSlider)
    return item.joint.axis.position


def test_a_body_without_initial_place_starts_at_the_origin(tmp_path: Path) -> None:
    """Not where its file puts its root, nor at `root_translation`."""
    found, messages = started(tmp_path)
    assert messages == []
    assert found.links[0].pose.position == (0.0, 0.0, 0.0)
    found, messages = started(tmp_path, "root_translation: [1, 2, 3]")
    assert found.links[0].pose.position == (0.0, 0.0, 0.0)
    assert len(messages) == 1
    assert (
        'warning: WorldItem "World" > BodyItem "Robot".root_translation: a simulation starts'
        in (messages[0])
    )


STATES = (
    "root_translation: [1, 2, 3], root_rotation: [0, 0, 1, 90], joint_displacements: [0, 90], "
    "initial_root_translation: [4, 5, 6], initial_joint_displacements: [0, 45]"
)
"""As shown, and as simulations start."""


@pytest.mark.parametrize(
    ("items", "place", "angle"),
    [
        ("{}", (1.0, 2.0, 3.0), math.pi / 2),
        ("{}, {{class: AISTSimulatorItem, name: S, plugin: Body}}", (4.0, 5.0, 6.0), math.pi / 4),
        ("{{class: WorldItem, name: W, plugin: Body, children: [{}]}}", (4, 5, 6), math.pi / 4),
    ],
)
def test_what_cannot_be_simulated_stands_as_shown(
    tmp_path: Path, items: str, place: tuple[float, ...], angle: float
) -> None:
    """Without world and simulator; a world may get its simulator from another project."""
    scene, _ = read(tmp_path, project(items.format(body("Robot", "arm.body", STATES))))
    found = scene.bodies[0]
    assert found.links[0].pose.position == place
    turned = quat_rotate(found.links[0].pose.rotation, (1.0, 0.0, 0.0))
    axis = (0.0, 1.0, 0.0) if angle > 1.0 else (1.0, 0.0, 0.0)
    assert turned == pytest.approx(axis, abs=EXACT)
    assert axis_position(link(found, "TURN")) == pytest.approx(angle, abs=EXACT)


def test_initial_place_is_in_metres_and_degrees(tmp_path: Path) -> None:
    """The rest of the body goes along."""
    found, messages = started(
        tmp_path,
        "root_translation: [9, 9, 9], initial_root_translation: [1, 2, 3], "
        "initial_root_rotation: [0, 0, 1, 90]",
    )
    assert messages == []
    root = found.links[0].pose
    assert root.position == (1.0, 2.0, 3.0)
    assert quat_rotate(root.rotation, (1.0, 0.0, 0.0)) == pytest.approx((0.0, 1.0, 0.0), abs=EXACT)
    turn = world_poses(found)[1]
    assert turn.position == pytest.approx((1.0, 3.0, 3.0), abs=EXACT)


def test_old_files_have_a_matrix(tmp_path: Path) -> None:
    """`initialRootAttitude` has nine numbers, row by row."""
    found, messages = started(
        tmp_path,
        "initialRootPosition: [0, 0, 1], initialRootAttitude: [0, -1, 0, 1, 0, 0, 0, 0, 1]",
    )
    assert messages == []
    turned = quat_rotate(found.links[0].pose.rotation, (1.0, 0.0, 0.0))
    assert turned == pytest.approx((0.0, 1.0, 0.0), abs=EXACT)


def test_joints_are_listed_by_id_and_then_those_without(tmp_path: Path) -> None:
    """SLIDE has id 0, TURN id 1, LOOSE none; the free root is no joint."""
    found, _ = started(tmp_path)
    names = [found.links[index].name for index in joint_slots(found) if index is not None]
    assert names == ["SLIDE", "TURN", "LOOSE"]


@pytest.mark.parametrize(
    "data",
    [
        "joint_displacements: [%s]",
        "jointDisplacements: [%s]",
        "initial_joint_displacements: [%s], joint_displacements: [1, 1, 1]",
        "initialJointDisplacements: [%s]",
    ],
)
def test_displacements_are_degrees_for_sliders_too(tmp_path: Path, data: str) -> None:
    """Half a metre was stored as 0.5*180/pi."""
    numbers = f"{0.5 * 180 / math.pi!r}, 90, -30"
    found, messages = started(tmp_path, data % numbers)
    assert messages == []
    assert axis_position(link(found, "SLIDE")) == pytest.approx(0.5, abs=EXACT)
    assert axis_position(link(found, "TURN")) == pytest.approx(math.pi / 2, abs=EXACT)
    assert axis_position(link(found, "LOOSE")) == pytest.approx(-math.pi / 6, abs=EXACT)
    # TURN at (1,0,0) turned to the left; SLIDE 1 m ahead of it and 0.5 m further
    slide = world_poses(found)[found.links.index(link(found, "SLIDE"))]
    assert slide.position == pytest.approx((1.0, 1.5, 0.0), abs=EXACT)


@pytest.mark.parametrize("key", ["jointPositions", "initialJointPositions"])
def test_old_positions_are_radians_and_metres(tmp_path: Path, key: str) -> None:
    """No factor at all."""
    found, messages = started(tmp_path, f"{key}: [0.25, 1.5, 0]")
    assert messages == []
    assert axis_position(link(found, "SLIDE")) == 0.25
    assert axis_position(link(found, "TURN")) == 1.5


def test_fewer_displacements_leave_the_rest(tmp_path: Path) -> None:
    """Lists may be shorter than the robot."""
    found, messages = started(tmp_path, "joint_displacements: [0]")
    assert messages == []
    assert axis_position(link(found, "TURN")) == 0.0


def test_joints_behind_a_short_initial_list_are_where_the_body_is_shown(tmp_path: Path) -> None:
    """The list of the start names SLIDE only, as after a joint was added; TURN and LOOSE are as shown."""
    data = "initial_joint_displacements: [0], joint_displacements: [7, 90, 30]"
    found, messages = started(tmp_path, data)
    assert messages == []
    positions = [axis_position(link(found, name)) for name in ("SLIDE", "TURN", "LOOSE")]
    assert positions == pytest.approx([0.0, math.pi / 2, math.pi / 6], abs=EXACT)


def test_more_displacements_than_joints_are_told(tmp_path: Path) -> None:
    """The file was changed after the project was saved."""
    _, messages = started(tmp_path, "joint_displacements: [0, 0, 0, 0, 5]")
    assert len(messages) == 1
    assert '5 positions for the 3 joints of "Robot"; the rest is ignored.' in messages[0]


def test_a_root_can_be_fixed(tmp_path: Path) -> None:
    """By the new key and by the old one."""
    for key in ("fix_root", "staticModel"):
        found, messages = started(tmp_path, f"{key}: true")
        assert messages == []
        assert isinstance(found.links[0].joint, JointFixed)
        assert found.links[0].motion is Motion.KINEMATIC
        assert link(found, "TURN").motion is Motion.DYNAMIC


def test_a_root_can_be_set_free(tmp_path: Path) -> None:
    """A floor that falls."""
    for key in ("fix_root", "staticModel"):
        found, _ = started(tmp_path, f"{key}: false", "floor.body")
        assert isinstance(found.links[0].joint, JointFree)
        assert found.links[0].motion is Motion.DYNAMIC


def test_a_house_with_a_door_stands_although_it_is_not_static(tmp_path: Path) -> None:
    """The old key says whether nothing moves at all, the new one whether the root does."""
    house = ARM.replace("joint_type: free", "joint_type: fixed")
    (tmp_path / "house.body").write_text(house)
    found, _ = started(tmp_path, "staticModel: false", "house.body")
    assert isinstance(found.links[0].joint, JointFixed)
    found, _ = started(tmp_path, "fix_root: false", "house.body")
    assert isinstance(found.links[0].joint, JointFree)


def test_collision_switches(tmp_path: Path) -> None:
    """Collisions are on and collisions with itself off unless the item says otherwise."""
    found, _ = started(tmp_path)
    assert found.collision.disabled_links == ()
    assert not found.collision.self_collision
    found, _ = started(tmp_path, "self_collision_detection: true")
    assert found.collision.self_collision
    found, _ = started(tmp_path, "collisionDetection: false, selfCollisionDetection: true")
    assert found.collision.disabled_links == tuple(item.path for item in found.links)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("initial_root_translation: [1, 2]", "expected a list of 3 numbers, got"),
        ("initial_root_rotation: [1, 2]", "expected a list of 4 numbers, got"),
        ("initialRootAttitude: [1, 2]", "expected a list of 9 numbers, got"),
        ("joint_displacements: [x]", 'expected a number, got "x".'),
        ("fix_root: maybe", "expected true or false"),
    ],
)
def test_a_wrong_value_is_named_and_the_body_stays(tmp_path: Path, data: str, message: str) -> None:
    """One message that says what is allowed."""
    _, messages = started(tmp_path, data)
    assert len(messages) == 1
    assert message in messages[0]
