"""Lights, sky and viewpoint of Choreonoid scenes.

The program always has a light at the viewer's head and one above the world; its files have neither, so all
scenes get lights like them. The view is the one that a project stores, else one that shows all bodies.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import fields
from itertools import product
from typing import Any, Final

from solidbody.base.transforms import (
    ZERO,
    Pose,
    Quat,
    Vec3,
    add,
    cross,
    norm,
    normalized,
    quat_from_matrix,
    scale,
    subtract,
)
from solidbody.formats.choreonoid.keys.access import Keys
from solidbody.formats.choreonoid.keys.projects import (
    LightingItemKeys,
    ProjectKeys,
    ViewCameraKeys,
    ViewKeys,
    ViewStateKeys,
)
from solidbody.formats.choreonoid.keys.settings import ViewCamera
from solidbody.formats.choreonoid.keys.table import plain_values
from solidbody.formats.choreonoid.keys.yaml_tree import YamlMap
from solidbody.formats.geometry.forms import mesh_of
from solidbody.model.environment import Background, Light, LightDirectional, Viewpoint
from solidbody.model.links import Body, Motion
from solidbody.model.scene import world_poses

SKY: Final = Background(color=(0.1, 0.1, 0.3))
"""The dark blue of the program's scene view."""

LIGHTS: Final[tuple[Light, ...]] = (
    LightDirectional(direction=(0.0, 0.0, -1.0), intensity=0.5, ambient=0.25),
    LightDirectional(direction=(-0.77, -0.56, -0.3), intensity=0.75, casts_shadows=True),
)
"""The world's light from above, and one as from the head of somebody who stands where views start."""

_FROM: Final[Vec3] = (0.87, 0.44, 0.26)
"""Direction from what is shown to the eye, as new views of the program have it."""

_ASPECT: Final = 16.0 / 9.0
"""Width by height of a window; the program's angle is across the shorter side, the model's the larger."""

_ANGLE: Final = 0.6978
"""[rad] Angle of the program's cameras across the shorter side."""

_MARGIN: Final = 1.25
"""Room around what is shown, as a factor: for bars over the picture."""

_SMALLEST: Final = 0.1
"""[m] Things smaller than this are looked at as if they had this reach."""

_LARGEST: Final = 20.0
"""[m] What is farther than this from the middle (grounds, buildings) is not waited for."""


def framed(bodies: Sequence[Body]) -> Viewpoint:
    """Return a view that shows the moving links with their shapes, or all where nothing moves."""
    points = list(_points(bodies, only_moving=True)) or list(_points(bodies, only_moving=False))
    low, high = _box(points or [ZERO])
    middle = scale(add(low, high), 0.5)
    if not all(map(math.isfinite, middle)):  # of numbers like 1e308
        low = high = middle = ZERO
    reach = min(max(0.5 * norm(subtract(high, low)), _SMALLEST), _LARGEST)
    distance = _MARGIN * reach / math.sin(0.5 * _ANGLE)
    # not from eye to middle: far from the origin their difference is lost
    eye = add(middle, scale(normalized(_FROM), distance))
    return _view(eye, scale(_FROM, -1.0), (0.0, 0.0, 1.0))


def _points(bodies: Sequence[Body], *, only_moving: bool) -> Iterator[Vec3]:
    """Yield the frames of links and the corners of boxes around their shapes."""
    for body in bodies:
        for link, pose in zip(body.links, world_poses(body), strict=True):
            if only_moving and link.motion is not Motion.DYNAMIC:
                continue
            yield pose.position
            for shape in link.shapes:
                mesh = mesh_of(shape.geometry, 4)
                corners = (
                    _box(mesh.vertices) if mesh is not None and mesh.vertices else (ZERO, ZERO)
                )
                for x, y, z in product(*zip(*corners, strict=True)):
                    a, b, c = shape.scale
                    yield pose.point(shape.pose.point((a * x, b * y, c * z)))


def _box(points: Sequence[Vec3]) -> tuple[Vec3, Vec3]:
    """Return the smallest and largest coordinates of points."""
    xs, ys, zs = zip(*points, strict=True)
    return (min(xs), min(ys), min(zs)), (max(xs), max(ys), max(zs))


def stored_view(top: Keys) -> Viewpoint | None:
    """Return the view of the first scene view that a project stores, if any."""
    for keys in _stored_cameras(top):
        camera = ViewCamera(**plain_values(keys, ViewCameraKeys))
        eye, direction = camera.eye, camera.direction
        if eye is not None and direction is not None and norm(cross(camera.up, direction)) > 1e-9:
            return _view(eye, direction, camera.up)
    return None


def _stored_cameras(top: Keys) -> Iterator[Keys]:
    """Yield the cameras of the scene views: old views have one, the oldest go by their names."""
    for state in _scene_views(top):
        old = state.keys(ViewStateKeys.camera)
        if old is not None:
            yield old
        for node in state.items(ViewStateKeys.cameras):
            if isinstance(node, YamlMap):
                yield state.child(node, "cameras")


def _scene_views(top: Keys) -> Iterator[Keys]:
    for item in top.items(ProjectKeys.views):
        if isinstance(item, YamlMap):
            view = top.child(item, "views")
            is_scene = view.read(ViewKeys.class_) == "SceneView"
            state = view.keys(ViewKeys.state if is_scene else ViewKeys.scene)
            if state is not None:
                yield state


def _view(eye: Vec3, direction: Vec3, up: Vec3) -> Viewpoint:
    """Return the view from `eye` along `direction`; +x looks, +z is up."""
    x = normalized(direction)
    y = normalized(cross(up, x))
    z = cross(x, y)
    rotation: Quat = quat_from_matrix(((x[0], y[0], z[0]), (x[1], y[1], z[1]), (x[2], y[2], z[2])))
    angle = 2.0 * math.atan(math.tan(0.5 * _ANGLE) * _ASPECT)
    return Viewpoint(pose=Pose(eye, rotation), field_of_view=angle)


# ------------------------------------------------------------------------------------------ lights


def lamp_of(keys: Keys) -> Light:
    """Return the light of a lighting item (its keys differ a little from those of light devices)."""
    keys.pass_over(LightingItemKeys)
    kind = keys.read(LightingItemKeys.light_type)
    values: dict[str, Any] = plain_values(keys, LightingItemKeys) | {"span": keys.span}
    known = {item.name for item in fields(kind)}
    return kind(**{name: value for name, value in values.items() if name in known})
