"""Measures of meshes that tests compare with closed forms."""

from __future__ import annotations

from collections import Counter

import numpy as np

from solidbody.model.geometry import GeometryMesh


def corners_of(mesh: GeometryMesh) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Return the points of all triangles, n x 3 x 3."""
    points = np.asarray(mesh.vertices, dtype=np.float64)
    return points[np.asarray(mesh.triangles, dtype=np.int64)]


def volume(mesh: GeometryMesh) -> float:
    """Return the volume inside; positive only if triangles turn counter-clockwise seen from outside."""
    a, b, c = np.moveaxis(corners_of(mesh), 1, 0)
    return float(np.einsum("ij,ij->", a, np.cross(b, c))) / 6.0


def area(mesh: GeometryMesh) -> float:
    """Return the area of all triangles."""
    a, b, c = np.moveaxis(corners_of(mesh), 1, 0)
    return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum()) / 2.0


def open_edges(mesh: GeometryMesh) -> int:
    """Return how many edges have no neighbour that runs the other way."""
    edges = Counter((t[i], t[(i + 1) % 3]) for t in mesh.triangles for i in range(3))
    return sum(count != edges[(b, a)] for (a, b), count in edges.items())


def normals_agree(mesh: GeometryMesh) -> bool:
    """Whether every corner's normal points to the outer side of its triangle."""
    a, b, c = np.moveaxis(corners_of(mesh), 1, 0)
    faces = np.repeat(np.cross(b - a, c - a), 3, axis=0)
    return bool(np.all(np.einsum("ij,ij->i", faces, np.asarray(mesh.normals)) > 0.0))
