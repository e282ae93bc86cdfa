"""Link poses and masses of robots against an independent computation (`plain_kinematics`)."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest

from solidbody.compiler import compile_scene
from solidbody.compiler.compile import Compiled
from solidbody.formats.loading import read_scene, read_scene_text
from solidbody.model.mass import MassProperties
from solidbody.model.scene import Scene
from tests.formats.choreonoid.plain_kinematics import (
    Array,
    PlainLink,
    link_poses,
    plain_links,
    total_mass,
)

MODELS = Path(__file__).parents[4] / "shared/corpus/choreonoid/choreonoid+choreonoid/share/model"
ROBOTS = (
    "SR1/SR1.body",
    "GR001/GR001.body",
    "JACO2/JACO2.body",
    "misc/ragdoll.body",
    "misc/crawler.body",
)

POSES = 20
"""Random sets of joint angles per robot."""

ROUNDING = 1e-12
"""[m, and entries of rotation matrices]: thirty joints in a row, each with a handful of products."""

MASS_ROUNDING = 1e-10
"""Relative to the largest entry: sums over sixty links of products with squares of lengths."""

OURS = """format: ChoreonoidBody
format_version: 1.0
links:
  - { name: ROOT, joint_type: free, translation: [ 1, -2, 3 ], rotation: [ 1, 2, 3, 50 ], mass: 4,
      center_of_mass: [ 0.1, 0.2, -0.3 ], inertia: [ 0.3, 0.01, 0.02, 0.4, 0.03, 0.5 ] }
  - { name: A, parent: ROOT, joint_type: revolute, joint_axis: [ 0, 0.6, 0.8 ], mass: 2,
      translation: [ 0.5, 0, 0.2 ], rotation: [ [ 0, 0, 1, 30 ], [ 1, 0, 0, -70 ] ] }
  - name: B
    parent: A
    joint_type: prismatic
    joint_axis: -Y
    translation: [ 0, 0.3, 0 ]
    rotation: [ 0, 1, 0, 45 ]
    elements:
      - { type: RigidBody, mass: 3, center_of_mass: [ 0, 0, 1 ], inertia: [ 1, 0, 0, 2, 0, 2.5 ],
          rotation: [ 1, 1, 0, 33 ], translation: [ 0.1, 0, 0 ] }
      - { type: Transform, scale: [ 1, 2, 1 ], elements: [ { type: RigidBody, mass: 1,
          inertia: [ 1, 0, 0, 1, 0, 1 ], center_of_mass: [ 0, 1, 0 ] } ] }
  - { name: C, parent: B, translation: [ 0, 0, 0.25 ], rotation: [ 0, 0, 1, 90 ] }
  - { name: D, parent: C, joint_type: revolute, joint_axis: X, translation: [ 0.3, 0, 0 ],
      elements: { RigidBody: { mass: 5, center_of_mass: [ 0.1, 0, 0 ] } }, mass: 1 }
"""


def texts() -> list[object]:
    """Return (text, file) of our own robot and, where they are at hand, of public ones."""
    out: list[object] = [pytest.param(OURS, "ours.body", id="ours")]
    for name in ROBOTS:
        path = MODELS / name
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            out.append(pytest.param(text, str(path), id=path.stem))
    return out


def posed(compiled: Compiled, angles: dict[str, float]) -> dict[str, tuple[Array, Array]]:
    """Return the pose of each link with its joints at `angles`, the root where it starts."""
    model, binding = compiled.model, compiled.binding
    data = mujoco.MjData(model)
    for axis in binding.axes:
        if axis.qpos < 0:  # a track, whose link does not move
            continue
        data.qpos[axis.qpos] = angles[axis.joint]
    mujoco.mj_kinematics(model, data)
    poses: dict[str, tuple[Array, Array]] = {}
    for name, body, offset in zip(
        binding.link_names, binding.body, binding.offset_position, strict=True
    ):
        r = data.xmat[body].reshape(3, 3)
        poses[name] = data.xpos[body] + r @ offset, r.copy()
    return poses


def without_shapes(scene: Scene) -> Scene:
    """Return the scene without what kinematics does not need; cutting up meshes takes minutes."""
    bodies = tuple(
        replace(body, links=tuple(replace(link, shapes=()) for link in body.links))
        for body in scene.bodies
    )
    return replace(scene, bodies=bodies)


def read(text: str, file: str) -> tuple[Scene, list[PlainLink]]:
    scene, log = read_scene_text(text, file)
    assert scene is not None and not log.has_errors
    return scene, plain_links(text)


@pytest.mark.parametrize(("text", "file"), texts())
def test_links_stand_where_an_independent_computation_has_them(text: str, file: str) -> None:
    scene, plain = read(text, file)
    compiled = compile_scene(without_shapes(scene))
    moving = [axis.joint for axis in compiled.binding.axes]
    random = np.random.default_rng(7)
    for _ in range(POSES):
        angles = {name: float(random.uniform(-2, 2)) for name in moving}
        expected = link_poses(plain, plain[0].offset, angles)
        found = posed(compiled, angles)
        assert found.keys() == expected.keys()
        for name, (p, r) in expected.items():
            assert np.abs(found[name][0] - p).max() < ROUNDING, name
            assert np.abs(found[name][1] - r).max() < ROUNDING, name


@pytest.mark.parametrize(("text", "file"), texts())
def test_mass_centre_and_inertia_match_an_independent_computation(text: str, file: str) -> None:
    scene, plain = read(text, file)
    (body,) = scene.bodies
    starts = {
        link.name: link.joint.axis.position for link in body.links if hasattr(link.joint, "axis")
    }
    poses = link_poses(plain, plain[0].offset, starts)
    mass, center, inertia = total_mass(plain, poses)
    own = [
        PlainLink(link.name, None, "", np.zeros(3), plain[0].offset, _mass(link.mass))
        for link in body.links
    ]
    found = total_mass(own, poses)
    assert found[0] == pytest.approx(mass, rel=MASS_ROUNDING)
    assert np.abs(found[1] - center).max() < MASS_ROUNDING
    assert np.abs(found[2] - inertia).max() < MASS_ROUNDING * np.abs(inertia).max()


def _mass(mass: object) -> tuple[float, Array, Array]:
    assert isinstance(mass, MassProperties)
    xx, yy, zz, xy, xz, yz = mass.inertia
    full = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return mass.mass, np.array(mass.center), full


@pytest.mark.skipif(not MODELS.is_dir(), reason="no corpus beside the repository")
def test_sr1_has_the_numbers_of_the_original() -> None:
    """30 links, 29 joints, 7 devices, 130.8 kg, and it loads within half a second of computing."""
    start = time.process_time()
    scene, log = read_scene(MODELS / "SR1/SR1.body")
    assert time.process_time() - start < 0.5
    assert scene is not None and not log.items
    (body,) = scene.bodies
    numbers = [link.joint_number for link in body.links if link.joint_number is not None]
    assert len(body.links) == 30
    assert sorted(numbers) == list(range(29))
    assert sum(len(link.devices) for link in body.links) == 7
    assert sum(link.mass.mass for link in body.links if link.mass) == pytest.approx(130.8, abs=0.05)
