"""Supervisors in y-up worlds: what they set, read and import is in the words of that time."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

import solidbody as sb
from solidbody.base.transforms import Quat, quat_from_axis_angle, quat_multiply, quat_to_axis_angle
from solidbody.control.hub import ControllerHub
from tests.control.projects import Project

PROGRAM = """
import json
from controller import Supervisor
sup = Supervisor()
out = {}
%s
print(json.dumps(out))
"""


def run(
    folder: Path,
    program: str,
    nodes: str,
    *,
    devices: str = "",
    release: str = "R2021a",
) -> dict[str, Any]:
    """Run a supervisor in a y-up world of a release; return what it puts into `out`."""
    project = Project(folder)
    project.controller("sup", PROGRAM % program)
    path = project.world("")
    system = "" if release < "R2020b" else 'coordinateSystem "NUE"'
    path.write_text(
        f"#VRML_SIM {release} utf8\nDEF WORLD WorldInfo {{ basicTimeStep 8 {system} }}\n"
        "Viewpoint { }\nFloor { size 4 4 }\n"
        f'Robot {{ name "sup" controller "sup" supervisor TRUE children [ {devices} ] }}\n{nodes}\n',
        encoding="utf-8",
    )
    sim = sb.Sim(sb.load(path))
    hub = ControllerHub(sim, output=lambda *line: project.lines.append(line))
    hub.start()
    try:
        sim.run(1.0)
    finally:
        hub.close()
    assert project.errors("sup") == []
    return json.loads(project.output("sup")[-1])


@pytest.mark.slow
def test_rotation_of_a_stand_in_is_that_of_the_robot_of_that_time(tmp_path: Path) -> None:
    """Set about y, the robot stays upright: read again as set, and as a matrix about y."""
    out = run(
        tmp_path,
        """
robot = sup.getFromDef("ROBOT")
field = robot.getField("rotation")
out["start"] = robot.getOrientation()
field.setSFRotation([0, 1, 0, 0.5])
sup.step(8)
out["rotation"] = field.getSFRotation()
out["matrix"] = robot.getOrientation()
out["pose"] = robot.getPose()
sup.step(80)
out["height"] = robot.getPosition()[1]
""",
        'DEF ROBOT E-puck { translation 1 0 0 controller "<none>" }',
    )
    cosine, sine = math.cos(0.5), math.sin(0.5)
    assert out["start"] == pytest.approx([1, 0, 0, 0, 1, 0, 0, 0, 1], abs=1e-6)
    # the robot settles on its wheels meanwhile
    turned = [cosine, 0, sine, 0, 1, 0, -sine, 0, cosine]
    assert out["matrix"] == pytest.approx(turned, abs=1e-2)
    assert out["rotation"] == pytest.approx([0, 1, 0, 0.5], abs=2e-2)
    assert [out["pose"][k] for k in (0, 2, 8, 10)] == [out["matrix"][k] for k in (0, 2, 6, 8)]
    assert abs(out["height"]) < 0.01, "it would lie on its side"


@pytest.mark.slow
def test_imported_text_is_in_the_form_of_the_world(tmp_path: Path) -> None:
    """A cylinder stood along y, PROTOs needed no declaration, and robots looked along -z."""
    out = run(
        tmp_path,
        """
children = sup.getRoot().getField("children")
children.importMFNodeFromString(-1, '''DEF POLE Solid { name "pole" translation 0 0.5 1
  children [ DEF S Shape { geometry Cylinder { height 1 radius 0.1 } } ]
  boundingObject USE S physics Physics { } }''')
children.importMFNodeFromString(-1, 'DEF NEW E-puck { name "new" translation -1 0 0 controller "<none>" }')
for _ in range(50):
    sup.step(8)
