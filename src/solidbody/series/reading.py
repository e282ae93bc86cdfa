"""Reads recordings back: MCAP of ours (and of others, in protobuf, JSON or messages of ROS), bags, tables.

Also what older versions wrote: until 2026-11-19 messages of `.mcap` files were JSON.
"""

from __future__ import annotations

import csv
import json
import math
import os
import struct
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from solidbody.base.errors import NameLookupError, SolidbodyError
from solidbody.base.output_files import reason_of
from solidbody.record import RecordError
from solidbody.series.collecting import Collector
from solidbody.series.flattening import NOT_NUMBERS, numbers_of
from solidbody.series.protobuf_messages import protobuf_decoder
from solidbody.series.run_series import RUN, TIME, RunSeries, matcher

if TYPE_CHECKING:
    from mcap.records import Channel, Chunk, Message, Schema

MOST_BYTES: Final = 256 * 2**20
"""Of one record of an MCAP file, packed or not."""

Decode = Callable[[bytes], Mapping[str, Any]]


def read_recording(path: str | os.PathLike[str], *patterns: str) -> RunSeries:
    """Read the numbers of a recording: `.mcap`, `.csv` (also of `run --log`), or a bag of ROS 2.

    A recording that was cut short is read as far as it goes.

    Args:
        path: The file.
        *patterns: Which series to keep; all without one. `*` stands for any text.

    Raises:
        RecordError: It cannot be read, or is no recording.
        NameLookupError: A pattern fits nothing.
    """
    file = Path(path)
    fits = matcher(patterns) if patterns else None
    collector = Collector(lambda name: fits is None or fits(name))
    try:
        if file.is_dir():
            _read_bag(file, collector)
        elif file.suffix.lower() == ".csv":
            _read_table(file, collector)
        elif file.suffix.lower() == ".mcap":
            _read_mcap(file, collector)
        else:
            raise RecordError("its numbers cannot be read; known: .mcap, .csv, folders of bags")
    except RecordError as error:
        raise RecordError(f"{file}: {error}") from None
    except OSError as error:
        raise RecordError(f"{file} cannot be read: {reason_of(error)}") from error
    found = collector.finish()
    for pattern in patterns:
        is_fit = matcher([pattern])
        if not any(is_fit(one.name) or is_fit(one.alias) for one in found.values()):
            raise NameLookupError("series", pattern, collector.known)
    return found


# ---------------------------------------------------------------------- tables


def _read_table(path: Path, collector: Collector) -> None:
    with path.open(encoding="utf-8", newline="") as stream:
        rows = csv.reader(stream)
        try:
            names = next(rows, [])
            if not names or names[0] != TIME:
                raise RecordError(f'line 1 must begin with the column "{TIME}"')
            _read_rows(rows, names, collector, is_whole=_is_whole(path))
        except (csv.Error, UnicodeDecodeError) as error:
            raise RecordError(f"line {rows.line_num + 1}: {error}") from None


def _read_rows(rows: Any, names: list[str], collector: Collector, *, is_whole: bool) -> None:
    columns = [(k, name) for k, name in enumerate(names) if name not in (TIME, RUN)]
    collector.know(name for _, name in columns)
    waiting: list[str] | None = None
    for row in rows:
        if waiting is not None:
            _take_row(waiting, columns, rows.line_num - 1, len(names), collector)
        waiting = row
    if waiting is not None and is_whole:
        _take_row(waiting, columns, rows.line_num, len(names), collector)


def _is_whole(path: Path) -> bool:
    """Whether the last line has its end: else its last number may have lost digits."""
    with path.open("rb") as stream:
        stream.seek(-min(path.stat().st_size, 1), os.SEEK_END)
        return stream.read() == b"\n"


def _take_row(
    row: list[str], columns: list[tuple[int, str]], line: int, width: int, collector: Collector
) -> None:
    if len(row) != width:
        raise RecordError(f"line {line}: expected {width} cells, got {len(row)}")
    collector.at(_cell(row[0], line))
    for k, name in columns:
        collector.add(name, _cell(row[k], line) if row[k] else math.nan)


def _cell(text: str, line: int) -> float:
    try:
        return float(text)
    except ValueError:
        raise RecordError(f'line {line}: expected a number, got "{text[:40]}"') from None


