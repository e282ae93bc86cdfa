"""Reads plain sensors (those without noise or curves) in one native call."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solidbody.base.errors import SimulationError
from solidbody.contact import layout
from solidbody.contact.native import load_library


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
        self._call = library.sb_sense
        pointer, integer = ctypes.c_void_p, ctypes.c_int
        self._call.argtypes = [pointer] * 4 + [integer, pointer, integer, pointer]
        self._call.restype = integer
        self._error = ctypes.create_string_buffer(layout.ERROR_TEXT)
        self._table, self._keep, self._owner = np.ascontiguousarray(table), keep, (model, data)
        self._start = (model._address, data._address, self._table.ctypes.data)

    def read(self, plan: SensePlan, poses_are_fresh: bool) -> None:
        """Read sensors; positions of bodies are up to date afterwards."""
        if self._call(*self._start, *plan.arguments, poses_are_fresh, self._error):
            text = self._error.value.decode("utf-8", "replace")
            raise SimulationError(f"MuJoCo: {text}", time=float(self._owner[1].time))
