"""One controller and its robot: what it asked for, what it is told."""

from __future__ import annotations

import math
import reprlib
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from solidbody.control.adapters import ADAPTERS, Adapter
from solidbody.control.battery import BatterySensor
from solidbody.control.client import solidbody_wire as wire
from solidbody.control.reports import Reports
from solidbody.control.supervisor.errors import WRONG_ARGUMENTS
from solidbody.control.tags import RobotPlace, devices_of
from solidbody.control.users import SessionInputs
from solidbody.devices.core.bound import Bound
from solidbody.formats.webots.release import FIRST_CONTROLLER_LIBRARY, release_of_file

if TYPE_CHECKING:
    from solidbody.control.hub import ControllerHub

RequestHandler = Callable[["Session", tuple[Any, ...]], Any]


class Session:
    """The simulator's side of one controller. Messages are (commands, request); see `docs/controllers.md`."""

    def __init__(self, hub: ControllerHub, place: RobotPlace) -> None:
        self.hub, self.place, self.sim = hub, place, hub.sim
        self.local_images: dict[Any, bytes] = {}
        self._folder: tempfile.TemporaryDirectory[str] | None = None
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
        self.news: list[tuple[Any, ...]] = []
        """What the controller is told with its next step."""
        self.said: set[str] = set()
        """What the controller was warned of once."""
        self.adapters: list[Adapter] = []
        self._reports: Reports | None = None
        self._told: dict[int, dict[str, Any]] = {}
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
        self.links = list(self.sim.scene.links())
        self._step_ms = self.sim.time_step * 1000.0
        self.forget_reports()
        is_first = not self._is_bound
        self._is_bound = True
        left = devices_of(self.sim, self.place)
        bound: list[tuple[int, Bound]] = []
        for old in self.adapters:  # devices keep their tags, also those after one that has gone
            twin = next((new for new in left if _is_same(new, old.bound)), None)
            if twin is None:
                self.adapters[old.tag - 1] = Adapter(self, old.bound, old.tag)
            else:
                left.remove(twin)
                bound.append((old.tag, twin))
        count = len(self.adapters)
        bound += enumerate(left, start=count + 1)
        self.tagged: list[tuple[int, Bound]] = bound
        for tag, new in bound:
            adapter = ADAPTERS[type(new.device)](self, new, tag)
            if tag <= count:
                adapter.inherit(self.adapters[tag - 1])
                self.adapters[tag - 1] = adapter
            else:
                self.adapters.append(adapter)
        if is_first:
            return
        self.news.append(("facts", self._changing_facts()))
        changed = self._changed_devices(count)
        if changed:
            self.news.append(("device facts", changed))
        if left:
            self.news.append(("devices", [self._describe(a) for a in self.adapters[count:]]))

    def _describe(self, adapter: Adapter) -> dict[str, Any]:
        """Return what a controller is told of a device, and remember it."""
        self._told[adapter.tag] = adapter.describe()
        return self._told[adapter.tag]

    def _changed_devices(self, count: int) -> dict[int, dict[str, Any]]:
        """Return by tag what is new of the first devices, since a supervisor has changed their fields."""
        out: dict[int, dict[str, Any]] = {}
        for tag, before in [(tag, self._told.get(tag)) for tag, _ in self.tagged if tag <= count]:
            if before is not None:
                now = self._describe(self.adapters[tag - 1])
                new = {key: value for key, value in now.items() if before.get(key) != value}
                if new:
                    out[tag] = new
        return out

    def forget_reports(self) -> None:
        """Find out again which devices report something: one was turned on or off."""
        self._reports = None

    def shared_file(self, size: int, name: str) -> Path | None:
        """Return a file of `size` bytes that the controller can map; None for one in our own process."""
        if self.is_local:
            return None
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="images-", dir=self.hub.folder)
        path = Path(self._folder.name) / name
        with path.open("wb") as file:
            file.truncate(max(size, 1))
        return path

    def introduce(self) -> dict[str, Any]:
        """Return what a controller is told when it connects."""
        robot = self.place.robot
        source = Path(self.sim.scene.source).resolve()
        return {
            "protocol": wire.PROTOCOL,
            "name": robot.name,
            "controller": robot.controller,
            "speed_unit": robot.speed_unit,
            "basic_time_step": self.sim.time_step * 1000.0,
            "time": self.time,
            "synchronization": robot.is_synchronous,
            "custom_data": self.custom_data,
            "project_path": str(source.parent.parent),
            "world_path": str(source),
            "mode": self.hub.mode,
            "is_old": release_of_file(source) < FIRST_CONTROLLER_LIBRARY,
            "devices": [self._describe(adapter) for adapter in self.adapters],
            **self._changing_facts(),
        }

    def _changing_facts(self) -> dict[str, Any]:
        """Return what else a controller is told, also when supervisors have changed it."""
        model = self.links[self.place.link].model
        return {"model": model, "supervisor": self.place.robot.is_supervisor}

    # ------------------------------------------------------------------ messages

    def handle(self, message: tuple[list[tuple[Any, ...]], tuple[Any, ...] | None]) -> Any:
        """Obey commands, then answer the request; a step is answered later (returns `wire`'s WAIT)."""
        commands, request = message
        warnings = _first([text for command in commands if (text := self._obey(command))])
        warnings += self.hub.stage.document.review()
        if request is None:
            return None
        if request[0] == "step":
            self._begin_step(float(request[1]))
            self._notes = warnings
            return WAIT
        handler = self.hub.requests.get(request[0])
        if handler is None:
            return ("error", f"unknown request {request[0]}", warnings)
        return ("ok", handler(self, request[1:]), warnings)

    def _obey(self, command: tuple[Any, ...]) -> str | None:
        """Obey a command; return what there is to say, also of one that cannot be obeyed."""
        try:
            return self._carry_out(command)
        except WRONG_ARGUMENTS as error:
            return f"Error: the command {_SHOWN.repr(command[1:])} cannot be obeyed: {error}"

    def _carry_out(self, command: tuple[Any, ...]) -> str | None:
        tag, name, *arguments = command
        if tag == 0:
            return self.hub.robot_command(self, name, tuple(arguments))
        if not 0 < tag <= len(self.adapters):
            return f"Error: there is no device with the tag {tag}"
        return self.adapters[tag - 1].command(name, tuple(arguments))

    def _begin_step(self, milliseconds: float) -> None:
        step = self._step_ms
        steps = math.ceil(milliseconds / step - 1e-9) if milliseconds > 0.0 else 0
        now = self.sim.step_count
        # an asynchronous controller counts from its last answer; steps may have passed since
        start = now if self.is_synchronous else min(self._answered, now)
        self.delay = round((now - start) * step)
        self.due = max(start + steps, now)
        self._asked = milliseconds

    def take_notes(self) -> list[str]:
        """Return the messages for the controller's console, which are then told."""
        notes, self._notes = self._notes, []
        return notes

    def is_ready(self) -> bool:
        """Whether it waits for the simulation to advance."""
        return self.due is not None and self.due > self.sim.step_count

    def answer(self) -> tuple[Any, ...]:
        """Return the answer to a step: status, time, new values by tag, messages, notes for the robot."""
        self.due = None
        self._answered = self.sim.step_count
        if self._reports is None:
            self._reports = Reports(self.adapters, self.sim.devices.clock)
        values = self._reports.take()
        notes = self.take_notes()
        return (
            "ok",
            (
                self.hub.delay_of(self),
                self.time,
                values,
                self.hub.news_for(self) + self.battery.news(self),
            ),
            notes,
        )

    def reset(self) -> None:
        """The simulation went back to its start: what a controller asked for does not hold any more."""
        for adapter in self.adapters:
            adapter.reset()
        self._answered = 0
        self.inputs.reset()
        self.battery.reset()
        self.news.append(("reset", None))
        if self.due is not None:
            self.due = self.sim.step_count + max(math.ceil(self._asked / self._step_ms - 1e-9), 0)

    def close(self) -> None:
        """Remove shared files."""
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None


WAIT = object()
"""The answer comes when the simulation has advanced."""


MOST_WARNINGS: Final = 100
"""Messages about commands in one answer."""

_SHOWN: Final = reprlib.Repr()
_SHOWN.maxlevel, _SHOWN.maxtuple, _SHOWN.maxlist = 4, 20, 20
_SHOWN.maxstring = _SHOWN.maxother = _SHOWN.maxlong = 200


def _first(warnings: list[str]) -> list[str]:
    """Return the first messages, and how many more there are."""
    more = len(warnings) - MOST_WARNINGS
    return warnings if more <= 0 else [*warnings[:MOST_WARNINGS], f"... and {more} more messages"]


def _is_same(a: Bound, b: Bound) -> bool:
    """Whether two devices are the same one in two scenes."""
    return (a.name, type(a.device), a.axis_number) == (b.name, type(b.device), b.axis_number)
