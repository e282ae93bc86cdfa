"""Small Webots projects, written to a folder and run."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent
from typing import Any

import solidbody as sb
from solidbody.control.client import solidbody_protocol as codec
from solidbody.control.hub import ControllerHub, ControllerOptions

CAR = """
Robot {{ name "{name}" controller "{controller}" {fields} translation {x} 0 0 children [
  HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 1 0 }}
    device [ RotationalMotor {{ name "motor" maxVelocity 100 maxTorque 1000 }}
      PositionSensor {{ name "position" }} ]
    endPoint Solid {{ boundingObject Box {{ size 0.1 0.1 0.1 }} physics Physics {{ density -1 mass 1 }} }} }}
  {devices} ] }}
"""


def robot(
    controller: str, *, name: str = "robot", x: float = 0.0, fields: str = "", devices: str = ""
) -> str:
    """Return a robot with a motor and a position sensor, on a fixed base."""
    return CAR.format(controller=controller, name=name, x=x, fields=fields, devices=devices)


@dataclass
class Project:
    """A project folder: worlds and controllers."""

    folder: Path
    lines: list[tuple[str, str, bool]] = field(default_factory=list)
    said: list[tuple[str, str]] = field(default_factory=list)

    def controller(self, name: str, text: str, **files: str) -> None:
        """Write a controller (and more files beside it)."""
        home = self.folder / "controllers" / name
        home.mkdir(parents=True, exist_ok=True)
        (home / f"{name}.py").write_text(dedent(text))
        for other, content in files.items():
            (home / other.replace("__", ".")).write_text(dedent(content))

    def world(self, nodes: str, *, step_ms: float = 8) -> Path:
        """Write the world."""
        path = self.folder / "worlds" / "world.wbt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f"#VRML_SIM R2025a utf8\nWorldInfo {{ basicTimeStep {step_ms} }}\n{nodes}\n"
        )
        return path

    def start(
        self, nodes: str, *, step_ms: float = 8, **options: object
    ) -> tuple[sb.Sim, ControllerHub]:
        """Return a running simulation and its hub."""
        sim = sb.Sim(sb.load(self.world(nodes, step_ms=step_ms)))
        hub = ControllerHub(
            sim,
            options=ControllerOptions(**options),  # type: ignore[arg-type]
            output=lambda name, line, is_error: self.lines.append((name, line, is_error)),
            say=lambda level, text: self.said.append((level, text)),
        )
        hub.start()
        return sim, hub

    def run(self, nodes: str, seconds: float, *, step_ms: float = 8) -> sb.Sim:
        """Run a world with its controllers."""
        sim, hub = self.start(nodes, step_ms=step_ms)
        try:
            sim.run(seconds)
        finally:
            hub.close()
        return sim

    def exercise(
        self,
        body: str,
        *,
        devices: str = "",
        fields: str = "",
        nodes: str = "",
        seconds: float = 0.4,
        robot_class: str = "Robot",
        beside: Callable[[sb.Sim, ControllerHub], None] | None = None,
        world: str | None = None,
        **files: str,
    ) -> dict[str, Any]:
        """Run `body` as the controller of a robot with `devices`; return what it has put into `out`.

        `world` replaces the robot and what is beside it. `beside` is called between steps, to do what
        users or other programs would do.
        """
        called = "" if robot_class == "None" else "()"
        text = (
            f"import json, math, sys\nfrom controller import *\nrobot = {robot_class}{called}\nout = {{}}\n"
            f"{dedent(body)}\nprint(json.dumps(out))\n"
        )
        self.controller("exercise", text, **files)
        alone = robot("exercise", fields=fields, devices=devices) + nodes
        sim, hub = self.start(alone if world is None else world)
        try:
            for _ in range(round(seconds / sim.time_step)):
                sim.step(1)
                if beside is not None:
                    beside(sim, hub)
                if hub.slots[0].process is None:
                    break
        finally:
            hub.close()
        lines = self.output()
        assert lines, f"{self.said}\n" + "\n".join(self.errors())
        return json.loads(lines[-1])

    def output(self, name: str = "robot") -> list[str]:
        """Return what a controller wrote to its standard output."""
        return [line for who, line, is_error in self.lines if who == name and not is_error]

    def errors(self, name: str = "robot") -> list[str]:
        """Return what a controller wrote to its standard error."""
        return [line for who, line, is_error in self.lines if who == name and is_error]


def greeting(hub: ControllerHub, name: str, pid: int) -> bytes:
    """Return the first frame of a program that knows the secret."""
    return codec.Hello.pack(codec.MAGIC, codec.VERSION, hub.secret, name, pid)
