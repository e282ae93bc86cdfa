"""Accelerometers, gyros, inertial units, compasses, GPS and altimeters (docs/behaviour, W9.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.random import Generator

from solidbody.base.transforms import ZERO, dot
from solidbody.base.vectors import multiply, unrotate
from solidbody.devices.core.device_binding import BoundDevice
from solidbody.devices.core.device_frames import DeviceWorld, Floats, Rows
from solidbody.devices.core.group import Group
from solidbody.devices.core.measurement_model import Finish, rounded
from solidbody.devices.core.plain import Plain, PlainKind, vec3
from solidbody.devices.scalar.geodesy import from_utm, to_utm, zone_of
from solidbody.model.devices import (
    AccelerationRule,
    DeviceAccelerometer,
    DeviceAltimeter,
    DeviceCompass,
    DeviceGps,
    DeviceGyro,
    DeviceImu,
    DeviceInertialUnit,
)
from solidbody.model.links import Motion

A = TypeVar("A", DeviceAccelerometer, DeviceImu)


def _has_physics(devices: Sequence[BoundDevice], world: DeviceWorld) -> np.ndarray:
    links = list(world.scene.links())
    return np.array([links[bound.link].motion is Motion.DYNAMIC for bound in devices], dtype=bool)


class Accelerations:
    """Accelerations minus gravity in the device frames, from the change of velocity between samples."""

    def __init__(
        self,
        devices: Sequence[BoundDevice],
        rules: Sequence[AccelerationRule],
        world: DeviceWorld,
        group: Group,
    ) -> None:
        self._world, self._places = world, group.places
        self._at_origin = np.array([rule is AccelerationRule.LINK_ORIGIN for rule in rules])
        self._is_real = _has_physics(devices, world)
        self._rests = ~self._is_real & np.array(
            [rule is AccelerationRule.SENSOR_POINT_OR_REST for rule in rules]
        )
        self._before: Floats = np.full((len(devices), 3), np.nan)

    def plain(self, kind: PlainKind, bound: BoundDevice, row: int) -> Plain | None:
        """Return how to read a device straight from the state; None for what physics does not move."""
        if not self._is_real[row]:
            return None
        return Plain(
            kind,
            bound.link,
            ZERO if self._at_origin[row] else bound.pose.position,
            bound.pose.rotation,
            extra=vec3(self._world.gravity),
            memory=self._before[row],
        )

    def note(self, rows: Rows) -> Floats:
        """Keep the present velocities; return them."""
        velocity = self._places.point_velocities(self._world, rows)
        at_origin = self._at_origin[rows]
        if at_origin.any():
            link = self._places.link[rows[at_origin]]
            velocity[at_origin] = self._world.velocities[link, :3]
        self._before[rows] = velocity
        return velocity

    def forget(self) -> None:
        """Go back to the time before the first sample."""
        self._before[:] = np.nan

    def __call__(self, rows: Rows, elapsed: Floats) -> Floats:
        """Return the accelerations since the last call; NaN for what physics does not move."""
        before = self._before[rows]
        change = (self.note(rows) - before) / elapsed[:, None]
        change[self._rests[rows]] = 0.0
        out = unrotate(self._places.rotations(self._world, rows), change - self._world.gravity)
        out[~(self._is_real | self._rests)[rows]] = np.nan
        return out


class _Accelerated(Group[A]):
    """Devices that measure accelerations."""

    def __init__(self, devices: Sequence[BoundDevice], world: DeviceWorld, rng: Generator) -> None:
        super().__init__(devices, world, rng)
        self._measure = Accelerations(devices, [d.rule for d in self.devices], world, self)

    def reset(self) -> None:
        """Forget the last velocities as well."""
        super().reset()
        self._measure.forget()

    def enable(self, row: int) -> None:
        """The first value is the change of velocity from now on."""
        self._measure.note(np.array([row], dtype=np.intp))


def _finish_of(
    devices: Sequence[DeviceAccelerometer | DeviceGyro | DeviceCompass],
) -> Finish:
    return Finish(*zip(*((d.lookup, d.resolution, d.axes) for d in devices), strict=True))


class Accelerometers(_Accelerated[DeviceAccelerometer]):
    """R'(dv/dt - g)."""

    width = 3

    def __init__(self, devices: Sequence[BoundDevice], world: DeviceWorld, rng: Generator) -> None:
        super().__init__(devices, world, rng)
        self._finish = _finish_of(self.devices)

    def sample(self, rows: Rows, elapsed: Floats) -> None:
        """See `Group.sample`."""
        self.values[rows] = self._finish(rows, self._measure(rows, elapsed), self.random)

    def plain(self, row: int) -> Plain | None:
        """See `Group.plain`."""
        if not self._finish.is_plain(row):
            return None
        return self._measure.plain(PlainKind.ACCELERATION, self.bound[row], row)


