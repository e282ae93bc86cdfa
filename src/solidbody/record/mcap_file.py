"""Writes MCAP files: frames, joints, shapes and every sensor that is on, with Foxglove's schemas."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from solidbody._version import __version__
from solidbody.base.output_files import GrowingFile
from solidbody.devices.core.kind import DeviceKind
from solidbody.devices.imaging.cameras import Cameras
from solidbody.devices.imaging.range_images import Lidars
from solidbody.record.base import Recorder, SensorReading
from solidbody.record.entities import entities_of
from solidbody.record.schemas import SCHEMAS

if TYPE_CHECKING:
    from solidbody.sim import Sim

WORLD = "world"
"""Name of the frame that everything is in."""

CHUNK_SIZE = 64 * 1024
"""[bytes] Of messages that are packed together: as much as a killed process loses at most, some seconds."""

_ALL = 1
"""Foxglove's number for the deletion of everything that was drawn."""

_FLOAT32 = 7
"""Foxglove's number for the type of a field."""


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
        self._frames = list(sim.link_names)
        self._is_scene_due = True

    def scene_changed(self) -> None:
        """Write other shapes, and the frames of other links."""
        self._frames = list(self.sim.link_names)
        self._is_scene_due = True

    # ------------------------------------------------------------------ messages

    def _channel(self, topic: str, schema: str, kind: DeviceKind | None) -> int:
        if topic not in self._channels:
            if schema not in self._schemas:
                text = json.dumps({"title": schema, **SCHEMAS[schema]}).encode()
                self._schemas[schema] = self._writer.register_schema(schema, "jsonschema", text)
            self._channels[topic] = self._writer.register_channel(
                topic=topic,
                message_encoding="json",
                schema_id=self._schemas[schema],
                metadata={} if kind is None else facts_of(kind),
            )
        return self._channels[topic]

    def _send(
        self, topic: str, schema: str, message: dict[str, Any], kind: DeviceKind | None = None
    ) -> None:
        now = self._nanoseconds()
        self._count += 1
        self._writer.add_message(
            channel_id=self._channel(topic, schema, kind),
            log_time=now,
            publish_time=now,
            sequence=self._count,
            data=json.dumps(message, separators=(",", ":")).encode(),
        )

    def _nanoseconds(self) -> int:
        return round(self.sim.time * 1e9)

    def _stamp(self) -> dict[str, int]:
        seconds, rest = divmod(self._nanoseconds(), 10**9)
        return {"sec": seconds, "nsec": rest}

    # ------------------------------------------------------------------ records

    def write(self) -> None:
        """Write frames, joints and new readings (and shapes, when they are new)."""
        self._file.keep()
        if self._is_scene_due:
            self._is_scene_due = False
            stamp = self._stamp()
            old = [{"timestamp": stamp, "type": _ALL, "id": ""}] if self._count else []
            message = {"deletions": old, "entities": entities_of(self.sim.scene, stamp)}
            self._send("/scene", "foxglove.SceneUpdate", message)
        self._write_frames()
        self._write_joints()
        for reading in self.fresh_readings():
            self._write_reading(reading)

    def _write_frames(self) -> None:
        stamp = self._stamp()
        poses = self.sim.poses().tolist()
        self._send(
            "/tf",
            "foxglove.FrameTransforms",
            {
                "transforms": [
                    {
                        "timestamp": stamp,
                        "parent_frame_id": WORLD,
                        "child_frame_id": name,
                        "translation": {"x": x, "y": y, "z": z},
                        "rotation": {"x": i, "y": j, "z": k, "w": w},
                    }
                    for name, (x, y, z, w, i, j, k) in zip(self._frames, poses, strict=True)
                ]
            },
        )

    def _write_joints(self) -> None:
        names = list(self.sim.joint_names)
        if not names:
            return
        states = self.sim.joint_states()
        self._send(
            "/joint_states",
            "solidbody.JointStates",
            {
                "timestamp": self._stamp(),
                "name": names,
                "position": states[:, 0].tolist(),
                "velocity": states[:, 1].tolist(),
            },
        )

    def _write_reading(self, reading: SensorReading) -> None:
        common = {"timestamp": self._stamp(), "frame_id": reading.bound.link_name}
        for channel in reading.kind.channels:
            content = CONTENTS[channel.schema](reading)
            if content is not None:
                topic = f"{reading.topic}{channel.ending}"
                self._send(topic, channel.schema, {**common, **content}, reading.kind)

    def finish(self) -> None:
        """Write the index."""
        self._writer.finish()
        self._file.finish()

    def abandon(self) -> None:
        """Keep what was written; readers that go through the file in order can read it."""
        self._file.abandon()


def facts_of(kind: DeviceKind) -> dict[str, str]:
    """Return what the file says of a sensor's channel: its kind, names and units of its numbers."""
    facts = {"kind": kind.model.__name__.removeprefix("Device")}
    if kind.parts:
        facts["names"] = ",".join(part.name for part in kind.parts)
        facts["units"] = ",".join(part.unit for part in kind.parts)
    return facts


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _numbers(reading: SensorReading) -> dict[str, Any]:
    values = reading.group.values[reading.row].tolist()
    return {"values": [x if np.isfinite(x) else None for x in values]}


def _picture(reading: SensorReading) -> dict[str, Any]:
    from PIL import Image

    buffer = io.BytesIO()
    Image.fromarray(reading.value).save(buffer, format="PNG", compress_level=1)
    return {"format": "png", "data": _text(buffer.getvalue())}


def _depths(reading: SensorReading) -> dict[str, Any] | None:
    """The distances of a range finder, or of a camera that measures them."""
    photo = reading.group.shot(reading.row) if isinstance(reading.group, Cameras) else None
    depth = reading.value if photo is None else photo.depth
    if depth is None:
        return None
    image = np.asarray(depth, dtype="<f4")
    return {
        "width": image.shape[1],
        "height": image.shape[0],
        "encoding": "32FC1",
        "step": 4 * image.shape[1],
        "data": _text(image.tobytes()),
    }


def _cloud(reading: SensorReading) -> dict[str, Any] | None:
    """Points in the frame of the device; those that were not hit are left out."""
    points = _points(reading)
    if points is None:
        return None
    found = points[np.isfinite(points).all(axis=1)].astype("<f4")
    return {
        "pose": _pose_of(reading),
        "point_stride": 12,
        "fields": [
            {"name": name, "offset": 4 * k, "type": _FLOAT32} for k, name in enumerate("xyz")
        ],
        "data": _text(found.tobytes()),
    }


def _points(reading: SensorReading) -> np.ndarray | None:
    """Points (n, 3) of a lidar, or of a camera that measures them."""
    group, row = reading.group, reading.row
    if isinstance(group, Lidars):
        return group.points(row)[:, :3]
    photo = group.shot(row) if isinstance(group, Cameras) else None
    return None if photo is None else photo.points


def _pose_of(reading: SensorReading) -> dict[str, dict[str, float]]:
    pose = reading.bound.pose
    (x, y, z), (w, i, j, k) = pose.position, pose.rotation
    return {
        "position": {"x": x, "y": y, "z": z},
        "orientation": {"x": i, "y": j, "z": k, "w": w},
    }


CONTENTS: Final[dict[str, Callable[[SensorReading], dict[str, Any] | None]]] = {
    "solidbody.Reading": _numbers,
    "foxglove.CompressedImage": _picture,
    "foxglove.RawImage": _depths,
    "foxglove.PointCloud": _cloud,
}
"""What a channel of each schema has of a sensor; None = this one has no such thing."""
