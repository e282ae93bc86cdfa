"""Channels of a batch: what can be read of all copies at once, by name, with units.

A channel has items (axes, links, devices), and each item some numbers. `CHANNELS` is the table of what can be
read of a state; sensors come from the table of device kinds.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from solidbody.base.errors import NameLookupError
from solidbody.contact.layout import MotorMode
from solidbody.devices.core.device_binding import BoundDevice
from solidbody.model import devices as d
from solidbody.model.motors import PositionSensor

if TYPE_CHECKING:
    from solidbody.sim.simulation import Sim

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

SHOWN_ITEMS = 6
"""Names of items that a line of a list of channels has."""

Items = str | Sequence[str] | None
"""Names or patterns (`*`, `?`, `[...]`) of items; None = all."""


class ItemKind(Enum):
    """What the items of a channel are."""

    AXIS = "joint"
    LINK = "link"
    DEVICE = "device"
    CONTACT = "contact"
    SHAPE = "shape"
    WORLD = "world"


@dataclass(frozen=True, slots=True)
class BatchChannel:
    """What can be read, or commanded, of every copy.

    Attributes:
        name: Such as "joint.position".
        items: Names of what it has numbers of.
        each: Shape of the numbers of one item; () = one number.
        unit: SI.
        doc: What the numbers are.
        writable: Whether the array is read at the start of each step.
        kind: What the items are.
        rows: Of the items: of `Sim.joint_states()`, of `Sim.poses()`, or of all devices.
        dtype: Of the numbers.
    """

    name: str
    items: tuple[str, ...]
    each: tuple[int, ...]
    unit: str
    doc: str
    writable: bool
    kind: ItemKind
    rows: tuple[int, ...]
    dtype: Any = np.float64

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of an array of all items, without the axis of the copies."""
        return (len(self.items), *self.each)


@dataclass(frozen=True, slots=True, eq=False)
class Bound:
    """A channel that somebody looks at: which items, and the array."""

    channel: BatchChannel
    places: tuple[int, ...]
    array: NDArray[Any]

    @property
    def rows(self) -> tuple[int, ...]:
        """Of the items: see `BatchChannel.rows`."""
        return tuple(self.channel.rows[place] for place in self.places)


@dataclass(frozen=True, slots=True)
class StateChannel:
    """A row of the table: a channel that is read straight from the state.

    Attributes:
        name: Of the channel.
        kind: What the items are.
        each: Shape of an item.
        unit: SI.
        doc: What it is.
        read: Returns the values of some rows of one simulation.
        mode: Of the motors that it commands; None = it is only read.
    """

    name: str
    kind: ItemKind
    each: tuple[int, ...]
    unit: str
    doc: str
    read: Callable[[Sim, Rows], Floats]
    mode: MotorMode | None = None


def _contact_forces(sim: Sim, rows: Rows) -> Floats:
    found, out = sim.contacts(), np.zeros((len(sim.link_names) + 1, 3))
    np.subtract.at(out, found.link[:, 0], found.force)
    np.add.at(out, found.link[:, 1], found.force)
    return out[rows]


def _centres(sim: Sim, rows: Rows) -> Floats:
    sim.core.refresh()
    return sim.data.xipos[sim.compiled.binding.body[rows]]


def _command(column: str, mode: MotorMode) -> Callable[[Sim, Rows], Floats]:
    """Return what reads a command; 0 where the motor is in another mode, for positions where it is."""

    def read(sim: Sim, rows: Rows) -> Floats:
        commands = sim.motor_axes[rows]
        rest = sim.joint_states()[rows, 0] if mode is MotorMode.POSITION else 0.0
        return np.where(commands["mode"] == mode, commands[column], rest)

    return read


_AXIS, _LINK = ItemKind.AXIS, ItemKind.LINK

CHANNELS: Final = (
    StateChannel(
        "joint.position",
        _AXIS,
        (),
        "rad or m",
        "position of each axis, not wrapped",
        lambda sim, rows: sim.joint_states()[rows, 0],
    ),
    StateChannel(
        "joint.velocity",
        _AXIS,
        (),
        "rad/s or m/s",
        "velocity of each axis",
        lambda sim, rows: sim.joint_states()[rows, 1],
    ),
    StateChannel(
        "joint.effort",
        _AXIS,
        (),
        "N*m or N",
        "what the motor and dry friction gave in the last step",
        lambda sim, rows: sim.motor_states["effort"][rows],
    ),
    StateChannel(
        "joint.reaction",
        _AXIS,
        (),
        "N*m or N",
        "the same with the stops: what the joint transmitted about its axis",
        lambda sim, rows: sim.motor_states["reaction"][rows],
    ),
    StateChannel(
        "joint.target_velocity",
        _AXIS,
        (),
        "rad/s or m/s",
        "command: turn or slide at this velocity",
        _command("target_velocity", MotorMode.VELOCITY),
        MotorMode.VELOCITY,
    ),
    StateChannel(
        "joint.target_position",
        _AXIS,
        (),
        "rad or m",
        "command: go to this position",
        _command("target_position", MotorMode.POSITION),
        MotorMode.POSITION,
    ),
    StateChannel(
        "joint.target_effort",
        _AXIS,
        (),
        "N*m or N",
        "command: push with this force or torque",
        _command("target_effort", MotorMode.EFFORT),
        MotorMode.EFFORT,
    ),
    StateChannel(
        "link.pose",
        _LINK,
        (7,),
        "m and unit quaternion",
        "position x y z and orientation w x y z of the link's origin, world",
        lambda sim, rows: sim.poses()[rows],
    ),
    StateChannel(
        "link.twist",
        _LINK,
        (6,),
        "m/s and rad/s",
        "linear velocity of the link's origin and angular velocity, world axes",
        lambda sim, rows: sim.velocities()[rows],
    ),
    StateChannel(
        "link.com",
        _LINK,
        (3,),
        "m",
        "centre of mass of the link, world",
        _centres,
    ),
    StateChannel(
        "link.contact_force",
        _LINK,
        (3,),
        "N",
        "sum of the contact forces on the link in the last step, world",
        _contact_forces,
    ),
)
"""What is read of a state."""

