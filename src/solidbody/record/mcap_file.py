"""Writes MCAP files: frames, joints, shapes and every sensor that is on, as Foxglove's own messages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from solidbody._version import __version__
from solidbody.base.output_files import GrowingFile
from solidbody.record.base import CHUNK_SIZE, Recorder, nanoseconds
from solidbody.record.foxglove_messages import (
    LOG,
    READING,
    READING_SCHEMA,
    RunMessage,
    RunMessages,
    facts_of,
    log_message,
)
from solidbody.record.program_output import ProgramOutput

if TYPE_CHECKING:
    from solidbody.sim import Sim


class McapRecorder(Recorder):
    """Writes while the simulation runs; what was written stays readable if the run is cut short."""

    def __init__(self, sim: Sim, path: Path, period: float | None) -> None:
        from mcap.writer import CompressionType, Writer

        super().__init__(sim, path, period)
        self._file = GrowingFile(path)
        self._writer = Writer(
            self._file.stream, chunk_size=CHUNK_SIZE, compression=CompressionType.ZSTD
        )
        self._writer.start(profile="", library=f"solidbody {__version__}")
        self._schemas: dict[str, int] = {}
        self._channels: dict[str, int] = {}
        self._count = 0
        self._messages = RunMessages(sim)
        self._output = ProgramOutput()

    def scene_changed(self) -> None:
        """Write other shapes, and the frames of other links."""
        self._messages.scene_changed()

    def _channel(self, message: RunMessage) -> int:
        topic = message.topic
        if topic not in self._channels:
            is_json = isinstance(message.content, bytes)
            self._channels[topic] = self._writer.register_channel(
                topic=topic,
                message_encoding="json" if is_json else "protobuf",
                schema_id=self._schema(message.content),
                metadata={} if message.kind is None else facts_of(message.kind),
            )
        return self._channels[topic]

    def _schema(self, content: Any) -> int:
        if isinstance(content, bytes):
            name, encoding, data = READING, "jsonschema", json.dumps(READING_SCHEMA).encode()
        else:
            schema = content.get_schema()
            name, encoding, data = schema.name, schema.encoding, schema.data
        if name not in self._schemas:
            self._schemas[name] = self._writer.register_schema(name, encoding, data)
        return self._schemas[name]

    def write(self) -> None:
        """Write frames, joints and new readings (and shapes, when they are new), and what programs print."""
        self._file.keep()
        for message in self._messages.now(self.fresh_readings()):
            self._add(message)
        self._write_output()

    def _write_output(self) -> None:
        for level, source, text in self._output.take(self.sim):
            self._add(RunMessage(LOG, log_message(self.sim, level, source, text)))

    def _add(self, message: RunMessage) -> None:
        now = nanoseconds(self.sim)
        content = message.content
        self._count += 1
        self._writer.add_message(
            channel_id=self._channel(message),
            log_time=now,
            publish_time=now,
            sequence=self._count,
            data=content if isinstance(content, bytes) else content.encode(),
        )

    def finish(self) -> None:
        """Write the last lines of programs, and the index."""
        self._write_output()
        self._writer.finish()
        self._file.finish()

    def abandon(self) -> None:
        """Keep what was written; readers that go through the file in order can read it."""
        self._file.abandon()
