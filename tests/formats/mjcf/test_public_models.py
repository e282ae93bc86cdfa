"""Models that pip brings, which nobody here wrote: all are read, or it is said why not.

Referee: MuJoCo, which reads the same files.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import solidbody as sb
from solidbody.base.diagnostics import Severity
from solidbody.compiler.bodies import principal_moments
from solidbody.formats.loading import read_scene
from tests.formats.mjcf.models import (
    PACKAGES,
    body_name,
    drift,
    links_by_name,
    mujoco_model,
    public_models,
    start,
)

EXACT = 1e-9
"""Kinematics and masses are those of MuJoCo but for rounding."""

FREE = 1e-6
"""[m] After a second of free motion: both integrate by the same steps, and rounding grows."""

ROBOTS = (
    "gymnasium/envs/mujoco/assets/ant.xml",
    "gymnasium/envs/mujoco/assets/humanoid.xml",
    "gymnasium/envs/mujoco/assets/walker2d.xml",
    "dm_control/suite/cheetah.xml",
    "dm_control/suite/fish.xml",
    "dm_control/suite/quadruped.xml",
)
"""For motion: floating and fixed roots, springs, ball joints, several joints in a body."""


@pytest.mark.slow
@pytest.mark.parametrize("package", PACKAGES)
def test_all_models_of_a_package_are_read(package: str) -> None:
    files = public_models(package)
    if not files:
        pytest.skip(f"{package} is not installed")
    compared = 0
    for file in files:
        scene, log = read_scene(file)
        errors = [item for item in log if item.severity is Severity.ERROR]
        model = mujoco_model(file)
        if scene is None or model is None:
            assert errors, file  # it is said why
            continue
        refused = {item.code for item in log} & {
            "no-flexcomp",
            "no-composite",
            "no-sdf",
            "no-deformable",
        }
        if errors or refused:  # parts are left out, and said
            continue
        compared += 1
        data, links = start(model), links_by_name(scene)
        for k in range(1, model.nbody):
            link, pose = links[body_name(model, k)]
            where = f"{file}: {link.name}"
            assert np.allclose(pose.position, data.xpos[k], atol=EXACT, rtol=EXACT), where
            turn = np.array(pose.rotation)
            least = min(abs(turn - data.xquat[k]).max(), abs(turn + data.xquat[k]).max())
            assert least < EXACT, where
            if link.mass is not None:
                assert link.mass.mass == pytest.approx(model.body_mass[k], rel=EXACT), where
                if link.mass.mass > 0.0:
                    moments = principal_moments(link.mass)[0]
                    most = max(model.body_inertia[k])
                    off = abs(moments - sorted(model.body_inertia[k])).max()
                    assert off <= EXACT * most, where
    assert compared > len(files) // 2


@pytest.mark.slow
@pytest.mark.parametrize("name", ROBOTS)
def test_free_motion_is_that_of_mj_step(name: str) -> None:
    package = name.split("/", 1)[0]
    found = [file for file in public_models(package) if file.as_posix().endswith(name)]
    if not found:
        pytest.skip(f"{package} is not installed")
    assert drift(found[0], 1.0) < FREE


@pytest.mark.slow
def test_a_model_of_a_package_runs() -> None:
    files = [file for file in public_models("gymnasium") if file.name == "ant.xml"]
    if not files:
        pytest.skip("gymnasium is not installed")
    sim = sb.Sim(sb.load(Path(files[0])))
    for _ in range(300):
        sim.step()
    assert 0.1 < sim.link("torso").position[2] < 0.9  # it stands on the floor, or has sat down
