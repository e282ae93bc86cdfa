"""What a robot knows of itself, and calls of old controllers."""

from __future__ import annotations

import math
from pathlib import Path
from xml.etree import ElementTree

import pytest

import solidbody as sb
from solidbody.control.hub import ControllerHub
from tests.control.projects import Project

ROBOT_FIELDS = 'model "rover" customData "first" battery [ 10 20 5 ]'


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_a_robot_knows_itself(project: Project) -> None:
    """By methods and by properties."""
    out = project.exercise(
        """
        out["facts"] = [robot.getName(), robot.getModel(), robot.getTime(),
            robot.getBasicTimeStep(), robot.getSupervisor(), robot.getSynchronization(),
            robot.getCustomData(), robot.getMode() == Robot.MODE_SIMULATION,
            robot.getNumberOfDevices()]
        out["properties"] = [robot.name, robot.model, robot.time, robot.basic_time_step,
            robot.supervisor, robot.synchronization, robot.custom_data,
            robot.mode == Robot.MODE_SIMULATION, robot.number_of_devices]
        out["paths"] = [robot.getProjectPath() == robot.project_path,
            robot.getWorldPath() == robot.world_path, robot.world_path]
        out["devices"] = [robot.getDeviceByIndex(i).getName() for i in range(2)]
        out["tags"] = [robot.getDeviceByIndex(i).tag for i in range(2)]
        out["none"] = [robot.getDeviceByIndex(7), robot.getDevice("mottor")]
        robot.setCustomData("second")
        robot.step()
        out["then"] = [robot.custom_data, robot.getTime()]
        robot.setMode(Robot.MODE_REMOTE_CONTROL, "")
        second = Robot()
        out["second"] = [second.step(8), second.getTime(), robot.getTime(),
            second.getDevice("motor") is robot.getDevice("motor")]
        out["controller"] = robot.getController()
        """,
        fields=ROBOT_FIELDS,
    )
    assert (
        out["facts"] == out["properties"] == ["robot", "rover", 0, 8, False, True, "first", True, 2]
    )
    assert out["paths"] == [True, True, str(project.folder / "worlds" / "world.wbt")]
    assert (out["devices"], out["tags"]) == (["motor", "position"], [1, 2])
    assert out["none"] == [None, None]
    assert out["then"] == ["second", 0.008]
    assert out["second"] == [0, 0.016, 0.016, True], "a second name for the one robot"
    assert out["controller"] == "exercise"
    errors = "\n".join(project.errors())
    assert "Only one instance of the Robot class should be created" in errors
    assert '"mottor" device not found on robot "robot"; did you mean "motor"?' in errors
    assert "the robot has 2 devices, counted from 0" in errors
    assert "only the simulation is supported" in errors


TREE = """
Gyro { name "a" }
Solid { name "box" children [ GPS { name "b" } ] }
HingeJoint { device [ RotationalMotor { name "c" } PositionSensor { name "d" } ]
  endPoint Solid { name "w" translation 1 0 0 children [ Compass { name "e" } ]
    boundingObject Sphere { radius 0.1 } physics Physics { } } }
Altimeter { name "f" }
"""


@pytest.mark.parametrize(
    "physics", ["", "boundingObject Sphere { radius 0.1 } physics Physics { }"]
)
def test_devices_are_in_the_order_of_the_scene_tree(project: Project, physics: str) -> None:
    """Those of a joint and of what hangs on it come between their neighbours."""
    out = project.exercise(
        'out["names"] = [robot.getDeviceByIndex(i).name for i in range(robot.getNumberOfDevices())]',
        devices=TREE,
        fields=physics,
    )
    assert out["names"] == ["motor", "position", "a", "b", "c", "d", "e", "f"]


def test_begin_and_end_of_a_step_overlap_with_the_simulation(project: Project) -> None:
    """What was commanded before `stepBegin` counts, and no call may ask the simulator in between."""
    out = project.exercise(
        """
        motor, sensor = robot.getDevice("motor"), robot.getDevice("position")
        sensor.enable(8)
        motor.setPosition(float("inf"))
        motor.setVelocity(1.0)
        out["begin"] = robot.stepBegin(8)
        out["twice"] = robot.stepBegin(8)
        out["between"] = [robot.getUrdf(), robot.getTime()]
        out["end"] = robot.stepEnd()
        out["after"] = [robot.getTime(), sensor.getValue()]
        out["again"] = robot.stepEnd()
        """
    )
    assert (out["begin"], out["twice"], out["end"], out["again"]) == (0, -1, 0, -1)
    assert out["between"] == ["", 0]
    assert out["after"] == [0.008, pytest.approx(0.008, rel=1e-3)]
    errors = "\n".join(project.errors())
    assert "Robot.stepBegin() called twice" in errors
    assert "between stepBegin() and stepEnd(): RobotUrdf" in errors
    assert "Robot.stepEnd() called before stepBegin()" in errors


