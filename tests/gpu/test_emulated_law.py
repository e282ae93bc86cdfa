"""The kernels as a GPU gets them, with emulated warps, against the native step: the same numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
import pytest
import warp as wp

from benchmarks.gpu_scenes import quadruped
from solidbody.gpu import kernels, layout
from solidbody.gpu.model_tables import model_tables
from solidbody.sim import Sim
from solidbody.sim.batch.device_batch import DeviceBatch
from tests.gpu.comparing import SAME, cases, compare
from tests.gpu.emulating import COMPILER, EmulatedSteps
from tests.gpu.test_driven_links import TWINS
from tests.gpu.test_ground import FORMS, GROUNDS, dropped
from tests.physics.twins import Twin

pytestmark = [
    pytest.mark.slow,  # kernels are compiled for each scene
    pytest.mark.skipif(COMPILER is None, reason="there is no compiler for C++"),
]

CHOSEN: Final = (
    "asymmetric four values swapped",
    "rolling all axes, mu2 = mu",
    "cylinder on a box: dropped on its rim",
    "robot",
    "pile of 5",
    "humanoid of 30 joints",
    "quadruped",
    "four-bar",
    "belts around",
    "servos and springs",
)
"""One scene of each kind: rows, joints, more dofs than lanes, far rows of J, trees that float."""


def emulated(batch: DeviceBatch) -> DeviceBatch:
    """Let a batch on Warp's processor device step as on a GPU."""
    batch.worlds.step = EmulatedSteps(batch.worlds).step
    return batch


@pytest.mark.native
@pytest.mark.parametrize(
    "twin", [twin for twin in cases() if twin.name in CHOSEN], ids=lambda t: t.name
)
def test_kernels_of_a_gpu_equal_the_native_step(twin: Twin) -> None:
    """Positions, velocities and the number of contacts after every step, in two worlds."""
    compare(twin, "cpu", change=emulated)


@pytest.mark.native
@pytest.mark.parametrize("form", ["capsule", "convex mesh"])
def test_terrain_is_a_kernel_of_its_own(form: str) -> None:
    """What it finds reaches the list of contacts."""
    compare(Twin(form, dropped(GROUNDS["a mesh"], FORMS[form])), "cpu", change=emulated)


@pytest.mark.native
@pytest.mark.parametrize("name", ["a lift", "drone"])
def test_what_no_force_moves_is_placed_before_poses(name: str) -> None:
    """By the first kernel, which works in small teams."""
    compare(next(twin for twin in TWINS if twin.name == name), "cpu", change=emulated)


def test_warps_compiler_makes_machine_code_of_the_kernels(tmp_path: Path) -> None:
    """Its compiler for cards needs none."""
    scene, _ = quadruped()
    tables = model_tables(Sim(scene).compiled)
    memory = layout.cuda_memory(layout.cuda_counts(tables.counts))
    made = kernels.cuda_kernels(tables, memory)
    wp.compile_aot_module(next(iter(made.values())).module, arch=90, module_dir=tmp_path)
    assert list(tmp_path.glob("*.cubin"))


@pytest.mark.native
def test_trees_that_turn_far_equal_those_of_the_processor() -> None:
    """Poses are made once more for them: the first kernel hands on only what most steps read."""
    scene, _ = quadruped()
    one, other = (Sim(scene).batch(2, device="cpu") for _ in range(2))
    emulated(other)
    fast = 40.0 * np.random.default_rng(1).normal(size=one.qvel().shape)
    for batch in (one, other):
        batch.worlds.state["QVEL"].assign(fast)
        batch.step(10)
    scale = np.abs(one.qvel()).max()
    assert scale > 20.0
    assert np.abs(one.qvel() - other.qvel()).max() <= SAME * scale
    assert np.abs(one.qpos() - other.qpos()).max() <= SAME * scale
