"""Several files on one command line, and conversions between Webots and Choreonoid."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import solidbody as sb
from solidbody.cli.app import app
from tests.formats.comparing import differences

ARENA = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 2 gravity 10 }
Viewpoint { }
Solid { name "floor" boundingObject Plane { size 10 10 } }
"""

CUBE = """format: ChoreonoidBody
format_version: 2.0
name: Cube
links:
  - name: CUBE
    translation: [0, 0, 9]
    joint_type: free
    mass: 2
    inertia: [0.01, 0, 0, 0, 0.01, 0, 0, 0, 0.01]
    elements: {Shape: {geometry: {type: Box, size: [0.2, 0.2, 0.2]}}}
"""

ARM = """format: ChoreonoidBody
format_version: 2.0
name: Arm
links:
  - {name: BASE, joint_type: fixed, mass: 3}
  - name: UPPER
    parent: BASE
    translation: [0, 0, 0.5]
    joint_type: revolute
    joint_id: 0
    joint_axis: Y
    joint_displacement: 30
    center_of_mass: [0, 0, -0.2]
    mass: 1.5
    inertia: [0.02, 0, 0, 0, 0.02, 0, 0, 0, 0.001]
    rotor_inertia: 0.1
    elements: {Shape: {geometry: {type: Cylinder, radius: 0.03, height: 0.4}, rotation: [1, 0, 0, 90]}}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with an arena, a cube and an arm."""
    for name, text in (("arena.wbt", ARENA), ("cube.body", CUBE), ("arm.body", ARM)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def invoke(*arguments: str | Path) -> Result:
    """Run the command line in this process."""
    return CliRunner().invoke(app, [str(item) for item in arguments])


def test_robot_of_another_format_falls_in_an_arena(folder: Path) -> None:
    """Its root starts where the command line puts it; gravity and step are the arena's."""
    log = folder / "log.csv"
    cube = f"{folder / 'cube.body'}@1,2,3"
    run = invoke("run", folder / "arena.wbt", cube, "--headless", "--duration", "0.1", "--log", log)
    assert run.exit_code == 0, run.stderr
    with log.open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert [float(rows[0][f"CUBE.{axis}"]) for axis in "xyz"] == [1.0, 2.0, 3.0]
    assert len(rows) == 51  # 0.1 s in steps of 2 ms, and the start
    # semi-implicit Euler: g h^2 n (n + 1)/2, without damping
    fallen = 3.0 - float(rows[-1]["CUBE.z"])
    assert fallen == pytest.approx(10.0 * 0.002**2 * 50 * 51 / 2, rel=1e-12)


def test_info_shows_all_files_with_free_names(folder: Path) -> None:
    """A second copy gets a number."""
    cube = folder / "cube.body"
    result = invoke("info", folder / "arena.wbt", cube, f"{cube}@0,0,5,1.5", "--json")
    bodies = json.loads(result.stdout)["bodies"]
    assert [(body["name"], body["position"][2]) for body in bodies] == [
        ("floor", 0.0),
        ("CUBE", 9.0),
        ("CUBE(1)", 5.0),
    ]


def test_check_looks_at_each_file_wherever_it_goes(folder: Path) -> None:
    """The arguments of a run can be checked as they are."""
    result = invoke("check", folder / "arena.wbt", f"{folder / 'cube.body'}@1,2,3", "--json")
    assert (result.exit_code, json.loads(result.stdout)) == (0, [])


def test_place_that_is_none_is_bad_usage(folder: Path) -> None:
    """The message says what a place is."""
    result = invoke("run", folder / "arena.wbt", f"{folder / 'cube.body'}@1,2")
    assert result.exit_code == 2
    assert "x,y,z" in result.stderr


def test_file_that_cannot_be_read_is_an_error(folder: Path) -> None:
    """The rest runs all the same, unless --strict."""
    parts = (folder / "arena.wbt", folder / "missing.body@0,0,1", "--headless", "--duration", "0")
    assert invoke("run", *parts).exit_code == 0
    strict = invoke("run", *parts, "--strict")
    assert strict.exit_code == 2
    assert "missing.body" in strict.stderr


@pytest.mark.parametrize("name", ["arm.wbt", "Arm.proto"])
def test_body_becomes_a_webots_file_and_a_body_again(folder: Path, name: str) -> None:
    """Masses, frames and joints come back; what Webots cannot say is told."""
    there = invoke("convert", folder / "arm.body", folder / name)
    assert there.exit_code == 0
    assert "rotor inertia 0.1" in there.stderr
    assert "lost-in-webots" in there.stderr
    check = invoke("check", folder / name, "--json")
    assert (check.exit_code, json.loads(check.stdout)) == (0, [])
    back = invoke("convert", folder / name, folder / "back.body")
    assert back.exit_code == 0
    before, after = (sb.load(folder / file).bodies[0] for file in ("arm.body", "back.body"))
    for one, other in zip(before.links[1:], after.links[1:], strict=True):
        assert list(differences(one.pose, other.pose)) == []
        assert list(differences(one.mass, other.mass)) == []
    joints = [body.links[1].joint for body in (before, after)]
    assert list(differences(joints[0].axis.direction, joints[1].axis.direction)) == []  # type: ignore[union-attr]
    assert list(differences(joints[0].axis.position, joints[1].axis.position)) == []  # type: ignore[union-attr]


def test_body_becomes_mjcf(folder: Path) -> None:
    """Plain MuJoCo loads it."""
    import mujoco

    assert invoke("convert", folder / "arm.body", folder / "arm.xml").exit_code == 0
    model = mujoco.MjModel.from_xml_path(str(folder / "arm.xml"))
    assert model.nv == 1
    assert model.dof_armature[0] == 0.1


def test_mixed_scene_becomes_one_world(folder: Path) -> None:
    """The last file is the one that is written."""
    out = folder / "both.wbt"
    result = invoke("convert", folder / "arena.wbt", f"{folder / 'cube.body'}@0,0,1", out)
    assert result.exit_code == 0
    scene = sb.load(out)
    assert [body.name for body in scene.bodies] == ["floor", "CUBE"]
    assert scene.bodies[1].links[0].pose.position == (0.0, 0.0, 1.0)
    assert scene.physics.time_step == 0.002


def test_robot_is_chosen_by_name(folder: Path) -> None:
    """Without a name the message lists those that could be meant."""
    parts = (folder / "arm.body", folder / "cube.body")
    assert invoke("convert", *parts, folder / "one.body").exit_code == 0  # one of them is a robot
    assert sb.load(folder / "one.body").bodies[0].name == "Arm"
    twice = (folder / "arm.body", folder / "arm.body")
    result = invoke("convert", *twice, folder / "two.body")
    assert result.exit_code == 2
    assert '"Arm", "Arm(1)"' in result.stderr.replace("\n", " ")
    assert not (folder / "two.body").exists()
    chosen = invoke("convert", *twice, folder / "two.body", "--robot", "Arm(1)")
    assert chosen.exit_code == 0
    assert sb.load(folder / "two.body").bodies[0].name == "Arm(1)"


def test_format_that_nothing_writes_is_refused(folder: Path) -> None:
    """The message lists the others."""
    result = invoke("convert", folder / "arm.body", folder / "arm.stl")
    assert result.exit_code == 2
    assert ".xml, .wbt, .proto, .body, .urdf" in result.stderr
