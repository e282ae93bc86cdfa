"""Where pictures begin and which way they go on forms: figures of Webots' wren/StaticMesh."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import solidbody as sb
from solidbody.render.ray_engine import RayEngine
from solidbody.render.texture_rays import texels_under
from tests.devices.worlds import sim_of


def _places(sim: sb.Sim, points: list[tuple[float, float, float]]) -> np.ndarray:
    """Return texture coordinates (n, 2; v is up) where rays towards the middle meet a form."""
    rays = RayEngine(sim.scene)
    rays.update(sim.poses())
    start = 10.0 * np.array(points)
    away = -start / np.linalg.norm(start, axis=1, keepdims=True)
    found, at, _ = texels_under(rays, start, away, reach=100.0, skip=-1)
    assert (found >= 0).all()
    return at


@pytest.mark.parametrize("form", ["Sphere { radius 1 }", "Cylinder { radius 1 height 2 }"])
def test_round_forms_begin_at_the_left_and_go_by_the_back(form: str) -> None:
    """u is 0 at +y and grows by -x, -y and +x; half a turn of pictures would be seen at once."""
    sim = sim_of(f"Solid {{ children [ Shape {{ geometry {form} }} ] }}")
    points = [(-0.1, 1.0, 0.0), (-1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (1.0, 0.0, 0.0)]
    at = _places(sim, points)
    first = np.arctan2(0.1, 1.0) / (2.0 * np.pi)
    # 32-bit angles
    assert at[:, 0] == pytest.approx([first, 0.25, 0.5, 0.75], abs=1e-5)
    assert at[:, 1] == pytest.approx(0.5, abs=1e-5)


def test_caps_are_seen_as_they_lie() -> None:
    """From above the picture goes along x and y, from below its top is at -y."""
    sim = sim_of("Solid { children [ Shape { geometry Cylinder { radius 1 height 2 } } ] }")
    at = _places(sim, [(0.2, 0.4, 1.0), (0.2, 0.4, -1.0)])
    assert at == pytest.approx(np.array([[0.6, 0.7], [0.6, 0.3]]), abs=1e-5)


def test_pictures_on_boxes_stand_along_the_y_of_old_worlds(tmp_path: Path) -> None:
    """On all four sides; on top they go along x and z. The box is 2 x 4 x 6 m, a point is half way up."""
    Image.new("RGB", (4, 4)).save(tmp_path / "white.png")
    world = tmp_path / "old.wbt"
    world.write_text(
        "#VRML_SIM R2019a utf8\nWorldInfo { }\nTransform { children [ Shape { appearance Appearance { "
        'texture ImageTexture { url "white.png" } } geometry Box { size 2 4 6 } } ] }\n'
    )
    sim = sb.Sim(sb.load(world))
    points = [(0.5, 1.0, 3.0), (0.5, 1.0, -3.0), (1.0, 1.0, 1.5), (-1.0, 1.0, 1.5), (0.5, 2.0, 1.5)]
    at = _places(sim, points)
    assert at[:, 1] == pytest.approx([0.75, 0.75, 0.75, 0.75, 0.25], abs=1e-5)
    assert at[:, 0] == pytest.approx([0.75, 0.25, 0.25, 0.75, 0.75], abs=1e-5)
