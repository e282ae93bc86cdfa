"""What Choreonoid makes of the contacts of two links (native: sb_link_contacts.c, which says why)."""

from __future__ import annotations

import math
from collections.abc import Callable

import mujoco
import numpy as np
from numpy.typing import NDArray

from solidbody.contact import tables as t
from solidbody.contact.tables import StepTables

Vector = NDArray[np.float64]

PARALLEL = 1e-12
TWO_FACES = 0.9
FEW_FACES = 12
SAME_DEPTH = 1e-9
SAME_FAR = 0.02
ONE_WAY = 0.966
"""See SB_PARALLEL, SB_TWO_FACES, SB_FEW_FACES, SB_SAME_DEPTH, SB_SAME_FAR and
SB_ONE_WAY."""

Dropped = list[tuple[tuple[int, int], int]]
SurfaceOf = Callable[[int], t.Record]
"""Row of the SURFACE table of contact k."""

_MOVED = (
    "pos",
    "frame",
    "dist",
    "geom",
    "geom1",
    "geom2",
    "vert",
    "solref",
    "solimp",
    "includemargin",
)
"""Fields that make two contacts of one pair of bodies differ here."""

_FACED = (int(mujoco.mjtGeom.mjGEOM_BOX), int(mujoco.mjtGeom.mjGEOM_MESH))


def _hull(m: mujoco.MjModel, geom: int) -> tuple[NDArray[np.intp], int]:
    """Return the vertices of a mesh's hull (numbers in the mesh) and how many triangles that has."""
    mesh = int(m.geom_dataid[geom])
    at = int(m.mesh_graphadr[mesh])
    if at < 0:
        return np.arange(int(m.mesh_vertnum[mesh])), 0
    count, faces = m.mesh_graph[at : at + 2].tolist()
    return np.asarray(m.mesh_graph[at + 2 + count : at + 2 + 2 * count], np.intp), faces


def _reach(m: mujoco.MjModel, d: mujoco.MjData, geom: int, way: Vector) -> float:
    """Return how far a box or mesh reaches along a direction, from the world's origin."""
    local = d.geom_xmat[geom].reshape(3, 3).T @ way
    if m.geom_type[geom] == mujoco.mjtGeom.mjGEOM_BOX:
        most = float(np.abs(local) @ m.geom_size[geom])
    else:
        first = int(m.mesh_vertadr[m.geom_dataid[geom]])
        most = float((m.mesh_vert[first + _hull(m, geom)[0]] @ local).max())
    return most + float(way @ d.geom_xpos[geom])


def _face_along(
    m: mujoco.MjModel, d: mujoco.MjData, geom: int, way: Vector
) -> tuple[float, Vector]:
    """Return cosine and outward normal of the face that a direction comes out of most squarely."""
    mat = d.geom_xmat[geom].reshape(3, 3)
    local = mat.T @ way
    if m.geom_type[geom] == mujoco.mjtGeom.mjGEOM_BOX:
        axis = int(np.argmax(np.abs(local)))
        return float(abs(local[axis])), mat[:, axis] * (-1.0 if local[axis] < 0.0 else 1.0)
    mesh = int(m.geom_dataid[geom])
    first = int(m.mesh_polyadr[mesh])
    normals = m.mesh_polynormal[first : first + int(m.mesh_polynum[mesh])]
    cosines = normals @ local
    best = int(np.argmax(cosines))
    return float(cosines[best]), mat @ normals[best]


def settle_faces(
    m: mujoco.MjModel, d: mujoco.MjData, members: list[int], surface: t.Record
) -> None:
    """Give contacts of a mesh that lies askew the normal along which the bodies overlap less."""
    contacts = [d.contact[k] for k in members]
    geoms: list[int] = contacts[0].geom.tolist()
    if not surface["shares_depth"] or not all(int(m.geom_type[geom]) in _FACED for geom in geoms):
        return
    along = contacts[0].frame[:3].copy()
    faces = [_face_along(m, d, geoms[0], along), _face_along(m, d, geoms[1], -along)]
    are_met = [1.0 - cosine < PARALLEL for cosine, _ in faces]
    if min(cosine for cosine, _ in faces) < TWO_FACES or sum(are_met) != 1:
        return  # edges on edges have normals of their own; two parallel faces have one
    turn = are_met.index(False)
    planes = [_reach(m, d, geom, normal) for geom, (_, normal) in zip(geoms, faces, strict=True)]
    overlaps = [planes[side] + _reach(m, d, geoms[1 - side], -faces[side][1]) for side in (0, 1)]
    if overlaps[turn] >= overlaps[1 - turn]:
        return
    normal = faces[turn][1]
    for contact in contacts:
        sign = 1.0 if turn else -1.0
        point = contact.pos - sign * 0.5 * contact.dist * contact.frame[:3]  # on the other's skin
        depth = planes[turn] - float(normal @ point)
        contact.pos[:] = point + 0.5 * depth * normal
        contact.frame[:3] = -normal if turn else normal
        contact.dist = -depth
        if depth <= 0.0:
            contact.exclude = 1


