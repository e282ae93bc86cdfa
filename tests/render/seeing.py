"""What one camera at the origin sees of a few nodes, for tests of light and looks.

The laws of Webots' shaders are written down here once more, one line each, as the oracle of these tests.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

import solidbody as sb

UPRIGHT = "-0.577350269 0.577350269 0.577350269 -2.094395102"
"""Turns a plane across the view: its x axis to the right of the camera (-y), its y axis up (z)."""


PAPER = 207
"""[of 255] What a picture shows of light of strength 1: 255 (1 - 1/e)^(1/2.2) = 207.01."""


def shown(light: ArrayLike) -> NDArray[np.float64]:
    """Return the values 0..255 that a picture shows of light."""
    return 255.0 * (1.0 - np.exp(-np.asarray(light, dtype=float))) ** (1.0 / 2.2)


def light_of(values: ArrayLike) -> NDArray[np.float64]:
    """Return the light of which a picture shows these values."""
    return -np.log(1.0 - (np.asarray(values, dtype=float) / 255.0) ** 2.2)


def lit(
    normal: ArrayLike,
    to_lamp: ArrayLike,
    to_eye: ArrayLike,
    *,
    strength: float = 1.0,
    roughness: float = 1.0,
    base: float = 1.0,
) -> NDArray[np.float64]:
    """Return the light of a lamp that no metal of a grey `base` throws to the eye; vectors (..., 3)."""
    n, lamp, v = (np.asarray(a, dtype=float) for a in (normal, to_lamp, to_eye))
    h = (lamp + v) / np.linalg.norm(lamp + v, axis=-1, keepdims=True)
    nl, nv, nh, vh = (
        np.clip((a * b).sum(-1), 1e-4, 1.0) for a, b in ((n, lamp), (n, v), (n, h), (v, h))
    )
    fresnel = 0.04 + 0.96 * (1.0 - vh) ** 5
    a2 = roughness**4
    shadow = [2.0 * c / (c + np.sqrt(a2 + (1.0 - a2) * c * c)) for c in (nl, nv)]
    facets = a2 / (np.pi * (nh * nh * (a2 - 1.0) + 1.0) ** 2)
    diffuse = (1.0 - fresnel) * 0.96 * base / np.pi * strength
    mirror = fresnel * shadow[0] * shadow[1] * facets / (4.0 * nl * nv)
    return nl * strength * (diffuse + mirror)


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
