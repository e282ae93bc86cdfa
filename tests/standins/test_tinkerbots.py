"""Our Tinkerbots: bricks plug into each other where the real ones do, and what is built drives and grips."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import solidbody as sb
from solidbody.formats.webots.protos.standin_protos import FOLDER
from tests.standins.driving import FLOOR, Drive, complaints, load_world, write_world

PARTS = sorted(
    path.stem
    for path in (FOLDER / "tinkerbots").glob("Tinkerbots*.proto")
    if not path.stem.endswith("Appearance")
)

CAR = """
TinkerbotsBase {{ {place} name "car" controller "driver"
  downSlot TinkerbotsMotor {{ rotation 0 0 1 1.5708 name "right motor"
    upASlot TinkerbotsCubieBoxWithCrossSlots {{ rotation 0 0 1 3.1415 }}
    leftSlot TinkerbotsDistanceSensor {{ rotation 0 0 1 1.5708 name "right eye" }}
    frontSlot TinkerbotsAxle {{ endSlot TinkerbotsWheel {{ }} }} }}
  rightSlot TinkerbotsCube {{ rightSlot TinkerbotsMotor {{ rotation 0 0 1 -1.5708 name "left motor"
    rightSlot TinkerbotsDistanceSensor {{ rotation 0 0 1 -1.5708 name "left eye" }}
    frontSlot TinkerbotsAxle {{ endSlot TinkerbotsWheel {{ }} }} }} }} }}
"""
"""Two motors, whose wheels point away from each other, under two eyes that look ahead."""

AHEAD = """
left, right = wheels("left motor", "right motor")
robot.getDevice("left motor led").set(0xFF8000)
left.setVelocity(-5)
right.setVelocity(5)
while robot.step(step) != -1:
    pass
"""


def simulation(folder: Path, nodes: str, release: str = "R2025a") -> sb.Sim:
    scene, log = load_world(write_world(folder, nodes, release=release))
    assert complaints(log) == []
    return sb.Sim(scene)


@pytest.mark.slow
@pytest.mark.parametrize("name", PARTS)
def test_part_plugs_into_its_slot_and_the_base_rests(tmp_path: Path, name: str) -> None:
    """Upon a base, which stays where it is: small parts in a cross, wheels on an axle in it."""
    small = f"upASlot {name} {{ }}"
    slot = {
        "TinkerbotsWheel": "upASlot TinkerbotsAxle { endSlot TinkerbotsWheel { } }",
        **dict.fromkeys(
            ("Cube", "DistanceSensor", "Grabber", "LightSensor", "Motor", "Pivot", "Twister"), ""
        ),
    }
    if name.removeprefix("Tinkerbots") in slot:
        small = f"upSlot {name} {{ }}"
    nodes = f'TinkerbotsBase {{ controller "<none>" {slot.get(name, small)} }}'
    sim = simulation(tmp_path, FLOOR + nodes)
    sim.run(1)
    before = sim.poses().copy()
    sim.run(3)
    assert np.abs(sim.poses() - before).max() < 1e-3  # [m]; contacts settle within a tenth of that


@pytest.mark.parametrize(
    ("face", "place"),
    [
        ("up", (0, 0, 0.04)),
        ("down", (0, 0, -0.04)),
        ("left", (0, -0.04, 0)),
        ("right", (0, 0.04, 0)),
        ("back", (-0.04, 0, 0)),
    ],
)
def test_motor_on_a_face_has_its_hub_4_cm_from_the_middle(
    tmp_path: Path, face: str, place: tuple[float, float, float]
) -> None:
    """Half a base and half a motor; the buttons, where x points, are the front."""
    nodes = f'TinkerbotsBase {{ translation 0 0 1 controller "<none>" {face}Slot TinkerbotsMotor {{ }} }}'
    sim = simulation(tmp_path, nodes)
    assert sim["hub"].position - (0, 0, 1) == pytest.approx(place, abs=1e-9)


@pytest.mark.parametrize(
    ("letter", "place"),
    [("A", (-1, 1)), ("B", (1, 1)), ("C", (1, -1)), ("D", (-1, -1))],
)
def test_letters_of_the_upper_face_go_around_it(
    tmp_path: Path, letter: str, place: tuple[int, int]
) -> None:
    """Seen from above, clockwise: A behind at the left. Axles begin 5 mm below the face."""
    axle = "TinkerbotsCubieBoxWithRoundSlots { axisSlot TinkerbotsAxle { } }"
    nodes = f'TinkerbotsBase {{ translation 0 0 1 controller "<none>" up{letter}Slot {axle} }}'
    x, y, z = simulation(tmp_path, nodes)["axle"].position - (0, 0, 1)
    # the hole is 10 mm beside the peg, the slot in it 5 mm from the middle of the box
    assert np.hypot(x - 0.01 * place[0], y - 0.01 * place[1]) == pytest.approx(
        np.hypot(0.01, 0.005), abs=1e-9
    )
    assert z == pytest.approx(0.015 + 0.015, abs=1e-9)


def test_car_drives_ahead_at_the_speed_of_its_wheels(tmp_path: Path) -> None:
    """5 rad/s on wheels of 30 mm; the left motor looks the other way, so that it runs backwards."""
    place = "translation 0 0 0.03 rotation 0 1 0 -1.5708"
    drive = Drive(tmp_path, FLOOR + CAR.format(place=place), step_ms=8)
    places: list[float] = []
    sim = drive.run(AHEAD, 2, lambda sim: places.append(float(sim["car"].position[0])))
    half = len(places) // 2
    assert (places[-1] - places[half - 1]) == pytest.approx(5 * 0.03, rel=0.02)
    assert abs(sim["car"].position[1]) < 0.01


def test_car_stands_as_it_stood_in_an_old_world(tmp_path: Path) -> None:
    """R2019: y was up, the buttons pointed along y, and the same car drove along z."""
    car = CAR.format(place="translation 0 0.03 0 rotation 0 1 0 3.14159265")
    sim = simulation(tmp_path, "Floor { }" + car, "R2019a")
    hubs = [sim["hub"].position, sim["hub(1)"].position]
    assert hubs[0] == pytest.approx((0, 0.03, 0.04), abs=1e-6)
    assert hubs[1] == pytest.approx((0.04, 0.03, 0.04), abs=1e-6)


def test_things_in_the_extension_slot_stay_where_an_old_world_has_them(tmp_path: Path) -> None:
    nodes = """TinkerbotsBase { translation 0 0.5 0 controller "<none>" extensionSlot [
      HingeJoint { endPoint Solid { translation 0.01 0.02 0.03 name "thing"
        physics Physics { density -1 mass 1 }
        boundingObject Box { size 0.01 0.01 0.01 } } } ] }"""
    sim = simulation(tmp_path, nodes, "R2020b")
    assert sim["thing"].position == pytest.approx((0.01, 0.52, 0.03), abs=1e-9)


EYE = """
sensors("distance sensor")
while robot.step(step) != -1:
    pass
