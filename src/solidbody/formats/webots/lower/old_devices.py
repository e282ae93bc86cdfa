"""Gives programs of older worlds the readings that devices of that time gave."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

from solidbody.base.transforms import (
    ZERO,
    add,
    norm,
    normalized,
    quat_from_axis_angle,
    quat_rotate,
    scale,
    subtract,
)
from solidbody.formats.webots.nodes.typed import TypedNode
from solidbody.formats.webots.releases.release import Release
from solidbody.formats.webots.releases.turns import CAMERA_TURN, EMITTER_TURN
from solidbody.model.devices import (
    AccelerationRule,
    Device,
    DeviceAccelerometer,
    DeviceCamera,
    DeviceLidar,
    DevicePen,
    DeviceRangeFinder,
    DeviceReceiver,
    DeviceTouchSensor,
    TouchKind,
)
from solidbody.model.motors import Motor

FIRST_WITHOUT_STANDING_GRAVITY: Final = Release(2020, "b")
"""Since then an accelerometer on what forces do not move measures nothing; before, gravity alone."""

FIRST_CENTRED_SWEEP: Final = Release(2020, "a")
"""Since then what is ahead is in the middle of the picture of a head that turns (by the robots of that
release, whose programs read it so); before, the picture began with it."""

FIRST_INFINITE_RANGE: Final = Release(2021, "a")
"""Since then what is out of range reads as infinity; before, as the largest range."""

FIRST_THIN_INK: Final = Release(2021, "b")
"""Since then one sees through ink of a low density; before, it was mixed with white, which hides."""

FIRST_X_FORWARD: Final = Release(2022, "a")
"""Since then vectors are told in the axes of devices that look along x; before, of those along -z or z."""


def as_of(release: Release, device: Device) -> Device:
    """Return a device, in today's form, that reads as it did in a release.

    The device was turned, so that it looks along x, when the file was read (`releases/upgrade.py`). Vectors
    of which it tells programs (points of a cloud, places of objects, forces, directions) are in the frame
    that it had (`told_turn`).
    """
    if release >= FIRST_X_FORWARD:
        return device
    if isinstance(device, DeviceLidar) and device.head and release < FIRST_CENTRED_SWEEP:
        device = replace(device, yaw_range=(-2.0 * math.pi, 0.0))
    match device:
        case DeviceAccelerometer() if release < FIRST_WITHOUT_STANDING_GRAVITY:
            return replace(device, rule=AccelerationRule.SENSOR_POINT_OR_REST)
        case DeviceRangeFinder() if release < FIRST_INFINITE_RANGE:
            return replace(device, lost=device.max_range)
        case DeviceLidar() if release < FIRST_INFINITE_RANGE:
            return replace(device, lost=device.max_range, told_turn=CAMERA_TURN)
        case DevicePen() if release < FIRST_THIN_INK:
            return replace(device, hides_paper=True)
        case DeviceCamera() | DeviceLidar():
            return replace(device, told_turn=CAMERA_TURN)
        case DeviceReceiver() | DeviceTouchSensor(kind=TouchKind.FORCE_3D):
            return replace(device, told_turn=EMITTER_TURN)
        case _:
            return device


def volume_of_radius(
    muscle: TypedNode, motor: Motor, motor_node: TypedNode, end_point: TypedNode
) -> float:
    """Return the volume [m^3] of an old muscle, which has its `maxRadius` where it is shortest.

    That is at one of the soft limits of a hinge, and as far along a slider as its nearer one. Without limits
    there is no such place: the muscle was not drawn (0).
    """
    joint = motor_node.parent
    if motor.range is None or joint is None or not end_point.is_a("Pose"):
        return 0.0
    if joint.type not in ("SliderJoint", "HingeJoint"):
        return 0.0
    slides, parameters = joint.type == "SliderJoint", joint.node("jointParameters")
    axis = (0.0, 0.0, 1.0) if slides else (1.0, 0.0, 0.0)
    axis = axis if parameters is None else normalized(parameters.vec3("axis"), fallback=axis)
    position = 0.0 if parameters is None else parameters.number("position")
    place, start = end_point.vec3("translation"), muscle.vec3("startOffset")
    end = muscle.vec3("endOffset")
    if slides:
        x, y, z, angle = end_point.rotation("rotation")
        end = quat_rotate(quat_from_axis_angle((x, y, z), angle), end)
        nearest = scale(axis, min(map(abs, motor.range)) - position)
        ends = [add(add(place, end), nearest)]
    else:
        anchor = ZERO if parameters is None else parameters.vec3("anchor")
        arm = subtract(add(place, end), anchor)
        turns = (quat_from_axis_angle(axis, limit - position) for limit in motor.range)
        ends = [add(quat_rotate(turn, arm), anchor) for turn in turns]
    lengths = [norm(subtract(end, start)) for end in ends]
    return 2.0 / 3.0 * math.pi * min(lengths) * muscle.number("maxRadius") ** 2
