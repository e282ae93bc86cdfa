"""Environment: lights, sky, fog and viewpoint."""

from __future__ import annotations

from dataclasses import dataclass

from solidbody.base.span import NOWHERE, SourceSpan
from solidbody.base.transforms import WORLD, Pose, Vec3
from solidbody.model.appearance import Color


@dataclass(frozen=True, slots=True)
class LightDirectional:
    """Parallel light from infinity; `direction` is the way it travels, in the world."""

    direction: Vec3
    color: Color = (1.0, 1.0, 1.0)
    intensity: float = 1.0
    ambient: float = 0.0
    is_on: bool = True
    casts_shadows: bool = False
    span: SourceSpan = NOWHERE


@dataclass(frozen=True, slots=True)
class LightPoint:
    """Light from a point; `link` is the path of the link that carries it (None = the world).

    Attenuation (a, b, c): 1/max(a + b*d + c*d^2, 1) at distance d [m], nothing beyond `radius`.
    """

    position: Vec3
    link: str | None = None
    color: Color = (1.0, 1.0, 1.0)
    intensity: float = 1.0
    ambient: float = 0.0
    attenuation: Vec3 = (1.0, 0.0, 0.0)
    radius: float = 100.0
    is_on: bool = True
    casts_shadows: bool = False
    span: SourceSpan = NOWHERE


@dataclass(frozen=True, slots=True)
class LightSpot:
    """Light in a cone; both angles are half angles from `direction` [rad]."""

    position: Vec3
    direction: Vec3
    link: str | None = None
    color: Color = (1.0, 1.0, 1.0)
    intensity: float = 1.0
    ambient: float = 0.0
    attenuation: Vec3 = (1.0, 0.0, 0.0)
    radius: float = 100.0
    beam_width: float = 1.570796
    cut_off_angle: float = 0.785398
    cut_off_exponent: float = 1.0
    is_on: bool = True
    casts_shadows: bool = False
    span: SourceSpan = NOWHERE


Light = LightDirectional | LightPoint | LightSpot


@dataclass(frozen=True, slots=True)
class Background:
    """The sky: a plain colour, its light, and cube-map images (right, left, top, bottom, front, back).

    Six times the same `.hdr` file is a panorama: one equirectangular picture for all sides.
    """

    color: Color = (0.0, 0.0, 0.0)
    luminosity: float = 1.0
    images: tuple[str, ...] = ()
    irradiance_images: tuple[str, ...] = ()
    span: SourceSpan = NOWHERE


@dataclass(frozen=True, slots=True)
class Fog:
    """Fades to `color` with distance; `kind` is LINEAR, EXPONENTIAL or EXPONENTIAL2."""

    color: Color = (1.0, 1.0, 1.0)
    kind: str = "LINEAR"
    visibility_range: float = 0.0
    span: SourceSpan = NOWHERE


@dataclass(frozen=True, slots=True)
class Viewpoint:
    """The camera of the viewer: looks along its +x axis, +z is up.

    Attributes:
        pose: In the world.
        field_of_view: Angle across the larger image side [rad].
        follow: Path of the link that the camera goes along with, or None.
        follow_type: "Tracking Shot", "Mounted Shot", "Pan and Tilt Shot" or "None".
        follow_smoothness: 0 stiff .. 1 slow.
        ambient_occlusion_radius: How far things are looked for that make corners dark [m]; 0 = not at all.
    """

    pose: Pose = WORLD
    field_of_view: float = 0.785398
    near: float = 0.05
    far: float = 0.0
    exposure: float = 1.0
    follow: str | None = None
    follow_type: str = "Tracking Shot"
    follow_smoothness: float = 0.5
    ambient_occlusion_radius: float = 0.0
    span: SourceSpan = NOWHERE
