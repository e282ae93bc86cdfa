"""The commands as a script sees them: standard output, standard error, exit status, files."""

from __future__ import annotations

import csv
import json
import math
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from solidbody import __version__
from solidbody.cli.app import app
from tests.cli import worlds
from tests.waiting import wait_until


def invoke(*arguments: str | Path) -> Result:
    """Run the command line in this process."""
    return CliRunner().invoke(app, [str(item) for item in arguments])


@pytest.fixture
def ball(tmp_path: Path) -> Path:
    """A ball of 2 kg that falls from 5 m; steps of 10 ms, gravity 10."""
    path = tmp_path / "ball.wbt"
    path.write_text(worlds.FALLING_BALL, encoding="utf-8")
    return path


@pytest.fixture
def pendulum(tmp_path: Path) -> Path:
    """One hinge with a motor; the link's name holds a comma and quotes."""
    path = tmp_path / "pendulum.wbt"
    path.write_text(worlds.PENDULUM, encoding="utf-8")
    return path


def read_rows(text: str) -> list[dict[str, float]]:
    """Return the rows of a motion log by column name."""
    return [
        {name: float(value) for name, value in row.items()}
        for row in csv.DictReader(text.splitlines())
    ]


# -------------------------------------------------------------------------------------- front door


def test_version_is_printed() -> None:
    """One line, for scripts."""
    result = invoke("--version")
    assert (result.exit_code, result.stdout) == (0, f"solidbody {__version__}\n")


