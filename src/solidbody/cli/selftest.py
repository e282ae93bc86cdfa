"""Tells in a few lines whether this installation works: `python -m solidbody.selftest`.

Each line is one check: versions, the step, the law against stored numbers, a picture, a program of a robot.
The exit status is 0 if all went well, 1 otherwise.
"""

from __future__ import annotations

import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

from solidbody.cli.status import OK, SIMULATION_FAILED

WORLD: Final = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 contactProperties [ ContactProperties { bounce 0.5 bounceVelocity 0.01 } ] }
Viewpoint { position -3 0 1 } DirectionalLight { direction 1 0 -1 ambientIntensity 0.5 }
Solid { name "floor" children [ DEF F Shape { geometry Plane { size 9 9 } } ] boundingObject USE F }
DEF BALL Solid { translation 0 0 1 name "ball" children [ DEF S Shape {
  appearance PBRAppearance { baseColor 1 0 0 roughness 1 } geometry Sphere { radius 0.2 subdivision 3 } } ]
  boundingObject USE S physics Physics { density -1 mass 1 } }
Robot { translation -2 0 0.3 name "robot" controller "%s" children [
  Camera { name "camera" width 32 height 32 fieldOfView 0.6 }
  DistanceSensor { name "distance" type "laser" lookupTable [ 0 0 0, 9 9 0 ] } ] }
"""
"""A red ball that falls and bounces before the eye of a robot."""

HEIGHTS: Final = {0.304: 0.5347706, 0.6: 0.2710080, 2.0: 0.1996076}
"""[m] Of the ball over time [s], as ODE's law has it: in the air, after the bounces, at rest."""

NEAR: Final = 2.0e-5
"""[m] Other processors round otherwise: some 1e-12; another law differs by millimetres."""

PROGRAM: Final = """from controller import Robot
robot = Robot()
step = int(robot.getBasicTimeStep())
sensor = robot.getDevice("distance")
sensor.enable(step)
for _ in range(3):
    robot.step(step)
print("distance", round(sensor.getValue(), 2), flush=True)
"""

SAID: Final = "[robot] distance 9.0"
"""What the program prints: the ball is still higher than the beam, so that nothing is there to 9 m."""

PATIENCE: Final = 120.0
"""[s] Until the program must have answered: ten times what a slow machine needs."""


class SelfTestError(Exception):
    """A check has failed; the text says how."""


def check_versions(_: Path) -> str:
    """Return the versions of what is below."""
    import mujoco
    import numpy as np

    from solidbody._version import __version__

    system = f"{platform.system()} {platform.machine()}"
    python = platform.python_version()
    below = f"MuJoCo {mujoco.__version__}, numpy {np.__version__}"
    return f"solidbody {__version__}, Python {python}, {below}, {system}"


def check_engine(_: Path) -> str:
    """Return which step runs."""
    from solidbody.contact.native import NativeUnavailable, load_library

    try:
        load_library()
    except NativeUnavailable as error:
        raise SelfTestError(f"only the reference step, which is slow: {error}") from error
    return "native step"


def check_law(folder: Path) -> str:
    """Let the ball fall and compare its height with stored numbers."""
    import solidbody as sb

    sim = sb.Sim(sb.load(_world(folder, "<none>")))
    worst = 0.0
    for time, height in HEIGHTS.items():
        sim.run(time - sim.time)
        worst = max(worst, abs(float(sim["BALL"].position[2]) - height))
    if not worst < NEAR:
        raise SelfTestError(f"the ball is {worst:.2g} m from where it should be")
    return f"a ball bounces as it should, to {worst:.1g} m"


def check_picture(folder: Path) -> str:
    """Look at the ball through the camera."""
    import solidbody as sb
    from solidbody.base.extras import missing_modules, needs

    sim = sb.Sim(sb.load(_world(folder, "<none>")))
    camera = sim.device("camera")
    camera.enable()
    sim.run(2.0)
    red, green, blue = (int(value) for value in camera.value[18, 16, :3])
    if not red > 40 + max(green, blue):
        raise SelfTestError(f"the red ball looks like {red}, {green}, {blue}")
    plain = f"plain, as full light {needs('cameras')}" if missing_modules("cameras") else ""
    return f"a red ball is red ({red}, {green}, {blue})" + (f"; {plain}" if plain else "")


def check_controller(folder: Path) -> str:
    """Let a program drive the robot, in a process of its own as Webots does."""
    place = folder / "controllers" / "measure"
    place.mkdir(parents=True)
    (place / "measure.py").write_text(PROGRAM, encoding="utf-8")
    world = str(_world(folder, "measure"))
    done = subprocess.run(
        [sys.executable, "-m", "solidbody", "run", world, "--headless", "--duration", "0.1"],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    if SAID not in done.stdout:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise SelfTestError(f"a controller did not answer: {said[-1] if said else 'no word'}")
    return "a controller has measured and answered"


def _world(folder: Path, controller: str) -> Path:
    worlds = folder / "worlds"
    worlds.mkdir(exist_ok=True)
    file = worlds / "selftest.wbt"
    file.write_text(WORLD % controller, encoding="utf-8")
    return file


CHECKS: Final[dict[str, Callable[[Path], str]]] = {
    "versions": check_versions,
    "engine": check_engine,
    "law": check_law,
    "picture": check_picture,
    "controller": check_controller,
}
"""In the order in which they are told."""


def main() -> int:
    """Print one line per check; return the exit status."""
    failed = 0
    with tempfile.TemporaryDirectory(prefix="solidbody-selftest-") as folder:
        for name, check in CHECKS.items():
            place = Path(folder) / name
            place.mkdir()
            try:
                outcome, text = "ok", check(place)
            except Exception as error:  # whatever is wrong with an installation is to be told
                failed += 1
                outcome, text = "FAILED", str(error) or type(error).__name__
            print(f"{name:10} {outcome:6} {text.splitlines()[0]}", flush=True)
    return SIMULATION_FAILED if failed else OK
