"""Hollow meshes among each other and in terrain: the twin of native/sb_parts.c, which explains the rule."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from solidbody.contact import tables as t
from solidbody.contact.reference_solids import Solid
from solidbody.contact.terrain_tables import CollisionTables, TerrainKind


def is_cut_pair(m: mujoco.MjModel, tables: CollisionTables, geoms: tuple[int, int]) -> bool:
    """Whether the parts of two meshes say how they meet (native: sb_is_cut_pair)."""
    if not len(tables.hollow) or min(geoms) < 0:
        return False
    are_meshes = all(m.geom_type[g] == mujoco.mjtGeom.mjGEOM_MESH for g in geoms)
    return are_meshes and any(tables.hollow[g] for g in geoms)


def part_contacts(
    m: mujoco.MjModel, d: mujoco.MjData, tables: CollisionTables, low: int, high: int
) -> list[tuple[tuple[int, int], Any]]:
    """Return MuJoCo's contacts of the parts of two meshes, each with its geoms (native: collide_pair)."""
    assert tables.parts is not None
    pair = tables.parts.pair(low, high)
    data = mujoco.MjData(pair)
    for k, geom in enumerate((low, high)):
        body = int(m.geom_bodyid[geom])
        data.qpos[7 * k : 7 * k + 3] = d.xpos[body]
        mujoco.mju_mat2Quat(data.qpos[7 * k + 3 : 7 * k + 7], d.xmat[body])
    mujoco.mj_kinematics(pair, data)
    mujoco.mj_collision(pair, data)
    both = low, high
    return [
        ((both[pair.geom_bodyid[c.geom[0]] - 1], both[pair.geom_bodyid[c.geom[1]] - 1]), c)
        for c in data.contact
    ]


def is_in(tables: CollisionTables, terrain: t.Record, hull: Solid) -> bool:
    """Whether the hull of a hollow mesh is in a terrain (native: is_in)."""
    is_ground = terrain["kind"] != TerrainKind.MESH
    first = int(terrain["triangle_start"])
    triangles = tables.triangles[first : first + int(terrain["triangle_count"])]
    low, high = np.array(hull.lo), np.array(hull.hi)
    if is_ground:
        high[2] = np.inf
    near = triangles[((triangles["lo"] <= high) & (triangles["hi"] >= low)).all(axis=1)]
    return any(_may_cut(hull, face, is_ground) for face in near)


def _may_cut(hull: Solid, face: t.Record, is_ground: bool) -> bool:
    heights = np.array(hull.corners) @ face["normal"] - face["offset"]
    if (heights > 0).all() or ((heights < 0).all() and not is_ground):
        return False
    normals = np.array([normal for normal, _ in hull.planes])
    offsets = np.array([[offset] for _, offset in hull.planes])
    outside = (normals @ face["corner"].T > offsets).all(axis=1)
    return is_ground or not bool(outside.any())
