"""Scene in, simulation model out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from solidbody.base.diagnostics import Diagnostic, DiagnosticLog
from solidbody.base.errors import CompileError
from solidbody.base.progress import Progress
from solidbody.base.transforms import cross, dot, quat_conjugate, quat_rotate, subtract
from solidbody.compiler.axes import axis_table, scalar_axes
from solidbody.compiler.binding import AxisBinding, Binding
from solidbody.compiler.bodies import (
    LEAST_MOMENT,
    LinkPart,
    SpecBuilder,
    has_velocity,
    is_real_inertia,
    principal_moments,
)
from solidbody.compiler.gaps import report_gaps
from solidbody.compiler.geoms import FormBuilder
from solidbody.compiler.parts import MeshParts
from solidbody.compiler.surfaces import geom_table, pair_table, surface_table
from solidbody.contact import tables as t
from solidbody.model.contacts import DEFAULT_MATERIAL
from solidbody.model.joints import JointAxis, JointBall, JointFixed, JointFree, JointTrack
from solidbody.model.links import Motion
from solidbody.model.scene import CapRule, RotationRule, Scene

MEMORY_BASE = 32 << 20
MEMORY_PER_GEOM = 256 << 10
"""[bytes] Room for contacts and rows: about 30 contacts per geom. It is only reserved, not touched."""

FEW_GEOMS = 6
"""Geoms per body up to which testing all pairs beats MuJoCo's tree of boxes (by 10 % on piles)."""

_DISABLED = (
    "FRICTIONLOSS",
    "LIMIT",
    "SPRING",
    "DAMPER",
    "WARMSTART",
    "EULERDAMP",
    "AUTORESET",
    "ISLAND",
)
"""Parts of MuJoCo's own constraint model that our rows replace."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """Constants of a simulation: MuJoCo's model, our tables, and names to indices.

    Attributes:
        spec: The MjSpec, for conversion to MJCF.
        model: The MjModel; its option flags are set for our step.
        tables: What the step reads beside it.
        binding: Where links and joints are.
        initial_qvel: Velocities at the start.
        diagnostics: What could not be carried over.
    """

    scene: Scene
    spec: Any
    model: mujoco.MjModel
    tables: t.StepTables
    binding: Binding
    initial_qvel: NDArray[np.float64]
    diagnostics: tuple[Diagnostic, ...]


def compile_scene(
    scene: Scene,
    *,
    for_export: bool = False,
    cut_meshes: bool = True,
    progress: Progress | None = None,
) -> Compiled:
    """Compile `scene`.

    Args:
        scene: What to compile.
        for_export: To be written as MJCF, not to be simulated.
        cut_meshes: Cut hollow meshes that move into convex parts, which takes seconds for each the
            first time; False takes their hulls, for those who only want to know what is wrong.
        progress: Told how far that is.
    """
    log = DiagnosticLog()
    spec = mujoco.MjSpec()
    spec.modelname = scene.name
    spec.compiler.boundmass = 0.0
    spec.compiler.boundinertia = 0.0
    spec.compiler.balanceinertia = False
    spec.compiler.degree = False
    spec.option.timestep = scene.physics.time_step
    spec.option.gravity = scene.physics.gravity
    report_gaps(scene, log)
    cuts = cut_meshes and not for_export
    mesh_parts = MeshParts.of_scene(scene, progress) if cuts else MeshParts()
    builder = SpecBuilder(spec, log, for_export, FormBuilder(spec), mesh_parts)
    for body in scene.bodies:
        builder.add_body(body)
    if not for_export:
        spec.memory = MEMORY_BASE + MEMORY_PER_GEOM * len(builder.geoms)
    try:
        model = spec.compile()
    except (ValueError, mujoco.FatalError) as error:
        raise CompileError(f"{scene.source}: MuJoCo refuses the model: {error}") from error
    _override_inertia(model, builder.parts)
    _set_options(model)
    axes = _axis_rows(model, builder.parts)
    binding = _bind(model, builder, axes)
    return Compiled(
        scene=scene,
        spec=spec,
        model=model,
        tables=_tables(scene, model, builder, axes, binding),
        binding=binding,
        initial_qvel=_initial_velocity(model, builder.parts),
        diagnostics=tuple(log),
    )


def _set_options(model: mujoco.MjModel) -> None:
    """Make MuJoCo compute what our step needs: sparse rows, one row per friction direction."""
    model.opt.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    model.opt.jacobian = mujoco.mjtJacobian.mjJAC_SPARSE
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_EULER
    disabled = _DISABLED
    if model.nbody and int(model.body_geomnum.max()) <= FEW_GEOMS:
        disabled = (*disabled, "MIDPHASE")
    for name in disabled:
        model.opt.disableflags |= int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{name}"))


def _override_inertia(model: mujoco.MjModel, parts: list[LinkPart]) -> None:
    """Put back inertias that MuJoCo's compiler does not take as they are."""
    changed = False
    for part in parts:
        mass = part.link.mass
        if part.link.motion is Motion.KINEMATIC or mass is None or is_real_inertia(mass):
            continue
        moments, axes = principal_moments(mass)
        quat = np.zeros(4)
        mujoco.mju_mat2Quat(quat, axes.flatten())
        body = part.body.id
        model.body_inertia[body] = np.maximum(moments, LEAST_MOMENT)
        model.body_iquat[body] = quat
        model.body_sameframe[body] = mujoco.mjtSameFrame.mjSAMEFRAME_NONE
        model.body_simple[body] = 0
        changed = True
    if changed:
        mujoco.mj_setConst(model, mujoco.MjData(model))


