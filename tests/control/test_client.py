"""The controller package: which Pythons run it, what it imports, constants, old robots."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from solidbody.control.node_types import NUMBERS
from solidbody.control.programs import CLIENT
from tests.control.projects import Project

FILES = sorted(CLIENT.rglob("*.py"))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(CLIENT).as_posix())
def test_the_package_is_plain_python_3_9(path: Path) -> None:
    """Its grammar is that of 3.9; it imports itself and the standard library only."""
    tree = ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 9))
    names = {
        name.partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
        )
        if not (isinstance(node, ast.ImportFrom) and node.level)
    }
    own = {"controller", "vehicle"} | {path.stem for path in CLIENT.glob("solidbody_*.py")}
    assert names <= own | sys.stdlib_module_names
    uses_annotations = any(
        isinstance(node, ast.FunctionDef) and node.returns is not None for node in ast.walk(tree)
    )
    # `int | None` in an annotation is not computed there only with this
    if uses_annotations:
        assert "annotations" in path.read_text(encoding="utf-8").split("\nclass ")[0]


def other_python() -> str | None:
    """Return an old interpreter, if the machine has one."""
    names = ["python3.9", "python3.10"]
    folders = sorted(
        Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")).glob("versions/3.9.*")
    )
    candidates = [str(folder / "bin" / "python") for folder in folders] + names
    return next((found for name in candidates if (found := shutil.which(name))), None)


def test_an_old_python_runs_a_controller(project: Project) -> None:
    """`--python` names it; nothing is installed there."""
    python = other_python()
    if python is None:
        pytest.skip("no Python 3.9 or 3.10 on this machine")
    project.controller(
        "old",
        """
        import sys
        import vehicle
        from controller import *
        robot = Robot()
        sensor = robot.getDevice("position")
        sensor.enable(8)
        print(sys.version_info[:2], robot.step(8), sensor.getValue())
        """,
    )
    from tests.control.projects import robot

    sim, hub = project.start(robot("old"), python=python)
    sim.step(4)
    hub.close()
    assert not hub.failures
    (line,) = project.output()
    assert line.startswith("(3, ") and line.endswith(" 0 0.0")


def test_the_package_says_that_it_is_typed() -> None:
    """Both have the file that type checkers look for."""
    assert (CLIENT / "controller" / "py.typed").is_file()
    assert (CLIENT / "vehicle" / "py.typed").is_file()


def test_node_types_have_the_numbers_of_the_headers() -> None:
    """Some of them counted in Webots' nodes.h: the first of each block and the last."""
    for name, number in {
        "NO_NODE": 0,
        "APPEARANCE": 1,
        "VIEWPOINT": 33,
        "ROBOT": 34,
        "ACCELEROMETER": 35,
        "VACUUM_GRIPPER": 61,
        "BALL_JOINT": 62,
        "SOLID": 80,
        "ZOOM": 85,
        "RADIO": 87,
    }.items():
        assert NUMBERS[name] == number


def test_without_a_simulator_a_program_ends_with_a_message(tmp_path: Path) -> None:
    """It names the port where nobody listens."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(CLIENT),
        "XDG_RUNTIME_DIR": str(tmp_path),
        "WEBOTS_CONTROLLER_URL": "ipc://4321/robot",
    }
    run = subprocess.run(
        [sys.executable, "-c", "from controller import Robot; Robot()"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert run.returncode == 1
    assert "no simulator is running on port 4321" in run.stderr


def test_codes_for_terminals(project: Project) -> None:
    """As ECMA-48 numbers them."""
    out = project.exercise(
        """
        import controller.pen
        out["codes"] = [AnsiCodes.RESET, AnsiCodes.BOLD, AnsiCodes.UNDERLINE,
            AnsiCodes.RED_FOREGROUND, AnsiCodes.WHITE_BACKGROUND, AnsiCodes.CLEAR_SCREEN]
        out["pen"] = controller.pen.Pen.__name__
        """
    )
    assert out["codes"] == ["\x1b[0m", "\x1b[1m", "\x1b[4m", "\x1b[31m", "\x1b[47m", "\x1b[2J"]
    assert out["pen"] == "Pen"


OLD_ROBOT = """
DifferentialWheels { name "robot" controller "exercise" axleLength 0.1 wheelRadius 0.02
  encoderResolution 100 speedUnit 0.5 maxSpeed 20 maxAcceleration 1000 children [
    Solid { name "left wheel" translation 0.05 0.02 0 }
    Solid { name "right wheel" translation -0.05 0.02 0 } ] }
