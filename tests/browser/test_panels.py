"""The panels beside the picture: joints, plots, sensors, masses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import solidbody as sb
from solidbody.viewer.page_files import load_page
from tests.browser.driving import VIEWPORT, Viewer
from tests.viewer.serving import View, running_view

pytestmark = pytest.mark.browser

ARM_REACH = 0.3
"""[m] From the shoulder to the origin of the hand."""


@pytest.fixture
def arm_sim(world: Path) -> sb.Sim:
    return sb.Sim(sb.load(str(world)))


@pytest.fixture
def arm_view(arm_sim: sb.Sim) -> Iterator[View]:
    """Serve the arm while time runs."""
    with running_view(arm_sim, page=load_page()) as running:
        yield running


def slide(viewer: Viewer, joint: str, value: float) -> None:
    """Move the slider of a joint, as a user's hand does."""
    viewer.page.get_by_test_id(f"joint-{joint}").evaluate(
        "(slider, value) => { slider.value = value; slider.dispatchEvent(new Event('input')); }",
        str(value),
    )


def number(text: str) -> float:
    return float(text.split()[0]) if text else np.nan


def test_a_slider_drives_the_motor(arm: Viewer) -> None:
    """While time runs the arm goes where the slider stands, at the speed of its motor."""
    arm.press("joints-button")
    before = arm.position("hand")
    slide(arm, "shoulder", 1.0)
    arm.wait(lambda: abs(number(arm.value("joint-value-shoulder")) - 1.0) < 0.02, "the arm")
    # turned about x by 1 rad from upright: y = -r sin 1
    expected = np.array([0.0, -ARM_REACH * np.sin(1.0), 0.6 + ARM_REACH * np.cos(1.0)])
    arm.wait(lambda: np.linalg.norm(arm.position("hand") - expected) < 0.02, "the picture")
    assert np.linalg.norm(arm.position("hand") - before) > 0.2


def test_a_slider_poses_the_robot_in_a_pause(arm: Viewer) -> None:
    """While time stands still the joint is put there at once."""
    arm.press("joints-button")
    arm.pause()
    time = arm.read("time")
    slide(arm, "shoulder", -0.5)
    # a slider has 1000 places over 3 rad
    arm.wait(lambda: abs(number(arm.value("joint-value-shoulder")) + 0.5) < 0.003, "the pose")
    arm.wait(lambda: abs(arm.position("hand")[1] - ARM_REACH * np.sin(0.5)) < 0.003, "the picture")
    assert arm.read("time") == time


def test_a_plot_shows_a_sensor(arm: Viewer) -> None:
    """The curve of the distance sensor ends at the wall's distance; without a controller as well."""
    arm.press("plots-button")
    arm.page.get_by_test_id("plots-choice").select_option(label="arm · distance sensor")
    key = arm.page.locator("[data-testid^='plot-device/']").get_attribute("data-testid")
    assert key is not None
    value = arm.page.get_by_test_id(key.replace("plot-", "plot-value-"))
    # from x = 0.2 to the near side of the wall at 1.45
    arm.wait(lambda: value.inner_text() == "1.25", "the distance")
    arm.settle()  # curves are drawn with the next picture
    shades = arm.page.get_by_test_id(key).evaluate(
        "(canvas) => new Set(canvas.getContext('2d')"
        ".getImageData(0, 0, canvas.width, canvas.height).data).size"
    )
    assert shades > 8, "a curve with smooth edges, and numbers"


def test_a_picture_shows_what_the_camera_sees(arm: Viewer, arm_sim: sb.Sim) -> None:
    """The overlay is as red as the wall in front of the camera, can be moved, and disturbs nobody."""
    arm.press("sensors-button")
    arm.press("show-camera")
    picture = arm.page.get_by_test_id("picture-camera")
    arm.wait(lambda: picture.get_attribute("data-drawn") is not None, "a picture")
    size = picture.evaluate("(canvas) => [canvas.width, canvas.height]")
    assert size == [64, 48]
    red, green, blue, _ = picture.evaluate(
        "(canvas) => [...canvas.getContext('2d').getImageData(32, 24, 1, 1).data]"
    )
    assert red > 2 * green and red > 2 * blue
    box = arm.page.locator(".picture").bounding_box()
    assert box is not None
    arm.page.mouse.move(box["x"] + 60, box["y"] + 12)
    arm.page.mouse.down()
    arm.page.mouse.move(box["x"] + 160, box["y"] + 62)
    arm.page.mouse.up()
    moved = arm.page.locator(".picture").bounding_box()
    assert moved is not None
    assert (moved["x"] - box["x"], moved["y"] - box["y"]) == (100, 50)
    # the device itself stays off: a controller that turns it on finds it as after loading
    assert arm_sim.device("camera").period == 0


def test_the_tree_and_the_picture_select_the_same(arm: Viewer) -> None:
    """A click on a body marks it in the tree, a click in the tree marks the body; masses are shown."""
    arm.press("scene-button")
    arm.pause()
    arm.page.mouse.click(*arm.screen_position("crate"))
    assert arm.read("selected") == "crate"
    marked = arm.page.locator("button.node[aria-selected='true']")
    assert "crate" in marked.inner_text().lower()
    table = arm.text("body-table")
    # a cube of 2 kg and 0.5 m: m a^2 / 6 = 0.083333
    assert "2 kg" in table and "0.083333, 0.083333, 0.083333 kg·m²" in table
    arm.page.get_by_test_id("tree-search").fill("hand")
    arm.page.locator("button.node", has_text="hand").first.click()
    assert arm.read("selected") == "hand"


def test_all_panels_fit_on_a_small_screen(arm: Viewer) -> None:
    """At 1280 x 720 every open panel is on the screen, and the footer is not covered."""
    for name in ("scene", "joints", "plots", "sensors", "console"):
        arm.press(f"{name}-button")
    for name in ("scene", "joints", "plots", "sensors", "console"):
        box = arm.page.get_by_test_id(f"{name}-panel").bounding_box()
        assert box is not None
        assert box["x"] >= 0 and box["x"] + box["width"] <= VIEWPORT["width"], name
        assert box["y"] >= 60 and box["y"] + box["height"] <= VIEWPORT["height"] - 70, name
