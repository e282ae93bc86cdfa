"""User input for controllers: keyboard, mouse, joystick, and texts of robot windows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from solidbody.control import protocol as p

if TYPE_CHECKING:
    from solidbody.control.session import Session

WindowListener = Callable[[str, str], None]
"""Gets (robot name, text) when a robot sends text to its window."""

EVENT_MOUSE_CLICK, EVENT_MOUSE_MOVE, EVENT_KEYBOARD = 1, 2, 4
EVENT_JOYSTICK_BUTTON, EVENT_JOYSTICK_AXIS, EVENT_JOYSTICK_POV = 8, 16, 32
"""Events that a controller can wait for, as flags."""


@dataclass(frozen=True, slots=True)
class MouseInput:
    """Where the mouse is in the view (0..1 to the right and down), over which point, and what is pressed."""

    u: float
    v: float
    point: tuple[float, float, float] = (math.nan, math.nan, math.nan)
    left: bool = False
    middle: bool = False
    right: bool = False


@dataclass(frozen=True, slots=True)
class JoystickInput:
    """State of a joystick: axes from -32768 to 32767, directions of hats, numbers of pressed buttons."""

    model: str
    axes: tuple[int, ...] = ()
    povs: tuple[int, ...] = ()
    buttons: tuple[int, ...] = ()


@dataclass(slots=True)
class UserInput:
    """What users do with one robot. Events are flags; texts wait until the robot reads them."""

    held: tuple[int, ...] = ()
    tapped: tuple[int, ...] = ()
    mouse: MouseInput | None = None
    joystick: JoystickInput | None = None
    texts: list[str] = field(default_factory=list[str])
    events: int = 0

    def press(self, keys: Iterable[int]) -> None:
        """Hold these keys down from now on; a key that is let go before the next sample counts as well."""
        held = tuple(keys)
        fresh = tuple(key for key in held if key not in self.held and key not in self.tapped)
        self.tapped += fresh
        self.held = held
        if fresh:
            self.events |= EVENT_KEYBOARD

    def move_mouse(self, state: MouseInput) -> None:
        """The mouse is here now."""
        before = self.mouse
        is_down = (state.left, state.middle, state.right)
        was_down = (before.left, before.middle, before.right) if before else (False,) * 3
        if any(now and not old for now, old in zip(is_down, was_down, strict=True)):
            self.events |= EVENT_MOUSE_CLICK
        if before is None or (before.u, before.v) != (state.u, state.v):
            self.events |= EVENT_MOUSE_MOVE
        self.mouse = state

    def move_joystick(self, state: JoystickInput) -> None:
        """The joystick is like this now."""
        before = self.joystick or JoystickInput("")
        for flag, now, old in (
            (EVENT_JOYSTICK_BUTTON, state.buttons, before.buttons),
            (EVENT_JOYSTICK_AXIS, state.axes, before.axes),
            (EVENT_JOYSTICK_POV, state.povs, before.povs),
        ):
            if now != old:
                self.events |= flag
        self.joystick = state

    def sample(self, kind: str) -> p.News | None:
        """Return the state of a keyboard, mouse or joystick as a controller gets it; None = unknown."""
        match kind:
            case "keyboard":
                keys = self.held + tuple(key for key in self.tapped if key not in self.held)
                self.tapped = ()
                return p.NewsKeyboard(list(keys))
            case "mouse" if self.mouse is not None:
                m = self.mouse
                return p.NewsMouse(m.u, m.v, *m.point, m.left, m.middle, m.right)
            case "joystick" if self.joystick is not None:
                j = self.joystick
                return p.NewsJoystick(j.model, list(j.axes), list(j.povs), list(j.buttons))
            case _:
                return None


class SessionInputs:
    """What one controller wants to know of its user, and when it was told last (periods in steps)."""

    def __init__(self) -> None:
        self.periods: dict[str, int] = {}
        self._last: dict[str, int] = {}

    def enable(self, kind: str, period_ms: int, session: Session) -> None:
        """Sample a kind of input every so often; 0 = not."""
        steps = math.ceil(period_ms / (session.sim.time_step * 1000.0) - 1e-9)
        if steps > 0:
            self.periods[kind], self._last[kind] = steps, session.sim.step_count
        else:
            self.periods.pop(kind, None)

    def news(self, user: UserInput, now: int) -> list[p.News]:
        """Return what a controller is to be told at step `now`."""
        out: list[p.News] = [p.NewsWindowText(text) for text in user.texts]
        user.texts.clear()
        for kind, period in self.periods.items():
            # an event is told at once: a controller may wait for it while time stands still
            if now - self._last[kind] >= period or user.events:
                self._last[kind] = now
                value = user.sample(kind)
                if value is not None:
                    out.append(value)
        if user.events:
            out.append(p.NewsEvents(user.events))
            user.events = 0
        return out

    def reset(self) -> None:
        """The simulation went back to its start."""
        self._last = dict.fromkeys(self._last, 0)
