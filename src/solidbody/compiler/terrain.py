"""Terrain tables: triangles of height fields and static meshes, their edges, and an AABB tree over them.

A terrain's collider asks of each triangle: where is its plane, what is over it, which of its edges
and corners stick out. Edges between faces that are level or hollow are left out here, once, so that
nothing can catch on them in any step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solidbody.base.transforms import Pose, quat_rotate
from solidbody.compiler.aabb_trees import aabb_tree, morton_order
from solidbody.compiler.mesh_components import Faces, Points, real_faces, welded
from solidbody.contact import layout

LEAF = 4
"""Triangles per leaf of the tree."""
LEVEL = 1e-9
"""[rad] Faces that meet at a smaller angle are one plane."""


@dataclass(frozen=True, slots=True)
class TerrainTables:
    """Rows of one terrain, with starts counted from 0."""

    triangles: NDArray[np.void]
    edges: NDArray[np.void]
    peaks: NDArray[np.void]
    spokes: Points
    nodes: NDArray[np.void]


def terrain_tables(vertices: Points, faces: Faces, kind: layout.TerrainKind) -> TerrainTables:
    """Return the tables of a mesh (faces counter-clockwise from outside) or of heights over z = 0."""
    first, same = welded(vertices)
    vertices = np.ascontiguousarray(vertices[first])
    faces = real_faces(vertices, same[faces])
    corners = vertices[faces]
    order = morton_order(corners.mean(axis=1))
    faces, corners = faces[order], corners[order]

    out = np.zeros(len(faces), dtype=layout.TRIANGLE)
    steps = np.roll(corners, -1, axis=1) - corners
    normals = _unit(np.cross(steps[:, 0], steps[:, 1]))
    out["lo"], out["hi"] = corners.min(axis=1), corners.max(axis=1)
    out["normal"] = normals
    out["offset"] = (normals * corners[:, 0]).sum(axis=1)
    out["centre"], out["corner"] = corners.mean(axis=1), corners
    # planes through the edges, square to the face or (heights) upright
    up = normals[:, None, :] if kind is layout.TerrainKind.MESH else np.array([0.0, 0.0, 1.0])
    inwards = _unit(np.cross(np.broadcast_to(up, steps.shape), steps))
    out["side"][:, :, :3] = inwards
    out["side"][:, :, 3] = (inwards * corners).sum(axis=2)

    edges, owner, ends, out["ridge"] = _edges(vertices, faces, normals)
    if kind is layout.TerrainKind.ODE_HEIGHTS:
        edges, owner, ends, out["ridge"] = edges[:0], owner[:0], ends[:0], -1
    _count_rows(out, "edge", owner)
    peaks, spokes = _peaks(vertices, faces, ends, out)
    return TerrainTables(out, edges, peaks, spokes, _tree(out["lo"], out["hi"]))


def _unit(v: Points) -> Points:
    length = np.linalg.norm(v, axis=-1, keepdims=True)
    return v / np.where(length > 0, length, 1.0)


def _count_rows(triangles: NDArray[np.void], name: str, owner: NDArray[np.int64]) -> None:
    """Say which rows (sorted by owner) belong to each triangle."""
    counts = np.bincount(owner, minlength=len(triangles))
    triangles[f"{name}_count"] = counts
    triangles[f"{name}_start"] = np.cumsum(counts) - counts


def _edges(
    vertices: Points, faces: Faces, normals: Points
) -> tuple[NDArray[np.void], NDArray[np.int64], Faces, Faces]:
    """Return EDGE rows sorted by owner, the owners, the vertex pairs of rows, and the row of each side."""
    start = faces.reshape(-1)
    end = np.roll(faces, -1, axis=1).reshape(-1)
    face = np.repeat(np.arange(len(faces)), 3)
    low, high = np.minimum(start, end), np.maximum(start, end)
    _, group, size = np.unique(
        low * (len(vertices) + 1) + high, return_inverse=True, return_counts=True
    )
    group = group.reshape(-1)
    by_group = np.argsort(group, kind="stable")
    ordered = group[by_group]
    is_first = np.r_[True, ordered[1:] != ordered[:-1]] if len(ordered) else np.zeros(0, bool)
    one = by_group[is_first]
    two = by_group[np.minimum(np.flatnonzero(is_first) + 1, len(by_group) - 1)] if len(one) else one
    # a proper edge has two faces that run along it in opposite directions
    proper = (size == 2) & (start[one] == end[two])
    a, b = face[one], face[two]
    bend = np.arctan2(
        np.linalg.norm(np.cross(normals[a], normals[b]), axis=1),
        (normals[a] * normals[b]).sum(axis=1),
    )
    direction = _unit(vertices[end[one]] - vertices[start[one]])
    away_a = np.cross(direction, normals[a])
    away_b = np.cross(-direction, normals[b])
    # a ridge: going on from face a, one comes out above face b
    ridge = proper & ((away_a * normals[b]).sum(axis=1) > 0) & (bend > LEVEL)
    folded = proper & (bend > np.pi - LEVEL)
    kept = ridge | folded

    border = np.flatnonzero(~proper[group])
    border_direction = _unit(vertices[end[border]] - vertices[start[border]])
    count = int(kept.sum())
    rows = np.zeros(count + len(border), dtype=layout.EDGE)
    rows["start"][:count] = vertices[start[one[kept]]]
    rows["step"][:count] = vertices[end[one[kept]]] - vertices[start[one[kept]]]
    rows["c0"][:count], rows["c1"][:count] = away_a[kept], away_b[kept]
    rows["bend"][:count] = bend[kept]
    rows["start"][count:] = vertices[start[border]]
    rows["step"][count:] = vertices[end[border]] - vertices[start[border]]
    rows["c0"][count:] = np.cross(border_direction, normals[face[border]])
    rows["c1"][count:] = normals[face[border]]
    rows["bend"][count:] = np.pi
    rows["border"][count:] = 1
    owner = np.r_[np.minimum(a, b)[kept], face[border]].astype(np.int64)
    ends = np.stack([np.r_[start[one[kept]], start[border]], np.r_[end[one[kept]], end[border]]], 1)
    row_of = np.full(len(one), -1)
    row_of[kept] = np.arange(count)
    row = row_of[group]
    row[border] = np.arange(count, len(rows))
    sort = np.argsort(owner, kind="stable")
    place = np.r_[np.argsort(sort), -1]
    return rows[sort], owner[sort], ends[sort], place[row].reshape(-1, 3)


def _peaks(
    vertices: Points, faces: Faces, ends: Faces, triangles: NDArray[np.void]
) -> tuple[NDArray[np.void], Points]:
    """Return PEAK rows of the ends of `ends`, sorted by owner, and their spokes."""
    wanted = np.zeros(len(vertices), dtype=bool)
    wanted[ends.reshape(-1)] = True
    owner_of = np.full(len(vertices), len(faces))
    np.minimum.at(owner_of, faces.reshape(-1), np.repeat(np.arange(len(faces)), 3))
    vertex = np.flatnonzero(wanted)
    vertex = vertex[np.argsort(owner_of[vertex], kind="stable")]
    _count_rows(triangles, "peak", owner_of[vertex])

    start, end = faces.reshape(-1), np.roll(faces, -1, axis=1).reshape(-1)
    both = np.unique(np.r_[start, end] * len(vertices) + np.r_[end, start])
    inner, outer = both // len(vertices), both % len(vertices)
    inner, outer = inner[wanted[inner]], outer[wanted[inner]]
    counts = np.bincount(inner, minlength=len(vertices))
    starts = np.cumsum(counts) - counts
    peaks = np.zeros(len(vertex), dtype=layout.PEAK)
    peaks["point"] = vertices[vertex]
    peaks["spoke_start"], peaks["spoke_count"] = starts[vertex], counts[vertex]
    return peaks, _unit(vertices[outer] - vertices[inner]).reshape(-1, 3)


def pose_matrix(pose: Pose) -> NDArray[np.float64]:
    """Return the rotation of a pose as nine numbers, row-major."""
    units = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    return np.array([quat_rotate(pose.rotation, unit) for unit in units]).T.reshape(-1)


def _tree(lo: Points, hi: Points) -> NDArray[np.void]:
    """Return NODE rows over triangles in their order."""
    tree = aabb_tree(lo, hi, LEAF)
    is_leaf = tree.right == 0
    nodes = np.zeros(len(tree.right), dtype=layout.NODE)
    nodes["first"] = np.where(is_leaf, tree.first, tree.right)
    nodes["count"] = np.where(is_leaf, tree.count, 0)
    nodes["lo"], nodes["hi"] = tree.lo, tree.hi
    return nodes


def grid_faces(x_count: int, y_count: int) -> Faces:
    """Return the triangles of a grid of points, x fastest: cells cut from low-low to high-high.

    That is how ODE cuts the cells of a height field that has been turned to have z up.
    """
    x, y = np.meshgrid(np.arange(x_count - 1), np.arange(y_count - 1))
    corner = (x + y * x_count).reshape(-1)
    right, above = corner + 1, corner + x_count
    lower = np.stack([corner, right, above + 1], axis=1)
    upper = np.stack([corner, above + 1, above], axis=1)
    return np.concatenate([lower, upper]).astype(np.int64)


def grid_points(
    x_count: int, y_count: int, x_spacing: float, y_spacing: float, heights: Sequence[float]
) -> Points:
    """Return the points of a height field, corner at the origin."""
    out = np.empty((x_count * y_count, 3))
    out[:, 0] = np.tile(np.arange(x_count) * x_spacing, y_count)
    out[:, 1] = np.repeat(np.arange(y_count) * y_spacing, x_count)
    out[:, 2] = heights
    return out
