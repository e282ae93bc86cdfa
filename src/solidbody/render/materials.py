"""Tables of materials and lamps for the ray kernels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solidbody.base.transforms import Pose, Vec3
from solidbody.model.appearance import Appearance, TextureTransform
from solidbody.model.devices import DeviceLight
from solidbody.model.environment import LightDirectional, LightPoint, LightSpot
from solidbody.model.scene import Scene
from solidbody.render.texture_atlas import AtlasPage
from solidbody.render.tone_mapping import to_light

Bytes = NDArray[np.uint8]
Floats = NDArray[np.float64]
NEUTRAL = Appearance(base_color=(0.8, 0.8, 0.8), roughness=1.0)
"""Of shapes without an appearance."""

UNLIT = Appearance(base_color=(0.0, 0.0, 0.0), emissive=(1.0, 1.0, 1.0), specular=(0.0, 0.0, 0.0))
"""Of such shapes with tone mapping: as bright as white paper in light of strength 1, as Webots draws them."""

MAPS = {
    "glow_texture": "emissive_map",
    "roughness_texture": "roughness_map",
    "metalness_texture": "metalness_map",
    "occlusion_texture": "occlusion_map",
    "normal_texture": "normal_map",
}
"""Columns of the table with pictures besides that of the colour, and where they come from."""

BLACK = (0.0, 0.0, 0.0)

FOG_KINDS = {"LINEAR": 1, "EXPONENTIAL": 2, "EXPONENTIAL2": 3}


@dataclass(frozen=True, slots=True)
class MaterialTable:
    """Arrays of `texturing.Materials`, but for those of `texture_atlas.PictureTable`."""

    base: NDArray[np.float32]
    emissive: NDArray[np.float32]
    specular: NDArray[np.float32]
    exponent: NDArray[np.float32]
    ambient: NDArray[np.float32]
    sky_share: NDArray[np.float32]
    is_classic: NDArray[np.int32]
    roughness: NDArray[np.float32]
    metalness: NDArray[np.float32]
    alpha: NDArray[np.float32]
    has_pictures: NDArray[np.int32]
    texture: NDArray[np.int32]
    glow_texture: NDArray[np.int32]
    roughness_texture: NDArray[np.int32]
    metalness_texture: NDArray[np.int32]
    occlusion_texture: NDArray[np.int32]
    occlusion_strength: NDArray[np.float32]
    normal_texture: NDArray[np.int32]
    normal_factor: NDArray[np.float32]
    u_row: NDArray[np.float32]
    v_row: NDArray[np.float32]


Look = tuple[Appearance | None, str, int]
"""Appearance, folder of the file that names it, number of a look that is nobody else's (-1 = shared)."""


def material_table(
    looks: Sequence[Look],
    page: AtlasPage,
    pictures: Sequence[Bytes | None] = (),
    *,
    tone_mapping: bool = False,
) -> tuple[MaterialTable, list[int]]:
    """Return the table of all different looks, and the row of each given one; `page` takes their pictures.

    `pictures` cover the looks of their own by number, instead of their textures; `tone_mapping` says what
    colours stand for (see `PictureRule`).
    """
    rows: dict[tuple[Appearance, str, int], int] = {}
    bare = UNLIT if tone_mapping else NEUTRAL
    index = [rows.setdefault((look or bare, folder, own), len(rows)) for look, folder, own in looks]

    def picture_of(look: Appearance, folder: str, own: int) -> int:
        picture = pictures[own] if own >= 0 else None
        if picture is None:
            return page.number(look.texture, folder)
        return page.add_own(picture, is_blended=look.blends_screen)

    keys = list(rows) or [(bare, "", -1)]
    looks_only = [look for look, _, _ in keys]
    numbers = [picture_of(*key) for key in keys]
    maps = {
        name: np.array(
            [page.number(getattr(look, kind), folder) for look, folder, _ in keys], dtype=np.int32
        )
        for name, kind in MAPS.items()
    }
    maps["texture"] = np.array(numbers, dtype=np.int32)
    uv = [uv_rows(look.texture_transform) for look in looks_only]
    colors = [
        _tone_mapped_colors(look, has_picture=number >= 0) if tone_mapping else _plain_colors(look)
        for look, number in zip(looks_only, numbers, strict=True)
    ]
    is_dark = [
        look.emissive_map is not None and glow < 0
        for look, glow in zip(looks_only, maps["glow_texture"], strict=True)
    ]
    table = MaterialTable(
        base=np.array([c.base for c in colors], dtype=np.float32),
        emissive=np.where(
            np.array(is_dark)[:, None], 0.0, np.array([c.emissive for c in colors])
        ).astype(np.float32),
        specular=np.array([c.specular for c in colors], dtype=np.float32),
        exponent=np.array(
            [max(128.0 * look.shininess, 1.0) for look in looks_only], dtype=np.float32
        ),
        ambient=np.array([c.ambient for c in colors], dtype=np.float32),
        sky_share=np.array([look.sky_share for look in looks_only], dtype=np.float32),
        is_classic=np.array([look.specular is not None for look in looks_only], dtype=np.int32),
        roughness=np.array([look.roughness for look in looks_only], dtype=np.float32),
        metalness=np.array([look.metalness for look in looks_only], dtype=np.float32),
        alpha=np.array([1.0 - look.transparency for look in looks_only], dtype=np.float32),
        has_pictures=np.max([found >= 0 for found in maps.values()], axis=0).astype(np.int32),
        occlusion_strength=np.array(
            [look.occlusion_strength for look in looks_only], dtype=np.float32
        ),
        normal_factor=np.array([look.normal_factor for look in looks_only], dtype=np.float32),
        **maps,
        u_row=np.array([rows[0] for rows in uv], dtype=np.float32),
        v_row=np.array([rows[1] for rows in uv], dtype=np.float32),
    )
    return table, index


