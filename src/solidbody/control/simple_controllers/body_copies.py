"""Copies between a simulated body and the shared block of a host (docs/behaviour, C17.1).

Whole arrays are copied, and only the quantities that some controller has enabled. Rows of the block are
links in the order of the body, and joints that move in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from solidbody.base.transforms import (
    IDENTITY,
    Pose,
    Vec3,
    quat_conjugate,
    quat_from_axis_angle,
    quat_multiply,
    quat_rotate,
    scale,
    subtract,
)
from solidbody.contact.layout import AxisKind, MotorMode
from solidbody.control.io_body.states import LinkStates
from solidbody.control.protocol import bodies as p
from solidbody.control.simple_controllers.block import Block
from solidbody.control.simple_controllers.device_slots import (
    DeviceCopies,
    DeviceSlot,
    pose_numbers,
)
from solidbody.model.joints import (
    JointFixed,
    JointFree,
    JointHinge,
    JointSlider,
    JointTrack,
    joint_axes,
)
from solidbody.model.links import Body, Link
from solidbody.model.scene import world_poses
from solidbody.sim.motors import AxisOrders

if TYPE_CHECKING:
    from solidbody.sim import Sim

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


MODES: Final = (
    (LinkStates.JointDisplacement, MotorMode.POSITION, "q_target"),
    (
        LinkStates.JointVelocity | LinkStates.DeprecatedJointSurfaceVelocity,
        MotorMode.VELOCITY,
        "dq_target",
    ),
    (LinkStates.JointEffort, MotorMode.EFFORT, "u_out"),
)
"""What an actuation mode makes of a motor, and the section of its commands; the first that fits counts."""

_LINK_MODES: Final = LinkStates.LinkPosition | LinkStates.LinkTwist | LinkStates.LinkExtWrench
"""Outputs of links themselves."""

_JOINT_STATES: Final = 15
"""All inputs of joints."""

REVOLUTE, PRISMATIC, FREE, FIXED, TRACK = range(5)
"""Types of joints, as Choreonoid numbers them."""


class OrderError(Exception):
    """A controller has ordered what cannot be done; the text says what."""


# --------------------------------------------------------------------------------- what hosts are told


def joint_links(body: Body) -> list[int]:
    """Return the links whose joint has a slot in the block."""
    moving = JointHinge | JointSlider | JointTrack
    return [k for k, link in enumerate(body.links) if isinstance(link.joint, moving)]


def link_facts(body: Body) -> list[tuple[Any, ...]]:
    """Return what hosts are told of the links, the fields of `LinkFacts`."""
    slots = {link: k for k, link in enumerate(joint_links(body))}
    poses = world_poses(body)
    return [
        _facts(link, pose, slots.get(k, -1))
        for k, (link, pose) in enumerate(zip(body.links, poses, strict=True))
    ]


def _facts(link: Link, world: Pose, slot: int) -> tuple[Any, ...]:
    axis = next(iter(joint_axes(link.joint)), None)
    position = 0.0 if axis is None else axis.position
    offset = _pose_at_zero(link)
    direction: Vec3 = (0.0, 0.0, 1.0)
    if axis is not None:
        direction = quat_rotate(quat_conjugate(offset.rotation), axis.direction)
    low, high = (-np.inf, np.inf) if axis is None or axis.rated_range is None else axis.rated_range
    mass = link.mass
    xx, yy, zz, xy, xz, yz = (0.0,) * 6 if mass is None else mass.inertia
    number = -1 if link.joint_number is None else link.joint_number
    shape = next(iter(link.shapes), None)
    joint_name = getattr(link.joint, "name", "")
    return (
        link.name if not link.label else link.label,
        joint_name if joint_name != link.name else "",
        "" if shape is None else shape.contact_material,
        -1 if link.parent is None else link.parent,
        number,
        _joint_type(link),
        slot,
        pose_numbers(offset),
        pose_numbers(world),
        direction,
        position,
        low,
        high,
        np.inf if axis is None else axis.velocity_limit,
        np.inf if axis is None else axis.effort_limit,
        0.0 if axis is None else axis.armature,
        0.0 if mass is None else mass.mass,
        (0.0, 0.0, 0.0) if mass is None else mass.center,
        (xx, xy, xz, xy, yy, yz, xz, yz, zz),
    )


def _joint_type(link: Link) -> int:
    match link.joint:
        case JointHinge():
            return REVOLUTE
        case JointSlider():
            return PRISMATIC
        case JointFree():
            return FREE
        case JointTrack():
            return TRACK
        case _:
            return FIXED


def _pose_at_zero(link: Link) -> Pose:
    """Return where a link is in its parent when its joint stands at 0."""
    match link.joint:
        case JointHinge(axis=axis):
            back = quat_from_axis_angle(axis.direction, -axis.position)
            return Pose(link.pose.position, quat_multiply(back, link.pose.rotation))
        case JointSlider(axis=axis):
            shift = scale(axis.direction, axis.position)
            return Pose(subtract(link.pose.position, shift), link.pose.rotation)
        case JointFixed() if link.parent is None:
            return Pose((0.0, 0.0, 0.0), IDENTITY)
        case _:
            return link.pose


# --------------------------------------------------------------------------------- copies


@dataclass(frozen=True, slots=True)
class Enabled:
    """What the controllers of a host have enabled: a row for each link, and for each device."""

    inputs: Sequence[int]
    outputs: Sequence[int]
    senses: Sequence[int]


class BodyCopies:
    """Copies between one body of a simulation and the block of one host.

    Args:
        sim: The simulation.
        body: The body.
        first: Row of its first link.
        slots: Its devices.
        block: The block.
        enabled: What is copied.
    """

    def __init__(
        self,
        sim: Sim,
        body: Body,
        first: int,
        slots: list[DeviceSlot],
        block: Block,
        enabled: Enabled,
    ) -> None:
        self._sim, self._block, self._first = sim, block, first
        self._links = slice(first, first + len(body.links))
        self.devices = DeviceCopies(sim, slots, first, list(enabled.senses))
        self._device_slots = slots
        joints = joint_links(body)
        rows = [sim.axis_row(first + link, 0) for link in joints]
        wanted = 0
        for flags in enabled.inputs:
            wanted |= flags
        self._inputs = self._readers(enabled.inputs, wanted, np.array(rows, dtype=np.intp))
        self._orders = self._writers(joints, rows, enabled.outputs)
        self._moved = [
            (k, int(mode)) for k, mode in enumerate(enabled.outputs) if mode & _LINK_MODES
        ]
        self._joint_names = [body.links[link].name for link in joints]

    # ------------------------------------------------------------------ input

    def read(self) -> None:
        """Write what controllers see now into the block."""
        for read in self._inputs:
            read()
        if self._device_slots:
            self.devices.read(
                self._block["device_changes"], self._block.rows("device_state", p.DEVICE_WIDTH)
            )

    def _readers(self, inputs: Sequence[int], wanted: int, rows: Rows) -> list[Callable[[], None]]:
        readers: list[Callable[[], None]] = []
        if len(rows) and wanted & _JOINT_STATES:
            readers += self._joint_readers(wanted, rows)
        sim, block, links = self._sim, self._block, self._links
        placed = [k for k, flags in enumerate(inputs) if flags & LinkStates.LinkPosition]
        if placed:
            poses = block.rows("pose", 7)

            def read_poses() -> None:
                if len(placed) == 1:  # mostly the root alone
                    poses[placed[0]] = sim.pose(links.start + placed[0])
                else:
                    poses[:] = sim.poses()[links]

            readers.append(read_poses)
        if wanted & LinkStates.LinkTwist:
            twists = block.rows("twist", 6)

            def read_twists() -> None:
                twists[:] = sim.velocities()[links]

            readers.append(read_twists)
        if wanted & LinkStates.LinkAcceleration:
            readers.append(self._acceleration_reader())
        if wanted & LinkStates.LinkContactState:
            readers.append(self._read_contacts)
        return readers

    def _joint_readers(self, wanted: int, rows: Rows) -> list[Callable[[], None]]:
        sim, block = self._sim, self._block
        axes = [sim.compiled.binding.axes[row] for row in rows.tolist()]
        q, dq, ddq, u = block["q"], block["dq"], block["ddq"], block["u"]
        readers: list[Callable[[], None]] = []
        if all(axis.kind == AxisKind.JOINT for axis in axes):
            qpos = np.array([axis.qpos for axis in axes])
            dof = np.array([axis.dof for axis in axes])
            data = sim.data
            # `clip` lets take write in place without a copy in between
            if wanted & LinkStates.JointDisplacement:
                readers.append(lambda: data.qpos.take(qpos, out=q, mode="clip"))
            if wanted & LinkStates.JointVelocity:
                readers.append(lambda: data.qvel.take(dof, out=dq, mode="clip"))
            if wanted & LinkStates.JointAcceleration:
                readers.append(lambda: data.qacc.take(dof, out=ddq, mode="clip"))
        elif wanted & ~LinkStates.JointEffort & _JOINT_STATES:
            dof = np.array([max(axis.dof, 0) for axis in axes])

            def read_axes() -> None:
                states = sim.joint_states()[rows]
                q[:], dq[:] = states[:, 0], states[:, 1]
                if wanted & LinkStates.JointAcceleration:
                    ddq[:] = sim.data.qacc[dof]

            readers.append(read_axes)
        if wanted & LinkStates.JointEffort:

            def read_efforts() -> None:
                told = sim.motor_axes[rows]
                u[:] = np.where(told["mode"] == MotorMode.EFFORT, told["target_effort"], 0.0)

            readers.append(read_efforts)
        return readers

    def _acceleration_reader(self) -> Callable[[], None]:
        """Accelerations are the change of velocities in a step: `sim` keeps none of links."""
        sim, links = self._sim, self._links
        out = self._block.rows("acceleration", 6)
        before = sim.velocities()[links]

        def read() -> None:
            nonlocal before
            now = sim.velocities()[links]
            out[:] = (now - before) / sim.time_step
            before = now

        return read

    def _read_contacts(self) -> None:
        section = self._block["contacts"]
        found = self._sim.contacts() if self._sim.step_count else None
        count = 0
        if found is not None:
            rows = section[1:].reshape(-1, p.CONTACT_WIDTH)
            twists, poses = self._sim.velocities(), self._sim.poses()
            for side, sign in ((0, -1.0), (1, 1.0)):
                mine = found.link[:, side] - self._first
                there = np.flatnonzero((mine >= 0) & (mine < self._links.stop - self._first))
                there = there[: p.MOST_CONTACTS - count]
                to = rows[count : count + len(there)]
                link = found.link[there, side]
                arm = found.position[there] - poses[link, :3]
                to[:, 0] = mine[there]
                to[:, 1:4] = found.position[there]
                to[:, 4:7] = sign * found.normal[there]
                to[:, 7:10] = sign * found.force[there]
                to[:, 10:13] = twists[link, :3] + np.cross(twists[link, 3:], arm)
                to[:, 13] = found.depth[there]
                count += len(there)
        section[0] = count

    # ------------------------------------------------------------------ output

    def _writers(
        self, joints: list[int], rows: list[int], outputs: Sequence[int]
    ) -> list[tuple[AxisOrders, Floats, Rows | slice, Floats]]:
        """Take the motors that controllers command, by their modes."""
        taken: set[int] = set()
        orders: list[tuple[AxisOrders, Floats, Rows | slice, Floats]] = []
        for flags, mode, section in MODES:
            found = [k for k, link in enumerate(joints) if outputs[link] & flags and k not in taken]
            found = [k for k in found if self._sim.axis_model(rows[k]).motor is not None]
            taken |= set(found)
            if found:
                axes = np.array([rows[k] for k in found], dtype=np.intp)
                given = self._sim.motors.take(axes, mode)
                slots = np.array(found, dtype=np.intp)
                is_all = len(found) == len(joints)
                part = slice(None) if is_all else slots
                orders.append((given, self._block[section], part, np.zeros(len(found))))
        return orders

    def write(self) -> None:
        """Carry out what controllers have written.

        Raises:
            OrderError: They have written what is no number.
        """
        for orders, section, slots, zeros in self._orders:
            values = section[slots]
            # 0 times what is finite is 0: one product is quicker than a look at each number
            if values.dot(zeros) != 0.0:
                bad = int(np.arange(len(section))[slots][np.flatnonzero(~np.isfinite(values))[0]])
                name, value = self._joint_names[bad], section[bad]
                raise OrderError(f'it has set the command of the joint "{name}" to {value}')
            orders.give(values)
        for link, mode in self._moved:
            self._move(link, mode)
        if self._device_slots:
            self.devices.write(
                self._block["device_changes_out"],
                self._block.rows("device_state_out", p.DEVICE_WIDTH),
            )

    def _move(self, link: int, mode: int) -> None:
        handle = self._sim[self._sim.link_names[self._first + link]]
        if mode & LinkStates.LinkPosition:
            pose = self._block.rows("pose_out", 7)[link]
            handle.set_pose(pose[:3], pose[3:])
        if mode & LinkStates.LinkTwist:
            twist = self._block.rows("twist_out", 6)[link]
            handle.set_velocity(twist[:3], twist[3:])
        if mode & LinkStates.LinkExtWrench:
            wrench = self._block.rows("wrench_out", 6)[link]
            if wrench.any():  # about the world's origin
                handle.add_force(wrench[:3], at=(0.0, 0.0, 0.0))
                handle.add_torque(wrench[3:])
