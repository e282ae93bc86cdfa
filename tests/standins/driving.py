"""Worlds of our own PROTOs, run with small controllers of our own."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from textwrap import dedent

import numpy as np
from numpy.typing import NDArray

import solidbody as sb
from solidbody.base.diagnostics import DiagnosticLog
from solidbody.control.hub import ControllerHub, ControllerOptions
from solidbody.formats.loading import read_scene
from solidbody.formats.options import LoadOptions
from solidbody.formats.webots.protos.standin_protos import own_names

URL = "https://raw.githubusercontent.com/cyberbotics/webots/R2025a/projects"
"""Where the real PROTOs are; nothing is downloaded in tests."""

FLOOR = "Floor { size 10 10 }\n"

AIR = "defaultDamping Damping { linear 0.5 angular 0.5 }"
"""Of the worlds that Mavics come in; the PROTO has none."""

MECANUM = """
contactProperties [
  ContactProperties { material1 "InteriorWheelMat" coulombFriction [ 0 2 0 ] frictionRotation -0.785398 0
    bounce 0 forceDependentSlip [ 10 0 ] }
  ContactProperties { material1 "ExteriorWheelMat" coulombFriction [ 0 2 0 ] frictionRotation 0.785398 0
    bounce 0 forceDependentSlip [ 10 0 ] }
]
"""
"""What the guide's page on the youBot asks worlds to hold."""


def write_world(
    folder: Path, nodes: str, *, step_ms: float = 16, info: str = "", release: str = "R2025a"
) -> Path:
    """Write a world that declares those of our PROTOs which it names, where its release asks for it."""
    lines = [f"#VRML_SIM {release} utf8"]
    if release >= "R2022b":
        used = [x for x in own_names() if re.search(rf"(?<![\w-]){re.escape(x)}\s*\{{", nodes)]
        lines += [f'EXTERNPROTO "{URL}/{name}.proto"' for name in used]
    lines += [f"WorldInfo {{ basicTimeStep {step_ms} {info} }}", "Viewpoint { }", nodes]
    path = folder / "worlds" / "world.wbt"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines), "utf-8")
    return path


def load_world(path: Path) -> tuple[sb.Scene, DiagnosticLog]:
    """Return the scene of a world, without a look at files that are not in its folder."""
    scene, log = read_scene(str(path), options=LoadOptions(cache=path.parent / "cache"))
    assert scene is not None
    return scene, log


def complaints(log: DiagnosticLog) -> list[str]:
    """Return the texts of all errors and warnings."""
    return [str(item) for item in log if item.severity.name != "INFO"]


class Drive:
    """A world, its controllers and the simulation that runs them."""

    def __init__(self, folder: Path, nodes: str, *, step_ms: float = 16, info: str = "") -> None:
        """Read a world; its robots run "driver", which `run` writes."""
        self.folder = folder
        scene, log = load_world(write_world(folder, nodes, step_ms=step_ms, info=info))
        assert complaints(log) == []
        self.sim = sb.Sim(scene)
        self.errors: list[str] = []

    def run(
        self,
        controller: str,
        seconds: float,
        watch: Callable[[sb.Sim], None] | None = None,
        *,
        prelude: str | None = None,
        keys: Mapping[float, Sequence[int]] | None = None,
    ) -> sb.Sim:
        """Run with the controller "driver" of that text; `watch` sees the simulation after each step.

        `keys` are held down for all robots from a time on, up to the next.
        The text comes after `prelude`, by default one that makes `robot`, `step`, `sensors` and `wheels`.
        """
        home = self.folder / "controllers" / "driver"
        home.mkdir(parents=True, exist_ok=True)
        (home / "driver.py").write_text(
            (_PRELUDE if prelude is None else prelude) + dedent(controller), "utf-8"
        )
        hub = ControllerHub(self.sim, options=ControllerOptions(), output=self._hear)
        hub.start()
        try:
            awaited = sorted((keys or {}).items())
            for _ in range(round(seconds / self.sim.time_step)):
                while awaited and self.sim.time >= awaited[0][0]:
                    hub.press_keys(None, awaited.pop(0)[1])
                self.sim.step()
                if watch is not None:
                    watch(self.sim)
        finally:
            hub.close()
        assert self.errors == [], self.errors
        return self.sim

    def _hear(self, name: str, line: str, is_error: bool) -> None:
        if is_error:
            self.errors.append(f"{name}: {line}")


_PRELUDE = """
from math import *
from controller import Robot
robot = Robot()
step = int(robot.getBasicTimeStep())

def sensors(*names):
    found = [robot.getDevice(name) for name in names]
    for device in found:
        device.enable(step)
    return found

def wheels(*names):
    found = [robot.getDevice(name) for name in names]
    for motor in found:
        motor.setPosition(inf)
        motor.setVelocity(0)
    return found
"""


def heading(orientation: NDArray[np.float64]) -> float:
    """Return the angle of a link's x axis about the vertical [rad] from its quaternion (w, x, y, z)."""
    w, x, y, z = (float(v) for v in orientation)
    return math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
