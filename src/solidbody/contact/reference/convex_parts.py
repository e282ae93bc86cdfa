"""Collides hollow meshes by their convex parts, as sb_convex_parts.c explains."""

from __future__ import annotations

from typing import Any

import mujoco

from solidbody.contact.tables import CollisionTables


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
