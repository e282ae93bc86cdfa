"""`solidbody new` and `solidbody examples`: what they write runs, and nothing is written over."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from solidbody.cli.app import app
from solidbody.contact.build import find_compiler
from solidbody.projects.example_files import examples_folder, list_examples
from solidbody.projects.new_project import ENDINGS, ROBOTS

NAMES = [robot.name for robot in ROBOTS]


def solidbody(*words: str | Path) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, [str(word) for word in words])
    return done.exit_code, done.stdout, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("robot", NAMES)
def test_tests_of_a_new_project_pass(robot: str, tmp_path: Path) -> None:
    """As its README says: `pytest` in its folder, and `check` has nothing to say."""
    folder = tmp_path / "First-Try_2"
    status, out, _ = solidbody("new", folder, "--robot", robot)
    assert status == 0
    assert "solidbody run worlds/First-Try_2.wbt" in out
    assert solidbody("check", folder / "worlds" / "First-Try_2.wbt")[:2] == (0, "")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=250)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout


@pytest.mark.slow
@pytest.mark.skipif(find_compiler() is None, reason="no C compiler")
@pytest.mark.parametrize("robot", NAMES)
def test_programs_in_all_languages_do_the_same(robot: str, tmp_path: Path) -> None:
    """They are compiled by `run`, and the robot ends where it ends with the one in Python."""
    ends = []
    for language in ENDINGS:
        if language == "cpp" and shutil.which("g++") is None and shutil.which("c++") is None:
            continue
        folder = tmp_path / language / "same"
        assert solidbody("new", folder, "--robot", robot, "--language", language)[0] == 0
        log = folder / "log.csv"
        world = folder / "worlds" / "same.wbt"
        status, _, errors = solidbody(
            "run", world, "--headless", "--duration", "3", "--log", log, "--log-period", "3"
        )
        assert status == 0, errors
        with log.open(newline="") as file:
            ends.append([float(value) for value in list(csv.reader(file))[-1]])
    assert len(ends) >= 2
    for end in ends[1:]:
        # sums of the programs are taken in other orders
        assert end == pytest.approx(ends[0], abs=1e-6)


def test_workflow_of_a_new_project_tests_it(tmp_path: Path) -> None:
    folder = tmp_path / "checked"
    assert solidbody("new", folder)[0] == 0
    workflow = yaml.safe_load((folder / ".github/workflows/test.yml").read_text(encoding="utf-8"))
    steps = [step.get("run", "") for step in workflow["jobs"]["test"]["steps"]]
    assert "solidbody check worlds/checked.wbt" in steps
    assert "pytest" in steps
    texts = [file.read_text(encoding="utf-8") for file in folder.rglob("*") if file.is_file()]
    assert not any("@NAME@" in text or "@HEAD@" in text or "@MODULE@" in text for text in texts)


@pytest.mark.parametrize("name", ["1st", "a b", "-x", "ä", "x" * 65])
def test_bad_names_are_refused_and_nothing_is_written(name: str, tmp_path: Path) -> None:
    status, _, errors = solidbody("new", "--", tmp_path / name)
    assert status == 2
    assert "is no name for a project" in errors
    assert not list(tmp_path.iterdir())


def test_a_folder_that_holds_something_stays_as_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "taken"
    folder.mkdir()
    (folder / "README.md").write_text("mine", encoding="utf-8")
    status, _, errors = solidbody("new", folder)
    assert (status, "is there and not empty" in errors) == (2, True)
    assert [file.name for file in folder.iterdir()] == ["README.md"]
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    assert solidbody("new", tmp_path / "file")[0] == 2


def test_every_world_and_project_among_the_examples_is_listed() -> None:
    folder = examples_folder()
    there = {
        path.relative_to(folder).as_posix()
        for ending in ("*.wbt", "*.cnoid")
        for path in folder.rglob(ending)
        if path.parts[-2] not in ("sweep", "learning")  # for their own commands
    }
    listed = {example.name for example in list_examples()}
    assert there == {name for name in listed if (folder / name).is_file()} == listed
    status, out, _ = solidbody("examples", "--json")
    assert status == 0
    assert {row["name"] for row in json.loads(out)} == listed


@pytest.mark.parametrize("name", ["looks", "course.wbt", "project_c/worlds/arena.wbt", "yard"])
def test_a_copied_example_is_whole(name: str, tmp_path: Path) -> None:
    status, out, errors = solidbody("examples", name, "--into", tmp_path)
    assert status == 0, errors
    copy = Path(out.strip())
    assert copy.is_relative_to(tmp_path)
    assert solidbody("check", copy)[0] == 0
    again = solidbody("examples", name, "--into", tmp_path)
    assert (again[0], "is there already" in again[2]) == (2, True)


def test_unknown_examples_are_told(tmp_path: Path) -> None:
    status, _, errors = solidbody("examples", "shwcase", "--into", tmp_path)
    assert status == 2
    assert "Did you mean 'showcase'?" in errors
    status, _, errors = solidbody("examples", "arena", "--into", tmp_path)
    assert status == 2
    assert "project_c/worlds/arena.wbt, project_cpp/worlds/arena.wbt" in errors
    assert not list(tmp_path.iterdir())


def test_completion_of_the_shell_knows_the_commands() -> None:
    env = os.environ | {
        "_SOLIDBODY_COMPLETE": "complete_bash",
        "COMP_WORDS": "solidbody ex",
        "COMP_CWORD": "1",
    }
    program = Path(sys.executable).with_name("solidbody")
    done = subprocess.run([program], env=env, capture_output=True, text=True, timeout=120)
    assert "examples" in done.stdout.split()


def test_without_arguments_the_program_says_what_it_can_do() -> None:
    program = Path(sys.executable).with_name("solidbody")
    done = subprocess.run([program], capture_output=True, text=True, timeout=120)
    assert "Usage: solidbody" in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
