"""The viewpoint camera of recordings, fixed or following a link."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from solidbody.base.transforms import WORLD, Pose
from solidbody.devices.imaging.optics import planar
from solidbody.model.scene import Scene, world_poses
from solidbody.render.hiding import hidden
from solidbody.render.line_overlay import Pinhole, draw_overlay
from solidbody.render.ray_engine import Clipping

if TYPE_CHECKING:
    from solidbody.sim import Sim

Floats = NDArray[np.float64]


def follow(scene: Scene, poses: Floats) -> tuple[Floats, Floats]:
    """Return position and axes (columns: forward, left, up) of the viewpoint for these poses of links.

    A tracking shot moves with the link, a mounted shot turns with it too, a pan and tilt shot looks at it.
    """
    view = scene.viewpoint
    pose = travel(scene, poses) * view.pose
    row = _followed(scene)
    if row is not None and view.follow_type == "Pan and Tilt Shot":
        return np.array(pose.position), _looking(np.array(pose.position), poses[row, :3])
    return np.array(pose.position), _axes(pose)


def travel(scene: Scene, poses: Floats) -> Pose:
    """Return how far the viewpoint has gone along with a link: before its pose in the world."""
    row = _followed(scene)
    if row is None or scene.viewpoint.follow_type not in ("Tracking Shot", "Mounted Shot"):
        return WORLD
    start = [place for body in scene.bodies for place in world_poses(body)][row]
    x, y, z, w, i, j, k = poses[row].tolist()
    now = Pose((x, y, z), (w, i, j, k))
    if scene.viewpoint.follow_type == "Mounted Shot":
        return now * start.inverse()
    a, b, c = start.position
    return Pose((x - a, y - b, z - c))


def _followed(scene: Scene) -> int | None:
    wanted = scene.viewpoint.follow
    if not wanted:
        return None
    for row, link in enumerate(scene.links()):
        if wanted in (link.path, link.name, link.label):
            return row
    return None


def _axes(pose: Pose) -> Floats:
    columns = [pose.direction(axis) for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1))]
    return np.array(columns).T


def _looking(eye: Floats, target: Floats) -> Floats:
    forward = target - eye
    forward = forward / max(float(np.linalg.norm(forward)), 1e-9)
    left = np.cross(np.array([0.0, 0.0, 1.0]), forward)
    if float(np.linalg.norm(left)) < 1e-9:
        left = np.array([0.0, 1.0, 0.0])
    left = left / float(np.linalg.norm(left))
    return np.stack([forward, left, np.cross(forward, left)], axis=1)


class ViewpointCamera:
    """Takes pictures (height, width, 3) of what the viewpoint of a simulation sees."""

    def __init__(self, sim: Sim, size: tuple[int, int]) -> None:
        self._sim, self._size = sim, size
        self._bundle: Any = None
        self._angle = math.nan

    def picture(self, unseen: Collection[tuple[int, int]] = ()) -> NDArray[np.uint8]:
        """Return what is seen now, without the shapes (link, number) in `unseen`."""
        width, height = self._size
        world = self._sim.devices.world
        world.forget()
        rays = world.rays
        view = self._sim.scene.viewpoint
        if view.field_of_view != self._angle:
            self._angle = view.field_of_view
            self._bundle = rays.bundle(planar(width, height, self._across()))
        position, rotation = follow(self._sim.scene, world.poses)
        far = view.far if view.far > 0.0 else math.inf
        with hidden(rays, unseen):
            color, distance, _ = rays.picture(
                self._bundle,
                position,
                rotation,
                near=view.near,
                far=far,
                clipping=Clipping.PLANE,
                corner_radius=view.ambient_occlusion_radius,
            )
            if rays.overlay:
                lens, eye = Pinhole(width, height, self._across()), (position, rotation)
                seen = (color, distance)
                color = draw_overlay(rays.overlay, world.poses, seen, eye, lens, near=view.near)
            color = rays.tone_mapped(color, view.exposure)
        picture = color.reshape(height, width, 3)
        return (np.clip(picture, 0.0, 1.0) * 255.0 + 0.5).astype(np.uint8)

    def _across(self) -> float:
        """Return the angle across the width of pictures: the field of view goes across the longer side."""
        width, height = self._size
        if height <= width:
            return self._angle
        return 2.0 * math.atan(math.tan(0.5 * self._angle) * width / height)