@pytest.mark.parametrize("module", ["solidbody", "solidbody.cli"])
def test_modules_are_the_program_too(module: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", module, "--version"], capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, f"solidbody {__version__}\n")


def test_help_waits_for_no_heavy_import() -> None:
    """Heavy imports stay inside commands: a clock would see other programs too."""
    heavy = ("mujoco", "numpy", "rich.console", "starlette", "trimesh", "uvicorn", "warp", "yaml")
    program = f"""
import sys
from solidbody.cli.app import app
try:
    app(["run", "--help"], prog_name="solidbody")
finally:
    print(*(name for name in {heavy!r} if name in sys.modules), file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0
    assert "--headless" in done.stdout
    assert done.stderr.split() == ["rich.console"]  # which draws the help itself


@pytest.mark.parametrize(
    "arguments",
    [
        ["fly"],
        ["run"],
        ["run", "x.wbt", "--speed", "fast"],
        ["run", "x.wbt", "--speed", "-1"],
        ["run", "x.wbt", "--mode", "slow"],
        ["run", "x.wbt", "--duration", "-1"],
        ["run", "x.wbt", "--duration", "inf"],
        ["run", "x.wbt", "--log", "out.csv"],
        ["run", "x.wbt", "--headless", "--log-period", "1"],
        ["run", "x.wbt", "--headless", "--log", "-", "--log-period", "0"],
        ["check"],
        ["convert", "x.wbt"],
    ],
)
def test_bad_usage_has_status_2(arguments: list[str]) -> None:
    """And nothing on standard output that a program could mistake for a result."""
    result = invoke(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""


# ------------------------------------------------------------------------------------------- check


def test_check_of_a_good_file_is_an_empty_list(ball: Path) -> None:
    """Status 0 and valid JSON."""
    result = invoke("check", ball, "--json")
    assert (result.exit_code, json.loads(result.stdout)) == (0, [])


def test_check_reports_place_and_suggestion(tmp_path: Path) -> None:
    """The contract of `check --json`."""
    path = tmp_path / "typo.wbt"
    path.write_text(worlds.WITH_UNKNOWN_FIELD, encoding="utf-8")
    result = invoke("check", path, "--json")
    items = json.loads(result.stdout)
    assert list(items[0]) == [
        "severity",
        "code",
        "file",
        "line",
        "column",
        "node",
        "field",
        "message",
    ]
    (item,) = [item for item in items if "transation" in item["message"] + item["field"]]
    assert item["file"] == str(path)
    assert (item["line"], item["column"]) == (6, 3)
    assert "translation" in item["message"]
    assert result.exit_code == (2 if any(i["severity"] == "error" for i in items) else 0)


def test_check_of_several_files_is_one_list(ball: Path, tmp_path: Path) -> None:
    """One bad file among good ones decides the status."""
    broken, missing = tmp_path / "broken.wbt", tmp_path / "missing.wbt"
    broken.write_text(worlds.BROKEN, encoding="utf-8")
    result = invoke("check", ball, broken, missing, "--json")
    assert result.exit_code == 2
    files = {item["file"] for item in json.loads(result.stdout) if item["severity"] == "error"}
    assert files == {str(broken), str(missing)}


def test_check_for_people_has_one_line_each(tmp_path: Path) -> None:
    """`file:line:column: severity: ...`, as editors understand it."""
    path = tmp_path / "typo.wbt"
    path.write_text(worlds.WITH_UNKNOWN_FIELD, encoding="utf-8")
    result = invoke("check", path)
    assert f"{path}:6:3: " in result.stdout
    assert "1 file:" in result.stderr


# -------------------------------------------------------------------------------------------- info


def test_info_describes_the_world(ball: Path) -> None:
    """Values of the file, in SI units."""
    result = invoke("info", ball, "--json")
    assert result.exit_code == 0
    data = json.loads(result.stdout)
    assert data["time_step"] == 0.01
    assert data["gravity"] == [0.0, 0.0, -10.0]
    body = next(body for body in data["bodies"] if body["name"] == "ball")
    assert body["dynamic"] is True
    assert body["mass"] == pytest.approx(2.0)
    assert body["inertia"][:3] == pytest.approx([0.4 * 2.0 * 0.01] * 3)
    assert body["position"] == [0.0, 0.0, 5.0]
    assert data["contact_properties"][0]["bounce"] == 0.25
    assert {shape["geometry"] for shape in data["shapes"]} == {"plane", "sphere"}
    assert data["diagnostics"] == []


def test_info_describes_joints_and_their_motors(pendulum: Path) -> None:
    """Axis and anchor in the world, limits of the motor."""
    data = json.loads(invoke("info", pendulum, "--json").stdout)
    (joint,) = data["joints"]
    assert (joint["type"], joint["parent"]) == ("hinge", "post")
    assert joint["child"] == 'arm, "left"'
    assert joint["axis"] == [0.0, 1.0, 0.0]
    assert joint["anchor"] == [0.0, 0.0, 3.0]
    assert joint["range"] == [-1.0, 2.0]
    assert (joint["velocity_limit"], joint["effort_limit"]) == (3.0, 0.5)
    assert [device["name"] for device in data["devices"]] == ["swing"]


def test_info_for_people_has_tables(pendulum: Path) -> None:
    """Names stand there; nothing is cut off when it is not a terminal."""
    result = invoke("info", pendulum)
    assert result.exit_code == 0
    for word in ("Bodies", "Joints", 'arm, "left"', "swing"):
        assert word in result.stdout


def test_info_of_a_missing_file_has_status_2(tmp_path: Path) -> None:
    """And says which."""
    result = invoke("info", tmp_path / "none.wbt", "--json")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "none.wbt" in result.stderr


# --------------------------------------------------------------------------------------------- run


def test_log_has_a_row_per_step_from_time_zero(ball: Path, tmp_path: Path) -> None:
    """Free fall: v = -g t and, by semi-implicit Euler, z = 5 - g h^2 n(n+1)/2."""
    out = tmp_path / "out.csv"
    result = invoke("run", ball, "--headless", "--duration", "0.5", "--log", out)
    assert result.exit_code == 0, result.stderr
    assert result.stdout == ""
    rows = read_rows(out.read_text(encoding="utf-8"))
    assert len(rows) == 51
    for n, row in enumerate(rows):
        assert row["time"] == pytest.approx(0.01 * n, abs=1e-12)
        assert row["ball.z"] == pytest.approx(5.0 - 10.0 * 1e-4 * n * (n + 1) / 2, abs=1e-12)
        assert row["ball.vz"] == pytest.approx(-0.1 * n, abs=1e-12)
        assert row["ball.qw"] == 1.0
    assert next(iter(rows[0])) == "time"
    assert {"floor.x", "ball.wz"} <= set(rows[0])


def test_log_numbers_read_back_as_the_same_doubles(ball: Path, tmp_path: Path) -> None:
    """What Python says of the same run, to the last bit."""
    import solidbody as sb

    out = tmp_path / "out.csv"
    invoke("run", ball, "--headless", "--duration", "0.37", "--log", out)
    last = read_rows(out.read_text(encoding="utf-8"))[-1]
    sim = sb.Sim(sb.load(str(ball)))
    sim.step(37)
    position = sim["ball"].position
    assert (last["ball.x"], last["ball.y"], last["ball.z"]) == tuple(position)
    assert last["time"] == sim.time


def test_log_goes_to_standard_output_and_nothing_else_does(ball: Path) -> None:
    """`--log -` can be piped."""
    result = invoke(
        "run", ball, "--headless", "--duration", "0.1", "--log", "-", "--log-period", "0.05"
    )
    assert result.exit_code == 0
    assert [row["time"] for row in read_rows(result.stdout)] == pytest.approx([0.0, 0.05, 0.1])


def test_log_has_joint_columns(pendulum: Path) -> None:
    """Position and velocity of each joint axis; quoted names come back whole."""
    result = invoke("run", pendulum, "--headless", "--duration", "0.1", "--log", "-")
    assert result.exit_code == 0, result.stderr
    rows = read_rows(result.stdout)
    assert 'arm, "left".x' in rows[0]
    (column,) = [name for name in rows[0] if name.endswith(".q")]
    assert rows[0][column] == 0.0
    assert column.replace(".q", ".dq") in rows[0]


def test_log_that_cannot_be_written_has_status_2(ball: Path, tmp_path: Path) -> None:
    """A folder that is not there."""
    out = tmp_path / "no" / "out.csv"
    result = invoke("run", ball, "--headless", "--duration", "0.1", "--log", out)
    assert result.exit_code == 2
    assert "out.csv" in result.stderr


def test_webots_words_are_understood(ball: Path) -> None:
    """A command line written for Webots runs as it is."""
    words = ["--mode=fast", "--no-rendering", "--batch", "--stdout", "--stderr", "--minimize"]
    result = invoke("run", *words, ball, "--duration", "0.1")
    assert result.exit_code == 0, result.stderr


def test_speed_is_a_factor_of_real_time(ball: Path) -> None:
    """0.2 s at twice real time take at least 0.1 s."""
    start = time.perf_counter()
    result = invoke("run", ball, "--headless", "--duration", "0.2", "--speed", "2")
    assert result.exit_code == 0
    assert time.perf_counter() - start >= 0.1


def test_engines_agree_on_free_fall(ball: Path) -> None:
    """The reference step can be asked for by name."""
    result = invoke(
        "run", ball, "--headless", "--duration", "0.1", "--log", "-", "--engine", "reference"
    )
    assert result.exit_code == 0, result.stderr
    assert read_rows(result.stdout)[-1]["ball.vz"] == pytest.approx(-1.0)


def test_file_with_errors_runs_unless_strict(tmp_path: Path) -> None:
    """As Webots does: errors are printed, the rest runs."""
    path = tmp_path / "typo.wbt"
    path.write_text(worlds.WITH_UNKNOWN_FIELD, encoding="utf-8")
    result = invoke("run", path, "--headless", "--duration", "0.05")
    assert result.exit_code == 0, result.stderr
    assert f"{path}:6:3: " in result.stderr
    has_errors = invoke("check", path).exit_code == 2
    result = invoke("run", path, "--headless", "--duration", "0.05", "--strict")
    assert result.exit_code == (2 if has_errors else 0)


def test_missing_file_has_status_2(tmp_path: Path) -> None:
    """One message, no traceback."""
    result = invoke("run", tmp_path / "none.wbt", "--headless", "--duration", "1")
    assert result.exit_code == 2
    assert "none.wbt" in result.stderr


def test_failed_simulation_has_status_1(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A state that overflows ends the run with its time."""
    monkeypatch.chdir(tmp_path)  # the last states are saved there
    path = tmp_path / "blast.wbt"
    text = worlds.FALLING_BALL.replace("gravity 10 ", "gravity 1e308 ")
    path.write_text(text, encoding="utf-8")
    result = invoke("run", path, "--headless", "--duration", "10")
    assert result.exit_code == 1
    assert "t = " in result.stderr


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_interrupt_ends_a_headless_run_with_status_0(ball: Path, tmp_path: Path) -> None:
    """Ctrl-C is the way to end a run without a duration."""
    import signal

    out = tmp_path / "out.csv"
    command = [sys.executable, "-m", "solidbody.cli", "run", str(ball), "--headless"]
    with subprocess.Popen([*command, "--log", str(out)], stderr=subprocess.PIPE, text=True) as run:
        try:
            wait_until(lambda: out.exists() and out.stat().st_size, "the first rows")
            run.send_signal(signal.SIGINT)
            _, errors = run.communicate(timeout=60)
        finally:
            run.kill()  # one that is deaf would fill the disk
    assert run.returncode == 0, errors
    assert "simulated" in errors
    assert "Traceback" not in errors
    assert out.read_text(encoding="utf-8").endswith("\n")


# ----------------------------------------------------------------------------------------- convert


def test_converted_file_loads_in_plain_mujoco(pendulum: Path, tmp_path: Path) -> None:
    """Same masses and joints; what is lost is said."""
    import mujoco

    out = tmp_path / "pendulum.xml"
    result = invoke("convert", pendulum, out)
    assert result.exit_code == 0, result.stderr
    assert "lost-in-mjcf" in result.stderr
    model = mujoco.MjModel.from_xml_path(str(out))
    assert model.njnt == 1
    assert math.isclose(model.body_subtreemass[0], 1.0)


def test_unknown_extension_is_refused_with_the_known_ones(ball: Path, tmp_path: Path) -> None:
    """Before anything is read or written."""
    result = invoke("convert", ball, tmp_path / "ball.usdz")
    assert result.exit_code == 2
    assert ".xml" in result.stderr
    assert not (tmp_path / "ball.usdz").exists()
