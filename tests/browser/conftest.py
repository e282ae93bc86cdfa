"""Worlds in tabs; the browser itself is in `fixtures.py`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import solidbody as sb
from solidbody.control.hub import ControllerHub
from solidbody.viewer.page_files import load_page
from tests.browser.driving import Viewer
from tests.browser.fixtures import OpenViewer
from tests.browser.robots import arm_world
from tests.browser.worlds import pendulum_world
from tests.viewer.serving import View, running_view

__all__ = ["OpenViewer", "controlled"]


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
