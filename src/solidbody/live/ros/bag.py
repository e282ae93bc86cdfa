"""Records runs as bags of ROS 2: folders with an MCAP file of CDR messages, and metadata of `ros2 bag`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import yaml

from solidbody._version import __version__
from solidbody.base.output_files import GrowingFile, write_whole
from solidbody.live.ros.definitions import message_text
from solidbody.live.ros.run_messages import LOG, RosMessages, Topic, log_bytes
from solidbody.live.ros.settings import Quality, Ros2Settings
from solidbody.record.base import CHUNK_SIZE, Recorder, RecordError, nanoseconds
from solidbody.record.program_output import ProgramOutput

if TYPE_CHECKING:
    from solidbody.sim import Sim

METADATA: Final = "metadata.yaml"
VERSION: Final = 9
"""Of the metadata, as Jazzy writes them."""

_FOREVER: Final = {"sec": 9223372036, "nsec": 854775807}


class BagRecorder(Recorder):
    """Writes what a bridge would send; readable without metadata, too, if the run is cut short."""

    def __init__(
        self, sim: Sim, path: Path, period: float | None, settings: Ros2Settings | None = None
    ) -> None:
        from mcap.writer import CompressionType, Writer

        super().__init__(sim, path, period)
        settings = settings or Ros2Settings()
        if period is not None:
            settings = replace(settings, rate=1.0 / period, clock_rate=1.0 / period)
        self._messages = RosMessages(sim, settings)
        _make_folder(path)
        self._name = f"{path.resolve().name}_0.mcap"
        self._file = GrowingFile(path / self._name)
        self._writer = Writer(
            self._file.stream, chunk_size=CHUNK_SIZE, compression=CompressionType.ZSTD
        )
        self._writer.start(profile="ros2", library=f"solidbody {__version__}")
        self._schemas: dict[str, int] = {}
        self._channels: dict[str, int] = {}
        self._topics: dict[str, Topic] = {}
        self._counts: dict[str, int] = {}
        self._first, self._last = 2**63 - 1, 0
        self._tells_fixed = True
        self._output = ProgramOutput()

    def scene_changed(self) -> None:
        """Tell other frames."""
        self._messages.describe()
        self._tells_fixed = True

    def steps_until_due(self) -> int:
        """Return how many steps may pass."""
        return self._messages.steps_until_due()

    def after_steps(self) -> None:
        """Write what is due."""
        if not self.is_closed:
            self._follow()
            self._guarded(self.write)

    def reset(self) -> None:
        """Times begin again."""
        super().reset()
        self._messages.begin_again()

    def write(self) -> None:
        """Write what is new."""
        self._file.keep()
        if self._tells_fixed:
            self._tells_fixed = False
            for topic, data in self._messages.fixed():
                self._add(topic, data)
        for topic, data in self._messages.now():
            self._add(topic, data)
        self._write_output()

    def _write_output(self) -> None:
        for level, source, text in self._output.take(self.sim):
            self._add(LOG, log_bytes(self.sim, level, source, text))

    def _add(self, topic: str, data: bytes) -> None:
        now = nanoseconds(self.sim)
        self._first, self._last = min(self._first, now), max(self._last, now)
        count = self._counts[topic] = self._counts.get(topic, 0) + 1
        self._writer.add_message(
            channel_id=self._channel(topic),
            log_time=now,
            publish_time=now,
            sequence=count,
            data=data,
        )

    def _channel(self, topic: str) -> int:
        if topic not in self._channels:
            offered = self._topics[topic] = self._messages.topics[topic]
            if offered.message not in self._schemas:
                text = message_text(offered.message).encode()
                schema = self._writer.register_schema(offered.message, "ros2msg", text)
                self._schemas[offered.message] = schema
            quality = yaml.safe_dump([_profile(offered.quality)])
            self._channels[topic] = self._writer.register_channel(
                topic=topic,
                message_encoding="cdr",
                schema_id=self._schemas[offered.message],
                metadata={"offered_qos_profiles": quality},
            )
        return self._channels[topic]

    def finish(self) -> None:
        """Write the last lines of programs, the index and the metadata."""
        self._write_output()
        self._writer.finish()
        self._file.finish()
        text = yaml.safe_dump(self._metadata(), sort_keys=False)
        write_whole(self.path / METADATA, text.encode())

    def abandon(self) -> None:
        """Keep what was written; `ros2 bag reindex` makes the metadata."""
        self._file.abandon()

    def _metadata(self) -> dict[str, Any]:
        total = sum(self._counts.values())
        first = self._first if total else 0
        times = {
            "duration": {"nanoseconds": max(self._last - first, 0)},
            "starting_time": {"nanoseconds_since_epoch": first},
            "message_count": total,
        }
        topics = [
            {
                "topic_metadata": {
                    "name": topic,
                    "type": self._topics[topic].message,
                    "serialization_format": "cdr",
                    "offered_qos_profiles": [_profile(self._topics[topic].quality)],
                    "type_description_hash": "",
                },
                "message_count": count,
            }
            for topic, count in sorted(self._counts.items())
        ]
        information = {
            "version": VERSION,
            "storage_identifier": "mcap",
            **times,
            "topics_with_message_count": topics,
            "compression_format": "",
            "compression_mode": "",
            "relative_file_paths": [self._name],
            "files": [{"path": self._name, **times}],
            "custom_data": None,
            "ros_distro": "jazzy",
        }
        return {"rosbag2_bagfile_information": information}


def _profile(quality: Quality) -> dict[str, Any]:
    return {
        "history": "keep_last",
        "depth": quality.depth,
        "reliability": "reliable" if quality.reliable else "best_effort",
        "durability": "transient_local" if quality.keeps else "volatile",
        "deadline": dict(_FOREVER),
        "lifespan": dict(_FOREVER),
        "liveliness": "automatic",
        "liveliness_lease_duration": dict(_FOREVER),
        "avoid_ros_namespace_conventions": False,
    }


def _make_folder(path: Path) -> None:
    """Make the folder of a bag; an earlier bag in it is written anew.

    Raises:
        RecordError: Something else is in it.
    """
    try:
        path.mkdir(exist_ok=True)
        others = [item.name for item in path.iterdir() if not _is_of_bag(item)]
    except OSError as error:
        raise RecordError(f"{path} cannot be made: {error.strerror or error}") from error
    if others:
        raise RecordError(f'{path} holds "{others[0]}" already, which is no part of a bag')


def _is_of_bag(path: Path) -> bool:
    return path.name == METADATA or path.suffix == ".mcap"


def bag_recorder(sim: Sim, path: Path, period: float | None = None) -> Recorder:
    """Return what records a bag."""
    return BagRecorder(sim, path, period)
