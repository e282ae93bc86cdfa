"""Tables of a compiled model as the kernels read them: what moves, level by level; the rest as places."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import mujoco
import numpy as np
from numpy.typing import NDArray

from solidbody.compiler import Compiled
from solidbody.contact.layout import AxisKind
from solidbody.gpu.driven_tables import (
    driven_bodies,
    driven_counts,
    driven_tables,
    riding_bodies,
)
from solidbody.gpu.ground_tables import (
    Frames,
    excluded,
    frames_of,
    ground_pairs,
    hull_of,
    plane_pairs,
    raw_tables,
    solid_room,
)
from solidbody.gpu.never_meeting import can_meet

Ints = NDArray[np.intp]

FORMS: Final = {
    mujoco.mjtGeom.mjGEOM_PLANE: 0,
    mujoco.mjtGeom.mjGEOM_HFIELD: 1,
    mujoco.mjtGeom.mjGEOM_SPHERE: 2,
    mujoco.mjtGeom.mjGEOM_CAPSULE: 3,
    mujoco.mjtGeom.mjGEOM_CYLINDER: 4,
    mujoco.mjtGeom.mjGEOM_BOX: 5,
    mujoco.mjtGeom.mjGEOM_MESH: 6,
}
"""SB_FORM_* of sb_law.h."""

_OF_ONE_DOF: Final = (int(mujoco.mjtJoint.mjJNT_SLIDE), int(mujoco.mjtJoint.mjJNT_HINGE))

ROUND: Final = 1e-6
"""See SB_ROUND in sb_coriolis.c."""

NEAR_PAIRS: Final = 256
"""Most pairs whose bounding spheres meet; further ones are counted as lost."""

LEAST_CONTACTS: Final = 8
MOST_CONTACTS: Final = 64
POINTS: Final = {0: 0, 1: 0, 2: 1, 3: 2, 4: 10, 5: 4, 6: 10, 7: 0}
"""Contact points that a geom of each form has at rest, for the room that worlds get if nothing is said."""


@dataclass(frozen=True)
class ModelTables:
    """Counts, numbers and tables of a model.

    Attributes:
        counts: By the names of `layout.COUNTS`.
        reals: By the names of `layout.REALS`.
        tables: By the names of the tables.
        body: MuJoCo body of each body of the kernels.
        geom: MuJoCo geom of each geom of the kernels; frames of terrains follow those.
        row_of_body: Row of each MuJoCo body, -1 for those that stand still.
        rides: Whether each body of the kernels is on a link that moves without physics, or is one.
        pair_forms: Bit 8 a + b is set if there are pairs of the forms a and b.
    """

    counts: Mapping[str, int]
    reals: Mapping[str, float]
    tables: Mapping[str, NDArray[Any]]
    body: Ints
    geom: Ints
    row_of_body: Ints
    rides: NDArray[np.bool_]
    pair_forms: int


def _levels(m: mujoco.MjModel, driven: NDArray[np.bool_]) -> tuple[Ints, list[int]]:
    """Return moving bodies ordered by depth, and where each level begins."""
    depth = np.full(m.nbody, -1)
    for body in range(1, m.nbody):
        if m.body_treeid[body] >= 0 or driven[body]:
            depth[body] = depth[m.body_parentid[body]] + 1
    place: dict[int, int] = {}
    out: list[int] = []
    starts = [0]
    for level in range(int(depth.max(initial=-1)) + 1):
        bodies = np.flatnonzero(depth == level).tolist()
        # children of one parent follow each other, in the order of their parents
        bodies.sort(key=lambda body: (place.get(int(m.body_parentid[body]), -1), body))
        for body in bodies:
            place[body] = len(out)
            out.append(body)
        starts.append(len(out))
    return np.array(out, dtype=np.intp), starts


def _is_wheel(m: mujoco.MjModel, joint: int) -> bool:
    """See is_wheel of sb_coriolis.c."""
    body = int(m.jnt_bodyid[joint])
    if (
        m.jnt_type[joint] != mujoco.mjtJoint.mjJNT_HINGE
        or m.body_jntnum[body] != 1
        or m.body_subtreemass[body] != m.body_mass[body]
    ):
        return False
    axis, moment = m.jnt_axis[joint], m.body_inertia[body]
    if np.linalg.norm(np.cross(m.body_ipos[body] - m.jnt_pos[joint], axis)) > ROUND:
        return False
    back, a = np.zeros(4), np.zeros(3)
    mujoco.mju_negQuat(back, m.body_iquat[body])
    mujoco.mju_rotVecQuat(a, axis, back)
    k, total = float(moment @ (a * a)), float(moment.sum())
    q = 0.5 * (total - k)
    wanted = (k - q) * np.outer(a, a) + q * np.eye(3)
    return bool((np.abs(np.diag(moment) - wanted) <= ROUND * total).all())


def _springs(m: mujoco.MjModel, joints: list[int]) -> NDArray[np.float64]:
    """Return stiffness and rest of MuJoCo's own springs, which pull where the step begins."""
    out = np.zeros((len(joints), 2))
    if m.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_SPRING):
        return out
    for k, joint in enumerate(joints):
        if int(m.jnt_type[joint]) in _OF_ONE_DOF:
            stiffness = np.ravel(m.jnt_stiffness[joint])[0]
            out[k] = stiffness, m.qpos_spring[m.jnt_qposadr[joint]]
    return out