def _has_few_faces(m: mujoco.MjModel, geom: int) -> bool:
    """Whether the triangles around any point are the whole form: a box, or a convex mesh of few faces."""
    if m.geom_type[geom] == mujoco.mjtGeom.mjGEOM_BOX:
        return True
    if m.geom_type[geom] != mujoco.mjtGeom.mjGEOM_MESH:
        return False
    faces = int(m.mesh_facenum[m.geom_dataid[geom]])
    return faces <= FEW_FACES and _hull(m, geom)[1] == faces


def share_depth(m: mujoco.MjModel, d: mujoco.MjData, members: list[int]) -> None:
    """Make the contacts of two forms with few faces as deep as the deepest of them."""
    if members and all(_has_few_faces(m, geom) for geom in d.contact[members[0]].geom.tolist()):
        deepest = min(d.contact[k].dist for k in members)
        for k in members:
            d.contact[k].dist = deepest


def spread_points(
    m: mujoco.MjModel, d: mujoco.MjData, tables: StepTables, surface_of: SurfaceOf
) -> Dropped:
    """Keep so many points of each direction per pair of bodies; returns what was dropped."""
    by_bodies: dict[tuple[int, ...], list[int]] = {}
    dropped: Dropped = []
    for k, contact in enumerate(d.contact):
        if min(contact.geom) < 0 or contact.exclude or not surface_of(k)["keeps_spread"]:
            continue
        bodies = m.geom_bodyid[contact.geom].tolist()
        by_bodies.setdefault(tuple(sorted(bodies)), []).append(k)
    for members in by_bodies.values():
        limit = int(surface_of(members[0])["max_contacts"])
        if len(members) > limit:
            dropped += _keep_of_each_way(m, d, members, limit)
    for members in by_bodies.values():
        for k in members:
            contact = d.contact[k]
            if not contact.exclude and any(_runs_around(m, tables, g) for g in contact.geom):
                most = 2.0 * float(surface_of(k)["rest_depth"])
                contact.dist = max(contact.dist, -most)
    return dropped


def _runs_around(m: mujoco.MjModel, tables: StepTables, geom: int) -> bool:
    """Whether a geom is a track whose belt runs around it (native: sb_runs_around)."""
    tracks = tables.tracks[: int(tables.world["tracks"][0])]
    return any(bool(row["around"]) and row["body"] == m.geom_bodyid[geom] for row in tracks)


def _keep_of_each_way(
    m: mujoco.MjModel, d: mujoco.MjData, members: list[int], limit: int
) -> Dropped:
    dropped: Dropped = []
    first = m.geom_bodyid[d.contact[members[0]].geom].tolist()
    signs = {
        k: 1.0 if m.geom_bodyid[d.contact[k].geom].tolist() == first else -1.0 for k in members
    }
    normals = {k: signs[k] * d.contact[k].frame[:3] for k in members}
    while members:
        way = normals[members[0]]
        chosen = [k for k in members if float(way @ normals[k]) >= ONE_WAY]
        members = [k for k in members if k not in chosen]
        if not chosen:
            break
        if len(chosen) > limit:
            ranked = _in_turn(d, spread(d, chosen, limit), limit)
            for k in ranked[limit:]:
                d.contact[k].exclude = 1
            one, two = d.contact[ranked[0]].geom.tolist()
            dropped.append(((one, two), len(chosen) - limit))
    return dropped


def _in_turn(d: mujoco.MjData, ranked: list[int], limit: int) -> list[int]:
    """Put the first contacts into the list in that order, at places that they have; returns the places."""
    found = [
        {name: np.copy(getattr(d.contact[k], name)) for name in _MOVED} for k in ranked[:limit]
    ]
    places = sorted(ranked[:limit])
    for k, values in zip(places, found, strict=True):
        for name, value in values.items():
            setattr(d.contact[k], name, value if value.ndim else value.item())
    return places + ranked[limit:]


def spread(d: mujoco.MjData, members: list[int], limit: int) -> list[int]:
    """Return the contacts, the deepest first, then each farthest from those before it."""
    order = list(members)
    points = {k: d.contact[k].pos.copy() for k in order}
    for kept in range(min(limit, len(order))):
        far: dict[int, float] = {}
        for k in order[kept:]:
            gaps = [points[j] - points[k] for j in order[:kept]]
            far[k] = min((float(gap @ gap) for gap in gaps), default=math.inf)
        most = max(far.values())
        best, deepest = order[kept], -math.inf
        for k in order[kept:]:
            depth = -float(d.contact[k].dist)
            is_far = not kept or far[k] >= (1.0 - SAME_FAR) * most
            if not is_far or depth < deepest - SAME_DEPTH:
                continue
            if depth < deepest + SAME_DEPTH and k > best:
                continue
            best, deepest = k, depth
        at = order.index(best)
        order[kept], order[at] = order[at], order[kept]
    return order
