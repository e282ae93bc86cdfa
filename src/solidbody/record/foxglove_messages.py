"""What a simulation does, as Foxglove's own messages (protobuf, by its SDK): for files and live viewers.

`RunMessages` yields what is new at a moment. Poses are told in the frame `world`; each link has a frame of
its name, each eye of a device a frame `TOPIC/optical` as pictures have it: x right, y down, z ahead.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import foxglove.messages as fm

from solidbody.base.transforms import Pose, Vec3
from solidbody.devices.core.device_binding import BoundDevice
from solidbody.devices.core.kind import DeviceKind
from solidbody.model.devices import DeviceCamera, DeviceLidar, DeviceRangeFinder
from solidbody.model.geometry import (
    GeometryBox,
    GeometryCapsule,
    GeometryCone,
    GeometryCylinder,
    GeometryMesh,
    GeometryPlane,
    GeometrySphere,
)
from solidbody.model.links import Link
from solidbody.model.scene import Scene
from solidbody.model.shapes import Shape, ShapeRole
from solidbody.record.base import SensorReading, nanoseconds, topic_of
from solidbody.record.measurements import (
    depths_of,
    focal_length_of,
    optical_turn,
    points_of,
    scan_of,
)

if TYPE_CHECKING:
    from solidbody.sim import Sim

WORLD: Final = "world"
"""Name of the frame that everything is in."""

SCENE: Final = "/scene"
"""Topic of the shapes."""

LOG: Final = "/log"
"""Topic of what programs print."""

LEVELS: Final = {
    "info": fm.LogLevel.Info,
    "output": fm.LogLevel.Info,
    "warning": fm.LogLevel.Warning,
    "error": fm.LogLevel.Error,
}

READING: Final = "solidbody.Reading"
"""Schema of sensors of numbers, for which Foxglove has none: JSON, with names and units at the channel."""

READING_SCHEMA: Final = {
    "title": READING,
    "type": "object",
    "properties": {
        "timestamp": {
            "type": "object",
            "title": "time",
            "properties": {"sec": {"type": "integer"}, "nsec": {"type": "integer"}},
        },
        "frame_id": {"type": "string"},
        "values": {"type": "array", "items": {"type": "number"}},
    },
}

_GREY: Final = fm.Color(r=0.7, g=0.7, b=0.7, a=1.0)
_ALL: Final = fm.SceneEntityDeletionType.All
_FLOAT: Final = fm.PackedElementFieldNumericType.Float32
_XYZ: Final = [
    fm.PackedElementField(name=name, offset=4 * k, type=_FLOAT) for k, name in enumerate("xyz")
]


@dataclass(frozen=True, slots=True)
class RunMessage:
    """One message of a run.

    Attributes:
        topic: Where it is sent.
        content: One of Foxglove's messages, or the JSON of a reading.
        kind: The sensor's row in the table of kinds; None = it is no sensor's.
    """

    topic: str
    content: Any
    kind: DeviceKind | None = None


def log_message(sim: Sim, level: str, source: str, text: str) -> Any:
    """Return a line of the log, at the simulated time."""
    return fm.Log(
        timestamp=fm.Timestamp(*divmod(nanoseconds(sim), 10**9)),
        level=LEVELS.get(level, fm.LogLevel.Info),
        message=text,
        name=source,
    )


class RunMessages:
    """Tells what is new: shapes when they change, frames and joints always, sensors that were sampled."""

    def __init__(self, sim: Sim) -> None:
        self._sim = sim
        self._has_told = False
        self.scene_changed()

    def scene_changed(self) -> None:
        """Tell other shapes, and frames of other links."""
        sim = self._sim
        self._names = list(sim.link_names)
        self._joints = list(sim.joint_names)
        self._eyes = [(eye_of(item), item.link_name, _eye_pose(item)) for item in _lookers(sim)]
        self.is_scene_due = True

    def stamp(self) -> Any:
        """Return the simulated time."""
        return fm.Timestamp(*divmod(nanoseconds(self._sim), 10**9))

    def now(
        self, readings: Iterator[SensorReading], wants: Callable[[str], bool] = lambda _: True
    ) -> Iterator[RunMessage]:
        """Yield what is new, `readings` among it, on the topics that somebody wants."""
        stamp = self.stamp()
        if self.is_scene_due and wants(SCENE):
            self.is_scene_due = False
            yield RunMessage(SCENE, self._scene(stamp))
        if wants("/tf"):
            yield RunMessage("/tf", self.frames(stamp))
        if self._joints and wants("/joint_states"):
            yield RunMessage("/joint_states", self.joints(stamp))
        for reading in readings:
            yield from reading_messages(reading, stamp, nanoseconds(self._sim), wants)

    def _scene(self, stamp: Any) -> Any:
        old = [fm.SceneEntityDeletion(timestamp=stamp, type=_ALL)] if self._has_told else []
        self._has_told = True
        return fm.SceneUpdate(deletions=old, entities=entities_of(self._sim.scene, stamp))

    def frames(self, stamp: Any) -> Any:
        """Return where all links and eyes are."""
        frames = [
            fm.FrameTransform(
                timestamp=stamp,
                parent_frame_id=WORLD,
                child_frame_id=name,
                translation=fm.Vector3(x=x, y=y, z=z),
                rotation=fm.Quaternion(x=i, y=j, z=k, w=w),
            )
            for name, (x, y, z, w, i, j, k) in zip(
                self._names, self._sim.poses().tolist(), strict=True
            )
        ]
        for frame, link, pose in self._eyes:
            (x, y, z), (w, i, j, k) = pose.position, pose.rotation
            frames.append(
                fm.FrameTransform(
                    timestamp=stamp,
                    parent_frame_id=link,
                    child_frame_id=frame,
                    translation=fm.Vector3(x=x, y=y, z=z),
                    rotation=fm.Quaternion(x=i, y=j, z=k, w=w),
                )
            )
        return fm.FrameTransforms(transforms=frames)

    def joints(self, stamp: Any) -> Any:
        """Return positions, velocities and efforts of all axes."""
        states = self._sim.joint_states().tolist()
        efforts = self._sim.joint_efforts().tolist()
        return fm.JointStates(
            timestamp=stamp,
            joints=[
                fm.JointState(name=name, position=position, velocity=velocity, effort=effort)
                for name, (position, velocity), effort in zip(
                    self._joints, states, efforts, strict=True
                )
            ],
        )


# ---------------------------------------------------------------------- sensors


def _lookers(sim: Sim) -> list[BoundDevice]:
    kinds = (DeviceCamera, DeviceRangeFinder, DeviceLidar)
    return [item for item in sim.devices.devices if isinstance(item.device, kinds)]


def eye_of(bound: BoundDevice) -> str:
    """Return the name of the frame of a device's pictures."""
    return f"{topic_of(bound)}/optical"


