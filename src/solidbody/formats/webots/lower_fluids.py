"""Fluids and immersion properties to the model."""

from __future__ import annotations

from collections.abc import Sequence

from solidbody.base.transforms import Pose
from solidbody.formats.webots.bounding import BoundingPart
from solidbody.formats.webots.typed import TypedNode
from solidbody.model.fluids import DragArea, Fluid, Immersion
from solidbody.model.shapes import Shape, ShapeRole


def lower_fluid(node: TypedNode, pose: Pose, parts: Sequence[BoundingPart]) -> Fluid:
    """Return the fluid of a node; `pose` is in the world."""
    return Fluid(
        node.string("name"),
        pose,
        tuple(
            Shape(part.geometry, part.pose, ShapeRole.COLLISION, name=node.label, span=part.span)
            for part in parts
        ),
        node.number("density"),
        node.number("viscosity"),
        node.vec3("streamVelocity"),
        node.span,
    )


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
        found[fluid] = Immersion(
            fluid,
            DragArea(node.string("referenceArea")),
            node.vec3("dragForceCoefficients"),
            node.vec3("dragTorqueCoefficients"),
            node.number("viscousResistanceForceCoefficient"),
            node.number("viscousResistanceTorqueCoefficient"),
            node.span,
            frame,
        )
    return tuple(found.values())
