"""What a short command waits for, and that the quick parser of lines reads them as Typer does."""

from __future__ import annotations

import functools
import inspect
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from solidbody.cli import app as commands
from solidbody.cli import arguments, typer_app
from solidbody.cli.app import COMMANDS
from solidbody.cli.arguments import Command

BOX = """#VRML_SIM R2025a utf8
WorldInfo { }
Solid { translation 0 0 1 boundingObject Box { } physics Physics { } }
"""

NOT_FOR_CHECK = frozenset(
    {
        "PIL",
        "http.client",
        "pydantic",
        "py_mini_racer",
        "rich",
        "ssl",
        "starlette",
        "trimesh",
        "typer",
        "urllib.request",
        "uvicorn",
        "warp",
        "yaml",
        "solidbody.formats.choreonoid",
        "solidbody.formats.mjcf",
        "solidbody.formats.sdf",
        "solidbody.formats.urdf",
        "solidbody.formats.usd",
        "solidbody.compiler.mjcf_export",
        "solidbody.control",
        "solidbody.devices",
        "solidbody.render",
        "solidbody.sim",
        "solidbody.viewer",
    }
)
"""Modules that a small world needs for nothing when it is checked."""

NOT_FOR_RUN = frozenset(
    {
        "http.client",
        "pydantic",
        "py_mini_racer",
        "rich",
        "ssl",
        "starlette",
        "trimesh",
        "typer",
        "urllib.request",
        "uvicorn",
        "warp",
        "yaml",
        "solidbody.formats.choreonoid",
        "solidbody.formats.mjcf",
        "solidbody.formats.urdf",
        "solidbody.compiler.mjcf_export",
        "solidbody.sim.batch",
        "solidbody.viewer",
    }
)
"""The same when it is run without the page."""


@pytest.mark.parametrize(
    ("words", "heavy"),
    [
        (["check"], NOT_FOR_CHECK),
        (["run", "--headless", "--duration", "0.1"], NOT_FOR_RUN),
    ],
    ids=["check", "run"],
)
def test_a_small_world_waits_for_no_import_that_it_does_not_need(
    words: list[str], heavy: frozenset[str], tmp_path: Path
) -> None:
    """A clock would see other programs, too; what has been imported is the same everywhere."""
    world = tmp_path / "box.wbt"
    world.write_text(BOX, encoding="utf-8")
    program = f"""
import sys
from solidbody.cli.app import main
sys.argv = ["solidbody", *{words!r}, {str(world)!r}]
try:
    main()
finally:
    print(*sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "mujoco" in loaded
    assert not loaded & heavy


LINES = [
    ["check", "a.wbt"],
    ["check", "a.wbt", "b.wbt", "--json"],
    ["check", "--proto-path", "p", "a.wbt", "--proto-path=q", "--missing-protos", "placeholder"],
    ["run", "a.wbt", "--headless", "--duration", "5", "--log", "-", "--no-controllers"],
    ["run", "a.wbt", "b.body@0,0,2", "--speed", "max", "--port=0", "--drive", "left=1:velocity"],
    ["run", "a.wbt", "--mode=fast", "--no-rendering", "--batch", "--minimize", "--stdout"],
    ["run", "--video-fps", "1e1", "a.wbt", "--ignore-controller-errors", "--engine", "reference"],
    ["convert", "a.wbt", "b.xml", "--robot", "arm"],
    ["plot", "a.csv", "x.*", "y", "-o", "b.png", "--start", ".5"],
    ["info", "a.wbt", "--json"],
    ["new", "robot", "--language", "cpp"],
    ["examples"],
    ["examples", "showcase", "--run"],
    ["explain", "unknown-node"],
    ["sdk", "--choreonoid"],
    ["protos", "where", "a.wbt", "--allow-download"],
]


@pytest.mark.parametrize("line", LINES, ids=" ".join)
def test_lines_are_read_as_typer_reads_them(
    line: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same values of the same types for every parameter."""
    seen: list[dict[str, Any]] = []

    def recording(command: Command) -> Command:
        @functools.wraps(command.run)
        def run(**given: Any) -> int:
            seen.append(given)
            return 0

        return Command(command.path, run, command.passes_on)

    monkeypatch.setattr(typer_app, "COMMANDS", [recording(command) for command in COMMANDS])
    result = CliRunner().invoke(typer_app.make_app(), line)
    assert result.exit_code == 0, result.output
    found = arguments.find(COMMANDS, line)
    assert found is not None
    command, told = found
    defaults = {
        name: item.default for name, item in inspect.signature(command.run).parameters.items()
    }
    (by_typer,) = seen
    quick = {**defaults, **told}
    assert quick == by_typer
    assert {name: type(value) for name, value in quick.items()} == {
        name: type(value) for name, value in by_typer.items()
    }


@pytest.mark.parametrize(
    "line",
    [
        [],
        ["--version"],
        ["fly"],
        ["check"],
        ["check", "--help"],
        ["check", "a.wbt", "--jsn"],
        ["check", "a.wbt", "--json=1"],
        ["check", "a.wbt", "--json", "--json"],
        ["check", "--", "a.wbt"],
        ["check", ""],
        ["check", "a.wbt", "--missing-protos", "Placeholder"],
        ["check", "a.wbt", "--missing-protos"],
        ["protos"],
        ["protos", "fly"],
        ["protos", "show", "a", "b"],
        ["run", "a.wbt", "--duration", "-1"],
        ["run", "a.wbt", "--duration", "inf"],
        ["run", "a.wbt", "--duration", "1_0"],
        ["run", "a.wbt", "--port", "65536"],
        ["run", "a.wbt", "--port", "1.0"],
        ["run", "a.wbt", "--log-period", "0"],
        ["run", "a.wbt", "--log", "--headless"],
        ["open", "folder"],
        ["controller", "a.py", "--unknown"],
    ],
    ids=" ".join,
)
def test_what_is_not_plainly_right_is_left_to_typer(line: list[str]) -> None:
    """It has the words for mistakes, help and completion."""
    assert arguments.find(COMMANDS, line) is None


def test_completion_is_typers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A shell that asks gets words, and no command runs."""
    asked: list[list[str]] = []
    monkeypatch.setattr(typer_app, "app", lambda words, prog_name: asked.append(words))
    monkeypatch.setenv(commands.COMPLETING, "complete_bash")
    assert commands.run_line(["explain"]) == 0
    assert asked == [["explain"]]


def test_mistakes_found_by_a_command_are_told_by_typer(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the option and the line of usage, as those that Typer finds itself."""
    monkeypatch.setattr(sys, "argv", ["solidbody", "run", "a.wbt", "--log", "out.csv"])
    with pytest.raises(SystemExit) as end:
        commands.main()
    assert end.value.code == 2
    said = capfd.readouterr()
    assert said.out == "" and "--log" in said.err and "needs --headless" in said.err
    assert "Usage" in said.err
