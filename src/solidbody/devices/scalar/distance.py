"""Distance and light sensors: single rays and small bundles of them (docs/behaviour, W9.3)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from solidbody.base.vectors import rotate
from solidbody.devices.core.device_binding import BoundDevice
from solidbody.devices.core.device_frames import DeviceWorld, Floats, Rows
from solidbody.devices.core.group import Group
from solidbody.devices.core.measurement_model import Finish
from solidbody.devices.surfaces.laser_spots import LaserSpots
from solidbody.model.devices import DeviceDistanceSensor, DeviceLightSensor, DistanceKind
from solidbody.model.environment import LightDirectional, LightSpot
from solidbody.model.scene import Scene
from solidbody.render.infrared import has_texture, red_of_texture
from solidbody.render.ray_batches import AnyRayBatch

Singles = NDArray[np.float32]

STEEPEST = math.pi / 8
"""Greatest angle to the normal at which a surface sends sound back to a sonar."""

# Rays of a cone by their number: (turn about x [degrees], share of the half aperture).
_RING = {
    1: ((0, 0),),
    2: ((90, 1), (-90, 1)),
    3: ((0, 1), (120, 1), (-120, 1)),
    9: (*((a, 0.3) for a in (0, 120, -120)), *((60 * k, 1) for k in range(6))),
    10: ((0, 0), *((a, 0.5) for a in (0, 120, -120)), *((60 * k, 1) for k in range(6))),
}


def ray_pattern(count: int) -> list[tuple[float, float]]:
    """Return (turn about x [rad], share of the half aperture) of each ray."""
    if count in _RING:
        return [(math.radians(turn), float(share)) for turn, share in _RING[count]]
    if count <= 8:
        around = count - 1
        return [(0.0, 0.0), *((2 * math.pi * k / around, 1.0) for k in range(around))]
    rings: list[int] = []
    left = count
    while left > 0:
        rings.append(min(left, 3 * len(rings) + 1))
        left -= rings[-1]
    return [
        (2 * math.pi * k / size, ring / (len(rings) - 1))
        for ring, size in enumerate(rings)
        for k in range(size)
    ]


def ray_directions(device: DeviceDistanceSensor) -> tuple[Floats, Floats]:
    """Return (rays, 3) directions in the device frame and the weights of the rays."""
    count = 1 if device.kind is DistanceKind.LASER or device.aperture == 0.0 else device.ray_count
    directions: list[tuple[float, float, float]] = []
    angles: list[float] = []
    for turn, share in ray_pattern(count):
        theta, alpha = share * device.aperture / 2, turn + math.pi / 2
        directions.append(
            (
                math.cos(theta),
                -math.sin(theta) * math.cos(alpha),
                math.sin(theta) * math.sin(alpha),
            )
        )
        angles.append(theta)
    width = device.aperture * device.gaussian_width
    weights = np.exp(-((np.array(angles) / width) ** 2)) if width > 0.0 else np.ones(count)
    return np.array(directions), weights / weights.sum()


@dataclass(slots=True)
class RayTable:
    """The rays of all devices of a group, one after the other."""

    device: NDArray[np.intp]
    direction: Floats
    weight: Floats


@dataclass(slots=True)
class RayPlan:
    """The rays of those devices of one kind that are sampled together.

    Attributes:
        members: Which devices of the group they are.
        drawn: Whether they see what is drawn, or what collides.
        opaque_only: Whether they go through glass.
        batch: The rays.
        device: Of each ray.
        weight: Of each ray.
        rows: The devices, if each reports the length of its only ray; else None.
        is_whole: Whether these are all devices of the group, and each does.
    """

    members: NDArray[np.bool_]
    drawn: bool
    opaque_only: bool
    batch: AnyRayBatch
    device: NDArray[np.intp]
    weight: Floats
    rows: NDArray[np.intp] | None
    is_whole: bool


class DistanceSensors(Group[DeviceDistanceSensor]):
    """Distance through the lookup table."""

    def __init__(self, devices: Sequence[BoundDevice], world: DeviceWorld, rng: Generator) -> None:
        super().__init__(devices, world, rng)
        self._finish = Finish(
            [d.lookup for d in self.devices], [d.resolution for d in self.devices]
        )
        self._reach = np.array([d.lookup.max_input or 0.0 for d in self.devices])
        # an empty table reads 0, whatever the distance
        self._is_blank = np.array([not d.lookup.rows for d in self.devices])
        self._has_blank = bool(self._is_blank.any())
        infrared = np.array([d.kind is DistanceKind.INFRARED for d in self.devices])
        laser = np.array([d.kind is DistanceKind.LASER for d in self.devices])
        # (sees what is drawn, goes through glass, devices)
        kinds = ((False, False, ~infrared & ~laser), (False, True, laser), (True, False, infrared))
        self._kinds = [kind for kind in kinds if kind[2].any()]
        self._is_sonar = np.array([d.kind is DistanceKind.SONAR for d in self.devices])
        self._has_sonar = bool(self._is_sonar.any())
        self._red = np.array([d.red_sensitivity for d in self.devices])
        patterns = [ray_directions(d) for d in self.devices]
        self._rays = RayTable(
            device=np.repeat(np.arange(len(devices)), [len(p[0]) for p in patterns]),
            direction=np.concatenate([p[0] for p in patterns]),
            weight=np.concatenate([p[1] for p in patterns]),
        )
        self._skip = own_groups(devices, world.scene)
        self._plans: dict[bytes, list[RayPlan]] = {}
        self._materials: object = None
        self._spots = LaserSpots(devices, world)

    def reset(self) -> None:
        """See `Group.reset`."""
        super().reset()
        self._spots.forget()

    def disable(self, row: int) -> None:
        """See `Group.disable`."""
        super().disable(row)
        self._spots.forget(row)

    def sample(self, rows: Rows, elapsed: Floats) -> None:
        """See `Group.sample`."""
        plans = self._plans_for(rows)
        if plans[0].is_whole:
            found = plans[0].batch.cast()[0].astype(np.float64)
            self.values[:] = self._finish(rows, found[:, None], self.random)
            return
        distance = np.zeros(len(self.devices))
        for plan in plans:
            self._cast(plan, distance)
        values = self._finish(rows, distance[rows, None], self.random)
        if self._has_blank:
            values[self._is_blank[rows]] = 0.0
        self.values[rows] = values

    def _plans_for(self, rows: Rows) -> list[RayPlan]:
        """Return the rays of some devices, kind by kind; made once per set."""
        rays = self.world.rays  # moves things to where they are now
        if rays.materials is not self._materials:  # those that are recorded read others
            self._materials = rays.materials
            self._plans.clear()
        key = rows.tobytes()
        plans = self._plans.get(key)
        if plans is None:
            chosen = np.zeros(len(self.devices), dtype=bool)
            chosen[rows] = True
            plans = self._plans[key] = [
                self._plan(rows, chosen & kind, drawn=drawn, opaque_only=opaque_only)
                for drawn, opaque_only, kind in self._kinds
                if (chosen & kind).any()
            ]
        return plans

    def _plan(
        self, asked: Rows, members: NDArray[np.bool_], *, drawn: bool, opaque_only: bool
    ) -> RayPlan:
        on = np.flatnonzero(members[self._rays.device])
        device, weight = self._rays.device[on], self._rays.weight[on]
        batch = self.world.rays.ray_batch(
            self.places.link[device],
            self.places.position[device],
            rotate(self.places.rotation[device], self._rays.direction[on]),
            self._reach[device],
            skip=np.full(len(on), -1, np.int32) if drawn else self._skip[device],
            drawn=drawn,
            opaque_only=opaque_only,
        )
        rows = np.flatnonzero(members)
        is_plain = not drawn and np.array_equal(device, rows) and not self._is_sonar[rows].any()
        own = rows if is_plain and (weight == 1.0).all() else None
        has_more_to_do = self._has_blank or bool(opaque_only and self._spots)
        is_whole = own is not None and len(own) == len(self.devices) and not has_more_to_do
        is_whole = is_whole and np.array_equal(asked, rows)
        return RayPlan(members, drawn, opaque_only, batch, device, weight, own, is_whole)

    def _cast(self, plan: RayPlan, out: Floats) -> None:
        members, drawn, device, weight = plan.members, plan.drawn, plan.device, plan.weight
        found, shape, facing = plan.batch.cast()
        if plan.opaque_only and self._spots:  # lasers, of one ray each
            self._note_spots(device, found, facing, plan.batch.normals)
        if plan.rows is not None:
            out[plan.rows] = found
            return
        mean = np.bincount(device, weight * found, minlength=len(out))
        if self._has_sonar and not drawn:
            heard = np.where((shape >= 0) & (np.abs(facing) > math.cos(STEEPEST)), found, np.inf)
            nearest = self._reach.copy()
            np.minimum.at(nearest, device, heard)
            mean = np.where(self._is_sonar, nearest, mean)
        if drawn:
            factor = self._color_factor(shape, self._red_at(members, shape))
            total = np.bincount(device, weight * factor, minlength=len(out))
            shifted = mean / np.where(total > 0.0, total, 1.0)
            mean = mean + (shifted - mean) * self._red
        out[members] = mean[members]

    def _note_spots(self, rows: Rows, reach: Singles, facing: Singles, normals: Singles) -> None:
        """Let the spots of lasers be where their beams end."""
        turn = self.places.rotations(self.world, rows)
        forward = rotate(turn, np.broadcast_to(np.array([1.0, 0.0, 0.0]), (len(rows), 3)))
        points = self.places.positions(self.world, rows) + reach[:, None] * forward
        self._spots.note(rows, points, normals.astype(np.float64), facing.astype(np.float64))

    def _red_at(self, members: NDArray[np.bool_], shape: NDArray[np.int32]) -> Floats:
        """Return how red things are where each ray ends: their colour and texture, and paint on it."""
        rays = self.world.rays
        red = rays.infrared.red[np.maximum(shape, 0)].astype(np.float64)
        hits = np.flatnonzero(shape >= 0)
        hits = hits[has_texture(rays, shape[hits]) | (rays.paint_layers.start[shape[hits]] >= 0)]
        if not hits.size:
            return red
        on = np.flatnonzero(members[self._rays.device])[hits]
        device = self._rays.device[on]
        turn = self.places.rotations(self.world, device)
        start = self.places.positions(self.world, device)
        directions = rotate(turn, self._rays.direction[on])
        reach = float(self._reach[device].max())
        found, at, on_paint = rays.texels_under(start, directions, reach=reach, skip=-1)
        same = found == shape[hits]
        hits, found = hits[same], found[same]
        red[hits] *= red_of_texture(rays, found, at[same])
        ink = rays.paint_layers.at(found, on_paint[same])
        reds = self.world.surfaces.reds
        keys = [(rays.rows[k].link, rays.rows[k].shape) for k in found.tolist()]
        filters = np.array([key in reds for key in keys], dtype=np.bool_)
        ink[filters, 3] = 0.0
        red[hits] += ink[:, 3] * (ink[:, 0] - red[hits])
        inside, x, y = rays.paint_layers.places(found, on_paint[same])
        for k, column, row in zip(np.flatnonzero(inside), x, y, strict=True):
            if filters[k]:
                red[hits[k]] *= reds[keys[k]][row, column]
        return red

    def _color_factor(self, shape: NDArray[np.int32], red: Floats) -> Floats:
        rays = self.world.rays
        found = np.maximum(shape, 0)
        roughness, occlusion = rays.infrared.roughness[found], 0.0
        factor = 0.2 + 0.8 * red * (1.0 - 0.5 * roughness) * (1.0 - 0.5 * occlusion)
        return np.where(shape >= 0, factor, 1.0)


def own_groups(devices: Sequence[BoundDevice], scene: Scene) -> NDArray[np.int32]:
    """Return the body that each device must not see: its own, unless its parts may collide."""
    bodies = {body.name: number for number, body in enumerate(scene.bodies)}
    collides = {
        (body.name, robot.name)
        for body in scene.bodies
        for robot in body.robots
        if robot.self_collision
    }
    return np.array(
        [-1 if (b.body, b.robot) in collides else bodies[b.body] for b in devices], dtype=np.int32
    )


class LightSensors(Group[DeviceLightSensor]):
    """Light on a surface that faces +x, through the lookup table."""

    def __init__(self, devices: Sequence[BoundDevice], world: DeviceWorld, rng: Generator) -> None:
        super().__init__(devices, world, rng)
        self._finish = Finish(
            [d.lookup for d in self.devices], [d.resolution for d in self.devices]
        )
        self._filter = np.array([d.color_filter for d in self.devices])
        self._occluded = np.array([d.sees_occlusion for d in self.devices])
        self._skip = own_groups(devices, world.scene)

    def sample(self, rows: Rows, elapsed: Floats) -> None:
        """See `Group.sample`."""
        position = self.places.positions(self.world, rows)
        forward = np.broadcast_to(np.array([1.0, 0.0, 0.0]), (len(rows), 3))
        normal = rotate(self.places.rotations(self.world, rows), forward)
        total = np.zeros((len(rows), 3))
        for lamp in self.world.rays.lit_lamps():
            light = lamp.light
            if isinstance(light, LightDirectional):
                to_light = np.broadcast_to(-lamp.direction, (len(rows), 3))
                distance, weaker = np.full(len(rows), 1000.0), np.ones(len(rows))
            else:
                offset = lamp.position - position
                distance = np.linalg.norm(offset, axis=1)
                to_light = offset / np.maximum(distance, 1e-9)[:, None]
                a, b, c = light.attenuation
                weaker = 1.0 / np.maximum(a + b * distance + c * distance**2, 1e-9)
                weaker = np.where(distance > light.radius, 0.0, weaker)
            direct = light.intensity * np.maximum(np.sum(normal * to_light, axis=1), 0.0)
            if isinstance(light, LightSpot):
                direct = direct * _spot(light, lamp.direction, to_light)
            direct = np.where(self._blocked(rows, position, to_light, distance), 0.0, direct)
            total += (weaker * (light.ambient + direct))[:, None] * np.array(light.color)
        received = np.sum(self._filter[rows] * total, axis=1) / 3.0
        self.values[rows] = self._finish(rows, received[:, None], self.random)

    def _blocked(self, rows: Rows, position: Floats, to_light: Floats, distance: Floats) -> Floats:
        out = np.zeros(len(rows), dtype=bool)
        asks = np.flatnonzero(self._occluded[rows])
        if asks.size:
            nowhere = np.full(len(asks), -1, dtype=np.intp)
            _, shape, _ = self.world.rays.ray_batch(
                nowhere,
                position[asks],
                to_light[asks],
                distance[asks],
                skip=self._skip[rows[asks]],
                drawn=False,
            ).cast()
            out[asks] = shape >= 0
        return out


def _spot(light: LightSpot, direction: Floats, to_light: Floats) -> Floats:
    """1 inside the beam, 0 outside the cone, linear between."""
    angle = np.arccos(np.clip(-(to_light @ direction), -1.0, 1.0))
    beam, cut = min(light.beam_width, light.cut_off_angle), light.cut_off_angle
    between = (cut - angle) / (cut - beam) if cut > beam else np.zeros_like(angle)
    return np.where(angle > cut, 0.0, np.where(angle <= beam, 1.0, between))
