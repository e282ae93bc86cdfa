"""Copies of a simulation side by side: bound arrays, sensors, and who has copies in hand.

Native code tells, advances and reads copies together; what it cannot do is done copy by copy in Python.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from solidbody.compiler import compile_scene
from solidbody.contact.batch import NativeBatch, SensorState
from solidbody.contact.engine import processors
from solidbody.contact.native import NativeStep
from solidbody.contact.tables import Table
from solidbody.devices.core.device_binding import bind_devices
from solidbody.devices.core.noise_streams import mixed_rows
from solidbody.sim.batch import chosen, native, serial
from solidbody.sim.batch.channels import BatchChannel, Bound, Channels, ItemKind, Items
from solidbody.sim.batch.sensors import SensorMaker, ray_tables
from solidbody.sim.batch.variations import Variations
from solidbody.sim.batch.watching import Watch, can_watch
from solidbody.sim.following import follow

if TYPE_CHECKING:
    from solidbody.sim.simulation import Sim

Floats = NDArray[np.float64]

Ids = NDArray[np.int64]


class Copies:
    """Copies of one simulation: what they are told, what is read of them, what they sense."""

    def __init__(
        self,
        sims: Sequence[Sim],
        rows: Table | None = None,
        clock: NDArray[np.int64] | None = None,
        *,
        threads: int | None = None,
        seed: int = 0,
    ) -> None:
        """Step `sims` together.

        Args:
            sims: The simulations.
            rows: The array whose rows are their states, if they lie side by side.
            clock: Likewise that of their clocks (`sim/core.py`).
            threads: How many; None = as many as there are processors for this process.
            seed: Of the noise of sensors.
        """
        if not sims:
            raise ValueError("a batch needs at least one simulation")
        self._sims = tuple(sims)
        self.rows = rows
        self.threads = processors() if threads is None else chosen.whole("threads", threads, 1)
        self.seed = chosen.whole("seed", seed, 0)
        self.failed: NDArray[np.bool_] = np.zeros(len(sims), dtype=bool)
        """(n,): copies that cannot go on until they are reset."""
        self.time: Floats = np.zeros(len(sims))
        """(n,): simulated time since the start [s]."""
        self._channels: Channels | None = None
        self._bound: dict[tuple[str, tuple[int, ...]], Bound] = {}
        self._mode_of: dict[int, str] = {}
        self._all: Ids = np.arange(len(sims), dtype=np.int64)
        self._episodes = np.zeros(len(sims), dtype=np.int64)
        self._seeds = np.full(len(sims), seed, dtype=np.int64)
        self._streams = np.arange(len(sims), dtype=np.int64)
        self._key = mixed_rows(self._seeds, self._streams, self._episodes)
        """(n,): of the noise: made of the seed, the number of the copy and how often it was reset."""
        self._watch: Watch | None = None
        self._periods: dict[int, float | None] = {}
        """Of the sensors that are bound, by device, in the order of binding; None = their own."""
        self._cores = [sim.core for sim in sims]
        self._starts = [sim.core.start for sim in sims]
        self._given_out: set[int] = set()
        """Copies that somebody else has had in hand, who may have let something go along with their steps."""
        self._in_python = not all(sim.steps_alone for sim in sims)
        """Whether something has its say between the steps of all copies, in Python: sensors too."""
        self._variations: Variations | None = None
        self._stale: set[int] = set()
        """Copies whose simulations do not know yet what was varied in them."""
        self._nominal = sims[0]
        """A simulation of the scene as it is, whatever was varied."""
        steps = [sim.core.step for sim in sims]
        natives = [step for step in steps if isinstance(step, NativeStep)]
        for step in natives:
            step.use_threads(1)  # there is enough to share as it is
        self._devices = bind_devices(sims[0].scene, sims[0])
        self._native: NativeBatch | None = None
        if rows is not None and clock is not None and len(natives) == len(sims):
            self._native = NativeBatch(natives, rows, clock, self.time, self.threads)
            self._maker = SensorMaker(sims[0], self._devices)
            self._rays: dict[str, Any] | None = None
            self._sensors = self._maker.made({})
            self._held = SensorState.zeros(len(sims), self._key, 0, 0)
            self._tell_native(())

    def __len__(self) -> int:
        return len(self._sims)

    def __repr__(self) -> str:
        bound = ", ".join(dict.fromkeys(name for name, _ in self._bound)) or "nothing"
        return (
            f"<{type(self).__name__} of {len(self)} copies, {self.threads} threads, bound: {bound}>"
        )

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a batch does not pickle: pickle its Sim, and its snapshot() for where the copies are"
        )

    def __getitem__(self, index: int) -> Sim:
        """Return one of the simulations."""
        copy = range(len(self))[index]
        self._give_out([copy])
        return self._sims[copy]

    def __iter__(self) -> Iterator[Sim]:
        return iter(self.sims)

    @property
    def sims(self) -> tuple[Sim, ...]:
        """All simulations."""
        self._give_out(range(len(self)))
        return self._sims

    def _give_out(self, copies: Iterable[int]) -> None:
        """Note that somebody has copies in hand; they are then simulations of what was varied in them."""
        given = list(copies)
        self._given_out.update(given)
        self._tell_sims(given)

    # ------------------------------------------------------------------ channels

    @property
    def channels(self) -> Channels:
        """What can be bound: a mapping of names to shapes, items, units and what they mean."""
        if self._channels is None:
            self._channels = Channels(
                self._sims[0], bind_devices(self._sims[0].scene, self._sims[0])
            )
        return self._channels

    def bind(self, name: str, items: Items = None, *, period: float | None = None) -> Any:
        """Return a live array (copies, items, ...) of a channel; the same one for the same request.

        What can be read is filled at the end of every step and reset. What can be written is a command that
        holds from the next step on: binding it puts the motors in that mode. A sensor has one period: the
        one that was asked for last.

        Args:
            name: Of the channel; `channels` has all of them.
            items: Names or patterns, in the order of the columns; None = all.
            period: Time between samples of a sensor [s]; None = its own rate, or every step.

        Raises:
            NameLookupError: There is no such channel or item.
            ValueError: A motor is commanded by another channel, or there is nothing to bind.
        """
        channel = self.channels[name]
        places = self.channels.places(channel, items)
        if not places:
            raise ValueError(f"{name}: say which items, or leave them out for all")
        if period is not None and channel.kind is not ItemKind.DEVICE:
            raise ValueError(f"{name} is no sensor: it has no period")
        if period is not None and not 0.0 < period < np.inf:
            raise ValueError(f"a period must be positive and finite, got {period:g}")
        found = self._bound.get((name, places))
        if found is not None:
            if period is not None:
                self._turn_on(found, period)
                self._fill(found)
            return found.array
        if channel.writable:
            self._take_mode(channel, places)
        shape = (len(self), len(places), *channel.each)
        bound = Bound(channel, places, np.zeros(shape, channel.dtype))
        if channel.kind is ItemKind.DEVICE:
            self._turn_on(bound, period)
        self._bound[name, places] = bound
        self._fill(bound)
        return bound.array

    def _turn_on(self, bound: Bound, period: float | None) -> None:
        """Let sensors measure from now on; those that do already, in that period, go on."""
        known = self._periods | ({} if self._watch is None else self._watch.periods)
        new = [row for row in bound.rows if known.get(row, 0.0) != period]
        self._periods |= dict.fromkeys(new, period)
        if self._in_python or self._native is None:
            self._turn_on_in_python(new)
            return
        seen = [row for row in new if not self._maker.can_sample(row)]
        if not all(can_watch(self._devices[row].device) for row in seen):
            self._leave_native()
            return
        if seen:
            self._watch_too(seen)
            if self._varying_is_seen():
                self._leave_native()
                return
        if mine := [row for row in new if row not in seen]:
            self._turn_on_natively(self._native, mine)

    def _watch_too(self, devices: Iterable[int]) -> None:
        """Let sensors look that see what is drawn."""
        if self._watch is None:
            self._watch = Watch(self._nominal.copy(), len(self))
            channel = self.channels["link.pose"]
            every = tuple(range(len(channel.items)))
            self._seen = Bound(channel, every, np.zeros((len(self), *channel.shape)))
        for device in devices:
            self._watch.add(device, self._periods.pop(device), self._now())

    def _varying_is_seen(self) -> bool:
        """Whether sensors that look would see what differs: they look at one scene."""
        watched = () if self._watch is None else self._watch.periods
        return self._variations is not None and self._variations.is_seen(watched)

    def _leave_native(self) -> None:
        """Step copies one by one from now on: whoever has the steps has all sensors."""
        if self._watch is not None:
            self._periods |= self._watch.periods
            self._watch = None
        self._in_python = True
        self._tell_sims(range(len(self)))
        self._turn_on_in_python(list(self._periods))
        self._tell_native(self._bound.values())

    def _now(self) -> Ids:
        return np.array([core.step_count for core in self._cores], dtype=np.int64)

    def _look(self, copies: Ids, due: dict[int, Ids] | None = None) -> None:
        """Let sensors look that see what is drawn: those that are due, or all of them."""
        if self._watch is None or not len(copies):
            return
        found = dict.fromkeys(self._watch.periods, copies) if due is None else due
        found = {device: some for device, some in found.items() if device in self._watch.periods}
        poses = self._poses_of(copies)
        self._watch.look(found, poses, self._now(), self._key, self._bound.values())

    def _poses_of(self, copies: Ids) -> Floats:
        """Return (all copies, links, 7), up to date for these copies."""
        for copy in np.intersect1d(copies, self._attended()).tolist():
            self._seen.array[copy] = self._sims[copy].poses()
        return self._seen.array

    def _turn_on_natively(self, together: NativeBatch, new: Sequence[int]) -> None:
        step = self._sims[0].time_step
        self._sensors = sensors = self._maker.made(
            {device: step if period is None else period for device, period in self._periods.items()}
        )
        if sensors.sees and self._rays is None:
            self._rays = ray_tables(self._maker.forms)
        held = SensorState.zeros(len(self), self._key, sensors.values, len(self._periods))
        for name in ("values", "memory", "started"):
            before = getattr(self._held, name)
            getattr(held, name)[:, : before.shape[1]] = before
        self._held = held
        self._tell_native(self._bound.values())
        steps = np.array([core.step_count for core in self._cores])
        for number, device in enumerate(self._periods):
            if device in new:
                held.started[:, number] = steps
                together.look(self._all, range(number, number + 1))

    def _turn_on_in_python(self, devices: Sequence[int]) -> None:
        for sim, key in zip(self._sims, self._key.tolist(), strict=True):
            for device in devices:
                serial.turn_on(sim, device, self._periods[device], key)

    def _is_native(self, bound: Bound) -> bool:
        """Whether native code reads a channel."""
        if bound.channel.kind is ItemKind.DEVICE:
            return self._native is not None and not self._in_python
        return self._native is not None and native.can_read(self._sims[0], bound.channel)

    def _fill(self, bound: Bound) -> None:
        """Read a channel for the first time."""
        if self._native is None or not self._is_native(bound):
            self._read_in_python([bound], range(len(self)))
        else:
            self._tell_native([bound])
            self._native.read(self._all, targets=True)
            if bound.channel.kind is ItemKind.DEVICE:
                self._look(self._all, dict.fromkeys(bound.rows, self._all))
        self._tell_native(self._bound.values())

    def _tell_native(self, bounds: Iterable[Bound]) -> None:
        if self._native is not None:
            sim, none = self._nominal, SensorMaker(self._nominal, ()).made({})
            mine = [bound for bound in bounds if self._is_native(bound)]
            mine += [self._seen] if self._watch is not None else []
            sensors = none if self._in_python else self._sensors
            rays = self._rays or ray_tables(())
            tables, arrays = native.tables_for(sim, mine, sensors, rays)
            self._native.use(tables, self._held, sim.compiled.tables.collision, arrays)
            self._last_tables = tables
            if self._variations is not None:
                self._native.vary_tables(self._variations.batch_tables(tables))

    def _take_mode(self, channel: BatchChannel, places: Sequence[int]) -> None:
        for place in places:
            other = self._mode_of.get(channel.rows[place], channel.name)
            if other != channel.name:
                raise ValueError(f'"{channel.items[place]}" is commanded by {other} already')
        self._mode_of |= {channel.rows[place]: channel.name for place in places}

    def _read_in_python(self, bounds: Iterable[Bound], copies: Iterable[int]) -> None:
        for copy in copies:
            sim = self._sims[copy]
            self.time[copy] = sim.time
            for bound in bounds:
                bound.array[copy] = serial.read_channel(sim, bound.channel, bound.places)

    def _read(self, copies: Ids, *, targets: bool = False) -> None:
        """Read what is bound, which native code has not done with its steps."""
        bounds = [bound for bound in self._bound.values() if targets or not bound.channel.writable]
        if self._native is not None:
            strange = self._strangers()
            self._native.read(chosen.without(copies, strange), targets=targets)
            rest = [bound for bound in bounds if not self._is_native(bound)]
            if rest:
                self._read_in_python(rest, copies.tolist())
            copies = np.intersect1d(copies, strange) if len(strange) else copies[:0]
        self._read_in_python(bounds, copies.tolist())

    # ------------------------------------------------------------------ which copies

    def _strangers(self) -> Ids:
        """Return the copies that somebody has given another scene: native code does not know them."""
        found = [k for k in self._given_out if self._sims[k].core is not self._cores[k]]
        return np.array(sorted(found), dtype=np.int64)

    def _attended(self) -> Ids:
        """Return the copies in which something has its say between steps: they are stepped one by one."""
        if self._native is None or self._in_python:
            return self._all
        found = [
            k
            for k in self._given_out
            if not self._sims[k].steps_alone or self._sims[k].core is not self._cores[k]
        ]
        return np.array(sorted(found), dtype=np.int64)

    def _tell_sims(self, copies: Iterable[int]) -> None:
        """Let simulations know the constants of their copies: each is one of the scene edited to them."""
        if self._variations is None:
            return
        for copy in self._stale.intersection(copies):
            if self._sims[copy] is self._nominal:
                self._nominal = self._nominal.copy()
                if self._native is not None:
                    self._maker = SensorMaker(self._nominal, self._devices)
            sim, scene = self._sims[copy], self._variations.scene_of(copy)
            if self._native is None:
                follow(sim, scene)
                self._cores[copy] = sim.core
            else:
                sim.adopt(compile_scene(scene))
                sim.describe_anew(scene)
            self._starts[copy] = sim.core.start
        self._stale.difference_update(copies)