def test_batteries_are_read_every_so_often(project: Project) -> None:
    """Not a number before the first sample."""
    out = project.exercise(
        """
        out["off"] = [robot.batterySensorGetValue(), robot.batterySensorGetSamplingPeriod()]
        robot.batterySensorEnable(16)
        robot.step(8)
        out["before"] = robot.batterySensorGetValue()
        robot.step(8)
        out["value"] = robot.batterySensorGetValue()
        out["period"] = [robot.batterySensorGetSamplingPeriod(),
            robot.battery_sensor_sampling_period]
        robot.batterySensorDisable()
        out["over"] = robot.batterySensorGetSamplingPeriod()
        """,
        fields=ROBOT_FIELDS,
    )
    assert math.isnan(out["off"][0]) and math.isnan(out["before"])
    # 10 J, less at most what 10 W of the processor take in 16 ms
    assert 10 - 10 * 0.016 - 1e-9 <= out["value"] <= 10
    assert (out["period"], out["over"]) == ([16, 16], 0)
    assert "call batterySensorEnable() first" in "\n".join(project.errors())


def test_without_a_battery_its_sensor_reads_minus_one(project: Project) -> None:
    out = project.exercise(
        """
        robot.batterySensorEnable(8)
        robot.step(8)
        out["value"] = robot.batterySensorGetValue()
        """
    )
    assert out == {"value": -1.0}


def test_a_robot_as_urdf(project: Project) -> None:
    """Links, joints with their motors' names and limits, masses; a prefix before every name."""
    out = project.exercise(
        'out["urdf"], out["prefixed"] = robot.getUrdf(), robot.getUrdf("my_")',
        devices="""
        GPS { name "gps" translation 0 0 1 }
        HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 anchor 1 0 0 position 0.5
            minStop -1 maxStop 2 }
          device [ RotationalMotor { name "elbow" maxTorque 7 maxVelocity 3 } ]
          endPoint Solid { name "fore arm" translation 1.5 0 0 rotation 0 0 1 0.5
            boundingObject Box { size 0.2 0.1 0.1 } physics Physics { density -1 mass 3 } } }
        """,
    )
    tree = ElementTree.fromstring(out["urdf"])
    assert tree.tag == "robot" and tree.get("name") == "robot"
    links = [link.get("name") for link in tree.findall("link")]
    assert {"base_link", "gps", "fore arm"} <= set(links)
    joint = next(joint for joint in tree.findall("joint") if joint.get("name") == "elbow")
    assert joint.get("type") == "revolute"
    origin, axis, limit = joint.find("origin"), joint.find("axis"), joint.find("limit")
    assert origin is not None and axis is not None and limit is not None
    assert [float(x) for x in origin.get("xyz", "").split()] == pytest.approx([1, 0, 0])
    # at position 0 the arm is turned back by the 0.5 rad that it starts with
    assert [float(x) for x in origin.get("rpy", "0 0 0").split()] == pytest.approx(
        [0, 0, 0], abs=1e-9
    )
    assert [float(x) for x in axis.get("xyz", "").split()] == pytest.approx([0, 0, 1])
    values = {key: float(value) for key, value in limit.attrib.items()}
    assert values == {"lower": -1, "upper": 2, "effort": 7, "velocity": 3}
    arm = next(link for link in tree.findall("link") if link.get("name") == "fore arm")
    mass, box = arm.find("inertial/mass"), arm.find("collision/geometry/box")
    assert mass is not None and float(mass.get("value", "")) == 3
    assert box is not None and box.get("size") == "0.2 0.1 0.1"
    prefixed = ElementTree.fromstring(out["prefixed"])
    names = [
        node.get("name", "") for node in [*prefixed.findall("link"), *prefixed.findall("joint")]
    ]
    assert all(name.startswith("my_") for name in names)


def test_parts_of_a_urdf_come_in_the_order_of_the_scene_tree(project: Project) -> None:
    """Programs that look for a chain follow the first joint of each link: here the motor, then the pen."""
    hinge = (
        'HingeJoint { device [ RotationalMotor { name "%s" } ] endPoint Solid { name "%s"'
        " physics Physics { density -1 mass 1 } boundingObject Box { size 0.1 0.1 0.1 } children [ %s ] } }"
    )
    out = project.exercise(
        'out["urdf"] = robot.getUrdf()',
        devices='GPS { name "first" }'
        + hinge % ("shoulder", "arm", 'Pen { name "pen" } ' + hinge % ("wrist", "hand", ""))
        + 'Compass { name "last" }',
    )
    joints = [joint.get("name") for joint in ElementTree.fromstring(out["urdf"]).findall("joint")]
    first = "base_link_first_joint"
    assert joints[joints.index(first) :] == [
        first,
        "shoulder",
        "arm_pen_joint",
        "wrist",
        "base_link_last_joint",
    ]


