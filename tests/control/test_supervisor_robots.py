"""Supervisors: robots that come, go and change; files and recordings beside the world."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import solidbody as sb
from solidbody.control import run_controller
from solidbody.control.hub import ControllerHub
from tests.control.projects import Project
from tests.control.supervision import BALL, SUPERVISOR, start, supervise

DT = 0.008


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_robots_come_with_their_controllers_and_go(project: Project) -> None:
    """An imported robot is driven from its first step; removed, its controller is told to end."""
    project.controller(
        "guest",
        """
        from controller import Robot
        robot = Robot()
        motor = robot.getDevice("motor")
        motor.setPosition(float("inf"))
        motor.setVelocity(1.0)
        print("starts at", round(robot.getTime(), 6))
        while robot.step(8) != -1:
            pass
        print("ends at", round(robot.getTime(), 6))
        """,
    )
    out = supervise(
        project,
        """
        children = sup.getRoot().getField("children")
        for _ in range(3):
            sup.step(8)
        children.importMFNodeFromString(-1, '''DEF GUEST Robot { name "guest" controller "guest"
          translation 4 0 0 children [ HingeJoint { jointParameters DEF P HingeJointParameters { axis 0 0 1 }
            device [ RotationalMotor { name "motor" maxTorque 100 } ]
            endPoint Solid { boundingObject Box { size 0.1 0.1 0.1 }
              physics Physics { density -1 mass 1 } } } ] }''')
        sup.step(8)
        for _ in range(10):
            sup.step(8)
        out["angle"] = sup.getFromDef("P").getField("position").getSFFloat()
        sup.getFromDef("GUEST").remove()
        sup.step(8)
        """,
    )
    # it was driven in all of the 11 steps that it was there
    assert out["angle"] == pytest.approx(11 * DT * 1.0, abs=1e-4)
    assert project.output("guest") == ["starts at 0.024", "ends at 0.112"]


def test_a_robot_gets_devices_while_it_runs(project: Project) -> None:
    """Those it had keep working, whatever stands before them; one that goes does so quietly."""
    out = supervise(
        project,
        """
        gps, imu = sup.getDevice("gps"), sup.getDevice("imu")
        gps.enable(8)
        imu.enable(8)
        sup.step(8)
        children = sup.getSelf().getField("children")
        children.importMFNodeFromString(0, 'Altimeter { name "height" }')
        height = sup.getDevice("height")
        height.enable(8)
        sup.step(8)
        out["new"] = [height.getValue(), gps.getValues(), imu.getRollPitchYaw()]
        sup.getFromDevice(gps).remove()
        sup.step(8)
        gps.enable(16)
        sup.step(8)
        sup.step(8)
        out["left"] = [height.getValue(), imu.getRollPitchYaw(), children.getCount()]
        """,
        fields='translation 1 2 3 children [ DEF G GPS { name "gps" } InertialUnit { name "imu" } ]',
    )
    assert out["new"] == [3.0, [1.0, 2.0, 3.0], [0.0, 0.0, 0.0]]
    assert out["left"] == [3.0, [0.0, 0.0, 0.0], 2]
    assert project.errors("sup") == ['Warning: "gps" does not know the command SensorEnable']


def test_a_supervisor_can_give_up_its_powers(project: Project) -> None:
    """From the next step on it is told that it has none."""
    out = supervise(
        project,
        """
        me = sup.getSelf()
        me.getField("model").setSFString("mark 2")
        me.getField("supervisor").setSFBool(False)
        sup.step(8)
        out["now"] = [sup.getSupervisor(), me.getId(), sup.getModel()]
        """,
    )
    assert out["now"] == [False, -1, "mark 2"]
    assert project.errors("sup") == [
        'Error: "sup" is no supervisor: set its field "supervisor" to TRUE to use functions of the Supervisor'
    ]


def test_batteries_and_motors_keep_their_state_when_the_world_changes(project: Project) -> None:
    """A robot that is not touched by a change does not notice it."""
    out = supervise(
        project,
        """
        sup.batterySensorEnable(8)
        for _ in range(5):
            sup.step(8)
        before = sup.batterySensorGetValue()
        sup.getRoot().getField("children").importMFNodeFromString(-1, 'Solid { name "new" }')
        sup.step(8)
        out["used"] = [100.0 - before, before - sup.batterySensorGetValue()]
        """,
        fields="battery [ 100 100 0 ] cpuConsumption 10",
    )
    # 10 W for 5 steps, then for one; the sensor may show the value of the step before
    assert out["used"][0] == pytest.approx(10 * 5 * DT, abs=10 * DT)
    assert out["used"][1] == pytest.approx(10 * DT, abs=1e-9)


def test_controllers_are_restarted(project: Project) -> None:
    """Of others and one's own; only robots have one."""
    project.controller(
        "other",
        """
        from controller import Robot
        robot = Robot()
        print("starts")
        while robot.step(8) != -1:
            pass
        print("ends")
        """,
    )
    supervise(
        project,
        """
        sup.step(8)
        sup.getFromDef("OTHER").restartController()
        sup.getFromDef("BALL").restartController()
        for _ in range(3):
            sup.step(8)
        """,
        nodes=BALL + 'DEF OTHER Robot { name "other" controller "other" }',
    )
    assert project.output("other") == ["starts", "ends", "starts", "ends"]
    assert project.errors("sup") == [
        "Error: restartController() can only be used with a Robot; DEF BALL Solid is none"
    ]


