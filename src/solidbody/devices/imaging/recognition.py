"""Object recognition and segmentation of cameras, by recognition colours (docs/behaviour, W9.4.6)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solidbody.base.transforms import Pose, quat_from_matrix
from solidbody.base.vectors import matrix
from solidbody.devices.core.device_frames import Floats
from solidbody.devices.imaging.frustum import Bounds, Frustum, ball_around, frustum_of
from solidbody.devices.surfaces.render_snapshot import Visible
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
from solidbody.render.ray_engine import RayEngine
from solidbody.render.shapes import form_of, meets_rays

Bytes = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Recognised:
    """One object as a camera sees it; lengths in metres, the image in pixels from its upper left corner.

    Attributes:
        id: Number of the object: the same for all cameras, from 1 on.
        name: Its name.
        path: Its path in the scene.
        model: Its model name.
        position: Centre of what is in view, in the camera frame.
        orientation: Quaternion in the camera frame.
        size: Extent of what is in view along the camera's x and y axes, as in Webots.
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
    """A thing that sensors can make out: a link, or a part that was merged into it.

    Attributes:
        id: Number, from 1 on.
        link: Row of the link.
        part: Number of the part in it; None = the link itself.
        thing: The link or part.
        pose: Of the part in the link.
        shapes: Its own shapes: what collides, else what is drawn.
        pieces: Shapes of the thing and of all below it, with the rows of their links: what collides, else
            what is drawn.
        collides: Whether they are what collides.
    """

    id: int
    link: int
    part: int | None
    thing: Link | Frame
    pose: Pose
    shapes: tuple[Shape, ...]
    pieces: tuple[tuple[int, Shape], ...]
    collides: bool

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
    forms = _forms_by_path(scene)
    for row, link in enumerate(scene.links()):
        for part, thing in _things(link):
            if not wanted(thing):
                continue
            # the size is that of what collides, else of what is drawn
            own = [shape for shape in link.shapes if shape.frame == part] or list(link.shapes)
            solid = [shape for shape in own if shape.role is not ShapeRole.VISUAL]
            shapes = tuple(shape for shape in solid or own if meets_rays(shape.geometry))
            if shapes:
                pose = thing.pose if isinstance(thing, Frame) else Pose()
                # a part without a form of its own stands for the whole
                below = forms.get(thing.path) or [(row, shape) for shape in shapes]
                solids = [piece for piece in below if piece[1].role is not ShapeRole.VISUAL]
                pieces = tuple(solids or below)
                found.append(
                    Target(len(found) + 1, row, part, thing, pose, shapes, pieces, bool(solids))
                )
    return tuple(found)


def _forms_by_path(scene: Scene) -> dict[str, list[tuple[int, Shape]]]:
    """Return the shapes, with rows of their links, of each path and of all below it."""
    found: dict[str, list[tuple[int, Shape]]] = {}
    for row, link in enumerate(scene.links()):
        for shape in link.shapes:
            if meets_rays(shape.geometry):
                path = link.path if shape.frame is None else link.frames[shape.frame].path
                while path:
                    found.setdefault(path, []).append((row, shape))
                    path = path.rpartition(":")[0]
    return found


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

    def project(self, point: Floats) -> tuple[int, int]:
        """Return the pixel of a point in the camera frame, the nearest in the image; whole as in Webots."""
        camera, angle = self.camera, self.field_of_view
        x, y, z = point.tolist()
        aspect = camera.width / camera.height
        if camera.projection is Projection.PLANAR:
            if x < 0.0:
                u, v = math.copysign(0.5, -y), math.copysign(0.5, -z)
            else:
                wide = 2.0 * math.tan(0.5 * angle) * max(x, 1e-12)
                u, v = -y / wide, -z / wide * aspect
        else:
            if camera.projection is Projection.SPHERICAL:
                aside = math.hypot(y, z)
                share = math.atan2(aside, x) / (angle * max(aside, 1e-12))
                u, v = -share * y, -share * z
            else:
                u = -math.atan2(y, x) / angle
                v = -math.atan2(z, math.hypot(x, y)) / angle * aspect
            if angle < 0.5 * math.pi:
                u *= 0.5 * math.pi / angle
        u, v = self._bent(min(max(0.5 + u, 0.0), 1.0), min(max(0.5 + v, 0.0), 1.0))
        # what was cut at an edge lies on it, but for rounding
        return int((camera.width - 1) * u + 1e-9), int((camera.height - 1) * v + 1e-9)

    def _bent(self, u: float, v: float) -> tuple[float, float]:
        """Return where the lens moves a place in the image, 0..1 along both sides."""
        lens = self.camera.lens
        if lens is None:
            return u, v
        (k1, k2), (p1, p2) = lens.radial, lens.tangential
        x, y = u - lens.center[0], v - lens.center[1]
        r2 = x * x + y * y
        grow = k1 * r2 + k2 * r2 * r2
        u += grow * x + 2.0 * p1 * x * y + p2 * (r2 + 2.0 * x * x)
        v += grow * y + p1 * (r2 + 2.0 * y * y + 2.0 * p2 * x * y)
        return min(max(u, 0.0), 1.0), min(max(v, 0.0), 1.0)


