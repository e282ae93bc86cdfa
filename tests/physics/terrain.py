"""Ground made of triangles, in a few words: height fields and meshes for tests."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from solidbody.base.transforms import Pose, Quat, Vec3
from solidbody.compiler.terrain import grid_faces, grid_points
from solidbody.model.geometry import (
    Geometry,
    GeometryBox,
    GeometryHeightField,
    GeometryMesh,
    GeometrySphere,
)
from solidbody.model.links import Body
from tests.physics import building as b

COUNT = 11
SPACING = 0.5
MIDDLE: Vec3 = (-2.5, -2.5, 0.0)
"""Where the corner of a ground lies so that its middle is at the origin."""


def heights(height: Callable[[float, float], float]) -> GeometryHeightField:
    """Return a height field of 5 m x 5 m with its corner at the origin."""
    values = tuple(
        height(SPACING * x - 2.5, SPACING * y - 2.5) for y in range(COUNT) for x in range(COUNT)
    )
    return GeometryHeightField(COUNT, COUNT, SPACING, SPACING, values)


def level() -> GeometryHeightField:
    """Return flat ground."""
    return heights(lambda _x, _y: 0.0)


def slope() -> GeometryHeightField:
    """Return ground that rises along x and y."""
    return heights(lambda x, y: 0.2 * x + 0.1 * y)


def valley() -> GeometryHeightField:
    """Return two slopes that meet at x = 0."""
    return heights(lambda x, _y: 0.3 * abs(x))


def bumps() -> GeometryHeightField:
    """Return ground with ridges and hollows everywhere."""
    return heights(lambda x, y: 0.1 * math.sin(2.6 * x) * math.cos(1.8 * y))


def as_mesh(ground: GeometryHeightField) -> GeometryMesh:
    """Return the same surface as a mesh."""
    points = grid_points(
        ground.x_count, ground.y_count, ground.x_spacing, ground.y_spacing, ground.heights
    )
    vertices = tuple((x, y, z) for x, y, z in points.tolist())
    faces = tuple((i, j, k) for i, j, k in grid_faces(ground.x_count, ground.y_count).tolist())
    return GeometryMesh(vertices, faces)


def block(x: float, y: float, z: float) -> GeometryMesh:
    """Return a box as a mesh, with full edge lengths."""
    vertices = tuple(
        (sx * x / 2, sy * y / 2, sz * z / 2) for sx in (-1, 1) for sy in (-1, 1) for sz in (-1, 1)
    )
    faces = (
        *((0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1)),
        *((2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)),
    )
    return GeometryMesh(vertices, faces)


def blocks(count: int) -> GeometryMesh:
    """Return legs of 5 cm, 20 cm apart in rows of three, as one mesh: convex pieces, nothing to cut."""
    vertices: list[Vec3] = []
    faces: list[tuple[int, int, int]] = []
    leg = block(0.05, 0.05, 0.2)
    for k in range(count):
        start = len(vertices)
        dx, dy = 0.2 * (k % 3) - 0.2, 0.2 * (k // 3) - 0.2
        vertices += [(x + dx, y + dy, z) for x, y, z in leg.vertices]
        faces += [(start + i, start + j, start + n) for i, j, n in leg.triangles]
    return GeometryMesh(tuple(vertices), tuple(faces))


def tube(inner: float, outer: float, height: float, sides: int = 16) -> GeometryMesh:
    """Return a hollow cylinder along z as a mesh."""
    rings = [(inner, -1), (outer, -1), (outer, 1), (inner, 1)]
    vertices: list[Vec3] = []
    faces: list[tuple[int, int, int]] = []
    for k in range(sides):
        angle = 2 * math.pi * k / sides
        for radius, side in rings:
            vertices.append((radius * math.cos(angle), radius * math.sin(angle), side * height / 2))
    for k in range(sides):
        for ring in range(4):
            a, c = 4 * k + ring, 4 * ((k + 1) % sides) + ring
            other = (ring + 1) % 4
            d, e = 4 * k + other, 4 * ((k + 1) % sides) + other
            faces += [(a, c, e), (a, e, d)]
    return GeometryMesh(tuple(vertices), tuple(faces))


def free_form(
    name: str,
    form: Geometry,
    at: Vec3,
    rotation: Quat = (1.0, 0.0, 0.0, 0.0),
    *,
    velocity: Vec3 = (0.0, 0.0, 0.0),
    inertia_of: Geometry | None = None,
) -> Body:
    """Return a floating body of 1 kg of any form, with the inertia of a primitive."""
    like = inertia_of or GeometryBox((0.2, 0.2, 0.2))
    body = b.free_body(name, like, at=at, rotation=rotation, velocity=velocity)
    return replace(body, links=(replace(body.links[0], shapes=(b.collider(form),)),))


BALL = GeometrySphere(0.1)


def placed(ground: Geometry, rotation: Quat = (1.0, 0.0, 0.0, 0.0)) -> Body:
    """Return static ground with its middle at the origin, turned about it."""
    corner = Pose((0.0, 0.0, 0.0), rotation).point(MIDDLE)
    return b.static_body("ground", ground, at=corner, rotation=rotation)
