"""Where things of a simulation are found: rows of links and joints by name, arrays that change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import mujoco
import numpy as np
from numpy.typing import NDArray

from solidbody.compiler import Compiled
from solidbody.model.joints import JointFixed, JointFree
from solidbody.sim.rebuild import CHANGING_ARRAYS, CHANGING_TABLES

if TYPE_CHECKING:
    from solidbody.compiler.binding import Binding
    from solidbody.sim.simulation import Sim

ALL_LINKS: Final = slice(None)


def changing_arrays(sim: Sim) -> tuple[Any, ...]:
    """Return all arrays beside MjData that programs and the step itself change."""
    t, m = sim.compiled.tables, sim.model
    tables = tuple(getattr(t, name) for name in CHANGING_TABLES)
    return (*tables, *(getattr(m, name) for name in CHANGING_ARRAYS))


def movers_now(sim: Sim) -> dict[int, int]:
    """Return the row of the mover table of each link that has one."""
    tables, body = sim.compiled.tables, sim.compiled.binding.body
    count = int(tables.world["movers"][0])
    rows = {int(row["body"]): k for k, row in enumerate(tables.movers[:count])}
    return {k: rows[int(b)] for k, b in enumerate(body) if int(b) in rows}


def link_origins(
    data: mujoco.MjData, binding: Binding, rows: slice = ALL_LINKS
) -> NDArray[np.float64]:
    """Return (links, 3): positions of the origins of links, world frame, as MuJoCo has its bodies."""
    body, offset = binding.body[rows], binding.offset_position[rows]
    turns = data.xmat[body].reshape(-1, 3, 3)
    return data.xpos[body] + (turns @ offset[:, :, None])[:, :, 0]


def link_poses(sim: Sim, rows: slice = ALL_LINKS) -> NDArray[np.float64]:
    """Return (links, 7): position and orientation x y z qw qx qy qz of links, world frame."""
    sim.refresh()
    binding = sim.compiled.binding
    # link frames are parallel to their bodies' frames
    turns = sim.data.xquat[binding.body[rows]]
    return np.concatenate((link_origins(sim.data, binding, rows), turns), axis=1)


def axis_links(sim: Sim) -> tuple[int, ...]:
    """Return for each named axis the link that it moves, -1 for axes of loops."""
    joints = {
        link.joint.name: k
        for k, link in enumerate(sim.scene.links())
        if not isinstance(link.joint, JointFree | JointFixed)
    }
    return tuple(joints.get(row.joint, -1) for row in sim.compiled.binding.axes)


def link_index(compiled: Compiled) -> dict[str, int]:
    """Names first, then labels and paths that are not names of others."""
    index = {name: k for k, name in enumerate(compiled.binding.link_names)}
    for k, aliases in enumerate(compiled.binding.link_aliases):
        for alias in aliases:
            if alias:
                index.setdefault(alias, k)
    return index


def joint_rows(compiled: Compiled) -> dict[str, int]:
    """Joint names to rows; joints with several axes are `name[0]`, `name[1]`."""
    axes = compiled.binding.axes
    several = {row.joint for row in axes if row.axis > 0}
    return {
        f"{row.joint}[{row.axis}]" if row.joint in several else row.joint: k
        for k, row in enumerate(axes)
    }
