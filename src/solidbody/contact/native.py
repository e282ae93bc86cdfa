"""Loads and calls the native step: our C library, beside the MuJoCo library that Python already uses."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from solidbody.base.errors import SimulationError, SolidbodyError
from solidbody.contact import layout, state
from solidbody.contact import tables as t
from solidbody.contact.build import MUJOCO_DLL, library_path
from solidbody.contact.c_header import columns, layout_hash
from solidbody.contact.layout import StepOutcome
from solidbody.contact.native_parts import PartsGiver, declare_parts

if TYPE_CHECKING:
    import mujoco

REBUILD = "rebuild it with: python -m solidbody.contact.build"
_OUTCOMES = tuple(StepOutcome)
"""By what the library returns."""


class NativeUnavailable(SolidbodyError):
    """The native step cannot be used; the text says why and what to do."""


def mujoco_library() -> Path:
    """Return the library inside the installed mujoco package."""
    import mujoco

    folder = Path(cast(str, mujoco.__file__)).parent
    names = (MUJOCO_DLL,) if sys.platform == "win32" else ("libmujoco*", "**/libmujoco*")
    found = next(filter(None, (sorted(folder.glob(name)) for name in names)), None)
    if found is None:
        raise NativeUnavailable("the mujoco package has no libmujoco beside it")
    return found[0]


def _open() -> ctypes.CDLL:
    if not library_path().exists():
        raise NativeUnavailable(
            f"the native step is not built (no C compiler at install time?); {REBUILD}"
        )
    # our library leaves MuJoCo's symbols open: make the ones already loaded visible to it
    # (Windows finds a loaded library by its name)
    ctypes.CDLL(str(mujoco_library()), mode=ctypes.RTLD_GLOBAL)
    try:
        return ctypes.CDLL(str(library_path()))
    except OSError as error:
        raise NativeUnavailable(f"the native step does not load ({error}); {REBUILD}") from error


PATCHES: Final = 1000
"""Numbers of versions have three digits for the patch release, which leaves structs as they are."""


def _check(library: ctypes.CDLL) -> None:
    """Refuse a library that was built for another MuJoCo or other tables."""
    import mujoco

    try:
        library.sb_layout_hash.restype = ctypes.c_uint64
        version, found = library.sb_mujoco_version(), library.sb_layout_hash()
    except AttributeError:
        raise NativeUnavailable(
            f"the native step was built from an older source; {REBUILD}"
        ) from None
    if version // PATCHES != mujoco.mj_version() // PATCHES:
        raise NativeUnavailable(
            f"the native step was built for MuJoCo {version}, but MuJoCo {mujoco.mj_version()} "
            f"({mujoco.__version__}) is installed; {REBUILD}"
        )
    if found != layout_hash():
        raise NativeUnavailable(
            f"the native step was built for other tables (layout {found:016x}, but this package has "
            f"{layout_hash():016x}); {REBUILD}"
        )


def addresses(tables: Any) -> ctypes.Structure:
    """Return SbTables or another struct of tables: where arrays, which must stay, lie; their lengths."""
    items = columns(type(tables))
    counted = [item for item in items if item.metadata["count"]]

    class Pointers(ctypes.Structure):
        _fields_ = [
            *((item.name, ctypes.c_void_p) for item in items),
            *((item.metadata["count"], ctypes.c_int32) for item in counted),
        ]

    arrays = [_address(getattr(tables, item.name)) for item in items]
    return Pointers(*arrays, *(len(getattr(tables, item.name)) for item in counted))


def _declare(library: ctypes.CDLL) -> None:
    pointer, integer = ctypes.c_void_p, ctypes.c_int
    library.sb_new.argtypes = [pointer] * 4
    library.sb_new.restype = pointer
    library.sb_make_data.argtypes = [pointer]
    library.sb_make_data.restype = pointer
    for name in ("sb_keep_data", "sb_move_data", "sb_reset_data"):
        getattr(library, name).argtypes = [pointer, pointer]
        getattr(library, name).restype = None
    for name in ("sb_qpos", "sb_qvel", "sb_qacc"):
        getattr(library, name).argtypes = [pointer]
        getattr(library, name).restype = pointer
    library.sb_adopt.argtypes = [pointer] * 4
    library.sb_adopt.restype = None
    library.sb_set_collision.argtypes = [pointer, pointer]
    library.sb_set_collision.restype = integer
    declare_parts(library)
    library.sb_free.argtypes = [pointer]
    library.sb_free.restype = None
    library.sb_set_threads.argtypes = [pointer, integer]
    library.sb_set_threads.restype = None
    library.sb_run.argtypes = [pointer, integer]
    library.sb_run.restype = integer
    library.sb_error_text.argtypes = [pointer]
    library.sb_error_text.restype = ctypes.c_char_p
    library.sb_find_contacts.argtypes = [pointer]
    library.sb_find_contacts.restype = integer
    library.sb_hold_frames.argtypes = [pointer, integer]
    library.sb_hold_frames.restype = integer
    library.sb_terrain_points.argtypes = [pointer, integer, integer, pointer]
    library.sb_terrain_points.restype = integer
    library.sb_clear.argtypes = [pointer]
    library.sb_clear.restype = None
    library.sb_stats.argtypes = [pointer]
    library.sb_stats.restype = pointer
    library.sb_memory_size.argtypes = [pointer]
    library.sb_memory_size.restype = ctypes.c_int64
    library.sb_memory_get.argtypes = [pointer, pointer]
    library.sb_memory_get.restype = None
    library.sb_memory_set.argtypes = [pointer, pointer, ctypes.c_int64]
    library.sb_memory_set.restype = integer


_loaded: list[ctypes.CDLL] = []


def load_library() -> ctypes.CDLL:
    """Return the checked library, or raise NativeUnavailable. Loaded once per process."""
    if not _loaded:
        library = _open()
        _check(library)
        _declare(library)
        _loaded.append(library)
    return _loaded[0]


def _address(array: t.Table | NDArray[np.float64] | NDArray[np.uint8]) -> int:
    return array.ctypes.data


def _state_struct(
    at: state.StepState, model: mujoco.MjModel, *, owns_model: bool
) -> ctypes.Array[ctypes.c_void_p]:
    parts = [_address(getattr(at, name)) for name in state.PARTS if name != "random"]
    places = [model.body_pos, model.body_quat]
    # ctypes takes None for NULL
    addresses = [*parts, *(_address(array) if owns_model else None for array in places)]
    return (ctypes.c_void_p * len(addresses))(*addresses)


class NativeStep:
    """One simulation's native step. The interpreter lock is released while it runs."""

    name = "native"

    def __init__(
        self,
        model: mujoco.MjModel,
        data: mujoco.MjData | None,
        tables: t.StepTables,
        at: state.StepState,
        *,
        owns_model: bool = False,
        threads: int = 1,
    ) -> None:
        self._library = load_library()
        # the C side keeps addresses into these: hold them for as long as the step lives
        self._model, self._data, self._tables, self._state = model, data, tables, at
        own = None if data is not None else self._library.sb_make_data(model._address)
        if data is None and not own:
            raise MemoryError("no memory for MuJoCo's state")
        self._handle = self._library.sb_new(
            model._address,
            own if data is None else data._address,
            ctypes.byref(addresses(tables)),
            _state_struct(at, model, owns_model=owns_model),
        )
        if not self._handle:
            raise MemoryError("no memory for the native step")
        if own:
            self._library.sb_keep_data(self._handle, own)
        self._set_collision(tables)
        self.use_threads(threads)
        stats = self._library.sb_stats(self._handle)
        buffer = (ctypes.c_char * layout.STATS.itemsize).from_address(stats)
        self.stats: t.Table = np.frombuffer(cast(bytes, buffer), dtype=layout.STATS)

    def _set_collision(self, tables: t.StepTables) -> None:
        collision = ctypes.byref(addresses(tables.collision))
        if self._library.sb_set_collision(self._handle, collision):
            raise MemoryError("no memory for the terrain of the native step")
        source = tables.collision.parts
        self._parts = None if source is None else PartsGiver(self._library, self._handle, source)

    def adopt(self, model: mujoco.MjModel, tables: t.StepTables, *, owns_model: bool) -> None:
        """See `Step.adopt`."""
        places = _state_struct(self._state, model, owns_model=owns_model)
        self._library.sb_adopt(
            self._handle, model._address, ctypes.byref(addresses(tables)), places
        )
        if tables.collision is not self._tables.collision:
            self._set_collision(tables)
        self._model, self._tables = model, tables

    @property
    def data(self) -> mujoco.MjData:
        """See `Step.data`. A step that began without it takes it when somebody asks."""
        if self._data is None:
            import mujoco

            data = mujoco.MjData(self._model)
            self._library.sb_move_data(self._handle, data._address)
            self._data = data
        return self._data

    def _values(self, name: str, count: int) -> NDArray[np.float64]:
        """Return a view of numbers of MuJoCo's state."""
        if not count:
            return np.zeros(0)
        at = getattr(self._library, name)(self._handle)
        numbers = (ctypes.c_double * count).from_address(at)
        return np.frombuffer(cast(bytes, numbers))

    @property
    def qpos(self) -> NDArray[np.float64]:
        """See `Step.qpos`."""
        return self._values("sb_qpos", self._model.nq).copy()

    @property
    def qvel(self) -> NDArray[np.float64]:
        """See `Step.qvel`."""
        return self._values("sb_qvel", self._model.nv).copy()

    @property
    def qacc(self) -> NDArray[np.float64]:
        """See `Step.qacc`."""
        return self._values("sb_qacc", self._model.nv).copy()

    def begin(self, qvel: NDArray[np.float64], qacc: NDArray[np.float64] | None) -> None:
        """See `Step.begin`."""
        velocity = np.ascontiguousarray(qvel, dtype=np.float64)
        self._library.sb_reset_data(self._handle, _address(velocity))
        if qacc is not None:
            self._values("sb_qacc", self._model.nv)[:] = qacc

    @property
    def handle(self) -> int:
        """Address of the step, for calls that advance several at once."""
        return self._handle

    def use_threads(self, threads: int) -> None:
        """Let at most `threads` threads share the islands of one step; results are the same bytes."""
        self._library.sb_set_threads(self._handle, threads)

    def run(self, steps: int) -> StepOutcome:
        """Advance by `steps` steps."""
        outcome = _OUTCOMES[self._library.sb_run(self._handle, steps)]
        if outcome is StepOutcome.STOPPED:
            self.raise_problem()
        return outcome

    def raise_problem(self) -> None:
        """Raise what made the step stop, such as Ctrl-C while meshes are cut."""
        problem = self._parts.take_problem() if self._parts else None
        raise problem or MemoryError("no memory for the parts of meshes")

    @property
    def error_text(self) -> str:
        """See `Step.error_text`."""
        return self._library.sb_error_text(self._handle).decode("utf-8", "replace")

    def find_contacts(self) -> None:
        """See `Step.find_contacts`."""
        match StepOutcome(self._library.sb_find_contacts(self._handle)):
            case StepOutcome.OK:
                return
            case StepOutcome.STOPPED:
                self.raise_problem()
            case StepOutcome.MUJOCO:
                raise SimulationError(f"MuJoCo: {self.error_text}", time=float(self.data.time))
            case _:
                raise MemoryError("no memory for the contacts of the native step")

    def hold_frames(self, body: int) -> None:
        """See `Step.hold_frames`."""
        if self._library.sb_hold_frames(self._handle, body):
            raise MemoryError("no memory for the frames of the native step")

    def terrain_points(self, terrain: int, geom: int) -> NDArray[np.float64]:
        """See `Step.terrain_points`."""
        out = np.empty((layout.PATCH_POINTS, 4))
        count = self._library.sb_terrain_points(self._handle, terrain, geom, _address(out))
        if count < 0:
            raise MemoryError("no memory for the terrain of the native step")
        return out[:count]

    def clear(self) -> None:
        """Forget warm starts and statistics."""
        self._library.sb_clear(self._handle)

    def loop_forces(self) -> NDArray[np.float64]:
        """See `Step.loop_forces`; they are what the next step starts from."""
        count = int(self._tables.world["loops"][0])
        # two values per row, those of the first phase and of the second
        tail = self.memory()[-12 * 8 * count :] if count else b""
        return np.frombuffer(tail, dtype=np.float64).reshape(count, 6, 2)[:, :, 1].copy()

    def memory(self) -> bytes:
        """Return the warm-start memory."""
        out = np.empty(self._library.sb_memory_size(self._handle), dtype=np.uint8)
        self._library.sb_memory_get(self._handle, _address(out))
        return out.tobytes()

    def restore_memory(self, memory: bytes) -> None:
        """Take back what `memory` returned."""
        array = np.frombuffer(memory, dtype=np.uint8)
        if not self._library.sb_memory_set(self._handle, _address(array), array.size):
            raise ValueError("the snapshot does not belong to this simulation")

    def __del__(self) -> None:
        handle = getattr(self, "_handle", None)
        if handle:
            self._library.sb_free(handle)
