"""Runs a program as the supervisor of a small world."""

from __future__ import annotations

import json
from textwrap import dedent
from typing import Any

import solidbody as sb
from solidbody.control.hub import ControllerHub
from tests.control.projects import Project

SUPERVISOR = 'DEF SUP Robot { name "sup" controller "sup" supervisor TRUE %s }\n'

BALL = """
DEF BALL Solid { translation 0 0 1 name "ball" children [
    DEF SHAPE Shape { appearance DEF LOOK PBRAppearance { baseColor 1 0 0 }
      geometry DEF GEO Sphere { radius 0.1 } } ]
  boundingObject USE GEO physics DEF PHYSICS Physics { density -1 mass 2 } }
"""

PRELUDE = """
import json, math, sys
from controller import *
sup = Supervisor()
out = {}
"""


def start(
    project: Project,
    nodes: str,
    *,
    step_ms: float = 8,
    externs: str = "",
    release: str = "R2025a",
) -> tuple[sb.Sim, ControllerHub]:
    """Return a running simulation of a world and its hub."""
    path = project.world("")
    path.write_text(
        f"#VRML_SIM {release} utf8\n{externs}\nWorldInfo {{ basicTimeStep {step_ms} }}\n"
        f"DEF VIEW Viewpoint {{ position -5 0 2 }}\n{nodes}"
    )
    sim = sb.Sim(sb.load(path))
    hub = ControllerHub(
        sim,
        output=lambda name, line, is_error: project.lines.append((name, line, is_error)),
        say=lambda level, text: project.said.append((level, text)),
    )
    hub.start()
    return sim, hub


def supervise(
    project: Project,
    body: str,
    nodes: str = BALL,
    *,
    fields: str = "",
    step_ms: float = 8,
    externs: str = "",
    steps: int = 200,
    release: str = "R2025a",
) -> dict[str, Any]:
    """Run `body` as a supervisor over `nodes`; return what it has put into `out`.

    The program ends by itself; what it says on its standard error is in `project.errors("sup")`.
    """
    project.controller("sup", PRELUDE + dedent(body) + "\nprint(json.dumps(out))\n")
    world = SUPERVISOR % fields + nodes
    sim, hub = start(project, world, step_ms=step_ms, externs=externs, release=release)
    try:
        for _ in range(steps):
            sim.step(1)
            if all(slot.process is None for slot in hub.slots if slot.place.name == "sup"):
                break
    finally:
        hub.close()
    lines = [line for line in project.output("sup") if line.startswith("{")]
    assert lines, f"{project.said}\n" + "\n".join(project.errors("sup"))
    return json.loads(lines[-1])
