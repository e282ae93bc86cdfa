"""What a request to spawn puts into a scene, from texts in both languages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import solidbody as sb
from solidbody.live.ros.settings import Ros2Settings
from solidbody.live.ros.spawning import SpawnError, spawn

INERTIA = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
TEXTS = {
    "urdf": f'<robot name="r"><link name="l"><inertial><mass value="2"/>{INERTIA}</inertial></link></robot>',
    "sdf": '<sdf version="1.9"><model name="r"><link name="l"><inertial><mass>2</mass></inertial></link>'
    "</model></sdf>",
    "mjcf": '<mujoco><worldbody><body name="l"><freejoint/>'
    '<inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/></body></worldbody></mujoco>',
}


def asked(text: str) -> dict[str, Any]:
    turn = {"w": 1.0, "x": 0.0, "y": 0.0, "z": 0.0}
    place = {"position": {"x": 3.0, "y": 0.0, "z": 1.0}, "orientation": turn}
    return {
        "name": "box",
        "allow_renaming": False,
        "entity_resource": {"uri": "", "resource_string": text},
        "initial_pose": {"pose": place},
    }


@pytest.fixture
def sim(tmp_path: Path) -> sb.Sim:
    world = tmp_path / "w.wbt"
    world.write_text("#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 8 }\n")
    return sb.Sim(sb.load(world))


@pytest.mark.parametrize("kind", TEXTS)
def test_texts_are_told_apart(kind: str, sim: sb.Sim) -> None:
    assert spawn(sim, Ros2Settings(), asked(TEXTS[kind])) == "box"
    body = sim.scene.bodies[-1]
    assert body.name == "box" and body.links[0].mass is not None
    assert body.links[0].mass.mass == 2.0
    assert sim.link(sim.link_names[-1]).position == pytest.approx((3.0, 0.0, 1.0))


def test_other_texts_are_refused(sim: sb.Sim) -> None:
    with pytest.raises(SpawnError, match="URDF, SDF or MJCF"):
        spawn(sim, Ros2Settings(), asked("Solid { }"))
