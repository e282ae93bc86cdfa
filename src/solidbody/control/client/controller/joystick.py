"""`Joystick` of Webots' controller API: the joystick at the user's browser."""

from __future__ import annotations

from typing import Any

from .connection import protocol
from .keyboard import NONE, Input


class Joystick(Input):
    """Buttons, axes and hats; forces can be set and are told to whoever serves the joystick."""

    _kind = "joystick"

    def __init__(self, sampling_period: int | None = None, robot: Any = None) -> None:
        self._model = ""
        self._axes: tuple[int, ...] = ()
        self._povs: tuple[int, ...] = ()
        self._buttons: tuple[int, ...] = ()
        super().__init__(sampling_period, robot)

    def _update(self, value: Any) -> None:
        self._model, self._axes, self._povs, self._buttons = value

    def isConnected(self) -> bool:
        """Return whether there is a joystick."""
        return bool(self._model)

    def getModel(self) -> str:
        """Return its name."""
        return self._model

    def getNumberOfAxes(self) -> int:
        """Return how many axes it has."""
        return len(self._axes)

    def getAxisValue(self, axis: int) -> int:
        """Return where an axis is, -32768 to 32767; 0 if there is no such axis."""
        return self._axes[axis] if 0 <= axis < len(self._axes) else 0

    def getNumberOfPovs(self) -> int:
        """Return how many hats it has."""
        return len(self._povs)

    def getPovValue(self, pov: int) -> int:
        """Return the direction of a hat; 0 = the middle, or no such hat."""
        return self._povs[pov] if 0 <= pov < len(self._povs) else 0

    def getPressedButton(self) -> int:
        """Return a button that is down, and the next one at the next call; -1 = no more."""
        if not self._buttons:
            return NONE
        first, self._buttons = self._buttons[0], self._buttons[1:]
        return first

    def _force(self, name: str, value: float) -> None:
        self._robot._sb_order(protocol.RobotJoystickForce, name, float(value))

    def setConstantForce(self, level: int) -> None:
        """Push the stick."""
        self._force("constant", int(level))

    def setConstantForceDuration(self, duration: float) -> None:
        """Push the stick for that long [s]."""
        self._force("duration", float(duration))

    def setAutoCenteringGain(self, gain: float) -> None:
        """Pull the stick to the middle."""
        self._force("centering", float(gain))

    def setResistanceGain(self, gain: float) -> None:
        """Resist motion of the stick."""
        self._force("resistance", float(gain))

    def setForceAxis(self, axis: int) -> None:
        """Choose the axis that forces act on."""
        self._force("axis", int(axis))

    is_connected = property(isConnected)
    model = property(getModel)
    number_of_axes = property(getNumberOfAxes)
    number_of_povs = property(getNumberOfPovs)
    pressed_button = property(getPressedButton)
