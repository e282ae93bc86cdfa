"""Every format is treated alike: by the commands, the page, batches, and in scenes of several."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import solidbody as sb
from solidbody.cli.app import app
from solidbody.viewer.scene_encoding import encode_scene, to_json
from tests.formats.exports.models import ARM, GRIPPER, read, scene_of

KINDS = ("wbt", "proto", "body", "urdf", "xacro", "xml", "sdf", "cnoid")
TARGETS = ("wbt", "proto", "body", "urdf", "xml", "glb", "gltf", "usda")

SDF = """<sdf version="1.9"><model name="arm"><link name="post"><inertial><mass>1</mass></inertial></link>
<link name="beam"><pose>0 0 0.5 0 0 0</pose><inertial><mass>1</mass></inertial>
<visual name="v"><geometry><box><size>0.4 0.1 0.1</size></box></geometry></visual>
<collision name="c"><geometry><box><size>0.4 0.1 0.1</size></box></geometry></collision></link>
<joint name="turn" type="revolute"><parent>post</parent><child>beam</child><axis><xyz>0 0 1</xyz>
<limit><lower>-2.5</lower><upper>2.5</upper><effort>80</effort><velocity>3</velocity></limit></axis></joint>
<joint name="held" type="fixed"><parent>world</parent><child>post</child></joint></model></sdf>"""

CNOID = """items:
  name: "root"
  plugin: Base
  class: RootItem
  children:
    - plugin: Base
      class: WorldItem
      name: world
      children:
        - plugin: Body
          class: BodyItem
          name: arm
          data: { file: "arm.body" }
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The same arm in every format."""
    folder = tmp_path_factory.mktemp("formats")
    scene = scene_of(folder, ARM, "arm.wbt")
    found = {"wbt": folder / "arm.wbt"}
    for kind in ("body", "urdf", "xml"):
        found[kind] = folder / f"arm.{kind}"
        scene.save(found[kind], robot="arm")
    found["proto"] = folder / "Arm.proto"
    scene.save(found["proto"], robot="arm")
    found["xacro"] = folder / "arm.xacro"
    found["xacro"].write_bytes(found["urdf"].read_bytes())
    found["sdf"], found["cnoid"] = folder / "arm.sdf", folder / "arm.cnoid"
    found["sdf"].write_text(SDF, "utf-8")
    found["cnoid"].write_text(CNOID, "utf-8")
    return found


def called(*words: object) -> str:
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_commands(kind: str, files: dict[str, Path], tmp_path: Path) -> None:
    """`info` and `check` tell as data, `run` writes the log; all formats that are written can be read."""
    path = files[kind]
    told = json.loads(called("info", path, "--json"))
    assert any(joint["name"] == "turn" for joint in told["joints"])
    assert isinstance(json.loads(called("check", path, "--json")), list)
    log = tmp_path / "log.csv"
    called("run", path, "--headless", "--duration", "0.05", "--log", log, "--no-controllers")
    assert log.read_text().count("\n") > 2
    for target in TARGETS:
        out = tmp_path / f"Arm.{target}"
        called("convert", path, out, "--robot", "arm")
        assert out.stat().st_size > 100
        if target in ("wbt", "body", "urdf", "xml"):
            assert any(joint.name == "turn" for joint in _joints(read(out)))


def _joints(scene: sb.Scene) -> list:  # type: ignore[type-arg]
    return [link.joint for link in scene.links() if hasattr(link.joint, "axis")]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_page_batches_and_scenes_of_several(
    kind: str, files: dict[str, Path], tmp_path: Path
) -> None:
    """The page draws it, copies of a batch move as one does, and it stands beside others."""
    scene = read(files[kind])
    sim = sb.Sim(scene)
    assert to_json(encode_scene(scene, sim.poses(), sim.moving, time_step=sim.time_step))
    batch = sim.batch(2)
    for one in (sim, batch[0], batch[1]):
        one.joint("turn").target_velocity = 0.5
    sim.step(20)
    batch.step(20)
    for k in range(2):
        assert np.array_equal(batch[k].poses(), sim.poses())
    ground = scene_of(
        tmp_path, '#VRML_SIM R2025a utf8\nSolid { name "g" boundingObject Plane { } }', "g.wbt"
    )
    both = ground.add(files[kind], at=(1.0, 0.0, 0.5) if kind != "cnoid" else None)
    gripper = tmp_path / "gripper.urdf"
    gripper.write_text(GRIPPER, "utf-8")
    both = both.add(gripper, at=(0.0, 2.0, 0.5))
    sim = sb.Sim(both)
    sim.step(5)
    assert {"turn", "left finger"} <= set(sim.joint_names)
    assert np.isfinite(sim.poses()).all()
