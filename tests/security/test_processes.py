"""Programs that controllers start, and what controllers print: nothing outlives the run or fills memory."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest

from solidbody.control import process, watchdog
from solidbody.viewer.panel_commands import MESSAGE_KEPT, PanelCommands
from tests.control.projects import Project, robot
from tests.waiting import wait_until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="process groups of Unix")

DEADLINE = 60.0
"""[s] After which a program counts as one that stays."""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """An empty project."""
    return Project(tmp_path)


BREEDER = """
import os, subprocess, sys
def note(pid):
    with open("pids", "a") as file:
        file.write("%d\\n" % pid)
note(os.getpid())
note(subprocess.Popen(["sleep", "300"]).pid)
note(subprocess.Popen(["sleep", "300"], start_new_session=True).pid)
# one whose parent has ended at once, in a session of its own, deaf to what it is asked
code = "import os, signal, subprocess; signal.signal(signal.SIGTERM, signal.SIG_IGN);" \\
    "print(subprocess.Popen(['sleep', '300'], start_new_session=True, stdout=-3).pid)"
note(int(subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE).stdout))
open("ready", "w").close()
"""
STEPS = """
from controller import Robot
robot = Robot()
while robot.step(8) != -1:
    pass
"""


def is_running(pid: int) -> bool:
    """Whether there is a program of that number that has not ended."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return not Path("/proc/self").exists()
    return stat.rpartition(")")[2].split()[0] not in "ZX"


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_that_a_controller_started_outlives_the_simulator(
    project: Project, number: signal.Signals
) -> None:
    """However it ends: three sleepers were left, in the controller's group and in their own sessions."""
    project.controller("breeder", BREEDER + STEPS)
    world = project.world(robot("breeder"))
    home = project.folder / "controllers" / "breeder"
    temporary = project.folder / "temporary"
    temporary.mkdir()
    run = subprocess.Popen(
        [sys.executable, "-m", "solidbody", "run", "--headless", str(world)],
        env={**os.environ, "TMPDIR": str(temporary)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    pids: list[int] = []
    try:
        wait_until((home / "ready").exists)
        pids = [int(line) for line in (home / "pids").read_text().split()]
        assert len(pids) == 4
        assert all(map(is_running, pids))
        run.send_signal(number)
        run.wait(timeout=DEADLINE)
        wait_until(lambda: not any(map(is_running, pids)))
        wait_until(lambda: not list(temporary.glob("solidbody-*")))
    finally:
        run.kill()
        for pid in filter(is_running, pids):
            os.kill(pid, signal.SIGKILL)


def test_what_a_controller_leaves_behind_may_go_on_until_the_end_of_the_run(
    project: Project,
) -> None:
    """A program may start the controller of another robot and end; at the end of the run all is over."""
    project.controller("breeder", BREEDER)
    sim, hub = project.start(robot("breeder"))
    sim.step(5)
    pids = [int(line) for line in (project.folder / "controllers/breeder/pids").read_text().split()]
    assert [is_running(pid) for pid in pids] == [False, True, True, True]
    hub.close()
    assert not any(map(is_running, pids))


def test_a_restarted_controller_takes_its_programs_along(project: Project) -> None:
    """Those of its group, also if it ends by itself when it is told to."""
    project.controller("breeder", BREEDER + STEPS)
    sim, hub = project.start(robot("breeder"))
    sim.step(2)
    pids = (project.folder / "controllers/breeder/pids").read_text().split()
    hub.options = type(hub.options)(start=False)
    hub._drop(hub.slots[0], patience=30.0)
    assert not is_running(int(pids[0]))
    assert not is_running(int(pids[1]))
    hub.close()


def test_both_ways_of_finding_programs_find_the_same() -> None:
    """By /proc and, as on macOS, by ps."""
    secret = "5ec2e7" + os.urandom(8).hex()
    sleeper = subprocess.Popen(
        ["sleep", "60"], env={**os.environ, "ANY": secret}, start_new_session=True
    )
    try:
        marked = secret.encode()
        wait_until(lambda: watchdog.programs(set(), marked) == {sleeper.pid})
        assert watchdog._of_ps(set(), marked) == {sleeper.pid}
        assert sleeper.pid in watchdog._of_ps({sleeper.pid}, b"")
        assert watchdog.programs({sleeper.pid}, b"") == {sleeper.pid}
        assert watchdog.programs(set(), b"") == set()
        watchdog.end_programs({sleeper.pid}, marked, 0.0)
        assert sleeper.wait(timeout=DEADLINE) == -signal.SIGTERM
    finally:
        sleeper.kill()
        sleeper.wait()


def test_a_line_without_end_is_cut_off(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """300 MB without a new line took 1.4 GB."""
    monkeypatch.setattr(process, "LINE", 1 << 16)
    size = 30_000_000
    project.controller(
        "talker",
        f"""
        import sys
        for _ in range(30):
            sys.stdout.write("x" * {size // 30})
        print()
        print("done")
        """,
    )
    tracemalloc.start()
    project.run(robot("talker"), 0.05)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    long, done = project.output()
    assert done == "done"
    assert len(long) < (1 << 16) + 100
    assert long.endswith(f" ... ({size - (1 << 16) + 1} more bytes without a new line)")
    assert peak < 10_000_000


def test_long_lines_are_kept_short_for_who_comes_later(project: Project) -> None:
    """A hub keeps 500 lines and a page 2,000: of ten thousand characters each."""
    project.controller("talker", "print('y' * 100_000)\n")
    sim, hub = project.start(robot("talker"))
    sim.step(2)
    later: list[str] = []
    hub.listen_to_output(lambda _, line, __: later.append(line), lambda *_: None)
    bench = PanelCommands(sim)
    shown = [message.data for message in bench.messages_after(0)]
    hub.close()
    assert project.output() == ["y" * 100_000]
    assert later == ["y" * 10_000 + " ... (90000 more characters)"]
    assert max(map(len, shown)) < MESSAGE_KEPT + 200
