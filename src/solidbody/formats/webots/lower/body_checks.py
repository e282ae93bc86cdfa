"""Checks of a whole body, after all of its nodes have been lowered."""

from __future__ import annotations

from collections.abc import Iterator

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.span import SourceSpan
from solidbody.formats.webots.lower.builders import BodyBuilder
from solidbody.model.devices import DeviceMuscle, DevicePropeller, DeviceTrackBelt
from solidbody.model.joints import (
    JointAxis,
    JointBall,
    JointHinge,
    JointHinge2,
    JointSlider,
    JointTrack,
)
from solidbody.model.links import Motion, robot_of_device, robot_of_links


def check_device_names(body: BodyBuilder, log: DiagnosticLog) -> None:
    """Warn about devices of one robot with the same name: a program finds the first only."""
    if not body.robots:
        return
    robots = body.finished_robots()
    nearest = robot_of_links([(link.parent, link.path) for link in body.links], robots)
    seen: set[tuple[int, str]] = set()
    for index, link in enumerate(body.links):
        for name, span, device in _devices(body, index):
            owner = nearest[index]
            if device is not None:
                owner = robot_of_device(robots, index, device, owner)
            if owner is None:
                continue
            if (owner, name) in seen:
                log.warning(
                    "duplicate-device",
                    span,
                    f'another device of the robot "{robots[owner].name}" is also named "{name}": '
                    "a program that asks by name gets the first.",
                    node=link.path,
                    field="name",
                )
            seen.add((owner, name))


def _devices(body: BodyBuilder, index: int) -> Iterator[tuple[str, SourceSpan, int | None]]:
    """Yield name and span of the devices of a link and its joint; of those of the link also the place."""
    link = body.links[index]
    match link.joint:
        case JointHinge() | JointSlider() | JointTrack():
            axes: tuple[JointAxis, ...] = (link.joint.axis,)
        case JointHinge2():
            axes = (link.joint.axis1, link.joint.axis2)
        case JointBall():
            axes = (link.joint.axis1, link.joint.axis2, link.joint.axis3)
        case _:
            axes = ()
    for axis in axes:
        for item in (axis.motor, axis.sensor, axis.brake):
            if item is not None:
                yield item.name, item.span, None
    for place, device in enumerate(link.devices):
        if isinstance(device, DevicePropeller) and device.motor is not None:
            yield device.motor.name, device.motor.span, place
        elif not isinstance(device, DevicePropeller | DeviceTrackBelt | DeviceMuscle):
            yield device.name, device.span, place


def check_moving_base(body: BodyBuilder, log: DiagnosticLog) -> None:
    """Warn if a part without physics moves by itself and carries parts with physics."""
    carrying: set[int] = set()
    for link in body.links:
        above = link.parent if link.motion is Motion.DYNAMIC else None
        while above is not None and above not in carrying:
            carrying.add(above)
            above = body.links[above].parent
    for link in body.links:
        node = link.node
        is_other = link.motion is Motion.DYNAMIC or not node.is_a("Solid") or link.is_part
        if is_other or link.index not in carrying:
            continue
        if any(any(node.vec3(name)) for name in ("linearVelocity", "angularVelocity")):
            node.warn(
                log,
                "base-moves-alone",
                "the solid has a velocity but no physics: parts below it that have physics "
                "do not follow.",
                field="linearVelocity",
            )
            return
