"""Where the viewpoint is: fixed, or going along with a link."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solidbody.base.transforms import Pose
from solidbody.model.scene import Scene, world_poses

Floats = NDArray[np.float64]


def follow(scene: Scene, poses: Floats) -> tuple[Floats, Floats]:
    """Return position and axes (columns: forward, left, up) of the viewpoint for these poses of links.

    A tracking shot moves with the link, a mounted shot turns with it too, a pan and tilt shot looks at it.
    """
    view = scene.viewpoint
    pose = view.pose
    row = _followed(scene)
    if row is None or view.follow_type == "None":
        return np.array(pose.position), _axes(pose)
    start = [place for body in scene.bodies for place in world_poses(body)][row]
    x, y, z, w, i, j, k = poses[row].tolist()
    now = Pose((x, y, z), (w, i, j, k))
    if view.follow_type == "Mounted Shot":
        moved = now * (start.inverse() * pose)
        return np.array(moved.position), _axes(moved)
    if view.follow_type == "Pan and Tilt Shot":
        return np.array(pose.position), _looking(np.array(pose.position), np.array(now.position))
    shift = np.array(now.position) - np.array(start.position)
    return np.array(pose.position) + shift, _axes(pose)


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
