"""Choreonoid's controllers without a compiler or without Eigen, and the status with which runs end."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from solidbody.cli.app import app
from solidbody.control.simple_controllers import host_program
from tests.control.cnoid.projects import item, needs_cpp, project, running, source, workspace

TWO = item("A", "Idle") + ", " + item("B", "Idle")

IDLE = {"Idle.cpp": source("", name="Idle")}


def test_without_eigen_it_is_said_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For two controllers: what is missing, and which package has it."""
    monkeypatch.setattr(host_program, "EIGEN_FOLDERS", ())
    monkeypatch.delenv("EIGEN3_INCLUDE_DIR", raising=False)
    monkeypatch.setenv("CXX", "true")  # a compiler is there
    with running(workspace(tmp_path, IDLE), project(TWO)) as run:
        run.sim.step(2)
    (error,) = run.errors
    assert error.startswith("controllers are not run: ")
    assert "libeigen3-dev" in error
    assert run.sim.step_count == 2


def test_without_a_compiler_it_is_said_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler")
    with running(workspace(tmp_path, IDLE), project(TWO)) as run:
        run.sim.step(2)
    (error,) = run.errors
    assert "no C++ compiler" in error
    assert "build-essential" in error
    assert run.sim.step_count == 2


def status_of(folder: Path, controllers: str, *options: str) -> tuple[int, str]:
    """Run a project headless by the command line; return its exit status and what was printed."""
    (folder / "cart.cnoid").write_text(project(controllers), "utf-8")
    arguments = ["run", str(folder / "cart.cnoid"), "--headless", "--duration", "0.01", *options]
    result = CliRunner().invoke(app, arguments)
    return result.exit_code, result.output


def test_a_shared_object_that_is_missing_ends_a_run_with_status_1(tmp_path: Path) -> None:
    workspace(tmp_path, {})
    status, said = status_of(tmp_path, item("A", "Nowhere"))
    assert status == 1
    assert "Nowhere.so" in said
    assert status_of(tmp_path, item("A", "Nowhere"), "--ignore-controller-errors")[0] == 0


@needs_cpp
@pytest.mark.slow
@pytest.mark.parametrize(
    ("members", "status"),
    [
        ("bool control() override { return true; }", 0),
        ("bool initialize(SimpleControllerIO*) override { return false; }", 1),
        ('bool control() override { throw std::runtime_error("no way"); }', 1),
        ("bool control() override { return nothing; }", 1),
    ],
)
def test_a_run_ends_with_status_1_if_a_controller_fails(
    tmp_path: Path, members: str, status: int
) -> None:
    workspace(tmp_path, {"One.cpp": source(members, name="One")})
    assert status_of(tmp_path, item("A", "One"))[0] == status
