"""Reads the state: poses and velocities of links, positions and velocities of axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import mujoco
import numpy as np
from numpy.typing import NDArray

from solidbody.base.vectors import cross
from solidbody.contact.layout import AxisKind
from solidbody.contact.readings import read_balls, read_loops
from solidbody.sim.kinematic_rates import add_kinematic_velocities

if TYPE_CHECKING:
    from solidbody.compiler.binding import Binding
    from solidbody.sim.core import Core

ALL_LINKS: Final = slice(None)

Floats = NDArray[np.float64]


def link_origins(data: mujoco.MjData, binding: Binding, rows: slice = ALL_LINKS) -> Floats:
    """Return (links, 3): positions of the origins of links, world frame, as MuJoCo has its bodies."""
    if rows is ALL_LINKS:
        body, offset = binding.bodies, binding.offset_column
    else:
        body, offset = binding.body[rows], binding.offset_column[rows]
    turns = data.xmat[body].reshape(-1, 3, 3)
    return data.xpos[body] + (turns @ offset)[:, :, 0]


def link_poses(core: Core, rows: slice = ALL_LINKS) -> Floats:
    """Return (links, 7): position and orientation x y z qw qx qy qz of links, world frame."""
    core.refresh()
    binding = core.compiled.binding
    # link frames are parallel to their bodies' frames
    origins = link_origins(core.data, binding, rows)
    out = np.empty((len(origins), 7))
    body = binding.bodies if rows is ALL_LINKS else binding.body[rows]
    out[:, :3], out[:, 3:] = origins, core.data.xquat[body]
    return out


def link_velocities(core: Core, rows: slice = ALL_LINKS) -> Floats:
    """Return (links, 6): linear velocity of the origin, angular velocity, world frame."""
    core.refresh()
    binding, m, d = core.compiled.binding, core.model, core.data
    mujoco.mj_comVel(m, d)
    body = binding.body[rows]
    out = np.empty((len(body), 6))
    angular, linear = d.cvel[body, :3], d.cvel[body, 3:]
    # cvel is about the centre of mass of the kinematic tree
    centre = d.subtree_com[m.body_rootid[body]]
    origin = link_origins(d, binding, rows)
    out[:, :3] = linear + cross(angular, origin - centre)
    out[:, 3:] = angular
    add_kinematic_velocities(core, rows, origin, out)
    return out


def axis_states(core: Core) -> Floats:
    """Return (axes, 2): position and velocity of each named axis."""
    tables, d, motors = core.compiled.tables, core.data, core.state.motors
    axes = tables.axes[: len(core.compiled.binding.axes)]
    out = np.zeros((len(axes), 2))
    own = axes["kind"] == AxisKind.JOINT
    out[own, 0], out[own, 1] = d.qpos[axes["qpos"][own]], d.qvel[axes["dof"][own]]
    if own.all():
        return out
    named = motors[: len(axes)]
    out[~own, 0], out[~own, 1] = named["position"][~own], named["velocity"][~own]
    readings = read_balls(core.model, d, tables, motors)
    if (axes["kind"] == AxisKind.LOOP).any():
        core.refresh()
        readings |= read_loops(core.model, d, tables, motors)
    for row, reading in readings.items():
        assert reading.jacobian is not None
        out[row] = reading.position, float(reading.jacobian @ d.qvel)
    return out
