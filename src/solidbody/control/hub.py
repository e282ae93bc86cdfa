"""The hub: keeps all controllers of a simulation in step with it (docs/behaviour, W10.2).

The simulation advances only when every synchronous controller waits for it. Controllers are heard
in the order of their robots, so that the same programs always give the same run.
"""

from __future__ import annotations

import contextlib
import math
import os
import shutil
import tempfile
import time
import weakref
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from solidbody.base.errors import NameLookupError, SimulationEnd, SimulationPaused, SimulationWaits
from solidbody.base.webots_home import webots_home
from solidbody.control import protocol as p
from solidbody.control.client import solidbody_protocol as codec
from solidbody.control.client import solidbody_wire as wire
from solidbody.control.client.solidbody_mailbox import make_mailbox
from solidbody.control.console import Console, SayListener
from solidbody.control.device_tags import found_again, robots_of
from solidbody.control.handshakes import Handshakes
from solidbody.control.process import ControllerProcess, OutputListener
from solidbody.control.process_registry import ProcessRegistry
from solidbody.control.programs import (
    NO_PROGRAM,
    ProgramError,
    controller_folders,
    find_program,
)
from solidbody.control.robot_slots import RobotSlot, free_slot
from solidbody.control.session import WAIT, Session
from solidbody.control.supervisor.stage import Stage
from solidbody.control.user_input import JoystickInput, MouseInput, UserInput, WindowListener

if TYPE_CHECKING:
    from solidbody.compiler.differences import Difference
    from solidbody.sim import Sim

PAUSE: Final = 0
FAST: Final = 2
"""Modes of a run, as supervisors number them."""

POLL: Final = 0.05
"""[s] How often a waiting hub looks for new controllers and dead ones."""

PATIENCE: Final = 1.0
"""[s] Wall time that a controller has to end after it was told to."""

LAST_WORDS: Final = 0.25
"""[s] Wall time beyond its due in which a controller that has ended is still heard."""

SLOW: Final = 10.0
"""[s] Wall time after which a controller that computes is named, once."""

PAUSED_FOR_GOOD: Final = (
    "a supervisor has paused the simulation, and nobody could resume it: the run ends here"
)


@dataclass(frozen=True, slots=True)
class ControllerOptions:
    """How controllers are started.

    Attributes:
        python: Interpreter for Python programs, or the folder of a virtual environment; None = the one of
            the environment that is active, or the one that runs the simulator.
        port: Number by which controllers that are started by hand find the simulator.
        start: Whether programs named in the world are started at all.
        folders: More `controllers` folders, searched after the project's own.
        ends_at_pause: Whether a supervisor that pauses the simulation ends it: where nobody could resume it.
    """

    python: str | None = None
    port: int = wire.DEFAULT_PORT
    start: bool = True
    folders: tuple[str, ...] = ()
    ends_at_pause: bool = False


