"""Our humanoids, dogs, arms and grippers of the less common kinds move as the real ones' joints say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import solidbody as sb
from solidbody.model.motors import Motor
from tests.standins.driving import FLOOR, URL, Drive, complaints, load_world, write_world


def names_of(folder: Path, nodes: str) -> set[str]:
    """Return the names of all devices of a world that has nothing to complain of."""
    return {x.device.name for x in Drive(folder, nodes).sim.devices.devices}


def upright(sim: sb.Sim, name: str) -> float:
    """Return the cosine between a link's z axis and the vertical."""
    _, x, y, _ = sim[name].orientation
    return float(1 - 2 * (x * x + y * y))


def test_hoap_bends_its_knees_and_feels_the_floor(tmp_path: Path) -> None:
    """Hips, knees and ankles at -0.5, 1 and -0.5 rad: legs of 0.2 m get shorter by 0.2·(1 - cos 0.5).

    Its soles are 0.295 m below the frame and carry 7.09 kg; they sink by less than 2 mm.
    """
    drive = Drive(tmp_path, FLOOR + 'Hoap2 { translation 0 0 0.295 controller "driver" }')
    sim = drive.run(
        """
        sensors("left touch", "right touch")
        legs = [(robot.getDevice(f"{side}leg_joint_{joint}"), way) for side in "lr"
                for joint, way in ((3, -1), (4, 2), (5, -1))]
        for side in "lr":
            robot.getDevice(side + "arm_joint_1").setPosition(1.5)
        while robot.step(step) != -1:
            bend = 0.5 * min(1, max(0, robot.getTime() - 0.5) / 2)
            for motor, way in legs:
                motor.setPosition(way * bend)
        """,
        4,
    )
    assert upright(sim, "HOAP-2") > 0.98
    height = 0.2955 - 0.2 * (1 - np.cos(0.5))
    assert sim["HOAP-2"].position[2] == pytest.approx(height, abs=3e-3)
    assert sim.model.body_mass.sum() == pytest.approx(7.09, abs=0.01)
    # sensors give ten times the newtons; what is above the soles of 20 g weighs on them
    felt = sim.device("left touch").value + sim.device("right touch").value
    assert felt == pytest.approx(10 * 9.81 * (7.0914 - 0.04), rel=0.01)


@pytest.mark.parametrize(
    ("name", "count", "some"),
    [
        ("Hoap2", 25, {"body_joint_1", "larm_joint_5", "rleg_joint_6", "head_joint_2"}),
        ("QRIO", 21, {"back_2", "left_shoulder_2", "right_ankle_2", "neck"}),
        ("BioloidDog", 16, {"neck_1", "head", "pelvis", "back_right_3"}),
        ("Khr2hv", 17, {"Head", "Right_Arm1", "Right_leg3", "Left_Leg3", "Left_Foot"}),
        ("Khr3hv", 17, {"Head"}),
    ],
)
def test_robot_has_the_documented_degrees_of_freedom(
    tmp_path: Path, name: str, count: int, some: set[str]
) -> None:
    sim = Drive(tmp_path, f'{name} {{ controller "<none>" }}').sim
    motors = {x.device.name for x in sim.devices.devices if isinstance(x.device, Motor)}
    assert len(motors) == count
    assert some <= motors


def test_bioloid_dog_stands_up_on_four_legs(tmp_path: Path) -> None:
    """Legs point aside at zero; second joints turn them down by a quarter, left and right opposite.

    The hind hips are 13.5 mm lower than the front ones, so that it stands with its nose down a little.
    """
    drive = Drive(tmp_path, FLOOR + 'BioloidDog { translation 0 0 0.06 controller "driver" }')
    sim = drive.run(
        """
        for end in ("front", "back"):
            for side, way in (("left", 1), ("right", -1)):
                robot.getDevice(f"{end}_{side}_2").setPosition(way * pi / 2)
        sensors("camera", "ds0", "ds1", "ds2", "pelvis_sensor")
        while robot.step(step) != -1:
            pass
        """,
        4,
    )
    leg = 0.083 + 0.039 + 0.099 / 2
    assert leg < sim["BioloidDog"].position[2] < leg + 0.0145
    assert upright(sim, "BioloidDog") > 0.98


def test_fingers_of_a_p_grip_open(tmp_path: Path) -> None:
    """Both swing out by the same angle: so do their sensors."""
    nodes = 'P-Rob3 { controller "driver" toolSlot [ P-Grip { } ] }'
    names = names_of(tmp_path, nodes)
    assert {f"{side} finger sensor {i}" for side in ("left", "right") for i in range(4)} <= names
    sim = Drive(tmp_path, nodes).run(
        """
        for name in ("motor 7", "motor 7 left"):
            robot.getDevice(name).setPosition(0.6)
        sensors("motor 7 sensor", "motor 7 left sensor", "gripper middle distance sensor")
        while robot.step(step) != -1:
            pass
        """,
        2,
    )
    for name in ("motor 7 sensor", "motor 7 left sensor"):
        assert sim.device(name).value == pytest.approx(0.6, abs=0.02)


