"""Our own robots with legs stand on their feet, also while they bend their knees."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import solidbody as sb
from tests.standins.driving import FLOOR, Drive, complaints, load_world, write_world

ARMS = ("ShoulderPitch", "ShoulderRoll", "ElbowYaw", "ElbowRoll", "WristYaw")
LEGS = ("HipYawPitch", "HipRoll", "HipPitch", "KneePitch", "AnklePitch", "AnkleRoll")
JOINTS = ["HeadYaw", "HeadPitch", *(side + joint for side in "LR" for joint in (*ARMS, *LEGS))]


@pytest.mark.slow
def test_nao_has_the_documented_joints_and_mass(tmp_path: Path) -> None:
    """24 joints and 16 phalanges, each with a sensor; 5.3 kg; an effect of `degreeOfFreedom`."""
    for freedom, count in ((25, 8), (21, 0)):
        nodes = f'Nao {{ controller "<none>" degreeOfFreedom {freedom} }}'
        sim = Drive(tmp_path, FLOOR + nodes).sim
        names = {bound.device.name for bound in sim.devices.devices}
        fingers = [f"{side}Phalanx{i}" for side in "LR" for i in range(1, count + 1)]
        joints = JOINTS + fingers
        assert names >= {*joints, *(f"{joint}S" for joint in joints), "LFsr", "RFsr", "CameraTop"}
        assert ("LPhalanx1" in names) == (freedom == 25)
        if freedom == 25:
            assert sim.model.body_mass.sum() == pytest.approx(5.3, abs=0.02)


@pytest.mark.slow
def test_nao_bends_its_knees(tmp_path: Path) -> None:
    """Hips, knees and ankles at -0.6, 1.2 and -0.6 rad: it comes down by 2·0.101·(1 - cos 0.6) and stays up.

    Thigh and shank are 100 and 102.9 mm long; soles sink by about 1 mm into the default ground.
    """
    drive = Drive(tmp_path, FLOOR + 'Nao { controller "driver" }')
    upright: list[float] = []

    def watch(sim: sb.Sim) -> None:
        _, x, y, _ = sim["NAO"].orientation
        upright.append(1 - 2 * (x * x + y * y))

    sim = drive.run(
        """
        soles = sensors("LFsr", "RFsr")
        legs = [(robot.getDevice(side + joint), way) for side in "LR"
                for joint, way in (("HipPitch", -1), ("KneePitch", 2), ("AnklePitch", -1))]
        for side in "LR":
            robot.getDevice(side + "ShoulderPitch").setPosition(1.5)
        while robot.step(step) != -1:
            bend = 0.6 * min(1, max(0, robot.getTime() - 1) / 2)
            for motor, way in legs:
                motor.setPosition(way * bend)
        """,
        5,
        watch,
    )
    assert min(upright) > 0.98  # never more than 11 degrees off the vertical
    lowered = (0.1 + 0.1029) * (1 - np.cos(0.6))
    assert sim["NAO"].position[2] == pytest.approx(0.334 - lowered, abs=5e-3)


def test_spot_lies_down_and_stands_up(tmp_path: Path) -> None:
    """As public controllers do it: thighs back by 0.99 rad, elbows by 1.59 rad, and to zero again."""
    drive = Drive(tmp_path, FLOOR + 'Spot { controller "driver" }')
    heights: list[float] = []
    drive.run(
        """
        pose = (0.4, -0.99, 1.59)
        parts = ("shoulder abduction", "shoulder rotation", "elbow")
        legs = [(robot.getDevice(f"{end} {side} {part} motor"),
                 angle * (-1 if side == "left" and part == parts[0] else 1))
                for end in ("front", "rear") for side in ("left", "right")
                for part, angle in zip(parts, pose)]
        while robot.step(step) != -1:
            t = robot.getTime()
            share = min(1, max(0, t - 1) / 2) - min(1, max(0, t - 4) / 2)
            for motor, angle in legs:
                motor.setPosition(share * angle)
        """,
        7,
        lambda sim: heights.append(float(sim["Spot"].position[2])),
    )
    lowest = min(heights)
    assert lowest < 0.3
    assert heights[-1] == pytest.approx(heights[50], abs=0.02)


OP2_STAND = {
    "Head": 0.19, "ShoulderL": 0.387, "ShoulderR": -0.387, "ArmUpperL": 0.77, "ArmUpperR": -0.68,
    "ArmLowerL": -0.04, "ArmLowerR": 0.04, "LegUpperL": 0.6, "LegUpperR": -0.6, "LegLowerL": -1.2,
    "LegLowerR": 1.2, "AnkleL": -0.6, "AnkleR": 0.6,
}  # fmt: skip
"""How public programs let it stand, its legs bent a little less: signs differ from side to side."""


# PROTO -> its name, how high its frame is [m], thigh and shank [m]
ROBOTIS = {
    "RobotisOp2": ("ROBOTIS OP2", 0.325, 0.093),
    # a public world has it at 0.279 m on blades of 0.01 m, thighs and shanks bent by 0.3 rad
    "RobotisOp3": ("ROBOTIS OP3", 0.279 - 0.01 + 2 * 0.11 * (1 - np.cos(0.3)), 0.11),
}


@pytest.mark.slow
@pytest.mark.parametrize("proto", ROBOTIS)
def test_robotis_stands_with_bent_knees(tmp_path: Path, proto: str) -> None:
    """Thigh and shank of length l at 0.6 rad: it comes down by 2·l·(1 - cos 0.6) and stays up."""
    name, height, length = ROBOTIS[proto]
    place = f"translation 0 0 {height}"
    drive = Drive(tmp_path, FLOOR + f'{proto} {{ {place} controller "driver" }}')
    upright: list[float] = []

    def watch(sim: sb.Sim) -> None:
        _, x, y, _ = sim[name].orientation
        upright.append(1 - 2 * (x * x + y * y))

    sim = drive.run(
        f"""
        motors = [(robot.getDevice(name), angle) for name, angle in {OP2_STAND}.items()]
        while robot.step(step) != -1:
            share = min(1, max(0, robot.getTime() - 0.5) / 2)
            for motor, angle in motors:
                motor.setPosition(share * angle)
        """,
        4,
        watch,
    )
    assert min(upright) > 0.98  # never more than 11 degrees off the vertical
    lowered = 2 * length * (1 - np.cos(0.6))
    assert sim[name].position[2] == pytest.approx(height - lowered, abs=5e-3)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("robot", "shirt"), [("Nao", "NaoJersey"), ("RobotisOp2", "RobotisJersey")]
)
def test_players_wear_shirts(tmp_path: Path, robot: str, shirt: str) -> None:
    """Soccer worlds dress their players; that changes nothing, and there is nothing to complain about."""
    dressed = f'{robot} {{ jersey {shirt} {{ textureUrl [ "red.png" ] }} }}'
    _, log = load_world(write_world(tmp_path, dressed))
    assert complaints(log) == []


@pytest.mark.slow
def test_atlas_lands_on_its_feet_and_lowers_an_arm(tmp_path: Path) -> None:
    """It drops by 78 mm from its default place and stands, on contacts as in the real one's sample world.

    A left arm goes down at negative angles, and a right one up: so public programs wave.
    """
    info = "ERP 0.8 CFM 1e-7"
    drive = Drive(tmp_path, FLOOR + 'Atlas { controller "driver" }', step_ms=8, info=info)
    sim = drive.run(
        """
        for name, angle in (("LArmShx", -1.3), ("RArmShx", -0.7)):
            robot.getDevice(name).setVelocity(0.5)
            robot.getDevice(name).setPosition(angle)
        sensors("LArmShx_PS", "RLegKny_PS")
        while robot.step(step) != -1:
            pass
        """,
        3,
    )
    assert sim["Atlas"].position[2] == pytest.approx(0.922, abs=5e-3)
    _, x, y, _ = sim["Atlas"].orientation
    assert 1 - 2 * (x * x + y * y) > 0.99
    assert sim.device("LArmShx_PS").value == pytest.approx(-1.3, abs=0.02)
    shoulder = 0.922 + 0.09 + 0.05 + 0.289
    assert sim["LArmMwx link"].position[2] < shoulder - 0.3
    assert sim["RArmMwx link"].position[2] > shoulder + 0.2
