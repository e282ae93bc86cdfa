"""States of copies as bytes (`contact/native/batch/sb_batch_states.c` says how), and as snapshots."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from solidbody.sim.core import PLACES
from solidbody.sim.snapshot import FOREIGN, Snapshot
from solidbody.sim.snapshot_check import check_state
from solidbody.sim.waking import check_sleep

if TYPE_CHECKING:
    from solidbody.sim.core import Core

Packed = NDArray[np.uint8]

_HEAD = struct.Struct("<qq")


@dataclass(frozen=True, slots=True, eq=False)
class SensorRow:
    """What the sensors of one copy hold; `kind` says which they are (`contact/batch.SensorState`)."""

    kind: tuple[tuple[int, float | None], ...]
    key: int
    values: NDArray[np.float64]
    memory: NDArray[np.float64]
    started: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class CopyState:
    """The state of one copy: of the bodies, and of its sensors in the batch that it was taken from."""

    packed: Packed
    has_places: bool = False
    sensors: SensorRow | None = None


@dataclass(frozen=True, slots=True, eq=False)
class BatchSnapshot:
    """The states of some copies; restoring continues bit for bit.

    Attributes:
        copies: The states.
        sizes: Of the fields of one of them [bytes], in their order.
    """

    copies: tuple[CopyState, ...]
    sizes: tuple[tuple[str, int], ...]

    def __len__(self) -> int:
        return len(self.copies)

    @overload
    def __getitem__(self, index: int) -> Snapshot: ...

    @overload
    def __getitem__(self, index: slice | Sequence[int] | NDArray[Any]) -> BatchSnapshot: ...

    def __getitem__(
        self, index: int | slice | Sequence[int] | NDArray[Any]
    ) -> Snapshot | BatchSnapshot:
        """Return the state of one copy, which any simulation of the scene takes, or those of some.

        Args:
            index: A number; or a slice, numbers or a mask.
        """
        chosen = np.arange(len(self))[index]
        if chosen.ndim == 0:
            return _unpacked(self.sizes, self.copies[int(chosen)])
        return BatchSnapshot(tuple(self.copies[k] for k in chosen.ravel().tolist()), self.sizes)


def _parts(core: Core, *, with_places: bool) -> list[tuple[str, int]]:
    """Return the fields of a snapshot in the order of the bytes, with their sizes; the last has none."""
    d, m = core.data, core.model
    places = sum(getattr(m, name).nbytes for name in PLACES) if with_places else 0
    return [
        ("qpos", d.qpos.nbytes),
        ("qvel", d.qvel.nbytes),
        ("qacc", d.qacc.nbytes),
        ("mocap", d.mocap_pos.nbytes + d.mocap_quat.nbytes),
        ("asleep", d.tree_asleep.nbytes),
        ("forces", d.qfrc_applied.nbytes + d.xfrc_applied.nbytes),
        ("state", core.state.rows.nbytes),
        ("places", places),
    ]


def _padding(size: int) -> int:
    return -size % 8


def part_of(core: Core, name: str) -> int:
    """Return where a part begins in the bytes of a state without places."""
    at = _HEAD.size
    for part, size in _parts(core, with_places=False):
        if part == name:
            return at
        at += size + _padding(size)
    raise KeyError(name)


def packed(core: Core, snapshot: Snapshot) -> Packed:
    """Return a snapshot as bytes. Raises ValueError if it does not belong to the simulation."""
    parts = _parts(core, with_places=bool(snapshot.places))
    if not (
        all(len(getattr(snapshot, name)) == size for name, size in parts)
        and check_sleep(core.data, snapshot.asleep)
        and check_state(core.compiled, core.state, snapshot.state)
    ):
        raise ValueError(FOREIGN)
    body = b"".join(getattr(snapshot, name) + bytes(_padding(size)) for name, size in parts)
    body += snapshot.solver
    head = _HEAD.pack(_HEAD.size + len(body), snapshot.step_count)
    return np.frombuffer(head + body, dtype=np.uint8).copy()


def unpacked(core: Core, state: CopyState) -> Snapshot:
    """Return a state as a snapshot."""
    return _unpacked(_parts(core, with_places=True), state)


def _unpacked(sizes: Iterable[tuple[str, int]], state: CopyState) -> Snapshot:
    data = state.packed.tobytes()
    _, steps = _HEAD.unpack_from(data)
    found: dict[str, Any] = {}
    at = _HEAD.size
    for name, most in sizes:
        size = most if name != "places" or state.has_places else 0
        found[name] = data[at : at + size]
        at += size + _padding(size)
    return Snapshot(step_count=steps, solver=data[at:], **found)


def snapshot_of(core: Core, states: Sequence[CopyState]) -> BatchSnapshot:
    """Return the states of some copies together."""
    return BatchSnapshot(tuple(states), tuple(_parts(core, with_places=True)))


def states_for(core: Core, state: Snapshot | BatchSnapshot, count: int) -> list[CopyState]:
    """Return one state for each of so many copies."""
    if isinstance(state, BatchSnapshot):
        if len(state) != count:
            raise ValueError(
                f"{count} copies need as many states, got {len(state)}; snapshot[ids] has those of some"
            )
        return list(state.copies)
    return [CopyState(packed(core, state), bool(state.places))] * count
