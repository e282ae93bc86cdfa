"""Which Webots a file belongs to."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from solidbody.base.file_access import EVERY_FILE, FileError
from solidbody.base.local_files import find_file
from solidbody.base.webots_home import extra_projects, webots_home, webots_tree


def put(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("", encoding="utf-8")
    return path


@pytest.mark.parametrize("beside", ["resources", "lib/controller"])
def test_tree_has_projects_beside_what_webots_needs(tmp_path: Path, beside: str) -> None:
    world = put(tmp_path / "webots" / "tests" / "api" / "worlds" / "camera.wbt")
    assert webots_tree(str(world)) is None
    (tmp_path / "webots" / "projects").mkdir()
    assert webots_tree(str(world)) is None
    (tmp_path / "webots" / beside).mkdir(parents=True)
    assert webots_tree(str(world)) == tmp_path / "webots"


def test_part_of_a_tree_is_known_by_its_folders(tmp_path: Path) -> None:
    world = tmp_path / "webots" / "projects" / "samples" / "devices" / "worlds" / "pen.wbt"
    assert webots_tree(str(world)) == tmp_path / "webots"
    assert webots_tree(str(tmp_path / "projects" / "mine" / "worlds" / "pen.wbt")) is None


def test_home_of_the_user_is_no_webots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """People keep `projects/robots` and `resources` there."""
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "resources").mkdir()
    assert webots_tree(str(put(tmp_path / "projects" / "robots" / "worlds" / "a.wbt"))) is None


def test_webots_that_the_user_names_comes_first(tmp_path: Path) -> None:
    world = str(tmp_path / "webots" / "projects" / "samples" / "x" / "worlds" / "pen.wbt")
    given = {"WEBOTS_HOME": str(tmp_path / "other")}
    assert webots_home(world, given) == tmp_path / "other"
    assert webots_home(world, {}) == tmp_path / "webots"


@pytest.mark.parametrize(
    "address",
    [
        "webots://projects/default/worlds/textures/oak.jpg",
        "https://raw.githubusercontent.com/cyberbotics/webots/R2023b"
        "/projects/default/worlds/textures/oak.jpg",
    ],
)
def test_files_of_the_tree_are_found_from_a_folder_in_it(tmp_path: Path, address: str) -> None:
    image = put(tmp_path / "projects" / "default" / "worlds" / "textures" / "oak.jpg")
    folder = str(tmp_path / "projects" / "samples" / "x" / "worlds")
    environment = {"SOLIDBODY_CACHE": str(tmp_path / "cache")}
    assert find_file(address, (folder,), EVERY_FILE, environment) == image
    with pytest.raises(FileError):
        find_file(address, (str(tmp_path / "elsewhere"),), EVERY_FILE, environment)


def test_extra_projects_are_a_list_of_folders(tmp_path: Path) -> None:
    listed = os.pathsep.join(["", str(tmp_path / "a"), str(tmp_path / "b")])
    assert extra_projects({"WEBOTS_EXTRA_PROJECT_PATH": listed}) == (tmp_path / "a", tmp_path / "b")
    assert extra_projects({}) == ()


def test_user_without_a_home_opens_worlds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in containers that run under a number: `Path.home` then fails."""
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    with pytest.raises(RuntimeError):
        Path.home()
    assert webots_tree(str(tmp_path / "worlds" / "a.wbt")) is None
