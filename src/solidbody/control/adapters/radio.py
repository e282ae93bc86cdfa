"""Emitters and receivers as controllers see them."""

from __future__ import annotations

from math import inf, isinf
from typing import TYPE_CHECKING, Any

from solidbody.control import protocol as p
from solidbody.control.adapters.base import Adapter, SensorAdapter, Warn, handles
from solidbody.devices.core.bound import Bound
from solidbody.devices.radio.packets import Emitters, Receivers
from solidbody.model import devices as d

if TYPE_CHECKING:
    from solidbody.control.session import Session

ALL = -1
"""Channel number that stands for all channels; also a size or range without limit."""


def _number(value: float | None) -> float:
    """Return a limit as controllers know it."""
    return ALL if value is None or isinf(value) else value


def _channel(number: int) -> int | None:
    return None if number == ALL else number


class EmitterAdapter(Adapter):
    """An emitter; it reports how many bytes wait, where that matters."""

    facts = p.EmitterFacts

    def __init__(self, session: Session, bound: Bound, tag: int) -> None:
        super().__init__(session, bound, tag)
        device = bound.device
        assert isinstance(device, d.DeviceEmitter)
        self.device = device
        self._told = 0

    def properties(self) -> dict[str, Any]:
        """Channel, range and buffer, as they are now."""
        state = self._state()
        return {
            "channel": _number(state.channel),
            "range": float(_number(state.range)),
            "max_range": float(_number(self.device.max_range)),
            "buffer_size": _number(self.device.buffer_size),
            "allowed_channels": list(self.device.allowed_channels),
        }

    def _group(self) -> tuple[Emitters, int]:
        group, row = self.sim.devices.group_of(self.bound)
        assert isinstance(group, Emitters)
        return group, row

    def _state(self) -> Any:
        group, row = self._group()
        return group.states[row]

    @handles(p.EmitterSend)
    def send(self, data: bytes) -> Warn:
        """Send a packet."""
        group, row = self._group()
        if not group.send(row, data):
            return f'Warning: "{self.bound.name}" has no room for {len(data)} bytes; they are lost'
        self._told += len(data)
        self.reports = True
        return None

    @handles(p.RadioChannel)
    def set_channel(self, channel: int) -> Warn:
        """Use another channel."""
        self._state().channel = _channel(channel)
        return None

    @handles(p.EmitterRange)
    def set_range(self, value: float) -> Warn:
        """Reach farther or less far."""
        self._state().range = inf if value == ALL else value
        return None

    def report(self) -> Any:
        """The bytes that wait, if their number has changed."""
        waiting = self._state().waiting
        self.reports = waiting > 0
        if waiting == self._told:
            return None
        self._told = waiting
        return p.ReportWaiting(self.tag, waiting)

    def reset(self) -> None:
        """Nothing waits; the report says so."""
        self.reports = self._told > 0


class ReceiverAdapter(SensorAdapter):
    """A receiver: it reports packets once, the controller says when it has read them."""

    facts = p.ReceiverFacts

    def __init__(self, session: Session, bound: Bound, tag: int) -> None:
        super().__init__(session, bound, tag)
        device = bound.device
        assert isinstance(device, d.DeviceReceiver)
        self.device = device
        self._sent_packets = 0

    def properties(self) -> dict[str, Any]:
        """Channel, as it is now, and which others may be chosen."""
        return {
            "channel": _number(self._state().channel),
            "allowed_channels": list(self.device.allowed_channels),
        }

    def _state(self) -> Any:
        group, row = self.sim.devices.group_of(self.bound)
        assert isinstance(group, Receivers)
        return group.states[row]

    @handles(p.RadioChannel)
    def set_channel(self, channel: int) -> Warn:
        """Listen to another channel."""
        self._state().channel = _channel(channel)
        return None

    @handles(p.ReceiverNext)
    def drop_first(self) -> Warn:
        """The first packet was read."""
        queue = self._state().queue
        if queue and self._sent_packets:
            queue.popleft()
            self._sent_packets -= 1
        return None

    def value(self) -> Any:
        """The packets that the controller does not have yet."""
        queue = list(self._state().queue)[self._sent_packets :]
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
