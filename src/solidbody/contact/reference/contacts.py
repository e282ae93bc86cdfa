"""Contacts of the reference step: points, tangents and surfaces (native: sb_contacts.c)."""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from solidbody.contact import law, layout
from solidbody.contact import tables as t
from solidbody.contact.reference.colliders import (
    FEW_POINTS,
    Manifold,
    Place,
    collide_cylinder_box,
    collide_plane_cylinder,
)
from solidbody.contact.reference.contact_response import held_dofs, response
from solidbody.contact.reference.convex_parts import is_cut_pair, part_contacts
from solidbody.contact.reference.hollow_mesh import Skin
from solidbody.contact.reference.link_contacts import (
    SurfaceOf,
    settle_faces,
    share_depth,
    spread_points,
)
from solidbody.contact.reference.mesh_vertices import collide_plane_mesh
from solidbody.contact.reference.terrain import MAX_POINTS, Meeting, Patch
from solidbody.contact.reference.terrain_solids import body_in_frame
from solidbody.contact.reference.tracks import contact_surface
from solidbody.contact.state import StepState
from solidbody.contact.tables import CollisionTables
from solidbody.contact.vectors import velocity_at

EDGE_POINT = 1e-6
"""[m] Points of two boxes this near to the line between two others are left out."""

_TERRAIN_BODIES = (
    law.Form.SPHERE,
    law.Form.CAPSULE,
    law.Form.CYLINDER,
    law.Form.BOX,
    law.Form.MESH,
)
"""Forms that collide with terrain; meshes only as hulls."""

LOST_TILT = 1e-9
"""[rad] See SB_LOST_TILT."""

_FORMS = {
    mujoco.mjtGeom.mjGEOM_PLANE: law.Form.PLANE,
    mujoco.mjtGeom.mjGEOM_HFIELD: law.Form.HFIELD,
    mujoco.mjtGeom.mjGEOM_SPHERE: law.Form.SPHERE,
    mujoco.mjtGeom.mjGEOM_CAPSULE: law.Form.CAPSULE,
    mujoco.mjtGeom.mjGEOM_CYLINDER: law.Form.CYLINDER,
    mujoco.mjtGeom.mjGEOM_BOX: law.Form.BOX,
    mujoco.mjtGeom.mjGEOM_MESH: law.Form.MESH,
}


@dataclass(frozen=True, slots=True)
class ContactSurface:
    """What the law needs of one contact.

    Attributes:
        surface: Row of the SURFACE table.
        coefficients: Bounds per normal force: mu, mu2, rhoN, rho, rho2.
        slip: Along both tangents.
        speed: Of the surface along both tangents [m/s].
    """

    surface: t.Record
    coefficients: tuple[float, float, float, float, float]
    slip: tuple[float, float]
    speed: tuple[float, float]


Dropped = list[tuple[tuple[int, int], int]]
"""Pairs of geoms that had more contacts than their surface allows, and how many they lost."""


def prepare_contacts(
    m: mujoco.MjModel, d: mujoco.MjData, tables: t.StepTables, state: StepState
) -> tuple[list[ContactSurface | None], Dropped]:
    """Turn MuJoCo's contacts into ODE's; returns their surfaces and what was dropped."""
    met: list[tuple[int, int]] = []
    for (g0, g1, *_), members in _pairs(d).items():
        if is_cut_pair(m, tables.collision, (g0, g1)):
            met.append((min(g0, g1), max(g0, g1)))
            for k in members:
                d.contact[k].exclude = 1
        elif g0 >= 0 and g1 >= 0:
            _place_pair(m, d, members, tables)
    _add_lost_cylinders(m, d, tables)
    _collide_parts(m, d, tables.collision, met)
    _collide_terrains(m, d, tables.collision)
    dropped = _collide_meshes(m, d, tables)
    gripped = _gripped(m, state)

    def surface_of(k: int) -> t.Record:
        return _surface_of(tables, d.contact[k].geom.tolist())[1]

    ours = [k for k, contact in enumerate(d.contact) if min(contact.geom) >= 0]
    for k in ours:
        contact, surface = d.contact[k], surface_of(k)
        if (
            not surface["min_depth"] <= -contact.dist <= surface["max_depth"]
            or _pair_of(m, m.geom_bodyid[contact.geom]) in gripped
        ):
            contact.exclude = 1
    for (*geoms, _, _), members in _pairs(d).items():
        if len(members) > 4 and all(_form(m, geom) is law.Form.BOX for geom in geoms):
            _drop_edge_points(d, members)
        members = [k for k in members if not d.contact[k].exclude]
        if not members or min(geoms) < 0:
            continue
        surface = surface_of(members[0])
        if surface["shares_depth"]:
            share_depth(m, d, members)
        if surface["keeps_spread"]:
            continue  # per pair of bodies, below
        limit = int(surface["max_contacts"])
        # deepest first; sorted() is stable, as the native insertion sort is
        ranked = sorted(members, key=lambda k: d.contact[k].dist)
        for k in ranked[limit:]:
            d.contact[k].exclude = 1
        dropped.append(((geoms[0], geoms[1]), max(0, len(ranked) - limit)))
    dropped += spread_points(m, d, tables, surface_of)
    dropped += _thin_out_groups(d, tables.collision.groups, surface_of)
    if tables.world["follows_sliding"][0]:
        mujoco.mj_comVel(m, d)
    left = {k for k in ours if not d.contact[k].exclude}
    surfaces = [
        _set_surface(m, d, tables, state, contact) if k in left else None
        for k, contact in enumerate(d.contact)
    ]
    return surfaces, dropped


