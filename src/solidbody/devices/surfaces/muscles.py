"""Shape and colour of muscles: spheroids of constant volume between the sides of a joint."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.random import Generator

from solidbody.base.vectors import axes_along, matrix
from solidbody.devices.core.device_binding import BoundDevice
from solidbody.devices.core.device_frames import DeviceWorld, Floats
from solidbody.devices.core.group import Group
from solidbody.devices.surfaces.looks import Key
from solidbody.devices.surfaces.render_snapshot import Show
from solidbody.model.appearance import Color
from solidbody.model.devices import DeviceMuscle
from solidbody.model.links import Motion
from solidbody.model.motors import Motor
from solidbody.render.moving_shapes import paint, stretch
from solidbody.render.ray_engine import RayEngine

UNCOLORED: Final[Color] = (0.75, 0.3, 0.28)
"""Of a muscle without colours."""
LEAST: Final = 1e-4
"""[m] Length below which a muscle is not drawn as what it would be: an endlessly wide disc."""


def thickness(volume: float, length: float) -> float:
    """Return the half width b [m] of a spheroid: volume = 4/3 pi (length/2) b^2."""
    return math.sqrt(1.5 * volume / (math.pi * length))


@dataclass(slots=True)
class Course:
    """Which way a muscle moves, told by the lengths that somebody sees one after the other [m]."""

    length: float = math.nan
    shrinks: bool = True

    def note(self, length: float) -> None:
        """It is that long now."""
        if not math.isnan(self.length) and length != self.length:
            self.shrinks = length < self.length
        self.length = length


class Muscles(Group[DeviceMuscle]):
    """The value is the share of its greatest effort that the motor makes, 0..1."""

    keeps_state = True

    def __init__(self, devices: Sequence[BoundDevice], world: DeviceWorld, rng: Generator) -> None:
        super().__init__(devices, world, rng)
        links = list(world.scene.links())
        rows = {link.path: row for row, link in enumerate(links)}
        self._ends = [rows.get(d.end) for d in self.devices]
        self._motors = [self._motor(end) for end in self._ends]
        self._dynamic = [
            end is not None and links[end].motion is Motion.DYNAMIC for end in self._ends
        ]
        self._numbers = [len(links[b.link].shapes) + b.number for b in devices]
        self._courses = [Course() for _ in devices]
        world.showing.append(self.look)

    def _motor(self, end: int | None) -> tuple[int, Motor] | None:
        """Return the axis of the joint that a muscle spans, and its motor."""
        if end is None:
            return None
        joint = list(self.world.scene.links())[end].joint
        motor = getattr(getattr(joint, "axis", None), "motor", None)
        return None if motor is None else (self.world.source.axis_row(end, 0), motor)

    def value(self, row: int) -> float:
        """See `Group.value`."""
        return self.share(row)

    def share(self, row: int) -> float:
        """Return |effort| over its greatest value, or |speed| over its own where no force moves the joint."""
        found = self._motors[row]
        if found is None:
            return 0.0
        axis, motor = found
        if self._dynamic[row]:
            now, most = float(self.world.source.motor_states["reaction"][axis]), motor.max_effort
        else:
            now, most = float(self.world.joints[axis, 1]), motor.max_velocity
        return min(abs(now) / most, 1.0) if most > 0.0 else 0.0

    def color(self, row: int, course: Course | None = None) -> Color:
        """Return the mixture of its idle colour with that of contracting or relaxing.

        Args:
            row: The muscle.
            course: Which way it goes; None = as cameras have seen it.
        """
        colors = self.devices[row].colors or (UNCOLORED,)
        shrinks = (course or self._courses[row]).shrinks
        busy = colors[min(1 if shrinks else 2, len(colors) - 1)]
        k, idle = self.share(row), colors[0]
        r, g, b = (a * (1.0 - k) + c * k for a, c in zip(idle, busy, strict=True))
        return r, g, b

    def ends(self, row: int) -> tuple[Floats, Floats]:
        """Return where it begins and ends in the world [m]."""
        d, end, poses = self.devices[row], self._ends[row], self.world.poses
        start = poses[self.bound[row].link]
        first = start[:3] + matrix(start[3:]) @ np.array(d.pose.point(d.start_offset))
        if end is None:
            return first, first
        return first, poses[end, :3] + matrix(poses[end, 3:]) @ np.array(d.end_offset)

    def look(self) -> Show:
        """Return how they are stretched and coloured now."""
        found: list[tuple[Key, Floats, Floats, Floats, Color]] = []
        for row, device in enumerate(self.devices):
            if not device.is_visible:
                continue
            first, second = self.ends(row)
            length = float(np.linalg.norm(second - first))
            if length < LEAST:
                continue
            self._courses[row].note(length)
            pose = self.world.poses[self.bound[row].link]
            back = matrix(pose[3:]).T
            b = thickness(device.volume, length)
            found.append(
                (
                    (self.bound[row].link, self._numbers[row]),
                    back @ (0.5 * (first + second) - pose[:3]),
                    back @ axes_along((second - first) / length),
                    np.array([0.5 * length, b, b]),
                    self.color(row),
                )
            )

        def show(rays: RayEngine) -> None:
            for key, position, axes, scale, color in found:
                stretch(rays, key, position, axes, scale)
                paint(rays, key, color)

        return show

    def reset(self) -> None:
        """Forget which way they moved."""
        self._courses = [Course() for _ in self._courses]
