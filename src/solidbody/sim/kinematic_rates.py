"""Velocities of links without physics, which MuJoCo takes for static."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from solidbody.sim.core import Core

Floats = NDArray[np.float64]


def add_kinematic_velocities(core: Core, rows: slice, origin: Floats, out: Floats) -> None:
    """Add to (links, 6) what movers and kinematic joints give each link and all that ride on it.

    Args:
        core: The simulation, its poses up to date.
        rows: The links.
        origin: (links, 3) positions of the link origins.
        out: Linear velocity of the origins and angular velocity, world.
    """
    sources = _movers(core) | _joints(core)
    if not sources:
        return
    parent, body = core.compiled.binding.parent, core.compiled.binding.body
    m = core.model
    for k, at in enumerate(range(len(parent))[rows]):
        while at >= 0:
            for point, linear, angular in sources.get(int(body[at]), ()):
                out[k, :3] += linear + np.cross(angular, origin[k] - point)
                out[k, 3:] += angular
            # a link that floats does not go along with what is above it
            carried = m.body_parentid[body[at]] != 0
            at = int(parent[at]) if carried else -1


Source = tuple[Floats, Floats, Floats]
"""A point [m], its velocity [m/s], and the angular velocity [rad/s] about it, world."""


def _movers(core: Core) -> dict[int, list[Source]]:
    d = core.data
    return {
        int(row["body"]): [(d.xpos[row["body"]], row["linear"], row["angular"])]
        for row in core.state.moving
    }


def _joints(core: Core) -> dict[int, list[Source]]:
    """Return the motion of each kinematic joint: about its axes as they stand now."""
    tables, d, m = core.compiled.tables, core.data, core.model
    out: dict[int, list[Source]] = {}
    for row in tables.kinematics[: int(tables.world["kinematics"][0])]:
        body = int(row["body"])
        above = int(m.body_parentid[body])
        frame = d.xmat[above].reshape(3, 3)
        anchor = d.xpos[above] + frame @ row["anchor"]
        sources: list[Source] = []
        turned = np.eye(3)
        for i in range(int(row["axes"])):
            state = core.state.motors[row["axis"] + i]
            axis = frame @ (turned @ row["direction"][i])
            rate = float(state["velocity"])
            if row["slides"]:
                sources.append((anchor, rate * axis, np.zeros(3)))
                continue
            sources.append((anchor, np.zeros(3), rate * axis))
            turned = turned @ _turn(row["direction"][i], float(state["position"] - row["start"][i]))
        out[body] = sources
    return out


def _turn(axis: Floats, angle: float) -> Floats:
    """Return the rotation matrix about a unit axis (Rodrigues)."""
    x, y, z = axis
    skew = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * skew + (1.0 - np.cos(angle)) * skew @ skew
