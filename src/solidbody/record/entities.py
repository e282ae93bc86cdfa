"""Converts the shapes of a scene to Foxglove's scene entities, one per link."""

from __future__ import annotations

from typing import Any

from solidbody.base.transforms import Pose, Vec3
from solidbody.model.geometry import (
    GeometryBox,
    GeometryCapsule,
    GeometryCone,
    GeometryCylinder,
    GeometryMesh,
    GeometryPlane,
    GeometrySphere,
)
from solidbody.model.links import Link
from solidbody.model.scene import Scene
from solidbody.model.shapes import Shape, ShapeRole

GREY = {"r": 0.7, "g": 0.7, "b": 0.7, "a": 1.0}
KINDS = ("arrows", "cubes", "spheres", "cylinders", "lines", "triangles", "texts", "models")


def entities_of(scene: Scene, stamp: dict[str, int]) -> list[dict[str, Any]]:
    """Return the entities of all links that have something to show."""
    out: list[dict[str, Any]] = []
    for link in scene.links():
        entity: dict[str, Any] = {
            "timestamp": stamp,
            "frame_id": link.name,
            "id": link.name,
            "lifetime": {"sec": 0, "nsec": 0},
            "frame_locked": True,
            "metadata": [],
            **{kind: [] for kind in KINDS},
        }
        for shape in _shown(link):
            for kind, item in _parts(shape):
                entity[kind].append(item)
        if any(entity[kind] for kind in KINDS):
            out.append(entity)
    return out


def _shown(link: Link) -> list[Shape]:
    """What is drawn; what collides, for links that draw nothing."""
    drawn = [shape for shape in link.shapes if shape.role is not ShapeRole.COLLISION]
    return drawn or list(link.shapes)


def _parts(shape: Shape) -> list[tuple[str, dict[str, Any]]]:
    place = {"pose": _pose(shape.pose), "color": _color(shape)}
    sx, sy, sz = shape.scale
    match shape.geometry:
        case GeometryBox(size=(x, y, z)):
            return [("cubes", {**place, "size": _vector((x * sx, y * sy, z * sz))})]
        case GeometrySphere(radius=r):
            return [("spheres", {**place, "size": _vector((2 * r * sx, 2 * r * sy, 2 * r * sz))})]
        case GeometryCylinder(radius=r, height=h) | GeometryCone(radius=r, height=h):
            top = 0.0 if isinstance(shape.geometry, GeometryCone) else 1.0
            size = _vector((2 * r * sx, 2 * r * sy, h * sz))
            return [("cylinders", {**place, "size": size, "bottom_scale": 1.0, "top_scale": top})]
        case GeometryCapsule(radius=r, height=h):
            ends = [
                ("spheres", {**place, "pose": _pose(end), "size": _vector((2 * r, 2 * r, 2 * r))})
                for end in (
                    shape.pose * Pose((0.0, 0.0, 0.5 * h)),
                    shape.pose * Pose((0.0, 0.0, -0.5 * h)),
                )
            ]
            size = _vector((2 * r, 2 * r, h))
            side = {**place, "size": size, "bottom_scale": 1.0, "top_scale": 1.0}
            return [("cylinders", side), *ends]
        case GeometryPlane(size=(x, y)):
            return [("cubes", {**place, "size": _vector((x, y, 0.001))})]
        case GeometryMesh():
            points = [_vector((x * sx, y * sy, z * sz)) for x, y, z in shape.geometry.vertices]
            indices = [index for triangle in shape.geometry.triangles for index in triangle]
            item = {**place, "points": points, "colors": [], "indices": indices}
            return [("triangles", item)]
        case _:
            return []


def _pose(pose: Pose) -> dict[str, Any]:
    w, x, y, z = pose.rotation
    return {
        "position": _vector(pose.position),
        "orientation": {"x": x, "y": y, "z": z, "w": w},
    }


def _vector(v: Vec3) -> dict[str, float]:
    return {"x": v[0], "y": v[1], "z": v[2]}


def _color(shape: Shape) -> dict[str, float]:
    look = shape.appearance
    if look is None:
        return GREY
    r, g, b = look.base_color
    return {"r": r, "g": g, "b": b, "a": 1.0 - look.transparency}
