"""Cars and their drivers, on robots with the device names of Webots' Car PROTO."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from tests.control.projects import Project

WHEELBASE, TRACK, RADIUS = 2.0, 1.2, 0.3
ENGINE = "250 50000 1000 4500 150 0.1 0 0.25 3000 1000"
DATA = f"{WHEELBASE} {TRACK} {TRACK} {RADIUS} {RADIUS} 500 5 C {ENGINE} 3 4 -12 10 4 none"
"""Dimensions, brakes, engine, three gear ratios and a sound, as the PROTO writes them."""

WHEEL = """endPoint Solid {{ name "{name} wheel" translation {x} {y} 0.3 rotation 1 0 0 1.5708
  children [ ] boundingObject Cylinder {{ radius 0.3 height 0.2 }}
  physics Physics {{ density -1 mass 20 }} }}"""


def front(side: str, y: float) -> str:
    """Return a wheel that is steered and driven."""
    place = f"anchor {WHEELBASE} {y} 0.3"
    return f"""Hinge2Joint {{
      jointParameters HingeJointParameters {{ axis 0 0 -1 {place} }}
      jointParameters2 JointParameters {{ axis 0 1 0 }}
      device [ RotationalMotor {{ name "{side}_steer" maxTorque 10000 }}
        PositionSensor {{ name "{side}_steer_sensor" }} ]
      device2 [ RotationalMotor {{ name "{side}_front_wheel" maxTorque 1000 maxVelocity 300 }}
        PositionSensor {{ name "{side}_front_sensor" }} Brake {{ name "{side}_front_brake" }} ]
      {WHEEL.format(name=side + " front", x=WHEELBASE, y=y)} }}"""


def rear(side: str, y: float) -> str:
    """Return a wheel that rolls along."""
    return f"""HingeJoint {{
      jointParameters HingeJointParameters {{ axis 0 1 0 anchor 0 {y} 0.3 }}
      device [ PositionSensor {{ name "{side}_rear_sensor" }} Brake {{ name "{side}_rear_brake" }} ]
      {WHEEL.format(name=side + " rear", x=0, y=y)} }}"""


LEDS = (
    "front_lights",
    "rear_lights",
    "antifog_lights",
    "backwards_lights",
    "brake_lights",
    "right_indicators",
    "left_indicators",
)
CAR = "".join(
    [
        front("right", -TRACK / 2),
        front("left", TRACK / 2),
        rear("right", -TRACK / 2),
        rear("left", TRACK / 2),
        *(f'LED {{ name "{name}" }} ' for name in LEDS),
        'Speaker { name "engine_speaker" }',
    ]
)
WORLD = """
Solid { name "floor" boundingObject Plane { size 1000 1000 } locked TRUE }
Robot { name "robot" controller "exercise" customData "%s" children [ %s
    Transform { translation 1 0 0.6 children [ Shape { geometry Box { size 2 1 0.2 } } ] } ]
  boundingObject Transform { translation 1 0 0.6 children [ Box { size 2 1 0.2 } ] }
  physics Physics { density -1 mass 1000 centerOfMass [ 1 0 0.4 ] } }
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def drive(project: Project, body: str, data: str = DATA) -> dict[str, object]:
    """Run a controller of the car alone; return what it has put into `out`."""
    return project.exercise(body, world=WORLD % (data, CAR), robot_class="None", seconds=8.0)


def test_a_car_knows_its_dimensions(project: Project) -> None:
    """From customData, where the PROTO writes them."""
    out = drive(
        project,
        """
        from vehicle import Car
        car = Car()
        out["facts"] = [car.getType() == Car.TRACTION, car.getEngineType() == Car.COMBUSTION_ENGINE,
            car.getTrackFront(), car.getTrackRear(), car.getWheelbase(), car.getFrontWheelRadius(),
            car.getRearWheelRadius(), car.getIndicatorPeriod()]
        out["properties"] = [car.type, car.engine_type, car.track_front, car.track_rear,
            car.wheelbase, car.front_wheel_radius, car.rear_wheel_radius, car.indicator_period]
        car.setIndicatorPeriod(0.5)
        out["period"] = car.getIndicatorPeriod()
        out["lights"] = [car.getBackwardsLights(), car.getBrakeLights()]
        car.enableLimitedSlipDifferential(False)
        car.enableIndicatorAutoDisabling(False)
        car.setRightSteeringAngle(0.1)
        car.setLeftSteeringAngle(0.2)
        for _ in range(125):
            car.step()
        out["angles"] = [car.getRightSteeringAngle(), car.getLeftSteeringAngle()]
        out["wheel"] = [abs(car.getWheelEncoder(Car.WHEEL_FRONT_LEFT)) < 1,
            abs(car.getWheelSpeed(Car.WHEEL_REAR_RIGHT)) < 1]
        """,
    )
    assert out["facts"] == [True, True, TRACK, TRACK, WHEELBASE, RADIUS, RADIUS, 0.34]
    assert out["properties"] == [0, 0, TRACK, TRACK, WHEELBASE, RADIUS, RADIUS, 0.34]
    assert out["period"] == 0.5 and out["lights"] == [False, False]
    # P control at 10/s: after 1 s the error is e^-10, and tyres resist a little
    assert out["angles"] == pytest.approx([0.1, 0.2], abs=2e-3)
    assert out["wheel"] == [True, True]