STATE_OF: Final = {row.name: row for row in CHANNELS}


@dataclass(frozen=True, slots=True)
class SensorChannel:
    """A row of the table of sensors.

    Attributes:
        name: Of the channel.
        model: Description of its devices.
        columns: Which of the numbers that the group samples.
        each: Shape of an item; () = one number.
        unit: SI, or what a look-up table makes of it.
        doc: What it is.
    """

    name: str
    model: type
    columns: slice
    each: tuple[int, ...]
    unit: str
    doc: str


_ALL = slice(None)

SENSORS: Final = (
    SensorChannel(
        "sensor.position", PositionSensor, _ALL, (), "rad or m", "position sensors of joints"
    ),
    SensorChannel(
        "sensor.accelerometer",
        d.DeviceAccelerometer,
        _ALL,
        (3,),
        "m/s^2",
        "acceleration minus gravity, own axes",
    ),
    SensorChannel("sensor.gyro", d.DeviceGyro, _ALL, (3,), "rad/s", "angular velocity, own axes"),
    SensorChannel(
        "sensor.imu",
        d.DeviceImu,
        _ALL,
        (6,),
        "m/s^2 and rad/s",
        "acceleration minus gravity and angular velocity, own axes",
    ),
    SensorChannel(
        "sensor.inertial_unit",
        d.DeviceInertialUnit,
        _ALL,
        (4,),
        "unit quaternion",
        "attitude x y z w",
    ),
    SensorChannel(
        "sensor.compass", d.DeviceCompass, _ALL, (3,), "", "direction of north, own axes"
    ),
    SensorChannel("sensor.gps", d.DeviceGps, slice(0, 3), (3,), "m or degrees", "position"),
    SensorChannel("sensor.gps_speed", d.DeviceGps, slice(3, 4), (), "m/s", "speed"),
    SensorChannel(
        "sensor.gps_velocity", d.DeviceGps, slice(4, 7), (3,), "m/s", "velocity, world axes"
    ),
    SensorChannel("sensor.altimeter", d.DeviceAltimeter, _ALL, (), "m", "height"),
    SensorChannel(
        "sensor.distance",
        d.DeviceDistanceSensor,
        _ALL,
        (),
        "of its look-up table",
        "distance sensors",
    ),
    SensorChannel(
        "sensor.light", d.DeviceLightSensor, _ALL, (), "of its look-up table", "light sensors"
    ),
    SensorChannel(
        "sensor.touch",
        d.DeviceTouchSensor,
        _ALL,
        (3,),
        "N, of its look-up table",
        "bumpers (1 or 0), force along -x (x), or the force on the sensor (x y z)",
    ),
    SensorChannel(
        "sensor.force",
        d.DeviceForceSensor,
        _ALL,
        (6,),
        "N and N*m",
        "force and moment through the joint, own axes",
    ),
)
"""Sensors of a few numbers."""

SENSOR_OF: Final = {row.name: row for row in SENSORS}

IMAGES: Final = {
    d.DeviceCamera: ("sensor.camera", "", "picture, red green blue", np.uint8, 3),
    d.DeviceRangeFinder: ("sensor.range_finder", "m", "distance in each pixel", np.float32, 0),
    d.DeviceLidar: ("sensor.lidar", "m", "distance in each direction", np.float32, 0),
}
"""Sensors that give pictures; devices of one size are a channel."""


