"""Mesh vertices of moving shapes, with an AABB tree: what planes collide with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solidbody.base.transforms import Pose
from solidbody.compiler.aabb_trees import aabb_tree, morton_order
from solidbody.compiler.mesh_components import Points
from solidbody.compiler.terrain import pose_matrix
from solidbody.contact import layout

LEAF = 8
"""Vertices per leaf of the tree."""
MOST_RANKED = 256
"""Vertices that are ranked by how far they are from each other; the others follow as they come."""

Spec = Any
"""Elements of MjSpec have no static types."""


@dataclass(frozen=True, slots=True)
class MeshVertices:
    """The vertices of one shape, at `pose` of the body of `geom`, which stands for it in contacts."""

    geom: Spec
    pose: Pose
    vertices: Points


def vertex_fields(meshes: list[MeshVertices]) -> dict[str, Any]:
    """Return the fields of CollisionTables that hold them; shapes of one mesh share their vertices."""
    if not meshes:
        return {}
    rows = np.zeros(len(meshes), dtype=layout.MESH)
    starts: dict[int, tuple[int, int]] = {}
    points: list[Points] = []
    nodes: list[NDArray[np.void]] = []
    for row, mesh in zip(rows, meshes, strict=True):
        key = id(mesh.vertices)
        if key not in starts:
            starts[key] = sum(map(len, nodes)), sum(map(len, points))
            ordered, tree = vertex_tree(mesh.vertices)
            points.append(ordered)
            nodes.append(tree)
        row["geom"] = mesh.geom.id
        row["node_start"], row["point_start"] = starts[key]
        row["point_count"] = len(mesh.vertices)
        row["pos"], row["mat"] = mesh.pose.position, pose_matrix(mesh.pose)
    return {
        "meshes": rows,
        "mesh_points": np.concatenate(points),
        "mesh_ranks": np.concatenate([far_apart(part) for part in points]),
        "mesh_nodes": np.concatenate(nodes),
    }


def vertex_tree(vertices: Points) -> tuple[Points, NDArray[np.void]]:
    """Return the vertices in the order of the leaves, and MESH_NODE rows."""
    # ODE keeps the vertices of meshes in single precision
    points = vertices.astype(np.float32).astype(float)
    points = np.ascontiguousarray(points[morton_order(points)])
    tree = aabb_tree(points, points, LEAF)
    nodes = np.zeros(len(tree.right), dtype=layout.MESH_NODE)
    nodes["first"], nodes["count"], nodes["right"] = tree.first, tree.count, tree.right
    nodes["lo"], nodes["hi"] = tree.lo, tree.hi
    return points, nodes


def far_apart(points: Points) -> NDArray[np.int32]:
    """Return the rank of each point: the next one is always the farthest from those before it."""
    rank = np.full(len(points), len(points), dtype=np.int32)
    gap = np.linalg.norm(points - points.mean(axis=0), axis=1)
    for k in range(min(len(points), MOST_RANKED)):
        best = int(np.argmax(gap))
        rank[best] = k
        apart = np.linalg.norm(points - points[best], axis=1)
        gap = apart if k == 0 else np.minimum(gap, apart)
        gap[best] = -1.0
    others = np.flatnonzero(rank == len(points))
    rank[others] = np.arange(len(points) - len(others), len(points))
    return rank