# ---------------------------------------------------------------------- MCAP


def _read_bag(folder: Path, collector: Collector) -> None:
    files = sorted(folder.glob("*.mcap"))
    if not files:
        raise RecordError("it is a folder without .mcap files")
    for file in files:
        _read_mcap(file, collector)


def _read_mcap(path: Path, collector: Collector) -> None:
    topics: dict[int, _Topic | None] = {}
    schemas: dict[int, Schema] = {}
    with path.open("rb") as stream:
        for record in _records(stream):
            kind = type(record).__name__
            if kind == "Schema":
                schemas[record.id] = record
            elif kind == "Channel":
                topics[record.id] = _topic(record, schemas.get(record.schema_id))
            elif kind == "Message":
                topic = topics.get(record.channel_id)
                if topic is not None:
                    topic.take(record, collector)


def _records(stream: Any) -> Iterator[Any]:
    """Yield schemas, channels and messages, as far as the file goes."""
    import zstandard
    from mcap.exceptions import McapError
    from mcap.records import Chunk
    from mcap.stream_reader import StreamReader, breakup_chunk

    has_begun = False
    try:
        for record in StreamReader(stream, emit_chunks=True, record_size_limit=MOST_BYTES).records:
            has_begun = True
            if isinstance(record, Chunk):
                _check_chunk(record)
                yield from breakup_chunk(record)
            else:
                yield record
    except (McapError, ValueError, struct.error, zstandard.ZstdError) as error:
        if not has_begun:
            raise RecordError("it is no MCAP file") from None
        if stream.read(1):  # else it was cut short
            raise RecordError(f"it is damaged: {error}") from None


def _check_chunk(chunk: Chunk) -> None:
    import zstandard

    size = chunk.uncompressed_size
    if chunk.compression == "zstd":
        size = max(size, zstandard.frame_content_size(chunk.data))
    if size > MOST_BYTES:
        raise RecordError(f"it is damaged: a chunk of {size:,} bytes")
    if chunk.compression not in ("", "zstd", "lz4"):
        raise RecordError(f'a chunk is packed by "{chunk.compression}"; known: zstd, lz4')


def _topic(channel: Channel, schema: Schema | None) -> _Topic | None:
    """Return what reads the messages of a channel; None = they have no numbers that we know."""
    name = "" if schema is None else schema.name
    if name.replace("/", ".").rpartition(".")[2] in NOT_NUMBERS:
        return None
    decode = _decoder(channel.message_encoding, name, b"" if schema is None else schema.data)
    return None if decode is None else _Topic(channel, decode)


def _decoder(encoding: str, name: str, schema: bytes) -> Decode | None:
    if encoding == "json":
        return _json
    if encoding == "protobuf":
        return protobuf_decoder(name, schema)
    if encoding == "cdr":
        from solidbody.live.ros.cdr import decode
        from solidbody.live.ros.definitions import DEFINITIONS

        return (lambda data: decode(name, data)) if name in DEFINITIONS else None
    return None


def _json(data: bytes) -> Mapping[str, Any]:
    found = json.loads(data)
    return found if isinstance(found, dict) else {"data": found}


class _Topic:
    """A channel: how its messages are read, and units of its numbers."""

    def __init__(self, channel: Channel, decode: Decode) -> None:
        self.name = channel.topic
        self._decode = decode
        self._parts = channel.metadata.get("names", "").split(",")
        self._units = channel.metadata.get("units", "").split(",")

    def take(self, message: Message, collector: Collector) -> None:
        try:
            numbers = list(numbers_of(self.name, self._decode(message.data)))
        except (SolidbodyError, ValueError, OverflowError, RecursionError) as error:
            raise RecordError(f"a message on {self.name} is damaged: {error}") from None
        collector.at(message.log_time * 1e-9)
        for name, value in numbers:
            unit, part = self._facts(name)
            collector.add(name, value, unit, part)

    def _facts(self, name: str) -> tuple[str, str]:
        """Return unit and name of a sensor's number."""
        rest = name.removeprefix(self.name)
        row = int(rest[1:-1]) if rest[:1] == "[" and rest[1:-1].isdecimal() else 0
        if name == rest or len(self._units) <= row:
            return "", ""
        return self._units[row], self._parts[row] if rest and row < len(self._parts) else ""
