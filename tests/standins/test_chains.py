"""Arms made of OwnChain, against what their makers and the literature publish in another notation."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import solidbody as sb
from tests.standins.driving import FLOOR, Drive

Matrix = NDArray[np.float64]
RIGHT = np.pi / 2

REACH_MAX = 1e-2
"""Most that a joint may be away from where it was sent after four seconds [rad]."""

PLACE_MAX = 1e-3
"""The hand still moves a little, and a receiver of positions is read one step late [m]."""

# alpha, a, d of each joint as Craig writes them, and its angle there at position 0; then how far the flange
# is beyond the last one
PANDA = [
    (0, 0, 0.333, 0), (-RIGHT, 0, 0, 0), (RIGHT, 0, 0.316, 0), (RIGHT, 0.0825, 0, 0.1708),
    (-RIGHT, -0.0825, 0.384, 1.6), (RIGHT, 0, 0, 0), (RIGHT, 0.088, 0, 0),
]  # fmt: skip
PUMA = [
    (0, 0, 0.6718, 0), (-RIGHT, 0, 0.2435, 0), (0, 0.4318, -0.0934, 0), (RIGHT, -0.0203, 0.4331, 0),
    (-RIGHT, 0, 0, 0), (RIGHT, 0, 0, 0),
]  # fmt: skip

ARMS = {
    "Panda": (
        PANDA,
        0.107,
        "panda_joint",
        "endEffectorSlot",
        (0.3, -0.4, 0.2, -1.8, 0.3, 1.9, 0.5),
    ),
    "Puma560": (PUMA, 0.056, "joint", "gripperSlot", (0.4, -0.6, 0.5, 0.3, -0.7, 1.0)),
}


def craig(alpha: float, a: float, d: float, theta: float) -> Matrix:
    """Return the frame of a joint in the one before it: turn about x, along x, turn about z, along z."""
    ca, sa, c, s = np.cos(alpha), np.sin(alpha), np.cos(theta), np.sin(theta)
    return np.array(
        [
            [c, -s, 0, a],
            [s * ca, c * ca, -sa, -d * sa],
            [s * sa, c * sa, ca, d * ca],
            [0, 0, 0, 1],
        ]
    )


def hand_of(
    tmp_path: Path, proto: str, slot: str, names: Sequence[str], pose: Sequence[float]
) -> tuple[list[float], Matrix]:
    """Return the angles that an arm takes when sent to a pose, and where its hand then is."""
    nodes = f'{proto} {{ controller "driver" {slot} [ GPS {{ }} ] }}'
    drive = Drive(tmp_path, FLOOR + nodes, step_ms=8)
    sim = drive.run(
        f"""
        for name, angle in zip({list(names)}, {list(pose)}):
            robot.getDevice(name).setPosition(angle)
        while robot.step(step) != -1:
            pass
        """,
        4,
    )
    found = [float(sim.joint(name).position) for name in names]
    sim.device("gps").enable(sim.time_step)
    sim.step(2)
    return found, np.asarray(sim.device("gps").value)


@pytest.mark.parametrize("proto", ARMS)
def test_hand_is_where_the_published_table_puts_it(tmp_path: Path, proto: str) -> None:
    table, beyond, prefix, slot, pose = ARMS[proto]
    names = [f"{prefix}{i + 1}" for i in range(len(pose))]
    found, place = hand_of(tmp_path, proto, slot, names, pose)
    assert np.abs(np.subtract(found, pose)).max() < REACH_MAX
    frames = [
        craig(alpha, a, d, zero + angle)
        for (alpha, a, d, zero), angle in zip(table, found, strict=True)
    ]
    expected = reduce(np.matmul, frames) @ (0, 0, beyond, 1)
    assert place == pytest.approx(expected[:3], abs=PLACE_MAX)


@pytest.mark.slow
@pytest.mark.parametrize("pose", [(0.5, -2.37, 2.7), (1.36, -0.7298, 1.92), (0.48, -2.3908, 2.7)])
def test_panda_points_down_where_public_programs_grasp(
    tmp_path: Path, pose: tuple[float, ...]
) -> None:
    """Poses of a public program that moves joints 2, 4 and 6 only: its hand is upright above each block.

    To 2 mrad: the program's angles have so many digits.
    """
    drive = Drive(tmp_path, FLOOR + 'Panda { controller "driver" }', step_ms=8)
    sim = drive.run(
        f"""
        for i, angle in zip((2, 4, 6), {pose}):
            robot.getDevice(f"panda_joint{{i}}").setPosition(angle)
        robot.getDevice("panda_finger::right").setPosition(0.02)
        while robot.step(step) != -1:
            pass
        """,
        4,
    )
    w, x, y, z = sim["panda_leftfinger"].orientation
    assert (2 * (x * z + w * y), 2 * (y * z - w * x)) == pytest.approx((0, 0), abs=2e-3)
    assert 1 - 2 * (x * x + y * y) == pytest.approx(-1, abs=1e-5)


def test_ned_stretches_ahead_and_up(tmp_path: Path) -> None:
    """At zero its upper arm is upright and its forearm level: 0.0415 + 0.18 + 0.0164 + 0.03 m ahead."""
    sim = Drive(tmp_path, FLOOR + 'Ned { controller "<none>" }').sim
    sim.run(1)
    jaws = (sim["jaw 1"].position + sim["jaw 2"].position) / 2
    # up: 0.103 + 0.08 + 0.21 + 0.03 - 0.0055; the jaws are 0.055 m beyond the tool's frame
    assert jaws[[0, 2]] == pytest.approx((0.2679 + 0.055, 0.4175), abs=2e-3)


def test_tiago_moves_its_arm_as_public_programs_do(tmp_path: Path) -> None:
    """In the pose in which they carry it, the gripper is before the column; the robot stays upright."""
    pose = {
        "torso_lift_joint": 0.3,
        "arm_1_joint": 1.6,
        "arm_2_joint": 1.0,
        "arm_3_joint": 0.0,
        "arm_4_joint": 0.0,
        "arm_5_joint": 0.0,
        "arm_6_joint": 0.0,
        "arm_7_joint": 1.5,
        "gripper_left_finger_joint": 0.03,
        "gripper_right_finger_joint": 0.03,
    }
    drive = Drive(tmp_path, FLOOR + 'Tiago { controller "driver" }', step_ms=8)
    sim = drive.run(
        f"""
        for name, target in {pose}.items():
            robot.getDevice(name).setPosition(target)
        while robot.step(step) != -1:
            pass
        """,
        6,
    )
    for name, target in pose.items():
        assert sim.joint(name).position == pytest.approx(target, abs=REACH_MAX), name
    x, y, z = sim["gripper_left_finger_link"].position
    # the shoulder is 0.095 + 0.7935 - 0.151 + 0.3 m up; at 1 rad most of 0.66 m of arm goes up and ahead
    assert 0.35 < x < 0.9 and abs(y) < 0.25 and 1.2 < z < 1.75
    _, turn_x, turn_y, _ = sim["TIAGo"].orientation
    assert np.hypot(turn_x, turn_y) < 0.02


def test_scara_reaches_where_its_users_compute(tmp_path: Path) -> None:
    """Their forward kinematics: 0.31 m and 0.2545 m in the plane, both 5 mm aside, and the shaft down."""
    names = ("base_arm_motor", "arm_motor", "shaft_linear_motor", "shaft_rotation_motor")
    found, place = hand_of(tmp_path, "ScaraT6", "handSlot", names, (0.5, -0.6, -0.1, 1.0))
    q1, q2, q3, _ = found
    elbow = np.array([0.31, 0.005])
    hand = elbow + turned((0.2545, -0.005), q2)
    # the joints of the arm are 0.01 + 0.23 m up; from there 4 mm and 34 mm down to the end of the shaft
    expected = (*turned(hand, q1), 0.24 - 0.004 - 0.034 + q3)
    assert place == pytest.approx(expected, abs=PLACE_MAX)


def turned(point: Sequence[float], angle: float) -> Matrix:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * point[0] - s * point[1], s * point[0] + c * point[1]])


def test_ipr_stands_up_and_bends_forward(tmp_path: Path) -> None:
    """Upright at zero: 0.14 + 0.0615 + 0.19 + 0.139 + 0.05 + 0.0273 m; a bent shoulder lays that along x."""
    names = ("base", "upperarm", "forearm", "wrist", "rotational_wrist")
    for angle in (0.0, 1.2):
        pose = (0.0, angle, 0.0, 0.0, 0.0)
        found, place = hand_of(tmp_path, "IprHd6ms90", "wristSlot", names, pose)
        reach, up = 0.4063, 0.62 + 0.2015
        expected = (reach * np.sin(found[1]), 0, up + reach * np.cos(found[1]))
        assert place == pytest.approx(expected, abs=PLACE_MAX)


def test_p_rob_stands_up_and_bends_forward(tmp_path: Path) -> None:
    """Upper arm of 0.28 m, from the elbow to the hand 0.42 m, 0.215 m up: both bend towards x."""
    names = [f"motor {i}" for i in range(1, 7)]
    found, place = hand_of(tmp_path, "P-Rob3", "toolSlot", names, (0.0, 0.7, 0.5, 0.0, 0.0, 0.0))
    upper, fore = found[1], found[1] + found[2]
    expected = 0.28 * np.array([np.sin(upper), np.cos(upper)])
    expected += 0.42 * np.array([np.sin(fore), np.cos(fore)])
    assert place[[0, 2]] - (0, 0.215) == pytest.approx(expected, abs=PLACE_MAX)


def test_pr2_drives_with_its_arms_tucked(tmp_path: Path) -> None:
    """Arms as the public demo holds them; all wheels at 3 rad/s for two seconds: r·ω·t within 5 %."""
    arms = {"shoulder_pan": 0.0, "shoulder_lift": 1.35, "upper_arm_roll": 0.0, "elbow_flex": -2.2}
    drive = Drive(tmp_path, FLOOR + 'Pr2 { controller "driver" }')
    start: list[float] = []

    def watch(sim: sb.Sim) -> None:
        if sim.time >= 3 and not start:
            start.append(float(sim["PR2"].position[0]))

    sim = drive.run(
        f"""
        for side in "lr":
            for name, angle in {arms}.items():
                robot.getDevice(f"{{side}}_{{name}}_joint").setPosition(angle)
        corners = ("fl", "fr", "bl", "br")
        names = [f"{{corner}}_caster_{{side}}_wheel_joint" for corner in corners for side in "lr"]
        motors = wheels(*names)
        while robot.step(step) != -1:
            for motor in motors:
                motor.setVelocity(3 if robot.getTime() > 2.5 else 0)
        """,
        5,
        watch,
    )
    for name, angle in arms.items():
        for side in "lr":
            joint = sim.joint(f"{side}_{name}_joint")
            assert joint.position == pytest.approx(angle, abs=REACH_MAX), (side, name)
    x, y, _ = sim["PR2"].position
    assert x - start[0] == pytest.approx(0.08 * 3 * 2, rel=0.05)
    assert abs(y) < 0.02


CRANE = """
Robot {{ controller "driver" translation 0 0 {height} children [ SliderJoint {{
  jointParameters JointParameters {{ axis 0 0 1 }}
  device LinearMotor {{ name "lift" maxVelocity 0.1 maxForce 200 }}
  endPoint Solid {{ name "hook" boundingObject Box {{ size 0.1 0.1 0.02 }}
    physics Physics {{ density -1 mass 1 }} children [ {gripper} {{ rotation 1 0 0 3.1415927 }} ] }} }} ] }}
