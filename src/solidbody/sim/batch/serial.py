"""Copies that are simulations of their own, stepped one after the other.

They do what no array can: everything that has its say between steps in Python. What they read is what the
native copies must read as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from solidbody.base.errors import SimulationError
from solidbody.contact.layout import AxisKind, MotorMode
from solidbody.devices.core.device_binding import BoundDevice
from solidbody.devices.core.noise_streams import NoiseStreams
from solidbody.devices.imaging.lazy_rendering import ImageGroup
from solidbody.sim.batch.channels import SENSOR_OF, STATE_OF, BatchChannel, ItemKind
from solidbody.sim.snapshot import Snapshot

if TYPE_CHECKING:
    from solidbody.sim.simulation import Sim

Floats = NDArray[np.float64]

Failures = dict[int, SimulationError]
"""By the number of the copy."""


def read_channel(sim: Sim, channel: BatchChannel, places: Sequence[int]) -> NDArray[Any]:
    """Return what one simulation reads on some items of a channel now."""
    rows = np.array([channel.rows[place] for place in places], dtype=np.intp)
    if channel.kind is not ItemKind.DEVICE:
        return STATE_OF[channel.name].read(sim, rows)
    return np.stack([_read_device(sim, channel, sim.devices.devices[row]) for row in rows])


def _read_device(sim: Sim, channel: BatchChannel, bound: BoundDevice) -> NDArray[Any]:
    group, row = sim.devices.group_of(bound)
    if isinstance(group, ImageGroup):
        sim.devices.begin_noise(bound)
        image = group.image(row)
        return np.zeros(channel.each, channel.dtype) if image is None else image
    return group.values[row, SENSOR_OF[channel.name].columns].reshape(channel.each)


def turn_on(sim: Sim, device: int, period: float | None, key: int) -> None:
    """Let a device measure from now on, and once at once; `key`: of the noise."""
    if sim.devices.streams is None:
        sim.devices.use_streams(NoiseStreams(key))
    bound = sim.devices.devices[device]
    if period is None:
        sim.devices.enable_at_own_rate(bound)
    else:
        sim.devices.enable(bound, period)
    first_look(sim, device)


def first_look(sim: Sim, device: int) -> None:
    """Measure now, before any step: nothing was accelerated, nothing pushed."""
    elapsed = np.array([sim.time_step])
    group, row = sim.devices.group_of(sim.devices.devices[device])
    rows = np.array([row], dtype=np.intp)
    sim.devices.world.forget()
    if sim.devices.streams is not None:
        sim.devices.streams.begin(device, sim.step_count)
    if isinstance(group, ImageGroup):
        group.look(row, 0.0)
    elif group.needs_forces:
        group.values[row] = 0.0
    else:
        group.enable(row)
        group.sample(rows, elapsed)


COMMANDS: Mapping[MotorMode, Callable[[Sim, int, float], object]] = {
    MotorMode.VELOCITY: lambda sim, row, value: sim.motors.turn(row, value),
    MotorMode.POSITION: lambda sim, row, value: sim.motors.go_to(row, value),
    MotorMode.EFFORT: lambda sim, row, value: sim.motors.push(row, value),
}
"""What writes a command."""


def command(sim: Sim, channel: BatchChannel, places: Sequence[int], values: Floats) -> None:
    """Give the motors of one simulation commands."""
    mode = STATE_OF[channel.name].mode
    assert mode is not None
    for place, value in zip(places, values.tolist(), strict=True):
        COMMANDS[mode](sim, channel.rows[place], value)


def step_one(sim: Sim, n: int) -> SimulationError | None:
    """Advance one simulation; return why it failed."""
    try:
        sim.step(n)
    except SimulationError as error:
        return error
    return None


def reset_one(sim: Sim, key: int, state: Snapshot | None) -> None:
    """Go back to the start or to a snapshot; noise begins anew with this key."""
    sim.reset()
    if state is not None:
        sim.restore(state)
    if not sim.steps_alone and sim.devices.streams is not None:
        sim.devices.streams.key = key


def _place_position(sim: Sim, row: int, value: Floats) -> None:
    sim.joint(sim.joint_names[row]).position = float(value)


def _place_velocity(sim: Sim, row: int, value: Floats) -> None:
    axis = sim.compiled.tables.axes[row]
    if axis["kind"] != AxisKind.JOINT:
        raise ValueError(f'the velocity of "{sim.joint_names[row]}" cannot be set: it has no dof')
    sim.data.qvel[axis["dof"]] = float(value)
    sim.core.state_changed(sim.axis_links[row])


def _place_pose(sim: Sim, row: int, value: Floats) -> None:
    sim.link(sim.link_names[row]).set_pose(value[:3], value[3:] / np.linalg.norm(value[3:]))


def _place_twist(sim: Sim, row: int, value: Floats) -> None:
    sim.link(sim.link_names[row]).set_velocity(value[:3], value[3:])


PLACED: Mapping[str, Callable[[Sim, int, Floats], None]] = {
    "joint.position": _place_position,
    "joint.velocity": _place_velocity,
    "link.pose": _place_pose,
    "link.twist": _place_twist,
}
"""What can be put elsewhere, by channel."""