def _gripped(m: mujoco.MjModel, state: StepState) -> set[frozenset[int]]:
    """Return the pairs of bodies that grips hold together: what is joined does not collide."""
    return {_pair_of(m, row["body"]) for row in state.grips if row["kind"] == layout.LoopKind.GRIP}


def _pair_of(m: mujoco.MjModel, bodies: NDArray[np.int32]) -> frozenset[int]:
    """Return two bodies in any order; all that stands still is one body, as in ODE."""
    return frozenset(np.where(m.body_treeid[bodies] < 0, 0, bodies).tolist())


def _thin_out_groups(d: mujoco.MjData, groups: NDArray[np.int32], surface_of: SurfaceOf) -> Dropped:
    """Leave max_contacts to shapes made of parts as to others (native: sb_thin_out_groups)."""
    if not len(groups):
        return []
    by_shape: dict[tuple[int, int], list[int]] = {}
    for k, contact in enumerate(d.contact):
        one, two = contact.geom.tolist()
        if min(one, two) < 0 or contact.exclude or max(groups[one], groups[two]) < 0:
            continue
        if surface_of(k)["keeps_spread"]:
            continue  # those: link_contacts.py
        ids = [int(groups[g]) if groups[g] >= 0 else len(groups) + g for g in (one, two)]
        by_shape.setdefault((ids[0], ids[1]), []).append(k)
    dropped: Dropped = []
    for members in by_shape.values():
        limit = int(surface_of(members[0])["max_contacts"])
        if len(members) <= limit:
            continue
        kept = _best_of(d, members, limit)
        for k in members:
            d.contact[k].exclude = int(k not in kept)
        one, two = d.contact[members[0]].geom.tolist()
        dropped.append(((one, two), len(members) - len(kept)))
    return dropped


def _best_of(d: mujoco.MjData, members: list[int], limit: int) -> set[int]:
    """Return the contacts of one pair of shapes that stay."""
    index: list[int] = []
    for k in members:
        if len(index) < MAX_POINTS:
            index.append(k)
            continue
        distances = [d.contact[other].dist for other in index]
        shallowest = distances.index(max(distances))
        if d.contact[k].dist < distances[shallowest]:
            index[shallowest] = k
    patch = Patch()
    for k in index:
        contact = d.contact[k]
        patch.points.append((contact.pos.tolist(), contact.frame[:3].tolist(), -contact.dist))
    kept = [index[k] for k in patch.choose()]
    while len(kept) > limit:
        depths = [-d.contact[k].dist for k in kept]
        kept.pop(depths.index(min(depths)))
    return set(kept)


def _pairs(d: mujoco.MjData) -> dict[tuple[int, int, int, int], list[int]]:
    """Return the contacts of each pair of geoms, or of parts of them (the last two numbers)."""
    out: dict[tuple[int, int, int, int], list[int]] = {}
    for k, contact in enumerate(d.contact):
        one, two, part, other = *contact.geom.tolist(), *contact.vert.tolist()
        out.setdefault((one, two, part, other), []).append(k)
    return out


