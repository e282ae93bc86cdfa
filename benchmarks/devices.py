"""Devices: time of a picture, rays per second of a lidar, what a hundred scalar sensors add to a step.

    python -m benchmarks.devices [--csv OUT.csv]

Goals on one idle core: 320 x 240 colour and depth with 50 objects in at most 30 ms, 1.5 million lidar rays
per second, at most 20 us per step for the sensors. Times are those of computing, the best of several.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

import solidbody as sb
from solidbody.devices.imaging.optics import planar
from solidbody.formats.loading import read_scene_text
from solidbody.render.ray_engine import Clipping, RayEngine

HEADER = "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 8 gravity 0 }\n"
SIZES = ((160, 120), (320, 240), (640, 480))
SCALAR = ("Accelerometer", "Gyro", "InertialUnit", "GPS", "Compass")
FORMS = ("Box { size 0.3 0.3 0.3 }", "Sphere { radius 0.2 }", "Cylinder { radius 0.15 height 0.4 }")


def _scene(text: str) -> sb.Scene:
    scene, log = read_scene_text(HEADER + text)
    if scene is None or log.has_errors:
        raise SystemExit("\n".join(map(str, log)))
    return scene


def clutter_places(count: int) -> list[tuple[float, float, float]]:
    """Return where the objects are."""
    random = np.random.Generator(np.random.PCG64(1))
    places = [random.uniform((2, -4, 0.2), (10, 4, 2.5)).round(3).tolist() for _ in range(count)]
    return [(x, y, z) for x, y, z in places]


def clutter(count: int) -> str:
    """Return a floor, two lamps that throw shadows, and `count` objects of three forms before the camera."""
    nodes = [
        "Background { skyColor [ 0.6 0.7 0.9 ] }",
        "DirectionalLight { direction 0.3 0.4 -1 castShadows TRUE }",
        "PointLight { location 3 0 4 castShadows TRUE intensity 2 }",
        "Solid { children [ Shape { appearance PBRAppearance { } geometry Plane { size 40 40 } } ] }",
    ]
    for k, (x, y, z) in enumerate(clutter_places(count)):
        look = "appearance PBRAppearance { baseColor 0.2 0.5 0.8 metalness 0 }"
        nodes.append(
            f'Solid {{ name "o{k}" translation {x} {y} {z} children [ Shape {{ {look} '
            f"geometry {FORMS[k % len(FORMS)]} }} ] }}"
        )
    return "\n".join(nodes)


def best(work: Callable[[], object], *, rounds: int = 5, repeat: int = 1) -> float:
    """Return the least computing time of one piece of work [s]."""
    work()
    found: list[float] = []
    for _ in range(rounds):
        start = time.process_time()
        for _ in range(repeat):
            work()
        found.append((time.process_time() - start) / repeat)
    return min(found)


def pictures() -> list[tuple[str, float, str]]:
    """Time colour and depth of every size, with and without shadows."""
    rows: list[tuple[str, float, str]] = []
    for count in (50, 500):
        sim = sb.Sim(_scene(clutter(count)))
        rays = RayEngine(sim.scene)
        rays.update(sim.poses())
        for width, height in SIZES:
            bundle = rays.bundle(planar(width, height, 1.0))
            for shadows in (False, True):
                take = partial(
                    rays.picture,
                    bundle,
                    np.array([0.0, 0.0, 1.0]),
                    np.eye(3),
                    near=0.01,
                    far=100.0,
                    clipping=Clipping.PLANE,
                    shadows=shadows,
                )
                with_text = "with" if shadows else "without"
                name = f"{width}x{height} colour and depth, {count} objects, {with_text} shadows"
                rows.append((name, 1000.0 * best(take), "ms"))
    return rows


def opengl() -> list[tuple[str, float, str]]:
    """Time the same pictures with `mujoco.Renderer`, apart, as it may be missing or break; none without."""
    command = [sys.executable, "-m", "benchmarks.devices_opengl"]
    for kind in ("egl", "osmesa"):
        one_thread = {"MUJOCO_GL": kind, "LP_NUM_THREADS": "0"}
        done = subprocess.run(
            command, env=os.environ | one_thread, capture_output=True, text=True, check=False
        )
        if done.returncode == 0:
            return [(name, ms, unit) for name, ms, unit in json.loads(done.stdout)]
    sys.stdout.write("mujoco.Renderer is not measured: this system has neither EGL nor OSMesa\n")
    return []


def lidar() -> list[tuple[str, float, str]]:
    """Count the rays of a lidar of 64 layers, the whole device included."""
    text = clutter(50) + (
        "\nRobot { translation 0 0 1 children [ Lidar { horizontalResolution 1024 numberOfLayers 64 "
        "fieldOfView 6.2 verticalFieldOfView 0.8 maxRange 30 } ] }"
    )
    sim = sb.Sim(_scene(text))
    device = sim.device("lidar")
    device.enable()
    seconds = best(lambda: (sim.step(), device.value))
    return [("lidar, 50 objects", 1024 * 64 / seconds / 1e6, "million rays/s")]


def reading() -> list[tuple[str, float, str]]:
    """Time a second of a drone with a camera that takes a picture in each step and of which few are read."""
    text = clutter(50) + (
        "\nRobot { translation 0 0 1 children [ Camera { width 320 height 240 fieldOfView 1 } ] "
        "boundingObject Sphere { radius 0.1 } physics Physics { density -1 mass 1 } }"
    )
    sim = sb.Sim(_scene(text))
    camera = sim.device("camera")
    camera.enable()
    steps = round(1.0 / sim.time_step)

    def fly(every: int) -> None:
        for step in range(steps):
            sim.step()
            if every and step % every == 0:
                assert camera.value is not None

    texts = {1: "every picture", 10: "every tenth picture", 0: "no picture"}
    return [
        (
            f"one second of a drone that reads {text}",
            1000.0 * best(partial(fly, every), rounds=2),
            "ms",
        )
        for every, text in texts.items()
    ]


def scalars() -> list[tuple[str, float, str]]:
    """Time a hundred sensors of motion and position against the same world without them."""
    sensors = " ".join(
        f'{SCALAR[k % len(SCALAR)]} {{ name "s{k}" translation 0.0{k % 10} 0 0 }}'
        for k in range(80)
    )
    joints = " ".join(
        f"HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 1 0 anchor 0 0 {k} }} "
        f'device [ PositionSensor {{ name "p{k}" }} ] endPoint Solid {{ name "l{k}" '
        f"translation 0.3 0 {k} boundingObject Sphere {{ radius 0.05 }} "
        "physics Physics { density -1 mass 1 } } }"
        for k in range(20)
    )
    text = (
        f"Robot {{ children [ {sensors} {joints} ] boundingObject Sphere {{ radius 0.1 }} "
        "physics Physics { density -1 mass 1 } }"
    )
    plain, sensing = sb.Sim(_scene(text)), sb.Sim(_scene(text))
    for name in [*(f"s{k}" for k in range(80)), *(f"p{k}" for k in range(20))]:
        sensing.device(name).enable()
    alone = best(plain.step, repeat=500)
    both = best(sensing.step, repeat=500)
    return [
        ("step of 21 links", 1e6 * alone, "us"),
        ("100 scalar sensors add", 1e6 * (both - alone), "us"),
    ]


def main() -> None:
    """Measure everything and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--csv", type=Path, help="write the table to a file as well")
    options = parser.parse_args()
    rows = [*scalars(), *lidar(), *reading(), *pictures(), *opengl()]
    for name, value, unit in rows:
        sys.stdout.write(f"{name:<62} {value:9.2f} {unit}\n")
    if options.csv is not None:
        with options.csv.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["what", "value", "unit"])
            writer.writerows(rows)


if __name__ == "__main__":
    main()
