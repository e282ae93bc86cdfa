"""Binding of names to indices: where links and joint axes of a scene are in MuJoCo's arrays."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from solidbody.base.vectors import slice_of
from solidbody.contact.layout import AxisKind


@dataclass(frozen=True, slots=True)
class AxisBinding:
    """One joint axis: its joint's name, which axis of it, its indices (-1: none), what it moves."""

    joint: str
    axis: int
    dof: int
    qpos: int
    kind: AxisKind = AxisKind.JOINT


@dataclass(frozen=True, slots=True)
class Binding:
    """Indices of everything that has a name.

    Attributes:
        link_names: One per link of the scene, in the order of `Scene.links()`.
        link_aliases: Label and path of each link, for look-up by either.
        parent: Index of the link above each link, -1 for roots.
        body: MuJoCo body of each link.
        offset_position: Origin of each link frame in its MuJoCo body frame [m]; axes are parallel.
        moving: Indices of links that can move.
        axes: Rows of the axis table that have a name, in order.
        joint_aliases: Row of an axis by other names: joint, motor, sensor, brake, link.
        coupled: For each named axis the rows of all motors coupled with its own, itself included.
        geom_owner: (geoms, 2): link and number of the shape in `Link.shapes` of each MuJoCo geom; numbers
            below -1 mean devices that feel with it (`compiler/touch_probe_geoms.py`).
        axis_of_link: First axis of the joint of each link.
        axis_of_propeller: Axis of a propeller, by link and number of the device.
        bodies: The same as `body`, as a slice where bodies follow each other.
        offset_column: `offset_position` as columns (links, 3, 1).
    """

    link_names: tuple[str, ...]
    link_aliases: tuple[tuple[str, ...], ...]
    parent: NDArray[np.intp]
    body: NDArray[np.intp]
    offset_position: NDArray[np.float64]
    moving: NDArray[np.intp]
    axes: tuple[AxisBinding, ...]
    joint_aliases: dict[str, int]
    coupled: tuple[tuple[int, ...], ...]
    geom_owner: NDArray[np.intp]
    axis_of_link: dict[int, int]
    axis_of_propeller: dict[tuple[int, int], int]
    bodies: slice | NDArray[np.intp] = field(init=False)
    offset_column: NDArray[np.float64] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "bodies", slice_of(self.body))
        object.__setattr__(self, "offset_column", self.offset_position[:, :, None])