def _eye_pose(bound: BoundDevice) -> Pose:
    return bound.pose * optical_turn(bound)


def reading_messages(
    reading: SensorReading, stamp: Any, now: int, wants: Callable[[str], bool]
) -> Iterator[RunMessage]:
    """Yield what a sensor tells: one message for each of its channels that has something to tell."""
    for channel in reading.kind.channels:
        topic = f"{reading.topic}{channel.ending}"
        content = CONTENTS[channel.schema](reading, stamp, now) if wants(topic) else None
        if content is not None:
            yield RunMessage(topic, content, reading.kind)
    topic = f"{reading.topic}/calibration"
    calibration = calibration_of(reading.bound, stamp) if wants(topic) else None
    if calibration is not None:
        yield RunMessage(topic, calibration)


def facts_of(kind: DeviceKind) -> dict[str, str]:
    """Return what a channel says of its sensor: its kind, names and units of its numbers."""
    facts = {"kind": kind.model.__name__.removeprefix("Device")}
    if kind.parts:
        facts["names"] = ",".join(part.name for part in kind.parts)
        facts["units"] = ",".join(part.unit for part in kind.parts)
    return facts


def _numbers(reading: SensorReading, stamp: Any, now: int) -> bytes:
    values = reading.group.values[reading.row].tolist()
    seconds, rest = divmod(now, 10**9)
    message = {
        "timestamp": {"sec": seconds, "nsec": rest},
        "frame_id": reading.bound.link_name,
        "values": [x if math.isfinite(x) else None for x in values],
    }
    return json.dumps(message, separators=(",", ":")).encode()


def _picture(reading: SensorReading, stamp: Any, now: int) -> Any:
    from PIL import Image

    buffer = io.BytesIO()
    Image.fromarray(reading.value).save(buffer, format="PNG", compress_level=1)
    frame = eye_of(reading.bound)
    return fm.CompressedImage(timestamp=stamp, frame_id=frame, format="png", data=buffer.getvalue())


def _depths(reading: SensorReading, stamp: Any, now: int) -> Any:
    """The distances of a range finder, or of a camera that measures them."""
    image = depths_of(reading)
    if image is None:
        return None
    return fm.RawImage(
        timestamp=stamp,
        frame_id=eye_of(reading.bound),
        width=image.shape[1],
        height=image.shape[0],
        encoding="32FC1",
        step=4 * image.shape[1],
        data=image.tobytes(),
    )


def _cloud(reading: SensorReading, stamp: Any, now: int) -> Any:
    """Points in the frame of the device; those that were not hit are left out."""
    points = points_of(reading)
    if points is None:
        return None
    return fm.PointCloud(
        timestamp=stamp,
        frame_id=reading.bound.link_name,
        pose=_pose(reading.bound.pose),
        point_stride=12,
        fields=_XYZ,
        data=points.tobytes(),
    )


