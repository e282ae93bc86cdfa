"""Tables that the compiler fills and the step reads: numpy twins of the structs in sb_tables.h."""

from __future__ import annotations

from dataclasses import dataclass, field
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
        ("max_depth", "f8"),
        ("friction_count", "i4"),
        ("slip_count", "i4"),
        ("max_contacts", "i4"),
        ("second_zero", "i4"),
        ("follows_sliding", "i4"),
        ("keeps_spread", "i4"),
    ],
    align=True,
)
PAIR = np.dtype([("surface", "i4"), ("first", "i4")], align=True)
GEOM = np.dtype(
    [("material", "i4"), ("cap", "i4"), ("on_cap", "i4"), ("on_side", "i4")], align=True
)
AXIS = np.dtype(
    [
        ("dof", "i4"),
        ("qpos", "i4"),
        ("mode", "i4"),
        ("pad", "i4"),
        ("target_position", "f8"),
        ("target_velocity", "f8"),
        ("target_effort", "f8"),
        ("available_effort", "f8"),
        ("acceleration", "f8"),
        ("p", "f8"),
        ("i", "f8"),
        ("d", "f8"),
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
MOTOR_STATE = np.dtype([("velocity", "f8"), ("integral", "f8"), ("error", "f8")], align=True)
MOVER = np.dtype(
    [("mocap", "i4"), ("pad", "i4"), ("linear", "f8", 3), ("angular", "f8", 3)], align=True
)
DAMPER = np.dtype(
    [("body", "i4"), ("free_dof", "i4"), ("linear", "f8"), ("angular", "f8")], align=True
)
WORLD = np.dtype(
    [
        ("erp", "f8"),
        ("cfm", "f8"),
        ("ode_rotation", "i4"),
        ("materials", "i4"),
        ("axes", "i4"),
        ("movers", "i4"),
        ("dampers", "i4"),
        ("ode_caps", "i4"),
        ("follows_sliding", "i4"),
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
        ("residual", "f8"),
        ("worst_residual", "f8"),
        ("rows", "i4"),
        ("contacts", "i4"),
        ("islands", "i4"),
        ("sweeps", "i4"),
        ("solves", "i4"),
        ("factorizations", "i4"),
    ],
    align=True,
)


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


@dataclass(frozen=True, slots=True)
class StepTables:
    """Everything the step reads beside MjModel and MjData.

    Attributes:
        world: One row of WORLD; its counts say how many rows of the others are valid.
        surfaces: SURFACE rows.
        pairs: PAIR rows, materials x materials, row-major.
        geoms: GEOM rows, one per MuJoCo geom.
        axes: AXIS rows; commands may be changed between steps.
        movers: MOVER rows; velocities may be changed between steps.
        dampers: DAMPER rows.
        collision: Terrain and hulls.
    """

    world: Table
    surfaces: Table
    pairs: Table
    geoms: Table
    axes: Table
    movers: Table
    dampers: Table
    collision: CollisionTables = field(default_factory=CollisionTables)