def collidable_pairs(compiled: Compiled) -> Ints:
    """Return (pairs, 2) geoms that MuJoCo's filters and their joints let touch, the smaller form first."""
    m = compiled.model
    n = m.ngeom
    if n < 2 or m.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_CONTACT):
        return np.zeros((0, 2), dtype=np.intp)
    one, two = np.triu_indices(n, 1)
    kind, wants, body = m.geom_contype, m.geom_conaffinity, m.geom_bodyid
    pairs = ((kind[one] & wants[two]) | (kind[two] & wants[one])) != 0
    pairs &= ~excluded(m, body[one], body[two])
    # planes meet the vertices of meshes: `ground_tables.plane_pairs`
    is_plane = m.geom_type == int(mujoco.mjtGeom.mjGEOM_PLANE)
    has_hull = hull_of(compiled.tables.collision, n) >= 0
    pairs &= ~((is_plane[one] & has_hull[two]) | (is_plane[two] & has_hull[one]))
    found = np.stack([one[pairs], two[pairs]], axis=1)
    found = found[can_meet(m, found, driven_bodies(compiled))]
    turned = m.geom_type[found[:, 0]] > m.geom_type[found[:, 1]]
    found[turned] = found[turned][:, ::-1]
    return found


def _loop_tables(compiled: Compiled, row_of: Ints, start: Mapping[str, Any]) -> dict[str, Any]:
    loops = compiled.tables.scene_loops
    ints, reals = [], []
    m, d = compiled.model, start["data"]
    for k, loop in enumerate(loops):
        body = [int(row_of[b]) for b in loop["body"]]
        pos, quat = loop["pos"].copy(), loop["quat"].copy()
        for e in range(2):
            if body[e] < 0:  # an end that stands still is a place in the world
                b = int(loop["body"][e])
                turned, at = np.zeros(4), np.zeros(3)
                mujoco.mju_mulQuat(turned, d.xquat[b], quat[e])
                mujoco.mju_rotVecQuat(at, pos[e], d.xquat[b])
                pos[e], quat[e] = at + d.xpos[b], turned
        ints.append([int(loop["kind"]), *body, int(loop["axis"]), start["loop_row"][k]])
        reals.append([*pos.ravel(), *quat.ravel(), *loop["start"], *loop["second"], loop["turned"]])
    del m
    return {"LOOP_INT": np.array(ints or [[0] * 5]), "LOOP": np.array(reals or [[0.0] * 20])}


