"""The state of a simulation beside MjData, one row per simulation: rows of `contact/layout.py`.

A compiled model has one layout (`state_dtype`), so that n simulations of it are n rows of one array. Going
back to the start, snapshots and copies are copies of a row.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from solidbody.contact import layout
from solidbody.contact.tables import Record, StepTables, Table

RANDOM = np.dtype([("words", "u8", 4), ("has_rest", "u4"), ("rest", "u4")], align=True)
"""See `base/random_streams.py`."""

PARTS: Final[dict[str, np.dtype[Any]]] = {
    "flags": layout.FLAGS,
    "commands": layout.COMMAND,
    "motors": layout.MOTOR_STATE,
    "movers": layout.MOVER,
    "grips": layout.LOOP,
    "kinematics": layout.PLACE,
    "propellers": layout.THRUST,
    "trees": layout.REST,
    "random": RANDOM,
}
"""Fields of a row; the step sees all but the last, as SbState."""

WRITTEN_PARTS: Final = frozenset({"flags", "motors", "trees"})
"""Those that the step writes."""


def state_dtype(tables: StepTables, *, movers: int, trees: int) -> np.dtype[Any]:
    """Return the layout of the rows of a compiled model.

    Args:
        tables: Its tables.
        movers: How many links can be given a velocity that nothing resists.
        trees: How many kinematic trees it has.
    """
    world = tables.world[0]
    counts = {
        "commands": int(world["axes"]),
        "motors": int(world["axes"]),
        "movers": movers,
        "grips": int(world["grips"]),
        "kinematics": int(world["kinematics"]),
        "propellers": int(world["propellers"]),
        "trees": trees,
    }
    rows = [(name, kind, (counts.get(name, 1),)) for name, kind in PARTS.items()]
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

    def __reduce__(self) -> tuple[type[StepState], tuple[Table]]:
        """Pickle the row alone: the other attributes are views into it."""
        return StepState, (self.rows.copy(),)

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
