"""Hands convex parts of hollow meshes to the native step when it asks for them (sb_convex_parts.c)."""

from __future__ import annotations

import ctypes
from typing import Any

import mujoco

from solidbody.contact.layout import StepOutcome
from solidbody.contact.tables import PartsSource

_INTS = ctypes.POINTER(ctypes.c_int32)
_Want = ctypes.CFUNCTYPE(ctypes.c_int, _INTS, ctypes.c_int)


def declare_parts(library: ctypes.CDLL) -> None:
    """Declare the functions of sb_convex_parts.c."""
    pointer, integer = ctypes.c_void_p, ctypes.c_int
    library.sb_on_want.argtypes = [pointer, _Want]
    library.sb_on_want.restype = None
    library.sb_give_pair.argtypes = [pointer, integer, integer, pointer, pointer]
    library.sb_give_pair.restype = integer


class PartsGiver:
    """Answers one native step; keeps alive what it has given."""

    def __init__(self, library: ctypes.CDLL, handle: int, source: PartsSource) -> None:
        self._library, self._handle, self._source = library, handle, source
        self._given: list[Any] = []
        self._problem: BaseException | None = None
        self._want = _Want(self._answer)
        library.sb_on_want(handle, self._want)

    def take_problem(self) -> BaseException | None:
        """Return what went wrong in the last call, once."""
        problem, self._problem = self._problem, None
        return problem

    def _answer(self, pairs: Any, count: int) -> int:
        try:
            both = [(int(pairs[2 * k]), int(pairs[2 * k + 1])) for k in range(count)]
            self._source.prepare([geom for pair in both for geom in pair])
            codes = [self._give_pair(*pair) for pair in both]
        except (
            BaseException
        ) as problem:  # no exception gets through C; the step raises it afterwards
            self._problem = problem
            return int(StepOutcome.STOPPED)
        return max(codes)

    def _give_pair(self, low: int, high: int) -> int:
        model = self._source.pair(low, high)
        data = mujoco.MjData(model)
        self._given.append((model, data))
        addresses: list[int] = [item._address for item in (model, data)]
        return self._library.sb_give_pair(self._handle, low, high, *addresses)
