"""A browser for all tests of this folder, and tabs that must not complain."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

import solidbody as sb
from solidbody.control.hub import ControllerHub
from solidbody.view.page_files import load_page
from tests.browser.driving import FLAGS, VIEWPORT, Viewer, find_browser
from tests.browser.robots import arm_world
from tests.browser.worlds import pendulum_world
from tests.view.serving import View, running_view

OpenViewer = Callable[..., Viewer]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Start the machine's own Chromium, without a window."""
    path = find_browser()
    if path is None:
        pytest.skip("no Chromium on the PATH (Debian: apt install chromium)")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield running
        running.close()


@pytest.fixture
def open_viewer(browser: Browser) -> Iterator[OpenViewer]:
    """Open tabs; after the test none of them may have logged an error or a warning.

    A tab opened with `may_complain` is left out: browsers log every refused connection themselves.
    """
    context = browser.new_context(viewport=VIEWPORT, color_scheme="light")
    strict: list[Viewer] = []

    def open_one(url: str, *, may_complain: bool = False) -> Viewer:
        viewer = Viewer(context, url)
        if not may_complain:
            strict.append(viewer)
        return viewer

    yield open_one
    context.close()
    assert [viewer.errors for viewer in strict if viewer.errors] == []


@pytest.fixture
def sim(tmp_path: Path) -> sb.Sim:
    """Return the pendulum world, simulated."""
    world = tmp_path / "pendulum.wbt"
    world.write_text(pendulum_world(), encoding="utf-8")
    return sb.Sim(sb.load(str(world)))


@pytest.fixture
def view(sim: sb.Sim) -> Iterator[View]:
    """Serve the pendulum world with the real page."""
    with running_view(sim, page=load_page()) as running:
        yield running


@pytest.fixture
def viewer(view: View, open_viewer: OpenViewer) -> Viewer:
    """Return a tab that shows the running pendulum world."""
    tab = open_viewer(view.url)
    tab.wait_for_picture()
    return tab


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """Return the file of the world with an arm, in the folders of a project."""
    path = tmp_path / "worlds" / "arm.wbt"
    path.parent.mkdir()
    path.write_text(arm_world(), encoding="utf-8")
    return path


@pytest.fixture
def arm_view(world: Path) -> Iterator[View]:
    """Serve the arm in a pause."""
    with running_view(sb.Sim(sb.load(str(world))), page=load_page(), paused=True) as running:
        yield running


@pytest.fixture
def arm(arm_view: View, open_viewer: OpenViewer) -> Viewer:
    """Return a tab that shows the arm."""
    tab = open_viewer(arm_view.url)
    tab.wait_for_picture()
    return tab


@contextmanager
def controlled(sim: sb.Sim, open_viewer: OpenViewer) -> Iterator[Viewer]:
    """Run the programs of a scene and show it in a tab."""
    hub = ControllerHub(sim)
    hub.start()
    try:
        with running_view(sim, page=load_page()) as view:
            tab = open_viewer(view.url)
            tab.wait_for_picture()
            yield tab
            tab.page.close()
    finally:
        hub.close()
