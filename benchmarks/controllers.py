"""Controllers beside the simulation: steps per second of two-wheeled robots with eight distance sensors.

    python -m benchmarks.controllers

In our own process, in a process of its own in Python and in C, and ten processes in one arena. Goals on one
core: 10,000 and 4,000 steps per second for the first two, 12,000 for C; a robot with two motors costs at most
28 us more than the step alone, in C with two sensors beside them at most 15 us. Reading pictures of 640 x 480
pixels in C goes through no copy.

Everything is measured twice: by the clock, where programs have cores of their own if there are some, and all
on one core, where the work of simulator and controllers counts: whoever waits gives the core to the others.
Both are the best of many measurements of some steps, so that what else the machine does matters less; on a
busy one `chrt -r 1 python -m benchmarks.controllers` is left alone by it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import solidbody as sb
from solidbody.contact.build import SDK, controller_path, need_compiler
from solidbody.control import run_controller
from solidbody.control.hub import ControllerHub

STEP_MS = 8
SECONDS = 1.0
"""[s] Wall time in which a case is measured again and again; the best measurement counts."""

STEPS = 20
"""Steps in one measurement: a fraction of the time for which a system lets other programs run."""

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
    """What a step costs [us]: by the clock, and what our process and the controllers' work for it."""

    clock: float
    ours: float
    theirs: float

    @property
    def work(self) -> float:
        """Of all processes together."""
        return self.ours + self.theirs


@contextmanager
def one_core() -> Iterator[bool]:
    """Let us and the programs that we start have one core; whether that is so."""
    if not hasattr(os, "sched_setaffinity"):
        yield False
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        yield True
    finally:
        os.sched_setaffinity(0, before)


def worked(pid: int) -> float:
    """Return how long processors have worked for a process [s]; 0 where the system does not tell."""
    if sys.platform != "linux":
        return 0.0
    return time.clock_gettime((~pid << 3) | 2)  # how Linux numbers the clocks of processes


def cost(step: Callable[[], Any], pids: Sequence[int] = ()) -> Cost:
    """Return what a step costs, after a start that is not counted."""
    for _ in range(300):
        step()
    found: list[Cost] = []
    end = time.perf_counter() + SECONDS
    while not found or time.perf_counter() < end:
        before = time.perf_counter(), time.process_time(), sum(map(worked, pids))
        for _ in range(STEPS):
            step()
        after = time.perf_counter(), time.process_time(), sum(map(worked, pids))
        found.append(Cost(*(1e6 / STEPS * (b - a) for a, b in zip(before, after, strict=True))))
    best = min(found, key=lambda one: one.work)
    return best._replace(clock=min(one.clock for one in found))


def alone(robots: int, sensors: int) -> Cost:
    """Return the cost of the same world with its sensors on and wheels that turn, and no controller."""
    with tempfile.TemporaryDirectory() as folder:
        sim = sb.Sim(sb.load(world(Path(folder), robots, sensors, "<none>")))
        for bound in sim.devices.devices:
            if bound.name.startswith("ds"):
                sim.devices.enable(bound, STEP_MS / 1000.0)
        for name in sim.joint_names:
            sim.joint(name).target_velocity = 2.0
        return cost(lambda: sim.step(1))


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

            found.append(cost(step))

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
            return cost(lambda: sim.step(1), pids)
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
    cases: tuple[tuple[str, Callable[[], Cost]], ...] = (
        ("no controller, 8 sensors", lambda: alone(1, 8)),
        ("in our process, 8 sensors", lambda: inside(8)),
        ("one process, 8 sensors", lambda: processes(1, 8)),
        ("one process in C, 8 sensors", lambda: processes(1, 8, "drive_c")),
        ("no controller, 2 sensors", lambda: alone(1, 2)),
        ("one process, 2 sensors", lambda: processes(1, 2)),
        ("one process in C, 2 sensors", lambda: processes(1, 2, "drive_c")),
        ("no controller, motors only", lambda: alone(1, 0)),
        ("one process, motors only", lambda: processes(1, 0)),
        ("one process in C, motors only", lambda: processes(1, 0, "drive_c")),
        ("no controllers, ten robots", lambda: alone(10, 8)),
        ("ten processes, 8 sensors each", lambda: processes(10, 8)),
    )
    print(f"{'us per step':32}{'clock':>8}{'more':>7}{'steps/s':>9}", end="")
    print(f"{'one core':>12}{'more':>7}{'steps/s':>9}{'ours':>9}{'theirs':>8}")
    base = alone_on_core = 0.0
    for name, case in cases:
        free = case()
        with one_core() as is_one:
            bound = case() if is_one else free
        if name.startswith("no "):
            base, alone_on_core = free.clock, bound.work
        print(f"{name:32}{free.clock:8.1f}{free.clock - base:7.1f}{1e6 / free.clock:9.0f}", end="")
        print(f"{bound.work:12.1f}{bound.work - alone_on_core:7.1f}", end="")
        print(f"{1e6 / bound.work:9.0f}{bound.ours:9.1f}{bound.theirs:8.1f}")
    print(f"a picture of 640 x 480 in C: {picture():.2f} us")


if __name__ == "__main__":
    main()
