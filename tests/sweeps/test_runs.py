"""Single runs: measures, stops, functions, programs, and failures, which become rows."""

from __future__ import annotations

import csv
import io
import shutil
from pathlib import Path
from typing import Any

import pytest

import solidbody as sb
from solidbody.sweeps.preparing import versions
from solidbody.sweeps.results import SweepResults
from solidbody.sweeps.run import Run
from tests.sweeps.worlds import BOX, ROBOT, sliding, write

GRAVITY = 9.81


def swept(study: dict[str, Any]) -> SweepResults:
    return sb.sweep(study)


def only(study: dict[str, Any]) -> dict[str, Any]:
    """Return the row of the first run."""
    return swept(study).rows[0]


def test_sliding_box_goes_as_far_as_friction_lets_it(tmp_path: Path) -> None:
    """v^2 / (2 mu g); Euler's error is v h / 2 = 8 mm."""
    for row in swept(sliding(tmp_path)).rows:
        assert row["way"] == pytest.approx(4.0 / (2 * row["friction"] * GRAVITY), abs=0.009)
        assert row["status"] == "ok" and row["ended_by"] == "duration" and row["steps"] == 313


def test_reductions_are_those_of_the_log(tmp_path: Path) -> None:
    """Compared with numpy on the same column, start and end included."""
    words = ("last", "first", "min", "max", "mean", "range")
    measure: dict[str, Any] = {w: {"column": "box.vx", "reduce": w} for w in words}
    measure["all"] = {"function": whole_column, "columns": ["box.vx", "time"]}
    row = only(sliding(tmp_path, measure=measure))
    assert row["first"] == pytest.approx(2.0)
    assert row["max"] == pytest.approx(2.0)
    assert row["last"] == pytest.approx(0.0, abs=1e-9)
    assert row["range"] == pytest.approx(row["max"] - row["min"])
    assert row["all.mean"] == pytest.approx(row["mean"])
    assert row["all.rows"] == 314 and row["all.until"] == pytest.approx(2.504)


def whole_column(run: Run) -> dict[str, Any]:
    values = run.columns["box.vx"]
    return {"mean": values.mean(), "rows": values.size, "until": run.columns["time"][-1]}


def test_period_thins_out_the_rows(tmp_path: Path) -> None:
    """One per period, and the end."""
    measure = {"all": {"function": whole_column, "columns": ["box.vx", "time"]}}
    row = only(sliding(tmp_path, measure=measure, period=0.5))
    assert row["all.rows"] == 6


def test_stop_ends_a_run_early(tmp_path: Path) -> None:
    """When the box is slower than 1 m/s: after (v - 1) / (mu g)."""
    stop = {"slow": {"column": "box.vx", "below": 1.0}}
    row = only(sliding(tmp_path, stop=stop))
    assert row["ended_by"] == "slow"
    assert row["simulated"] == pytest.approx(1.0 / (0.2 * GRAVITY), abs=0.017)  # two steps


def is_far(run: Run) -> bool:
    return bool(run.sim["box"].position[0] > 0.5)


def test_function_can_stop_a_run(tmp_path: Path) -> None:
    """It sees the simulation."""
    row = only(sliding(tmp_path, stop={"far": is_far}))
    assert row["ended_by"] == "far" and 0.5 < row["way"] < 0.52


def push(run: Run) -> None:
    run.sim["box"].linear_velocity = (run.parameters["speed"], 0.0, 0.0)


def test_free_parameter_is_told_to_functions(tmp_path: Path) -> None:
    """`prepare` acts before the first step."""
    study = sliding(tmp_path, parameters={"speed": [1.0, 3.0]}, prepare=push, duration=4.0)
    first, second = (row["way"] for row in swept(study).rows)
    assert second == pytest.approx(9 * first, rel=0.02)


def give(run: Run) -> Any:
    return (
        {
            "nan": float("nan"),
            "none": None,
            "list": [1, 2.5],
            "text": "good",
            "object": object(),
            "deep": {"x": {"y": 1}},
            "raises": None,
        }[str(run.parameters["what"])]
        if run.parameters["what"] != "raises"
        else 1 / 0
    )


