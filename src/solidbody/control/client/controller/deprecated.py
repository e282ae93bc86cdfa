"""Deprecated methods of `Robot`: one getter per device class, and names that old controllers call."""

from __future__ import annotations

import sys
from typing import Any, Callable

from .device import complain
from .kinds import MODULES
from .motor import Motor
from .servo import Servo


class DeprecatedGetters:
    """`getCamera(name)` and the like: the same as `getDevice(name)`."""

    def getServo(self, name: str) -> Servo | None:
        """Return a motor and its position sensor as a servo."""
        device = self.getDevice(name)  # type: ignore[attr-defined]
        if not isinstance(device, Motor):
            return None
        return Servo(device, device.getPositionSensor())

    def keyboardEnable(self, samplingPeriod: int) -> None:
        """Sample the keyboard."""
        _warn("keyboardEnable", "Keyboard.enable")
        self.keyboard.enable(samplingPeriod)  # type: ignore[attr-defined]

    def keyboardDisable(self) -> None:
        """Sample the keyboard no more."""
        self.keyboardEnable(0)

    def keyboardGetKey(self) -> int:
        """Return a key that is down; 0 = no more, as it was then."""
        return max(self.keyboard.getKey(), 0)  # type: ignore[attr-defined]

    def getController(self) -> str:
        """Return the name of this program's folder."""
        return self._sb_facts["controller"]  # type: ignore[attr-defined]

    def getControllerName(self) -> str:
        """Return the name of this program's folder."""
        return self.getController()

    def getControllerArguments(self) -> str:
        """Return the arguments of this program, with spaces between them."""
        return " ".join(sys.argv[1:])

    def getData(self) -> str:
        """Return the text of the field customData, which was called data."""
        return self.getCustomData()  # type: ignore[attr-defined]

    def setData(self, data: str) -> None:
        """Set the text of the field customData, which was called data."""
        self.setCustomData(data)  # type: ignore[attr-defined]


def _warn(name: str, instead: str) -> None:
    complain(f"DEPRECATION: Robot.{name}() is deprecated, use {instead}() instead")


def _getter(kind: str) -> Callable[[Any, str], Any]:
    def get(robot: Any, name: str) -> Any:
        _warn(f"get{kind}", "Robot.getDevice")
        return robot.getDevice(name)

    get.__name__ = get.__qualname__ = f"get{kind}"
    get.__doc__ = f"Return a {kind} by its name (deprecated)."
    return get


for _class in MODULES.values():
    setattr(DeprecatedGetters, f"get{_class.__name__}", _getter(_class.__name__))
