"""Materials, textures, lights and the sky of MJCF."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, Final

from solidbody.base.transforms import Vec3
from solidbody.formats.link_trees.messages import Messages
from solidbody.formats.mjcf.compiling import Compilation
from solidbody.formats.mjcf.frames import vector
from solidbody.model.appearance import Appearance, Texture, TextureTransform
from solidbody.model.environment import (
    Background,
    Light,
    LightDirectional,
    LightPoint,
    LightSpot,
)

PLAIN: Final = (0.5, 0.5, 0.5, 1.0)
"""Colour of a geom that says nothing of it."""

SHOWN_GROUPS: Final = 2
"""The last group of geoms that MuJoCo's viewer shows by itself; forms for collisions are in later ones."""

HEAD: Final = (-0.77, -0.56, -0.3)
"""The way the viewer's headlight shines, as from where views start."""


@dataclass(slots=True)
class Looks:
    """Reads how things look."""

    compilation: Compilation
    messages: Messages
    _pictures: dict[int, str] = field(default_factory=dict[int, str])
    _colors: dict[int, Vec3] = field(default_factory=dict[int, Vec3])

    def __post_init__(self) -> None:
        source = self.compilation.source
        for number, texture in enumerate(self.compilation.spec.textures):
            element = self.compilation.element(texture)
            if element is None:
                continue
            if element in source.pictures:
                self._pictures[number] = source.pictures[element]
            elif source.builtins.get(element, "none") != "none":
                self._colors[number] = _mean(vector(texture.rgb1), vector(texture.rgb2))

    def of_geom(self, geom: int) -> tuple[Appearance, bool]:
        """Return how a geom looks, and whether it is not seen at all."""
        model = self.compilation.model
        red, green, blue, alpha = (float(number) for number in model.geom_rgba[geom])
        material = int(model.geom_matid[geom])
        if material < 0:
            look = Appearance(base_color=_color((red, green, blue)), transparency=_clear(alpha))
        else:
            own = (red, green, blue, alpha)
            look, alpha = self._material(material, None if _same(own, PLAIN) else own)
        return look, alpha <= 0.0 or int(model.geom_group[geom]) > SHOWN_GROUPS

    def _material(self, number: int, own: tuple[float, ...] | None) -> tuple[Appearance, float]:
        import mujoco

        model = self.compilation.model
        red, green, blue, alpha = own or (float(x) for x in model.mat_rgba[number])
        color = _color((red, green, blue))
        roles = mujoco.mjtTextureRole
        ids = model.mat_texid[number]
        texture = int(ids[roles.mjTEXROLE_RGB])
        texture = int(ids[roles.mjTEXROLE_RGBA]) if texture < 0 else texture
        picture, transform = None, None
        if (
            texture in self._pictures
            and int(model.tex_type[texture]) == mujoco.mjtTexture.mjTEXTURE_2D
        ):
            picture = Texture(self._pictures[texture])
            u, v = (float(x) for x in model.mat_texrepeat[number])
            transform = None if (u, v) == (1.0, 1.0) else TextureTransform(scale=(u, v))
        elif texture in self._colors:
            color = _color(tuple(a * b for a, b in zip(color, self._colors[texture], strict=True)))
        glow = float(model.mat_emission[number])
        shine = float(model.mat_specular[number])
        metal, rough = float(model.mat_metallic[number]), float(model.mat_roughness[number])
        look = Appearance(
            base_color=color,
            emissive=_color((glow * red, glow * green, glow * blue)),
            transparency=_clear(alpha),
            texture=picture,
            texture_transform=transform,
        )
        if metal >= 0.0 or rough >= 0.0:
            return replace(
                look,
                metalness=min(max(metal, 0.0), 1.0),
                roughness=min(rough, 1.0) if rough >= 0.0 else 0.5,
            ), alpha
        shininess = min(max(float(model.mat_shininess[number]), 0.0), 1.0)
        return replace(look, specular=_color((shine,) * 3), shininess=shininess, ambient=1.0), alpha

    def background(self) -> Background:
        """Return the sky: the colour of the texture that is one, if any."""
        import mujoco

        model = self.compilation.model
        for number, texture in enumerate(self.compilation.spec.textures):
            if int(model.tex_type[number]) == mujoco.mjtTexture.mjTEXTURE_SKYBOX:
                element = self.compilation.element(texture)
                color = self._colors.get(number, (0.3, 0.5, 0.7))
                span = self.compilation.span(texture)
                return Background(color, span=span) if element is not None else Background(color)
        return Background((0.0, 0.0, 0.0))

    def lights(self, paths: dict[int, str | None]) -> tuple[Light, ...]:
        """Return the lights; `paths` are those of the links of bodies."""
        import mujoco

        model = self.compilation.model
        out: list[Light] = []
        head = self.compilation.spec.visual.headlight
        if head.active:
            out.append(
                LightDirectional(
                    HEAD,
                    _color(vector(head.diffuse)),
                    ambient=float(sum(head.ambient) / 3.0),
                )
            )
        for number, light in enumerate(self.compilation.spec.lights):
            span = self.compilation.span(light)
            body = int(model.light_bodyid[number])
            color, strength = _split(vector(model.light_diffuse[number]))
            common: dict[str, Any] = {
                "color": color,
                "intensity": strength,
                "ambient": float(model.light_ambient[number].mean()),
                "is_on": bool(model.light_active[number]),
                "casts_shadows": bool(model.light_castshadow[number]),
                "span": span,
            }
            kind = mujoco.mjtLightType(int(model.light_type[number]))
            direction = vector(model.light_dir[number])
            if kind == mujoco.mjtLightType.mjLIGHT_DIRECTIONAL:
                out.append(LightDirectional(vector(model.light_dir0[number]), **common))
                continue
            common |= {
                "link": paths.get(body),
                "attenuation": vector(model.light_attenuation[number]),
            }
            position = vector(model.light_pos[number])
            if kind == mujoco.mjtLightType.mjLIGHT_POINT:
                out.append(LightPoint(position, **common))
            elif kind == mujoco.mjtLightType.mjLIGHT_SPOT:
                angle = min(math.radians(float(model.light_cutoff[number])), math.pi / 2)
                exponent = float(model.light_exponent[number])
                cone: dict[str, Any] = {
                    "cut_off_angle": angle,
                    "beam_width": angle,
                    "cut_off_exponent": exponent,
                }
                out.append(LightSpot(position, direction, **common, **cone))
            else:
                spot = self.compilation.spot(self.messages, light)
                spot.info("no-image-light", "lights that are pictures are left out.")
        return tuple(out)


def _mean(one: Vec3, two: Vec3) -> Vec3:
    """Return the colour of a pattern as a whole."""
    return _color(tuple((a + b) / 2.0 for a, b in zip(one, two, strict=True)))


def _color(color: tuple[float, ...]) -> Vec3:
    red, green, blue = (min(max(float(x), 0.0), 1.0) for x in color[:3])
    return red, green, blue


def _split(color: Vec3) -> tuple[Vec3, float]:
    """Return a colour of full strength, and its strength."""
    most = max(*color, 1e-9)
    return (_color(tuple(x / most for x in color)), most) if most > 1.0 else (color, 1.0)


def _clear(alpha: float) -> float:
    return 1.0 - min(max(alpha, 0.0), 1.0)


def _same(one: tuple[float, ...], two: tuple[float, ...]) -> bool:
    return all(abs(a - b) < 1e-6 for a, b in zip(one, two, strict=True))
