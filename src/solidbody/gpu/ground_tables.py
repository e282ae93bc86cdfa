"""Tables of terrain for the kernels: which shapes may meet which triangles, and the frames of those."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import mujoco
import numpy as np
from numpy.typing import NDArray

from solidbody.compiler import Compiled
from solidbody.contact.tables import CollisionTables

Ints = NDArray[np.intp]

_BOX_CORNERS: Final = 8
_BOX_PLANES: Final = 6

_BODIES: Final = (
    *(mujoco.mjtGeom.mjGEOM_SPHERE, mujoco.mjtGeom.mjGEOM_CAPSULE),
    *(mujoco.mjtGeom.mjGEOM_CYLINDER, mujoco.mjtGeom.mjGEOM_BOX),
)
"""Forms that collide with triangles; meshes do as hulls."""


def excluded(m: mujoco.MjModel, one: Any, two: Any) -> NDArray[np.bool_]:
    """Return which pairs of bodies MuJoCo keeps apart: they are one, both stand still, or are named."""
    low, high = np.minimum(one, two), np.maximum(one, two)
    named = np.isin((low.astype(np.int64) << 16) + high, m.exclude_signature)
    still = (m.body_treeid[one] < 0) & (m.body_treeid[two] < 0)
    return (m.body_weldid[one] == m.body_weldid[two]) | still | named


def hull_of(tables: CollisionTables, geoms: int) -> Ints:
    """Return the hull of each geom, -1: none."""
    out = np.full(geoms, -1, dtype=np.intp)
    out[tables.hulls["geom"]] = np.arange(len(tables.hulls))
    return out


def ground_pairs(compiled: Compiled) -> Ints:
    """Return (pairs, 2): terrains and geoms that may touch them, in the order of the native step."""
    m, tables = compiled.model, compiled.tables.collision
    if m.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_CONTACT):
        return np.zeros((0, 2), dtype=np.intp)
    has_form = np.isin(m.geom_type, [int(kind) for kind in _BODIES])
    has_form |= (m.geom_type == int(mujoco.mjtGeom.mjGEOM_MESH)) & (hull_of(tables, m.ngeom) >= 0)
    found = [np.zeros((0, 2), dtype=np.intp)]
    for number, terrain in enumerate(tables.terrains):
        wanted = (terrain["contype"] & m.geom_conaffinity) | (
            m.geom_contype & terrain["conaffinity"]
        )
        body = np.full(m.ngeom, m.geom_bodyid[terrain["geom"]])
        meets = (wanted != 0) & has_form & ~excluded(m, body, m.geom_bodyid)
        geoms = np.flatnonzero(meets)
        found.append(np.stack([np.full(len(geoms), number), geoms], axis=1))
    return np.concatenate(found)


def plane_pairs(compiled: Compiled) -> Ints:
    """Return (pairs, 2): moving meshes and planes that may touch them."""
    m, meshes = compiled.model, compiled.tables.collision.meshes
    if m.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_CONTACT):
        return np.zeros((0, 2), dtype=np.intp)
    planes = np.flatnonzero(m.geom_type == int(mujoco.mjtGeom.mjGEOM_PLANE))
    number, plane = (part.ravel() for part in np.meshgrid(np.arange(len(meshes)), planes))
    geom, bits, wants = meshes["geom"][number], m.geom_contype, m.geom_conaffinity
    meets = ((bits[plane] & wants[geom]) | (bits[geom] & wants[plane])) != 0
    meets &= ~excluded(m, m.geom_bodyid[plane], m.geom_bodyid[geom])
    return np.stack([number[meets], plane[meets]], axis=1).astype(np.intp)


@dataclass(frozen=True)
class Frames:
    """Frames of terrains and of meshes on planes, as further geoms of the kernels.

    Attributes:
        geom: MuJoCo geom that stands for each.
        pos: Where it is in its body.
        quat: How it is turned there.
        row: Of each terrain, -1: nothing meets it.
        mesh_row: Of each mesh that planes may meet.
    """

    geom: Ints
    pos: NDArray[np.float64]
    quat: NDArray[np.float64]
    row: Ints
    mesh_row: Ints


def frames_of(tables: CollisionTables, pairs: Ints, planes: Ints) -> Frames:
    """Return the frames of the terrains in (pairs, 2) and of the meshes in (planes, 2)."""
    used, meshes = np.unique(pairs[:, 0]), np.unique(planes[:, 0])
    both = (tables.terrains[used], tables.meshes[meshes])
    geom, pos, mat = (np.concatenate([part[n] for part in both]) for n in ("geom", "pos", "mat"))
    quats = np.zeros((len(geom), 4))
    for quat, turn in zip(quats, mat, strict=True):
        mujoco.mju_mat2Quat(quat, np.ascontiguousarray(turn))
    row = np.full(len(tables.terrains), -1, dtype=np.intp)
    row[used] = np.arange(len(used))
    mesh_row = np.full(len(tables.meshes), -1, dtype=np.intp)
    mesh_row[meshes] = len(used) + np.arange(len(meshes))
    return Frames(geom.astype(np.intp), pos, quats, row, mesh_row)


def solid_room(tables: CollisionTables, hulls: Any) -> int:
    """Return how many numbers the corners and planes of the largest body are, of boxes and of some hulls."""
    found = tables.hulls[[hull for hull in np.unique(hulls).tolist() if hull >= 0]]
    sizes = 3 * found["point_count"] + 4 * found["plane_count"]
    return int(max(3 * _BOX_CORNERS + 4 * _BOX_PLANES, sizes.max(initial=0)))


def raw_tables(tables: CollisionTables) -> dict[str, NDArray[Any]]:
    """Return what the colliders of the native step read, as it is."""
    return {
        "TERRAIN": tables.terrains,
        "TRIANGLE": tables.triangles,
        "EDGE": tables.edges,
        "PEAK": tables.peaks,
        "NODE": tables.nodes,
        "HULL": tables.hulls,
        "SPOKES": tables.spokes,
        "HULL_POINTS": tables.hull_points,
        "HULL_PLANES": tables.hull_planes,
        "MESH": tables.meshes,
        "MESH_NODE": tables.mesh_nodes,
        "MESH_POINTS": tables.mesh_points,
        "MESH_RANKS": tables.mesh_ranks,
    }
