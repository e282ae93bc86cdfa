"""The scene as plain data: what `solidbody info --json` prints, documented in docs/cli.md.

Everything is in world coordinates, SI units and radians; infinity is the string "inf".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from solidbody.base.diagnostics import Diagnostic
from solidbody.base.transforms import ZERO, Pose, Vec3
from solidbody.model.contacts import ContactProperties
from solidbody.model.devices import Device, DeviceUnknown
from solidbody.model.geometry import (
    Geometry,
    GeometryBox,
    GeometryCapsule,
    GeometryCone,
    GeometryCylinder,
    GeometryHeightField,
    GeometryLines,
    GeometryMesh,
    GeometryPlane,
    GeometryPoints,
    GeometrySphere,
)
from solidbody.model.joints import (
    Coupling,
    Joint,
    JointAxis,
    JointBall,
    JointFixed,
    JointFree,
    JointHinge,
    JointHinge2,
    Loop,
    LoopBall,
    LoopFixed,
    LoopGeneral,
    LoopHinge,
    LoopPiston,
    LoopPlane,
    joint_axes,
)
from solidbody.model.links import Body, Link, Motion
from solidbody.model.mass import MassProperties, rotate_tensor
from solidbody.model.plain import Plain, plain_diagnostic, plain_fields, plain_number, plain_value
from solidbody.model.scene import Scene, world_poses
from solidbody.model.shapes import Shape


def summarize_scene(scene: Scene, diagnostics: Sequence[Diagnostic] | None = None) -> Plain:
    """Return the scene as plain data; `diagnostics` replaces the scene's own."""
    placed = [
        _Placed(body, link, pose, Pose() if link.parent is None else poses[link.parent])
        for body, poses in ((body, world_poses(body)) for body in scene.bodies)
        for link, pose in zip(body.links, poses, strict=True)
    ]
    places = {item.link.path: (item.link.name, item.pose) for item in placed}
    sizes: _Sizes = {}
    couplings = [_coupling(one, places) for body in scene.bodies for one in body.couplings]
    return {
        "time_step": plain_number(scene.physics.time_step),
        "gravity": plain_value(scene.physics.gravity),
        "bodies": [_link(item) for item in placed],
        "joints": [_joint(item) for item in placed if _is_listed(item.link)],
        "loops": [_loop(loop, places) for body in scene.bodies for loop in body.loops],
        "shapes": [_shape(item, shape, sizes) for item in placed for shape in item.link.shapes],
        "devices": [
            data for item in placed for data in (*_link_devices(item), *_axis_devices(item))
        ],
        "contact_properties": [_contact(entry) for entry in scene.contacts.entries],
        "diagnostics": [
            plain_diagnostic(item)
            for item in (scene.diagnostics if diagnostics is None else diagnostics)
        ],
        **({"couplings": couplings} if couplings else {}),
    }


@dataclass(frozen=True, slots=True)
class _Placed:
    """A link with its own and its parent's pose in the world (the world's own, for a root)."""

    body: Body
    link: Link
    pose: Pose
    parent_pose: Pose

    @property
    def parent_name(self) -> str | None:
        parent = self.link.parent
        return None if parent is None else self.body.links[parent].name


# ------------------------------------------------------------------------------------------ bodies


def _link(item: _Placed) -> Plain:
    link, pose = item.link, item.pose
    mass = link.mass or MassProperties(0.0)
    return {
        "name": link.name,
        "path": link.path,
        "parent": item.parent_name,
        "dynamic": link.motion is Motion.DYNAMIC,
        "mass": mass.mass,
        "center_of_mass": list(pose.point(mass.center)),
        "inertia": list(rotate_tensor(mass.inertia, pose)),
        "position": list(pose.position),
        "orientation": list(pose.rotation),
        "linear_velocity": list(link.linear_velocity),
        "angular_velocity": list(link.angular_velocity),
    }


# ------------------------------------------------------------------------------------------ joints


def joint_type(joint: Joint) -> str:
    """Return the word for a kind of joint in logs and data."""
    return type(joint).__name__.removeprefix("Joint").lower()