@dataclass(frozen=True, slots=True)
class _Colors:
    """Of a surface, before its picture takes its share."""

    base: Floats
    ambient: Floats
    specular: Floats
    emissive: Floats


def _plain_colors(look: Appearance) -> _Colors:
    base = np.array(look.base_color)
    share = 1.0 if look.specular is None else look.ambient
    return _Colors(base, share * base, np.array(look.specular or BLACK), np.array(look.emissive))


def _tone_mapped_colors(look: Appearance, *, has_picture: bool) -> _Colors:
    """Return the light that colours stand for; a picture takes the place of those of a classic material."""
    base = np.array(look.base_color)
    if look.specular is None:
        return _Colors(to_light(base), to_light(base), np.zeros(3), np.array(look.emissive))
    if not look.is_lit:
        return _Colors(np.zeros(3), np.zeros(3), np.zeros(3), to_light(base))
    specular = np.array(look.specular)
    if has_picture:
        base, specular = np.ones(3), np.zeros(3)
    return _Colors(
        to_light(base), to_light(look.ambient * base), to_light(specular), to_light(look.emissive)
    )


def uv_rows(transform: TextureTransform | None) -> tuple[Vec3, Vec3]:
    """Rows of the matrix that moves texture coordinates: -C S R C T, as VRML97 has it."""
    if transform is None:
        return (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    c, s = math.cos(transform.rotation), math.sin(transform.rotation)
    (cx, cy), (sx, sy), (tx, ty) = transform.center, transform.scale, transform.translation
    shift = np.array([[1.0, 0.0, tx], [0.0, 1.0, ty], [0.0, 0.0, 1.0]])
    to_center = np.array([[1.0, 0.0, cx], [0.0, 1.0, cy], [0.0, 0.0, 1.0]])
    turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    grow = np.diag([sx, sy, 1.0])
    from_center = np.array([[1.0, 0.0, -cx], [0.0, 1.0, -cy], [0.0, 0.0, 1.0]])
    m = from_center @ grow @ turn @ to_center @ shift
    return (m[0, 0], m[0, 1], m[0, 2]), (m[1, 0], m[1, 1], m[1, 2])


@dataclass(slots=True)
class Lamp:
    """A lamp and what carries it: `link` is a row of the poses, None the world."""

    light: LightDirectional | LightPoint | LightSpot
    link: int | None
    pose: Pose
    is_on: bool


def lamps_of(scene: Scene) -> list[Lamp]:
    """Return all lamps of a scene, those of the world before those of devices."""
    rows = {link.path: row for row, link in enumerate(scene.links())}
    lamps: list[Lamp] = []
    for light in scene.lights:
        path = None if isinstance(light, LightDirectional) else light.link
        lamps.append(Lamp(light, None if path is None else rows.get(path), Pose(), light.is_on))
    for row, link in enumerate(scene.links()):
        lamps += [
            Lamp(device.light, row, device.pose, device.light.is_on)
            for device in link.devices
            if isinstance(device, DeviceLight)
        ]
    return lamps
