"""Finds the nodes that a world draws: reachable from its top without entering a bounding object."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from solidbody.formats.webots.nodes.typed import TypedNode


@dataclass(slots=True)
class DrawnNodes:
    """Answers whether USE puts a node of a bounding object among the drawn ones too.

    Hardly any world asks, and the answer takes a walk over all nodes: it is taken on the first question.
    """

    tops: Iterable[TypedNode]
    _groups: set[TypedNode] | None = field(default=None)

    def has(self, node: TypedNode) -> bool:
        """Whether a Group or Pose is drawn; one without a DEF name stands in one place only."""
        if not node.syntax.def_name:
            return False
        if self._groups is None:
            self._groups = _reached(self.tops)
        return node in self._groups


def _reached(tops: Iterable[TypedNode]) -> set[TypedNode]:
    seen: set[TypedNode] = set()
    stack = list(tops)
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        for name, items in node.nodes.items():
            if name != "boundingObject":
                stack.extend(item for item in items if item is not None)
    return seen
