"""`Mouse` of Webots' controller API: the mouse in the user's browser."""

from __future__ import annotations

from typing import Any

from .device import NAN
from .keyboard import Input


class MouseState:
    """Where the mouse is and what is pressed.

    Attributes:
        u: Across the view, 0 to 1.
        v: Down the view, 0 to 1.
        x: Of the point in the world below it [m]; not a number unless that is enabled.
        y: Of the same point.
        z: Of the same point.
        left: Whether the left button is down.
        middle: Whether the middle button is down.
        right: Whether the right button is down.
    """

    def __init__(
        self,
        u: float = NAN,
        v: float = NAN,
        x: float = NAN,
        y: float = NAN,
        z: float = NAN,
        left: bool = False,
        middle: bool = False,
        right: bool = False,
    ) -> None:
        self.u, self.v = u, v
        self.x, self.y, self.z = x, y, z
        self.left, self.middle, self.right = left, middle, right

    def getU(self) -> float:
        """Return the place across the view."""
        return self.u

    def getV(self) -> float:
        """Return the place down the view."""
        return self.v

    def getX(self) -> float:
        """Return x of the point in the world."""
        return self.x

    def getY(self) -> float:
        """Return y of the point in the world."""
        return self.y

    def getZ(self) -> float:
        """Return z of the point in the world."""
        return self.z

    def getLeft(self) -> bool:
        """Return whether the left button is down."""
        return self.left

    def getMiddle(self) -> bool:
        """Return whether the middle button is down."""
        return self.middle

    def getRight(self) -> bool:
        """Return whether the right button is down."""
        return self.right


class Mouse(Input):
    """The mouse."""

    _kind = "mouse"

    def __init__(self, sampling_period: int | None = None, robot: Any = None) -> None:
        self._state = MouseState()
        self._in_space = False
        super().__init__(sampling_period, robot)

    def _update(self, value: Any) -> None:
        state = MouseState(*value)
        if not self._in_space:
            state.x = state.y = state.z = NAN
        self._state = state

    def getState(self) -> MouseState:
        """Return where the mouse is and what is pressed."""
        return self._state

    def enable3dPosition(self) -> None:
        """Tell the point in the world below the mouse as well."""
        self._in_space = True

    def disable3dPosition(self) -> None:
        """Do not tell the point in the world."""
        self._in_space = False

    def is3dPositionEnabled(self) -> bool:
        """Return whether the point in the world is told."""
        return self._in_space

    state = property(getState)
