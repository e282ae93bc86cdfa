"""Controllers beside the simulation: steps per second of two-wheeled robots with eight distance sensors.

    python -m benchmarks.controllers

In our own process, in a process of its own in Python and in C, and ten processes in one arena. Goals on one
core: 10,000 and 4,000 steps per second for the first two, 12,000 for C; a round trip of a robot with two
motors costs at most 60 us, in C with two sensors beside them at most 15 us more than the step alone. Reading
pictures of 640 x 480 pixels in C goes through no copy.

Time on the clock depends on what else the machine does. So the time that the processors have worked for us
is told as well, for simulator and controllers together: what one core would need that does nothing else.
Both are the best of several short measurements.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import solidbody as sb
from solidbody.contact.build import SDK, controller_path, need_compiler
from solidbody.control import run_controller
from solidbody.control.hub import ControllerHub

STEP_MS = 8
SECONDS = 0.3
"""[s] Wall time of one measurement."""

REPEATS = 7
"""Measurements of each case; the best one counts."""

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
PROGRAM_IN_C = """
#include <stdio.h>
#include <webots/distance_sensor.h>
#include <webots/motor.h>
#include <webots/robot.h>

int main(void) {{
  wb_robot_init();
  WbDeviceTag left = wb_robot_get_device("left motor"), right = wb_robot_get_device("right motor");
  WbDeviceTag sensors[{sensors} + 1];
  for (int k = 0; k < {sensors}; k++) {{
    char name[16];
    sprintf(name, "ds%d", k);
    sensors[k] = wb_robot_get_device(name);
    wb_distance_sensor_enable(sensors[k], {step});
  }}
  wb_motor_set_position(left, INFINITY);
  wb_motor_set_position(right, INFINITY);
  while (wb_robot_step({step}) != -1) {{
    double seen = 0.0;
    for (int k = 0; k < {sensors}; k++) seen += wb_distance_sensor_get_value(sensors[k]);
    wb_motor_set_velocity(left, 2.0 + 1e-6 * seen);
    wb_motor_set_velocity(right, 2.0);
  }}
  return 0;
}}
"""
CAMERA_IN_C = """
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <webots/camera.h>
#include <webots/robot.h>

int main(void) {{
  static unsigned char copy[640 * 480 * 4];
  wb_robot_init();
  WbDeviceTag camera = wb_robot_get_device("camera");
  wb_camera_enable(camera, {step});
  double spent = 0.0;
  int count = 0;
  while (count < 30 && wb_robot_step({step}) != -1) {{
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    const unsigned char *image = wb_camera_get_image(camera);
    clock_gettime(CLOCK_MONOTONIC, &b);
    if (!image || count++ < 5) continue; /* the first ones are asked for one by one */
    spent += 1e6 * (double)(b.tv_sec - a.tv_sec) + 1e-3 * (double)(b.tv_nsec - a.tv_nsec);
    memcpy(copy, image, sizeof copy);
  }}
  printf("%g\\n", spent / (count - 5));
  return 0;
}}
"""


def compile_c(folder: Path, name: str, text: str) -> None:
    """Write and compile a controller in C."""
    home = folder / "controllers" / name
    home.mkdir(parents=True, exist_ok=True)
    (home / f"{name}.c").write_text(text)
    library = controller_path().parent
    command = [
        *need_compiler(),
        "-O2",
        "-w",
        f"-I{SDK}/include/controller/c",
        str(home / f"{name}.c"),
    ]
    command += ["-o", str(home / name), f"-L{library}", "-lController", "-lm"]
    subprocess.run(command, check=True)


def world(folder: Path, robots: int, sensors: int, controller: str) -> Path:
    """Write a project and return its world."""
    home = folder / "controllers" / "drive"
    home.mkdir(parents=True)
    (home / "drive.py").write_text(PROGRAM.format(sensors=sensors, step=STEP_MS))
    if controller == "drive_c":
        compile_c(folder, controller, PROGRAM_IN_C.format(sensors=sensors, step=STEP_MS))
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


class Cost(NamedTuple):
    """What a step costs [us]: on the clock, of our process, of the controllers'."""

    wall: float
    ours: float
    theirs: float

    @property
    def work(self) -> float:
        """Of all processors together."""
        return self.ours + self.theirs


def worked(pid: int) -> float:
    """Return how long processors have worked for a process [s]; 0 where the system does not tell."""
    if sys.platform != "linux":
        return 0.0
    return time.clock_gettime((~pid << 3) | 2)  # how Linux numbers the clocks of processes


