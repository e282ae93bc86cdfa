"""Context of the lowering: where in the node tree it is, with the enclosing solid and frame."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.transforms import Vec3
from solidbody.formats.webots.lower.builders import BodyBuilder, LinkBuilder
from solidbody.formats.webots.lower.drawing import DrawnFrame
from solidbody.formats.webots.lower.joints import JointFrame
from solidbody.formats.webots.lower.names import UniqueNames
from solidbody.formats.webots.nodes.typed import TypedNode

ONE: Final[Vec3] = (1.0, 1.0, 1.0)


@dataclass(slots=True, eq=False)
class UpperSolid:
    """The nearest solid above a node."""

    node: TypedNode
    path: str
    is_dynamic: bool
    has_dynamic_ancestor: bool  # itself included
    names: UniqueNames = field(default_factory=UniqueNames)


@dataclass(frozen=True, slots=True)
class LoweringContext:
    """Where in the tree a node stands.

    Attributes:
        top: The node at the top of the world that it belongs to.
        frame: The current frame in the link's frame (in the world, without a link).
        body: The body that is being built.
        link: The link that things here belong to.
        upper: The nearest solid above.
        robot: The nearest robot above.
        joint: The joint whose end point the node is.
        is_in_transform: Whether a Transform stands between it and the solid above.
        is_driven: Whether a device moves the solid here, without physics (helices, lidar heads).
        scale: Product of the scales of the solids above, in files before R2023b.
        part: Index of the frame of the link that things here belong to; None = the link itself.
        segmentation: First recognition colour of the nearest solid above that has one.
        board: The Billboard that it is in.
    """

    top: TypedNode
    frame: DrawnFrame = DrawnFrame()
    body: BodyBuilder | None = None
    link: LinkBuilder | None = None
    upper: UpperSolid | None = None
    robot: TypedNode | None = None
    joint: TypedNode | None = None
    is_in_transform: bool = False
    is_driven: bool = False
    scale: Vec3 = ONE
    part: int | None = None
    segmentation: Vec3 | None = None
    board: TypedNode | None = None

    def moved(self, node: TypedNode) -> LoweringContext:
        """Return the place inside a Pose or Transform."""
        is_transform = node.type == "Transform"
        scale = node.vec3("scale") if is_transform else ONE
        frame = self.frame.inside(node.pose(), scale)
        return replace(self, frame=frame, is_in_transform=self.is_in_transform or is_transform)

    def joint_frame(self) -> JointFrame:
        """Return the frame of a joint that stands here, in the link."""
        return JointFrame(self.frame.pose, self.scale[0])


def solid_scale(node: TypedNode, log: DiagnosticLog) -> Vec3:
    """Return the scale of a solid of a file before R2023b; with physics it is the same along all axes."""
    if not node.is_written("scale"):
        return ONE
    x, y, z = node.vec3("scale")
    if min(x, y, z) <= 0.0:
        node.warn(
            log,
            "value-reset",
            f"must be > 0, got {x:g} {y:g} {z:g}; what is not becomes 1.",
            field="scale",
        )
        x, y, z = (value if value > 0.0 else 1.0 for value in (x, y, z))
    if x == y == z or node.node("physics") is None:
        return (x, y, z)
    factor = next(value for value in (x, y, z) if value != 1.0)
    node.warn(
        log,
        "value-reset",
        f"the scale of a solid with physics is the same along all axes, got {x:g} {y:g} {z:g}; "
        f"changed to {factor:g} {factor:g} {factor:g}.",
        field="scale",
    )
    return (factor, factor, factor)


def slot_content(slot: TypedNode, log: DiagnosticLog) -> TypedNode | None:
    """Return what a Slot holds, through the other slots of its chain; None if that is nothing.

    The two slots of a pair fit if they have the same type, or `x+` and `x-`; an empty type fits all.
    """
    node: TypedNode | None = slot
    while node is not None and node.type == "Slot":
        inner = node.node("endPoint")
        if inner is not None and inner.type == "Slot" and inner.node("endPoint") is not None:
            outer_type, inner_type = node.string("type"), inner.string("type")
            if not _fit(outer_type, inner_type):
                inner.warn(
                    log,
                    "slot-types",
                    f'a slot of type "{inner_type}" does not fit one of type "{outer_type}" '
                    "(the same type, or x+ and x-); what it holds is left out.",
                    field="type",
                )
                return None
        node = inner
    return node


def _fit(a: str, b: str) -> bool:
    if not a or not b:
        return True
    if a.endswith(("+", "-")) or b.endswith(("+", "-")):
        return a[:-1] == b[:-1] and {a[-1:], b[-1:]} == {"+", "-"}
    return a == b