def _collide_parts(
    m: mujoco.MjModel, d: mujoco.MjData, tables: CollisionTables, met: list[tuple[int, int]]
) -> None:
    """Add the contacts of the parts of hollow meshes that meet (native: sb_collide_parts)."""
    for low, high in met:
        for geoms, found in part_contacts(m, d, tables, low, high):
            contact = _new_contact(m, *geoms)
            contact.pos[:], contact.frame[:], contact.dist = found.pos, found.frame, found.dist
            contact.vert[:] = found.geom
            _place_point(m, d, contact)
            if mujoco.mj_addContact(m, d, contact):
                return


def _place_pair(
    m: mujoco.MjModel, d: mujoco.MjData, members: list[int], tables: t.StepTables
) -> None:
    """Replace the contacts of a pair by our own collider's, or move them to ODE's place."""
    own = _collide(m, d, d.contact[members[0]].geom.tolist(), tables)
    if own is None:
        settle_faces(m, d, members, _surface_of(tables, d.contact[members[0]].geom.tolist())[1])
        for k in members:
            _place_point(m, d, d.contact[k])
        return
    fits = len(own.points) <= len(members)
    added = copy.copy(d.contact[members[0]])
    for k in members:
        d.contact[k].exclude = 1
    for i, (position, depth) in enumerate(own.points):
        contact = d.contact[members[i]] if fits else added
        contact.exclude = 0
        contact.pos[:], contact.frame[:3], contact.dist = position, own.normal, -depth
        if not fits and mujoco.mj_addContact(m, d, added):
            return


def _add_lost_cylinders(m: mujoco.MjModel, d: mujoco.MjData, tables: t.StepTables) -> None:
    """Add upright cylinders on planes that MuJoCo has lost (native: add_lost_cylinders)."""
    found = {(one, two) for one, two, *_ in _pairs(d)}
    planes = np.flatnonzero(m.geom_type == mujoco.mjtGeom.mjGEOM_PLANE)
    cylinders = np.flatnonzero(m.geom_type == mujoco.mjtGeom.mjGEOM_CYLINDER)
    for plane, cylinder in product(planes.tolist(), cylinders.tolist()):
        tilt = law.cross(_matrix(d, plane)[:, 2], _matrix(d, cylinder)[:, 2])
        is_lost = tilt @ tilt <= LOST_TILT * LOST_TILT and (plane, cylinder) not in found
        own = None
        if is_lost and _may_touch(m, plane, cylinder):
            own = _collide(m, d, (plane, cylinder), tables)
        if own is None:
            continue
        contact = _new_contact(m, plane, cylinder)
        for position, depth in own.points:
            contact.pos[:], contact.frame[:3], contact.dist = position, own.normal, -depth
            if mujoco.mj_addContact(m, d, contact):
                return


def _new_contact(m: mujoco.MjModel, geom0: int, geom1: int) -> Any:
    """Return a contact of two geoms (native: sb_new_contact)."""
    contact = mujoco.MjContact()
    contact.geom1, contact.geom2 = geom0, geom1
    contact.geom[:] = geom0, geom1
    contact.flex[:] = contact.elem[:] = contact.vert[:] = -1
    contact.includemargin = m.geom_margin[geom0] + m.geom_margin[geom1]
    contact.friction[:] = 1.0
    contact.solref[:], contact.solimp[:] = m.geom_solref[geom1], m.geom_solimp[geom1]
    contact.efc_address = -1
    return contact


def _collide_terrains(m: mujoco.MjModel, d: mujoco.MjData, tables: CollisionTables) -> None:
    """Add the contacts of bodies and terrain (native: sb_collide_terrains)."""
    for terrain in tables.terrains:
        for other in range(m.ngeom):
            if not _may_meet(m, terrain, other):
                continue
            contact = _new_contact(m, int(terrain["geom"]), other)
            for point, normal, depth in terrain_points(m, d, tables, terrain, other):
                contact.pos[:], contact.frame[:3], contact.dist = point, normal, -depth
                if mujoco.mj_addContact(m, d, contact):
                    return