def test_a_robot_with_another_name_keeps_its_controller(project: Project) -> None:
    """It goes on without noticing; what is said last is heard even when the run ends."""
    project.controller(
        "other",
        """
        from controller import Robot
        robot = Robot()
        print("starts")
        while robot.step(8) != -1:
            pass
        print("ends")
        """,
    )
    out = supervise(
        project,
        """
        sup.step(8)
        sup.getFromDef("OTHER").getField("name").setSFString("renamed")
        for _ in range(3):
            sup.step(8)
        out["name"] = sup.getFromDef("OTHER").getField("name").getSFString()
        """,
        nodes='DEF OTHER Robot { name "other" controller "other" }',
    )
    assert out["name"] == "renamed"
    assert project.output("other") == ["starts", "ends"]


def test_nodes_that_were_just_imported_are_placed_without_a_compilation(project: Project) -> None:
    """Fifty boxes, each moved after its import: the simulation is made anew once."""
    project.controller(
        "sup",
        """
        from controller import Supervisor
        sup = Supervisor()
        children = sup.getRoot().getField("children")
        for k in range(50):
            children.importMFNodeFromString(-1, 'Solid { name "box" boundingObject Box { } }')
            node = children.getMFNode(-1)
            node.getField("translation").setSFVec3f([float(k), 0.0, 0.0])
            assert node.getPosition() == [float(k), 0.0, 0.0]
        while sup.step(8) != -1:
            pass
        """,
    )
    sim, hub = start(project, SUPERVISOR % "")
    models: list[object] = []
    original = sim.replace_scene

    def counted(scene: sb.Scene) -> None:
        original(scene)
        models.append(sim.model)

    sim.replace_scene = counted  # type: ignore[method-assign]
    try:
        sim.step(2)
    finally:
        hub.close()
    assert len(models) == 1
    assert sim.link("box(49)").position.tolist() == [49.0, 0.0, 0.0]
    assert project.errors("sup") == []


