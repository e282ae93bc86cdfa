"""Finds pairs of shapes that no motion of joints ever brings together: the wheels of one robot, say.

A ball around a shape is carried up its tree. A hinge makes it the ball around all places that the shape turns
to, about the nearest point of the axis; a ball joint about the joint. Beyond sliders and free joints shapes
may be anywhere. What joints of a tree allow is exact, so that these balls are never left.
"""

from __future__ import annotations

import math
from typing import Final

import mujoco
import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.intp]
Floats = NDArray[np.float64]
Ball = tuple[Floats, float]

ROUNDING: Final = 1e-6
"""[m] Room for rounding between two balls."""
MOST_LOOKED_AT: Final = 1 << 15
"""Pairs that are looked at; of more than that, the first."""

_FREE: Final = int(mujoco.mjtJoint.mjJNT_FREE)
_BALL: Final = int(mujoco.mjtJoint.mjJNT_BALL)
_HINGE: Final = int(mujoco.mjtJoint.mjJNT_HINGE)
_ENDLESS: Final = (int(mujoco.mjtGeom.mjGEOM_PLANE), int(mujoco.mjtGeom.mjGEOM_HFIELD))


def _swept(m: mujoco.MjModel, body: int, ball: Ball) -> Ball:
    """Return the ball around all places of one that the joints of a body move, in the frame of the body."""
    centre, radius = ball
    first = int(m.body_jntadr[body])
    for joint in reversed(range(first, first + int(m.body_jntnum[body]))):
        kind, away = int(m.jnt_type[joint]), centre - m.jnt_pos[joint]
        if kind == _HINGE:
            away = away - m.jnt_axis[joint] * float(m.jnt_axis[joint] @ away)
        elif kind != _BALL:
            return centre, math.inf
        centre, radius = centre - away, radius + float(np.linalg.norm(away))
    return centre, radius


def _carried(m: mujoco.MjModel, geom: int, driven: NDArray[np.bool_]) -> dict[int, Ball]:
    """Return the balls around a geom in the frames of its body and of all bodies above, by body."""
    body, ball = int(m.geom_bodyid[geom]), (m.geom_pos[geom].copy(), float(m.geom_rbound[geom]))
    found = {body: ball}
    while body:
        centre, radius = _swept(m, body, ball)
        radius = math.inf if driven[body] else radius
        turned = np.zeros(3)
        mujoco.mju_rotVecQuat(turned, centre, m.body_quat[body])
        ball = (turned + m.body_pos[body], radius)
        body = int(m.body_parentid[body])
        found[body] = ball
    return found


def can_meet(m: mujoco.MjModel, pairs: Ints, driven: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which of (pairs, 2) geoms may touch each other some time.

    Args:
        m: The model.
        pairs: Of geoms.
        driven: Which bodies move without physics.
    """
    out = np.ones(len(pairs), dtype=np.bool_)
    body = m.geom_bodyid[pairs]
    tree = m.body_treeid[body]
    # what floats may go anywhere, but for the rest of its own tree
    floats = np.zeros(max(1, m.ntree), dtype=np.bool_)
    for number in range(m.ntree):
        floats[number] = m.jnt_type[m.dof_jntid[m.tree_dofadr[number]]] == _FREE
    is_loose = (tree >= 0) & floats[tree]
    endless = np.isin(m.geom_type[pairs], _ENDLESS).any(axis=1)
    asked = ~endless & ((tree[:, 0] == tree[:, 1]) | ~is_loose.any(axis=1))
    balls: dict[int, dict[int, Ball]] = {}
    for k in np.flatnonzero(asked)[:MOST_LOOKED_AT].tolist():
        for geom in pairs[k].tolist():
            if geom not in balls:
                balls[geom] = _carried(m, geom, driven)
        one, two = (balls[geom] for geom in pairs[k].tolist())
        # bodies above come later: the first that both have is the nearest
        above = next(at for at in one if at in two)
        (centre, radius), (other, reach) = one[above], two[above]
        reach += radius + float(m.geom_margin[pairs[k]].sum()) + ROUNDING
        out[k] = float(np.linalg.norm(centre - other)) <= reach
    return out
