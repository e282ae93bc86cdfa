"""Cars in C: each function of the vehicle library says and does what that of Python does."""

# ruff: noqa: E501 - rows of two programs

from __future__ import annotations

from pathlib import Path

import pytest

from tests.control.c.programs import write_c
from tests.control.c.twins import Start, compare
from tests.control.projects import Project, robot
from tests.control.test_api_vehicle import CAR, DATA, WORLD

WIPERS = "".join(
    f"""HingeJoint {{ jointParameters HingeJointParameters {{ }}
      device [ RotationalMotor {{ name "{side}_wiper_motor" minPosition 0 maxPosition 1.5 }} {sensor} ]
      endPoint Solid {{ name "{side} wiper" }} }}"""
    for side, sensor in (("right", 'PositionSensor { name "wiper_sensor" }'), ("left", ""))
)
DRIVER = Start(
    "wbu_driver_init();",
    "wbu_driver_step()",
    "wbu_driver_cleanup();",
    "driver = Driver(); car = Car.__new__(Car); car.__dict__ = driver.__dict__",
    "driver.step()",
)
"""In Python a second name gives the robot the methods of the other class."""

FACTS = """wbu_car_get_type wbu_car_get_engine_type wbu_car_get_track_front wbu_car_get_track_rear
  wbu_car_get_wheelbase wbu_car_get_front_wheel_radius wbu_car_get_rear_wheel_radius wbu_car_get_indicator_period"""
STATE = """wbu_driver_get_steering_angle wbu_driver_get_target_cruising_speed wbu_driver_get_current_speed
  wbu_driver_get_throttle wbu_driver_get_brake_intensity wbu_driver_get_indicator wbu_driver_get_hazard_flashers
  wbu_driver_get_dipped_beams wbu_driver_get_antifog_lights wbu_driver_get_wiper_mode wbu_driver_get_gear_number
  wbu_driver_get_gear wbu_driver_get_rpm wbu_car_get_right_steering_angle wbu_car_get_left_steering_angle
  wbu_car_get_backwards_lights wbu_car_get_brake_lights"""
WHEELS = {0: "WBU_CAR_WHEEL_FRONT_RIGHT", 3: "WBU_CAR_WHEEL_REAR_LEFT"}


def python(function: str) -> str:
    """Return how Python calls a function: `car.getTrackFront` is wbu_car_get_track_front."""
    _, of, *words = function.split("_")
    return f"{of}.{words[0]}{''.join(word.title() for word in words[1:])}"


def getters(functions: str) -> str:
    """Return rows of getters without arguments."""
    return "".join(f"n {name}() | {python(name)}()\n" for name in functions.split())


def setters(**values: object) -> str:
    """Return rows of setters with one argument."""
    return "".join(
        f"- {name}({int(value) if isinstance(value, bool) else value}) | {python(name)}({value})\n"
        for name, value in values.items()
    )


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """An empty project."""
    return Project(tmp_path)


def test_all_functions_of_cars_are_those_of_python(project: Project) -> None:
    """A drive with everything that can be set, and all getters on the way."""
    look = getters(STATE) + "n wb_motor_get_target_position(wiper) | wiper.getTargetPosition()\n"
    for number, word in WHEELS.items():
        look += f"n wbu_car_get_wheel_encoder({word}) | car.getWheelEncoder({number})\n"
        look += f"n wbu_car_get_wheel_speed({word}) | car.getWheelSpeed({number})\n"
    mode = "i wbu_driver_get_control_mode() | driver.getControlMode()\n"
    rows = """
    - WbDeviceTag wiper = wb_robot_get_device("left_wiper_motor") | wiper = driver.getDevice("left_wiper_motor")
    b wbu_driver_get_control_mode() == UNDEFINED_CONTROL_MODE | driver.getControlMode() is None
    b wbu_driver_initialization_is_possible() | True
    """
    rows += getters(FACTS) + setters(
        wbu_driver_set_steering_angle=0.2, wbu_driver_set_cruising_speed=15, wbu_driver_set_indicator=1,
        wbu_driver_set_dipped_beams=True, wbu_driver_set_antifog_lights=True, wbu_driver_set_wiper_mode=3,
    )  # fmt: skip
    rows += "step 30\n" + look + mode
    rows += setters(
        wbu_driver_set_steering_angle=-0.05, wbu_driver_set_hazard_flashers=True, wbu_driver_set_wiper_mode=0,
        wbu_driver_set_gear=1, wbu_driver_set_throttle=0.8, wbu_car_set_indicator_period=0.04,
    )  # fmt: skip
    rows += "step 20\n" + look + setters(wbu_car_enable_limited_slip_differential=False)
    rows += "step 30\n" + look + mode + getters(FACTS)
    rows += setters(
        wbu_driver_set_indicator=2, wbu_car_enable_indicator_auto_disabling=False,
        wbu_driver_set_steering_angle=0.3, wbu_driver_set_brake_intensity=0.6, wbu_driver_set_gear=-1,
        wbu_driver_set_throttle=0.1,
    )  # fmt: skip
    rows += "step 20\n" + look
    rows += setters(wbu_car_set_right_steering_angle=0.1, wbu_car_set_left_steering_angle=0.12)
    rows += """
    - wbu_driver_set_wipers_mode(SLOW) | driver.setWiperMode(Driver.SLOW)
    i wbu_driver_get_wipers_mode() | driver.getWiperMode()
    - wbu_driver_set_brake(0.25) | driver.setBrake(0.25)
    n wbu_driver_get_brake() | driver.getBrake()
    """
    rows += "step 20\n" + look
    car = (WORLD % (DATA, CAR + WIPERS)).replace('name "robot"', 'name "robot" supervisor TRUE')
    said = compare(project, rows, start=DRIVER, world=car, seconds=1.5)
    values = dict(line.split(" = ") for line in said[:-1])
    assert len(said) > 100
    speeds = [float(v) for k, v in values.items() if "getCurrentSpeed" in k]
    assert speeds[0] > 5.0 and len(set(speeds)) == 5


def test_cars_that_are_none(project: Project) -> None:
    """Every function says that there is no car yet; `init` ends the program."""
    write_c(
        project,
        """
        int main(void) {
          wbu_driver_set_throttle(1.0);
          printf("%g ", wbu_car_get_wheelbase());
          printf("%d\\n", wbu_driver_get_control_mode() == UNDEFINED_CONTROL_MODE);
          printf("%d\\n", wbu_driver_initialization_is_possible());
          wbu_car_cleanup();
          wbu_car_init();
          puts("never");
        }
        """,
    )
    project.run(robot("exercise"), 0.1)
    assert project.output() == ["nan 1", "0"]
    assert project.errors() == [
        *(
            f"Error: {name}() called before wbu_car_init() or wbu_driver_init()"
            for name in ("wbu_driver_set_throttle", "wbu_car_get_wheelbase", "wbu_driver_get_control_mode")
        ),
        "Error: Only nodes based on the 'Car' node can use the car library.",
    ]  # fmt: skip
