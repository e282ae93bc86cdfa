"""Mesh repair: welds vertices, finds connected components, makes faces point outward."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from solidbody.base.transforms import Vec3

Points = NDArray[np.float64]
Faces = NDArray[np.int64]

WELD = 1e-7
"""[m] Vertices nearer to each other are one: files repeat vertices, rounded to single precision."""
LEAST_AREA = 1e-10
"""Triangles whose area is smaller than this share of their longest edge's square have no normal."""
MOST_COMPONENTS = 64
"""Connected components of a mesh up to which each is looked at by itself."""


def welded(vertices: Points) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return one vertex of each place, and for every vertex the index of its place."""
    cells = np.round(vertices / WELD)
    order = np.lexsort(cells.T)
    ordered = cells[order]
    is_new = np.ones(len(order), dtype=bool)
    is_new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    same = np.empty(len(order), dtype=np.int64)
    same[order] = np.cumsum(is_new) - 1
    return order[is_new], same


def real_faces(vertices: Points, faces: Faces) -> Faces:
    """Return the faces that have an area."""
    return faces[has_area(vertices, faces)]


def has_area(vertices: Points, faces: Faces) -> NDArray[np.bool_]:
    """Return for each face whether it has an area."""
    corners = vertices[faces]
    steps = np.roll(corners, -1, axis=1) - corners
    double = np.linalg.norm(np.cross(steps[:, 0], steps[:, 1]), axis=1)
    longest = (steps**2).sum(axis=2).max(axis=1)
    return double > LEAST_AREA * longest


def is_met(points: Points, faces: Faces) -> NDArray[np.bool_]:
    """Return (face, 3): whether another face runs along each edge the other way."""
    place = welded(points)[1][faces]
    size = int(place.max()) + 1
    start, end = place.reshape(-1), np.roll(place, -1, axis=1).reshape(-1)
    return np.isin(start * size + end, end * size + start).reshape(-1, 3)


def component_of_each(points: Points, faces: Faces) -> NDArray[np.int64]:
    """Return for each face the number of its connected component, from 0; components share no vertex."""
    corners = welded(points)[1][faces]
    # every vertex takes the least label around it until nothing changes
    label = np.arange(int(corners.max()) + 1)
    while True:
        before = label.copy()
        least = label[corners].min(axis=1)
        for k in range(3):
            np.minimum.at(label, corners[:, k], least)
        label = label[label]
        if (label == before).all():
            return np.unique(label[corners[:, 0]], return_inverse=True)[1].reshape(-1)


def connected_components(points: Points, faces: Faces) -> list[tuple[Points, Faces]]:
    """Return the connected components of a mesh; the whole if there are many."""
    component = component_of_each(points, faces)
    count = int(component.max()) + 1
    if count > MOST_COMPONENTS:
        return [(points, faces)]
    out: list[tuple[Points, Faces]] = []
    for k in range(count):
        used, local = np.unique(faces[component == k], return_inverse=True)
        out.append((points[used], local.reshape(-1, 3).astype(np.int64)))
    return out


def faces_outward(points: Points, faces: Faces, inmates: Sequence[Vec3] = ()) -> Faces:
    """Return the faces, those of closed components that are inside out turned round.

    Files are not always careful with the order of corners. A closed surface means its inside to be
    solid, unless it is a room: something that moves (`inmates`, in the same frame) is within its
    bounding box. Of an open surface nobody can tell, and it stays as it is.
    """
    if not len(faces):
        return faces
    component = component_of_each(points, faces)
    opens = np.bincount(component, weights=~is_met(points, faces).all(axis=1)) > 0
    # any point serves as origin for a closed surface; one nearby keeps the digits
    volume = np.bincount(component, weights=np.linalg.det(points[faces] - points[faces[0, 0]]))
    turn = ~opens & (volume < 0)
    for k in np.flatnonzero(turn).tolist() if len(inmates) else ():
        corners = points[faces[component == k]].reshape(-1, 3)
        low, high = corners.min(axis=0), corners.max(axis=0)
        turn[k] = not any(((low < at) & (np.array(at) < high)).all() for at in inmates)
    turned = turn[component]
    return np.where(turned[:, None], faces[:, ::-1], faces)