Solid {{ translation 0 0 0.04 name "block" boundingObject DEF BLOCK Box {{ size 0.03 0.03 0.08 }}
  physics Physics {{ density -1 mass 0.1 }} children [ Shape {{ geometry USE BLOCK }} ] }}
"""

# height above the block to grip it, names of the fingers, where they are open and closed
GRIPPERS = {
    "PandaHand": (0.17, "panda_finger::{}", 0.03, 0.0),
    "TiagoGripper": (0.22, "gripper_{}_finger_joint", 0.03, 0.0),
    "Robotiq2f85Gripper": (0.2, "ROBOTIQ 2F-85 Gripper::{} finger joint", 0.0, 0.7),
    "Robotiq2f140Gripper": (0.25, "ROBOTIQ 2F-140 Gripper::{} finger joint", 0.0, 0.65),
}


@pytest.mark.slow
@pytest.mark.parametrize("proto", GRIPPERS)
def test_gripper_lifts_a_block(tmp_path: Path, proto: str) -> None:
    """Fingers open, close on a block of 100 g, and take it along when they are lifted by 0.2 m."""
    height, pattern, opened, closed = GRIPPERS[proto]
    fingers = [pattern.format(side) for side in ("left", "right")]
    drive = Drive(tmp_path, FLOOR + CRANE.format(height=height + 0.1, gripper=proto), step_ms=8)
    sim = drive.run(
        f"""
        motors = [robot.getDevice(name) for name in {fingers}]
        lift = robot.getDevice("lift")
        for until, target, depth in ((1.5, {opened}, -0.1), (3, {closed}, -0.1), (6, {closed}, 0.1)):
            for motor in motors:
                motor.setPosition(target)
            lift.setPosition(depth)
            while robot.getTime() < until and robot.step(step) != -1:
                pass
        while robot.step(step) != -1:
            pass
        """,
        6,
    )
    assert sim["block"].position[2] > 0.04 + 0.15


@pytest.mark.slow
@pytest.mark.parametrize("proto", ["UR3e", "UR5e", "UR10e"])
def test_links_and_speeds_of_ur_arms_are_the_public_ones(tmp_path: Path, proto: str) -> None:
    """Programs that read the URDF of an arm look for these links; wrists turn twice as fast as the rest."""
    drive = Drive(tmp_path, FLOOR + f'{proto} {{ controller "driver" }}')
    sim = drive.run(
        """
        limits = [robot.getDevice(name).getMaxVelocity() for name in ("elbow_joint", "wrist_3_joint")]
        assert limits == [3.14, 6.28], limits
        while robot.step(step) != -1:
            pass
        """,
        0.1,
    )
    links = ["shoulder", "upper_arm", "forearm", "wrist_1", "wrist_2", "wrist_3"]
    assert [f"{name}_link" for name in links] == list(sim.link_names[-6:])