"""


def test_robots_with_differential_wheels(project: Project) -> None:
    """Speeds, their limit, and encoders in steps."""
    out = project.exercise(
        """
        robot = DifferentialWheels()
        out["facts"] = [robot.getMaxSpeed(), robot.getSpeedUnit(), robot.getEncodersSamplingPeriod()]
        robot.enableEncoders(8)
        robot.setSpeed(20.0, -100.0)
        for _ in range(51):
            robot.step(8)
        out["speeds"] = [robot.getLeftSpeed(), robot.getRightSpeed()]
        out["encoders"] = [robot.getLeftEncoder(), robot.getRightEncoder()]
        robot.setEncoders(0, 0)
        out["zero"] = [robot.getLeftEncoder(), robot.getRightEncoder()]
        out["period"] = robot.getEncodersSamplingPeriod()
        robot.disableEncoders()
        out["over"] = robot.getEncodersSamplingPeriod()
        """,
        world=OLD_ROBOT,
        robot_class="None",
        seconds=1.0,
    )
    assert out["facts"] == [20, 0.5, 0]
    assert out["speeds"] == [20, -100]
    # 51 steps of 8 ms at 10 and at most 20 rad/s, 100 steps per radian; the first ones speed up
    left, right = out["encoders"]
    assert left == pytest.approx(51 * 0.008 * 10 * 100, rel=0.05)
    assert right == pytest.approx(-51 * 0.008 * 20 * 100, rel=0.05)
    assert (out["zero"], out["period"], out["over"]) == ([0, 0], 8, 0)


def test_other_robots_have_no_differential_wheels(project: Project) -> None:
    """A message, and the program goes on."""
    out = project.exercise(
        """
        robot = DifferentialWheels()
        robot.setSpeed(1, 1)
        out["none"] = [robot.getMaxSpeed(), robot.getLeftEncoder() != robot.getLeftEncoder()]
        """,
        robot_class="None",
    )
    assert out["none"] == [0, True]
    assert 'solids named "left wheel" and "right wheel"' in "\n".join(project.errors())
    assert json.dumps(out)


def test_modules_of_webots_library_can_be_imported_by_name(project: Project) -> None:
    """As editors write it: each class also lies in a module of its own name."""
    out = project.exercise(
        """
        import importlib, re
        import controller, controller.distance_sensor
        from controller.motor import Motor as motor_class
        from controller.node import ContactPoint as point_class
        classes = [name for name in controller.__all__ if name not in (
            "CameraRecognitionObject", "ContactPoint", "MouseState")]
        out["other"] = []
        for name in classes:
            file = re.sub("(?<=[a-z])(?=[A-Z])", "_", name).lower()
            module = importlib.import_module(f"controller.{file}")
            if getattr(module, name, None) is not getattr(controller, name):
                out["other"].append(name)
        out["same"] = [motor_class is Motor, point_class is ContactPoint,
            controller.distance_sensor.DistanceSensor is DistanceSensor]
        """
    )
    assert out == {"other": [], "same": [True, True, True]}


def test_c_functions_of_robots_and_devices(project: Project) -> None:
    """Programs call them through `controller.wb`; texts are bytes, devices are tags."""
    out = project.exercise(
        """
        import ctypes
        from controller.wb import wb
        wb.wb_robot_init()
        wb.wb_robot_get_time.restype = ctypes.c_double
        tag = wb.wb_robot_get_device(b"motor")
        wb.wb_motor_set_velocity(tag, ctypes.c_double(3.0))
        wb.wb_position_sensor_enable(robot.getDevice("position").tag, 8)
        robot.step(8)
        out["same"] = [tag == robot.getDevice("motor").tag,
            wb.wb_robot_get_time() == robot.getTime(),
            wb.wb_robot_get_name() == robot.getName().encode(),
            wb.wb_robot_wwi_receive_text() is None]
        out["velocity"] = robot.getDevice("motor").getVelocity()
        out["position"] = wb.wb_position_sensor_get_value(robot.getDevice("position").tag)
        out["supervisor"] = wb.wb_robot_get_supervisor()
        for call in (lambda: wb.wb_supervisor_node_get_root(), lambda: wb.wb_motor_get_song(tag)):
            try:
                call()
            except AttributeError as error:
                out.setdefault("missing", []).append(str(error))
        out["other name"] = hasattr(wb, "something")

        class Mine(Robot):
            def wwiReceiveText(self):
                return wb.wb_robot_wwi_receive_text()

        out["no loop"] = Mine().wwiReceiveText()
        """
    )
    assert out["same"] == [True] * 4
    assert (out["velocity"], out["position"], out["supervisor"]) == (3.0, 0.0, 0)
    assert out["missing"] == [
        "solidbody has no C function wb_supervisor_node_get_root() for this call",
        "solidbody has no C function wb_motor_get_song() for this call",
    ]
    assert out["other name"] is False
    assert out["no loop"] is None


def test_threads_may_use_devices_while_another_one_steps(project: Project) -> None:
    """Each gets the answer to its own question, and none gets lost."""
    out = project.exercise(
        """
        import threading
        camera, seen, over = robot.getDevice("camera"), [], threading.Event()
        camera.enable(8)
        robot.step(8)

        def watch():
            while not over.is_set():
                seen.append([len(camera.getImage()), len(robot.getSelf().getPosition())])

        watchers = [threading.Thread(target=watch) for _ in range(3)]
        for watcher in watchers:
            watcher.start()
        out["steps"] = [robot.step(8) for _ in range(20)]
        for _ in range(2000):  # on a busy machine they may hardly have begun
            if len(seen) <= 3:
                robot.step(8)
        over.set()
        for watcher in watchers:
            watcher.join()
        out["seen"] = [len(seen) > 3, [4 * 4 * 2, 3] in seen, len({tuple(one) for one in seen})]
        """,
        robot_class="Supervisor",
        fields="supervisor TRUE",
        devices='Camera { name "camera" width 4 height 2 }',
    )
    assert out["steps"] == [0] * 20
    assert out["seen"] == [True, True, 1], "all images and positions are whole"