def _axis_rows(model: mujoco.MjModel, parts: list[LinkPart]) -> list[tuple[JointAxis, AxisBinding]]:
    rows: list[tuple[JointAxis, AxisBinding]] = []
    for part in parts:
        joint = part.link.joint
        if isinstance(joint, JointFree | JointFixed | JointTrack):
            continue
        for number, (axis, element) in enumerate(part.joints):
            dof = int(model.jnt_dofadr[element.id])
            qpos = int(model.jnt_qposadr[element.id])
            rows.append((axis, AxisBinding(joint.name, number, dof, qpos)))
    return rows


def _bind(
    model: mujoco.MjModel, builder: SpecBuilder, axes: list[tuple[JointAxis, AxisBinding]]
) -> Binding:
    parts = builder.parts
    geom_owner = np.full((model.ngeom, 2), -1, dtype=np.intp)
    for (_, geom), owner in zip(builder.geoms, builder.owners, strict=True):
        geom_owner[geom.id] = owner
    body = np.array([part.body.id for part in parts], dtype=np.intp)
    mover = _movers_of(model, parts)
    moves = (model.body_treeid[body] >= 0) | (mover >= 0)
    aliases: dict[str, str] = {}
    for part in parts:
        joint = part.link.joint
        if isinstance(joint, JointFree | JointFixed):
            continue
        aliases.setdefault(part.link.name, joint.name)
        for axis in scalar_axes(joint):
            for device in (axis.motor, axis.sensor, axis.brake):
                if device is not None:
                    aliases.setdefault(device.name, joint.name)
    return Binding(
        link_names=tuple(part.link.name for part in parts),
        link_aliases=tuple((part.link.label, part.link.path) for part in parts),
        body=body,
        offset_position=np.array([part.offset.position for part in parts]).reshape(-1, 3),
        mover=mover,
        moving=np.flatnonzero(moves),
        axes=tuple(row for _, row in axes),
        joint_aliases=aliases,
        geom_owner=geom_owner,
    )


def _tables(
    scene: Scene,
    model: mujoco.MjModel,
    builder: SpecBuilder,
    axes: list[tuple[JointAxis, AxisBinding]],
    binding: Binding,
) -> t.StepTables:
    shapes = [shape for shape, geom in sorted(builder.geoms, key=lambda item: item[1].id)]
    used = {shape.contact_material for shape in shapes} | {DEFAULT_MATERIAL}
    materials = sorted(used)
    movers = _mover_table(model, builder.parts)
    dampers = _damper_table(scene, model, builder.parts)
    world = t.table(t.WORLD, 1)
    world["erp"] = scene.physics.erp
    world["cfm"] = scene.physics.cfm
    world["ode_rotation"] = scene.physics.rotation is RotationRule.ODE
    world["ode_caps"] = scene.physics.caps is CapRule.ODE
    world["materials"] = len(materials)
    world["axes"] = len(axes)
    world["movers"] = len(movers)
    world["dampers"] = len(dampers)
    entries = (scene.contacts.default, *scene.contacts.entries)
    world["follows_sliding"] = any(entry.follows_sliding for entry in entries)
    return t.StepTables(
        world=world,
        surfaces=surface_table(entries, scene.physics.rolling),
        pairs=pair_table(materials, scene.contacts),
        geoms=geom_table(shapes, materials),
        axes=axis_table([(axis, row.dof, row.qpos) for axis, row in axes], scene.physics),
        movers=movers if len(movers) else t.table(t.MOVER, 0),
        dampers=dampers if len(dampers) else t.table(t.DAMPER, 0),
        collision=builder.forms.tables(model),
    )


