"""Our own lidars and depth cameras measure walls where they are, and do not see themselves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import solidbody as sb
from solidbody.model.devices import DeviceDistanceSensor, DeviceLidar
from tests.standins.driving import complaints, load_world, write_world

WALL_AT = 1.5
"""Distance of the wall from the sensor [m]: beyond all least ranges, within all greatest ones."""

WALL = f"""
Solid {{ translation {WALL_AT + 0.05} 0 0 name "wall" children [
  Shape {{ geometry Box {{ size 0.1 8 3 }} }} ] }}
"""

LIDARS = {
    "HokuyoUrg04lx": ("Hokuyo URG-04LX", (1, 667), 240, (0.06, 4.096)),
    "HokuyoUrg04lxug01": ("Hokuyo URG-04LX-UG01", (1, 667), 240, (0.2, 5.6)),
    "HokuyoUtm30lx": ("Hokuyo UTM-30LX", (1, 1080), 270, (0.1, 30)),
    "IbeoLux": ("Ibeo Lux", (4, 680), 80, (0.3, 200)),
    "RobotisLds01": ("LDS-01", (1, 360), 360, (0.12, 3.5)),
    "RpLidarA2": ("RPlidar A2", (1, 400), 360, (0.2, 12)),
    "SickLdMrs": ("Sick LD-MRS", (4, 170), 85, (0.2, 300)),
    "SickLms291": ("Sick LMS 291", (1, 180), 180, (0.01, 80)),
    "SickS300": ("Sick S300", (1, 540), 270, (0.01, 30)),
    "VelodyneHDL-32E": ("Velodyne HDL-32E", (32, 4500), 360, (0.9, 70)),
    "VelodyneHDL-64E": ("Velodyne HDL-64E", (64, 4500), 360, (0.9, 120)),
    "VelodynePuck": ("Velodyne Puck", (16, 3600), 360, (1, 100)),
    "VelodyneVLP-16": ("Velodyne VLP-16", (16, 3600), 360, (1, 100)),
}
"""PROTO -> name of its device, layers and points, field of view [deg], ranges [m]; from the guide's page
on lidars and the makers' data sheets."""


def scan(folder: Path, nodes: str, name: str, seconds: float) -> tuple[sb.Sim, np.ndarray]:
    text = f'{WALL} Robot {{ controller "<none>" children [ {nodes} ] }}'
    scene, log = load_world(write_world(folder, text, step_ms=25))
    assert complaints(log) == []
    sim = sb.Sim(scene)
    sim.device(name).enable(0.025)
    sim.run(seconds)
    return sim, np.asarray(sim.device(name).value)


@pytest.mark.slow
@pytest.mark.parametrize("proto", LIDARS)
def test_lidar_has_the_documented_figures(tmp_path: Path, proto: str) -> None:
    name, (layers, points), view, ranges = LIDARS[proto]
    sim, _ = scan(tmp_path, f"{proto} {{ translation 0 0 0 }}", name, 0.05)
    device = sim.device(name).model
    assert isinstance(device, DeviceLidar)
    assert (device.layers, device.samples) == (layers, points)
    low, high = device.yaw_range
    assert np.degrees(high - low) == pytest.approx(view, abs=0.1)
    assert (device.min_range, device.max_range) == pytest.approx(ranges)


