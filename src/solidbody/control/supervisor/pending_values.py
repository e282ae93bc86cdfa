"""Delayed writes of fields that programs change in every step, such as trails and colours of markers.

A world is read anew after a change, however small. So what is set is kept here, and written once for all that
a program does in a row; until something else is changed, it is known without a look at the world.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from solidbody.control.supervisor.tree import NodeField

DraftKey = tuple[int, int, str]
"""Node, level and name of a field."""


@dataclass(slots=True)
class PendingValue:
    """A field as a program sees it.

    Attributes:
        place: The field.
        path: Where it is written.
        items: Its values; one, for a field that is no list.
        is_written: Whether the world has them.
    """

    place: NodeField
    path: str
    items: list[Any]
    is_written: bool = False

    @property
    def value(self) -> Any:
        """What the field holds."""
        return tuple(self.items) if self.place.type.is_list else self.items[0]
