"""Reads and writes messages by the codes of their fields; `solidbody_protocol.py` is the table of them.

Sizes are looked at before anything is read: a claim of more than there is, or than is allowed, costs
nothing. A reader gets (bytes, where its field begins) and returns (value, where the next one begins).
A message that was read is a tuple: its number, then its fields.
"""

from __future__ import annotations

from functools import partial
from struct import Struct, error
from typing import Any, Callable, Dict, Tuple

Reader = Callable[[bytes, int], Tuple[Any, int]]
Writer = Callable[[Any], bytes]


class ProtocolError(error):
    """Bytes that are no message, or a value that fits in none; the text names the message and the field."""


class Message:
    """A kind of message.

    Attributes:
        number: By which it is known; 0 = a part of others.
        name: Of its dataclass.
        names: Of its fields.
        structure: Of those fields that are numbers, as `struct` has it.
        is_fixed: Whether all are numbers.
        refused: Places and codes of numbers that are not allowed to have all values.
        pack: Returns the message with these fields as bytes; members of families are given as such bytes.
            Raises `struct.error` or TypeError for values that do not fit; `explain` tells which.
        read: Returns such a message, which begins two bytes before the place that it is given.
        least: [bytes] Smallest size of the fields.
    """

    codecs: list[tuple[Reader, Writer, int]]
    pack: Callable[..., bytes]
    read: Reader
    least: int

    def __init__(self, number: int, name: str, fields: str) -> None:
        pairs = [item.split(":", 1) for item in fields.split()]
        self.number, self.name = number, name
        self.names = [key for key, _ in pairs]
        self.codes = [code for _, code in pairs]
        self.structure = "".join([_STRUCTS.get(c, c) for c in self.codes if len(c) == 1])
        self.is_fixed = bool(number) and all(len(c) == 1 for c in self.codes)
        self.refused = [(k, code) for k, code in enumerate(self.codes) if code in _REFUSED]

    def __getattr__(self, name: str) -> Any:
        if name not in ("codecs", "pack", "read", "least"):
            raise AttributeError(name)
        _make(self)
        return getattr(self, name)

    def facts(self, message: tuple[Any, ...]) -> dict[str, Any]:
        """Return the fields of such a message by name."""
        return dict(zip(self.names, message[1:]))

    def explain(self, values: tuple[Any, ...]) -> str:
        """Return why values cannot be packed."""
        if len(values) != len(self.names):
            return f"{self.name} has {len(self.names)} fields, not {len(values)}"
        for name, (_, write, _), value in zip(self.names, self.codecs, values):
            try:
                write(value)
            except (error, TypeError) as problem:
                return f"{self.name}.{name}: {value!r:.60} does not fit: {problem}"
        return f"{self.name} does not fit"


Members = Dict[int, Tuple[Any, int, int, Message]]
"""Messages of a family by number: what reads one of fixed length, which it has, and the place of a float
that may not be NaN (negative: that must be finite; 0 = none); the kind of message."""

FAMILIES: dict[str, Members] = {}
PARTS: dict[str, Message] = {}
KINDS: dict[int, Message] = {}
"""All kinds of messages by number."""

_REFUSED = {"n": "it is not a number", "f": "it is not finite"}
_STRUCTS = {"t": "?", "n": "d", "f": "d"}
_number_at = Struct("<H").unpack_from
_count_at = Struct("<I").unpack_from
_packed_count = Struct("<I").pack
_ENDS = "the frame ends within it"


def _broken(where: str, problem: str, at: int) -> ProtocolError:
    return ProtocolError(f"{where} at byte {at}: {problem}")


def _claimed(data: bytes, at: int, most: int, size: int, where: str) -> int:
    """Return how many items of at least `size` bytes follow, which are there and not too many."""
    try:
        (count,) = _count_at(data, at)
    except error:
        raise _broken(where, _ENDS, at) from None
    if count > most:
        raise _broken(where, f"{count} is more than the {most} allowed", at)
    if count * size > len(data) - at - 4:
        raise _broken(where, f"{count} is more than there is", at)
    return count


def _refusal(value: float, code: str) -> bool:
    return value != value or (code == "f" and value - value != 0.0)


# --------------------------------------------------------------------------------- fields


def _codec(where: str, code: str) -> tuple[Reader, Writer, int]:
    """Return reader, writer and smallest size of a field by its code.

    Numbers have the codes of `struct`; t bool, n float but no NaN, f finite float, D floats, s text, p path,
    b bytes, c choice, L list, o optional, @ family, * part, v value.
    """
    kind, rest = code[0], code[1:]
    if not rest:
        return _number_codec(where, code)
    if kind in "spb":
        return _bytes_codec(where, kind, int(rest))
    if kind == "c":
        return _choice_codec(where, rest.split(","))
    if kind == "D":
        return _floats_codec(where, Struct(f"<{rest}d"))
    if kind == "L":
        most, _, item = rest.partition(":")
        return _list_codec(where, int(most), item)
    if kind == "o":
        return _optional_codec(where, rest)
    if kind == "@":
        members = FAMILIES.setdefault(rest, {})
        return (lambda data, at: _member(data, at, members, where)), bytes, 2
    if kind == "*":
        part = PARTS[rest]
        return part.read, lambda fields: part.pack(*fields), part.least
    return _value_codec(where, *rest.split(","))


