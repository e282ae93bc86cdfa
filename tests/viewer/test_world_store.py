"""Saving the world on show, and which files of the folder can be opened."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

import solidbody as sb
from solidbody.formats.options import DEFAULT_OPTIONS
from solidbody.viewer.folder_files import FileFolder, FolderError
from solidbody.viewer.panel_commands import PanelCommands
from solidbody.viewer.protocol_files import (
    CommandFiles,
    CommandNew,
    CommandOpen,
    CommandStore,
    EventFiles,
    EventOpening,
)
from solidbody.viewer.protocol_work import CommandEdit, CommandPose, CommandUndo
from solidbody.viewer.session import PageSession
from solidbody.viewer.shelf import MOST_RECENT, Shelf, note_recent, recent_files
from solidbody.viewer.world_editor import open_editor
from solidbody.viewer.world_store import WorldStore

WORLD = """#VRML_SIM R2025a utf8
# a remark
WorldInfo { }
Viewpoint { }
Solid { # a box
  translation 0 0 1  # high up
  name "box"
  boundingObject Box { }
  physics Physics { }
}
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "project" / "worlds" / "box.wbt"
    file.parent.mkdir(parents=True)
    file.write_text(WORLD, encoding="utf-8")
    return file


class Desk:
    """A world on show, edited and saved as the page does."""

    def __init__(self, path: Path) -> None:
        self.sim = sb.Sim(sb.load(str(path)))
        self.editor = open_editor(self.sim)
        self.file = WorldStore(self.sim, self.editor)
        self.panels = PanelCommands(self.sim, editor=self.editor, file=self.file)

    def edit(self, path: str, value: str) -> None:
        self.panels.obey(CommandEdit(path, value), is_running=False)

    def store(
        self, name: str = "", *, state: bool = False, overwrite: bool = False
    ) -> tuple[str, bool, bool]:
        event, _ = self.file.store(CommandStore(name, state, overwrite))
        return event.text, event.is_error, event.asks


@pytest.fixture
def desk(path: Path) -> Desk:
    return Desk(path)


def test_an_edit_marks_the_file_until_it_is_saved_or_undone(desk: Desk, path: Path) -> None:
    assert not desk.file.is_changed
    desk.edit("2.translation", "0 0 2")
    assert desk.file.is_changed
    desk.panels.obey(CommandUndo(), is_running=False)
    assert not desk.file.is_changed
    desk.edit("2.translation", "0 0 3")
    assert desk.store() == ("worlds/box.wbt was saved.", False, False)
    assert not desk.file.is_changed
    assert path.read_text(encoding="utf-8") == WORLD.replace("0 0 1 ", "0 0 3 ")


def test_a_drag_before_the_start_is_saved_and_one_later_is_not(desk: Desk, path: Path) -> None:
    """As in Webots: what is moved before time has run starts there; later it is the present only."""
    link = desk.sim.link_names.index("box")
    desk.panels.obey(CommandPose(link, (0, 2, 1), (1, 0, 0, 0), True), is_running=False)
    assert desk.file.is_changed
    desk.sim.step(3)
    desk.panels.obey(CommandPose(link, (5, 5, 5), (1, 0, 0, 0), True), is_running=False)
    assert desk.store()[0] == "worlds/box.wbt was saved as it starts."
    assert "translation 0 2 1  # high up" in path.read_text(encoding="utf-8")
    desk.sim.reset()
    assert desk.sim.link("box").position[1] == 2.0
    desk.panels.obey(CommandUndo(), is_running=False)
    desk.panels.obey(CommandUndo(), is_running=False)
    assert desk.sim.link("box").position[1] == 0.0


def test_the_present_state_is_saved_on_request(desk: Desk, path: Path) -> None:
    desk.sim.run(0.1)
    height = float(desk.sim.link("box").position[2])
    assert height < 0.99
    assert desk.store(state=True)[0] == "worlds/box.wbt was saved as it stands now."
    saved = sb.Sim(sb.load(str(path)))
    assert saved.link("box").position[2] == pytest.approx(height)
    assert "# a remark" in path.read_text(encoding="utf-8")


def test_what_others_wrote_is_not_overwritten_unasked(desk: Desk, path: Path) -> None:
    desk.edit("2.translation", "0 0 2")
    theirs = WORLD + "# theirs\n"
    path.write_text(theirs, encoding="utf-8")
    text, is_error, asks = desk.store()
    assert asks and not is_error and "changed on disk" in text
    assert path.read_text(encoding="utf-8") == theirs
    assert desk.file.event().disk == "changed"
    assert desk.store(overwrite=True)[0] == "worlds/box.wbt was saved."
    assert "# theirs" not in path.read_text(encoding="utf-8")
    assert desk.file.event().disk == "same"


def test_the_same_written_again_is_no_change(desk: Desk, path: Path) -> None:
    """Tools write files that say what they said; only what is in them counts."""
    path.write_text(WORLD, encoding="utf-8")
    os.utime(path, (1, 1))
    assert desk.store()[2] is False
    path.unlink()
    desk.file.look(1e9)
    assert desk.file.event().disk == "gone"