class Channels(Mapping[str, BatchChannel]):
    """All channels of a scene, by name."""

    def __init__(self, sim: Sim, devices: Sequence[BoundDevice]) -> None:
        names = device_names(devices)
        found = [
            *_state_channels(sim),
            *_sensor_channels(devices, names),
            *_image_channels(devices, names),
        ]
        self._found = {channel.name: channel for channel in found}
        self._axis_aliases = sim.compiled.binding.joint_aliases
        self._link_rows = {
            alias: row
            for row, aliases in enumerate(sim.compiled.binding.link_aliases)
            for alias in aliases
            if alias
        }

    def __getitem__(self, name: str) -> BatchChannel:
        found = self._found.get(name)
        if found is None:
            raise NameLookupError("channel", name, self._found)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def __repr__(self) -> str:
        return listing(self)

    def places(self, channel: BatchChannel, items: Items) -> tuple[int, ...]:
        """Return places in `channel.items`, in the order that was asked for, each once."""
        if items is None:
            return tuple(range(len(channel.items)))
        asked = [items] if isinstance(items, str) else list(items)
        known = {name: place for place, name in enumerate(channel.items)}
        out: dict[int, None] = {}
        for name in asked:
            if not isinstance(name, str):
                raise TypeError(f"items are names or patterns, got {name!r}")
            place = known.get(name, self._alias(channel, name))
            if place is not None:
                out[place] = None
                continue
            matches = [known[item] for item in channel.items if fnmatch.fnmatchcase(item, name)]
            if not matches:
                raise NameLookupError(f"{channel.kind.value} of {channel.name}", name, known)
            out |= dict.fromkeys(matches)
        return tuple(out)

    def _alias(self, channel: BatchChannel, name: str) -> int | None:
        """Return the place of an item by another name: a motor of an axis, the path of a link."""
        aliases: Mapping[str, int] = {}
        if channel.kind is ItemKind.AXIS:
            aliases = self._axis_aliases
        elif channel.kind is ItemKind.LINK:
            aliases = self._link_rows
        row = aliases.get(name)
        return channel.rows.index(row) if row is not None and row in channel.rows else None


def listing(channels: Mapping[str, BatchChannel]) -> str:
    """Return a line for each: its name, shape, unit, what it is, and items."""
    wide = max(map(len, channels), default=0)
    lines: list[str] = []
    for name, one in channels.items():
        items = ", ".join(one.items[:SHOWN_ITEMS]) + (", ..." if one.items[SHOWN_ITEMS:] else "")
        unit = f" [{one.unit}]" if one.unit else ""
        lines.append(f"{name:<{wide}}  {one.shape!s:<12} {one.doc}{unit}: {items}")
    return "\n".join(lines)


def _state_channels(sim: Sim) -> Iterator[BatchChannel]:
    axes, links = sim.joint_names, sim.link_names
    driven = tuple(row for row in range(len(axes)) if sim.axis_model(row).motor is not None)
    for row in CHANNELS:
        if row.mode is not None:
            rows: tuple[int, ...] = driven
        else:
            rows = tuple(range(len(axes) if row.kind is _AXIS else len(links)))
        names = axes if row.kind is _AXIS else links
        items = tuple(names[k] for k in rows)
        if items:
            yield BatchChannel(
                row.name, items, row.each, row.unit, row.doc, row.mode is not None, row.kind, rows
            )


def _sensor_channels(
    devices: Sequence[BoundDevice], names: Sequence[str]
) -> Iterator[BatchChannel]:
    for row in SENSORS:
        rows = tuple(bound.index for bound in devices if type(bound.device) is row.model)
        if rows:
            items = tuple(names[k] for k in rows)
            yield BatchChannel(
                row.name, items, row.each, row.unit, row.doc, False, ItemKind.DEVICE, rows
            )


def _image_channels(devices: Sequence[BoundDevice], names: Sequence[str]) -> Iterator[BatchChannel]:
    """One channel per kind; where pictures have several sizes, one per device as well."""
    for model, (name, unit, doc, dtype, depth) in IMAGES.items():
        mine = [bound for bound in devices if type(bound.device) is model]
        sizes = {bound.index: _size(bound.device, depth) for bound in mine}
        one_size = len(set(sizes.values())) == 1
        for bound in mine if not one_size else mine[:1]:
            rows = tuple(sizes) if one_size else (bound.index,)
            yield BatchChannel(
                name if one_size else f"{name}.{names[bound.index]}",
                tuple(names[k] for k in rows),
                sizes[bound.index],
                unit,
                doc,
                False,
                ItemKind.DEVICE,
                rows,
                dtype,
            )


def _size(device: Any, depth: int) -> tuple[int, ...]:
    """Return height and width of a picture, and the numbers of a pixel."""
    if isinstance(device, d.DeviceLidar):
        return (device.layers, device.samples)
    return (device.height, device.width, depth) if depth else (device.height, device.width)


def device_names(devices: Sequence[BoundDevice]) -> list[str]:
    """Return a name of each device, with its robot or link before it where others have the same one."""
    counts: dict[str, int] = {}
    for bound in devices:
        counts[bound.name] = counts.get(bound.name, 0) + 1
    out = [
        bound.name if counts[bound.name] == 1 else f"{bound.robot or bound.link_name}/{bound.name}"
        for bound in devices
    ]
    seen: dict[str, int] = {}
    for k, name in enumerate(out):
        seen[name] = seen.get(name, 0) + 1
        if seen[name] > 1:
            out[k] = f"{name}#{seen[name]}"
    return out
