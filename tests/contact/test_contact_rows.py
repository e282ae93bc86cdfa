"""Rows of contacts that the native step makes by itself are those that MuJoCo would make."""

from __future__ import annotations

import copy

import mujoco
import numpy as np
import pytest

from benchmarks.scenes import humanoid, pile, two_wheeled_robot
from solidbody.contact.native import library_path
from solidbody.model.scene import Scene
from solidbody.sim import Sim
from tests.physics.twins import SURFACES

pytestmark = pytest.mark.skipif(not library_path().exists(), reason="the native step is not built")

SCENES: dict[str, Scene] = {
    "robot": two_wheeled_robot(),
    "humanoid": humanoid()[0],
    "pile": pile(4),
    **{twin.name: twin.scene for twin in SURFACES},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(SCENES))
def test_rows_of_contacts_are_those_of_mujoco(name: str) -> None:
    """Which there are, of which contact, and how fast their points move, to the byte."""
    sim, seen = Sim(SCENES[name], engine="native"), 0
    for joint in sim.joint_names:
        sim.joint(joint).target_velocity = 1.0
    for _ in range(80):
        before = sim.data.qvel.copy()
        sim.step()
        own, other = sim.data, copy.copy(sim.data)
        mujoco.mj_makeConstraint(sim.model, other)
        assert own.nefc == other.nefc
        if not own.nefc:
            continue
        seen += 1
        speed = np.empty(other.nefc)
        mujoco.mj_mulJacVec(sim.model, other, speed, before)
        assert own.efc_vel.tobytes() == speed.tobytes()
        assert own.contact.efc_address.tolist() == other.contact.efc_address.tolist()
        for field in ("efc_type", "efc_id", "efc_pos"):
            assert getattr(own, field).tolist() == getattr(other, field).tolist()
        # what pushes the dofs: MuJoCo's Jacobian says so too, where nothing but contacts pushes
        pushed = np.empty(sim.model.nv)
        mujoco.mj_mulJacTVec(sim.model, other, pushed, own.efc_force)
        free = np.setdiff1d(np.arange(sim.model.nv), sim.compiled.tables.axes["dof"])
        scale = 1.0 + np.abs(pushed).max()
        assert own.qfrc_constraint[free] / scale == pytest.approx(pushed[free] / scale, abs=1e-9)
    assert seen > 5