def test_another_name_must_be_free_and_in_the_folder(desk: Desk, path: Path) -> None:
    assert desk.store("worlds/copy.wbt") == ("worlds/copy.wbt was written.", False, False)
    assert (path.parent / "copy.wbt").read_text(encoding="utf-8") == WORLD
    assert desk.store("worlds/copy.wbt")[2] is True
    for name in ("../out.wbt", "/out.wbt", "worlds/../../out.wbt", "a.txt", "missing/a.wbt", ""):
        if name:
            text, is_error, asks = desk.store(name, overwrite=True)
            assert is_error and not asks and text
    assert sorted(p.name for p in path.parent.parent.parent.rglob("*.wbt")) == [
        "box.wbt",
        "copy.wbt",
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_a_link_does_not_lead_out_of_the_folder(tmp_path: Path, path: Path) -> None:
    folder = FileFolder(path.parent.parent)
    (tmp_path / "secret.wbt").write_text(WORLD, encoding="utf-8")
    (folder.path / "link.wbt").symlink_to(tmp_path / "secret.wbt")
    (folder.path / "out").symlink_to(tmp_path, target_is_directory=True)
    for name in ("link.wbt", "out/secret.wbt", "out/new.wbt"):
        with pytest.raises(FolderError, match="leads out of the folder"):
            folder.place(name)
    assert [item.name for item in folder.list()] == ["worlds/box.wbt"]


@pytest.mark.parametrize(
    "name",
    ["..", ".", "a/../b.wbt", "", "a//b.wbt", ".hidden.wbt", "a\\b.wbt", "a\0.wbt", " a.wbt"],
)
def test_odd_names_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(FolderError, match="no name for a file"):
        FileFolder(tmp_path).place(name)


def test_only_worlds_and_robots_are_listed(path: Path) -> None:
    """Parts of projects, hidden folders and other XML are left out."""
    top = path.parent.parent
    (top / "robot.xml").write_text("<?xml version='1.0'?>\n<mujoco/>", encoding="utf-8")
    for name in ("package.xml", "notes.txt", "part.proto", ".hidden/a.wbt", "build/b.wbt"):
        (top / name).parent.mkdir(exist_ok=True)
        (top / name).write_text("<package/>", encoding="utf-8")
    assert [item.name for item in FileFolder(top).list()] == ["worlds/box.wbt", "robot.xml"]


def test_new_worlds_are_made_in_the_folder_and_nowhere_else(path: Path) -> None:
    opened: list[tuple[str, bool]] = []
    shelf = Shelf(
        FileFolder(path.parent.parent), lambda file, is_new: opened.append((file.name, is_new))
    )
    for kind in ("empty", "arena", "room"):
        assert kind in ("empty", "arena", "room")
        assert shelf.obey(CommandNew(kind, f"my {kind}", "python")) == []
        made = path.parent / f"my {kind}.wbt"
        scene = sb.load(str(made))
        assert scene.title == f"my {kind}"
    assert shelf.obey(CommandNew("wheels", "rover", "python")) == []
    assert opened == [
        ("my empty.wbt", True),
        ("my arena.wbt", True),
        ("my room.wbt", True),
        ("rover.wbt", True),
    ]
    for kind, name in (("empty", "my empty"), ("room", "../x"), ("arm", ".."), ("arm", "rover")):
        assert kind in ("empty", "room", "arm")
        (event,) = shelf.obey(CommandNew(kind, name, "python"))
        assert isinstance(event, EventOpening) and event.is_error


def test_only_what_was_listed_is_opened(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Recent files by the server's own list, examples by theirs, others below the folder."""
    monkeypatch.setenv("SOLIDBODY_CACHE", str(tmp_path / "cache"))
    other = tmp_path / "other.wbt"
    other.write_text(WORLD, encoding="utf-8")
    opened: list[Path] = []
    shelf = Shelf(FileFolder(path.parent.parent), lambda file, is_new: opened.append(file))
    (event,) = shelf.obey(CommandOpen("recent", str(other)))
    assert isinstance(event, EventOpening) and event.is_error
    note_recent(other)
    (listed,) = shelf.obey(CommandFiles())
    assert isinstance(listed, EventFiles)
    assert [file.name for file in listed.recent] == [str(other)]
    assert [file.name for file in listed.files] == ["worlds/box.wbt"]
    assert shelf.obey(CommandOpen("recent", str(other))) == []
    assert shelf.obey(CommandOpen("folder", "worlds/box.wbt")) == []
    assert shelf.obey(CommandOpen("example", listed.examples[0].name)) == []
    assert [file.name for file in opened] == ["other.wbt", "box.wbt", listed.examples[0].name]
    for kind in ("folder", "example"):
        assert kind in ("folder", "example")
        (event,) = shelf.obey(CommandOpen(kind, "../other.wbt"))
        assert isinstance(event, EventOpening) and event.is_error
    for number in range(MOST_RECENT + 3):
        note_recent(tmp_path / f"{number}.wbt")
    assert recent_files() == []  # the others are forgotten, and these are not there


def test_a_file_that_cannot_be_read_leaves_the_old_one(path: Path) -> None:
    session = PageSession()
    left: list[bool] = []
    session.on_wanted = lambda: left.append(True)
    broken = path.with_name("broken.wbt")
    broken.write_text("no world", encoding="utf-8")
    with pytest.raises(sb.SolidbodyError, match=r"broken\.wbt.*the old one stays"):
        session.want(broken, DEFAULT_OPTIONS, is_new=False)
    assert (session.wanted, left) == (None, [])
    session.want(path, DEFAULT_OPTIONS, is_new=True)
    assert left == [True]
    wanted = session.take_wanted()
    assert wanted is not None and wanted.path == path
    assert session.is_paused and session.take_wanted() is None
