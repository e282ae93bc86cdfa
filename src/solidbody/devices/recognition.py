"""What a camera recognises: things with recognition colours that are in range, in view and not hidden."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solidbody.base.transforms import Pose
from solidbody.devices.instants import Visible
from solidbody.devices.places import Floats, matrix
from solidbody.model.appearance import Color
from solidbody.model.devices import DeviceCamera, OcclusionTest, Projection
from solidbody.model.geometry import (
    GeometryBox,
    GeometryCapsule,
    GeometryCone,
    GeometryCylinder,
    GeometryMesh,
    GeometrySphere,
)
from solidbody.model.links import Frame, Link
from solidbody.model.scene import Scene
from solidbody.model.shapes import Shape, ShapeRole
from solidbody.render.engine import RayEngine
from solidbody.render.shapes import form_of

Bytes = NDArray[np.uint8]

NEARLY = 0.9
"""How far towards the corners of its box an object is probed: boxes are larger than what is in them."""


@dataclass(frozen=True, slots=True)
class Recognised:
    """One object as a camera sees it; lengths in metres, the image in pixels from its upper left corner.

    Attributes:
        id: Number of the object: the same for all cameras, from 1 on.
        name: Its name.
        path: Its path in the scene.
        model: Its model name.
        position: Centre, in the camera frame.
        orientation: Quaternion in the camera frame.
        size: Extent along the camera's y and z axes.
        position_on_image: Centre of its rectangle.
        size_on_image: Width and height of its rectangle, as far as it is inside the image.
        colors: Its recognition colours.
    """

    id: int
    name: str
    path: str
    model: str
    position: tuple[float, float, float]
    orientation: tuple[float, float, float, float]
    size: tuple[float, float]
    position_on_image: tuple[int, int]
    size_on_image: tuple[int, int]
    colors: tuple[Color, ...]


@dataclass(frozen=True, slots=True)
class Target:
    """A thing with recognition colours: a link, or a part that was merged into it."""

    id: int
    link: int
    part: int | None
    thing: Link | Frame
    pose: Pose
    shapes: tuple[Shape, ...]

    def extent(self, axes: Floats) -> tuple[Floats, Floats]:
        """Return the least and greatest coordinates along three unit vectors (rows), link frame."""
        ends = [_extent(shape, axes) for shape in self.shapes]
        return np.min([low for low, _ in ends], axis=0), np.max([high for _, high in ends], axis=0)


def has_colors(thing: Link | Frame) -> bool:
    """Whether cameras recognise it."""
    return bool(thing.recognition_colors)


def targets_of(
    scene: Scene, wanted: Callable[[Link | Frame], bool] = has_colors
) -> tuple[Target, ...]:
    """Return everything that sensors can make out: what is wanted and has a form."""
    found: list[Target] = []
    for row, link in enumerate(scene.links()):
        for part, thing in _things(link):
            # the size is that of what collides, else of what is drawn
            own = [shape for shape in link.shapes if shape.frame == part] or list(link.shapes)
            solid = [shape for shape in own if shape.role is not ShapeRole.VISUAL]
            shapes = tuple(shape for shape in solid or own if form_of(shape.geometry) is not None)
            if wanted(thing) and shapes:
                pose = thing.pose if isinstance(thing, Frame) else Pose()
                found.append(Target(len(found) + 1, row, part, thing, pose, shapes))
    return tuple(found)


def _things(link: Link) -> Iterator[tuple[int | None, Link | Frame]]:
    yield None, link
    yield from enumerate(link.frames)


def _extent(shape: Shape, axes: Floats) -> tuple[Floats, Floats]:
    """Return the least and greatest coordinates of a shape along unit vectors of its link's frame."""
    turn = matrix(np.array(shape.pose.rotation))
    middle = axes @ np.array(shape.pose.position)
    own = (axes @ turn) * np.array(shape.scale)
    match shape.geometry:
        case GeometrySphere(radius=r):
            reach = r * np.linalg.norm(own, axis=1)
        case GeometryBox(size=size):
            reach = np.abs(own) @ (0.5 * np.array(size))
        case GeometryCylinder(radius=r, height=h):
            reach = r * np.hypot(own[:, 0], own[:, 1]) + 0.5 * h * np.abs(own[:, 2])
        case GeometryCapsule(radius=r, height=h):
            reach = r * np.linalg.norm(own, axis=1) + 0.5 * h * np.abs(own[:, 2])
        case GeometryCone(radius=r, height=h):
            rim, tip = r * np.hypot(own[:, 0], own[:, 1]), 0.5 * h * own[:, 2]
            return middle + np.minimum(tip, -rim - tip), middle + np.maximum(tip, rim - tip)
        case GeometryMesh(vertices=vertices):
            along = np.array(vertices) @ own.T
            return middle + along.min(axis=0), middle + along.max(axis=0)
        case geometry:
            form = form_of(geometry)
            assert form is not None
            corners = np.array(np.meshgrid(*zip(form.low, form.high, strict=True))).reshape(3, -1)
            along = corners.T @ own.T
            return middle + along.min(axis=0), middle + along.max(axis=0)
    return middle - reach, middle + reach


