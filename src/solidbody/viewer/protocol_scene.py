"""The scene as one JSON document (`WireScene`): part of the wire protocol of the page.

Lengths in metres, colours those of a screen (sRGB), quaternions (w, x, y, z). Geometries and materials are
listed once and referred to by index, so that the page can draw equal ones together. Large ones have a `key`,
which is another one for other contents: a page that has them already gets them without contents.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

Vector3 = Annotated[tuple[float, float, float], "Vector3"]
Numbers = Annotated[tuple[float, ...], "number[]"]
Quaternion = Annotated[tuple[float, float, float, float], "Quaternion"]
Float32Base64 = Annotated[str, "Float32Base64"]
"""Little-endian float32 numbers, base64."""
Uint32Base64 = Annotated[str, "Uint32Base64"]
"""Little-endian uint32 numbers, base64."""


@dataclass(frozen=True, slots=True)
class WireBox:
    """A box with full edge lengths [m]."""

    size: Vector3
    kind: Literal["box"] = "box"


@dataclass(frozen=True, slots=True)
class WireSphere:
    """A sphere [m]."""

    radius: float
    kind: Literal["sphere"] = "sphere"


@dataclass(frozen=True, slots=True)
class WireCylinder:
    """A cylinder along z [m]; the flags say which parts are drawn."""

    radius: float
    height: float
    top: bool
    side: bool
    bottom: bool
    kind: Literal["cylinder"] = "cylinder"


@dataclass(frozen=True, slots=True)
class WireCapsule:
    """A capsule along z [m]; `height` is the cylindrical part."""

    radius: float
    height: float
    kind: Literal["capsule"] = "capsule"


@dataclass(frozen=True, slots=True)
class WireCone:
    """A cone along z, apex at +height/2 [m]."""

    radius: float
    height: float
    side: bool
    bottom: bool
    kind: Literal["cone"] = "cone"


@dataclass(frozen=True, slots=True)
class WirePlane:
    """A rectangle in z = 0 that faces +z [m]."""

    width: float
    depth: float
    kind: Literal["plane"] = "plane"


@dataclass(frozen=True, slots=True)
class WireMesh:
    """Triangles: xyz per vertex, three indices per triangle.

    `normals` has xyz and `uvs` has uv per corner, or they are empty.
    """

    key: str
    vertices: Float32Base64
    triangles: Uint32Base64
    normals: Float32Base64
    uvs: Float32Base64
    two_sided: bool
    kind: Literal["mesh"] = "mesh"


@dataclass(frozen=True, slots=True)
class WireLines:
    """Line segments: xyz of both ends, one pair after the other."""

    key: str
    points: Float32Base64
    kind: Literal["lines"] = "lines"


@dataclass(frozen=True, slots=True)
class WirePoints:
    """A cloud of points: xyz each; `colors` has rgb each or is empty."""

    key: str
    points: Float32Base64
    colors: Float32Base64
    kind: Literal["points"] = "points"


WireGeometry = (
    WireBox
    | WireSphere
    | WireCylinder
    | WireCapsule
    | WireCone
    | WirePlane
    | WireMesh
    | WireLines
    | WirePoints
)


@dataclass(frozen=True, slots=True)
class WireTexture:
    """A picture on surfaces, as a data address; whether it goes on beyond its right and upper ends."""

    key: str
    image: str
    repeat_u: bool
    repeat_v: bool
    opaque: bool


@dataclass(frozen=True, slots=True)
class WireMaterial:
    """How a surface looks; colours are those of a screen (sRGB) in 0..1, but for `emissive`: linear RGB.

    `texture` and the maps are indices into the scene's list; (u, v, 1) times the two rows of
    `texture_matrix` gives the place in the picture. A map of roughness or metalness takes the place of
    the number.
    """

    color: Vector3
    emissive: Vector3
    roughness: float
    metalness: float
    opacity: float
    texture: int | None = None
    texture_matrix: Numbers = ()
    normal_map: int | None = None
    roughness_map: int | None = None
    metalness_map: int | None = None
    occlusion_map: int | None = None
    emissive_map: int | None = None


@dataclass(frozen=True, slots=True)
class WireShape:
    """A geometry on a link; `geometry` and `material` are indices into the scene's lists.

    The look of `live` ones may change while the simulation runs.
    """

    link: int
    geometry: int
    material: int
    position: Vector3
    rotation: Quaternion
    scale: Vector3
    collision_only: bool
    collides: bool
    casts_shadows: bool
    pickable: bool
    live: bool


@dataclass(frozen=True, slots=True)
class WireLink:
    """A rigid body by name.

    The poses of `moving` links come with frames, in this order: they can move if anybody moves them.
    `dynamic` links move by themselves. The frame of those that follow the view is that of the viewer: x
    forward, z up.
    """

    name: str
    path: str
    position: Vector3
    rotation: Quaternion
    moving: bool
    dynamic: bool
    follows_view: bool


@dataclass(frozen=True, slots=True)
class WireLightDirectional:
    """Parallel light; `direction` is the way it travels, in the frame of a link or the world (link null)."""

    direction: Vector3
    link: int | None
    color: Vector3
    intensity: float
    ambient: float
    casts_shadows: bool
    is_on: bool
    kind: Literal["directional"] = "directional"


@dataclass(frozen=True, slots=True)
class WireLightPoint:
    """Light from a point, fixed to a link (its frame) or to the world (link null).

    At distance d it is 1/max(a + b*d + c*d^2, 1) as bright, and dark beyond `radius`.
    """

    position: Vector3
    link: int | None
    color: Vector3
    intensity: float
    ambient: float
    attenuation: Vector3
    radius: float
    casts_shadows: bool
    is_on: bool
    kind: Literal["point"] = "point"


@dataclass(frozen=True, slots=True)
class WireLightSpot:
    """Light in a cone, fixed to a link (its frame) or to the world; half angles [rad]."""

    position: Vector3
    direction: Vector3
    link: int | None
    color: Vector3
    intensity: float
    ambient: float
    attenuation: Vector3
    radius: float
    beam_width: float
    cut_off_angle: float
    casts_shadows: bool
    is_on: bool
    kind: Literal["spot"] = "spot"


WireLight = WireLightDirectional | WireLightPoint | WireLightSpot


@dataclass(frozen=True, slots=True)
class WireBackground:
    """The sky colour and how much light it gives.

    `images` are six indices into the scene's list of pictures (right, left, top, bottom, front, back), or
    there are none.
    """

    color: Vector3
    luminosity: float
    images: list[int]


@dataclass(frozen=True, slots=True)
class WireFog:
    """Fog; `visibility_range` [m]."""

    color: Vector3
    kind: Literal["linear", "exponential", "exponential2"]
    visibility_range: float


@dataclass(frozen=True, slots=True)
class WireViewpoint:
    """The first camera: looks along its +x axis, +z up; the angle spans the larger image side."""

    position: Vector3
    rotation: Quaternion
    field_of_view: float
    near: float
    exposure: float
    follow: int | None


@dataclass(frozen=True, slots=True)
class WireView:
    """What a camera, range finder or lidar looks into: +x is ahead, +z up in its frame on a link.

    Angles to the left (about z) and up [rad], distances [m]. Of a `flat` picture they are those of its
    edges, and distances lie along x.
    """

    link: int
    position: Vector3
    rotation: Quaternion
    kind: Literal["camera", "range", "lidar"]
    flat: bool
    right: float
    left: float
    low: float
    high: float
    near: float
    far: float


@dataclass(frozen=True, slots=True)
class WireMuscle:
    """A ball of radius 1 m that is stretched from a point on its link to one on another.

    Its volume [m^3] stays: the half width b of a spheroid of length L follows from 4/3 pi (L/2) b^2.
    """

    shape: int
    start: Vector3
    end_link: int
    end: Vector3
    volume: float


@dataclass(frozen=True, slots=True)
class WireBelt:
    """A belt that runs around wheels; frames tell how far.

    Its elements, `count` shapes from `first_shape` on, stand at equal distances along a closed path in the
    xz plane of the belt's frame on a link, in frames whose x goes along the path and whose z points outwards.
    Pictures on the shapes `slides` move by `texture_velocity` picture sizes per metre.

    Attributes:
        path: Pieces one after the other, five numbers each: length of the path before it [m], x and z of
            the centre of an arc or of the first point of a straight, angle from x to z of the outward
            direction where it begins [rad], radius [m] (negative: the wheel is outside; 0: straight).
    """

    link: int
    position: Vector3
    rotation: Quaternion
    first_shape: int
    count: int
    path: Numbers
    length: float
    slides: list[int]
    texture_velocity: Numbers


@dataclass(frozen=True, slots=True)
class WireScene:
    """Everything that is drawn."""

    protocol: int
    revision: str
    name: str
    title: str
    up: Vector3
    time_step: float
    links: list[WireLink]
    geometries: list[WireGeometry]
    materials: list[WireMaterial]
    textures: list[WireTexture]
    shapes: list[WireShape]
    lights: list[WireLight]
    background: WireBackground | None
    fog: WireFog | None
    viewpoint: WireViewpoint
    views: list[WireView]
    muscles: list[WireMuscle]
    belts: list[WireBelt]
