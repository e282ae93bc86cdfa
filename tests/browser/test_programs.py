"""Programs of robots on the page: watched, edited, restarted; their errors lead to the line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.conftest import OpenViewer
from tests.browser.driving import Viewer
from tests.browser.robots import arm_world
from tests.browser.test_files import command

pytestmark = pytest.mark.browser

PROGRAM = """from controller import Robot
robot = Robot()
print("{word}")
print("{word} once more")
while robot.step(8) != -1:
    pass
"""

WRONG = """from controller import Robot
robot = Robot()
speed = 1 / 0
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a folder with a world whose robot says a word."""
    top = tmp_path / "project"
    (top / "worlds").mkdir(parents=True)
    (top / "controllers" / "driver").mkdir(parents=True)
    world = top / "worlds" / "arm.wbt"
    world.write_text(arm_world(controller="driver"), encoding="utf-8")
    program = top / "controllers" / "driver" / "driver.py"
    program.write_text(PROGRAM.format(word="first"), encoding="utf-8")
    return top


def write_into_editor(viewer: Viewer, text: str) -> None:
    """Replace the text in the editor, and save it with the key."""
    page = viewer.page
    content = page.locator("#code-host .cm-content")
    viewer.wait(content.is_visible, "the editor")
    content.click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(text)
    viewer.wait(page.get_by_test_id("code-unsaved").is_visible, "the mark")
    page.keyboard.press("Control+s")
    viewer.wait(
        lambda: not page.get_by_test_id("code-unsaved").is_visible(), "the text to be saved"
    )


def test_programs_are_watched_edited_and_restarted(
    project: Path, tmp_path: Path, open_viewer: OpenViewer
) -> None:
    """From another editor, and in that of the page; a traceback is one message that leads to its line."""
    program = project / "controllers" / "driver" / "driver.py"
    world = project / "worlds" / "arm.wbt"
    with command("run", str(world), home=tmp_path) as url:
        viewer = open_viewer(url, may_complain=True)
        viewer.wait_for_picture()
        page = viewer.page
        viewer.press("console-button")
        said = page.get_by_test_id("console-list")
        viewer.wait(lambda: "first once more" in said.inner_text(), "the program")
        named, following = said.locator(".line", has_text="first").all()[:2]
        name = following.locator("b").bounding_box()
        assert name is not None and name["width"] <= 1  # lines of a robot stand below its name
        assert (named.locator("b").bounding_box() or {"width": 0})["width"] > 5

        # written by another program
        program.write_text(PROGRAM.format(word="second"), encoding="utf-8")
        viewer.wait(page.get_by_test_id("programs").is_visible, "the notice")
        assert "The program of arm was changed" in viewer.text("programs")
        viewer.press("programs-restart")
        viewer.wait(lambda: "second" in said.inner_text(), "the changed program")
        page.get_by_test_id("console-search").fill("second")
        viewer.wait(lambda: "first" not in said.inner_text(), "the filter")
        page.get_by_test_id("console-search").fill("")

        # written here, with an error
        viewer.press("code-button")
        viewer.wait(
            lambda: (
                page.get_by_test_id("code-text").input_value() == "controllers/driver/driver.py"
            ),
            "the program",
        )
        write_into_editor(viewer, WRONG)
        assert program.read_text(encoding="utf-8") == WRONG
        place = page.locator("#console-list").get_by_test_id("console-place")
        viewer.wait(lambda: place.count() > 0, "the traceback")
        wrong = page.locator("#console-list .line.error", has_text="Traceback")
        viewer.wait(lambda: "ZeroDivisionError" in said.inner_text(), "its end")
        viewer.wait(lambda: "exited with 1" in said.inner_text(), "how it ended")
        assert wrong.count() == 1
        assert said.inner_text().count("ZeroDivisionError") == 1
        place.last.click()
        marked = page.locator("#code-host .cm-wrong")
        viewer.wait(marked.is_visible, "the line")
        assert marked.inner_text() == "speed = 1 / 0"

        # and mended
        write_into_editor(viewer, PROGRAM.format(word="third"))
        viewer.wait(lambda: "third" in said.inner_text(), "the mended program")
        assert not page.get_by_test_id("programs").is_visible()

        # the world as text
        page.get_by_test_id("code-text").select_option("worlds/arm.wbt")
        content = page.locator("#code-host .cm-content")
        viewer.wait(lambda: "#VRML_SIM" in content.inner_text(), "the text of the world")
        write_into_editor(
            viewer, arm_world(controller="driver").replace('"An arm"', '"Written here"')
        )
        viewer.wait(lambda: viewer.text("title") == "Written here", "the world to be read again")
        page.close()
