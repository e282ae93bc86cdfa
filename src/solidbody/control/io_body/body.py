"""A program's own copy of a body: what Choreonoid calls the io body (C17.2).

Reads and writes stay in the copy. `SimpleControllerIO` says what goes from the simulation into it and back.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import TypeVar, overload

import numpy as np

from solidbody.base.transforms import Pose, quat_to_matrix
from solidbody.control.body_copies.device_slots import DeviceSlot
from solidbody.control.io_body.devices import Device, devices_of
from solidbody.control.io_body.link import Link
from solidbody.control.io_body.rotations import Floats
from solidbody.formats.choreonoid.project.bodies import joint_slots, with_joint_position
from solidbody.model import links as model
from solidbody.model.joints import (
    JointAxis,
    JointFree,
    JointHinge,
    JointSlider,
    JointTrack,
)

D = TypeVar("D", bound=Device)


class Body:
    """What C++ programs know as cnoid::Body: links and joints by number or name, devices by kind or name."""

    def __init__(self, source: model.Body) -> None:
        self._name = source.name
        self._links = [_link(index, link) for index, link in enumerate(source.links)]
        for link, known in zip(self._links, source.links, strict=True):
            link.place(self, None if known.parent is None else self._links[known.parent])
        slots = joint_slots(source)
        numbers = [link.joint_number for link in source.links if link.joint_number is not None]
        self._count = max(numbers, default=-1) + 1
        self._all_joints = [
            Link("", -1, Link.FixedJoint) if slot is None else self._links[slot] for slot in slots
        ]
        self._devices = devices_of(source, self._links)
        self._shared: dict[str, object] = {}
        self.calcForwardKinematics()

    def name(self) -> str:
        """Return its name."""
        return self._name

    modelName = name

    def numLinks(self) -> int:
        """Return how many links it has."""
        return len(self._links)

    def links(self) -> Sequence[Link]:
        """Return its links, parents before children."""
        return tuple(self._links)

    def link(self, which: int | str) -> Link | None:
        """Return a link by its place (IndexError if there is none) or name (None)."""
        if isinstance(which, str):
            return next((link for link in self._links if link.name() == which), None)
        return self._links[which]

    def rootLink(self) -> Link:
        """Return the first link."""
        return self._links[0]

    def numJoints(self) -> int:
        """Return how many joints have a number: the greatest number and one."""
        return self._count

    def numAllJoints(self) -> int:
        """Return how many joints there are, with those behind that have no number."""
        return len(self._all_joints)

    def numVirtualJoints(self) -> int:
        """Return how many joints have no number."""
        return len(self._all_joints) - self._count

    def joints(self) -> Sequence[Link]:
        """Return the joints by their numbers; where one is missing, a link with the index -1."""
        return tuple(self._all_joints[: self._count])

    def allJoints(self) -> Sequence[Link]:
        """Return the joints by their numbers, then those without."""
        return tuple(self._all_joints)

    def joint(self, which: int | str) -> Link | None:
        """Return a joint by its number (IndexError if there is none) or name (None)."""
        if isinstance(which, str):
            return next((link for link in self._all_joints if link.jointName() == which), None)
        return self._all_joints[which]

    def devices(self, kind: type[D] = Device) -> list[D]:
        """Return its devices, or those of a kind: `devices(ForceSensor)`."""
        return [device for device in self._devices if isinstance(device, kind)]

    def slotted_devices(self, slots: Sequence[DeviceSlot]) -> list[Device]:
        """Return the devices that lie in these slots, which are those of the same body."""
        found = {id(device.model): device for device in self._devices}
        return [found[id(slot.model)] for slot in slots]

    def numDevices(self) -> int:
        """Return how many devices it has."""
        return len(self._devices)

    def device(self, index: int) -> Device:
        """Return a device by its place."""
        return self._devices[index]

    @overload
    def findDevice(self, kind: str) -> Device | None: ...
    @overload
    def findDevice(self, kind: type[D], name: str | None = None) -> D | None: ...
    def findDevice(self, kind: type[Device] | str, name: str | None = None) -> Device | None:
        """Return a device by name, by kind (the first one), or by both; None if there is none."""
        if isinstance(kind, str):
            kind, name = Device, kind
        found = self.devices(kind)
        return next((one for one in found if name is None or one.name() == name), None)

    def mass(self) -> float:
        """Return the mass of all links [kg]."""
        return sum(link.m for link in self._links)

    def calcCenterOfMass(self) -> Floats:
        """Return the centre of mass in the world [m], of where the links of this copy are."""
        moments = sum((link.m * link.wc for link in self._links), np.zeros(3))
        return moments / self.mass()

    centerOfMass = calcCenterOfMass

    def calcForwardKinematics(
        self, calcVelocity: bool = False, calcAcceleration: bool = False
    ) -> None:
        """Put all links where the root and the positions of the joints have them.

        Args:
            calcVelocity: Whether `v` and `w` follow from those of the root and `dq`.
            calcAcceleration: Whether `dv` and `dw` follow from those of the root and `ddq` as well.
        """
        for link in self._links:
            parent = link.parent()
            if parent is None:
                continue
            link.T = parent.T @ link.local_pose()
            if calcVelocity:
                move_with_parent(link, parent, accelerate=calcAcceleration)

    def clone(self) -> Body:
        """Return another copy, as it is now."""
        return copy.deepcopy(self)

    def getOrCreateCache(self, make: type, name: str) -> object:
        """Return what is kept under a name, made if it is not there or of another kind."""
        if not isinstance(self._shared.get(name), make):
            self._shared[name] = make()
        return self._shared[name]

    def findCache(self, make: type, name: str) -> object | None:
        """Return what is kept under a name; None if nothing of that kind is."""
        found = self._shared.get(name)
        return found if isinstance(found, make) else None


def move_with_parent(link: Link, parent: Link, *, accelerate: bool = False) -> None:
    """Give a link, which is in place, the velocities that follow from its parent's and its joint's."""
    arm = link.p - parent.p
    axis = link.R @ link.a
    turn = axis * (link.dq if link.isRevoluteJoint() else 0.0)
    slide = axis * (link.dq if link.isPrismaticJoint() else 0.0)
    inner = link.R @ link.arm  # the origin goes round the axis
    link.w = parent.w + turn
    link.v = parent.v + np.cross(parent.w, arm) + np.cross(turn, inner) + slide
    if not accelerate:
        return
    push = axis * link.ddq
    spin = push if link.isRevoluteJoint() else np.zeros(3)
    along = push if link.isPrismaticJoint() else np.zeros(3)
    hinge = arm - inner
    link.dw = parent.dw + np.cross(parent.w, turn) + spin
    link.dv = (
        parent.dv
        + np.cross(parent.dw, hinge)
        + np.cross(parent.w, np.cross(parent.w, hinge))
        + np.cross(link.dw, inner)
        + np.cross(link.w, np.cross(link.w, inner))
        + 2.0 * np.cross(parent.w, slide)
        + along
    )


def _link(index: int, source: model.Link) -> Link:
    """Return a link as the file has it, without its place in the tree."""
    joint = source.joint
    kind = {
        JointHinge: Link.RevoluteJoint,
        JointSlider: Link.PrismaticJoint,
        JointFree: Link.FreeJoint,
        JointTrack: Link.PseudoContinuousTrackJoint,
    }.get(type(joint), Link.FixedJoint)
    number = -1 if source.joint_number is None else source.joint_number
    link = Link(source.name, index, kind, number)
    if isinstance(joint, JointHinge | JointSlider):
        zero = with_joint_position(source, 0.0).pose
        link.Tb = matrix_of(zero)
        link.a = link.Rb.T @ np.array(joint.axis.direction)
        if isinstance(joint, JointHinge):
            link.arm = link.Rb.T @ (link.b - np.array(joint.anchor))
        _take_axis(link, joint.axis)
    else:
        link.Tb = matrix_of(source.pose)
        if isinstance(joint, JointTrack):
            link.a = link.Rb.T @ np.array(joint.axis.direction)
    link.T = link.Tb
    if source.mass is not None:
        xx, yy, zz, xy, xz, yz = source.mass.inertia
        link.m, link.c = source.mass.mass, np.array(source.mass.center)
        link.I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return link


def _take_axis(link: Link, axis: JointAxis) -> None:
    link.q = link.q_target = link.q_initial = axis.position
    if axis.rated_range is not None:
        link.q_lower, link.q_upper = axis.rated_range
    link.dq_lower, link.dq_upper = -axis.velocity_limit, axis.velocity_limit
    link.u_lower, link.u_upper = -axis.effort_limit, axis.effort_limit


def matrix_of(pose: Pose) -> Floats:
    """Return a pose as a 4 x 4 matrix."""
    out = np.eye(4)
    out[:3, :3], out[:3, 3] = quat_to_matrix(pose.rotation), pose.position
    return out
