"""Many copies of one simulation in native code: steps, states and bound arrays, on several threads.

The interpreter lock is released while they run.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from solidbody.contact.batch_tables import BatchTables
from solidbody.contact.layout import SENSE_MEMORY
from solidbody.contact.native import NativeStep, addresses, load_library
from solidbody.contact.tables import CollisionTables, Table

Ids = NDArray[np.int64]

_POINTER, _INT, _LONG = ctypes.c_void_p, ctypes.c_int, ctypes.c_int64

_CALLS: Final[dict[str, tuple[Any, list[Any]]]] = {
    "sb_batch_new": (_POINTER, [_POINTER, _INT, _INT, _POINTER]),
    "sb_batch_set_tables": (_INT, [_POINTER, _POINTER, _POINTER, _POINTER]),
    "sb_batch_free": (None, [_POINTER]),
    "sb_batch_step": (None, [_POINTER, _POINTER, _LONG, _INT, _INT]),
    "sb_batch_watch": (None, [_POINTER, _POINTER, _LONG]),
    "sb_batch_look": (None, [_POINTER, _POINTER, _LONG, _INT, _INT]),
    "sb_batch_read": (None, [_POINTER, _POINTER, _LONG, _INT]),
    "sb_batch_restore": (None, [_POINTER, _POINTER, _LONG, _POINTER, _INT]),
    "sb_batch_save": (None, [_POINTER, _POINTER, _LONG, _POINTER]),
    "sb_batch_place": (None, [_POINTER, _POINTER, _LONG, _POINTER, _POINTER, _POINTER, _INT]),
    "sb_batch_sizes": (None, [_POINTER, _POINTER, _LONG, _POINTER]),
}
"""What each returns and takes."""


@dataclass(slots=True, eq=False)
class SensorState:
    """What sensors of all copies hold, one row per copy.

    Attributes:
        values: What they report.
        memory: SENSE_MEMORY numbers each, after as many that belong to all of them.
        started: Step from which on each counts its periods.
        key: Of the noise.
    """

    values: NDArray[np.float64]
    memory: NDArray[np.float64]
    started: NDArray[np.int64]
    key: NDArray[np.uint64]

    @classmethod
    def zeros(cls, copies: int, key: NDArray[np.uint64], values: int, sensors: int) -> SensorState:
        """Return that of so many values and sensors."""
        memory = np.zeros((copies, SENSE_MEMORY * (sensors + 1)))
        started = np.zeros((copies, sensors), dtype=np.int64)
        return cls(np.zeros((copies, values)), memory, started, key)


class NativeBatch:
    """Copies that lie side by side.

    Args:
        steps: One of each copy.
        rows: (n,) their states.
        clock: (n, 2) steps since the start; 1 where poses of bodies are up to date.
        time: (n,) [s].
        threads: How many may work.
    """

    def __init__(
        self,
        steps: Sequence[NativeStep],
        rows: Table,
        clock: NDArray[np.int64],
        time: NDArray[np.float64],
        threads: int,
    ) -> None:
        self._library = load_library()
        for name, (returns, takes) in _CALLS.items():
            call = getattr(self._library, name)
            call.restype, call.argtypes = returns, takes
        self.outcomes = np.zeros(len(steps), dtype=np.int32)
        """(n,): what became of each copy in the last call that it took part in."""
        self._state_at = np.zeros(len(steps), dtype=np.uint64)
        self._keep = (tuple(steps), rows, clock, time)  # the C side keeps addresses into these
        handles = (_POINTER * len(steps))(*(step.handle for step in steps))
        self._arrays = (rows, clock, time, self.outcomes)
        none = SensorState.zeros(len(steps), np.zeros(len(steps), dtype=np.uint64), 0, 0)
        self._handle = self._library.sb_batch_new(
            ctypes.addressof(handles), len(steps), threads, self._addresses(none)
        )
        if not self._handle:
            raise MemoryError("no memory for the batch")

    def _addresses(self, sensors: SensorState) -> ctypes.Array[ctypes.c_uint64]:
        """Return SbBatchArrays."""
        rows, clock, time, outcomes = self._arrays
        kept = (sensors.values, sensors.memory, sensors.started)
        return (ctypes.c_uint64 * 12)(
            rows.ctypes.data,
            rows.dtype.itemsize,
            *(array.ctypes.data for array in (clock, time, outcomes)),
            *(number for array in kept for number in (array.ctypes.data, array.shape[1])),
            sensors.key.ctypes.data,
        )

    def use(
        self,
        tables: BatchTables,
        sensors: SensorState,
        collision: CollisionTables,
        keep: Sequence[Any],
    ) -> None:
        """Command, sense and read what these tables say; `keep` is what they point into."""
        self._used = (tables, sensors, collision, tuple(keep))
        if self._library.sb_batch_set_tables(
            self._handle,
            ctypes.byref(addresses(tables)),
            self._addresses(sensors),
            ctypes.byref(addresses(collision)),
        ):
            raise MemoryError("no memory for the sensors of the batch")

    def step(self, ids: Ids, n: int, *, commands: bool = True) -> None:
        """Give copies their commands, advance them by `n` steps and read them."""
        self._library.sb_batch_step(self._handle, ids.ctypes.data, len(ids), n, commands)

    def watch(self, ids: Ids) -> None:
        """Sample what is due in copies that were advanced elsewhere."""
        self._library.sb_batch_watch(self._handle, ids.ctypes.data, len(ids))

    def look(self, ids: Ids, sensors: range) -> None:
        """Look for the first time at some sensors, then read."""
        at = ids.ctypes.data
        self._library.sb_batch_look(self._handle, at, len(ids), sensors.start, sensors.stop)

    def read(self, ids: Ids, *, targets: bool = False) -> None:
        """Read copies as they are now; `targets`: the arrays of commands as well."""
        self._library.sb_batch_read(self._handle, ids.ctypes.data, len(ids), targets)

    def save(self, ids: Ids) -> list[NDArray[np.uint8]]:
        """Return the states of copies as bytes (sb_batch_states.c)."""
        sizes = np.zeros(len(ids), dtype=np.int64)
        self._library.sb_batch_sizes(self._handle, ids.ctypes.data, len(ids), sizes.ctypes.data)
        ends = np.cumsum(sizes)
        room = np.empty(int(ends[-1]) if len(ids) else 0, dtype=np.uint8)
        starts = ends - sizes
        self._state_at[ids] = room.ctypes.data + starts.astype(np.uint64)
        at = self._state_at.ctypes.data
        self._library.sb_batch_save(self._handle, ids.ctypes.data, len(ids), at)
        return np.split(room, ends[:-1]) if len(ids) else []

    def restore(
        self, ids: Ids, states: NDArray[np.uint8] | Sequence[NDArray[np.uint8]], *, is_start: bool
    ) -> None:
        """Let copies go on from states: one for all of them, or one for each; then read them."""
        if isinstance(states, np.ndarray):
            self._state_at[ids] = states.ctypes.data
        else:
            self._state_at[ids] = [state.ctypes.data for state in states]
        at = self._state_at.ctypes.data
        self._library.sb_batch_restore(self._handle, ids.ctypes.data, len(ids), at, is_start)

    def place(
        self, ids: Ids, placing: Table, stops: NDArray[np.int32], values: NDArray[np.float64]
    ) -> None:
        """Put one joint or link of copies elsewhere; `values` has one row per copy of the batch."""
        self._library.sb_batch_place(
            self._handle,
            ids.ctypes.data,
            len(ids),
            placing.ctypes.data,
            stops.ctypes.data,
            values.ctypes.data,
            values.shape[1],
        )

    def __del__(self) -> None:
        handle = getattr(self, "_handle", None)
        if handle:
            self._library.sb_batch_free(handle)
