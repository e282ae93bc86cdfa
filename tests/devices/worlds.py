"""Small worlds for device tests."""

from __future__ import annotations

import solidbody as sb
from solidbody.formats.loading import read_scene_text


def sim_of(nodes: str, *, step_ms: float = 8, world: str = "") -> sb.Sim:
    """Return a simulation of some nodes; the text must be free of errors."""
    text = f"#VRML_SIM R2025a utf8\nWorldInfo {{ basicTimeStep {step_ms} {world} }}\n{nodes}\n"
    scene, log = read_scene_text(text)
    assert scene is not None
    assert not log.has_errors, [str(item) for item in log]
    return sb.Sim(scene)


def falling_robot(devices: str, *, at: str = "translation 0 0 1") -> str:
    """A robot that nothing holds, 1 kg."""
    return (
        f"Robot {{ {at} children [ {devices} ] boundingObject Sphere {{ radius 0.1 }} "
        "physics Physics { density -1 mass 1 } }"
    )


def resting_robot(devices: str, *, at: str = "") -> str:
    """A robot that lies on the floor, as a box that fills the space below its origin."""
    return (
        "Solid { boundingObject Plane { } } "
        f"Robot {{ translation 0 0 0.05 {at} children [ {devices} ] "
        "boundingObject Box { size 0.4 0.4 0.1 } physics Physics { density -1 mass 2 } }"
    )
