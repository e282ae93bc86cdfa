"""Encodes a scene of the common model as the JSON document that the page draws."""

from __future__ import annotations

import base64
import hashlib
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, Final, Literal, assert_never

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solidbody.base.transforms import WORLD, Pose
from solidbody.model.appearance import Appearance, Texture
from solidbody.model.devices import DeviceLight
from solidbody.model.environment import (
    Background,
    Fog,
    Light,
    LightDirectional,
    LightPoint,
    LightSpot,
    Viewpoint,
)
from solidbody.model.geometry import (
    Geometry,
    GeometryBox,
    GeometryCapsule,
    GeometryCone,
    GeometryCylinder,
    GeometryHeightField,
    GeometryLines,
    GeometryMesh,
    GeometryPlane,
    GeometryPoints,
    GeometrySphere,
)
from solidbody.model.links import Link, Motion
from solidbody.model.scene import Scene
from solidbody.model.shapes import Shape, ShapeRole
from solidbody.render.panorama import is_panorama
from solidbody.viewer import protocol_scene as wire
from solidbody.viewer.appearance_updates import live_shapes
from solidbody.viewer.flexible import belts_of, encode_belts, encode_muscles, muscle_shapes
from solidbody.viewer.protocol import PROTOCOL_VERSION
from solidbody.viewer.scene_delta import content_key, keys_of, without
from solidbody.viewer.sensor_views import encode_views
from solidbody.viewer.textures import TextureCache, TextureTable, texture_matrix

DEFAULT_MATERIAL = wire.WireMaterial(
    color=(0.62, 0.64, 0.68), emissive=(0.0, 0.0, 0.0), roughness=0.55, metalness=0.0, opacity=1.0
)
"""Shapes without an appearance: a light neutral grey that shows its shading."""

JSON_INFINITY = 1e30
"""Stands for infinity on the wire, where JSON has none; larger than any length a page can draw."""


_CUBE_SIDES: Final = 6


@dataclass(slots=True)
class SceneCache:
    """What was encoded for a scene and may be needed for the next: most of it stays the same."""

    geometries: dict[Geometry, wire.WireGeometry] = field(
        default_factory=dict[Geometry, wire.WireGeometry]
    )
    textures: TextureCache = field(default_factory=TextureCache)


def encode_scene(
    scene: Scene,
    poses: NDArray[np.float64],
    moving: Iterable[int],
    *,
    time_step: float,
    cache: SceneCache | None = None,
) -> wire.WireScene:
    """Return the scene as the page needs it.

    Args:
        scene: What to draw.
        poses: Pose of every link now, shape (nlink, 7).
        moving: Indices of the links whose poses come with every frame.
        time_step: [s].
        cache: Knows what was encoded before, and keeps what is now.
    """
    cache = SceneCache() if cache is None else cache
    is_moving = {int(index) for index in moving}
    links = list(scene.links())
    index_of = {link.path: index for index, link in enumerate(links)}
    tables = _Tables(TextureTable(scene.source, scene.files, cache.textures), cache.geometries)
    live = live_shapes(scene)
    shapes = [
        tables.shape(index, shape, is_live=(index, number) in live)
        for index, link in enumerate(links)
        for number, shape in enumerate(link.shapes)
    ]
    muscles = list(muscle_shapes(links))
    wire_muscles = encode_muscles(muscles, len(shapes))
    shapes += [tables.shape(item.link, item.shape, is_live=True) for item in muscles]
    belts = list(belts_of(links))
    wire_belts = encode_belts(belts, links, len(shapes))
    shapes += [
        tables.shape(item.link, item.device.element, is_live=False)
        for item in belts
        if item.device.element is not None
        for _ in range(item.elements)
    ]
    result = wire.WireScene(
        protocol=PROTOCOL_VERSION,
        revision="",
        name=scene.name,
        title=scene.title or scene.name,
        up=scene.geodesy.up,
        time_step=time_step,
        links=[
            wire.WireLink(
                name=link.name,
                path=link.path,
                position=(float(row[0]), float(row[1]), float(row[2])),
                rotation=(float(row[3]), float(row[4]), float(row[5]), float(row[6])),
                moving=index in is_moving,
                dynamic=_is_dynamic(link),
                follows_view=link.follows_view,
            )
            for index, (link, row) in enumerate(zip(links, poses, strict=True))
        ],
        geometries=tables.geometries,
        materials=tables.materials,
        textures=tables.textures.textures,
        shapes=shapes,
        lights=_lights(scene, links, index_of),
        background=_background(scene.background, tables.textures),
        fog=None if scene.fog is None else _fog(scene.fog),
        viewpoint=_viewpoint(scene.viewpoint, index_of),
        views=encode_views(links),
        muscles=wire_muscles,
        belts=wire_belts,
    )
    cache.geometries = dict(zip(tables.geometry_index, tables.geometries, strict=True))
    cache.textures.forget_unused()
    text = to_json(without(result, keys_of(result)))
    return replace(result, revision=hashlib.sha256(text).hexdigest()[:16])


