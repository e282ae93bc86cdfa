"""Makes `docs/images/foxglove.png` and `ros2.png`: what viewers get, read by decoders that are not ours.

    python docs/make_live_images.py

Needs the development tools: `mcap-protobuf-support` reads the messages of Foxglove, `rosbags` those of ROS 2.
"""

from __future__ import annotations

import io
import math
import tempfile
from pathlib import Path
from typing import Any, Final

import numpy as np
from mcap.reader import make_reader
from mcap_protobuf.decoder import DecoderFactory
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont
from rosbags.highlevel import AnyReader

import solidbody as sb

IMAGES: Final = Path(__file__).parent / "images"
SIDE: Final = 360
"""[pixels] Of each of three panels."""

VIEW: Final = 3.2
"""[m] From the middle of a view from above to its edge."""

FINER: Final = 3
BLUE, RED, GREY, INK = (31, 105, 190), (217, 60, 40), (196, 200, 206), (40, 44, 52)

WORLD: Final = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 16 }
Background { skyColor [ 0.75 0.85 0.95 ] }
DirectionalLight { direction -0.4 0.3 -1 castShadows TRUE }
Solid { name "floor" boundingObject Plane { size 20 20 } children [ Shape {
  appearance PBRAppearance { baseColor 0.8 0.78 0.74 roughness 1 metalness 0 }
  geometry Plane { size 20 20 } } ] }
%s
Robot { rotation 0 0 1 0.35 translation -1.5 -0.8 0.1 name "rover" children [
  DEF HULL Pose { translation 0 0 0.05 children [ Shape { appearance PBRAppearance { baseColor 0.2 0.4 0.8 }
    geometry Box { size 0.5 0.3 0.12 } } ] }
  %s
  Solid { translation -0.17 0 -0.05 name "caster" physics Physics { } contactMaterial "slip"
    boundingObject Sphere { radius 0.05 } }
  Camera { translation 0.26 0 0.15 width 240 height 240 fieldOfView 1.2 }
  Lidar { translation 0 0 0.25 horizontalResolution 240 fieldOfView 6.28 numberOfLayers 1 maxRange 4 }
] boundingObject USE HULL physics Physics { density -1 mass 4 } controller "<none>" }
"""
THING: Final = """Solid { translation %s 0.25 name "%s" boundingObject DEF S%s Shape {
  appearance PBRAppearance { baseColor %s roughness 0.8 metalness 0 } geometry %s } children [ USE S%s ] }
"""
WHEEL: Final = """HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 anchor 0.1 %s 0 }
  device RotationalMotor { name "%s wheel" maxVelocity 20 }
  endPoint Solid { translation 0.1 %s 0 rotation 1 0 0 1.5708 name "%s tyre" physics Physics { }
    children [ DEF W%s Shape { geometry Cylinder { radius 0.1 height 0.05 } } ] boundingObject USE W%s } }
