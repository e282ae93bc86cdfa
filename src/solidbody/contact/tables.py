"""Tables that the compiler fills and nobody changes: numpy twins of the structs in sb_tables.h.

What changes from step to step is in `contact/state.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solidbody.contact.terrain_tables import CollisionTables

Table = NDArray[np.void]
Record = Any
"""One row of a table: numpy does not type the fields of structured scalars."""

SURFACE = np.dtype(
    [
        ("friction", "f8", 4),
        ("slip", "f8", 4),
        ("rotation", "f8", 2),
        ("rolling", "f8", 3),
        ("bounce", "f8"),
        ("bounce_velocity", "f8"),
        ("erp", "f8"),
        ("cfm", "f8"),
        ("static_friction", "f8"),
        ("rest_depth", "f8"),
        ("depth_scale", "f8"),
        ("min_depth", "f8"),
        ("max_depth", "f8"),
        ("friction_count", "i4"),
        ("slip_count", "i4"),
        ("max_contacts", "i4"),
        ("second_zero", "i4"),
        ("follows_sliding", "i4"),
        ("keeps_spread", "i4"),
        ("remembers_loads", "i4"),
        ("pad", "i4"),
    ],
    align=True,
)
PAIR = np.dtype([("surface", "i4"), ("first", "i4")], align=True)
GEOM = np.dtype(
    [("material", "i4"), ("cap", "i4"), ("on_cap", "i4"), ("on_side", "i4")], align=True
)
AXIS = np.dtype(
    [
        ("kind", "i4"),
        ("dof", "i4"),
        ("qpos", "i4"),
        ("rigid", "i4"),
        ("range_low", "f8"),
        ("range_high", "f8"),
        ("static_friction", "f8"),
        ("spring", "f8"),
        ("damping", "f8"),
        ("stop_low", "f8"),
        ("stop_high", "f8"),
        ("stop_erp", "f8"),
        ("stop_cfm", "f8"),
        ("stop_bounce", "f8"),
    ],
    align=True,
)
BALL = np.dtype(
    [
        ("axis", "i4"),
        ("loop", "i4"),
        ("first", "f8", 3),
        ("second", "f8", 3),
        ("third", "f8", 3),
        ("start", "f8", 3),
    ],
    align=True,
)
LOOP = np.dtype(
    [
        ("kind", "i4"),
        ("body", "i4", 2),
        ("axis", "i4"),
        ("pos", "f8", (2, 3)),
        ("quat", "f8", (2, 4)),
        ("start", "f8", 2),
        ("second", "f8", 3),
        ("turned", "f8"),
    ],
    align=True,
)
TRACK = np.dtype(
    [
        ("body", "i4"),
        ("axis", "i4"),
        ("around", "i4"),
        ("pad", "i4"),
        ("forward", "f8", 3),
        ("up", "f8", 3),
        ("mass", "f8"),
    ],
    align=True,
)
KINEMATIC = np.dtype(
    [
        ("body", "i4"),
        ("axis", "i4"),
        ("axes", "i4"),
        ("slides", "i4"),
        ("anchor", "f8", 3),
        ("direction", "f8", (3, 3)),
        ("start", "f8", 3),
    ],
    align=True,
)
PROPELLER = np.dtype(
    [
        ("body", "i4"),
        ("axis", "i4"),
        ("point", "f8", 3),
        ("direction", "f8", 3),
        ("local", "f8", 3),
        ("thrust", "f8", 2),
        ("torque", "f8", 2),
        ("max_torque", "f8"),
    ],
    align=True,
)
IMMERSION = np.dtype(
    [
        ("body", "i4"),
        ("form", "i4"),
        ("fluid_form", "i4"),
        ("projected", "i4"),
        ("triangles", "i4", 2),
        ("fluid_triangles", "i4", 2),
        ("pos", "f8", 3),
        ("quat", "f8", 4),
        ("size", "f8", 3),
        ("area", "f8"),
        ("fluid_pos", "f8", 3),
        ("fluid_quat", "f8", 4),
        ("fluid_size", "f8", 3),
        ("density", "f8"),
        ("viscosity", "f8"),
        ("stream", "f8", 3),
        ("drag_force", "f8", 3),
        ("drag_torque", "f8", 3),
        ("viscous_force", "f8"),
        ("viscous_torque", "f8"),
    ],
    align=True,
)
DAMPER = np.dtype(
    [("body", "i4"), ("free_dof", "i4"), ("linear", "f8"), ("angular", "f8")], align=True
)
TREE = np.dtype([("stays_awake", "i4")], align=True)
WORLD = np.dtype(
    [
        ("erp", "f8"),
        ("cfm", "f8"),
        ("sleep_time", "f8"),
        ("sleep_linear", "f8"),
        ("sleep_angular", "f8"),
        ("ode_rotation", "i4"),
        ("materials", "i4"),
        ("axes", "i4"),
        ("dampers", "i4"),
        ("ode_caps", "i4"),
        ("follows_sliding", "i4"),
        ("middle_coriolis", "i4"),
        ("balls", "i4"),
        ("loops", "i4"),
        ("grips", "i4"),
        ("tracks", "i4"),
        ("kinematics", "i4"),
        ("propellers", "i4"),
        ("immersions", "i4"),
        ("implicit_gyro", "i4"),
        ("runge_kutta", "i4"),
        ("moves_late", "i4"),
        ("pad", "i4"),
    ],
    align=True,
)
STATS = np.dtype(
    [
        ("steps", "i8"),
        ("not_converged", "i8"),
        ("contacts_dropped", "i8"),
        ("memory_full", "i8"),
        ("too_fast", "i8"),
        ("residual", "f8"),
        ("worst_residual", "f8"),
        ("rows", "i4"),
        ("contacts", "i4"),
        ("islands", "i4"),
        ("sweeps", "i4"),
        ("solves", "i4"),
        ("factorizations", "i4"),
        ("contacts_lost", "i8"),
        ("most_dropped", "i4"),
        ("dropped_geom", "i4", 2),
        ("most_found", "i4"),
        ("lost_geom", "i4", 2),
    ],
    align=True,
)


class AxisKind(IntEnum):
    """What an axis moves."""

    JOINT = 0
    BALL = 1
    LOOP = 2
    TRACK = 3
    KINEMATIC = 4
    PROPELLER = 5


class LoopKind(IntEnum):
    """Joints that close a loop; NONE = switched off."""

    NONE = 0
    BALL = 1
    HINGE = 2
    FIXED = 3
    PISTON = 4
    SLIDER = 5
    HINGE2 = 6
    GRIP = 7
    """Fixed, made at run time: its bodies do not collide."""
    PLANE = 8


class FluidForm(IntEnum):
    """Forms of immersed bodies and of fluids."""

    BOX = 0
    SPHERE = 1
    CAPSULE = 2
    CYLINDER = 3
    MESH = 4
    PLANE = 5


class MotorMode(IntEnum):
    """What drives an axis."""

    NONE = 0
    VELOCITY = 1
    POSITION = 2
    EFFORT = 3


class PairFirst(IntEnum):
    """Whose friction directions come first in a pair of materials."""

    ROW = 0
    COLUMN = 1
    EITHER = 2


def table(dtype: np.dtype[Any], rows: int) -> Table:
    """Return a zeroed table; one row at least, so that its address is valid."""
    return np.zeros(max(rows, 1), dtype=dtype)


def no_rows(dtype: np.dtype[Any]) -> Table:
    """Return a table of which no row is valid."""
    return table(dtype, 0)


@dataclass(frozen=True, slots=True)
class StepTables:
    """All constants of a step beside MjModel. The order is that of SbTables.

    Attributes:
        world: One row of WORLD; its counts say how many rows of the others are valid.
        surfaces: SURFACE rows.
        pairs: PAIR rows, materials x materials, row-major.
        geoms: GEOM rows, one per MuJoCo geom.
        axes: AXIS rows.
        dampers: DAMPER rows.
        balls: BALL rows.
        loops: LOOP rows of the scene; those that programs make are in the state.
        tracks: TRACK rows.
        kinematics: KINEMATIC rows.
        propellers: PROPELLER rows.
        immersions: IMMERSION rows.
        triangles: (n, 9) corners of immersed meshes and of fluids.
        trees: TREE rows, one per kinematic tree of MuJoCo.
        collision: Terrain and hulls.
    """

    world: Table
    surfaces: Table
    pairs: Table
    geoms: Table
    axes: Table
    dampers: Table
    balls: Table = field(default_factory=lambda: no_rows(BALL))
    loops: Table = field(default_factory=lambda: no_rows(LOOP))
    tracks: Table = field(default_factory=lambda: no_rows(TRACK))
    kinematics: Table = field(default_factory=lambda: no_rows(KINEMATIC))
    propellers: Table = field(default_factory=lambda: no_rows(PROPELLER))
    immersions: Table = field(default_factory=lambda: no_rows(IMMERSION))
    triangles: NDArray[np.float64] = field(default_factory=lambda: np.zeros((1, 9)))
    trees: Table = field(default_factory=lambda: no_rows(TREE))
    collision: CollisionTables = field(default_factory=CollisionTables)

    def __post_init__(self) -> None:
        make_constant(self)
        make_constant(self.collision)

    @property
    def scene_loops(self) -> Table:
        """The valid rows of `loops`."""
        return self.loops[: int(self.world["loops"][0] - self.world["grips"][0])]


def make_constant(tables: object) -> None:
    """Let nobody write into the arrays of a dataclass."""
    for item in fields(tables):  # type: ignore[arg-type]
        value = getattr(tables, item.name)
        if isinstance(value, np.ndarray):
            value.setflags(write=False)
