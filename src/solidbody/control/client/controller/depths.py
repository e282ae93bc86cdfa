"""Depth images in the forms that controllers of all Webots releases read."""

from __future__ import annotations

import ctypes
from array import array
from functools import lru_cache
from typing import Any


@lru_cache(maxsize=None)
def _buffer_type(count: int) -> Any:
    """Return an array type of 32-bit floats that passes for a pointer to them."""
    passing = property(lambda self: ctypes.POINTER(ctypes.c_float))
    return type("Depths", (ctypes.c_float * count,), {"__class__": passing})


def depth_buffer(data: bytes) -> Any:
    """Return 32-bit floats as an object with a length, items and a buffer.

    Until R2022a programs got bytes, which they read with `numpy.frombuffer(found, numpy.float32)`, since then
    a pointer, for `numpy.ctypeslib.as_array(found, shape)`: this serves both.
    """
    return _buffer_type(len(data) // ctypes.sizeof(ctypes.c_float)).from_buffer_copy(data)


def depth_array(data: bytes, width: int, is_old: bool) -> list[list[float]]:
    """Return 32-bit floats as rows: `array[y][x]`; until R2022a they came as columns, `array[x][y]`."""
    depths = array("f", data).tolist()
    if is_old:
        return [depths[x::width] for x in range(width)]
    return [depths[start : start + width] for start in range(0, len(depths), width)]
