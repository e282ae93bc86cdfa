"""Scenes as people expect to see them: neither dark nor burnt, and with a ground under robots."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import solidbody as sb
from solidbody.viewer.page_files import load_page
from tests.browser.conftest import OpenViewer
from tests.browser.fixtures import FINE
from tests.viewer.serving import running_view

pytestmark = [pytest.mark.browser, FINE]

HALL = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 }
Viewpoint { position -9 0 3 orientation 0 1 0 0.3 }
Solid { name "floor" children [ Shape {
  appearance PBRAppearance { baseColor 0.5 0.5 0.5 roughness 1 metalness 0 }
  geometry Plane { size 20 20 } } ] }
"""

LAMP = """SpotLight { attenuation 0 0 1 intensity 8 location %g %g 3 direction 0 0 -1
  cutOffAngle 1.2 beamWidth 1 }
"""

CRATE = """Solid { name "crate %d" translation %g %g 0.25 children [ Shape {
  appearance PBRAppearance { baseColor 0.5 0.5 0.5 roughness 1 metalness 0 }
  geometry Box { size 0.5 0.5 0.5 } } ] }
"""

SHEET = """Solid { name "sheet" translation 0 0 0.01 children [ Shape {
  appearance PBRAppearance { baseColor 0.8 0.8 0.8 roughness 1 metalness 0 }
  geometry IndexedFaceSet { solid FALSE coordIndex [ 0 1 2 3 -1 ]
    coord Coordinate { point [ -9 -9 0 9 -9 0 9 9 0 -9 9 0 ] } } } ] }
"""

PENDULUM = """Robot { translation 3 0 1 controller "<none>" children [ HingeJoint {
  endPoint Solid { translation 0 0.4 0 physics Physics { } boundingObject USE BOB children [
    DEF BOB Shape { geometry Sphere { radius 0.1 } } ] } } ] }
"""

BODY = """
format: ChoreonoidBody
format_version: 2.0
name: block
root_link: block
links:
  - name: block
    joint_type: free
    translation: [ 0, 0, 1 ]
    elements:
      - type: RigidBody
        mass: 1.0
        inertia: [ 1, 0, 0, 0, 1, 0, 0, 0, 1 ]
        elements:
          - type: Shape
            geometry: { type: Box, size: [ 0.5, 0.5, 0.5 ] }
"""


def test_a_hall_with_many_lamps_is_bright(tmp_path: Path, open_viewer: OpenViewer) -> None:
    """Nine lamps, each of which lights its own part: together they must not dim each other."""
    places = [(x, y) for x in (-4.0, 0.0, 4.0) for y in (-4.0, 0.0, 4.0)]
    world = tmp_path / "hall.wbt"
    crates = "".join(CRATE % (k, *at) for k, at in enumerate(places))
    world.write_text(HALL + crates + "".join(LAMP % at for at in places), encoding="utf-8")
    with running_view(sb.Sim(sb.load(str(world))), page=load_page(), paused=True) as view:
        viewer = open_viewer(view.url)
        viewer.wait_for_picture()
        viewer.wait_until_still()
        floor = viewer.pixels()[420:640, 250:1030].astype(float).mean(axis=2)
        # grey 0.5 in full light is 188 of 255; in the light of the sky alone it is below 110
        assert 115 < float(np.median(floor)) < 225
        assert float(np.quantile(floor, 0.98)) < 245  # nothing burnt right below a lamp
        assert viewer.read("overlay('grid')") == 0  # there is a floor
        viewer.page.close()


def test_a_low_sun_draws_no_stripes_on_the_floor(tmp_path: Path, open_viewer: OpenViewer) -> None:
    """While things move shadows are coarse here; what throws them must not lie in its own one."""
    world = tmp_path / "evening.wbt"
    light = "DirectionalLight { direction 0.7 -0.7 -0.16 intensity 3 castShadows TRUE }"
    world.write_text(HALL + light + SHEET + PENDULUM, encoding="utf-8")
    with running_view(sb.Sim(sb.load(str(world))), page=load_page()) as view:
        viewer = open_viewer(view.url)
        viewer.wait_for_picture()
        viewer.wait(lambda: viewer.read("time") > 1.0, "a second")
        floor = viewer.pixels()[480:640, 250:1030].astype(float).mean(axis=2)
        # neighbours differ by 2 at most; stripes make 4 and more
        assert float(np.abs(np.diff(floor, axis=0)).max()) < 3
        assert float(np.abs(np.diff(floor, axis=1)).max()) < 3
        viewer.page.close()


