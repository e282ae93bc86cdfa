"""Supervisors: nodes that come and go, reset, reload, loading and saving worlds, restarts."""

from __future__ import annotations

from pathlib import Path

import pytest

import solidbody as sb
from solidbody.control.hub import SimulationEnd
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
        out["none"] = [where.getSFVec3f(), ball.getProto(), ball.getField("name"), sup.getFromDef("SHAPE")]
        where.setSFVec3f([0.0, 0.0, 0.0])
        sup.getRoot().remove()
        sup.step(8)
        """,
    )
    assert out["none"] == [None, None, None, None]
    removed = [line for line in project.errors("sup") if "was removed" in line]
    assert len(removed) == 4
    assert project.errors("sup")[-1] == "Error: the root of the world cannot be removed"


def test_reset_takes_back_motion_and_new_nodes(project: Project) -> None:
    """Poses, time and noise too; the program goes on with its own variables, other fields stay."""
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
    assert out["color"] == [0.0, 0.0, 1.0]
    assert out["mass"] == 9.0
    assert out["time"] == pytest.approx(5 * DT)
    assert out["same"] is True
    assert out["noisy"] == 5


def test_reset_gives_kept_fields_back_and_leaves_the_others(project: Project) -> None:
    """Poses, lights, the view and locks as in the file; texts, nodes and looks as they were set."""
    out = supervise(
        project,
        """
        names = {"FRAME": "translation", "LAMP": "location", "SPOT": "location", "VIEW": "position"}
        fields = {name: sup.getFromDef(name).getField(field) for name, field in names.items()}
        lock = sup.getFromDef("LOCK").getField("isLocked")
        told = [sup.getSelf().getField("description"), sup.getSelf().getField("controllerArgs")]
        for field in fields.values():
            field.setSFVec3f([1.0, 2.0, 3.0])
        lock.setSFBool(True)
        told[0].setSFString("told")
        told[1].insertMFString(-1, "more")
        sup.getFromDef("FRAME").getField("children").importMFNodeFromString(-1, "Shape { }")
        sup.setCustomData("mine")
        sup.setLabel(0, "text", 0.1, 0.1, 0.1, 0xFF0000, 0.0)
        sup.step(8)
        sup.simulationReset()
        sup.step(8)
        out["back"] = {name: field.getSFVec3f() for name, field in fields.items()}
        out["lock"] = lock.getSFBool()
        out["told"] = [told[0].getSFString(), told[1].getMFString(-1), sup.getCustomData()]
        out["children"] = sup.getFromDef("FRAME").getField("children").getCount()
        """,
        nodes="""
        DEF FRAME Pose { translation 0 1 0 }
        DEF LAMP PointLight { location 0 0 4 }
        DEF SPOT SpotLight { location 0 0 5 }
        """,
        fields='children [ DEF LOCK Connector { name "lock" } ]',
    )
    # Webots keeps the place of a PointLight, and not that of a SpotLight
    assert out["back"] == {
        "FRAME": [0.0, 1.0, 0.0],
        "LAMP": [0.0, 0.0, 4.0],
        "SPOT": [1.0, 2.0, 3.0],
        "VIEW": [-5.0, 0.0, 2.0],
    }
    assert out["lock"] is False
    assert out["told"] == ["told", "more", "mine"]
    assert out["children"] == 0


def test_reset_does_not_throw_things_again(project: Project) -> None:
    """Webots takes the velocities that a file gives once: a reset stops everything."""
    out = supervise(
        project,
        """
        ball = sup.getFromDef("BALL")
        sup.step(8)
        out["first"] = ball.getVelocity()[0]
        sup.simulationReset()
        sup.step(8)
        out["second"] = ball.getVelocity()[0]
        """,
        nodes=BALL.replace('name "ball"', 'name "ball" linearVelocity 1 0 0'),
    )
    assert out == {"first": pytest.approx(1.0, abs=1e-9), "second": 0.0}


def test_what_is_set_right_after_a_reset_holds(project: Project) -> None:
    """Also of fields that the reset takes back."""
    out = supervise(
        project,
        """
        where = sup.getFromDef("BALL").getField("translation")
        sup.step(8)
        sup.simulationReset()
        where.setSFVec3f([1.0, 0.0, 0.0])
        sup.step(8)
        out["where"] = where.getSFVec3f()[:2]
        """,
    )
    assert out["where"] == [1.0, 0.0]


def test_a_reset_from_outside_takes_back_changes_too(project: Project) -> None:
    """As with the reset button of the page; what was removed does not come back."""
    project.controller(
        "sup",
        """
        from controller import Supervisor
        sup = Supervisor()
        sup.getRoot().getField("children").importMFNodeFromString(-1, 'Solid { name "new" }')
        sup.getFromDef("BALL").getField("translation").setSFVec3f([5.0, 0.0, 0.0])
        sup.getFromDef("OLD").remove()
        while sup.step(8) != -1:
            pass
        """,
    )
    sim, hub = start(project, SUPERVISOR % "" + BALL + 'DEF OLD Solid { name "old" }')
    try:
        sim.step(2)
        assert "new" in sim.link_names
        assert "old" not in sim.link_names
        sim.reset()
        assert sim.link("ball").position.tolist() == [0.0, 0.0, 1.0]
        assert not {"new", "old"} & set(sim.link_names)
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


def test_modes_labels_and_the_end(project: Project) -> None:
    """Modes are kept, labels listed, quit gives the exit status."""
    project.controller(
        "sup",
        """
        from controller import Supervisor
        sup = Supervisor()
        print(sup.simulationGetMode() == Supervisor.SIMULATION_MODE_FAST == sup.SIMULATION_MODE_RUN,
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
        sup.getFromDef("BALL").setVisibility(sup.getFromDef("BALL"), False)
        sup.getRoot().moveViewpoint()
        sup.step(8)
        """,
    )
    x, y, z = out["at"]
    assert (y, z) == (0.0, 1.0)
    assert x < 0.0
    assert project.errors("sup") == [
        "Error: setVisibility(): the viewer must be a Viewpoint, Camera, Lidar or RangeFinder; "
        "DEF BALL Solid is none",
        "Error: moveViewpoint(): the root has no place to look at",
    ]
