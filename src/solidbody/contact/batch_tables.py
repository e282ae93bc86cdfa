"""What a batch of copies commands, reads and senses: rows of `contact/layout.py`, the same for all copies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solidbody.contact import layout
from solidbody.contact.tables import WHOLE, Table, column, make_constant


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

    def __post_init__(self) -> None:
        make_constant(self)
