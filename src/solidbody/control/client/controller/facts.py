"""What the simulator has told: as methods of devices, and as attributes of a robot."""

from __future__ import annotations

from typing import Any, Callable, TypeVar

_T = TypeVar("_T")


def fact(name: str, kind: Callable[[Any], _T], about: str) -> Callable[[Any], _T]:
    """Return a method that tells what the simulator has said of a device under a name."""

    def get(self: Any) -> _T:
        return self._facts[name]

    get.__doc__ = about
    return get


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