def test_cruising_steering_and_lights(project: Project) -> None:
    """Both front wheels point at the same centre: cot(right) + w/L = cot(left)."""
    out = drive(
        project,
        """
        from vehicle import Driver
        driver = Driver()
        out["mode"] = driver.getControlMode()
        driver.setCruisingSpeed(18.0)
        driver.setSteeringAngle(0.3)
        driver.setSteeringAngle(float("nan"))
        driver.setIndicator(Driver.INDICATOR_RIGHT)
        driver.setDippedBeams(True)
        driver.setAntifogLights(True)
        driver.setWiperMode(Driver.FAST)
        driver.setWiperMode("SLOW")
        for _ in range(250):
            driver.step()
        out["speed"] = [driver.getCurrentSpeed(), driver.getTargetCruisingSpeed()]
        out["angle"] = driver.getSteeringAngle()
        right, left = (driver.getDevice(s + "_steer_sensor").getValue() for s in ("right", "left"))
        out["cot"] = 1 / math.tan(left) - 1 / math.tan(right)
        wheels = [driver.getDevice(s + "_front_wheel").getVelocity() for s in ("right", "left")]
        out["inner is slower"] = wheels[0] < wheels[1]
        out["mean"] = sum(wheels) / 2
        out["state"] = [driver.getControlMode() == Driver.SPEED, driver.getIndicator(),
            driver.getDippedBeams(), driver.getAntifogLights(), driver.getWiperMode(),
            driver.getHazardFlashers()]
        out["engine"] = [driver.getRpm(), driver.getGear()]
        driver.setSteeringAngle(0.0)
        out["indicator"] = driver.getIndicator()
        driver.setHazardFlashers(True)
        driver.step()
        out["hazard"] = driver.getHazardFlashers()
        driver.setCruisingSpeed(-5.0)
        driver.step()
        out["backwards"] = driver.getDevice("backwards_lights").get()
        """,
    )
    assert out["mode"] is None
    speed, target = out["speed"]  # type: ignore[misc]
    assert target == 18 and speed == pytest.approx(18, rel=0.05)
    assert out["cot"] == pytest.approx(TRACK / WHEELBASE, rel=0.05)
    assert out["angle"] == pytest.approx(0.3, abs=0.02)
    assert out["inner is slower"] and out["mean"] == pytest.approx(5 / RADIUS, rel=1e-6)
    # a car without wiper motors has no wipers
    assert out["state"] == [True, 1, True, True, 0, False]
    assert out["engine"] == [0, 0]
    assert out["indicator"] == 0, "it goes off when the wheel turns back"
    assert out["hazard"] is True and out["backwards"] == 1
    errors = "\n".join(project.errors())
    assert "Driver.getRpm() means nothing while the car drives at a cruising speed" in errors
    assert "Driver.setSteeringAngle() called with NaN" in errors
    assert "setWiperMode(): 'SLOW' is none of DOWN, SLOW, NORMAL, FAST" in errors


def test_throttle_gears_and_brakes(project: Project) -> None:
    """The engine speeds the car up, brakes stop it, their light is on meanwhile."""
    out = drive(
        project,
        """
        from vehicle import Driver
        driver = Driver()
        driver.setGear(9)
        driver.setGear(-5)
        out["reverse"] = driver.getGear()
        driver.setGear(1)
        driver.setThrottle(2.0)
        driver.throttle = 1.0
        out["facts"] = [driver.getGear(), driver.getGearNumber(), driver.getThrottle()]
        for _ in range(250):
            driver.step()
        out["speed"], out["rpm"] = driver.getCurrentSpeed(), driver.getRpm()
        out["mode"] = driver.getControlMode() == Driver.TORQUE
        driver.setThrottle(0.0)
        driver.setGear(0)
        driver.setBrakeIntensity(1.0)
        out["light"] = driver.getDevice("brake_lights").get()
        for _ in range(250):
            driver.step()
        out["stopped"] = driver.getCurrentSpeed()
        driver.setBrakeIntensity(-1.0)
        out["brake"] = [driver.getBrakeIntensity(), driver.getBrake(),
            driver.getDevice("brake_lights").get()]
        driver.setBrake(0.5)
        out["again"] = driver.brake_intensity
        """,
    )
    assert out["reverse"] == -1 and out["facts"] == [1, 3, 1]
    speed = out["speed"]
    assert isinstance(speed, float) and speed > 10
    wheel = speed / 3.6 / RADIUS
    # rear wheels, which are not driven, turn a little slower than the front ones
    assert out["rpm"] == pytest.approx(wheel * 10 * 60 / (2 * math.pi), rel=0.1)
    assert out["mode"] is True and out["light"] == 1
    stopped = out["stopped"]
    assert isinstance(stopped, float) and stopped < 0.5 * speed
    assert out["brake"] == [0, 0, 0] and out["again"] == 0.5
    errors = "\n".join(project.errors())
    for text in (
        "this car has only 2 gears",
        "Minimum gear value is -1",
        "'throttle' should be smaller or equal to 1, used 1 instead",
        "'intensity' should be bigger or equal to 0, used 0 instead",
        "Driver.setBrake() is deprecated",
    ):
        assert text in errors


def test_other_robots_cannot_be_driven_as_cars(project: Project) -> None:
    """The program ends with a message."""
    project.controller("exercise", "from vehicle import Driver\nDriver()")
    sim, hub = project.start(WORLD % ("no car", CAR))
    sim.step(5)
    hub.close()
    assert "Only nodes based on the 'Car' node can use the car library" in hub.failures[0]