def _is_mover(model: mujoco.MjModel, part: LinkPart) -> bool:
    return bool(model.body_mocapid[part.body.id] >= 0) and has_velocity(part.link)


def _movers_of(model: mujoco.MjModel, parts: list[LinkPart]) -> NDArray[np.intp]:
    """Return for each link the row of the mover table that carries it rigidly, or -1."""
    by_body: dict[int, int] = {}
    count = 0
    out = np.full(len(parts), -1, dtype=np.intp)
    for k, part in enumerate(parts):
        body = part.body.id
        if _is_mover(model, part):
            by_body[body], count = count, count + 1
        elif model.body_treeid[body] < 0:
            by_body[body] = by_body.get(int(model.body_parentid[body]), -1)
        out[k] = by_body.get(body, -1)
    return out


def _mover_table(model: mujoco.MjModel, parts: list[LinkPart]) -> t.Table:
    """MOVER rows of kinematic links that have a velocity at the start."""
    rows = [
        (
            int(model.body_mocapid[part.body.id]),
            0,
            part.link.linear_velocity,
            part.link.angular_velocity,
        )
        for part in parts
        if _is_mover(model, part)
    ]
    return np.array(rows, dtype=t.MOVER)


def _damper_table(scene: Scene, model: mujoco.MjModel, parts: list[LinkPart]) -> t.Table:
    """DAMPER rows: a share d lost per second is 1 - (1 - d)^h per step."""
    h = scene.physics.time_step
    rows: list[tuple[int, int, float, float]] = []
    for part in parts:
        damping = part.link.damping or scene.physics.damping
        if part.link.motion is Motion.KINEMATIC or not (damping.linear or damping.angular):
            continue
        body = part.body.id
        root = int(model.body_rootid[body])
        alone = isinstance(part.link.joint, JointFree) and (
            int(np.count_nonzero(model.body_rootid == root)) == 1
        )
        free_dof = int(model.body_dofadr[body]) if alone else -1
        rows.append((body, free_dof, 1 - (1 - damping.linear) ** h, 1 - (1 - damping.angular) ** h))
    return np.array(rows, dtype=t.DAMPER)


def _initial_velocity(model: mujoco.MjModel, parts: list[LinkPart]) -> NDArray[np.float64]:
    """Return qvel at the start.

    Free links have their own velocities; an axis has its own or, without one, what the velocities
    of its links amount to.
    """
    qvel = np.zeros(model.nv)
    by_body = {part.body.id: part for part in parts}
    for part in parts:
        link = part.link
        if link.motion is Motion.KINEMATIC:
            continue
        if isinstance(link.joint, JointFree):
            dof = int(model.body_dofadr[part.body.id])
            arm = quat_rotate(part.world.rotation, part.offset.inverse().position)
            spin = cross(link.angular_velocity, arm)
            qvel[dof : dof + 3] = np.add(link.linear_velocity, spin)
            qvel[dof + 3 : dof + 6] = quat_rotate(
                quat_conjugate(part.world.rotation), link.angular_velocity
            )
            continue
        parent = by_body.get(int(model.body_parentid[part.body.id]))
        if isinstance(link.joint, JointBall):
            spin = link.angular_velocity
            if parent is not None and parent.link.motion is Motion.DYNAMIC:
                spin = subtract(spin, parent.link.angular_velocity)
            dof = int(model.body_dofadr[part.body.id])
            qvel[dof : dof + 3] = quat_rotate(quat_conjugate(part.world.rotation), spin)
            continue
        for axis, element in part.joints:
            dof = int(model.jnt_dofadr[element.id])
            qvel[dof] = axis.velocity or _axis_velocity(part, parent, axis, element)
    return qvel


def _axis_velocity(part: LinkPart, parent: LinkPart | None, axis: JointAxis, element: Any) -> float:
    """Speed about or along an axis that world velocities of child and parent amount to."""
    above = parent.world if parent is not None else None
    direction = axis.direction if above is None else above.direction(axis.direction)
    linear = part.link.linear_velocity
    angular = part.link.angular_velocity
    if parent is not None and parent.link.motion is Motion.DYNAMIC:
        arm = subtract(part.world.position, parent.world.position)
        carried = cross(parent.link.angular_velocity, arm)
        linear = subtract(subtract(linear, parent.link.linear_velocity), carried)
        angular = subtract(angular, parent.link.angular_velocity)
    is_slider = element.type == mujoco.mjtJoint.mjJNT_SLIDE
    return dot(linear if is_slider else angular, direction)
