"""What a file of shapes holds: named nodes inside each other, each at its place, with parts to draw."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from solidbody.base.errors import SolidbodyError
from solidbody.formats.geometry.affine import Affine
from solidbody.formats.geometry.forms import DIVISIONS
from solidbody.model.appearance import Appearance
from solidbody.model.geometry import Geometry

MAX_PARTS: Final = 20_000
"""Parts of one file with every repetition counted; nodes that use each other make many out of few."""


class TreeError(SolidbodyError):
    """A tree has more parts than can be used."""


@dataclass(frozen=True, slots=True, eq=False)
class TreePart:
    """A form with its look.

    Attributes:
        geometry: The form.
        place: Its coordinates in those of the node.
        appearance: None = the neutral default.
        divisions: Meridians, should a round form have to become triangles.
    """

    geometry: Geometry
    place: Affine = field(default_factory=Affine)
    appearance: Appearance | None = None
    divisions: int = DIVISIONS


@dataclass(frozen=True, slots=True, eq=False)
class TreeNode:
    """A node; one that several parents share is one object.

    Attributes:
        name: The file's name for it, or empty.
        place: Its coordinates in those of the node above.
        parts: Forms of the node itself.
        children: Nodes below.
    """

    name: str = ""
    place: Affine = field(default_factory=Affine)
    parts: tuple[TreePart, ...] = ()
    children: tuple[TreeNode, ...] = ()

    def placed_parts(
        self, hidden: frozenset[TreeNode] = frozenset()
    ) -> Iterator[tuple[TreePart, Affine, str]]:
        """Yield each part with its place in the coordinates around this node, and a name for it.

        Args:
            hidden: Nodes below this one that are left out with all that they hold.

        Raises:
            TreeError: There are too many.
        """
        left = MAX_PARTS
        stack: list[tuple[TreeNode, Affine, str]] = [(self, Affine(), "")]
        while stack:
            node, outer, name = stack.pop()
            place = outer * node.place
            name = node.name or name
            left -= 1 + len(node.parts)
            if left < 0:
                raise TreeError(f"it has more than {MAX_PARTS} parts")
            for part in node.parts:
                yield part, place * part.place, name
            stack.extend(
                (child, place, name) for child in reversed(node.children) if child not in hidden
            )

    def find(self, name: str) -> TreeNode | None:
        """Return the first node of that name, with its children below it, without translation.

        As Choreonoid does it: the rotation and scale of all nodes above are kept, their translations
        and its own are not. The node at the top is what it is.
        """
        found = self.find_below(name)
        return None if found is None else found[0]

    def find_below(self, name: str) -> tuple[TreeNode, TreeNode] | None:
        """Return (what `find` gives, the node as it stands in the tree)."""
        stack: list[tuple[TreeNode, Affine]] = [(self, Affine())]
        seen: set[str] = set()
        left = MAX_PARTS
        while stack and left > 0:
            left -= 1
            node, outer = stack.pop()
            if node.name == name:
                if node is self:
                    return self, self
                linear = (outer * node.place).linear
                return TreeNode(name, Affine(linear), node.parts, node.children), node
            if node.name in seen:
                continue  # a name that was met before is not entered again
            if node.name:
                seen.add(node.name)
            place = outer * node.place
            stack.extend((child, place) for child in reversed(node.children))
        return None

    def names(self) -> list[str]:
        """Return the names of all nodes, each once, in the order of the file."""
        found: dict[str, None] = {}
        stack: list[TreeNode] = [self]
        left = MAX_PARTS
        while stack and left > 0:
            left -= 1
            node = stack.pop()
            if node.name:
                found[node.name] = None
            stack.extend(reversed(node.children))
        return list(found)
