"""Links held together at run time, as by a gripper: rows of the loop table that are switched on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from solidbody.base.transforms import Pose
from solidbody.contact.tables import LoopKind
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
    tables, binding = sim.compiled.tables, sim.compiled.binding
    loops = tables.loops[: int(tables.world["loops"][0])]
    start = sum(len(body.loops) for body in sim.scene.bodies)
    free = np.flatnonzero(loops["kind"][start:] == LoopKind.NONE)
    if not len(free):
        raise ValueError("no more links can be held together: one pair per gripping device")
    row = start + int(free[0])
    sim.refresh()
    frames = [_body_frame(sim, int(binding.body[k])) for k in (first, second)]
    loop = loops[row]
    loop["body"] = [binding.body[first], binding.body[second]]
    loop["pos"][0], loop["quat"][0] = 0.0, (1.0, 0.0, 0.0, 0.0)
    if shift is not None:
        frames[1] = shift * frames[1]
    between = frames[1].inverse() * frames[0]
    loop["pos"][1], loop["quat"][1] = between.position, between.rotation
    loop["kind"], loop["axis"] = LoopKind.GRIP, -1
    sim.state_changed(first)
    sim.state_changed(second)
    return row


def detach(sim: Sim, row: int) -> None:
    """Switch off a row that `attach` returned; what it held may move again, so it wakes."""
    tables = sim.compiled.tables
    start = sum(len(body.loops) for body in sim.scene.bodies)
    if not start <= row < int(tables.world["loops"][0]):
        raise ValueError(f"{row} is not a number that `attach` returned")
    tables.loops[row]["kind"] = LoopKind.NONE
    for body in tables.loops[row]["body"].tolist():
        tree = int(sim.model.body_treeid[body])
        if tree >= 0:
            wake_tree(sim, tree)


def bond_force(sim: Sim, row: int) -> NDArray[np.float64]:
    """Return the force [N], world axes, with which a row that `attach` returned held its second link."""
    force = sim.loop_forces()[row, :3]
    w, x, y, z = sim.data.xquat[int(sim.compiled.tables.loops[row]["body"][0])].tolist()
    fx, fy, fz = force.tolist()
    return np.array(Pose(rotation=(w, x, y, z)).direction((fx, fy, fz)))


def _body_frame(sim: Sim, body: int) -> Pose:
    x, y, z = sim.data.xpos[body].tolist()
    w, i, j, k = sim.data.xquat[body].tolist()
    return Pose((x, y, z), (w, i, j, k))
