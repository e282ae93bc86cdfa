"""What others may ask of a simulation over the network: checked where it comes in, done between two steps.

Requests come in threads of the server. What is wrong with one is told at once; what is right waits in a queue
for the thread that steps the simulation.
"""

from __future__ import annotations

import difflib
import json
import math
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from solidbody.base.errors import SolidbodyError

if TYPE_CHECKING:
    from solidbody.sim import Sim

MOST_BYTES: Final = 64 * 1024
"""Of one request."""

MOST_WAITING: Final = 1000
"""Requests that wait for the next step; more are refused."""

MOST_STEPS: Final = 1_000_000
"""Of one request to step."""

TARGETS: Final = {
    "position": "target_position",
    "velocity": "target_velocity",
    "effort": "effort",
}
"""Fields of a command for joints, and what they set."""


class CommandError(SolidbodyError):
    """A viewer asks for what cannot be done; the text says why."""


class ViewerCommands:
    """Queues what viewers ask for, and holds time while they have paused it.

    Args:
        sim: The simulation.
        is_watched: Whether anybody is there; a pause that nobody could end does not hold.
    """

    def __init__(self, sim: Sim, is_watched: Callable[[], bool]) -> None:
        self._sim = sim
        self._is_watched = is_watched
        self._waiting: deque[Callable[[], None]] = deque()
        self._wake = threading.Event()
        self._is_paused = False
        self._permits = 0
        self._after_count: list[Callable[[], None]] = []
        self._lock = threading.Lock()
        self._is_closed = False

    @property
    def is_paused(self) -> bool:
        """Whether a viewer has paused the simulation."""
        return self._is_paused

    # ------------------------------------------------------------------ in threads of the server

    def play(self, _: Mapping[str, Any]) -> None:
        """Let time pass."""
        with self._lock:
            self._is_paused, self._permits = False, 0
        self._wake.set()

    def pause(self, _: Mapping[str, Any]) -> None:
        """Hold time before the next step."""
        with self._lock:
            self._is_paused, self._permits = True, 0

    def step(self, request: Mapping[str, Any]) -> None:
        """Pause, and let `count` steps pass (1 if it says nothing)."""
        count = request.get("count", 1)
        if not isinstance(count, int) or isinstance(count, bool) or not 1 <= count <= MOST_STEPS:
            raise CommandError(
                f'"count" must be a whole number from 1 to {MOST_STEPS}, got {count!r}'
            )
        self.count_steps(count)

    def count_steps(self, count: int, then: Callable[[], None] | None = None) -> None:
        """Pause, and let so many steps pass; `then` is called in the thread that steps."""
        with self._lock:
            self._is_paused, self._permits = True, count
            if then is not None:
                self._after_count.append(then)
        self._wake.set()

    def reset(self, _: Mapping[str, Any]) -> None:
        """Go back to the start."""
        self.queue(self._sim.reset)

    def command_joints(self, request: Mapping[str, Any]) -> None:
        """Set targets of motors: {"name": [...], "position" | "velocity" | "effort": [...]}."""
        names = request.get("name")
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise CommandError('"name" must be a list of names of joints')
        unknown = [key for key in request if key not in (*TARGETS, "name", "header", "timestamp")]
        if unknown:
            raise CommandError(f'unknown field "{unknown[0]}"; known: name, {", ".join(TARGETS)}')
        for key in TARGETS:
            values = request.get(key)
            if values in (None, []):
                continue
            if not isinstance(values, list) or len(values) != len(names):
                raise CommandError(
                    f'"{key}" must be a list of {len(names)} numbers, one for each name'
                )
            for name, value in zip(names, values, strict=True):
                self.set_target(name, key, value)

    def set_target(self, name: str, key: str, value: Any) -> None:
        """Set one target of one motor."""
        if name not in self._sim.joint_names:
            raise CommandError(f'there is no joint "{name}"{_meant(name, self._sim.joint_names)}')
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not math.isfinite(value)
        ):
            raise CommandError(f'{key} of "{name}" must be a finite number, got {value!r}')
        joint = self._sim.joint(name)
        if not joint.has_motor:
            raise CommandError(f'joint "{name}" has no motor')
        self.queue(lambda: setattr(joint, TARGETS[key], float(value)))

    def queue(self, act: Callable[[], None]) -> None:
        """Do something before the next step."""
        if len(self._waiting) >= MOST_WAITING:
            raise CommandError(f"{MOST_WAITING} requests wait for the next step already")
        self._waiting.append(act)
        self._wake.set()

    # ------------------------------------------------------------------ in the thread that steps

    def obey(self) -> list[str]:
        """Do what waits, and hold time while it is paused; return what could not be done."""
        problems = self._do_waiting()
        if self._after_count:
            self._tell_counted()
        while self._is_paused and not self._permits and not self._is_closed and self._is_watched():
            self.wait(0.1)
            problems += self._do_waiting()
        return problems

    def wait(self, seconds: float) -> None:
        """Wait until something is asked for, or so long."""
        self._wake.wait(seconds)
        self._wake.clear()

    def wake(self) -> None:
        """Let whoever waits look again."""
        self._wake.set()

    def _do_waiting(self) -> list[str]:
        problems: list[str] = []
        while self._waiting:
            try:
                self._waiting.popleft()()
            except (SolidbodyError, ValueError) as error:
                problems.append(str(error))
        return problems

    @property
    def is_counting(self) -> bool:
        """Whether the next steps are to be taken one by one."""
        return self._is_paused

    def note_step(self) -> None:
        """A step was taken."""
        with self._lock:
            self._permits = max(0, self._permits - 1)
        self._tell_counted()

    def _tell_counted(self) -> None:
        """Tell those who wait for their steps, when all are taken or nobody counts any more."""
        with self._lock:
            done = self._after_count if not self._permits else []
            self._after_count = [] if done else self._after_count
        for then in done:
            then()

    def close(self) -> None:
        """Hold nobody up any more."""
        self._is_closed = True
        self._wake.set()


def request_of(payload: bytes) -> Mapping[str, Any]:
    """Return the fields of a request: an object in JSON, or nothing at all.

    Raises:
        CommandError: It is no such thing.
    """
    if len(payload) > MOST_BYTES:
        raise CommandError(
            f"a request of {len(payload)} bytes is too long; {MOST_BYTES} are allowed"
        )
    if not payload.strip():
        return {}
    try:
        found = json.loads(payload)
    except (ValueError, RecursionError) as error:
        raise CommandError(f"a request must be an object in JSON: {error}") from None
    if not isinstance(found, dict):
        raise CommandError(f"a request must be an object in JSON, got {type(found).__name__}")
    return found


def _meant(name: str, known: Sequence[str]) -> str:
    close = difflib.get_close_matches(name, known, 1)
    return f'; did you mean "{close[0]}"?' if close else f"; known: {', '.join(known[:20])}"
