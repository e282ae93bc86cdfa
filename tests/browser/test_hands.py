"""Looking around and editing by hand: views, name of the selection, keys, fields that are dragged."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.browser.driving import VIEWPORT, Viewer
from tests.browser.test_editing import select

pytestmark = pytest.mark.browser

EXISTS = "(name) => window.solidbody.position(name) !== null"


def press(viewer: Viewer, key: str) -> None:
    """Press a key over the picture."""
    viewer.page.get_by_test_id("canvas").focus()
    viewer.page.keyboard.press(key)


def view_of(viewer: Viewer) -> tuple[NDArray[np.float64], NDArray[np.float64], bool]:
    """Return where one looks from, at what, and whether without perspective."""
    found: Any = viewer.read("view")
    return np.array(found["position"]), np.array(found["target"]), found["isFlat"]


def way(viewer: Viewer) -> NDArray[np.float64]:
    """Return the direction from what is looked at to the eye."""
    position, target, _ = view_of(viewer)
    return (position - target) / np.linalg.norm(position - target)


def test_the_selection_is_framed_and_seen_from_all_sides(arm: Viewer) -> None:
    """F puts it into the middle; numbers turn around it; without perspective lengths compare."""
    select(arm, "CRATE")
    press(arm, "f")
    arm.wait(
        lambda: np.linalg.norm(view_of(arm)[1] - (0, 1.1, 0.25)) < 0.01, "the crate in the middle"
    )
    distance = np.linalg.norm(view_of(arm)[0] - view_of(arm)[1])
    assert 0.5 < distance < 4.0  # a cube of half a metre
    sides = ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1))
    for key, side in enumerate(sides, start=1):
        press(arm, str(key))
        arm.wait(lambda side=side: np.dot(way(arm), side) > 0.999, f"the view of {key}")
    press(arm, "Escape")
    press(arm, "f")  # nothing is selected: everything
    arm.wait(lambda: np.linalg.norm(view_of(arm)[0] - view_of(arm)[1]) > 6, "the whole scene")
    press(arm, "5")
    press(arm, "0")
    arm.wait(lambda: view_of(arm)[2], "no perspective")
    arm.wait_until_still()
    arm_at, crate, wall = (
        np.array(arm.screen_position(name)) for name in ("arm", "crate", "red wall")
    )
    # from above, at different heights: pixels per metre are the same
    scale = np.linalg.norm(crate - arm_at) / 1.1
    assert scale > 10
    assert np.linalg.norm(wall - arm_at) / 1.5 == pytest.approx(scale, rel=0.05)
    press(arm, "0")
    arm.wait(lambda: not view_of(arm)[2], "perspective")


def test_the_view_is_kept_when_the_page_is_loaded_again(arm: Viewer) -> None:
    """Within a tab; H leads back to that of the file."""
    first = view_of(arm)[0]
    press(arm, "4")
    arm.wait(lambda: np.dot(way(arm), (0, -1, 0)) > 0.999, "the view from the right")
    kept = view_of(arm)[0]
    arm.page.reload()
    arm.wait_for_picture()
    np.testing.assert_allclose(view_of(arm)[0], kept, atol=1e-6)
    press(arm, "h")
    arm.wait(lambda: np.allclose(view_of(arm)[0], first, atol=1e-6), "the first view")


def test_the_selection_has_a_name_tag_and_escape_takes_it_away(arm: Viewer) -> None:
    x, y = arm.screen_position("crate")
    arm.page.mouse.click(x, y)
    tag = arm.page.get_by_test_id("tag")
    arm.wait(tag.is_visible, "the tag")
    assert tag.inner_text() == "crate"
    box = tag.bounding_box()
    assert box is not None and box["y"] + box["height"] < y
    assert abs(box["x"] + box["width"] / 2 - x) < 30
    press(arm, "Escape")
    arm.wait(lambda: not tag.is_visible(), "the tag to go")
    assert arm.read("selected") is None


def test_a_click_on_the_floor_does_not_make_it_the_parent(arm: Viewer) -> None:
    """What is selected in the picture is shown; Add means the world. In the tree it means the node."""
    arm.press("scene-button")
    arm.wait_until_still()
    arm.page.mouse.click(VIEWPORT["width"] - 200, VIEWPORT["height"] - 150)
    arm.wait(lambda: arm.read("selected") == "floor", "the floor")
    arm.press("add-node")
    arm.wait(lambda: arm.text("insert-title") == "Add to the world", "the title")
    arm.page.keyboard.press("Escape")
    select(arm, "CRATE")
    arm.press("add-node")
    arm.wait(lambda: arm.text("insert-title") == "Add to CRATE (Solid)", "the title")


def test_nodes_are_copied_pasted_and_doubled_by_keys(arm: Viewer) -> None:
    """Ctrl+C, Ctrl+V, Ctrl+D and Ctrl+Z; a copy stands on the height of what was copied."""
    select(arm, "CRATE")
    press(arm, "Control+c")
    arm.wait(lambda: arm.text("edit-answer") == "CRATE was copied.", "the answer")
    press(arm, "Control+v")
    arm.wait(lambda: arm.page.evaluate(EXISTS, "crate(1)"), "the pasted crate")
    assert arm.position("crate(1)")[2] == pytest.approx(0.25)
    arm.wait(lambda: arm.read("selected") == "crate(1)", "its selection")
    press(arm, "Control+d")
    arm.wait(lambda: arm.page.evaluate(EXISTS, "crate(2)"), "its double")
    for name in ("crate(2)", "crate(1)"):
        press(arm, "Control+z")
        arm.wait(lambda name=name: not arm.page.evaluate(EXISTS, name), f"{name} to go")


def test_numbers_are_dragged_and_colours_chosen(arm: Viewer) -> None:
    """A drag of 50 pixels is half a metre, and one step that can be undone."""
    select(arm, "CRATE")
    handle = arm.page.get_by_test_id("spin-translation-1")
    arm.wait(handle.is_visible, "the handle")
    handle.scroll_into_view_if_needed()
    box = handle.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    arm.page.mouse.move(x, y)
    arm.page.mouse.down()
    for k in range(1, 6):
        arm.page.mouse.move(x + 10 * k, y)
    arm.page.mouse.up()
    arm.wait(lambda: abs(arm.position("crate")[1] - 1.1) > 0.3, "the crate to move")
    assert arm.position("crate")[1] == pytest.approx(1.65, abs=0.02)  # of 1.1: 0.011 m per pixel
    assert arm.text("edit-answer") == "CRATE › translation was changed."
    arm.press("undo")
    arm.wait(lambda: np.allclose(arm.position("crate"), (0, 1.1, 0.25)), "the crate to return")
    select(arm, "DirectionalLight")
    picker = arm.page.get_by_test_id("color-color")
    arm.wait(picker.is_visible, "the colour")
    assert picker.input_value() == "#ffffff"
    picker.fill("#ff8000")
    field = arm.page.get_by_test_id("field-color")
    arm.wait(lambda: field.input_value() == "1 0.502 0", "the colour in the field")


def test_what_is_refused_stays_to_be_mended(arm: Viewer) -> None:
    """The field keeps what was typed, marked, until it is right."""
    select(arm, "CRATE")
    field = arm.page.get_by_test_id("field-translation")
    arm.wait(field.is_visible, "the fields")
    field.fill("0 1")
    field.press("Enter")
    arm.wait(lambda: field.get_attribute("aria-invalid") == "true", "the mark")
    assert field.input_value() == "0 1"
    assert "expected 3 numbers" in (field.get_attribute("title") or "")
    field.fill("0 1 0.25")
    field.press("Enter")
    arm.wait(lambda: np.allclose(arm.position("crate"), (0, 1, 0.25)), "the crate to move")
    arm.wait(lambda: field.get_attribute("aria-invalid") is None, "the mark to go")
