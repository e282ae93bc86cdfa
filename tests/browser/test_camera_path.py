"""A way of the camera: views are chosen, played, filmed, kept, and go into replays; links to moments."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.browser.driving import Viewer
from tests.browser.fixtures import OpenViewer
from tests.browser.test_hands import press, view_of, way
from tests.browser.test_replay import fetch

pytestmark = pytest.mark.browser


def add_views(viewer: Viewer) -> None:
    """Choose a view from the front and one from above."""
    viewer.press("share")
    viewer.press("path")
    for key, side in (("1", (1, 0, 0)), ("5", (0, 0, 1))):
        press(viewer, key)
        viewer.wait(lambda side=side: np.dot(way(viewer), side) > 0.999, "the view")
        viewer.press("path-add")
    assert viewer.page.locator(".path-view").count() == 2


def test_the_camera_goes_through_views_and_films_that(arm: Viewer, tmp_path: Path) -> None:
    """From the first to the last; the film ends by itself; the way is there at the next visit."""
    add_views(arm)
    seconds = arm.page.get_by_test_id("path-seconds")
    seconds.fill("6")  # a busy machine encodes few pictures
    seconds.press("Enter")
    press(arm, "3")  # from elsewhere
    arm.wait(lambda: np.dot(way(arm), (0, 1, 0)) > 0.999, "another view")
    with arm.page.expect_download() as film:
        arm.press("path-film")
    film.value.save_as(tmp_path / "film")
    assert (tmp_path / "film").stat().st_size > 1000
    assert np.dot(way(arm), (0, 0, 1)) > 0.99
    arm.page.reload()
    arm.wait_for_picture()
    arm.press("share")
    arm.press("path")
    assert arm.page.locator(".path-view").count() == 2
    arm.press("path-clear")
    assert arm.page.locator(".path-view").count() == 0


def test_a_replay_has_the_way_and_links_to_moments(
    arm: Viewer, open_viewer: OpenViewer, tmp_path: Path
) -> None:
    """The address of a moment opens the replay there, in a pause, with that view."""
    add_views(arm)
    arm.press("play")
    arm.wait(lambda: arm.read("time") > 1.0, "a second")
    arm.pause()
    arm.page.locator(".card.path header button").click()
    file = fetch(arm, "export", tmp_path / "run.html")
    replay = open_viewer(file.as_uri())
    replay.wait_for_picture()
    replay.press("share")
    replay.press("path")
    assert replay.page.locator(".path-view").count() == 2
    replay.wait(lambda: replay.read("paused"), "the end")
    press(replay, "3")
    replay.wait(lambda: np.dot(way(replay), (0, 1, 0)) > 0.999, "the view")
    timeline = replay.page.get_by_test_id("timeline")
    timeline.evaluate("(s) => { s.value = 0.5; s.dispatchEvent(new Event('input')); }")
    replay.wait(lambda: abs(replay.read("time") - 0.5) < 0.01, "the moment")
    position = view_of(replay)[0]
    if not replay.page.get_by_test_id("link").is_visible():
        replay.press("share")
    replay.press("link")
    replay.wait(lambda: "#t=0.5&view=" in replay.page.url, "the address")
    other = open_viewer(replay.page.url)
    other.wait_for_picture()
    assert other.read("paused")
    assert other.read("time") == pytest.approx(0.5, abs=0.01)
    np.testing.assert_allclose(view_of(other)[0], position, atol=1e-3)
