"""Messages to bytes and back, in the encoding of DDS (CDR of the first version, as ROS 2 has it).

A message is a mapping from names of fields to values; a field that is left out is zero, empty or a message of
such. Sequences of numbers may be arrays of numpy or bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from solidbody.base.errors import SolidbodyError
from solidbody.live.ros.definitions import PRIMITIVES, MessageField, definition

LITTLE: Final = b"\x00\x01\x00\x00"
"""First bytes of what we write: plain CDR, lowest byte first."""

HEAD: Final = len(LITTLE)

DTYPES: Final = {
    "bool": "?", "int8": "i1", "uint8": "u1", "int16": "i2", "uint16": "u2", "int32": "i4", "uint32": "u4",
    "int64": "i8", "uint64": "u8", "float32": "f4", "float64": "f8",
}  # fmt: skip

TIME: Final = "builtin_interfaces/msg/Time"

Message = Mapping[str, Any]


class CdrError(SolidbodyError):
    """Bytes are no message of that type; the text says why."""


def encode(name: str, message: Message) -> bytes:
    """Return the bytes of a message, the head of the encoding included."""
    writer = _Writer()
    writer.message(name, message)
    return bytes(writer.out)


def decode(name: str, data: bytes | memoryview) -> dict[str, Any]:
    """Return a message; sequences of numbers are arrays.

    Raises:
        CdrError: The bytes end too early, or are not in this encoding.
    """
    if len(data) < HEAD or data[0] != 0 or data[1] not in (0, 1):
        raise CdrError(f"{name}: {bytes(data[:HEAD]).hex(' ')} is not the head of plain CDR")
    reader = _Reader(memoryview(data)[HEAD:], "<" if data[1] else ">")
    try:
        return reader.message(name)
    except struct.error:
        raise CdrError(f"{name}: {len(data)} bytes are too few") from None
    except UnicodeDecodeError as error:
        raise CdrError(f"{name}: a text is not UTF-8 ({error.reason})") from None


class _Writer:
    def __init__(self) -> None:
        self.out = bytearray(LITTLE)
        self.doubles: list[int] = []
        """Where doubles are."""
        self.stamps: list[int] = []
        """Where times are."""

    def message(self, name: str, message: Message) -> None:
        if name == TIME:
            self._align(4)
            self.stamps.append(len(self.out))
        for item in definition(name).fields:
            self._field(item, message.get(item.name))

    def _field(self, item: MessageField, value: Any) -> None:
        if item.count is None:
            self._single(item.kind, value)
        elif item.kind in PRIMITIVES:
            self._numbers(item, value)
        else:
            values: Sequence[Any] = () if value is None else value
            self._number("uint32", len(values))
            for one in values:
                self._single(item.kind, one)

    def _single(self, kind: str, value: Any) -> None:
        if kind == "string":
            text = (value or "").encode()
            self._number("uint32", len(text) + 1)
            self.out += text + b"\0"
        elif kind in PRIMITIVES:
            self._number(kind, 0 if value is None else value)
        else:
            self.message(kind, {} if value is None else value)

    def _number(self, kind: str, value: Any) -> None:
        code, size = PRIMITIVES[kind]
        self._align(size)
        if code == "d":
            self.doubles.append(len(self.out))
        self.out += struct.pack(f"<{code}", value)

    def _align(self, size: int) -> None:
        self.out += bytes(-(len(self.out) - HEAD) % size)

    def _numbers(self, item: MessageField, value: Any) -> None:
        size = PRIMITIVES[item.kind][1]
        if value is None:
            value = bytes(size * (item.count or 0))
        if not isinstance(value, bytes):
            value = np.asarray(value, dtype=f"<{DTYPES[item.kind]}").tobytes()
        if item.count:
            if len(value) != item.count * size:
                raise ValueError(f"{item.name} takes {item.count} numbers")
        else:
            self._number("uint32", len(value) // size)
        if value:
            self._align(size)
            if item.kind == "float64":
                self.doubles += range(len(self.out), len(self.out) + len(value), size)
            self.out += value


class _Reader:
    def __init__(self, data: memoryview, order: str) -> None:
        self._data, self._order, self._at = data, order, 0

    def message(self, name: str) -> dict[str, Any]:
        return {item.name: self._field(item) for item in definition(name).fields}

    def _field(self, item: MessageField) -> Any:
        if item.count is None:
            return self._single(item.kind)
        count = item.count or self._number("uint32")
        if item.kind in PRIMITIVES:
            return self._numbers(item.kind, count)
        if count > len(self._data) - self._at:  # each takes a byte at least
            raise struct.error
        return [self._single(item.kind) for _ in range(count)]

    def _single(self, kind: str) -> Any:
        if kind == "string":
            count = self._number("uint32")
            return self._take(count).tobytes().rstrip(b"\0").decode() if count else ""
        return self._number(kind) if kind in PRIMITIVES else self.message(kind)

    def _number(self, kind: str) -> Any:
        code, size = PRIMITIVES[kind]
        self._at += -self._at % size
        (value,) = struct.unpack_from(self._order + code, self._take(size))
        return value

    def _numbers(self, kind: str, count: int) -> NDArray[Any]:
        size = PRIMITIVES[kind][1]
        if count:
            self._at += -self._at % size
        return np.frombuffer(self._take(size * count), dtype=self._order + DTYPES[kind])

    def _take(self, size: int) -> memoryview:
        if size > len(self._data) - self._at:
            raise struct.error
        found = self._data[self._at : self._at + size]
        self._at += size
        return found


class MessageTemplate:
    """A message of which only times and doubles change: bytes that are written once and then filled in.

    Args:
        name: Type of the message.
        message: With texts and lengths as they stay.
    """

    def __init__(self, name: str, message: Message) -> None:
        writer = _Writer()
        writer.message(name, message)
        self._length = len(writer.out)
        self._bytes = writer.out + bytes(-(self._length - HEAD) % 8)
        body = memoryview(self._bytes)[HEAD:]
        self._words, self._doubles = np.frombuffer(body, "<u4"), np.frombuffer(body, "<f8")
        self._stamps = np.array([(at - HEAD) // 4 for at in writer.stamps], dtype=np.intp)
        self._places = np.array([(at - HEAD) // 8 for at in writer.doubles], dtype=np.intp)

    def bytes_at(self, time: int, values: NDArray[np.float64]) -> bytes:
        """Return the message of a time [ns] with these doubles, in their order."""
        self._words[self._stamps], self._words[self._stamps + 1] = divmod(time, 10**9)
        self._doubles[self._places] = values
        return bytes(self._bytes[: self._length])