@dataclass(frozen=True, slots=True)
class View:
    """Where a camera is and how it maps directions to pixels."""

    camera: DeviceCamera
    field_of_view: float
    position: Floats
    axes: Floats
    """Columns: forward, left, up in the world."""
    group: int
    """Body of the camera: it hides nothing."""

    def project(self, point: Floats) -> tuple[float, float] | None:
        """Return the pixel (x to the right, y down) of a point in the camera frame; None = behind it."""
        width, height, angle = self.camera.width, self.camera.height, self.field_of_view
        x, y, z = point.tolist()
        if self.camera.projection is Projection.PLANAR:
            if x <= 0.0:
                return None
            focal = 0.5 * width / math.tan(0.5 * angle)
            return 0.5 * width - focal * y / x, 0.5 * height - focal * z / x
        if self.camera.projection is Projection.SPHERICAL:
            aside = math.hypot(y, z)
            share = math.atan2(aside, x) / (angle * max(aside, 1e-12))
            return width * (0.5 - share * y), height * (0.5 - share * z)
        scale = width / angle
        return (
            0.5 * width - scale * math.atan2(y, x),
            0.5 * height - scale * math.atan2(z, math.hypot(x, y)),
        )


def recognise(view: View, targets: tuple[Target, ...], world: Visible) -> tuple[Recognised, ...]:
    """Return what a camera recognises, the largest first where their number is limited."""
    settings = view.camera.recognition
    if settings is None:
        return ()
    found: list[Recognised] = []
    for target in targets:
        seen = _seen(view, target, world, settings.max_range)
        if seen is not None and not _is_hidden(view, target, seen, world, settings.occlusion):
            found.append(seen)
    if settings.max_objects is not None and len(found) > settings.max_objects:
        found.sort(key=lambda one: one.size_on_image[0] * one.size_on_image[1], reverse=True)
        found = found[: settings.max_objects]
    return tuple(found)


def _seen(view: View, target: Target, world: Visible, max_range: float) -> Recognised | None:
    """Return a target with its place in the image, None if it is out of range or view."""
    pose = world.poses[target.link]
    turn = matrix(pose[3:])
    low, high = target.extent(view.axes.T @ turn)
    shift = view.axes.T @ (pose[:3] - view.position)
    centre, size = 0.5 * (low + high) + shift, high - low
    if float(np.linalg.norm(centre)) > max_range:
        return None
    corner = centre - np.array([0.0, 0.5, 0.5]) * size
    at, end = view.project(centre), view.project(corner)
    if at is None or end is None:
        return None
    half = abs(end[0] - at[0]), abs(end[1] - at[1])
    limits = view.camera.width, view.camera.height
    first = [max(at[k] - half[k], 0.0) for k in range(2)]
    last = [min(at[k] + half[k], float(limits[k])) for k in range(2)]
    if first[0] >= last[0] or first[1] >= last[1]:
        return None
    own = view.axes.T @ turn @ matrix(np.array(target.pose.rotation))
    x, y, z = centre.tolist()
    return Recognised(
        id=target.id,
        name=target.thing.name,
        path=target.thing.path,
        model=target.thing.model,
        position=(x, y, z),
        orientation=_quaternion(own),
        size=(float(size[1]), float(size[2])),
        position_on_image=(int(0.5 * (first[0] + last[0])), int(0.5 * (first[1] + last[1]))),
        size_on_image=(round(last[0] - first[0]), round(last[1] - first[1])),
        colors=target.thing.recognition_colors,
    )


