"""Lists that programs change item by item, such as the points of a trail that grows with each step.

A world is read anew after a change, however small. So what is done to a list is kept here, and written once
for all that a program does in a row; until something else is changed, the list is known without a look at the
world.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from solidbody.control.supervisor.tree import FieldPlace

DraftKey = tuple[int, int, str]
"""Node, level and name of a field."""


@dataclass(slots=True)
class Draft:
    """A list of values as a program sees it.

    Attributes:
        place: The field.
        path: Where it is written.
        items: Its values.
        is_written: Whether the world has them.
    """

    place: FieldPlace
    path: str
    items: list[Any]
    is_written: bool = True