def _number_codec(where: str, code: str) -> tuple[Reader, Writer, int]:
    number = Struct("<" + _STRUCTS.get(code, code))

    def read(data: bytes, at: int) -> tuple[Any, int]:
        try:
            (value,) = number.unpack_from(data, at)
        except error:
            raise _broken(where, _ENDS, at) from None
        if code in _REFUSED and _refusal(value, code):
            raise _broken(where, _REFUSED[code], at)
        return value, at + number.size

    def write(value: Any) -> bytes:
        if code in _REFUSED and _refusal(value, code):
            raise ProtocolError(_REFUSED[code])
        return number.pack(value)

    return read, write, number.size


def _bytes_codec(where: str, kind: str, most: int) -> tuple[Reader, Writer, int]:
    loose = "surrogateescape"  # file names may be no UTF-8

    def read(data: bytes, at: int) -> tuple[Any, int]:
        start = at + 4
        end = start + _claimed(data, at, most, 1, where)
        if kind == "b":
            return data[start:end], end
        try:
            return str(data[start:end], "utf-8", loose if kind == "p" else "strict"), end
        except UnicodeDecodeError:
            raise _broken(where, "it is no UTF-8", start) from None

    def write(value: Any) -> bytes:
        try:
            data = (
                value if kind == "b" else value.encode("utf-8", loose if kind == "p" else "replace")
            )
            if len(data) > most:
                raise ProtocolError(f"{len(data)} bytes are more than the {most} allowed")
            return _packed_count(len(data)) + data
        except (AttributeError, TypeError, UnicodeError) as problem:
            raise ProtocolError(str(problem)) from None

    return read, write, 4


def _choice_codec(where: str, words: list[str]) -> tuple[Reader, Writer, int]:
    def read(data: bytes, at: int) -> tuple[str, int]:
        if at >= len(data):
            raise _broken(where, _ENDS, at)
        if data[at] >= len(words):
            raise _broken(where, f"there is no word {data[at]}", at)
        return words[data[at]], at + 1

    def write(value: str) -> bytes:
        if value not in words:
            raise ProtocolError(f"it is none of {', '.join(words)}")
        return bytes((words.index(value),))

    return read, write, 1


def _floats_codec(where: str, floats: Struct) -> tuple[Reader, Writer, int]:
    def read(data: bytes, at: int) -> tuple[Any, int]:
        try:
            return floats.unpack_from(data, at), at + floats.size
        except error:
            raise _broken(where, _ENDS, at) from None

    return read, lambda values: floats.pack(*values), floats.size


def _list_codec(where: str, most: int, item: str) -> tuple[Reader, Writer, int]:
    if item in "BHIiqd":
        return _numbers_codec(where, most, item)
    if item[0] == "@":
        return _members_codec(where, most, FAMILIES.setdefault(item[1:], {}))
    read_item, write_item, least = _codec(where, item)

    def read(data: bytes, at: int) -> tuple[list[Any], int]:
        count = _claimed(data, at, most, least, where)
        at += 4
        found = []
        for _ in range(count):
            one, at = read_item(data, at)
            found.append(one)
        return found, at

    def write(items: Any) -> bytes:
        if len(items) > most:
            raise ProtocolError(f"{len(items)} items are more than the {most} allowed")
        return _packed_count(len(items)) + b"".join([write_item(one) for one in items])

    return read, write, 4


def _numbers_codec(where: str, most: int, code: str) -> tuple[Reader, Writer, int]:
    size = Struct("<" + code).size
    known: dict[int, Struct] = {}

    def structure(count: int) -> Struct:
        found = known.get(count)
        if found is None:
            found = Struct(f"<{count}{code}")
            if len(known) < 64:
                known[count] = found
        return found

    def read(data: bytes, at: int) -> tuple[Any, int]:
        count = _claimed(data, at, most, size, where)
        at += 4
        return structure(count).unpack_from(data, at), at + count * size

    def write(values: Any) -> bytes:
        if len(values) > most:
            raise ProtocolError(f"{len(values)} items are more than the {most} allowed")
        return _packed_count(len(values)) + structure(len(values)).pack(*values)

    return read, write, 4


