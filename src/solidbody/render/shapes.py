"""Table of shapes for the ray kernels: one row per thing that can be hit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeGuard

import numpy as np
from numpy.typing import NDArray

from solidbody.base.transforms import Pose, Vec3
from solidbody.model.appearance import Appearance
from solidbody.model.devices import (
    DeviceDistanceSensor,
    DeviceMuscle,
    DeviceTrackBelt,
    DistanceKind,
)
from solidbody.model.geometry import (
    Geometry,
    GeometryBox,
    GeometryCapsule,
    GeometryCone,
    GeometryCylinder,
    GeometryHeightField,
    GeometryMesh,
    GeometryPlane,
    GeometrySphere,
)
from solidbody.model.links import Body, Link
from solidbody.model.scene import Scene
from solidbody.model.shapes import Shape, ShapeRole

Floats = NDArray[np.float64]

SPHERE, BOX, CYLINDER, CAPSULE, CONE, PLANE, MESH = range(7)
DRAWN, COLLIDES, TWO_SIDED, SIDE, TOP, BOTTOM, CASTS_SHADOWS = (1 << k for k in range(7))
"""Numbers shared with `kernels.py`."""

ALL_PARTS: Final = SIDE | TOP | BOTTOM
ENDLESS: Final = 1.0e5
"""[m] Half the side of a plane without end: beyond it 32-bit numbers would be worse than a centimetre."""

MOST_SHEETS: Final = 20_000
"""Triangles of a mesh in which sheets are looked for: they are in drawn signs and leaves, not in scans."""
PLANE_SLACK: Final = 1.0e-4
"""Normals and heights (as shares of the extent) that differ by less are those of one plane."""
APART: Final = 2.0e-5
"""Share of a mesh's extent by which the faces of a sheet are moved: more than 32-bit rays round."""


@dataclass(frozen=True, slots=True)
class RayShape:
    """A geometry in the kernel's terms: kind, size, flags, mesh, and the box around it."""

    kind: int
    size: tuple[float, float, float]
    low: tuple[float, float, float]
    high: tuple[float, float, float]
    flags: int = ALL_PARTS
    mesh: MeshData | None = None


@dataclass(frozen=True, slots=True, eq=False)
class MeshData:
    """Triangles; the values of corners are in the order of `triangles`."""

    vertices: NDArray[np.float32]
    triangles: NDArray[np.int32]
    normals: NDArray[np.float32] | None = None
    uv: NDArray[np.float32] | None = None
    colors: NDArray[np.float32] | None = None


@dataclass(slots=True)
class ShapeRow:
    """One thing that can be hit."""

    form: RayShape
    link: int
    shape: int
    pose: Pose
    scale: tuple[float, float, float]
    flags: int
    group: int
    appearance: Appearance | None
    folder: str
    segmentation_color: Vec3 | None = None
    is_device: bool = False
    """Whether a device draws it: `shape` then counts on from the shapes of the link, device by device."""
    has_own_look: bool = False
    """Whether its look changes, and with it that of nothing else."""


