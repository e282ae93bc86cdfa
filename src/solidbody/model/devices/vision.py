"""Image sensors: cameras, range finders, lidars.

`optical_rotation` turns the optical frame (x forward, y left, z up) into the device frame, in which
points of clouds are given; it is the identity where both are the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from math import inf

from solidbody.base.transforms import IDENTITY, Quat
from solidbody.model.appearance import Color
from solidbody.model.devices.base import DeviceBase


class Projection(Enum):
    """How directions become pixels."""

    PLANAR = "planar"
    CYLINDRICAL = "cylindrical"
    """Equal angles, across and along."""
    SPHERICAL = "spherical"
    """Equidistant, up to the corners of the image; one that is not square is stretched."""
    FISHEYE = "fisheye"
    """Equidistant, in a circle: the distance from the image centre is proportional to the angle."""
    DUAL_FISHEYE = "dual fisheye"
    """Two half spheres side by side, front and back."""


class ImageContent(Enum):
    """What a camera delivers for each pixel."""

    COLOR = "color"
    DEPTH = "depth"
    COLOR_DEPTH = "color and depth"
    POINT_CLOUD = "point cloud"
    COLOR_POINT_CLOUD = "colored point cloud"


@dataclass(frozen=True, slots=True)
class Lens:
    """Brown distortion about `center` (in image sizes)."""

    center: tuple[float, float] = (0.5, 0.5)
    radial: tuple[float, float] = (0.0, 0.0)
    tangential: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class LensFlare:
    """Ghost images of bright lights."""

    transparency: float = 0.4
    scale: float = 1.5
    bias: float = -0.9
    dispersal: float = 0.6
    ghosts: int = 4
    halo_width: float = 0.4
    chroma_distortion: float = 2.0
    blur_iterations: int = 2


@dataclass(frozen=True, slots=True)
class Focus:
    """Depth of field; distances in front of the camera [m], focal length [m]."""

    focal_distance: float = 0.0
    focal_length: float = 0.0
    min_focal_distance: float = 0.0
    max_focal_distance: float = 0.0


@dataclass(frozen=True, slots=True)
class Zoom:
    """Limits of the field of view that a program may set [rad]."""

    min_field_of_view: float = 0.5
    max_field_of_view: float = 1.5


class OcclusionTest(Enum):
    """How a camera decides whether something hides an object."""

    NONE = "none"
    CENTER = "one ray to the centre"
    MANY = "several rays"


@dataclass(frozen=True, slots=True)
class Recognition:
    """Objects that a camera names, not only draws.

    Attributes:
        max_range: [m].
        max_objects: Only the largest in pixels are kept; None = all.
        occlusion: How hidden objects are found out.
        frame_color: Of the box drawn around an object.
        frame_thickness: Of that box [pixels]; 0 = none.
        segmentation: Whether an image of object colours is made as well.
    """

    max_range: float = 100.0
    max_objects: int | None = None
    occlusion: OcclusionTest = OcclusionTest.CENTER
    frame_color: Color = (1.0, 0.0, 0.0)
    frame_thickness: int = 1
    segmentation: bool = False


@dataclass(frozen=True, slots=True)
class DepthQuality:
    """How well a depth pixel or ray is measured.

    Attributes:
        min_range: [m].
        max_range: [m].
        detection_rate: Probability that a return is not lost.
        error_deviation: Standard deviation along the ray [m].
    """

    min_range: float = 0.1
    max_range: float = 10.0
    detection_rate: float = 1.0
    error_deviation: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceCamera(DeviceBase):
    """Takes images.

    Attributes:
        content: What each pixel holds.
        depth: Quality of depth; None for a camera that delivers colour only.
        projection: How directions become pixels.
        field_of_view: Horizontal angle [rad]; of a fisheye, across its image circle.
        width: [pixels].
        height: [pixels].
        near: Nearer things are not drawn [m].
        far: Farther things are not drawn [m]; inf = no limit.
        frame_rate: Images per second; None = whenever a program samples it.
        exposure: Factor on the light.
        noise: Standard deviation per channel, as a share of full scale.
        noise_mask: Address of an image that is added to the picture; empty = none.
        motion_blur: Time to reach 99.5 % of a new value [s].
        anti_aliasing: Whether edges are smoothed.
        ambient_occlusion_radius: [m]; 0 = off.
        bloom_threshold: Luminance from which light spills over; None = never.
        lens: Distortion; None = none.
        lens_flare: None = none.
        focus: Depth of field; None = everything is sharp.
        zoom: Limits of the field of view; None = it is fixed.
        recognition: None = the camera recognises nothing.
        optical_rotation: Optical frame in the device frame.
        told_turn: Turns the frame in which programs are told of vectors into the device frame.
        is_on: Whether it works at the start.
    """

    content: ImageContent = ImageContent.COLOR
    depth: DepthQuality | None = None
    projection: Projection = Projection.PLANAR
    field_of_view: float = 0.785398
    width: int = 64
    height: int = 64
    near: float = 0.01
    far: float = inf
    frame_rate: float | None = None
    exposure: float = 1.0
    noise: float = 0.0
    noise_mask: str = ""
    motion_blur: float = 0.0
    anti_aliasing: bool = False
    ambient_occlusion_radius: float = 0.0
    bloom_threshold: float | None = None
    lens: Lens | None = None
    lens_flare: LensFlare | None = None
    focus: Focus | None = None
    zoom: Zoom | None = None
    recognition: Recognition | None = None
    optical_rotation: Quat = IDENTITY
    told_turn: Quat = IDENTITY
    is_on: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceRangeFinder(DeviceBase):
    """Takes images of depth along the optical axis [m].

    Attributes:
        projection: How directions become pixels.
        field_of_view: Horizontal angle [rad].
        width: [pixels].
        height: [pixels].
        near: Nearer things are not drawn [m].
        min_range: [m].
        max_range: [m].
        motion_blur: Time to reach 99.5 % of a new value [s].
        noise: Standard deviation, as a share of `max_range`.
        resolution: Step of the reported depth [m]; None = continuous.
        lens: Distortion; None = none.
        lost: What is read where nothing is in range [m].
    """

    projection: Projection = Projection.PLANAR
    field_of_view: float = 0.785398
    width: int = 64
    height: int = 64
    near: float = 0.01
    min_range: float = 0.01
    max_range: float = 1.0
    motion_blur: float = 0.0
    noise: float = 0.0
    resolution: float | None = None
    lens: Lens | None = None
    lost: float = inf


class ScanOrder(Enum):
    """In which order a lidar lists its rays."""

    TOP_LEFT_FIRST = "rows from the top, each from the left"
    BOTTOM_RIGHT_FIRST = "rows from the bottom, each from the right"


@dataclass(frozen=True, slots=True)
class RotatingHead:
    """A lidar head that sweeps a full turn; rates in turns per second.

    Attributes:
        frequency: Rate at the start.
        min_frequency: Lowest rate that a program may set.
        max_frequency: Highest rate that a program may set.
        frame: Path of the part that turns with the head; empty = nothing visible turns.
    """

    frequency: float = 10.0
    min_frequency: float = 1.0
    max_frequency: float = 25.0
    frame: str = ""


@dataclass(frozen=True, slots=True)
class ScanPattern:
    """A sequence of ray angles read from a file instead of a grid.

    Attributes:
        uri: Address of the sequence.
        samples: Rays per scan.
        angular_precision: Width of the pixels in which Choreonoid looks rays up [rad]; ours are exact.
    """

    uri: str
    samples: int
    angular_precision: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceLidar(DeviceBase):
    """Distances along a grid of rays [m].

    Yaw turns about +z (positive to the left), pitch is positive upwards.

    Attributes:
        yaw_range: Lowest and highest yaw of a ray [rad].
        pitch_range: Lowest and highest pitch of a ray [rad].
        samples: Rays per row.
        has_sectors: Whether the rays of a row lie in the middles of equal parts of `yaw_range`; else the
            outer ones lie on its limits.
        layers: Rows, spread evenly over `pitch_range`; a single one lies in its middle.
        order: Order of the reported rays.
        tilt: Turn of all rays about the device's y axis [rad].
        projection: Cylindrical (equal angles) or planar (equal steps on a plane).
        near: Nearer things are not seen by the renderer [m].
        min_range: [m].
        max_range: [m].
        noise: Standard deviation [m].
        detection_rate: Probability that a return is not lost.
        resolution: Step of the reported distance [m]; None = continuous.
        scan_rate: Scans per second; None = whenever a program samples it.
        head: Present when the lidar turns; the scan then covers a full turn.
        pattern: Ray angles from a file; None = the grid above.
        optical_rotation: Optical frame in the device frame.
        told_turn: Turns the frame in which programs are told of vectors into the device frame.
        is_on: Whether it works at the start.
        lost: What is read where nothing is in range [m].
    """

    yaw_range: tuple[float, float] = (-0.7854, 0.7854)
    pitch_range: tuple[float, float] = (-0.1, 0.1)
    samples: int = 512
    has_sectors: bool = False
    layers: int = 4
    order: ScanOrder = ScanOrder.TOP_LEFT_FIRST
    tilt: float = 0.0
    projection: Projection = Projection.CYLINDRICAL
    near: float = 0.01
    min_range: float = 0.01
    max_range: float = 1.0
    noise: float = 0.0
    detection_rate: float = 1.0
    resolution: float | None = None
    scan_rate: float | None = None
    head: RotatingHead | None = None
    pattern: ScanPattern | None = None
    optical_rotation: Quat = IDENTITY
    told_turn: Quat = IDENTITY
    is_on: bool = True
    lost: float = inf


VisionDevice = DeviceCamera | DeviceRangeFinder | DeviceLidar
"""A device of this file."""

__all__ = [
    "DepthQuality",
    "DeviceCamera",
    "DeviceLidar",
    "DeviceRangeFinder",
    "Focus",
    "ImageContent",
    "Lens",
    "LensFlare",
    "OcclusionTest",
    "Projection",
    "Recognition",
    "RotatingHead",
    "ScanOrder",
    "ScanPattern",
    "VisionDevice",
    "Zoom",
]
