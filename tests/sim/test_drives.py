"""Robots without physics that their wheels move: circles and straight lines in closed form."""

from __future__ import annotations

import math

import numpy as np
import pytest

from solidbody.base.diagnostics import Severity
from solidbody.sim import Sim
from tests.formats.reading import read

STEP = 0.008
RADIUS, AXLE = 0.1, 2.0 * math.hypot(0.2, 0.1)
SAME = 1e-12
"""[m, rad] Rounding of some hundred rotations."""

WHEEL = """HingeJoint {
  jointParameters HingeJointParameters { axis 0 1 0 anchor 0 %s 0.1 }
  device RotationalMotor { name "%s" maxTorque 1e9 maxVelocity 50 }
  endPoint Solid {
    name "%s wheel" translation 0 %s 0.1 rotation 1 0 0 1.5707963267948966
    boundingObject Cylinder { radius 0.1 height 0.05 }
  }
}"""
ROBOT = "WorldInfo { basicTimeStep 8 } Robot { %s children [ %s %s ] }"


def robot(fields: str = "") -> Sim:
    """Return a robot with wheels 0.2 m to its left and right."""
    wheels = [WHEEL % (y, name, name, y) for name, y in (("left", 0.2), ("right", -0.2))]
    scene, _ = read(ROBOT % (fields, *wheels))
    return Sim(scene)


def drive(sim: Sim, left: float, right: float, steps: int) -> None:
    """Turn the wheels at constant speeds; the robot follows from the step after that on."""
    sim.joint("left").target_velocity, sim.joint("right").target_velocity = left, right
    sim.step(steps + 1)


def heading(sim: Sim) -> float:
    """Return the angle about z."""
    w, _, _, z = sim.poses()[0, 3:]
    return 2.0 * math.atan2(z, w)


def test_equal_speeds_drive_straight_ahead() -> None:
    sim = robot("translation 1 2 3 rotation 0 0 1 0.5")
    drive(sim, 4.0, 4.0, 100)
    way = 4.0 * RADIUS * 100 * STEP
    expected = (1.0 + way * math.cos(0.5), 2.0 + way * math.sin(0.5), 3.0)
    np.testing.assert_allclose(sim.poses()[0, :3], expected, atol=SAME)
    assert heading(sim) == pytest.approx(0.5, abs=SAME)


def test_opposite_speeds_turn_on_the_spot_to_the_left() -> None:
    sim = robot()
    drive(sim, -3.0, 3.0, 100)
    np.testing.assert_allclose(sim.poses()[0, :3], 0.0, atol=SAME)
    assert heading(sim) == pytest.approx(RADIUS * 6.0 / AXLE * 100 * STEP, abs=SAME)


def test_unequal_speeds_drive_a_circle() -> None:
    """Chords of equal length between points of one circle: c = v h, turned by w h each."""
    sim = robot()
    drive(sim, 2.0, 5.0, 150)
    rate, chord = RADIUS * 3.0 / AXLE, RADIUS * 3.5 * STEP
    radius = chord / (2.0 * math.sin(rate * STEP / 2.0))
    angle = rate * 150 * STEP
    expected = (radius * math.sin(angle), radius * (1.0 - math.cos(angle)), 0.0)
    np.testing.assert_allclose(sim.poses()[0, :3], expected, atol=1e-9)
    assert heading(sim) == pytest.approx(angle, abs=1e-9)


def test_wheels_and_what_stands_on_the_robot_go_along() -> None:
    sim = robot()
    drive(sim, 4.0, 4.0, 50)
    poses = sim.poses()
    np.testing.assert_allclose(poses[1:, 0], poses[0, 0], atol=1e-9)
    assert sim.velocities()[0, 0] == pytest.approx(4.0 * RADIUS)


def test_reset_brings_the_robot_back() -> None:
    sim = robot()
    drive(sim, 2.0, 5.0, 20)
    first = sim.poses()
    sim.reset()
    np.testing.assert_array_equal(sim.poses()[0, :3], 0.0)
    drive(sim, 2.0, 5.0, 20)
    np.testing.assert_array_equal(sim.poses(), first)


def test_robot_with_physics_is_not_moved_by_its_drive() -> None:
    scene, _ = read(ROBOT % ("boundingObject Box { } physics Physics { }", "", ""))
    assert scene.bodies[0].robots[0].drive is None


# obstacles

TOUCH = 1e-6
"""[m] MuJoCo's iterations for the depth of two boxes end at about this."""

BODY = "boundingObject Pose { translation 0 0 0.2 children Box { size 0.4 0.3 0.1 } }"


def scene_of(*nodes: str) -> Sim:
    """Return a simulation of robots and walls."""
    scene, log = read("WorldInfo { basicTimeStep 8 } " + " ".join(nodes))
    assert [item.code for item in log if item.severity is Severity.ERROR] == []
    return Sim(scene)


def robot_text(name: str, fields: str) -> str:
    """Return a robot whose motors are named after it."""
    wheels = [
        WHEEL % (y, f"{name} {side}", f"{name} {side}", y)
        for side, y in (("left", 0.2), ("right", -0.2))
    ]
    return f'Robot {{ name "{name}" {fields} {BODY} children [ {" ".join(wheels)} ] }}'


