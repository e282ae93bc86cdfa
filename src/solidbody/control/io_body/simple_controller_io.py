"""What a controller in the manner of Choreonoid's SimpleController is given, and the copies that it asks for.

Before `control`, what was enabled as input goes from the simulation into the io body; what was enabled as
output goes back from it, by the actuation mode of each link, after the step or at once (C17.2).
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, Final, TextIO, TypeVar

import numpy as np

from solidbody.base.errors import SolidbodyError
from solidbody.control.body_copies.copies import (
    BodyCopies,
    Enabled,
    OrderError,
    free_led_roots,
    give_motors,
)
from solidbody.control.body_copies.device_slots import device_slots
from solidbody.control.body_copies.link_facts import joint_links
from solidbody.control.body_copies.link_states import LinkStates
from solidbody.control.body_copies.sections import Sections
from solidbody.control.io_body.body import Body
from solidbody.control.io_body.devices import Device
from solidbody.control.io_body.link import ContactPoint, Link
from solidbody.control.io_body.rotations import (
    Floats,
    quaternionFromRot,
    rotFromQuaternion,
)
from solidbody.control.protocol import bodies as p
from solidbody.model import links as model
from solidbody.sim import Sim

T = TypeVar("T")


class ActuationError(SolidbodyError):
    """A controller asks for an output that its body has not; the text says which."""


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
        joints = joint_links(source)
        self._slots = device_slots(source)
        self._sections = Sections(len(source.links), len(joints), len(self._slots))
        self._joints = {link: slot for slot, link in enumerate(joints)}
        self._sensors = self._body.slotted_devices(self._slots)
        self._heard = np.zeros(len(self._slots))
        self._copies: BodyCopies | None = None
        first, _ = _rows(sim, source.name)
        for link, pose in zip(self._body.links(), sim.poses()[first:], strict=False):
            _place(link, pose)

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

    # ------------------------------------------------------------------ copies

    def find_rows(self) -> bool:
        """Find the body in a changed scene; False = it, or a link of it, is there no more."""
        _, names = _rows(self._sim, self._source)
        if names != [link.name() for link in self._body.links()]:
            return False
        if self._copies is not None:
            self._bind()
        return True

    def fix_modes(self) -> None:
        """Take the actuation modes as they are after `initialize`; later changes have no effect.

        Raises:
            ActuationError: A joint without motor was asked for.
        """
        free_led_roots(self._sim, self._source, self._output_modes())
        give_motors(self._sim, self._source, self._output_modes())
        copies = self._bind()
        for text in copies.complaints:
            self.os().write(f"{self._name}: {text}\n")
        for name in copies.without_motor:
            raise ActuationError(
                f'{self._name}: the joint of "{name}" cannot be commanded: it cannot have a motor'
            )

    def _output_modes(self) -> list[int]:
        links = self._body.links()
        return [link.actuationMode() if link.index() in self._outputs else 0 for link in links]

    def _bind(self) -> BodyCopies:
        inputs = [self._inputs.get(link.index(), 0) for link in self._body.links()]
        senses = [int(device.index() in self._devices) for device in self._sensors]
        enabled = Enabled(inputs, self._output_modes(), senses)
        copies = self._copies = BodyCopies(
            self._sim, self._source, self._slots, self._sections, enabled, self._show
        )
        return copies

    def _show(self, slot: int, shot: Any) -> None:
        """A device has a new picture."""
        self._sensors[slot].show(shot)

    def copy_in(self) -> None:
        """Copy what was enabled as input into the io body."""
        assert self._copies is not None
        self._copies.read()
        sections, links = self._sections, self._body.links()
        q, dq, ddq, u = (sections[name].tolist() for name in ("q", "dq", "ddq", "u"))
        flags = 0
        for index, wanted in self._inputs.items():
            flags |= wanted
            link, joint = links[index], self._joints.get(index, -1)
            if joint >= 0:
                if wanted & LinkStates.JointDisplacement:
                    link.q = q[joint]
                if wanted & LinkStates.JointVelocity:
                    link.dq = dq[joint]
                if wanted & LinkStates.JointAcceleration:
                    link.ddq = ddq[joint]
                if wanted & LinkStates.JointEffort:
                    link.u = u[joint]
            if wanted > _OF_JOINTS:
                self._take_link(link, wanted)
        if flags & LinkStates.LinkContactState:
            self._take_contacts()
        self._take_devices()

    def _take_link(self, link: Link, wanted: int) -> None:
        sections, index = self._sections, link.index()
        if wanted & LinkStates.LinkPosition:
            _place(link, sections.rows("pose", 7)[index])
        if wanted & LinkStates.LinkTwist:
            twist = sections.rows("twist", 6)[index]
            link.v, link.w = twist[:3], twist[3:]
        if wanted & LinkStates.LinkAcceleration:
            change = sections.rows("acceleration", 6)[index]
            link.dv, link.dw = change[:3], change[3:]
        if wanted & LinkStates.LinkExtWrench:
            link.F_ext = sections.rows("wrench", 6)[index]

    def _take_contacts(self) -> None:
        wanted = [
            index for index, flags in self._inputs.items() if flags & LinkStates.LinkContactState
        ]
        links, section = self._body.links(), self._sections["contacts"]
        for index in wanted:
            links[index].contactPoints().clear()
        rows = section[1:].reshape(-1, p.CONTACT_WIDTH)[: int(section[0])].copy()
        for row in rows:
            if row[0] in wanted:
                point = ContactPoint(row[1:4], row[4:7], row[7:10], row[10:13], float(row[13]))
                links[int(row[0])].contactPoints().append(point)

    def _take_devices(self) -> None:
        changes = self._sections["device_changes"]
        states = self._sections.rows("device_state", p.DEVICE_WIDTH)
        for slot in np.flatnonzero(changes != self._heard).tolist():
            self._heard[slot] = changes[slot]
            self._sensors[slot].read_state(states[slot])

    def copy_out(self) -> None:
        """Copy what was enabled as output to the simulation."""
        assert self._copies is not None
        sections, links = self._sections, self._body.links()
        for index in self._outputs:
            link, joint = links[index], self._joints.get(index, -1)
            if joint >= 0:
                sections["q_target"][joint] = link.q_target
                sections["dq_target"][joint] = link.dq_target
                sections["u_out"][joint] = link.u
            mode = link.actuationMode()
            if mode & LinkStates.LinkPosition:
                sections.rows("pose_out", 7)[index] = (*link.p, *quaternionFromRot(link.R))
            if mode & LinkStates.LinkExtWrench:
                sections.rows("wrench_out", 6)[index] = link.F_ext
        for slot, device in enumerate(self._sensors):
            if device.has_changed:
                device.has_changed = False
                device.write_state(sections.rows("device_state_out", p.DEVICE_WIDTH)[slot])
                sections["device_changes_out"][slot] += 1.0
        try:
            self._copies.write()
        except OrderError as error:
            raise ActuationError(f"{self._name}: {error}") from error


_OF_JOINTS: Final = 15
"""All states of joints."""


def _rows(sim: Sim, name: str) -> tuple[int, list[str]]:
    """Return the row of a body's first link, and the names of its links."""
    first = 0
    for body in sim.scene.bodies:
        if body.name == name:
            return first, [link.name for link in body.links]
        first += len(body.links)
    return first, []


def _place(link: Link, pose: Floats) -> None:
    x, y, z, *turn = pose.tolist()
    link.p, link.R = (x, y, z), rotFromQuaternion(*turn)


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