def test_getters_of_one_kind_each_are_deprecated(project: Project) -> None:
    """They say so and do what `getDevice` does."""
    out = project.exercise(
        """
        from controller.kinds import MODULES
        KINDS = [kind.__name__ for kind in MODULES.values()]
        out["found"] = [getattr(robot, "get" + kind)("motor") is robot.getDevice("motor")
            for kind in KINDS]
        out["kinds"] = list(KINDS)
        robot.keyboardEnable(8)
        out["key"] = robot.keyboardGetKey()
        robot.keyboardDisable()
        """
    )
    assert all(out["found"]) and "Camera" in out["kinds"] and "Motor" in out["kinds"]
    assert out["key"] == 0  # and not -1, as Keyboard.getKey
    errors = "\n".join(project.errors())
    for kind in out["kinds"]:
        assert f"Robot.get{kind}() is deprecated, use Robot.getDevice() instead" in errors


def test_servos_of_old_controllers(project: Project) -> None:
    """A motor and its position sensor in one."""
    out = project.exercise(
        """
        servo = robot.getServo("motor")
        servo.enablePosition(8)
        servo.setMotorForce(500.0)
        servo.enableMotorForceFeedback(8)
        servo.setPosition(Servo.INFINITY)
        servo.setVelocity(1.0)
        robot.step(8)
        out["position"] = servo.getPosition()
        out["periods"] = [servo.getPositionSamplingPeriod(),
            servo.getMotorForceFeedbackSamplingPeriod()]
        out["feedback"] = servo.getMotorForceFeedback()
        out["max"] = servo.getMaxVelocity()
        servo.disablePosition()
        servo.disableMotorForceFeedback()
        out["over"] = [servo.getPositionSamplingPeriod(),
            servo.getMotorForceFeedbackSamplingPeriod()]
        out["none"] = robot.getServo("position")
        """
    )
    assert out["position"] == pytest.approx(0.008, rel=1e-3)
    assert (out["periods"], out["over"], out["max"]) == ([8, 8], [0, 0], 100)
    assert isinstance(out["feedback"], float) and out["none"] is None


def test_times_are_those_of_whole_milliseconds(project: Project) -> None:
    """Programs compare them with literals: 51 steps of 8 ms are 0.408 s."""
    out = project.exercise(
        """
        times = []
        while len(times) < 51:
            robot.step(8)
            times.append(robot.getTime())
        out["times"] = times
        """,
        seconds=0.6,
    )
    assert out["times"] == [8 * k / 1000 for k in range(1, 52)]


def test_a_reset_takes_back_what_a_program_has_set(project: Project) -> None:
    """Targets and lamps, not custom data; devices stay enabled and start with their first period."""

    def reset_once(sim: sb.Sim, hub: ControllerHub) -> None:
        if sim.step_count == 6 and not done:
            done.append(True)
            sim.reset()

    done: list[bool] = []
    out = project.exercise(
        """
        motor, sensor, led = (robot.getDevice(name) for name in ("motor", "position", "led"))
        sensor.enable(16)
        motor.setPosition(0.5)
        motor.setVelocity(3.0)
        led.set(1)
        robot.setCustomData("changed")
        while robot.getTime() < 0.03:
            robot.step(8)
        out["set"] = [motor.getTargetPosition(), motor.getVelocity(), led.get(),
            robot.getCustomData(), sensor.getValue() > 0.0]
        before = robot.getTime()
        while robot.getTime() >= before:
            before = robot.getTime()
            robot.step(8)
        out["back"] = [motor.getTargetPosition(), motor.getVelocity(), led.get(),
            robot.getCustomData(), sensor.getValue() != sensor.getValue(),
            sensor.getSamplingPeriod()]
        robot.step(8)
        out["sampled"] = sensor.getValue()
        """,
        devices='LED { name "led" }',
        fields=ROBOT_FIELDS,
        beside=reset_once,
    )
    assert out["set"] == [0.5, 3, 1, "changed", True]
    assert out["back"] == [0, 100, 0, "changed", True, 16]
    # the motor holds its first position again
    assert out["sampled"] == pytest.approx(0, abs=1e-9)


