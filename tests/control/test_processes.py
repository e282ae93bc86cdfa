"""Controllers in processes of their own: starting, steps, ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import solidbody as sb
from solidbody.base.errors import SimulationEnd
from solidbody.control import ControllerHub, run_controller
from solidbody.control.client import solidbody_protocol as codec
from solidbody.control.client import solidbody_wire as wire
from solidbody.control.interpreters import InterpreterError, interpreter
from solidbody.control.programs import CLIENT, controller_folders, find_program
from solidbody.control.runtime_ini import read_runtime_settings
from tests.control.projects import Project, robot
from tests.waiting import PATIENCE, wait_until

PORT = 2001

TURN = """
    from controller import Robot
    robot = Robot()
    motor, sensor = robot.getDevice("motor"), robot.getDevice("position")
    motor.setPosition(float("inf"))
    motor.setVelocity(2.0)
    sensor.enable(8)
    while robot.step(8) != -1:
        print(repr(robot.getTime()), repr(sensor.getValue()))
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_a_controller_drives_its_motor(project: Project) -> None:
    """Velocity 2 rad/s for 0.4 s; the sensor lags nothing."""
    project.controller("turn", TURN)
    sim = project.run(robot("turn"), 0.4)
    # the softness of the motor's row (cfm 1e-5)
    assert sim.joint("motor").position == pytest.approx(0.8, abs=1e-5)
    time, value = map(float, project.output()[-1].split())
    assert time == pytest.approx(0.4 - 0.008, abs=1e-9) or time == pytest.approx(0.4, abs=1e-9)
    assert value == pytest.approx(2.0 * time, abs=1e-5)


def test_arguments_folder_and_environment(project: Project) -> None:
    """controllerArgs one by one, the controller's own folder, runtime.ini, the robot's name."""
    project.controller(
        "show",
        """
        import json, os, sys
        print(json.dumps([sys.argv[1:], os.path.basename(os.getcwd()), os.environ["COLOR"],
                          os.environ["WEBOTS_ROBOT_NAME"]]))
        """,
        runtime__ini="[environment variables]\nCOLOR = blue\n",
    )
    project.run(robot("show", name="two words", fields='controllerArgs [ "a b" "c" ]'), 0.1)
    assert json.loads(project.output("two words")[0]) == [["a b", "c"], "show", "blue", "two words"]