def _collide_meshes(m: mujoco.MjModel, d: mujoco.MjData, tables: t.StepTables) -> Dropped:
    """Add the contacts of moving meshes and planes (native: sb_collide_meshes); what was dropped."""
    planes = np.flatnonzero(m.geom_type == mujoco.mjtGeom.mjGEOM_PLANE).tolist()
    dropped: Dropped = []
    for mesh, plane in product(tables.collision.meshes, planes):
        geom = int(mesh["geom"])
        if not _may_touch(m, plane, geom):
            continue
        start = int(mesh["point_start"])
        rows = slice(start, start + int(mesh["point_count"]))
        points, ranks = tables.collision.mesh_points[rows], tables.collision.mesh_ranks[rows]
        surface = _surface_of(tables, (plane, geom))[1]
        ground, place = _place(d, plane), _frame_in_body(m, d, mesh)
        found, left_out = collide_plane_mesh(ground, place, points, ranks, surface)
        dropped.append(((plane, geom), left_out))
        contact = _new_contact(m, plane, geom)
        contact.frame[:3] = ground.column(2)
        for point, depth in found:
            contact.pos[:], contact.dist = point, -depth
            if mujoco.mj_addContact(m, d, contact):
                return dropped
    return dropped


def _surface_of(tables: t.StepTables, geoms: Sequence[int]) -> tuple[t.Record, t.Record]:
    """Return the rows of the PAIR and SURFACE tables of two geoms."""
    one, two = tables.geoms["material"][list(geoms)]
    pair = tables.pairs[one * int(tables.world["materials"][0]) + two]
    return pair, tables.surfaces[pair["surface"]]


def terrain_points(
    m: mujoco.MjModel, d: mujoco.MjData, tables: CollisionTables, terrain: t.Record, geom: int
) -> list[tuple[list[float], list[float], float]]:
    """Return (point, normal from the terrain to the geom, depth), world; none for other terrains."""
    form = _form(m, geom)
    hull = next((_hull(tables, row) for row in tables.hulls if row["geom"] == geom), None)
    if form not in _TERRAIN_BODIES or (form is law.Form.MESH and hull is None):
        return []
    frame = _frame_in_body(m, d, terrain)
    size: list[float] = m.geom_size[geom].tolist()
    solid = body_in_frame(form, size, _place(d, geom), frame, hull)
    if solid.hi[2] < terrain["lo"][2]:
        return []
    meeting = Meeting(tables, terrain, solid)
    if not meeting.lift_sunken():
        if len(tables.hollow) and tables.hollow[geom]:
            own = next(row for row in tables.terrains if row["geom"] == geom)
            Skin(meeting, own, _seen_from(frame, _frame_in_body(m, d, own))).collide()
        else:
            meeting.collide()
    if len(meeting.out.points) > FEW_POINTS:
        meeting.out.thin_out()
    return [
        ([frame.pos[i] + x for i, x in enumerate(frame.turn(point))], frame.turn(normal), depth)
        for point, normal, depth in meeting.out.points
    ]


def _seen_from(frame: Place, place: Place) -> Place:
    """Return a place of the world in another frame (native: meet_skin)."""
    pos = frame.turn_back([place.pos[i] - frame.pos[i] for i in range(3)])
    columns = [frame.turn_back(place.column(k)) for k in range(3)]
    return Place(pos, [columns[k][i] for i in range(3) for k in range(3)])


def _frame_in_body(m: mujoco.MjModel, d: mujoco.MjData, row: t.Record) -> Place:
    """Return the place in the world of a terrain or mesh (native: sb_frame_in_body)."""
    body = int(m.geom_bodyid[int(row["geom"])])
    outer = Place(d.xpos[body].tolist(), d.xmat[body].tolist())
    inner = Place(row["pos"].tolist(), row["mat"].tolist())
    turned = outer.turn(list(inner.pos))
    columns = [outer.turn(inner.column(k)) for k in range(3)]
    return Place(
        [turned[i] + outer.pos[i] for i in range(3)],
        [columns[k][i] for i in range(3) for k in range(3)],
    )


def _hull(tables: CollisionTables, row: t.Record) -> tuple[list[list[float]], list[list[float]]]:
    point, plane = int(row["point_start"]), int(row["plane_start"])
    points = tables.hull_points[point : point + int(row["point_count"])]
    planes = tables.hull_planes[plane : plane + int(row["plane_count"])]
    return points.tolist(), planes.tolist()


def _may_meet(m: mujoco.MjModel, terrain: t.Record, geom: int) -> bool:
    """Whether a terrain and a geom are tested for contact (native: may_meet)."""
    bodies = m.geom_bodyid[[int(terrain["geom"]), geom]]
    wanted = (terrain["contype"] & m.geom_conaffinity[geom]) | (
        m.geom_contype[geom] & terrain["conaffinity"]
    )
    return bool(wanted) and bool((m.body_treeid[bodies] >= 0).any()) and not _is_excluded(m, bodies)


