"""Copies between a simulated body and the sections that controllers read and write (docs/behaviour, C17.1).

Whole arrays are copied, and only the quantities that some controller has enabled. Rows of the sections are
links in the order of the body, and joints that move in the same order. Controllers in C++ see the sections
through shared memory, those in Python through `io_body`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from solidbody.base.errors import SolidbodyError
from solidbody.base.transforms import quat_conjugate, quat_multiply
from solidbody.contact.layout import AxisKind, MotorMode
from solidbody.control.body_copies.device_slots import DeviceCopies, DeviceSlot
from solidbody.control.body_copies.link_facts import joint_links
from solidbody.control.body_copies.link_states import LinkStates, names_of
from solidbody.control.body_copies.sections import Sections
from solidbody.control.protocol import bodies as p
from solidbody.formats.choreonoid.project.bodies import with_root_fixed
from solidbody.model.joints import Joint, JointFixed, JointHinge, JointSlider
from solidbody.model.links import Body, Motion
from solidbody.model.motors import ControlMode, Motor
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

_COMMANDS: Final = {"q_target": "q_target", "dq_target": "dq_target", "u": "u_out"}
"""Names of commands as programs know them, and their sections."""

_JOINT_MODES: Final = (
    LinkStates.JointDisplacement
    | LinkStates.JointVelocity
    | LinkStates.JointEffort
    | LinkStates.DeprecatedJointSurfaceVelocity
)
"""What is commanded at joints."""

_KNOWN_MODES: Final = (
    _JOINT_MODES | LinkStates.LinkPosition | LinkStates.LinkExtWrench | LinkStates.HighGainActuation
)
"""What can be commanded at all."""

_JOINT_STATES: Final = 15
"""All inputs of joints."""


class OrderError(SolidbodyError):
    """A controller has ordered what cannot be done; the text says what."""


def free_led_roots(sim: Sim, name: str, outputs: Sequence[int]) -> bool:
    """Let the root of a body be moved by its controllers alone, if they lead it; whether that was new."""
    body = next(one for one in sim.scene.bodies if one.name == name)
    first = next(
        (k for k, link in enumerate(body.links) if link.parent is None and outputs[k]), None
    )
    if first is None or not outputs[first] & LinkStates.LinkPosition:
        return False
    if body.links[first].motion is Motion.KINEMATIC:
        return False
    bodies = tuple(
        with_root_fixed(one, True) if one.name == name else one for one in sim.scene.bodies
    )
    sim.replace_scene(replace(sim.scene, bodies=bodies))
    return True


def give_motors(sim: Sim, name: str, outputs: Sequence[int]) -> bool:
    """Give joints that controllers command a motor, also those without a joint id; whether any had none."""
    body = next(one for one in sim.scene.bodies if one.name == name)
    links = tuple(
        replace(link, joint=_driven(link.joint)) if mode & _JOINT_MODES else link
        for link, mode in zip(body.links, outputs, strict=True)
    )
    if links == body.links:
        return False
    bodies = tuple(
        replace(one, links=links) if one.name == name else one for one in sim.scene.bodies
    )
    sim.replace_scene(replace(sim.scene, bodies=bodies))
    return True


def _driven(joint: Joint) -> Joint:
    """Return a joint with a motor that waits for commands, if it is one that can have a motor."""
    if not isinstance(joint, JointHinge | JointSlider) or joint.axis.motor is not None:
        return joint
    motor = Motor(
        joint.name,
        max_velocity=joint.axis.velocity_limit,
        max_effort=joint.axis.effort_limit,
        mode=ControlMode.FREE,
        consumption=0.0,
        rigid=True,
    )
    return replace(joint, axis=replace(joint.axis, motor=motor))


@dataclass(frozen=True, slots=True)
class Enabled:
    """What the controllers of a host have enabled: a row for each link, and for each device."""

    inputs: Sequence[int]
    outputs: Sequence[int]
    senses: Sequence[int]


class BodyCopies:
    """Copies between one body of a simulation and the sections of its controllers.

    Args:
        sim: The simulation.
        name: Of the body.
        slots: Its devices.
        sections: The sections.
        enabled: What is copied.
        show: Told of each new picture of a device: its place, and the shot.

    Attributes:
        complaints: What was enabled and cannot be commanded, a text for each.
        without_motor: Names of joints that are to be commanded and have no motor.
    """

    def __init__(
        self,
        sim: Sim,
        name: str,
        slots: list[DeviceSlot],
        sections: Sections,
        enabled: Enabled,
        show: Callable[[int, Any], None],
    ) -> None:
        body, first = _found(sim, name)
        self._sim, self._sections, self._first = sim, sections, first
        self._links = slice(first, first + len(body.links))
        self.devices = DeviceCopies(sim, slots, first, list(enabled.senses), show)
        self._device_slots = slots
        joints = joint_links(body)
        rows = [sim.axis_row(first + link, 0) for link in joints]
        wanted = 0
        for flags in enabled.inputs:
            wanted |= flags
        self._inputs = self._readers(enabled.inputs, wanted, np.array(rows, dtype=np.intp))
        self._orders = self._writers(joints, rows, enabled.outputs)
        self.complaints, self.without_motor = _complaints(sim, body, joints, rows, enabled.outputs)
        self._pushed = [
            k for k, mode in enumerate(enabled.outputs) if mode & LinkStates.LinkExtWrench
        ]
        self._led = [
            k
            for k, mode in enumerate(enabled.outputs)
            if mode & LinkStates.LinkPosition and body.links[k].parent is None
        ]
        self._joint_names = [body.links[link].name for link in joints]
        self._link_names = [link.name for link in body.links]

    # ------------------------------------------------------------------ input

    def read(self) -> None:
        """Write what controllers see now into the sections."""
        for read in self._inputs:
            read()
        if self._device_slots:
            self.devices.read(
                self._sections["device_changes"],
                self._sections.rows("device_state", p.DEVICE_WIDTH),
            )

    def _readers(self, inputs: Sequence[int], wanted: int, rows: Rows) -> list[Callable[[], None]]:
        readers: list[Callable[[], None]] = []
        if len(rows) and wanted & _JOINT_STATES:
            readers += self._joint_readers(wanted, rows)
        sim, sections, links = self._sim, self._sections, self._links
        placed = [k for k, flags in enumerate(inputs) if flags & LinkStates.LinkPosition]
        if placed:
            poses = sections.rows("pose", 7)

            def read_poses() -> None:
                if len(placed) == 1:  # mostly the root alone
                    poses[placed[0]] = sim.pose(links.start + placed[0])
                else:
                    poses[:] = sim.poses()[links]

            readers.append(read_poses)
        if wanted & LinkStates.LinkTwist:
            twists = sections.rows("twist", 6)

            def read_twists() -> None:
                twists[:] = sim.velocities()[links]

            readers.append(read_twists)
        if wanted & LinkStates.LinkAcceleration:
            readers.append(self._acceleration_reader())
        if wanted & LinkStates.LinkContactState:
            readers.append(self._read_contacts)
        return readers

    def _joint_readers(self, wanted: int, rows: Rows) -> list[Callable[[], None]]:
        sim, sections = self._sim, self._sections
        axes = [sim.compiled.binding.axes[row] for row in rows.tolist()]
        q, dq, ddq, u = (sections[name] for name in ("q", "dq", "ddq", "u"))
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
        out = self._sections.rows("acceleration", 6)
        before = sim.velocities()[links]

        def read() -> None:
            nonlocal before
            now = sim.velocities()[links]
            out[:] = (now - before) / sim.time_step
            before = now

        return read

    def _read_contacts(self) -> None:
        section = self._sections["contacts"]
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
                other = found.link[there, 1 - side]
                to[:, 0] = mine[there]
                to[:, 1:4] = found.position[there]
                to[:, 4:7] = sign * found.normal[there]
                to[:, 7:10] = sign * found.force[there]
                to[:, 10:13] = _speeds(link, to[:, 1:4], poses, twists)
                to[:, 10:13] -= _speeds(other, to[:, 1:4], poses, twists)
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
                orders.append((given, self._sections[section], part, np.zeros(len(found))))
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
                what = next(
                    name for name, one in _COMMANDS.items() if self._sections[one] is section
                )
                name, value = self._joint_names[bad], section[bad]
                raise OrderError(f'it has set {what} of "{name}" to {value}')
            orders.give(values)
        for link in self._pushed:
            wrench = self._sections.rows("wrench_out", 6)[link]
            if not np.isfinite(wrench).all():
                raise OrderError(f'it has set F_ext of "{self._link_names[link]}" to {wrench}')
            if wrench.any():  # about the world's origin
                handle = self._handle(link)
                handle.add_force(wrench[:3], at=(0.0, 0.0, 0.0))
                handle.add_torque(wrench[3:])
        for link in self._led:
            self._lead(link)
        if self._device_slots:
            self.devices.write(
                self._sections["device_changes_out"],
                self._sections.rows("device_state_out", p.DEVICE_WIDTH),
            )

    def _handle(self, link: int) -> Any:
        return self._sim[self._sim.link_names[self._first + link]]

    def _lead(self, link: int) -> None:
        """Give a root the velocity that brings it to its pose in the next step."""
        wanted = self._sections.rows("pose_out", 7)[link]
        if not np.isfinite(wanted).all():
            raise OrderError(f'it has set the pose of "{self._link_names[link]}" to {wanted}')
        now, h = self._sim.pose(self._first + link), self._sim.time_step
        w, x, y, z = quat_multiply(
            tuple(wanted[3:].tolist()), quat_conjugate(tuple(now[3:].tolist()))
        )
        sine = math.copysign(math.sqrt(x * x + y * y + z * z), w)
        spin = np.zeros(3)
        if sine:
            spin = np.array((x, y, z)) * (2.0 * math.atan2(abs(sine), abs(w)) / (sine * h))
        self._handle(link).set_velocity((wanted[:3] - now[:3]) / h, spin)


def _found(sim: Sim, name: str) -> tuple[Body, int]:
    """Return a body of a simulation and the row of its first link."""
    first = 0
    for body in sim.scene.bodies:
        if body.name == name:
            return body, first
        first += len(body.links)
    raise OrderError(f'the body "{name}" is there no more')


def _speeds(links: Rows, points: Floats, poses: Floats, twists: Floats) -> Floats:
    """Return velocities of points of links; what is no link (-1) is at rest."""
    speeds = twists[links, :3] + np.cross(twists[links, 3:], points - poses[links, :3])
    return np.where((links >= 0)[:, None], speeds, 0.0)


def _complaints(
    sim: Sim, body: Body, joints: list[int], rows: list[int], outputs: Sequence[int]
) -> tuple[list[str], list[str]]:
    """Return what is wrong with modes, and the names of joints that have no motor."""
    said: list[str] = []
    bare: list[str] = []
    axes = dict(zip(joints, rows, strict=True))
    for k, mode in enumerate(outputs):
        link = body.links[k]
        if mode & ~_KNOWN_MODES:
            said.append(f'{names_of(mode & ~_KNOWN_MODES)} of "{link.name}" is not commanded here')
        if mode & _JOINT_MODES:
            if isinstance(link.joint, JointFixed):
                said.append(f'the joint of "{link.name}" does not move and is not commanded')
            elif k not in axes or sim.axis_model(axes[k]).motor is None:
                bare.append(link.name)
        if mode & LinkStates.LinkPosition and link.parent is not None:
            said.append(f'the pose of "{link.name}", which is not the root, is not commanded')
    return said, bare