class ControllerHub:
    """Runs the controllers of a simulation. Call `start`, and `close` at the end."""

    def __init__(
        self,
        sim: Sim,
        *,
        options: ControllerOptions | None = None,
        output: OutputListener | None = None,
        say: SayListener | None = None,
    ) -> None:
        self.sim = sim
        self.options = options or ControllerOptions()
        self.mode = FAST
        self.slots = [RobotSlot(place) for place in robots_of(sim)]
        self.console = Console(output, say)
        self.say = self.console.say
        self._users: dict[str, UserInput] = {}
        self.window_listeners: list[WindowListener] = []
        self.stage = Stage(self)
        self.selected_path: str | None = None
        """The node that the user has selected, as a path in the world's file."""
        self.patience: float | None = None
        """[s] Wall time that a step waits for controllers before it is given up (`SimulationWaits`), so that
        the caller can do something else and try it again; None = for ever."""
        self._give_up = math.inf
        self.quit_status: int | None = None
        self.failures: list[str] = []
        self.folder = tempfile.mkdtemp(prefix="solidbody-")
        self._sweep = weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)
        self._handshakes = Handshakes(self.folder, self._seat)
        self.address, self.secret = self._handshakes.address, self._handshakes.secret
        self._processes = ProcessRegistry(self.secret, self.folder)
        self._published: str | None = None
        self._last_poll = 0.0
        self.is_closed = False

    # ------------------------------------------------------------------ start and end

    def start(self) -> None:
        """Start the programs that the robots name, and go along with the simulation from now on."""
        self.sim.attach(self)
        if any(slot.is_extern for slot in self.slots):
            self._publish()
        if not self.options.start:
            return
        for slot in self.slots:
            self._start(slot)

    def _publish(self) -> None:
        port = self.options.port
        while port < self.options.port + 100 and wire.is_alive(port):
            port += 1
        self._published = wire.publish(port, self.address, self.secret)
        self._processes.published(self._published)
        names = ", ".join(f'"{slot.place.name}"' for slot in self.slots if slot.is_extern)
        self.say("info", f"waiting for extern controllers of {names} (port {port})")

    def _start(self, slot: RobotSlot) -> None:
        if slot.is_ours:
            return
        robot = slot.place.robot
        if not robot.controller:
            self.say("info", f'"{robot.name}" is not driven: its controller has not been set')
        if robot.controller in NO_PROGRAM or slot.is_extern:
            return
        folders = controller_folders(
            self.sim.scene.source, robot.span.file, tuple(map(Path, self.options.folders))
        )
        home = webots_home(self.sim.scene.source)
        try:
            program = find_program(
                robot.controller, robot.controller_args, folders, self.options.python, home
            )
            if program.remark:
                self.say("warning", program.remark)
            slot.process = ControllerProcess(
                robot.name, program, self.address, self.secret, self.console.output
            )
            self._processes.begun(slot.process.pid)
        except (ProgramError, OSError) as error:
            # the original goes on with a generic controller, which drives nothing
            self._fail(slot, f'"{robot.name}" is not driven: {error}')

    def _fail(self, slot: RobotSlot, text: str) -> None:
        slot.failure = text
        self.failures.append(text)
        self.say("error", text)

    def restart(self, slot: RobotSlot) -> None:
        """End a robot's controller and start it again."""
        self._drop(slot, patience=PATIENCE)
        slot.failure = None
        self._start(slot)

    def restart_all(self) -> None:
        """End the controllers that were started here, and start them again."""
        for slot in self.slots:
            if self.options.start and not slot.is_extern:
                self.restart(slot)

    def restart_named(self, names: Iterable[str]) -> None:
        """End and start the controllers of all robots with some names."""
        wanted = set(names)
        for slot in self.slots:
            if slot.place.name in wanted and self.options.start and not slot.is_extern:
                self.restart(slot)

    def restart_robot(self, link: int, name: str) -> None:
        """End and start the controller of the robot on a link; `name` tells several apart."""
        slots = [slot for slot in self.slots if slot.place.link == link]
        for slot in slots:
            if len(slots) == 1 or slot.place.name == name:
                self.restart(slot)

    def start_over(self) -> None:
        """End all controllers and start those of the present scene."""
        for slot in self.slots:
            self._drop(slot, patience=PATIENCE)
        self.slots = [RobotSlot(place) for place in robots_of(self.sim)]
        if self.options.start:
            for slot in self.slots:
                self._start(slot)

    def close(self) -> None:
        """Tell all controllers to end, then end them; remove everything that was made for them."""
        if self.is_closed:
            return
        self.is_closed = True
        if self in self.sim.step_hooks:
            self.sim.detach(self)
        deadline = time.monotonic() + PATIENCE
        for slot in self.slots:
            self._tell_end(slot)
        for slot in self.slots:
            self._hear_out(slot, deadline)
        for slot in self.slots:
            if slot.process is not None:
                slot.process.end(max(deadline - time.monotonic(), 0.0), whole=True)
            self._forget(slot)
        self._processes.close()
        self._handshakes.close()
        if self._published is not None:
            with contextlib.suppress(OSError):
                os.unlink(self._published)
        self._sweep()

    def _tell_end(self, slot: RobotSlot) -> None:
        """Answer a controller that waits: it is over."""
        session = slot.session
        if slot.connection is not None and session is not None and session.due is not None:
            session.due = None
            with contextlib.suppress(wire.Closed):
                slot.connection.post(session.end())

    def _hear_out(self, slot: RobotSlot, deadline: float) -> None:
        """Let a controller finish what it computes, and tell it at its next step that it is over."""
        with contextlib.suppress(wire.Closed):
            while slot.connection is not None and slot.session is not None:
                left = deadline - time.monotonic()
                if left < -LAST_WORDS:  # it talks and talks
                    return
                frame = slot.connection.receive(max(left, 0.001))
                if frame is None:
                    if left > 0.0:
                        continue
                    return
                self._handle(slot, frame)
                self._tell_end(slot)

    def _drop(self, slot: RobotSlot, patience: float) -> None:
        self._tell_end(slot)
        self._hear_out(slot, time.monotonic() + patience)
        if slot.process is not None:
            slot.process.end(patience, whole=True)
            self._processes.ended(slot.process.pid)
            slot.process = None
        self._forget(slot)

    def _forget(self, slot: RobotSlot) -> None:
        if slot.connection is not None:
            slot.connection.close()
        if slot.session is not None:
            slot.left_data = slot.session.custom_data
            slot.session.close()
        slot.connection = slot.session = slot.waiting_since = None

    # ------------------------------------------------------------------ in step with the simulation

    def steps_until_due(self) -> int | None:
        """Return how many steps the controllers allow; None = any number."""
        now = self.sim.step_count
        dues = [
            slot.session.due - now
            for slot in self.slots
            if slot.session is not None and slot.session.due is not None
        ]
        return max(min(dues), 1) if dues else None

    def before_steps(self) -> None:
        """Wait until every synchronous controller waits for the simulation."""
        self._accept_sometimes()
        if self.patience is not None:
            self._give_up = time.monotonic() + self.patience
        for slot in self.slots:
            self._hear(slot)
        if self.mode == PAUSE and self.options.ends_at_pause:
            self._wait_out_pause()
        if self.quit_status is not None:
            raise SimulationEnd(self.quit_status)

    def _wait_out_pause(self) -> None:
        """Let controllers resume that do not wait for the simulation; end it if there are none."""
        while self.mode == PAUSE and self.quit_status is None:
            free = [s for s in self.slots if s.connection and not s.place.robot.is_synchronous]
            if not free:
                self.say("warning", PAUSED_FOR_GOOD)
                raise SimulationPaused
            time.sleep(POLL)
            for slot in free:
                self._hear(slot)

    def after_steps(self) -> None:
        """Answer the controllers whose step is over."""
        now = self.sim.step_count
        for slot in self.slots:
            session = slot.session
            if session is None or session.due is None or session.due > now or slot.is_ours:
                continue
            self._reply(slot, session.answer())

    def reset(self) -> None:
        """The simulation went back to its start."""
        for slot in self.slots:
            if slot.session is not None:
                slot.session.reset()

    def rebind(self, change: Difference | None = None) -> None:
        """The scene has changed: robots and devices are found again, only those that are different."""
        if change is not None and not change.robots and not change.looks:
            for slot in self.slots:
                if slot.session is not None and change.devices:
                    slot.session.renew()
            return
        homes, new = found_again([slot.place for slot in self.slots], robots_of(self.sim))
        pairs = list(zip(self.slots, homes, strict=True))
        for slot, place in pairs:
            if place is None:
                self._drop(slot, patience=PATIENCE)
                continue
            slot.place = place
            if slot.session is not None:
                slot.session.place = place
                slot.session.bind()
        self.slots = [slot for slot, place in pairs if place is not None]
        for place in new:
            self._admit(RobotSlot(place))

    def _admit(self, slot: RobotSlot) -> None:
        """Give a robot that is new its controller."""
        self.slots.append(slot)
        if slot.is_extern and self._published is None:
            self._publish()
        if self.options.start:
            self._start(slot)

    def _hear(self, slot: RobotSlot, *, waits: bool = True) -> None:
        """Let a controller speak until it waits (a synchronous one, if we do) or has nothing more to say."""
        if not slot.is_expected and slot.connection is None:
            return
        is_patient = waits and slot.place.robot.is_synchronous and slot.failure is None
        began = 0.0 if is_patient else time.monotonic()
        has_heard = False
        while not slot.is_ready and self.quit_status is None:
            if has_heard and is_patient:
                self._wait_for(slot)
            elif has_heard and time.monotonic() - began > POLL:
                return  # it talks and talks: the others have their turn
            has_heard = False
            if slot.connection is None:
                if not is_patient or not self._await_connection(slot):
                    return
                continue
            try:
                frame = slot.connection.receive(POLL if is_patient else 0.0)
            except wire.Closed as reason:
                self._lost(slot, reason)
                return
            if frame is None:
                if not is_patient:
                    return
                if slot.process is not None and slot.process.status is not None:
                    self._hear_out(slot, time.monotonic())  # its last words may have just arrived
                    self._lost(slot)
                    return
            elif not self._handle(slot, frame):
                return
            has_heard = True
        slot.waiting_since = None

    def _handle(self, slot: RobotSlot, frame: bytes) -> bool:
        """Do what a controller says, and answer; return whether it is still there."""
        assert slot.session is not None
        try:
            answer = slot.session.handle(frame)
        except codec.ProtocolError as error:
            self._lost(slot, wire.Refused(f"a message is broken: {error}"))
            return False
        if slot.session is None:  # it has ended itself
            return False
        if answer is WAIT:
            return slot.session.is_ready() or self._reply(slot, slot.session.answer())
        return answer is None or self._reply(slot, answer)

    def _reply(self, slot: RobotSlot, answer: bytes) -> bool:
        """Answer a controller; return whether it is still there."""
        assert slot.connection is not None
        try:
            slot.connection.post(answer)
        except wire.Closed as reason:
            self._lost(slot, reason)
            return False
        return True

    def _await_connection(self, slot: RobotSlot) -> bool:
        """Wait a little for a controller to connect; False = it will not."""
        self._handshakes.let_in()
        for other in self.slots:  # one of them may be about to start the one that is awaited
            if other is not slot and other.connection is not None:
                self._hear(other, waits=False)
        if slot.connection is not None:
            return True
        if slot.process is not None and slot.process.status is not None:
            self._lost(slot)
            return False
        self._wait_for(slot)
        time.sleep(POLL / 10)
        return True

    def _wait_for(self, slot: RobotSlot) -> None:
        """A controller is not ready: name one that is slow, give up if there is no more patience."""
        now = time.monotonic()
        if slot.waiting_since is None:
            slot.waiting_since = now
        is_awaited = slot.is_extern and slot.connection is None
        if now - slot.waiting_since > SLOW and not slot.was_slow and not is_awaited:
            slot.was_slow = True
            self.say(
                "warning",
                f'the controller of "{slot.place.name}" has not asked for a step for {SLOW:g} s;'
                " the simulation waits for it",
            )
        if now > self._give_up:
            raise SimulationWaits(f'the simulation waits for the controller of "{slot.place.name}"')

    def _lost(self, slot: RobotSlot, reason: wire.Closed | None = None) -> None:
        """A controller has gone, or was sent away: say how, and go on without it."""
        process, name = slot.process, slot.place.name
        if process is None and slot.connection is None:
            return  # that was said
        slot.process = None
        if isinstance(reason, wire.Refused) and slot.connection is not None:
            with contextlib.suppress(wire.Closed):
                slot.connection.post(codec.Refusal.pack(f"{reason}"))
        self._forget(slot)
        who = "extern controller" if process is None else "controller"
        if isinstance(reason, wire.Refused):
            self.say("warning", f'the {who} of "{name}" is sent away: {reason}')
        elif process is None:
            more = "; the simulation waits for the next one" * slot.place.robot.is_synchronous
            self.say("info", f'the extern controller of "{name}" has left{more}')
        if process is None:
            return
        process.end(PATIENCE, whole=False)
        self._processes.ended(process.pid)
        status = process.status
        if status == 0:
            self.say("info", f'the controller of "{name}" has ended')
            return
        how = (
            f"was killed by signal {-status}" if status and status < 0 else f"exited with {status}"
        )
        tail = "".join(f"\n    {line}" for line in list(process.last_lines)[-8:])
        self._fail(slot, f'the controller of "{name}" {how}{tail}')

    # ------------------------------------------------------------------ new controllers

    def _accept_sometimes(self) -> None:
        now = time.monotonic()
        if now - self._last_poll >= POLL:
            self._last_poll = now
            self._handshakes.let_in()

    def _seat(self, connection: wire.Connection, name: str, pid: int) -> None:
        """Give a new connection its robot, or say why not."""
        slot, problem = free_slot(self.slots, name, pid)
        if slot is None:
            connection.post(codec.Refusal.pack(problem))
            connection.close()
            return
        session = Session(self, slot.place)
        if slot.left_data is not None:
            session.custom_data = slot.left_data
        mailbox = make_mailbox()
        try:
            connection.post(session.introduce("" if mailbox is None else mailbox.path))
        except wire.Closed:
            session.close()
            if mailbox is not None:
                mailbox.close()
            raise
        if mailbox is not None:
            connection.use_mailbox(mailbox, asks=False)
        slot.connection, slot.session, slot.failure = connection, session, None

    # ------------------------------------------------------------------ what requests use

    def quit(self, status: int) -> None:
        """End the simulation before its next step."""
        self.quit_status = status

    def delay_of(self, session: Session) -> int:
        """Return what `step` returns: 0, or the delay of an asynchronous controller [ms]."""
        return session.delay

    def news_for(self, session: Session) -> list[p.News]:
        """Return events for a robot: keys, mouse, messages of its window."""
        user = self._users.get(session.place.name)
        told, session.news = session.news, []
        return told if user is None else told + session.inputs.news(user, self.sim.step_count)

    # ------------------------------------------------------------------ what users do

    def user_of(self, robot: str) -> UserInput:
        """Return what users do with a robot."""
        if all(slot.place.name != robot for slot in self.slots):
            raise NameLookupError("robot", robot, [slot.place.name for slot in self.slots])
        return self._users.setdefault(robot, UserInput())

    def select_node(self, path: str | None) -> None:
        """The user has selected a node (a path in the world's file), or none (`Supervisor.getSelected`)."""
        self.selected_path = path

    def press_keys(self, robot: str | None, keys: Iterable[int]) -> None:
        """Hold down keys (Webots' codes) for a robot, or for all of them; none = let go."""
        held = tuple(keys)
        for user in self._users_of(robot):
            user.press(held)

    def move_mouse(self, robot: str | None, state: MouseInput) -> None:
        """Tell a robot, or all of them, where the mouse is."""
        for user in self._users_of(robot):
            user.move_mouse(state)

    def move_joystick(self, robot: str | None, state: JoystickInput) -> None:
        """Tell a robot, or all of them, how the joystick stands."""
        for user in self._users_of(robot):
            user.move_joystick(state)

    def _users_of(self, robot: str | None) -> list[UserInput]:
        names = [slot.place.name for slot in self.slots] if robot is None else [robot]
        return [self.user_of(name) for name in names]

    def send_window_text(self, robot: str, text: str) -> None:
        """Let a robot's window say something to it (`wwiReceiveText`)."""
        self.user_of(robot).texts.append(text)

    def listen_to_output(self, output: OutputListener, say: SayListener) -> None:
        """Hear what controllers print and what the hub says of them, the last lines so far included."""
        self.console.listen(output, say)

    def listen_to_windows(self, listener: WindowListener) -> None:
        """Hear what robots send to their windows (`wwiSendText`)."""
        self.window_listeners.append(listener)
