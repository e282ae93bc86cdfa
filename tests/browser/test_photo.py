"""Photos: path-traced stills from the menu to the file."""

from __future__ import annotations

from pathlib import Path

import pytest

import solidbody as sb
from solidbody.viewer.page_files import load_page
from tests.browser.conftest import OpenViewer
from tests.browser.driving import decode, patch
from tests.viewer.serving import running_view

pytestmark = pytest.mark.browser

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { }
Viewpoint { position -3 0 0 }
DirectionalLight { direction 0.6 0.2 -0.8 }
Solid { children [ Shape {
  appearance PBRAppearance { baseColor 0.9 0.1 0.1 roughness 1 metalness 0 } geometry Box { size 1 1 1 } } ] }
"""


def test_a_photo_is_taken_on_the_page(tmp_path: Path, open_viewer: OpenViewer) -> None:
    """From the menu to the file: it shows what the page shows, and can be stopped."""
    path = tmp_path / "world.wbt"
    path.write_text(WORLD, encoding="utf-8")
    sim = sb.Sim(sb.load(str(path)))
    if sim.devices.world.rays.is_plain:
        pytest.skip("no Warp here")
    with running_view(sim, page=load_page(), paused=True) as served:
        viewer = open_viewer(served.url)
        viewer.wait_for_picture()
        viewer.page.set_viewport_size({"width": 480, "height": 400})
        viewer.page.evaluate("document.getElementById('photo').click()")
        viewer.page.get_by_test_id("photo-quality").select_option("400")
        viewer.press("photo-take")
        viewer.page.get_by_test_id("photo-picture").wait_for(state="visible")
        viewer.press("photo-take")  # "Stop" now
        viewer.wait(lambda: viewer.page.get_by_test_id("photo-save").is_enabled(), "the photo")
        assert "stays as fine as it is" in viewer.text("photo-note")
        with viewer.page.expect_download() as download:
            viewer.press("photo-save")
        assert download.value.suggested_filename == "world-photo.png"
        pixels = decode(Path(download.value.path()).read_bytes())
        viewer.page.close()
    assert pixels.shape == (400, 480, 3)
    red, green, blue = patch(pixels, 240, 200)
    assert red > 100 > max(green, blue)
    corner = patch(pixels, 20, 20)
    assert corner.min() > 100  # the sky of the page
