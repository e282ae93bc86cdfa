"""Patches a compiled scene after a small change (surface, mass, axis) instead of compiling it again.

Arrays of a compiled scene are never written. A patch makes new ones of those that differ and shares the rest.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from operator import add

import mujoco
import numpy as np
from numpy.typing import NDArray

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.transforms import ZERO, Pose
from solidbody.compiler.axes import fill_axis, fill_command
from solidbody.compiler.bodies import LinkPart, SpecBuilder, open_range
from solidbody.compiler.collision_filters import STATIC_BITS
from solidbody.compiler.compile import Compiled, free_velocity
from solidbody.compiler.convex_decomposition import ConvexParts
from solidbody.compiler.differences import Difference
from solidbody.compiler.geoms import FormBuilder
from solidbody.compiler.mechanisms import place_loop, turn_ball, turn_track
from solidbody.compiler.surfaces import contact_tables
from solidbody.contact import layout
from solidbody.contact import tables as t
from solidbody.contact.state import StepState
from solidbody.model.geometry import GeometryPlane
from solidbody.model.joints import (
    JointAxis,
    JointBall,
    JointFree,
    JointTrack,
    LoopGeneral,
    joint_axes,
)
from solidbody.model.links import Body, Link, Motion
from solidbody.model.scene import Scene, world_poses

_OF_MASS = ("body_mass", "body_inertia", "body_ipos", "body_iquat")
_OF_PLACE = ("body_pos", "body_quat")
_OF_WEIGHTLESS = (*_OF_PLACE, *_OF_MASS, "body_sameframe", "body_simple")
_OF_JOINT = ("jnt_pos", "jnt_axis")
_OF_START = ("qpos0", "qpos_spring")
"""Arrays of MjModel: what follows from a mass; from a pose by body (more, where the forms of a body weigh
nothing: MuJoCo then puts its centre of mass elsewhere), by joint, by free coordinate."""


def patched(compiled: Compiled, scene: Scene, change: Difference) -> Compiled | None:
    """Return the constants of a changed scene; None = it has to be compiled after all.

    Args:
        compiled: Those of the scene before.
        scene: The scene now.
        change: What is different.
    """
    if compiled.rooms and _changes_rooms(compiled, scene, change.poses):
        return None
    model, tables, axes, start = compiled.model, compiled.tables, compiled.axes, compiled.start
    velocity = compiled.initial_qvel
    if change.masses or change.axes or change.poses:
        model = copy.copy(model)
    if change.surfaces:
        found = contact_tables(scene, compiled.materials)
        world = t.table(layout.WORLD, 1)
        world[...] = tables.world
        world["follows_sliding"] = found.follows_sliding
        tables = replace(tables, world=world, surfaces=found.surfaces, pairs=found.pairs)
    if change.axes:
        axes, tables, start = _with_axes(compiled, model, tables, scene, change.axes)
    if change.poses:
        velocity = _set_poses(compiled, model, scene, change.poses)
    if change.poses or change.loops:
        tables, start = _with_mechanisms(compiled, tables, start, scene, change.poses)
    if change.masses and not _set_masses(compiled, model, scene, change.masses):
        return None
    placed = np.zeros(model.nbody, dtype=bool)
    placed[compiled.binding.body[list(change.poses)]] = True
    if change.masses or carry_joints(model, placed):
        mujoco.mj_setConst(model, mujoco.MjData(model))
        # these two only MuJoCo's compiler sets; it adds them up one after the other
        model.stat.meanmass = reduce(add, model.body_mass[1:].tolist()) / (model.nbody - 1)
        model.stat.meaninertia = reduce(add, model.dof_M0.tolist()) / model.nv
    return replace(
        compiled,
        scene=scene,
        model=model,
        tables=tables,
        axes=axes,
        start=start,
        initial_qvel=velocity,
    )


def carry_joints(model: mujoco.MjModel, bodies: NDArray[np.bool_]) -> bool:
    """Whether one of these bodies moves by joints or carries one that does: constants depend on it."""
    at = np.flatnonzero(model.body_treeid >= 0)
    while at.size:
        if bodies[at].any():
            return True
        at = np.unique(model.body_parentid[at])
        at = at[at > 0]
    return False


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
            table[row] = np.zeros((), layout.AXIS)
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
    model.jnt_range[joint] = 0.0
    if stops is not None and is_limited:
        model.jnt_range[joint] = open_range(stops.low, stops.high)


# ---------------------------------------------------------------------- masses and poses


def _set_masses(
    compiled: Compiled, model: mujoco.MjModel, scene: Scene, rows: Sequence[int]
) -> bool:
    """Write masses; False if the layout of the model would be another."""
    for row in rows:
        one, body = _alone(compiled, scene, row)[0], int(compiled.binding.body[row])
        if int(one.body_sameframe[1]) != int(model.body_sameframe[body]):
            return False
        for name in _OF_MASS:
            getattr(model, name)[body] = getattr(one, name)[1]
    return True


def _set_poses(
    compiled: Compiled, model: mujoco.MjModel, scene: Scene, rows: Sequence[int]
) -> NDArray[np.float64]:
    """Write where links stand, and their joints in them; returns the velocities at the start."""
    velocity = compiled.initial_qvel.copy()
    for row in rows:
        one, part = _alone(compiled, scene, row)
        body = int(compiled.binding.body[row])
        joint, joints = int(model.body_jntadr[body]), int(model.body_jntnum[body])
        is_weightless = part.link.motion is Motion.KINEMATIC and not model.body_mass[body]
        for name in _OF_WEIGHTLESS if is_weightless else _OF_PLACE:
            getattr(model, name)[body] = getattr(one, name)[1]
        if is_weightless:
            boxes, count = int(model.body_bvhadr[body]), int(model.body_bvhnum[body])
            model.bvh_aabb[boxes : boxes + count] = one.bvh_aabb[:count]
        for name in _OF_JOINT if joints else ():
            getattr(model, name)[joint : joint + joints] = getattr(one, name)
        if joints and isinstance(part.link.joint, JointFree):
            at, dof = int(model.jnt_qposadr[joint]), int(model.jnt_dofadr[joint])
            for name in _OF_START:
                getattr(model, name)[at : at + 7] = getattr(one, name)
            velocity[dof : dof + 6] = free_velocity(part.link, part.world, part.offset)
    return velocity


def _with_mechanisms(
    compiled: Compiled,
    tables: t.StepTables,
    start: StepState,
    scene: Scene,
    rows: Sequence[int],
) -> tuple[t.StepTables, StepState]:
    """Return tables and start in which mechanisms stand as their links do."""
    balls, tracks, loops = tables.balls.copy(), tables.tracks.copy(), tables.loops.copy()
    start = start.copy()
    binding = compiled.binding
    for link_row in rows:
        link = _link_at(scene, link_row)[1]
        axis, body, rotation = (
            binding.axis_of_link[link_row],
            binding.body[link_row],
            link.pose.rotation,
        )
        if isinstance(link.joint, JointBall):
            for k in np.flatnonzero((balls["axis"] == axis) & (balls["loop"] < 0)):
                turn_ball(balls[k], link.joint, rotation)
        elif isinstance(link.joint, JointTrack):
            for k in np.flatnonzero(tracks["body"] == body):
                turn_track(tracks[k], link.joint, rotation)
        above = int(binding.parent[link_row])
        offset = Pose(tuple(binding.offset_position[above].tolist()) if above >= 0 else ZERO)
        pose = offset * link.pose
        for row, target in zip(tables.kinematics, start.kinematics, strict=False):
            if row["body"] == body:
                target["pos"], target["quat"] = pose.position, pose.rotation
    places = _places(compiled, scene) if any(body.loops for body in scene.bodies) else {}
    for k, loop in enumerate(loop for body in scene.bodies for loop in body.loops):
        place_loop(loops[k], loop, places)
        if isinstance(loop, LoopGeneral) and isinstance(loop.joint, JointBall):
            for row in np.flatnonzero(balls["loop"] == k):
                turn_ball(balls[row], loop.joint, loop.ends[0].pose.rotation)
    tables = replace(tables, balls=balls, tracks=tracks, loops=loops)
    return tables, start.make_constant()


def _places(compiled: Compiled, scene: Scene) -> dict[str, tuple[Pose, Pose]]:
    """Return the frames of links, by their paths: in their bodies, and in the world."""
    worlds = [
        (link.path, pose)
        for body in scene.bodies
        for link, pose in zip(body.links, world_poses(body), strict=True)
    ]
    offsets = compiled.binding.offset_position.tolist()
    return {
        path: (Pose(tuple(offset)), pose)
        for (path, pose), offset in zip(worlds, offsets, strict=True)
    }


def _changes_rooms(compiled: Compiled, scene: Scene, rows: Sequence[int]) -> bool:
    """Whether a mesh that is inside out moves, or something that moves starts in one, or did."""
    first = 0
    for old, new in zip(compiled.scene.bodies, scene.bodies, strict=True):
        own = range(first, first + len(new.links))
        first += len(new.links)
        if not any(row in own for row in rows):
            continue
        places = [
            pose.position
            for body in (old, new)
            for link, pose in zip(body.links, world_poses(body), strict=True)
            if link.motion is Motion.DYNAMIC
        ]
        if any(room.link in own or any(map(room.holds, places)) for room in compiled.rooms):
            return True
    return False


def _alone(compiled: Compiled, scene: Scene, row: int) -> tuple[mujoco.MjModel, LinkPart]:
    """Return a model of one link where its parent is the world: MuJoCo itself finds what follows."""
    spec = mujoco.MjSpec()
    spec.compiler.boundmass = spec.compiler.boundinertia = 0.0
    spec.compiler.balanceinertia = spec.compiler.degree = False
    forms = FormBuilder(spec, scene.physics.ridges)
    builder = SpecBuilder(
        spec, DiagnosticLog(), for_export=False, forms=forms, mesh_parts=ConvexParts()
    )
    body, link = _link_at(scene, row)
    offsets, above = compiled.binding.offset_position, int(compiled.binding.parent[row])
    parent = None
    if above >= 0:
        offset = Pose(tuple(offsets[above].tolist()))
        parent = LinkPart(link, spec.worldbody, offset, Pose(), False, False, Pose())
    part = builder.add_frame(body, link, link.pose, parent, moves=False)
    for shape in link.shapes:
        if isinstance(shape.geometry, GeometryPlane):
            builder.add_shape(part, shape, STATIC_BITS)
    return spec.compile(), part


def _link_at(scene: Scene, row: int) -> tuple[Body, Link]:
    for body in scene.bodies:
        if row < len(body.links):
            return body, body.links[row]
        row -= len(body.links)
    raise IndexError(row)
