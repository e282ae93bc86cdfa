"""Names to indices: where links and joint axes of a scene are found in MuJoCo's arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class AxisBinding:
    """One scalar joint axis: its joint's name, which axis of it, and its indices."""

    joint: str
    axis: int
    dof: int
    qpos: int


@dataclass(frozen=True, slots=True)
class Binding:
    """Indices of everything that has a name.

    Attributes:
        link_names: One per link of the scene, in the order of `Scene.links()`.
        link_aliases: Label and path of each link, for look-up by either.
        body: MuJoCo body of each link.
        offset_position: Origin of each link frame in its MuJoCo body frame [m]; axes are parallel.
        mover: Row of the mover table that carries each link rigidly, -1 for the others.
        moving: Indices of links that can move.
        axes: Rows of the axis table, in order.
        joint_aliases: Other names of joints: motor, sensor, label.
        geom_owner: (geoms, 2): link and number of the shape in `Link.shapes` of each MuJoCo geom.
    """

    link_names: tuple[str, ...]
    link_aliases: tuple[tuple[str, ...], ...]
    body: NDArray[np.intp]
    offset_position: NDArray[np.float64]
    mover: NDArray[np.intp]
    moving: NDArray[np.intp]
    axes: tuple[AxisBinding, ...]
    joint_aliases: dict[str, str]
    geom_owner: NDArray[np.intp]
