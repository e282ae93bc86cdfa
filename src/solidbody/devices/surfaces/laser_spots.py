"""Red spots of laser distance sensors, as cameras see them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from solidbody.base.vectors import axes_along, matrix
from solidbody.devices.core.device_binding import BoundDevice
from solidbody.devices.core.device_frames import DeviceWorld, Floats, Rows
from solidbody.devices.surfaces.looks import Key
from solidbody.devices.surfaces.render_snapshot import Show
from solidbody.render.moving_shapes import stretch
from solidbody.render.ray_engine import RayEngine
from solidbody.render.shapes import has_spot

STEEPEST: Final = math.cos(1.3963)
"""Cosine of the angle to the normal (80 degrees) from which on Webots shows no spot."""

THICKNESS: Final = 5e-4
"""[m] By which a spot stands out, so that it is not lost in the surface."""

GONE: Final = np.full(3, 1e-6)
"""[m] Half axes of a spot that is not there."""


class LaserSpots:
    """Discs with the radius of the beam on what it hits; none at a grazing angle.

    Args:
        devices: All distance sensors.
        world: Where they are.
    """

    def __init__(self, devices: Sequence[BoundDevice], world: DeviceWorld) -> None:
        self._world = world
        links = list(world.scene.links())
        self._keys: dict[int, Key] = {}
        self._radius: dict[int, float] = {}
        self._hits: dict[int, tuple[Floats, Floats]] = {}  # device -> point and normal in the world
        for row, bound in enumerate(devices):
            device, link = bound.device, links[bound.link]
            if has_spot(device):
                self._keys[row] = bound.link, len(link.shapes) + bound.number
                self._radius[row] = device.aperture
        if self._keys:
            world.showing.append(self.look)

    def __len__(self) -> int:
        """How many sensors have one."""
        return len(self._keys)

    def note(self, rows: Rows, points: Floats, normals: Floats, facing: Floats) -> None:
        """Beams end here now; `facing` are the cosines to the normals, 0 where nothing is hit."""
        for row, point, normal, cosine in zip(rows.tolist(), points, normals, facing, strict=True):
            if abs(cosine) > STEEPEST:
                self._hits[row] = point, normal
            else:
                self._hits.pop(row, None)
        self._world.look_again()

    def forget(self, row: int | None = None) -> None:
        """A sensor, or (None) each of them, measures no more."""
        if row is None:
            self._hits.clear()
        else:
            self._hits.pop(row, None)

    def look(self) -> Show:
        """Return where the spots are now."""
        found: list[tuple[Key, Floats, Floats, Floats]] = []
        for row, key in self._keys.items():
            if row not in self._hits:
                found.append((key, np.zeros(3), np.eye(3), GONE))
                continue
            point, normal = self._hits[row]
            pose = self._world.poses[key[0]]
            back = matrix(pose[3:]).T
            radius = self._radius[row]
            half = np.array([THICKNESS, radius, radius])
            found.append((key, back @ (point - pose[:3]), back @ axes_along(normal), half))

        def show(rays: RayEngine) -> None:
            for key, position, axes, half in found:
                stretch(rays, key, position, axes, half)

        return show
