"""Compiles a scene to a `Compiled`: the MuJoCo model, its tables and the start state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from solidbody.base.diagnostics import Diagnostic, DiagnosticLog
from solidbody.base.errors import CompileError
from solidbody.base.progress import Progress
from solidbody.base.transforms import Pose, cross, dot, quat_conjugate, quat_rotate, subtract
from solidbody.compiler.axes import AxisList, axis_table, list_axes
from solidbody.compiler.binding import Binding
from solidbody.compiler.bodies import (
    LEAST_MOMENT,
    LinkPart,
    Room,
    SpecBuilder,
    has_velocity,
    is_real_inertia,
    principal_moments,
)
from solidbody.compiler.collision_filters import can_touch, stop_looking
from solidbody.compiler.convex_decomposition import ConvexParts
from solidbody.compiler.geoms import FormBuilder, FormCache
from solidbody.compiler.immersions import immersion_table
from solidbody.compiler.lazy_convex_decomposition import LazyConvexParts
from solidbody.compiler.mechanisms import (
    ball_table,
    coupled_rows,
    is_kinematic_joint,
    kinematic_table,
    loop_table,
    propeller_table,
    track_table,
)
from solidbody.compiler.sleep_policy import let_sleep, tree_table
from solidbody.compiler.start import spare_loops, start_state
from solidbody.compiler.surfaces import contact_tables, geom_table
from solidbody.compiler.touch_probe_geoms import add_touch_probes
from solidbody.contact import layout
from solidbody.contact import tables as t
from solidbody.contact.state import StepState
from solidbody.contact.tables import CollisionTables
from solidbody.model.contacts import DEFAULT_MATERIAL
from solidbody.model.joints import JointAxis, JointBall, JointFixed, JointFree
from solidbody.model.links import Link, Motion
from solidbody.model.scene import (
    CapRule,
    CoriolisRule,
    GyroRule,
    IntegrationRule,
    MoveRule,
    OriginRule,
    Physics,
    RotationRule,
    Scene,
    SpringRule,
    world_poses,
)

MEMORY_BASE = 32 << 20
MEMORY_PER_GEOM = 256 << 10
MEMORY_PER_LINK = 4 << 10
MEMORY_PER_PAIR = 4
MEMORY_PER_COLUMN = 480
"""[bytes] Room that MuJoCo gets, which is only reserved, not touched: for 30 contacts per geom; for a few
vectors; for the list of all pairs of links that its search for near ones begins with; for rows of contacts
below long chains, each as wide as the chain (30 rows per geom and link of the chain)."""

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
    "FILTERPARENT",
)
"""Parts of MuJoCo's own constraint model that our rows replace, and its filter of neighbours: pairs that
ignore each other are named, and a link that hangs on a body may touch another that is fixed to it."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """Constants of a simulation: MuJoCo's model, our tables, the state at the start, and names to indices.

    Nothing in it changes, so that any number of simulations share it. Arrays of ours refuse to be written;
    whoever wants another value makes another one (`dataclasses.replace`) of which a simulation goes on
    (`Sim.adopt`).

    Attributes:
        spec: The MjSpec, for conversion to MJCF; None if this came out of a pickle.
        model: The MjModel; its option flags are set for our step.
        tables: What the step reads beside it.
        start: What the step changes beside MjData, at the start.
        binding: Where links and joints are.
        axes: What the file says about each named axis, in the order of the axis table.
        materials: Contact materials, in the order of the table of pairs.
        initial_qvel: Velocities at the start.
        rooms: Still meshes whose form depends on where moving links start.
        diagnostics: What could not be carried over.
    """

    scene: Scene
    spec: Any
    model: mujoco.MjModel
    tables: t.StepTables
    start: StepState
    binding: Binding
    axes: tuple[JointAxis, ...]
    materials: tuple[str, ...]
    initial_qvel: NDArray[np.float64]
    rooms: tuple[Room, ...]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def problems(self) -> tuple[Diagnostic, ...]:
        """What was found wrong while it ran: meshes that met and could not be cut into parts."""
        parts = self.tables.collision.parts
        return () if parts is None else tuple(parts.problems)

    def __post_init__(self) -> None:
        self.initial_qvel.setflags(write=False)
        t.make_constant(self.binding)
        # they have made themselves constant, but not where they come out of a pickle
        t.make_constant(self.tables)
        t.make_constant(self.tables.collision)
        self.start.make_constant()

    def __reduce__(self) -> tuple[type[Compiled], tuple[Any, ...]]:
        """Pickle everything but the MjSpec, which cannot be and which no simulation needs."""
        values = {item.name: getattr(self, item.name) for item in fields(self)} | {"spec": None}
        return Compiled, tuple(values.values())


def compile_scene(
    scene: Scene,
    *,
    for_export: bool = False,
    cut_meshes: bool = True,
    progress: Progress | None = None,
    forms: FormCache | None = None,
) -> Compiled:
    """Compile `scene`.

    Args:
        scene: What to compile.
        for_export: To be written as MJCF, not to be simulated.
        cut_meshes: Cut hollow meshes into convex parts when they meet each other, which
            takes seconds for each the first time; False takes their hulls, for those who only want to
            know what is wrong.
        progress: Told how far that is, now and while the scene is simulated.
        forms: Has what was worked out of forms when a scene like this one was compiled.
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
    cuts = cut_meshes and not for_export
    mesh_parts = ConvexParts.of_scene(scene, progress) if cuts else ConvexParts()
    places = [
        pose.position
        for body in scene.bodies
        for link, pose in zip(body.links, world_poses(body), strict=True)
        if link.motion is Motion.DYNAMIC
    ]
    forms = forms or FormCache()
    forms.begin(mesh_parts.surfaces)
    builder = SpecBuilder(
        spec,
        log,
        for_export,
        FormBuilder(spec, scene.physics.ridges, cache=forms),
        mesh_parts,
        places,
        centred=scene.physics.origins is OriginRule.CENTER,
    )
    for body in scene.bodies:
        builder.add_body(body)
    builder.keep_apart(scene.bodies)
    if not for_export:
        add_touch_probes(builder)
        spec.memory = _memory(scene, builder, len(spec.bodies))
    forms.end()
    try:
        if for_export:
            from solidbody.compiler.mjcf_export.completing import complete_spec

            complete_spec(builder, scene, log, velocity_at_start)
        model = spec.compile()
        _override_inertia(model, builder.parts)
    except (ValueError, mujoco.FatalError) as error:
        text = " ".join(str(error).split())
        room = "" if for_export else f" (with {spec.memory >> 20} MiB for contacts and rows)"
        raise CompileError(f"{scene.source}: MuJoCo refuses the model{room}: {text}") from error
    _set_options(model, scene.physics)
    if scene.physics.sleeping is not None:
        let_sleep(model)
    if not builder.forms.terrains and not can_touch(model):
        stop_looking(model)
    axes = list_axes(scene, model, builder.parts)
    binding = _bind(model, scene, builder, axes)
    used = {shape.contact_material for shape, _ in builder.geoms} | {DEFAULT_MATERIAL}
    materials = tuple(sorted(used))
    tables = _tables(scene, model, builder, axes, materials, progress)
    return Compiled(
        scene=scene,
        spec=spec,
        model=model,
        tables=tables,
        start=start_state(scene, model, builder.parts, axes, tables),
        binding=binding,
        axes=tuple(axis for axis, _ in axes.rows[: axes.named]),
        materials=materials,
        initial_qvel=velocity_at_start(model, builder.parts),
        rooms=tuple(builder.rooms),
        diagnostics=tuple(log),
    )


