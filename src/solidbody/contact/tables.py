"""Constant tables that the compiler fills and the step reads: rows of `contact/layout.py`.

What changes from step to step is in `contact/state.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from solidbody.base.diagnostics import Diagnostic
from solidbody.contact import layout

if TYPE_CHECKING:
    import mujoco

Table = NDArray[np.void]
Record = Any
"""One row of a table: numpy does not type the fields of structured scalars."""

REAL = np.dtype(np.float64)
WHOLE = np.dtype(np.int32)


def table(dtype: np.dtype[Any], rows: int) -> Table:
    """Return a zeroed table; one row at least, so that its address is valid."""
    return np.zeros(max(rows, 1), dtype=dtype)


def column(
    dtype: np.dtype[Any], doc: str, *, width: int = 0, least: int = 0, count: str = ""
) -> Any:
    """Return the field of a class that a struct of pointers in C is made from (`contact/c_header.py`).

    Args:
        dtype: Of the rows.
        doc: What they are, for the header.
        width: How many of them are a row of the array; 0: it has one axis.
        least: Rows of the array if none is given.
        count: Name in C of the number of rows, where the other side needs it.
    """
    shape = (least, width) if width else least
    about = {"dtype": dtype, "doc": doc, "count": count}
    return field(default_factory=lambda: np.zeros(shape, dtype=dtype), metadata=about)


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
    """Forms that MuJoCo does not collide as we need it; empty for scenes of primitives."""

    terrains: Table = column(layout.TERRAIN, "", count="terrain_count")
    triangles: Table = column(layout.TRIANGLE, "of all terrains, in the order of their leaves")
    edges: Table = column(layout.EDGE, "each belongs to one triangle")
    peaks: Table = column(layout.PEAK, "each belongs to one triangle")
    spokes: NDArray[np.float64] = column(REAL, "3 per spoke, unit vectors", width=3)
    nodes: Table = column(layout.NODE, "of all terrains")
    hulls: Table = column(
        layout.HULL, "one per convex body that is not a primitive", count="hull_count"
    )
    hull_points: NDArray[np.float64] = column(REAL, "3 per corner, in the geom's frame", width=3)
    hull_planes: NDArray[np.float64] = column(REAL, "4 per plane: outward normal, offset", width=4)
    meshes: Table = column(
        layout.MESH, "one per moving shape made of triangles", count="mesh_count"
    )
    mesh_points: NDArray[np.float64] = column(REAL, "3 per vertex, in its own frame", width=3)
    mesh_ranks: NDArray[np.int32] = column(
        WHOLE, "per vertex: of equally deep ones the lowest are kept"
    )
    mesh_nodes: Table = column(layout.MESH_NODE, "of all meshes")
    body_sizes: NDArray[np.float64] = column(
        REAL,
        "per MuJoCo body: how far it may move in a step without passing through anything [m]"
        " (the radius inside its thickest shape); 0 for what does not move or collide",
        count="body_count",
    )
    groups: NDArray[np.int32] = column(
        WHOLE,
        "per MuJoCo geom: which shape of several parts it belongs to, -1 none; empty without such shapes",
        count="group_count",
    )
    hollow: NDArray[np.int32] = column(
        WHOLE,
        "per MuJoCo geom: 1 for the hull of a hollow mesh, whose triangles are a terrain of that geom and"
        " which is cut when it meets another such mesh; empty without such meshes",
        count="hollow_count",
    )
    parts: PartsSource | None = None
    """Who cuts hollow meshes."""


@dataclass(frozen=True, slots=True)
class StepTables:
    """All constants of a step beside MjModel."""

    world: Table = column(
        layout.WORLD, "one row; its counts say how many rows of the others are valid", least=1
    )
    surfaces: Table = column(layout.SURFACE, "", least=1)
    pairs: Table = column(layout.PAIR, "materials x materials, row-major", least=1)
    geoms: Table = column(layout.GEOM, "one per MuJoCo geom", least=1)
    axes: Table = column(layout.AXIS, "", least=1)
    dampers: Table = column(layout.DAMPER, "", least=1)
    balls: Table = column(layout.BALL, "", least=1)
    loops: Table = column(
        layout.LOOP, "of the scene; those that programs make are in the state", least=1
    )
    tracks: Table = column(layout.TRACK, "", least=1)
    kinematics: Table = column(layout.KINEMATIC, "", least=1)
    propellers: Table = column(layout.PROPELLER, "", least=1)
    immersions: Table = column(layout.IMMERSION, "", least=1)
    triangles: NDArray[np.float64] = column(
        REAL, "9 per triangle, of immersed meshes and of fluids", width=9, least=1
    )
    trees: Table = column(layout.TREE, "one per kinematic tree of MuJoCo", least=1)
    collision: CollisionTables = field(default_factory=CollisionTables)

    def __post_init__(self) -> None:
        make_constant(self)
        make_constant(self.collision)

    @property
    def scene_loops(self) -> Table:
        """The valid rows of `loops`."""
        return self.loops[: int(self.world["loops"][0] - self.world["grips"][0])]


def make_constant(tables: Any) -> None:
    """Let nobody write into the arrays of a dataclass."""
    for item in fields(tables):
        value = getattr(tables, item.name)
        if isinstance(value, np.ndarray):
            value.setflags(write=False)
