"""What controllers of Choreonoid are compiled of, and where CMake begins."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from solidbody.control.simple_controllers.module_sources import ModuleSources, stands_alone

ADDS = "choreonoid_add_simple_controller(Walk walk.cpp)\n"

needs_cmake = pytest.mark.skipif(shutil.which("cmake") is None, reason="there is no CMake")


def written(folder: Path, files: dict[str, str]) -> Path:
    """Write a workspace and return the folder of its project."""
    for name, content in {**files, "projects/a/b/walk.cnoid": ""}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, "utf-8")
    return folder / "projects" / "a" / "b"


def test_a_source_of_the_controllers_name_is_enough(tmp_path: Path) -> None:
    project = written(tmp_path, {"projects/a/b/controllers/Walk.cc": ""})
    found = ModuleSources.find("Walk", project)
    assert found is not None
    assert (found.place, found.files, found.roots) == (
        project / "controllers" / "Walk.cc",
        ("Walk.cc",),
        (),
    )


@pytest.mark.parametrize("name", ["Run", "Wal", "alk"])
def test_others_of_the_workspace_are_not_taken_for_it(tmp_path: Path, name: str) -> None:
    project = written(tmp_path, {"CMakeLists.txt": "", "robots/CMakeLists.txt": ADDS})
    assert ModuleSources.find(name, project) is None


def test_plain_sources_anywhere_in_the_workspace_need_no_cmake(tmp_path: Path) -> None:
    files = {"CMakeLists.txt": "", "robots/CMakeLists.txt": ADDS, "robots/walk.cpp": ""}
    found = ModuleSources.find("Walk", written(tmp_path, files))
    assert found is not None
    assert found.place == tmp_path / "robots" / "CMakeLists.txt"
    assert (found.files, found.roots) == (("walk.cpp",), ())


@needs_cmake
def test_cmake_begins_at_the_folder_from_which_it_comes_down(tmp_path: Path) -> None:
    files = {
        "CMakeLists.txt": "add_subdirectory(robots)",
        "robots/CMakeLists.txt": "add_subdirectory(one)",
        "robots/one/CMakeLists.txt": ADDS + "target_link_libraries(Walk legs)",
        "robots/one/walk.cpp": "",
        "robots/none/CMakeLists.txt": ADDS,  # without its source
    }
    found = ModuleSources.find("Walk", written(tmp_path, files))
    assert found is not None
    assert found.roots == (tmp_path, tmp_path / "robots" / "one")


@needs_cmake
def test_choreonoids_own_tree_is_not_built(tmp_path: Path) -> None:
    """The workspace stands in the folder `ext` of its sources."""
    files = {
        "CMakeLists.txt": "project(Choreonoid)\nadd_subdirectory(ext)",
        "ext/CMakeLists.txt": "foreach(d ${dirs})\nadd_subdirectory(${d})\nendforeach()",
        "ext/one/CMakeLists.txt": ADDS + "target_link_libraries(Walk legs)",
        "ext/one/walk.cpp": "",
    }
    found = ModuleSources.find("Walk", written(tmp_path, files))
    assert found is not None
    assert found.roots == (tmp_path / "ext", tmp_path / "ext" / "one")


@needs_cmake
def test_a_project_of_its_own_is_where_cmake_begins(tmp_path: Path) -> None:
    files = {
        "CMakeLists.txt": "add_subdirectory(robots)",
        "robots/CMakeLists.txt": "project(robots)\n" + ADDS,
        "robots/walk.cpp": "",
    }
    found = ModuleSources.find("Walk", written(tmp_path, files))
    assert found is not None
    assert found.roots == (tmp_path / "robots",)


def test_builds_and_folders_above_the_workspace_are_not_searched(tmp_path: Path) -> None:
    files = {
        "CMakeLists.txt": ADDS,  # above the checkout
        "ws/.git/config": "",
        "ws/build/x/CMakeLists.txt": ADDS,
        "ws/projects/x/y/z/run.cnoid": "",
    }
    written(tmp_path, files)
    assert ModuleSources.find("Walk", tmp_path / "ws" / "projects" / "x" / "y" / "z") is None


@pytest.mark.parametrize(
    ("text", "ways"),
    [
        ("add_subdirectory(a)", (False,)),
        ("project(a)", (True,)),
        ("if(A)\nset(x 1)\nendif()\nproject(a)", (True,)),
        ("if(A)\n  project(a)\nendif()", (False, True)),
    ],
)
def test_a_project_under_a_condition_may_stand_in_choreonoids_tree(
    tmp_path: Path, text: str, ways: tuple[bool, ...]
) -> None:
    (tmp_path / "CMakeLists.txt").write_text(text, "utf-8")
    assert stands_alone(tmp_path) == ways
