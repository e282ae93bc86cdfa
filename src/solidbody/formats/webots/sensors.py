"""Sensors of motion, place, distance, touch and light to the model and back; -1 becomes None here."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, Final, TypeVar

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.transforms import Pose
from solidbody.formats.webots.export_nodes import Content, Fields
from solidbody.formats.webots.typed import TypedNode
from solidbody.model.devices import (
    AxisMask,
    Device,
    DeviceAccelerometer,
    DeviceAltimeter,
    DeviceCompass,
    DeviceDistanceSensor,
    DeviceGps,
    DeviceGyro,
    DeviceInertialUnit,
    DeviceLightSensor,
    DeviceRadar,
    DeviceTouchSensor,
    DistanceKind,
    GpsKind,
    LookupRow,
    LookupTable,
    TouchKind,
)

K = TypeVar("K")

_DISTANCE_KINDS: Final = {
    "generic": DistanceKind.GENERIC,
    "infra-red": DistanceKind.INFRARED,
    "sonar": DistanceKind.SONAR,
    "laser": DistanceKind.LASER,
}
_TOUCH_KINDS: Final = {
    "bumper": TouchKind.BUMPER,
    "force": TouchKind.FORCE,
    "force-3d": TouchKind.FORCE_3D,
}


def lower_sensor(node: TypedNode, pose: Pose, log: DiagnosticLog) -> Device | None:
    """Return the sensor of a node, at `pose` in its link; None for a node that is none of these."""
    name, span = node.string("name"), node.span
    match node.type:
        case "Accelerometer" | "Gyro" | "Compass":
            kind = {
                "Accelerometer": DeviceAccelerometer,
                "Gyro": DeviceGyro,
                "Compass": DeviceCompass,
            }[node.type]
            return kind(
                name=name,
                pose=pose,
                span=span,
                lookup=_lookup(node, log),
                axes=_axes(node),
                resolution=node.number_or_none("resolution"),
            )
        case "InertialUnit":
            return DeviceInertialUnit(
                name=name,
                pose=pose,
                span=span,
                noise=node.number("noise"),
                axes=_axes(node),
                resolution=node.number_or_none("resolution"),
            )
        case "GPS":
            return DeviceGps(
                name=name,
                pose=pose,
                span=span,
                kind=GpsKind(node.string("type")),
                accuracy=node.number("accuracy"),
                noise_correlation=node.number("noiseCorrelation"),
                resolution=node.number_or_none("resolution"),
                speed_noise=node.number("speedNoise"),
                speed_resolution=node.number_or_none("speedResolution"),
            )
        case "Altimeter":
            return DeviceAltimeter(
                name=name,
                pose=pose,
                span=span,
                accuracy=node.number("accuracy"),
                resolution=node.number_or_none("resolution"),
            )
        case "DistanceSensor":
            return _distance_sensor(node, pose, log)
        case "LightSensor":
            return DeviceLightSensor(
                name=name,
                pose=pose,
                span=span,
                lookup=_lookup(node, log),
                color_filter=node.color("colorFilter"),
                sees_occlusion=node.boolean("occlusion"),
                resolution=node.number_or_none("resolution"),
            )
        case "TouchSensor":
            return DeviceTouchSensor(
                name=name,
                pose=pose,
                span=span,
                kind=_TOUCH_KINDS[node.string("type")],
                lookup=_lookup(node, log),
                resolution=node.number_or_none("resolution"),
            )
        case "Radar":
            return _radar(node, pose, log)
        case _:
            return None


def _distance_sensor(node: TypedNode, pose: Pose, log: DiagnosticLog) -> DeviceDistanceSensor:
    word = node.string("type")
    kind = _DISTANCE_KINDS.get(word, DistanceKind.SONAR)
    if word not in _DISTANCE_KINDS:
        node.warn(
            log,
            "unknown-type",
            f'"{word}" is no type of distance sensor '
            f"(known: {', '.join(_DISTANCE_KINDS)}); it acts as a sonar.",
            field="type",
        )
    rays = node.integer("numberOfRays")
    if kind is DistanceKind.LASER and rays > 1:
        node.warn(
            log,
            "inconsistent-values",
            f"a laser has one ray, got {rays}; reset to 1.",
            field="numberOfRays",
        )
        rays = 1
    return DeviceDistanceSensor(
        name=node.string("name"),
        pose=pose,
        span=node.span,
        lookup=_lookup(node, log),
        kind=kind,
        ray_count=rays,
        aperture=node.number("aperture"),
        gaussian_width=node.number("gaussianWidth"),
        resolution=node.number_or_none("resolution"),
        red_sensitivity=node.number("redColorSensitivity"),
    )


def _radar(node: TypedNode, pose: Pose, log: DiagnosticLog) -> DeviceRadar:
    """Return a radar; decibels become ratios and watts."""
    low, high = node.number("minRadialSpeed"), node.number("maxRadialSpeed")
    nearest, farthest = node.number("minRange"), node.number("maxRange")
    if nearest > farthest:
        node.warn(
            log,
            "inconsistent-values",
            f"minRange {nearest:g} is above maxRange {farthest:g}; they are exchanged.",
            field="minRange",
        )
        nearest, farthest = farthest, nearest
    return DeviceRadar(
        name=node.string("name"),
        pose=pose,
        span=node.span,
        min_range=nearest,
        max_range=farthest,
        horizontal_field_of_view=node.number("horizontalFieldOfView"),
        vertical_field_of_view=node.number("verticalFieldOfView"),
        min_absolute_radial_speed=node.number("minAbsoluteRadialSpeed"),
        radial_speed_range=None if low == high == 0.0 else (min(low, high), max(low, high)),
        cell_distance=node.number("cellDistance"),
        cell_speed=node.number("cellSpeed"),
        range_noise=node.number("rangeNoise"),
        speed_noise=node.number("speedNoise"),
        angular_noise=node.number("angularNoise"),
        antenna_gain=_ratio(node.number("antennaGain")),
        frequency=1e9 * node.number("frequency"),
        transmitted_power=1e-3 * _ratio(node.number("transmittedPower")),
        min_detectable_power=1e-3 * _ratio(node.number("minDetectableSignal")),
        sees_occlusion=node.boolean("occlusion"),
    )


def _ratio(decibel: float) -> float:
    """Return 10^(dB/10), within what a number can hold."""
    return 10.0 ** (min(max(decibel, -3000.0), 3000.0) / 10.0)


def _axes(node: TypedNode) -> AxisMask:
    return AxisMask(node.boolean("xAxis"), node.boolean("yAxis"), node.boolean("zAxis"))


def _lookup(node: TypedNode, log: DiagnosticLog) -> LookupTable:
    """Return the curve of a sensor; rows out of order are sorted, repeated inputs dropped."""
    rows = [LookupRow(*row) for row in node.vec3s("lookupTable")]
    if all(b.input > a.input for a, b in pairwise(rows)):
        return LookupTable(tuple(rows))
    node.warn(
        log,
        "lookup-order",
        "the inputs of a lookup table must increase; the rows are sorted and repeated ones dropped.",
        field="lookupTable",
    )
    first: dict[float, LookupRow] = {}
    for row in rows:
        first.setdefault(row.input, row)
    return LookupTable(tuple(first[key] for key in sorted(first)))


# back to nodes


def _word(words: Mapping[str, K], kind: K) -> str:
    return next(word for word, meant in words.items() if meant is kind)


def _rows(table: LookupTable) -> list[Content]:
    return [(row.input, row.output, row.noise) for row in table.rows]


def _axes_fields(mask: AxisMask) -> Fields:
    return {"xAxis": mask.x, "yAxis": mask.y, "zAxis": mask.z}


def _vector_fields(d: DeviceAccelerometer | DeviceGyro | DeviceCompass) -> Fields:
    return {"lookupTable": _rows(d.lookup), **_axes_fields(d.axes), "resolution": d.resolution}


def _gps_fields(d: DeviceGps) -> Fields:
    return {
        "type": d.kind.value,
        "accuracy": d.accuracy,
        "noiseCorrelation": d.noise_correlation,
        "resolution": d.resolution,
        "speedNoise": d.speed_noise,
        "speedResolution": d.speed_resolution,
    }


def _distance_fields(d: DeviceDistanceSensor) -> Fields:
    return {
        "lookupTable": _rows(d.lookup),
        "type": _word(_DISTANCE_KINDS, d.kind),
        "numberOfRays": d.ray_count,
        "aperture": d.aperture,
        "gaussianWidth": d.gaussian_width,
        "resolution": d.resolution,
        "redColorSensitivity": d.red_sensitivity,
    }


def _light_sensor_fields(d: DeviceLightSensor) -> Fields:
    return {
        "lookupTable": _rows(d.lookup),
        "colorFilter": d.color_filter,
        "occlusion": d.sees_occlusion,
        "resolution": d.resolution,
    }


def touch_fields(d: DeviceTouchSensor) -> Fields:
    """Return the fields that a TouchSensor has beside those of a Solid."""
    return {
        "type": _word(_TOUCH_KINDS, d.kind),
        "lookupTable": _rows(d.lookup),
        "resolution": d.resolution,
    }


def _decibel(ratio: float) -> float:
    return 10.0 * math.log10(ratio) if ratio > 0.0 else -300.0


def _radar_fields(d: DeviceRadar) -> Fields:
    low, high = d.radial_speed_range or (0.0, 0.0)
    return {
        "minRange": d.min_range,
        "maxRange": d.max_range,
        "horizontalFieldOfView": d.horizontal_field_of_view,
        "verticalFieldOfView": d.vertical_field_of_view,
        "minAbsoluteRadialSpeed": d.min_absolute_radial_speed,
        "minRadialSpeed": low,
        "maxRadialSpeed": high,
        "cellDistance": d.cell_distance,
        "cellSpeed": d.cell_speed,
        "rangeNoise": d.range_noise,
        "speedNoise": d.speed_noise,
        "angularNoise": d.angular_noise,
        "antennaGain": _decibel(d.antenna_gain),
        "frequency": d.frequency / 1e9,
        "transmittedPower": _decibel(1e3 * d.transmitted_power),
        "minDetectableSignal": _decibel(1e3 * d.min_detectable_power),
        "occlusion": d.sees_occlusion,
    }


SENSOR_NODES: Final[dict[type, tuple[str, Callable[[Any], Fields]]]] = {
    DeviceAccelerometer: ("Accelerometer", _vector_fields),
    DeviceGyro: ("Gyro", _vector_fields),
    DeviceCompass: ("Compass", _vector_fields),
    DeviceInertialUnit: (
        "InertialUnit",
        lambda d: {"noise": d.noise, **_axes_fields(d.axes), "resolution": d.resolution},
    ),
    DeviceGps: ("GPS", _gps_fields),
    DeviceAltimeter: (
        "Altimeter",
        lambda d: {"accuracy": d.accuracy, "resolution": d.resolution},
    ),
    DeviceDistanceSensor: ("DistanceSensor", _distance_fields),
    DeviceLightSensor: ("LightSensor", _light_sensor_fields),
    DeviceTouchSensor: ("TouchSensor", touch_fields),
    DeviceRadar: ("Radar", _radar_fields),
}
"""Device class -> node type and its fields."""
