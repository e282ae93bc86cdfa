"""The Pedestrian walks its path: its controller comes with it, and its joints are fields."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from solidbody.model.joints import JointHinge
from solidbody.model.shapes import ShapeRole
from tests.control.projects import Project
from tests.standins.driving import complaints, heading, load_world, write_world

PATH = '"--trajectory=0 0, 2 0, 2 2, 0 2"'


@pytest.mark.slow
def test_pedestrian_walks_round_its_path_at_its_speed(tmp_path: Path) -> None:
    """After 3 s at 1 m/s it is in the middle of the second side of the square, and looks along it."""
    project = Project(tmp_path)
    sim = project.run(f'Pedestrian {{ controllerArgs [ {PATH} "--speed=1" ] }}', 3.0, step_ms=16)
    assert project.said == []
    pose = sim.poses()[sim.link_names.index("pedestrian")]
    x, y, z = pose[:3]
    # its program hears of a time one step late, and moves it in the next: 2 x 16 mm
    assert (x, y) == (pytest.approx(2.0), pytest.approx(1.0, abs=0.033))
    # it bobs by 2 cm
    assert z == pytest.approx(1.27, abs=0.0201)
    assert heading(pose[3:]) == pytest.approx(math.pi / 2)


@pytest.mark.slow
def test_limbs_of_a_walker_swing_about_their_joints(tmp_path: Path) -> None:
    """One leg is ahead of the other, about the mean that the program has."""
    project = Project(tmp_path)
    sim = project.run(f"Pedestrian {{ controllerArgs [ {PATH} ] }}", 2.0, step_ms=16)
    angles = dict(zip(sim.joint_names, sim.joint_states()[:, 0], strict=True))
    thighs = [angles[name] for name in sim.joint_names if name in ("left leg", "right leg")]
    # a swing of 0.5 about -0.2, the right leg half a turn behind the left one
    assert sum(thighs) == pytest.approx(2 * -0.2)
    assert abs(thighs[0] - thighs[1]) > 0.1


def test_pedestrian_without_arguments_stands(tmp_path: Path) -> None:
    """It then has no program and no joints, and nothing collides with it unless asked."""
    nodes = 'Pedestrian { name "a" } Pedestrian { name "b" enableBoundingObject TRUE }'
    scene, log = load_world(write_world(tmp_path, nodes))
    assert complaints(log) == []
    assert [robot.controller for body in scene.bodies for robot in body.robots] == ["<none>"] * 2
    shapes = [[x for link in body.links for x in link.shapes] for body in scene.bodies]
    collide = [sum(x.role is not ShapeRole.VISUAL for x in group) for group in shapes]
    # trunk, head, two times upper arm, lower arm, hand, thigh, shank, foot
    assert collide == [0, 2 + 2 * 6]
    joints = {type(link.joint) for body in scene.bodies for link in body.links}
    assert JointHinge not in joints


def test_pedestrian_of_a_world_with_y_up_faces_its_way(tmp_path: Path) -> None:
    """There the points are x and z; it looks along z where it is not turned."""
    path = write_world(
        tmp_path,
        f"Pedestrian {{ controllerArgs [ {PATH} ] }}",
        info='coordinateSystem "NUE"',
        release="R2021a",
    )
    scene, log = load_world(path)
    assert complaints(log) == []
    place = scene.bodies[0].links[0].pose
    assert place.position == pytest.approx((0, 1.27, 0))
    assert place.direction((1, 0, 0)) == pytest.approx((0, 0, 1))
    assert place.direction((0, 0, 1)) == pytest.approx((0, 1, 0))
