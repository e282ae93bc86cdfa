"""Submessages and parameter lists of RTPS: bytes to values and back."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

MAGIC: Final = b"RTPS\x02\x02"
VENDOR: Final = b"\x00\x00"
"""We are none of the registered vendors."""

ACKNACK, HEARTBEAT, GAP, INFO_DST, DATA, DATA_FRAG = 0x06, 0x07, 0x08, 0x0E, 0x15, 0x16

LITTLE: Final = 1
FINAL: Final = 2
INLINE: Final = 2
WITH_DATA: Final = 4
WITH_KEY: Final = 8

PARAMETERS: Final = b"\x00\x03\x00\x00"
"""First bytes of a parameter list, lowest byte first."""

SENTINEL: Final = 1
PID_LEASE: Final = 0x02
PID_TOPIC: Final = 0x05
PID_TYPE: Final = 0x07
PID_PROTOCOL: Final = 0x15
PID_VENDOR: Final = 0x16
PID_RELIABILITY: Final = 0x1A
PID_DURABILITY: Final = 0x1D
PID_LOCATOR: Final = 0x2F
PID_DEFAULT_LOCATOR: Final = 0x31
PID_META_LOCATOR: Final = 0x32
PID_HISTORY: Final = 0x40
PID_PARTICIPANT: Final = 0x50
PID_BUILTIN: Final = 0x58
PID_ENDPOINT: Final = 0x5A
PID_NAME: Final = 0x62
PID_KEY: Final = 0x70
PID_STATUS: Final = 0x71
PID_RELATED: Final = (0x0083, 0x800F)
"""Whom an answer is for: as the standard numbers it, and as Fast DDS has long done."""

UDP4: Final = 1
MOST_BITS: Final = 256


class WireError(ValueError):
    """A packet is not what it should be."""


@dataclass(frozen=True, slots=True)
class Submessage:
    """One submessage: what it is, its flags, its bytes, and `order` of numbers in it."""

    kind: int
    flags: int
    body: bytes
    order: str


@dataclass(frozen=True, slots=True)
class WireSample:
    """What a DATA or DATA_FRAG brings.

    Attributes:
        reader: Entity that it is for; zero = whoever reads from the writer.
        writer: Entity that it comes from.
        number: Its sequence number.
        inline: Parameters beside it.
        payload: Its bytes, or those of its fragments.
        first: Number of the first fragment, from 1; 0 = it is whole.
        fragment: Bytes of a fragment.
        size: Of all fragments.
    """

    reader: bytes
    writer: bytes
    number: int
    inline: dict[int, bytes]
    payload: bytes
    first: int = 0
    fragment: int = 0
    size: int = 0


def submessages(packet: bytes) -> Iterator[Submessage]:
    """Yield the submessages of a packet; its head has been looked at.

    Raises:
        WireError: It ends too early.
    """
    at = 20
    while at + 4 <= len(packet):
        kind, flags = packet[at], packet[at + 1]
        order = "<" if flags & LITTLE else ">"
        (length,) = struct.unpack_from(f"{order}H", packet, at + 2)
        end = len(packet) if length == 0 and kind not in (0x01, 0x09) else at + 4 + length
        if end > len(packet):
            raise WireError("a submessage is cut off")
        yield Submessage(kind, flags, packet[at + 4 : end], order)
        at = end


def number_at(order: str, body: bytes, at: int) -> int:
    """Return a sequence number."""
    high, low = struct.unpack_from(f"{order}iI", body, at)
    return (high << 32) + low


def number_bytes(number: int) -> bytes:
    """Return a sequence number as bytes."""
    return struct.pack("<iI", number >> 32, number & 0xFFFFFFFF)


def parameters(order: str, data: bytes, at: int = 0) -> tuple[dict[int, list[bytes]], int]:
    """Return the parameters of a list by their numbers, and where it ends."""
    found: dict[int, list[bytes]] = {}
    while True:
        pid, length = struct.unpack_from(f"{order}HH", data, at)
        at += 4
        if pid == SENTINEL:
            return found, at
        if at + length > len(data):
            raise WireError("a parameter is cut off")
        found.setdefault(pid, []).append(data[at : at + length])
        at += length


def parameter_list(items: list[tuple[int, bytes]]) -> bytes:
    """Return a list of parameters."""
    out = b""
    for pid, value in items:
        value += bytes(-len(value) % 4)
        out += struct.pack("<HH", pid, len(value)) + value
    return out + struct.pack("<HH", SENTINEL, 0)


def text_bytes(text: str) -> bytes:
    """Return a text as a parameter."""
    raw = text.encode() + b"\0"
    return struct.pack("<I", len(raw)) + raw


def text_of(order: str, value: bytes) -> str:
    """Return the text of a parameter."""
    (length,) = struct.unpack_from(f"{order}I", value)
    return value[4 : 4 + length].rstrip(b"\0").decode("utf-8", "replace")


def locator_bytes(address: str, port: int) -> bytes:
    """Return where a packet reaches us."""
    numbers = bytes(int(part) for part in address.split("."))
    return struct.pack("<iI", UDP4, port) + bytes(12) + numbers


def locator_of(order: str, value: bytes) -> tuple[str, int] | None:
    """Return address and port; None = it is no UDP of the fourth version."""
    kind, port = struct.unpack_from(f"{order}iI", value)
    if kind != UDP4 or len(value) < 24 or not 0 < port < 65536:
        return None
    return ".".join(map(str, value[20:24])), port


def sample_of(part: Submessage) -> WireSample:
    """Return what a DATA or DATA_FRAG brings."""
    body, order = part.body, part.order
    _, skip = struct.unpack_from(f"{order}HH", body)
    reader, writer = body[4:8], body[8:12]
    number = number_at(order, body, 12)
    first = fragment = size = 0
    if part.kind == DATA_FRAG:
        first, count, fragment, size = struct.unpack_from(f"{order}IHHI", body, 20)
        if not (first and count and fragment):
            raise WireError("a fragment has no size")
    at = 4 + skip
    inline: dict[int, bytes] = {}
    if part.flags & INLINE:
        found, at = parameters(order, body, at)
        inline = {pid: values[-1] for pid, values in found.items()}
    return WireSample(reader, writer, number, inline, body[at:], first, fragment, size)


def _submessage(kind: int, flags: int, body: bytes) -> bytes:
    return struct.pack("<BBH", kind, flags | LITTLE, len(body)) + body


def packet(prefix: bytes, to: bytes, *parts: bytes) -> bytes:
    """Return a packet from a participant to another (zero = to any)."""
    return MAGIC + VENDOR + prefix + _submessage(INFO_DST, 0, to) + b"".join(parts)


def data(reader: bytes, writer: bytes, number: int, payload: bytes, inline: bytes = b"") -> bytes:
    """Return a DATA; `inline` is a list of parameters beside it."""
    flags = WITH_DATA | (INLINE if inline else 0)
    head = struct.pack("<HH", 0, 16) + reader + writer + number_bytes(number)
    body = head + inline + payload
    return _submessage(DATA, flags, body + bytes(-len(body) % 4))


def disposal(reader: bytes, writer: bytes, number: int, payload: bytes, inline: bytes) -> bytes:
    """Return a DATA of which only the key is told: what it names is no more."""
    head = struct.pack("<HH", 0, 16) + reader + writer + number_bytes(number)
    body = head + inline + payload
    return _submessage(DATA, INLINE | WITH_KEY, body + bytes(-len(body) % 4))


def heartbeat(
    reader: bytes, writer: bytes, first: int, last: int, count: int, *, final: bool = False
) -> bytes:
    """Return a HEARTBEAT: what a writer has; one that is not final wants an answer."""
    numbers = number_bytes(first) + number_bytes(last) + struct.pack("<I", count)
    return _submessage(HEARTBEAT, FINAL if final else 0, reader + writer + numbers)


def acknack(reader: bytes, writer: bytes, base: int, missing: list[int], count: int) -> bytes:
    """Return an ACKNACK: all before `base` has come, `missing` has not."""
    offsets = [number - base for number in missing if number - base < MOST_BITS]
    bits = max(offsets) + 1 if offsets else 0
    words = [0] * ((bits + 31) // 32)
    for offset in offsets:
        words[offset // 32] |= 1 << (31 - offset % 32)
    state = number_bytes(base) + struct.pack(f"<I{len(words)}I", bits, *words)
    flags = 0 if offsets else FINAL
    return _submessage(ACKNACK, flags, reader + writer + state + struct.pack("<I", count))


def number_set(order: str, body: bytes, at: int) -> tuple[int, list[int]]:
    """Return the base of a set of sequence numbers, and the numbers in it."""
    base = number_at(order, body, at)
    (bits,) = struct.unpack_from(f"{order}I", body, at + 8)
    if bits > MOST_BITS:
        raise WireError("a set of numbers is too large")
    words = struct.unpack_from(f"{order}{(bits + 31) // 32}I", body, at + 12)
    found = [base + k for k in range(bits) if words[k // 32] >> (31 - k % 32) & 1]
    return base, found
