"""MCAP files: frames, joints, shapes and every sensor that is on, with schemas that Foxglove knows."""

from __future__ import annotations

import base64
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from solidbody._version import __version__
from solidbody.base.output_files import GrowingFile
from solidbody.devices.imaging.ranging import Cameras, Lidars, RangeFinders
from solidbody.record.base import Reading, Recorder
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

    def _channel(self, topic: str, schema: str) -> int:
        if topic not in self._channels:
            if schema not in self._schemas:
                text = json.dumps({"title": schema, **SCHEMAS[schema]}).encode()
                self._schemas[schema] = self._writer.register_schema(schema, "jsonschema", text)
            self._channels[topic] = self._writer.register_channel(
                topic=topic, message_encoding="json", schema_id=self._schemas[schema]
            )
        return self._channels[topic]

    def _send(self, topic: str, schema: str, message: dict[str, Any]) -> None:
        now = self._nanoseconds()
        self._count += 1
        self._writer.add_message(
            channel_id=self._channel(topic, schema),
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

    def _write_reading(self, reading: Reading) -> None:
        group, row = reading.group, reading.row
        common = {"timestamp": self._stamp(), "frame_id": reading.bound.link_name}
        if isinstance(group, Cameras):
            data = {**common, "format": "png", "data": _png(reading.value)}
            self._send(reading.topic, "foxglove.CompressedImage", data)
            photo = group.shot(row)
            assert photo is not None
            if photo.depth is not None:
                depth = _depth_image(photo.depth)
                self._send(f"{reading.topic}/depth", "foxglove.RawImage", {**common, **depth})
            if photo.points is not None:
                cloud = _cloud(reading, photo.points)
                self._send(f"{reading.topic}/points", "foxglove.PointCloud", {**common, **cloud})
        elif isinstance(group, RangeFinders):
            depth = _depth_image(reading.value)
            self._send(reading.topic, "foxglove.RawImage", {**common, **depth})
        elif isinstance(group, Lidars):
            cloud = _cloud(reading, group.points(row)[:, :3])
            self._send(reading.topic, "foxglove.PointCloud", {**common, **cloud})
        else:
            values = [x if np.isfinite(x) else None for x in group.values[row].tolist()]
            self._send(reading.topic, "solidbody.Reading", {**common, "values": values})

    def finish(self) -> None:
        """Write the index."""
        self._writer.finish()
        self._file.finish()

    def abandon(self) -> None:
        """Keep what was written; readers that go through the file in order can read it."""
        self._file.abandon()


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _png(image: np.ndarray) -> str:
    from PIL import Image

    buffer = io.BytesIO()
    Image.fromarray(image).save(buffer, format="PNG", compress_level=1)
    return _text(buffer.getvalue())


def _depth_image(depth: np.ndarray) -> dict[str, Any]:
    image = np.asarray(depth, dtype="<f4")
    return {
        "width": image.shape[1],
        "height": image.shape[0],
        "encoding": "32FC1",
        "step": 4 * image.shape[1],
        "data": _text(image.tobytes()),
    }


def _cloud(reading: Reading, points: np.ndarray) -> dict[str, Any]:
    """Points (n, 3) in the frame of the device; those that were not hit are left out."""
    found = points[np.isfinite(points).all(axis=1)].astype("<f4")
    return {
        "pose": _pose_of(reading),
        "point_stride": 12,
        "fields": [
            {"name": name, "offset": 4 * k, "type": _FLOAT32} for k, name in enumerate("xyz")
        ],
        "data": _text(found.tobytes()),
    }


def _pose_of(reading: Reading) -> dict[str, dict[str, float]]:
    pose = reading.bound.pose
    (x, y, z), (w, i, j, k) = pose.position, pose.rotation
    return {
        "position": {"x": x, "y": y, "z": z},
        "orientation": {"x": i, "y": j, "z": k, "w": w},
    }
