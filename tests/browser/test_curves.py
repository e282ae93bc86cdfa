"""Curves and lists: several in one picture, zoom, tables; sensors by robot; bodies that were lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.driving import Viewer
from tests.browser.test_pulling import WORLD, drag_for_one_step, sim, view

__all__ = ["WORLD", "sim", "view"]

pytestmark = pytest.mark.browser


def test_a_picture_has_several_curves_and_makes_a_table(arm: Viewer, tmp_path: Path) -> None:
    """Columns by name, a line for each moment; removed curves are not in it."""
    page = arm.page
    arm.press("plots-button")
    page.get_by_test_id("plots-choice").select_option(label="shoulder position")
    canvas = page.locator("[data-testid^='plot-joint/']").first
    key = (canvas.get_attribute("data-testid") or "").removeprefix("plot-")
    page.get_by_test_id(f"plot-add-{key}").select_option(label="crate z")
    arm.wait(lambda: page.locator(".plot .chip").count() == 2, "two curves")
    assert page.locator(".plot canvas").count() == 1
    arm.press("play")
    arm.wait(lambda: arm.read("time") > 0.5, "time to run")
    arm.pause()
    with page.expect_download() as waiting:
        arm.press("plots-csv")
    waiting.value.save_as(tmp_path / "curves.csv")
    lines = (tmp_path / "curves.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "time [s],shoulder position,crate z"
    rows = [[float(cell) for cell in line.split(",") if cell] for line in lines[1:]]
    assert len(rows) > 5
    times = [row[0] for row in rows]
    assert times == sorted(set(times)) and times[-1] > 0.5
    assert rows[-1][2] == pytest.approx(0.25, abs=0.01)
    # the wheel zooms, a drag goes back in time, a double-click follows again
    box = canvas.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 50, box["y"] + 40)
    page.mouse.wheel(0, -400)
    page.mouse.down()
    page.mouse.move(box["x"] + 150, box["y"] + 40, steps=3)
    page.mouse.up()
    arm.wait(page.get_by_test_id("plots-live").is_visible, "the past")
    arm.press("plots-live")
    arm.wait(lambda: not page.get_by_test_id("plots-live").is_visible(), "the present")


def test_sensors_are_listed_by_robot_and_found(arm: Viewer) -> None:
    arm.press("sensors-button")
    group = arm.page.get_by_test_id("sensors-of-arm")
    arm.wait(group.is_visible, "the robot")
    assert "3" in group.inner_text()
    arm.page.get_by_test_id("sensors-search").fill("shoulder")
    rows = arm.page.locator("#sensors-list .joint:visible")
    arm.wait(lambda: rows.count() == 1, "the sensor")
    assert "shoulder sensor" in rows.inner_text()


def test_a_lost_body_is_brought_back_by_a_button(
    viewer: Viewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message stands over the picture, whatever panels are open."""
    from solidbody.viewer import pulls

    monkeypatch.setattr(pulls, "FAR", 0.3)
    drag_for_one_step(viewer, "left", 0, 120)
    viewer.press("play")
    viewer.wait(viewer.page.get_by_test_id("lost").is_visible, "the message")
    assert "cube has left the scene" in viewer.text("lost-text")
    viewer.press("lost-undo")
    viewer.wait(lambda: abs(viewer.position("cube")).max() < 1e-6, "the cube back")
    viewer.wait(lambda: not viewer.page.get_by_test_id("lost").is_visible(), "the message to go")