class Gyros(Group[DeviceGyro]):
    """Angular velocity in the device frame."""

    width = 3

    def __init__(self, devices: Sequence[BoundDevice], world: DeviceWorld, rng: Generator) -> None:
        super().__init__(devices, world, rng)
        self._finish = _finish_of(self.devices)

    def sample(self, rows: Rows, elapsed: Floats) -> None:
        """See `Group.sample`."""
        turn = self.places.angular_velocities(self.world, rows)
        local = unrotate(self.places.rotations(self.world, rows), turn)
        self.values[rows] = self._finish(rows, local, self.random)

    def plain(self, row: int) -> Plain | None:
        """See `Group.plain`."""
        bound = self.bound[row]
        if not self._finish.is_plain(row) or not _has_physics([bound], self.world)[0]:
            return None
        return Plain(PlainKind.TURN, bound.link, rotation=bound.pose.rotation)


class Imus(_Accelerated[DeviceImu]):
    """Acceleration, then angular velocity."""

    width = 6

    def sample(self, rows: Rows, elapsed: Floats) -> None:
        """See `Group.sample`."""
        turn = self.places.angular_velocities(self.world, rows)
        self.values[rows, :3] = self._measure(rows, elapsed)
        self.values[rows, 3:] = unrotate(self.places.rotations(self.world, rows), turn)

    def plain(self, row: int) -> Plain | None:
        """See `Group.plain`."""
        return self._measure.plain(PlainKind.BOTH, self.bound[row], row)


class InertialUnits(Group[DeviceInertialUnit]):
    """Attitude as a quaternion x y z w."""

    width = 4

    def __init__(self, devices: Sequence[BoundDevice], world: DeviceWorld, rng: Generator) -> None:
        super().__init__(devices, world, rng)
        self._noise = np.array([d.noise for d in self.devices]) * np.pi
        # the original mixes up y and z here; programs have come to know it so
        self._kept = np.array([[d.axes.x, d.axes.z, d.axes.y] for d in self.devices])
        self._step = _steps([d.resolution for d in self.devices])

    def sample(self, rows: Rows, elapsed: Floats) -> None:
        """See `Group.sample`."""
        q = self.places.rotations(self.world, rows)
        if self._noise[rows].any():
            q = multiply(q, _small_turns(self._noise[rows], self.random))
        if not self._kept[rows].all():
            q = _without_axes(q, self._kept[rows])
        self.values[rows] = _stepped(q[:, [1, 2, 3, 0]], self._step[rows, None])

    def plain(self, row: int) -> Plain | None:
        """See `Group.plain`."""
        has_step = self.devices[row].resolution is not None
        if self._noise[row] > 0.0 or not self._kept[row].all() or has_step:
            return None
        bound = self.bound[row]
        return Plain(PlainKind.ATTITUDE, bound.link, rotation=bound.pose.rotation)


