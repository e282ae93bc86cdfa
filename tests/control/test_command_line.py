"""`solidbody run` and `solidbody controller` as users and CI jobs see them: texts, statuses, what is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from solidbody.cli.app import app
from solidbody.control.client import solidbody_wire as wire
from solidbody.control.hub import PAUSED_FOR_GOOD
from solidbody.viewer import replay_file
from solidbody.viewer.page_files import PageFile, load_page
from tests.control.projects import Project, robot
from tests.waiting import wait_until

COMMAND = [sys.executable, "-m", "solidbody.cli"]
PATIENCE = 60.0
"""[s] Far more than a start takes on a busy machine; a test that hangs must end."""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """An empty project."""
    return Project(tmp_path)


def run(project: Project, nodes: str, *options: str) -> Result:
    """Run a world for half a second without the page."""
    path = project.world(nodes)
    arguments = ["run", str(path), "--headless", "--duration", "0.5", *options]
    return CliRunner().invoke(app, arguments)


def until(path: Path) -> str:
    """Return the text of a file once a program has written it."""
    wait_until(lambda: path.exists() and path.read_text().endswith("\n"), path.name)
    return path.read_text().strip()


def is_running(pid: int) -> bool:
    """Whether there is a process of that number that has not ended."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.parametrize(
    ("options", "status"), [((), 1), (("--ignore-controller-errors",), 0)], ids=["asked", "not"]
)
def test_a_crash_gives_status_1_where_that_is_asked_for(
    project: Project, options: tuple[str, ...], status: int
) -> None:
    """The run goes on to its end; the console shows the program's own lines and how it ended."""
    project.controller(
        "fall", 'from controller import Robot\nRobot().step(8)\nraise OSError("no")\n'
    )
    result = run(project, robot("fall"), *options)
    assert result.exit_code == status
    assert "[robot] OSError: no" in result.stderr
    assert 'error: the controller of "robot" exited with 1\n' in result.stderr
    assert "simulated 0.504 s" in result.stderr


def test_a_robot_whose_program_is_missing_gives_status_1(project: Project) -> None:
    """Nothing was tested then."""
    result = run(project, robot("nowhere"))
    assert result.exit_code == 1
    assert '"robot" is not driven: the controller "nowhere" was not found' in result.stderr


def test_a_supervisor_gives_the_status(project: Project) -> None:
    """Whatever has failed before; the output says how far the run has come."""
    project.controller(
        "judge",
        """
        from controller import Supervisor
        judge = Supervisor()
        while judge.step(8) != -1:
            if judge.getTime() > 0.1:
                print("enough")
                judge.simulationQuit(7)
        """,
    )
    nodes = robot("judge", name="judge", fields="supervisor TRUE") + robot("nowhere", x=2.0)
    result = run(project, nodes)
    assert result.exit_code == 7
    assert result.stdout == "[judge] enough\n"
    assert "simulated 0.104 s" in result.stderr


