"""The frame around the picture: panels that are resized, the middle of the rest, a run that is stuck."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import solidbody as sb
from solidbody.viewer.page_files import load_page
from tests.browser.conftest import OpenViewer
from tests.browser.driving import VIEWPORT, Viewer
from tests.browser.test_editing import select
from tests.viewer.serving import running_view

pytestmark = pytest.mark.browser


def width_of(viewer: Viewer, name: str) -> float:
    box = viewer.page.get_by_test_id(name).bounding_box()
    assert box is not None
    return box["width"]


def test_panels_are_resized_and_the_picture_keeps_its_middle(arm: Viewer) -> None:
    """By mouse and by keys; sizes are remembered; what is shown in full is in the middle of the rest."""
    page = arm.page
    select(arm, "CRATE")
    edge = page.get_by_test_id("edge-left-width")
    box = edge.bounding_box()
    assert box is not None
    before = width_of(arm, "scene-panel")
    x, y = box["x"] + box["width"] / 2, box["y"] + 200
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y)
    page.mouse.move(x + 120, y)
    page.mouse.up()
    arm.wait(lambda: width_of(arm, "scene-panel") == before + 120, "the width")
    edge.focus()
    page.keyboard.press("ArrowLeft")
    arm.wait(lambda: width_of(arm, "scene-panel") == before + 96, "the width by key")
    page.get_by_test_id("canvas").focus()
    page.keyboard.press("f")
    panel = page.get_by_test_id("scene-panel").bounding_box()
    assert panel is not None
    middle = (panel["x"] + panel["width"] + VIEWPORT["width"]) / 2
    arm.wait(lambda: abs(arm.screen_position("crate")[0] - middle) < 12, "the crate in the middle")
    x, y = arm.screen_position("crate")
    page.keyboard.press("Escape")
    page.mouse.click(x, y)  # what is seen is what is hit
    arm.wait(lambda: arm.read("selected") == "crate", "the selection")
    arm.press("scene-button")
    arm.wait(
        lambda: abs(arm.screen_position("crate")[0] - VIEWPORT["width"] / 2) < 12,
        "the crate in the middle of all",
    )
    page.reload()
    arm.wait_for_picture()
    arm.press("scene-button")
    assert width_of(arm, "scene-panel") == before + 96


class Stuck:
    """Goes along with a simulation, and holds a step until it is let go."""

    def __init__(self) -> None:
        self.holds = threading.Event()
        self.goes_on = threading.Event()

    def before_steps(self) -> None:
        if self.holds.is_set():
            self.goes_on.wait(60.0)

    def after_steps(self) -> None:
        """Nothing is to be done."""

    def steps_until_due(self) -> int | None:
        return 1

    def reset(self) -> None:
        """Nothing is kept."""


@pytest.fixture
def stuck() -> Iterator[Stuck]:
    hook = Stuck()
    yield hook
    hook.goes_on.set()


def test_a_run_that_is_stuck_is_no_green_one(
    world: Path, stuck: Stuck, open_viewer: OpenViewer
) -> None:
    """The connection is there, but no news come: the page says so until they do."""
    sim = sb.Sim(sb.load(str(world)))
    sim.attach(stuck)
    with running_view(sim, page=load_page()) as view:
        tab = open_viewer(view.url)
        tab.wait_for_picture()
        status = tab.page.get_by_test_id("connection")
        assert status.get_attribute("data-state") == "connected"
        stuck.holds.set()
        tab.wait(lambda: status.get_attribute("data-state") == "stalled", "the stall")
        assert "No news for" in (status.text_content() or "")
        stuck.goes_on.set()
        tab.wait(lambda: status.get_attribute("data-state") == "connected", "the news")
        tab.page.close()
