"""Fluids, and the immersion properties of links in them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from solidbody.base.span import NOWHERE, SourceSpan
from solidbody.base.transforms import WORLD, ZERO, Pose, Vec3
from solidbody.model.shapes import Shape


class DragArea(Enum):
    """Which area a drag coefficient refers to."""

    IMMERSED = "immersed area"
    PROJECTED = "xyz-projected area"


@dataclass(frozen=True, slots=True)
class Immersion:
    """How a link, or one part of it, reacts to one fluid, by the fluid's name.

    `frame` is the index in `Link.frames` of the part whose shapes it holds for; None = the link's own.
    """

    fluid: str
    drag_area: DragArea = DragArea.IMMERSED
    drag_force: Vec3 = ZERO
    drag_torque: Vec3 = ZERO
    viscous_force: float = 0.0
    viscous_torque: float = 0.0
    span: SourceSpan = NOWHERE
    frame: int | None = None


@dataclass(frozen=True, slots=True)
class Fluid:
    """A region filled with fluid. Density [kg/m^3], viscosity [Pa*s], stream velocity [m/s, world]."""

    name: str
    pose: Pose = WORLD
    shapes: tuple[Shape, ...] = ()
    density: float = 1000.0
    viscosity: float = 0.001
    stream_velocity: Vec3 = ZERO
    span: SourceSpan = NOWHERE
