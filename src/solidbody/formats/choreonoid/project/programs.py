"""Controllers of body items that are shared objects: SimpleControllerItem (docs/behaviour, C17.1)."""

from __future__ import annotations

from dataclasses import replace

from solidbody.formats.choreonoid.keys.items import Item
from solidbody.formats.choreonoid.keys.projects import SimpleControllerItemKeys
from solidbody.formats.choreonoid.keys.table import plain_values
from solidbody.model.programs import SimpleController


def read_programs(item: Item, options: str) -> tuple[SimpleController, ...]:
    """Return the controllers of a body item in the order of the tree: parents before those below them.

    Args:
        item: The body item.
        options: What the simulator tells all controllers.
    """
    found: list[SimpleController] = []

    def walk(above: Item, parent: int | None) -> None:
        for child in above.children:
            if child.class_name == "BodyItem":
                continue
            below = parent
            if child.class_name in SimpleControllerItemKeys.types:
                made = _controller(child, options)
                # the body is that of the uppermost one, as are copies and delay
                found.append(replace(made, parent=parent))
                below = len(found) - 1 if parent is None else parent
            walk(child, below)

    walk(item, None)
    return tuple(found)


def _controller(item: Item, options: str) -> SimpleController:
    keys = item.keys
    row = SimpleControllerItemKeys.controller
    made = SimpleController(**plain_values(keys, SimpleControllerItemKeys))
    if not made.module:
        keys.error("missing-key", row, "a controller item needs the name of its shared object.")
    place = keys.find(row)
    span = keys.span if place is None else place[1].span
    keys.pass_over(SimpleControllerItemKeys)
    return replace(made, name=item.name, simulator_options=options, span=span)
