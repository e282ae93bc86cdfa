"""Cameras, range finders and lidars as controllers see them."""

from __future__ import annotations

import io
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np

from solidbody.base.errors import SolidbodyError
from solidbody.base.output_files import write_whole
from solidbody.base.transforms import quat_to_axis_angle
from solidbody.control import protocol as p
from solidbody.control.adapters.base import Adapter, SensorAdapter, handles
from solidbody.devices.core.device_binding import BoundDevice
from solidbody.devices.imaging.cameras import Cameras, Photo
from solidbody.devices.imaging.lazy_rendering import ImageGroup, Latent
from solidbody.devices.imaging.range_images import Lidars
from solidbody.devices.imaging.recognition import Recognised
from solidbody.model import devices as d

if TYPE_CHECKING:
    from solidbody.control.session import Session
    from solidbody.control.shared_images import SharedImage
    from solidbody.control.supervisor.stage import Stage

_Group = TypeVar("_Group", bound=ImageGroup[Any, Any])
_Device = TypeVar("_Device")


class ImageAdapter(SensorAdapter[_Group, _Device]):
    """A device that takes images. Reports only count them; the controller asks for those that it reads.

    They go through shared memory, for a controller that reads all of them without being asked for.
    """

    pixel = 4

    def __init__(self, session: Session, bound: BoundDevice, tag: int) -> None:
        super().__init__(session, bound, tag)
        self.count = 0
        self.is_wanted = False
        self._shared: SharedImage | None = None

    def inherit(self, before: Adapter) -> None:
        """See `Adapter.inherit`."""
        super().inherit(before)
        if isinstance(before, ImageAdapter):
            self.count, self._shared = before.count, before._shared
            self.is_wanted = before.is_wanted

    def size(self) -> tuple[int, int]:
        """Width and height of the image."""
        device: Any = self.device
        return device.width, device.height

    def properties(self) -> dict[str, Any]:
        """Size and where to find images."""
        width, height = self.size()
        self._shared = self.session.shared_image(width * height * self.pixel, f"image{self.tag}")
        return {
            "width": width,
            "height": height,
            "fov": getattr(self.device, "field_of_view", 0.0),
            "near": getattr(self.device, "near", 0.0),
            "memory": self._shared.path if self._shared else "",
        }

    def value(self) -> Any:
        """The number of the picture, for a controller that may want to see it."""
        if self.group.shots[self.row] is None:
            return None
        if self.is_wanted:
            self.fetch_image()
        self.count += 1
        return p.ReportImage(self.tag, self.count)

    @handles(p.ImageWant)
    def want(self, wanted: bool) -> None:
        """Whether images are to come with their reports."""
        self.is_wanted = wanted

    @handles(p.ImageFetch)
    def fetch_image(self) -> bool:
        """Put the last image where the controller finds it; False = there is none."""
        image = self.group.image(self.row)
        if image is not None:
            self.write(self.encoded(image))
        return image is not None

    @handles(p.ImageSave)
    def save_image(self, path: str, quality: int) -> str:
        """Write the last image to a file; return what is wrong, or nothing."""
        image = self.group.image(self.row)
        return (
            "there is no image yet"
            if image is None
            else save_picture(self.shown(image), path, quality)
        )

    def shown(self, image: np.ndarray) -> np.ndarray:
        """Return an image as it is shown: bytes, of one or three channels."""
        return image

    def encoded(self, image: np.ndarray) -> bytes:
        """Return the bytes that the controller sees."""
        return np.ascontiguousarray(image).tobytes()

    def write(self, data: bytes) -> None:
        """Put an image where the controller finds it."""
        if self._shared is None:  # a controller in our own process
            self.session.local_images[self.tag] = data
        else:
            self._shared.put(data)


def solid_numbers(stage: Stage) -> dict[str, int]:
    """Return the number of each solid's node, by the path of its link or part in the scene."""
    links = list(stage.sim.scene.links())
    found: dict[str, int] = {}
    for number, node in stage.tree.all():
        if not node.is_a("Solid"):
            continue
        own = stage.link(node)
        if own is not None:
            found[links[own].path] = number
            continue
        row = stage.carrier(node)
        for frame in () if row is None else links[row].frames:
            if frame.name == node.string("name"):
                found.setdefault(frame.path, number)
    return found


