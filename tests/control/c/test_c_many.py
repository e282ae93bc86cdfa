"""Many programs in C: at once, killed, and the same run as with Python."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.control.c.programs import write_c
from tests.control.projects import Project, robot

DRIVE = """
int main(void) {
  wb_robot_init();
  WbDeviceTag m = wb_robot_get_device("motor"), s = wb_robot_get_device("position");
  wb_position_sensor_enable(s, 8);
  wb_motor_set_position(m, INFINITY);
  while (wb_robot_step(8) != -1) {
    double at = wb_position_sensor_get_value(s);
    wb_motor_set_velocity(m, 3.0 - 0.5 * at);
    if (wb_robot_get_time() > 0.399) printf("%.17g\\n", at);
  }
  wb_robot_cleanup();
  return 0;
}
"""
PYTHON = """
from controller import Robot
robot = Robot()
m, s = robot.getDevice("motor"), robot.getDevice("position")
s.enable(8)
m.setPosition(float("inf"))
while robot.step(8) != -1:
    at = s.getValue()
    m.setVelocity(3.0 - 0.5 * at)
    if robot.getTime() > 0.399:
        print("%.17g" % at)
"""


def prepared(folder: Path) -> Project:
    """Return a project with the program."""
    made = Project(folder)
    write_c(made, DRIVE, name="drive")
    return made


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project with the program."""
    return prepared(tmp_path)


def test_the_run_is_the_same_as_with_python(project: Project) -> None:
    """Every byte of the state, and what the programs print."""
    project.controller("snake", PYTHON)
    states: list[bytes] = []
    for name in ("drive", "snake"):
        sim = project.run(robot(name), 0.4)
        states.append(sim.data.qpos.tobytes() + sim.data.qvel.tobytes())
    assert states[0] == states[1]
    lines = project.output()
    assert len(lines) == 2
    assert lines[0] == lines[1]


def test_fifty_robots_at_once(project: Project) -> None:
    """All are heard, and all end well."""
    names = [f"robot{k}" for k in range(50)]
    world = "".join(robot("drive", name=name, x=float(k)) for k, name in enumerate(names))
    project.run(world, 0.4)
    said = {name: project.output(name) for name in names}
    assert len({line for lines in said.values() for line in lines}) == 1
    assert all(len(lines) == 1 for lines in said.values())
    assert not [text for level, text in project.said if level == "error"]


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_two_hundred_kills(project: Project) -> None:
    """The run goes on without those that were killed, and with those that are started again."""
    count, rounds = 20, 10
    world = "".join(robot("drive", name=f"robot{k}", x=float(k)) for k in range(count))
    sim, hub = project.start(world)
    try:
        for _ in range(rounds):
            sim.step(2)
            assert all(slot.connection is not None for slot in hub.slots)
            for slot in hub.slots:
                assert slot.process is not None
                os.kill(slot.process.pid, signal.SIGKILL)
            sim.step(2)
            assert all(slot.process is None for slot in hub.slots)
            hub.restart_all()
        sim.step(2)
    finally:
        hub.close()
    killed = [text for level, text in project.said if "was killed by signal 9" in text]
    assert len(killed) == count * rounds
