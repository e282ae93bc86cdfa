"""A participant of RTPS: finds others, is found, keeps reliable streams with them, in a thread of its own.

Packets may come from anybody: what is no RTPS is dropped, and what is kept of others is bounded.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import socket
import struct
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from solidbody.live.ros.rtps import wire
from solidbody.live.ros.rtps.streams import InStream, OutSample, OutStream

LOOPBACK: Final = "127.0.0.1"
GROUP: Final = "239.255.0.1"
FIRST_PORT: Final = 7400
PORTS_OF_DOMAIN: Final = 250
MOST_PARTICIPANTS: Final = 100
"""Of a domain on one machine, and others that we remember."""

MOST_ENDPOINTS: Final = 5000
"""Of others that we remember."""

PERIOD: Final = 1.0
"""[s] Between announcements; the first ones follow each other faster."""

QUICK: Final = 0.1
"""[s] Between the first announcements, and between heartbeats that nobody has answered."""

LEASE: Final = 20
"""[s] After which others may forget us."""

ANY: Final = bytes(4)
NOBODY: Final = bytes(12)
PARTICIPANT: Final = bytes.fromhex("000001c1")
SPDP_WRITER: Final = bytes.fromhex("000100c2")
SPDP_READER: Final = bytes.fromhex("000100c7")
PUBLICATIONS: Final = bytes.fromhex("000003c2")
PUBLICATIONS_READER: Final = bytes.fromhex("000003c7")
SUBSCRIPTIONS: Final = bytes.fromhex("000004c2")
SUBSCRIPTIONS_READER: Final = bytes.fromhex("000004c7")
BUILTIN: Final = 0x3F
"""Participants, publications and subscriptions: we tell and hear of them."""

READER_OF: Final = {PUBLICATIONS: PUBLICATIONS_READER, SUBSCRIPTIONS: SUBSCRIPTIONS_READER}

RELIABLE: Final = 2

Take = Callable[[bytes, bytes, int, dict[int, bytes]], None]
"""Is called with the bytes of a message, the full name of its writer, its number, what stands beside it."""


class NetworkError(OSError):
    """The network cannot be used."""


@dataclass(slots=True)
class Other:
    """Another participant: where it is, and when it was heard of last."""

    meta: tuple[str, int]
    default: tuple[str, int]
    heard: float
    lease: float
    streams: dict[bytes, InStream] = field(default_factory=dict[bytes, InStream])


@dataclass(slots=True)
class Remote:
    """A reader or writer of another participant."""

    topic: str
    kind: str
    place: tuple[str, int] | None


@dataclass(slots=True)
class Reader:
    """A reader of ours, and the streams that it follows."""

    entity: bytes
    topic: str
    kind: str
    take: Take
    streams: dict[bytes, InStream] = field(default_factory=dict[bytes, InStream])


class Writer:
    """A writer of ours."""

    def __init__(self, participant: Participant, entity: bytes, topic: str, kind: str) -> None:
        self._participant = participant
        self.entity, self.topic, self.kind = entity, topic, kind
        self.stream = OutStream(keeps=False)

    def write(self, payload: bytes, inline: bytes = b"") -> None:
        """Send a message to all readers there are."""
        self._participant.send_sample(self, OutSample(payload, inline))


class Participant:
    """Takes part in a domain.

    Args:
        domain: Its number.
        interface: Address of the network interface; empty = any.

    Raises:
        NetworkError: It has no free port there.
    """

    def __init__(self, domain: int, interface: str, name: str = "solidbody") -> None:
        self.prefix = wire.VENDOR + os.urandom(10)
        self._interface, self._name = interface, name
        self._first_port = FIRST_PORT + PORTS_OF_DOMAIN * domain
        self._is_local = interface.startswith("127.")
        self._socket, self._port = self._bound()
        self._group = None if self._is_local else self._joined()
        self._lock = threading.RLock()
        self._others: dict[bytes, Other] = {}
        self._remotes: dict[bytes, Remote] = {}
        self._told = {PUBLICATIONS: OutStream(keeps=True), SUBSCRIPTIONS: OutStream(keeps=True)}
        self._readers: list[Reader] = []
        self._writers: list[Writer] = []
        self._entities = 0
        self._announcements = 0
        self._counts = 0
        self._is_closed = False
        self._wake, self._woken = socket.socketpair()
        self._woken.setblocking(False)
        self._thread = threading.Thread(target=self._run, name="rtps", daemon=True)

    # ------------------------------------------------------------------ sockets

    def _bound(self) -> tuple[socket.socket, int]:
        for number in range(MOST_PARTICIPANTS):
            out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            port = self._first_port + 10 + 2 * number
            try:
                out.bind((self._interface, port))
            except OSError as error:
                out.close()
                if error.errno in _TAKEN:
                    continue
                raise NetworkError(f"{self._interface or 'any'}: {error.strerror}") from error
            out.setblocking(False)
            out.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 * 2**20)
            if not self._is_local and self._interface:
                address = socket.inet_aton(self._interface)
                out.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, address)
            return out, port
        raise NetworkError(f"all ports of the domain from {self._first_port + 10} on are taken")

    def _joined(self) -> socket.socket:
        out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        out.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if hasattr(socket, "SO_REUSEPORT"):
            out.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        try:
            out.bind(("", self._first_port))
            member = socket.inet_aton(GROUP) + socket.inet_aton(self._interface or "0.0.0.0")
            out.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, member)
        except OSError as error:
            out.close()
            raise NetworkError(f"{self._interface or 'any'}: {error.strerror}") from error
        out.setblocking(False)
        return out

    def _addresses(self) -> list[str]:
        """Return where others reach us."""
        if self._interface:
            return [self._interface]
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.connect((GROUP, 9))  # sends nothing: tells which interface would
                return [probe.getsockname()[0], LOOPBACK]
            except OSError:
                return [LOOPBACK]

    def _send(self, place: tuple[str, int], *parts: bytes, to: bytes = NOBODY) -> None:
        # an error means that nobody is there, or that the system is full: it is sent again
        with contextlib.suppress(OSError):
            self._socket.sendto(wire.packet(self.prefix, to, *parts), place)

    # ------------------------------------------------------------------ what we have

    def start(self) -> None:
        """Be there, with the readers and writers that were made."""
        self._thread.start()

    def reader(self, topic: str, kind: str, take: Take) -> None:
        """Add a reliable reader; before the start."""
        reader = Reader(self._entity(0x04), topic, kind, take)
        self._readers.append(reader)
        self._tell(SUBSCRIPTIONS, reader.entity, topic, kind)

    def writer(self, topic: str, kind: str) -> Writer:
        """Return another reliable writer; before the start."""
        writer = Writer(self, self._entity(0x03), topic, kind)
        self._writers.append(writer)
        self._tell(PUBLICATIONS, writer.entity, topic, kind)
        return writer

    def _entity(self, kind: int) -> bytes:
        self._entities += 1
        return struct.pack(">I", self._entities << 8 | kind)

    def _tell(self, about: bytes, entity: bytes, topic: str, kind: str) -> None:
        name = self.prefix + entity
        items = [
            (wire.PID_ENDPOINT, name),
            (wire.PID_KEY, name),
            (wire.PID_PARTICIPANT, self.prefix + PARTICIPANT),
            (wire.PID_PROTOCOL, b"\x02\x02"),
            (wire.PID_VENDOR, wire.VENDOR),
            (wire.PID_TOPIC, wire.text_bytes(topic)),
            (wire.PID_TYPE, wire.text_bytes(kind)),
            (wire.PID_RELIABILITY, struct.pack("<IiI", RELIABLE, 0, 0x19999999)),
            (wire.PID_DURABILITY, struct.pack("<I", 0)),
            (wire.PID_HISTORY, struct.pack("<II", 0, 100)),
        ]
        payload = wire.PARAMETERS + wire.parameter_list(items)
        self._told[about].add(OutSample(payload))

    def _announcement(self) -> bytes:
        items = [
            (wire.PID_PROTOCOL, b"\x02\x02"),
            (wire.PID_VENDOR, wire.VENDOR),
            (wire.PID_PARTICIPANT, self.prefix + PARTICIPANT),
            (wire.PID_BUILTIN, struct.pack("<I", BUILTIN)),
            (wire.PID_LEASE, struct.pack("<iI", LEASE, 0)),
            (wire.PID_NAME, wire.text_bytes(self._name)),
        ]
        for address in self._addresses():
            place = wire.locator_bytes(address, self._port)
            items += [(wire.PID_META_LOCATOR, place), (wire.PID_DEFAULT_LOCATOR, place)]
        payload = wire.PARAMETERS + wire.parameter_list(items)
        return wire.data(SPDP_READER, SPDP_WRITER, 1, payload)

    def send_sample(self, writer: Writer, sample: OutSample) -> None:
        """Keep and send a sample to all readers of a writer's topic."""
        with self._lock:
            number = writer.stream.add(sample)
            for name in writer.stream.readers:
                self._send_numbers(writer.entity, writer.stream, name, [number])

    # ------------------------------------------------------------------ the thread

    def _run(self) -> None:
        announced = beaten = 0.0
        with selectors.DefaultSelector() as selector:
            for one in (self._socket, self._group, self._woken):
                if one is not None:
                    selector.register(one, selectors.EVENT_READ)
            while not self._is_closed:
                now = time.monotonic()
                if now - announced >= (QUICK if self._announcements < 10 else PERIOD):
                    announced = now
                    self._announce()
                if now - beaten >= QUICK:
                    beaten = now
                    self._remind()
                for key, _ in selector.select(QUICK):
                    self._drain(key.fileobj)

    def _drain(self, source: object) -> None:
        assert isinstance(source, socket.socket)
        for _ in range(1000):
            try:
                packet, place = source.recvfrom(65536)
            except OSError:
                return
            if source is self._woken or len(packet) < 20 or packet[:4] != wire.MAGIC[:4]:
                continue
            try:
                with self._lock:
                    self._hear(packet, place)
            except (struct.error, IndexError, ValueError):
                continue  # no RTPS, or not for us

    def _announce(self) -> None:
        self._announcements += 1
        message = self._announcement()
        for number in range(MOST_PARTICIPANTS):
            port = self._first_port + 10 + 2 * number
            if port != self._port:
                self._send((LOOPBACK, port), message)
        if not self._is_local:
            self._send((GROUP, self._first_port), message)
        now = time.monotonic()
        with self._lock:
            gone = [one for one, other in self._others.items() if now - other.heard > other.lease]
            for prefix in gone:
                self._forget(prefix)

    def _remind(self) -> None:
        """Ask those who have not said that everything came."""
        with self._lock:
            for entity, stream in self._streams():
                for name, owed in stream.readers.items():
                    if owed.acked <= stream.last:
                        self._beat(entity, stream, name)

    def _streams(self) -> list[tuple[bytes, OutStream]]:
        return [*self._told.items(), *((one.entity, one.stream) for one in self._writers)]

    def _place(self, name: bytes) -> tuple[str, int] | None:
        """Return where a reader or writer of another participant gets its packets."""
        other = self._others.get(name[:12])
        if other is None:
            return None
        if name[15] & 0xC0 == 0xC0:
            return other.meta
        remote = self._remotes.get(name)
        return remote.place if remote is not None and remote.place else other.default

    def _beat(self, entity: bytes, stream: OutStream, name: bytes) -> None:
        place = self._place(name)
        if place is not None:
            first = max(stream.first, stream.readers[name].start)
            part = wire.heartbeat(name[12:], entity, first, stream.last, stream.next_count())
            self._send(place, part, to=name[:12])

    def _send_numbers(
        self, entity: bytes, stream: OutStream, name: bytes, numbers: list[int]
    ) -> None:
        place = self._place(name)
        if place is None:
            return
        for number in numbers:
            sample = stream.sample(number)
            if sample is not None:
                part = wire.data(name[12:], entity, number, sample.payload, sample.inline)
                self._send(place, part, to=name[:12])
        self._beat(entity, stream, name)

    # ------------------------------------------------------------------ what comes

    def _hear(self, packet: bytes, place: tuple[str, int]) -> None:
        prefix, to = packet[8:20], NOBODY
        if prefix == self.prefix:
            return
        for part in wire.submessages(packet):
            if part.kind == wire.INFO_DST:
                to = part.body[:12]
            elif to not in (NOBODY, self.prefix):
                continue
            elif part.kind in (wire.DATA, wire.DATA_FRAG):
                self._hear_data(prefix, wire.sample_of(part))
            elif part.kind == wire.HEARTBEAT:
                self._hear_heartbeat(prefix, part)
            elif part.kind == wire.ACKNACK:
                self._hear_acknack(prefix, part)
            elif part.kind == wire.GAP:
                self._hear_gap(prefix, part)

    def _hear_data(self, prefix: bytes, sample: wire.WireSample) -> None:
        if sample.writer == SPDP_WRITER:
            self._hear_participant(prefix, sample)
            return
        other = self._others.get(prefix)
        if other is None:
            return
        other.heard = time.monotonic()
        if sample.writer in READER_OF:
            stream = other.streams.setdefault(sample.writer, InStream())
            for one in stream.take(sample):
                self._hear_endpoint(prefix, one)
            return
        name = prefix + sample.writer
        for reader in self._readers:
            stream = reader.streams.get(name)
            for one in stream.take(sample) if stream is not None else ():
                if wire.PID_STATUS not in one.inline:
                    reader.take(one.payload, name, one.number, one.inline)

    def _hear_participant(self, prefix: bytes, sample: wire.WireSample) -> None:
        if _is_disposed(sample):
            self._forget(prefix)
            return
        order = _order(sample.payload)
        found, _ = wire.parameters(order, sample.payload, 4)
        meta = _nearest(order, found.get(wire.PID_META_LOCATOR, []))
        default = _nearest(order, found.get(wire.PID_DEFAULT_LOCATOR, []))
        if meta is None or default is None:
            return
        lease = float(LEASE)
        if wire.PID_LEASE in found:
            lease = float(struct.unpack_from(f"{order}i", found[wire.PID_LEASE][0])[0])
        known = self._others.get(prefix)
        now = time.monotonic()
        if known is not None:
            known.heard, known.meta, known.default = now, meta, default
            return
        if len(self._others) >= MOST_PARTICIPANTS:
            return
        self._others[prefix] = Other(meta, default, now, max(lease, 1.0))
        self._send(meta, self._announcement(), to=prefix)
        for entity, stream in self._told.items():
            name = prefix + READER_OF[entity]
            stream.match(name)
            self._send_numbers(entity, stream, name, list(range(1, stream.last + 1)))
            self._answer(prefix + entity, READER_OF[entity], meta, InStream(), [])

    def _forget(self, prefix: bytes) -> None:
        self._others.pop(prefix, None)
        for name in [name for name in self._remotes if name[:12] == prefix]:
            self._forget_endpoint(name)
        for stream in self._told.values():
            for name in [name for name in stream.readers if name[:12] == prefix]:
                del stream.readers[name]

    def _hear_endpoint(self, prefix: bytes, sample: wire.WireSample) -> None:
        """Another participant tells of a reader or writer."""
        if _is_disposed(sample):
            name = sample.inline.get(wire.PID_KEY, b"")
            if len(name) == 16 and name[:12] == prefix:
                self._forget_endpoint(name)
            return
        order = _order(sample.payload)
        found, _ = wire.parameters(order, sample.payload, 4)
        name = found[wire.PID_ENDPOINT][0] if wire.PID_ENDPOINT in found else b""
        if len(name) != 16 or name[:12] != prefix or len(self._remotes) >= MOST_ENDPOINTS:
            return
        topic = wire.text_of(order, found[wire.PID_TOPIC][0])
        kind = wire.text_of(order, found[wire.PID_TYPE][0])
        place = _nearest(order, found.get(wire.PID_LOCATOR, []))
        self._remotes[name] = Remote(topic, kind, place)
        if sample.writer == PUBLICATIONS:
            for reader in self._readers:
                if (reader.topic, reader.kind) == (topic, kind):
                    stream = reader.streams.setdefault(name, InStream())
                    at = self._place(name)
                    if at is not None:
                        self._answer(name, reader.entity, at, stream, [])
        else:
            for writer in self._writers:
                if (writer.topic, writer.kind) == (topic, kind):
                    writer.stream.match(name)
                    self._beat(writer.entity, writer.stream, name)

    def _forget_endpoint(self, name: bytes) -> None:
        self._remotes.pop(name, None)
        for reader in self._readers:
            reader.streams.pop(name, None)
        for writer in self._writers:
            writer.stream.readers.pop(name, None)

    def _hear_heartbeat(self, prefix: bytes, part: wire.Submessage) -> None:
        writer = part.body[4:8]
        first = wire.number_at(part.order, part.body, 8)
        last = wire.number_at(part.order, part.body, 16)
        other = self._others.get(prefix)
        if other is None or first < 0 or last < first - 1:
            return
        other.heard = time.monotonic()
        name = prefix + writer
        place = self._place(name)
        if place is None:
            return
        if writer in READER_OF:
            streams = [(READER_OF[writer], other.streams.setdefault(writer, InStream()))]
        else:
            streams = [
                (one.entity, one.streams[name]) for one in self._readers if name in one.streams
            ]
        for reader, stream in streams:
            missing = stream.heard(max(first, 1), last)
            if missing or not part.flags & wire.FINAL:
                self._answer(name, reader, place, stream, missing)

    def _answer(
        self,
        writer: bytes,
        reader: bytes,
        place: tuple[str, int],
        stream: InStream,
        missing: list[int],
    ) -> None:
        self._counts += 1
        part = wire.acknack(reader, writer[12:], stream.next, missing, self._counts)
        self._send(place, part, to=writer[:12])

    def _hear_gap(self, prefix: bytes, part: wire.Submessage) -> None:
        writer = part.body[4:8]
        start = wire.number_at(part.order, part.body, 8)
        base, numbers = wire.number_set(part.order, part.body, 16)
        other = self._others.get(prefix)
        if other is None or base - start > wire.MOST_BITS * 256:
            return
        name = prefix + writer
        streams = [reader.streams[name] for reader in self._readers if name in reader.streams]
        if writer in other.streams:
            streams.append(other.streams[writer])
        for stream in streams:
            stream.skip([*range(max(start, stream.next), base), *numbers])

    def _hear_acknack(self, prefix: bytes, part: wire.Submessage) -> None:
        reader, writer = part.body[:4], part.body[4:8]
        base, missing = wire.number_set(part.order, part.body, 8)
        name = prefix + reader
        for entity, stream in self._streams():
            owed = stream.readers.get(name)
            if entity == writer and owed is not None:
                owed.acked = max(owed.acked, min(base, stream.last + 1))
                if missing:
                    self._send_numbers(entity, stream, name, missing)

    # ------------------------------------------------------------------ end

    def close(self) -> None:
        """Leave, and tell the others."""
        if self._is_closed:
            return
        self._is_closed = True
        self._wake.send(b"x")
        if self._thread.is_alive():
            self._thread.join()
        name = self.prefix + PARTICIPANT
        inline = wire.parameter_list(
            [(wire.PID_KEY, name), (wire.PID_STATUS, struct.pack(">I", 3))]
        )
        gone = wire.PARAMETERS + wire.parameter_list([(wire.PID_PARTICIPANT, name)])
        part = wire.disposal(SPDP_READER, SPDP_WRITER, 2, gone, inline)
        for prefix, other in self._others.items():
            self._send(other.meta, part, to=prefix)
        for one in (self._socket, self._group, self._wake, self._woken):
            if one is not None:
                one.close()


def _order(payload: bytes) -> str:
    return "<" if payload[1] & 1 else ">"


def _is_disposed(sample: wire.WireSample) -> bool:
    status = sample.inline.get(wire.PID_STATUS)
    return status is not None and bool(struct.unpack_from(">I", status)[0] & 3)


def _nearest(order: str, values: list[bytes]) -> tuple[str, int] | None:
    """Return the first place that we can send to, on this machine if there is one."""
    places = [place for value in values if (place := wire.locator_of(order, value)) is not None]
    return min(places, key=lambda place: not place[0].startswith("127."), default=None)


_TAKEN: Final = (48, 98, 10048)
"""What systems say of a port that is taken."""