@dataclass(slots=True)
class ShapeList:
    """All rows of a scene, in the order of links and their shapes."""

    rows: list[ShapeRow] = field(default_factory=list[ShapeRow])

    starts: list[int] = field(default_factory=lambda: [0])
    """First row of each body, and the number of all."""
    bodies: tuple[Body, ...] = ()
    first_links: list[int] = field(default_factory=list[int])
    """Of each body."""
    forms: dict[int, tuple[Geometry, RayShape | None]] = field(
        default_factory=dict[int, "tuple[Geometry, RayShape | None]"]
    )
    """By the identity of the geometry."""

    @classmethod
    def of(cls, scene: Scene, before: ShapeList) -> ShapeList:
        """Collect what can be seen or touched by rays; rows of bodies that stay are those of `before`."""
        used = {id(shape.geometry) for link in scene.links() for shape in link.shapes}
        forms = {key: form for key, form in before.forms.items() if key in used}
        found = cls(bodies=scene.bodies, forms=forms)
        link = 0
        for group, body in enumerate(scene.bodies):
            if before._has(body, link, group):
                found.rows += before.rows[before.starts[group] : before.starts[group + 1]]
            else:
                found.rows += found.rows_of(body, link, group)
            found.starts.append(len(found.rows))
            found.first_links.append(link)
            link += len(body.links)
        return found

    def _has(self, body: Body, link: int, group: int) -> bool:
        """Whether a body was at the same place in the scene, and its links in their rows."""
        is_there = group < len(self.bodies) and self.bodies[group] is body
        return is_there and self.first_links[group] == link

    def rows_of(self, body: Body, link_row: int, group: int) -> list[ShapeRow]:
        """Return the rows of one body, whose links begin with that row."""
        found: list[ShapeRow] = []
        for number_of_link, link in enumerate(body.links, link_row):
            glass, sliding = _glass_of(link), sliding_shapes(link)
            seen = () if link.follows_view else link.shapes
            for number, shape in enumerate(seen):
                if shape.role is ShapeRole.COLLISION and shape.appearance is None:
                    shape = replace(shape, appearance=glass)
                made = self._form(shape.geometry)
                if made is not None:
                    rows = list(_rows(made, shape, number_of_link, number, group))
                    for row in rows:
                        row.has_own_look = number in sliding
                    found += rows
            found += _muscles(link, number_of_link, group)
            found += _spots(link, number_of_link, group)
            found += _belts(link, number_of_link, group, self._form)
        return found

    def _form(self, geometry: Geometry) -> RayShape | None:
        known = self.forms.get(id(geometry))
        if known is None:
            known = self.forms[id(geometry)] = geometry, form_of(geometry)
        return known[1]


def sliding_shapes(link: Link) -> tuple[int, ...]:
    """Return the numbers of the shapes of a link whose textures run along with a belt."""
    slides = any(isinstance(d, DeviceTrackBelt) and any(d.texture_velocity) for d in link.devices)
    return textured_shapes(link) if slides else ()


def textured_shapes(link: Link) -> tuple[int, ...]:
    """Return the numbers of the shapes of a link that have a picture on them."""
    return tuple(
        number
        for number, shape in enumerate(link.shapes)
        if shape.appearance is not None and shape.appearance.texture is not None
    )


def _glass_of(link: Link) -> Appearance | None:
    """The look of a link of which everything that is drawn is transparent: a laser goes through it."""
    looks = [shape.appearance for shape in link.shapes if shape.role is not ShapeRole.COLLISION]
    clear = [look for look in looks if look is not None and look.transparency > 0.0]
    return clear[0] if clear and len(clear) == len(looks) else None


def _rows(form: RayShape, shape: Shape, link: int, number: int, group: int) -> Iterable[ShapeRow]:
    """A shape is one row, or two where it is drawn otherwise than it collides."""
    folder = shape.span.file.rpartition("/")[0]
    shadow = CASTS_SHADOWS if shape.casts_shadows else 0

    def row(flags: int, size: RayShape = form) -> ShapeRow:
        return ShapeRow(
            size,
            link,
            number,
            shape.pose,
            shape.scale,
            flags,
            group,
            shape.appearance,
            folder,
            shape.segmentation_color,
        )

    drawn = DRAWN | shadow | form.flags
    solid = COLLIDES | ALL_PARTS | (TWO_SIDED if form.kind == MESH else 0)
    match shape.role:
        case ShapeRole.VISUAL:
            yield row(drawn)
        case ShapeRole.COLLISION:
            yield row(solid, _endless(form))
        case ShapeRole.BOTH:
            if form.kind == PLANE or form.flags & ALL_PARTS != ALL_PARTS:
                yield row(drawn)
                yield row(solid, _endless(form))
            else:
                yield row(drawn | solid)


def _muscles(link: Link, row: int, group: int) -> Iterable[ShapeRow]:
    """Balls, to be stretched by what moves the muscles of a link."""
    for number, device in enumerate(link.devices):
        if isinstance(device, DeviceMuscle) and device.is_visible:
            shadows = CASTS_SHADOWS if device.casts_shadows else 0
            place = row, len(link.shapes) + number
            yield _ball(place, group, Appearance(roughness=0.7), shadows, has_own_look=True)


def _spots(link: Link, row: int, group: int) -> Iterable[ShapeRow]:
    """Balls, to be laid flat where the lasers of a link hit something."""
    red = (1.0, 0.0, 0.0)
    for number, device in enumerate(link.devices):
        if has_spot(device):
            place = row, len(link.shapes) + number
            look = Appearance(red, emissive=red, specular=(0.0, 0.0, 0.0), ambient=1.0)
            yield _ball(place, group, look)