def recognise(view: View, targets: tuple[Target, ...], world: Visible) -> tuple[Recognised, ...]:
    """Return what a camera recognises, the largest first where their number is limited."""
    settings = view.camera.recognition
    if settings is None:
        return ()
    found: list[Recognised] = []
    frustum = frustum_of(view.camera, view.field_of_view)
    for target in targets:
        bounds = _bounds(frustum, view, target, world)
        if bounds is None or float(
            np.linalg.norm(bounds.centre)
        ) > settings.max_range + 0.5 * float(bounds.size[0]):
            continue
        seen = _seen(view, target, bounds, world)
        if seen is not None and not _is_hidden(view, target, bounds, world, settings.occlusion):
            found.append(seen)
    if settings.max_objects is not None and len(found) > settings.max_objects:
        found.sort(key=lambda one: one.size_on_image[0] * one.size_on_image[1], reverse=True)
        found = found[: settings.max_objects]
    return tuple(found)


def _bounds(frustum: Frustum, view: View, target: Target, world: Visible) -> Bounds | None:
    """Return the bounds of what is in view of a target, in the camera frame."""
    to_camera = view.axes.T
    pieces: list[tuple[Shape, Floats, Floats]] = []
    for row, shape in target.pieces:
        pose = world.poses[row]
        turn = to_camera @ matrix(pose[3:])
        place = to_camera @ (pose[:3] - view.position) + turn @ np.array(shape.pose.position)
        pieces.append((shape, turn @ matrix(np.array(shape.pose.rotation)), place))
    if target.collides:
        return frustum.bounds(pieces)
    ball = ball_around(pieces)
    return None if ball is None else frustum.ball(*ball)


def _seen(view: View, target: Target, bounds: Bounds, world: Visible) -> Recognised | None:
    """Return a target with its place in the image; None if it is smaller than a pixel."""
    points = bounds.centre + bounds.corners()
    if view.camera.projection is not Projection.PLANAR:
        points = np.concatenate([points, bounds.centre[None]])
    pixels = np.array([view.project(point) for point in points])
    first, last = pixels.min(axis=0), pixels.max(axis=0)
    width, height = (last - first).tolist()
    if width < 1 or height < 1:
        return None
    middle = np.floor(0.5 * (first + last) + 0.5).astype(int).tolist()
    turn = matrix(world.poses[target.link][3:])
    optical = matrix(np.array(view.camera.optical_rotation))
    own = optical @ view.axes.T @ turn @ matrix(np.array(target.pose.rotation))
    x, y, z = (optical @ bounds.centre).tolist()
    w, a, b, c = quat_from_matrix(own.tolist())
    extent = np.abs(optical) @ bounds.size
    return Recognised(
        id=target.id,
        name=target.thing.name,
        path=target.thing.path,
        model=target.thing.model,
        position=(x, y, z),
        orientation=(w, a, b, c) if w >= 0.0 else (-w, -a, -b, -c),
        size=(float(extent[0]), float(extent[1])),
        position_on_image=(middle[0], middle[1]),
        size_on_image=(width, height),
        colors=target.thing.recognition_colors,
    )


def _is_hidden(
    view: View, target: Target, bounds: Bounds, world: Visible, test: OcclusionTest
) -> bool:
    """Whether something that collides is before all that is probed: the origin of a thing, or its corners.

    What is nearer to the end of a ray than half of the size does not count: front and back for the first two
    rays, then from side to side, then its height.
    """
    if test is OcclusionTest.NONE:
        return False
    pose = world.poses[target.link]
    origin = pose[:3] + matrix(pose[3:]) @ np.array(target.pose.position) - view.position
    offsets = origin[None]
    if test is OcclusionTest.MANY:
        offsets = origin + bounds.corners() @ view.axes.T
    room = np.zeros(len(offsets))
    room[: min(6, len(room))] = 0.5 * bounds.size.repeat(2)[: len(room)]
    return is_hidden(world, target, view.position, offsets, view.group, room)


def is_hidden(
    world: Visible,
    target: Target,
    start: Floats,
    offsets: Floats,
    skip: int,
    room: Floats | float = 0.0,
) -> bool:
    """Whether something that collides is before all points of a target.

    Args:
        world: The world.
        target: What is looked for; its own parts hide nothing.
        start: Where from, world.
        offsets: (n, 3) from there to the points, world axes.
        skip: Body that hides nothing; -1 = none.
        room: How near before a point something may be without hiding it [m].
    """
    distance = np.linalg.norm(offsets, axis=1)
    n, rays = len(offsets), world.rays
    reached, shape, _ = rays.ray_batch(
        np.full(n, -1, dtype=np.intp),
        np.tile(start, (n, 1)),
        offsets / np.maximum(distance, 1e-9)[:, None],
        distance,
        skip=np.full(n, skip, dtype=np.int32),
        drawn=False,
    ).cast()
    ends = zip(shape.tolist(), reached.tolist(), (distance - room).tolist(), strict=True)
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