def _small_turns(deviation: Floats, random: np.random.Generator) -> Floats:
    """Rotations by three random Euler angles each."""
    half = 0.5 * deviation[:, None] * random.standard_normal((len(deviation), 3))
    parts: list[Floats] = []
    for k in range(3):
        part = np.zeros((len(deviation), 4))
        part[:, 0], part[:, 1 + k] = np.cos(half[:, k]), np.sin(half[:, k])
        parts.append(part)
    return multiply(multiply(parts[2], parts[1]), parts[0])


def _without_axes(q: Floats, kept: np.ndarray) -> Floats:
    """Zero components of the rotation axis, keeping the angle; no axis left = no rotation."""
    axis = np.where(kept, q[:, 1:], 0.0)
    length = np.linalg.norm(axis, axis=1, keepdims=True)
    whole = np.linalg.norm(q[:, 1:], axis=1, keepdims=True)
    out = np.zeros_like(q)
    out[:, 0] = 1.0
    turned = (length > 0.0)[:, 0]
    out[turned, :1] = q[turned, :1]
    out[turned, 1:] = axis[turned] / length[turned] * whole[turned]
    return out


class Compasses(Group[DeviceCompass]):
    """North in the device frame."""

    width = 3

    def __init__(self, devices: Sequence[BoundDevice], world: DeviceWorld, rng: Generator) -> None:
        super().__init__(devices, world, rng)
        self._finish = _finish_of(self.devices)
        self._north = np.array(world.scene.geodesy.north)

    def sample(self, rows: Rows, elapsed: Floats) -> None:
        """See `Group.sample`."""
        north = np.broadcast_to(self._north, (len(rows), 3))
        local = unrotate(self.places.rotations(self.world, rows), north)
        self.values[rows] = self._finish(rows, local, self.random)

    def plain(self, row: int) -> Plain | None:
        """See `Group.plain`."""
        if not self._finish.is_plain(row):
            return None
        bound = self.bound[row]
        extra = vec3(self._north)
        return Plain(PlainKind.DIRECTION, bound.link, rotation=bound.pose.rotation, extra=extra)


class GpsDevices(Group[DeviceGps]):
    """Position (3), speed (1), velocity (3)."""

    width = 7

    def __init__(self, devices: Sequence[BoundDevice], world: DeviceWorld, rng: Generator) -> None:
        super().__init__(devices, world, rng)
        self._accuracy = np.array([d.accuracy for d in self.devices])
        self._correlation = np.array([d.noise_correlation for d in self.devices])
        self._step = _steps([d.resolution for d in self.devices])
        self._speed_step = _steps([d.speed_resolution for d in self.devices])
        self._speed_noise = np.array([d.speed_noise for d in self.devices])
        self._is_real = _has_physics(devices, world)
        self._before: Floats = np.full((len(devices), 3), np.nan)
        self._noise = np.zeros(3)  # one memory for all devices, as in the original

    def reset(self) -> None:
        """Forget the last positions and the noise as well."""
        super().reset()
        self._before[:] = np.nan
        self._noise[:] = 0.0

    def value(self, row: int) -> Floats:
        """The position."""
        return self.values[row, :3].copy()

    def sample(self, rows: Rows, elapsed: Floats) -> None:
        """See `Group.sample`."""
        position = self.places.positions(self.world, rows)
        velocity = self.places.point_velocities(self.world, rows)
        difference = (position - self._before[rows]) / elapsed[:, None]
        velocity = np.where(self._is_real[rows, None], velocity, difference)
        self._before[rows] = position
        speed = np.linalg.norm(velocity, axis=1)
        if self._speed_noise[rows].any():
            speed = speed * (1.0 + self._speed_noise[rows] * self.random.standard_normal(len(rows)))
        self.values[rows, :3] = self._place(self._noisy(position, rows, elapsed), rows)
        self.values[rows, 3] = _stepped(speed, self._speed_step[rows])
        self.values[rows, 4:] = velocity

    def plain(self, row: int) -> Plain | None:
        """See `Group.plain`."""
        d, bound, geodesy = self.devices[row], self.bound[row], self.world.scene.geodesy
        is_exact = d.accuracy == d.speed_noise == 0.0 and geodesy.gps_system == "local"
        is_smooth = d.resolution is None and d.speed_resolution is None
        if not (is_exact and is_smooth and self._is_real[row]):
            return None
        return Plain(PlainKind.PLACE, bound.link, bound.pose.position, extra=geodesy.gps_reference)

    def _noisy(self, position: Floats, rows: Rows, elapsed: Floats) -> Floats:
        """Add first-order Gauss-Markov noise, device by device: they share its memory."""
        for k in np.flatnonzero(self._accuracy[rows] > 0.0):
            kept = self._correlation[rows[k]] ** elapsed[k]
            fresh = self.random.standard_normal(3)
            self._noise = kept * self._noise + np.sqrt(1.0 - kept * kept) * fresh
            position[k] += self._accuracy[rows[k]] * self._noise
        return position

    def _place(self, position: Floats, rows: Rows) -> Floats:
        geodesy = self.world.scene.geodesy
        if geodesy.gps_system == "local":
            return _stepped(position + np.array(geodesy.gps_reference), self._step[rows, None])
        latitude, longitude, altitude = geodesy.gps_reference
        zone = zone_of(longitude)
        east, north = to_utm(latitude, longitude, zone)
        position = _stepped(position, self._step[rows, None])
        out = np.empty_like(position)
        for k, p in enumerate(position.tolist()):
            point = (p[0], p[1], p[2])
            x, y = east + dot(point, geodesy.east), north + dot(point, geodesy.north)
            out[k, :2] = from_utm(x, y, zone, south=latitude < 0)
            out[k, 2] = altitude + dot(point, geodesy.up)
        return out


