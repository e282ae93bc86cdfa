"""Rows of the motion log of `run --log`: CSV, one row per period, numbers that read back without loss."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from solidbody.sim import Sim

BODY_COLUMNS = ("x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz")
JOINT_COLUMNS = ("q", "dq")

ROUNDING = 1e-6
"""Share of a step by which a time may miss a row's time and still count as it: 0.1 + 0.2 is not 0.3."""


def header(bodies: Sequence[str], joints: Sequence[str]) -> str:
    """Return the first line; names with commas or quotes are quoted as CSV does."""
    names = ["time"]
    names += [f"{body}.{column}" for body in bodies for column in BODY_COLUMNS]
    names += [f"{joint}.{column}" for joint in joints for column in JOINT_COLUMNS]
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(names)
    return line.getvalue()


def row(sim: Sim, names: tuple[Sequence[str], Sequence[str]] | None = None) -> str:
    """Return the present state as a line; every number reads back as the same double.

    Args:
        sim: The simulation.
        names: Bodies and joints of the header; None = those of now. What a program has removed since
            leaves its columns empty, what it has added has none.
    """
    bodies = np.concatenate((sim.poses(), sim.velocities()), axis=1)
    joints = sim.joint_states()
    if names is not None and names != (sim.link_names, sim.joint_names):
        return _changed_row(sim, names, bodies, joints)
    values = np.concatenate((bodies.ravel(), joints.ravel()))
    return (
        f"{sim.time!r},{','.join(map(repr, values.tolist()))}\n"
        if values.size
        else f"{sim.time!r}\n"
    )


def _changed_row(
    sim: Sim,
    names: tuple[Sequence[str], Sequence[str]],
    bodies: NDArray[np.float64],
    joints: NDArray[np.float64],
) -> str:
    cells = [repr(sim.time)]
    for wanted, known, values in (
        (names[0], sim.link_names, bodies),
        (names[1], sim.joint_names, joints),
    ):
        rows = {name: k for k, name in enumerate(known)}
        for name in wanted:
            if name in rows:
                cells += map(repr, values[rows[name]].tolist())
            else:
                cells += [""] * values.shape[1]
    return ",".join(cells) + "\n"


def row_step(index: int, period: float | None, time_step: float) -> int:
    """Return the step after which row `index` is due: the first one not before index*period."""
    if period is None:
        return index
    return max(index, math.ceil(index * period / time_step - ROUNDING))
