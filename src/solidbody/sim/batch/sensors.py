"""Sensors of a batch that native code samples: what their descriptions mean for it.

What it does not sample is left to the groups of `devices/`, copy by copy, and with it all other sensors of a
batch: light sensors and infrared distance sensors (they see what is drawn), lasers with a spot, GPS on the
globe, bumpers among hollow meshes or on what physics does not move, and whatever else measures motion or
force there.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from solidbody.compiler.aabb_trees import aabb_tree, morton_order
from solidbody.contact import layout
from solidbody.contact.layout import AxisKind, SenseKind
from solidbody.contact.tables import Table
from solidbody.devices.core.device_binding import BoundDevice
from solidbody.devices.scalar.colliding_forms import CollidingForm, colliding_forms
from solidbody.devices.scalar.distance import own_groups, ray_directions
from solidbody.model import devices as d
from solidbody.model.links import Motion
from solidbody.model.motors import PositionSensor

if TYPE_CHECKING:
    from solidbody.sim.simulation import Sim

NOTHING: Final = d.LookupTable()
SHARED_MEMORY: Final = layout.SENSE_MEMORY
"""Numbers at the start of the memory of each copy: the noise that all its GPS devices share."""

LEAF: Final = 4
"""Triangles in a leaf of the tree of a mesh."""

FAR: Final = 1.0e6
"""[m] See `render/ray_batches.py`."""

TOUCH_KINDS: Final = {
    d.TouchKind.BUMPER: SenseKind.BUMPER,
    d.TouchKind.FORCE: SenseKind.PUSH,
    d.TouchKind.FORCE_3D: SenseKind.PUSH_VECTOR,
}


@dataclass(slots=True)
class SensorRows:
    """Tables of `contact/batch_tables.py` that sensors fill."""

    sensors: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    curves: list[tuple[float, float, float]] = field(
        default_factory=list[tuple[float, float, float]]
    )
    felt: list[int] = field(default_factory=list[int])
    rays: list[tuple[Any, float]] = field(default_factory=list[tuple[Any, float]])


@dataclass(frozen=True, slots=True, eq=False)
class NativeSensors:
    """All sensors that native code samples, with the places of their values.

    Attributes:
        sensors: SENSOR rows.
        curves: CURVE rows.
        felt: Pairs of link and shape.
        rays: SENSOR_RAY rows.
        place_of: First value, by device.
        values: Numbers of values of a copy.
        memory: Numbers of memory of a copy.
        sees: Whether any follows rays.
    """

    sensors: Table
    curves: Table
    felt: NDArray[np.int32]
    rays: Table
    place_of: dict[int, int]
    values: int
    memory: int
    sees: bool


class SensorMaker:
    """Turns descriptions of sensors into rows."""

    def __init__(self, sim: Sim, devices: Sequence[BoundDevice]) -> None:
        self._sim, self._devices = sim, devices
        self._links = list(sim.scene.links())
        self._forms: list[CollidingForm] | None = None

    @property
    def forms(self) -> list[CollidingForm]:
        """What rays meet."""
        if self._forms is None:
            self._forms = colliding_forms(self._sim.scene)
        return self._forms

    def row(
        self, index: int, rows: SensorRows, *, on_any_link: bool = False
    ) -> dict[str, Any] | None:
        """Return what is particular of a device, and add its rays and look-up table; None = not sampled.

        Args:
            index: Of the device.
            rows: What it is added to.
            on_any_link: Also where its link has no physics.
        """
        return self._row(self._devices[index], rows, on_any_link=on_any_link)

    def can_sample(self, index: int) -> bool:
        """Whether native code samples a device."""
        return self._row(self._devices[index], SensorRows()) is not None

    def made(self, periods: dict[int, float]) -> NativeSensors:
        """Return the rows of devices, in this order, which are sampled in these periods [s]."""
        rows, place_of, values = SensorRows(), dict[int, int](), 0
        for index, period in periods.items():
            row = self._row(self._devices[index], rows)
            assert row is not None
            steps = math.ceil(period / self._sim.time_step * (1.0 - 1e-9))
            row |= {
                "link": self._devices[index].link,
                "device": index,
                "value": values,
                "memory": SHARED_MEMORY + layout.SENSE_MEMORY * len(rows.sensors),
                "period": max(steps, 1),
            }
            rows.sensors.append(row)
            place_of[index] = values
            values += row["width"]
        sensors = np.zeros(len(rows.sensors), dtype=layout.SENSOR)
        sensors["resolution"] = sensors["speed_resolution"] = np.nan
        sensors["rotation"][:, 0], sensors["skip"] = 1.0, -1
        for out, row in zip(sensors, rows.sensors, strict=True):
            for name, value in row.items():
                out[name] = value
        return NativeSensors(
            sensors=sensors,
            curves=np.array(rows.curves, dtype=layout.CURVE),
            felt=np.array(rows.felt, dtype=np.int32),
            rays=np.array(rows.rays, dtype=layout.SENSOR_RAY),
            place_of=place_of,
            values=values,
            memory=SHARED_MEMORY + layout.SENSE_MEMORY * len(rows.sensors),
            sees=bool(rows.rays),
        )

    # ------------------------------------------------------------------ by kind

    def _row(
        self, bound: BoundDevice, rows: SensorRows, *, on_any_link: bool = False
    ) -> dict[str, Any] | None:
        """Return what is particular of a device; None = native code does not sample it."""
        device = bound.device
        if isinstance(device, PositionSensor):
            return self._position(bound, device)
        is_pose = isinstance(
            device,
            d.DeviceDistanceSensor | d.DeviceCompass | d.DeviceInertialUnit | d.DeviceAltimeter,
        )
        has_physics = self._links[bound.link].motion is Motion.DYNAMIC
        if not (has_physics or is_pose or on_any_link):
            return None
        match device:
            case d.DeviceAccelerometer():
                return self._accelerometer(bound, device, rows)
            case d.DeviceImu():
                return self._at(bound, SenseKind.BOTH, 6, rule=device.rule) | self._gravity()
            case d.DeviceGyro():
                row = self._at(bound, SenseKind.TURN, 3)
                return row | finish_row(device.lookup, device.resolution, device.axes, rows)
            case d.DeviceCompass():
                north = self._sim.scene.geodesy.north
                row = self._at(bound, SenseKind.DIRECTION, 3) | {"extra": north}
                return row | finish_row(device.lookup, device.resolution, device.axes, rows)
            case d.DeviceInertialUnit():
                # the original mixes up y and z here; programs have come to know it so
                kept = d.AxisMask(device.axes.x, device.axes.z, device.axes.y)
                row = self._at(bound, SenseKind.ATTITUDE, 4) | {"noise": device.noise * math.pi}
                return row | finish_row(NOTHING, device.resolution, kept, rows)
            case d.DeviceGps():
                return self._gps(bound, device)
            case d.DeviceAltimeter():
                return self._altimeter(bound, device)
            case d.DeviceForceSensor():
                row = self._at(bound, SenseKind.FORCE, 6)
                return row | {"position": bound.pose.position}
            case d.DeviceTouchSensor():
                return self._touch(bound, device, rows)
            case d.DeviceDistanceSensor():
                return self._distance(bound, device, rows)
            case _:
                return None

    def _at(
        self,
        bound: BoundDevice,
        kind: SenseKind,
        width: int,
        *,
        rule: d.AccelerationRule | None = None,
    ) -> dict[str, Any]:
        binding, position = self._sim.compiled.binding, np.array(bound.pose.position)
        if rule is d.AccelerationRule.LINK_ORIGIN:
            position = np.zeros(3)
        return {
            "kind": kind,
            "width": width,
            "body": binding.body[bound.link],
            "position": position + binding.offset_position[bound.link],
            "rotation": bound.pose.rotation,
        }

    def _gravity(self) -> dict[str, Any]:
        return {"extra": self._sim.scene.physics.gravity}

    def _position(self, bound: BoundDevice, device: PositionSensor) -> dict[str, Any] | None:
        if bound.axis is None or bound.axis < 0:
            return None
        axis = self._sim.compiled.tables.axes[bound.axis]
        if axis["kind"] != AxisKind.JOINT:
            return None
        row = {"kind": SenseKind.AXIS, "width": 1, "body": axis["qpos"], "noise": device.noise}
        return row | _step("resolution", device.resolution)

    def _accelerometer(
        self, bound: BoundDevice, device: d.DeviceAccelerometer, rows: SensorRows
    ) -> dict[str, Any]:
        row = self._at(bound, SenseKind.ACCELERATION, 3, rule=device.rule) | self._gravity()
        return row | finish_row(device.lookup, device.resolution, device.axes, rows)

    def _gps(self, bound: BoundDevice, device: d.DeviceGps) -> dict[str, Any] | None:
        geodesy = self._sim.scene.geodesy
        if geodesy.gps_system != "local":
            return None
        row = self._at(bound, SenseKind.PLACE, 7) | {
            "extra": geodesy.gps_reference,
            "noise": device.accuracy,
            "speed_noise": device.speed_noise,
            "correlation": device.noise_correlation,
        }
        row |= _step("resolution", device.resolution)
        return row | _step("speed_resolution", device.speed_resolution)

    def _altimeter(self, bound: BoundDevice, device: d.DeviceAltimeter) -> dict[str, Any]:
        geodesy = self._sim.scene.geodesy
        up, reference = np.array(geodesy.up), np.array(geodesy.gps_reference)
        is_local = geodesy.gps_system == "local"
        row = self._at(bound, SenseKind.HEIGHT, 1) | {
            "extra": up,
            "offset": float(reference @ up) if is_local else reference[2],
            "noise": device.accuracy,
        }
        return row | _step("resolution", device.resolution)

    def _touch(
        self, bound: BoundDevice, device: d.DeviceTouchSensor, rows: SensorRows
    ) -> dict[str, Any] | None:
        row = self._at(bound, TOUCH_KINDS[device.kind], 3)
        if device.kind is not d.TouchKind.BUMPER:
            return row | finish_row(device.lookup, device.resolution, None, rows)
        if self._sim.has_touch_probes or self._sim.compiled.tables.collision.parts is not None:
            return None
        row |= {"first": len(rows.felt), "count": len(device.shapes)}
        rows.felt += [number for shape in device.shapes for number in (bound.link, shape)]
        return row

    def _distance(
        self, bound: BoundDevice, device: d.DeviceDistanceSensor, rows: SensorRows
    ) -> dict[str, Any] | None:
        kind = device.kind
        has_spot = kind is d.DistanceKind.LASER and device.aperture > 0.0
        if kind is d.DistanceKind.INFRARED or has_spot:
            return None
        is_sonar = kind is d.DistanceKind.SONAR
        directions, weights = ray_directions(device)
        row = self._at(bound, SenseKind.DISTANCE, 1) | {
            "first": len(rows.rays),
            "count": len(weights) if device.lookup.rows else 0,
            "reach": min(device.lookup.max_input or 0.0, FAR),
            "skip": own_groups([bound], self._sim.scene)[0],
            "is_sonar": is_sonar,
            "goes_through_clear": kind is d.DistanceKind.LASER,
        }
        rows.rays += list(zip(directions.tolist(), weights.tolist(), strict=True))
        rows.rays = [(tuple(direction), weight) for direction, weight in rows.rays]
        return row | finish_row(device.lookup, device.resolution, None, rows)


def _step(name: str, resolution: float | None) -> dict[str, Any]:
    return {} if resolution is None else {name: resolution}


def finish_row(
    lookup: d.LookupTable,
    resolution: float | None,
    axes: d.AxisMask | None,
    rows: SensorRows,
) -> dict[str, Any]:
    """Return what becomes of true values, and add the look-up table."""
    hidden = (
        0 if axes is None else sum((not on) << k for k, on in enumerate((axes.x, axes.y, axes.z)))
    )
    row: dict[str, Any] = {"hidden": hidden} | _step("resolution", resolution)
    if lookup != NOTHING:
        row |= {"curve_start": len(rows.curves), "curve_count": len(lookup.rows)}
        rows.curves += [(one.input, one.output, one.noise) for one in lookup.rows]
    return row


def ray_tables(forms: Iterable[CollidingForm]) -> dict[str, Any]:
    """Return RAY_SHAPE rows, the trees of meshes and their triangles."""
    shapes: list[Table] = []
    nodes: list[Table] = []
    triangles: list[NDArray[np.float64]] = []
    normals: list[NDArray[np.float64]] = []
    node_count = triangle_count = 0
    for form in forms:
        row = np.zeros(1, dtype=layout.RAY_SHAPE)
        row["form"], row["link"], row["group"] = form.kind, form.link, form.group
        row["shape"] = form.shape
        row["is_clear"], row["size"], row["radius"] = form.is_clear, form.size, form.radius
        row["inverse"], row["origin"] = form.inverse.ravel(), form.origin
        row["centre"], row["node"] = form.centre, node_count
        if form.mesh is not None:
            corners = form.mesh.vertices[form.mesh.triangles].astype(np.float64)
            order = morton_order(corners.mean(axis=1))
            corners, given = corners[order], form.mesh.normals
            own = np.zeros_like(corners) if given is None else given.reshape(-1, 3, 3)[order]
            tree = aabb_tree(corners.min(axis=1), corners.max(axis=1), LEAF)
            made = np.zeros(len(tree.first), dtype=layout.MESH_NODE)
            made["lo"], made["hi"], made["count"] = tree.lo, tree.hi, tree.count
            made["first"] = tree.first + triangle_count
            made["right"] = np.where(tree.right > 0, tree.right + node_count, 0)
            nodes.append(made)
            triangles.append(corners.reshape(-1, 9))
            normals.append(own.reshape(-1, 9).astype(np.float64))
            node_count += len(made)
            triangle_count += len(corners)
        shapes.append(row)
    return {
        "ray_shapes": np.concatenate(shapes) if shapes else np.zeros(0, dtype=layout.RAY_SHAPE),
        "ray_nodes": np.concatenate(nodes) if nodes else np.zeros(0, dtype=layout.MESH_NODE),
        "ray_triangles": np.concatenate(triangles) if triangles else np.zeros((0, 9)),
        "ray_normals": np.concatenate(normals) if normals else np.zeros((0, 9)),
    }
