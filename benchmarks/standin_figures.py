"""The figures of one PROTO: what a world that holds nothing but it, with default fields, is made of.

They are taken in a world of R2019a, whose y axis is up: there the real PROTO stands as it was made, and a
stand-in stands as it is turned for such worlds, so that both are in the same axes. Places are relative to
the origin of the instance. Everything is plain data that can be kept as JSON.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np

from solidbody.base.transforms import Pose, Vec3, quat_multiply
from solidbody.formats.loading import read_scene
from solidbody.formats.options import LoadOptions
from solidbody.model.geometry import (
    Geometry,
    GeometryBox,
    GeometryCapsule,
    GeometryCone,
    GeometryCylinder,
    GeometryLines,
    GeometryMesh,
    GeometryPoints,
    GeometrySphere,
)
from solidbody.model.joints import (
    JointAxis,
    JointBall,
    JointHinge,
    JointHinge2,
    JointSlider,
    joint_axes,
)
from solidbody.model.links import Link
from solidbody.model.scene import Scene, world_poses
from solidbody.model.shapes import ShapeRole
from solidbody.model.summary import joint_type, summarize_scene
from solidbody.sim import Sim

Figures = dict[str, Any]
"""What is known about one PROTO; see `figures_of`."""

RELEASE: Final = "R2019a"
"""Of the real PROTOs that are compared with."""

SECONDS: Final = 2.0
"""[s] How long both are driven."""

STEP_MS: Final = 8
"""[ms] Time step of the worlds."""

_IGNORED_FIELDS: Final = frozenset(
    {
        *("model", "number", "info", "samples_itself", "shapes", "feelers", "lights", "sound"),
        *("mode", "pid", "noise_mask", "lens_flare", "optical_rotation", "is_on", "rigid"),
        *("ambient_occlusion_radius", "bloom_threshold", "lens", "focus", "rule", "exposure"),
        *("anti_aliasing", "rated_range", "consumption", "velocity_control", "colors"),
        *("pictures", "parts", "windows", "arm", "shape", "heads", "kinds"),
    }
)
"""Of devices: what only looks use, what refers to other parts, and what is compared as part of an axis."""

_LOOKING: Final = frozenset({"distance_sensor", "camera", "lidar", "radar", "light_sensor"})
"""Devices whose direction counts."""

_ANYWHERE: Final = frozenset({"led", "speaker", "display", "skin"})
"""Devices whose place only looks use."""

_DIGITS: Final = 6


def world_text(name: str, folder: str) -> str:
    """Return a world with one instance of a PROTO, DEF IT, on a floor; `folder` tells what it is."""
    node = f"DEF IT {name} {{ }}"
    if folder in ("devices", "joints", "tinkerbots"):
        node = f"DEF IT Robot {{ children [ {name} {{ }} ] }}"
    elif folder == "geometries":
        node = f"DEF IT Solid {{ children [ Shape {{ geometry {name} {{ }} }} ] }}"
    return (
        f"#VRML_SIM {RELEASE} utf8\n"
        f"WorldInfo {{ basicTimeStep {STEP_MS} }}\nViewpoint {{ }}\n"
        'Solid { translation 0 -0.5 0 name "ground" boundingObject Box { size 60 1 60 } }\n'
        f"{node}\n"
    )


@contextmanager
def webots_home(home: str | None) -> Iterator[None]:
    """Let WEBOTS_HOME be `home` (None = not set) meanwhile."""
    before = os.environ.pop("WEBOTS_HOME", None)
    if home is not None:
        os.environ["WEBOTS_HOME"] = home
    try:
        yield
    finally:
        os.environ.pop("WEBOTS_HOME", None)
        if before is not None:
            os.environ["WEBOTS_HOME"] = before


def load(name: str, group: str, folder: Path, home: str | None = None) -> Scene | None:
    """Return the scene of a world with one PROTO: ours, or that of the Webots at `home`."""
    path = folder / "worlds" / "one.wbt"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(world_text(name, group), "utf-8")
    with webots_home(home):
        scene, _ = read_scene(str(path), options=LoadOptions(cache=folder / "cache"))
    return scene


def figures_of(scene: Scene) -> Figures:
    """Return the figures of the PROTO in a world of `world_text`.

    place: where the instance is by default [m]; mass [kg] and com [m] of all that moves; box: the
    ends of all that collides; devices: kind, place, direction and fields by name; axes: by the name of the
    motor or sensor: kind, direction, anchor, position, stops, range, speed, effort, mass that it carries,
    radius of the wheel; free: number of axes that have neither.
    """
    bodies = [body for body in scene.bodies if body.links and body.links[0].name != "ground"]
    placed = [
        (link, pose, body.links, Pose() if link.parent is None else poses[link.parent])
        for body in bodies
        for poses in [world_poses(body)]
        for link, pose in zip(body.links, poses, strict=True)
    ]
    if not placed:
        return {}
    origin = placed[0][1].position
    mass = sum(link.mass.mass for link, *_ in placed if link.mass)
    com = [
        sum(link.mass.mass * pose.point(link.mass.center)[k] for link, pose, *_ in placed if link.mass)
        / mass
        - origin[k]
        for k in range(3)
    ] if mass else None  # fmt: skip
    axes: dict[str, Any] = {}
    free = 0
    for link, pose, links, parent in placed:
        for axis in joint_axes(link.joint):
            name = axis.motor.name if axis.motor else axis.sensor.name if axis.sensor else None
            if name is None:
                free += 1
            else:
                axes[name] = _axis(axis, link, pose, links, parent, origin)
    data = summarize_scene(scene)
    return {
        "place": _round(origin),
        "mass": _number(mass),
        "com": None if com is None else _round(com),
        "box": _box(placed, ShapeRole.COLLISION, origin),
        "look": _box(placed, ShapeRole.VISUAL, origin),
        "devices": {
            item["name"]: _device(item, origin)
            for item in data["devices"]
            if item["kind"] not in ("motor", "position_sensor", "brake")
        },
        "axes": axes,
        "free": free,
    }


def _axis(
    axis: JointAxis, link: Link, pose: Pose, links: Sequence[Link], parent: Pose, origin: Vec3
) -> Figures:
    joint = link.joint
    is_hinge = isinstance(joint, (JointHinge, JointHinge2, JointBall))
    anchor = parent.point(joint.anchor) if is_hinge else pose.position
    motor, sensor = axis.motor, axis.sensor
    return {
        "kind": "slider" if isinstance(joint, JointSlider) else
                "track" if joint_type(joint) == "track" else "hinge",
        "axis": _round(parent.direction(axis.direction)),
        "anchor": _round([a - b for a, b in zip(anchor, origin, strict=True)]),
        "position": _number(axis.position),
        "stops": None if axis.stops is None else _round([axis.stops.low, axis.stops.high]),
        "range": None if motor is None or motor.range is None else _round(motor.range),
        "speed": None if motor is None else _number(motor.max_velocity),
        "effort": None if motor is None else _number(motor.max_effort),
        "acceleration": None if motor is None or motor.acceleration is None
                        else _number(motor.acceleration),
        "spring": _number(axis.spring),
        "damping": _number(axis.damping),
        "sensor": None if sensor is None else sensor.name,
        "resolution": None if sensor is None or sensor.resolution is None
                      else _number(sensor.resolution),
        "carries": _number(_carried(link, links)),
        "wheel": None if axis.stops or (motor and motor.range) else _wheel_radius(link),
    }  # fmt: skip


def _carried(link: Link, links: Sequence[Link]) -> float:
    """Return the mass of a link and all that hangs on it [kg]."""
    index = next(i for i, item in enumerate(links) if item is link)
    inside = {index}
    for i, item in enumerate(links):  # parents come first
        if item.parent in inside:
            inside.add(i)
    return sum(part.mass.mass for part in (links[i] for i in inside) if part.mass)


def _wheel_radius(link: Link) -> float | str | None:
    """Return the greatest radius of the round forms that a link collides with [m]."""
    radii = [
        shape.geometry.radius
        for shape in link.shapes
        if shape.role is ShapeRole.COLLISION
        and isinstance(shape.geometry, (GeometrySphere, GeometryCylinder, GeometryCapsule))
    ]
    return _number(max(radii)) if radii else None


def _device(item: Mapping[str, Any], origin: Vec3) -> Figures:
    fields = {
        key: _plain(value) for key, value in item["fields"].items() if key not in _IGNORED_FIELDS
    }
    if isinstance(fields.get("axes"), dict):
        fields["axes"] = _measured(item["orientation"], fields["axes"])
    if fields.get("kind") == "bumper":
        fields.pop("lookup", None)  # it reads 0 or 1
    kept: Figures = {"kind": item["kind"], "fields": fields}
    if item["kind"] not in _ANYWHERE:
        kept["at"] = _round([a - b for a, b in zip(item["position"], origin, strict=True)])
    if item["kind"] in _LOOKING:
        w, x, y, z = item["orientation"]
        forward = (1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y))
        kept["along"] = _round(forward)
    return kept


def _measured(orientation: Sequence[float], axes: Mapping[str, bool]) -> list[float]:
    """Return how much of each axis of the world a sensor measures, 0 to 1: its frame may lie anyhow."""
    w, x, y, z = orientation
    pose = Pose((0.0, 0.0, 0.0), (w, x, y, z))
    units = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
    seen = [np.abs(pose.direction(units[name])) for name, is_on in axes.items() if is_on]
    return [round(float(v), 2) for v in np.sum(seen, axis=0)] if seen else [0.0, 0.0, 0.0]


def _plain(value: Any) -> Any:
    """Return a value with rounded numbers; the rows of lookup tables as lists."""
    match value:
        case bool() | str() | None:
            return value
        case float() | int():
            return _number(value)
        case {"rows": rows}:
            return [_round([row["input"], row["output"], row["noise"]]) for row in rows]
        case dict():
            return {key: _plain(item) for key, item in value.items() if key != "span"}
        case _:
            return [_plain(item) for item in value]


def _box(placed: Sequence[Any], role: ShapeRole, origin: Vec3) -> list[list[float]] | None:
    corners = [
        shape_points
        for link, pose, *_ in placed
        for shape in link.shapes
        if shape.role is role
        for shape_points in [_ends(pose * shape.pose, shape.geometry, shape.scale)]
        if shape_points is not None
    ]
    if not corners:
        return None
    low = np.min([pair[0] for pair in corners], axis=0) - origin
    high = np.max([pair[1] for pair in corners], axis=0) - origin
    return [_round(low), _round(high)]


def _ends(pose: Pose, geometry: Geometry, scale: Vec3) -> tuple[Any, Any] | None:
    """Return the lower and the upper ends of a placed geometry along the axes of the world."""
    turn = np.array([pose.direction(axis) for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1))]).T
    match geometry:
        case GeometryMesh():
            points = np.asarray(geometry.vertices)
        case GeometryLines() | GeometryPoints():
            points = np.asarray(geometry.points)
        case GeometryBox():
            half = np.abs(turn) @ (np.asarray(geometry.size) * np.abs(scale) / 2)
            return pose.position - half, pose.position + half
        case GeometrySphere():
            half = np.full(3, geometry.radius * abs(scale[0]))
            return pose.position - half, pose.position + half
        case GeometryCylinder() | GeometryCone() | GeometryCapsule():
            radius, height = geometry.radius * abs(scale[0]), geometry.height * abs(scale[2])
            along = np.abs(turn[:, 2])
            round_part = (
                radius
                if isinstance(geometry, GeometryCapsule)
                else radius * np.sqrt(np.maximum(0.0, 1 - along**2))
            )
            half = along * height / 2 + round_part
            return pose.position - half, pose.position + half
        case _:
            return None
    if not len(points):
        return None
    moved = (points * np.asarray(scale)) @ turn.T + pose.position
    return moved.min(axis=0), moved.max(axis=0)


def _number(value: float) -> float | str:
    """Return a number with the digits that are kept; infinity as a word."""
    if isinstance(value, str):
        return value
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    rounded = float(f"{value:.{_DIGITS}g}")
    return 0.0 if abs(rounded) < 1e-12 else rounded


def _round(values: Sequence[float]) -> list[Any]:
    """Return lengths, angles and the like with the digits that are kept; what is next to 0 is 0."""
    return [_number(0.0 if not isinstance(x, str) and abs(x) < 2e-6 else x) for x in values]


# ---------------------------------------------------------------------------------------- driving


def commands(figures: Figures) -> dict[str, tuple[str, float]]:
    """Return what the motors of a PROTO are told: wheels turn, other joints go a little way.

    A wheel is what turns without stops and has a round form; it gets a third of its greatest speed, at most
    5 rad/s. Joints go 0.2 rad or 1 cm from where they are, to the side where there is more room.
    """
    told: dict[str, tuple[str, float]] = {}
    for name, axis in figures["axes"].items():
        if axis["speed"] is None:
            continue
        ends = axis["range"] or axis["stops"]
        if axis["kind"] != "slider" and ends is None and axis["wheel"]:
            speed = axis["speed"] if axis["speed"] != "inf" else 15.0
            told[name] = ("velocity", round(min(speed / 3, 5.0), 4))
            continue
        way = 0.01 if axis["kind"] == "slider" else 0.2
        low, high = (-math.inf, math.inf) if ends is None else (float(ends[0]), float(ends[1]))
        if high - axis["position"] < axis["position"] - low:
            way = -way
        told[name] = ("position", round(min(max(axis["position"] + way, low), high), 5))
    return told


def drive(scene: Scene, told: Mapping[str, tuple[str, float]]) -> Figures:
    """Return where the instance and its joints are after `SECONDS` of obeying, without controllers."""
    sim = Sim(scene)
    body = next(body for body in scene.bodies if body.links and body.links[0].name != "ground")
    root = sim.link(body.links[0].path)
    start, before = np.array(root.position), np.array(root.orientation)
    for name, (mode, value) in told.items():
        try:
            joint = sim.joint(name)
        except LookupError:
            continue
        if mode == "velocity":
            joint.target_velocity = value
        else:
            joint.target_position = value
    sim.step(round(SECONDS / sim.time_step))
    joints: dict[str, float | str] = {}
    for name in told:
        try:
            joints[name] = _number(round(sim.joint(name).position, 4))
        except LookupError:
            continue
    return {
        "moved": _round([round(float(x), 4) for x in np.array(root.position) - start]),
        "turned": _round([round(float(x), 4) for x in _turn(before, root.orientation)]),
        "joints": joints,
    }


def _turn(before: Any, after: Any) -> tuple[float, ...]:
    """Return the turn of a link in the axes of the world: after * conjugate(before), as (w, x, y, z)."""
    w, x, y, z = (float(v) for v in before)
    return quat_multiply(tuple(float(v) for v in after), (w, -x, -y, -z))  # pyright: ignore[reportArgumentType]
