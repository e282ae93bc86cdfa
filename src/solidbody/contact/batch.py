"""Steps many simulations in one native call, on several threads, without the interpreter's lock."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import numpy as np

from solidbody.contact.layout import StepOutcome
from solidbody.contact.native import NativeStep, load_library


class BatchStep:
    """The steps of several simulations, advanced together."""

    def __init__(self, steps: Sequence[NativeStep]) -> None:
        self._library = load_library()
        self._library.sb_run_many.restype = None
        self._library.sb_run_many.argtypes = [
            ctypes.c_void_p,
            ctypes.c_int,
            ctypes.c_int,
            ctypes.c_int,
            ctypes.c_void_p,
        ]
        self._steps = tuple(steps)  # their memory must stay
        self._handles = (ctypes.c_void_p * len(steps))(*(step.handle for step in steps))
        self._outcomes = np.zeros(len(steps), dtype=np.int32)

    def run(self, steps: int, threads: int) -> list[StepOutcome]:
        """Advance all by `steps` steps; return what became of each."""
        self._library.sb_run_many(
            ctypes.addressof(self._handles),
            len(self._steps),
            steps,
            threads,
            self._outcomes.ctypes.data,
        )
        return [StepOutcome(int(outcome)) for outcome in self._outcomes]
