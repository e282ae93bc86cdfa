"""Emitters and receivers as controllers see them."""

from __future__ import annotations

from math import inf, isinf
from typing import Any

from solidbody.control import protocol as p
from solidbody.control.adapters.base import Adapter, SensorAdapter, Warn, handles
from solidbody.devices.radio.packets import Emitters, Receivers
from solidbody.model import devices as d

ALL = -1
"""Channel number that stands for all channels; also a size or range without limit."""


def _number(value: float | None) -> float:
    """Return a limit as controllers know it."""
    return ALL if value is None or isinf(value) else value


def _channel(number: int) -> int | None:
    return None if number == ALL else number


class EmitterAdapter(Adapter[Emitters, d.DeviceEmitter]):
    """An emitter; it reports how many bytes wait, where that matters."""

    facts = p.EmitterFacts

    _told = 0

    def properties(self) -> dict[str, Any]:
        """Channel, range and buffer, as they are now."""
        state = self._state
        return {
            "channel": _number(state.channel),
            "range": float(_number(state.range)),
            "max_range": float(_number(self.device.max_range)),
            "buffer_size": _number(self.device.buffer_size),
            "allowed_channels": list(self.device.allowed_channels),
        }

    @property
    def _state(self) -> Any:
        return self.group.states[self.row]

    @handles(p.EmitterSend)
    def send(self, data: bytes) -> Warn:
        """Send a packet."""
        if not self.group.send(self.row, data):
            return f'Warning: "{self.bound.name}" has no room for {len(data)} bytes; they are lost'
        self._told += len(data)
        self.reports = True
        return None

    @handles(p.RadioChannel)
    def set_channel(self, channel: int) -> None:
        """Use another channel."""
        self._state.channel = _channel(channel)

    @handles(p.EmitterRange)
    def set_range(self, value: float) -> None:
        """Reach farther or less far."""
        self._state.range = inf if value == ALL else value

    def report(self) -> Any:
        """The bytes that wait, if their number has changed."""
        waiting = self._state.waiting
        self.reports = waiting > 0
        if waiting == self._told:
            return None
        self._told = waiting
        return p.ReportWaiting(self.tag, waiting)

    def reset(self) -> None:
        """Nothing waits; the report says so."""
        self.reports = self._told > 0


class ReceiverAdapter(SensorAdapter[Receivers, d.DeviceReceiver]):
    """A receiver: it reports packets once, the controller says when it has read them."""

    facts = p.ReceiverFacts

    _sent_packets = 0

    def properties(self) -> dict[str, Any]:
        """Channel, as it is now, and which others may be chosen."""
        return {
            "channel": _number(self._state.channel),
            "allowed_channels": list(self.device.allowed_channels),
        }

    @property
    def _state(self) -> Any:
        return self.group.states[self.row]

    @handles(p.RadioChannel)
    def set_channel(self, channel: int) -> None:
        """Listen to another channel."""
        self._state.channel = _channel(channel)

    @handles(p.ReceiverNext)
    def drop_first(self) -> None:
        """The first packet was read."""
        queue = self._state.queue
        if queue and self._sent_packets:
            queue.popleft()
            self._sent_packets -= 1

    def value(self) -> Any:
        """The packets that the controller does not have yet."""
        queue = list(self._state.queue)[self._sent_packets :]
        self._sent_packets += len(queue)
        packets = [
            p.Packet(packet.data, int(_number(packet.channel)), packet.signal, packet.direction)
            for packet in queue
        ]
        return p.ReportPackets(self.tag, packets) if packets else None

    def reset(self) -> None:
        """All queues are empty."""
        super().reset()
        self._sent_packets = 0
