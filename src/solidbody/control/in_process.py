"""Runs controllers inside the simulator's own process: the same API and results, no socket."""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from solidbody.base.errors import SimulationEnd, SolidbodyError
from solidbody.control.client import solidbody_protocol as codec
from solidbody.control.client import solidbody_turns as turns
from solidbody.control.client import solidbody_wire as wire
from solidbody.control.hub import ControllerHub
from solidbody.control.programs import CLIENT
from solidbody.control.robot_slots import RobotSlot
from solidbody.control.session import WAIT, Session

if TYPE_CHECKING:
    from solidbody.sim import Sim


class InProcessLink:
    """Takes the place of the connection: a step of the controller steps the simulation.

    Messages are packed and read as on a wire, so that programs get the same results and the same errors.
    """

    def __init__(self, hub: ControllerHub, session: Session, until: float | None) -> None:
        self._hub, self._session, self._until = hub, session, until
        session.is_local = True
        self._begun: list[bytes] = []
        self.say_farewell: Callable[[], None] = lambda: None
        """What the controller does when its program ends."""

    def introduce(self) -> bytes:
        """Return what a controller is told when it connects."""
        return self._session.introduce()

    def exchange(self, said: list[bytes]) -> bytes:
        """Send commands and a request; return the answer."""
        answer = self._hear(said)
        if answer is not WAIT:
            return answer
        sim, session = self._hub.sim, self._session
        is_over = self._until is not None and sim.time >= self._until - 1e-9
        if is_over or self._hub.quit_status is not None:
            return session.end()
        while session.is_ready():
            assert session.due is not None
            sim.step(session.due - sim.step_count)
        return session.answer()

    def before_end(self, farewell: Callable[[], None]) -> None:
        """Call something when the program ends."""
        self.say_farewell = farewell

    def leave(self, said: list[bytes]) -> None:
        """Obey the last commands."""
        self._hear(said)

    def _hear(self, said: list[bytes]) -> Any:
        answer = None
        for frame in turns.frames_of(said):
            if len(frame) > wire.LIMIT:
                return codec.Refusal.pack(f"a frame of {len(frame)} bytes is too long")
            answer = self._session.handle(frame)
        return answer

    def begin(self, said: list[bytes]) -> None:
        """Begin a step; here everything happens in `finish`."""
        self._begun = said

    def finish(self) -> bytes:
        """Return the answer to what was begun."""
        return self.exchange(self._begun)

    def image(self, key: Any, memory: str) -> bytes:
        """Return the bytes of an image."""
        return self._session.local_images.get(key, b"")

    def close(self) -> None:
        """Remove what was made for the session."""
        self._session.close()


def run_controller(
    sim: Sim,
    program: Callable[[], Any],
    *,
    robot: str | None = None,
    duration: float | None = None,
    hub: ControllerHub | None = None,
) -> Any:
    """Run a controller in this process: `program` makes a Robot and steps it, as it would by itself.

    Args:
        sim: The simulation.
        program: A function or class without arguments; it may `from controller import Robot`.
        robot: Name of the robot that it drives; None = the only one.
        duration: Simulated time after which `robot.step` returns -1 [s]; None = never.
        hub: The hub of other controllers that run beside it, attached to `sim`.

    Returns:
        What `program` returns; the exit status, if it has ended the simulation.
    """
    own = hub or ControllerHub(sim)
    until = None if duration is None else sim.time + duration
    link = InProcessLink(own, Session(own, slot_of(own, robot).place), until)
    try:
        with connected(link):
            result = program()
            link.say_farewell()
        return result if own.quit_status is None else own.quit_status
    except SimulationEnd as quit_request:
        return quit_request.status
    finally:
        link.close()
        if hub is None:
            own.close()


def slot_of(hub: ControllerHub, robot: str | None) -> RobotSlot:
    """Return the place of the robot of that name, or of the only one. Raises SolidbodyError."""
    slots = [slot for slot in hub.slots if robot is None or slot.place.name == robot]
    if len(slots) != 1:
        names = ", ".join(slot.place.name for slot in hub.slots) or "none"
        raise SolidbodyError(f"say which robot the controller drives; there are: {names}")
    return slots[0]


@contextlib.contextmanager
def connected(link: InProcessLink) -> Iterator[None]:
    """Let a `Robot` that is made while the block lasts have this link."""
    path = str(CLIENT)
    if path not in sys.path:
        sys.path.insert(0, path)
    connection = importlib.import_module("controller.connection")
    connection.use_link(link)
    try:
        yield
    finally:
        connection.use_link(None)
