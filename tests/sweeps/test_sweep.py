"""Whole studies: the same bytes from every executor, killed workers, interrupted studies, their folder."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import solidbody as sb
from solidbody.sweeps import schedule
from solidbody.sweeps import sweep as sweeping
from solidbody.sweeps.crews import ProcessCrew
from solidbody.sweeps.results import SweepResults
from solidbody.sweeps.study import StudyError
from solidbody.sweeps.sweep import SweepProgress
from tests.sweeps.worlds import sliding, write
from tests.waiting import wait_until

ROOT = Path(__file__).parents[2]

FRICTION = "WorldInfo.contactProperties[0].coulombFriction"


def many(tmp_path: Path, count: int, **more: Any) -> dict[str, Any]:
    """Return a study of short runs."""
    spread = {"path": FRICTION, "range": [0.1, 0.9], "count": count}
    return sliding(tmp_path, parameters={"friction": spread}, duration=0.1, **more)


def functions(tmp_path: Path, text: str) -> str:
    """Write functions that travel to workers; return the file's name for a study."""
    write(tmp_path, fun_py=text)
    return str(tmp_path / "fun.py")


def same(a: SweepResults, b: SweepResults) -> bool:
    return a.csv() == b.csv() and a.parquet() == b.parquet()


@pytest.mark.slow
def test_processes_give_the_bytes_of_one_process(tmp_path: Path) -> None:
    """Whatever the number of workers; digests are of the complete state."""
    study = many(tmp_path, 40, seeds=[0, 5])
    serial = sb.sweep(study)
    assert len(serial) == 80 and not serial.failed
    assert len(set(serial.column("digest"))) > 40
    for workers in (1, 3):
        assert same(serial, sb.sweep(study, executor="process", workers=workers))


@pytest.mark.slow
def test_killed_worker_loses_no_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both workers are killed in the middle, and the results are as if nothing had been."""
    study = many(tmp_path, 100)
    crews: list[ProcessCrew] = []
    make = sweeping.crew_of

    def kept(*arguments: Any) -> Any:
        crews.append(make(*arguments))  # type: ignore[arg-type]
        return crews[-1]

    killed: set[int] = set()

    def kill(now: SweepProgress) -> None:
        if now.done >= 10 * (len(killed) + 1) and len(killed) < 2:
            pid = next((pid for pid in crews[0].pids.values() if pid not in killed), None)
            if pid is not None:
                killed.add(pid)
                os.kill(pid, signal.SIGKILL)

    monkeypatch.setattr(sweeping, "crew_of", kept)
    results = sb.sweep(study, executor="process", workers=2, progress=kill)
    assert len(killed) == 2
    assert same(results, sb.sweep(study, executor="serial"))


@pytest.mark.slow
def test_run_that_kills_its_worker_is_a_failed_row(tmp_path: Path) -> None:
    """Tried again twice, then given up; a run that kills once is done in the end."""
    marker = tmp_path / "once"
    file = functions(
        tmp_path,
        f"""
