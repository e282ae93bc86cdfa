"""Masses of robots whose file tells none at all: those that were written to be looked at."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from solidbody.base.transforms import Pose
from solidbody.formats.link_trees.drafts import JointKind, LinkDraft
from solidbody.formats.webots.lower.mass import REFERENCE_DENSITY, geometry_mass
from solidbody.model.geometry import Geometry, GeometryBox, GeometryMesh
from solidbody.model.mass import MassProperties, combined
from solidbody.model.shapes import Shape, ShapeRole


def tells_masses(links: Iterable[LinkDraft]) -> bool:
    """Whether any link of a robot has a mass."""
    return any(link.mass.mass > 0.0 for link in links)


def with_masses_of_forms(links: Sequence[LinkDraft], root: str) -> list[LinkDraft]:
    """Return links of which the root stands still, and the others weigh as much as water in their forms.

    Forms that collide count, where a link has none those that are drawn; of a mesh, which may be open, the
    box around it.
    """
    return [
        replace(link, joint=replace(link.joint, kind=JointKind.FIXED))
        if link.name == root
        else replace(link, mass=_mass_of(link.shapes))
        for link in links
    ]


def _mass_of(shapes: Sequence[Shape]) -> MassProperties:
    touching = [shape for shape in shapes if shape.role is not ShapeRole.VISUAL]
    masses = [_water_in(shape.geometry, shape.pose) for shape in touching or shapes]
    try:
        return combined(mass for mass in masses if mass is not None)
    except (ValueError, OverflowError):  # sizes whose mass is beyond any number
        return MassProperties(0.0)


def _water_in(geometry: Geometry, pose: Pose) -> MassProperties | None:
    if isinstance(geometry, GeometryMesh):
        if not geometry.vertices:
            return None
        sides = [(min(column), max(column)) for column in zip(*geometry.vertices, strict=True)]
        (a, b), (c, d), (e, f) = sides
        pose *= Pose((0.5 * (a + b), 0.5 * (c + d), 0.5 * (e + f)))
        geometry = GeometryBox((b - a, d - c, f - e))
    try:
        mass = geometry_mass(geometry, REFERENCE_DENSITY)
    except (ValueError, OverflowError):
        return None
    return None if mass is None or mass.mass <= 0.0 else mass.placed(pose)