out["pole"] = sup.getFromDef("POLE").getPosition()
out["robot"] = sup.getFromDef("NEW").getOrientation()
out["names"] = [sup.getFromDef(name).getTypeName() for name in ("POLE", "NEW")]
""",
        "",
    )
    assert out["names"] == ["Solid", "E-puck"]
    # 31 kg sink some millimetres into the floor
    assert out["pole"] == pytest.approx([0, 0.5, 1], abs=5e-3)
    assert out["robot"] == pytest.approx([1, 0, 0, 0, 1, 0, 0, 0, 1], abs=1e-2)


def test_angles_of_an_inertial_unit_are_counted_about_y(tmp_path: Path) -> None:
    """Ry(0.7) Rz(-0.4) Rx(0.3) has roll 0.3, pitch -0.4 and yaw 0.7, as NUE says."""
    turns = (((0.0, 1.0, 0.0), 0.7), ((0.0, 0.0, 1.0), -0.4), ((1.0, 0.0, 0.0), 0.3))
    rotation: Quat = (1.0, 0.0, 0.0, 0.0)
    for axis, angle in turns:
        rotation = quat_multiply(rotation, quat_from_axis_angle(axis, angle))
    (x, y, z), angle = quat_to_axis_angle(rotation)
    out = run(
        tmp_path,
        """
sup.getFromDef("UNIT").getField("rotation").setSFRotation(%r)
imu = sup.getDevice("inertial unit")
imu.enable(8)
sup.step(8)
sup.step(8)
out["angles"] = imu.getRollPitchYaw()
"""
        % [x, y, z, angle],
        "",
        devices="DEF UNIT InertialUnit { }",
    )
    assert out["angles"] == pytest.approx([0.3, -0.4, 0.7], abs=1e-9)


def test_ints_set_floats_in_worlds_of_the_time_when_they_did(tmp_path: Path) -> None:
    """The library of R2021a converted them; that of R2022b refuses (test_supervisor_fields)."""
    out = run(
        tmp_path,
        """
mass = sup.getFromDef("BODY").getField("mass")
mass.setSFFloat(3)
out["mass"] = mass.getSFFloat()
""",
        'Solid { name "box" boundingObject Box { } physics DEF BODY Physics { density -1 mass 1 } }',
    )
    assert out["mass"] == 3.0


def test_no_text_of_a_window_is_an_empty_one(tmp_path: Path) -> None:
    """Until R2022a; since then it is None (test_api_users)."""
    assert run(tmp_path, 'out["text"] = sup.wwiReceiveText()', "")["text"] == ""


def test_depths_come_as_columns(tmp_path: Path) -> None:
    """Until R2022a; since then as rows (test_api_images)."""
    out = run(
        tmp_path,
        """
lidar, finder = sup.getDevice("lidar"), sup.getDevice("finder")
lidar.enable(8)
finder.enable(8)
sup.step(8)
for name, device in (("lidar", lidar), ("finder", finder)):
    flat, columns = device.getRangeImage(), device.getRangeImageArray()
    out[name] = [len(columns), len(columns[0]), columns[3][1] == flat[1 * 4 + 3]]
""",
        "",
        devices='Lidar { name "lidar" horizontalResolution 4 numberOfLayers 2 verticalFieldOfView 1.5 }'
        ' RangeFinder { name "finder" width 4 height 2 }',
    )
    assert out == {"lidar": [4, 2, True], "finder": [4, 2, True]}


def test_protos_without_a_header_stay_when_the_world_changes(tmp_path: Path) -> None:
    """They are of the world's release, also once the document is in the form of today."""
    (tmp_path / "protos").mkdir()
    (tmp_path / "protos" / "Bare.proto").write_text(
        "PROTO Bare [ field SFFloat r 0.2 ] { Solid { children Shape { geometry Sphere { radius IS r } } } }"
    )
    out = run(
        tmp_path,
        """
sup.getFromDef("OTHER").getField("size").setSFVec3f([2, 2, 2])
sup.step(8)
node = sup.getFromDef("BARE")
out["r"] = node and node.getField("r").getSFFloat()
""",
        "DEF BARE Bare { } Shape { geometry DEF OTHER Box { } }",
    )
    assert out == {"r": 0.2}
