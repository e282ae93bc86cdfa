"""Emitters and receivers: packets that travel between robots (docs/behaviour, W9.5)."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.random import Generator

from solidbody.base.vectors import multiply, rotate, unrotate
from solidbody.devices.core.device_binding import BoundDevice
from solidbody.devices.core.device_frames import DeviceWorld, Floats, Rows
from solidbody.devices.core.group import Group
from solidbody.devices.scalar.distance import own_groups
from solidbody.model.devices import DeviceEmitter, DeviceReceiver, Medium

_FORWARD = np.array([[1.0, 0.0, 0.0]])


@dataclass(slots=True)
class RadioPacket:
    """Bytes on their way, or waiting to be read."""

    data: bytes
    channel: int | None
    range: float = math.inf
    left: float = 0.0
    signal: float = math.inf
    direction: tuple[float, float, float] = (math.nan, math.nan, math.nan)


@dataclass(slots=True)
class EmitterState:
    """What a program can change, and what has not left yet."""

    channel: int | None
    range: float
    queue: deque[RadioPacket] = field(default_factory=deque[RadioPacket])

    @property
    def waiting(self) -> int:
        """Bytes that have not left yet."""
        return sum(len(packet.data) for packet in self.queue)


class Emitters(Group[DeviceEmitter]):
    """Send packets; they have no value to read."""

    acts = True

    def __init__(self, devices: Sequence[BoundDevice], world: DeviceWorld, rng: Generator) -> None:
        super().__init__(devices, world, rng)
        self.states = [EmitterState(d.channel, d.range) for d in self.devices]
        self._last_step = -1
        self.groups = own_groups(devices, world.scene)

    def reset(self) -> None:
        """Nothing waits, channels and ranges are as in the file."""
        super().reset()
        self.states = [EmitterState(d.channel, d.range) for d in self.devices]
        self._last_step = -1

    def send(self, row: int, data: bytes) -> bool:
        """Queue a packet; False if the buffer is too small for it."""
        device, state = self.devices[row], self.states[row]
        size = device.buffer_size
        if size is not None and state.waiting + len(data) > size:
            return False
        bits = float(len(data) * device.byte_size)
        state.queue.append(RadioPacket(data, state.channel, state.range, left=bits))
        return True

    def is_busy(self) -> bool:
        """Whether something has not left yet."""
        return any(state.queue for state in self.states)

    def act(self) -> None:
        """Packets leave also when no receiver is on: then they are lost."""
        if self._last_step != self.world.source.step_count:
            self.leaving()

    def leaving(self) -> list[tuple[int, RadioPacket]]:
        """Return the packets that leave in this step, with their emitters."""
        self._last_step = self.world.source.step_count
        time = self.world.source.time_step
        out: list[tuple[int, RadioPacket]] = []
        for row, (device, state) in enumerate(zip(self.devices, self.states, strict=True)):
            bits = math.inf if device.baud_rate is None else device.baud_rate * time
            while state.queue:
                packet = state.queue[0]
                if packet.left > bits:
                    packet.left -= bits
                    break
                bits -= packet.left
                state.queue.popleft()
                out.append((row, packet))
        return out


@dataclass(slots=True)
class ReceiverState:
    """What a program can change, what has arrived, and what can be read."""

    channel: int | None
    arrived: deque[RadioPacket] = field(default_factory=deque[RadioPacket])
    queue: deque[RadioPacket] = field(default_factory=deque[RadioPacket])


class Receivers(Group[DeviceReceiver]):
    """Get packets; the value is the number of packets that can be read."""

    needs_every_step = True
    emitters: Emitters | None = None

    def __init__(self, devices: Sequence[BoundDevice], world: DeviceWorld, rng: Generator) -> None:
        super().__init__(devices, world, rng)
        self.states = [ReceiverState(d.channel) for d in self.devices]
        self.groups = own_groups(devices, world.scene)
        self._robots = [(b.body, b.robot_number) for b in devices]

    def reset(self) -> None:
        """Nothing has arrived, channels are as in the file."""
        super().reset()
        self.states = [ReceiverState(d.channel) for d in self.devices]

    def watch(self, rows: Rows) -> None:
        """Deliver what has left the emitters in this step."""
        if self.emitters is None:
            return
        for emitter, packet in self.emitters.leaving():
            for row in rows.tolist():
                self._deliver(emitter, packet, row)

    def _deliver(self, emitter: int, packet: RadioPacket, row: int) -> None:
        assert self.emitters is not None
        sender, receiver, state = (
            self.emitters.devices[emitter],
            self.devices[row],
            self.states[row],
        )
        bound = self.emitters.bound[emitter]
        if (
            sender.medium is not receiver.medium
            or (bound.body, bound.robot_number) == self._robots[row]
        ):
            return
        if None not in (packet.channel, state.channel) and packet.channel != state.channel:
            return
        here, there = np.array([row], dtype=np.intp), np.array([emitter], dtype=np.intp)
        at = self.places.positions(self.world, here)
        offset = self.emitters.places.positions(self.world, there) - at
        distance = float(np.linalg.norm(offset))
        if distance > packet.range:
            return
        if sender.medium is Medium.INFRARED and not self._is_seen(emitter, row, offset, distance):
            return
        signal = 1.0 / max(distance * distance, 1e-12)
        if receiver.signal_strength_noise > 0.0:
            noise = receiver.signal_strength_noise * float(self.random.standard_normal())
            signal = max(signal * (1.0 + noise), 0.0)
        if receiver.direction_noise > 0.0:
            noise = self.random.standard_normal((1, 3))
            offset = offset + receiver.direction_noise * distance * noise
        local = unrotate(self.places.rotations(self.world, here), offset)[0]
        length = max(float(np.linalg.norm(local)), 1e-12)
        x, y, z = (local / length).tolist()
        state.arrived.append(replace(packet, signal=signal, direction=(x, y, z)))

    def _beam(self, row: int) -> Floats:
        """Return the orientation of the cone of a receiver in the world."""
        turn = self.places.rotations(self.world, np.array([row], dtype=np.intp))
        return multiply(turn, np.array([self.devices[row].told_turn]))

    def _is_seen(self, emitter: int, row: int, offset: Floats, distance: float) -> bool:
        """Infra-red light needs both cones to face each other and nothing in between."""
        assert self.emitters is not None
        there = np.array([emitter], dtype=np.intp)
        unit = offset / max(distance, 1e-12)
        ends = (
            (self.devices[row].aperture, self._beam(row), unit),
            (
                self.emitters.devices[emitter].aperture,
                self.emitters.places.rotations(self.world, there),
                -unit,
            ),
        )
        for aperture, turn, wanted in ends:
            if aperture is not None:
                cosine = float(np.sum(rotate(turn, _FORWARD) * wanted))
                if math.acos(min(max(cosine, -1.0), 1.0)) > 0.5 * aperture:
                    return False
        start = self.emitters.places.positions(self.world, there)
        rays = self.world.rays
        _, shape, _ = rays.ray_batch(
            np.array([-1], dtype=np.intp),
            start,
            -unit,
            np.array([distance]),
            skip=self.emitters.groups[[emitter]],
            drawn=False,
        ).cast()
        hit = int(shape[0])
        return hit < 0 or rays.rows[hit].group == int(self.groups[row])

    def sample(self, rows: Rows, elapsed: Floats) -> None:
        """What has arrived can be read from now on; what finds no room is lost."""
        for row in rows.tolist():
            state, size = self.states[row], self.devices[row].buffer_size
            used = sum(len(packet.data) for packet in state.queue)
            for packet in state.arrived:
                if size is None or used + len(packet.data) <= size:
                    state.queue.append(packet)
                    used += len(packet.data)
            state.arrived.clear()
            self.values[row] = len(state.queue)