def to_json(value: Any) -> bytes:
    """Return a wire dataclass as compact JSON."""
    return json.dumps(_plain(value), separators=(",", ":"), allow_nan=False).encode()


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {item.name: _plain(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return 0.0 if math.isnan(value) else math.copysign(JSON_INFINITY, value)
    return value


def _is_dynamic(link: Link) -> bool:
    """Whether a link moves without anybody's doing: by forces, or by a velocity of its own."""
    return link.motion is Motion.DYNAMIC or any((*link.linear_velocity, *link.angular_velocity))


@dataclass(slots=True)
class _Tables:
    """Geometries and materials, each listed once."""

    textures: TextureTable
    known: dict[Geometry, wire.WireGeometry]
    geometries: list[wire.WireGeometry] = field(default_factory=list[wire.WireGeometry])
    materials: list[wire.WireMaterial] = field(default_factory=list[wire.WireMaterial])
    geometry_index: dict[Geometry, int] = field(default_factory=dict[Geometry, int])
    material_index: dict[wire.WireMaterial, int] = field(
        default_factory=dict[wire.WireMaterial, int]
    )

    def shape(self, link: int, shape: Shape, *, is_live: bool) -> wire.WireShape:
        return wire.WireShape(
            link=link,
            geometry=self.geometry(shape.geometry),
            # what a program paints goes onto the colours, not onto the glow
            material=self.material(
                shape.appearance if is_live else _glowing(shape.appearance), shape.span.file
            ),
            position=shape.pose.position,
            rotation=shape.pose.rotation,
            scale=shape.scale,
            collision_only=shape.role is ShapeRole.COLLISION,
            collides=shape.role is not ShapeRole.VISUAL,
            casts_shadows=shape.casts_shadows,
            pickable=shape.is_pickable,
            live=is_live,
        )

    def geometry(self, geometry: Geometry) -> int:
        index = self.geometry_index.get(geometry)
        if index is None:
            index = self.geometry_index[geometry] = len(self.geometries)
            self.geometries.append(self.known.get(geometry) or _geometry(geometry))
        return index

    def material(self, appearance: Appearance | None, file: str) -> int:
        material = _material(appearance)
        if appearance is not None:
            maps = {
                name: self.textures.index(getattr(appearance, name), file) for name in _MAP_NAMES
            }
            matrix = tuple(texture_matrix(appearance))
            material = replace(material, **maps, texture_matrix=matrix)
            if appearance.emissive_map is not None and material.emissive_map is None:
                material = replace(material, emissive=(0.0, 0.0, 0.0))
        index = self.material_index.get(material)
        if index is None:
            index = self.material_index[material] = len(self.materials)
            self.materials.append(material)
        return index


_MAP_NAMES: Final = (
    "texture",
    "normal_map",
    "roughness_map",
    "metalness_map",
    "occlusion_map",
    "emissive_map",
)
"""Fields of an appearance with a picture; those of the wire have the same names."""


def encode_floats(values: ArrayLike) -> wire.Float32Base64:
    """Return numbers as they travel."""
    return base64.b64encode(np.asarray(values, dtype="<f4").tobytes()).decode()


def _indices(values: ArrayLike) -> wire.Uint32Base64:
    return base64.b64encode(np.asarray(values, dtype="<u4").tobytes()).decode()


def _geometry(geometry: Geometry) -> wire.WireGeometry:
    match geometry:
        case GeometryBox(size):
            return wire.WireBox(size)
        case GeometrySphere(radius):
            return wire.WireSphere(radius)
        case GeometryCylinder(radius, height, top, side, bottom):
            return wire.WireCylinder(radius, height, top, side, bottom)
        case GeometryCapsule(radius, height):
            return wire.WireCapsule(radius, height)
        case GeometryCone(radius, height, side, bottom):
            return wire.WireCone(radius, height, side, bottom)
        case GeometryPlane((width, depth)):
            return wire.WirePlane(width, depth)
        case GeometryMesh(vertices, triangles, normals, uvs, two_sided):
            return _mesh(vertices, triangles, normals, uvs, two_sided=two_sided)
        case GeometryHeightField():
            return _height_field(geometry)
        case GeometryLines(points, segments):
            ends: list[Sequence[float]] = [points[index] for pair in segments for index in pair]
            text = encode_floats(ends)
            return wire.WireLines(content_key("lines", text), text)
        case GeometryPoints(points, colors):
            texts = encode_floats(points), encode_floats(colors)
            return wire.WirePoints(content_key("points", *texts), *texts)
        case _:
            assert_never(geometry)


def _mesh(
    vertices: ArrayLike,
    triangles: ArrayLike,
    normals: ArrayLike,
    uvs: ArrayLike,
    *,
    two_sided: bool,
) -> wire.WireMesh:
    texts = (
        encode_floats(vertices),
        _indices(triangles),
        encode_floats(normals),
        encode_floats(uvs),
    )
    return wire.WireMesh(content_key("mesh", *texts), *texts, two_sided)


def _height_field(grid: GeometryHeightField) -> wire.WireMesh:
    """Return the upper surface as triangles, seen from both sides."""
    nx, ny = grid.x_count, grid.y_count
    y, x = np.mgrid[0:ny, 0:nx]
    heights = np.asarray(grid.heights, dtype=np.float64).reshape(ny, nx)
    vertices = np.stack([x * grid.x_spacing, y * grid.y_spacing, heights], axis=-1).reshape(-1, 3)
    corner = (y[:-1, :-1] * nx + x[:-1, :-1]).reshape(-1)
    lower = np.stack([corner, corner + 1, corner + nx], axis=-1)
    upper = np.stack([corner + 1, corner + nx + 1, corner + nx], axis=-1)
    triangles = np.concatenate([lower, upper])
    shares = np.stack([x / max(nx - 1, 1), y / max(ny - 1, 1)], axis=-1).reshape(-1, 2)
    return _mesh(vertices, triangles, (), shares[triangles].reshape(-1, 2), two_sided=True)


def _glowing(appearance: Appearance | None) -> Appearance | None:
    """Return a look on which light falls; one that shows its colours in any light glows in them."""
    if appearance is None or appearance.is_lit:
        return appearance
    return replace(
        appearance,
        base_color=(0.0, 0.0, 0.0),
        texture=None,
        emissive=appearance.base_color,
        emissive_map=appearance.texture,
    )


def _material(appearance: Appearance | None) -> wire.WireMaterial:
    if appearance is None:
        return DEFAULT_MATERIAL
    roughness = appearance.roughness
    if appearance.specular is not None:
        # Blinn-Phong exponent n = 128*shininess has the highlight width of GGX with
        # alpha = sqrt(2/(n + 2)), and alpha = roughness^2.
        roughness = (2.0 / (2.0 + 128.0 * appearance.shininess)) ** 0.25
    return wire.WireMaterial(
        color=appearance.base_color,
        emissive=appearance.emissive,
        roughness=roughness,
        metalness=appearance.metalness,
        opacity=1.0 - appearance.transparency,
    )


def _lights(scene: Scene, links: list[Link], index_of: dict[str, int]) -> list[wire.WireLight]:
    """Return all lights: those of the scene in order, then those of devices, as programs count them."""
    out = [
        _light(light, None if light_link is None else index_of.get(light_link), WORLD)
        for light in scene.lights
        for light_link in (None if isinstance(light, LightDirectional) else light.link,)
    ]
    for row, link in enumerate(links):
        lamps = [device for device in link.devices if isinstance(device, DeviceLight)]
        out += [_light(device.light, row, device.pose) for device in lamps]
    return out


def _light(light: Light, link: int | None, pose: Pose) -> wire.WireLight:
    """Return a light that stands at `pose` on a link, or in the world."""
    kind = _LIGHTS[type(light)]
    values = {name: getattr(light, name) for name in kind.__slots__ if name not in ("link", "kind")}
    if "position" in values:
        values["position"] = pose.point(values["position"])
    if "direction" in values:
        values["direction"] = pose.direction(values["direction"])
    return kind(link=link, **values)


_LIGHTS: Final[dict[type[Light], type[wire.WireLight]]] = {
    LightDirectional: wire.WireLightDirectional,
    LightPoint: wire.WireLightPoint,
    LightSpot: wire.WireLightSpot,
}
"""What becomes of each kind of light; fields have the same names."""


def _background(
    background: Background | None, textures: TextureTable
) -> wire.WireBackground | None:
    if background is None:
        return None
    file = background.span.file
    if is_panorama(background.images):
        images = textures.sides(background.images[0], file)
    else:
        uris = (Texture(uri, repeat=(False, False)) for uri in background.images)
        found = [textures.index(texture, file) for texture in uris]
        images = [index for index in found if index is not None]
    return wire.WireBackground(
        background.color, background.luminosity, images if len(images) == _CUBE_SIDES else []
    )


def _fog(fog: Fog) -> wire.WireFog:
    kinds: dict[str, Literal["linear", "exponential", "exponential2"]] = {
        "EXPONENTIAL": "exponential",
        "EXPONENTIAL2": "exponential2",
    }
    return wire.WireFog(fog.color, kinds.get(fog.kind, "linear"), fog.visibility_range)


def _viewpoint(viewpoint: Viewpoint, index_of: dict[str, int]) -> wire.WireViewpoint:
    return wire.WireViewpoint(
        position=viewpoint.pose.position,
        rotation=viewpoint.pose.rotation,
        field_of_view=viewpoint.field_of_view,
        near=viewpoint.near,
        exposure=viewpoint.exposure,
        follow=None if viewpoint.follow is None else index_of.get(viewpoint.follow),
    )
