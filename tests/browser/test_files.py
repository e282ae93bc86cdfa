"""Opening, making and saving files on the page, with the command that a user types."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.browser.conftest import OpenViewer
from tests.browser.driving import Viewer
from tests.browser.robots import arm_world
from tests.browser.worlds import pendulum_world

pytestmark = pytest.mark.browser


@contextmanager
def command(*arguments: str, home: Path, port: int = 0) -> Iterator[str]:
    """Run a command of solidbody that shows the page; yield the address that it prints."""
    program = subprocess.Popen(
        [sys.executable, "-m", "solidbody.cli", *arguments, "--port", str(port)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "SOLIDBODY_CACHE": str(home / "cache")},
    )
    try:
        assert program.stdout is not None
        words = (word for line in program.stdout for word in line.split())
        yield next(word for word in words if word.startswith("http://127.0.0.1:"))
    finally:
        program.kill()
        program.communicate()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a folder with two worlds, one of them with remarks."""
    worlds = tmp_path / "project" / "worlds"
    worlds.mkdir(parents=True)
    text = arm_world().replace("DEF CRATE Solid {", "# what is carried\nDEF CRATE Solid { # green")
    (worlds / "arm.wbt").write_text(text, encoding="utf-8")
    (worlds / "pendulum.wbt").write_text(pendulum_world(), encoding="utf-8")
    return tmp_path / "project"


def edit(viewer: Viewer, node: str, field: str, value: str) -> None:
    """Type the value of a field."""
    if not viewer.page.get_by_test_id("scene-panel").is_visible():
        viewer.press("scene-button")
    viewer.page.locator("button.node", has_text=node).first.click()
    box = viewer.page.get_by_test_id(f"field-{field}")
    viewer.wait(box.is_visible, "the fields")
    box.fill(value)
    box.press("Enter")


def wait_for_title(viewer: Viewer, title: str) -> None:
    viewer.wait(lambda: viewer.text("title") == title, f"the title {title}")
    viewer.wait_for_picture()


def test_a_world_is_edited_saved_and_another_one_opened(
    project: Path, tmp_path: Path, open_viewer: OpenViewer
) -> None:
    """Ctrl+S keeps remarks; what others wrote is not lost unasked; opening asks before edits are lost."""
    file = project / "worlds" / "arm.wbt"
    before = file.read_text(encoding="utf-8")
    with command("run", str(file), "--mode", "pause", home=tmp_path) as url:
        viewer = open_viewer(url, may_complain=True)
        viewer.wait_for_picture()
        page = viewer.page
        unsaved = page.get_by_test_id("unsaved")
        viewer.wait(page.get_by_test_id("file-menu").is_visible, "the menu")
        assert not unsaved.is_visible()
        edit(viewer, "CRATE", "translation", "0 1.5 0.25")
        viewer.wait(unsaved.is_visible, "the mark of unsaved edits")
        viewer.wait(lambda: page.title().startswith("• "), "the mark in the title")
        page.keyboard.press("Control+s")
        viewer.wait(lambda: not unsaved.is_visible(), "the file to be saved")
        assert viewer.text("stored") == "worlds/arm.wbt was saved."
        saved = file.read_text(encoding="utf-8")
        assert saved == before.replace("translation 0 1.1 0.25", "translation 0 1.5 0.25")

        # somebody else writes it
        file.write_text(saved.replace('title "An arm"', 'title "Theirs"'), encoding="utf-8")
        viewer.wait(page.get_by_test_id("disk").is_visible, "the notice of the disk")
        edit(viewer, "CRATE", "translation", "0 1.25 0.25")
        viewer.wait(unsaved.is_visible, "the mark")
        page.keyboard.press("Control+s")
        viewer.wait(page.get_by_test_id("ask").is_visible, "the question")
        assert "changed on disk" in viewer.text("ask-text")
        viewer.press("ask-1")
        assert "Theirs" in file.read_text(encoding="utf-8")

        # another file: the edit may be discarded
        page.keyboard.press("Control+o")
        viewer.wait(page.get_by_test_id("open").is_visible, "the list")
        page.get_by_test_id("open-search").fill("pendulum")
        page.get_by_test_id("open-folder").first.click()
        viewer.wait(page.get_by_test_id("ask").is_visible, "the question")
        page.get_by_test_id("ask").get_by_text("Discard the changes").click()
        wait_for_title(viewer, "A pendulum")
        viewer.wait(lambda: viewer.read("time") > 0.1, "time to run")
        viewer.press("file-menu")
        viewer.wait(
            lambda: viewer.text("file-place") == "project / worlds/pendulum.wbt", "the place"
        )
        page.close()
    assert "0 1.5 0.25" in file.read_text(encoding="utf-8")


def test_a_tab_finds_back_after_a_restart(
    project: Path, tmp_path: Path, open_viewer: OpenViewer
) -> None:
    """The world is started again: the same address serves it, and the open tab goes on by itself."""
    file = str(project / "worlds" / "pendulum.wbt")
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    with command("run", file, home=tmp_path, port=port) as url:
        viewer = open_viewer(url, may_complain=True)
        viewer.wait_for_picture()
        viewer.wait(lambda: viewer.read("time") > 1.0, "time to run")
    viewer.wait(lambda: viewer.read("connection") == "lost", "the loss")
    with command("run", file, home=tmp_path, port=port) as again:
        assert again == url
        viewer.wait(lambda: viewer.read("connection") == "connected", "the connection")
        viewer.wait(lambda: 0 < viewer.read("time") < 1.0, "time from the start")
        viewer.page.close()


def test_the_start_page_makes_a_world_and_saves_it(tmp_path: Path, open_viewer: OpenViewer) -> None:
    """`solidbody open` offers examples and new worlds; what is made there is edited and saved there."""
    folder = tmp_path / "mine"
    folder.mkdir()
    with command("open", str(folder), home=tmp_path) as url:
        viewer = open_viewer(url, may_complain=True)
        viewer.wait_for_picture()
        page = viewer.page
        viewer.wait(page.get_by_test_id("open").is_visible, "what can be opened")
        assert page.get_by_test_id("open-example").count() > 5
        viewer.press("open-new")
        page.get_by_test_id("new-room").check()
        page.get_by_test_id("new-name").fill("../kitchen")
        viewer.press("new-make")
        viewer.wait(lambda: "a name, not a path" in viewer.text("new-answer"), "the refusal")
        page.get_by_test_id("new-name").fill("kitchen")
        viewer.press("new-make")
        wait_for_title(viewer, "kitchen")
        assert (folder / "worlds" / "kitchen.wbt").is_file()
        edit(viewer, "box", "translation", "-1 0.5 0.2")
        viewer.wait(page.get_by_test_id("unsaved").is_visible, "the mark")
        viewer.press("file-menu")
        viewer.press("file-save-as")
        page.get_by_test_id("save-as-name").fill("second.wbt")
        viewer.press("save-as-save")
        viewer.wait(lambda: (folder / "second.wbt").is_file(), "the file")
        viewer.press("file-menu")
        viewer.wait(lambda: viewer.text("file-place") == "mine / second.wbt", "the place")
        page.close()
    assert "translation -1 0.5 0.2" in (folder / "second.wbt").read_text(encoding="utf-8")
    assert "translation -1 0 0.2" in (folder / "worlds" / "kitchen.wbt").read_text(encoding="utf-8")
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert sorted(path.name for path in files) == ["kitchen.wbt", "second.wbt"]