@pytest.mark.slow
@pytest.mark.parametrize("proto", [x for x in LIDARS if "HDL" not in x])
def test_lidar_sees_the_wall_and_not_itself(tmp_path: Path, proto: str) -> None:
    """The ray ahead ends at the wall; no other one ends nearer than the wall does."""
    name, (layers, points), _, _ = LIDARS[proto]
    sim, found = scan(tmp_path, f"{proto} {{ translation 0 0 0 }}", name, 0.3)
    device = sim.device(name).model
    assert isinstance(device, DeviceLidar)
    far = 5 * device.noise + 0.03  # five deviations, and lenses 20 mm before the frame
    ahead = found.reshape(layers, points)[:, points // 2]
    assert np.abs(ahead - WALL_AT).max() < far
    assert found.min() > WALL_AT - far


NOISES = {"RobotisLds01": 0.0043 * 3.5, "RpLidarA2": 0.000833 * 12, "VelodynePuck": 0.003 * 100}
"""PROTO -> standard deviation of its distances [m]: the PROTO's part of the greatest range."""


@pytest.mark.parametrize("proto", NOISES)
def test_noise_is_a_part_of_the_greatest_range(tmp_path: Path, proto: str) -> None:
    name = LIDARS[proto][0]
    sim, _ = scan(tmp_path, f"{proto} {{ }}", name, 0.05)
    device = sim.device(name).model
    assert isinstance(device, DeviceLidar)
    assert device.noise == pytest.approx(NOISES[proto])


def test_lms_291_weighs_nothing(tmp_path: Path) -> None:
    """Its PROTO has neither a body nor a mass: a robot that carries it is as heavy as without it."""
    robot = """Robot { controller "<none>" boundingObject Box { size 1 1 1 }
      physics Physics { density -1 mass 3 } children [ SickLms291 { } ] }"""
    scene, log = load_world(write_world(tmp_path, robot))
    assert complaints(log) == []
    assert sb.Sim(scene).model.body_mass.sum() == pytest.approx(3)


SHARPS = {
    "SharpGP2D120": (0.05, 2.33, 0.005),
    "SharpGP2Y0A41SK0F": (0.25, 0.53, 0.005),
    "SharpGP2Y0A02YK0F": (1.1, 0.60, 0.015),
    "SharpGP2Y0A710K0F": (2.0, 1.80, 0.1),
}
"""PROTO -> a distance [m], its volts and their relative noise in the public PROTO's table."""


@pytest.mark.parametrize("proto", SHARPS)
def test_infrared_sensor_gives_the_volts_of_its_table(tmp_path: Path, proto: str) -> None:
    distance, volts, noise = SHARPS[proto]
    sim, _ = scan(tmp_path, f'{proto} {{ name "eye" }}', "eye", 0.05)
    device = sim.device("eye").model
    assert isinstance(device, DeviceDistanceSensor)
    assert device.lookup.at(distance) == pytest.approx((volts, noise))


def test_kinect_sees_depth_and_tilts(tmp_path: Path) -> None:
    """Depth ahead is that of the wall from the frame; the foot's motor turns the head up."""
    sim, found = scan(tmp_path, "Kinect { }", "kinect range", 0.1)
    height, width = found.shape
    assert (height, width) == (190, 320)
    assert found[height // 2, width // 2] == pytest.approx(WALL_AT, abs=1e-3)
    assert {"kinect color", "tilt motor"} <= {x.device.name for x in sim.devices.devices}


def test_kinect_without_foot_has_no_motor(tmp_path: Path) -> None:
    nodes = 'Kinect { foot FALSE cameraName "eye" }'
    sim, _ = scan(tmp_path, nodes, "eye range", 0.05)
    assert {x.device.name for x in sim.devices.devices} == {"eye range", "eye color"}


MULTISENSE = {"left camera", "right camera", "inertial unit"}
"""Parts of a MultiSense that are there by default; their names follow that of the device."""


@pytest.mark.parametrize(
    ("fields", "names"),
    [
        ("", MULTISENSE),
        (
            "leftCamera FALSE metaRangeFinder TRUE",
            MULTISENSE - {"left camera"} | {"meta range finder"},
        ),
        ("metaCamera TRUE", MULTISENSE | {"meta camera"}),
    ],
)
def test_multisense_has_the_devices_it_is_asked_for(
    tmp_path: Path, fields: str, names: set[str]
) -> None:
    robot = f'Robot {{ controller "<none>" children [ MultiSenseS21 {{ name "eyes" {fields} }} ] }}'
    scene, log = load_world(write_world(tmp_path, robot))
    assert complaints(log) == []
    found = {bound.device.name for bound in sb.Sim(scene).devices.devices}
    assert found == {f"eyes {name}" for name in names}


def test_second_lidar_of_a_sick_ld_mrs_sees_farther_aside(tmp_path: Path) -> None:
    """Half the layers, 110 degrees at half a degree: 220 points."""
    sim, _ = scan(tmp_path, "SickLdMrs { }", "Sick LD-MRS (long range)", 0.05)
    device = sim.device("Sick LD-MRS (long range)").model
    assert isinstance(device, DeviceLidar)
    assert (device.layers, device.samples) == (2, 220)


GRIPPERS = {
    "Pioneer3dx { extensionSlot [ Pioneer3Gripper { } ]": {
        "lift motor": 0.05,
        "left finger motor": 0.06,
        "right finger motor": 0.06,
    },
    "Khepera3 { turretSlot [ Khepera3_Gripper { } ]": {
        "horizontal_motor": -3.0,
        "left_finger_motor": -0.1,
        "right_finger_motor": 0.1,
    },
}
"""Robot with a gripper -> positions to which public controllers move its motors [m or rad]."""


@pytest.mark.parametrize("robot", GRIPPERS)
def test_grippers_reach_the_positions_of_public_controllers(tmp_path: Path, robot: str) -> None:
    """Within 1 % of the way after three seconds: 3 rad take 0.6 s at 5 rad/s."""
    world = write_world(tmp_path, f'Floor {{ }} {robot} controller "<none>" }}')
    scene, log = load_world(world)
    assert complaints(log) == []
    sim = sb.Sim(scene)
    for name, position in GRIPPERS[robot].items():
        sim.joint(name).target_position = position
    sim.run(3)
    for name, position in GRIPPERS[robot].items():
        assert sim.joint(name).position == pytest.approx(position, rel=0.01), name
