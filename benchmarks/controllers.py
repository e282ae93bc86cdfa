"""Controllers beside the simulation: steps per second of two-wheeled robots with eight distance sensors.

    python -m benchmarks.controllers

In our own process, in a process of its own, and ten processes in one arena. Goals on one idle core: 10,000
and 4,000 steps per second for the first two; a round trip of a robot with two motors costs at most 60 us.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import solidbody as sb
from solidbody.control import run_controller
from solidbody.control.hub import ControllerHub

STEP_MS = 8
SECONDS = 1.5
"""[s] Wall time of one measurement."""

WHEEL = """
HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 1 0 anchor 0 {y} 0.04 }}
  device [ RotationalMotor {{ name "{side} motor" maxVelocity 20 }} ]
  endPoint Solid {{ name "{side} wheel" translation 0 {y} 0.04 rotation 1 0 0 1.5708
    boundingObject Cylinder {{ radius 0.04 height 0.01 }} physics Physics {{ }} }} }}
"""
ROBOT = """
Robot {{ name "robot{number}" translation {number} 0 0 controller "{controller}" children [ {parts}
    Solid {{ name "ball" translation 0.06 0 0.01 boundingObject Sphere {{ radius 0.01 }} physics NULL }} ]
  boundingObject Transform {{ translation 0.02 0 0.05 children [ Box {{ size 0.12 0.08 0.04 }} ] }}
  physics Physics {{ }} }}
"""
PROGRAM = """
from controller import Robot
robot = Robot()
motors = [robot.getDevice(side + " motor") for side in ("left", "right")]
sensors = [robot.getDevice("ds%d" % k) for k in range({sensors})]
for motor in motors:
    motor.setPosition(float("inf"))
for sensor in sensors:
    sensor.enable({step})
while robot.step({step}) != -1:
    left = sum(sensor.getValue() for sensor in sensors)
    motors[0].setVelocity(2.0 + 1e-6 * left)
    motors[1].setVelocity(2.0)
"""


def world(folder: Path, robots: int, sensors: int, controller: str) -> Path:
    """Write a project and return its world."""
    home = folder / "controllers" / "drive"
    home.mkdir(parents=True)
    (home / "drive.py").write_text(PROGRAM.format(sensors=sensors, step=STEP_MS))
    parts = WHEEL.format(side="left", y=0.05) + WHEEL.format(side="right", y=-0.05)
    for k in range(sensors):
        parts += (
            f'DistanceSensor {{ name "ds{k}" translation 0 0 0.06 rotation 0 0 1 {k * 0.785} '
            "lookupTable [ 0 0 0, 1 1000 0 ] }\n"
        )
    nodes = "".join(
        ROBOT.format(number=number, controller=controller, parts=parts) for number in range(robots)
    )
    path = folder / "worlds" / "arena.wbt"
    path.parent.mkdir()
    path.write_text(
        f"#VRML_SIM R2025a utf8\nWorldInfo {{ basicTimeStep {STEP_MS} }}\n"
        f'Solid {{ name "floor" boundingObject Plane {{ size 100 100 }} }}\n{nodes}'
    )
    return path


def rate(sim: sb.Sim, step: Callable[[], Any]) -> float:
    """Return steps per second of wall time, after a start that is not counted."""
    for _ in range(50):
        step()
    start, first = time.perf_counter(), sim.step_count
    while time.perf_counter() - start < SECONDS:
        step()
    return (sim.step_count - first) / (time.perf_counter() - start)


def alone(robots: int, sensors: int) -> float:
    """Return the rate of the same world with its sensors on, and no controller."""
    with tempfile.TemporaryDirectory() as folder:
        sim = sb.Sim(sb.load(world(Path(folder), robots, sensors, "<none>")))
        for bound in sim.devices.devices:
            if bound.name.startswith("ds"):
                sim.devices.enable(bound, STEP_MS / 1000.0)
        return rate(sim, lambda: sim.step(1))


def inside(sensors: int) -> float:
    """Return the rate with a controller in our own process."""
    with tempfile.TemporaryDirectory() as folder:
        path = world(Path(folder), 1, sensors, "<none>")
        sim = sb.Sim(sb.load(path))
        found: list[float] = []

        def program() -> None:
            from controller import Robot  # type: ignore[import-not-found]

            robot = Robot()
            motors = [robot.getDevice(f"{side} motor") for side in ("left", "right")]
            eyes = [robot.getDevice(f"ds{k}") for k in range(sensors)]
            for motor in motors:
                motor.setPosition(float("inf"))
            for eye in eyes:
                eye.enable(STEP_MS)

            def step() -> None:
                robot.step(STEP_MS)
                seen = sum(eye.getValue() for eye in eyes)
                motors[0].setVelocity(2.0 + 1e-6 * seen)
                motors[1].setVelocity(2.0)

            found.append(rate(sim, step))

        run_controller(sim, program)
        return found[0]


def processes(robots: int, sensors: int) -> float:
    """Return the rate with a process per robot."""
    with tempfile.TemporaryDirectory() as folder:
        sim = sb.Sim(sb.load(world(Path(folder), robots, sensors, "drive")))
        hub = ControllerHub(sim)
        hub.start()
        try:
            return rate(sim, lambda: sim.step(1))
        finally:
            hub.close()


def main() -> None:
    """Measure everything and print a table."""
    base, bare = alone(1, 8), alone(1, 0)
    print(f"{'':34}{'steps/s':>10}{'us/step':>10}{'over the bare step':>20}")
    for name, value, without in (
        ("no controller, 8 sensors", base, base),
        ("in our process, 8 sensors", inside(8), base),
        ("one process, 8 sensors", processes(1, 8), base),
        ("one process, motors only", processes(1, 0), bare),
        ("ten processes, 8 sensors each", processes(10, 8), alone(10, 8)),
    ):
        extra = 1e6 / value - 1e6 / without
        print(f"{name:34}{value:10.0f}{1e6 / value:10.1f}{extra:17.1f} us")


if __name__ == "__main__":
    main()
