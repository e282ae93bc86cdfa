"""Adding things on the page: groups, pictures, files of the folder, files that are dropped on the picture."""

from __future__ import annotations

import base64
from pathlib import Path

import numpy as np
import pytest

from tests.browser.driving import Viewer
from tests.viewer.test_importing import PROTO, URDF

pytestmark = pytest.mark.browser

DROP = """([name, data, x, y]) => {
  const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
  const transfer = new DataTransfer();
  transfer.items.add(new File([bytes], name));
  const event = { dataTransfer: transfer, clientX: x, clientY: y, bubbles: true, cancelable: true };
  document.getElementById("canvas").dispatchEvent(new DragEvent("drop", event));
}"""
"""Drops a file on the picture, as the file manager of a user does."""

PAINTED = """(canvas) => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const shades = new Set();
  for (let k = 0; k < data.length; k += 4) {
    if (data[k + 3] > 0) shades.add(data.slice(k, k + 3).join());
  }
  return shades.size;
}"""
"""How many colours a picture has."""


def drop(viewer: Viewer, name: str, data: bytes, at: tuple[int, int]) -> None:
    viewer.page.evaluate(DROP, [name, base64.b64encode(data).decode(), *at])


def test_things_are_found_by_group_and_search_with_pictures(arm: Viewer) -> None:
    """What is chosen stands where one looks, selected and in sight."""
    arm.press("scene-button")
    arm.press("add-node")
    page = arm.page
    arm.wait(page.get_by_test_id("insert-group-Robots").is_visible, "the groups")
    things = page.get_by_test_id("thing")
    assert "box that falls" in things.first.inner_text()
    arm.press("insert-group-Robots")
    arm.wait(lambda: things.count() > 50, "the robots")
    page.get_by_test_id("insert-search").fill("barrel oil")
    arm.wait(lambda: things.count() == 1, "the one that has both words")
    assert "OilBarrel" in things.inner_text()
    picture = things.locator("canvas")
    arm.wait(lambda: picture.count() == 1, "its picture")
    assert picture.evaluate(PAINTED) > 30
    things.click()
    arm.wait(lambda: arm.read("selected") == "oil barrel", "the barrel")
    x, y = arm.screen_position("oil barrel")
    assert 326 < x < 1280 and 60 < y < 640  # beside the panel


def test_dropped_files_are_placed_where_they_fall(arm: Viewer, world: Path) -> None:
    """A robot and a PROTO come into the project and stand below the mouse; other files are not taken."""
    floor = (640, 600)
    drop(arm, "Block.proto", PROTO.encode(), floor)
    arm.wait(lambda: arm.read("selected") == "block", "the block")
    place = arm.position("block")
    assert place[2] == pytest.approx(0.0, abs=1e-6)
    assert place[0] < -1  # on the near half of the floor
    assert (world.parent.parent / "protos" / "Block.proto").read_text() == PROTO
    arm.press("home")
    drop(arm, "cart.urdf", URDF.encode(), arm.screen_position("crate"))
    arm.wait(lambda: arm.read("selected") not in (None, "block"), "the cart")
    name = arm.read("selected")
    # on the side of the crate that one looks at
    np.testing.assert_allclose(arm.position(name)[:2], (-0.25, 1.1), atol=0.2)
    drop(arm, "letter.txt", b"hello", floor)
    arm.wait(arm.page.get_by_test_id("stored").is_visible, "an answer")
