"""Other constants for a scene that was changed a little: the same that compiling it would give.

Arrays of a compiled scene are never written. A patch makes new ones of those that differ and shares the rest.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from operator import add
from typing import Any

import mujoco
import numpy as np

from solidbody.base.transforms import Pose
from solidbody.compiler.axes import fill_axis, fill_command, joint_axes
from solidbody.compiler.bodies import set_inertia
from solidbody.compiler.compile import Compiled
from solidbody.compiler.differences import Difference
from solidbody.compiler.surfaces import contact_tables
from solidbody.contact import tables as t
from solidbody.contact.state import StepState
from solidbody.model.joints import JointAxis
from solidbody.model.links import Link
from solidbody.model.mass import MassProperties
from solidbody.model.scene import Scene

_OF_BODY = ("body_mass", "body_inertia", "body_ipos", "body_iquat")


def patched(compiled: Compiled, scene: Scene, change: Difference) -> Compiled | None:
    """Return the constants of a changed scene; None = it has to be compiled after all.

    Args:
        compiled: Those of the scene before.
        scene: The scene now.
        change: What is different.
    """
    links = tuple(scene.links())
    model, tables, axes, start = compiled.model, compiled.tables, compiled.axes, compiled.start
    if change.masses or change.axes:
        model = copy.copy(model)
    if change.surfaces:
        found = contact_tables(scene, compiled.materials)
        world = t.table(t.WORLD, 1)
        world[...] = tables.world
        world["follows_sliding"] = found.follows_sliding
        tables = replace(tables, world=world, surfaces=found.surfaces, pairs=found.pairs)
    if change.axes:
        axes, tables, start = _with_axes(compiled, model, tables, scene, change.axes)
    if change.masses and not _set_masses(compiled, model, links, change.masses):
        return None
    return replace(compiled, scene=scene, model=model, tables=tables, axes=axes, start=start)


# ---------------------------------------------------------------------- joints


def _with_axes(
    compiled: Compiled,
    model: mujoco.MjModel,
    tables: t.StepTables,
    scene: Scene,
    rows: Sequence[int],
) -> tuple[tuple[JointAxis, ...], t.StepTables, StepState]:
    """Return axes, tables and start with other parameters; `model` gets them as well."""
    links = tuple(scene.links())
    axes, table, start = list(compiled.axes), tables.axes.copy(), compiled.start.copy()
    for link in rows:
        first = compiled.binding.axis_of_link[link]
        for row, axis in enumerate(joint_axes(links[link].joint), first):
            binding = compiled.binding.axes[row]
            axes[row] = axis
            table[row] = np.zeros((), t.AXIS)
            fill_axis(table[row], axis, binding, scene.physics)
            fill_command(start.commands[row], axis)
            if binding.dof >= 0:
                _set_joint(model, binding.dof, axis)
    return tuple(axes), replace(tables, axes=table), start.make_constant()


def _set_joint(model: mujoco.MjModel, dof: int, axis: JointAxis) -> None:
    """Write what MuJoCo's model says of an axis, as `SpecBuilder` does."""
    joint = int(model.dof_jntid[dof])
    model.jnt_stiffness[joint] = axis.spring
    model.dof_damping[dof] = axis.damping
    model.dof_frictionloss[dof] = axis.static_friction
    stops = axis.stops
    is_limited = stops is not None and math.isfinite(stops.low + stops.high)
    model.jnt_limited[joint] = is_limited
    model.jnt_range[joint] = (stops.low, stops.high) if stops is not None and is_limited else 0.0


# ---------------------------------------------------------------------- masses


def _set_masses(
    compiled: Compiled, model: mujoco.MjModel, links: Sequence[Link], rows: Sequence[int]
) -> bool:
    """Write masses and what follows from them; False if the layout of the model would be another."""
    for row in rows:
        link, body = links[row], int(compiled.binding.body[row])
        assert link.mass is not None
        one = _lone_body(link.mass, compiled.binding.offset_position[row])
        if int(one.body_sameframe[1]) != int(model.body_sameframe[body]):
            return False
        for name in _OF_BODY:
            getattr(model, name)[body] = getattr(one, name)[1]
    mujoco.mj_setConst(model, mujoco.MjData(model))
    # these two only MuJoCo's compiler sets; it adds them up one after the other
    model.stat.meanmass = reduce(add, model.body_mass[1:].tolist()) / (model.nbody - 1)
    model.stat.meaninertia = reduce(add, model.dof_M0.tolist()) / model.nv
    return True


def _lone_body(mass: MassProperties, offset: Any) -> mujoco.MjModel:
    """Return a model of one body: MuJoCo itself finds the principal axes of an inertia."""
    spec = mujoco.MjSpec()
    spec.compiler.boundmass = spec.compiler.boundinertia = 0.0
    spec.compiler.balanceinertia = False
    element = spec.worldbody.add_body()
    element.add_freejoint()
    set_inertia(element, mass, Pose(tuple(offset.tolist())))
    return spec.compile()
