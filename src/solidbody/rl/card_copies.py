"""Copies on a graphics card for tasks written in numpy: arrays of the host that follow those of the device.

A step sends all commands to the device at once, and brings back everything that is bound.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
import warp as wp
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from solidbody.sim import Sim
    from solidbody.sim.batch.device_batch import DeviceBatch, DeviceSnapshot


class CardCopies:
    """The part of a batch that tasks use, over one on a device.

    Args:
        batch: On the device.
    """

    def __init__(self, batch: DeviceBatch) -> None:
        self._batch = batch
        self._pairs: dict[int, tuple[Any, Any, bool]] = {}  # by the device's array: it, the host's
        self.failed: NDArray[np.bool_] = batch.failed
        """(n,): copies that cannot go on until they are reset."""

    def __len__(self) -> int:
        return len(self._batch)

    @property
    def channels(self) -> Any:
        """What can be bound."""
        return self._batch.channels

    @property
    def time(self) -> NDArray[np.float64]:
        """(n,): simulated time since the start [s]."""
        return self._batch.time

    def bind(self, name: str, items: Any = None, *, period: float | None = None) -> Any:
        """Return a live array of numpy; see `Batch.bind`."""
        array = self._batch.bind(name, items, period=period)
        if id(array) not in self._pairs:
            pinned = self._batch.device.is_cuda
            host = wp.empty(array.shape, dtype=array.dtype, device="cpu", pinned=pinned)
            self._pairs[id(array)] = (array, host, self.channels[name].writable)
            wp.copy(host, array)
            self._wait()
        return self._pairs[id(array)][1].numpy()

    def _wait(self) -> None:
        wp.synchronize_device(self._batch.device)

    def _send(self) -> None:
        for array, host, is_command in self._pairs.values():
            if is_command:
                wp.copy(array, host)

    def _fetch(self, *, commands: bool = False) -> None:
        for array, host, is_command in self._pairs.values():
            if commands or not is_command:
                wp.copy(host, array)
        self._wait()
        self.failed = self._batch.failed

    def step(self, n: int = 1, ids: Any = None, on_error: str = "raise") -> None:
        """Advance copies; see `Batch.step`."""
        self._send()
        self._batch.step(n, ids, on_error)
        self._fetch()

    def reset(
        self, ids: Any = None, seeds: ArrayLike | None = None, state: DeviceSnapshot | None = None
    ) -> None:
        """Go back to the start, or to a snapshot; see `Batch.reset`."""
        self._send()
        self._batch.reset(ids, seeds, state)
        self._fetch(commands=True)

    def restore(self, snapshot: DeviceSnapshot, ids: Any = None) -> None:
        """Continue from states; see `Batch.restore`."""
        self._send()
        self._batch.restore(snapshot, ids)
        self._fetch(commands=True)

    def snapshot(self, ids: Any = None) -> DeviceSnapshot:
        """Return the complete states of copies."""
        return self._batch.snapshot(ids)

    def place(self, name: str, values: ArrayLike, items: Any = None, ids: Any = None) -> None:
        """Put joints or links elsewhere; see `Batch.place`."""
        self._batch.place(name, values, items, ids)
        self._fetch()

    def vary(self, name: str, values: ArrayLike | None, items: Any = None, ids: Any = None) -> None:
        """Let constants differ from copy to copy; see `Batch.vary`."""
        self._batch.vary(name, values, items, ids)

    def constants(self, name: str, items: Any = None) -> NDArray[np.float64]:
        """Return what holds now of what `vary` takes."""
        return self._batch.constants(name, items)

    def show(self, sim: Sim, copy: int) -> None:
        """Let a simulation stand as a copy does, for pictures."""
        sim.data.qpos[:] = self._batch.qpos()[copy]
        sim.data.qvel[:] = self._batch.qvel()[copy]
        mujoco.mj_forward(sim.model, sim.data)
