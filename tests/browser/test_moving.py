"""Moving nodes in the tree, by keyboard and by mouse; choosing among the values that are allowed."""

from __future__ import annotations

import pytest

from tests.browser.driving import Viewer

pytestmark = pytest.mark.browser


@pytest.fixture
def arm(arm: Viewer) -> Viewer:
    """Return the tab of the arm with the tree of its world open."""
    arm.press("scene-button")
    return arm


def titles(viewer: Viewer) -> list[str]:
    """Return the nodes that the tree shows, from above to below."""
    return viewer.page.locator("button.node .name").all_inner_texts()


def test_nodes_move_by_keyboard_alone(arm: Viewer) -> None:
    """Alt and the arrows: up twice with the focus kept, into the one above, undone."""
    start = titles(arm)
    crate = start.index("CRATE")
    arm.page.locator("button.node", has_text="CRATE").first.focus()
    arm.page.keyboard.press("Alt+ArrowUp")
    arm.wait(lambda: titles(arm).index("CRATE") == crate - 1, "one up")
    assert "was moved" in arm.text("edit-answer")
    arm.wait(lambda: "CRATE" in arm.page.evaluate("document.activeElement.innerText"), "the focus")
    arm.page.keyboard.press("Alt+ArrowUp")
    arm.wait(lambda: titles(arm).index("CRATE") == crate - 2, "another one up")
    arm.wait(lambda: "CRATE" in arm.page.evaluate("document.activeElement.innerText"), "the focus")
    arm.page.keyboard.press("Alt+ArrowDown")
    arm.wait(lambda: titles(arm).index("CRATE") == crate - 1, "one down")
    arm.press("undo")
    arm.press("undo")
    arm.press("undo")
    arm.wait(lambda: titles(arm) == start, "all undone")


def test_nodes_are_dragged_to_where_they_belong(arm: Viewer) -> None:
    """The crate onto the wall goes into it; what does not fit is explained and stays."""
    # room for the whole tree: a list that scrolls between press and move drags what is then under the mouse
    arm.page.set_viewport_size({"width": 1280, "height": 1100})
    label = arm.page.locator("button.node", has_text="CRATE").first
    label.drag_to(arm.page.locator("button.node", has_text="WALL").first)
    arm.wait(lambda: "CRATE was moved" in arm.text("edit-answer"), "the answer")
    # how many lists it is in; the tree may be drawn anew in between, then the old node is in none
    depth = (
        "(node) => { let n = 0; while ((node = node.parentElement?.closest('ul'))) n++; return n; }"
    )
    crate = arm.page.locator("button.node", has_text="CRATE").first
    arm.wait(lambda: crate.evaluate(depth) == 2, "the crate inside the wall")
    view = arm.page.locator("button.node", has_text="Viewpoint").first
    view.drag_to(arm.page.locator("button.node", has_text="WALL").first)
    arm.wait(lambda: "stands at the top" in arm.text("edit-answer"), "the reason")


def test_allowed_values_can_be_chosen(arm: Viewer) -> None:
    """The axes of the world are three words to choose from."""
    arm.page.locator("button.node", has_text="WorldInfo").first.click()
    field = arm.page.get_by_test_id("field-coordinateSystem")
    assert field.evaluate("(e) => e.tagName") == "SELECT"
    assert field.locator("option").all_inner_texts() == ['"ENU"', '"NUE"', '"EUN"']
    field.select_option('"NUE"')
    arm.wait(lambda: "coordinateSystem was changed" in arm.text("edit-answer"), "the answer")
