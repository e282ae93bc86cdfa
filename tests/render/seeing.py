"""What one camera at the origin sees of a few nodes, for tests of light and looks."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import solidbody as sb

UPRIGHT = "-0.577350269 0.577350269 0.577350269 -2.094395102"
"""Turns a plane across the view: its x axis to the right of the camera (-y), its y axis up (z)."""


def seen(folder: Path, nodes: str, camera: str) -> np.ndarray:
    """Return the picture that a camera takes of nodes that were read without complaint."""
    robot = f"Robot {{ children [ Camera {{ {camera} }} ] }}"
    (folder / "w.wbt").write_text(f"#VRML_SIM R2025a utf8\nWorldInfo {{ }}\n{nodes}\n{robot}\n")
    scene = sb.load(folder / "w.wbt")
    assert not [str(item) for item in scene.diagnostics if item.severity.value != "info"]
    sim = sb.Sim(scene)
    sim.device("camera").enable()
    sim.step()
    assert not [str(item) for item in sim.device_messages]
    return sim.device("camera").value.astype(float)