def cost(sim: sb.Sim, step: Callable[[], Any], pids: Sequence[int] = ()) -> Cost:
    """Return what a step costs, after a start that is not counted."""
    for _ in range(200):
        step()
    found: list[Cost] = []
    for _ in range(REPEATS):
        first = sim.step_count
        started, ours, theirs = time.perf_counter(), time.process_time(), sum(map(worked, pids))
        while time.perf_counter() - started < SECONDS:
            step()
        scale = 1e6 / (sim.step_count - first)
        found.append(
            Cost(
                scale * (time.perf_counter() - started),
                scale * (time.process_time() - ours),
                scale * (sum(map(worked, pids)) - theirs),
            )
        )
    best = min(found, key=lambda one: one.work)
    return best._replace(wall=min(one.wall for one in found))


def alone(robots: int, sensors: int) -> Cost:
    """Return the cost of the same world with its sensors on and wheels that turn, and no controller."""
    with tempfile.TemporaryDirectory() as folder:
        sim = sb.Sim(sb.load(world(Path(folder), robots, sensors, "<none>")))
        for bound in sim.devices.devices:
            if bound.name.startswith("ds"):
                sim.devices.enable(bound, STEP_MS / 1000.0)
        for name in sim.joint_names:
            sim.joint(name).target_velocity = 2.0
        return cost(sim, lambda: sim.step(1))


def inside(sensors: int) -> Cost:
    """Return the cost with a controller in our own process."""
    with tempfile.TemporaryDirectory() as folder:
        path = world(Path(folder), 1, sensors, "<none>")
        sim = sb.Sim(sb.load(path))
        found: list[Cost] = []

        def program() -> None:
            from controller import Robot

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

            found.append(cost(sim, step))

        run_controller(sim, program)
        return found[0]


def processes(robots: int, sensors: int, controller: str = "drive") -> Cost:
    """Return the cost with a process per robot."""
    with tempfile.TemporaryDirectory() as folder:
        sim = sb.Sim(sb.load(world(Path(folder), robots, sensors, controller)))
        hub = ControllerHub(sim)
        hub.start()
        try:
            pids = [slot.process.process.pid for slot in hub.slots if slot.process is not None]
            return cost(sim, lambda: sim.step(1), pids)
        finally:
            hub.close()


def picture() -> float:
    """Return what reading a picture of 640 x 480 pixels costs a program in C [us]."""
    camera = 'Camera { name "camera" width 640 height 480 }'
    said: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        compile_c(place, "look", CAMERA_IN_C.format(step=STEP_MS))
        (place / "worlds").mkdir()
        path = place / "worlds" / "camera.wbt"
        path.write_text(
            f"#VRML_SIM R2025a utf8\nWorldInfo {{ basicTimeStep {STEP_MS} }}\n"
            f'Robot {{ name "robot" controller "look" children [ {camera} ] }}'
        )
        sim = sb.Sim(sb.load(path))
        hub = ControllerHub(sim, output=lambda robot, line, is_error: said.append(line))
        hub.start()
        try:
            sim.step(35)
        finally:
            hub.close()
    return float(said[-1])


def main() -> None:
    """Measure everything and print a table."""
    base, bare, two = alone(1, 8), alone(1, 0), alone(1, 2)
    print(f"{'us per step':32}{'clock':>8}{'work':>8}{'ours':>8}{'theirs':>8}", end="")
    print(f"{'steps/s':>10}{'on one core':>13}{'for control':>13}")
    for name, value, without in (
        ("no controller, 8 sensors", base, base),
        ("in our process, 8 sensors", inside(8), base),
        ("one process, 8 sensors", processes(1, 8), base),
        ("one process in C, 8 sensors", processes(1, 8, "drive_c"), base),
        ("no controller, 2 sensors", two, two),
        ("one process, 2 sensors", processes(1, 2), two),
        ("one process in C, 2 sensors", processes(1, 2, "drive_c"), two),
        ("no controller, motors only", bare, bare),
        ("one process, motors only", processes(1, 0), bare),
        ("ten processes, 8 sensors each", processes(10, 8), alone(10, 8)),
    ):
        parts = f"{value.wall:8.1f}{value.work:8.1f}{value.ours:8.1f}{value.theirs:8.1f}"
        rates = f"{1e6 / value.wall:10.0f}{1e6 / value.work:13.0f}"
        print(f"{name:32}{parts}{rates}{value.work - without.work:13.1f}")
    print(f"a picture of 640 x 480 in C: {picture():.2f} us")


if __name__ == "__main__":
    main()
