"""The walk of somebody who has never seen the page: everything is found on the screen."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import solidbody as sb
from solidbody.projects.new_world import world_text
from tests.browser.conftest import OpenViewer
from tests.browser.test_files import command, wait_for_title
from tests.browser.test_programs import write_into_editor

pytestmark = pytest.mark.browser

PROGRAM = """from controller import Robot

robot = Robot()
print("I drive")
for name in ("left wheel motor", "right wheel motor"):
    motor = robot.getDevice(name)
    motor.setPosition(float("inf"))
    motor.setVelocity(4.0)
while robot.step(32) != -1:
    pass
"""


def test_the_first_visit(tmp_path: Path, open_viewer: OpenViewer) -> None:
    """Open a world, pull a box, add a robot, change its program, save, film, share."""
    folder = tmp_path / "mine"
    world = folder / "worlds" / "room.wbt"
    world.parent.mkdir(parents=True)
    world.write_text(world_text("room", "A room"), encoding="utf-8")
    with command("open", str(folder), home=tmp_path) as url:
        viewer = open_viewer(url, may_complain=True)
        viewer.wait_for_picture()
        page = viewer.page

        # open a world: what there is is on the screen
        viewer.wait(page.get_by_test_id("open").is_visible, "what can be opened")
        page.get_by_text("worlds/room.wbt").first.click()
        wait_for_title(viewer, "A room")
        viewer.press("hints-close")

        # pull a box, as the hints say: by the hand, while time runs
        viewer.press("hand")
        if viewer.read("paused"):
            viewer.press("play")
        viewer.wait(lambda: not viewer.read("paused"), "time to run")
        before = viewer.position("box")
        x, y = viewer.screen_position("box")
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 60, y - 60, steps=3)
        viewer.wait(lambda: np.linalg.norm(viewer.position("box") - before) > 0.1, "the pull")
        page.mouse.up()
        viewer.press("hand")
        viewer.press("reset")

        # add a robot
        viewer.press("scene-button")
        viewer.press("add-node")
        viewer.wait(page.get_by_test_id("insert-group-Robots").is_visible, "the groups")
        viewer.press("insert-group-Robots")
        page.get_by_test_id("insert-search").fill("e-puck")
        page.get_by_role("button", name="E-puck", exact=True).click()
        viewer.wait(lambda: viewer.read("selected") == "e-puck", "the robot")

        # give it a program, and change that
        viewer.press("code-button")
        choice = page.get_by_test_id("code-text")
        offer = choice.locator("option", has_text="New program for e-puck")
        viewer.wait(lambda: offer.count() == 1, "the offer of a program")
        choice.select_option(label="New program for e-puck…")
        viewer.wait(page.get_by_test_id("ask").is_visible, "the question for the language")
        viewer.press("ask-0")
        program = folder / "controllers" / "e_puck" / "e_puck.py"
        viewer.wait(program.is_file, "the program")
        viewer.wait(lambda: choice.input_value() == "controllers/e_puck/e_puck.py", "its text")
        write_into_editor(viewer, PROGRAM)
        viewer.press("console-button")
        said = page.get_by_test_id("console-list")
        viewer.wait(lambda: "I drive" in said.inner_text(), "the program to run")
        viewer.press("reset")  # it may have driven somewhere with the program that it came with
        start = viewer.position("e-puck")
        viewer.wait(lambda: np.linalg.norm(viewer.position("e-puck") - start) > 0.02, "the robot")

        # save
        viewer.press("code-button")
        page.get_by_test_id("canvas").focus()
        page.keyboard.press("Control+s")
        viewer.wait(lambda: not page.get_by_test_id("unsaved").is_visible(), "the file")
        assert sb.Sim(sb.load(str(world)))["e-puck"] is not None

        # film
        viewer.press("share")
        viewer.press("video")
        viewer.wait(page.get_by_test_id("recording").is_visible, "the film to run")
        filmed = viewer.read("time") + 4.0  # a busy machine encodes few pictures
        viewer.wait(lambda: viewer.read("time") > filmed, "something to film")
        with page.expect_download() as film:
            viewer.press("recording")
        film.value.save_as(tmp_path / "film")
        assert (tmp_path / "film").stat().st_size > 1000

        # share
        if not page.get_by_test_id("export").is_visible():
            viewer.press("share")
        with page.expect_download() as shared:
            viewer.press("export")
        shared.value.save_as(tmp_path / "run.html")
        page.close()
    reader = open_viewer((tmp_path / "run.html").as_uri())
    reader.wait_for_picture()
    assert reader.text("title") == "A room"
    assert reader.page.evaluate("(name) => window.solidbody.position(name) !== null", "e-puck")
