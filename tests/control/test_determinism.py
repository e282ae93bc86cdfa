"""The same programs give the same run: twice, after a reset, and while the machine is busy."""

from __future__ import annotations

import multiprocessing
import time
from pathlib import Path

import solidbody as sb
from solidbody.control.hub import ControllerHub
from tests.control.projects import Project, robot

DEVICES = """
Camera { name "camera" width 8 height 8 noise 0.1 translation 0 0 1 }
Emitter { name "emitter" } Receiver { name "receiver" signalStrengthNoise 0.2 directionNoise 0.1 }
DistanceSensor { name "distance" translation 0 0 1 lookupTable [ 0 0 0.1, 5 1000 0.1 ] }
Accelerometer { name "felt" lookupTable [ -100 -100 0.01, 100 100 0.01 ] }
GPS { name "gps" accuracy 0.1 }
"""
TALK = """
    import zlib
    from controller import Robot
    robot = Robot()
    names = ["camera", "receiver", "distance", "gps", "position"]
    devices = {name: robot.getDevice(name) for name in names}
    for device in devices.values():
        device.enable(8)
    motor, emitter = robot.getDevice("motor"), robot.getDevice("emitter")
    motor.setPosition(float("inf"))
    while robot.step(8) != -1:
        motor.setVelocity(1.0 + devices["distance"].getValue() / 1000.0)
        emitter.send([robot.getTime(), devices["position"].getValue()])
        heard, receiver = [], devices["receiver"]
        while receiver.getQueueLength():
            heard.append((receiver.getFloats(), receiver.getSignalStrength(),
                receiver.getEmitterDirection()))
            receiver.nextPacket()
        image = devices["camera"].getImage()
        print(repr(robot.getTime()), zlib.crc32(image), devices["distance"].getValue(),
            devices["gps"].getValues(), devices["position"].getValue(), heard, flush=True)
"""
NAMES = ("a", "b", "c", "d")


def start(folder: Path) -> tuple[Project, sb.Sim, ControllerHub]:
    project = Project(folder)
    project.controller("talk", TALK)
    nodes = "".join(
        robot("talk", name=name, x=2.0 * index, devices=DEVICES) for index, name in enumerate(NAMES)
    )
    sim, hub = project.start(nodes + "Background { skyColor [ 0.2 0.4 0.6 ] }")
    return project, sim, hub


def logs(project: Project) -> dict[str, list[str]]:
    return {name: project.output(name) for name in NAMES}


def burn(seconds: float) -> None:
    """Keep a core busy."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


def test_robots_with_noise_radio_and_cameras_repeat_exactly(tmp_path: Path) -> None:
    """Byte for byte, the second time beside busy neighbours."""
    steps = 12
    project, sim, hub = start(tmp_path / "first")
    sim.step(steps)
    hub.close()
    first = logs(project)
    context = multiprocessing.get_context("spawn")
    neighbours = [context.Process(target=burn, args=(4.0,)) for _ in range(2)]
    for neighbour in neighbours:
        neighbour.start()
    project, sim, hub = start(tmp_path / "second")
    sim.step(steps)
    hub.close()
    for neighbour in neighbours:
        neighbour.terminate()
    second = logs(project)
    for name in NAMES:
        # the last answer is told to be the end, or not, before the program has written its line
        count = min(len(first[name]), len(second[name]))
        assert count >= steps - 1
        assert first[name][:count] == second[name][:count]
    assert "(" in first["a"][3], "packets were heard"
    assert len({line.split()[1] for line in first["a"]}) > 2, "pictures differ by their noise"


def test_after_a_reset_a_new_program_sees_the_same_world(tmp_path: Path) -> None:
    """Controllers that are started again after a reset write the same log, byte for byte."""
    steps = 10
    project, sim, hub = start(tmp_path)
    sim.step(steps)
    hub.close()
    first = logs(project)
    project.lines.clear()
    sim.reset()
    for bound in sim.devices.devices:
        if bound.index in sim.devices._group_of:
            sim.devices.enable(bound, 0.0)
    hub = ControllerHub(
        sim, output=lambda name, line, is_error: project.lines.append((name, line, is_error))
    )
    hub.start()
    sim.step(steps)
    hub.close()
    second = logs(project)
    for name in NAMES:
        count = min(len(first[name]), len(second[name]))
        assert count >= steps - 1
        assert first[name][:count] == second[name][:count]