def test_answers_of_functions_become_cells_or_failures(tmp_path: Path) -> None:
    """None is no value; nan, objects and exceptions are failures with the line of the file."""
    words = ["none", "list", "text", "nan", "object", "raises"]
    rows = swept(sliding(tmp_path, parameters={"what": words}, measure={"x": give})).rows
    assert [row["status"] for row in rows] == ["ok"] * 3 + ["failed"] * 3
    assert [row["x"] for row in rows[:3]] == [None, [1, 2.5], "good"]
    assert rows[3]["message"] == "measure x is nan; a function returns None where there is no value"
    assert "got a object" in rows[4]["message"]
    assert rows[5]["message"].startswith(
        "measure x: ZeroDivisionError: division by zero (test_runs.py:"
    )


def test_failed_simulation_is_a_row(tmp_path: Path) -> None:
    """A speed that no number holds: the message of the simulator. The other run goes on."""
    speeds = {"model": "links[box].linear_velocity[0]", "values": [1e308, 1.0]}
    bad, good = swept(sliding(tmp_path, parameters={"speed": speeds})).rows
    assert bad["status"] == "failed" and "box" in bad["message"]
    assert good["status"] == "ok"


def test_time_limit_ends_a_run(tmp_path: Path) -> None:
    """Of an hour of simulated time."""
    row = only(sliding(tmp_path, duration=1e6, time_limit=0.3))
    assert row["status"] == "failed"
    assert row["message"] == "took longer than 0.3 s"


def test_motor_is_driven_from_the_start(tmp_path: Path) -> None:
    """As `run --drive` does it; a mode after a colon."""
    write(tmp_path, robot_wbt=ROBOT % ("<none>", "FALSE"))
    parameters = {"speed": {"drive": "motor", "values": [1.0, 2.0]}}
    study = {
        "scene": tmp_path / "robot.wbt",
        "duration": 1.0,
        "parameters": parameters,
        "measure": {"angle": "motor.q"},
    }
    assert [row["angle"] for row in swept(study).rows] == pytest.approx([1.0, 2.0], rel=0.02)
    study["parameters"] = {"angle0": {"drive": "motor:position", "values": [0.5]}}
    assert only(study)["angle"] == pytest.approx(0.5, rel=0.02)


REFEREE = """
import sys
from controller import Supervisor
robot = Supervisor()
wanted = int(sys.argv[1])
box = robot.getFromDef("ARM")
height = robot.getFromDef("ROBOT").getField("translation").getSFVec3f()[2]
while robot.step(8) != -1:
    if robot.getTime() > 0.1 * wanted:
        print("height", height)
        robot.simulationQuit(10 * wanted + round(height))
"""


def project(tmp_path: Path, program: str, supervisor: str = "TRUE") -> dict[str, Any]:
    write(
        tmp_path, worlds__robot_wbt=ROBOT % ("mine", supervisor), controllers__mine__mine_py=program
    )
    return {"scene": tmp_path / "worlds/robot.wbt", "duration": 2.0}


@pytest.mark.slow
def test_programs_get_their_arguments_and_referees_the_swept_world(tmp_path: Path) -> None:
    """The exit status is a column; a supervisor sees the values of this run, not those of the file."""
    study = project(tmp_path, REFEREE)
    study["parameters"] = {
        "argument": {"path": "ROBOT.controllerArgs", "values": [["1"], ["2"]]},
        "height": {"path": "ROBOT.translation", "values": [(0, 0, 1), (0, 0, 3)]},
    }
    rows = swept(study).rows
    assert [row["exit_status"] for row in rows] == [11, 13, 21, 23]
    assert {row["ended_by"] for row in rows} == {"program"}
    assert {row["status"] for row in rows} == {"ok"}