def _is_hidden(
    view: View, target: Target, seen: Recognised, world: Visible, test: OcclusionTest
) -> bool:
    """Whether everything that is probed lies behind something that collides."""
    if test is OcclusionTest.NONE:
        return False
    centre, (width, height) = np.array(seen.position), seen.size
    points = [centre]
    if test is OcclusionTest.MANY:
        for y in (-1.0, 0.0, 1.0):
            for z in (-1.0, 0.0, 1.0):
                points.append(centre + 0.5 * NEARLY * np.array([0.0, y * width, z * height]))
    return is_hidden(world, target, view.position, np.array(points) @ view.axes.T, view.group)


def is_hidden(world: Visible, target: Target, start: Floats, offsets: Floats, skip: int) -> bool:
    """Whether something that collides is before all points of a target.

    Args:
        world: The world.
        target: What is looked for; its own parts hide nothing.
        start: Where from, world.
        offsets: (n, 3) from there to the points, world axes.
        skip: Body that hides nothing; -1 = none.
    """
    distance = np.linalg.norm(offsets, axis=1)
    n, rays = len(offsets), world.rays
    reached, shape, _ = rays.fan(
        np.full(n, -1, dtype=np.intp),
        np.tile(start, (n, 1)),
        offsets / np.maximum(distance, 1e-9)[:, None],
        distance,
        skip=np.full(n, skip, dtype=np.int32),
        drawn=False,
    ).cast()
    ends = zip(shape.tolist(), reached.tolist(), distance.tolist(), strict=True)
    return not any(
        hit < 0 or far >= length or _belongs(rays, hit, target, world.scene)
        for hit, far, length in ends
    )


def _belongs(rays: RayEngine, hit: int, target: Target, scene: Scene) -> bool:
    row = rays.rows[hit]
    if row.link != target.link:
        return False
    link = list(scene.links())[row.link]
    if row.is_device:
        return False
    return link.shapes[row.shape] in target.shapes or link.shapes[row.shape].frame == target.part


def segmented(shapes: NDArray[np.int32], colors: Bytes) -> Bytes:
    """Return the picture of recognition colours: `shapes` are rows of the ray engine, -1 = nothing."""
    return colors[shapes]


def segmentation_colors(rays: RayEngine) -> Bytes:
    """Return the recognition colour of each row of the ray engine; the last one is that of nothing: black."""
    out = np.zeros((len(rays.rows) + 1, 3), dtype=np.uint8)
    for k, row in enumerate(rays.rows):
        if row.segmentation_color is not None:
            out[k] = np.round(np.clip(row.segmentation_color, 0.0, 1.0) * 255.0)
    return out


def _quaternion(m: Floats) -> tuple[float, float, float, float]:
    """Return the unit quaternion w x y z of a rotation matrix."""
    # the largest of the four squares loses the fewest digits
    squares = np.array(
        [
            1.0 + m[0, 0] + m[1, 1] + m[2, 2],
            1.0 + m[0, 0] - m[1, 1] - m[2, 2],
            1.0 - m[0, 0] + m[1, 1] - m[2, 2],
            1.0 - m[0, 0] - m[1, 1] + m[2, 2],
        ]
    )
    sums = np.array(
        [
            [squares[0], m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]],
            [m[2, 1] - m[1, 2], squares[1], m[0, 1] + m[1, 0], m[0, 2] + m[2, 0]],
            [m[0, 2] - m[2, 0], m[0, 1] + m[1, 0], squares[2], m[1, 2] + m[2, 1]],
            [m[1, 0] - m[0, 1], m[0, 2] + m[2, 0], m[1, 2] + m[2, 1], squares[3]],
        ]
    )
    q = sums[int(np.argmax(squares))]
    w, x, y, z = (q / math.copysign(float(np.linalg.norm(q)), q[0])).tolist()
    return w, x, y, z