def _is_listed(link: Link) -> bool:
    """Whether the link's joint is one: not where it just floats, or stands where it was put."""
    if isinstance(link.joint, JointFree):
        return link.parent is not None
    return not isinstance(link.joint, JointFixed) or link.motion is Motion.DYNAMIC


def _anchor(item: _Placed) -> Vec3:
    """Return the joint's anchor in the world; joints without one act at the child's origin."""
    joint = item.link.joint
    match joint:
        case JointHinge() | JointHinge2() | JointBall():
            return item.parent_pose.point(joint.anchor)
        case _:
            return item.pose.position


def _joint(item: _Placed) -> Plain:
    """Return a joint; one with several axes has lists, one item per axis, and all `axes`."""
    link, joint = item.link, item.link.joint
    axes = joint_axes(joint)
    directions = [list(item.parent_pose.direction(axis.direction)) for axis in axes]
    several = len(axes) > 1

    def per_axis(values: list[object]) -> object:
        return values if several else (values[0] if values else None)

    data: Plain = {
        "name": link.name if isinstance(joint, (JointFree, JointFixed)) else joint.name,
        "type": joint_type(joint),
        "parent": item.parent_name,
        "child": link.name,
        "axis": directions[0] if directions else None,
        "anchor": list(_anchor(item)),
        "position": per_axis([plain_number(axis.position) for axis in axes]),
        "range": per_axis([_range(axis) for axis in axes]),
        "velocity_limit": per_axis([_velocity_limit(axis) for axis in axes]),
        "effort_limit": per_axis([_effort_limit(axis) for axis in axes]),
        "armature": per_axis([axis.armature for axis in axes]),
    }
    if several:
        data["axes"] = directions
    if link.joint_number is not None:
        data["number"] = link.joint_number
    return data


def _range(axis: JointAxis) -> list[float | str] | None:
    """Return where the axis stops, else what it is rated for."""
    ends = axis.rated_range if axis.stops is None else (axis.stops.low, axis.stops.high)
    return None if ends is None else [plain_number(end) for end in ends]


def _velocity_limit(axis: JointAxis) -> float | str:
    return plain_number(axis.motor.max_velocity if axis.motor else axis.velocity_limit)


def _effort_limit(axis: JointAxis) -> float | str:
    return plain_number(axis.motor.max_effort if axis.motor else axis.effort_limit)


# ------------------------------------------------------------------------------------------- loops


def _loop(loop: Loop, places: dict[str, tuple[str, Pose]]) -> Plain:
    first, second = loop.ends
    name_first, pose_first = places.get(first.link or "", (None, Pose()))
    name_second, _ = places.get(second.link or "", (None, Pose()))
    match loop:
        case LoopGeneral():
            kind = joint_type(loop.joint)
        case LoopBall() | LoopHinge() | LoopPiston() | LoopFixed() | LoopPlane():
            kind = type(loop).__name__.removeprefix("Loop").lower()
    return {
        "type": kind,
        "bodies": [name_first, name_second],
        "anchor": list((pose_first * first.pose).position),
    }


def _coupling(coupling: Coupling, places: dict[str, tuple[str, Pose]]) -> Plain:
    names = (places[path][0] for path in (coupling.follower, coupling.leader))
    return {
        **dict(zip(("follower", "leader"), names, strict=True)),
        "multiplier": coupling.multiplier,
        "offset": coupling.offset,
    }


# ------------------------------------------------------------------------------------------ shapes


_Sizes = dict[int, tuple[float, ...]]
"""Sizes of geometries by identity: many shapes may share a mesh of a million points."""


def _shape(item: _Placed, shape: Shape, sizes: _Sizes) -> Plain:
    placed = item.pose * shape.pose
    if id(shape.geometry) not in sizes:
        sizes[id(shape.geometry)] = geometry_size(shape.geometry)
    size, is_exact = _scaled_size(shape.geometry, sizes[id(shape.geometry)], shape.scale)
    data: Plain = {
        "body": item.link.name,
        "role": shape.role.value,
        "geometry": geometry_type(shape.geometry),
        "size": [plain_number(value) for value in size],
        "position": list(placed.position),
        "orientation": list(placed.rotation),
        "material": shape.contact_material,
    }
    if not is_exact:
        data["scale"] = list(shape.scale)
    return data


