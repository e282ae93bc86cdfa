"""What viewers see and users select: nodes hidden from cameras and the view, pauses, the selection."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from solidbody.base.errors import SimulationPaused
from solidbody.control.hub import PAUSED_FOR_GOOD
from tests.control.projects import Project, robot
from tests.control.supervision import BALL, SUPERVISOR, start, supervise


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """An empty project."""
    return Project(tmp_path)


SENSORS = """children [
  DEF EYE Camera { name "eye" width 8 height 8 fieldOfView 0.1 }
  DEF DEPTH RangeFinder { name "depth" width 8 height 8 fieldOfView 0.1 maxRange 20 }
  DEF SCAN Lidar { name "scan" horizontalResolution 8 fieldOfView 0.1 numberOfLayers 1 maxRange 20 }
] translation -2 0 1"""

WALLS = """
DEF RED Pose { translation 0 0 1 children [ DEF OUTER Solid { name "outer" children [ Shape {
    appearance PBRAppearance { emissiveColor 1 0 0 } geometry Box { size 0.1 1 1 } } ] } ] }
DEF GREEN Solid { name "two" translation 1 0 1 children [
  DEF NEAR Shape { appearance PBRAppearance { emissiveColor 0 1 0 } geometry Box { size 0.1 9 9 } }
  Pose { translation 1 0 0 children [ Shape { appearance PBRAppearance { emissiveColor 0 0 1 }
    geometry Box { size 0.1 9 9 } } ] } ] }
"""

LOOK = """
eye, depth, scan = (sup.getDevice(name) for name in ("eye", "depth", "scan"))
for sensor in (eye, depth, scan):
    sensor.enable(8)

def look():
    sup.step(8)
    image, middle = eye.getImage(), (4, 4)
    rgb = [f(image, 8, *middle) for f in (eye.imageGetRed, eye.imageGetGreen, eye.imageGetBlue)]
    at = depth.rangeImageGetDepth(depth.getRangeImage(), 8, *middle)
    return "rgb"[rgb.index(max(rgb))], round(at, 2), round(scan.getRangeImage()[4], 2)
"""


def test_nodes_are_hidden_from_one_viewer(project: Project) -> None:
    """Solids and single shapes vanish for the viewer that is named, and come back."""
    out = supervise(
        project,
        LOOK
        + """
of = sup.getFromDef
out["all"] = look()
of("RED").setVisibility(of("EYE"), False)
out["camera"] = look()
of("NEAR").setVisibility(of("EYE"), False)
out["shape"] = look()
of("OUTER").setVisibility(of("DEPTH"), False)
of("GREEN").setVisibility(of("DEPTH"), False)
of("OUTER").setVisibility(of("SCAN"), False)
out["others"] = look()
of("RED").setVisibility(of("EYE"), True)
out["back"] = look()
sup.getRoot().setVisibility(of("EYE"), False)
of("RED").setVisibility(sup.getRoot(), False)
sup.step(8)
""",
        WALLS,
        fields=SENSORS,
    )
    # the camera at x = -2 sees the front faces of walls at 0, 1 and 2, each 0.1 thick
    assert out["all"] == ["r", 1.95, 1.95]
    assert out["camera"] == ["g", 1.95, 1.95]
    assert out["shape"] == ["b", 1.95, 1.95]
    assert out["others"] == ["b", float("inf"), 2.95]
    assert out["back"] == ["r", float("inf"), 2.95]
    assert project.errors("sup") == [
        "Error: setVisibility(): the root cannot be hidden",
        "Error: setVisibility(): the viewer must be a Viewpoint, Camera, Lidar or RangeFinder; "
        "the root is none",
    ]


def test_what_is_hidden_stays_so_when_the_world_changes_until_it_is_reset(project: Project) -> None:
    """The nodes are known by their numbers, not by their places in the simulation."""
    out = supervise(
        project,
        LOOK
        + """
