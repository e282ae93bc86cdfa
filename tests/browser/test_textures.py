"""Pictures on surfaces."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

import solidbody as sb
from solidbody.viewer.page_files import load_page
from tests.browser.conftest import OpenViewer
from tests.browser.driving import patch
from tests.browser.fixtures import FINE
from tests.viewer.serving import running_view

pytestmark = [pytest.mark.browser, FINE]

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 }
Viewpoint { position -5 0 0 }
DirectionalLight { direction 1 0 0 intensity 3 }
Solid { name "board" children [ Shape {
  appearance PBRAppearance {
    baseColorMap ImageTexture { url [ "flag.png" ] }
    textureTransform TextureTransform { scale 2 1 }
    roughness 1 metalness 0
  }
  geometry Box { size 0.1 3 2 }
} ] }
"""


def test_a_texture_is_drawn_upright_and_as_often_as_its_transform_says(
    tmp_path: Path, open_viewer: OpenViewer
) -> None:
    """A flag, red on the left over blue and green on the right, stands twice on the board."""
    flag = Image.new("RGB", (64, 64), (220, 10, 10))
    flag.paste((10, 160, 10), (32, 0, 64, 64))
    flag.paste((10, 10, 220), (0, 32, 32, 64))
    flag.save(tmp_path / "flag.png")
    world = tmp_path / "board.wbt"
    world.write_text(WORLD, encoding="utf-8")
    with running_view(sb.Sim(sb.load(str(world))), page=load_page(), paused=True) as view:
        viewer = open_viewer(view.url)
        viewer.wait_for_picture()
        viewer.wait_until_still()
        pixels = viewer.pixels()
        x, y = viewer.screen_position("board")
        # 3 m at 4.95 m, 45 degrees over 1280 pixels: 312 pixels per metre
        scale = 640 / 0.41421 / 4.95
        seen = [
            int(patch(pixels, round(x + across * scale), round(y - 0.4 * scale)).argmax())
            for across in (-1.125, -0.375, 0.375, 1.125)
        ]
        assert seen == [0, 1, 0, 1]
        below = patch(pixels, round(x - 1.125 * scale), round(y + 0.4 * scale))
        assert below.argmax() == 2
        viewer.page.close()
