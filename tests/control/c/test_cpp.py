"""Programs in C++: the classes of Webots' C++ API over libController, and cars."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from textwrap import dedent

import pytest

from tests.control.c.programs import INCLUDE, need_c
from tests.control.projects import Project, robot
from tests.control.test_api_vehicle import CAR, DATA

CPP = INCLUDE.with_name("cpp")
HEADERS = sorted(path.relative_to(CPP).as_posix() for path in (CPP / "webots").rglob("*.hpp"))


def cpp_compiler() -> str:
    """Return the C++ compiler; skips the test where there is none."""
    need_c()
    found = shutil.which("c++") or shutil.which("g++")
    if found is None:
        pytest.skip("no C++ compiler on this machine")
    return found


@pytest.fixture(autouse=True)
def compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the C++ compiler, and keep objects in a folder of the test's own."""
    monkeypatch.setenv("SOLIDBODY_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("WEBOTS_HOME", raising=False)
    return cpp_compiler()


def _run(
    tmp_path: Path, text: str, nodes: str, *, seconds: float = 0.3, ending: str = "cpp"
) -> Project:
    home = tmp_path / "controllers" / "exercise"
    home.mkdir(parents=True, exist_ok=True)
    (home / f"exercise.{ending}").write_text(dedent(text))
    project = Project(tmp_path)
    project.run(nodes, seconds)
    assert [level for level, _ in project.said] in ([], ["info"]), project.said
    return project


@pytest.mark.slow
def test_each_header_stands_alone(tmp_path: Path, compiler: str) -> None:
    """Also in C++11, without a warning."""
    assert len(HEADERS) > 35
    lines = [f"#include <{header}>\n" for header in HEADERS]
    flags = ["-std=c++11", "-Wall", "-Wextra", "-Werror", f"-I{CPP}", "-fsyntax-only"]
    for number, text in enumerate([*lines[::6], "".join(lines), "".join(reversed(lines))]):
        source = tmp_path / f"{number}.cpp"
        source.write_text(text)
        subprocess.run([compiler, *flags, str(source)], check=True)


@pytest.mark.slow
def test_a_class_that_derives_from_robot(tmp_path: Path) -> None:
    """Old getters, getDevice, devices of one joint that know each other, devices of the program's own."""
    program = """
    #include <iostream>
    #include <webots/Motor.hpp>
    #include <webots/PositionSensor.hpp>
    #include <webots/Robot.hpp>
    using namespace webots;

    class Loud : public Motor {
    public:
      explicit Loud(const std::string &name) : Motor(name) {}
      virtual void setVelocity(double velocity) {
        std::cout << "velocity " << velocity << std::endl;
        Motor::setVelocity(velocity);
      }
    };

    class Mine : public Robot {
    public:
      Mine() : motor(getMotor("motor")), sensor(static_cast<PositionSensor *>(getDevice("position"))) {}
      void run() {
        const int period = static_cast<int>(getBasicTimeStep());
        sensor->enable(period);
        motor->setPosition(INFINITY);
        motor->setVelocity(1.0);
        while (getTime() < 0.2 && step(period) != -1) {
        }
        std::cout << (sensor->getValue() > 0.1) << (motor->getPositionSensor() == sensor)
                  << (sensor->getMotor() == motor) << (getMotor("position") == NULL)
                  << (motor->getType() == Motor::ROTATIONAL) << std::endl;
        std::cout << getName() << " " << getNumberOfDevices() << " " << motor->getName() << std::endl;
      }

    protected:
      virtual Motor *createMotor(const std::string &name) const { return new Loud(name); }  // until R2023a
      PositionSensor *createPositionSensor(WbDeviceTag tag) const override {
        std::cout << "sensor " << tag << std::endl;
        return new PositionSensor(tag);
      }

    private:
      Motor *motor;
      PositionSensor *sensor;
    };

    int main() {
      Mine mine;
      mine.run();
      return 0;
    }
    """
    project = _run(tmp_path, program, robot("exercise"))
    assert project.output() == ["sensor 2", "velocity 1", "11111", "robot 2 motor"], project.lines


@pytest.mark.slow
def test_servos_and_keys_of_old_programs(tmp_path: Path) -> None:
    """What programs of before release 8.5 call."""
    program = """
    #include <iostream>
    #include <webots/Robot.hpp>
    #include <webots/Servo.hpp>
    using namespace webots;

    class Mine : public Robot {
    public:
      Mine() {
        Servo *servo = getServo("motor");
        keyboardEnable(8);
        servo->enablePosition(8);
        servo->setMotorForce(100.0);
        servo->setVelocity(1.0);
        servo->setPosition(INFINITY);
        for (int k = 0; k < 20; k++) step(8);
        std::cout << (servo->getPosition() > 0.1) << servo->getPositionSamplingPeriod() << " "
                  << keyboardGetKey() << " " << KEYBOARD_UP << " " << Robot::KEYBOARD_SHIFT << std::endl;
        keyboardDisable();
      }
    };

    int main() {
      Mine mine;
      return 0;
    }
    """
    project = _run(tmp_path, program, robot("exercise"))
    assert project.output() == ["18 0 315 65536"], project.lines


@pytest.mark.slow
def test_a_supervisor(tmp_path: Path) -> None:
    """Nodes and fields are the same objects each time they are asked for."""
    program = """
    #include <iostream>
    #include <webots/Supervisor.hpp>
    using namespace webots;

    int main(int argc, char **argv) {
      Supervisor *supervisor = Supervisor::getSupervisorInstance();
      Node *box = supervisor->getFromDef("BOX");
      Field *place = box->getField("translation");
      const double there[3] = {1, 2, 3};
      place->setSFVec3f(there);
      supervisor->step(8);
      std::cout << box->getTypeName() << " " << (box->getType() == Node::SOLID) << " "
                << (place->getType() == Field::SF_VEC3F) << " " << box->getPosition()[2] << " "
                << (place == box->getField("translation")) << (supervisor->getFromDef("NONE") == NULL)
                << " " << supervisor->getSelf()->getField("name")->getSFString() << std::endl;
      supervisor->getRoot()->getField("children")->importMFNodeFromString(-1, "DEF NEW Group { }");
      std::cout << supervisor->getFromDef("NEW")->getTypeName() << std::endl;
      supervisor->setLabel(0, "text", 0, 0, 0.1, 0xff0000);
      std::cout << (supervisor == Supervisor::getSupervisorInstance()) << std::endl;
      delete supervisor;
      return 0;
    }
    """
    nodes = robot("exercise", fields="supervisor TRUE") + "DEF BOX Solid { }"
    project = _run(tmp_path, program, nodes)
    assert project.output() == ["Solid 1 1 3 11 robot", "Group", "1"], project.lines


CAR_ROBOT = (
    f'Robot {{ controller "exercise" customData "{DATA}" supervisor TRUE children [ {CAR} ] }}'
)

DRIVE = {
    "py": """
    from vehicle import Driver
    car = Driver()
    car.setSteeringAngle(0.2)
    car.setCruisingSpeed(20)
    for i in range(20):
        car.step()
        if i == 10:
            car.setGear(1)
            car.setThrottle(0.5)
        if i == 15:
            car.setBrakeIntensity(0.5)
    print("%.17g %.17g %.17g" % (car.getCurrentSpeed(), car.getSteeringAngle(), car.getRpm()))
    """,
    "c": """
    #include <stdio.h>
    #include <webots/vehicle/driver.h>
    int main() {
      wbu_driver_init();
      wbu_driver_set_steering_angle(0.2);
      wbu_driver_set_cruising_speed(20);
      for (int i = 0; i < 20; i++) {
        wbu_driver_step();
        if (i == 10) {
          wbu_driver_set_gear(1);
          wbu_driver_set_throttle(0.5);
        }
        if (i == 15)
          wbu_driver_set_brake_intensity(0.5);
      }
      printf("%.17g %.17g %.17g\\n", wbu_driver_get_current_speed(), wbu_driver_get_steering_angle(),
             wbu_driver_get_rpm());
      wbu_driver_cleanup();
      return 0;
    }
    """,
    "cpp": """
    #include <cstdio>
    #include <webots/vehicle/Car.hpp>
    int main() {
      webots::Car car;
      car.setSteeringAngle(0.2);
      car.setCruisingSpeed(20);
      for (int i = 0; i < 20; i++) {
        car.step();
        if (i == 10) {
          car.setGear(1);
          car.setThrottle(0.5);
        }
        if (i == 15)
          car.setBrakeIntensity(0.5);
      }
      std::printf("%.17g %.17g %.17g\\n", car.getCurrentSpeed(), car.getSteeringAngle(), car.getRpm());
      if (!webots::Driver::isInitialisationPossible() || webots::Driver::getDriverInstance() != &car)
        return 2;
      return car.getWheelbase() == 2.0 && car.getType() == webots::Car::TRACTION ? 0 : 1;
    }
    """,
}


@pytest.mark.slow
def test_cars_drive_as_in_python(tmp_path: Path) -> None:
    """The same commands give the same numbers, to the last digit, in Python, C and C++."""
    said = {
        ending: _run(tmp_path / ending, text, CAR_ROBOT, ending=ending).output()[-1]
        for ending, text in DRIVE.items()
    }
    assert said["c"] == said["py"]
    assert said["cpp"] == said["py"]
    assert float(said["py"].split()[0]) > 1.0
