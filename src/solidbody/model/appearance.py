"""Appearance of surfaces: one physically based description that both formats map to."""

from __future__ import annotations

from dataclasses import dataclass

Color = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class TextureTransform:
    """Moves texture coordinates as VRML97 does: T' = -center, scale, rotate, center, translate."""

    center: tuple[float, float] = (0.0, 0.0)
    rotation: float = 0.0
    scale: tuple[float, float] = (1.0, 1.0)
    translation: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Texture:
    """An image on a surface, by the address an asset resolver understands."""

    uri: str
    repeat: tuple[bool, bool] = (True, True)
    filtering: int = 4


@dataclass(frozen=True, slots=True)
class Appearance:
    """Colours and roughness of a surface; colours are linear RGB in 0..1.

    Attributes:
        base_color: Colour of diffuse light (or of reflections, for metals).
        emissive: Light that the surface gives off by itself, scaled by its intensity. With a map, what
            its picture is multiplied by: none where the picture cannot be shown.
        roughness: 0 mirror, 1 matt.
        metalness: 0 dielectric, 1 metal.
        transparency: 0 opaque, 1 invisible.
        specular: Colour of highlights of classic materials; None for physically based ones.
        shininess: Classic highlight exponent / 128; used with `specular`.
        ambient: Share of ambient light that a classic material takes.
        sky_share: Factor on the light of the sky that a physically based one takes.
        is_lit: Whether light falls on it; if not, it shows its colour or picture in any light.
        blends_screen: Whether the pixels of a display that shows its picture there run into each other.
        normal_factor: How steep the relief of the normal map is.
        occlusion_strength: How much of what the occlusion map takes away is taken.
    """

    base_color: Color = (1.0, 1.0, 1.0)
    emissive: Color = (0.0, 0.0, 0.0)
    roughness: float = 0.5
    metalness: float = 0.0
    transparency: float = 0.0
    specular: Color | None = None
    shininess: float = 0.2
    ambient: float = 0.2
    sky_share: float = 1.0
    is_lit: bool = True
    blends_screen: bool = True
    texture: Texture | None = None
    normal_map: Texture | None = None
    normal_factor: float = 1.0
    roughness_map: Texture | None = None
    metalness_map: Texture | None = None
    occlusion_map: Texture | None = None
    occlusion_strength: float = 1.0
    emissive_map: Texture | None = None
    texture_transform: TextureTransform | None = None