def _member(data: bytes, at: int, members: Members, where: str) -> tuple[Any, int]:
    """Return a message of a family."""
    try:
        (number,) = _number_at(data, at)
    except error:
        raise _broken(where, _ENDS, at) from None
    entry = members.get(number)
    if entry is None:
        raise _broken(where, f"no such message has the number {number}", at)
    return entry[3].read(data, at + 2)


def _members(
    data: bytes, at: int, count: int, members: Members, where: str
) -> tuple[list[Any], int]:
    """Return messages of a family: those of fixed length in one go."""
    found: list[Any] = []
    try:
        for _ in range(count):
            quick, size, test, kind = members[_number_at(data, at)[0]]
            if quick is None:
                one, at = kind.read(data, at + 2)
            else:
                one = quick(data, at)
                if test and (one[test] != one[test] if test > 0 else one[-test] - one[-test]):
                    kind.read(data, at + 2)  # says which field it is
                at += size
            found.append(one)
    except ProtocolError:
        raise
    except (error, KeyError):
        _member(data, at, members, where)
        raise
    return found, at


def _members_codec(where: str, most: int, members: Members) -> tuple[Reader, Writer, int]:
    def read(data: bytes, at: int) -> tuple[list[Any], int]:
        count = _claimed(data, at, most, 2, where)
        return _members(data, at + 4, count, members, where)

    def write(items: Any) -> bytes:
        if len(items) > most:
            raise ProtocolError(f"{len(items)} items are more than the {most} allowed")
        return _packed_count(len(items)) + b"".join(items)

    return read, write, 4


def _optional_codec(where: str, code: str) -> tuple[Reader, Writer, int]:
    read_item, write_item, _ = _codec(where, code)
    nothing = b"\0\0" if code[0] == "@" else b"\0"

    def read(data: bytes, at: int) -> tuple[Any, int]:
        if len(nothing) == 2:
            return (None, at + 2) if data[at : at + 2] == nothing else read_item(data, at)
        if at >= len(data):
            raise _broken(where, _ENDS, at)
        return read_item(data, at + 1) if data[at] else (None, at + 1)

    def write(value: Any) -> bytes:
        if value is None:
            return nothing
        return write_item(value) if len(nothing) == 2 else b"\1" + write_item(value)

    return read, write, len(nothing)


def _value_codec(where: str, numbers_most: str, text_most: str) -> tuple[Reader, Writer, int]:
    codes = ("t", "q", "d", f"L{numbers_most}:d", f"s{text_most}")
    kinds = {kind: _codec(where, code) for kind, code in enumerate(codes, start=1)}
    numbers = {bool: 1, int: 2, float: 3, tuple: 4, list: 4, str: 5}

    def read(data: bytes, at: int) -> tuple[Any, int]:
        kind = data[at] if at < len(data) else 0
        if kind not in kinds:
            raise _broken(where, f"there is no value of kind {kind}", at)
        return kinds[kind][0](data, at + 1)

    def write(value: Any) -> bytes:
        kind = numbers.get(type(value))
        if kind is None:
            raise ProtocolError(f"a {type(value).__name__} is no value of a field")
        return bytes((kind,)) + kinds[kind][1](value)

    return read, write, 2


# --------------------------------------------------------------------------------- messages


def message(number: int, name: str, fields: str, *families: str) -> Message:
    """Return a kind of message, and make it known to its families.

    Args:
        number: Of the message; 0 = a part of others.
        name: Of its dataclass.
        fields: Names and codes of its fields: "tag:I value:n".
        families: To which it belongs.
    """
    made = Message(number, name, fields)
    tests = [k if c == "n" else -k for k, c in enumerate(made.codes, start=1) if c in _REFUSED]
    quick, size = None, 0
    if made.is_fixed and len(tests) < 2:
        whole = Struct("<H" + made.structure)
        quick, size = whole.unpack_from, whole.size
    for family in families:
        FAMILIES.setdefault(family, {})[number] = (quick, size, sum(tests), made)
    if number:
        KINDS[number] = made
    else:
        PARTS[name] = made
    return made


def _make(made: Message) -> None:
    """Give a message its reader and writer: most are not needed in a run, so this waits for the first use."""
    kinds = [len(code) == 1 for code in made.codes]
    made.codecs = [_codec(f"{made.name}.{k}", code) for k, code in zip(made.names, made.codes)]
    made.least = sum([least for _, _, least in made.codecs])
    made.read, made.pack = _general(made)
    if made.is_fixed:
        made.read, made.pack = _fixed(made)
    elif made.number and all(kinds[:-1]) and made.codes[-1][0] == "L":
        most, _, item = made.codes[-1][1:].partition(":")
        if item[0] == "@":
            made.read, made.pack = _ending_in_members(made, int(most), FAMILIES[item[1:]])
        elif item == "d":
            made.read, made.pack = _ending_in_floats(made, int(most))


