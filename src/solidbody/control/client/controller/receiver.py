"""`Receiver` of Webots' controller API: receives packets from other robots."""

from __future__ import annotations

import struct
from typing import Any

from .connection import protocol
from .device import NAN, DecodedText, Sensor, complain
from .emitter import set_channel


class Receiver(Sensor):
    """Gets packets; the getters are about the first one, `nextPacket` goes on to the next."""

    CHANNEL_BROADCAST = -1
    _blank = ()

    def __init__(self, robot: Any, facts: dict[str, Any]) -> None:
        super().__init__(robot, facts)
        self._queue: list[tuple[bytes, int, float, tuple[float, float, float]]] = []

    def _report(self, message: Any) -> None:
        self._queue += message[2]

    def _reset(self) -> None:
        super()._reset()
        self._queue = []

    def getQueueLength(self) -> int:
        """Return how many packets can be read."""
        self._is_on("getQueueLength")
        return len(self._queue)

    def nextPacket(self) -> None:
        """Drop the first packet, if there is one."""
        if self._queue:
            del self._queue[0]
            self._command(protocol.ReceiverNext)

    def _first(self, function: str) -> Any:
        if not self._queue:
            if self._is_on(function):
                self._error(function, "there is no packet to read; see getQueueLength()")
            return None
        return self._queue[0]

    def getBytes(self) -> bytes | None:
        """Return the packet; None if there is none."""
        first = self._first("getBytes")
        return None if first is None else first[0]

    def getString(self) -> str | None:
        """Return the packet as text; None if there is none."""
        first = self._first("getString")
        return None if first is None else first[0].decode(errors="replace")

    def getData(self) -> str | bytes | None:
        """Return the packet (deprecated): as text, or the bytes of one that holds numbers.

        Until R2022a the packet came as bytes, which programs decode or unpack; since then as text.
        """
        first = self._first("getData")
        if self._robot._sb_facts["is_old"]:
            return None if first is None else first[0]
        complain("DEPRECATION: Receiver.getData() is deprecated, use getString() or getBytes()")
        if first is None:
            return None
        try:
            return first[0] if b"\0" in first[0] else DecodedText(first[0].decode())
        except UnicodeDecodeError:
            return first[0]

    def getFloats(self) -> tuple[float, ...] | None:
        """Return the packet as numbers of 8 bytes; bytes that are left over are not read."""
        return self._numbers("getFloats", 8, "d")

    def getInts(self) -> tuple[int, ...] | None:
        """Return the packet as integers of 4 bytes; bytes that are left over are not read."""
        return self._numbers("getInts", 4, "i")

    def getBools(self) -> tuple[bool, ...] | None:
        """Return the packet as booleans of one byte."""
        return self._numbers("getBools", 1, "?")

    def _numbers(self, function: str, size: int, code: str) -> Any:
        first = self._first(function)
        if first is None:
            return None
        return struct.unpack_from(f"{len(first[0]) // size}{code}", first[0])

    def getDataSize(self) -> int:
        """Return the length of the packet [bytes]; -1 if there is none."""
        first = self._first("getDataSize")
        return -1 if first is None else len(first[0])

    def getSignalStrength(self) -> float:
        """Return the signal strength of the packet, 1 at a distance of 1 m."""
        first = self._first("getSignalStrength")
        return NAN if first is None else first[2]

    def getEmitterDirection(self) -> list[float] | None:
        """Return the direction that the packet came from, in the receiver's frame."""
        first = self._first("getEmitterDirection")
        return None if first is None else list(first[3])

    def getChannel(self) -> int:
        """Return the channel; -1 = all."""
        return self._facts["channel"]

    def setChannel(self, channel: int) -> None:
        """Listen to another channel; -1 = to all."""
        set_channel(self, channel)

    queue_length = property(getQueueLength)
    data = property(getBytes)
    string = property(getString)
    floats = property(getFloats)
    ints = property(getInts)
    bools = property(getBools)
    data_size = property(getDataSize)
    signal_strength = property(getSignalStrength)
    emitter_direction = property(getEmitterDirection)
    channel = property(getChannel, setChannel)
