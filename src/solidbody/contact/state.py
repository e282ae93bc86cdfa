"""What changes from step to step beside MjData: one row per simulation, numpy twin of sb_state.h.

A compiled model has one layout (`state_dtype`), so that n simulations of it are n rows of one array. Going
back to the start, snapshots and copies are copies of a row.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from solidbody.contact.tables import LOOP, Record, StepTables, Table

FLAGS = np.dtype([("has_forces", "i4"), ("movers", "i4")], align=True)
COMMAND = np.dtype(
    [
        ("mode", "i4"),
        ("asked", "i4"),
        ("target_position", "f8"),
        ("target_velocity", "f8"),
        ("target_effort", "f8"),
        ("available_effort", "f8"),
        ("acceleration", "f8"),
        ("p", "f8"),
        ("i", "f8"),
        ("d", "f8"),
        ("brake", "f8"),
    ],
    align=True,
)
MOTOR_STATE = np.dtype(
    [
        ("velocity", "f8"),
        ("integral", "f8"),
        ("error", "f8"),
        ("position", "f8"),
        ("effort", "f8"),
        ("reaction", "f8"),
    ],
    align=True,
)
MOVER = np.dtype(
    [("mocap", "i4"), ("body", "i4"), ("linear", "f8", 3), ("angular", "f8", 3)], align=True
)
PLACE = np.dtype([("pos", "f8", 3), ("quat", "f8", 4)], align=True)
THRUST = np.dtype([("force", "f8"), ("moment", "f8")], align=True)
REST = np.dtype([("idle", "f8"), ("ready", "i4"), ("pad", "i4")], align=True)
RANDOM = np.dtype([("words", "u8", 4), ("has_rest", "u4"), ("rest", "u4")], align=True)
"""See `base/random_streams.py`."""

PARTS: Final = (
    *("flags", "commands", "motors", "movers", "grips"),
    *("kinematics", "propellers", "trees", "random"),
)
"""Fields of a row."""

STEP_PARTS: Final = PARTS[:-1]
"""Those that the step sees, in the order of SbState."""


def state_dtype(tables: StepTables, *, movers: int, trees: int) -> np.dtype[Any]:
    """Return the layout of the rows of a compiled model.

    Args:
        tables: Its tables.
        movers: How many links can be given a velocity that nothing resists.
        trees: How many kinematic trees it has.
    """
    world = tables.world[0]
    axes = int(world["axes"])
    sizes = (
        (FLAGS, 1),
        (COMMAND, axes),
        (MOTOR_STATE, axes),
        (MOVER, movers),
        (LOOP, int(world["grips"])),
        (PLACE, int(world["kinematics"])),
        (THRUST, int(world["propellers"])),
        (REST, trees),
        (RANDOM, 1),
    )
    rows = [(name, kind, (count,)) for name, (kind, count) in zip(PARTS, sizes, strict=True)]
    return np.dtype(rows, align=True)


class StepState:
    """The state of one simulation, as views into its row: writing to them writes the row.

    Attributes:
        rows: The row, as an array of one; it may be part of a longer one.
        flags: One FLAGS record: forces for the next step, movers in use.
        commands: COMMAND rows, one per axis.
        motors: MOTOR_STATE rows, one per axis: what motors remember.
        movers: MOVER rows; those in use come first.
        grips: LOOP rows that hold links together on command.
        kinematics: PLACE rows, one per KINEMATIC row: where its body is when its joint stands at its start.
        propellers: THRUST rows, one per PROPELLER row.
        trees: REST rows, one per kinematic tree.
        random: One RANDOM record: where the noise of the sensors went on when a snapshot was last taken.
    """

    __slots__ = ("rows", *PARTS)

    flags: Table
    commands: Table
    motors: Table
    movers: Table
    grips: Table
    kinematics: Table
    propellers: Table
    trees: Table
    random: Table

    def __init__(self, rows: Table) -> None:
        if rows.shape != (1,):
            raise ValueError(f"the state of a simulation is one row, not {rows.shape}")
        self.rows = rows
        for name in PARTS:
            setattr(self, name, rows[name][0])

    @classmethod
    def zeros(cls, layout: np.dtype[Any]) -> StepState:
        """Return a row of that layout, all zero."""
        return cls(np.zeros(1, dtype=layout))

    @property
    def moving(self) -> Table:
        """The MOVER rows in use."""
        return self.movers[: int(self.flags["movers"][0])]

    def copy(self) -> StepState:
        """Return the same state in a row of its own, which may be changed."""
        return StepState(self.rows.copy())

    def take(self, other: StepState) -> None:
        """Become the same as another state."""
        self.rows.view(np.uint8)[...] = other.rows.view(np.uint8)

    def make_constant(self) -> StepState:
        """Let nobody write into it any more; returns it."""
        self.rows.setflags(write=False)
        for name in PARTS:
            getattr(self, name).setflags(write=False)
        return self


def loops_of(tables: StepTables, state: StepState) -> list[Record]:
    """Return all LOOP rows: those of the scene, then grips."""
    return [*tables.scene_loops, *state.grips]
