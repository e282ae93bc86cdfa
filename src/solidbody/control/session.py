"""Session of one connected controller: its enabled sensors, its commands, its answers."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable, Sequence
from pathlib import Path
from types import MethodType
from typing import TYPE_CHECKING, Any, Final

from solidbody.control import protocol as p
from solidbody.control.adapters import ADAPTERS, Adapter
from solidbody.control.adapters.base import WRONG
from solidbody.control.battery import BatterySensor
from solidbody.control.client import solidbody_protocol as codec
from solidbody.control.client import solidbody_turns as turns
from solidbody.control.device_tags import RobotPlace, devices_of
from solidbody.control.packing import packed, packed_answer
from solidbody.control.reports import Reports
from solidbody.control.requests import DEVICE_MESSAGES, answer, obey
from solidbody.control.shared_images import SharedImage, SharedImages
from solidbody.control.supervisor.errors import WRONG_ARGUMENTS
from solidbody.control.user_input import SessionInputs
from solidbody.devices.core.device_binding import BoundDevice
from solidbody.formats.webots.releases.release import FIRST_CONTROLLER_LIBRARY, release_of_file

if TYPE_CHECKING:
    from solidbody.control.hub import ControllerHub


class Handlers(dict[tuple[int, int], Callable[..., str | None] | None]):
    """What carries out orders to devices, by number of message and tag: found when first asked for."""

    def __init__(self, adapters: Sequence[Adapter]) -> None:
        super().__init__()
        self._adapters = adapters

    def __missing__(self, key: tuple[int, int]) -> Callable[..., str | None] | None:
        """Return the handler; None if there is no such device, or it does not know the message."""
        number, tag = key
        if not 0 < tag <= len(self._adapters):
            return None
        adapter = self._adapters[tag - 1]
        found = adapter.handlers.get(number)
        if found is None:
            return None
        self[key] = handler = MethodType(found, adapter)
        return handler


class Session:
    """The simulator's side of one controller; frames are those of `solidbody.control.protocol`."""

    def __init__(self, hub: ControllerHub, place: RobotPlace) -> None:
        self.hub, self.place, self.sim = hub, place, hub.sim
        self.local_images: dict[Any, bytes] = {}
        self._images = SharedImages(hub.folder)
        self.is_local = False
        self.due: int | None = None
        """Step at which the controller wants to go on; None = it is computing."""
        self._asked = 0.0
        self._notes: list[str] = []
        self.custom_data = place.robot.custom_data
        self.delay = 0
        """What `step` returns: by how many milliseconds an asynchronous controller was late."""
        self._answered = hub.sim.step_count
        self.inputs = SessionInputs()
        self.battery = BatterySensor()
        self.news: list[p.News] = []
        """What the controller is told with its next step."""
        self.said: set[str] = set()
        """What the controller was warned of once."""
        self.adapters: list[Adapter] = []
        self._reports: Reports | None = None
        self._turns = turns.TurnReader()
        self._told: dict[int, p.DeviceFacts] = {}
        self._is_bound = False
        self.bind()

    # ------------------------------------------------------------------ the robot

    @property
    def time(self) -> float:
        """Simulated time [s], from whole milliseconds: 3.264, where adding up gives 3.2640000000000002."""
        return self.sim.step_count * self._step_ms / 1000.0

    @property
    def is_synchronous(self) -> bool:
        """Whether the simulation waits for this controller."""
        return self.place.robot.is_synchronous

    def bind(self) -> None:
        """Find the robot's devices in the simulation (again, after the scene has changed)."""
        self._step_ms = self.sim.time_step * 1000.0
        self.forget_reports()
        is_first = not self._is_bound
        self._is_bound = True
        left = devices_of(self.sim, self.place)
        bound: list[tuple[int, BoundDevice]] = []
        for old in self.adapters:  # devices keep their tags, also those after one that has gone
            twin = next((new for new in left if _is_same(new, old.bound)), None)
            if twin is None:
                self.adapters[old.tag - 1] = Adapter(self, old.bound, old.tag)
            else:
                left.remove(twin)
                bound.append((old.tag, twin))
        count = len(self.adapters)
        bound += enumerate(left, start=count + 1)
        self.tagged: list[tuple[int, BoundDevice]] = bound
        for tag, new in bound:
            adapter = ADAPTERS[type(new.device)](self, new, tag)
            if tag <= count:
                adapter.inherit(self.adapters[tag - 1])
                self.adapters[tag - 1] = adapter
            else:
                self.adapters.append(adapter)
        self._handlers = Handlers(self.adapters)
        if is_first:
            return
        model = self.sim.link_model(self.place.link).model
        self.news.append(p.NewsRobot(model, self.place.robot.is_supervisor))
        facts = self._changed_devices(count) + [self._describe(a) for a in self.adapters[count:]]
        self.news += map(p.NewsDevice, facts)

    def renew(self) -> None:
        """Take devices as the simulation describes them now: the robot and its other devices are the same."""
        devices = self.sim.devices.devices
        self.forget_reports()
        self.tagged = [(tag, devices[bound.index]) for tag, bound in self.tagged]
        for tag, new in self.tagged:
            old = self.adapters[tag - 1]
            if new is not old.bound:
                adapter = ADAPTERS[type(new.device)](self, new, tag)
                adapter.inherit(old)
                self.adapters[tag - 1] = adapter
        self._handlers = Handlers(self.adapters)
        self.news += map(p.NewsDevice, self._changed_devices(len(self.adapters)))

    def _describe(self, adapter: Adapter) -> p.DeviceFacts:
        """Return what a controller is told of a device, and remember it."""
        self._told[adapter.tag] = adapter.describe()
        return self._told[adapter.tag]

    def _changed_devices(self, count: int) -> list[p.DeviceFacts]:
        """Return what is told of those of the first devices whose fields a supervisor has changed."""
        out: list[p.DeviceFacts] = []
        for tag, before in [(tag, self._told.get(tag)) for tag, _ in self.tagged if tag <= count]:
            if before is not None and (now := self._describe(self.adapters[tag - 1])) != before:
                out.append(now)
        return out

    def forget_reports(self) -> None:
        """Find out again which devices report something: one was turned on or off."""
        if self._reports is not None:
            self._reports.settle()
        self._reports = None

    def shared_image(self, size: int, name: str) -> SharedImage | None:
        """Return a file of `size` bytes that the controller can map; None for one in our own process."""
        return None if self.is_local else self._images.image(size, name)

    def introduce(self, mailbox: str = "") -> bytes:
        """Return what a controller is told when it connects: a `Welcome`. `mailbox`: its path."""
        robot = self.place.robot
        source = Path(self.sim.scene.source).resolve()
        return codec.Welcome.pack(
            robot.name,
            robot.controller,
            self.sim.link_model(self.place.link).model,
            robot.is_supervisor,
            robot.is_synchronous,
            release_of_file(source) < FIRST_CONTROLLER_LIBRARY,
            self.hub.mode,
            self.sim.time_step * 1000.0,
            self.time,
            robot.speed_unit,
            self.custom_data,
            str(source.parent.parent),
            str(source),
            mailbox,
            [packed(self._describe(adapter)) for adapter in self.adapters],
        )

    # ------------------------------------------------------------------ messages

    def handle(self, frame: bytes) -> Any:
        """Obey commands, then answer the request with a frame; a step is answered later (returns WAIT).

        Raises:
            ProtocolError: The frame is no turn of a controller.
        """
        said = self._turns.read(frame)
        request = said.pop() if said and said[-1][0] in _REQUESTS else None
        warnings: list[str] = []
        for message in said:
            handler = self._handlers[message[:2]] if message[0] in DEVICE_MESSAGES else None
            try:
                text = obey(self, message) if handler is None else handler(*message[2:])
            except (*WRONG, *WRONG_ARGUMENTS) as error:
                text = self._complaint(message, handler, error)
            if text:
                warnings.append(text)
        if len(warnings) > MOST_WARNINGS:
            warnings = _first(warnings)
        warnings += self.hub.stage.document.review()
        if request is None:
            return None
        if request[0] == _STEP:
            self._begin_step(request[1])
            self._notes = warnings
            return WAIT
        try:
            value, notes = answer(self, request)
        except WRONG_ARGUMENTS as error:
            return codec.Answer.pack(f"{_shown(request)}: {error}", None, warnings)
        return packed_answer(request[0], value, warnings + notes)

    def _complaint(self, message: tuple[Any, ...], handler: object, error: Exception) -> str:
        """Return what is said of an order that cannot be carried out."""
        if handler is not None and isinstance(error, WRONG):
            return self.adapters[message[1] - 1].complaint(message, error)
        if not isinstance(error, WRONG_ARGUMENTS):
            raise error
        return f"Error: the command {_shown(message)} cannot be obeyed: {error}"

    def _begin_step(self, milliseconds: float) -> None:
        step = self._step_ms
        steps = math.ceil(milliseconds / step - 1e-9) if milliseconds > 0.0 else 0
        now = self.sim.step_count
        # an asynchronous controller counts from its last answer; steps may have passed since
        start = now if self.is_synchronous else min(self._answered, now)
        self.delay = round((now - start) * step)
        self.due = max(start + steps, now)
        self._asked = milliseconds

    def take_notes(self) -> list[bytes]:
        """Return the messages for the controller's console, which are then told."""
        notes, self._notes = self._notes, []
        return [codec.Note.pack(text) for text in notes]

    def end(self) -> bytes:
        """Return the answer to a step that will not be: the simulation is over."""
        return codec.StepAnswer.pack(-1, self.sim.time, self.take_notes())

    def is_ready(self) -> bool:
        """Whether it waits for the simulation to advance."""
        return self.due is not None and self.due > self.sim.step_count

    def answer(self) -> bytes:
        """Return the answer to a step: a frame."""
        self.due = None
        self._answered = self.sim.step_count
        if self._reports is None:
            self._reports = Reports(self.adapters, self.sim.devices.clock)
        reports = self._reports.take()
        news = self.hub.news_for(self) + self.battery.news(self)
        if news or self._notes:
            reports = [*self.take_notes(), *map(packed, news), *reports]
        return codec.StepAnswer.pack(self.hub.delay_of(self), self.time, reports)

    def reset(self) -> None:
        """The simulation went back to its start: what a controller asked for does not hold any more."""
        self.forget_reports()
        for adapter in self.adapters:
            adapter.reset()
        self._answered = 0
        self.inputs.reset()
        self.battery.reset()
        self.news.append(p.NewsReset())
        if self.due is not None:
            self.due = self.sim.step_count + max(math.ceil(self._asked / self._step_ms - 1e-9), 0)

    def close(self) -> None:
        """Remove shared files."""
        self._images.close()


WAIT = object()
"""The answer comes when the simulation has advanced."""


MOST_WARNINGS: Final = 100
"""Messages about commands in one answer."""

_STEP: Final = p.Step.NUMBER
_REQUESTS: Final = frozenset(kind.NUMBER for kind in p.members(p.Request))

_SHOWN: Final = reprlib.Repr()
_SHOWN.maxlevel, _SHOWN.maxtuple, _SHOWN.maxlist = 4, 20, 20
_SHOWN.maxstring = _SHOWN.maxother = _SHOWN.maxlong = 200


def _first(warnings: list[str]) -> list[str]:
    """Return the first messages, and how many more there are."""
    more = len(warnings) - MOST_WARNINGS
    return [*warnings[:MOST_WARNINGS], f"... and {more} more messages"]


def _shown(message: tuple[Any, ...]) -> str:
    return f"{p.MESSAGES[message[0]].__name__}{_SHOWN.repr(message[1:])}"


def _is_same(a: BoundDevice, b: BoundDevice) -> bool:
    """Whether two devices are the same one in two scenes."""
    return (a.name, type(a.device), a.axis_number) == (b.name, type(b.device), b.axis_number)