def geometry_type(geometry: Geometry) -> str:
    """Return the word for a kind of geometry in data."""
    kind = GeometryMesh if isinstance(geometry, GeometryMesh) else type(geometry)
    return _snake(kind.__name__.removeprefix("Geometry"))


def geometry_size(geometry: Geometry) -> tuple[float, ...]:
    """Return the sizes that describe a geometry [m].

    Box: three edges. Sphere: radius. Cylinder, capsule, cone: radius, height. Plane: x, y. Anything made
    of points (mesh, height field, lines, points): the edges of its bounding box.
    """
    match geometry:
        case GeometryBox() | GeometryPlane():
            return geometry.size
        case GeometrySphere():
            return (geometry.radius,)
        case GeometryCylinder() | GeometryCapsule() | GeometryCone():
            return (geometry.radius, geometry.height)
        case GeometryMesh():
            return _extent(geometry.vertices)
        case GeometryLines() | GeometryPoints():
            return _extent(geometry.points)
        case GeometryHeightField():
            heights = geometry.heights or (0.0,)
            return (
                (geometry.x_count - 1) * geometry.x_spacing,
                (geometry.y_count - 1) * geometry.y_spacing,
                max(heights) - min(heights),
            )


def _extent(points: Sequence[Vec3]) -> Vec3:
    if not points:
        return ZERO
    xs, ys, zs = zip(*points, strict=True)
    return (max(xs) - min(xs), max(ys) - min(ys), max(zs) - min(zs))


def _scaled_size(
    geometry: Geometry, size: tuple[float, ...], scale: Vec3
) -> tuple[tuple[float, ...], bool]:
    """Return a size with the drawing scale in it, and whether a size can say it."""
    if scale[0] == scale[1] == scale[2]:
        return tuple(value * scale[0] for value in size), True
    if isinstance(geometry, (GeometrySphere, GeometryCylinder, GeometryCapsule, GeometryCone)):
        return size, False
    return tuple(value * factor for value, factor in zip(size, scale, strict=False)), True


# ----------------------------------------------------------------------------------------- devices

_PLACE = frozenset({"name", "pose"})


def _link_devices(item: _Placed) -> Iterator[Plain]:
    for device in item.link.devices:
        placed = item.pose * device.pose
        yield _device(device.name, device_kind(device), item, placed, _device_fields(device))


def _axis_devices(item: _Placed) -> Iterator[Plain]:
    """Yield motors, position sensors and brakes: at the joint's anchor, in the axes of the child."""
    placed = Pose(_anchor(item), item.pose.rotation)
    for axis in joint_axes(item.link.joint):
        for kind, device in (
            ("motor", axis.motor),
            ("position_sensor", axis.sensor),
            ("brake", axis.brake),
        ):
            if device is not None:
                fields = plain_fields(device, without=frozenset({"name"}))
                yield _device(device.name, kind, item, placed, fields)


def _device(name: str, kind: str, item: _Placed, placed: Pose, fields: Plain) -> Plain:
    return {
        "name": name,
        "kind": kind,
        "body": item.link.name,
        "position": list(placed.position),
        "orientation": list(placed.rotation),
        "fields": fields,
    }


def device_kind(device: Device) -> str:
    """Return the word for a kind of device; the file's own word for one that nothing simulates."""
    if isinstance(device, DeviceUnknown):
        return device.kind
    return _snake(type(device).__name__.removeprefix("Device"))


def _device_fields(device: Device) -> Plain:
    if isinstance(device, DeviceUnknown):
        return dict(device.fields)
    return plain_fields(device, without=_PLACE)


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


# ---------------------------------------------------------------------------------------- contacts


def _contact(entry: ContactProperties) -> Plain:
    names = (
        "materials",
        "friction",
        "friction_rotation",
        "rolling_friction",
        "bounce",
        "bounce_velocity",
        "slip",
        "soft_erp",
        "soft_cfm",
        "max_contacts",
        "keeps_spread",
        "follows_sliding",
        "static_friction",
        "rest_depth",
        "depth_scale",
        "max_depth",
        "remembers_loads",
        "min_depth",
        "shares_depth",
    )
    return {name: plain_value(getattr(entry, name)) for name in names}