"""


@pytest.mark.parametrize(("distance", "value"), [(0.1, 64.0), (0.5, 128.0)])
def test_eye_reads_less_the_nearer_a_thing_is(
    tmp_path: Path, distance: float, value: float
) -> None:
    """Linear to 128 at 20 cm; it is 22.5 mm before the middle of its cube, which looks along the base's x."""
    robot = """TinkerbotsBase { translation 0 0 0.5 controller "driver"
      upSlot TinkerbotsDistanceSensor { } }"""
    wall = f"Wall {{ translation {0.0225 + distance + 0.1} 0 0 }}"
    drive = Drive(tmp_path, robot + wall, info="gravity 0")
    sim = drive.run(EYE, 0.2)
    assert sim.device("distance sensor").value == pytest.approx(value, abs=0.1)


def test_crane_bends_down_and_turns_as_public_programs_ask(tmp_path: Path) -> None:
    """Negative angles of a pivot lower what hangs behind it on a base with its buttons up."""
    nodes = """TinkerbotsBase { translation 0 0 0.5 rotation 0 1 0 -1.5708 controller "<none>"
      downSlot TinkerbotsPivot { rotation 0 0 1 3.1415 name "bend"
        slot TinkerbotsGrabber { fingerASlot TinkerbotsFinger { } } }
      upSlot TinkerbotsTwister { name "twist" } }"""
    scene, log = load_world(write_world(tmp_path, nodes, info="gravity 0"))
    assert complaints(log) == []
    sim = sb.Sim(scene)
    base, tip = sim["Tinkerbots"], sim["holder A"]
    level = float((tip.position - base.position)[2])
    for name, angle in (("bend", -0.8), ("twist", -1.0), ("grabber finger A", 1.3)):
        sim.joint(name).target_position = angle
    sim.run(2)
    for name, angle in (("bend", -0.8), ("twist", -1.0), ("grabber finger A", 1.3)):
        assert sim.joint(name).position == pytest.approx(angle, abs=0.01), name
    w, x, y, z = base.orientation
    up = np.array([1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)])
    assert (tip.position - base.position) @ up < level - 0.01


def test_twister_turns_clockwise_seen_from_its_outer_end(tmp_path: Path) -> None:
    """So a crane of Webots' samples finds its object; the motor hangs ahead at first, 4 cm from the axis."""
    nodes = """TinkerbotsBase { translation 0 0 0.5 controller "<none>" upSlot TinkerbotsTwister {
      slot TinkerbotsCube { frontSlot TinkerbotsMotor { } } } }"""
    scene, log = load_world(write_world(tmp_path, nodes, info="gravity 0"))
    assert complaints(log) == []
    sim = sb.Sim(scene)
    sim.joint("twister").target_position = 0.5
    sim.run(1)
    base = sim["Tinkerbots"]
    w, x, y, z = base.orientation
    ahead = np.array([1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)])
    left = np.array([2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)])
    way = sim["hub"].position - base.position
    assert (way @ ahead, way @ left) == pytest.approx(
        (0.04 * np.cos(0.5), -0.04 * np.sin(0.5)), abs=2e-4
    )