def has_spot(device: object) -> TypeGuard[DeviceDistanceSensor]:
    """Whether a device is a laser whose beam has a width (`aperture`, there a radius)."""
    if not isinstance(device, DeviceDistanceSensor):
        return False
    return device.kind is DistanceKind.LASER and device.aperture > 0.0


def _ball(
    place: tuple[int, int],
    group: int,
    look: Appearance,
    flags: int = 0,
    *,
    has_own_look: bool = False,
) -> ShapeRow:
    """Return a ball of radius 1 that a device will stretch; too small to be seen until then."""
    return ShapeRow(
        _around(SPHERE, (1.0, 1.0, 1.0), (1.0, 1.0, 1.0)),
        *place,
        Pose(),
        (1e-6, 1e-6, 1e-6),
        flags | DRAWN | ALL_PARTS,
        group,
        look,
        "",
        is_device=True,
        has_own_look=has_own_look,
    )


def _belts(
    link: Link, row: int, group: int, form: Callable[[Geometry], RayShape | None]
) -> Iterable[ShapeRow]:
    """Elements of belts, to be placed by what moves them."""
    for number, device in enumerate(link.devices):
        if not isinstance(device, DeviceTrackBelt) or device.element is None or not device.wheels:
            continue
        made = form(device.element.geometry)
        if made is None:
            continue
        color = link.recognition_colors[0] if link.recognition_colors else None
        shape = replace(device.element, segmentation_color=color, role=ShapeRole.VISUAL)
        for _ in range(device.element_count):
            for found in _rows(made, shape, row, len(link.shapes) + number, group):
                found.is_device = True
                yield found


def _endless(form: RayShape) -> RayShape:
    """A plane collides without end."""
    if form.kind != PLANE:
        return form
    corner = (ENDLESS, ENDLESS, 0.0)
    return RayShape(PLANE, corner, (-ENDLESS, -ENDLESS, 0.0), corner, form.flags)


def form_of(geometry: Geometry) -> RayShape | None:
    """Return the kernel's terms for a geometry; None for what rays do not hit (lines and points)."""
    match geometry:
        case GeometrySphere(radius=r):
            return _around(SPHERE, (r, r, r), (r, r, r))
        case GeometryBox(size=(x, y, z)):
            half = (0.5 * x, 0.5 * y, 0.5 * z)
            return _around(BOX, half, half)
        case GeometryCylinder(radius=r, height=h):
            flags = _parts(geometry.side, geometry.top, geometry.bottom)
            return _around(CYLINDER, (r, r, 0.5 * h), (r, r, 0.5 * h), flags)
        case GeometryCapsule(radius=r, height=h):
            flags = _parts(geometry.side, geometry.top, geometry.bottom)
            return _around(CAPSULE, (r, r, 0.5 * h), (r, r, 0.5 * h + r), flags)
        case GeometryCone(radius=r, height=h):
            flags = _parts(geometry.side, True, geometry.bottom)
            return _around(CONE, (r, r, 0.5 * h), (r, r, 0.5 * h), flags)
        case GeometryPlane(size=(x, y)):
            half = (0.5 * x, 0.5 * y, 0.0)
            return _around(PLANE, half, half)
        case GeometryMesh():
            data = mesh_data(geometry)
            if not geometry.two_sided:
                data = apart(data)
            return _mesh_form(data, two_sided=geometry.two_sided)
        case GeometryHeightField():
            return _mesh_form(height_field_data(geometry), two_sided=False)
        case _:
            return None


def meets_rays(geometry: Geometry) -> bool:
    """Whether `form_of` finds a form, without making it."""
    match geometry:
        case GeometryMesh(triangles=triangles):
            return bool(triangles)
        case GeometryHeightField(x_count=x, y_count=y):
            return x > 1 and y > 1
        case _:
            return form_of(geometry) is not None


def _around(
    kind: int,
    size: tuple[float, float, float],
    half: tuple[float, float, float],
    flags: int = ALL_PARTS,
) -> RayShape:
    return RayShape(kind, size, (-half[0], -half[1], -half[2]), half, flags)