def _memory(scene: Scene, builder: SpecBuilder, bodies: int) -> int:
    """Return how much room a step may need [bytes]."""
    depth: list[int] = []
    for parent in _parents(scene).tolist():
        depth.append(6 if parent < 0 else depth[parent] + 1)
    columns = sum(depth[link] for link, _ in builder.owners if link >= 0)
    return (
        MEMORY_BASE
        + MEMORY_PER_GEOM * len(builder.geoms)
        + MEMORY_PER_LINK * bodies
        + MEMORY_PER_PAIR * (bodies * (bodies - 1) // 2)
        + MEMORY_PER_COLUMN * columns
    )


def _set_options(model: mujoco.MjModel, physics: Physics) -> None:
    """Make MuJoCo compute what our step needs: sparse rows, one row per friction direction."""
    model.opt.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    model.opt.jacobian = mujoco.mjtJacobian.mjJAC_SPARSE
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_EULER
    explicit = physics.springs is SpringRule.EXPLICIT
    disabled = tuple(name for name in _DISABLED if name != "SPRING" or not explicit)
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


def _bind(model: mujoco.MjModel, scene: Scene, builder: SpecBuilder, axes: AxisList) -> Binding:
    parts = builder.parts
    geom_owner = np.full((model.ngeom, 2), -1, dtype=np.intp)
    for (_, geom), owner in zip(builder.geoms, builder.owners, strict=True):
        geom_owner[geom.id] = owner
    body = np.array([part.body.id for part in parts], dtype=np.intp)
    parent = _parents(scene)
    moves = model.body_treeid[body] >= 0
    for k, part in enumerate(parts):
        carried = parent[k] >= 0 and part.rides and moves[parent[k]]
        moves[k] |= carried or has_velocity(part.link) or is_kinematic_joint(part)
    named = axes.rows[: axes.named]
    return Binding(
        link_names=tuple(part.link.name for part in parts),
        link_aliases=tuple((part.link.label, part.link.path) for part in parts),
        parent=parent,
        body=body,
        offset_position=np.array([part.offset.position for part in parts]).reshape(-1, 3),
        moving=np.flatnonzero(moves),
        axes=tuple(binding for _, binding in named),
        joint_aliases=_joint_aliases(scene, axes, parts),
        coupled=tuple(map(tuple, coupled_rows(scene.bodies, axes, parts))),
        geom_owner=geom_owner,
        axis_of_link=axes.of_link,
        axis_of_propeller=axes.of_propeller,
    )


def _joint_aliases(scene: Scene, axes: AxisList, parts: Sequence[LinkPart]) -> dict[str, int]:
    """Return rows of axes by every name they go by; the first that has a name keeps it.

    Names of joints, then of motors, sensors and brakes, of links, and `robot/motor` or `body/motor`, which
    tell robots of one kind apart.
    """
    named = axes.rows[: axes.named]
    out: dict[str, int] = {}
    for row, (_, binding) in enumerate(named):
        out.setdefault(binding.joint, row)
    for row, (axis, _) in enumerate(named):
        for name in _device_names(axis):
            out.setdefault(name, row)
    for k, (part, owners) in enumerate(zip(parts, _owners(scene), strict=True)):
        if isinstance(part.link.joint, JointFree | JointFixed) or axes.of_link[k] >= axes.named:
            continue
        out.setdefault(part.link.name, axes.of_link[k])
        for row in range(axes.of_link[k], axes.named):
            axis, binding = named[row]
            if binding.joint != part.link.joint.name:
                break
            for owner in owners:
                for name in _device_names(axis):
                    out.setdefault(f"{owner}/{name}", row)
    return out


def _device_names(axis: JointAxis) -> list[str]:
    return [item.name for item in (axis.motor, axis.sensor, axis.brake) if item is not None]


def _owners(scene: Scene) -> list[tuple[str, ...]]:
    """Return for each link the names of its robot and of its body."""
    return [
        (body.name,) if robot is None else (body.robots[robot].name, body.name)
        for body in scene.bodies
        for robot in body.robot_of_links()
    ]


def _parents(scene: Scene) -> NDArray[np.intp]:
    """Return the index of each link's parent among all links, -1 for roots."""
    out: list[int] = []
    for body in scene.bodies:
        start = len(out)
        out += [-1 if link.parent is None else start + link.parent for link in body.links]
    return np.array(out, dtype=np.intp)


def _tables(
    scene: Scene,
    model: mujoco.MjModel,
    builder: SpecBuilder,
    axes: AxisList,
    materials: tuple[str, ...],
    progress: Progress | None,
) -> t.StepTables:
    shapes = [shape for shape, geom in sorted(builder.geoms, key=lambda item: item[1].id)]
    contacts = contact_tables(scene, materials)
    physics, parts = scene.physics, builder.parts
    immersions, triangles = immersion_table(scene, parts)
    rows = {
        "dampers": _damper_table(scene, model, parts),
        "balls": ball_table(scene, parts, axes),
        "loops": loop_table(scene, parts, axes),
        "tracks": track_table(model, parts, axes),
        "kinematics": kinematic_table(parts, axes),
        "propellers": propeller_table(parts, axes),
        "immersions": immersions,
    }
    world = t.table(layout.WORLD, 1)
    world["erp"] = physics.erp
    world["cfm"] = physics.cfm
    world["ode_rotation"] = physics.rotation is RotationRule.ODE
    world["ode_caps"] = physics.caps is CapRule.ODE
    world["implicit_gyro"] = physics.gyro is GyroRule.IMPLICIT
    world["moves_late"] = physics.moving is MoveRule.AFTER_CONTACTS
    world["runge_kutta"] = physics.integration is IntegrationRule.RUNGE_KUTTA
    world["middle_coriolis"] = physics.coriolis is CoriolisRule.MIDDLE
    if physics.sleeping is not None:
        world["sleep_time"] = physics.sleeping.time
        world["sleep_linear"] = physics.sleeping.linear_speed
        world["sleep_angular"] = physics.sleeping.angular_speed
    world["materials"] = len(materials)
    world["axes"] = len(axes.rows)
    for name, table in rows.items():
        world[name] = len(table)
    world["grips"] = spare_loops(scene)
    world["loops"] += world["grips"]
    world["follows_sliding"] = contacts.follows_sliding
    return t.StepTables(
        world=world,
        surfaces=contacts.surfaces,
        pairs=contacts.pairs,
        geoms=geom_table(shapes, materials),
        axes=axis_table(axes, physics),
        triangles=triangles,
        trees=tree_table(scene, model, parts),
        **{name: table for name, table in rows.items() if len(table)},
        collision=_collision(model, builder.forms, progress),
    )


def _collision(
    model: mujoco.MjModel, forms: FormBuilder, progress: Progress | None
) -> CollisionTables:
    """Return the tables of our colliders, with who cuts meshes for them."""
    tables = forms.tables(model)
    if not len(tables.hollow):
        return tables
    return replace(tables, parts=LazyConvexParts(forms.solids, progress))


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
    return np.array(rows, dtype=layout.DAMPER)


def velocity_at_start(model: mujoco.MjModel, parts: list[LinkPart]) -> NDArray[np.float64]:
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
            qvel[dof : dof + 6] = free_velocity(link, part.world, part.offset)
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


def free_velocity(link: Link, world: Pose, offset: Pose) -> NDArray[np.float64]:
    """Return the six velocities at the start of a free link that stands at `world`."""
    arm = quat_rotate(world.rotation, offset.inverse().position)
    linear = np.add(link.linear_velocity, cross(link.angular_velocity, arm))
    back = quat_conjugate(world.rotation)
    return np.concatenate([linear, quat_rotate(back, link.angular_velocity)])


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
