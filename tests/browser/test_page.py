"""The page in a real browser: it shows the simulation and drives it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import solidbody as sb
from solidbody.base.errors import SimulationError
from solidbody.viewer.page_files import load_page
from tests.browser.conftest import OpenViewer
from tests.browser.driving import VIEWPORT, Viewer, patch
from tests.browser.fixtures import FINE
from tests.browser.worlds import NASTY_NAME, pendulum_world
from tests.viewer.serving import View, running_view

pytestmark = pytest.mark.browser

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.wbt"))

FLOAT32 = 1e-5
"""[m] Poses travel as float32; in these worlds nothing is farther away than 10 m."""


# --- the picture ----------------------------------------------------------------------------------


@FINE
def test_the_canvas_shows_the_scene(viewer: Viewer) -> None:
    """Each body is where it belongs and has its colour, below a blue sky, on a grey floor."""
    viewer.pause()
    pixels = viewer.pixels()
    red, green, blue = patch(pixels, *viewer.screen_position("box"))
    assert red > 2 * green and red > 2 * blue
    red, green, blue = patch(pixels, *viewer.screen_position("pendulum"))
    assert green > 1.5 * red and green > 1.5 * blue
    red, green, blue = patch(pixels, 640, 80)
    assert blue > 1.2 * red
    floor = patch(pixels, 640, 600)
    assert floor.max() - floor.min() < 30 and 80 < floor.mean() < 250


@FINE
def test_bodies_throw_shadows(viewer: Viewer) -> None:
    """Beside the box, away from the light, the floor is darker than in the open."""
    viewer.pause()
    pixels = viewer.pixels().astype(float).mean(axis=2)
    x, y = viewer.screen_position("box")
    around = pixels[y + 5 : y + 60, x - 140 : x + 141]
    open_floor = pixels[600, 640]
    assert around.min() < 0.75 * open_floor


def test_bodies_move(viewer: Viewer) -> None:
    """Between two moments the pendulum swings, on the screen too, and the box stays."""
    first, before = viewer.position("pendulum"), viewer.pixels()
    box = viewer.position("box")
    viewer.wait(lambda: np.linalg.norm(viewer.position("pendulum") - first) > 0.2, "motion")
    changed = np.abs(viewer.pixels().astype(int) - before).max(axis=2) > 40
    assert changed[80:600].sum() > 200
    assert np.linalg.norm(viewer.position("box") - box) < 0.01


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_each_example_is_drawn(path: Path, open_viewer: OpenViewer) -> None:
    """No example is blank: the middle of the picture has many colours, and not one covers it all."""
    with running_view(sb.Sim(sb.load(str(path))), page=load_page()) as view:
        viewer = open_viewer(view.url)
        viewer.wait_for_picture()
        viewer.wait(lambda: viewer.read("time") > 0, "time to run")
        middle = viewer.pixels()[80:620] // 8
        colors, counts = np.unique(middle.reshape(-1, 3), axis=0, return_counts=True)
        assert len(colors) > 40
        assert counts.max() < 0.9 * counts.sum()
        viewer.page.close()


WIDTH = "document.getElementById('canvas').width"

COUNT_PICTURES = """async (ticks) => {
  const before = window.solidbody.cost.pictures;
  for (let k = 0; k < ticks; k++) await new Promise(requestAnimationFrame);
  return window.solidbody.cost.pictures - before;
}"""


@FINE
def test_pictures_are_fine_or_fast_as_one_likes(viewer: Viewer) -> None:
    """What stands still is drawn with 1.5 pixels for one of the screen, or always with half of one."""
    viewer.pause()
    assert viewer.page.evaluate(WIDTH) == 1.5 * VIEWPORT["width"]
    viewer.page.keyboard.press("?")
    viewer.page.get_by_test_id("pictures").select_option("fast")
    viewer.wait(lambda: viewer.read("isAtRest"), "a fast picture")
    assert viewer.page.evaluate(WIDTH) == 0.5 * VIEWPORT["width"]
    viewer.page.reload()
    viewer.wait_for_picture()
    viewer.wait(lambda: viewer.read("isAtRest"), "a picture after the reload")
    assert viewer.page.evaluate(WIDTH) == 0.5 * VIEWPORT["width"]


def test_drawing_leaves_the_processor_to_others(viewer: Viewer) -> None:
    """Without a graphics card: a rest after each picture while things move, and none is drawn in a pause."""
    viewer.wait(lambda: viewer.read("time") > 0, "time to run")
    assert 0 < viewer.page.evaluate(COUNT_PICTURES, 60) <= 31
    viewer.pause()
    assert viewer.page.evaluate(COUNT_PICTURES, 30) == 0


def test_everything_fits_on_a_small_screen(viewer: Viewer) -> None:
    """At 1280 x 720 all controls are inside the window and do not overlap."""
    boxes = [
        viewer.page.get_by_test_id(name).bounding_box()
        for name in ("reset", "pause", "step", "time", "speed", "follow", "home", "connection")
    ]
    for box in boxes:
        assert box is not None
        assert box["x"] >= 0 and box["x"] + box["width"] <= VIEWPORT["width"]
        assert box["y"] >= 0 and box["y"] + box["height"] <= VIEWPORT["height"]


# --- driving --------------------------------------------------------------------------------------


def test_pause_stops_the_motion(viewer: Viewer) -> None:
    """Time and bodies stand still, and play lets them go on."""
    viewer.wait(lambda: viewer.read("time") > 0.1, "time to run")
    viewer.pause()
    time, place = viewer.read("time"), viewer.position("pendulum")
    viewer.page.wait_for_timeout(300)
    assert viewer.read("time") == time
    np.testing.assert_array_equal(viewer.position("pendulum"), place)
    viewer.press("play")
    viewer.wait(lambda: viewer.read("time") > time, "time to go on")


def test_reset_brings_the_first_pose_back(viewer: Viewer) -> None:
    """After a reset all is as it was, to the precision of the wire."""
    start = np.array([0.0, -1.5, 1.4])
    viewer.wait(lambda: viewer.read("time") > 0.3, "time to run")
    viewer.pause()
    # it swings back to its start by itself: wait for a moment that a reset can be told from
    while np.linalg.norm(viewer.position("pendulum") - start) < 0.05:
        count = viewer.read("stepCount")
        viewer.press("step")
        viewer.wait(lambda count=count: viewer.read("stepCount") > count, "a step")
        viewer.wait_until_still()
    viewer.press("reset")
    viewer.wait(lambda: viewer.read("time") == 0, "time zero")
    viewer.wait_until_still()
    np.testing.assert_allclose(viewer.position("pendulum"), start, atol=FLOAT32)
    assert viewer.text("time") == "0.000"


def test_step_advances_one_step(viewer: Viewer, sim: sb.Sim) -> None:
    """Each press is one step: 8 ms, no more and no less."""
    viewer.pause()
    time, count = viewer.read("time"), viewer.read("stepCount")
    for number in (1, 2, 3):
        viewer.press("step")
        viewer.wait(lambda number=number: viewer.read("stepCount") == count + number, "a step")
    assert viewer.read("time") == pytest.approx(time + 3 * sim.time_step, abs=1e-9)
    assert viewer.read("paused")


def test_the_keyboard_does_what_the_buttons_do(viewer: Viewer) -> None:
    """Space pauses and plays, the dot steps, R resets, plus and minus change the speed."""
    keyboard = viewer.page.keyboard
    keyboard.press("Space")
    viewer.wait(lambda: viewer.read("paused"), "pause")
    count = viewer.read("stepCount")
    keyboard.press(".")
    viewer.wait(lambda: viewer.read("stepCount") == count + 1, "a step")
    keyboard.press("r")
    viewer.wait(lambda: viewer.read("stepCount") == 0, "reset")
    keyboard.press("-")
    viewer.wait(lambda: viewer.page.get_by_test_id("speed").input_value() == "0.5", "half speed")
    keyboard.press("Space")
    viewer.wait(lambda: not viewer.read("paused"), "play")


def test_the_keyboard_turns_the_view(viewer: Viewer) -> None:
    """Shift and an arrow turn it, the opposite arrow back; Page Up comes nearer: things are farther apart."""

    def places() -> list[tuple[int, int]]:
        return [viewer.screen_position(name) for name in ("box", "stand", "pendulum")]

    viewer.pause()
    viewer.page.get_by_test_id("canvas").focus()
    before = places()
    viewer.page.keyboard.press("Shift+ArrowLeft")
    viewer.wait(lambda: places() != before, "the view to turn")
    viewer.page.keyboard.press("Shift+ArrowRight")
    viewer.wait(lambda: places() == before, "the view to turn back")
    viewer.page.keyboard.press("PageUp")
    spread = abs(before[0][0] - before[1][0])
    viewer.wait(lambda: abs(places()[0][0] - places()[1][0]) > spread, "the view to come nearer")


def test_the_speed_is_chosen(viewer: Viewer, view: View) -> None:
    """The list changes the pace of the simulation."""
    viewer.page.get_by_test_id("speed").select_option("0.25")
    viewer.wait(lambda: 0.15 < view.player.frame.real_time_factor < 0.35, "a quarter of real time")
    viewer.page.get_by_test_id("speed").select_option("max")
    viewer.wait(lambda: view.player.frame.real_time_factor > 2, "full speed")


def test_the_camera_follows_what_is_chosen(viewer: Viewer) -> None:
    """By the list or by two clicks; it stays in the middle, and Escape lets it go."""
    viewer.page.get_by_test_id("follow").select_option(label="pendulum")
    assert viewer.read("followed") == "pendulum"
    viewer.wait(lambda: abs(viewer.screen_position("pendulum")[0] - 640) < 150, "the camera")
    viewer.page.get_by_test_id("canvas").focus()
    viewer.page.keyboard.press("Escape")
    assert viewer.read("followed") is None
    viewer.press("home")
    viewer.pause()
    viewer.page.mouse.dblclick(*viewer.screen_position("box"))
    assert viewer.read("followed") == "box"
    assert (
        viewer.page.get_by_test_id("follow").evaluate(
            "(list) => list.selectedOptions[0].textContent"
        )
        == "box"
    )


def test_two_tabs_show_the_same(viewer: Viewer, view: View, open_viewer: OpenViewer) -> None:
    """What one tab does the other one sees."""
    other = open_viewer(view.url)
    other.wait_for_picture()
    viewer.pause()
    other.wait(lambda: other.read("paused"), "pause in the other tab")
    other.wait(lambda: other.read("time") == viewer.read("time"), "the same time")


# --- trouble --------------------------------------------------------------------------------------


def test_a_lost_connection_is_shown_and_found_again(sim: sb.Sim, open_viewer: OpenViewer) -> None:
    """Without a server the page says so and nothing can be pressed; with one it goes on by itself."""
    with running_view(sim, page=load_page()) as view:
        viewer = open_viewer(view.url, may_complain=True)
        viewer.wait_for_picture()
    viewer.wait(lambda: viewer.read("connection") == "lost", "the loss to show")
    assert "No connection" in viewer.text("notice")
    assert viewer.text("connection") == "Disconnected"
    assert viewer.page.get_by_test_id("reset").is_disabled()
    with running_view(sim, page=load_page(), port=view.port) as second:
        assert second.port == view.port
        viewer.wait(lambda: viewer.read("connection") == "connected", "the connection to return")
        assert not viewer.page.get_by_test_id("notice").is_visible()
        time = viewer.read("time")
        viewer.wait(lambda: viewer.read("time") != time, "frames of the new server")
        viewer.page.close()


def test_names_from_worlds_stay_text(tmp_path: Path, open_viewer: OpenViewer) -> None:
    """A script in a name or a title is shown letter by letter and does nothing."""
    world = tmp_path / "nasty.wbt"
    world.write_text(pendulum_world(title=NASTY_NAME, box=NASTY_NAME), encoding="utf-8")
    with running_view(sb.Sim(sb.load(str(world))), page=load_page()) as view:
        viewer = open_viewer(view.url)
        viewer.wait_for_picture()
        assert viewer.text("title") == NASTY_NAME
        options = viewer.page.get_by_test_id("follow").locator("option").all_text_contents()
        assert NASTY_NAME in options
        assert viewer.page.evaluate("window.harmed") is None
        assert viewer.page.locator("h1 script, option script, h1 img").count() == 0
        viewer.page.close()


def test_a_failure_of_the_simulation_is_shown(sim: sb.Sim, open_viewer: OpenViewer) -> None:
    """Its text is on the page, as text; after a reset it is gone."""

    is_broken = True

    class Diverging(sb.Sim):
        def step(self, n: int = 1) -> None:
            super().step(n)
            if is_broken:
                raise SimulationError('link "<b>box</b>" is no longer finite', time=self.time)

    with running_view(Diverging(sim.scene), page=load_page()) as view:
        viewer = open_viewer(view.url)
        viewer.page.get_by_test_id("failure").wait_for(timeout=60_000)
        assert viewer.text("failure-text") == 'link "<b>box</b>" is no longer finite'
        viewer.wait(lambda: viewer.page.get_by_test_id("play").is_disabled(), "play to be off")
        is_broken = False
        viewer.press("reset")
        viewer.page.get_by_test_id("failure").wait_for(state="hidden", timeout=60_000)
        viewer.press("play")
        viewer.wait(lambda: not viewer.read("paused"), "play")
        viewer.page.close()
