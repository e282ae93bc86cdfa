"""Lowers lidars: the fields of view, the head and the noise mean other things in the model."""

from __future__ import annotations

import math
from dataclasses import replace

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.transforms import Pose
from solidbody.formats.webots.lower.plain import lower_plain
from solidbody.formats.webots.nodes.typed import TypedNode
from solidbody.model.devices import DeviceLidar, Projection, RotatingHead


def lower_lidar(node: TypedNode, pose: Pose, log: DiagnosticLog) -> DeviceLidar:
    """Return the lidar of a node, at `pose` in its link."""
    is_rotating = node.string("type") == "rotating"
    wide = 2.0 * math.pi if is_rotating else node.number("fieldOfView")
    tall = node.number("verticalFieldOfView")
    is_planar = node.string("projection") == "planar" or (
        node.is_written("spherical") and not node.boolean("spherical")
    )
    lidar = lower_plain(
        DeviceLidar,
        node,
        log,
        pose=pose,
        yaw_range=(-wide / 2.0, wide / 2.0),
        pitch_range=(-tall / 2.0, tall / 2.0),
        has_sectors=True,
        projection=Projection.PLANAR if is_planar else Projection.CYLINDRICAL,
        head=_head(node) if is_rotating else None,
    )
    return replace(lidar, noise=node.number("noise") * lidar.max_range)


def _head(node: TypedNode) -> RotatingHead:
    low, high = sorted((node.number("minFrequency"), node.number("maxFrequency")))
    return RotatingHead(min(max(node.number("defaultFrequency"), low), high), low, high)
