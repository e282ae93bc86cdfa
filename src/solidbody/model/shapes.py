"""Shapes: a geometry with its pose on a link and its role (drawn, collides, or both)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from solidbody.base.span import NOWHERE, SourceSpan
from solidbody.base.transforms import WORLD, Pose, Vec3
from solidbody.model.appearance import Appearance
from solidbody.model.geometry import Geometry


class ShapeRole(Enum):
    """What a shape takes part in."""

    VISUAL = "visual"
    COLLISION = "collision"
    BOTH = "both"


class Axis(Enum):
    """A coordinate axis."""

    X = 0
    Y = 1
    Z = 2


@dataclass(frozen=True, slots=True)
class FrictionAxes:
    """Which shape axis is the first friction direction on each face.

    A contact whose normal (in shape coordinates) has its strictly largest component along `cap`
    uses the axis `on_cap`, any other contact uses `on_side`. The second direction is normal x first.
    """

    cap: Axis
    on_cap: Axis
    on_side: Axis


@dataclass(frozen=True, slots=True)
class Shape:
    """A geometry fixed to a link.

    Attributes:
        geometry: The form.
        pose: Shape frame in the link frame.
        role: Drawn, collides, or both.
        scale: Factors along the shape axes, drawn only (1, 1, 1 for anything that collides).
        appearance: None draws the neutral default.
        contact_material: Name looked up in the scene's contact table.
        friction_axes: Directions of direction-dependent friction; None = not defined for this form.
        casts_shadows: Whether the renderer lets it throw a shadow.
        is_pickable: Whether a viewer lets the user select it.
        segmentation_color: Colour in recognition images, if any.
        frame: Index in `Link.frames` of the part that it belongs to; None = the link's own.
    """

    geometry: Geometry
    pose: Pose = WORLD
    role: ShapeRole = ShapeRole.VISUAL
    scale: Vec3 = (1.0, 1.0, 1.0)
    appearance: Appearance | None = None
    contact_material: str = "default"
    friction_axes: FrictionAxes | None = None
    casts_shadows: bool = True
    is_pickable: bool = True
    segmentation_color: Vec3 | None = None
    name: str = ""
    span: SourceSpan = NOWHERE
    frame: int | None = None
