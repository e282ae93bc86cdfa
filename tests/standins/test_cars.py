"""Cars of our own PROTOs drive under Webots' vehicle library."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import solidbody as sb
from solidbody.model.geometry import GeometryCylinder
from solidbody.model.shapes import ShapeRole
from tests.standins.driving import FLOOR, Drive, complaints, heading, load_world, write_world

# PROTO -> distance of its axles [m]
CARS = {
    "BmwX5": 2.995,
    "Bus": 5.6,
    "CitroenCZero": 2.55,
    "LincolnMKZ": 2.85,
    "MercedesBenzSprinter": 3.665,
    "RangeRoverSportSVR": 2.923,
    "TeslaModel3": 2.875,
    "ToyotaPrius": 2.7,
    "Tractor": 1.7,
    "Truck": 5.25,
}

DRIVER = """
from vehicle import Driver
driver = Driver()
driver.setCruisingSpeed(18)
driver.setSteeringAngle({angle})
while driver.step() != -1:
    pass
"""


@pytest.mark.slow
@pytest.mark.parametrize("proto", CARS)
def test_car_cruises_straight_ahead(tmp_path: Path, proto: str) -> None:
    """At 18 km/h it moves at 5 m/s within 3 % after six seconds, and has not left its line."""
    drive = Drive(tmp_path, FLOOR + f'{proto} {{ name "vehicle" controller "driver" }}', step_ms=10)
    sim = drive.run(DRIVER.format(angle=0), 6, prelude="")
    assert sim["vehicle"].linear_velocity[0] == pytest.approx(5, rel=0.03)
    assert abs(sim["vehicle"].position[1]) < 0.1


# PROTO -> kg of the body and of a front and a rear wheel; tyres without a mass have 1000 kg/m^3
MASSES = {
    "BmwX5": (2000, 30, 30),
    "CitroenCZero": (1200, 5, 6),
    "LincolnMKZ": (1950, 220 * np.pi * 0.358**2, 220 * np.pi * 0.358**2),
    "MercedesBenzSprinter": (4500, 300 * np.pi * 0.4**2, 300 * np.pi * 0.4**2),
    "RangeRoverSportSVR": (2700, 220 * np.pi * 0.358**2, 220 * np.pi * 0.358**2),
    "TeslaModel3": (1847, 10.4, 10.4),
    "ToyotaPrius": (1805, 8, 8),
}


@pytest.mark.slow
@pytest.mark.parametrize("proto", MASSES)
def test_car_weighs_what_the_real_one_does(tmp_path: Path, proto: str) -> None:
    sim = Drive(tmp_path, f'{proto} {{ name "vehicle" controller "<none>" }}').sim
    body, front, rear = MASSES[proto]
    names = ["vehicle", "front left wheel", "front right wheel", "rear left wheel"]
    found = [sim.model.body_mass[sim.model.body(name).id] for name in names]
    # what moves without physics, as wipers, has a nominal mass of its own
    assert found == pytest.approx([body, front, front, rear], rel=1e-3)


def test_recognition_sees_the_colour_of_the_paint(tmp_path: Path) -> None:
    scene, log = load_world(write_world(tmp_path, "TeslaModel3 { color 1 0 0 }"))
    assert complaints(log) == []
    (body,) = scene.bodies
    assert body.links[0].recognition_colors == ((1.0, 0.0, 0.0),)


def test_inside_of_a_bmw_is_as_its_fields_say(tmp_path: Path) -> None:
    """Mirrors have a camera and a display each; without an interior there are no dials."""
    full, bare = "leftWingMirror TRUE rearMirror TRUE", "interior FALSE windshieldWipers FALSE"
    found = [
        {x.device.name for x in Drive(tmp_path, f"BmwX5 {{ {fields} }}").sim.devices.devices}
        for fields in (full, bare)
    ]
    parts = {"left_wing_camera", "left_wing_display", "rear_camera", "rear_display"}
    parts |= {"speed_needle_motor", "rpm_needle_motor", "interior_left_indicators", "wiper_sensor"}
    assert parts <= found[0]
    assert not parts & found[1]


def test_parts_of_a_bmw_move_under_the_library(tmp_path: Path) -> None:
    """Wipers swing up to their end at 1.6 rad and back."""
    drive = Drive(tmp_path, FLOOR + 'BmwX5 { controller "driver" }', step_ms=10)
    seen: list[float] = []
    drive.run(
        """
        from vehicle import Driver
        driver = Driver()
        driver.setWiperMode(Driver.FAST)
        while driver.step() != -1:
            pass
        """,
        2,
        lambda sim: seen.append(sim.device("wiper_sensor").value),
        prelude="",
    )
    top = int(np.argmax(seen))
    assert seen[top] >= 1.6
    assert min(seen[top:]) < 0.5


def test_car_turns_about_the_point_of_its_steering(tmp_path: Path) -> None:
    """Positive angles steer to the right; it turns by v·tan(angle)/L per second within 10 %.

    The wheels slip sideways while it speeds up and its body rolls, which takes a few percent.
    """
    drive = Drive(tmp_path, FLOOR + 'BmwX5 { controller "driver" }', step_ms=10)
    headings: list[float] = []

    def watch(sim: sb.Sim) -> None:
        headings.append(heading(sim["vehicle"].orientation))

    sim = drive.run(DRIVER.format(angle=0.2), 6, watch, prelude="")
    turn = np.unwrap(headings)
    rate = (turn[-1] - turn[-101]) / 1.0
    speed = float(np.linalg.norm(sim["vehicle"].linear_velocity[:2]))
    assert rate == pytest.approx(-speed * np.tan(0.2) / CARS["BmwX5"], rel=0.1)


@pytest.mark.slow
def test_car_brakes(tmp_path: Path) -> None:
    """Ten seconds after 18 km/h with full brakes it stands."""
    drive = Drive(tmp_path, FLOOR + 'ToyotaPrius { controller "driver" }', step_ms=10)
    sim = drive.run(
        """
        from vehicle import Driver
        driver = Driver()
        driver.setCruisingSpeed(18)
        while driver.step() != -1:
            if driver.getTime() > 4:
                driver.setCruisingSpeed(0)
                driver.setBrakeIntensity(1)
        """,
        12,
        prelude="",
    )
    assert np.linalg.norm(sim["vehicle"].linear_velocity) < 0.1
    assert sim["vehicle"].position[0] > 5


PARKED = {
    "BmwX5Simple": 0.374,
    "BusSimple": 0.5,
    "CitroenCZeroSimple": 0.285,
    "MotorbikeSimple": 0.3,
    "ScooterSimple": 0.23,
    "TeslaModel3Simple": 0.36,
    "TruckSimple": 0.5,
}
"""PROTO -> the radius of its wheels [m], as its head says."""


@pytest.mark.slow
@pytest.mark.parametrize("proto", PARKED)
def test_parked_vehicles_stand_on_their_wheels(tmp_path: Path, proto: str) -> None:
    """Worlds put the frame into the rear axle, a wheel's radius above the road."""
    scene, log = load_world(write_world(tmp_path, f"{proto} {{ wheelBoundingObject TRUE }}"))
    assert complaints(log) == []
    _, *links = scene.links()
    wheels = {
        (shape.geometry.radius, round(link.pose.position[2], 9))  # in the frame of the vehicle
        for link in links
        for shape in link.shapes
        if shape.role is ShapeRole.COLLISION and isinstance(shape.geometry, GeometryCylinder)
    }
    assert wheels == {(PARKED[proto], 0.0)}