red = sup.getFromDef("RED")
red.setVisibility(sup.getFromDef("EYE"), False)
sup.getRoot().getField("children").importMFNodeFromString(1, 'Solid { name "new" translation 0 9 0 }')
out["changed"] = look()[0]
sup.simulationReset()
sup.step(8)
out["reset"] = look()[0]
""",
        WALLS,
        fields=SENSORS,
    )
    assert out == {"changed": "g", "reset": "r"}


def test_pictures_of_the_view_leave_out_what_is_hidden_from_it(project: Project) -> None:
    """The ball is in the first picture only; both have the same background."""
    supervise(
        project,
        """
        sup.exportImage("with.png", 100)
        sup.getFromDef("BALL").setVisibility(sup.getFromDef("VIEW"), False)
        sup.exportImage("without.png", 100)
        """,
        nodes="Background { skyColor [ 0 0 1 ] }\n" + BALL.replace("0 0 1 name", "0 0 2 name"),
    )
    home = project.folder / "controllers" / "sup"
    first, second = (np.asarray(Image.open(home / f"{n}.png")) for n in ("with", "without"))
    assert (first != second).any()
    assert (second == second[0, 0]).all()


def test_the_selected_node_is_that_of_the_page(project: Project) -> None:
    """By its path in the file; nothing, or a path that leads nowhere, is None."""
    project.controller(
        "sup",
        """
        from controller import Supervisor
        sup = Supervisor()
        while sup.step(8) != -1:
            node = sup.getSelected()
            print(node and node.getTypeName(), sup.selected and sup.selected.getDef())
        """,
    )
    sim, hub = start(project, SUPERVISOR % "" + BALL)
    try:
        for path in (None, "3", "3.children.0", "99", "nonsense", None):
            hub.select_node(path)
            sim.step(1)
        assert hub.selected_path is None
    finally:
        hub.close()
    # what is selected before the first step is seen by nobody yet
    assert project.output("sup")[:5] == ["Solid BALL", "Shape SHAPE", *["None None"] * 3]


PAUSER = """
from controller import Supervisor
sup = Supervisor()
while sup.step(8) != -1:
    if sup.getTime() > 0.03:
        sup.simulationSetMode(Supervisor.SIMULATION_MODE_PAUSE)
"""


def test_a_pause_ends_a_run_that_nobody_could_resume(project: Project) -> None:
    """Where the run says so; the time stands at the step before the pause."""
    project.controller("sup", PAUSER)
    sim, hub = project.start(robot("sup", fields="supervisor TRUE"), ends_at_pause=True)
    try:
        with pytest.raises(SimulationPaused):
            sim.run(1.0)
    finally:
        hub.close()
    assert sim.time == pytest.approx(0.032)
    assert ("warning", PAUSED_FOR_GOOD) in project.said


def test_a_pause_lasts_until_a_free_program_resumes(project: Project) -> None:
    """An asynchronous supervisor does not wait for the simulation, so it can resume it."""
    project.controller("sup", PAUSER.replace("0.03:", "0.03 and sup.getTime() < 0.035:"))
    project.controller(
        "free",
        """
        from controller import Supervisor
        import time
        sup = Supervisor()
        while True:
            time.sleep(0.002)
            if sup.simulationGetMode() == Supervisor.SIMULATION_MODE_PAUSE:
                sup.simulationSetMode(Supervisor.SIMULATION_MODE_FAST)
                sup.getRoot().getId()
            if sup.step(8) == -1:
                break
        """,
    )
    free = robot("free", name="free", x=3.0, fields="supervisor TRUE synchronization FALSE")
    sim, hub = project.start(robot("sup", fields="supervisor TRUE") + free, ends_at_pause=True)
    try:
        while hub.slots[1].session is None:  # it must be there before the other one pauses
            sim.step(1)
            sim.reset()
        sim.run(0.2)
    finally:
        hub.close()
    assert sim.time == pytest.approx(0.2)
    assert ("warning", PAUSED_FOR_GOOD) not in project.said


def test_points_that_lose_their_colours_are_painted_anew(tmp_path: Path) -> None:
    """Rays meet no points: a picture must not keep those of before."""
    project = Project(tmp_path)
    project.controller(
        "sup",
        """
        from controller import Supervisor
        sup = Supervisor()
        camera = sup.getDevice("camera")
        camera.enable(8)
        for _ in range(2):
            sup.step(8)
            image = camera.getImage()
            print(max(image[2::4]), max(image[1::4]))
            colors = sup.getFromDef("COLORS")
            if colors:
                colors.remove()
        """,
    )
    project.run(
        """
        Robot { controller "sup" supervisor TRUE children [ Camera { width 16 height 16 } ] }
        Shape { appearance Appearance { material Material { emissiveColor 0 1 0 } }
          geometry PointSet { coord Coordinate { point [ 3 0 0 ] }
            color DEF COLORS Color { color [ 1 0 0 ] } } }
        """,
        0.05,
    )
    (red, less), (least, green) = (map(int, line.split()) for line in project.output("robot"))
    assert red > 150 > 10 > less and green > 150 > 10 > least
