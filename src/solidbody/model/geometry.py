"""Geometries: boxes, spheres, meshes and others, in metres, centred at the shape's origin.

Cylinders, capsules and cones have their axis along z. A reader whose format uses another axis
rotates the shape's pose instead.
"""

from __future__ import annotations

from dataclasses import dataclass

from solidbody.base.transforms import Vec3


@dataclass(frozen=True, slots=True)
class GeometryBox:
    """A box with full edge lengths `size`."""

    size: Vec3


@dataclass(frozen=True, slots=True)
class GeometrySphere:
    """A sphere."""

    radius: float


@dataclass(frozen=True, slots=True)
class GeometryCylinder:
    """A cylinder along z; `top`, `side`, `bottom` say which parts are drawn (all collide)."""

    radius: float
    height: float
    top: bool = True
    side: bool = True
    bottom: bool = True


@dataclass(frozen=True, slots=True)
class GeometryCapsule:
    """A capsule along z; `height` is the length of the cylindrical part.

    `top`, `side`, `bottom` say which parts are drawn (all collide).
    """

    radius: float
    height: float
    top: bool = True
    side: bool = True
    bottom: bool = True


@dataclass(frozen=True, slots=True)
class GeometryCone:
    """A cone along z, base circle at -height/2, apex at +height/2."""

    radius: float
    height: float
    side: bool = True
    bottom: bool = True


@dataclass(frozen=True, slots=True)
class GeometryPlane:
    """The plane z = 0 with normal +z: drawn with `size` (x, y), collides as an unbounded half-space."""

    size: tuple[float, float]


@dataclass(frozen=True, slots=True)
class GeometryMesh:
    """Triangles with optional normals and texture coordinates per corner.

    Attributes:
        vertices: Points [m].
        triangles: Indices into `vertices`, counter-clockwise seen from outside.
        normals: Unit normals, one per triangle corner in order, or empty.
        texture_coordinates: (u, v), one per triangle corner in order, or empty.
        two_sided: Whether back faces are drawn.
    """

    vertices: tuple[Vec3, ...]
    triangles: tuple[tuple[int, int, int], ...]
    normals: tuple[Vec3, ...] = ()
    texture_coordinates: tuple[tuple[float, float], ...] = ()
    two_sided: bool = False


@dataclass(frozen=True, slots=True)
class GeometryHeightField:
    """Heights on a grid in the xy plane, corner at the origin; `heights` row by row, x fastest.

    Attributes:
        x_count: Points along x.
        y_count: Points along y.
        x_spacing: Between two points along x [m].
        y_spacing: Between two points along y [m].
        heights: Of the points [m].
        thickness: Of the ground below the lowest point [m].
        colors: Linear RGB in the order of `heights`, one per point or one per cell; fewer than that
            are taken in turn, none leaves the colour to the appearance.
        color_per_point: Whether `colors` belong to points; if not, to the cells between them.
    """

    x_count: int
    y_count: int
    x_spacing: float
    y_spacing: float
    heights: tuple[float, ...]
    thickness: float = 1.0
    colors: tuple[Vec3, ...] = ()
    color_per_point: bool = True


@dataclass(frozen=True, slots=True)
class GeometryLines:
    """Line segments between pairs of points; drawn only."""

    points: tuple[Vec3, ...]
    segments: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class GeometryPoints:
    """A cloud of points with optional colours; drawn only."""

    points: tuple[Vec3, ...]
    colors: tuple[Vec3, ...] = ()


Geometry = (
    GeometryBox
    | GeometrySphere
    | GeometryCylinder
    | GeometryCapsule
    | GeometryCone
    | GeometryPlane
    | GeometryMesh
    | GeometryHeightField
    | GeometryLines
    | GeometryPoints
)
