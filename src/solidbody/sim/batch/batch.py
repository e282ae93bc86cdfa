"""Many copies of a simulation, stepped together by a pool of threads in native code.

batch = Sim(scene).batch(64)
speed = batch.bind("joint.target_velocity", ["left motor", "right motor"])     # (64, 2)
pose = batch.bind("link.pose", "robot")                                        # (64, 1, 7)
speed[:] = 1.0
batch.step(10)                                                                 # `pose` is that of now
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solidbody.base.errors import SimulationError
from solidbody.contact.layout import StepOutcome
from solidbody.contact.native import NativeStep
from solidbody.contact.tables import Table
from solidbody.devices.core.noise_streams import mixed_rows
from solidbody.model.joints import JointFree
from solidbody.sim.batch import chosen, native, serial
from solidbody.sim.batch.channels import BatchChannel, Bound, Items
from solidbody.sim.batch.copies import Copies
from solidbody.sim.batch.handles import BatchHandle
from solidbody.sim.batch.states import (
    BatchSnapshot,
    CopyState,
    SensorRow,
    packed,
    snapshot_of,
    states_for,
    unpacked,
)
from solidbody.sim.batch.variables import Variables
from solidbody.sim.batch.variations import Variations
from solidbody.sim.batch.watching import Watch
from solidbody.sim.snapshot import FOREIGN, Snapshot

if TYPE_CHECKING:
    from solidbody.sim.simulation import Sim

Floats = NDArray[np.float64]

OnError = str
"""raise: SimulationError; mask: copies that fail stop and are True in `Batch.failed`."""

Ids = NDArray[np.int64]


class Batch(Copies):
    """Independent copies of one simulation. Results do not depend on the number of threads."""

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
            threads: How many; None = as many as there are processors.
            seed: Of the noise of sensors.
        """
        super().__init__(sims, rows, clock, threads=threads, seed=seed)
        self._start = self._save(self._all[:1])[0]

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
        n = chosen.whole("n", n, 0)
        copies = chosen.copies_of(ids, self._all)
        if self.failed.any():
            copies = copies[~self.failed[copies]]
        chosen.check_commands(self._bound.values())
        attended = self._attended()
        failures: serial.Failures = {}
        if self._watch is None:
            self._advance(copies, attended, n, failures)
        else:
            self._advance_and_look(self._watch, copies, attended, n, failures)
        if failures:
            self.failed[list(failures)] = True
            if on_error == "raise":
                copy = min(failures)
                error = failures[copy]
                raise SimulationError(
                    f"simulation {copy}: {error}", time=error.time, body=error.body
                ) from error

    def _advance(
        self,
        copies: Ids,
        attended: Ids,
        n: int,
        failures: serial.Failures,
        *,
        commands: bool = True,
    ) -> None:
        """Advance copies, those that somebody attends to one by one."""
        if self._native is not None and len(together := chosen.without(copies, attended)):
            self._native.step(together, n, commands=commands)
            for copy in together[self._native.outcomes[together] != 0].tolist():
                failures[copy] = self._failure(copy, StepOutcome(self._native.outcomes[copy]))
            self._read_rest(together)
        if len(alone := np.intersect1d(copies, attended) if len(attended) else attended):
            failures |= self._step_alone(n, alone, commands=commands)
            self._read(alone)

    def _advance_and_look(
        self, watch: Watch, copies: Ids, attended: Ids, n: int, failures: serial.Failures
    ) -> None:
        """Advance copies to the steps in which sensors look, and let those look."""
        now = self._now()
        end, is_first = now + n, True
        while len(copies):
            stops = watch.stops(copies, now[copies], end[copies])
            lengths = stops - now[copies]
            for length in np.unique(lengths).tolist():
                some = copies[lengths == length]
                self._advance(some, attended, length, failures, commands=is_first)
            now = self._now()
            if failures:
                copies = np.setdiff1d(copies, list(failures))
            self._look(copies, watch.due(copies, now[copies]))
            copies, is_first = copies[now[copies] < end[copies]], False

    def _step_alone(self, n: int, copies: Ids, *, commands: bool = True) -> serial.Failures:
        """Advance copies one by one: something has its say between their steps."""
        failures: serial.Failures = {}
        for copy in copies.tolist():
            sim = self._sims[copy]
            for bound in self._bound.values():
                if bound.channel.writable and commands:
                    serial.command(sim, bound.channel, bound.places, bound.array[copy])
            error = self._step_and_watch(copy, n)
            if error is not None:
                failures[copy] = error
        return failures

    def _step_and_watch(self, copy: int, n: int) -> SimulationError | None:
        """Advance one copy; native code samples its sensors if it has those of the others."""
        sim = self._sims[copy]
        if self._native is None or self._in_python or not self._periods:
            return serial.step_one(sim, n)
        for _ in range(n):
            error = serial.step_one(sim, 1)
            if error is not None:
                return error
            self._native.watch(self._all[copy : copy + 1])
        return None

    def _failure(self, copy: int, outcome: StepOutcome) -> SimulationError:
        sim = self._sims[copy]
        if outcome is StepOutcome.STOPPED and isinstance(sim.core.step, NativeStep):
            sim.core.step.raise_problem()
        return sim.failure_of(outcome)

    def _read_rest(self, copies: Ids) -> None:
        """Read in Python what native code cannot."""
        rest = [
            bound
            for bound in self._bound.values()
            if not bound.channel.writable and not self._is_native(bound)
        ]
        if rest:
            self._read_in_python(rest, copies.tolist())

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
            state: Of one copy, for all of them, or of as many copies as are reset, in their order.
        """
        copies = chosen.copies_of(ids, self._all)
        if seeds is not None:
            self._seeds[copies] = chosen.seeds_of(seeds, len(copies))
            self._streams[copies], self._episodes[copies] = 0, -1
        self._episodes[copies] += 1
        self._key[copies] = mixed_rows(
            self._seeds[copies], self._streams[copies], self._episodes[copies]
        )
        states = None if state is None else states_for(self._cores[0], state, len(copies))
        self._go_to(copies, states, is_start=True)

    def _go_to(self, copies: Ids, states: list[CopyState] | None, *, is_start: bool) -> None:
        """Let copies go on from states; None = from the start. `is_start`: their noise begins anew."""
        alone = self._placed_alone(copies, states)
        if self._native is not None and len(together := chosen.without(copies, alone)):
            if states is None:
                starts = None if self._variations is None else self._variations.starts
                packed_start = self._start.packed if starts is None else starts
                self._native.restore(together, packed_start, is_start=True)
            else:
                found = dict(zip(copies.tolist(), states, strict=True))
                each = [found[copy].packed for copy in together.tolist()]
                knows = not is_start and self._take_sensors(together, [found[k] for k in together])
                self._native.restore(together, each, is_start=is_start)
                if not is_start and not knows and self._periods:
                    self._native.look(together, range(len(self._periods)))
            if self._native.outcomes[together].any():
                raise ValueError(FOREIGN)
            self._read_rest(together)
        by_copy = dict(zip(copies.tolist(), states or (), strict=False))
        for copy in np.intersect1d(copies, alone).tolist() if len(alone) else ():
            sim, one = self._sims[copy], by_copy.get(copy)
            snapshot = None if one is None else unpacked(self._cores[copy], one)
            if is_start:
                serial.reset_one(sim, int(self._key[copy]), snapshot)
            elif snapshot is not None:
                sim.restore(snapshot)
            for device in self._periods if is_start and self._in_python else ():
                serial.first_look(sim, device)
        if len(alone):
            some = np.intersect1d(copies, alone)
            if self._native is not None and is_start and self._periods and not self._in_python:
                self._held.started[some] = self._held.memory[some] = 0
                self._native.look(some, range(len(self._periods)))
            self._read(some, targets=True)
        if self._watch is not None:
            if is_start:
                self._watch.begin_anew(copies)
            self._look(copies)
        self.failed[copies] = False

    def _placed_alone(self, copies: Ids, states: list[CopyState] | None) -> Ids:
        """Return the copies that go to their states one by one."""
        alone = set(self._attended().tolist())
        starts = [self._start] if states is None else states
        if any(one.has_places for one in starts) or any(
            core.owns_model for core in self._cores[:1]
        ):
            doubtful = copies.tolist()
        else:
            doubtful = [copy for copy in self._given_out if copy in set(copies.tolist())]
        each = dict(zip(copies.tolist(), states or [self._start] * len(copies), strict=True))
        for copy in doubtful:
            core = self._cores[copy]
            if each[copy].has_places != core.owns_model or core.start is not self._starts[copy]:
                alone.add(copy)
        return np.array(sorted(alone), dtype=np.int64)

    def snapshot(self, ids: ArrayLike | None = None) -> BatchSnapshot:
        """Return the complete states of copies. They pickle; `snapshot[k]` is one, for a simulation."""
        return snapshot_of(self._cores[0], self._save(chosen.copies_of(ids, self._all)))

    def _save(self, copies: Ids) -> list[CopyState]:
        if self._native is None or self._in_python:
            return [
                CopyState(packed(sim.core, sim.snapshot()), sim.core.owns_model)
                for sim in (self._sims[copy] for copy in copies.tolist())
            ]
        held, kind = self._held, tuple(self._periods.items())
        return [
            CopyState(
                state,
                self._cores[copy].owns_model,
                SensorRow(
                    kind,
                    int(self._key[copy]),
                    held.values[copy].copy(),
                    held.memory[copy].copy(),
                    held.started[copy].copy(),
                ),
            )
            for copy, state in zip(copies.tolist(), self._native.save(copies), strict=True)
        ]

    def _take_sensors(self, copies: Ids, states: Sequence[CopyState]) -> bool:
        """Let sensors hold what they held; False if these were other sensors."""
        rows = [state.sensors for state in states if state.sensors is not None]
        kind = tuple(self._periods.items())
        if len(rows) < len(states) or any(row.kind != kind for row in rows):
            return False
        self._key[copies] = np.array([row.key for row in rows], dtype=np.uint64)
        for name in ("values", "memory", "started"):
            getattr(self._held, name)[copies] = [getattr(row, name) for row in rows]
        return True

    def restore(self, snapshot: BatchSnapshot, ids: ArrayLike | None = None) -> None:
        """Continue from states: the following steps give the same bytes as they did then.

        Args:
            snapshot: Of as many copies as go back, in their order; `snapshot[ids]` has those of some.
            ids: Numbers of copies, or a mask over all; None = all.
        """
        copies = chosen.copies_of(ids, self._all)
        self._go_to(copies, states_for(self._cores[0], snapshot, len(copies)), is_start=False)

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
        copies = chosen.copies_of(ids, self._all)
        wanted = chosen.spread(name, values, (len(copies), len(places), *channel.each))
        if not np.isfinite(wanted).all():
            raise ValueError(f"{name} takes finite numbers")
        if name == "link.pose" and not np.linalg.norm(wanted[..., 3:], axis=-1).all():
            raise ValueError("an orientation must not be a null quaternion")
        for item, place in enumerate(places):
            self._place(name, channel.rows[place], copies, wanted[:, item])
        self._read(copies)
        self._look(copies)

    def _place(self, name: str, row: int, copies: Ids, values: Floats) -> None:
        """Put one axis or link of some copies elsewhere."""
        how = native.placing(self._sims[0], name, row) if self._native is not None else None
        if how is None or self._native is None or len(self._strangers()):
            self._give_out(copies.tolist())  # a body that was fixed needs a model of its own
            for copy, value in zip(copies.tolist(), values, strict=True):
                serial.PLACED[name](self._sims[copy], row, value)
            return
        given = values.reshape(len(copies), -1)
        if name == "link.pose":
            turn = given[:, 3:] / np.linalg.norm(given[:, 3:], axis=1, keepdims=True)
            given = np.concatenate([given[:, :3], turn], axis=1)
        each = np.zeros((len(self), given.shape[1]))
        each[copies] = given
        self._native.place(copies, *how, each)

    # ------------------------------------------------------------------ constants

    @property
    def variables(self) -> Variables:
        """What `vary` takes: a mapping of names to shapes, items, units and what they mean."""
        return self._varying.known

    @property
    def _varying(self) -> Variations:
        if self._variations is None:
            self._variations = Variations(
                self._sims[0], len(self), self._devices, self._native, self.rows, self._start.packed
            )
        return self._variations

    def constants(self, name: str, items: Items = None) -> Floats:
        """Return (copies, items, ...): what holds now of what `vary` takes; a copy of the numbers."""
        variables = self.variables
        channel = variables[name]
        places = self.channels.places(channel, items)
        found = self._varying.values(name)[:, list(places)]
        return found.reshape(len(self), len(places), *channel.each).copy()

    def vary(
        self,
        name: str,
        values: ArrayLike | None,
        items: Items = None,
        ids: ArrayLike | None = None,
    ) -> None:
        """Let constants differ from copy to copy, from now on; resets and snapshots leave them as they are.

        A copy moves as a simulation of the scene edited to its values does. Commands that nobody has given
        since the start follow (gains, limits); poses and velocities of links stay.

        Args:
            name: Such as "link.mass"; `variables` has all of them.
            values: (copies, items, ...) in the units of the variable, or what can be broadcast to that;
                None = as in the scene again.
            items: Names or patterns; None = all.
            ids: Numbers of copies, or a mask over all; None = all.

        Raises:
            NameLookupError: There is no such variable or item.
            ValueError: The numbers are not allowed, or this item cannot differ.
        """
        channel = self.variables[name]
        places, copies = self.channels.places(channel, items), chosen.copies_of(ids, self._all)
        if not len(copies):
            return
        wanted = None
        if values is not None:
            wanted = chosen.spread(name, values, (len(copies), len(places), *channel.each))
            wanted = wanted.reshape(len(copies), len(places), -1)
        moved = self._floating_now(name, channel, places, copies)
        self._varying.set(name, places, copies, wanted)
        self._stale.update(copies.tolist())
        if self._native is not None:
            self._native.vary_tables(self._varying.batch_tables(self._last_tables))
        for link, pose, twist in moved:
            self._place("link.pose", link, copies, pose)
            self._place("link.twist", link, copies, twist)
        if self._watch is not None and self._varying_is_seen():
            self._leave_native()
        is_alone = self._native is None or self._in_python or self._cores[0].owns_model
        self._tell_sims(
            copies.tolist() if is_alone else self._given_out.intersection(copies.tolist())
        )
        if moved:
            self._read(copies)

    def _floating_now(
        self, name: str, channel: BatchChannel, places: Sequence[int], copies: Ids
    ) -> list[tuple[int, Floats, Floats]]:
        """Return where floating links are whose origins will be elsewhere in their bodies."""
        if name != "link.center_of_mass" or self._native is None:
            return []
        out: list[tuple[int, Floats, Floats]] = []
        for place in places:
            link = channel.rows[place]
            if not isinstance(self._sims[0].link_model(link).joint, JointFree):
                continue
            found: list[Floats] = []
            for what in ("link.pose", "link.twist"):
                read = self.channels[what]
                shape = (len(self), 1, *read.each)
                bound = Bound(read, (read.rows.index(link),), np.zeros(shape))
                self._tell_native([bound])
                self._native.read(copies)
                found.append(bound.array[copies, 0])
            out.append((link, found[0], found[1]))
        self._tell_native(self._bound.values())
        return out

    def _to_read(self) -> Sequence[Sim]:
        """Return all simulations, to be read at once and not given to anybody."""
        self._tell_sims(range(len(self)))
        return self._sims

    # ------------------------------------------------------------------ by copy

    def poses(self) -> Floats:
        """Return (simulations, links, 7)."""
        return np.stack([sim.poses() for sim in self._to_read()])

    def velocities(self) -> Floats:
        """Return (simulations, links, 6)."""
        return np.stack([sim.velocities() for sim in self._to_read()])

    def joint_states(self) -> Floats:
        """Return (simulations, axes, 2)."""
        return np.stack([sim.joint_states() for sim in self._to_read()])

    def qpos(self) -> Floats:
        """Return (simulations, nq): MuJoCo's positions, copied."""
        return np.stack([sim.core.step.qpos for sim in self._sims])

    def qvel(self) -> Floats:
        """Return (simulations, nv): MuJoCo's velocities, copied."""
        return np.stack([sim.core.step.qvel for sim in self._sims])

    def joint(self, name: str) -> BatchHandle:
        """Return the joint of that name in all simulations."""
        return BatchHandle([sim.joint(name) for sim in self._to_read()])

    def link(self, name: str) -> BatchHandle:
        """Return the link of that name in all simulations."""
        return BatchHandle([sim.link(name) for sim in self.sims])  # fixed bodies may be moved

    def map(self, function: Callable[[Sim], Any]) -> list[Any]:
        """Return what `function` gives for each simulation."""
        return [function(sim) for sim in self.sims]