def _scan(reading: SensorReading, stamp: Any, now: int) -> Any:
    """The distances of a lidar with one layer of equal angles, counterclockwise."""
    scan = scan_of(reading)
    if scan is None:
        return None
    return fm.LaserScan(
        timestamp=stamp,
        frame_id=reading.bound.link_name,
        pose=_pose(reading.bound.pose),
        start_angle=scan.start,
        end_angle=scan.end,
        ranges=scan.ranges.tolist(),
    )


def calibration_of(bound: BoundDevice, stamp: Any) -> Any:
    """Return how a planar picture was taken; None for others."""
    camera = bound.device
    if not isinstance(camera, DeviceCamera | DeviceRangeFinder):
        return None
    focal = focal_length_of(camera)
    if focal is None:
        return None
    width, height = camera.width, camera.height
    u, v = 0.5 * width, 0.5 * height
    # fmt: off
    return fm.CameraCalibration(
        timestamp=stamp, frame_id=eye_of(bound), width=width, height=height,
        K=[focal, 0.0, u, 0.0, focal, v, 0.0, 0.0, 1.0],
        R=[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        P=[focal, 0.0, u, 0.0, 0.0, focal, v, 0.0, 0.0, 0.0, 1.0, 0.0],
    )
    # fmt: on


CONTENTS: Final[dict[str, Callable[[SensorReading, Any, int], Any]]] = {
    READING: _numbers,
    "foxglove.CompressedImage": _picture,
    "foxglove.RawImage": _depths,
    "foxglove.PointCloud": _cloud,
    "foxglove.LaserScan": _scan,
}
"""What a channel of each schema has of a sensor; None = this one has no such thing."""


# ---------------------------------------------------------------------- shapes


def entities_of(scene: Scene, stamp: Any) -> list[Any]:
    """Return Foxglove's entities of all links that have something to show."""
    out: list[Any] = []
    for link in scene.links():
        parts: dict[str, list[Any]] = {}
        for shape in _shown(link):
            for kind, item in _primitives(shape):
                parts.setdefault(kind, []).append(item)
        if parts:
            more: dict[str, Any] = {"timestamp": stamp, **parts}
            out.append(fm.SceneEntity(frame_id=link.name, id=link.name, frame_locked=True, **more))
    return out


def _shown(link: Link) -> list[Shape]:
    """What is drawn; what collides, for links that draw nothing."""
    drawn = [shape for shape in link.shapes if shape.role is not ShapeRole.COLLISION]
    return drawn or list(link.shapes)


def _primitives(shape: Shape) -> list[tuple[str, Any]]:
    place = {"pose": _pose(shape.pose), "color": _color(shape)}
    sx, sy, sz = shape.scale
    match shape.geometry:
        case GeometryBox(size=(x, y, z)):
            return [("cubes", fm.CubePrimitive(**place, size=_vector((x * sx, y * sy, z * sz))))]
        case GeometrySphere(radius=r):
            size = _vector((2 * r * sx, 2 * r * sy, 2 * r * sz))
            return [("spheres", fm.SpherePrimitive(**place, size=size))]
        case GeometryCylinder(radius=r, height=h) | GeometryCone(radius=r, height=h):
            top = 0.0 if isinstance(shape.geometry, GeometryCone) else 1.0
            size = _vector((2 * r * sx, 2 * r * sy, h * sz))
            side = fm.CylinderPrimitive(**place, size=size, bottom_scale=1.0, top_scale=top)
            return [("cylinders", side)]
        case GeometryCapsule(radius=r, height=h):
            size = _vector((2 * r, 2 * r, h))
            side = fm.CylinderPrimitive(**place, size=size, bottom_scale=1.0, top_scale=1.0)
            ball = {"color": place["color"], "size": _vector((2 * r, 2 * r, 2 * r))}
            ends = (shape.pose * Pose((0.0, 0.0, end)) for end in (0.5 * h, -0.5 * h))
            balls = [("spheres", fm.SpherePrimitive(pose=_pose(end), **ball)) for end in ends]
            return [("cylinders", side), *balls]
        case GeometryPlane(size=(x, y)):
            return [("cubes", fm.CubePrimitive(**place, size=_vector((x, y, 0.001))))]
        case GeometryMesh():
            points = [
                fm.Point3(x=x * sx, y=y * sy, z=z * sz) for x, y, z in shape.geometry.vertices
            ]
            indices = [index for triangle in shape.geometry.triangles for index in triangle]
            return [
                ("triangles", fm.TriangleListPrimitive(**place, points=points, indices=indices))
            ]
        case _:
            return []


def _pose(pose: Pose) -> Any:
    w, x, y, z = pose.rotation
    return fm.Pose(position=_vector(pose.position), orientation=fm.Quaternion(x=x, y=y, z=z, w=w))


def _vector(v: Vec3) -> Any:
    return fm.Vector3(x=v[0], y=v[1], z=v[2])


def _color(shape: Shape) -> Any:
    look = shape.appearance
    if look is None:
        return _GREY
    r, g, b = look.base_color
    return fm.Color(r=r, g=g, b=b, a=1.0 - look.transparency)