def test_radar_sees_parked_vehicles(tmp_path: Path) -> None:
    """They have the cross-section of a car, 100 m^2."""
    robot = 'Robot { name "eye" controller "driver" children [ Radar { name "radar" } ] }'
    nodes = FLOOR + "BmwX5Simple { translation 20 0 0.4 }" + robot
    Drive(tmp_path, nodes).run(
        """
        (radar,) = sensors("radar")
        while robot.step(step) != -1:
            if robot.getTime() > 0.3 and radar.getNumberOfTargets() != 1:
                raise ValueError(f"sees {radar.getNumberOfTargets()}")
        """,
        0.5,
    )


def test_supervisors_turn_the_wheels_of_parked_vehicles(tmp_path: Path) -> None:
    """As traffic from SUMO does, by a hidden field: 2 rad/s make 1 rad in half a second."""
    nodes = 'DEF CAR BmwX5Simple { } Robot { name "boss" supervisor TRUE controller "driver" }'
    sim = Drive(tmp_path, nodes).run(
        """
        from controller import Supervisor
        boss = Supervisor()
        speed = boss.getFromDef("CAR").getField("frontRightWheelAngularVelocity")
        speed.setSFVec3f([0, 2, 0])
        while boss.step(16) != -1:
            pass
        """,
        0.5,
        prelude="",
    )
    w, _, y, _ = sim["front right wheel"].orientation
    assert 2 * np.arctan2(y, w) == pytest.approx(1, abs=2 * 2 * 0.016)  # two steps of delay


