"""What robots tell of themselves as attributes."""

from __future__ import annotations

from typing import Any, Callable


class Fact:
    """A method as an attribute to be read, which a program may replace by one of its own.

    Derived classes of programs have a `self.model` or `self.time`; in old releases these names were free.
    So, unlike a property, this can be covered.
    """

    def __init__(self, method: Callable[[Any], Any]) -> None:
        self._method = method
        self.__doc__ = method.__doc__

    def __get__(self, robot: Any, owner: Any = None) -> Any:
        return self if robot is None else self._method(robot)