def _general(made: Message) -> tuple[Reader, Callable[..., bytes]]:
    """Return reader and writer that go from field to field."""
    readers = [reader for reader, _, _ in made.codecs]
    writers = [writer for _, writer, _ in made.codecs]
    first = [made.number] if made.number else []
    head = Struct("<H").pack(made.number) if made.number else b""

    def read(data: bytes, at: int) -> tuple[Any, int]:
        out = first[:]
        for reader in readers:
            value, at = reader(data, at)
            out.append(value)
        return tuple(out), at

    def pack(*values: Any) -> bytes:
        if len(values) != len(writers):
            raise ProtocolError(f"{made.name} has {len(writers)} fields, not {len(values)}")
        return head + b"".join([writer(value) for writer, value in zip(writers, values)])

    return read, pack


def _fixed(made: Message) -> tuple[Reader, Callable[..., bytes]]:
    """Return reader and writer of a message whose fields are all numbers."""
    number, general = made.number, made.read
    whole = Struct("<H" + made.structure)
    refused = made.refused
    if not refused:
        return general, partial(whole.pack, number)
    pack = whole.pack

    def checked(*values: Any) -> bytes:
        for k, code in refused:
            if _refusal(values[k], code):
                raise ProtocolError(_REFUSED[code])
        return pack(number, *values)

    def step_checked(value: Any) -> bytes:
        if value - value != 0.0:  # infinite, or no number
            return checked(value)
        return pack(number, value)

    def device_checked(tag: Any, value: Any) -> bytes:
        if value - value != 0.0:
            return checked(tag, value)
        return pack(number, tag, value)

    quick = {"f": step_checked, "In": device_checked}  # what is sent at every step
    return general, quick.get("".join(made.codes), checked)


def _ending_in_members(
    made: Message, most: int, members: Members
) -> tuple[Reader, Callable[..., bytes]]:
    """Return reader and writer of a message of numbers and, in the end, messages of a family."""
    number, general, general_pack = made.number, made.read, made.pack
    where = f"{made.name}.{made.names[-1]}"
    head = Struct("<H" + made.structure + "I")
    skip, unpack, pack_head = head.size - 2, head.unpack_from, head.pack

    def read(data: bytes, at: int) -> tuple[Any, int]:
        try:
            first = unpack(data, at - 2)
        except error:
            return general(data, at)
        count = first[-1]
        if count > most or 2 * count > len(data) - at - skip:
            return general(data, at)  # which says what is wrong, and where
        found, end = _members(data, at + skip, count, members, where)
        return (*first[:-1], found), end

    join = b"".join

    def pack(first: Any, second: Any, items: Any) -> bytes:
        count = len(items)
        if count > most:
            return general_pack(first, second, items)
        return pack_head(number, first, second, count) + join(items)

    def pack_all(items: Any) -> bytes:
        count = len(items)
        if count > most:
            return general_pack(items)
        return pack_head(number, count) + join(items)

    quick = {0: pack_all, 2: pack}  # turns, answers to steps
    return read, quick.get(len(made.structure), general_pack)


def _ending_in_floats(made: Message, most: int) -> tuple[Reader, Callable[..., bytes]]:
    """Return reader and writer of a message of numbers and, in the end, a list of floats."""
    number, general, general_pack = made.number, made.read, made.pack
    head = Struct("<H" + made.structure + "I")
    size, unpack = head.size, head.unpack_from
    known: dict[int, tuple[Any, Any]] = {}

    def learn(count: int) -> bool:
        """Prepare for so many floats; return whether that is done."""
        if count > most or len(known) > 64:
            return False
        whole = Struct(f"<H{made.structure}I{count}d")
        known[count] = Struct(f"<{count}d").unpack_from, whole.pack
        return True

    def read(data: bytes, at: int) -> tuple[Any, int]:
        try:
            first = unpack(data, at - 2)
            count = first[-1]
            start = at + size - 2
            if count not in known and (8 * count > len(data) - start or not learn(count)):
                return general(data, at)
            return (*first[:-1], known[count][0](data, start)), start + 8 * count
        except error:
            return general(data, at)

    def pack(*values: Any) -> bytes:
        floats = values[-1]
        count = len(floats)
        if count not in known and not learn(count):
            return general_pack(*values)
        return known[count][1](number, *values[:-1], count, *floats)

    return read, pack


def parse(frame: bytes, members: Members) -> Any:
    """Return the message that a frame is, one of `FAMILIES["FromClient"]` or ["FromSimulator"]."""
    try:
        found, end = members[_number_at(frame, 0)[0]][3].read(frame, 2)
    except ProtocolError:
        raise
    except (error, KeyError):
        _member(frame, 0, members, "the frame")
        raise
    if end != len(frame):
        raise _broken("the frame", f"{len(frame) - end} bytes too many follow", end)
    return found
