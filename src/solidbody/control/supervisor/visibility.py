"""Visibility of nodes to single cameras and to the view (`setVisibility`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from solidbody.control.supervisor.errors import SupervisorError
from solidbody.control.supervisor.tree import ROOT, nodes_below
from solidbody.devices.imaging.lazy_rendering import ImageGroup
from solidbody.formats.webots.nodes.typed import TypedNode

if TYPE_CHECKING:
    from solidbody.control.supervisor.stage import Stage

VIEWERS: Final = ("Viewpoint", "Camera", "Lidar", "RangeFinder")

ShapeKey = tuple[int, int]
"""Row of a link, number of a shape in it."""


class Visibility:
    """What is hidden from whom, by the numbers of nodes, which outlive changes of the world."""

    def __init__(self) -> None:
        self._hidden: dict[int, set[int]] = {}

    def change(self, stage: Stage, number: int, viewer: int, *, is_visible: bool) -> None:
        """Show or hide a node and all below it for one viewer."""
        if number == ROOT:
            raise SupervisorError("setVisibility(): the root cannot be hidden")
        seer = None if viewer == ROOT else stage.tree.node(viewer)
        if seer is None or seer.type not in VIEWERS:
            label = "the root" if seer is None else seer.syntax.label
            raise SupervisorError(
                f"setVisibility(): the viewer must be a Viewpoint, Camera, Lidar or RangeFinder; "
                f"{label} is none"
            )
        _ = stage.tree.node(number)
        nodes = self._hidden.setdefault(viewer, set())
        nodes.discard(number) if is_visible else nodes.add(number)
        if not stage.document.is_behind:  # else `apply` tells when the simulation has followed
            self._tell(stage, viewer)

    def apply(self, stage: Stage) -> None:
        """Tell all devices what they do not see, after the world has changed."""
        for viewer in list(self._hidden):
            if stage.tree.has(viewer):
                self._tell(stage, viewer)
            else:
                del self._hidden[viewer]

    def clear(self) -> None:
        """Forget everything; devices forget by themselves when they are reset."""
        self._hidden.clear()

    def in_view(self, stage: Stage) -> frozenset[ShapeKey]:
        """Return the shapes that the view does not show."""
        found: frozenset[ShapeKey] = frozenset()
        for viewer in self._hidden:
            if stage.tree.has(viewer) and stage.tree.node(viewer).type == "Viewpoint":
                found |= self._shapes(stage, viewer)
        return found

    def _tell(self, stage: Stage, viewer: int) -> None:
        node = stage.tree.node(viewer)
        if node.type == "Viewpoint":
            return
        devices, link = stage.sim.devices, stage.carrier(node)
        for bound in devices.devices:
            if bound.link == link and bound.device.span == node.span:
                group, row = devices.group_of(bound)
                if isinstance(group, ImageGroup):
                    group.unseen[row] = self._shapes(stage, viewer)

    def _shapes(self, stage: Stage, viewer: int) -> frozenset[ShapeKey]:
        numbers = [number for number in self._hidden[viewer] if stage.tree.has(number)]
        nodes = [stage.tree.node(number) for number in numbers]
        return frozenset(key for node in nodes for key in _shapes_below(stage, node))


def _shapes_below(stage: Stage, node: TypedNode) -> Iterator[ShapeKey]:
    """Yield the shapes of a node and of all below it: those of its links, and its own in one."""
    links = list(stage.sim.scene.links())
    for inner in nodes_below(node):
        link = stage.link(inner)
        if link is not None:
            yield from ((link, number) for number in range(len(links[link].shapes)))
        elif inner.type == "Shape":
            at = stage.carrier(inner)
            if at is not None:
                shapes = enumerate(links[at].shapes)
                yield from ((at, number) for number, one in shapes if one.span == inner.span)