def save_picture(image: np.ndarray, path: str, quality: int) -> str:
    """Write a picture as PNG or, with a quality of 1 to 100, as JPEG; return what is wrong, or nothing."""
    from PIL import Image

    kind = Path(path).suffix.lower()
    if kind not in (".png", ".jpg", ".jpeg"):
        return f'the file name "{Path(path).name}" must end with .png, .jpg or .jpeg'
    if kind != ".png" and not 1 <= quality <= 100:
        return f"the quality {quality} is outside of 1 to 100"
    try:
        picture, out = Image.fromarray(np.ascontiguousarray(image)), io.BytesIO()
        if kind == ".png":
            picture.save(out, "PNG")
        else:
            picture.save(out, "JPEG", quality=quality)
        write_whole(Path(path), out.getvalue())
    except (OSError, ValueError) as error:
        return str(error)
    return ""


def radiance(values: np.ndarray) -> bytes:
    """Return grey values >= 0 as a file in Radiance's format: three mantissas and an exponent per pixel.

    A value is mantissa/256 * 2^(exponent - 128), to 1/128 of it.
    """
    fraction, exponent = np.frexp(np.asarray(values, dtype=np.float64))
    pixels = np.empty((*values.shape, 4), dtype=np.uint8)
    pixels[..., :3] = (fraction * 256.0).astype(np.uint8)[..., None]
    pixels[..., 3] = np.where(fraction > 0.0, exponent + 128, 0)
    height, width = values.shape
    head = f"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y {height} +X {width}\n"
    return head.encode() + pixels.tobytes()


def tiff(values: np.ndarray) -> bytes:
    """Return numbers as a picture of 32-bit floats in TIFF's format."""
    from PIL import Image

    out = io.BytesIO()
    Image.fromarray(np.asarray(values, dtype=np.float32)).save(out, "TIFF")
    return out.getvalue()


_KEPT: Final = (
    "recognition_period",
    "recognition_last",
    "object_count",
    "segments",
    "segment_count",
    "_objects",
    "_segmented",
    "_segments_shared",
)
"""What a camera goes on with when the scene has changed."""


