"""Arms of our own PROTOs go where their joints are sent, and are as long as their makers say."""

from __future__ import annotations

from functools import reduce
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.standins.driving import FLOOR, Drive

REACH_MAX = 1e-2
"""Most that a joint may be away from where it was sent after four seconds [rad]."""

JOINTS = ("shoulder_pan", "shoulder_lift", "elbow", "wrist_1", "wrist_2", "wrist_3")

# lengths a2, a3, d1, d4, d5, d6 of the Denavit-Hartenberg tables that the maker publishes [m]
LENGTHS = {
    "UR3e": (-0.24355, -0.2132, 0.15185, 0.13105, 0.08535, 0.0921),
    "UR5e": (-0.425, -0.3922, 0.1625, 0.1333, 0.0997, 0.0996),
    "UR10e": (-0.6127, -0.57155, 0.1807, 0.17415, 0.11985, 0.11655),
}

LENGTH_MAX = 2.5e-3
"""The tables of the maker and those of its files for ROS, which ours follow, differ by up to 0.7 mm in one
length; six of them add to no more than this [m]."""

POSES = [
    (0.0, -1.2, 1.0, -1.4, -1.57, 0.3),
    (1.0, -2.0, -1.2, -0.5, 1.0, -2.0),
]


def flange(proto: str, angles: tuple[float, ...]) -> NDArray[np.float64]:
    """Return where the flange is for some joint angles, by the maker's table.

    Its base is turned by half a turn from the one that ROS and Webots use.
    """
    a2, a3, d1, d4, d5, d6 = LENGTHS[proto]
    right = np.pi / 2
    rows = zip(
        angles,
        (d1, 0, 0, d4, d5, d6),
        (0, a2, a3, 0, 0, 0),
        (right, 0, 0, right, -right, 0),
        strict=True,
    )
    found = reduce(np.matmul, (_link(*row) for row in rows))[:3, 3]
    return found * (-1, -1, 1)


def _link(theta: float, d: float, a: float, alpha: float) -> NDArray[np.float64]:
    c, s, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
    return np.array(
        [[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0, sa, ca, d], [0, 0, 0, 1]]
    )


@pytest.mark.slow
@pytest.mark.parametrize("proto", LENGTHS)
@pytest.mark.parametrize("pose", POSES)
def test_arm_reaches_a_pose(tmp_path: Path, proto: str, pose: tuple[float, ...]) -> None:
    """Each joint arrives within 0.01 rad, and the flange is where the maker's table puts it."""
    nodes = f'{proto} {{ controller "driver" translation 0 0 0.5 toolSlot [ GPS {{ }} ] }}'
    drive = Drive(tmp_path, FLOOR + nodes, step_ms=8)
    sim = drive.run(
        f"""
        for name, angle in zip({JOINTS}, {pose}):
            motor = robot.getDevice(name + "_joint")
            motor.setVelocity(min(2, motor.getMaxVelocity()))
            motor.setPosition(angle)
        while robot.step(step) != -1:
            pass
        """,
        4,
    )
    found = [sim.joint(f"{name}_joint").position for name in JOINTS]
    assert np.abs(np.subtract(found, pose)).max() < REACH_MAX
    sim.device("gps").enable(sim.time_step)
    sim.step(2)
    place = np.asarray(sim.device("gps").value) - (0, 0, 0.5)
    assert np.abs(place - flange(proto, tuple(found))).max() < LENGTH_MAX


CRANE = """
Robot { controller "driver" translation 0 0 0.27 children [ SliderJoint {
  jointParameters JointParameters { axis 0 0 1 }
  device LinearMotor { name "lift" maxVelocity 0.1 maxForce 200 }
  endPoint Solid { name "hook" boundingObject Box { size 0.1 0.1 0.02 } physics Physics { density -1 mass 1 }
    children [ Robotiq3fGripper { rotation 1 0 0 -1.570796 } ] } } ] }
Solid { translation 0 0 0.061 name "can" boundingObject DEF CAN Cylinder { radius 0.033 height 0.122 }
  physics Physics { density -1 mass 0.35 } children [ Shape { geometry USE CAN } ] }
"""


def test_gripper_lifts_a_can(tmp_path: Path) -> None:
    """Three fingers sent to 0.85 rad stop at the can and take it along when they are lifted by 0.2 m."""
    drive = Drive(tmp_path, FLOOR + CRANE, step_ms=8)
    sim = drive.run(
        """
        for name in ("finger_1", "finger_2", "finger_middle"):
            robot.getDevice(name + "_joint_1").setPosition(0.85)
        while robot.getTime() < 1.5 and robot.step(step) != -1:
            pass
        robot.getDevice("lift").setPosition(0.2)
        while robot.step(step) != -1:
            pass
        """,
        5,
    )
    assert sim["can"].position[2] > 0.061 + 0.15


def test_youbot_arm_reaches_the_floor_before_it(tmp_path: Path) -> None:
    """It leans forwards for negative angles: the gripper comes down in front of the platform."""
    drive = Drive(tmp_path, FLOOR + 'Youbot { controller "driver" }')
    pose = (0.0, -0.97, -1.55, -0.61, 0.0)
    sim = drive.run(
        f"""
        for i, angle in enumerate({pose}):
            robot.getDevice(f"arm{{i + 1}}").setPosition(angle)
        robot.getDevice("finger::left").setPosition(0.02)
        while robot.step(step) != -1:
            pass
        """,
        4,
    )
    found = [sim.joint(f"arm{i}").position for i in range(1, 6)]
    assert np.abs(np.subtract(found, pose)).max() < REACH_MAX
    assert [sim.joint(f"finger::{side}").position for side in ("left", "right")] == pytest.approx(
        [0.02, 0.02], abs=1e-4
    )
    x, _, z = sim["left finger"].position
    assert x > 0.35 and z < 0.2


def test_irb_reaches_a_pose(tmp_path: Path) -> None:
    """Within 0.01 rad; its hand is then where the maker's drawing puts it."""
    angles = (0.5, 0.3, -0.4, 0.0, 0.6, 0.0)
    nodes = """
    Irb4600-40 { controller "driver" staticBase TRUE handSlot [ GPS { } ] }
    """
    drive = Drive(tmp_path, FLOOR + nodes)
    sim = drive.run(
        f"""
        for name, angle in zip("ABCDEF", {angles}):
            robot.getDevice(name + " motor").setPosition(angle)
        while robot.step(step) != -1:
            pass
        """,
        4,
    )
    found = [sim.joint(f"{name} motor").position for name in "ABCDEF"]
    assert np.abs(np.subtract(found, angles)).max() < REACH_MAX
    sim.device("gps").enable(sim.time_step)
    sim.step(2)
    # in the plane of the arm, angles about y add up and turn z towards x
    b, c, e = np.cumsum([found[1], found[2], found[4]])
    parts = [(0, 0.175, 0.495), (b, 0, 1.095), (c, 1.2305, 0.175), (e, 0.085, 0)]
    out = sum(x * np.cos(angle) + z * np.sin(angle) for angle, x, z in parts)
    up = sum(z * np.cos(angle) - x * np.sin(angle) for angle, x, z in parts)
    place = np.asarray(sim.device("gps").value)
    expected = (out * np.cos(found[0]), out * np.sin(found[0]), up)
    assert place == pytest.approx(expected, abs=2e-3)  # the joints still move by less than 1 mm