def wheels_on(sim: Sim, name: str, speed: float) -> None:
    """Drive a robot straight on."""
    for side in ("left", "right"):
        sim.joint(f"{name} {side}").target_velocity = speed


WALLS = {
    "box": "Box { size 0.2 2 0.4 }",
    "mesh": """IndexedFaceSet {
      coord Coordinate { point [
        -0.1 -1 -0.2, 0.1 -1 -0.2, 0.1 1 -0.2, -0.1 1 -0.2, -0.1 -1 0.2, 0.1 -1 0.2, 0.1 1 0.2, -0.1 1 0.2
      ] }
      coordIndex [ 0 3 2 1 -1 4 5 6 7 -1 0 1 5 4 -1 1 2 6 5 -1 2 3 7 6 -1 3 0 4 7 -1 ]
    }""",
}
"""Of the same size."""
MESH_BODY = BODY.replace(
    "Box { size 0.4 0.3 0.1 }",
    """IndexedFaceSet {
      coord Coordinate { point [
        -0.2 -0.15 -0.05, 0.2 -0.15 -0.05, 0.2 0.15 -0.05, -0.2 0.15 -0.05,
        -0.2 -0.15 0.05, 0.2 -0.15 0.05, 0.2 0.15 0.05, -0.2 0.15 0.05
      ] }
      coordIndex [ 0 3 2 1 -1 4 5 6 7 -1 0 1 5 4 -1 1 2 6 5 -1 2 3 7 6 -1 3 0 4 7 -1 ]
    }""",
)


@pytest.mark.parametrize("body", [BODY, MESH_BODY], ids=["box body", "mesh body"])
@pytest.mark.parametrize("wall", ["box", "mesh"])
def test_robot_stops_at_a_wall(wall: str, body: str) -> None:
    """Its front, 0.2 m before its origin, ends at the face of the wall at x = 0.9."""
    node = f'Solid {{ name "wall" translation 1 0 0.2 boundingObject {WALLS[wall]} }}'
    sim = scene_of(robot_text("a", "").replace(BODY, body), node)
    assert sim.compiled.diagnostics == ()
    wheels_on(sim, "a", 5.0)
    sim.step(400)
    assert sim.poses()[0, 0] == pytest.approx(0.7, abs=TOUCH)
    assert sim.joint("a left").position > 10.0  # the wheels turn on


def test_robot_slides_along_a_slanting_wall() -> None:
    wall = (
        'Solid { name "wall" translation 1 0 0.2 rotation 0 0 1 0.6 '
        "boundingObject Box { size 0.2 4 0.4 } }"
    )
    sim = scene_of(robot_text("a", ""), wall)
    wheels_on(sim, "a", 5.0)
    sim.step(200)
    before = sim.poses()[0, 1]
    sim.step(20)
    assert abs(sim.poses()[0, 1] - before) > 0.01


def test_two_robots_push_each_other_by_halves() -> None:
    sim = scene_of(
        robot_text("a", "translation -0.5 0 0"),
        robot_text("b", "translation 0.5 0 0 rotation 0 0 1 3.141592653589793"),
    )
    wheels_on(sim, "a", 5.0)
    wheels_on(sim, "b", 5.0)
    sim.step(300)
    poses = sim.poses()
    links = [sim.link_names.index(name) for name in ("a", "b")]
    assert poses[links[0], 0] == pytest.approx(-0.2, abs=TOUCH)
    assert poses[links[1], 0] == pytest.approx(0.2, abs=TOUCH)


GROUNDS = {
    "plane": "Plane { }",
    "grid": """Pose { translation -5 -5 0 children ElevationGrid {
      xDimension 3 yDimension 3 xSpacing 5 ySpacing 5 height [ 0 0 0 0 0 0 0 0 0 ] } }""",
}


@pytest.mark.parametrize("ground", GROUNDS)
def test_floor_below_the_wheels_does_not_hold_the_robot(ground: str) -> None:
    """Nor does a floor that the body itself is in by 1 mm: its way out has no part in the ground plane."""
    floor = f'Solid {{ name "floor" boundingObject {GROUNDS[ground]} }}'
    sim = scene_of(robot_text("a", "translation 0 0 -0.151"), floor)
    wheels_on(sim, "a", 5.0)
    sim.step(101)
    assert sim.poses()[0, 0] == pytest.approx(5.0 * RADIUS * 100 * STEP, abs=1e-9)


def test_hill_of_a_grid_stops_the_robot() -> None:
    """A step of 0.4 m over 1 cm of a grid: the robot ends before its face."""
    heights = " ".join(["0 0 0.4 0.4"] * 2)
    ground = (
        "Solid { boundingObject Pose { translation 0.98 -2 0 children ElevationGrid { "
        f"xDimension 4 yDimension 2 xSpacing 0.01 ySpacing 4 height [ {heights} ] }} }} }}"
    )
    sim = scene_of(robot_text("a", ""), ground)
    wheels_on(sim, "a", 5.0)
    sim.step(400)
    # the lower front edge of the body, at z = 0.15, meets the face at x = 0.99 + 0.01*0.15/0.4
    assert sim.poses()[0, 0] + 0.2 == pytest.approx(0.99 + 0.01 * 0.15 / 0.4, abs=2e-3)