class CameraAdapter(ImageAdapter[Cameras, d.DeviceCamera]):
    """A camera: blue, green, red, alpha."""

    facts = p.CameraFacts

    recognition_period = 0
    recognition_last = 0
    object_count = 0
    segments = False
    segment_count = 0
    _objects: Latent[tuple[Recognised, ...]] | None = None
    _segmented: Latent[Photo] | None = None
    _segments_shared: SharedImage | None = None
    _numbered: tuple[object, dict[str, int]] | None = None

    def inherit(self, before: Adapter) -> None:
        """See `Adapter.inherit`."""
        super().inherit(before)
        if isinstance(before, CameraAdapter):
            for name in _KEPT:
                setattr(self, name, getattr(before, name))

    def enable(self, period_ms: int) -> None:
        """Take pictures; recognition goes on by itself."""
        super().enable(period_ms)
        self.reports = period_ms > 0 or self.recognition_period > 0

    @handles(p.CameraRecognition)
    def enable_recognition(self, period_ms: int) -> None:
        """Recognise objects every `period_ms`; 0 = not."""
        self.recognition_period = math.ceil(period_ms / (self.sim.time_step * 1000.0) - 1e-9)
        self.recognition_last = self.sim.step_count
        self.reports = self.reports or self.recognition_period > 0

    @handles(p.CameraSegmentation)
    def want_segments(self, wanted: bool) -> None:
        """Whether an image of object colours comes with each recognition."""
        self.segments = wanted

    def report(self) -> Any:
        """What is new: the numbers of the picture, of the recognition and of the segmentation."""
        image = super().report()
        objects = segments = None
        now = self.sim.step_count
        if self.recognition_period and now - self.recognition_last >= self.recognition_period:
            self.recognition_last = now
            self._objects = self.group.recognise(self.row)
            self.object_count += 1
            objects = self.object_count
            self._segmented = self.group.shots[self.row]
            if self.segments and self._segmented is not None:
                self.segment_count += 1
                segments = self.segment_count
        if image is None and objects is None:
            return None
        return p.ReportCamera(self.tag, image and image.number, objects, segments)

    @handles(p.CameraObjects)
    def recognised_objects(self) -> list[p.RecognisedObject]:
        """Return what was recognised last."""
        numbers = self._node_numbers()
        found = () if self._objects is None else self._objects()
        return [_recognised(one, numbers.get(one.path, one.id)) for one in found]

    @handles(p.SegmentsFetch)
    def fetch_segments(self) -> bool:
        """Put the last segmentation where the controller finds it; False = there is none."""
        if self._segmented is None:
            return False
        data = self.encoded(self._segmented().segments())
        if self._segments_shared is None:
            self.session.local_images[self.tag, "segments"] = data
        else:
            self._segments_shared.put(data)
        return True

    def _node_numbers(self) -> dict[str, int]:
        """Return the numbers by which `getFromId` of a supervisor knows what it recognises, by paths."""
        if not self.session.place.robot.is_supervisor:
            return {}
        stage = self.session.hub.stage
        try:
            lowered = stage.world.lowered
        except SolidbodyError:  # not a world of Webots: there are no nodes
            return {}
        if self._numbered is None or lowered is not self._numbered[0]:
            self._numbered = (lowered, solid_numbers(stage))
        return self._numbered[1]

    @handles(p.SegmentsSave)
    def save_segments(self, path: str, quality: int) -> str:
        """Write the last segmentation to a file; return what is wrong, or nothing."""
        picture = self.group.segmentation(self.row)
        return "there is no image yet" if picture is None else save_picture(picture, path, quality)

    def reset(self) -> None:
        """Recognition counts from the start again; zoom and focus are as in the file."""
        super().reset()
        self.recognition_last = 0
        self._objects = self._segmented = None

    def properties(self) -> dict[str, Any]:
        """Exposure, zoom and focus as well."""
        device = self.device
        zoom, focus = device.zoom, device.focus
        if device.recognition is not None and device.recognition.segmentation:
            size = device.width * device.height * self.pixel
            self._segments_shared = self.session.shared_image(size, f"segments{self.tag}")
        state = self.group.states[self.row]
        return {
            **super().properties(),
            "fov": state.field_of_view,
            "exposure": state.exposure,
            "segments_memory": self._segments_shared.path if self._segments_shared else "",
            "min_fov": zoom.min_field_of_view if zoom else device.field_of_view,
            "max_fov": zoom.max_field_of_view if zoom else device.field_of_view,
            "has_zoom": zoom is not None,
            "has_focus": focus is not None,
            "focal_length": focus.focal_length if focus else 0.0,
            "focal_distance": state.focal_distance,
            "min_focal_distance": focus.min_focal_distance if focus else 0.0,
            "max_focal_distance": focus.max_focal_distance if focus else 0.0,
            "has_recognition": device.recognition is not None,
            "has_segmentation": bool(device.recognition and device.recognition.segmentation),
        }

    def encoded(self, image: np.ndarray) -> bytes:
        """BGRA."""
        out = np.empty((*image.shape[:2], 4), dtype=np.uint8)
        out[..., :3] = image[..., ::-1]
        out[..., 3] = 255
        return out.tobytes()

    @handles(p.CameraFov)
    def set_fov(self, angle: float) -> None:
        """Zoom."""
        self.group.set_field_of_view(self.row, angle)

    @handles(p.CameraExposure)
    def set_exposure(self, value: float) -> None:
        """Factor on the light."""
        self.group.states[self.row].exposure = value

    @handles(p.CameraFocalDistance)
    def set_focal_distance(self, value: float) -> None:
        """Where the picture is sharp."""
        self.group.states[self.row].focal_distance = value


