"""What shows beginners the way: the cube, the hand, first steps; angles in degrees; where bodies are now."""

from __future__ import annotations

import numpy as np
import pytest

from tests.browser.driving import Viewer
from tests.browser.test_editing import select
from tests.browser.test_hands import press, view_of, way

pytestmark = pytest.mark.browser


def test_the_cube_shows_and_turns_the_view(arm: Viewer) -> None:
    """A click on the face that one sees looks at it from the front; a drag turns the view."""
    page = arm.page
    face = page.get_by_test_id("cube-back")  # the viewpoint of the world looks along x
    box = face.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.click(x, y)
    arm.wait(lambda: np.dot(way(arm), (-1, 0, 0)) > 0.9999, "the view from behind")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 20, y + 30)
    page.mouse.move(x + 40, y + 60)
    page.mouse.up()
    # 0.012 rad per pixel: to the left, and up
    arm.wait(lambda: np.arcsin(way(arm)[2]) == pytest.approx(0.72, abs=0.02), "the view from above")
    assert np.arctan2(way(arm)[1], -way(arm)[0]) == pytest.approx(0.48, abs=0.02)


def test_first_steps_are_told_once(arm: Viewer) -> None:
    hints = arm.page.get_by_test_id("hints")
    assert hints.is_visible()
    arm.press("hints-close")
    assert not hints.is_visible()
    arm.page.reload()
    arm.wait_for_picture()
    assert not hints.is_visible()


def test_the_hand_pulls_without_a_key(arm: Viewer) -> None:
    """Beside things it turns the view, as without it."""
    arm.press("hand")
    arm.press("play")
    arm.wait(lambda: not arm.read("paused"), "play")
    mouse = arm.page.mouse
    x, y = arm.screen_position("crate")
    mouse.move(x, y)
    mouse.down()
    mouse.move(x, y - 200, steps=4)  # 0.7 m; the crate hangs from its front
    arm.wait(lambda: arm.position("crate")[2] > 0.45, "the crate to rise")
    mouse.up()
    before = view_of(arm)[0]
    mouse.move(900, 600)
    mouse.down()
    mouse.move(1000, 600, steps=4)
    mouse.up()
    arm.wait(lambda: np.linalg.norm(view_of(arm)[0] - before) > 0.1, "the view to turn")


def test_a_body_can_start_where_it_is_now(arm: Viewer) -> None:
    """Start and present are told apart; the present can become the start, and undo takes it back."""
    select(arm, "CRATE")
    field, now = (
        arm.page.get_by_test_id("field-translation"),
        arm.page.get_by_test_id("now-translation"),
    )

    def present() -> list[float]:
        """Where the panel says that the crate is: it is told now and then."""
        return [float(number) for number in now.inner_text().split()]

    arm.wait(field.is_visible, "the fields")
    assert not now.is_visible()
    field.fill("0 1.1 2")
    field.press("Enter")
    arm.wait(lambda: arm.position("crate")[2] == 2, "the crate in the air")
    arm.press("play")
    arm.wait(lambda: arm.position("crate")[2] < 0.251, "the crate to lie on the floor")
    arm.pause()
    arm.wait(lambda: now.is_visible() and present()[2] < 0.27, "the present place")
    assert field.input_value() == "0 1.1 2"
    x, y, z = present()
    assert (x, y) == pytest.approx((0, 1.1), abs=0.01) and z == pytest.approx(0.25, abs=0.02)
    arm.press("start-translation")
    arm.wait(lambda: field.input_value() == f"{x:g} {y:g} {z:g}", "the start")
    arm.wait(lambda: not now.is_visible(), "the difference to go")
    arm.press("undo")
    arm.wait(lambda: field.input_value() == "0 1.1 2", "the old start")


def test_angles_are_read_and_typed_in_degrees(arm: Viewer) -> None:
    """In joints with their limits, and in fields; what is beyond a limit is refused with its reason."""
    arm.press("joints-button")
    value = arm.page.get_by_test_id("joint-value-shoulder")
    arm.wait(value.is_enabled, "where the joint is")
    assert arm.text("joint-high-shoulder") == "1.5 rad"
    arm.press("joints-unit")
    assert arm.text("joint-high-shoulder") == "85.944 °"
    value.fill("30")
    value.press("Enter")
    # turned about x by 30 degrees: y = -0.3 sin
    arm.wait(lambda: abs(arm.position("hand")[1] + 0.15) < 1e-4, "the pose")
    value.fill("90")
    value.press("Enter")
    assert value.get_attribute("aria-invalid") == "true"
    assert value.get_attribute("title") == "shoulder goes from -85.944 to 85.944 °."
    select(arm, "CRATE")
    field = arm.page.get_by_test_id("field-rotation")
    arm.wait(field.is_visible, "the fields")
    field.fill("0 0 1 90")
    field.press("Enter")
    arm.wait(lambda: arm.text("edit-answer") == "CRATE › rotation was changed.", "the answer")
    press(arm, "Escape")
    arm.press("joints-unit")
    select(arm, "CRATE")
    arm.wait(field.is_visible, "the fields")
    assert field.input_value().startswith("0 0 1 1.57079")