def test_supervisor_made_after_a_robot_is_the_same_robot(project: Project) -> None:
    """Many programs make a Robot for the devices and a Supervisor beside it for the world."""
    out = project.exercise(
        """
        from controller import Supervisor

        class World(Supervisor):
            def __init__(self):
                self.goal = 3
                super().__init__()

        world = World()
        out["node"] = world.getSelf().getTypeName()
        out["again"] = world.getSelf() is Supervisor().getSelf()
        out["goal"] = world.goal
        out["steps"] = [world.step(8), robot.step(8), world.getTime()]
        """,
        fields=ROBOT_FIELDS + " supervisor TRUE",
    )
    assert out == {"node": "Robot", "again": True, "goal": 3, "steps": [0, 0, 0.016]}


def test_programs_may_name_their_attributes_as_they_like(project: Project) -> None:
    """`name`, `model` and `time` tell facts, until a derived class uses the names for itself."""
    out = project.exercise(
        """
        class Mine(Robot):
            def __init__(self):
                super().__init__()
                self.first = [self.name, self.model, self.time]
                self.model, self.time, self.name = "net", 7, "me"

        mine = Mine()
        out["first"] = mine.first
        out["then"] = [mine.model, mine.time, mine.name]
        out["facts"] = [mine.getName(), mine.getModel(), mine.getTime()]
        """,
        fields=ROBOT_FIELDS,
    )
    assert out == {
        "first": ["robot", "rover", 0],
        "then": ["net", 7, "me"],
        "facts": ["robot", "rover", 0],
    }


def test_names_of_our_own_are_out_of_the_way_of_programs(project: Project) -> None:
    """A derived class may have any private name, and `devices`; only such as begin with _sb_ are ours."""
    out = project.exercise(
        """
        import vehicle
        for kind in (Supervisor, DifferentialWheels, vehicle.Car, vehicle.Driver):
            names = {name for name in dir(kind) if name.startswith("_") and name[:2] != "__"}
            out[kind.__name__] = sorted(name for name in names if name[:4] != "_sb_")
        out["robot"] = sorted(name for name in vars(robot) if name[:4] != "_sb_")

        class Mine(Robot):
            def __init__(self):
                super().__init__()
                self._time, self._devices, self._commands, self._link = 5, {}, [], None
                self.devices = {"motor": self.getDevice("motor")}

            def getName(self, prefix):
                return prefix + super().getName()

        mine = Mine()
        out["step"] = [mine.step(8), mine.getTime(), list(mine.devices), mine.getName("a ")]
        out["none"] = mine.getDevice("motr")
        """
    )
    assert out == {
        **{kind: [] for kind in ("Supervisor", "DifferentialWheels", "Car", "Driver")},
        "robot": ["joystick", "keyboard", "mouse"],
        "step": [0, 0.008, ["motor"], "a robot"],
        "none": None,
    }


def test_names_of_releases_before_2019(project: Project) -> None:
    out = project.exercise(
        """
        robot.setData(robot.getData() + " then")
        out["data"] = [robot.getData(), robot.getCustomData()]
        out["controller"] = [robot.getControllerName(), robot.getControllerArguments()]
        """,
        fields=ROBOT_FIELDS + ' controllerArgs [ "a" "b c" ]',
    )
    assert out == {"data": ["first then"] * 2, "controller": ["exercise", "a b c"]}


def test_time_steps_and_labels_go_by_their_names_in_webots_library(project: Project) -> None:
    """`step(time_step=...)` and `setLabel(label=...)`."""
    out = project.exercise(
        """
        import numpy
        robot.step(time_step=numpy.int64(16))
        robot.stepBegin(time_step=8)
        robot.stepEnd()
        robot.setLabel(id=0, label="hello", x=0.1, y=0.1, size=0.1, color=0xFF0000)
        out["time"] = robot.getTime()
        """,
        robot_class="Supervisor",
        fields="supervisor TRUE",
    )
    assert out["time"] == pytest.approx(0.024)
    assert project.errors() == []


def test_programs_find_the_variable_of_an_installation(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """WEBOTS_HOME is always set, as in Webots: to the user's own folder, or to one of ours."""
    program = 'import os; out["home"] = os.environ["WEBOTS_HOME"]'
    monkeypatch.delenv("WEBOTS_HOME", raising=False)
    home = Path(project.exercise(program)["home"])
    assert (home / "include" / "controller" / "c" / "webots" / "robot.h").is_file()
    monkeypatch.setenv("WEBOTS_HOME", "elsewhere")
    assert project.exercise(program)["home"] == str(Path("elsewhere").absolute())
