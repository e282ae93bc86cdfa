"""What a controller in the manner of Choreonoid's SimpleController is given, and the copies that it asks for.

Before `control`, what was enabled as input goes from the simulation into the io body; what was enabled as
output goes back from it, by the actuation mode of each link, after the step or at once (C17.2).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, TextIO, TypeVar

import numpy as np

from solidbody.base.errors import SolidbodyError
from solidbody.control.io_body.body import Body
from solidbody.control.io_body.devices import Device
from solidbody.control.io_body.link import ContactPoint, Link
from solidbody.control.io_body.rotations import Floats, rotFromQuaternion
from solidbody.control.io_body.states import LinkStates, names_of
from solidbody.formats.choreonoid.project.bodies import with_root_fixed
from solidbody.model import links as model
from solidbody.model.links import Motion
from solidbody.sim import Sim

T = TypeVar("T")

_JOINT_MODES: Final = (
    LinkStates.JointDisplacement
    | LinkStates.JointVelocity
    | LinkStates.JointEffort
    | LinkStates.DeprecatedJointSurfaceVelocity
)
"""What is commanded at joints."""

_KNOWN_MODES: Final = _JOINT_MODES | LinkStates.LinkPosition | LinkStates.LinkExtWrench
"""What can be commanded at all."""


class ActuationError(SolidbodyError):
    """A controller asks for an output that its body has not; the text says which."""


@dataclass(slots=True)
class _Tables:
    """What is copied, found once after `initialize`: links of the io body and rows of the simulation."""

    positions: list[tuple[Link, int]]
    velocities: list[tuple[Link, int]]
    surfaces: list[tuple[Link, int]]
    efforts: list[tuple[Link, int]]
    wrenches: list[Link]
    root: Link | None


class SimpleControllerIO:
    """What C++ programs know as cnoid::SimpleControllerIO."""

    def __init__(
        self, sim: Sim, source: model.Body, name: str, options: str, stream: TextIO | None
    ) -> None:
        self._sim, self._name, self._options, self._stream = sim, name, options, stream
        self._no_delay = False
        self._source = source.name
        self._body = Body(source)
        self._inputs: dict[int, int] = {}
        self._outputs: set[int] = set()
        self._devices: set[int] = set()
        self._tables: _Tables | None = None
        self._last: tuple[Floats, Floats] | None = None
        self._rows: list[int] = []
        self._axes: list[int] = []
        self.find_rows()
        for link in self._body.links():
            self._take_pose(link)

    # ------------------------------------------------------------------ what programs ask

    def controllerName(self) -> str:
        """Return the name of the controller."""
        return self._name

    def body(self) -> Body:
        """Return the io body: this controller's own copy."""
        return self._body

    def timeStep(self) -> float:
        """Return the time step of the simulation [s]."""
        return self._sim.time_step

    worldTimeStep = timeStep

    def currentTime(self) -> float:
        """Return the simulated time [s]."""
        return self._sim.time

    def os(self) -> TextIO:
        """Return the stream for messages."""
        return sys.stdout if self._stream is None else self._stream

    def optionString(self) -> str:
        """Return the options as one text."""
        return self._options

    def options(self) -> list[str]:
        """Return the options as words, see `split_options`."""
        return split_options(self._options)

    def structuredOptions(self) -> Mapping[str, Any] | None:
        """Return the options read as a YAML mapping; None if they are none, with a message on `os`."""
        import yaml

        if not self._options:
            return {}
        try:
            found = yaml.safe_load(self._options)
        except yaml.YAMLError as error:
            self.os().write(f"{self._name}: {error}\n")
            return None
        return found if isinstance(found, dict) else {}

    def isNoDelayMode(self) -> bool:
        """Whether what `control` writes acts in the same step."""
        return self._no_delay

    def setNoDelayMode(self, on: bool) -> bool:
        """Say whether what `control` writes acts in the same step; to be called in `initialize`."""
        self._no_delay = bool(on)
        return self._no_delay

    isImmediateMode = isNoDelayMode
    setImmediateMode = setNoDelayMode

    def isSimulationFromInitialState(self) -> bool:
        """Whether the simulation began at its start."""
        return True

    def getOrCreateSharedObject(self, make: type[T], name: str) -> T:
        """Return an object that is kept with the io body under a name, made when first asked for."""
        found: Any = self._body.getOrCreateCache(make, name)
        return found

    def findSharedObject(self, make: type[T], name: str) -> T | None:
        """Return such an object, or None."""
        found: Any = self._body.findCache(make, name)
        return found

    # ------------------------------------------------------------------ what programs enable

    def enableIO(self, link: Link) -> None:
        """Enable input and output of a link; its actuation mode, set before, says what of it."""
        self.enableInput(link)
        self.enableOutput(link)

    def enableInput(self, target: Link | Device, stateFlags: int | None = None) -> None:
        """Let states of a link, or a device, be copied in before `control`.

        Without flags, a link gives what its actuation mode needs: the position of a joint that is commanded,
        and the pose of a link that forces are given to.
        """
        if isinstance(target, Device):
            self._devices.add(target.index())
            return
        flags = _needed(target) if stateFlags is None else int(stateFlags)
        if target.isValid():
            self._inputs[target.index()] = self._inputs.get(target.index(), 0) | flags
            target.mergeSensingMode(flags)

    def enableOutput(self, link: Link, stateFlags: int | None = None) -> None:
        """Let commands of a link be copied out; flags set its actuation mode."""
        if stateFlags is not None:
            link.setActuationMode(stateFlags)
            if not stateFlags:
                return
        if link.isValid():
            self._outputs.add(link.index())

    def setLinkInput(self, link: Link, stateFlags: int) -> None:
        """Do as `enableInput` (old name)."""
        self.enableInput(link, stateFlags)

    def setLinkOutput(self, link: Link, stateFlags: int) -> None:
        """Do as `enableOutput` (old name)."""
        self.enableOutput(link, stateFlags)

    def setJointInput(self, stateFlags: int) -> None:
        """Enable input of all joints (old name)."""
        for joint in self._body.joints():
            self.enableInput(joint, stateFlags)

    def setJointOutput(self, stateFlags: int) -> None:
        """Enable output of all joints (old name)."""
        for joint in self._body.joints():
            self.enableOutput(joint, stateFlags)

    # ------------------------------------------------------------------ tables

    def find_rows(self) -> bool:
        """Find links and joints in the simulation; False = the body, or a link of it, is there no more."""
        first = 0
        for body in self._sim.scene.bodies:
            if body.name == self._source:
                if [link.name for link in body.links] != [
                    link.name() for link in self._body.links()
                ]:
                    return False
                self._rows = [first + k for k in range(len(body.links))]
                self._axes = [
                    self._sim.axis_row(row, 0) if link.hasActualJoint() else -1
                    for row, link in zip(self._rows, self._body.links(), strict=True)
                ]
                if self._tables is not None:
                    self.fix_modes()
                return True
            first += len(body.links)
        return False

    def fix_modes(self) -> None:
        """Take the actuation modes as they are after `initialize`; later changes have no effect.

        Raises:
            ActuationError: A joint without motor, or an unknown mode, was asked for.
        """
        tables = self._tables = _Tables([], [], [], [], [], None)
        for index in sorted(self._outputs):
            link = self._body.links()[index]
            mode = link.actuationMode()
            if mode & ~_KNOWN_MODES:
                self._say(
                    f'{names_of(mode & ~_KNOWN_MODES)} of "{link.name()}" is not commanded here'
                )
            if mode & _JOINT_MODES:
                self._add_joint(tables, link, mode)
            if mode & LinkStates.LinkExtWrench:
                tables.wrenches.append(link)
            if mode & LinkStates.LinkPosition:
                if not link.isRoot():
                    self._say(
                        f'the pose of "{link.name()}", which is not the root, is not commanded'
                    )
                    continue
                tables.root = link
        if tables.root is not None:
            self._free_root(tables.root)

    def _add_joint(self, tables: _Tables, link: Link, mode: int) -> None:
        if link.isFixedJoint() and link.jointType() != Link.PseudoContinuousTrackJoint:
            self._say(f'the joint of "{link.name()}" does not move and is not commanded')
            return
        row = None if link.isFreeJoint() else self._sim.axis_row(self._rows[link.index()], 0)
        if row is None or self._sim.axis_model(row).motor is None:
            raise ActuationError(
                f'{self._name}: the joint of "{link.name()}" cannot be commanded: it has no joint id'
            )
        surface = LinkStates.JointVelocity | LinkStates.DeprecatedJointSurfaceVelocity
        if link.jointType() == Link.PseudoContinuousTrackJoint and mode & surface:
            tables.surfaces.append((link, row))
        elif mode & LinkStates.JointDisplacement:
            tables.positions.append((link, row))
        elif mode & surface:
            tables.velocities.append((link, row))
        else:
            tables.efforts.append((link, row))

    def _free_root(self, root: Link) -> None:
        """Let a root that forces move be moved by this controller alone."""
        if self._sim.link_model(self._rows[root.index()]).motion is Motion.KINEMATIC:
            return
        bodies = tuple(
            with_root_fixed(body, True) if body.name == self._source else body
            for body in self._sim.scene.bodies
        )
        self._sim.replace_scene(replace(self._sim.scene, bodies=bodies))

    def _say(self, text: str) -> None:
        self.os().write(f"{self._name}: {text}\n")

    # ------------------------------------------------------------------ copies

    def copy_in(self) -> None:
        """Copy what was enabled as input into the io body."""
        sim, links = self._sim, self._body.links()
        states: list[list[float]] = sim.joint_states().tolist()
        speeds = np.array([state[1] for state in states])
        flags = 0
        for index in self._inputs:
            flags |= self._inputs[index]
        of_links = LinkStates.LinkTwist | LinkStates.LinkAcceleration | LinkStates.LinkContactState
        moved = sim.velocities() if flags & of_links else np.zeros((0, 6))
        last_speeds, last_moved = self._last or (speeds, moved)
        for index, wanted in self._inputs.items():
            link, row = links[index], self._rows[index]
            axis = self._axes[index]
            if axis >= 0:
                if wanted & LinkStates.JointDisplacement:
                    link.q = states[axis][0]
                if wanted & LinkStates.JointVelocity:
                    link.dq = states[axis][1]
                if wanted & LinkStates.JointAcceleration:
                    link.ddq = float(speeds[axis] - last_speeds[axis]) / sim.time_step
                if wanted & LinkStates.JointEffort:
                    link.u = self._effort(axis)
            if wanted & LinkStates.LinkPosition:
                self._take_pose(link)
            if wanted & LinkStates.LinkTwist:
                link.v, link.w = moved[row, :3], moved[row, 3:]
            if wanted & LinkStates.LinkAcceleration:
                change = (moved[row] - last_moved[row]) / sim.time_step
                link.dv, link.dw = change[:3], change[3:]
            if wanted & LinkStates.LinkExtWrench:
                link.F_ext = np.zeros(6)
        if flags & LinkStates.LinkContactState:
            self._take_contacts(moved)
        self._last = (speeds, moved)
        for index in self._devices:
            device = self._body.device(index)
            device.take(self._handle(device))

    def _effort(self, axis: int) -> float:
        """Return the effort that is commanded; joints that are told where to be have none."""
        tables = self._tables
        is_pushed = tables is not None and any(row == axis for _, row in tables.efforts)
        return float(self._sim.motor_axes[axis]["target_effort"]) if is_pushed else 0.0

    def _take_pose(self, link: Link) -> None:
        x, y, z, *turn = self._sim.pose(self._rows[link.index()]).tolist()
        link.p, link.R = (x, y, z), rotFromQuaternion(*turn)

    def _take_contacts(self, moved: Floats) -> None:
        found = self._sim.contacts() if self._sim.step_count else None
        links = self._body.links()
        for index, wanted in self._inputs.items():
            if not wanted & LinkStates.LinkContactState:
                continue
            points = links[index].contactPoints()
            points.clear()
            if found is None:
                continue
            for side, sign in ((0, -1.0), (1, 1.0)):
                for k in np.flatnonzero(found.link[:, side] == self._rows[index]).tolist():
                    point = found.position[k]
                    here = self._speed_at(self._rows[index], point, moved)
                    there = self._speed_at(int(found.link[k, 1 - side]), point, moved)
                    points.append(
                        ContactPoint(
                            point,
                            sign * found.normal[k],
                            sign * found.force[k],
                            here - there,
                            float(found.depth[k]),
                        )
                    )

    def _speed_at(self, row: int, point: Floats, moved: Floats) -> Floats:
        if row < 0:
            return np.zeros(3)
        return moved[row, :3] + np.cross(moved[row, 3:], point - self._sim.pose(row)[:3])

    def _handle(self, device: Device) -> Any:
        return self._sim.device(
            f"{self._sim.link_names[self._rows[device.link().index()]]}/{device.name()}"
        )

    def copy_out(self) -> None:
        """Copy what was enabled as output to the simulation."""
        tables, motors = self._tables, self._sim.motors
        assert tables is not None
        for kind, pairs in (
            ("q_target", tables.positions),
            ("dq_target", tables.velocities),
            ("dq_target", tables.surfaces),
            ("u", tables.efforts),
        ):
            for link, _ in pairs:
                if not math.isfinite(getattr(link, kind)):
                    raise ActuationError(
                        f'{self._name}: {kind} of "{link.name()}" is {getattr(link, kind)}'
                    )
        motors.prescribe(
            [row for _, row in tables.positions], [link.q_target for link, _ in tables.positions]
        )
        motors.prescribe_velocities(
            [row for _, row in tables.velocities], [link.dq_target for link, _ in tables.velocities]
        )
        for link, row in tables.surfaces:
            motors.turn(row, link.dq_target)
        for link, row in tables.efforts:
            motors.push(row, link.u)
        for link in tables.wrenches:
            handle = self._sim.link(self._sim.link_names[self._rows[link.index()]])
            handle.add_force(link.f_ext, at=(0.0, 0.0, 0.0))
            handle.add_torque(link.tau_ext)
        if tables.root is not None:
            self._lead(tables.root)
        for device in self._body.devices():
            if device.has_changed:
                device.has_changed = False
                device.give(self._handle(device))

    def _lead(self, root: Link) -> None:
        """Give the root the velocity that brings it to its pose in the next step."""
        row, h = self._rows[root.index()], self._sim.time_step
        x, y, z, *turn = self._sim.pose(row).tolist()
        way = root.R @ rotFromQuaternion(*turn).T
        skew = 0.5 * np.array([way[2, 1] - way[1, 2], way[0, 2] - way[2, 0], way[1, 0] - way[0, 1]])
        sine = float(np.linalg.norm(skew))
        angle = math.atan2(sine, 0.5 * (float(np.trace(way)) - 1.0))
        spin = skew * (angle / sine) if sine > 0.0 else np.zeros(3)
        handle = self._sim.link(self._sim.link_names[row])
        handle.set_velocity((root.p - (x, y, z)) / h, spin / h)


def _needed(link: Link) -> int:
    """Return the states that the actuation mode of a link needs."""
    mode, flags = link.actuationMode(), 0
    driven = LinkStates.JointEffort | LinkStates.JointDisplacement | LinkStates.JointVelocity
    if mode & driven and link.jointType() != Link.PseudoContinuousTrackJoint:
        flags |= LinkStates.JointDisplacement
    if mode & LinkStates.LinkExtWrench:
        flags |= LinkStates.LinkPosition
    return flags


def split_options(text: str) -> list[str]:
    r"""Return the words between blanks; `"a b"` is one word, and so is `a\ b`."""
    words, word, is_quoted, at = [], "", False, 0
    while at < len(text):
        sign = text[at]
        if sign == "\\" and at + 1 < len(text):
            at += 1
            word += text[at]
        elif sign == '"':
            is_quoted = not is_quoted
        elif sign == " " and not is_quoted:
            words.append(word)
            word = ""
        else:
            word += sign
        at += 1
    return [word for word in (*words, word) if word]
