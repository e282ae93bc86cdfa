"""Makes `docs/images/light_*.jpg`: worlds as the page draws them, as cameras see them, and as photos.

    python docs/make_light_images.py

Needs Chromium, as the tests of the page do, and the extra `cameras`.
"""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path
from typing import Final

from PIL import Image
from playwright.sync_api import sync_playwright

import solidbody as sb
from solidbody.record.photo import PhotoMoment, eye_of, png, take_photo
from solidbody.record.viewing import ViewpointCamera
from solidbody.viewer.page_files import load_page

ROOT: Final = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from tests.browser.driving import FLAGS, SHOW_GUIDES, VIEWPORT, Viewer, find_browser  # noqa: E402
from tests.viewer.serving import running_view  # noqa: E402

IMAGES: Final = ROOT / "docs/images"
SIZE: Final = (480, 270)
SAMPLES: Final = 64

BARE: Final = (
    "document.querySelectorAll('.bar').forEach((bar) => bar.style.setProperty('display', 'none'))"
)

NIGHT: Final = """#VRML_SIM R2025a utf8
WorldInfo { }
Viewpoint { position -3.4 0.3 1.5 orientation 0 1 0 0.35 }
Background { skyColor [ 0.02 0.03 0.07 ] luminosity 0.6 }
PointLight { location 0.2 0.9 0.85 color 1 0.75 0.45 intensity 0.7 attenuation 0 0 1 castShadows TRUE }
Solid { name "floor" children [ Shape {
  appearance PBRAppearance { baseColor 0.55 0.5 0.45 roughness 0.7 metalness 0 }
  geometry Plane { size 12 12 } } ] }
Solid { name "post" translation 0.2 0.9 0.4 children [ Shape {
  appearance PBRAppearance { baseColor 0.1 0.1 0.1 roughness 0.4 }
  geometry Cylinder { radius 0.03 height 0.8 } } ] }
Solid { name "lamp" translation 0.2 0.9 0.95 children [ Shape { castShadows FALSE
  appearance PBRAppearance {
  baseColor 1 1 1 emissiveColor 1 0.75 0.45 emissiveIntensity 2 }
  geometry Sphere { radius 0.1 subdivision 4 } } ] }
Solid { name "box" translation 0 0.05 0.25 rotation 0 0 1 0.5 children [ Shape {
  appearance PBRAppearance { baseColor 0.2 0.4 0.9 roughness 0.9 metalness 0 }
  geometry Box { size 0.5 0.5 0.5 } } ] }
Solid { name "led" translation -0.24 0.02 0.52 children [ Shape { appearance PBRAppearance {
  baseColor 0 0 0 emissiveColor 0.1 1 0.2 } geometry Sphere { radius 0.025 subdivision 3 } } ] }
Solid { name "ball" translation -0.3 -0.75 0.3 children [ Shape {
  appearance PBRAppearance { baseColor 0.9 0.9 0.9 roughness 0.15 metalness 1 }
  geometry Sphere { radius 0.3 subdivision 5 } } ] }
"""


def page_picture(sim: sb.Sim) -> bytes:
    """Return what the page draws."""
    with running_view(sim, page=load_page(), paused=True) as served, sync_playwright() as tool:
        browser = tool.chromium.launch(executable_path=find_browser(), args=FLAGS)
        viewer = Viewer(browser.new_context(viewport=VIEWPORT, color_scheme="light"), served.url)
        viewer.wait_for_picture()
        viewer.page.evaluate(SHOW_GUIDES, "hidden")
        viewer.page.evaluate(BARE)
        viewer.wait_until_still()
        picture = viewer.page.screenshot()
        browser.close()
    return picture


def keep(name: str, data: bytes) -> None:
    """Write a picture in the size of the documents."""
    image = Image.open(io.BytesIO(data)).convert("RGB").resize(SIZE, Image.Resampling.LANCZOS)
    image.save(IMAGES / f"light_{name}.jpg", quality=88)


def main() -> None:
    """Make all of them."""
    large = (SIZE[0] * 3 // 2, SIZE[1] * 3 // 2)
    with tempfile.TemporaryDirectory() as folder:
        night = Path(folder) / "night.wbt"
        night.write_text(NIGHT, encoding="utf-8")
        for name, path in {"day": ROOT / "examples/looks.wbt", "night": night}.items():
            sim = sb.Sim(sb.load(str(path)))
            keep(f"{name}_camera", png(ViewpointCamera(sim, large).picture()))
            photo = take_photo(PhotoMoment.of(sim), eye_of(sim, large), large, samples=SAMPLES)
            assert photo is not None
            keep(f"{name}_photo", png(photo))
            keep(f"{name}_page", page_picture(sim))


if __name__ == "__main__":
    main()