@pytest.mark.slow
def test_the_log_of_a_run_keeps_its_columns(project: Project) -> None:
    """What is removed leaves empty cells, what is added has no column."""
    project.controller(
        "sup",
        """
        from controller import Supervisor
        sup = Supervisor()
        sup.step(8)
        sup.getFromDef("BALL").remove()
        sup.getRoot().getField("children").importMFNodeFromString(0, 'Solid { name "new" }')
        while sup.step(8) != -1:
            pass
        """,
    )
    path = project.world(SUPERVISOR % "" + BALL)
    log = project.folder / "log.csv"
    ran = subprocess.run(
        [
            *(sys.executable, "-m", "solidbody.cli", "run", "--headless", str(path)),
            *("--duration", "0.032", "--log", str(log)),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    head, *rows = log.read_text().splitlines()
    names = head.split(",")
    assert not any(name.startswith("new.") for name in names)
    cells = [dict(zip(names, line.split(","), strict=True)) for line in rows]
    assert [bool(row["ball.z"]) for row in cells] == [True, True, False, False, False]
    assert all(row["sup.x"] == "0.0" for row in cells)


def test_what_was_put_beside_the_world_stays_when_it_changes(project: Project) -> None:
    """A scene of two files: nodes are those of the first, bodies of the second go on."""
    project.controller(
        "sup",
        """
        from controller import Supervisor
        sup = Supervisor()
        sup.step(8)
        print(sup.getRoot().getField("children").getCount(), sup.getFromDef("OTHER"))
        sup.getFromDef("BALL").remove()
        sup.step(8)
        print(sup.worldSave("both.wbt"))
        """,
    )
    first = project.world(SUPERVISOR % "" + BALL)
    second = project.folder / "worlds" / "second.wbt"
    second.write_text(
        '#VRML_SIM R2025a utf8\nDEF OTHER Solid { translation 3 0 5 name "other" '
        "boundingObject Box { } physics Physics { density -1 mass 1 } }\n"
    )
    sim = sb.Sim(sb.load(first).add(second))
    hub = ControllerHub(
        sim, output=lambda name, line, is_error: project.lines.append((name, line, is_error))
    )
    hub.start()
    try:
        sim.step(4)
    finally:
        hub.close()
    assert project.output("sup") == ["3 None", "False"]
    assert project.errors("sup") == [
        "Error: worldSave(): the scene was put together from several files"
    ]
    assert sim.link_names == ("sup", "other")
    # v = g t, x = x0 - g h (h + 2h + 3h + 4h): it fell all the time
    assert sim.link("other").position[2] == pytest.approx(5 - 9.81 * DT * DT * 10, abs=1e-9)


def test_scenes_of_other_formats_have_no_nodes(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    """A supervisor can still end the run, but there is nothing to look at."""
    sim = sb.Sim(sb.load(project.world(SUPERVISOR % "" + BALL)))
    sim.scene = replace(sim.scene, source="robot.body")
    hub = ControllerHub(sim)

    def program() -> tuple[object, object]:
        from controller import Supervisor  # type: ignore[import-not-found]

        sup = Supervisor()
        return sup.getRoot(), sup.getFromDef("BALL")

    try:
        root, ball = run_controller(sim, program, hub=hub, robot="sup")
    finally:
        hub.close()
    assert root is not None
    assert ball is None
    said = 'Error: "robot.body" is no Webots world: it has no nodes to look at'
    assert capsys.readouterr().err.splitlines() == [said]


def test_a_robot_that_a_template_makes_anew_starts_its_program_anew(project: Project) -> None:
    """A change of a parameter that the template reads does so, also through a derived PROTO; no other."""
    protos = project.folder / "protos"
    protos.mkdir()
    head = "#VRML_SIM R2025a utf8\n"
    fields = 'field SFString name "made" field SFString {} "" field SFString plain ""'
    (protos / "Made.proto").write_text(
        f"{head}# template language: javascript\nPROTO Made [ {fields.format('read')} ]\n"
        '{ %< const text = fields.read.value; >% Robot { name IS name controller "made" model IS plain } }'
    )
    (protos / "Derived.proto").write_text(
        f'{head}EXTERNPROTO "Made.proto"\nPROTO Derived [ {fields.format("passed")} ]\n'
        "{ Made { name IS name read IS passed plain IS plain } }"
    )
    project.controller(
        "made",
        """
        from controller import Robot
        robot = Robot()
        print("starts", flush=True)
        while robot.step(8) != -1:
            pass
        """,
    )
    supervise(
        project,
        """
        for node, field in (("A", "plain"), ("A", "read"), ("B", "plain"), ("B", "passed")):
            sup.getFromDef(node).getField(field).setSFString("new")
            for _ in range(5):
                sup.step(8)
        """,
        'DEF A Made { name "a" } DEF B Derived { name "b" }',
        externs='EXTERNPROTO "../protos/Made.proto"\nEXTERNPROTO "../protos/Derived.proto"',
    )
    assert [project.output(name) for name in "ab"] == [["starts"] * 2] * 2


def test_the_robot_that_is_meant_starts_anew_not_its_namesake(project: Project) -> None:
    """Names may be taken twice; the node says which robot it is."""
    project.controller(
        "twin",
        """
        import sys
        from controller import Robot
        robot = Robot()
        print("starts", sys.argv[1], flush=True)
        while robot.step(8) != -1:
            pass
        """,
    )
    twin = 'Robot { name "twin" controller "twin" controllerArgs "%s" }'
    out = supervise(
        project,
        """
        sup.step(8)
        sup.getFromDef("B").restartController()
        for _ in range(5):
            sup.step(8)
        sup.getFromDef("B").getField("customData").setSFString("for b")
        out["data"] = [sup.getFromDef(n).getField("customData").getSFString() for n in "AB"]
        """,
        f"DEF A {twin % 'a'} DEF B {twin % 'b'}",
    )
    assert out["data"] == ["", "for b"]
    lines = [line for name, line, _ in project.lines if name.startswith("twin")]
    assert sorted(lines) == ["starts a", "starts b", "starts b"]


def test_each_of_two_supervisors_of_one_name_and_proto_is_itself(project: Project) -> None:
    """Also if the same PROTO made them."""
    (project.folder / "protos").mkdir()
    (project.folder / "protos" / "Boss.proto").write_text(
        "#VRML_SIM R2025a utf8\nPROTO Boss [ field SFVec3f translation 0 0 0 ]\n"
        '{ Robot { translation IS translation name "boss" controller "boss" supervisor TRUE } }'
    )
    project.controller(
        "boss",
        """
        from controller import Supervisor
        boss = Supervisor()
        me = boss.getSelf()
        print(me.getDef(), me.getPosition(), flush=True)
        """,
    )
    supervise(
        project,
        "sup.step(8)",
        "DEF A Boss { translation 1 0 0 } DEF B Boss { translation 2 0 0 }",
        externs='EXTERNPROTO "../protos/Boss.proto"',
    )
    lines = [line for name, line, _ in project.lines if name.startswith("boss")]
    assert sorted(lines) == ["A [1.0, 0.0, 0.0]", "B [2.0, 0.0, 0.0]"]
