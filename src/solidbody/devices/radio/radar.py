"""Radars: distance, speed and azimuth of things that reflect radar waves (docs/behaviour, W9.3.10)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.random import Generator

from solidbody.base.vectors import matrix
from solidbody.devices.core.device_binding import BoundDevice
from solidbody.devices.core.device_frames import DeviceWorld, Floats, Rows
from solidbody.devices.core.group import Group
from solidbody.devices.imaging.recognition import Target, is_hidden, targets_of
from solidbody.devices.scalar.distance import own_groups
from solidbody.model.devices import DeviceRadar

LIGHT_SPEED = 299_792_458.0
"""[m/s]"""
TINY = 1e-12
"""A target at the very place of the radar has no direction [m]."""


@dataclass(frozen=True, slots=True)
class RadarEcho:
    """What a radar tells of a target.

    Attributes:
        distance: [m].
        power: Received [W].
        speed: At which it moves away [m/s].
        azimuth: To the right of the axis [rad].
    """

    distance: float
    power: float
    speed: float
    azimuth: float

    @property
    def power_dbm(self) -> float:
        """Received power in decibels above a milliwatt."""
        return 10.0 * math.log10(self.power / 1e-3) if self.power > 0.0 else -math.inf


def received_power(radar: DeviceRadar, cross_section: float, distance: float) -> float:
    """Return the radar equation's P·G²·λ²·σ/((4π)³·d⁴) [W]."""
    wave = LIGHT_SPEED / radar.frequency
    above = radar.transmitted_power * radar.antenna_gain**2 * wave**2 * cross_section
    return above / ((4.0 * math.pi) ** 3 * distance**4)


_STRAIGHT: Final = 1e-12
"""[rad] Smaller angles to the side are none."""


def _straightened(angle: float) -> float:
    """Return an angle; rounding of frames is none."""
    return angle if abs(angle) > _STRAIGHT else 0.0


class Radars(Group[DeviceRadar]):
    """The value is the number of targets; `targets(row)` tells them."""

    def __init__(self, devices: Sequence[BoundDevice], world: DeviceWorld, rng: Generator) -> None:
        super().__init__(devices, world, rng)
        self._found: list[tuple[RadarEcho, ...]] = [()] * len(devices)
        self.states: list[dict[str, Floats]] = [{} for _ in devices]
        """Of each radar: where the targets were at its last sample, from the radar, world axes."""
        self._targets = targets_of(world.scene, lambda thing: thing.radar_cross_section > 0.0)
        self._skip = own_groups(devices, world.scene)

    def reset(self) -> None:
        """Forget the targets as well."""
        super().reset()
        self._found = [()] * len(self._found)
        self.states = [{} for _ in self.devices]

    def disable(self, row: int) -> None:
        """Forget the targets as well."""
        super().disable(row)
        self._found[row] = ()
        self.states[row].clear()

    def targets(self, row: int) -> tuple[RadarEcho, ...]:
        """Return what the radar saw last."""
        return self._found[row]

    def sample(self, rows: Rows, elapsed: Floats) -> None:
        """See `Group.sample`."""
        for row, since in zip(rows.tolist(), elapsed.tolist(), strict=True):
            device = self.devices[row]
            echoes = [
                echo
                for target in self._targets
                if (echo := self._echo(row, target, since)) is not None
            ]
            if device.cell_distance > 0.0:
                echoes = merged(echoes, device.cell_distance, device.cell_speed)
            self._found[row] = tuple(echoes)
            self.values[row] = len(echoes)

    def _echo(self, row: int, target: Target, elapsed: float) -> RadarEcho | None:
        device, at = self.devices[row], np.array([row], dtype=np.intp)
        if target.link == self.bound[row].link:
            return None
        here = self.places.positions(self.world, at)[0]
        axes = matrix(self.places.rotations(self.world, at)[0])
        pose = self.world.poses[target.link]
        turn = matrix(pose[3:])
        origin = pose[:3] + turn @ np.array(target.pose.position) - here
        velocity = self._velocity(row, target, origin, elapsed)
        low, high = target.extent(axes.T @ turn)
        centre = 0.5 * (low + high) + axes.T @ (pose[:3] - here)
        size, length = high - low, float(np.linalg.norm(centre))
        if not _is_in_view(device, centre, size) or length <= 0.0:
            return None
        distance = length + self._noise(device.range_noise)
        # a part of it in range is enough
        reach = 0.5 * float(size[0])
        if distance < device.min_range - reach or length > device.max_range + reach:
            return None
        distance = min(max(distance, device.min_range), device.max_range)
        power = received_power(device, target.thing.radar_cross_section, distance)
        if power < device.min_detectable_power:
            return None
        speed = float(velocity @ origin) / max(float(np.linalg.norm(origin)), TINY)
        speed += self._noise(device.speed_noise)
        if device.radial_speed_range is not None and not (
            device.radial_speed_range[0] <= speed <= device.radial_speed_range[1]
        ):
            return None
        if abs(speed) < device.min_absolute_radial_speed:
            return None
        if device.sees_occlusion and is_hidden(
            self.world, target, here, (axes @ centre)[None], int(self._skip[row])
        ):
            return None
        half, (ahead, left, _) = 0.5 * device.horizontal_field_of_view, (axes.T @ origin).tolist()
        azimuth = _straightened(min(max(-math.atan2(left, ahead), -half), half))
        return RadarEcho(distance, power, speed, azimuth + self._noise(device.angular_noise))

    def _velocity(self, row: int, target: Target, origin: Floats, elapsed: float) -> Floats:
        """Return how a target moves as the radar sees it: by the way since its last sample [m/s].

        So something that a program moves has a speed, too. The first sample takes the velocities.
        """
        state, path = self.states[row], target.thing.path
        before, state[path] = state.get(path), origin
        if before is not None:
            return (origin - before) / elapsed
        own = self.places.point_velocities(self.world, np.array([row], dtype=np.intp))[0]
        return self.world.velocities[target.link, :3] - own

    def _noise(self, deviation: float) -> float:
        return deviation * float(self.random.standard_normal()) if deviation > 0.0 else 0.0


def _is_in_view(device: DeviceRadar, centre: Floats, size: Floats) -> bool:
    """Whether a part of the box around a target is within both angles of view."""
    x, y, z = centre.tolist()
    away = math.hypot(x, y)
    if away <= 0.0:
        return False
    wide = math.atan2(0.5 * float(size[1]), away)
    tall = math.atan2(0.5 * float(size[2]), math.hypot(away, z))
    return (
        abs(math.atan2(y, x)) - wide <= 0.5 * device.horizontal_field_of_view
        and abs(math.atan2(z, away)) - tall <= 0.5 * device.vertical_field_of_view
    )


def merged(echoes: Sequence[RadarEcho], distance: float, speed: float) -> list[RadarEcho]:
    """Return echoes with those in one cell of distance (and of speed, if > 0) as one.

    Powers add up; the rest is their mean, weighted by power.
    """
    left, out = list(echoes), list[RadarEcho]()
    while left:
        one = left.pop(0)
        near = [
            other
            for other in left
            if abs(one.distance - other.distance) < distance
            and (speed <= 0.0 or abs(one.speed - other.speed) < speed)
        ]
        left = [other for other in left if other not in near]
        cell = [one, *near]
        power = sum(echo.power for echo in cell)
        out.append(
            replace(
                one,
                power=power,
                distance=sum(echo.power * echo.distance for echo in cell) / power,
                speed=sum(echo.power * echo.speed for echo in cell) / power,
                azimuth=_straightened(sum(echo.power * echo.azimuth for echo in cell) / power),
            )
        )
    return out
