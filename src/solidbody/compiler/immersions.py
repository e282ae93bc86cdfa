"""Immersion table: which shapes float or drag in which fluids (rules W8.1)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from solidbody.base.transforms import Pose, Vec3
from solidbody.compiler.bodies import LinkPart
from solidbody.contact import layout
from solidbody.contact import tables as t
from solidbody.model.fluids import DragArea, Fluid, Immersion
from solidbody.model.geometry import (
    Geometry,
    GeometryBox,
    GeometryCapsule,
    GeometryCylinder,
    GeometryMesh,
    GeometryPlane,
    GeometrySphere,
)
from solidbody.model.links import Motion
from solidbody.model.scene import Scene
from solidbody.model.shapes import Shape, ShapeRole

ROUND_CORNERS = 48
"""Corners of a circle where round shapes are cut as triangles, to find projected areas of their wet part.
Complete immersion is exact by scaling; a part is within 0.5 %."""

ImmersedForm = tuple[layout.FluidForm, Vec3, float]
"""Form, half sizes (or radius, half height), whole area [m^2]."""


@dataclass(slots=True)
class _Triangles:
    """Corners of all meshes, each mesh once."""

    blocks: list[NDArray[np.float64]] = field(default_factory=list[NDArray[np.float64]])
    found: dict[int, tuple[int, int]] = field(default_factory=dict[int, tuple[int, int]])
    count: int = 0

    def add(self, key: int, corners: NDArray[np.float64]) -> tuple[int, int]:
        if key not in self.found:
            self.found[key] = (self.count, len(corners))
            self.blocks.append(corners.reshape(-1, 9))
            self.count += len(corners)
        return self.found[key]

    def table(self) -> NDArray[np.float64]:
        return np.concatenate(self.blocks) if self.blocks else np.zeros((1, 9))


def immersion_table(scene: Scene, parts: Sequence[LinkPart]) -> tuple[t.Table, NDArray[np.float64]]:
    """Return IMMERSION rows and the triangles that they refer to."""
    triangles = _Triangles()
    pairs = list(_pairs(scene, parts))
    out = np.zeros(len(pairs), dtype=layout.IMMERSION)
    for row, (part, shape, immersion, fluid, water) in zip(out, pairs, strict=True):
        form, fluid_form = form_of(shape.geometry), form_of(water.geometry)
        assert form is not None and fluid_form is not None
        is_projected = immersion.drag_area is DragArea.PROJECTED
        _place(row, "", part.offset * shape.pose, form)
        _place(row, "fluid_", fluid.pose * water.pose, fluid_form)
        row["body"], row["area"], row["projected"] = part.body.id, form[2], is_projected
        if form[0] is layout.FluidForm.MESH or is_projected:
            row["triangles"] = triangles.add(id(shape.geometry), corners_of(shape.geometry))
        if fluid_form[0] is layout.FluidForm.MESH:
            row["fluid_triangles"] = triangles.add(id(water.geometry), corners_of(water.geometry))
        row["density"], row["viscosity"] = fluid.density, fluid.viscosity
        row["stream"] = fluid.stream_velocity
        row["drag_force"], row["drag_torque"] = immersion.drag_force, immersion.drag_torque
        row["viscous_force"] = immersion.viscous_force
        row["viscous_torque"] = immersion.viscous_torque
    return out, triangles.table()


def _place(row: t.Record, prefix: str, pose: Pose, form: ImmersedForm) -> None:
    row[f"{prefix}pos"], row[f"{prefix}quat"] = pose.position, pose.rotation
    row[f"{prefix}form"], row[f"{prefix}size"] = form[0], form[1]


def _pairs(
    scene: Scene, parts: Sequence[LinkPart]
) -> Iterator[tuple[LinkPart, Shape, Immersion, Fluid, Shape]]:
    """Yield every colliding shape of a dynamic link with every shape of a fluid it reacts to."""
    for part in parts:
        if part.link.motion is not Motion.DYNAMIC:
            continue
        for immersion in part.link.immersions:
            for fluid in scene.fluids:
                if fluid.name != immersion.fluid:
                    continue
                for shape in part.link.shapes:
                    if shape.role is ShapeRole.VISUAL or shape.frame != immersion.frame:
                        continue
                    if not has_inside(shape.geometry):
                        continue
                    for water in fluid.shapes:
                        if form_of(water.geometry) is not None:
                            yield part, shape, immersion, fluid, water


def has_inside(geometry: Geometry) -> bool:
    """Whether a shape displaces fluid."""
    return form_of(geometry) is not None and not isinstance(geometry, GeometryPlane)


def form_of(geometry: Geometry) -> ImmersedForm | None:
    """Return the form of a geometry as fluids see it; None = it has no inside."""
    match geometry:
        case GeometryBox(size=(x, y, z)):
            return layout.FluidForm.BOX, (x / 2, y / 2, z / 2), 2 * (x * y + y * z + z * x)
        case GeometrySphere(radius=r):
            return layout.FluidForm.SPHERE, (r, 0.0, 0.0), 4 * math.pi * r * r
        case GeometryCapsule(radius=r, height=h):
            return layout.FluidForm.CAPSULE, (r, h / 2, 0.0), 2 * math.pi * r * (2 * r + h)
        case GeometryCylinder(radius=r, height=h):
            return layout.FluidForm.CYLINDER, (r, h / 2, 0.0), 2 * math.pi * r * (r + h)
        case GeometryPlane():
            return layout.FluidForm.PLANE, (0.0, 0.0, 0.0), math.inf
        case GeometryMesh() if geometry.triangles:
            a, b, c = corners_of(geometry).reshape(-1, 3, 3).transpose(1, 0, 2)
            area = 0.5 * float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum())
            return layout.FluidForm.MESH, (0.0, 0.0, 0.0), area
        case _:
            return None


def corners_of(geometry: Geometry) -> NDArray[np.float64]:
    """Return triangles (n, 9) of a geometry with an inside, outward."""
    match geometry:
        case GeometryMesh():
            points = np.array(geometry.vertices, dtype=np.float64)
            return points[np.array(geometry.triangles)].reshape(-1, 9)
        case GeometryBox(size=(x, y, z)):
            unit = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]) / 2
            corners = unit * (x, y, z)
            quads = np.array(
                [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
            )
            faces = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
            return corners[faces].reshape(-1, 9)
        case GeometryCylinder(radius=r, height=h):
            return _turned([(0.0, -h / 2), (r, -h / 2), (r, h / 2), (0.0, h / 2)])
        case GeometrySphere(radius=r):
            return _turned(_round_profile(r, 0.0))
        case GeometryCapsule(radius=r, height=h):
            return _turned(_round_profile(r, h / 2))
        case _:
            raise ValueError(f"a {type(geometry).__name__} has no inside")


def _round_profile(radius: float, half: float) -> list[tuple[float, float]]:
    """Return (distance from the axis, height) of a sphere or capsule, bottom first."""
    count = ROUND_CORNERS // 4
    quarter = [0.5 * math.pi * k / count for k in range(count + 1)]
    high = [(radius * math.cos(a), radius * math.sin(a) + half) for a in quarter]
    high[-1] = (0.0, radius + half)
    low = [(r, -z) for r, z in reversed(high)]
    return [*low, *(high if half > 0 else high[1:])]


def _turned(profile: list[tuple[float, float]]) -> NDArray[np.float64]:
    """Return the triangles of a profile turned about z."""
    angles = 2 * np.pi * np.arange(ROUND_CORNERS + 1) / ROUND_CORNERS
    rings = [
        np.stack([r * np.cos(angles), r * np.sin(angles), np.full_like(angles, z)], axis=1)
        for r, z in profile
    ]
    out: list[NDArray[np.float64]] = []
    for (r0, _), (r1, _), low, high in zip(profile, profile[1:], rings, rings[1:], strict=False):
        if r0 > 0:
            out.append(np.stack([low[:-1], low[1:], high[1:]], axis=1))
        if r1 > 0:
            out.append(np.stack([low[:-1], high[1:], high[:-1]], axis=1))
    return np.concatenate(out).reshape(-1, 9)
