"""Lowers fluids and immersion properties (docs/behaviour, W8.1)."""

from __future__ import annotations

from collections.abc import Sequence

from solidbody.base.transforms import Pose
from solidbody.formats.webots.lower.bounding import BoundingPart
from solidbody.formats.webots.lower.plain import lower_plain
from solidbody.formats.webots.nodes.typed import TypedNode
from solidbody.model.fluids import Fluid, Immersion
from solidbody.model.shapes import Shape, ShapeRole


def lower_fluid(node: TypedNode, pose: Pose, parts: Sequence[BoundingPart]) -> Fluid:
    """Return the fluid of a node; `pose` is in the world."""
    shapes = tuple(
        Shape(part.geometry, part.pose, ShapeRole.COLLISION, name=node.label, span=part.span)
        for part in parts
    )
    return lower_plain(Fluid, node, pose=pose, shapes=shapes)


def lower_immersions(solid: TypedNode, frame: int | None) -> tuple[Immersion, ...]:
    """Return how a solid reacts to fluids; of several entries for one fluid the last counts.

    Args:
        solid: The solid.
        frame: Index of its frame in the link; None = it is the link.
    """
    found: dict[str, Immersion] = {}
    for node in solid.children("immersionProperties"):
        fluid = node.string("fluidName")
        found.pop(fluid, None)
        found[fluid] = lower_plain(Immersion, node, frame=frame)
    return tuple(found.values())
