"""The page for everyone: by keyboard alone, on a small screen, in light and dark, read aloud."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import solidbody as sb
from solidbody.viewer.page_files import load_page
from tests.browser.conftest import OpenViewer
from tests.browser.driving import VIEWPORT, Viewer
from tests.browser.robots import arm_world
from tests.viewer.serving import running_view

pytestmark = pytest.mark.browser

PANELS = ("scene", "joints", "plots", "sensors", "console")

ENOUGH, ENOUGH_LARGE = 4.5, 3.0
"""WCAG 2.2, level AA (1.4.3): contrast of text, and of text from 24 pixels on, or 18.7 if bold."""

FOCUSED = """() => {
  const it = document.activeElement;
  const css = getComputedStyle(it);
  const name = it.getAttribute("aria-label") || it.labels?.[0]?.textContent || it.innerText || it.title || "";
  const { x, y, width, height } = it.getBoundingClientRect();
  const isRinged = css.outlineStyle !== "none" && parseFloat(css.outlineWidth) >= 1;
  const id = it.dataset.testid || it.id || it.tagName;
  return { id, name: name.trim(), box: [x, y, width, height], isRinged };
}"""
"""What has the focus: its name as it is read aloud, its place, and whether a ring is drawn around it."""

TEXTS = """() => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const rgba = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.textContent.trim();
    const holder = walker.currentNode.parentElement;
    if (!text || !holder.checkVisibility() || holder.closest("script, :disabled, #labels")) continue;
    const css = getComputedStyle(holder);
    const layers = [];
    for (let at = holder; at; at = at.parentElement) layers.push(rgba(getComputedStyle(at).backgroundColor));
    const size = parseFloat(css.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(css.fontWeight) >= 700);
    found.push({ text: text.slice(0, 40), color: rgba(css.color), layers, isLarge });
  }
  return found;
}"""
"""Every text on the screen: its colour, and the backgrounds behind it from the nearest to the page's own."""

CUT = """() => [...document.querySelectorAll("header.bar *, footer *, .dock *")]
  .filter((it) => it.checkVisibility() && it.children.length === 0 && it.textContent.trim())
  .filter((it) => it.closest("#connection, .scroll") === null && it.tagName !== "OPTION")
  .filter((it) => it.scrollWidth > it.clientWidth + 1 && getComputedStyle(it).display !== "inline")
  .map((it) => it.textContent.trim())"""
"""Texts of bars and panels that do not fit into their room; those of lists that scroll may be long."""


@pytest.fixture
def arm(tmp_path: Path, open_viewer: OpenViewer) -> Iterator[Viewer]:
    """Return a tab that shows the arm, paused."""
    world = tmp_path / "arm.wbt"
    world.write_text(
        arm_world().replace("locked TRUE", "locked TRUE wrongField 1"), encoding="utf-8"
    )
    scene = sb.load(str(world), strict=False)
    messages = scene.diagnostics
    with running_view(sb.Sim(scene), page=load_page(), paused=True, messages=messages) as view:
        tab = open_viewer(view.url)
        tab.wait_for_picture()
        yield tab
        tab.page.close()


def open_all(viewer: Viewer) -> None:
    """Open every panel, with a body selected and a curve drawn."""
    for name in PANELS:
        viewer.press(f"{name}-button")
    viewer.page.locator("button.node", has_text="CRATE").first.click()
    viewer.page.get_by_test_id("plots-choice").select_option(label="arm · distance sensor")
    viewer.wait(viewer.page.get_by_test_id("field-translation").is_visible, "the fields")


# --- by keyboard ----------------------------------------------------------------------------------


def test_tab_reaches_everything_that_can_be_pressed(arm: Viewer) -> None:
    """In turn: each has a name, a ring while it has the focus, and is on the screen; then it begins again."""
    wanted = set(
        arm.page.evaluate(
            "() => [...document.querySelectorAll('button, select, input, summary, canvas[tabindex]')]"
            ".filter((it) => it.checkVisibility() && !it.disabled && it.tabIndex >= 0)"
            ".map((it) => it.dataset.testid || it.id || it.tagName)"
        )
    )
    seen: dict[str, dict[str, Any]] = {}
    for _ in range(len(wanted) + 5):
        arm.page.keyboard.press("Tab")
        found = arm.page.evaluate(FOCUSED)
        if found["id"] in seen:
            break
        seen[found["id"]] = found
    seen.pop("BODY", None)
    assert wanted <= set(seen)
    for found in seen.values():
        assert found["name"], found
        assert found["isRinged"], found
        x, y, width, height = found["box"]
        assert x >= 0 and x + width <= VIEWPORT["width"], found
        assert y >= 0 and y + height <= VIEWPORT["height"], found
    order = [name for name in seen if name in ("canvas", "scene-button", "overlays", "play")]
    assert order == ["canvas", "scene-button", "overlays", "play"]  # as they stand: top to bottom


