"""Moving surfaces (conveyor belts, tracks) in the reference step (native: sb_tracks.c)."""

from __future__ import annotations

import math
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from solidbody.contact import law
from solidbody.contact import tables as t
from solidbody.contact.state import StepState

Vector = NDArray[np.float64]

LEAST_TANGENT = 1e-3
"""See SB_LEAST_TANGENT."""


def _is_lower_run(gravity: Vector, into: Vector, cosine: float) -> bool:
    """Whether the run of a belt that a normal points into is the lower one; see sb_tracks.c."""
    axis = int(np.argmax(np.abs(gravity)))
    if gravity[axis] == 0.0:
        return cosine >= 0.0
    return bool(into[axis] * gravity[axis] <= 0.0)


def _surface(
    m: mujoco.MjModel,
    d: mujoco.MjData,
    tables: t.StepTables,
    state: StepState,
    geom: int,
    into: Vector,
) -> tuple[Vector, Vector] | None:
    """Return velocity and direction of travel of the surface of a geom, None if it is still."""
    body = int(m.geom_bodyid[geom])
    for track in tables.tracks[: int(tables.world["tracks"][0])]:
        if track["body"] != body:
            continue
        mat = d.xmat[body].reshape(3, 3)
        forward, up = mat @ track["forward"], mat @ track["up"]
        speed = float(state.motors[track["axis"]]["velocity"])
        if not track["around"]:
            cosine = min(max(float(into @ up), -1.0), 1.0)
            speed *= abs(math.asin(cosine)) / (0.5 * math.pi)
            if _is_lower_run(m.opt.gravity, into, cosine):
                speed = -speed
            return speed * forward, forward
        along = law.cross(into, law.cross(up, forward))
        length = math.sqrt(float(along @ along))
        if length < LEAST_TANGENT:
            return np.zeros(3), np.zeros(3)
        return speed * along / length, along / length
    return None


def contact_surface(
    m: mujoco.MjModel, d: mujoco.MjData, tables: t.StepTables, state: StepState, contact: Any
) -> tuple[Vector, Vector | None]:
    """Return the velocity of the second surface against the first, and a tangent if there is one."""
    n = contact.frame[:3].copy()
    velocity, tangent = np.zeros(3), None
    for side, sign in enumerate((-1.0, 1.0)):
        found = _surface(m, d, tables, state, int(contact.geom[side]), sign * n)
        if found is None:
            continue
        velocity = velocity + sign * found[0]
        across = law.cross(n, found[1])
        if float(across @ across) > LEAST_TANGENT**2:
            tangent = found[1]
    return velocity, tangent
