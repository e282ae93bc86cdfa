"""Vertices of moving shapes made of triangles: what planes meet of them, with a tree to find it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solidbody.base.transforms import Pose
from solidbody.compiler.box_trees import box_tree, morton_order
from solidbody.compiler.mesh_pieces import Points
from solidbody.compiler.terrain import pose_matrix
from solidbody.contact import terrain_tables as t

LEAF = 8
"""Vertices per leaf of the tree."""
MOST_RANKED = 256
"""Vertices that are ranked by how far they are from each other; the others follow as they come."""

Spec = Any
"""Elements of MjSpec have no static types."""


@dataclass(frozen=True, slots=True)
class Cloud:
    """The vertices of one shape, at `pose` of the body of `geom`, which stands for it in contacts."""

    geom: Spec
    pose: Pose
    vertices: Points


def cloud_fields(clouds: list[Cloud]) -> dict[str, Any]:
    """Return the fields of CollisionTables that hold `clouds`; shapes of one mesh share their vertices."""
    if not clouds:
        return {}
    rows = np.zeros(len(clouds), dtype=t.CLOUD)
    starts: dict[int, tuple[int, int]] = {}
    points: list[Points] = []
    nodes: list[NDArray[np.void]] = []
    for row, cloud in zip(rows, clouds, strict=True):
        key = id(cloud.vertices)
        if key not in starts:
            starts[key] = sum(map(len, nodes)), sum(map(len, points))
            ordered, tree = cloud_tree(cloud.vertices)
            points.append(ordered)
            nodes.append(tree)
        row["geom"] = cloud.geom.id
        row["node_start"], row["point_start"] = starts[key]
        row["point_count"] = len(cloud.vertices)
        row["pos"], row["mat"] = cloud.pose.position, pose_matrix(cloud.pose)
    return {
        "clouds": rows,
        "cloud_points": np.concatenate(points),
        "cloud_ranks": np.concatenate([far_apart(part) for part in points]),
        "cloud_nodes": np.concatenate(nodes),
    }


def cloud_tree(vertices: Points) -> tuple[Points, NDArray[np.void]]:
    """Return the vertices in the order of the leaves, and CLOUD_NODE rows."""
    # ODE keeps the vertices of meshes in single precision
    points = vertices.astype(np.float32).astype(float)
    points = np.ascontiguousarray(points[morton_order(points)])
    tree = box_tree(points, points, LEAF)
    nodes = np.zeros(len(tree.right), dtype=t.CLOUD_NODE)
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
