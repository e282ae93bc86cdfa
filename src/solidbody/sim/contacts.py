"""Reads the contacts of the last step and the wrenches through joints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import mujoco
import numpy as np
from numpy.typing import NDArray

from solidbody.compiler.binding import Binding
from solidbody.sim.readings import link_origins

if TYPE_CHECKING:
    from solidbody.sim.simulation import Sim

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Contacts:
    """Contact points, one row each; those of a step are at the places of its start.

    Attributes:
        link: (n, 2) rows of the two links in `Sim.poses()`.
        shape: (n, 2) numbers of their shapes in `Link.shapes`.
        position: (n, 3) [m], world.
        normal: (n, 3) from the first to the second link.
        depth: (n,) penetration [m].
        force: (n, 3) that the first link exerts on the second one [N], world.
    """

    link: NDArray[np.intp]
    shape: NDArray[np.intp]
    position: Floats
    normal: Floats
    depth: Floats
    force: Floats

    def __len__(self) -> int:
        return len(self.depth)


def contacts_of(data: mujoco.MjData, binding: Binding, *, have_acted: bool = True) -> Contacts:
    """Return the contact points of a state.

    Args:
        data: The state, after a step or after `Step.find_contacts`.
        binding: Whose geoms these are.
        have_acted: Whether it is that after a step, which has forces.
    """
    found = data.contact
    address = np.asarray(found.efc_address)
    on = np.flatnonzero(address >= 0 if have_acted else np.asarray(found.exclude) == 0)
    owner = binding.geom_owner[np.asarray(found.geom)[on]]
    frame = np.asarray(found.frame)[on].reshape(-1, 3, 3)
    force = np.zeros((len(on), 3))
    if have_acted and len(on):
        rows = address[on, None] + np.arange(3)
        force = np.asarray(data.efc_force)[np.minimum(rows, len(data.efc_force) - 1)]
        # a contact without friction has one row only
        force[np.asarray(found.dim)[on] < 3, 1:] = 0.0
    return Contacts(
        link=owner[:, :, 0],
        shape=owner[:, :, 1],
        position=np.asarray(found.pos)[on].copy(),
        normal=frame[:, 0].copy(),
        depth=-np.asarray(found.dist)[on],
        force=np.einsum("nk,nkj->nj", force, frame),
    )


def joint_wrenches(sim: Sim) -> Floats:
    """Return (links, 6): force and moment that each link exerts on its parent through its joint.

    Of the last step, with the poses at its start; world axes, moments about the link's origin [N, N*m].
    """
    model, data, binding = sim.model, sim.data, sim.compiled.binding
    # accelerations and contact forces to forces between bodies; centripetal ones are those of the
    # velocities at the start of the step, as positions are
    after = data.qvel.copy()
    data.qvel -= model.opt.timestep * data.qacc
    mujoco.mj_rnePostConstraint(model, data)
    data.qvel[:] = after
    body = binding.body
    moment, force = data.cfrc_int[body, :3], data.cfrc_int[body, 3:]
    centre = data.subtree_com[model.body_rootid[body]]
    out = np.empty((len(body), 6))
    out[:, :3] = -force
    out[:, 3:] = -(moment + np.cross(centre - link_origins(data, binding), force))
    return out