import os, signal
def prepare(run):
    if run.number == 7 or (run.number == 3 and not os.path.exists({str(marker)!r})):
        open({str(marker)!r}, "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
""",
    )
    study = many(tmp_path, 12, prepare=f"{file}:prepare")
    results = sb.sweep(study, executor="process", workers=2)
    assert [row["run"] for row in results.rows] == list(range(12))
    assert [row["run"] for row in results.failed] == [7]
    assert results.failed[0]["message"] == "its worker was ended by SIGKILL, 3 times: given up"
    assert marker.exists()


@pytest.mark.slow
def test_function_that_hangs_is_ended_with_its_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time limit holds also where nobody looks at the clock."""
    monkeypatch.setattr(schedule, "GRACE", 3.0)
    text = "def prepare(run):\n    while run.number == 1: pass\n"
    study = many(tmp_path, 3, prepare=f"{functions(tmp_path, text)}:prepare", time_limit=5.0)
    results = sb.sweep(study, executor="process", workers=2)
    assert [row["run"] for row in results.failed] == [1]
    assert "did not end by itself" in results.failed[0]["message"]


def test_failed_rows_are_the_same_everywhere(tmp_path: Path) -> None:
    """A row per run, in order, with its parameters and its message."""
    text = "def way(run):\n    if run.number % 2: raise ValueError('odd')\n    return 1.5\n"
    study = many(tmp_path, 5, measure={"way": f"{functions(tmp_path, text)}:way"})
    results = sb.sweep(study)
    assert [row["status"] for row in results.rows] == ["ok", "failed"] * 2 + ["ok"]
    assert results.rows[1]["message"] == "measure way: ValueError: odd (fun.py:2)"
    assert results.rows[1]["friction"] == pytest.approx(0.3)
    assert results.column("way") == [1.5, None, 1.5, None, 1.5]


class _StopError(Exception):
    pass


def interrupted_at(count: int) -> Any:
    def progress(now: SweepProgress) -> None:
        if now.done >= count:
            raise _StopError

    return progress


def test_interrupted_study_goes_on_where_it_stopped(tmp_path: Path) -> None:
    """Runs that were done are not done again, and the results are those of an uninterrupted one."""
    calls = tmp_path / "calls"
    text = f"def prepare(run):\n    print(run.number, file=open({str(calls)!r}, 'a'))\n"
    study = many(tmp_path, 20, prepare=f"{functions(tmp_path, text)}:prepare")
    with pytest.raises(_StopError):
        sb.sweep(study, out=tmp_path / "out", progress=interrupted_at(8))
    assert (tmp_path / "out/results.csv").read_text().count(
        "\n"
    ) == 9  # what there is, and a header
    results = sb.sweep(study, out=tmp_path / "out", resume=True)
    assert sorted(map(int, calls.read_text().split())) == list(range(20))
    assert same(results, sb.sweep(study))
    assert (tmp_path / "out/results.csv").read_text() == results.csv()


def test_torn_line_of_a_killed_study_is_done_again(tmp_path: Path) -> None:
    """The last line of the journal may end anywhere."""
    study = many(tmp_path, 6)
    whole = sb.sweep(study, out=tmp_path / "out")
    journal = tmp_path / "out/journal.jsonl"
    data = journal.read_bytes()
    for cut in (1, 40, len(data.splitlines()[-1]) - 1):
        journal.write_bytes(data[:-cut])
        assert same(whole, sb.sweep(study, out=tmp_path / "out", resume=True))


def test_failed_runs_can_be_done_again(tmp_path: Path) -> None:
    """Those alone; without being asked for they stay as they are."""
    marker = tmp_path / "mended"
    is_good = f"os.path.exists({str(marker)!r}) or run.number"
    text = f"import os\ndef way(run):\n    return 1 if {is_good} else 1/0\n"
    study = many(tmp_path, 3, measure={"way": f"{functions(tmp_path, text)}:way"})
    out = tmp_path / "out"
    assert len(sb.sweep(study, out=out).failed) == 1
    marker.touch()
    assert len(sb.sweep(study, out=out, resume=True).failed) == 1
    assert len(sb.sweep(study, out=out, resume=True, retry_failed=True).failed) == 0
    assert len(sb.sweep(study, out=out, resume=True).failed) == 0


CHANGES = {
    "duration": "duration: was 0.1, is 0.2",
    "values": "parameters.friction.count: was 4, is 5",
    "world": "file box.wbt has changed",
    "function": "file fun.py has changed",
    "measure": "measure.more: only now",
}


@pytest.mark.parametrize("change", CHANGES)
def test_another_study_does_not_go_on_in_the_folder(change: str, tmp_path: Path) -> None:
    """What differs is told; nothing is written."""
    study = many(tmp_path, 4, measure={"way": f"{functions(tmp_path, 'def f(run): return 1')}:f"})
    out = tmp_path / "out"
    sb.sweep(study, out=out)
    before = (out / "results.csv").read_bytes()
    if change == "duration":
        study["duration"] = 0.2
    elif change == "values":
        study = many(tmp_path, 5, measure=study["measure"])
    elif change == "world":
        path = tmp_path / "box.wbt"
        path.write_text(path.read_text().replace("2 0 0", "3 0 0"))
    elif change == "function":
        functions(tmp_path, "def f(run): return 2")
    else:
        study["measure"]["more"] = "box.x"
    with pytest.raises(StudyError) as caught:
        sb.sweep(study, out=out, resume=True)
    assert f"{out} is of another study\n{CHANGES[change]}" in str(caught.value)
    assert (out / "results.csv").read_bytes() == before


def test_results_are_not_overwritten(tmp_path: Path) -> None:
    """A second study needs another folder, or the word for going on."""
    study = many(tmp_path, 2)
    sb.sweep(study, out=tmp_path / "out")
    with pytest.raises(StudyError, match="--resume goes on with it"):
        sb.sweep(study, out=tmp_path / "out")
    with pytest.raises(StudyError, match="holds no study to go on with"):
        sb.sweep(study, out=tmp_path / "other", resume=True)


@pytest.fixture
def file_in_the_way(tmp_path: Path) -> Path:
    (tmp_path / "file").touch()
    return tmp_path / "file" / "out"


def test_folder_that_cannot_be_made_is_told(tmp_path: Path, file_in_the_way: Path) -> None:
    """Before anything is done."""
    with pytest.raises(StudyError, match=r"cannot be written: Not a directory"):
        sb.sweep(many(tmp_path, 2), out=file_in_the_way)


# a compiled module that is cut off would break all that import it later
FULL = """
import resource, sys
sys.dont_write_bytecode = True
resource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000))
from solidbody.cli.app import main
sys.argv = ["solidbody", "sweep", "study.toml", "--executor", "serial"]
main()
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="limits of a process")
def test_full_disk_ends_a_study_that_can_go_on(tmp_path: Path) -> None:
    """The system refuses to let the journal grow: status 2, and what was done is kept."""
    sliding(tmp_path)
    write(
        tmp_path, study_toml=STUDY.replace("values = [0.2, 0.4]", "range = [0.1, 0.9]\ncount = 90")
    )
    full = subprocess.run(
        [sys.executable, "-c", FULL],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert full.returncode == 2
    assert "cannot be written: File too large; what was done before is kept" in full.stderr
    done = (tmp_path / "study.results/journal.jsonl").read_bytes().count(b"\n")
    assert 10 < done < 90
    assert run("study.toml", "--resume", folder=tmp_path).returncode == 0
    rows = (tmp_path / "study.results/results.csv").read_text()
    assert rows == sb.sweep(tmp_path / "study.toml").csv()


def test_tables_say_the_same(tmp_path: Path) -> None:
    """CSV and Parquet: parameters, seeds, versions, numbers without loss."""
    parquet = pytest.importorskip("pyarrow.parquet")
    study = many(tmp_path, 3, seeds=2)
    results = sb.sweep(study, out=tmp_path / "out")
    table = parquet.read_table(tmp_path / "out/results.parquet")
    assert table.column_names == list(results.columns)
    assert table.to_pylist() == results.rows
    assert {str(table.schema.field(name).type) for name in ("friction", "way")} == {"double"}
    first = results.rows[0]
    assert first["version.solidbody"] == sb.__version__ and first["seed"] == 0
    header, line = results.csv().splitlines()[:2]
    cells = dict(zip(header.split(","), line.split(","), strict=True))
    assert float(cells["way"]) == first["way"] and cells["message"] == ""


def test_summary_shows_every_measure(tmp_path: Path) -> None:
    """A panel per measure and parameter, with ink in each."""
    import numpy as np
    from PIL import Image

    parameters = {
        "friction": {"path": FRICTION, "values": [0.2, 0.4]},
        "speed": {"model": "links[box].linear_velocity[0]", "values": [1.0, 2.0, 3.0]},
    }
    study = sliding(tmp_path, parameters=parameters, measure={"way": "box.x", "end": "box.vx"})
    sb.sweep(study, out=tmp_path / "out")
    image = np.asarray(Image.open(tmp_path / "out/summary.png").convert("RGB")).astype(int)
    height, width = image.shape[:2]
    for row in range(2):
        for column in range(2):
            panel = image[30 + row * (height - 30) // 2 :, column * width // 2 :]
            panel = panel[: (height - 30) // 2, : width // 2]
            colored = np.ptp(panel, axis=2) > 60
            assert colored.sum() > 20


def test_worlds_of_one_study_do_not_start_others() -> None:
    """A script without a guard, run again in its worker, is told what to do."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(sweeping.IN_WORKER, "1")
        with pytest.raises(StudyError, match="__main__"):
            sb.sweep({"scene": "x.wbt", "duration": 1})


def test_function_without_a_file_stays_here(tmp_path: Path) -> None:
    """A lambda works in this process, and others are told why not in theirs."""
    study = many(tmp_path, 2, measure={"way": lambda run: run.number})
    assert sb.sweep(study).column("way") == [0, 1]
    with pytest.raises(StudyError, match="cannot go to another process"):
        sb.sweep(study, executor="process")


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ({"executor": "threads"}, 'no executor is named "threads"'),
        ({"executor": "process", "workers": 0}, "expected 1 to 10,000 workers"),
        ({"address": "127.0.0.1:1"}, "an address is for the executor ray"),
        ({"resume": True}, "a study goes on in its folder"),
        ({"keep": "some"}, "keep: expected failed"),
    ],
)
def test_choices_that_make_no_sense_are_told(
    choice: dict[str, Any], expected: str, tmp_path: Path
) -> None:
    """Before anything is done."""
    with pytest.raises(StudyError, match=expected):
        sb.sweep(many(tmp_path, 2), **choice)