def _may_touch(m: mujoco.MjModel, plane: int, geom: int) -> bool:
    """Whether MuJoCo's filters let a plane and a geom collide (native: sb_may_touch)."""
    wanted = (m.geom_contype[plane] & m.geom_conaffinity[geom]) | (
        m.geom_contype[geom] & m.geom_conaffinity[plane]
    )
    return bool(wanted) and not _is_excluded(m, m.geom_bodyid[[plane, geom]])


def _is_excluded(m: mujoco.MjModel, bodies: NDArray[np.int32]) -> bool:
    """Whether a joint or a rule of the file keeps two bodies apart, or they are one (native: is_excluded)."""
    low, high = sorted(bodies.tolist())
    one, two = m.body_weldid[bodies].tolist()
    return one == two or ((low << 16) + high) in m.exclude_signature


def _collide(
    m: mujoco.MjModel, d: mujoco.MjData, geoms: Sequence[int], tables: t.StepTables
) -> Manifold | None:
    """Return our own points of a pair of geoms, None where there is no collider for it."""
    g0, g1 = geoms
    match _form(m, g0), _form(m, g1):
        case law.Form.PLANE, law.Form.CYLINDER:
            radius, half, _ = m.geom_size[g1].tolist()
            return collide_plane_cylinder(_place(d, g0), _place(d, g1), radius, half)
        case law.Form.PLANE, law.Form.MESH if g1 in tables.collision.hulls["geom"]:
            # planes meet the vertices of the whole mesh (mesh_vertices.py)
            return Manifold()
        case law.Form.CYLINDER, law.Form.BOX:
            radius, half, _ = m.geom_size[g0].tolist()
            ode_depths = bool(tables.world["ode_caps"][0])
            box_half: list[float] = m.geom_size[g1].tolist()
            return collide_cylinder_box(
                _place(d, g0), radius, half, _place(d, g1), box_half, ode_depths=ode_depths
            )
        case _:
            return None


def _place(d: mujoco.MjData, geom: int) -> Place:
    return Place(d.geom_xpos[geom].tolist(), d.geom_xmat[geom].tolist())


def _drop_edge_points(d: mujoco.MjData, members: list[int]) -> None:
    """Leave out points of two boxes that lie between two others (native: drop_edge_points)."""
    points = {k: d.contact[k].pos.copy() for k in members}
    for k in members:
        others = [i for i in members if i != k and not d.contact[i].exclude]
        for i, j in combinations(others, 2):
            u, v = points[j] - points[i], points[k] - points[i]
            along, length = float(u @ v), float(u @ u)
            if 0 < along < length and np.linalg.norm(v - along / length * u) < EDGE_POINT:
                d.contact[k].exclude = 1
                break


def _form(m: mujoco.MjModel, geom: int) -> law.Form:
    return _FORMS.get(mujoco.mjtGeom(m.geom_type[geom]), law.Form.OTHER)


def _matrix(d: mujoco.MjData, geom: int) -> NDArray[np.float64]:
    return d.geom_xmat[geom].reshape(3, 3)


def _place_point(m: mujoco.MjModel, d: mujoco.MjData, contact: Any) -> None:
    g0, g1 = int(contact.geom[0]), int(contact.geom[1])
    form0, form1 = _form(m, g0), _form(m, g1)
    n, depth = contact.frame[:3], -contact.dist
    if form0 is law.Form.SPHERE and form1 is law.Form.BOX and depth > m.geom_size[g0, 0]:
        contact.pos[:] = d.geom_xpos[g0]
        return
    face0 = face1 = 0.0
    if form0 is law.Form.BOX and form1 is law.Form.BOX:
        face0 = float(np.max(np.abs(_matrix(d, g0).T @ n)))
        face1 = float(np.max(np.abs(_matrix(d, g1).T @ n)))
    contact.pos[:] += (
        law.point_shift(form0, form1, face0, face1, _ode_first(m, contact)) * depth * n
    )


def _ode_first(m: mujoco.MjModel, contact: Any) -> int:
    """Which of the two geoms ODE would call the first (native: ode_first)."""
    static = [m.body_treeid[m.geom_bodyid[g]] < 0 for g in contact.geom]
    if static[0] != static[1]:
        return 1 if static[0] else 0
    return 0 if contact.geom[0] < contact.geom[1] else 1


