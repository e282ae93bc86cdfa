"""Compares two scenes, to tell which parts of a running simulation have to be built again.

Bodies that did not change are the same objects in both (`formats/webots/lower/top_nodes.py`), so only the
others are looked into. Whatever is not known here to be harmless needs another compilation.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Final

from solidbody.compiler.axes import acts
from solidbody.compiler.bodies import LEAST_MASS, has_velocity, is_real_inertia
from solidbody.model.devices import (
    Device,
    DeviceCharger,
    DeviceMuscle,
    DevicePropeller,
    DeviceRotor,
    DeviceTouchSensor,
    DeviceTrackBelt,
    DeviceVacuumGripper,
)
from solidbody.model.geometry import GeometryPlane
from solidbody.model.joints import (
    Joint,
    JointAxis,
    JointFree,
    JointHinge,
    JointHinge2,
    JointSlider,
    JointTrack,
    Loop,
    joint_axes,
)
from solidbody.model.links import Body, Link, Motion
from solidbody.model.mass import MassProperties
from solidbody.model.scene import Scene
from solidbody.model.shapes import Shape, ShapeRole

_TEXTS: Final = ("name", "source", "title", "info", "diagnostics")
_SEEN: Final = (
    *("lights", "background", "fog", "viewpoint", "pictures", "drag_force_scale"),
    *("drag_torque_scale", "line_scale", "ink_evaporation", "display_rate", "geodesy", "files"),
)
"""Of a scene: what only names it, and what only those see who look at it."""

_LINK_SEEN: Final = (
    *("model", "description", "is_locked", "translation_step", "rotation_step"),
    *("radar_cross_section", "recognition_colors", "metadata", "span"),
)
_LINK_APART: Final = ("pose", "mass", "joint", "shapes", "devices", "frames")
_SHAPE_SEEN: Final = (
    *("appearance", "casts_shadows", "is_pickable", "segmentation_color", "name", "span"),
)
_ROBOT_TEXTS: Final = (
    *("controller", "controller_args", "custom_data", "is_supervisor", "is_synchronous"),
    *("window", "remote_control", "device_order", "span"),
)
_AXIS_FIXED: Final = ("direction", "position", "velocity", "armature")
_SPAN: Final = frozenset({"span"})
_WORKING: Final = {
    **dict.fromkeys((DevicePropeller, DeviceRotor, DeviceTrackBelt, DeviceMuscle), _SPAN),
    **dict.fromkeys((DeviceTouchSensor, DeviceCharger), _SPAN),
    DeviceVacuumGripper: _SPAN | {"is_on", "tensile_strength", "shear_strength", "contact_points"},
}
"""Devices that have geoms or axes of their own, or batteries; what of them only their group reads."""


@dataclass(frozen=True, slots=True)
class Difference:
    """What is different, and can be followed without another compilation.

    Attributes:
        surfaces: Whether contact properties are.
        masses: Links with another mass.
        axes: Links whose joints have other springs, dampers, stops or motors.
        poses: Links that stand elsewhere at the start.
        loops: Whether loops are closed at other places.
        devices: Links with other devices, on them or on their joints.
        robots: Whether texts of robots are: their programs and what these are told.
        shapes: Whether shapes look otherwise.
        looks: Whether something else does, or is called otherwise by those who look.
    """

    surfaces: bool = False
    masses: tuple[int, ...] = ()
    axes: tuple[int, ...] = ()
    poses: tuple[int, ...] = ()
    loops: bool = False
    devices: tuple[int, ...] = ()
    robots: bool = False
    shapes: bool = False
    looks: bool = False

    @property
    def is_physical(self) -> bool:
        """Whether steps go otherwise."""
        return bool(self.surfaces or self.masses or self.axes or self.poses or self.loops)


class _OtherLayoutError(Exception):
    pass


def difference(old: Scene, new: Scene) -> Difference | None:
    """Return what is different in `new`; None = it has to be compiled."""
    if not _same(old, new, without=(*_TEXTS, *_SEEN, "bodies", "contacts")):
        return None
    if len(old.bodies) != len(new.bodies):
        return None
    found = _Findings(looks=not _same_fields(old, new, _SEEN))
    row = 0
    try:
        for a, b in zip(old.bodies, new.bodies, strict=True):
            if a is not b:
                found.compare_bodies(a, b, row)
            row += len(a.links)
    except _OtherLayoutError:
        return None
    return Difference(
        surfaces=old.contacts != new.contacts,
        masses=tuple(found.masses),
        axes=tuple(found.axes),
        poses=tuple(found.poses),
        loops=found.loops,
        devices=tuple(found.devices),
        robots=found.robots,
        shapes=found.shapes,
        looks=found.looks,
    )


class _Findings:
    """What is found link by link; lists of their rows are kept as keys, each once and in order."""

    def __init__(self, *, looks: bool) -> None:
        self.masses, self.axes, self.poses, self.devices = (dict[int, None]() for _ in range(4))
        self.robots = self.shapes = self.loops = False
        self.looks = looks

    def compare_bodies(self, a: Body, b: Body, first: int) -> None:
        """Look into two bodies whose links begin with that row."""
        _require(_same(a, b, without=("links", "loops", "robots", "metadata", "span")))
        _require(len(a.links) == len(b.links) and len(a.robots) == len(b.robots))
        _require(len(a.loops) == len(b.loops))
        for one, other in zip(a.loops, b.loops, strict=True):
            if one != other:
                _require(_is_same_kind_of_loop(one, other))
                self.loops |= one.ends != other.ends
        for one, other in zip(a.robots, b.robots, strict=True):
            _require(_same(one, other, without=_ROBOT_TEXTS))
            self.robots |= not _same_fields(one, other, _ROBOT_TEXTS)
        for k, (one, other) in enumerate(zip(a.links, b.links, strict=True)):
            if one != other:
                self._compare_links(b, one, other, first + k)

    def _compare_links(self, body: Body, a: Link, b: Link, row: int) -> None:
        _require(_same(a, b, without=(*_LINK_SEEN, *_LINK_APART)))
        self.looks |= not _same_fields(a, b, _LINK_SEEN)
        if a.pose != b.pose:
            _require(_can_be_placed(body))
            self.poses[row] = None
        if a.mass != b.mass:
            _require(_is_same_kind_of_mass(a.mass, b.mass))
            rests_on_mass = b.immersions or any(
                isinstance(link.joint, JointTrack) for link in body.links
            )
            _require(not rests_on_mass)
            self.masses[row] = None
        if a.joint != b.joint:
            self._compare_joints(a.joint, b.joint, row)
        if a.frames != b.frames:
            names = [[(frame.name, frame.path) for frame in link.frames] for link in (a, b)]
            _require(names[0] == names[1])
            self.looks = True
        _require(len(a.shapes) == len(b.shapes) and len(a.devices) == len(b.devices))
        for one, other in zip(a.shapes, b.shapes, strict=True):
            if one is not other and one != other:
                _require(_same_when_touched(one, other))
                self.shapes = True
        for one, other in zip(a.devices, b.devices, strict=True):
            if one is not other and one != other:
                _require(_is_same_kind_of_device(one, other))
                self.devices[row] = None

    def _compare_joints(self, a: Joint, b: Joint, row: int) -> None:
        if isinstance(a, JointTrack) and isinstance(b, JointTrack):
            # its directions are in the frame of the link above, so they turn with it
            _require(row in self.poses)
            _require(_same(a, b, without=("axis", "direction", "up", "span")))
            turned = replace(a.axis, direction=b.axis.direction)
            _require(turned == b.axis)
            self.axes[row] = None
            return
        if not isinstance(a, JointHinge | JointSlider | JointHinge2) or type(a) is not type(b):
            raise _OtherLayoutError
        _require(_same(a, b, without=("axis", "axis1", "axis2", "span")))
        for one, other in zip(joint_axes(a), joint_axes(b), strict=True):
            _require(_is_same_kind_of_axis(one, other))
            if one != other:
                self.axes[row] = None
            if (one.motor, one.sensor, one.brake) != (other.motor, other.sensor, other.brake):
                self.devices[row] = None


def _require(holds: bool) -> None:
    if not holds:
        raise _OtherLayoutError


def _can_be_placed(body: Body) -> bool:
    """Whether only bodies, joints and mechanisms follow from where links of a body stand at the start.

    Not so if it, or what hangs on it, starts in motion, has a plane (which belongs to the world), or floats
    apart from it.
    """
    for other in body.links:
        has_parent, is_dynamic = other.parent is not None, other.motion is Motion.DYNAMIC
        is_plain = not has_parent and len(body.links) == 1
        if has_velocity(other) and not is_plain:
            return False
        if has_parent and is_dynamic and isinstance(other.joint, JointFree):
            return False
        if (has_parent or is_dynamic) and any(
            isinstance(shape.geometry, GeometryPlane) for shape in other.shapes
        ):
            return False
    return True


def _is_same_kind_of_mass(a: MassProperties | None, b: MassProperties | None) -> bool:
    """Whether only numbers of the model follow: the centre, which may be the origin of a body, stays."""
    return (
        a is not None
        and b is not None
        and a.center == b.center
        and all(mass.mass >= LEAST_MASS and is_real_inertia(mass) for mass in (a, b))
    )


def _is_same_kind_of_loop(a: Loop, b: Loop) -> bool:
    """Whether it connects the same links by the same joint, though maybe at other places."""
    links = [[end.link for end in loop.ends] for loop in (a, b)]
    return type(a) is type(b) and links[0] == links[1] and _same(a, b, without=("ends", "span"))


def _is_same_kind_of_axis(a: JointAxis, b: JointAxis) -> bool:
    """Whether only numbers of its rows are different; names and who is coupled with it stay."""
    if not _same_fields(a, b, _AXIS_FIXED) or acts(a) != acts(b):
        return False
    for one, other in ((a.motor, b.motor), (a.sensor, b.sensor), (a.brake, b.brake)):
        if (one is None) != (other is None):
            return False
        if one is not None and other is not None and one.name != other.name:
            return False
    if a.motor is None or b.motor is None:
        return True
    return a.motor.mode is b.motor.mode and a.motor.rigid == b.motor.rigid


def _same_when_touched(a: Shape, b: Shape) -> bool:
    """Whether two shapes collide alike; those that are only seen may be anything."""
    if a.role is ShapeRole.VISUAL or b.role is ShapeRole.VISUAL:
        return a.role is b.role
    return _same(a, b, without=_SHAPE_SEEN)


def _is_same_kind_of_device(a: Device, b: Device) -> bool:
    if type(a) is not type(b) or a.name != b.name:
        return False
    free = _WORKING.get(type(a))
    return free is None or _same(a, b, without=tuple(free))


def _same(a: Any, b: Any, *, without: tuple[str, ...]) -> bool:
    """Whether two objects of one class have the same fields, but for some."""
    return all(
        one is other or one == other
        for item in fields(a)
        if item.name not in without
        for one, other in ((getattr(a, item.name), getattr(b, item.name)),)
    )


def _same_fields(a: Any, b: Any, names: tuple[str, ...]) -> bool:
    return all(getattr(a, name) == getattr(b, name) for name in names)
