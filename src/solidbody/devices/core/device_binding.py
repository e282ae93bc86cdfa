"""Binding of devices to the links and joint axes of a simulation."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from solidbody.base.errors import NameLookupError
from solidbody.base.transforms import IDENTITY, WORLD, Pose, quat_conjugate
from solidbody.devices.core.errors import DeviceError
from solidbody.model.devices import Device, DeviceCamera, DeviceLidar, DevicePropeller
from solidbody.model.joints import (
    joint_axes,
)
from solidbody.model.links import Body, Link
from solidbody.model.motors import Brake, Motor, PositionSensor
from solidbody.model.scene import Scene

AnyDevice = Device | Motor | PositionSensor | Brake
"""Devices that sit on a link, and those that sit on the axis of a joint."""


@dataclass(frozen=True, slots=True)
class BoundDevice:
    """A device and where it is.

    Attributes:
        device: Its description.
        index: Row in the list of all devices of the scene.
        link: Row of its link in `Sim.poses()`; for a device of a joint, the link that it moves.
        axis: Row of its axis in `Sim.joint_states()`; None = not on a joint.
        axis_number: Which axis of the joint.
        number: Which of the devices of the link; -1 = it is one of the joint.
        body: Name of the body.
        robot: Name of the robot it belongs to; empty = none.
        robot_number: Which of all robots of the scene that is; None = no robot.
        link_name: Name of its link.
    """

    device: AnyDevice
    index: int
    link: int
    body: str
    robot: str
    robot_number: int | None
    link_name: str
    axis: int | None = None
    axis_number: int = 0
    number: int = -1

    @property
    def name(self) -> str:
        """The device's own name."""
        return self.device.name

    @property
    def pose(self) -> Pose:
        """Its frame in the frame of its link."""
        return WORLD if isinstance(self.device, JointDevice) else self.device.pose


JointDevice = Motor | PositionSensor | Brake


class AxisRows(Protocol):
    """Knows where the axes of joints and propellers are in `Sim.joint_states()`."""

    def axis_row(self, link: int, number: int) -> int:
        """Return the row of an axis of the joint of a link."""
        ...

    def propeller_row(self, link: int, device: int) -> int:
        """Return the row of the shaft of a propeller."""
        ...


def bind_devices(scene: Scene, rows: AxisRows) -> tuple[BoundDevice, ...]:
    """Return all devices of a scene: parents before children, joint devices before those of the link."""
    found: list[BoundDevice] = []
    link_row = robot_count = 0
    for body in scene.bodies:
        robots = body.robot_of_links()
        for index, link in enumerate(body.links):
            owner = _robot(body, body.robot_of_joint(index, robots), robot_count)
            place = (link_row, body.name, *owner)
            for device, number in _joint_devices(link):
                row = rows.axis_row(link_row, number)
                found.append(BoundDevice(device, len(found), *place, link.name, row, number))
            for device, number in _own_devices(link):
                owner = _robot(
                    body, body.robot_of_device(index, number, robots[index]), robot_count
                )
                place = (link_row, body.name, *owner)
                is_motor = isinstance(device, Motor)
                row = rows.propeller_row(link_row, number) if is_motor else None
                found.append(BoundDevice(device, len(found), *place, link.name, row, number=number))
            link_row += 1
        robot_count += len(body.robots)
    return tuple(found)


def bound_anew(
    devices: Sequence[BoundDevice], scene: Scene, links: Collection[int]
) -> tuple[BoundDevice, ...]:
    """Return devices as another scene describes them, which differs in devices of some links only."""
    found = list(devices)
    now = {row: link for row, link in enumerate(scene.links()) if row in links}
    for row, link in now.items():
        before = [bound for bound in devices if bound.link == row]
        described = [device for device, _ in (*_joint_devices(link), *_own_devices(link))]
        for bound, device in zip(before, described, strict=True):
            if device != bound.device:
                found[bound.index] = replace(bound, device=device)
    return tuple(found)


def _joint_devices(link: Link) -> list[tuple[AnyDevice, int]]:
    """Return the devices of a link's joint with the numbers of their axes."""
    return [
        (device, number)
        for number, axis in enumerate(joint_axes(link.joint))
        for device in (axis.motor, axis.sensor, axis.brake)
        if device is not None
    ]


def _own_devices(link: Link) -> list[tuple[AnyDevice, int]]:
    """Return the devices of a link with their numbers; of propellers their motors."""
    devices = (
        (device.motor if isinstance(device, DevicePropeller) else _in_told_frame(device), number)
        for number, device in enumerate(link.devices)
    )
    return [(device, number) for device, number in devices if device is not None]


def _in_told_frame(device: Device) -> Device:
    """Return a device in the frame of the vectors of which it tells programs; what it looks along stays."""
    turn = getattr(device, "told_turn", IDENTITY)
    if turn == IDENTITY:
        return device
    pose = device.pose * Pose(rotation=quat_conjugate(turn))
    if isinstance(device, DeviceCamera | DeviceLidar):
        return replace(device, pose=pose, optical_rotation=turn)
    return replace(device, pose=pose)


def _robot(body: Body, number: int | None, first: int) -> tuple[str, int | None]:
    """Return name and number in the scene of a robot of a body whose robots start at number `first`."""
    return ("", None) if number is None else (body.robots[number].name, first + number)


class DeviceNames:
    """Finds devices by `name`, `link/name`, `robot/name` or `body/name`."""

    def __init__(self, devices: Iterable[BoundDevice]) -> None:
        self._found: dict[str, list[BoundDevice]] = {}
        for bound in devices:
            for key in _keys(bound):
                self._found.setdefault(key, []).append(bound)

    def __getitem__(self, name: str) -> BoundDevice:
        found = self._found.get(name)
        if found is None:
            raise NameLookupError("device", name, self._found)
        if len(found) > 1:
            places = ", ".join(
                f"{bound.robot or bound.link_name}/{bound.name}" for bound in found[:8]
            )
            raise DeviceError(
                f'{len(found)} devices are named "{name}"; say which with the name of the link or '
                f"robot before it: {places}"
            )
        return found[0]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)


def _keys(bound: BoundDevice) -> set[str]:
    name = bound.device.name
    owners = {bound.link_name, bound.robot, bound.body} - {""}
    return {name} | {f"{owner}/{name}" for owner in owners}