@pytest.mark.slow
def test_workers_that_cannot_start_end_the_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With what they had to say."""
    bad = tmp_path / "python"
    bad.write_text("#!/bin/sh\necho no such thing >&2\nexit 3\n")
    bad.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(bad))
    with pytest.raises(StudyError, match=r"workers do not start: .*status 3: no such thing"):
        sb.sweep(many(tmp_path, 4), executor="process", workers=2)


# ------------------------------------------------------------------------------------------ command line


def run(*arguments: object, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "solidbody", "sweep", *map(str, arguments)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


STUDY = """\
scene = "box.wbt"
duration = 0.1
[parameters.friction]
path = "WorldInfo.contactProperties[0].coulombFriction"
values = [0.2, 0.4]
[measure]
way = "box.x"
"""


@pytest.mark.slow
def test_command_writes_a_folder_and_says_so_as_json(tmp_path: Path) -> None:
    """Status 0; a second time status 2, --resume has nothing left to do."""
    sliding(tmp_path)
    write(tmp_path, study_toml=STUDY)
    done = run("study.toml", "--json", "--workers", 1, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["runs"] == 2 and said["failed"] == 0 and said["folder"] == "study.results"
    assert {"results.csv", "results.parquet", "summary.png"} <= set(said["files"])
    assert "2 runs, 0 failed" in done.stderr
    again = run("study.toml", folder=tmp_path)
    assert again.returncode == 2 and "--resume" in again.stderr
    assert run("study.toml", "--resume", folder=tmp_path).returncode == 0


@pytest.mark.slow
def test_command_tells_failures_and_mistakes_by_its_status(tmp_path: Path) -> None:
    """1 for a failed run, 2 for a bad study."""
    sliding(tmp_path)
    write(tmp_path, study_toml=STUDY.replace("0.2, 0.4", "0.2, -0.4"), fun_py="def f(run): 1/0")
    bad = run("study.toml", folder=tmp_path)
    assert bad.returncode == 2
    assert "study.toml:5: parameters.friction.values: " in bad.stderr
    text = STUDY.replace('"box.x"', '"fun.py:f"')
    write(tmp_path, study_toml=text)
    failed = run("study.toml", "--executor", "serial", folder=tmp_path)
    assert failed.returncode == 1
    assert "run 0: measure way: ZeroDivisionError: division by zero (fun.py:1)" in failed.stderr


@pytest.mark.slow
def test_dry_run_lists_runs_and_writes_nothing(tmp_path: Path) -> None:
    """For people, and as JSON."""
    sliding(tmp_path)
    write(tmp_path, study_toml="seeds = 2\n" + STUDY)
    listed = run("study.toml", "--dry-run", folder=tmp_path)
    assert listed.stdout.splitlines()[1] == "run 1, friction 0.2, seed 1"
    runs = json.loads(run("study.toml", "--dry-run", "--json", folder=tmp_path).stdout)["runs"]
    assert runs[3] == {"run": 3, "friction": 0.4, "seed": 1}
    assert not (tmp_path / "study.results").exists()


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_command_keeps_what_is_done(number: signal.Signals, tmp_path: Path) -> None:
    """Status 130 or 143, tables of what there is, and --resume goes on; no worker stays."""
    sliding(tmp_path)
    many_values = "range = [0.1, 0.9]\ncount = 2000"
    write(tmp_path, study_toml=STUDY.replace("values = [0.2, 0.4]", many_values))
    journal = tmp_path / "study.results/journal.jsonl"
    command = [sys.executable, "-m", "solidbody", "sweep", "study.toml", "--workers", "2"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        wait_until(lambda: journal.exists() and journal.read_bytes().count(b"\n") > 20)
        process.send_signal(number)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert "--resume goes on" in said
    rows = (tmp_path / "study.results/results.csv").read_text().count("\n") - 1
    assert 20 < rows < 2000
