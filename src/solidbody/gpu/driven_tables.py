"""Tables of links without physics that move, and of propellers, for the kernels (`native/sb_drives.h`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import mujoco
import numpy as np
from numpy.typing import NDArray

from solidbody.compiler import Compiled

Ints = NDArray[np.intp]

_REALS: Final = 29
"""KR_SIZE."""


def kinematic_rows(compiled: Compiled) -> Any:
    """Return the joints of bodies without physics."""
    return compiled.tables.kinematics[: int(compiled.tables.world["kinematics"][0])]


def movers(compiled: Compiled) -> Any:
    """Return the links without physics that have a velocity."""
    return compiled.start.moving


def driven_bodies(compiled: Compiled) -> NDArray[np.bool_]:
    """Return which bodies of MuJoCo move without being moved by forces: those, and what they carry."""
    m = compiled.model
    out = np.zeros(m.nbody, dtype=np.bool_)
    out[kinematic_rows(compiled)["body"]] = True
    out[movers(compiled)["body"]] = True
    for body in range(1, m.nbody):
        if m.body_jntnum[body] == 0:  # what forces move is not driven
            out[body] |= out[m.body_parentid[body]]
    return out


def riding_bodies(compiled: Compiled) -> NDArray[np.bool_]:
    """Return which bodies of MuJoCo are driven, or hang on one that is."""
    m, out = compiled.model, driven_bodies(compiled)
    for body in range(1, m.nbody):
        out[body] |= out[m.body_parentid[body]]
    return out


def driven_tables(
    compiled: Compiled, bodies: Ints, row_of: Ints, d: mujoco.MjData
) -> dict[str, NDArray[Any]]:
    """Return tables of driven links and of propellers.

    Args:
        compiled: The model.
        bodies: Of MuJoCo, those of the kernels.
        row_of: Row of each body of MuJoCo, -1: it stands still.
        d: Where everything stands.
    """
    m = compiled.model
    joints, moving = kinematic_rows(compiled), movers(compiled)
    ints: list[list[int]] = []
    reals = np.zeros((len(joints) + len(moving), _REALS))
    of_body = np.full(m.nbody, -1)
    for k, row in enumerate(joints):
        place, above = compiled.start.kinematics[k], int(m.body_parentid[row["body"]])
        of_body[row["body"]] = len(ints)
        ints.append([int(row["axis"]), int(row["axes"]), int(row["slides"])])
        still = above > 0 and row_of[above] < 0
        base = (*d.xpos[above], *d.xquat[above]) if still else (0, 0, 0, 1, 0, 0, 0)
        own = (row["anchor"], row["direction"].ravel(), row["start"], place["pos"], place["quat"])
        reals[k] = [*np.concatenate(own), *base]
    for k, row in enumerate(moving):
        of_body[row["body"]] = len(ints)
        ints.append([k, 0, 0])
    shafts = propellers(compiled)
    return {
        "BODY_KIN": of_body[bodies],
        "KIN_INT": np.array(ints or [[0] * 3]),
        "KIN": reals,
        "MOVER": np.concatenate([moving["linear"], moving["angular"]], axis=1),
        "PROPELLER_INT": np.stack([row_of[shafts["body"]], shafts["axis"]], axis=1),
        "PROPELLER": np.concatenate(
            [
                *(shafts[name] for name in ("point", "direction", "local", "thrust", "torque")),
                shafts["max_torque"][:, None],
            ],
            axis=1,
        ),
    }


def propellers(compiled: Compiled) -> Any:
    """Return propellers and rotors."""
    return compiled.tables.propellers[: int(compiled.tables.world["propellers"][0])]


def driven_counts(compiled: Compiled) -> Mapping[str, int]:
    """Return how many there are of each."""
    joints, moving, shafts = (len(rows(compiled)) for rows in (kinematic_rows, movers, propellers))
    return {
        "DRIVES": joints + moving + shafts,
        "KINS": joints + moving,
        "MOVERS": moving,
        "PROPELLERS": shafts,
        "LATE": int(compiled.tables.world["moves_late"][0]),
    }


def start_places(compiled: Compiled, d: mujoco.MjData) -> NDArray[np.float64]:
    """Return where movers are at the start: seven numbers each."""
    rows = movers(compiled)["mocap"]
    return np.concatenate([d.mocap_pos[rows], d.mocap_quat[rows]], axis=1).ravel()