def _parts(side: bool, top: bool, bottom: bool) -> int:
    # an open form shows its inside
    open_sides = 0 if side and top and bottom else TWO_SIDED
    return (SIDE * side) | (TOP * top) | (BOTTOM * bottom) | open_sides


def _mesh_form(data: MeshData, *, two_sided: bool) -> RayShape | None:
    if not len(data.triangles):
        return None
    used = data.vertices[data.triangles.ravel()]
    low, high = used.min(axis=0), used.max(axis=0)
    return RayShape(
        MESH,
        (1.0, 1.0, 1.0),
        (float(low[0]), float(low[1]), float(low[2])),
        (float(high[0]), float(high[1]), float(high[2])),
        ALL_PARTS | (TWO_SIDED if two_sided else 0),
        data,
    )


def mesh_data(geometry: GeometryMesh) -> MeshData:
    """Return a mesh as arrays."""
    return MeshData(
        np.array(geometry.vertices, dtype=np.float32).reshape(-1, 3),
        np.array(geometry.triangles, dtype=np.int32).reshape(-1, 3),
        np.array(geometry.normals, dtype=np.float32) if geometry.normals else None,
        np.array(geometry.texture_coordinates, dtype=np.float32)
        if geometry.texture_coordinates
        else None,
    )


def apart(data: MeshData) -> MeshData:
    """Return a mesh in which the two faces of a sheet lie a little apart, each on its own side.

    A sheet that is to be seen from both sides is often written as two faces in one place. A ray finds one of
    them, and if that is the one that looks away, it goes on behind both.
    """
    count = len(data.triangles)
    if not 1 < count <= MOST_SHEETS:
        return data
    corners = data.vertices[data.triangles].astype(np.float64)
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-30)
    reach = max(float(np.abs(corners).max()), 1e-30)
    heights = np.einsum("ij,ij->i", normals, corners[:, 0]) / reach
    planes = np.round(np.column_stack([normals, heights]) / PLANE_SLACK).astype(np.int64)
    # faces on one plane that look both ways: their numbers are opposite; none is beyond 2**15 = 3.2 / slack
    keys = planes @ np.array([1 << 16 * place for place in range(4)])
    is_sheet = np.isin(-keys, keys)
    if not is_sheet.any():
        return data
    moved = corners + np.where(is_sheet[:, None], normals, 0.0)[:, None] * (APART * reach)
    return replace(
        data,
        vertices=moved.reshape(-1, 3).astype(np.float32),
        triangles=np.arange(3 * count, dtype=np.int32).reshape(-1, 3),
    )


def height_field_data(field: GeometryHeightField) -> MeshData:
    """Return the surface of a height field: two triangles per cell."""
    nx, ny = field.x_count, field.y_count
    x, y = np.meshgrid(np.arange(nx) * field.x_spacing, np.arange(ny) * field.y_spacing)
    heights = np.array(field.heights).reshape(ny, nx)
    vertices = np.stack([x, y, heights], axis=-1).reshape(-1, 3).astype(np.float32)
    corner = (np.arange(ny - 1)[:, None] * nx + np.arange(nx - 1)).ravel()
    lower = np.stack([corner, corner + 1, corner + nx + 1], axis=1)
    upper = np.stack([corner, corner + nx + 1, corner + nx], axis=1)
    triangles = np.stack([lower, upper], axis=1).reshape(-1, 3).astype(np.int32)
    flat = triangles.ravel()
    uv = np.stack([x / max(x.max(), 1e-9), y / max(y.max(), 1e-9)], axis=-1).reshape(-1, 2)
    colors = None
    if field.colors and field.color_per_point:
        colors = _spread_colors(field.colors, nx, ny)[flat]
    elif field.colors:
        colors = np.repeat(_spread_colors(field.colors, nx - 1, ny - 1), 6, axis=0)
    return MeshData(vertices, triangles, None, uv.astype(np.float32)[flat], colors)


def _spread_colors(given: Sequence[Vec3], nx: int, ny: int) -> NDArray[np.float32]:
    """Return a colour for each of nx*ny places; too few are taken in turn along both axes.

    So the two colours of an old floor make a chessboard of it.
    """
    colors = np.array(given, dtype=np.float32)
    if len(colors) >= nx * ny:
        return colors[: nx * ny]
    return colors[(np.arange(ny)[:, None] + np.arange(nx)).ravel() % len(colors)]
