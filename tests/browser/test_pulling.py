"""Alt and drag: what is gripped, and where the mouse is, reach the simulation, which finds the force."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

import solidbody as sb
from solidbody.sim.pulling import FREQUENCY
from solidbody.viewer import pulls
from solidbody.viewer.page_files import load_page
from tests.browser.driving import Viewer
from tests.viewer.serving import View, running_view

pytestmark = pytest.mark.browser

STEP = 0.008
"""[s]"""
SIDE, MASS = 0.5, 2.0
"""[m], [kg] Of the cube."""
AWAY = 5.0
"""[m] From the camera, which looks along x, to the middle of the cube."""

WORLD = f"""#VRML_SIM R2025a utf8
WorldInfo {{ basicTimeStep {1000 * STEP} gravity 0 }}
Viewpoint {{ position {-AWAY} 0 0 }}
DirectionalLight {{ direction 1 0 0 intensity 2 }}
Solid {{ name "cube" children [ DEF CUBE Shape {{
  appearance PBRAppearance {{ baseColor 0.8 0.1 0.1 roughness 1 metalness 0 }}
  geometry Box {{ size {SIDE} {SIDE} {SIDE} }}
}} ] boundingObject USE CUBE physics Physics {{ density -1 mass {MASS} }} }}
"""

DRAG = 120
"""[pixels]"""

PIXEL = np.tan(np.pi / 8) / 640
"""Length over distance on the screen: 45 degrees over 1280 pixels."""

FLOAT32 = 1e-4
"""Relative: the page computes places with 24 bits, about 6e-8 of 5 m in d = 0.4 m."""


@pytest.fixture
def sim(tmp_path: Path) -> sb.Sim:
    """Return a cube in weightlessness."""
    path = tmp_path / "cube.wbt"
    path.write_text(WORLD, encoding="utf-8")
    return sb.Sim(sb.load(str(path)))


@pytest.fixture
def view(sim: sb.Sim) -> Iterator[View]:
    with running_view(sim, page=load_page(), paused=True) as running:
        yield running


def drag_for_one_step(
    viewer: Viewer, button: Literal["left", "right"], right: int, up: int
) -> None:
    """Drag from the middle of the cube, take one step with the mouse held, let go."""
    mouse = viewer.page.mouse
    viewer.wait(lambda: viewer.screen_position("cube") == (640, 360), "the cube in the middle")
    viewer.page.keyboard.down("Alt")
    mouse.move(640, 360)
    mouse.down(button=button)
    mouse.move(640 + right, 360 - up)
    # by the page, not by the server: it comes after the pull on the same wire
    viewer.page.get_by_test_id("step").evaluate("(button) => button.click()")
    viewer.wait(lambda: viewer.read("stepCount") == 1, "the step")
    mouse.up(button=button)
    viewer.page.keyboard.up("Alt")


def test_the_left_button_pulls(viewer: Viewer, sim: sb.Sim) -> None:
    """Up by d in the plane of the cube's front: the grip gets the speed w^2 d h."""
    drag_for_one_step(viewer, "left", 0, DRAG)
    d = DRAG * PIXEL * (AWAY - SIDE / 2)
    cube = sim["cube"]
    front = np.cross(cube.angular_velocity, [-SIDE / 2, 0, 0])
    speed = FREQUENCY**2 * d * STEP
    np.testing.assert_allclose(
        cube.linear_velocity + front, [0, 0, speed], rtol=FLOAT32, atol=FLOAT32 * speed
    )
    assert cube.angular_velocity[1] > 0  # the front goes up first


def test_the_right_button_turns(viewer: Viewer, sim: sb.Sim) -> None:
    """To the right (-y) by d in the plane of the centre of mass: about that line, w^2 d h."""
    drag_for_one_step(viewer, "right", DRAG, 0)
    speed = FREQUENCY**2 * DRAG * PIXEL * AWAY * STEP
    np.testing.assert_allclose(
        sim["cube"].angular_velocity, [0, -speed, 0], rtol=FLOAT32, atol=FLOAT32 * speed
    )
    np.testing.assert_allclose(sim["cube"].linear_velocity, 0.0, atol=1e-12)


def test_a_body_that_was_let_go_flies_on_by_itself(viewer: Viewer, sim: sb.Sim) -> None:
    """Steps after the release add nothing."""
    drag_for_one_step(viewer, "left", 0, DRAG)
    before = sim["cube"].linear_velocity.copy()
    viewer.press("step")
    viewer.wait(lambda: viewer.read("stepCount") == 2, "a second step")
    np.testing.assert_array_equal(sim["cube"].linear_velocity, before)


def test_a_body_follows_the_mouse_while_time_runs(viewer: Viewer, sim: sb.Sim) -> None:
    """It comes to the mouse and stays there, in weightlessness, and follows it back."""
    mouse = viewer.page.mouse
    viewer.press("play")
    viewer.page.keyboard.down("Alt")
    mouse.move(640, 360)
    mouse.down()
    mouse.move(640, 360 - DRAG)
    way = DRAG * PIXEL * (AWAY - SIDE / 2)
    viewer.wait(
        lambda: abs(viewer.position("cube")[2] - way) < 0.25 * SIDE + 0.01, "the cube at the mouse"
    )
    mouse.move(640, 360 + DRAG)
    viewer.wait(lambda: viewer.position("cube")[2] < -0.5 * way, "the cube below")
    mouse.up()
    viewer.page.keyboard.up("Alt")


def test_a_body_that_left_the_scene_comes_back_by_undo(
    viewer: Viewer, sim: sb.Sim, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Time stops with a message; Ctrl+Z puts the body where it was before it was pulled."""
    monkeypatch.setattr(pulls, "FAR", 0.3)
    viewer.press("console-button")
    drag_for_one_step(viewer, "left", 0, DRAG)
    viewer.press("play")
    viewer.wait(lambda: "cube has left the scene" in viewer.text("console-list"), "the message")
    viewer.wait(lambda: viewer.position("cube")[2] > 0.3, "the cube far away")
    viewer.page.keyboard.press("Control+z")
    viewer.wait(lambda: abs(viewer.position("cube")).max() < 1e-6, "the cube back")
    assert sim["cube"].linear_velocity.tolist() == [0.0, 0.0, 0.0]