def model_tables(compiled: Compiled, *, contacts: int | None = None) -> ModelTables:
    """Return the tables of a model that `coverage.refusals` has let pass.

    Args:
        compiled: The model.
        contacts: Room for contact points in each world; None = by the number and forms of its geoms.
    """
    m, t = compiled.model, compiled.tables
    d = mujoco.MjData(m)
    mujoco.mj_kinematics(m, d)
    driven = driven_bodies(compiled)
    bodies, starts = _levels(m, driven)
    nb, nv = len(bodies), int(m.nv)
    row_of = np.full(m.nbody, -1, dtype=np.intp)
    row_of[bodies] = np.arange(nb)
    parent = row_of[m.body_parentid[bodies]] if nb else np.zeros(0, dtype=np.intp)
    pos, quat = m.body_pos[bodies].copy(), m.body_quat[bodies].copy()
    for k in np.flatnonzero(parent < 0).tolist():
        # what hangs on something still is placed in the world
        above = int(m.body_parentid[bodies[k]])
        place, turned = np.zeros(3), np.zeros(4)
        mujoco.mju_rotVecQuat(place, pos[k], d.xquat[above])
        mujoco.mju_mulQuat(turned, d.xquat[above], quat[k])
        pos[k], quat[k] = place + d.xpos[above], turned
    joints = [
        j
        for body in bodies.tolist()
        for j in range(m.body_jntadr[body], m.body_jntadr[body] + m.body_jntnum[body])
    ]
    springs = _springs(m, joints)
    first_joint = np.cumsum([0, *m.body_jntnum[bodies].tolist()])[:-1]
    child = np.searchsorted(parent, np.arange(nb)) if nb else np.zeros(0)
    # within a level parents ascend; levels follow each other
    children = np.bincount(parent[parent >= 0], minlength=nb) if nb else np.zeros(0)
    child = np.array([int(np.flatnonzero(parent == k)[0]) if children[k] else 0 for k in range(nb)])
    dof_body = row_of[m.dof_bodyid] if nv else np.zeros(0, dtype=np.intp)
    words = max(1, -(-nv // 32))
    mask = np.zeros((max(nb, 1), words), dtype=np.uint32)
    for k in range(nb):
        if parent[k] >= 0:
            mask[k] |= mask[parent[k]]
        body = bodies[k]
        for i in range(m.body_dofadr[body], m.body_dofadr[body] + m.body_dofnum[body]):
            mask[k, i // 32] |= np.uint32(1 << (i % 32))
    turns = np.zeros(nv, dtype=np.intp)
    for i in range(nv):
        j = int(m.dof_jntid[i])
        kind = m.jnt_type[j]
        if kind == mujoco.mjtJoint.mjJNT_FREE:
            turns[i] = int(i - m.jnt_dofadr[j] > 2)
        elif kind != mujoco.mjtJoint.mjJNT_SLIDE:
            turns[i] = 2 if _is_wheel(m, j) else 1

    pairs = collidable_pairs(compiled)
    ground, planes, collision = ground_pairs(compiled), plane_pairs(compiled), t.collision
    frames = frames_of(collision, ground, planes)
    used = np.unique(np.concatenate([pairs.ravel(), ground[:, 1], planes[:, 1], frames.geom]))
    geom_pairs = np.searchsorted(used, pairs)
    geom_tables = _geom_tables(compiled, used, frames, row_of, d)
    axis_tables, fixed, loop_rows = _axis_tables(compiled, row_of)
    dynamic = geom_tables["GEOM_TREE"] >= 0
    if contacts is None:
        room = sum(
            POINTS[int(f)] for f in geom_tables["GEOM_FORM"][: len(used)][dynamic[: len(used)]]
        )
        contacts = min(MOST_CONTACTS, max(LEAST_CONTACTS, room))
    dims = _rows_per_contact(compiled, used)
    table = t.surfaces[: surface_count(compiled)]
    chosen = _chosen(compiled, pairs)
    world = t.world[0]
    trees = [np.flatnonzero(m.body_treeid[bodies] == tree) for tree in range(m.ntree)]
    root_joint = [int(m.dof_jntid[a]) for a in m.tree_dofadr]
    tracks = t.tracks[: int(world["tracks"])]
    dampers = t.dampers[: int(world["dampers"])]
    balls = t.balls[: int(world["balls"])]
    free = mujoco.mjtJoint.mjJNT_FREE
    tables: dict[str, Any] = {
        "BODY_POS": pos,
        "BODY_QUAT": quat,
        "BODY_IPOS": m.body_ipos[bodies],
        "BODY_IQUAT": m.body_iquat[bodies],
        "BODY_MASS": m.body_mass[bodies],
        "BODY_INERTIA": m.body_inertia[bodies],
        "BODY_PARENT": parent,
        "BODY_JOINT": first_joint,
        "BODY_JOINTS": m.body_jntnum[bodies],
        "BODY_TREE": m.body_treeid[bodies],
        "BODY_CHILD": child,
        "BODY_CHILDREN": children,
        "BODY_MASK": mask,
        "LEVEL": starts,
        "JOINT_TYPE": m.jnt_type[joints],
        "JOINT_BODY": row_of[m.jnt_bodyid[joints]],
        "JOINT_QPOS": m.jnt_qposadr[joints],
        "JOINT_DOF": m.jnt_dofadr[joints],
        "JOINT_POS": m.jnt_pos[joints],
        "JOINT_AXIS": m.jnt_axis[joints],
        "JOINT_REST": m.qpos0[m.jnt_qposadr[joints]],
        "ARMATURE": m.dof_armature,
        "GRAVITY": m.opt.gravity,
        "DOF_BODY": dof_body,
        "DOF_PARENT": m.dof_parentid,
        "DOF_TREE": m.dof_treeid,
        "DOF_TURNS": turns,
        "TREE_BODY": np.cumsum([0, *map(len, trees)]),
        "TREE_BODIES": np.concatenate(trees) if trees else [0],
        "TREE_DOF": [*m.tree_dofadr.tolist(), nv],
        "TREE_QPOS": m.jnt_qposadr[root_joint] if root_joint else [0],
        "TREE_SINGLE": (m.tree_bodynum == 1) & (m.tree_dofnum == 6),
        "TREE_FLOATS": (m.tree_bodynum > 1) & (m.jnt_type[root_joint] == free)
        if root_joint
        else [0],
        "TREE_AWAKE": t.trees["stays_awake"],
        "JOINT_SPRING": springs,
        "PAIR_GEOMS": geom_pairs,
        "PAIR_SURFACE": np.stack([chosen["surface"], chosen["first"]], axis=1),
        "SURFACE": surface_reals(table),
        "SURFACE_INT": np.stack(
            [table[n] for n in ("friction_count", "slip_count", "max_contacts", "second_zero")]
        ),
        "TRACK_FORWARD": tracks["forward"],
        "TRACK_UP": tracks["up"],
        "TRACK_MASS": tracks["mass"],
        "TRACK_AXIS": tracks["axis"],
        "TRACK_AROUND": tracks["around"],
        "BALL_INT": np.stack([balls["axis"], balls["loop"]], axis=1),
        "BALL": np.concatenate(
            [balls["first"], balls["second"], balls["third"], balls["start"]], axis=1
        ),
        "DAMPER_INT": np.stack([row_of[dampers["body"]], dampers["free_dof"]], axis=1),
        "DAMPER": np.stack([dampers["linear"], dampers["angular"]], axis=1),
        "GROUND_PAIR": _ground_table(compiled, ground, planes, frames, used),
        **geom_tables,
        **raw_tables(collision),
        **driven_tables(compiled, bodies, row_of, d),
        **axis_tables,
        **_loop_tables(compiled, row_of, {"data": d, "loop_row": loop_rows}),
    }
    counts = {
        "NV": nv,
        "NVS": nv | 1,
        "NQ": int(m.nq),
        "BODIES": nb,
        "JOINTS": len(joints),
        "GEOMS": len(used) + len(frames.geom),
        "TREES": int(m.ntree),
        "LEVELS": len(starts) - 1,
        "PAIRS": len(pairs),
        "SURFACES": len(table),
        "AXES": int(world["axes"]),
        "TRACKS": len(tracks),
        "LOOPS": len(t.scene_loops),
        "BALLS": len(balls),
        "DAMPERS": len(dampers),
        "FIXED": fixed,
        "MAX_CONTACTS": contacts,
        "MAX_DENSE": fixed + contacts * dims,
        "NEAR": min(NEAR_PAIRS, max(len(pairs), 1)),
        "WORDS": words,
        **driven_counts(compiled),
        "GROUND_PAIRS": len(ground) + len(planes),
        "GROUND_NEAR": min(NEAR_PAIRS, len(ground) + len(planes)),
        "SOLID": solid_room(collision, hull_of(collision, m.ngeom)[ground[:, 1]])
        if len(ground)
        else 0,
        "ODE_CAPS": int(world["ode_caps"]),
        "ODE_ROTATION": int(world["ode_rotation"]),
        "MIDDLE_CORIOLIS": int(world["middle_coriolis"]),
        "SLEEPS": int(world["sleep_time"] > 0),
        "SPRINGS": int(springs[:, 0].any()),
        "SINGLES": int(np.count_nonzero((m.tree_bodynum == 1) & (m.tree_dofnum == 6))),
    }
    reals = {
        "H": float(m.opt.timestep),
        "WORLD_ERP": float(world["erp"]),
        "WORLD_CFM": float(world["cfm"]),
        "SLEEP_TIME": float(world["sleep_time"]),
        "SLEEP_LINEAR": float(world["sleep_linear"]),
        "SLEEP_ANGULAR": float(world["sleep_angular"]),
    }
    forms = np.unique(geom_tables["GEOM_FORM"][geom_pairs], axis=0).tolist() if len(pairs) else []
    pair_forms = sum(1 << (8 * int(a) + int(b)) for a, b in forms)
    rides = riding_bodies(compiled)[bodies]
    return ModelTables(counts, reals, tables, bodies, used, row_of, rides, pair_forms)


def _chosen(compiled: Compiled, pairs: Ints) -> Any:
    """Return the PAIR rows of (pairs, 2) geoms."""
    t = compiled.tables
    materials = t.geoms["material"][pairs] if len(pairs) else np.zeros((0, 2), dtype=np.intp)
    return t.pairs[materials[:, 0] * int(t.world["materials"][0]) + materials[:, 1]]


def _ground_table(
    compiled: Compiled, ground: Ints, planes: Ints, frames: Frames, used: Ints
) -> NDArray[Any]:
    """Return (pairs, columns), see GP_* of `native/sb_ground.h`."""
    tables = compiled.tables.collision
    geoms = np.stack([tables.terrains["geom"][ground[:, 0]].astype(np.intp), ground[:, 1]], axis=1)
    chosen = _chosen(compiled, geoms)
    columns = (
        ground[:, 0],
        len(used) + frames.row[ground[:, 0]],
        *np.searchsorted(used, geoms).T,
        *(chosen["surface"], chosen["first"]),
        hull_of(tables, compiled.model.ngeom)[ground[:, 1]],
    )
    mesh = planes[:, 0]
    others = np.stack([planes[:, 1], tables.meshes["geom"][mesh].astype(np.intp)], axis=1)
    chosen = _chosen(compiled, others)
    of_planes = (
        np.full(len(planes), -1),
        len(used) + frames.mesh_row[mesh],
        *np.searchsorted(used, others).T,
        *(chosen["surface"], chosen["first"], mesh),
    )
    return np.concatenate([np.stack(columns, axis=1), np.stack(of_planes, axis=1)])


def surface_count(compiled: Compiled) -> int:
    """Return how many surfaces pairs of materials have."""
    return int(compiled.tables.pairs["surface"].max(initial=0)) + 1


def surface_reals(table: Any) -> NDArray[np.float64]:
    """Return (..., numbers, surfaces) of SURFACE rows, in the order of SR_* of `native/sb_fields.h`."""
    rows: list[Any] = []
    for name in ("friction", "slip", "rotation", "rolling"):
        rows += [table[name][..., k] for k in range(table[name].shape[-1])]
    for name in ("bounce", "bounce_velocity", "erp", "cfm", "rest_depth", "depth_scale"):
        rows.append(table[name])
    return np.stack([*rows, table["min_depth"], table["max_depth"]], axis=-2)


AXIS_FIELDS: Final = (
    *("static_friction", "spring", "damping", "stop_low", "stop_high", "stop_erp", "stop_cfm"),
    *("stop_bounce", "spring_rest", "servo_stiffness", "servo_damping", "range_low", "range_high"),
)
"""Numbers of an axis, in the order of AX_* of `native/sb_fields.h`."""


def axis_reals(axes: Any) -> NDArray[np.float64]:
    """Return (..., axes, numbers) of AXIS rows."""
    return np.stack([axes[name] for name in AXIS_FIELDS], axis=-1)


def rows_needed(surfaces: Any) -> int:
    """Return the most rows that a contact of SURFACE rows can have."""
    if (surfaces["rolling"] > 0).any():
        return 6
    return 3 if (surfaces["friction"] > 0).any() else 1


def _rows_per_contact(compiled: Compiled, used: Ints) -> int:
    """Return the most rows that a contact can have."""
    return rows_needed(compiled.tables.surfaces[: surface_count(compiled)])


def _geom_tables(
    compiled: Compiled, used: Ints, frames: Frames, row_of: Ints, d: mujoco.MjData
) -> dict[str, NDArray[Any]]:
    m = compiled.model
    pos = np.concatenate([m.geom_pos[used], frames.pos])
    quat = np.concatenate([m.geom_quat[used], frames.quat])
    used = np.concatenate([used, frames.geom])
    geoms, body = compiled.tables.geoms[used], row_of[m.geom_bodyid[used]]
    for k in np.flatnonzero(body < 0).tolist():
        b = int(m.geom_bodyid[used[k]])
        place, turned = np.zeros(3), np.zeros(4)
        mujoco.mju_rotVecQuat(place, pos[k], d.xquat[b])
        mujoco.mju_mulQuat(turned, d.xquat[b], quat[k])
        pos[k], quat[k] = place + d.xpos[b], turned
    track_of = {
        int(track["body"]): k
        for k, track in enumerate(compiled.tables.tracks[: int(compiled.tables.world["tracks"][0])])
    }
    return {
        "GEOM_BODY": body,
        "GEOM_TREE": m.body_treeid[m.geom_bodyid[used]],
        "GEOM_POS": pos,
        "GEOM_QUAT": quat,
        "GEOM_SIZE": m.geom_size[used],
        "GEOM_MARGIN": m.geom_margin[used],
        "GEOM_REACH": m.geom_rbound[used],
        "GEOM_FORM": np.array([FORMS.get(mujoco.mjtGeom(int(k)), 7) for k in m.geom_type[used]]),
        "GEOM_CAP": geoms["cap"],
        "GEOM_ON_CAP": geoms["on_cap"],
        "GEOM_ON_SIDE": geoms["on_side"],
        "GEOM_TRACK": np.array([track_of.get(int(b), -1) for b in m.geom_bodyid[used]]),
    }


def _axis_tables(
    compiled: Compiled, row_of: Ints
) -> tuple[dict[str, NDArray[Any]], int, list[int]]:
    """Return tables, the number of dense rows that are always there, and the first row of each loop."""
    m, t = compiled.model, compiled.tables
    axes, count = t.axes[: int(t.world["axes"][0])], 0
    loop_rows = []
    for _ in t.scene_loops:
        loop_rows.append(count)
        count += 6
    ints = []
    for axis in axes:
        dense = axis["kind"] in (AxisKind.BALL, AxisKind.LOOP)
        tree = int(m.dof_treeid[axis["dof"]]) if axis["dof"] >= 0 else -1
        ints.append(
            [axis["kind"], axis["dof"], axis["qpos"], axis["rigid"], count if dense else -1, tree]
        )
        count += 4 * dense
    return (
        {"AXIS_INT": np.array(ints or [[0] * 6]), "AXIS": axis_reals(axes)},
        count,
        loop_rows,
    )
