"""Many copies of one simulation in native code: steps, states and bound arrays, on several threads.

The interpreter lock is released while they run.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from solidbody.contact.batch_tables import BatchTables
from solidbody.contact.layout import SENSE_MEMORY, VariedTable
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
    "sb_model_field": (_LONG, [ctypes.c_char_p]),
    "sb_batch_own_models": (_INT, [_POINTER, _POINTER, _LONG, _POINTER]),
    "sb_batch_write_model": (None, [_POINTER, _POINTER, _LONG, _LONG, _LONG, _INT, _POINTER]),
    "sb_batch_write_gravity": (None, [_POINTER, _POINTER, _LONG, _POINTER]),
    "sb_batch_test_all_pairs": (None, [_POINTER, _POINTER, _LONG]),
    "sb_batch_work_out": (_INT, [_POINTER, _POINTER, _LONG]),
    "sb_batch_adopt": (None, [_POINTER, _POINTER, _LONG, _POINTER]),
    "sb_batch_vary_tables": (_INT, [_POINTER, _POINTER]),
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
        """Let copies go on from states; then read them.

        `states`: One for all of them, or a row for each copy of the batch, or one for each of `ids`.
        """
        if isinstance(states, np.ndarray):
            row = np.uint64(states.strides[0] if states.ndim > 1 else 0)
            self._state_at[ids] = np.uint64(states.ctypes.data) + row * ids.astype(np.uint64)
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

    # ------------------------------------------------------------------ constants by copy

    def own_models(self, ids: Ids, model: Any) -> None:
        """Let copies have models of MuJoCo of their own, which begin as `model`."""
        if self._library.sb_batch_own_models(
            self._handle, ids.ctypes.data, len(ids), model._address
        ):
            raise MemoryError("no memory for models of copies")

    def write_model(self, ids: Ids, field: str, first: int, values: NDArray[np.float64]) -> None:
        """Write numbers of an array of own models, from place `first` on; one row per entry of `ids`."""
        at = self._library.sb_model_field(field.encode())
        if at < 0:
            raise ValueError(f"MuJoCo's model has no array of numbers {field}")
        rows = np.ascontiguousarray(values, dtype=np.float64).reshape(len(ids), -1)
        self._library.sb_batch_write_model(
            self._handle, ids.ctypes.data, len(ids), at, first, rows.shape[1], rows.ctypes.data
        )

    def write_gravity(self, ids: Ids, values: NDArray[np.float64]) -> None:
        """Write the gravity of own models."""
        rows = np.ascontiguousarray(values, dtype=np.float64)
        self._library.sb_batch_write_gravity(
            self._handle, ids.ctypes.data, len(ids), rows.ctypes.data
        )

    def test_all_pairs(self, ids: Ids) -> None:
        """Let own models do without MuJoCo's trees of boxes."""
        self._library.sb_batch_test_all_pairs(self._handle, ids.ctypes.data, len(ids))

    def work_out(self, ids: Ids) -> None:
        """Work out what follows from the masses of own models; `outcomes` says where that failed."""
        if self._library.sb_batch_work_out(self._handle, ids.ctypes.data, len(ids)):
            raise MemoryError("no memory for models of copies")

    def adopt(self, ids: Ids, tables: Mapping[VariedTable, Table]) -> None:
        """Let the steps of copies use their own models and tables from now on."""
        where = self._varied(tables)
        self._library.sb_batch_adopt(self._handle, ids.ctypes.data, len(ids), where.ctypes.data)

    def vary_tables(self, tables: Mapping[VariedTable, Table]) -> None:
        """Let copies be told and asked what their own tables say."""
        where = self._varied(tables)
        if self._library.sb_batch_vary_tables(self._handle, where.ctypes.data):
            raise MemoryError("no memory for tables of copies")
        self._own_tables = dict(tables)

    @staticmethod
    def _varied(tables: Mapping[VariedTable, Table]) -> NDArray[np.int64]:
        """Return SbVaried rows of arrays (copies, rows)."""
        out = np.zeros((len(VariedTable), 2), dtype=np.int64)
        for which, table in tables.items():
            if table.size:
                out[which] = table.ctypes.data, table.strides[0]
        return out

    def __del__(self) -> None:
        handle = getattr(self, "_handle", None)
        if handle:
            self._library.sb_batch_free(handle)