def test_programs_run_where_there_is_only_tcp(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on Windows: no sockets of Unix, no shared memory, no poll; pictures come through the socket, too."""
    lacking = {"socket": "AF_UNIX", "os": "memfd_create", "select": "poll"}
    for module, name in lacking.items():
        monkeypatch.delattr(f"{module}.{name}", raising=False)
    server, address = wire.listen(str(project.folder))
    server.close()
    assert address.startswith("tcp:")
    project.controller(
        "look",
        f"""
        import os, select, socket
        for module, name in {list(lacking.items())!r}:
            vars(dict(os=os, select=select, socket=socket)[module]).pop(name, None)
        from controller import Robot
        robot = Robot()
        camera = robot.getDevice("eye")
        camera.enable(8)
        robot.step(80)
        print(len(camera.getImage()), round(robot.getTime(), 3))
        while robot.step(8) != -1:
            pass
        """,
    )
    result = run(project, robot("look", devices='Camera { name "eye" width 16 height 9 }'))
    assert result.exit_code == 0, result.output
    assert result.stdout == f"[robot] {16 * 9 * 4} 0.08\n"
    assert "simulated 0.504 s" in result.stderr


def test_a_pause_ends_the_run_with_a_word(project: Project) -> None:
    """Nobody could resume it."""
    project.controller(
        "stop",
        """
        from controller import Supervisor
        sup = Supervisor()
        sup.step(80)
        sup.simulationSetMode(Supervisor.SIMULATION_MODE_PAUSE)
        sup.step(8)
        """,
    )
    result = run(project, robot("stop", fields="supervisor TRUE"))
    assert result.exit_code == 0
    assert PAUSED_FOR_GOOD in " ".join(result.stderr.split())
    assert "simulated 0.08 s" in result.stderr


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="sends signals and looks at processes")
@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 0), (signal.SIGTERM, 143)], ids=["ctrl-c", "term"]
)
def test_an_interrupted_run_leaves_nothing_behind(
    project: Project, number: signal.Signals, status: int
) -> None:
    """Not the program that never ends by itself, nor what it has started, nor a folder."""
    project.controller(
        "stay",
        """
        import os, signal, subprocess, sys, time
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
        from controller import Robot
        robot = Robot()
        robot.step(8)
        with open("pids", "w") as file:
            print(os.getpid(), child.pid, file=file)
        time.sleep(1000)
        """,
    )
    path = project.world(robot("stay"))
    scratch = project.folder / "scratch"
    scratch.mkdir()
    environment = {**os.environ, "TMPDIR": str(scratch)}
    command = [*COMMAND, "run", str(path), "--headless"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as sim:
        pids = until(project.folder / "controllers" / "stay" / "pids").split()
        sim.send_signal(number)
        _, errors = sim.communicate(timeout=PATIENCE)
    assert sim.returncode == status, errors
    assert "Traceback" not in errors
    assert not [pid for pid in pids if is_running(int(pid))]
    assert not list(scratch.iterdir())


@pytest.mark.slow
def test_an_extern_program_drives_its_robot(project: Project) -> None:
    """`solidbody controller` gives it the packages and the way to the robot; its status is passed on."""
    port = "2001"
    path = project.world(robot("<extern>", name="my/robot"))
    program = project.folder / "mine.py"
    program.write_text(
        "import sys\nfrom controller import Robot\nrobot = Robot()\n"
        "while robot.step(8) != -1 and robot.getTime() < 0.1:\n    pass\n"
        "print(robot.getName(), robot.getTime(), sys.argv[1:])\nsys.exit(5)\n"
    )
    command = [*COMMAND, "run", str(path), "--headless", "--duration", "0.1"]
    simulator = subprocess.Popen(
        [*command, "--controller-port", port], stderr=subprocess.PIPE, text=True
    )
    assert simulator.stderr is not None
    said = simulator.stderr.readline()
    extern = [*COMMAND, "controller", "--port", port, "--robot-name", "my/robot", str(program), "a"]
    done = subprocess.run(extern, capture_output=True, text=True, timeout=PATIENCE, check=False)
    simulator.communicate(timeout=PATIENCE)
    # asserted when it has ended: one that stays keeps the port, and later tests meet it
    assert said == f'waiting for extern controllers of "my/robot" (port {port})\n'
    assert (done.stdout, done.returncode) == ("my/robot 0.104 ['a']\n", 5), done.stderr
    assert simulator.returncode == 0


@pytest.mark.slow
def test_an_extern_program_waits_for_its_simulation(project: Project) -> None:
    """`solidbody run &` and `solidbody controller` may be started at once, or the program first."""
    port = "2003"
    path = project.world(robot("<extern>", name="my robot"))
    program = project.folder / "mine.py"
    program.write_text(
        "from controller import Robot\nrobot = Robot()\nprint(robot.getName())\n"
        "while robot.step(32) != -1:\n    pass\n"
    )
    early = subprocess.Popen(
        [*COMMAND, "controller", "--port", port, str(program)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert early.stderr is not None
    assert early.stderr.readline().startswith(f"waiting for a simulation on port {port}")
    command = [*COMMAND, "run", str(path), "--headless", "--duration", "0.1"]
    run = subprocess.run([*command, "--controller-port", port], timeout=PATIENCE, check=False)
    out, errors = early.communicate(timeout=PATIENCE)
    assert (out, early.returncode, run.returncode) == ("my robot\n", 0, 0), errors


@pytest.mark.slow
def test_an_extern_program_without_a_simulator_says_where_there_are_some(project: Project) -> None:
    """The port may be another one."""
    port = 2002
    sim, hub = project.start(robot("<extern>"), port=port)
    del sim
    program = project.folder / "mine.py"
    program.write_text("from controller import Robot\nRobot()\n")
    extern = [*COMMAND, "controller", "--port", "1", "--wait", "0", str(program)]
    try:
        done = subprocess.run(extern, capture_output=True, text=True, timeout=PATIENCE, check=False)
    finally:
        hub.close()
    assert done.returncode == 1
    assert "Error: no simulator is running on port 1 (there are some on " in done.stderr
    assert str(port) in done.stderr


def test_time_before_a_reset_counts(project: Project) -> None:
    """The duration is that of the run, whatever the clock of the world says."""
    project.controller(
        "again",
        """
        from controller import Supervisor
        sup = Supervisor()
        while sup.step(8) != -1:
            if sup.getTime() >= 0.2:
                sup.simulationReset()
        """,
    )
    result = run(project, robot("again", fields="supervisor TRUE"))
    assert result.exit_code == 0
    assert "simulated 0.504 s" in result.stderr


def test_an_animation_of_a_supervisor_is_a_page_and_its_poses(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page is our own with the run in it (a small one here); without it the poses are written."""
    page = {"/": PageFile(b"<html><head></head><body></body></html>", b"", "", is_hashed=False)}
    project.controller(
        "sup",
        """
        from controller import Supervisor
        sup = Supervisor()
        print(sup.animationStartRecording("moves.html"))
        sup.step(64)
        print(sup.animationStopRecording())
        """,
    )
    nodes = 'Solid { name "wall" linearVelocity 0 1 0 }\n' + robot(
        "sup", name="sup", fields="supervisor TRUE"
    )
    folder = project.folder / "controllers" / "sup"
    for load in (lambda: page, load_missing):
        monkeypatch.setattr(replay_file, "load_page", load)
        result = run(project, nodes)
        assert result.exit_code == 0
        assert result.stdout.count("[sup] True") == 2
    assert "Warning: animationStartRecording(): the browser page is missing" in result.stderr
    assert '"id": ' in (folder / "moves.json").read_text()
    assert 'id="replay">{"scene":' in (folder / "moves.html").read_text()


def load_missing() -> dict[str, PageFile]:
    return load_page(Path("nowhere"))
