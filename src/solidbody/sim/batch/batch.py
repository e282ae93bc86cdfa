"""Many copies of a simulation, stepped together by a pool of threads in native code.

batch = Sim(scene).batch(64)
speed = batch.bind("joint.target_velocity", ["left motor", "right motor"])     # (64, 2)
pose = batch.bind("link.pose", "robot")                                        # (64, 1, 7)
speed[:] = 1.0
batch.step(10)                                                                 # `pose` is that of now
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solidbody.base.errors import SimulationError
from solidbody.contact.batch import BatchStep
from solidbody.contact.layout import StepOutcome
from solidbody.contact.native import NativeStep
from solidbody.contact.tables import Table
from solidbody.sim.batch import serial
from solidbody.sim.batch.channels import BatchChannel, Channels, ItemKind, Items
from solidbody.sim.snapshot import Snapshot

if TYPE_CHECKING:
    from solidbody.sim.simulation import Sim

Floats = NDArray[np.float64]

OnError = str
"""raise: SimulationError; mask: copies that fail stop and are True in `Batch.failed`."""


@dataclass(frozen=True, slots=True, eq=False)
class Bound:
    """A channel that somebody looks at: which items, and the array."""

    channel: BatchChannel
    places: tuple[int, ...]
    array: NDArray[Any]


@dataclass(frozen=True, slots=True)
class BatchSnapshot:
    """The states of some copies; restoring continues bit for bit."""

    states: tuple[Snapshot, ...]

    def __len__(self) -> int:
        return len(self.states)

    def __getitem__(self, index: int) -> Snapshot:
        """Return the state of one copy."""
        return self.states[index]


class Batch:
    """Independent copies of one simulation. Results do not depend on the number of threads."""

    def __init__(
        self,
        sims: Sequence[Sim],
        rows: Table | None = None,
        *,
        threads: int | None = None,
        seed: int = 0,
    ) -> None:
        """Step `sims` together.

        Args:
            sims: The simulations.
            rows: The array whose rows are their states, if they lie side by side.
            threads: How many; None = as many as there are processors.
            seed: Of the noise of sensors.
        """
        if not sims:
            raise ValueError("a batch needs at least one simulation")
        self.sims = tuple(sims)
        self.rows = rows
        self.threads = threads or os.cpu_count() or 1
        self.seed = seed
        self.failed: NDArray[np.bool_] = np.zeros(len(sims), dtype=bool)
        """(n,): copies that cannot go on until they are reset."""
        self.time: Floats = np.zeros(len(sims))
        """(n,): simulated time since the start [s]."""
        self._channels: Channels | None = None
        self._bound: dict[tuple[str, tuple[int, ...]], Bound] = {}
        self._mode_of: dict[int, str] = {}
        self._episodes = np.zeros(len(sims), dtype=np.int64)
        self._seeds: list[tuple[int, ...]] = [(seed, copy) for copy in range(len(sims))]
        steps = [sim.core.step for sim in sims]
        natives = [step for step in steps if isinstance(step, NativeStep)]
        for step in natives:
            step.use_threads(1)  # there is enough to share as it is
        # without the native step they go one after the other
        self._together = BatchStep(natives) if len(natives) == len(sims) else None

    def __len__(self) -> int:
        return len(self.sims)

    def __getitem__(self, index: int) -> Sim:
        """Return one of the simulations."""
        return self.sims[index]

    def __iter__(self) -> Iterator[Sim]:
        return iter(self.sims)

    # ------------------------------------------------------------------ channels

    @property
    def channels(self) -> Channels:
        """What can be bound: a mapping of names to shapes, items, units and what they mean."""
        if self._channels is None:
            self._channels = Channels(self.sims[0], self.sims[0].devices.devices)
        return self._channels

    def bind(self, name: str, items: Items = None, *, period: float | None = None) -> Any:
        """Return a live array (copies, items, ...) of a channel; the same one for the same request.

        What can be read is filled at the end of every step and reset. What can be written is a command that
        holds from the next step on: binding it puts the motors in that mode.

        Args:
            name: Of the channel; `channels` has all of them.
            items: Names or patterns, in the order of the columns; None = all.
            period: Time between samples of a sensor [s]; None = its own rate, or every step.

        Raises:
            NameLookupError: There is no such channel or item.
            ValueError: A motor is commanded by another channel.
        """
        channel = self.channels[name]
        places = self.channels.places(channel, items)
        found = self._bound.get((name, places))
        if found is not None:
            return found.array
        if channel.writable:
            self._take_mode(channel, places)
        if period is not None and channel.kind is not ItemKind.DEVICE:
            raise ValueError(f"{name} is no sensor: it has no period")
        shape = (len(self), len(places), *channel.each)
        bound = Bound(channel, places, np.zeros(shape, channel.dtype))
        if channel.kind is ItemKind.DEVICE:
            for sim in self.sims:
                serial.turn_on(sim, channel, places, period)
        self._bound[name, places] = bound
        self._fill([bound], range(len(self)))
        return bound.array

    def _take_mode(self, channel: BatchChannel, places: Sequence[int]) -> None:
        for place in places:
            other = self._mode_of.get(channel.rows[place], channel.name)
            if other != channel.name:
                raise ValueError(f'"{channel.items[place]}" is commanded by {other} already')
        self._mode_of |= {channel.rows[place]: channel.name for place in places}

    def _fill(self, bounds: Sequence[Bound], copies: Sequence[int]) -> None:
        for copy in copies:
            sim = self.sims[copy]
            self.time[copy] = sim.time
            for bound in bounds:
                bound.array[copy] = serial.read_channel(sim, bound.channel, bound.places)

    def _read_all(self, copies: Sequence[int]) -> None:
        self._fill([bound for bound in self._bound.values() if not bound.channel.writable], copies)

    # ------------------------------------------------------------------ time

    def step(self, n: int = 1, ids: ArrayLike | None = None, on_error: OnError = "raise") -> None:
        """Advance copies by `n` steps.

        Args:
            n: How many steps.
            ids: Numbers of copies, or a mask over all; None = all. Those that have failed stay as they are.
            on_error: "raise", or "mask": copies that fail stop, and are True in `failed`.

        Raises:
            SimulationError: A copy cannot go on; the others have made their steps.
            ValueError: A command is no finite number.
        """
        if on_error not in ("raise", "mask"):
            raise ValueError(f'on_error must be "raise" or "mask", got {on_error!r}')
        if n < 0:
            raise ValueError(f"n must not be negative, got {n}")
        copies = [copy for copy in self._ids(ids).tolist() if not self.failed[copy]]
        self._command(copies)
        failures = self._advance(n, copies)
        self.failed[list(failures)] = True
        self._read_all(copies)
        if failures and on_error == "raise":
            copy, error = next(iter(failures.items()))
            raise SimulationError(
                f"simulation {copy}: {error}", time=error.time, body=error.body
            ) from error

    def _command(self, copies: Sequence[int]) -> None:
        for bound in self._bound.values():
            if not bound.channel.writable:
                continue
            if not np.isfinite(bound.array).all():
                copy, item = np.argwhere(~np.isfinite(bound.array))[0].tolist()
                raise ValueError(
                    f'{bound.channel.name} of "{bound.channel.items[bound.places[item]]}" in copy '
                    f"{copy} must be a finite number, got {bound.array[copy, item]}"
                )
            for copy in copies:
                serial.command(self.sims[copy], bound.channel, bound.places, bound.array[copy])

    def _advance(self, n: int, copies: Sequence[int]) -> serial.Failures:
        sims = [self.sims[copy] for copy in copies]
        if (
            self._together is None
            or len(copies) < len(self)
            or any(sim.needs_attention for sim in sims)
        ):
            # devices, controllers and wheels have their say between steps
            found = {copy: serial.step_one(self.sims[copy], n) for copy in copies}
            return {copy: error for copy, error in found.items() if error is not None}
        before = [sim.core.steps_done for sim in sims]
        outcomes = self._together.run(n, self.threads)
        failures: serial.Failures = {}
        for copy, (sim, done, outcome) in enumerate(zip(sims, before, outcomes, strict=True)):
            sim.core.note_steps(sim.core.steps_done - done)
            if outcome is StepOutcome.STOPPED and isinstance(sim.core.step, NativeStep):
                sim.core.step.raise_problem()
            if outcome is not StepOutcome.OK:
                failures[copy] = sim.failure_of(outcome)
        return failures

    # ------------------------------------------------------------------ other states

    def reset(
        self,
        ids: ArrayLike | None = None,
        seeds: ArrayLike | None = None,
        state: Snapshot | BatchSnapshot | None = None,
    ) -> None:
        """Go back to the start, or to a snapshot.

        Args:
            ids: Numbers of copies, or a mask over all; None = all.
            seeds: One for each of them: their noise is then that of copy 0 of a batch of that seed. None =
                noise that they have not had before.
            state: Of one copy, for all of them, or of as many copies as are reset.
        """
        copies = self._ids(ids)
        if seeds is not None:
            for copy, seed in zip(copies.tolist(), self._seeds_of(seeds, len(copies)), strict=True):
                self._seeds[copy] = (seed, 0)
                self._episodes[copy] = -1
        self._episodes[copies] += 1
        states = self._states(state, len(copies))
        for copy, one in zip(copies.tolist(), states, strict=True):
            sim = self.sims[copy]
            serial.reset_one(sim, (*self._seeds[copy], int(self._episodes[copy])), one)
            for bound in self._bound.values():
                if bound.channel.kind is ItemKind.DEVICE:
                    serial.first_look(sim, bound.channel, bound.places)
        self.failed[copies] = False
        self._read_all(copies.tolist())
        self._fill([b for b in self._bound.values() if b.channel.writable], copies.tolist())

    def _states(
        self, state: Snapshot | BatchSnapshot | None, count: int
    ) -> Sequence[Snapshot | None]:
        if isinstance(state, BatchSnapshot):
            if len(state) != count:
                raise ValueError(f"{count} copies need as many states, got {len(state)}")
            return state.states
        return [state] * count

    @staticmethod
    def _seeds_of(seeds: ArrayLike, count: int) -> list[int]:
        found = np.asarray(seeds)
        if found.shape != (count,) or found.dtype.kind not in "iu" or (found < 0).any():
            raise ValueError(f"seeds must be {count} whole numbers, not negative, got {seeds!r}")
        return [int(seed) for seed in found.tolist()]

    def snapshot(self, ids: ArrayLike | None = None) -> BatchSnapshot:
        """Return the complete states of copies."""
        return BatchSnapshot(tuple(self.sims[copy].snapshot() for copy in self._ids(ids).tolist()))

    def restore(self, snapshot: BatchSnapshot, ids: ArrayLike | None = None) -> None:
        """Continue from states: the following steps give the same bytes as they did then."""
        copies = self._ids(ids).tolist()
        for copy, state in zip(copies, self._states(snapshot, len(copies)), strict=True):
            assert state is not None
            self.sims[copy].restore(state)
        self.failed[copies] = False
        self._read_all(copies)

    def place(
        self,
        name: str,
        values: ArrayLike,
        items: Items = None,
        ids: ArrayLike | None = None,
    ) -> None:
        """Put joints or links elsewhere: joint.position, joint.velocity, link.pose or link.twist.

        A joint that is put somewhere stops; a link that is put somewhere keeps its velocities.

        Args:
            name: Of the channel.
            values: (copies, items, ...) of the channel's units, or what can be broadcast to that.
            items: Names or patterns; None = all.
            ids: Numbers of copies, or a mask over all; None = all.
        """
        channel = self.channels[name]
        if name not in serial.PLACED:
            raise ValueError(f"{name} cannot be placed; {', '.join(serial.PLACED)} can")
        places = self.channels.places(channel, items)
        copies = self._ids(ids)
        shape = (len(copies), len(places), *channel.each)
        given = np.asarray(values, dtype=np.float64)
        try:
            wanted = np.broadcast_to(given, shape)
        except ValueError:
            raise ValueError(f"{name} takes values of shape {shape}, got {given.shape}") from None
        if not np.isfinite(wanted).all():
            raise ValueError(f"{name} takes finite numbers")
        if name == "link.pose" and not np.linalg.norm(wanted[..., 3:], axis=-1).all():
            raise ValueError("an orientation must not be a null quaternion")
        for copy, row in zip(copies.tolist(), wanted, strict=True):
            for place, value in zip(places, row, strict=True):
                serial.PLACED[name](self.sims[copy], channel.rows[place], value)
        self._read_all(copies.tolist())

    def _ids(self, ids: ArrayLike | None) -> NDArray[np.intp]:
        """Return numbers of copies, each once."""
        n = len(self)
        if ids is None:
            return np.arange(n)
        found = np.asarray(ids)
        if found.dtype == np.bool_:
            if found.shape != (n,):
                raise ValueError(f"a mask over copies has shape ({n},), got {found.shape}")
            return np.flatnonzero(found)
        found = np.atleast_1d(found)
        if found.size == 0:
            return np.zeros(0, dtype=np.intp)
        if found.ndim != 1 or found.dtype.kind not in "iu":
            raise ValueError(f"ids are whole numbers or a mask, got {ids!r}")
        bad = found[(found < 0) | (found >= n)]
        if bad.size:
            raise IndexError(f"there is no copy {int(bad[0])}: they are 0 to {n - 1}")
        return np.unique(found).astype(np.intp)

    # ------------------------------------------------------------------ by copy

    def poses(self) -> Floats:
        """Return (simulations, links, 7)."""
        return np.stack([sim.poses() for sim in self.sims])

    def velocities(self) -> Floats:
        """Return (simulations, links, 6)."""
        return np.stack([sim.velocities() for sim in self.sims])

    def joint_states(self) -> Floats:
        """Return (simulations, axes, 2)."""
        return np.stack([sim.joint_states() for sim in self.sims])

    def qpos(self) -> Floats:
        """Return (simulations, nq): MuJoCo's positions, copied."""
        return np.stack([sim.data.qpos for sim in self.sims])

    def qvel(self) -> Floats:
        """Return (simulations, nv): MuJoCo's velocities, copied."""
        return np.stack([sim.data.qvel for sim in self.sims])

    def joint(self, name: str) -> BatchHandle:
        """Return the joint of that name in all simulations."""
        return BatchHandle([sim.joint(name) for sim in self.sims])

    def link(self, name: str) -> BatchHandle:
        """Return the link of that name in all simulations."""
        return BatchHandle([sim.link(name) for sim in self.sims])

    def map(self, function: Callable[[Sim], Any]) -> list[Any]:
        """Return what `function` gives for each simulation."""
        return [function(sim) for sim in self.sims]


class BatchHandle:
    """The same link or joint in all simulations: reading gives an array, writing takes one or a number."""

    __slots__ = ("_handles",)

    def __init__(self, handles: Sequence[Any]) -> None:
        object.__setattr__(self, "_handles", tuple(handles))

    def __getattr__(self, name: str) -> Floats:
        return np.array([getattr(handle, name) for handle in self._handles])

    def __setattr__(self, name: str, value: Any) -> None:
        values = np.asarray(value, dtype=float)
        count = len(self._handles)
        # one value for all, or one for each
        each = values if values.ndim and len(values) == count else [value] * count
        for handle, item in zip(self._handles, each, strict=True):
            setattr(handle, name, float(item) if np.ndim(item) == 0 else item)