def _follow_sliding(
    m: mujoco.MjModel,
    d: mujoco.MjData,
    tables: t.StepTables,
    state: StepState,
    contact: Any,
    surface: t.Record,
    belt: NDArray[np.float64],
) -> tuple[NDArray[np.float64], tuple[float, float]]:
    """Return first tangent and coefficients of isotropic friction (native: follow_sliding)."""
    g0, g1 = int(contact.geom[0]), int(contact.geom[1])
    n = contact.frame[:3].copy()
    before, after = (velocity_at(m, d, int(m.geom_bodyid[g]), contact.pos) for g in (g0, g1))
    now = after - before + belt
    moves = [int(m.body_treeid[m.geom_bodyid[geom]] >= 0) for geom in (g0, g1)]
    slide = now + (moves[1] - moves[0]) * m.opt.timestep * m.opt.gravity
    tangents = law.world_tangents(n)
    along = [float(slide @ tangent) for tangent in tangents]
    t1 = law.tangent(n)
    if along[0] ** 2 + along[1] ** 2 > law.SLIDING**2:
        held = held_dofs(tables, state)
        own = [response(m, d, contact, tangent, held) for tangent in tangents]
        t1 = law.sliding_tangent(tangents, along, own)
    speed2 = sum(float(now @ tangent) ** 2 for tangent in tangents)
    slides = speed2 > law.SLIDING**2
    mu = float(surface["friction"][0] if slides else surface["static_friction"])
    lost = mu * m.opt.timestep * math.sqrt(float(m.opt.gravity @ m.opt.gravity))
    return t1, (mu, mu * law.across_share(speed2, lost * lost))


def _set_surface(
    m: mujoco.MjModel, d: mujoco.MjData, tables: t.StepTables, state: StepState, contact: Any
) -> ContactSurface:
    geoms = tables.geoms[list(contact.geom)]
    pair, surface = _surface_of(tables, contact.geom.tolist())
    friction_count, slip_count = int(surface["friction_count"]), int(surface["slip_count"])
    n = contact.frame[:3].copy()
    directed = friction_count > 1 or slip_count > 1
    if directed and (geoms["cap"] < 0).any():
        directed, friction_count, slip_count = False, 1, 1
    cosine, sine = 1.0, 0.0
    isotropic: tuple[float, float] | None = None
    belt, belt_tangent = contact_surface(m, d, tables, state, contact)
    if directed:
        first_geom = _ode_first(m, contact)
        normal = -n if first_geom == 0 else n
        first = 1 - first_geom if pair["first"] == layout.PairFirst.EITHER else int(pair["first"])
        directions = [
            law.rotate(
                normal,
                -float(surface["rotation"][k]),
                law.friction_direction(
                    _matrix(d, int(contact.geom[which])),
                    int(geoms["cap"][which]),
                    int(geoms["on_cap"][which]),
                    int(geoms["on_side"][which]),
                    normal,
                ),
            )
            for k, which in enumerate((first, 1 - first))
        ]
        cosine, sine = law.angle(directions[0], directions[1])
        t1 = directions[0]
    elif surface["follows_sliding"]:
        t1, isotropic = _follow_sliding(m, d, tables, state, contact, surface, belt)
        belt_tangent = None
    else:
        t1 = law.tangent(n)
    if belt_tangent is not None:
        t1 = belt_tangent
    contact.frame[3:6] = t1
    contact.frame[6:9] = law.cross(n, t1)

    mu = law.combine(friction_count, surface["friction"], cosine, sine)
    if isotropic is not None:
        mu = isotropic
    slip = law.combine_slip(slip_count, surface["slip"], cosine, sine)
    per_axis, rho = law.rolling(friction_count, surface["rolling"])
    rolls = any(x > 0 for x in rho)
    if surface["second_zero"] and rolls and per_axis and friction_count == 1:
        mu = (mu[0], 0.0)
    contact.dim = 6 if rolls else 3 if mu[0] > 0 or mu[1] > 0 else 1
    speed = (-float(belt @ t1), -float(belt @ law.cross(n, t1)))
    return ContactSurface(surface, (mu[0], mu[1], rho[2], rho[0], rho[1]), slip, speed)
