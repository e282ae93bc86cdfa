"""What tells two scenes apart, in terms of what has to be done to go on with the second one.

Bodies that did not change are the same objects in both (`formats/webots/lower_tops.py`), so that only the
others are looked into. Whatever is not known here to be harmless needs another compilation.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Final

from solidbody.compiler.axes import acts, joint_axes
from solidbody.compiler.bodies import LEAST_MASS, is_real_inertia
from solidbody.model.devices import (
    Device,
    DeviceCharger,
    DeviceConnector,
    DeviceHolder,
    DeviceMuscle,
    DevicePen,
    DevicePropeller,
    DeviceRotor,
    DeviceTouchSensor,
    DeviceTrackBelt,
    DeviceVacuumGripper,
)
from solidbody.model.joints import (
    Joint,
    JointAxis,
    JointHinge,
    JointHinge2,
    JointSlider,
    JointTrack,
)
from solidbody.model.links import Body, Link
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
_LINK_APART: Final = ("mass", "joint", "shapes", "devices", "frames")
_SHAPE_SEEN: Final = (
    *("appearance", "casts_shadows", "is_pickable", "segmentation_color", "name", "span"),
)
_ROBOT_TEXTS: Final = (
    *("controller", "controller_args", "custom_data", "is_supervisor", "is_synchronous"),
    *("window", "remote_control", "device_order", "span"),
)
_AXIS_FIXED: Final = ("direction", "position", "velocity", "armature")
_WORKING: Final = (
    *(DevicePropeller, DeviceRotor, DeviceTrackBelt, DeviceMuscle, DeviceConnector),
    *(DeviceHolder, DeviceVacuumGripper, DeviceTouchSensor, DevicePen, DeviceCharger),
)
"""Devices that have geoms, axes or loops of their own, or act from the start."""


@dataclass(frozen=True, slots=True)
class Difference:
    """What is different, and can be followed without another compilation.

    Attributes:
        surfaces: Whether contact properties are.
        masses: Links with another mass.
        axes: Links whose joints have other springs, dampers, stops or motors.
        devices: Whether devices are.
        robots: Whether texts of robots are: their programs and what these are told.
        looks: Whether something looks otherwise, or is called otherwise by those who look.
    """

    surfaces: bool = False
    masses: tuple[int, ...] = ()
    axes: tuple[int, ...] = ()
    devices: bool = False
    robots: bool = False
    looks: bool = False

    @property
    def is_physical(self) -> bool:
        """Whether steps go otherwise."""
        return bool(self.surfaces or self.masses or self.axes)

    @property
    def reaches_devices(self) -> bool:
        """Whether devices, or the programs that use them, have to know."""
        return self.devices or self.robots or self.looks


class _OtherLayoutError(Exception):
    pass


def difference(old: Scene, new: Scene) -> Difference | None:
    """Return what is different in `new`; None = it has to be compiled."""
    if not _same(old, new, without=(*_TEXTS, *_SEEN, "bodies", "contacts")):
        return None
    if len(old.bodies) != len(new.bodies):
        return None
    found = _Findings(
        surfaces=old.contacts != new.contacts, looks=not _same_fields(old, new, _SEEN)
    )
    row = 0
    try:
        for a, b in zip(old.bodies, new.bodies, strict=True):
            if a is not b:
                found.compare_bodies(a, b, row)
            row += len(a.links)
    except _OtherLayoutError:
        return None
    return Difference(
        found.surfaces,
        tuple(found.masses),
        tuple(found.axes),
        found.devices,
        found.robots,
        found.looks,
    )


class _Findings:
    def __init__(self, *, surfaces: bool, looks: bool) -> None:
        self.surfaces, self.looks = surfaces, looks
        self.masses: list[int] = []
        self.axes: list[int] = []
        self.devices = self.robots = False

    def compare_bodies(self, a: Body, b: Body, first: int) -> None:
        """Look into two bodies whose links begin with that row."""
        _require(_same(a, b, without=("links", "robots", "metadata", "span")))
        _require(len(a.links) == len(b.links) and len(a.robots) == len(b.robots))
        for one, other in zip(a.robots, b.robots, strict=True):
            _require(_same(one, other, without=_ROBOT_TEXTS))
            self.robots |= not _same_fields(one, other, _ROBOT_TEXTS)
        for k, (one, other) in enumerate(zip(a.links, b.links, strict=True)):
            if one != other:
                self._compare_links(b, one, other, first + k)

    def _compare_links(self, body: Body, a: Link, b: Link, row: int) -> None:
        _require(_same(a, b, without=(*_LINK_SEEN, *_LINK_APART)))
        self.looks |= not _same_fields(a, b, _LINK_SEEN)
        if a.mass != b.mass:
            _require(_is_same_kind_of_mass(a.mass, b.mass))
            rests_on_mass = b.immersions or any(
                isinstance(link.joint, JointTrack) for link in body.links
            )
            _require(not rests_on_mass)
            self.masses.append(row)
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
                self.looks = True
        for one, other in zip(a.devices, b.devices, strict=True):
            if one is not other and one != other:
                _require(_is_same_kind_of_device(one, other))
                self.devices = True

    def _compare_joints(self, a: Joint, b: Joint, row: int) -> None:
        if not isinstance(a, JointHinge | JointSlider | JointHinge2) or type(a) is not type(b):
            raise _OtherLayoutError
        _require(_same(a, b, without=("axis", "axis1", "axis2", "span")))
        for one, other in zip(joint_axes(a), joint_axes(b), strict=True):
            _require(_is_same_kind_of_axis(one, other))
            if one != other:
                self.axes.append(row)
            if (one.motor, one.sensor, one.brake) != (other.motor, other.sensor, other.brake):
                self.devices = True
        self.axes = sorted(set(self.axes))


def _require(holds: bool) -> None:
    if not holds:
        raise _OtherLayoutError


def _is_same_kind_of_mass(a: MassProperties | None, b: MassProperties | None) -> bool:
    """Whether only numbers of the model follow: the centre, which may be the origin of a body, stays."""
    return (
        a is not None
        and b is not None
        and a.center == b.center
        and all(mass.mass >= LEAST_MASS and is_real_inertia(mass) for mass in (a, b))
    )


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
    if not isinstance(a, _WORKING):
        return True
    return replace(a, span=b.span) == b


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
