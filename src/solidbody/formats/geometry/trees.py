"""Tree of named nodes with poses and drawable parts, as mesh and VRML97 files hold it."""

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
        alias: Another name by which it can be taken out of the file; its forms are not called so.
        place: Its coordinates in those of the node above.
        parts: Forms of the node itself.
        children: Nodes below.
    """

    name: str = ""
    place: Affine = field(default_factory=Affine)
    parts: tuple[TreePart, ...] = ()
    children: tuple[TreeNode, ...] = ()
    alias: str = ""

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

    def by_name(self) -> dict[str, tuple[TreeNode, TreeNode]]:
        """Return, for each name, the first node that has it: (taken out of the tree, as it stands).

        As Choreonoid does it: a node that is taken out keeps the rotation and scale of all nodes above
        it, but neither their translations nor its own. The node at the top is what it is. Below a
        name that was met before, nothing is looked for.
        """
        found: dict[str, tuple[TreeNode, TreeNode]] = {}
        stack: list[tuple[TreeNode, Affine]] = [(self, Affine())]
        left = MAX_PARTS
        while stack and left > 0:
            left -= 1
            node, outer = stack.pop()
            place = outer * node.place
            name = node.name or node.alias
            if name:
                if name in found:
                    continue
                taken = TreeNode(name, Affine(place.linear), node.parts, node.children)
                found[name] = (self if node is self else taken, node)
            stack.extend((child, place) for child in reversed(node.children))
        return found

    def find(self, name: str) -> TreeNode | None:
        """Return the first node of that name, taken out of the tree."""
        found = self.by_name().get(name)
        return None if found is None else found[0]

    def names(self) -> list[str]:
        """Return the names of all nodes that can be found, in the order of the file."""
        return list(self.by_name())
