"""Terrain and hulls that our own colliders read: numpy twins of the structs in sb_terrain.h."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from solidbody.base.diagnostics import Diagnostic

if TYPE_CHECKING:
    import mujoco

TERRAIN = np.dtype(
    [
        ("geom", "i4"),
        ("kind", "i4"),
        ("contype", "i4"),
        ("conaffinity", "i4"),
        ("node_start", "i4"),
        ("node_count", "i4"),
        ("triangle_start", "i4"),
        ("triangle_count", "i4"),
        ("pos", "f8", 3),
        ("mat", "f8", 9),
        ("lo", "f8", 3),
        ("hi", "f8", 3),
    ],
    align=True,
)
TRIANGLE = np.dtype(
    [
        ("lo", "f8", 3),
        ("hi", "f8", 3),
        ("normal", "f8", 3),
        ("offset", "f8"),
        ("side", "f8", (3, 4)),
        ("centre", "f8", 3),
        ("corner", "f8", (3, 3)),
        ("edge_start", "i4"),
        ("edge_count", "i4"),
        ("peak_start", "i4"),
        ("peak_count", "i4"),
        ("ridge", "i4", 3),
        ("pad", "i4"),
    ],
    align=True,
)
EDGE = np.dtype(
    [
        ("start", "f8", 3),
        ("step", "f8", 3),
        ("c0", "f8", 3),
        ("c1", "f8", 3),
        ("bend", "f8"),
        ("border", "i4"),
        ("pad", "i4"),
    ],
    align=True,
)
PEAK = np.dtype([("point", "f8", 3), ("spoke_start", "i4"), ("spoke_count", "i4")], align=True)
NODE = np.dtype([("lo", "f8", 3), ("hi", "f8", 3), ("first", "i4"), ("count", "i4")], align=True)
HULL = np.dtype(
    [
        ("geom", "i4"),
        ("pad", "i4"),
        ("point_start", "i4"),
        ("point_count", "i4"),
        ("plane_start", "i4"),
        ("plane_count", "i4"),
    ],
    align=True,
)
CLOUD = np.dtype(
    [
        ("geom", "i4"),
        ("node_start", "i4"),
        ("point_start", "i4"),
        ("point_count", "i4"),
        ("pos", "f8", 3),
        ("mat", "f8", 9),
    ],
    align=True,
)
CLOUD_NODE = np.dtype(
    [
        ("lo", "f8", 3),
        ("hi", "f8", 3),
        ("first", "i4"),
        ("count", "i4"),
        ("right", "i4"),
        ("pad", "i4"),
    ],
    align=True,
)
DTYPES = (TERRAIN, TRIANGLE, EDGE, PEAK, NODE, HULL, CLOUD, CLOUD_NODE)
"""In the order of sb_collision_sizes."""


class TerrainKind(IntEnum):
    """What a terrain is made from; of `ODE_HEIGHTS` only the faces are felt, without their edges."""

    MESH = 0
    HEIGHTS = 1
    ODE_HEIGHTS = 2


def _rows(dtype: np.dtype[Any]) -> Any:
    return field(default_factory=lambda: np.zeros(0, dtype=dtype))


def _vectors(width: int) -> Any:
    return field(default_factory=lambda: np.zeros((0, width)))


class PartsSource(Protocol):
    """Who cuts hollow meshes into parts when a step finds that it needs them."""

    problems: list[Diagnostic]
    """Why meshes stay hulls: they could not be cut."""

    def prepare(self, geoms: Sequence[int]) -> None:
        """Cut the meshes of these geoms, side by side."""
        ...

    def pair(self, low: int, high: int) -> mujoco.MjModel:
        """Return a model of two floating bodies, those of the two geoms, with their parts only."""
        ...


@dataclass(frozen=True, slots=True)
class CollisionTables:
    """Forms that MuJoCo does not collide as we need it; empty for scenes of primitives.

    Attributes:
        terrains: TERRAIN rows.
        triangles: TRIANGLE rows of all terrains, in the order of the leaves of their trees.
        edges: EDGE rows; each belongs to one triangle.
        peaks: PEAK rows; each belongs to one triangle.
        spokes: Unit vectors (n, 3).
        nodes: NODE rows of all terrains.
        hulls: HULL rows, one per convex body that is not a primitive.
        hull_points: Corners (n, 3) in the frames of the geoms.
        hull_planes: Outward normals and offsets (n, 4), likewise.
        clouds: CLOUD rows, one per moving shape made of triangles.
        cloud_points: Its vertices (n, 3) in its own frame.
        cloud_ranks: Of each vertex: of equally deep ones those of low rank are kept.
        cloud_nodes: CLOUD_NODE rows of all clouds.
        body_sizes: Per MuJoCo body, how far it may move in a step without passing through anything
            [m]: the radius inside its thickest shape; 0 for what does not move or collide.
        groups: Per MuJoCo geom, which shape of several parts it belongs to, -1 for all others;
            empty if there is no such shape.
        hollow: Per MuJoCo geom, 1 for the hull of a hollow mesh, whose triangles are a terrain of that geom
            and which `parts` cuts when it meets another such mesh; empty if there is none.
        parts: Who cuts them.
    """

    terrains: NDArray[np.void] = _rows(TERRAIN)
    triangles: NDArray[np.void] = _rows(TRIANGLE)
    edges: NDArray[np.void] = _rows(EDGE)
    peaks: NDArray[np.void] = _rows(PEAK)
    spokes: NDArray[np.float64] = _vectors(3)
    nodes: NDArray[np.void] = _rows(NODE)
    hulls: NDArray[np.void] = _rows(HULL)
    hull_points: NDArray[np.float64] = _vectors(3)
    hull_planes: NDArray[np.float64] = _vectors(4)
    clouds: NDArray[np.void] = _rows(CLOUD)
    cloud_points: NDArray[np.float64] = _vectors(3)
    cloud_ranks: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    cloud_nodes: NDArray[np.void] = _rows(CLOUD_NODE)
    body_sizes: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    groups: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    hollow: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    parts: PartsSource | None = None
