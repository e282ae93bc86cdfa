"""Every form, material and mark is drawn where it is and as it looks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import solidbody as sb
from solidbody.viewer.page_files import load_page
from solidbody.viewer.protocol import CommandStep
from tests.browser.conftest import OpenViewer
from tests.browser.driving import patch
from tests.browser.fixtures import FINE
from tests.viewer.serving import running_view

pytestmark = [pytest.mark.browser, FINE]

AWAY = 10.0
"""[m] From the camera, which looks along x, to the plane of the forms."""

SCALE = 640 / np.tan(np.pi / 8) / AWAY
"""[pixels/m] In that plane: 45 degrees over 1280 pixels."""

HEAD = f"""#VRML_SIM R2025a utf8
WorldInfo {{ basicTimeStep 8 gravity 0 }}
Viewpoint {{ position {-AWAY} 0 0 }}
Background {{ skyColor [ 1 1 1 ] }}
DirectionalLight {{ direction 1 0 0 intensity 2 ambientIntensity 1 }}
"""

STL = """solid s
facet normal -1 0 0 outer loop
vertex 0 0.4 -0.3 vertex 0 -0.4 -0.3 vertex 0 0 0.4
endloop endfacet endsolid s
"""

FORMS = {
    "Box": "Box { size 0.6 0.6 0.6 }",
    "Sphere": "Sphere { radius 0.35 }",
    "Cylinder": "Cylinder { radius 0.3 height 0.6 }",
    "Cone": "Cone { bottomRadius 0.4 height 0.8 }",
    "Capsule": "Capsule { radius 0.2 height 0.4 }",
    "IndexedFaceSet": "IndexedFaceSet { coord Coordinate { point [ 0 0.4 -0.3, 0 -0.4 -0.3, 0 0 0.4 ] } "
    "coordIndex [ 0 1 2 -1 ] }",
    "Mesh": 'Mesh { url [ "face.stl" ] }',
}
"""All around (0, 0, 0); seen from -x their middles are covered."""

FLAT = {
    "Plane": "Plane { size 0.7 0.7 }",
    "ElevationGrid": "ElevationGrid { xDimension 3 yDimension 3 xSpacing 0.35 ySpacing 0.35 "
    "height [ 0 0 0 0 0.1 0 0 0 0 ] }",
}
"""Turned towards the camera; a grid begins at its corner."""

GREEN = "PBRAppearance { baseColor 0.05 0.6 0.05 roughness 1 metalness 0 }"


def _place(row: int, column: int) -> tuple[float, float]:
    """Return y and z of a place on the wall of forms, from its top left."""
    return 2.7 - 0.9 * column, 1.2 - 0.9 * row


def _pixel(y: float, z: float) -> tuple[int, int]:
    return round(640 - y * SCALE), round(360 - z * SCALE)


def _write(folder: Path, text: str) -> sb.Sim:
    path = folder / "world.wbt"
    path.write_text(HEAD + text, encoding="utf-8")
    return sb.Sim(sb.load(str(path)))


def _is_green(color: np.ndarray) -> bool:
    return bool(color[1] > 1.5 * color[0] and color[1] > 1.5 * color[2])


def test_every_geometry_is_drawn_in_its_place(tmp_path: Path, open_viewer: OpenViewer) -> None:
    """Green in the middle of each, white sky between them; the same again as a classic material."""
    (tmp_path / "face.stl").write_text(STL, encoding="utf-8")
    classic = "Appearance { material Material { diffuseColor 0.05 0.6 0.05 } }"
    nodes: list[str] = []
    places: dict[str, tuple[float, float]] = {}
    for row, look in enumerate((GREEN, classic)):
        for column, (name, form) in enumerate(FORMS.items()):
            y, z = places[f"{name} {row}"] = _place(row, column)
            nodes.append(
                f"Pose {{ translation 0 {y} {z} children [ Shape {{ appearance {look} geometry {form} }} ] }}"
            )
    for column, (name, form) in enumerate(FLAT.items()):
        y, z = places[name] = _place(2, column)
        corner = "translation -0.35 -0.35 0" if name == "ElevationGrid" else ""
        nodes.append(
            f"Pose {{ translation 0 {y} {z} rotation 0 1 0 -1.5708 children [ Pose {{ {corner} "
            f"children [ Shape {{ appearance {GREEN} geometry {form} }} ] }} ] }}"
        )
    with running_view(_write(tmp_path, " ".join(nodes)), page=load_page(), paused=True) as view:
        viewer = open_viewer(view.url)
        viewer.wait_for_picture()
        viewer.wait_until_still()
        pixels = viewer.pixels()
        viewer.page.close()
    missing = [n for n, at in places.items() if not _is_green(patch(pixels, *_pixel(*at), reach=2))]
    assert missing == []
    for row in range(2):
        for column in range(len(FORMS) - 1):
            y, z = _place(row, column)
            assert patch(pixels, *_pixel(y - 0.45, z + 0.3), reach=1).min() > 200, (row, column)


def test_what_is_behind_glass_shines_through(tmp_path: Path, open_viewer: OpenViewer) -> None:
    """A green ball behind a red pane of 0, 50 and 100 % transparency: red, both, green."""
    panes = " ".join(
        f"Pose {{ translation -1 {y} 0 children [ Shape {{ appearance PBRAppearance {{ baseColor 0.8 0 0 "
        f"roughness 1 metalness 0 transparency {t} }} geometry Box {{ size 0.01 0.8 0.8 }} }} ] }} "
        f"Pose {{ translation 0 {y} 0 children [ Shape {{ appearance {GREEN} "
        f"geometry Sphere {{ radius 0.3 }} }} ] }}"
        for y, t in ((1.5, 0.0), (0.0, 0.5), (-1.5, 1.0))
    )
    with running_view(_write(tmp_path, panes), page=load_page(), paused=True) as view:
        viewer = open_viewer(view.url)
        viewer.wait_for_picture()
        viewer.wait_until_still()
        pixels = viewer.pixels()
        viewer.page.close()
    closed, half, clear = (patch(pixels, *_pixel(y, 0.0), reach=2) for y in (1.5, 0.0, -1.5))
    assert closed[0] > 2 * closed[1]
    assert _is_green(clear)
    assert closed[0] > half[0] > clear[0] and closed[1] < half[1] < clear[1]


def test_a_pen_leaves_its_ink(tmp_path: Path, open_viewer: OpenViewer) -> None:
    """Red ink on a white board without a texture, below the pen only; a reset wipes it off."""
    sim = _write(
        tmp_path,
        'Solid { name "board" children [ DEF BOARD Shape { '
        "appearance PBRAppearance { roughness 1 metalness 0 } "
        "geometry Box { size 0.1 4 2 } } ] boundingObject USE BOARD } "
        'Robot { name "painter" controller "<none>" translation -0.4 1 0 rotation 0 1 0 -1.5708 '
        "children [ Pen { leadSize 0.6 inkColor 0.9 0 0 inkDensity 1 write TRUE } ] }",
    )
    inked, clean = _pixel(1.0, 0.0), _pixel(-1.0, 0.0)
    with running_view(sim, page=load_page(), paused=True) as view:
        viewer = open_viewer(view.url)
        viewer.wait_for_picture()
        viewer.wait_until_still()
        before = patch(viewer.pixels(), *inked)
        assert before.max() - before.min() < 20  # white
        view.player.send(CommandStep(2))
        # shape 0 is the bounding object
        viewer.wait(lambda: viewer.read("isCoated(1)"), "the ink")
        viewer.wait_until_still()
        pixels = viewer.pixels()
        ink, beside = patch(pixels, *inked), patch(pixels, *clean)
        assert ink[0] > 1.5 * ink[1] and ink[0] > 1.5 * ink[2]
        assert beside.max() - beside.min() < 20
        viewer.press("reset")

        def is_wiped() -> bool:
            now = patch(viewer.pixels(), *inked)
            return bool(now.max() - now.min() < 20)

        viewer.wait(is_wiped, "a clean board")
        viewer.page.close()


@pytest.mark.parametrize("name", ["rover.body", "yard.cnoid"])
def test_choreonoids_files_are_shown_with_links_and_joints(
    name: str, open_viewer: OpenViewer
) -> None:
    """The tree lists links; each joint has a slider; things can be added, as to worlds."""
    path = Path(__file__).parents[2] / "examples" / "choreonoid" / name
    sim = sb.Sim(sb.load(str(path)))
    with running_view(sim, page=load_page(), paused=True) as view:
        viewer = open_viewer(view.url)
        viewer.wait_for_picture()
        viewer.press("scene-button")
        viewer.press("joints-button")
        assert viewer.page.get_by_test_id("add-node").is_visible()
        viewer.page.get_by_test_id("tree-search").fill("CHASSIS")
        viewer.page.locator("button.node").first.click()
        selected = viewer.read("selected")
        assert selected is not None and "CHASSIS" in selected
        assert "kg" in viewer.text("body-table")
        sliders = viewer.page.locator("[data-testid^='joint-'][type='range']")
        assert sliders.count() == len(sim.joint_names)
        colors = np.unique(viewer.pixels()[80:620, 340:940].reshape(-1, 3) // 8, axis=0)
        assert len(colors) > 20
        viewer.page.close()