def test_a_robot_alone_stands_over_a_grid(tmp_path: Path, open_viewer: OpenViewer) -> None:
    """Nothing else tells where the ground is; it can be switched off, and stays off."""
    body = tmp_path / "block.body"
    body.write_text(BODY, encoding="utf-8")
    with running_view(sb.Sim(sb.load(str(body))), page=load_page(), paused=True) as view:
        viewer = open_viewer(view.url)
        viewer.wait_for_picture()
        viewer.wait(lambda: viewer.read("overlay('grid')") == 1, "the grid")
        viewer.press("overlays")
        assert viewer.page.get_by_test_id("overlay-grid").is_checked()
        viewer.page.get_by_test_id("overlay-grid").uncheck()
        assert viewer.read("overlay('grid')") == 0
        viewer.press("reload")
        viewer.settle()
        assert viewer.read("overlay('grid')") == 0
        viewer.page.close()


def test_a_forest_is_drawn_with_fewer_faces(tmp_path: Path, open_viewer: OpenViewer) -> None:
    """Of 1200 cones each has some 80 triangles, in picture and shadow; one alone has 1088."""
    tree = "Pose { translation %g %g 0.5 children [ Shape { geometry Cone { bottomRadius 0.1 height 1 } } ] }"
    trees = " ".join(tree % (k % 40 * 0.3 - 6, k // 40 * 0.3 - 4.5) for k in range(1200))
    light = "DirectionalLight { direction 0.6 0.3 -1 intensity 2 castShadows TRUE }"
    for name, forest, most in (("forest", trees, 250_000), ("tree", tree % (0, 0), 6000)):
        world = tmp_path / f"{name}.wbt"
        text = f'{HALL}{light} Solid {{ name "trees" children [ {forest} ] }}'
        world.write_text(text, encoding="utf-8")
        with running_view(sb.Sim(sb.load(str(world))), page=load_page(), paused=True) as view:
            viewer = open_viewer(view.url)
            viewer.wait_for_picture()
            viewer.wait_until_still()
            assert most / 4 < viewer.read("cost.triangles") < most
            viewer.page.close()


def test_a_billboard_stays_before_the_eye(tmp_path: Path, open_viewer: OpenViewer) -> None:
    """Two metres ahead and half a metre to the left of the viewer, also when it has turned away."""
    path = tmp_path / "board.wbt"
    red = "PBRAppearance { baseColor 0 0 0 emissiveColor 1 0 0 roughness 1 metalness 0 }"
    path.write_text(
        HALL
        + f"Billboard {{ children [ Pose {{ translation 2 0.5 0 children [ Shape {{ appearance {red} "
        "geometry Box { size 0.2 0.2 0.2 } } ] } ] }",
        encoding="utf-8",
    )
    with running_view(sb.Sim(sb.load(str(path))), page=load_page(), paused=True) as view:
        viewer = open_viewer(view.url)
        viewer.wait_for_picture()
        places = []
        for turn in (0, 200):
            if turn:
                viewer.page.mouse.move(600, 400)
                viewer.page.mouse.down()
                viewer.page.mouse.move(600 + turn, 430, steps=5)
                viewer.page.mouse.up()
            viewer.wait_until_still()
            pixels = viewer.pixels().astype(int)
            is_red = (pixels[..., 0] > 150) & (pixels[..., 1] < 90) & (pixels[..., 2] < 90)
            places.append(np.argwhere(is_red).mean(axis=0))
        viewer.page.close()
        middle = np.array(pixels.shape[:2]) / 2
    # left of the middle, and at the same place after the turn: its faces are lit alike
    np.testing.assert_allclose(places[0], places[1], atol=2.0)
    assert places[0][1] < middle[1] - 50
    assert abs(places[0][0] - middle[0]) < 20