"""


def world() -> str:
    """Return a robot on wheels among four things."""
    things = [
        ("1.2 0.6", "red box", "0.8 0.2 0.15", "Box { size 0.6 0.5 0.5 }"),
        ("2.0 -0.7", "green drum", "0.2 0.6 0.3", "Cylinder { radius 0.35 height 0.5 }"),
        ("-0.6 1.6", "yellow box", "0.9 0.75 0.2", "Box { size 0.4 1 0.5 }"),
        ("0.2 -1.9", "violet box", "0.5 0.3 0.7", "Box { size 1.4 0.3 0.5 }"),
    ]
    solids = [THING % (at, n, k, c, form, k) for k, (at, n, c, form) in enumerate(things)]
    sides = (("left", 0.2), ("right", -0.2))
    wheels = [WHEEL % (y, n, y, n, n.upper(), n.upper()) for n, y in sides]
    return WORLD % ("".join(solids), "".join(wheels))


def record(folder: Path) -> None:
    """Let it drive and record it in both ways."""
    file = folder / "rover.wbt"
    file.write_text(world(), encoding="utf-8")
    sim = sb.Sim(sb.load(file))
    with (
        sim.record(folder / "run.mcap", period=0.032, all_sensors=True),
        sim.record(folder / "bag"),
    ):
        for left, right, seconds in ((0, 0, 0.4), (4, 6, 2.0), (6, 3, 2.0), (5, 5, 1.0)):
            sim.joint("left wheel").target_velocity = left
            sim.joint("right wheel").target_velocity = right
            sim.run(seconds)


class Panel:
    """A square with a title; metres from above, or curves."""

    def __init__(self, title: str) -> None:
        side = SIDE * FINER
        self.image = Image.new("RGB", (side, side), "white")
        self.draw = ImageDraw.Draw(self.image)
        self.title = title

    def lines(self, points: NDArray[np.float64], color: tuple[int, int, int], width: int) -> None:
        """Draw a line through (n, 2) points, from 0 to 1."""
        places = [(x * SIDE * FINER, (1 - y) * SIDE * FINER) for x, y in points.tolist()]
        self.draw.line(places, fill=color, width=width * FINER)

    def dots(self, points: NDArray[np.float64], color: tuple[int, int, int], size: int) -> None:
        """Draw dots."""
        for x, y in points.tolist():
            u, v, r = x * SIDE * FINER, (1 - y) * SIDE * FINER, size * FINER / 2
            self.draw.ellipse((u - r, v - r, u + r, v + r), fill=color)

    def polygon(self, points: NDArray[np.float64], color: tuple[int, int, int]) -> None:
        """Fill an outline."""
        places = [(x * SIDE * FINER, (1 - y) * SIDE * FINER) for x, y in points.tolist()]
        self.draw.polygon(places, fill=color)

    def finish(self) -> Image.Image:
        """Return it with its title."""
        out = Image.new("RGB", (SIDE, SIDE + 30), "white")
        out.paste(self.image.resize((SIDE, SIDE), Image.Resampling.BOX), (0, 30))
        draw = ImageDraw.Draw(out)
        draw.text((2, 15), self.title, fill=INK, font=ImageFont.load_default(14), anchor="lm")
        draw.rectangle((0, 30, SIDE - 1, SIDE + 29), outline=GREY)
        return out


def from_above(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return places in a view from above."""
    return 0.5 + points[:, :2] / (2 * VIEW)


def rotation_of(x: float, y: float, z: float, w: float) -> NDArray[np.float64]:
    """Return the matrix of a quaternion."""
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def curves(panel: Panel, times: list[float], columns: dict[str, list[float]]) -> None:
    """Draw curves with their names."""
    values = np.array(list(columns.values()))
    low, high = values.min() - 0.5, values.max() + 0.5
    for row, (name, column) in enumerate(columns.items()):
        color = (BLUE, RED)[row % 2]
        x = np.array(times) / times[-1] * 0.94 + 0.03
        y = (np.array(column) - low) / (high - low) * 0.8 + 0.03
        panel.lines(np.column_stack((x, y)), color, 2)
        font = ImageFont.load_default(14 * FINER)
        panel.draw.text((12 * FINER, (14 + 18 * row) * FINER), name, fill=color, font=font)


def show(name: str, panels: list[Panel]) -> None:
    """Write panels side by side."""
    gap = 12
    out = Image.new("RGB", (len(panels) * (SIDE + gap) - gap, SIDE + 30), "white")
    for k, panel in enumerate(panels):
        out.paste(panel.finish(), (k * (SIDE + gap), 0))
    out.save(IMAGES / f"{name}.png", optimize=True)


