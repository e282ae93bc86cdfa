"""Our own robots and devices: they load without complaint, rest on a floor and have the documented parts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import solidbody as sb
from solidbody.formats.webots.protos.standin_protos import ALWAYS_Z_UP, FOLDER
from solidbody.model.devices import DeviceDistanceSensor
from tests.standins.driving import FLOOR, Drive, complaints, load_world, write_world

ROBOTS = sorted(path.stem for path in (FOLDER / "robots").glob("*.proto"))
DEVICES = sorted(
    path.stem for path in (FOLDER / "devices").glob("*.proto") if path.stem != "SumoDisplay"
)

CART = """
Robot {{ name "cart" controller "<none>" translation 0 0 0.05 children [
    {name} {{ {fields} }} ]
  boundingObject Box {{ size 0.3 0.3 0.1 }} physics Physics {{ density -1 mass 5 }} }}
"""

MOVE_MAX = 1e-3
"""Most that a robot at rest may move in eight seconds [m]; contacts settle within a tenth of that."""

TURN_MAX = 5e-3
"""Most that a robot at rest may turn in eight seconds, as a change of a quaternion's entries."""

FIRM = {"Atlas": "contactProperties [ ContactProperties { softCFM 1e-5 } ]"}
"""Contacts for robots too tall to rest on default ones at 32 ms.

Eight corners of feet, 0.13 m from their middle, have 8·(ERP/(softCFM·dt))·x² = 845 Nm/rad against tilting;
120 kg at a height of 1 m need m·g·h = 1177 Nm/rad.
"""

SLOW = {"MercedesBenzSprinter", "Moose", "TeslaModel3"}
"""Robots that need more than two seconds to settle.

The springs of a Moose have a time constant of 1e5/1e5 = 1 s; the cars swing on soft default contacts, which
damp less than their springs.
"""

HEIGHTS = {
    "BoeBot": 0.038,
    "FireBird6": 0.126,
    "GhostDog": 0.22,
    "Mantis": 0.25,
    "OwnRobotis": 0.325,
    "RobotisOp2": 0.325,
    "RobotisOp3": 0.28,
    "Salamander": 0.06,
    "Sojourner": 0.2,
}
"""Robots whose documented default place is in the floor: where they stand on it [m]."""

PLAIN = {
    "controllerArgs": "[]",
    "customData": '""',
    "supervisor": "FALSE",
    "synchronization": "TRUE",
}
"""Parameters that most robots have, with the defaults of the node Robot."""


def simulation(
    folder: Path, nodes: str, *, release: str = "R2025a", step_ms: float = 32, info: str = ""
) -> sb.Sim:
    world = write_world(folder, nodes, release=release, step_ms=step_ms, info=info)
    scene, log = load_world(world)
    assert complaints(log) == []
    return sb.Sim(scene)


def device_names(sim: sb.Sim) -> set[str]:
    return {bound.device.name for bound in sim.devices.devices}


@pytest.mark.slow
@pytest.mark.parametrize("name", ROBOTS)
def test_robot_rests_on_a_floor(tmp_path: Path, name: str) -> None:
    """For ten seconds at 32 ms: after some seconds to settle it neither moves nor turns."""
    place = f"translation 0 0 {HEIGHTS[name]}" if name in HEIGHTS else ""
    nodes = FLOOR + f'{name} {{ {place} controller "<none>" }}'
    sim = simulation(tmp_path, nodes, info=FIRM.get(name, ""))
    sim.run(6 if name in SLOW else 2)
    before = sim.poses().copy()
    sim.run(8)
    after = sim.poses()
    assert np.isfinite(after).all()
    assert np.abs(after[:, :3] - before[:, :3]).max() < MOVE_MAX
    firm = [not name.startswith("caster") for name in sim.link_names]  # a swivel may creep
    assert np.abs(after[firm, 3:] - before[firm, 3:]).max() < TURN_MAX


@pytest.mark.slow
@pytest.mark.parametrize("name", DEVICES)
def test_device_rides_on_a_robot(tmp_path: Path, name: str) -> None:
    """It loads without complaint within a robot, which still rests on a floor."""
    place = "" if name == "Thymio2Pen" else "translation 0 0 0.2"
    fields = f'{place} name "{name}"'
    sim = simulation(tmp_path, FLOOR + CART.format(name=name, fields=fields))
    sim.run(2)
    before = sim.poses().copy()
    sim.run(8)
    assert np.abs(sim.poses() - before).max() < MOVE_MAX


EPUCK_DEVICES = {
    *(f"{kind}{i}" for kind in ("ps", "ls", "led") for i in range(8)),
    *("led8", "led9", "camera", "accelerometer", "gyro", "speaker", "emitter", "receiver"),
    *(f"{side} wheel {kind}" for side in ("left", "right") for kind in ("motor", "sensor")),
}


