"""The state of all worlds on a device, and their step."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import warp as wp
from numpy.typing import NDArray

from solidbody.gpu import layout
from solidbody.gpu.device import GpuDeviceError, check_room
from solidbody.gpu.kernels import LANES, STEP, cpu_kernels, cuda_kernels
from solidbody.gpu.model_tables import ModelTables

STAT_NAMES: Final = ("pivots", "unsolved", "lost", "dropped", "contacts", "steps")
"""Columns of `Worlds.stat`, see ST_* in `native/sb_step_world.h`."""

_DTYPES: Final = {"double": wp.float64, "int": wp.int32, "signed char": wp.int8}


def address_of(array: Any) -> int:
    """Return where an array begins on its device."""
    return int(array.ptr)


class SightStruct(ctypes.Structure):
    """`SbSight` of `native/sb_sight.h`."""

    _fields_ = (
        ("shapes", ctypes.c_int),
        *((name, ctypes.c_void_p) for name in ("shape_ints", "node_ints", "shape_reals", "nodes")),
        *((name, ctypes.c_void_p) for name in ("triangles", "normals", "rays", "curves")),
        *((name, ctypes.c_void_p) for name in ("felt", "felt_geoms")),
    )


class ItemsStruct(ctypes.Structure):
    """`SbItems` of `native/sb_look.h`."""

    _fields_ = (
        ("count", ctypes.c_int),
        ("ints", ctypes.c_void_p),
        ("reals", ctypes.c_void_p),
        ("array", ctypes.c_void_p),
        ("stride", ctypes.c_void_p),
        ("memory", ctypes.c_void_p),
        ("elapsed", ctypes.c_double),
        *((name, ctypes.c_void_p) for name in ("key", "clock")),
        ("steps", ctypes.c_int64),
        ("raw", ctypes.c_void_p),
        ("raw_width", ctypes.c_int64),
        ("sight", SightStruct),
    )


@dataclass(frozen=True)
class WorldItem:
    """One thing that is read of every world, or told to it.

    Attributes:
        kind: SB_LOOK_* of `native/sb_look.h`; of commands the mode of the motor.
        where: A column, or a body of the kernels (-1: it stands still).
        reals: Eleven numbers: position, orientation, extra, offset; of commands the limits.
        array: Of all worlds.
        offset: Of its first number in the row of a world.
        first: Of its rays.
        count: Of its rays.
        skip: Group that they do not meet, -1: none.
        flags: SB_IS_SONAR ...
        curve: First row of its look-up table.
        curve_rows: How many.
        hidden: Components that are left out, a bit each.
        width: How many numbers look-up table and steps are for.
        reach: Of rays [m].
        step: Of readings; NaN = none.
        device: Whose noise it has.
        noise: Standard deviation of what is added; look-up tables have noise of their own.
    """

    kind: int
    where: int
    reals: tuple[float, ...]
    array: Any
    offset: int
    first: int = 0
    count: int = 0
    skip: int = -1
    flags: int = 0
    curve: int = 0
    curve_rows: int = 0
    hidden: int = 0
    width: int = 0
    reach: float = 0.0
    step: float = math.nan
    device: int = 0
    noise: float = 0.0

    @property
    def ints(self) -> tuple[int, ...]:
        """IT_* of `native/sb_look.h`."""
        rays = (self.first, self.count, self.skip, self.flags)
        curve = (self.curve, self.curve_rows, self.hidden, self.width)
        return (self.kind, self.where, *rays, *curve, self.device)


@dataclass(frozen=True)
class Sight:
    """What rays meet, and the rays and look-up tables of sensors: tables of `native/sb_sight.h`."""

    ints: Mapping[str, NDArray[np.int32]]
    reals: Mapping[str, NDArray[np.float64]]
    shapes: int

    @staticmethod
    def nothing() -> Sight:
        """Return that there is none."""
        return Sight({}, {}, 0)


class WorldItems:
    """WorldItems on a device.

    Args:
        items: What they are.
        worlds: How many worlds.
        device: Where.
        elapsed: Time from one reading to the next [s]; 0: nothing was accelerated.
        sight: What their rays meet.
        memory: Of the velocities at the last reading; None = new.
        noise: Keys of the noise of all worlds, and the steps that each has made; None = there is none.
        steps: From one reading to the next.
        raw: (worlds, columns) what sensors have seen, to be finished; None = there are none.
    """

    def __init__(
        self,
        items: Sequence[WorldItem],
        worlds: int,
        device: Any,
        elapsed: float,
        *,
        sight: Sight | None = None,
        memory: Any = None,
        noise: tuple[Any, Any] | None = None,
        steps: int = 0,
        raw: Any = None,
    ) -> None:
        self.items = tuple(items)
        self.sight = sight or Sight.nothing()
        ints = np.array([item.ints for item in items], dtype=np.int32)
        reals = np.array(
            [(*item.reals, item.reach, item.step, item.noise) for item in items], dtype=np.float64
        )
        strides = [int(np.prod(item.array.shape[1:], dtype=int)) for item in items]
        firsts = [item.array.ptr + 8 * item.offset for item in items]
        self._keep = (
            wp.array(ints.ravel(), dtype=wp.int32, device=device),
            wp.array(reals.ravel(), dtype=wp.float64, device=device),
            wp.array(np.array(firsts, dtype=np.uint64), dtype=wp.uint64, device=device),
            wp.array(np.array(strides, dtype=np.int32), dtype=wp.int32, device=device),
        )
        self._memory = memory or wp.zeros(
            (worlds, max(1, 3 * len(items))), dtype=wp.float64, device=device
        )
        self._tables = {
            name: wp.array(np.ascontiguousarray(rows).ravel(), dtype=kind, device=device)
            for rows_of, kind in ((self.sight.ints, wp.int32), (self.sight.reals, wp.float64))
            for name, rows in rows_of.items()
            if rows.size
        }
        places_of = {name: array.ptr for name, array in self._tables.items()}
        seen = SightStruct(shapes=self.sight.shapes, **places_of)
        self._noise = noise
        keys = (0, 0) if noise is None else (noise[0].ptr, noise[1].ptr)
        places = (*(a.ptr for a in self._keep), self._memory.ptr)
        self._raw = raw
        seeing = (0, 0) if raw is None else (raw.ptr, raw.shape[1])
        struct = ItemsStruct(len(items), *places, elapsed, *keys, steps, *seeing, seen)
        self.raw = wp.array(
            np.frombuffer(bytes(struct), dtype=np.uint8), dtype=wp.uint8, device=device
        )

    @property
    def memory(self) -> Any:
        """The velocities at the last reading."""
        return self._memory


class Worlds:
    """Arrays of `count` worlds, one row each, on one device.

    Args:
        tables: The model.
        count: How many worlds.
        device: A device of Warp.
    """

    def __init__(self, tables: ModelTables, count: int, device: Any) -> None:
        self.tables, self.count, self.device = tables, count, device
        c = tables.counts
        cuda = device.is_cuda
        self._memory = (
            layout.cuda_memory(layout.cuda_counts(c))
            if cuda
            else layout.working_memory(c, registers=False)
        )
        widths = {
            "QPOS": c["NQ"],
            "QVEL": c["NV"],
            "QACC": c["NV"],
            "MOTOR": 6 * c["AXES"],
            "COMMAND": 10 * c["AXES"],
            "REST": 2 * c["TREES"],
            "PLACE": 7 * c["MOVERS"],
            "FORCE": 3 * c["BODIES"],
            "SIDES": 2 * (3 * c["NV"] + c["MAX_DENSE"]),
            "KEYS": 1 + 2 * c["MAX_CONTACTS"],
            "STAT": len(STAT_NAMES),
            "TOUCH": c["GEOMS"],
            "FAILED": 1,
            "ACTIVE": 1,
        }
        # sides are laid out for fixed rows and as many dense ones again: see sb_recall
        widths["SIDES"] += 2 * c["FIXED"]
        self.widths = {name: max(1, width) for name, width in widths.items()}
        self.state: dict[str, Any] = {}
        check_room(device, count, self.bytes_each + (self._memory.far_bytes if cuda else 0))
        try:
            self.state = {
                name: wp.zeros((count, self.widths[name]), dtype=_DTYPES[kind], device=device)
                for name, kind in layout.STATES.items()
            }
            doubles = self._memory.near_doubles + self._memory.far_doubles
            if cuda:
                doubles = self._memory.far_bytes // 8 * count
            self._scratch = wp.zeros(max(1, doubles), dtype=wp.float64, device=device)
        except RuntimeError as error:
            each = (self.bytes_each + self._memory.far_bytes) / 1024
            raise GpuDeviceError(
                f"{count} worlds of {each:.1f} KiB each do not fit on device {device.alias}: {error}"
            ) from None
        self._constants = {name: self._upload(name) for name in tables.tables}
        self.struct = self._make_struct()
        self._raw = self._upload_struct()
        self._varied: set[str] = set()
        self._kernels = cuda_kernels(tables, self._memory) if cuda else cpu_kernels()

    @property
    def bytes_each(self) -> int:
        """Memory of the state of one world."""
        sizes = {"double": 8, "int": 4, "signed char": 1}
        return sum(sizes[layout.STATES[name]] * width for name, width in self.widths.items())

    def _upload(self, name: str) -> Any:
        if name in layout.RAW_TABLES:
            raw = np.frombuffer(self.tables.tables[name].tobytes() or bytes(1), dtype=np.uint8)
            return wp.array(raw, dtype=wp.uint8, device=self.device)
        real = name in layout.REAL_TABLES
        values = np.ascontiguousarray(
            self.tables.tables[name], dtype=np.float64 if real else np.int64
        ).ravel()
        if not real:
            values = values.astype(np.uint32).view(np.int32)  # masks use the sign bit
        if not len(values):
            values = np.zeros(1, dtype=values.dtype)
        return wp.array(values, dtype=wp.float64 if real else wp.int32, device=self.device)

    def _upload_struct(self) -> Any:
        raw = np.frombuffer(bytes(self.struct), dtype=np.uint8)
        return wp.array(raw, dtype=wp.uint8, device=self.device)

    def vary(self, name: str, values: NDArray[np.float64]) -> None:
        """Give each world a table of its own: one row for each. Graphs made before do not know it."""
        rows = np.ascontiguousarray(values.reshape(self.count, -1))
        self._constants[name] = wp.array(rows.ravel(), dtype=wp.float64, device=self.device)
        setattr(self.struct, f"m_{name}", self._constants[name].ptr)
        setattr(self.struct, f"v_{name}", rows.shape[1])
        self._raw = self._upload_struct()
        if self.device.is_cuda and name not in self._varied:
            self._varied.add(name)
            self._kernels = cuda_kernels(self.tables, self._memory, sorted(self._varied))

    def _make_struct(self) -> layout.ModelStruct:
        out = layout.ModelStruct()
        for name, value in self.tables.counts.items():
            setattr(out, f"n_{name}", value)
        for name, (_, at) in self._memory.near.items():
            setattr(out, f"n_o_{name}", at)
        for name, (_, at) in self._memory.far.items():
            setattr(out, f"n_o_{name}", self._memory.near_doubles + at)
        out.n_NEAR_ROWS = self._memory.near_rows
        out.x_SCRATCH = self._scratch.ptr
        for name, value in self.tables.reals.items():
            setattr(out, f"r_{name}", value)
        for name, array in self._constants.items():
            setattr(out, f"m_{name}", array.ptr)
        for name, array in self.state.items():
            setattr(out, f"s_{name}", array.ptr)
        return out

    def step(self) -> None:
        """Run one step of the worlds that are active and have not failed."""
        if self.device.is_cuda:
            for call, each in STEP.items():
                if call in self._kernels:
                    self.launch(call, team=LANES // each)
        else:
            self.launch("step")

    def launch(self, call: str, items: WorldItems | None = None, *, team: int = LANES) -> None:
        """Run a kernel over all worlds, each of them by so many threads of a GPU."""
        cuda = self.device.is_cuda
        wp.launch(
            self._kernels[call],
            dim=self.count * (team if cuda else 1),
            inputs=[
                wp.uint64(address_of(self._raw)),
                wp.uint64(address_of(items.raw) if items else 0),
            ],
            device=self.device,
            block_dim=LANES if cuda else 256,
        )

    def load(self) -> None:
        """Compile and load the kernels, if that has not been done."""
        for kernel in self._kernels.values():
            kernel.module.load(self.device, LANES if self.device.is_cuda else 256)