def test_kinova_reaches_as_high_as_the_real_one(tmp_path: Path) -> None:
    """Its seventh joint is above its foot by the sum of the published lengths."""
    robot = 'Robot { controller "<none>" children [ KinovaGen3_7DoF { prefix "A_" } ] }'
    sim = Drive(tmp_path, robot).sim
    up = 0.15643 + 0.12838 + 2 * 0.21038 + 0.20843 + 2 * 0.10593
    assert sim["A_Actuator7 link"].position[2] == pytest.approx(up, abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "link"),
    [
        ("KinovaGen3", "Right_Actuator7 link"),
        ("Robotino3SickMountingSupport", "Hokuyo mounting support for Robotino 3"),
        ("Tiago++", "arm_left_7_joint link"),
        ("TiagoRightHey5", "hand_index_link"),
    ],
)
def test_other_names_lead_to_what_stands_in_for_them(tmp_path: Path, name: str, link: str) -> None:
    node = f"{name} {{ }}"
    path = write_world(
        tmp_path,
        node if name == "Tiago++" else f'Robot {{ controller "<none>" children [ {node} ] }}',
    )
    text = path.read_text("utf-8")
    path.write_text(text.replace("utf8\n", f'utf8\nEXTERNPROTO "{URL}/{name}.proto"\n', 1), "utf-8")
    scene, log = load_world(path)
    assert complaints(log) == []
    assert link in {found.name for found in scene.links()}


def test_declared_servo_is_the_proto_of_today(tmp_path: Path) -> None:
    """It turns about the axis of its rotation or slides along z; sensors are named after it."""
    body = "boundingObject Box { size 0.1 0.1 0.1 } physics Physics { density -1 mass 0.1 }"
    nodes = f"""Robot {{ controller "driver" children [
      Servo {{ translation 1 0 0 rotation 0 1 0 0 name "arm" {body} }}
      Servo {{ translation 2 0 0 type "linear" name "lift" {body} }} ] }}"""
    sim = Drive(tmp_path, nodes).run(
        """
        robot.getDevice("arm").setPosition(0.4)
        robot.getDevice("lift").setPosition(0.3)
        sensors("arm sensor", "lift sensor")
        while robot.step(step) != -1:
            pass
        """,
        1,
    )
    assert sim.device("arm sensor").value == pytest.approx(0.4, abs=1e-3)
    assert sim["arm"].orientation.tolist() == pytest.approx(
        [np.cos(0.2), 0, np.sin(0.2), 0], abs=1e-3
    )
    assert sim["lift"].position.tolist() == pytest.approx([2, 0, 0.3], abs=1e-3)


@pytest.mark.parametrize("wheel", ["CarSteeringWheel", "FanatecCslEliteSteeringWheel"])
def test_steering_wheel_of_a_car_is_a_device(tmp_path: Path, wheel: str) -> None:
    path = write_world(tmp_path, f'BmwX5 {{ controller "<none>" steeringWheel {wheel} {{ }} }}')
    text = path.read_text("utf-8")
    if f"/{wheel}.proto" not in text:
        text = text.replace("utf8\n", f'utf8\nEXTERNPROTO "{URL}/{wheel}.proto"\n', 1)
        path.write_text(text, "utf-8")
    scene, log = load_world(path)
    assert complaints(log) == []
    names = {x.device.name for x in sb.Sim(scene).devices.devices}
    assert "steering_wheel_motor" in names


def test_robot_of_the_tutorials_rolls_ahead(tmp_path: Path) -> None:
    """Wheels of 4 cm radius at 2 rad/s: 8 cm/s, less what they slip while they start."""
    drive = Drive(tmp_path, FLOOR + "FourWheelsRobot { translation 0 0 0.04 }")
    home = tmp_path / "controllers" / "four_wheels_collision_avoidance"
    home.mkdir(parents=True)
    (home / "four_wheels_collision_avoidance.py").write_text(
        """
from controller import Robot
robot = Robot()
for i in range(1, 5):
    wheel = robot.getDevice(f"wheel{i}")
    wheel.setPosition(float("inf"))
    wheel.setVelocity(2)
for name in ("ds_left", "ds_right"):
    robot.getDevice(name).enable(16)
while robot.step(16) != -1:
    pass
""",
        "utf-8",
    )
    sim = drive.run("", 2)
    x, y, _ = sim["robot"].position
    assert x == pytest.approx(0.16, abs=0.01)
    assert abs(y) < 1e-3


def test_blue_boat_floats(tmp_path: Path) -> None:
    """Its density is 400 kg/m^3: it stays where its hulls are wet to less than a half."""
    pool = (
        "Fluid { translation 0 0 -1 children [ Shape { geometry Box { size 5 5 2 } } ] "
        "boundingObject Box { size 5 5 2 } }"
    )
    sim = Drive(tmp_path, pool + 'BlueBoat { translation 0 0 0.05 controller "<none>" }').sim
    sim.run(10)
    # the middle of the hulls, of 75 mm radius, is 20 mm below the frame and above the water
    assert 0.02 < sim["blueboat"].position[2] < 0.02 + 0.075
    assert upright(sim, "blueboat") > 0.99


def test_digits_of_the_stopwatch_have_motors(tmp_path: Path) -> None:
    names = names_of(tmp_path, "RaceStopwatch { }")
    assert {f"digit{i}{x}" for i in range(6) for x in "x_0123456789"} | {"detector"} <= names
