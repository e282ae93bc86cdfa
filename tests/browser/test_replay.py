"""Things to keep: a replay that needs no server, a screenshot, the world with its present state."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import solidbody as sb
from solidbody.view.page_files import load_page
from tests.browser.conftest import OpenViewer
from tests.browser.driving import Viewer, patch
from tests.browser.worlds import NASTY_NAME, pendulum_world
from tests.view.serving import View, running_view

pytestmark = pytest.mark.browser

REPLAY_LIMIT = 5_000_000
"""[bytes] What can still be sent by mail."""


@pytest.fixture
def nasty_view(tmp_path: Path) -> Iterator[View]:
    world = tmp_path / "nasty.wbt"
    world.write_text(pendulum_world(title=NASTY_NAME), encoding="utf-8")
    with running_view(sb.Sim(sb.load(str(world))), page=load_page(), paused=True) as running:
        yield running


def fetch(viewer: Viewer, button: str, target: Path) -> Path:
    """Press a button of the menu and keep the file that it gives."""
    viewer.page.get_by_test_id("overlays").click()
    with viewer.page.expect_download(timeout=60_000) as waiting:
        viewer.press(button)
    waiting.value.save_as(target)
    viewer.page.get_by_test_id("overlays").click()
    return target


def test_an_exported_replay_plays_without_a_server(
    nasty_view: View, open_viewer: OpenViewer, tmp_path: Path
) -> None:
    """Offline it shows the same picture, plays, pauses, goes to any moment; nasty names stay text."""
    viewer = open_viewer(nasty_view.url)
    viewer.wait_for_picture()
    viewer.press("play")
    viewer.wait(lambda: viewer.read("time") > 1.0, "a second")
    viewer.pause()
    end = viewer.read("time")
    place = viewer.position("pendulum")
    file = fetch(viewer, "export", tmp_path / "replay.html")
    viewer.page.close()
    assert 100_000 < file.stat().st_size < REPLAY_LIMIT

    replay = open_viewer(file.as_uri())
    replay.page.context.set_offline(True)
    replay.wait_for_picture()
    assert replay.text("title") == NASTY_NAME
    assert replay.page.evaluate("window.harmed") is None
    replay.wait(lambda: replay.read("paused"), "the end")
    assert replay.read("time") == pytest.approx(end, abs=0.05)
    replay.wait_until_still()
    # the last recorded frame may be one period (1/30 s) older, at 4 m/s at most
    assert np.linalg.norm(replay.position("pendulum") - place) < 0.15
    red, green, blue = patch(replay.pixels(), *replay.screen_position("pendulum"))
    assert green > 1.5 * red and green > 1.5 * blue
    timeline = replay.page.get_by_test_id("timeline")
    timeline.evaluate("(s) => { s.value = s.min; s.dispatchEvent(new Event('input')); }")
    replay.wait(lambda: replay.read("time") < 0.1, "the start")
    replay.wait_until_still()
    assert np.linalg.norm(replay.position("pendulum") - (0.0, -1.5, 1.4)) < 0.05
    replay.press("play")
    replay.wait(lambda: replay.read("time") > 0.3, "the replay to go on")


def test_a_screenshot_and_the_world_can_be_saved(viewer: Viewer, tmp_path: Path) -> None:
    """The picture is a PNG of the view; the world loads again with the pendulum where it was."""
    viewer.wait(lambda: viewer.read("time") > 0.2, "time to run")
    viewer.pause()
    picture = fetch(viewer, "screenshot", tmp_path / "view.png")
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert picture.stat().st_size > 5_000
    place = viewer.position("pendulum")
    world = fetch(viewer, "save", tmp_path / "later.wbt")
    sim = sb.Sim(sb.load(str(world)))
    np.testing.assert_allclose(sim["pendulum"].position, place, atol=1e-4)
