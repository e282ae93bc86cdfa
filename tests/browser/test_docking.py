"""Panels that are moved, tabbed and collapsed; phones, and pages that are enlarged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import solidbody as sb
from solidbody.viewer.page_files import load_page
from tests.browser.driving import PATIENCE, Viewer
from tests.browser.fixtures import OpenViewer
from tests.viewer.serving import running_view

pytestmark = pytest.mark.browser

OVER = """() => {
  const found = [];
  for (const it of document.querySelectorAll("button, select, input, summary")) {
    if (!it.checkVisibility() || it.closest(".scroll, dialog:not([open])")) continue;
    if (it.closest(".dock")) it.scrollIntoView({ block: "nearest" }); // sheets scroll
    const { left, right, top, bottom } = it.getBoundingClientRect();
    const isInside = left > -1 && right < innerWidth + 1 && top > -1 && bottom < innerHeight + 1;
    if (!isInside) found.push(it.dataset.testid || it.id || it.textContent);
  }
  return found;
}"""
"""What can be pressed but lies outside of the window."""


def box_of(viewer: Viewer, name: str) -> dict[str, float]:
    found = viewer.page.get_by_test_id(name).bounding_box()
    assert found is not None
    return {"x": found["x"], "y": found["y"], "width": found["width"], "height": found["height"]}


def test_panels_collapse_tab_and_move_and_stay_so(arm: Viewer) -> None:
    """By the list in their heads and by dragging them; the next visit finds them as they were."""
    page = arm.page
    for name in ("scene", "joints", "sensors", "console"):
        arm.press(f"{name}-button")
    arm.press("scene-collapse")
    arm.wait(lambda: box_of(arm, "scene-panel")["height"] < 60, "the panel to collapse")
    page.get_by_test_id("sensors-move").select_option("tab joints")
    arm.wait(lambda: not page.get_by_test_id("joints-panel").is_visible(), "the tab behind")
    arm.press("tab-joints")
    arm.wait(page.get_by_test_id("joints-panel").is_visible, "the tab")
    assert not page.get_by_test_id("sensors-panel").is_visible()
    # the head of the console goes onto the left side
    head = page.locator("#console-panel h2").bounding_box()
    assert head is not None
    page.mouse.move(head["x"] + 5, head["y"] + 5)
    page.mouse.down()
    page.mouse.move(200, 400, steps=4)
    page.mouse.up()
    arm.wait(lambda: box_of(arm, "console-panel")["x"] < 20, "the console on the left")
    page.reload()
    arm.wait_for_picture()
    assert box_of(arm, "console-panel")["x"] < 20
    assert box_of(arm, "scene-panel")["height"] < 60
    assert not page.get_by_test_id("sensors-panel").is_visible()
    page.get_by_test_id("console-move").select_option("reset")
    arm.wait(lambda: box_of(arm, "console-panel")["x"] > 300, "the console in its place")


@pytest.mark.parametrize("size", [(390, 844), (640, 360)], ids=["phone", "enlarged to 200 %"])
def test_everything_is_reached_on_small_screens(
    world: Path, open_viewer: OpenViewer, size: tuple[int, int]
) -> None:
    """Panels are tabs of a sheet, their buttons behind one; nothing lies outside of the window."""
    with running_view(sb.Sim(sb.load(str(world))), page=load_page(), paused=True) as view:
        viewer = open_viewer(view.url)
        page = viewer.page
        page.set_viewport_size({"width": size[0], "height": size[1]})
        viewer.wait_for_picture()
        viewer.press("hints-close")
        assert page.evaluate(OVER) == []
        for name in ("scene", "joints", "plots", "sensors", "console"):
            viewer.press("more")
            viewer.wait(page.get_by_test_id(f"{name}-button").is_visible, "the buttons")
            assert page.evaluate(OVER) == []
            viewer.press(f"{name}-button")
            viewer.press("more")
            viewer.wait(page.get_by_test_id(f"{name}-panel").is_visible, "the panel")
            assert page.evaluate(OVER) == []
        viewer.press("tab-scene")
        viewer.press("add-node")
        viewer.wait(page.get_by_test_id("thing").first.is_visible, "what can be added")
        assert page.evaluate(OVER) == []
        page.close()


def test_fingers_turn_zoom_and_select(browser: Any, world: Path) -> None:
    """A tap selects; one finger turns the view, two bring it closer."""
    with running_view(sb.Sim(sb.load(str(world))), page=load_page(), paused=True) as view:
        context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
        viewer = Viewer(context, view.url)
        viewer.wait_for_picture()
        viewer.press("hints-close")
        x, y = viewer.screen_position("arm")
        viewer.page.touchscreen.tap(x, y)
        viewer.wait(lambda: viewer.read("selected") == "arm", "the selection")
        viewer.page.keyboard.press("Escape")
        wire = context.new_cdp_session(viewer.page)

        def touch(kind: str, *points: tuple[int, int]) -> None:
            fingers = [{"x": x, "y": y, "id": k} for k, (x, y) in enumerate(points)]
            wire.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": fingers})

        def eye() -> list[float]:
            return viewer.read("view.position")

        before = eye()
        touch("touchStart", (200, 600))
        touch("touchMove", (240, 600))
        touch("touchMove", (280, 600))
        touch("touchEnd")
        viewer.wait(lambda: abs(eye()[1] - before[1]) > 0.3, "the view to turn")
        viewer.settle()
        span = viewer.page.evaluate(DISTANCE)
        touch("touchStart", (150, 500), (250, 500))
        touch("touchMove", (120, 500), (280, 500))
        touch("touchMove", (90, 500), (310, 500))
        touch("touchEnd")
        viewer.wait(lambda: viewer.page.evaluate(DISTANCE) < 0.8 * span, "the view to come closer")
        context.close()


DISTANCE = """() => {
  const { position, target } = window.solidbody.view;
  return Math.hypot(...position.map((x, k) => x - target[k]));
}"""


def test_the_page_speaks_other_languages(arm: Viewer) -> None:
    """Chosen in the help; names of the world stay as they are."""
    page = arm.page
    arm.press("show-help")
    page.get_by_test_id("language").select_option("es")
    arm.wait(lambda: arm.text("scene-button") == "Escena", "Spanish")
    arm.wait_for_picture()
    assert page.evaluate("document.documentElement.lang") == "es"
    assert page.get_by_test_id("play").get_attribute("title") == "Iniciar (Espacio)"
    arm.press("scene-button")
    page.locator("button.node", has_text="CRATE").first.wait_for(timeout=1000 * PATIENCE)
    arm.press("show-help")
    page.get_by_test_id("language").select_option("ja")
    arm.wait(lambda: arm.text("scene-button") == "シーン", "Japanese")
    arm.wait_for_picture()
