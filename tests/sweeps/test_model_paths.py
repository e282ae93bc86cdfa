"""Attributes of scenes by path: what they take, and what is said about slips."""

from __future__ import annotations

from math import inf
from pathlib import Path
from typing import Any

import pytest

import solidbody as sb
from solidbody.model.scene import GyroRule, Scene
from solidbody.sweeps.model_paths import ModelPathError, get_from_scene, set_in_scene
from tests.sweeps.worlds import BOX, ROBOT, write

URDF = """<robot name="r"><link name="base"/><link name="arm"><inertial><mass value="2"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="continuous"><parent link="base"/><child link="arm"/>
<axis xyz="0 0 1"/></joint></robot>"""


def box(tmp_path: Path) -> Scene:
    write(tmp_path, box_wbt=BOX)
    return sb.load(tmp_path / "box.wbt")


SETTABLE: list[tuple[str, Any, Any]] = [
    ("physics.gravity", (0, 0, -1.62), (0.0, 0.0, -1.62)),
    ("physics.gravity[2]", -1, -1.0),
    ("physics.time_step", 0.001, 0.001),
    ("physics.random_seed", 7, 7),
    ("physics.gyro", "implicit", GyroRule.IMPLICIT),
    ("links[box].mass.mass", 3, 3.0),
    ("links[box].mass.center", (0, 0, 0.1), (0.0, 0.0, 0.1)),
    ("links[box].linear_velocity[0]", 5, 5.0),
    ("bodies[1].links[0].angular_velocity", (0, 0, 1), (0.0, 0.0, 1.0)),
    ("contacts[ice,default].friction", 0.5, (0.5,)),
    ("contacts[default,ice].friction", (0.5, 0.7), (0.5, 0.7)),
    ("contacts[0].friction[0]", inf, inf),
    ("contacts.default.bounce", 1, 1.0),
    ("contacts[ice,default].static_friction", 0.3, 0.3),
]


@pytest.mark.parametrize(("path", "value", "expected"), SETTABLE)
def test_attribute_takes_a_value(path: str, value: Any, expected: Any, tmp_path: Path) -> None:
    """And nothing else changes: setting the old value back gives the old scene."""
    scene = box(tmp_path)
    before = get_from_scene(scene, path)
    changed = set_in_scene(scene, path, value)
    assert get_from_scene(changed, path) == expected
    assert changed != scene
    if not isinstance(before, GyroRule):
        assert before is None or set_in_scene(changed, path, before) == scene


def test_pose_is_given_as_a_place(tmp_path: Path) -> None:
    """x, y, z, and a turn."""
    changed = set_in_scene(box(tmp_path), "links[box].pose", (1, 2, 3))
    assert changed.bodies[1].links[0].pose.position == (1.0, 2.0, 3.0)


def test_robots_of_other_formats_have_the_same_paths(tmp_path: Path) -> None:
    """URDF here; links by their names."""
    write(tmp_path, r_urdf=URDF)
    scene = sb.load(tmp_path / "r.urdf")
    names = [link.name for link in scene.links()]
    changed = set_in_scene(scene, f"links[{names[-1]}].mass.mass", 5)
    assert [link.mass.mass for link in changed.links() if link.mass][-1] == 5.0


def test_arguments_of_programs_are_attributes(tmp_path: Path) -> None:
    """Texts in a list."""
    write(tmp_path, robot_wbt=ROBOT % ("<none>", "FALSE"))
    scene = sb.load(tmp_path / "robot.wbt")
    changed = set_in_scene(scene, "bodies[robot].robots[robot].controller_args", ("a", "b"))
    assert changed.bodies[1].robots[0].controller_args == ("a", "b")


WRONG = [
    ("physics.gravty", 1, 'Physics has no attribute "gravty". Did you mean "gravity"?'),
    ("links[bax].mass.mass", 1, 'no item is named "bax". Did you mean "box"?'),
    ("links[box].mass", 1, "name one of its attributes: mass, center, inertia"),
    ("links[box].mass.mass", "x", "expected a number, got 'x'"),
    ("links[box].mass.mass", -1, "mass must be finite and not negative"),
    ("links[floor].mass.mass", 1, 'there is nothing at "mass" to be changed'),
    ("links[box]", 1, "is a whole link"),
    ("links", 1, "say which link"),
    ("physics.gravity", (0, 0), "expected a list of 3"),
    ("physics.gravity[3]", 0, "there are 3 items, none is number 3"),
    ("physics.gyro", "often", 'expected "explicit" or "implicit"'),
    ("physics.time_step.x", 1, "which has no attributes"),
    ("physics.random_seed", 1.5, "expected a whole number"),
    ("contacts[ice,wood].friction", 1, 'no item is named "ice,wood"'),
    ("contacts[0].friction", (1, 2, 3, 4, 5), "friction and slip take 1 to 4 values"),
    ("physics[0].x", 1, 'there is no list before "[0]"'),
    ("files", 1, 'Scene has no attribute "files"'),
    ("a b", 1, "is no path"),
    ("", 1, "is no path"),
    ("[0]", 1, "begins with an attribute"),
    ("x." * 1000, 1, "is no path"),
]


@pytest.mark.parametrize(("path", "value", "expected"), WRONG)
def test_slip_is_told(path: str, value: Any, expected: str, tmp_path: Path) -> None:
    """What is wrong, what there is, what was meant."""
    with pytest.raises(ModelPathError) as caught:
        set_in_scene(box(tmp_path), path, value)
    assert expected in str(caught.value)