@pytest.mark.slow
def test_program_that_fails_fails_its_run_alone(tmp_path: Path) -> None:
    """Its message is in the row; what it printed is kept."""
    program = (
        "import sys\nfrom controller import Robot\nr = Robot()\nr.step(8)\nprint('before')\n"
        "if sys.argv[1] == '2': raise KeyError('lost')\nwhile r.step(8) != -1: pass\n"
    )
    study = project(tmp_path, program, "FALSE") | {"duration": 0.2, "keep": "failed"}
    study["parameters"] = {"argument": {"path": "ROBOT.controllerArgs", "values": [["1"], ["2"]]}}
    results = sb.sweep(study, out=tmp_path / "out")
    good, bad = results.rows
    assert good["status"] == "ok" and good["exit_status"] is None
    assert bad["status"] == "failed" and "robot" in bad["message"]
    kept = sorted(
        path.relative_to(tmp_path / "out") for path in (tmp_path / "out/runs").rglob("*.*")
    )
    assert [str(path) for path in kept] == ["runs/000001/log.csv", "runs/000001/output.txt"]
    text = (tmp_path / "out/runs/000001/output.txt").read_text()
    assert "[robot] before" in text and "KeyError: 'lost'" in text


@pytest.mark.slow
def test_program_that_hangs_is_ended_at_the_time_limit(tmp_path: Path) -> None:
    """The step waits for it, and the run does not wait for ever."""
    program = "from controller import Robot\nr = Robot()\nr.step(8)\nwhile True: pass\n"
    study = project(tmp_path, program, "FALSE") | {"time_limit": 3.0}
    row = only(study)
    assert row["message"].startswith("took longer than 3 s (a program does not answer)")


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_programs_in_c_run_too(tmp_path: Path) -> None:
    """Compiled once, run by each worker."""
    program = """
#include <stdlib.h>
#include <webots/motor.h>
#include <webots/robot.h>
int main(int argc, char **argv) {
  wb_robot_init();
  WbDeviceTag motor = wb_robot_get_device("motor");
  wb_motor_set_position(motor, atof(argv[1]));
  while (wb_robot_step(8) != -1) {}
  wb_robot_cleanup();
  return 0;
}
"""
    write(tmp_path, worlds__robot_wbt=ROBOT % ("mine", "FALSE"), controllers__mine__mine_c=program)
    study = {
        "scene": tmp_path / "worlds/robot.wbt",
        "duration": 1.0,
        "parameters": {"argument": {"path": "ROBOT.controllerArgs", "values": [["0.25"], ["0.5"]]}},
        "measure": {"angle": "motor.q"},
    }
    rows = sb.sweep(study, executor="process", workers=2).rows
    assert [row["angle"] for row in rows] == pytest.approx([0.25, 0.5], rel=0.02)


def test_kept_runs_have_their_log_and_recordings(tmp_path: Path) -> None:
    """The log is that of `run --log`; other runs leave nothing."""
    study = sliding(tmp_path, keep={"runs": [1], "record": ["mcap"]}, period=0.5)
    sb.sweep(study, out=tmp_path / "out")
    runs = tmp_path / "out/runs"
    assert sorted(item.name for item in runs.iterdir()) == ["000001"]
    assert sorted(item.name for item in (runs / "000001").iterdir()) == ["log.csv", "run.mcap"]
    rows = list(csv.DictReader(io.StringIO((runs / "000001/log.csv").read_text())))
    assert [float(row["time"]) for row in rows][:2] == [0.0, 0.504]
    assert float(rows[0]["box.vx"]) == pytest.approx(2.0)


def test_scene_of_several_files_is_varied_by_attributes(tmp_path: Path) -> None:
    """A robot in URDF above a floor of Webots, dropped from two heights of gravity."""
    urdf = """<robot name="r"><link name="base"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"""
    write(tmp_path, box_wbt=BOX, robot_urdf=urdf)
    study = {
        "scene": [tmp_path / "box.wbt", f"{tmp_path / 'robot.urdf'}@0,0,9"],
        "duration": 0.8,
        "parameters": {"g": {"model": "physics.gravity[2]", "values": [-1.0, -5.0]}},
        "measure": {"z": "base.z"},
    }
    # z = 9 - g t (t + h) / 2, by semi-implicit Euler
    expected = [9 - g * 0.8 * (0.8 + 0.008) / 2 for g in (1.0, 5.0)]
    assert [row["z"] for row in swept(study).rows] == pytest.approx(expected, abs=1e-6)


def test_results_name_all_versions() -> None:
    """Also that of MuJoCo, whose package is `mujoco-core` in a plain install."""
    assert all(versions().values()), versions()
