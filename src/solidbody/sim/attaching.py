"""Attaches and detaches links at run time, as grippers do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from solidbody.base.transforms import Pose
from solidbody.contact.layout import LoopKind
from solidbody.sim.waking import wake_tree

if TYPE_CHECKING:
    from solidbody.sim.simulation import Sim


def attach(sim: Sim, first: int, second: int, *, shift: Pose | None = None) -> int:
    """Weld two links as they stand; returns the row. ValueError when no row is free.

    Args:
        sim: The simulation.
        first: Row of a link.
        second: Row of another one.
        shift: Motion in the world that the second link still has to make; None = it stands right.
    """
    if first == second:
        raise ValueError("a link cannot be attached to itself")
    binding, grips = sim.compiled.binding, sim.state.grips
    free = np.flatnonzero(grips["kind"] == LoopKind.NONE)
    if not len(free):
        raise ValueError("no more links can be held together: one pair per gripping device")
    grip = int(free[0])
    sim.core.refresh()
    frames = [_body_frame(sim, int(binding.body[k])) for k in (first, second)]
    loop = grips[grip]
    loop["body"] = [binding.body[first], binding.body[second]]
    loop["pos"][0], loop["quat"][0] = 0.0, (1.0, 0.0, 0.0, 0.0)
    if shift is not None:
        frames[1] = shift * frames[1]
    between = frames[1].inverse() * frames[0]
    loop["pos"][1], loop["quat"][1] = between.position, between.rotation
    loop["kind"], loop["axis"] = LoopKind.GRIP, -1
    sim.core.state_changed(first)
    sim.core.state_changed(second)
    return len(sim.compiled.tables.scene_loops) + grip


def detach(sim: Sim, row: int) -> None:
    """Switch off a row that `attach` returned; what it held may move again, so it wakes."""
    grip = row - len(sim.compiled.tables.scene_loops)
    if not 0 <= grip < len(sim.state.grips):
        raise ValueError(f"{row} is not a number that `attach` returned")
    loop = sim.state.grips[grip]
    loop["kind"] = LoopKind.NONE
    for body in loop["body"].tolist():
        tree = int(sim.model.body_treeid[body])
        if tree >= 0:
            wake_tree(sim.core, tree)


def bond_force(sim: Sim, row: int) -> NDArray[np.float64]:
    """Return the force [N], world axes, with which a row that `attach` returned held its second link."""
    force = sim.core.step.loop_forces()[row, :3]
    grip = sim.state.grips[row - len(sim.compiled.tables.scene_loops)]
    w, x, y, z = sim.data.xquat[int(grip["body"][0])].tolist()
    fx, fy, fz = force.tolist()
    return np.array(Pose(rotation=(w, x, y, z)).direction((fx, fy, fz)))


def _body_frame(sim: Sim, body: int) -> Pose:
    x, y, z = sim.data.xpos[body].tolist()
    w, i, j, k = sim.data.xquat[body].tolist()
    return Pose((x, y, z), (w, i, j, k))
