"""Reliable streams of samples: what a reader has of a writer, and what a writer owes to its readers."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from solidbody.live.ros.rtps.wire import WireSample

MOST_HELD: Final = 1000
"""Samples that wait for one before them."""

MOST_BYTES: Final = 16 * 2**20
"""[bytes] Of a sample that comes in fragments."""

HISTORY: Final = 100
"""Samples that a writer can send again."""


@dataclass(slots=True)
class Fragments:
    """A sample that has come in part."""

    data: bytearray
    missing: set[int]


@dataclass(slots=True)
class InStream:
    """What has come from a remote writer.

    Attributes:
        next: The first number that has not come.
    """

    next: int = 1
    count: int = 0
    _held: dict[int, WireSample] = field(default_factory=dict[int, WireSample])
    _parts: dict[int, Fragments] = field(default_factory=dict[int, Fragments])

    def take(self, sample: WireSample) -> Iterator[WireSample]:
        """Yield what can be read now that this has come, in order."""
        whole = self._joined(sample) if sample.first else sample
        if whole is None or whole.number < self.next or len(self._held) >= MOST_HELD:
            return
        self._held[whole.number] = whole
        yield from self._ready()

    def _ready(self) -> Iterator[WireSample]:
        while self.next in self._held:
            self.next += 1
            yield self._held.pop(self.next - 1)

    def _joined(self, part: WireSample) -> WireSample | None:
        """Return the whole of a sample that this fragment completes."""
        if not 0 < part.size <= MOST_BYTES or part.number < self.next:
            return None
        count = -(-part.size // part.fragment)
        known = self._parts.get(part.number)
        if known is None:
            if len(self._parts) >= 4:
                self._parts.pop(min(self._parts))
            known = Fragments(bytearray(part.size), set(range(1, count + 1)))
            self._parts[part.number] = known
        if len(known.data) != part.size:
            return None
        number, at = part.first, 0
        while at < len(part.payload) and number <= count:
            start = (number - 1) * part.fragment
            piece = part.payload[at : at + min(part.fragment, part.size - start)]
            known.data[start : start + len(piece)] = piece
            known.missing.discard(number)
            number, at = number + 1, at + part.fragment
        if known.missing:
            return None
        del self._parts[part.number]
        return WireSample(part.reader, part.writer, part.number, part.inline, bytes(known.data))

    def skip(self, numbers: Iterator[int] | range | list[int]) -> None:
        """Some numbers will not come."""
        for number in sorted(numbers):
            if number == self.next:
                self.next += 1

    def heard(self, first: int, last: int) -> list[int]:
        """The writer has these: return what is missing of them."""
        if first > self.next:
            self._held = {number: one for number, one in self._held.items() if number >= first}
            self.next = first
        end = min(last, self.next + 255)
        return [number for number in range(self.next, end + 1) if number not in self._held]


@dataclass(slots=True)
class Owed:
    """What a remote reader still needs: numbers from `start` on, of which it has those before `acked`."""

    start: int
    acked: int


@dataclass(frozen=True, slots=True)
class OutSample:
    """Bytes of a message, and the list of parameters beside it."""

    payload: bytes
    inline: bytes = b""


class OutStream:
    """What a writer of ours has sent, and to whom.

    Attributes:
        last: Number of the last sample.
        readers: What remote readers still need, by their full names.
    """

    def __init__(self, *, keeps: bool) -> None:
        self.last = 0
        self.count = 0
        self._keeps = keeps
        self._samples: OrderedDict[int, OutSample] = OrderedDict()
        self.readers: dict[bytes, Owed] = {}

    def add(self, sample: OutSample) -> int:
        """Keep another sample; return its number."""
        self.last += 1
        self._samples[self.last] = sample
        while not self._keeps and len(self._samples) > HISTORY:
            self._samples.popitem(last=False)
        return self.last

    def sample(self, number: int) -> OutSample | None:
        """Return a sample that is still there."""
        return self._samples.get(number)

    @property
    def first(self) -> int:
        """Number of the first sample that is still there."""
        return next(iter(self._samples), self.last + 1)

    def match(self, reader: bytes) -> None:
        """A remote reader is there from now on."""
        if reader not in self.readers:
            start = 1 if self._keeps else self.last + 1
            self.readers[reader] = Owed(start, start)

    def next_count(self) -> int:
        """Return the number of another heartbeat."""
        self.count += 1
        return self.count
