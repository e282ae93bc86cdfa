"""What a batch of copies commands, reads and senses: rows of `contact/layout.py`, the same for all copies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solidbody.contact import layout
from solidbody.contact.tables import REAL, WHOLE, Table, column, make_constant


@dataclass(frozen=True, slots=True)
class BatchTables:
    """What all copies of a batch are told and asked."""

    orders: Table = column(
        layout.ORDER, "commands, in the order in which they act", count="order_count"
    )
    followers: Table = column(layout.FOLLOWER, "of all orders")
    trees: NDArray[np.int32] = column(WHOLE, "of all followers")
    links: Table = column(layout.LINK, "of the scene", count="link_count")
    geom_links: NDArray[np.int32] = column(WHOLE, "per MuJoCo geom: its link, -1 for none")
    outputs: Table = column(layout.OUTPUT, "read after steps", count="output_count")
    targets: Table = column(layout.OUTPUT, "read after resets: commands", count="target_count")

    sensors: Table = column(layout.SENSOR, "those that read forces first", count="sensor_count")
    curves: Table = column(layout.CURVE, "of all sensors")
    felt: NDArray[np.int32] = column(WHOLE, "pairs of link and shape, of all bumpers")
    geom_shapes: NDArray[np.int32] = column(WHOLE, "per MuJoCo geom: its number in Link.shapes")

    rays: Table = column(layout.SENSOR_RAY, "of all distance sensors")
    ray_shapes: Table = column(layout.RAY_SHAPE, "", count="ray_shape_count")
    ray_nodes: Table = column(layout.MESH_NODE, "of all meshes; first counts triangles")
    ray_triangles: NDArray[np.float64] = column(
        REAL, "9 per triangle, in the frame of its mesh", width=9
    )
    ray_normals: NDArray[np.float64] = column(
        REAL, "9 per triangle: normals at its corners, 0 where its own is meant", width=9
    )

    def __post_init__(self) -> None:
        make_constant(self)