class Altimeters(Group[DeviceAltimeter]):
    """Height above the reference."""

    def __init__(self, devices: Sequence[BoundDevice], world: DeviceWorld, rng: Generator) -> None:
        super().__init__(devices, world, rng)
        geodesy = world.scene.geodesy
        self._up = np.array(geodesy.up)
        # a local reference is a vector of world axes, one on the globe ends with its altitude
        local = geodesy.gps_system == "local"
        self._offset = dot(geodesy.gps_reference, geodesy.up) if local else geodesy.gps_reference[2]
        self._accuracy = np.array([d.accuracy for d in self.devices])
        self._step = _steps([d.resolution for d in self.devices])

    def sample(self, rows: Rows, elapsed: Floats) -> None:
        """See `Group.sample`."""
        height = self.places.positions(self.world, rows) @ self._up + self._offset
        if self._accuracy[rows].any():
            height = height + self._accuracy[rows] * self.random.standard_normal(len(rows))
        self.values[rows, 0] = _stepped(height, self._step[rows])

    def plain(self, row: int) -> Plain | None:
        """See `Group.plain`."""
        d, bound = self.devices[row], self.bound[row]
        if d.accuracy > 0.0 or d.resolution is not None:
            return None
        up, offset = vec3(self._up), float(self._offset)
        return Plain(PlainKind.HEIGHT, bound.link, bound.pose.position, extra=up, offset=offset)


def _steps(resolutions: Sequence[float | None]) -> Floats:
    return np.array([np.nan if step is None else step for step in resolutions])


def _stepped(values: Floats, step: Floats) -> Floats:
    """Round to multiples of `step`; NaN = not at all."""
    if np.isnan(step).all():
        return values
    return np.where(np.isnan(step), values, rounded(values, step))


def roll_pitch_yaw(quaternion: Sequence[float]) -> tuple[float, float, float]:
    """Return roll about x, pitch about y and yaw about z [rad] of a quaternion x y z w."""
    x, y, z, w = quaternion
    roll = np.arctan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y))
    pitch = np.arcsin(np.clip(2 * (w * y - z * x), -1.0, 1.0))
    yaw = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
    return float(roll), float(pitch), float(yaw)
