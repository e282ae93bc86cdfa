"""Reads protobuf by the description that comes with it (a FileDescriptorSet), into plain mappings.

Nothing of it is trusted: what does not fit is a RecordError, nesting is bounded. Bytes are left out.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from solidbody.record import RecordError

DEEPEST: Final = 32
"""Messages within each other."""

LONGEST_NUMBER: Final = 10
"""Bytes of a whole number."""

_STRING, _MESSAGE, _BYTES = 9, 11, 12
_REPEATED: Final = 3

_FIXED: Final = {1: "<d", 2: "<f", 6: "<Q", 7: "<I", 15: "<i", 16: "<q"}
"""Types of a fixed width."""

_SIGNED: Final = (3, 5)
_ZIGZAG: Final = (17, 18)

_WIRE_FIXED: Final = {1: 8, 5: 4}
"""Bytes of a field by its kind on the wire."""


@dataclass(frozen=True, slots=True)
class _Field:
    name: str
    kind: int
    is_repeated: bool
    is_optional: bool
    of: str


@dataclass(slots=True)
class _MessageType:
    fields: dict[int, _Field]
    plain: dict[str, Any]
    """Fields that are zero when they are left out."""


def protobuf_decoder(name: str, description: bytes) -> Callable[[bytes], Mapping[str, Any]]:
    """Return what reads messages of a type.

    Args:
        name: Full name of the type, such as `foxglove.JointStates`.
        description: A FileDescriptorSet that has it and all that it is made of.

    Raises:
        RecordError: The description is none, or has no such type.
    """
    types: dict[str, _MessageType] = {}
    for number, file in _wire(memoryview(description)):
        if number == 1 and not isinstance(file, int):
            _read_file(file, types)
    if name not in types:
        raise RecordError(f'the description of "{name}" does not have it')
    return lambda data: _message(types, name, memoryview(data), 0)


# ---------------------------------------------------------------------- descriptions


def _read_file(data: memoryview, types: dict[str, _MessageType]) -> None:
    package, messages = "", []
    for number, value in _wire(data):
        if number == 2:
            package = _text(value)
        elif number == 4 and not isinstance(value, int):
            messages.append(value)
    for message in messages:
        _read_type(message, package, types, 0)


def _read_type(data: memoryview, space: str, types: dict[str, _MessageType], depth: int) -> None:
    if depth > DEEPEST:
        raise RecordError("a description of messages is nested too deeply")
    name, fields, inner = "", {}, []
    for number, value in _wire(data):
        if number == 1:
            name = _text(value)
        elif number == 2 and not isinstance(value, int):
            key, item = _read_field(value)
            fields[key] = item
        elif number == 3 and not isinstance(value, int):
            inner.append(value)
    full = f"{space}.{name}" if space else name
    plain = {
        item.name: 0
        for item in fields.values()
        if not (item.is_repeated or item.is_optional or item.kind in (_STRING, _MESSAGE, _BYTES))
    }
    types[full] = _MessageType(fields, plain)
    for one in inner:
        _read_type(one, full, types, depth + 1)


def _read_field(data: memoryview) -> tuple[int, _Field]:
    found: dict[int, Any] = dict(_wire(data))
    kind = found.get(5, 0)
    of = _text(found.get(6, memoryview(b""))).removeprefix(".")
    # a proto3 field that says whether it is there (17), and one of several that exclude each other (9)
    is_optional = bool(found.get(17)) or 9 in found
    return found.get(3, 0), _Field(
        _text(found.get(1, memoryview(b""))), kind, found.get(4) == _REPEATED, is_optional, of
    )


def _text(value: int | memoryview) -> str:
    if isinstance(value, int):
        raise RecordError("a description of messages is damaged")
    return bytes(value).decode("utf-8", "replace")


# ---------------------------------------------------------------------- messages


def _message(
    types: Mapping[str, _MessageType], name: str, data: memoryview, depth: int
) -> dict[str, Any]:
    if depth > DEEPEST:
        raise RecordError(f"a message within {name} is nested too deeply")
    described = types.get(name)
    if described is None:
        raise RecordError(f'the description does not have "{name}"')
    out: dict[str, Any] = dict(described.plain)
    for number, value in _wire(data):
        item = described.fields.get(number)
        if item is None or item.kind == _BYTES:
            continue
        if item.kind == _MESSAGE:
            if isinstance(value, int):
                raise RecordError(f"{name}.{item.name} is no message")
            found: Any = _message(types, item.of, value, depth + 1)
        elif item.kind == _STRING:
            found = _text(value)
        elif item.is_repeated and not isinstance(value, int) and not _is_single(item, value):
            out.setdefault(item.name, []).extend(_packed(item.kind, value))
            continue
        else:
            found = _number(item.kind, value)
        if item.is_repeated:
            out.setdefault(item.name, []).append(found)
        else:
            out[item.name] = found
    return out


def _is_single(item: _Field, value: memoryview) -> bool:
    """Whether a number of a fixed width came by itself (as `_wire` gives those)."""
    return isinstance(value, _Fixed)


class _Fixed(bytes):
    """A number of a fixed width, as it is on the wire."""


def _packed(kind: int, data: memoryview) -> list[float]:
    code = _FIXED.get(kind)
    if code is not None:
        size = struct.calcsize(code)
        if len(data) % size:
            raise RecordError("a list of numbers is damaged")
        return [value for (value,) in struct.iter_unpack(code, data)]
    out: list[float] = []
    at = 0
    while at < len(data):
        value, at = _varint(data, at)
        out.append(_number(kind, value))
    return out


def _number(kind: int, value: int | memoryview | bytes) -> float:
    code = _FIXED.get(kind)
    if code is not None:
        if isinstance(value, int) or len(value) != struct.calcsize(code):
            raise RecordError("a number is damaged")
        return struct.unpack(code, value)[0]
    if not isinstance(value, int):
        raise RecordError("a number is damaged")
    if kind in _ZIGZAG:
        return (value >> 1) ^ -(value & 1)
    return value - (1 << 64) if kind in _SIGNED and value >= 1 << 63 else value


def _wire(data: memoryview) -> Iterator[tuple[int, Any]]:
    """Yield fields as numbers and contents: whole numbers, or bytes."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = _varint(data, at)
            yield key >> 3, value
            continue
        size = _WIRE_FIXED.get(kind)
        if size is None:
            if kind != 2:
                raise RecordError("a message is damaged")
            size, at = _varint(data, at)
        if size > len(data) - at:
            raise RecordError("a message ends too early")
        found = data[at : at + size]
        at += size
        yield key >> 3, found if kind == 2 else _Fixed(found)


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    for byte in data[at : at + LONGEST_NUMBER]:
        value |= (byte & 127) << shift
        shift += 7
        at += 1
        if byte < 128:
            return value & (1 << 64) - 1, at
    raise RecordError("a message ends too early")
