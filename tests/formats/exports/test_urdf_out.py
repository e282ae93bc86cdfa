"""URDF that is written: yourdfpy and MuJoCo load it, with links, meshes, masses and motion as ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

from solidbody.model.scene import Scene
from tests.formats.exports.comparing import (
    centres,
    compared,
    heavy_links,
    joints_of,
    model_of,
)
from tests.formats.exports.models import ARM, GRIPPER, ROVER, read, scene_of

SOURCES = {"rover.wbt": ROVER, "arm.wbt": ARM, "gripper.urdf": GRIPPER}


def written(scene: Scene, folder: Path, robot: str | None = None) -> Path:
    path = folder / "out" / "robot.urdf"
    path.parent.mkdir(exist_ok=True)
    scene.save(path, robot=robot)
    return path


@pytest.mark.parametrize("source", SOURCES)
def test_mujoco_loads_it_and_it_moves_alike(source: str, tmp_path: Path) -> None:
    """Masses, and centres of mass at random positions of the joints, are those of our own model."""
    scene = scene_of(tmp_path, SOURCES[source], source)
    path = written(scene, tmp_path, None if source == "gripper.urdf" else source.split(".")[0])
    model: Any = mujoco.MjModel.from_xml_path(str(path))
    ours, names = model_of(scene), heavy_links(scene)
    for name in names:
        one, two = model.body(name), ours.body(name)
        assert one.mass == pytest.approx(two.mass), name
        assert np.sort(one.inertia) == pytest.approx(np.sort(two.inertia), rel=1e-9)
    rng = np.random.default_rng(1)
    for _ in range(4):
        positions = {name: float(rng.uniform(-0.5, 0.5)) for name in joints_of(scene)}
        at, there = (centres(m, positions, names) for m in (model, ours))
        assert at == pytest.approx(there, abs=1e-9)


@pytest.mark.parametrize("source", SOURCES)
def test_yourdfpy_loads_it(source: str, tmp_path: Path) -> None:
    """Links, joints, limits and meshes are found by an independent reader."""
    yourdfpy = pytest.importorskip("yourdfpy")
    scene = scene_of(tmp_path, SOURCES[source], source)
    path = written(scene, tmp_path, None if source == "gripper.urdf" else source.split(".")[0])
    robot = yourdfpy.URDF.load(str(path), load_meshes=True)
    body = next(b for b in scene.bodies if len(b.links) > 1)
    assert {link.name for link in body.links} <= set(robot.link_map)
    if source == "arm.wbt":
        limit = robot.joint_map[robot.actuated_joint_names[0]].limit
        assert (limit.lower, limit.upper, limit.effort) == (-3.0, 3.0, 80.0)
    if source == "gripper.urdf":
        assert robot.joint_map["right finger"].mimic.joint == "left finger"
        robot.update_cfg({"left finger": 0.03})
        place = robot.get_transform("right", "palm")
        assert place[:3, 3] == pytest.approx((0.02, 0.0, 0.04))


def test_meshes_stand_beside_it(tmp_path: Path) -> None:
    """A cone and a mesh become files, each once, and both readers find them."""
    text = """#VRML_SIM R2025a utf8
    Robot { name "r" children [
      DEF C Shape { geometry Cone { bottomRadius 0.1 height 0.2 } } Transform { translation 0 0 1
        scale 2 2 2 children [ Shape { geometry DEF M IndexedFaceSet {
        coord Coordinate { point [ 0 0 0, 1 0 0, 0 1 0, 0 0 1 ] }
        coordIndex [ 0 2 1 -1 0 1 3 -1 0 3 2 -1 1 2 3 -1 ] } } ] } ]
      boundingObject USE C physics Physics { density -1 mass 1 } controller "<none>" }"""
    scene = scene_of(tmp_path, text, "w.wbt")
    path = written(scene, tmp_path)
    files = sorted((path.parent / "robot_meshes").iterdir())
    assert [file.suffix for file in files] == [".obj"] * len(files) and len(files) == 2
    model = mujoco.MjModel.from_xml_path(str(path))
    assert model.nmesh == 2
    again = read(path)
    assert len(list(again.links())[-1].shapes) == 2


def test_turned_starts_and_anchors_elsewhere_are_kept(tmp_path: Path) -> None:
    """A hinge that begins turned, about an anchor off the link's origin: at its position the same pose."""
    text = ROVER.replace(
        "HingeJointParameters { axis 0 1 0 anchor 0.1 0.16 -0.02 }",
        "HingeJointParameters { axis 0 1 0 anchor 0.13 0.16 0.03 position 0.4 minStop -1 maxStop 1 }",
    )
    scene = scene_of(tmp_path, text, "rover.wbt")
    again = read(written(scene, tmp_path, "rover"))
    kept = compared(scene, again)
    assert (kept.links, kept.limits, kept.motors) == ((), 0.0, 0.0)
    assert kept.place < 1e-12
    assert kept.mass < 1e-12
