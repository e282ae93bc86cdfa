"""Webots' C functions (`wb_motor_set_velocity` ...) for Python programs that call them.

`wb.wb_motor_set_velocity(tag, 3.0)` is `setVelocity(3.0)` of the device with that tag,
`wb.wb_robot_get_time()` is `Robot.getTime()`. Texts are bytes and devices are tags, as in C. Functions of
the supervisor are not there.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from .device import Device, the_robot

DONE_BY_ROBOT = ("wb_robot_init", "wb_robot_cleanup")
"""What making a Robot and ending the program do."""


class Function:
    """A function; `restype` and `argtypes` can be set, as for one of ctypes, and are not needed."""

    restype: Any = None
    argtypes: Any = None

    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, *arguments: Any) -> Any:
        """Call the method of the robot, or of the device whose tag comes first."""
        if self._name in DONE_BY_ROBOT:
            return None
        values = [_plain(argument) for argument in arguments]
        owner = the_robot()
        if owner is not None and not self._name.startswith("wb_robot_"):
            owner = owner._sb_by_tag(values.pop(0)) if values else None
        method = self._method(owner)
        if method is None:
            raise AttributeError(f"solidbody has no C function {self._name}() for this call")
        return _as_in_c(method(*values))

    def _method(self, owner: Any) -> Any:
        """Return the method that the end of the name stands for: `getValue` of `..._sensor_get_value`.

        It is the one of our own class: that of a program's class may be what calls the function.
        """
        kind = next((kind for kind in type(owner).__mro__ if _is_ours(kind)), object)
        words = self._name.split("_")[2:]
        for start in range(len(words)):
            name = words[start] + "".join(word.capitalize() for word in words[start + 1 :])
            found = getattr(kind, name, None)
            if callable(found):
                return partial(found, owner)
        return None


class Library:
    """All functions, by their names."""

    def __getattr__(self, name: str) -> Function:
        if not name.startswith("wb_"):
            raise AttributeError(name)
        function = Function(name)
        setattr(self, name, function)
        return function


def _is_ours(kind: type) -> bool:
    return kind.__module__.partition(".")[0] == __package__


def _plain(argument: Any) -> Any:
    value = getattr(argument, "value", argument)
    return value.decode() if isinstance(value, bytes) else value


def _as_in_c(result: Any) -> Any:
    if isinstance(result, Device):
        return result.tag
    if isinstance(result, bool):
        return int(result)
    return result.encode() if isinstance(result, str) else result


wb = Library()
