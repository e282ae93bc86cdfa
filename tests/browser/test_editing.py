"""Selecting, editing and moving in the page; what controllers print and hear."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import solidbody as sb
from solidbody.viewer.page_files import load_page
from tests.browser.conftest import OpenViewer, controlled
from tests.browser.driving import Viewer
from tests.browser.robots import arm_world
from tests.browser.worlds import NASTY_NAME
from tests.viewer.serving import View, running_view

pytestmark = pytest.mark.browser

PROGRAM = f"""
from controller import Robot
robot = Robot()
keyboard = robot.getKeyboard()
keyboard.enable(8)
print({NASTY_NAME!r})
while robot.step(8) != -1:
    key = keyboard.getKey()
    if key > 0:
        print("heard", key)
"""


def select(viewer: Viewer, node: str) -> None:
    """Select a node in the tree."""
    if not viewer.page.get_by_test_id("scene-panel").is_visible():
        viewer.press("scene-button")
    viewer.page.locator("button.node", has_text=node).first.click()


def test_a_field_is_edited_and_the_edit_undone(arm: Viewer) -> None:
    """The body goes where the field says; undo and redo take it back and there again."""
    select(arm, "CRATE")
    assert arm.read("selected") == "crate"
    field = arm.page.get_by_test_id("field-translation")
    arm.wait(field.is_visible, "the fields")
    assert field.input_value() == "0 1.1 0.25"
    field.fill("0 -1 0.75")
    field.press("Enter")
    arm.wait(lambda: np.allclose(arm.position("crate"), (0, -1, 0.75)), "the crate to move")
    assert arm.read("selected") == "crate"
    arm.wait(lambda: arm.text("body-place") == "0.000, -1.000, 0.750 m", "its place to be shown")
    arm.press("undo")
    arm.wait(lambda: np.allclose(arm.position("crate"), (0, 1.1, 0.25)), "the crate to return")
    arm.press("redo")
    arm.wait(lambda: np.allclose(arm.position("crate"), (0, -1, 0.75)), "the crate to go again")
    arm.page.get_by_test_id("canvas").focus()
    arm.page.keyboard.press("Control+z")
    arm.wait(lambda: np.allclose(arm.position("crate"), (0, 1.1, 0.25)), "the keyboard's undo")


def test_a_bad_value_explains_itself(arm: Viewer) -> None:
    """The text says what is expected; nothing moves."""
    select(arm, "CRATE")
    field = arm.page.get_by_test_id("field-translation")
    arm.wait(field.is_visible, "the fields")
    field.fill("0 1")
    field.press("Enter")
    answer = arm.page.get_by_test_id("edit-answer")
    arm.wait(lambda: "expected 3 numbers" in answer.inner_text(), "the answer")
    assert np.allclose(arm.position("crate"), (0, 1.1, 0.25))


def test_handles_move_a_body_in_its_steps(arm: Viewer, arm_view: View) -> None:
    """Dragging the green arrow moves the crate along y by multiples of 0.25 m, nowhere else."""
    select(arm, "CRATE")
    arm.press("scene-button")  # out of the way
    arm.wait_until_still()
    x, y = arm.screen_position("crate")
    before = arm.position("crate")
    # the camera looks along x, so +y is to the left; the arrow begins beside the middle
    for reach in range(20, 120, 6):
        arm.page.mouse.move(x - reach, y)
        arm.settle()
        if arm.page.evaluate("window.solidbody.handle") == "Y":
            break
    else:
        raise AssertionError("no handle along y was found")
    arm.page.mouse.down()
    for k in range(1, 9):
        arm.page.mouse.move(x - reach + 12 * k, y)
        arm.settle()
    arm.page.mouse.up()
    arm.wait(lambda: abs(arm.position("crate")[1] - before[1]) > 0.2, "the crate to move")
    moved = arm.position("crate") - before
    assert moved[1] < 0
    assert moved[1] / 0.25 == pytest.approx(round(moved[1] / 0.25), abs=1e-4)
    np.testing.assert_allclose(moved[[0, 2]], 0.0, atol=1e-5)


def test_a_locked_body_has_no_handles_and_says_so(arm: Viewer) -> None:
    """The floor of this world is locked."""
    select(arm, "floor")
    assert arm.text("locked") == "“floor” is locked and cannot be moved."
    assert not arm.page.get_by_test_id("turn").is_visible()
    select(arm, "CRATE")
    assert not arm.page.get_by_test_id("locked").is_visible()
    assert arm.page.get_by_test_id("turn").is_visible()


def test_contacts_are_drawn_on_demand(arm: Viewer) -> None:
    """The crate on the floor touches it in some points, once time has run."""
    arm.press("step")
    arm.page.get_by_test_id("overlays").click()
    arm.page.get_by_test_id("overlay-contacts").check()
    arm.wait(lambda: (arm.read("contacts") or 0) >= 3, "contact points")
    arm.page.get_by_test_id("overlay-contacts").uncheck()
    assert arm.read("contacts") == 0


def test_the_console_shows_controllers_and_they_hear_keys(
    world: Path, open_viewer: OpenViewer
) -> None:
    """What a program prints is text, whatever it looks like; keys reach it while the button is in."""
    folder = world.parent.parent / "controllers" / "listener"
    folder.mkdir(parents=True)
    (folder / "listener.py").write_text(PROGRAM, encoding="utf-8")
    world.write_text(arm_world(controller="listener"), encoding="utf-8")
    sim = sb.Sim(sb.load(str(world)))
    with controlled(sim, open_viewer) as tab:
        tab.press("console-button")
        tab.wait(lambda: NASTY_NAME in tab.text("console-list"), "the output")
        assert "arm" in tab.text("console-list")
        assert tab.page.evaluate("window.harmed") is None
        tab.press("keys-button")
        tab.page.keyboard.down("a")
        tab.wait(lambda: "heard 65" in tab.text("console-list"), "the key")
        tab.page.keyboard.up("a")


def test_nodes_are_added_copied_and_removed(arm: Viewer) -> None:
    """What is new is selected; undo takes the steps back one by one."""
    arm.press("scene-button")
    arm.press("add-node")
    arm.page.get_by_test_id("insert-search").fill("ball")
    arm.page.get_by_role("button", name="ball that rolls").click()
    arm.wait(lambda: arm.read("selected") == "ball", "the ball")
    assert arm.text("edit-answer") == "ball that rolls was added."
    arm.press("copy-node")
    arm.wait(lambda: arm.read("selected") == "ball(1)", "its copy")
    arm.page.get_by_test_id("canvas").focus()
    arm.page.keyboard.press("Delete")
    exists = "(name) => window.solidbody.position(name) !== null"
    arm.wait(lambda: not arm.page.evaluate(exists, "ball(1)"), "the copy to go")
    arm.press("undo")
    arm.wait(lambda: arm.page.evaluate(exists, "ball(1)"), "the copy to return")
    for name in ("ball(1)", "ball"):
        arm.press("undo")
        arm.wait(lambda gone=name: not arm.page.evaluate(exists, gone), f"{name} to go again")


def test_only_what_fits_into_a_node_is_offered(arm: Viewer) -> None:
    """A crate with physics takes no second one; its children may be joints, not worlds."""
    select(arm, "CRATE")
    arm.press("add-node")
    names = arm.page.get_by_test_id("insert-list")
    search = arm.page.get_by_test_id("insert-search")
    arm.wait(search.is_visible, "the list")
    search.fill("HingeJoint")
    arm.wait(lambda: "HingeJoint" in names.inner_text().split(), "joints")
    search.fill("WorldInfo")
    arm.wait(lambda: "HingeJoint" not in names.inner_text().split(), "the other search")
    assert "WorldInfo" not in names.inner_text().split()
    options = arm.page.get_by_test_id("insert-field").locator("option").all_inner_texts()
    assert "children" in options and "physics" not in options
    arm.page.keyboard.press("Escape")


def test_a_field_says_what_it_is_for(arm: Viewer) -> None:
    """Type, unit, default and a sentence, for the field with the focus; what is true or false is a switch."""
    select(arm, "CRATE")
    field = arm.page.get_by_test_id("field-translationStep")
    arm.wait(field.is_visible, "the fields")
    field.focus()
    text = "translationStep SFFloat, [m], default 0.01. Step of the handles that move it; -1 = continuous."
    assert arm.text("field-doc") == text
    arm.page.get_by_test_id("field-locked").check()
    arm.wait(lambda: arm.text("locked") == "“crate” is locked and cannot be moved.", "the lock")
    arm.press("undo")
    arm.wait(lambda: not arm.page.get_by_test_id("locked").is_visible(), "the lock to open")


def test_an_error_of_the_file_leads_to_its_node(world: Path, open_viewer: OpenViewer) -> None:
    """The console names the node; a click on it selects the node in tree and picture."""
    text = arm_world().replace("translationStep 0.25", "wrongField 1")
    world.write_text(text, encoding="utf-8")
    scene = sb.load(str(world), strict=False)
    with running_view(
        sb.Sim(scene), page=load_page(), paused=True, messages=scene.diagnostics
    ) as view:
        tab = open_viewer(view.url)
        tab.wait_for_picture()
        assert tab.text("console-badge") == "1"
        tab.press("console-button")
        tab.page.get_by_test_id("console-list").get_by_role("button").click()
        tab.wait(lambda: tab.read("selected") == "crate", "the crate")
        tab.page.close()
