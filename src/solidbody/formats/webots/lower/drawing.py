"""Frames with scale: the pose of drawn things inside nested Pose and Transform nodes."""

from __future__ import annotations

import math
from dataclasses import dataclass

from solidbody.base.transforms import (
    WORLD,
    Pose,
    Vec3,
    add,
    dot,
    norm,
    quat_multiply,
    quat_rotate,
)

_AXES: tuple[Vec3, Vec3, Vec3] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
_ONE: Vec3 = (1.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True)
class DrawnFrame:
    """A rigid pose, then factors along its axes: p_outer = position + R (scale * p_inner).

    `is_sheared` says that the true map is not of this form: a rotation stood inside unequal scales.
    """

    pose: Pose = WORLD
    scale: Vec3 = _ONE
    is_sheared: bool = False

    def inside(self, pose: Pose, scale: Vec3) -> DrawnFrame:
        """Return the frame of a node with its own pose and scale inside this one."""
        if self.scale == _ONE:
            return DrawnFrame(self.pose * pose, scale, self.is_sheared)
        s = self.scale
        x, y, z = pose.position
        position = add(
            self.pose.position,
            quat_rotate(self.pose.rotation, (s[0] * x, s[1] * y, s[2] * z)),
        )
        # images of the inner axes under the outer scale; their lengths are the new factors
        rotated = [quat_rotate(pose.rotation, axis) for axis in _AXES]
        images: list[Vec3] = [(s[0] * a[0], s[1] * a[1], s[2] * a[2]) for a in rotated]
        lengths = [norm(image) for image in images]
        shear = max(
            abs(dot(images[i], images[j])) / (lengths[i] * lengths[j] or math.inf)
            for i, j in ((0, 1), (0, 2), (1, 2))
        )
        return DrawnFrame(
            Pose(position, quat_multiply(self.pose.rotation, pose.rotation)),
            (lengths[0] * scale[0], lengths[1] * scale[1], lengths[2] * scale[2]),
            self.is_sheared or shear > 1e-6,
        )