def _recognised(found: Recognised, number: int) -> p.RecognisedObject:
    """Return an object as controllers know it: orientation as axis and angle, colours in one list."""
    axis, angle = quat_to_axis_angle(found.orientation)
    colors = [part for color in found.colors for part in color]
    return p.RecognisedObject(
        number,
        found.position,
        (*axis, angle),
        found.size,
        *found.position_on_image,
        *found.size_on_image,
        colors,
        found.model,
    )


class RangeAdapter(ImageAdapter[ImageGroup[Any, Any], d.DeviceRangeFinder]):
    """A range finder: 32-bit floats."""

    facts = p.RangeFinderFacts

    def properties(self) -> dict[str, Any]:
        """Range as well."""
        return {
            **super().properties(),
            "min_range": self.device.min_range,
            "max_range": self.device.max_range,
        }

    def save_image(self, path: str, quality: int) -> str:
        """Floats go to files in Radiance's format (.hdr) and TIFF (until R2020a), bytes to others."""
        image = self.group.image(self.row)
        ending = Path(path).suffix.lower()
        if image is None or ending not in (".hdr", ".tif", ".tiff"):
            return super().save_image(path, quality)
        try:
            if ending == ".hdr":
                write_whole(Path(path), radiance(self._shares(image)))
            else:
                write_whole(Path(path), tiff(image))
        except (OSError, ValueError) as error:
            return str(error)
        return ""

    def shown(self, image: np.ndarray) -> np.ndarray:
        """Near is black, far is white; what is out of range is white."""
        return (self._shares(image) * 255.0).astype(np.uint8)

    def _shares(self, image: np.ndarray) -> np.ndarray:
        """Return depths behind the near plane as shares of the largest one, 0 to 1."""
        return np.clip((image - self.device.near) / self.device.max_range, 0.0, 1.0)


POINT: Final = np.dtype([("place", "<f4", 3), ("layer", "<i4"), ("time", "<f4")])
"""A point of a lidar as controllers get it: the structure of Webots' C library, 20 bytes."""


class LidarAdapter(ImageAdapter[Lidars, d.DeviceLidar]):
    """A lidar: 32-bit floats, and points when they are asked for."""

    facts = p.LidarFacts

    _points_shared: SharedImage | None = None

    def inherit(self, before: Adapter) -> None:
        """See `Adapter.inherit`."""
        super().inherit(before)
        if isinstance(before, LidarAdapter):
            self._points_shared = before._points_shared

    def size(self) -> tuple[int, int]:
        """Samples and layers."""
        return self.device.samples, self.device.layers

    def properties(self) -> dict[str, Any]:
        """Geometry of the scan."""
        device = self.device
        head = device.head
        low, high = device.yaw_range
        bottom, top = device.pitch_range
        points = self.session.shared_image(
            device.samples * device.layers * POINT.itemsize, f"points{self.tag}"
        )
        self._points_shared = points
        return {
            **super().properties(),
            "fov": 2 * math.pi if head else high - low,
            "vertical_fov": top - bottom,
            "min_range": device.min_range,
            "max_range": device.max_range,
            "frequency": head.frequency if head else 0.0,
            "min_frequency": head.min_frequency if head else 0.0,
            "max_frequency": head.max_frequency if head else 0.0,
            "points_memory": points.path if points else "",
        }

    @handles(p.LidarFrequency)
    def set_frequency(self, value: float) -> None:
        """Turns of the head per second."""
        self.group.states[self.row].frequency = value

    @handles(p.PointsFetch)
    def fetch_points(self) -> bool:
        """Put the points of the last scan where the controller finds them."""
        found = self.group.points(self.row)
        points = np.empty(len(found), dtype=POINT)
        points["place"], points["layer"], points["time"] = found[:, :3], found[:, 3], found[:, 4]
        data = points.tobytes()
        if self._points_shared is None:
            self.session.local_images[self.tag, "points"] = data
        else:
            self._points_shared.put(data)
        return bool(data)
