"""Studies on real Ray: clusters on this machine, killed workers, clusters that somebody else has started."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import solidbody as sb
from solidbody.sweeps import ray_crew
from solidbody.sweeps import sweep as sweeping
from solidbody.sweeps.ray_crew import RayCrew
from solidbody.sweeps.study import StudyError
from solidbody.sweeps.sweep import SweepProgress
from tests.sweeps.worlds import ROBOT, sliding, write

pytestmark = pytest.mark.slow

FRICTION = "WorldInfo.contactProperties[0].coulombFriction"


@pytest.fixture(scope="module")
def ray() -> Any:
    return pytest.importorskip("ray")


@pytest.fixture
def crews(ray: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """The workers of the studies of a test."""
    made: list[Any] = []
    make = sweeping.crew_of

    def kept(*arguments: Any) -> Any:
        made.append(make(*arguments))
        return made[-1]

    monkeypatch.setattr(sweeping, "crew_of", kept)
    yield made
    assert not ray.is_initialized()  # what was started for a study has ended with it


def short(tmp_path: Path, count: int, **more: Any) -> dict[str, Any]:
    spread = {"path": FRICTION, "range": [0.1, 0.9], "count": count}
    return sliding(tmp_path, parameters={"friction": spread}, duration=0.05, **more)


@pytest.mark.timeout(600)
def test_a_thousand_runs_survive_a_killed_worker(tmp_path: Path, crews: list[Any]) -> None:
    """Two workers, one killed in the middle: the tables have the bytes of one process, in one process."""
    study = short(tmp_path, 500, seeds=[1, 2])
    killed: list[int] = []

    def kill(now: SweepProgress) -> None:
        if now.done > 300 and not killed:
            killed.append(crews[0].pids[1])
            os.kill(killed[0], signal.SIGKILL)

    results = sb.sweep(study, executor="ray", workers=2, progress=kill, out=tmp_path / "out")
    assert len(killed) == 1 and isinstance(crews[0], RayCrew)
    assert len(results) == 1000 and not results.failed
    one = sb.sweep(study)
    assert results.csv() == one.csv()
    assert results.parquet() == one.parquet()
    lines = (tmp_path / "out/journal.jsonl").read_text().splitlines()
    workers = {json.loads(line)["worker"] for line in lines}
    # the killed one did its share; on a busy machine all may be done before another one has come for it
    assert len(workers) >= 2 and any(name.endswith(f":{killed[0]}") for name in workers)
    assert len(set(one.column("digest"))) > 900  # the runs were not all the same


def test_run_that_kills_its_worker_is_a_failed_row(tmp_path: Path, crews: list[Any]) -> None:
    """Tried again, then given up; all other runs are done."""
    text = "import os, signal\ndef prepare(run):\n    if run.number == 2:\n"
    write(tmp_path, fun_py=text + "        os.kill(os.getpid(), signal.SIGKILL)\n")
    study = short(tmp_path, 5, prepare=f"{tmp_path / 'fun.py'}:prepare", retries=1)
    results = sb.sweep(study, executor="ray", workers=1)
    assert [row["run"] for row in results.rows] == list(range(5))
    assert [row["message"] for row in results.failed] == ["its worker was ended, 2 times: given up"]


CLUSTER = """
import sys
from ray.cluster_utils import Cluster
for tries in range(3):
    try:
        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1,
            "node_ip_address": "127.0.0.1", "include_dashboard": False,
            "object_store_memory": 200_000_000})
        break
    except Exception as error:  # on a busy machine Ray gives up after half a minute
        if tries == 2 or "timed out during startup" not in str(error):
            raise
print(cluster.address, flush=True)
sys.stdin.readline()
cluster.shutdown()
"""


@pytest.fixture
def address(ray: Any) -> Iterator[str]:
    """A cluster of one processor that another program has started."""
    command = [sys.executable, "-c", CLUSTER]
    environment = {**os.environ, "RAY_USAGE_STATS_ENABLED": "0"}
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, text=True, env=environment, **pipes) as process:
        assert process.stdout is not None
        lines = iter(process.stdout.readline, "")
        yield next(line.strip() for line in lines if line.startswith("127.0.0.1:"))
        process.communicate("end\n", timeout=60)


C_PROGRAM = """
#include <stdlib.h>
#include <webots/motor.h>
#include <webots/robot.h>
int main(int argc, char **argv) {
  wb_robot_init();
  WbDeviceTag motor = wb_robot_get_device("motor");
  wb_motor_set_position(motor, 1e300 * 1e300);
  wb_motor_set_velocity(motor, atof(argv[1]));
  while (wb_robot_step(8) != -1) {}
  wb_robot_cleanup();
  return 0;
}
"""

PYTHON_PROGRAM = """
import sys
from controller import Robot
robot = Robot()
motor = robot.getDevice("motor")
motor.setPosition(float("inf"))
motor.setVelocity(float(sys.argv[1]))
while robot.step(8) != -1:
    pass