OWN_CAR = """
Car {
  controller "driver" trackFront 1.4 trackRear 1.4 wheelbase 2.5 type "propulsion" time0To100 8
  wheelFrontRight VehicleWheel { name "a" tireRadius 0.3 thickness 0.2 }
  wheelFrontLeft VehicleWheel { name "b" tireRadius 0.3 thickness 0.2 wheelSide TRUE }
  wheelRearRight VehicleWheel { name "c" tireRadius 0.3 thickness 0.2 }
  wheelRearLeft VehicleWheel { name "d" tireRadius 0.3 thickness 0.2 wheelSide TRUE }
  boundingObject Pose { translation 1.25 0 0.4 children [ Box { size 3.5 1.1 0.6 } ] }
  physics Physics { density -1 mass 1000 centerOfMass [ 1.25 0 0.1 ] }
}
"""


def test_cars_of_users_drive_on_the_abstract_ones(tmp_path: Path) -> None:
    """A Car that a project dresses itself: the library finds its motors, radii and lights."""
    drive = Drive(tmp_path, FLOOR + OWN_CAR, step_ms=10)
    names = {bound.device.name for bound in drive.sim.devices.devices}
    assert {"front_lights", "brake_ligths", "left_indicators", "engine_speaker"} <= names
    sim = drive.run(DRIVER.format(angle=0), 6, prelude="")
    assert sim["vehicle"].linear_velocity[0] == pytest.approx(5, rel=0.03)
    assert abs(sim["vehicle"].position[1]) < 0.1


def test_wheels_of_standard_cars_tell_cars_of_users_their_radius(tmp_path: Path) -> None:
    """The library turns a speed into one of the wheels by it: 18 km/h are 5 m/s within 3 %."""
    nodes = OWN_CAR
    for name, kind in zip(
        "abcd", ("FrontWheel", "FrontWheel", "RearWheel", "RearWheel"), strict=True
    ):
        tyre = f'VehicleWheel {{ name "{name}" tireRadius 0.3 thickness 0.2'
        mass = "physics Physics { density -1 mass 15 }"
        nodes = nodes.replace(tyre, f'CitroenCZero{kind} {{ name "{name}" {mass}')
    sim = Drive(tmp_path, FLOOR + nodes, step_ms=10).run(DRIVER.format(angle=0), 6, prelude="")
    assert sim["vehicle"].linear_velocity[0] == pytest.approx(5, rel=0.03)


def test_altino_sees_walls_and_drives(tmp_path: Path) -> None:
    """Its eye reads 1023·(1 - d/0.6) at d metres from a wall; at 0.3 m/s it has come 1.5 m in 5 s."""
    wall = """
    Solid { translation 2 0 0 name "wall" boundingObject DEF WALL Box { size 0.1 4 1 }
      children [ Shape { appearance PBRAppearance { } geometry USE WALL } ] }
    """
    drive = Drive(tmp_path, FLOOR + wall + 'Altino { controller "driver" }', step_ms=10)
    controller = """
    from vehicle import Driver
    driver = Driver()
    eye = driver.getDevice("front_center_sensor")
    eye.enable(10)
    driver.setCruisingSpeed(0.3 * 3.6)
    while driver.step() != -1:
        seen, time = eye.getValue(), driver.getTime()
        far = 1.95 - 0.14 - 0.3 * time
        if time > 1 and far > 0.7 and seen > 0 or far < 0.5 and abs(seen / 1023 - 1 + far / 0.6) > 0.2:
            raise ValueError(f"sees {seen} at {far} m")
    """
    sim = drive.run(controller, 5, prelude="")
    assert sim["vehicle"].position[0] == pytest.approx(1.5, abs=0.15)