def show_foxglove(file: Path) -> None:
    """Draw picture, shapes and cloud from above, joints."""
    factory = DecoderFactory()
    last: dict[str, Any] = {}
    times: list[float] = []
    speeds: dict[str, list[float]] = {}
    with file.open("rb") as stream:
        for schema, channel, message in make_reader(stream).iter_messages():
            decode = factory.decoder_for(channel.message_encoding, schema)
            if decode is None:
                continue
            last[channel.topic] = found = decode(message.data)
            if channel.topic == "/joint_states":
                times.append(message.log_time * 1e-9)
                for joint in found.joints:
                    speeds.setdefault(f"{joint.name}.velocity", []).append(joint.velocity)
    poses = {
        item.child_frame_id: (
            np.array([item.translation.x, item.translation.y, item.translation.z]),
            rotation_of(item.rotation.x, item.rotation.y, item.rotation.z, item.rotation.w),
        )
        for item in last["/tf"].transforms
    }
    picture = Panel("/rover/camera  CompressedImage")
    image = Image.open(io.BytesIO(last["/rover/camera"].data))
    picture.image.paste(image.resize(picture.image.size))
    above = Panel("/scene, /tf, /rover/lidar  from above")
    for entity in last["/scene"].entities:
        place, turn = poses[entity.frame_id]
        for form in (*entity.cubes, *entity.cylinders):
            if form.size.x > 10:
                continue
            own, size = form.pose.position, form.size
            way = form.pose.orientation
            inner = turn @ rotation_of(way.x, way.y, way.z, way.w)
            corners = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
            if form in entity.cylinders and abs(inner[2, 2]) > 0.9:
                corners = [(math.cos(a), math.sin(a)) for a in np.linspace(0, 2 * math.pi, 40)]
            flat = (size.x, size.y) if abs(inner[2, 2]) > 0.9 else (size.x, 0.0)
            outline = np.array([[u * flat[0] / 2, v * flat[1] / 2, 0] for u, v in corners])
            if flat[1] == 0.0:
                outline = np.array([[u * size.x / 2, 0, v * size.z / 2] for u, v in corners])
            at = place + turn @ np.array([own.x, own.y, own.z])
            color = tuple(round(255 * c) for c in (form.color.r, form.color.g, form.color.b))
            above.polygon(from_above(at + outline @ inner.T), color)
    cloud = last["/rover/lidar"]
    place, turn = poses[cloud.frame_id]
    points = np.frombuffer(cloud.data, "<f4").reshape(-1, 3).astype(float)
    offset = cloud.pose.position
    above.dots(
        from_above(place + (points + np.array([offset.x, offset.y, offset.z])) @ turn.T), RED, 4
    )
    joints = Panel("/joint_states  JointStates")
    curves(joints, times, speeds)
    show("foxglove", [picture, above, joints])


def show_ros(folder: Path) -> None:
    """Draw picture, path and scan, joints."""
    last: dict[str, Any] = {}
    times: list[float] = []
    speeds: dict[str, list[float]] = {}
    path: list[tuple[float, float]] = []
    with AnyReader([folder]) as reader:
        for connection, _, data in reader.messages():
            topic = connection.topic
            message: Any = reader.deserialize(data, connection.msgtype)
            last[topic] = message
            if topic == "/joint_states":
                times.append(message.header.stamp.sec + message.header.stamp.nanosec * 1e-9)
                for name, speed in zip(message.name, message.velocity, strict=True):
                    speeds.setdefault(name, []).append(float(speed))
            elif topic == "/odom":
                at = message.pose.pose.position
                path.append((at.x, at.y))
    picture = Panel("/camera/image_raw  Image (rgb8)")
    image = last["/camera/image_raw"]
    pixels = np.asarray(image.data).reshape(image.height, image.width, 3)
    picture.image.paste(Image.fromarray(pixels).resize(picture.image.size))
    above = Panel("/odom, /lidar/scan  in the frame odom")
    scan, turn = last["/lidar/scan"], last["/odom"].pose.pose.orientation
    angles = scan.angle_min + scan.angle_increment * np.arange(len(scan.ranges))
    hit = np.isfinite(scan.ranges)
    rays = np.column_stack((np.cos(angles), np.sin(angles), 0 * angles))[hit]
    points = (scan.ranges[hit, None] * rays) @ rotation_of(turn.x, turn.y, turn.z, turn.w).T
    middle = np.array([1.2, 0.0, 0.0])
    above.dots(from_above(points + np.array([*path[-1], 0.0]) - middle), RED, 4)
    above.lines(from_above(np.array([(*at, 0.0) for at in path]) - middle), BLUE, 3)
    above.dots(from_above(np.array([[*path[-1], 0.0]]) - middle), BLUE, 12)
    joints = Panel("/joint_states  JointState.velocity")
    curves(joints, times, speeds)
    show("ros2", [picture, above, joints])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        record(Path(place))
        show_foxglove(Path(place) / "run.mcap")
        show_ros(Path(place) / "bag")
