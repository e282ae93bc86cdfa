"""`Keyboard` of Webots' controller API: keys pressed in the user's browser."""

from __future__ import annotations

from typing import Any

from .connection import protocol
from .device import complain, the_robot

NONE = -1
"""Returned when no (further) key is pressed."""


class Input:
    """Something that a user handles: its state is sampled."""

    _kind = ""

    def __init__(self, sampling_period: int | None = None, robot: Any = None) -> None:
        self._robot: Any = None
        self._period = 0
        if not self._found_robot(robot or the_robot()):
            return  # made before the robot, which is looked for when it is enabled
        if sampling_period is None:
            sampling_period = int(self._robot._sb_facts["basic_time_step"])
        if sampling_period:
            self.enable(sampling_period)

    def _found_robot(self, robot: Any) -> bool:
        if self._robot is None and robot is not None:
            self._robot = robot
            robot._sb_inputs.setdefault(self._kind, []).append(self)
        return self._robot is not None

    def enable(self, samplingPeriod: int) -> None:
        """Sample every `samplingPeriod` milliseconds."""
        if not self._found_robot(the_robot()):
            complain(f"Error: {type(self).__name__}.enable() needs a Robot to be made first")
            return
        self._period = int(samplingPeriod)
        self._robot._sb_order(protocol.RobotInput, self._kind, self._period)

    def disable(self) -> None:
        """Sample no more."""
        self.enable(0)

    def getSamplingPeriod(self) -> int:
        """Return the sampling period [ms]; 0 = off."""
        return self._period

    def _set_period(self, samplingPeriod: int | None) -> None:
        self.enable(samplingPeriod or 0)

    sampling_period = property(getSamplingPeriod, _set_period)

    def _update(self, value: Any) -> None:
        """A user has done something."""


class Keyboard(Input):
    """Keys that are down."""

    _kind = "keyboard"

    END, HOME, LEFT, UP, RIGHT, DOWN = range(312, 318)
    PAGEUP, PAGEDOWN = 366, 367
    NUMPAD_HOME, NUMPAD_LEFT, NUMPAD_UP, NUMPAD_RIGHT, NUMPAD_DOWN = range(375, 380)
    NUMPAD_END = 382
    KEY = 0x0000FFFF
    SHIFT, CONTROL, ALT = 0x00010000, 0x00020000, 0x00040000

    _keys: tuple[int, ...] = ()

    def _update(self, value: Any) -> None:
        self._keys = tuple(value)

    def getKey(self) -> int:
        """Return a key that is down, and the next one at the next call; -1 = no more."""
        if not self._keys:
            return NONE
        first, self._keys = self._keys[0], self._keys[1:]
        return first

    def getKeyCode(self) -> int:
        """The same as `getKey`."""
        return self.getKey()

    def get_key(self) -> str:
        """Return the next key that is down as text, such as "shift-left"; empty = none."""
        code = self.getKey()
        if code == NONE:
            return ""
        held = ((self.SHIFT, "shift-"), (self.CONTROL, "control-"), (self.ALT, "alt-"))
        prefix = "".join(word for flag, word in held if code & flag)
        key = code & self.KEY
        return prefix + (_WORDS.get(key) or chr(key))


_WORDS = {
    getattr(Keyboard, name): word
    for name, word in (
        ("END", "end"),
        ("HOME", "home"),
        ("LEFT", "left"),
        ("UP", "up"),
        ("RIGHT", "right"),
        ("DOWN", "down"),
        ("PAGEUP", "page up"),
        ("PAGEDOWN", "page down"),
        ("NUMPAD_HOME", "numpad home"),
        ("NUMPAD_LEFT", "numpad left"),
        ("NUMPAD_UP", "numpad up"),
        ("NUMPAD_RIGHT", "numpad right"),
        ("NUMPAD_DOWN", "numpad down"),
        ("NUMPAD_END", "numpad end"),
    )
}
