"""Controllers in our own process: the same calls and values as in a process of their own."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

import solidbody as sb
from solidbody.base.errors import SolidbodyError
from solidbody.control import run_controller
from tests.control.projects import Project, robot

DEVICES = """
Camera { name "camera" width 4 height 4 translation 0 0 1 noise 0.05
  recognition Recognition { segmentation TRUE } }
Lidar { name "lidar" horizontalResolution 8 numberOfLayers 2 translation 0 0 1 maxRange 5 noise 0.01 }
RangeFinder { name "finder" width 3 height 3 translation 0 0 1 maxRange 5 }
Display { name "display" width 4 height 4 } Accelerometer { name "felt" } LED { name "led" }
"""
WALL = """
Solid { name "wall" translation 2 0 1 recognitionColors [ 0 0 1 ]
  children [ Shape { appearance PBRAppearance { baseColor 1 0 0 } geometry Box { size 0.1 4 4 } } ]
  boundingObject Box { size 0.1 4 4 } }
"""
PROGRAM = """
def program():
    from controller import Robot
    robot = Robot()
    camera, lidar, finder = (robot.getDevice(name) for name in ("camera", "lidar", "finder"))
    for sensor in (camera, lidar, finder):
        sensor.enable(8)
    lidar.enablePointCloud()
    camera.recognitionEnable(8)
    camera.enableRecognitionSegmentation()
    motor = robot.getDevice("motor")
    motor.setPosition(0.5)
    out = []
    for number in range(5):
        robot.getDevice("led").set(number % 2)
        robot.getDevice("display").drawPixel(number % 4, 0)
        robot.stepBegin(8)
        robot.stepEnd()
        found = camera.getRecognitionObjects()
        point = lidar.getPointCloud()[3]
        out.append([robot.getTime(), list(camera.getImage()), found[0].getPosition(),
            list(camera.getRecognitionSegmentationImage()[:4]), lidar.getRangeImage()[3],
            [point.x, point.y, point.z], finder.getRangeImage()[4], len(robot.getUrdf())])
    return out
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_images_points_and_recognition_are_the_same_bit_for_bit(project: Project) -> None:
    """Shared memory on one side, none on the other."""
    nodes = robot("show", devices=DEVICES) + WALL
    project.controller("show", f"import json\n{dedent(PROGRAM)}\nprint(json.dumps(program()))\n")
    project.run(nodes, 0.1)
    outside = json.loads(project.output()[0])
    names: dict[str, Any] = {}
    exec(dedent(PROGRAM), names)
    sim = sb.Sim(sb.load(project.folder / "worlds" / "world.wbt"))
    inside = run_controller(sim, names["program"], duration=1.0)
    assert json.loads(json.dumps(inside)) == outside
    assert len({str(one[1]) for one in outside}) == 5, "noise makes every picture new"
    assert outside[0][3] == [255, 0, 0, 255], "blue in the segmentation"


BAD_CALLS = """
import contextlib, io
def program():
    from controller import Supervisor
    robot = Supervisor()
    motor, led, display, speaker = (
        robot.getDevice(name) for name in ("motor", "led", "display", "speaker"))
    field = robot.getRoot().getField("children")
    calls = [
        lambda: led.set(2**31), lambda: led.set(-2**31 - 1), lambda: led.set("red"),
        lambda: led.set(1.5), lambda: led.set(True), lambda: motor.setControlPID(1.0, 1e308 * 10, 0),
        lambda: motor.setTorque(float("nan")), lambda: motor.setVelocity(2),
        lambda: motor.enableTorqueFeedback(2**40), lambda: display.drawPixel(2**31, 0),
        lambda: display.drawPolygon([1.5, 2], [0, 0]), lambda: display.drawText(7, 0, 0),
        lambda: display.setFont("x" * 70000, 8, True), lambda: speaker.stop("x" * 70000),
        lambda: robot.setCustomData(7), lambda: robot.setCustomData("\\ud800"),
        lambda: robot.getCustomData(), lambda: robot.step(float("inf")), lambda: robot.step(float("nan")),
        lambda: robot.getFromDef("x" * 70000), lambda: robot.getFromId(2**40),
        lambda: robot.simulationSetMode("fast"), lambda: field.importMFNodeFromString(2**33, "Solid { }"),
        lambda: robot.setLabel(2**31, "a", 0, 0, 0.1, 0), lambda: robot.getUrdf("y" * 70000),
        lambda: robot.step(8), lambda: robot.getTime(), lambda: motor.getTargetPosition(),
    ]
    out = []
    for call in calls:
        told = io.StringIO()
        with contextlib.redirect_stderr(told):
            try:
                result = repr(call())
            except Exception as error:
                result = repr(error)
            robot.step(0)
        out.append([result, told.getvalue()])
    return out
"""


def test_bad_calls_have_the_same_results_and_messages(project: Project) -> None:
    """Numbers out of range, long texts, wrong types: refused in our process as on the wire."""
    nodes = robot("show", fields="supervisor TRUE", devices=DEVICES + 'Speaker { name "speaker" }')
    project.controller("show", f"import json\n{dedent(BAD_CALLS)}\nprint(json.dumps(program()))\n")
    project.run(nodes, 0.1)
    outside = json.loads(project.output()[0])
    names: dict[str, Any] = {}
    exec(dedent(BAD_CALLS), names)
    sim = sb.Sim(sb.load(project.folder / "worlds" / "world.wbt"))
    inside = run_controller(sim, names["program"], duration=0.1)
    for one, other in zip(inside, outside, strict=True):
        assert one == other
    texts = [told for _, told in outside]
    assert sum("does not fit" in told for told in texts) > 8
    assert texts[-1] == texts[-2] == ""


def test_one_run_after_the_other(project: Project) -> None:
    """Each has its own Robot, also after one that has failed."""

    def program() -> float:
        from controller import Robot

        robot = Robot()
        while robot.step(8) != -1:
            pass
        return robot.getTime()

    def failing() -> None:
        from controller import Robot

        Robot().step(8)
        raise ZeroDivisionError

    sim = sb.Sim(sb.load(project.world(robot("<none>"))))
    assert run_controller(sim, program, duration=0.04) == 0.04
    with pytest.raises(ZeroDivisionError):
        run_controller(sim, failing)
    assert run_controller(sim, program, duration=0.04) == pytest.approx(0.088)


def test_last_words_are_heard(project: Project) -> None:
    """What a program orders after its last step is done, though it ends."""

    def program() -> str:
        from controller import Supervisor

        Supervisor().simulationQuit(7)
        return "done"

    sim = sb.Sim(sb.load(project.world(robot("<none>", fields="supervisor TRUE"))))
    assert run_controller(sim, program) == 7


def test_a_robot_has_to_be_named_where_there_are_several(project: Project) -> None:
    """With their names in the message."""
    sim = sb.Sim(sb.load(project.world(robot("<none>", name="a") + robot("<none>", name="b", x=2))))
    with pytest.raises(SolidbodyError, match="there are: a, b"):
        run_controller(sim, lambda: None)