"""

PROGRAMS_STUDY = """\
scene = "worlds/robot.wbt"
duration = 0.2
[parameters.program]
path = "ROBOT.controller"
values = ["in_python", "in_c"]
[parameters.speed]
path = "ROBOT.controllerArgs"
values = [["1"], ["2"]]
[measure]
angle = "motor.q"
"""


@pytest.mark.timeout(600)
def test_cluster_at_an_address_runs_programs(address: str, tmp_path: Path) -> None:
    """From the command line, with more workers than it has processors; it goes on without us.

    Programs in Python and in C run beside their worker: both turn the same motor equally fast.
    """
    write(
        tmp_path,
        worlds__robot_wbt=ROBOT % ("none", "FALSE"),
        controllers__in_python__in_python_py=PYTHON_PROGRAM,
        controllers__in_c__in_c_c=C_PROGRAM,
        study_toml=PROGRAMS_STUDY,
    )
    command = [sys.executable, "-m", "solidbody", "sweep", "study.toml", "--executor", "ray"]
    for out, workers in (("one", "1"), ("two", "3")):
        more = ["--address", address, "--workers", workers, "--out", out, "--json"]
        done = subprocess.run(
            [*command, *more],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["runs"] == 4
    tables = [(tmp_path / out / "results.csv").read_text() for out in ("one", "two")]
    assert tables[0] == tables[1]
    serial = sb.sweep(tmp_path / "study.toml")
    assert tables[0] == serial.csv()
    angles = serial.column("angle")
    assert angles[0] == pytest.approx(0.2, abs=0.01) and angles[1] == pytest.approx(0.4, abs=0.02)
    assert angles[2:] == angles[:2]


def test_busy_machine_gets_a_second_try(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ray that gives up starting is started again, twice; other errors are told at once."""

    class Slow:
        def __init__(self, text: str, wanted: int) -> None:
            self.text, self.wanted, self.tries = text, wanted, 0

        def init(self, **settings: Any) -> None:
            self.tries += 1
            if self.tries < self.wanted:
                raise Exception(self.text)  # as Ray does

        def shutdown(self) -> None:
            pass

    late = "The current node timed out during startup. This could happen because ..."
    busy, broken, bad = Slow(late, 3), Slow(late, 9), Slow("no such disk", 9)
    ray_crew.start_ray(busy, {})
    assert busy.tries == 3
    for one, tries in ((broken, 3), (bad, 1)):
        with pytest.raises(StudyError, match=f"Ray does not start: {one.text[:9]}"):
            ray_crew._join(one, 1, None)
        assert one.tries == tries


def test_cluster_that_there_is_not_is_told(ray: Any, tmp_path: Path) -> None:
    """With the address, before anything is done."""
    with pytest.raises(StudyError, match=r'the cluster at "127\.0\.0\.1:1" cannot be joined'):
        sb.sweep(short(tmp_path, 2), executor="ray", address="127.0.0.1:1")


def test_cluster_without_room_is_told(
    ray: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No run is given to workers that have not begun, and the study does not wait for ever."""
    monkeypatch.setattr(ray_crew, "START_TIME", 3.0)
    settings = {"address": "local", "num_cpus": 0, "include_dashboard": False}
    more = {"object_store_memory": 200_000_000, "_node_ip_address": "127.0.0.1"}
    ray_crew.start_ray(ray, {**settings, **more, "log_to_driver": False})
    try:
        began = time.monotonic()
        with pytest.raises(StudyError, match=r"no worker has begun in 3 s; .* 0 processors"):
            sb.sweep(short(tmp_path, 2), executor="ray", workers=2)
        assert time.monotonic() - began < 120.0
        assert ray.is_initialized()  # it was not ours to end
    finally:
        ray.shutdown()
