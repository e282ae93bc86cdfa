"""Plain sensors, read in one native call; what they read otherwise is in `devices/`, group by group."""

from __future__ import annotations

import ctypes
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solidbody.base.errors import SimulationError
from solidbody.contact.native import NativeUnavailable, load_library

SENSE = np.dtype(
    [
        ("kind", "i4"),
        ("body", "i4"),
        ("position", "f8", 3),
        ("rotation", "f8", 4),
        ("extra", "f8", 3),
        ("offset", "f8"),
        ("memory", "u8"),
        ("out", "u8"),
    ],
    align=True,
)
"""See sb_sense.h."""

ERROR_TEXT = 1024
"""Characters of an error, SB_ERROR_TEXT of sb_guard.h."""


class SenseKind(IntEnum):
    """What a sensor reads."""

    ACCELERATION = 0
    TURN = 1
    BOTH = 2
    ATTITUDE = 3
    DIRECTION = 4
    PLACE = 5
    HEIGHT = 6
    AXIS = 7


class SensePlan:
    """Some of the sensors, to be read together again and again; `elapsed` is the time since each was [s]."""

    def __init__(self, rows: NDArray[np.int32]) -> None:
        self._rows = np.ascontiguousarray(rows, dtype=np.int32)
        self.elapsed = np.zeros(len(rows))
        self.arguments = (self._rows.ctypes.data, len(rows), self.elapsed.ctypes.data)


class Senses:
    """A table of plain sensors of one simulation.

    Args:
        model: The model.
        data: Its state.
        table: One row (SENSE) per sensor, kept alive here.
        keep: Whatever the addresses in the table point into.
    """

    def __init__(self, model: Any, data: Any, table: NDArray[Any], keep: tuple[Any, ...]) -> None:
        library = load_library()
        if not hasattr(library, "sb_sense_size") or library.sb_sense_size() != SENSE.itemsize:
            raise NativeUnavailable("the native step was built from another source")
        self._call = library.sb_sense
        pointer, integer = ctypes.c_void_p, ctypes.c_int
        self._call.argtypes = [pointer] * 4 + [integer, pointer, integer, pointer]
        self._call.restype = integer
        self._error = ctypes.create_string_buffer(ERROR_TEXT)
        self._table, self._keep, self._owner = np.ascontiguousarray(table), keep, (model, data)
        self._start = (model._address, data._address, self._table.ctypes.data)

    def read(self, plan: SensePlan, poses_are_fresh: bool) -> None:
        """Read sensors; positions of bodies are up to date afterwards."""
        if self._call(*self._start, *plan.arguments, poses_are_fresh, self._error):
            text = self._error.value.decode("utf-8", "replace")
            raise SimulationError(f"MuJoCo: {text}", time=float(self._owner[1].time))
