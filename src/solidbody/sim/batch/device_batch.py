"""Many worlds on one device of Warp, stepped together by the kernels of `solidbody.gpu`.

The interface is that of `Batch`; arrays are Warp's, which torch, jax, cupy and numpy take over by DLPack.

batch = Sim(scene).batch(32768, device="cuda")
speed = torch.from_dlpack(batch.bind("joint.target_velocity"))
batch.step()
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import warp as wp
from numpy.typing import ArrayLike, NDArray

from solidbody.base.errors import SimulationError
from solidbody.contact.layout import AxisKind, MotorMode
from solidbody.gpu.coverage import check
from solidbody.gpu.device import find_device
from solidbody.gpu.driven_tables import start_places
from solidbody.gpu.model_tables import model_tables
from solidbody.gpu.row_copies import take_row
from solidbody.gpu.worlds import STAT_NAMES, WorldItem, WorldItems, Worlds
from solidbody.sim.batch.channels import STATE_OF, BatchChannel, Channels, ItemKind, Items
from solidbody.sim.batch.chosen import copies_of, spread
from solidbody.sim.batch.device_images import DeviceImages, is_image, sees
from solidbody.sim.batch.device_noise import DeviceNoise
from solidbody.sim.batch.device_placing import MOTOR_WIDTH, DevicePlacing
from solidbody.sim.batch.device_sensors import RAW, DeviceSensors
from solidbody.sim.batch.device_varying import DeviceVarying, check_varied
from solidbody.sim.batch.variables import Variables

if TYPE_CHECKING:
    from solidbody.sim.simulation import Sim

Floats = NDArray[np.float64]

(_QPOS, _QVEL, _MOTOR, _FORCE, _POSE, _TWIST, _COM) = range(7)
"""SB_LOOK_* of `gpu/native/sb_look.h`; those of sensors are in `device_sensors.py`."""

_NOTHING: Final = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
_NO_TREES: Final = (-1.0, -1.0)
"""Trees that a command wakes: those of both ends of its joint, -1: none."""
_MOTOR_COLUMNS: Final = {"joint.position": 3, "joint.effort": 4, "joint.reaction": 5}
_COMMAND_COLUMNS: Final = {
    MotorMode.POSITION: 1,
    MotorMode.VELOCITY: 2,
    MotorMode.EFFORT: 3,
}
_RESTORED: Final = (
    "QPOS",
    "QVEL",
    "QACC",
    "MOTOR",
    "COMMAND",
    "REST",
    "PLACE",
    "SIDES",
    "KEYS",
    "FORCE",
    "TOUCH",
)
"""What the state of a world is made of."""

_PLACED: Final = ("QPOS", "QVEL", "MOTOR", "REST")
"""What changes when something is put elsewhere."""

_DTYPES: Final = {"SIDES": np.int8, "KEYS": np.int32, "TOUCH": np.int8}


@dataclass(frozen=True, slots=True)
class DeviceSnapshot:
    """The states of some worlds, on the host; restoring continues bit for bit."""

    arrays: dict[str, NDArray[Any]]
    time: Floats
    keys: NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.time)


@dataclass(frozen=True, slots=True, eq=False)
class _Bound:
    channel: BatchChannel
    places: tuple[int, ...]
    array: Any


class DeviceBatch:
    """Worlds of one scene on a device, all with the law of the native step.

    Args:
        sim: What they are copies of, as at its start.
        count: How many.
        device: "cuda", "cuda:1", ..., or "cpu": the same kernels on the processor.
        contacts: Room for contact points in each world; None = by its shapes. Points beyond it are counted.
        seed: Of the noise of sensors, which is another one in each world.

    Raises:
        NotOnDevice: The scene has something that kernels cannot do.
        GpuDeviceError: There is no such device, or not enough memory on it.
    """

    def __init__(
        self, sim: Sim, count: int, *, device: str, contacts: int | None = None, seed: int = 0
    ) -> None:
        self._device = find_device(device)
        self._sim = sim.copy()
        compiled = self._sim.compiled
        check(compiled)
        self._tables = model_tables(compiled, contacts=contacts)
        self.worlds = Worlds(self._tables, count, self._device)
        self._count = count
        self.time: Floats = np.zeros(count)
        """(n,): simulated time since the start [s]."""
        self._channels: Channels | None = None
        self._sensors = DeviceSensors(self._sim, self._tables)
        self._images = DeviceImages(self._sim, self._tables, count, self._device)
        self._bound: dict[tuple[str, tuple[int, ...]], _Bound] = {}
        self._mode_of: dict[int, str] = {}
        self._reads: WorldItems | None = None
        self._finishes: WorldItems | None = None
        self._tells: WorldItems | None = None
        self._graphs: dict[int, Any] = {}
        self._start_told: dict[tuple[str, tuple[int, ...]], Any] = {}
        self._reads_of: dict[float, WorldItems] = {}
        self._start = {
            name: wp.array(row[None], dtype=self.worlds.state[name].dtype, device=self._device)
            for name, row in self._start_rows().items()
        }
        self._varying = DeviceVarying(self._sim, self._tables, self.worlds, self._start)
        self.worlds.state["ACTIVE"].fill_(1)
        self._noise: DeviceNoise | None = None
        self.reset()
        self._noise = DeviceNoise(count, seed, self._device)

    def __len__(self) -> int:
        return self._count

    # ------------------------------------------------------------------ channels

    @property
    def device(self) -> Any:
        """Warp's device."""
        return self._device

    @property
    def channels(self) -> Channels:
        """What can be bound: see `Batch.channels`. Some of it is refused when it is bound."""
        if self._channels is None:
            self._channels = Channels(self._sim, self._sim.devices.devices)
        return self._channels

    def bind(self, name: str, items: Items = None, *, period: float | None = None) -> Any:
        """Return a live array (worlds, items, ...) of a channel on the device; see `Batch.bind`.

        Sensors measure at the end of every call of `step`. Pixels of cameras are vectors of three bytes.

        Raises:
            NameLookupError: There is no such channel or item.
            ValueError: It cannot be read on a device, or a motor is commanded by another channel.
        """
        if period is not None:
            raise ValueError("sensors on a device measure at the end of every call of step")
        channel = self.channels[name]
        places = self.channels.places(channel, items)
        found = self._bound.get((name, places))
        if found is not None:
            return found.array
        if is_image(channel):
            array = self._images.bind(channel, places)
            self._bound[name, places] = _Bound(channel, places, array)
            self._renew()
            self._look(0.0)
            return array
        if channel.writable:
            for place in places:
                other = self._mode_of.get(channel.rows[place], name)
                if other != name:
                    raise ValueError(f'"{channel.items[place]}" is commanded by {other} already')
        array = wp.zeros(
            (self._count, len(places), *channel.each), dtype=wp.float64, device=self._device
        )
        bound = _Bound(channel, places, array)
        self._items_of(bound)  # refuses before anything is kept
        if channel.writable:
            self._mode_of |= {channel.rows[place]: name for place in places}
            self._fill_command(bound)
        self._bound[name, places] = bound
        self._renew()
        self._look(0.0)
        return array

    def _renew(self) -> None:
        """Make the lists of items anew, and forget graphs of the old ones."""
        reads, tells = [], []
        self._set_clock()
        self._sensors.begin()
        for bound in self._bound.values():
            if not is_image(bound.channel):
                (tells if bound.channel.writable else reads).extend(self._items_of(bound))
        seen = [item for item in reads if item.kind == RAW]
        reads = [item for item in reads if item.kind != RAW] + self._images.items()
        sight = self._sensors.sight()
        self._tells = WorldItems(tells, self._count, self._device, 0.0) if tells else None
        self._reads = self._reading(reads, 0, sight) if reads else None
        self._finishes = self._reading(seen, 0, sight) if seen else None
        self._reads_of.clear()
        self._graphs.clear()

    def _items_of(self, bound: _Bound) -> list[WorldItem]:
        channel = bound.channel
        each = int(np.prod(channel.each, dtype=int))
        out: list[WorldItem] = []
        for k, place in enumerate(bound.places):
            row, offset = channel.rows[place], k * each
            if channel.writable:
                out.extend(self._commands(bound, row, offset))
            elif channel.kind is ItemKind.AXIS:
                out.append(
                    WorldItem(*self._axis(channel, place, row), _NOTHING, bound.array, offset)
                )
            elif channel.kind is ItemKind.LINK:
                out.append(self._link(bound, row, offset))
            else:
                out.append(self._sensor(bound, row, offset))
        return out

    def _commands(self, bound: _Bound, row: int, offset: int) -> Iterator[WorldItem]:
        mode = STATE_OF[bound.channel.name].mode
        assert mode is not None
        for one in self._sim.motors.group(row):
            low, high = one.motor.range or (-np.inf, np.inf)
            trees = (*one.trees, *_NO_TREES)[: len(_NO_TREES)]
            reals = (one.motor.max_velocity, low, high, one.motor.multiplier, *trees)
            padded = (*reals, *_NOTHING[len(reals) :])
            yield WorldItem(int(mode), one.row, tuple(map(float, padded)), bound.array, offset)

    def _fill_command(self, bound: _Bound, chosen: NDArray[np.bool_] | None = None) -> None:
        """Begin with the commands of now, in some worlds; None = in all."""
        values = self._commands_in(bound, self.worlds.state)
        if chosen is not None:
            values = np.where(chosen[:, None], values, bound.array.numpy())
        bound.array.assign(values)

    def _fill_commands(self, chosen: NDArray[np.bool_]) -> None:
        for bound in self._bound.values():
            if bound.channel.writable:
                self._fill_command(bound, chosen)

    def _commands_in(self, bound: _Bound, state: Mapping[str, Any]) -> Floats:
        """Return (worlds, items): what the motors are told in states."""
        mode = STATE_OF[bound.channel.name].mode
        assert mode is not None
        rows = [bound.channel.rows[place] for place in bound.places]
        commands = state["COMMAND"].numpy()
        commands = commands.reshape(len(commands), -1, 10)
        values = np.zeros((len(commands), len(rows)))
        if mode is MotorMode.POSITION:
            values = self._positions(rows, state)
        return np.where(
            commands[:, rows, 0] == int(mode), commands[:, rows, _COMMAND_COLUMNS[mode]], values
        )

    def _start_commands(self) -> Iterator[tuple[_Bound, Any]]:
        """Return the commands at the start, one row for all worlds."""
        for key, bound in self._bound.items():
            if not bound.channel.writable:
                continue
            if key not in self._start_told:
                row = self._commands_in(bound, self._start)
                self._start_told[key] = wp.array(row, dtype=wp.float64, device=self._device)
            yield bound, self._start_told[key]

    def _positions(self, rows: Sequence[int], state: Mapping[str, Any]) -> Floats:
        axes = self._sim.compiled.tables.axes
        qpos, motor = state["QPOS"].numpy(), state["MOTOR"].numpy()
        columns = [
            qpos[:, axes[row]["qpos"]]
            if axes[row]["kind"] == AxisKind.JOINT
            else motor[:, MOTOR_WIDTH * row + 3]
            for row in rows
        ]
        return np.stack(columns, axis=1)

    def _axis(self, channel: BatchChannel, place: int, row: int) -> tuple[int, int]:
        axis = self._sim.compiled.tables.axes[row]
        if channel.name in ("joint.position", "joint.velocity") and axis["kind"] == AxisKind.JOINT:
            if channel.name == "joint.position":
                return _QPOS, int(axis["qpos"])
            return _QVEL, int(axis["dof"])
        is_driven = axis["kind"] in (AxisKind.KINEMATIC, AxisKind.PROPELLER)
        if channel.name == "joint.velocity" and is_driven:
            return _MOTOR, MOTOR_WIDTH * row
        if channel.name in _MOTOR_COLUMNS:
            return _MOTOR, MOTOR_WIDTH * row + _MOTOR_COLUMNS[channel.name]
        raise ValueError(
            f'{channel.name} of "{channel.items[place]}" cannot be read on a device: it is no joint '
            "of one degree of freedom"
        )

    def _link(self, bound: _Bound, row: int, offset: int) -> WorldItem:
        name, binding, sim = bound.channel.name, self._sim.compiled.binding, self._sim
        body = int(binding.body[row])
        where = int(self._tables.row_of_body[body])
        if name == "link.contact_force":
            sharing = [k for k in np.flatnonzero(binding.body == body).tolist() if k != row]
            if where >= 0 and sharing:
                raise ValueError(
                    f'{name} of "{sim.link_names[row]}" cannot be read on a device: it is one body '
                    f'with "{sim.link_names[sharing[0]]}"'
                )
            if where < 0:
                raise ValueError(f'{name} of "{sim.link_names[row]}": it stands still')
            return WorldItem(_FORCE, where, _NOTHING, bound.array, offset)
        kind = {"link.pose": _POSE, "link.twist": _TWIST, "link.com": _COM}[name]
        if kind == _TWIST and where >= 0 and self._tables.rides[where]:
            raise ValueError(
                f'{name} of "{sim.link_names[row]}" cannot be read on a device: no force moves it'
            )
        if where >= 0:
            reals = (*binding.offset_position[row].tolist(), *_NOTHING[3:])
        elif kind == _COM:
            reals = (*sim.data.xipos[body].tolist(), *_NOTHING[3:])
        else:
            reals = (*sim.poses()[row].tolist(), *_NOTHING[7:])
        return WorldItem(kind, where, tuple(map(float, reals)), bound.array, offset)

    def _sensor(self, bound: _Bound, row: int, offset: int) -> WorldItem:
        device = self._sim.devices.devices[row]
        if sees(device):
            column = self._images.column(bound.channel.name, device)
            return self._sensors.drawn_item(device, row, column, bound.array, offset)
        return self._sensors.item(bound.channel.name, device, row, bound.array, offset)

    # ------------------------------------------------------------------ time

    def step(self, n: int = 1, ids: Any = None, on_error: str = "raise") -> None:
        """Advance worlds by `n` steps; see `Batch.step`.

        Args:
            n: How many steps.
            ids: Numbers of worlds or a mask; None = all. Those that have failed stay as they are.
            on_error: "raise" waits for the device and looks whether a world has failed; "mask" does neither.

        Raises:
            SimulationError: A world is no longer finite; the others have made their steps.
        """
        if on_error not in ("raise", "mask"):
            raise ValueError(f'on_error must be "raise" or "mask", got {on_error!r}')
        if n < 0:
            raise ValueError(f"n must not be negative, got {n}")
        if n == 0:
            return
        some = None if ids is None else self._mask(ids)
        before = self.failed if on_error == "raise" else None
        if some is not None:
            self.worlds.state["ACTIVE"].assign(some.astype(np.int8)[:, None])
        self._run(n)
        if some is not None:
            self.worlds.state["ACTIVE"].fill_(1)
        self.time[slice(None) if some is None else some] += n * self._tables.reals["H"]
        if before is not None:
            failed = np.flatnonzero(self.failed & ~before)
            if len(failed):
                first = int(failed[0])
                raise SimulationError(
                    f"simulation {first}: positions or velocities, or a command, are no longer finite"
                    + (f" (and {len(failed) - 1} more)" if len(failed) > 1 else ""),
                    time=float(self.time[first]),
                )

    def _run(self, n: int) -> None:
        if not self._device.is_cuda:
            self._launch(n)
            return
        if n not in self._graphs:
            self.worlds.load()  # that cannot be captured
            self._look_items(n * self._tables.reals["H"])
            with wp.ScopedCapture(device=self._device) as capture:
                self._launch(n)
            self._graphs[n] = capture.graph
        wp.capture_launch(self._graphs[n])

    def _launch(self, n: int) -> None:
        if self._tells is not None:
            self.worlds.launch("tell", self._tells)
        for _ in range(n):
            self.worlds.step()
            if self._reads is not None and self._sensors.feels:
                self.worlds.launch("feel", self._reads)
        self._look(n * self._tables.reals["H"])

    def _look(self, elapsed: float, changed: Any = None) -> None:
        """Read all bound channels.

        Args:
            elapsed: Since the last time [s]; 0 = nothing was accelerated.
            changed: Of Warp: a mask of the worlds of which images are made anew; None = of those that step.
        """
        items = self._look_items(elapsed)
        if items is not None:
            self.worlds.launch("look", items)
        self._images.look(self.worlds.state["ACTIVE"], changed)
        if self._finishes is not None:
            self.worlds.launch("look", self._finishes)

    def _look_items(self, elapsed: float) -> WorldItems | None:
        if self._reads is None:
            return None
        if elapsed not in self._reads_of:
            steps = round(elapsed / self._tables.reals["H"])
            self._reads_of[elapsed] = self._reading(
                self._reads.items, steps, self._reads.sight, self._reads.memory
            )
        return self._reads_of[elapsed]

    def _reading(
        self, items: Sequence[WorldItem], steps: int, sight: Any, memory: Any = None
    ) -> WorldItems:
        """Return what is read every so many steps; 0 = now, and nothing was accelerated."""
        noise = self._noise
        return WorldItems(
            items,
            self._count,
            self._device,
            steps * self._tables.reals["H"],
            sight=sight,
            memory=memory,
            noise=None if noise is None else (noise.key, noise.clock),
            steps=steps,
            raw=self._images.raw,
        )

    @property
    def failed(self) -> NDArray[np.bool_]:
        """(n,): worlds that cannot go on until they are reset."""
        return self.worlds.state["FAILED"].numpy()[:, 0].astype(bool)

    @property
    def stats(self) -> dict[str, NDArray[np.int32]]:
        """Per world: solutions of the last step, steps that did not converge, contacts without room, ..."""
        found = self.worlds.state["STAT"].numpy()
        return {name: found[:, k] for k, name in enumerate(STAT_NAMES)}

    # ------------------------------------------------------------------ other states

    def _start_rows(self) -> dict[str, NDArray[Any]]:
        """Return the state at the start, one row per array."""
        sim, state = self._sim, self._sim.core.state
        widths = self.worlds.widths
        motors = [state.motors[name] for name in ("velocity", "integral", "error", "position")]
        motors += [state.motors[name] for name in ("effort", "reaction")]
        told = [
            state.commands[name].astype(float)
            for name in (
                *("mode", "target_position", "target_velocity", "target_effort"),
                *("available_effort", "acceleration", "p", "i", "d", "brake"),
            )
        ]
        asleep = sim.data.tree_asleep >= 0
        rest = np.stack([state.trees["idle"], np.where(asleep, 2, state.trees["ready"])], axis=1)
        rows = {
            "QPOS": sim.data.qpos,
            "QVEL": sim.data.qvel,
            "QACC": sim.data.qacc,
            "MOTOR": np.stack(motors, axis=1).ravel(),
            "COMMAND": np.stack(told, axis=1).ravel(),
            "REST": rest.ravel(),
            "PLACE": start_places(sim.compiled, sim.data),
            "FORCE": np.zeros(widths["FORCE"]),
            "TOUCH": np.zeros(widths["TOUCH"], dtype=np.int8),
            "SIDES": np.zeros(widths["SIDES"], dtype=np.int8),
            "KEYS": np.full(widths["KEYS"], -1, dtype=np.int32),
        }
        return {
            name: np.resize(row, widths[name]).astype(_DTYPES.get(name, np.float64))
            if len(row)
            else np.zeros(widths[name], dtype=_DTYPES.get(name, np.float64))
            for name, row in rows.items()
        }

    def _mask(self, ids: Any) -> NDArray[np.bool_]:
        """Return a mask over worlds, on the host."""
        out = np.zeros(self._count, dtype=bool)
        out[self._numbers(ids)] = True
        return out

    def _numbers(self, ids: Any) -> NDArray[np.int64]:
        """Return numbers of worlds, each once, in the order in which they are given; None = all."""
        if hasattr(ids, "__dlpack__") and not isinstance(ids, np.ndarray):
            given: Any = wp.from_dlpack(ids)
            ids = given.numpy()
        return copies_of(ids, np.arange(self._count), "world")

    def reset(
        self, ids: Any = None, seeds: ArrayLike | None = None, state: DeviceSnapshot | None = None
    ) -> None:
        """Go back to the start, or to a snapshot; see `Batch.reset`.

        Args:
            ids: Numbers of worlds, or a mask over all; a mask on the device (DLPack) is taken as it is.
            seeds: One for each of them: their noise is then that of world 0 of a batch of that seed. None =
                noise that they have not had before.
            state: Of as many worlds as are reset.
        """
        if state is not None:
            self.restore(state, ids)
            return
        chosen: NDArray[np.bool_] | None = None
        if hasattr(ids, "__dlpack__") and not isinstance(ids, np.ndarray):
            mask: Any = wp.from_dlpack(ids)
            if mask.shape != (self._count,) or mask.dtype is not wp.bool:
                raise ValueError(f"a mask over worlds is {self._count} truth values")
        else:
            chosen = np.ones(self._count, dtype=bool) if ids is None else self._mask(ids)
            mask = wp.array(chosen, dtype=wp.bool, device=self._device)
        for name, row in self._start.items():
            to = self.worlds.state[name]
            take_row(mask, row, to)
        self._clear(mask)
        if chosen is None:  # after what is queued on the device
            chosen = np.asarray(mask.numpy())
        self.time[chosen] = 0.0
        if self._noise is not None:
            self._noise.begin_anew(np.flatnonzero(chosen), seeds)
            self._set_clock()
        for bound, row in self._start_commands():
            take_row(mask, row, bound.array)
        for bound in self._bound.values():
            if bound.channel.name == "sensor.touch":  # nothing has been touched
                flat = bound.array.reshape((self._count, -1))
                zero = wp.zeros((1, flat.shape[1]), dtype=flat.dtype, device=self._device)
                take_row(mask, zero, flat)
        self._look(0.0, mask)

    def _set_clock(self) -> None:
        """Let sensors know how many steps each world has made."""
        assert self._noise is not None
        self._noise.set_clock(np.rint(self.time / self._tables.reals["H"]).astype(np.int64))

    def _clear(self, mask: Any) -> None:
        for name in ("FAILED", "STAT"):
            to = self.worlds.state[name]
            zero = wp.zeros((1, to.shape[1]), dtype=to.dtype, device=self._device)
            take_row(mask, zero, to)

    def snapshot(self, ids: Any = None) -> DeviceSnapshot:
        """Return the complete states of worlds."""
        chosen = self._numbers(ids)
        arrays = {name: self.worlds.state[name].numpy()[chosen] for name in _RESTORED}
        assert self._noise is not None
        return DeviceSnapshot(arrays, self.time[chosen], self._noise.keys[chosen])

    def restore(self, snapshot: DeviceSnapshot, ids: Any = None) -> None:
        """Continue from states: the following steps give the same bytes as they did then."""
        chosen = self._numbers(ids)
        if len(snapshot) != len(chosen):
            raise ValueError(f"{len(chosen)} worlds need as many states, got {len(snapshot)}")
        for name, rows in snapshot.arrays.items():
            if rows.shape[1] != self.worlds.widths[name]:
                raise ValueError("the snapshot is of another scene")
            self._write(name, chosen, rows)
        self._clear(wp.array(self._mask(chosen), dtype=wp.bool, device=self._device))
        self.time[chosen] = snapshot.time
        assert self._noise is not None
        self._noise.take(chosen, snapshot.keys)
        self._set_clock()
        self._fill_commands(self._mask(chosen))
        self._look(0.0)

    def _write(self, name: str, chosen: NDArray[np.int64], rows: NDArray[Any]) -> None:
        whole = self.worlds.state[name].numpy().copy()
        whole[chosen] = rows
        self.worlds.state[name].assign(whole)

    def place(self, name: str, values: ArrayLike, items: Items = None, ids: Any = None) -> None:
        """Put joints or links elsewhere: joint.position, joint.velocity, link.pose or link.twist.

        See `Batch.place`. Links must be the roots of floating trees.
        """
        channel = self.channels[name]
        placing = DevicePlacing(self._sim, name)
        places = self.channels.places(channel, items)
        chosen = self._numbers(ids)
        shape = (len(chosen), len(places), *channel.each)
        wanted = spread(name, values, shape)
        if not np.isfinite(wanted).all():
            raise ValueError(f"{name} takes finite numbers")
        rows = {key: self.worlds.state[key].numpy()[chosen] for key in _PLACED}
        for k, place in enumerate(places):
            placing.place(channel, place, wanted[:, k], rows)
        for key, changed in rows.items():
            self._write(key, chosen, changed)
        self._look(0.0)

    # ------------------------------------------------------------------ constants

    @property
    def variables(self) -> Variables:
        """What `vary` knows: see `Batch.variables`. Some of it cannot differ on a device."""
        return self._varying.known

    def constants(self, name: str, items: Items = None) -> Floats:
        """Return (worlds, items, ...): what holds now of what `vary` takes; see `Batch.constants`."""
        channel = self.variables[name]
        places = self.channels.places(channel, items)
        found = self._varying.values(name)[:, list(places)]
        return found.reshape(self._count, len(places), *channel.each).copy()

    def vary(
        self, name: str, values: ArrayLike | None, items: Items = None, ids: Any = None
    ) -> None:
        """Let constants differ from world to world, from now on; see `Batch.vary`.

        Contacts, masses and inertias of links, dampers, springs, servos and dry friction of joints, gains,
        greatest efforts and accelerations of motors can.

        Raises:
            NameLookupError: There is no such variable or item.
            ValueError: The numbers are not allowed, or this variable cannot differ on a device.
        """
        channel = self.variables[name]
        places, worlds = self.channels.places(channel, items), self._numbers(ids)
        check_varied(name)
        if not len(worlds):
            return
        wanted = None
        if values is not None:
            wanted = spread(name, values, (len(worlds), len(places), *channel.each))
            wanted = wanted.reshape(len(worlds), len(places), -1)
        self._varying.vary(name, places, worlds, wanted)
        self._start_told.clear()
        self._graphs.clear()

    # ------------------------------------------------------------------ whole arrays

    def _read_once(self, name: str) -> Any:
        """Return (worlds, items, ...) of a channel as it is now, without binding it."""
        channel = self.channels[name]
        places = tuple(range(len(channel.items)))
        shape = (self._count, len(places), *channel.each)
        array = wp.zeros(shape, dtype=wp.float64, device=self._device)
        if places:
            items = self._items_of(_Bound(channel, places, array))
            self.worlds.launch("look", WorldItems(items, self._count, self._device, 0.0))
        return array.numpy()

    def poses(self) -> Floats:
        """Return (worlds, links, 7)."""
        return self._read_once("link.pose")

    def velocities(self) -> Floats:
        """Return (worlds, links, 6)."""
        return self._read_once("link.twist")

    def joint_states(self) -> Floats:
        """Return (worlds, axes, 2)."""
        parts = [self._read_once(name) for name in ("joint.position", "joint.velocity")]
        return np.stack(parts, axis=-1)

    def qpos(self) -> Floats:
        """Return (worlds, nq): MuJoCo's positions, copied."""
        return self.worlds.state["QPOS"].numpy()[:, : self._sim.model.nq].copy()

    def qvel(self) -> Floats:
        """Return (worlds, nv): MuJoCo's velocities, copied."""
        return self.worlds.state["QVEL"].numpy()[:, : self._sim.model.nv].copy()