def test_a_world_can_be_edited_and_driven_by_keyboard_alone(arm: Viewer) -> None:
    """Open the tree, search, select, change a field, undo; move a joint; show masses; play; get help."""
    page, keyboard = arm.page, arm.page.keyboard

    def go_to(name: str) -> None:
        for _ in range(60):
            if arm.page.evaluate(FOCUSED)["id"] == name:
                return
            keyboard.press("Tab")
        raise AssertionError(f"Tab never came to {name}")

    go_to("scene-button")
    keyboard.press("Enter")
    go_to("tree-search")
    keyboard.type("crate")
    go_to("node")
    keyboard.press("Enter")
    assert arm.read("selected") == "crate"
    arm.wait(page.get_by_test_id("field-translation").is_visible, "the fields")
    go_to("field-translation")
    keyboard.press("Control+A")
    keyboard.type("0 -1 0.75")
    keyboard.press("Enter")
    arm.wait(lambda: np.allclose(arm.position("crate"), (0, -1, 0.75)), "the crate to move")
    go_to("undo")
    keyboard.press("Enter")
    arm.wait(lambda: np.allclose(arm.position("crate"), (0, 1.1, 0.25)), "the crate to return")
    go_to("joints-button")
    keyboard.press("Enter")
    arm.wait(page.get_by_test_id("joint-shoulder").is_enabled, "where the joint is")
    go_to("joint-shoulder")
    keyboard.press("ArrowRight")
    arm.wait(lambda: arm.value("joint-value-shoulder") not in ("", "0"), "the joint to move")
    go_to("overlays")
    keyboard.press("Enter")
    go_to("overlay-centres")
    keyboard.press("Space")
    arm.wait(lambda: arm.read("overlay('centres')") == 2, "the centres of mass")
    keyboard.press("Escape")
    assert not page.get_by_test_id("overlay-centres").is_visible()
    go_to("play")
    keyboard.press("Enter")
    arm.wait(lambda: not arm.read("paused"), "play")
    assert (
        arm.page.evaluate(FOCUSED)["id"] == "pause"
    )  # what was pressed has changed, not the focus
    keyboard.press("?")
    assert page.get_by_test_id("help").is_visible()
    keyboard.press("Escape")
    assert not page.get_by_test_id("help").is_visible()


# --- on a small screen ----------------------------------------------------------------------------


def test_nothing_overlaps_or_is_cut_on_a_small_screen(arm: Viewer) -> None:
    """At 1280 x 720 with all panels open: bars and panels lie side by side, their texts fit."""
    open_all(arm)
    boxes = arm.page.evaluate(
        "() => [...document.querySelectorAll('.bar > .group, .dock')].filter((it) => it.checkVisibility())"
        ".map((it) => [it.id || it.ariaLabel || it.className, it.getBoundingClientRect()])"
    )
    assert len(boxes) == 3 + 1 + len(PANELS)
    for k, (name, box) in enumerate(boxes):
        assert box["left"] >= 0 and box["right"] <= VIEWPORT["width"], name
        assert box["top"] >= 0 and box["bottom"] <= VIEWPORT["height"], name
        for other, its in boxes[k + 1 :]:
            is_beside = box["right"] <= its["left"] or its["right"] <= box["left"]
            is_apart = box["bottom"] <= its["top"] or its["bottom"] <= box["top"]
            assert is_beside or is_apart, (name, other)
    assert arm.page.evaluate(CUT) == []


# --- light and dark -------------------------------------------------------------------------------


def luminance(color: np.ndarray) -> float:
    """Return the relative luminance of an sRGB colour of 0..255 (WCAG 2.2)."""
    linear = color / 255
    linear = np.where(linear <= 0.04045, linear / 12.92, ((linear + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


def contrast(item: dict[str, Any], picture: float) -> float:
    """Return the contrast of a text if the picture behind the half transparent cards is that grey."""

    def over(layer: list[float], below: np.ndarray) -> np.ndarray:
        return layer[3] * np.array(layer[:3]) + (1 - layer[3]) * below

    behind = np.full(3, picture)
    for layer in reversed(item["layers"][:-2]):  # body and html lie behind the picture
        behind = over(layer, behind)
    one, two = luminance(over(item["color"], behind)), luminance(behind)
    return (max(one, two) + 0.05) / (min(one, two) + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out(arm: Viewer, scheme: str) -> None:
    """Against its card, over a black picture and over a white one, errors and answers too, in both themes."""
    arm.page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    # with a graphics card the cards are less opaque
    arm.page.evaluate("delete document.documentElement.dataset.software")
    assert arm.text("console-badge") == "1"
    texts = arm.page.evaluate(TEXTS)
    open_all(arm)
    for value in ("0 1", "0 1 0.25"):  # refused, accepted
        field = arm.page.get_by_test_id("field-translation")
        field.fill(value)
        field.press("Enter")
        wanted = "was changed" if value.count(" ") == 2 else "expected 3 numbers"
        arm.wait(lambda wanted=wanted: wanted in arm.text("edit-answer"), "the answer")
        texts += arm.page.evaluate(TEXTS)
    arm.press("overlays")
    texts += arm.page.evaluate(TEXTS)
    assert len(texts) > 200
    weak = {
        (item["text"], round(value, 2))
        for item in texts
        for picture in (0.0, 255.0)
        if (value := contrast(item, picture)) < (ENOUGH_LARGE if item["isLarge"] else ENOUGH)
    }
    assert sorted(weak) == []
