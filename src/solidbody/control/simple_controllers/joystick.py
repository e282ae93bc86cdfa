"""Joysticks of Choreonoid's controllers: a file of events, or the one that the page has.

The file is JSON: a list of events, or an object with one under `events` (perhaps under `joystick`). An event
holds an axis or a button at a value from the time `t0` on, up to `t1` [s]; without events all is at rest.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from solidbody.base.errors import SolidbodyError
from solidbody.control.body_copies.sections import AXES, BUTTONS

MOST_EVENTS: Final = 100_000

ROUNDING: Final = 1e-9
"""[s] By which times of steps may be off."""

FULL: Final = 32_767
"""What an axis of the page's joystick says at its end."""

STANDARD_BUTTONS: Final = (0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 16)
"""Numbers in browsers' standard layout of A, B, X, Y, L, R, SELECT, START, both sticks and LOGO."""

TRIGGERS: Final = (6, 7)
UP, DOWN, RIGHT, LEFT = 0x1, 0x10, 0x100, 0x1000
"""Bits of the hat that the page makes of the directional pad (`web/src/joystick.ts`)."""


class JoystickFileError(SolidbodyError):
    """A file of joystick events cannot be read; the text says why."""


@dataclass(frozen=True, slots=True)
class JoystickEvent:
    """From `start` to `end` [s] an axis or a button (behind the axes) is at a value."""

    start: float
    end: float
    place: int
    value: float


class JoystickScript:
    """What a joystick does, by the time.

    Args:
        events: Those that come later in the list win.
    """

    def __init__(self, events: Sequence[JoystickEvent]) -> None:
        self._events = events
        self._changes = sorted({time for one in events for time in (one.start, one.end)})
        self._state = np.zeros(AXES + BUTTONS)
        self._until = -math.inf

    def state(self, time: float) -> NDArray[np.float64]:
        """Return axes and buttons at a time; times must not go back, but to 0."""
        time += ROUNDING
        if time >= self._until or time <= 2 * ROUNDING:
            self._state[:] = 0.0
            for one in self._events:
                if one.start <= time < one.end:
                    self._state[one.place] = one.value
            later = (change for change in self._changes if change > time)
            self._until = next(later, math.inf)
        return self._state


def read_script(path: Path) -> JoystickScript:
    """Return the script in a file.

    Raises:
        JoystickFileError: It cannot be read, or it is no list of events.
    """
    try:
        found: Any = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise JoystickFileError(f"{path}: {error}") from error
    if isinstance(found, dict):
        found = found.get("joystick", found)
    if isinstance(found, dict):
        found = found.get("events")
    if not isinstance(found, list) or len(found) > MOST_EVENTS:
        raise JoystickFileError(f"{path}: expected a list of at most {MOST_EVENTS} events")
    return JoystickScript([_event(one, f"{path}: event {k}") for k, one in enumerate(found)])


def _event(found: object, where: str) -> JoystickEvent:
    if not isinstance(found, dict):
        raise JoystickFileError(f"{where}: expected an object with t0, t1, axis or button, value")
    start, end, value = (_number(found.get(name), name, where) for name in ("t0", "t1", "value"))
    for key, first, count in (("axis", 0, AXES), ("button", AXES, BUTTONS)):
        number = found.get(key)
        if number is None:
            continue
        if not isinstance(number, int) or not 0 <= number < count:
            raise JoystickFileError(f"{where}: {key} is from 0 to {count - 1}, got {number!r:.40}")
        return JoystickEvent(start, end, first + number, value)
    raise JoystickFileError(f"{where}: it names neither an axis nor a button")


def _number(value: object, name: str, where: str) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    raise JoystickFileError(f"{where}: {name} must be a number, got {value!r:.40}")


def page_state(
    axes: Sequence[int], buttons: Sequence[int], hats: Sequence[int]
) -> NDArray[np.float64]:
    """Return axes and buttons of Choreonoid's layout for a joystick of the page."""
    state = np.zeros(AXES + BUTTONS)
    pressed, hat = set(buttons), hats[0] if hats else 0
    for k, axis in enumerate(axes[:4]):
        state[k] = axis / FULL
    state[4] = bool(hat & RIGHT) - bool(hat & LEFT)
    state[5] = bool(hat & DOWN) - bool(hat & UP)
    state[6:8] = [number in pressed for number in TRIGGERS]
    state[AXES:] = [number in pressed for number in STANDARD_BUTTONS]
    return state