def test_epuck_has_the_documented_devices(tmp_path: Path) -> None:
    assert device_names(simulation(tmp_path, 'E-puck { controller "<none>" }')) == EPUCK_DEVICES


@pytest.mark.parametrize(
    ("name", "distance", "value"),
    [
        ("front ultrasonic sensor", 1.5, 1.5),
        ("left infrared sensor", 0.05, 500),
        ("ground right infrared sensor", 0.01, 823),
    ],
)
def test_khepera4_measures_as_the_public_one(
    tmp_path: Path, name: str, distance: float, value: float
) -> None:
    """Sonars give metres, the others the counts of their tables."""
    sim = simulation(tmp_path, 'Khepera4 { controller "<none>" }')
    device = sim.device(name).model
    assert isinstance(device, DeviceDistanceSensor)
    assert device.lookup.at(distance)[0] == pytest.approx(value)


def test_second_epuck_is_lighter_and_sees_far(tmp_path: Path) -> None:
    slot = "groundSensorsSlot [ E-puckGroundSensors { } ]"
    sim = simulation(tmp_path, f'E-puck {{ controller "<none>" version "2" {slot} }}')
    assert device_names(sim) == EPUCK_DEVICES | {"tof", "gs0", "gs1", "gs2"}
    assert sim.model.body_mass.sum() == pytest.approx(0.13 + 2 * 0.005)  # body and wheels


def test_slots_of_an_epuck_are_on_its_top_and_before_its_wheels(tmp_path: Path) -> None:
    """The places of the public PROTO, from the frame between the wheels, on the floor."""
    slots = 'turretSlot [ GPS { name "cap" } ] groundSensorsSlot [ GPS { name "foot" } ]'
    sim = simulation(tmp_path, f'E-puck {{ controller "<none>" kinematic TRUE {slots} }}')
    for name, place in {"cap": (-0.0095, 0, 0.0486), "foot": (0.03, 0, 0.0003)}.items():
        sim.device(name).enable(0.032)
        sim.run(0.1)
        assert sim.device(name).values[:3] == pytest.approx(place)


def test_epuck_stands_upright_in_an_old_world(tmp_path: Path) -> None:
    """Old worlds have y up: the robot's z axis points along it, and its front along -z."""
    nodes = (
        'RectangleArena { floorSize 2 3 } E-puck { controller "<none>" translation 0.1 0 0.2 '
        "hidden position_0_0 0.1 camera_rotation 1 0 0 0 }"
    )
    sim = simulation(tmp_path, nodes, release="R2020a")
    sim.run(3)
    x, y, z = sim["e-puck"].position
    assert (x, z) == pytest.approx((0.1, 0.2), abs=1e-3)
    assert abs(y) < 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(ALWAYS_Z_UP - {"Robotiq3fGripper"}))
def test_robot_that_was_z_up_before_is_placed_as_an_old_world_says(
    tmp_path: Path, name: str
) -> None:
    """Such worlds turn it by a quarter about x; it stands upright, its z axis along their y."""
    nodes = f'{name} {{ controller "<none>" translation 0 1 0 rotation 1 0 0 -1.5707963 }}'
    sim = simulation(tmp_path, nodes, release="R2020a")
    w, x, y, z = sim.poses()[0, 3:]
    up = (2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y))
    assert up == pytest.approx((0, 1, 0), abs=1e-6)


# robot -> its lamps and what public programs set them to; the small ones of a Thymio have 33 levels
LAMPS = {
    "Thymio2 { %s }": {"leds.top": 0xFF8000, "leds.circle.led3": 32, "leds.buttons.led0": 33},
    'E-puck { %s version "2" turretSlot [ Pi-puck { } ] }': {"led3": 0xFF, "pi-puck led 2": 0xFF00},
    "Khepera4 { %s }": {"front left led": 0xFF0000},
    "Elisa3 { %s }": {"ledrgb": 0xFF00FF},
    "Nao { %s }": {"ChestBoard/Led": 0xFF0000, "Face/Led/Left": 0x00FF00, "Ears/Led/Right": 200},
    "RobotisOp2 { %s }": {"HeadLed": 0x40FF40, "EyeLed": 0x00FFFF},
}


@pytest.mark.slow
@pytest.mark.parametrize("robot", LAMPS)
def test_lamps_take_the_values_of_public_programs(tmp_path: Path, robot: str) -> None:
    """`Drive` fails if the robot's program is told that a value is no colour of the lamp."""
    drive = Drive(tmp_path, robot % 'controller "driver"')
    drive.run(
        f"""
        for name, value in {LAMPS[robot]}.items():
            robot.getDevice(name).set(value)
        while robot.step(step) != -1:
            pass
        """,
        0.1,
    )
