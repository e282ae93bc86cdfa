"""`Emitter` of Webots' controller API: sends packets to other robots."""

from __future__ import annotations

import struct
from typing import Any, Sequence

from .connection import protocol
from .device import Device
from .facts import fact


def packed(message: Any) -> bytes | None:
    """Return a message as bytes: text in UTF-8, floats of 8 bytes, integers of 4, booleans of 1."""
    if isinstance(message, (bytes, bytearray, memoryview)):
        return bytes(message)
    if isinstance(message, str):
        return message.encode()
    if not isinstance(message, (list, tuple)):
        return None
    for kinds, code in ((bool, "?"), (int, "i"), ((int, float), "d")):
        if all(isinstance(item, kinds) for item in message):
            return struct.pack(f"{len(message)}{code}", *message)
    return None


class Emitter(Device):
    """Sends packets."""

    CHANNEL_BROADCAST = -1

    def __init__(self, robot: Any, facts: dict[str, Any]) -> None:
        super().__init__(robot, facts)
        self._waiting = 0

    def send(self, message: str | bytes | Sequence[float], length: int | None = None) -> int:
        """Send text, bytes or numbers; return 1, or 0 if the buffer is full."""
        try:
            data = packed(message)
        except struct.error as error:
            self._error("send", str(error))
            return 0
        if data is None:
            self._error("send", f"cannot send a {type(message).__name__} of such items")
            return 0
        if length is not None:
            data = data[:length]
        if not data:
            self._error("send", "the message is empty")
            return 0
        size = self.getBufferSize()
        if size != -1 and self._waiting + len(data) > size:
            return 0
        self._waiting += len(data)
        self._command(protocol.EmitterSend, data)
        return 1

    def _report(self, message: Any) -> None:
        self._waiting = message[2]

    def _reset(self) -> None:
        super()._reset()
        self._waiting = 0

    getChannel = fact("channel", int, "The channel; -1 = all.")

    def setChannel(self, channel: int) -> None:
        """Send on another channel; -1 = on all."""
        set_channel(self, channel)

    getRange = fact("range", float, "The range [m]; -1 = everywhere.")

    def setRange(self, range: float) -> None:
        """Set the range of later packets [m]; -1 = everywhere; at most the field maxRange."""
        limit = self._facts["max_range"]
        wanted = float(range)
        if wanted < 0.0 and wanted != -1.0:
            self._error("setRange", f"{wanted:g} is not a range; -1 stands for everywhere")
            return
        if limit != -1.0 and (wanted == -1.0 or wanted > limit):
            wanted = limit
        self._facts["range"] = wanted
        self._command(protocol.EmitterRange, wanted)

    getBufferSize = fact("buffer_size", int, "How many bytes may wait; -1 = any number.")

    channel = property(getChannel, setChannel)
    range = property(getRange, setRange)
    buffer_size = property(getBufferSize)


def set_channel(device: Any, channel: int) -> None:
    """Let an emitter or receiver use another channel, if it may."""
    allowed = device._facts["allowed_channels"]
    if channel < -1:
        device._error("setChannel", f"{channel} is not a channel; -1 stands for all")
    elif allowed and channel not in allowed:
        names = ", ".join(map(str, allowed))
        device._error("setChannel", f"{channel} is not one of allowedChannels: {names}")
    else:
        device._facts["channel"] = int(channel)
        device._command(protocol.RadioChannel, int(channel))
