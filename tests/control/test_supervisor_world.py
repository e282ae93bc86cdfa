"""Supervisors: nodes that come and go, reset, reload, loading and saving worlds, restarts."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import solidbody as sb
from solidbody.control import run_controller
from solidbody.control.hub import ControllerHub, SimulationEnd
from tests.control.projects import Project
from tests.control.supervision import BALL, SUPERVISOR, start, supervise

DT = 0.008
FLOOR = 'Solid { name "floor" boundingObject Plane { } }\n'


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_what_is_removed_leaves_its_place_free(project: Project) -> None:
    """A ball on a box falls to the floor when the box goes; what comes in carries it again."""
    out = supervise(
        project,
        """
        ball = sup.getFromDef("BALL")
        for _ in range(60):
            sup.step(8)
        out["on box"] = ball.getPosition()[2]
        sup.getFromDef("TABLE").remove()
        out["gone"] = sup.getFromDef("TABLE")
        for _ in range(120):
            sup.step(8)
        out["on floor"] = ball.getPosition()[2]
        children = sup.getRoot().getField("children")
        children.importMFNodeFromString(-1, 'DEF ABOVE Solid { translation 3 0 1 name "table"'
            ' boundingObject Box { size 1 1 0.2 } }')
        ball.getField("translation").setSFVec3f([3.0, 0.0, 1.3])
        ball.resetPhysics()
        for _ in range(60):
            sup.step(8)
        out["on new"] = ball.getPosition()[2]
        """,
        nodes=BALL
        + FLOOR
        + 'DEF TABLE Solid { translation 0 0 0.75 name "table" boundingObject Box { size 1 1 0.1 } }',
        steps=300,
    )
    # contacts are soft: a ball of 2 kg sinks in by less than 2 mm
    assert out["on box"] == pytest.approx(0.8 + 0.1, abs=2e-3)
    assert out["gone"] is None
    assert out["on floor"] == pytest.approx(0.1, abs=2e-3)
    assert out["on new"] == pytest.approx(1.1 + 0.1, abs=2e-3)


def test_files_in_imported_text_are_found_from_the_world(project: Project) -> None:
    """A mesh beside the worlds folder carries the ball; two robots of one name stay apart."""
    (project.folder / "meshes").mkdir()
    corners = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-0.5, 0.5)]
    faces = [(1, 3, 4, 2), (5, 6, 8, 7), (1, 2, 6, 5), (3, 7, 8, 4), (1, 5, 7, 3), (2, 4, 8, 6)]
    lines = [f"v {x} {y} {z}" for x, y, z in corners] + [
        f"f {a} {b} {c} {d}" for a, b, c, d in faces
    ]
    (project.folder / "meshes" / "slab.obj").write_text("\n".join(lines) + "\n")
    out = supervise(
        project,
        """
        children = sup.getRoot().getField("children")
        children.importMFNodeFromString(-1,
            'Solid { name "slab" boundingObject Mesh { url "../meshes/slab.obj" } }')
        children.importMFNodeFromString(0, 'DEF TWIN Robot { name "sup" controller "" }')
        sup.getFromDef("TWIN").getField("name").setSFString("sup")
        for _ in range(80):
            sup.step(8)
        out["on slab"] = sup.getFromDef("BALL").getPosition()[2]
        out["me"] = sup.getSelf().getDef()
        """,
    )
    assert out["on slab"] == pytest.approx(0.5 + 0.1, abs=2e-3)
    assert out["me"] == "SUP"
    assert project.errors("sup") == []


def test_handles_of_removed_nodes_say_so(project: Project) -> None:
    """Nodes and fields that are no more give an error and None."""
    out = supervise(
        project,
        """
        ball = sup.getFromDef("BALL")
        where = ball.getField("translation")
        ball.remove()
        out["none"] = [where.getSFVec3f(), ball.getPosition(), ball.getField("name"), sup.getFromDef("SHAPE")]
        where.setSFVec3f([0.0, 0.0, 0.0])
        sup.getRoot().remove()
        sup.step(8)
        """,
    )
    assert out["none"] == [None, None, None, None]
    removed = [line for line in project.errors("sup") if "was removed" in line]
    assert len(removed) == 4
    assert project.errors("sup")[-1] == "Error: the root of the world cannot be removed"


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
        sup.step(8)
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
    assert project.errors("sup") == ['Warning: "gps" does not know the command enable']


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


def test_reset_restores_the_world_as_it_was_loaded(project: Project) -> None:
    """Nodes, fields, poses, time, and noise; the program goes on with its own variables."""
    out = supervise(
        project,
        """
        ball, look = sup.getFromDef("BALL"), sup.getFromDef("LOOK")
        gps = sup.getDevice("gps")
        gps.enable(8)
        def run():
            values = []
            for _ in range(5):
                sup.step(8)
                values.append(gps.getValues())
            return values
        first = run()
        sup.getRoot().getField("children").importMFNodeFromString(-1, 'DEF NEW Solid { name "new" }')
        look.getField("baseColor").setSFColor([0.0, 0.0, 1.0])
        ball.getField("translation").setSFVec3f([5.0, 5.0, 5.0])
        sup.getFromDef("PHYSICS").getField("mass").setSFFloat(9.0)
        sup.step(8)
        sup.simulationReset()
        out["new"] = sup.getFromDef("NEW")
        out["ball"] = [ball.getPosition(), ball.getVelocity()]
        out["color"] = look.getField("baseColor").getSFColor()
        out["mass"] = sup.getFromDef("PHYSICS").getField("mass").getSFFloat()
        second = run()
        out["time"] = sup.getTime()
        out["same"] = first == second
        out["noisy"] = len({v[0] for v in first})
        """,
        fields='children [ GPS { name "gps" accuracy 0.5 } ]',
    )
    assert out["new"] is None
    assert out["ball"] == [[0.0, 0.0, 1.0], [0.0] * 6]
    assert out["color"] == [1.0, 0.0, 0.0]
    assert out["mass"] == 2.0
    assert out["time"] == pytest.approx(5 * DT)
    assert out["same"] is True
    assert out["noisy"] == 5


def test_a_reset_from_outside_takes_back_changes_too(project: Project) -> None:
    """As with the reset button of the page."""
    project.controller(
        "sup",
        """
        from controller import Supervisor
        sup = Supervisor()
        sup.getFromDef("BALL").remove()
        while sup.step(8) != -1:
            pass
        """,
    )
    sim, hub = start(project, SUPERVISOR % "" + BALL)
    try:
        sim.step(2)
        assert "ball" not in sim.link_names
        sim.reset()
        assert sim.link("ball").position.tolist() == [0.0, 0.0, 1.0]
        assert sim.step_count == 0
        sim.step(2)
        assert sim.step_count == 2
    finally:
        hub.close()


def test_reload_starts_everything_anew(project: Project) -> None:
    """The world is read again from its file, and controllers start again."""
    project.controller(
        "sup",
        """
        import os
        from controller import Supervisor
        sup = Supervisor()
        print("starts at", sup.getTime(), sup.getFromDef("BALL") is not None)
        if not os.path.exists("was_here"):
            open("was_here", "w").close()
            sup.step(8)
            sup.getFromDef("BALL").remove()
            sup.step(8)
            sup.worldReload()
        while sup.step(8) != -1:
            pass
        print("ends")
        """,
    )
    sim, hub = start(project, SUPERVISOR % "" + BALL)
    try:
        sim.step(5)
    finally:
        hub.close()
    assert project.output("sup") == ["starts at 0.0 True", "ends", "starts at 0.0 True", "ends"]


def test_another_world_is_loaded(project: Project) -> None:
    """With its own robots; the old programs end. A file that is none is refused."""
    project.controller(
        "sup",
        """
        from controller import Supervisor
        sup = Supervisor()
        sup.worldLoad("../../worlds/none.wbt")
        sup.worldLoad("../../worlds/none.txt")
        sup.step(8)
        sup.loadWorld("next.wbt")  # the old name of worldLoad; found beside the world
        while sup.step(8) != -1:
            pass
        print("ends")
        """,
    )
    project.controller(
        "next",
        """
        from controller import Supervisor
        sup = Supervisor()
        print(sup.getWorldPath().endswith("next.wbt"), sup.getFromDef("CUBE").getPosition())
        while sup.step(8) != -1:
            pass
        """,
    )
    sim, hub = start(project, SUPERVISOR % "" + BALL)
    (project.folder / "worlds" / "next.wbt").write_text(
        "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 16 }\n"
        'DEF CUBE Solid { name "cube" translation 1 2 3 }\n'
        'Robot { name "next" controller "next" supervisor TRUE }\n'
    )
    try:
        sim.step(6)
    finally:
        hub.close()
    assert project.output("sup") == ["ends"]
    assert project.output("next") == ["True [1.0, 2.0, 3.0]"]
    assert sim.time_step == 0.016
    first, *_, last = project.errors("sup")
    assert first.startswith("Error: cannot load ")
    assert "none.wbt" in first
    assert last.endswith('none.txt" is no Webots world: it has no nodes to look at')


def test_worlds_are_saved_as_they_are(project: Project) -> None:
    """What was added and where things are; in place or under another name."""
    out = supervise(
        project,
        """
        sup.getRoot().getField("children").importMFNodeFromString(-1, 'DEF NEW Solid { name "new" }')
        sup.getFromDef("BALL").getField("translation").setSFVec3f([1.0, 2.0, 3.0])
        sup.getFromDef("LOOK").getField("baseColor").setSFColor([0.0, 0.0, 1.0])
        sup.setCustomData("kept")
        out["saved"] = [sup.worldSave("../../worlds/later.wbt"), sup.worldSave(),
                        sup.worldSave("later.txt"), sup.worldSave("nowhere/later.wbt")]
        """,
    )
    assert out["saved"] == [True, True, False, False]
    for name in ("later.wbt", "world.wbt"):
        scene = sb.load(project.folder / "worlds" / name)
        links = {link.name: link for link in scene.links()}
        assert links["ball"].pose.position == (1.0, 2.0, 3.0)
        assert "new" in links
        text = (project.folder / "worlds" / name).read_text()
        assert "baseColor 0 0 1" in text
        assert 'customData "kept"' in text
    assert 'the name of a world file ends with ".wbt", got "later.txt"' in project.errors("sup")[0]
    assert "worldSave(): " in project.errors("sup")[1]


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


def test_modes_labels_and_the_end(project: Project) -> None:
    """Modes are kept, labels listed, quit gives the exit status."""
    project.controller(
        "sup",
        """
        from controller import Supervisor
        sup = Supervisor()
        print(sup.simulationGetMode() == Supervisor.SIMULATION_MODE_FAST,
              Supervisor.simulationRevert is Supervisor.worldReload,
              Supervisor.saveWorld is Supervisor.worldSave)
        sup.simulationSetMode(Supervisor.SIMULATION_MODE_REAL_TIME)
        print(sup.simulationGetMode(), sup.simulation_mode)
        sup.simulationSetMode(7)
        sup.setLabel(0, "hello", 0.1, 0.2, 0.15, 0xFF0000, 0.5, "Arial")
        sup.setLabel(1, "gone", 0.1, 0.2, 0.15, 0x00FF00)
        sup.setLabel(1, "", 0.1, 0.2, 0.15, 0x00FF00)
        sup.setLabel(2, "far", 1.5, 0.2, 0.15, 0x00FF00)
        print(sup.virtualRealityHeadsetIsUsed(), sup.virtualRealityHeadsetGetPosition(),
              sup.virtualRealityHeadsetGetOrientation())
        sup.simulationQuit(7)
        sup.step(8)
        """,
    )
    sim, hub = start(project, SUPERVISOR % "" + BALL)
    try:
        with pytest.raises(SimulationEnd) as end:
            sim.step(5)
        assert hub.stage.labels == {0: ("hello", 0.1, 0.2, 0.15, 0xFF0000, 0.5, "Arial")}
    finally:
        hub.close()
    assert end.value.status == 7
    assert project.output("sup") == ["True True True", "1 1", "False None None"]
    assert project.errors("sup") == [
        "Error: Supervisor.virtualRealityHeadsetGetPosition(): there is no headset",
        "Error: Supervisor.virtualRealityHeadsetGetOrientation(): there is no headset",
        "Error: simulationSetMode(): expected 0 (pause), 1 (real time) or 2 (fast), got 7",
        "Error: setLabel(): x must be between 0 and 1, got 1.5",
    ]


def test_the_view_is_moved(project: Project) -> None:
    """It looks at the node along the direction in which it looked."""
    out = supervise(
        project,
        """
        view = sup.getFromDef("VIEW")
        sup.getFromDef("BALL").moveViewpoint()
        out["at"] = view.getField("position").getSFVec3f()
        sup.getFromDef("BALL").setVisibility(view, False)
        sup.getFromDef("BALL").setVisibility(sup.getFromDef("BALL"), False)
        sup.getRoot().moveViewpoint()
        sup.step(8)
        """,
    )
    x, y, z = out["at"]
    assert (y, z) == (0.0, 1.0)
    assert x < 0.0
    assert project.errors("sup") == [
        "Warning: setVisibility(): cameras and the view see everything; the node is not hidden",
        "Error: setVisibility(): the viewer must be a Viewpoint, Camera, Lidar or RangeFinder; "
        "DEF BALL Solid is none",
        "Error: moveViewpoint(): the root has no place to look at",
    ]


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