def test_runtime_ini_names_variables_and_paths(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`$(NAME)` is a variable; paths are relative to the controller; a key without a value is empty."""
    monkeypatch.setenv("SHADE", "dark")
    project.controller(
        "show", 'import os; print(os.environ["COLOR"], os.environ["EMPTY"] == "", tool)'
    )
    home = project.folder / "controllers" / "show"
    (home / "show.py").write_text("from tool import tool\n" + (home / "show.py").read_text())
    (home / "runtime.ini").write_text(
        "\ufeff; comment\n[environment variables with paths]\nPYTHONPATH = $(NOTHING):../../lib\n"
        "[environment variables]\n  COLOR = $(SHADE) blue\n  EMPTY\n",
        encoding="utf-8",
    )
    (project.folder / "lib").mkdir()
    (project.folder / "lib" / "tool.py").write_text('tool = "hammer"\n')
    project.run(robot("show"), 0.05)
    assert project.output() == ["dark blue True hammer"]


def test_sections_of_runtime_ini(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths under both names, systems, comments, quotes; entries see the ones before them."""
    monkeypatch.setenv("OUTER", "outer")
    monkeypatch.setenv("LD_LIBRARY_PATH", "/before")
    home = project.folder / "controllers" / "show"
    home.mkdir(parents=True)
    (home / "runtime.ini").write_text(
        """[environment variables with relative paths]
        RELATIVE = one/two:three
        AGAIN = $(RELATIVE):$(NOTHING):/four
        WEBOTS_LIBRARY_PATH = lib
        [environment variables with paths]
        OUTER = new
        [Environment Variables]
        PLAIN =one/two:three ;comment
        ;LEFT_OUT = 1
        QUOTED = "a;b";comment
        HOMELY= $(WEBOTS_HOME)
        DOLLAR = $OUTER
        [environment variables for Linux]
        SYSTEM = $(RELATIVE):five
        [environment variables for Linux 64]
        SYSTEM_64 = sixty-four
        [environment variables for Linux 32]
        SYSTEM_32 = thirty-two
        [environment variables for Windows]
        SYSTEM = windows
        [java]
        COMMAND = java9
        [matlab]
        OPTIONS = -x
        """
    )
    monkeypatch.setattr(sys, "platform", "linux")
    settings = read_runtime_settings(home, {**os.environ, "WEBOTS_HOME": "/webots"})
    assert settings.problem == ""
    assert settings.command == ""
    assert settings.environment == {
        "WEBOTS_HOME": "/webots",
        "RELATIVE": "one/two:three",
        "AGAIN": "one/two:three:/four",
        "WEBOTS_LIBRARY_PATH": "lib",
        "OUTER": "new",
        "PLAIN": "one/two:three",
        "QUOTED": "a;b",
        "HOMELY": "/webots",
        "DOLLAR": "$OUTER",
        "SYSTEM": "one/two:three:five",
        "SYSTEM_64": "sixty-four",
        "LD_LIBRARY_PATH": "lib:/before",
    }


def test_relative_paths_of_runtime_ini_lead_a_program_to_its_modules(project: Project) -> None:
    """Under the section's old name, as in projects of the time until R2020."""
    project.controller(
        "show",
        "import tool",
        runtime__ini="[environment variables with relative paths]\nPYTHONPATH = ../../lib\n"
        "[python]\nPLACE = here\n",
    )
    (project.folder / "lib").mkdir()
    (project.folder / "lib" / "tool.py").write_text('print("hammer")\n')
    project.run(robot("show"), 0.05)
    assert project.output() == ["hammer"]
    assert any("runtime.ini:4: [python] has no PLACE" in text for _, text in project.said)


def test_a_broken_runtime_ini_does_not_stop_a_program(project: Project) -> None:
    """It is named, and counts as far as it was understood."""
    project.controller("show", 'print("here")', runtime__ini="COMMAND = python9\n")
    project.run(robot("show"), 0.05)
    assert project.output() == ["here"]
    assert any("runtime.ini" in text and "section" in text for _, text in project.said)


def test_the_python_of_the_active_environment_is_used(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Users install what their programs need there; a folder without one counts as none."""
    place = project.folder / "venv" / "bin" / "python"
    place.parent.mkdir(parents=True)
    place.symlink_to(sys.executable)
    assert interpreter(str(project.folder / "venv")) == str(place)
    monkeypatch.setenv("VIRTUAL_ENV", str(project.folder / "venv"))
    project.controller("show", "import sys\nprint(sys.executable)\n")
    project.run(robot("show"), 0.1)
    assert project.output() == [str(place)]
    assert interpreter(sys.executable) == sys.executable
    monkeypatch.setenv("VIRTUAL_ENV", str(project.folder))
    assert interpreter(None) == sys.executable


def test_relative_interpreters_are_relative_to_where_the_user_is(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Programs run elsewhere. Wrong ones are named."""
    (project.folder / "my-python").symlink_to(sys.executable)
    monkeypatch.chdir(project.folder)
    assert interpreter("./my-python") == str(project.folder / "my-python")
    with pytest.raises(
        InterpreterError, match='there is no Python "nothing": neither a command nor'
    ):
        interpreter("nothing")
    with pytest.raises(InterpreterError, match="is no virtual environment: it has no bin/python"):
        interpreter(str(project.folder))
    project.controller("show", "print(1)\n")
    sim, hub = project.start(robot("show"), python="nothing")
    sim.step(2)
    hub.close()
    assert project.said[0][1].startswith('"robot" is not driven: there is no Python "nothing"')


def test_interpreter_of_another_machine_is_replaced(project: Project) -> None:
    """runtime.ini of public projects names the interpreter of its author."""
    project.controller(
        "show",
        "import sys\nprint(sys.executable)\n",
        runtime__ini="[python]\nCOMMAND = D:\\\\env\\\\python39.exe\n",
    )
    project.run(robot("show"), 0.1)
    assert project.output() == [sys.executable]
    level, text = project.said[0]
    assert level == "warning"
    assert (
        'python39.exe", the interpreter that runtime.ini of "show" asks for, is not on this' in text
    )


@pytest.mark.parametrize(
    ("world", "expected"),
    [
        ("p/worlds/w.wbt", ["p"]),
        ("p/worlds/mazes/easy/w.wbt", ["p/worlds/mazes", "p"]),
        ("p/w.wbt", [".", "p"]),
    ],
)
def test_where_controllers_are_looked_for(tmp_path: Path, world: str, expected: list[str]) -> None:
    """In the folder above the world's own or above `worlds`, then beside the world."""
    found = controller_folders(str(tmp_path / world))
    own = tmp_path / Path(world).parent / "controllers"
    wanted = [(tmp_path / part / "controllers").resolve() for part in expected]
    assert list(found[:-1]) == list(dict.fromkeys([*wanted, own.resolve()]))
    assert found[-1].parent.name == "standins"


def test_executables_come_before_scripts(tmp_path: Path) -> None:
    """The program in the folder itself, then the one that was built, then the script."""
    folder = tmp_path / "go"
    built = folder / "build" / "release" / "go"
    built.parent.mkdir(parents=True)
    (folder / "go.py").write_text("")
    assert find_program("go", (), (tmp_path,)).command[-1] == "go.py"
    for program in (built, folder / "go"):
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
        assert find_program("go", ("x",), (tmp_path,)).command == (str(program), "x")


def test_controllers_of_extra_projects_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that the user has named for Webots."""
    monkeypatch.setenv("WEBOTS_EXTRA_PROJECT_PATH", str(tmp_path / "extra"))
    found = controller_folders(str(tmp_path / "p" / "worlds" / "w.wbt"))
    assert found[-2] == tmp_path / "extra" / "controllers"


def test_programs_in_the_tree_of_webots_find_its_modules_and_controllers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its samples import from below WEBOTS_HOME, and robots name controllers of its default project."""
    monkeypatch.delenv("WEBOTS_HOME", raising=False)
    samples = tmp_path / "webots" / "projects" / "samples"
    (samples / "include").mkdir(parents=True)
    (samples / "include" / "scores.py").write_text("BEST = 7\n")
    own = """
        import os, sys
        sys.path.append(os.environ["WEBOTS_HOME"] + "/projects/samples/include")
        from scores import BEST
        print("best", BEST)
    """
    project = Project(samples / "race")
    project.controller("race", own)
    imports = (
        "[environment variables with paths]\nPYTHONPATH = $(WEBOTS_HOME)/projects/samples/include\n"
    )
    project.controller("ride", "import scores\nprint(scores.BEST)", runtime__ini=imports)
    Project(samples.parent / "default").controller("shared", "print('shared')")
    robots = [
        robot("race"),
        robot("ride", name="rider", x=1.0),
        robot("shared", name="other", x=2.0),
    ]
    project.run("".join(robots), 0.05)
    assert project.output() == ["best 7"]
    assert project.output("rider") == ["7"]
    assert project.output("other") == ["shared"]
    assert project.errors() == []


def test_a_missing_controller_is_named_and_the_world_runs(project: Project) -> None:
    """With the places where it was looked for."""
    sim = project.run(robot("nowhere"), 0.1)
    assert sim.time == pytest.approx(0.104)
    ((level, text),) = project.said
    assert level == "error"
    assert '"robot" is not driven: the controller "nowhere" was not found' in text
    assert str(project.folder / "controllers" / "nowhere") in text


@pytest.mark.parametrize("name", ["", "void", "<none>", "<generic>"])
def test_names_that_start_nothing(project: Project, name: str) -> None:
    """The simulation runs alone."""
    project.run(robot(name), 0.1)
    unset = ("info", '"robot" is not driven: its controller has not been set')
    assert project.said == ([] if name else [unset])


def test_a_robot_of_a_proto_finds_the_controller_beside_the_proto(project: Project) -> None:
    """After the project's own: a PROTO of another project brings its programs along."""
    protos = project.folder / "library" / "protos"
    protos.mkdir(parents=True)
    (protos / "Bot.proto").write_text(
        '#VRML_SIM R2025a utf8\nPROTO Bot [ field SFString controller "brought" ]\n'
        "{ Robot { controller IS controller } }\n"
    )
    home = project.folder / "library" / "controllers" / "brought"
    home.mkdir(parents=True)
    (home / "brought.py").write_text(
        "from controller import Robot\nprint(Robot().getName(), 'runs')\n"
    )
    path = project.world("")
    path.write_text(
        '#VRML_SIM R2025a utf8\nEXTERNPROTO "../library/protos/Bot.proto"\n'
        "WorldInfo { basicTimeStep 8 }\nBot { }\n"
    )
    sim = sb.Sim(sb.load(path))
    hub = ControllerHub(sim, output=lambda *line: project.lines.append(line))
    hub.start()
    try:
        sim.step(2)
    finally:
        hub.close()
    assert project.output("robot") == ["robot runs"]


def test_robots_of_one_name_have_each_its_own_program(project: Project) -> None:
    """Whichever of the programs comes first."""
    where = """
        import os, time
        while "{name}" == "late" and not os.path.exists("../soon/is here"):
            time.sleep(0.001)
        from controller import Robot
        robot = Robot()
        open("is here", "w").close()
        gps = robot.getDevice("gps")
        gps.enable(8)
        robot.step(16)
        print("{name} at", round(gps.getValues()[0]))
    """
    project.controller("late", where.format(name="late"))
    project.controller("soon", where.format(name="soon"))
    nodes = [
        robot(name, name="twin", x=x, devices='GPS { name "gps" }')
        for name, x in (("late", 0.0), ("soon", 3.0))
    ]
    project.run("".join(nodes), 0.1)
    assert sorted(project.output("twin")) == ["late at 0", "soon at 3"]


def test_a_crash_is_reported_with_its_last_lines(project: Project) -> None:
    """And the simulation goes on."""
    project.controller(
        "crash", "from controller import Robot\nRobot().step(8)\nraise ValueError('oh')"
    )
    sim, hub = project.start(robot("crash"))
    sim.run(0.2)
    hub.close()
    assert sim.time == pytest.approx(0.2)
    (failure,) = hub.failures
    assert failure.startswith('the controller of "robot" exited with 1')
    assert "ValueError: oh" in failure


def test_an_end_without_error_is_no_failure(project: Project) -> None:
    """A controller may stop; its robot stands still from then on."""
    project.controller("short", "from controller import Robot\nRobot().step(8)")
    sim, hub = project.start(robot("short"))
    sim.run(0.2)
    hub.close()
    assert not hub.failures
    assert ("info", 'the controller of "robot" has ended') in project.said


def test_step_returns_minus_one_at_the_end(project: Project) -> None:
    """A controller has a second to say good-bye."""
    project.controller(
        "polite",
        """
        from controller import Robot
        robot = Robot()
        while robot.step(8) != -1:
            pass
        print("good-bye")
        """,
    )
    project.run(robot("polite"), 0.1)
    assert project.output() == ["good-bye"]


def test_different_control_steps_interleave(project: Project) -> None:
    """One robot at 16 ms, one at 64 ms, a third at 20 ms, which is rounded up to 24 ms."""
    for ms in (16, 64, 20):
        project.controller(
            f"every{ms}",
            f"""
            from controller import Robot
            robot = Robot()
            while robot.step({ms}) != -1:
                print(round(robot.getTime() * 1000))
            """,
        )
    nodes = "".join(robot(f"every{ms}", name=str(ms), x=ms) for ms in (16, 64, 20))
    project.run(nodes, 0.2)
    assert project.output("16")[:4] == ["16", "32", "48", "64"]
    assert project.output("64")[:3] == ["64", "128", "192"]
    assert project.output("20")[:3] == ["24", "48", "72"]


def test_a_supervisor_ends_the_simulation_with_its_status(project: Project) -> None:
    """`simulationQuit(3)` reaches the caller."""
    project.controller(
        "quit",
        """
        from controller import Supervisor
        robot = Supervisor()
        robot.step(16)
        robot.simulationQuit(3)
        robot.step(16)
        """,
    )
    sim, hub = project.start(robot("quit", fields="supervisor TRUE"))
    with pytest.raises(SimulationEnd) as caught:
        sim.run(1.0)
    hub.close()
    assert caught.value.status == 3
    assert sim.time == pytest.approx(0.016)


def test_last_words_are_heard(project: Project) -> None:
    """What a program orders after its last step is done, though it ends: a speed, the end of the run."""
    project.controller(
        "goer",
        """
        from controller import Robot
        motor = Robot().getDevice("motor")
        motor.setPosition(float("inf"))
        motor.setVelocity(2.0)
        """,
    )
    project.controller(
        "judge",
        """
        from controller import Supervisor
        judge = Supervisor()
        judge.step(400)
        judge.simulationQuit(7)
        """,
    )
    judge = 'Robot { name "judge" controller "judge" supervisor TRUE }'
    sim, hub = project.start(robot("goer") + judge)
    try:
        with pytest.raises(SimulationEnd) as end:
            sim.run(5.0)
    finally:
        hub.close()
    assert end.value.status == 7
    assert sim.time == pytest.approx(0.4)
    # the softness of the motor's row (cfm 1e-5)
    assert sim.joint("motor").position == pytest.approx(0.8, abs=1e-5)


def test_in_our_process_and_in_its_own_it_is_the_same_run(project: Project) -> None:
    """Bit for bit."""

    def program() -> list[str]:
        from controller import Robot

        lines: list[str] = []
        robot = Robot()
        motor, sensor = robot.getDevice("motor"), robot.getDevice("position")
        motor.setPosition(float("inf"))
        motor.setVelocity(2.0)
        sensor.enable(8)
        while robot.step(8) != -1:
            lines.append(f"{robot.getTime()!r} {sensor.getValue()!r}")
        return lines

    project.controller("turn", TURN)
    project.run(robot("turn"), 0.4)
    sim = sb.Sim(sb.load(project.folder / "worlds" / "world.wbt"))
    inside = run_controller(sim, program, duration=0.4)
    outside = project.output()
    assert len(inside) == 50
    assert inside[: len(outside)] == outside
    assert len(outside) >= 49


@pytest.mark.parametrize("moment", range(6))
def test_killing_a_controller_at_any_moment_hangs_nothing(project: Project, moment: int) -> None:
    """SIGKILL while it starts, computes or waits."""
    project.controller("turn", TURN)
    sim, hub = project.start(robot("turn") + robot("turn", name="other", x=3))
    process = hub.slots[0].process
    assert process is not None
    if moment:
        sim.step(moment * 3)
    os.kill(process.process.pid, signal.SIGKILL)
    sim.step(40)
    assert sim.step_count == 40 + moment * 3
    assert hub.slots[1].session is not None
    hub.close()
    assert any("was killed by signal 9" in text for text in hub.failures)


def test_a_controller_may_start_the_one_that_is_awaited(project: Project) -> None:
    """It is answered meanwhile; a URL and a cleared name lead the new program to the other robot."""
    port = PORT
    project.controller(
        "launcher",
        """
        import os, subprocess, sys
        from controller import Robot
        robot = Robot()
        if len(sys.argv) > 1:
            print("extern drives", robot.getName())
        else:
            url = "ipc://PORT/late"
            subprocess.Popen(
                [sys.executable, "-u", __file__, "child"],
                env={**os.environ, "WEBOTS_ROBOT_NAME": "", "WEBOTS_CONTROLLER_URL": url},
            )
        while robot.step(8) != -1:
            pass
        """.replace("PORT", str(port)),
    )
    nodes = robot("<extern>", name="late") + robot("launcher", name="early", x=1)
    sim, hub = project.start(nodes, port=port)
    try:
        sim.run(0.1)
    finally:
        hub.close()
    assert project.output("early") == ["extern drives late"]


def test_extern_controllers_find_their_robot(project: Project) -> None:
    """The simulation waits for them; a second one is refused."""
    project.controller("turn", TURN)
    port = PORT
    sim, hub = project.start(robot("<extern>", name="my robot"), port=port)
    script = project.folder / "controllers" / "turn" / "turn.py"
    environment = {
        **os.environ,
        "PYTHONPATH": str(CLIENT),
        "WEBOTS_CONTROLLER_URL": f"ipc://{port}/my%20robot",
    }
    command = [sys.executable, str(script)]
    said = project.folder / "said"
    with said.open("w") as output:
        first = subprocess.Popen(command, env=environment, stdout=output)
    sim.step(10)
    second = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
    wait_until(lambda: sim.step(1) or second.poll() is not None)
    sim.step(10)
    hub.close()
    first.wait(timeout=PATIENCE)
    assert len(said.read_text().splitlines()) >= 19
    _, error = second.communicate()
    assert 'the robot "my robot" has a controller already' in error


def test_a_wrong_secret_is_not_let_in(project: Project) -> None:
    """Whoever does not know it is not a controller of this user's simulation."""
    sim, hub = project.start(robot("<none>"))
    connection = wire.connect(hub.address)
    connection.send(codec.Hello.pack(codec.MAGIC, codec.VERSION, "guess", "robot", 1))
    hub.before_steps()
    hub._handshakes.let_in()
    with pytest.raises(wire.Closed):
        connection.receive(1.0)
    hub.close()
    assert sim.step_count == 0


def test_another_version_of_the_protocol_is_told_and_not_let_in(project: Project) -> None:
    """A program with the library of another solidbody hears what is wrong."""
    _, hub = project.start(robot("<none>"))
    connection = wire.connect(hub.address)
    connection.send(codec.Hello.pack(codec.MAGIC, codec.VERSION + 1, hub.secret, "robot", 1))
    hub._handshakes.let_in()
    hub._handshakes.let_in()
    number, text = codec.parse(connection.receive(5.0) or b"", codec.FROM_SIMULATOR)
    assert number == codec.Refusal.number
    assert f"speaks version {codec.VERSION + 1} of the protocol, this simulator (solidbody " in text
    with pytest.raises(wire.Closed):
        connection.receive(5.0)
    hub.close()


def test_other_users_cannot_enter_the_folder(project: Project) -> None:
    """The address lies where only its owner may look."""
    _, hub = project.start(robot("<none>"))
    assert Path(hub.folder).stat().st_mode & 0o077 == 0
    hub.close()
    assert not Path(hub.folder).exists()
