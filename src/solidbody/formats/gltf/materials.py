"""Looks as materials of glTF, with their pictures inside the file.

Pictures are found and decoded by the same rules as everywhere; PNG and JPEG go into the file as they are.
glTF keeps roughness and metalness in one picture (green and blue), ours are two (red): they are joined.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.file_access import FileAccess, FileError
from solidbody.base.pictures import PictureError, load_picture
from solidbody.base.span import SourceSpan
from solidbody.formats.gltf.buffer import GltfDocument, Row
from solidbody.formats.picture_files import (
    NEUTRAL,
    picture_data,
    picture_path,
    png_bytes,
    roughness_of,
)
from solidbody.model.appearance import Appearance, Texture, TextureTransform

LOST: Final = "lost-in-gltf"

_REPEAT, _CLAMP = 10497, 33071
_NEAREST, _LINEAR, _MIPMAPS = 9728, 9729, 9987
_OPAQUE: Final = 255


@dataclass(frozen=True, slots=True)
class _Picture:
    """A picture in the file: its number, and whether it has holes."""

    image: int
    has_holes: bool


@dataclass(slots=True)
class GltfMaterials:
    """Adds materials to a document, each once.

    Attributes:
        document: Where they go.
        source: The scene's file; addresses are relative to it or to the file that names them.
        access: Which files may be read.
        replaces: Whether pictures of classic materials take the place of their colours.
        log: Told of pictures that cannot be had.
    """

    document: GltfDocument
    source: str
    access: FileAccess
    replaces: bool
    log: DiagnosticLog
    _materials: dict[tuple[Appearance, str, bool], int] = field(
        default_factory=dict[tuple[Appearance, str, bool], int]
    )
    _pictures: dict[tuple[Path, ...], _Picture | None] = field(
        default_factory=dict[tuple[Path, ...], "_Picture | None"]
    )
    _textures: dict[tuple[int, int], int] = field(default_factory=dict[tuple[int, int], int])
    _samplers: dict[tuple[tuple[bool, bool], bool], int] = field(
        default_factory=dict[tuple[tuple[bool, bool], bool], int]
    )
    _said: set[str] = field(default_factory=set[str])

    def number(self, look: Appearance | None, span: SourceSpan, *, is_open: bool) -> int:
        """Return the number of a look's material.

        Args:
            look: None = the neutral one.
            span: Of the shape: addresses are relative to its file.
            is_open: Whether backs are drawn.
        """
        look = look or NEUTRAL
        key = (look, os.path.dirname(span.file), is_open)
        if key not in self._materials:
            self._materials[key] = self.document.add("materials", self._row(look, span, is_open))
        return self._materials[key]

    def _row(self, look: Appearance, span: SourceSpan, is_open: bool) -> Row:
        color = self._texture(look.texture, span)
        base = look.base_color
        if color is not None and look.specular is not None and self.replaces:
            base = (1.0, 1.0, 1.0)
        surface: Row = {
            "baseColorFactor": [*_shares(base), _share(1.0 - look.transparency)],
            "metallicFactor": _share(look.metalness),
            "roughnessFactor": _share(roughness_of(look)),
        }
        if color is not None:
            surface["baseColorTexture"] = color[0]
        joined = self._rough_and_metal(look, span)
        if joined is not None:
            surface["metallicRoughnessTexture"] = joined
            surface["roughnessFactor"] = 1.0 if look.roughness_map else surface["roughnessFactor"]
            surface["metallicFactor"] = 1.0 if look.metalness_map else surface["metallicFactor"]
        row: Row = {"pbrMetallicRoughness": surface}
        if is_open:
            row["doubleSided"] = True
        if look.transparency > 0.0:
            row["alphaMode"] = "BLEND"
        elif color is not None and color[1].has_holes:
            row["alphaMode"] = "MASK"
        normal = self._texture(look.normal_map, span)
        if normal is not None:
            row["normalTexture"] = {**normal[0], "scale": look.normal_factor}
        hollow = self._texture(look.occlusion_map, span)
        if hollow is not None:
            row["occlusionTexture"] = {**hollow[0], "strength": _share(look.occlusion_strength)}
        self._add_glow(row, look, span)
        if not look.is_lit:
            row["extensions"] = {**row.get("extensions", {}), "KHR_materials_unlit": {}}
            self.document.extensions.add("KHR_materials_unlit")
        return row

    def _add_glow(self, row: Row, look: Appearance, span: SourceSpan) -> None:
        glow = self._texture(look.emissive_map, span)
        light = look.emissive
        if (look.emissive_map is not None and glow is None) or not any(light):
            return
        strength = max(1.0, *light)
        row["emissiveFactor"] = _shares(tuple(part / strength for part in light))
        if glow is not None:
            row["emissiveTexture"] = glow[0]
        if strength > 1.0:
            row.setdefault("extensions", {})["KHR_materials_emissive_strength"] = {
                "emissiveStrength": strength
            }
            self.document.extensions.add("KHR_materials_emissive_strength")

    def _texture(self, texture: Texture | None, span: SourceSpan) -> tuple[Row, _Picture] | None:
        """Return how a material refers to a picture; None = there is none to show."""
        path = self._path(texture, span)
        if path is None or texture is None:
            return None
        if (path,) not in self._pictures:
            self._pictures[(path,)] = self._embedded(path, texture, span)
        picture = self._pictures[(path,)]
        return None if picture is None else (self._reference(picture, texture), picture)

    def _reference(self, picture: _Picture, texture: Texture) -> Row:
        way = (texture.repeat, texture.filtering > 0)
        if way not in self._samplers:
            along, up = (_REPEAT if goes_on else _CLAMP for goes_on in texture.repeat)
            self._samplers[way] = self.document.add(
                "samplers",
                {
                    "wrapS": along,
                    "wrapT": up,
                    "magFilter": _LINEAR if way[1] else _NEAREST,
                    "minFilter": _MIPMAPS if way[1] else _NEAREST,
                },
            )
        key = (picture.image, self._samplers[way])
        if key not in self._textures:
            row: Row = {"source": key[0], "sampler": key[1]}
            self._textures[key] = self.document.add("textures", row)
        return {"index": self._textures[key]}

    def _path(self, texture: Texture | None, span: SourceSpan) -> Path | None:
        if texture is None:
            return None
        try:
            return picture_path(texture, span, self.source, self.access)
        except FileError as error:
            self._say(texture, span, str(error))
            return None

    def _embedded(self, path: Path, texture: Texture, span: SourceSpan) -> _Picture | None:
        try:
            found = picture_data(path)
        except (OSError, PictureError) as error:
            self._say(texture, span, str(error))
            return None
        return _Picture(self._image(found.data, found.mime, path.stem), found.has_holes)

    def _image(self, data: bytes, kind: str, name: str) -> int:
        view = self.document.view(data)
        return self.document.add("images", {"bufferView": view, "mimeType": kind, "name": name})

    def _rough_and_metal(self, look: Appearance, span: SourceSpan) -> Row | None:
        """Return the picture that holds roughness and metalness."""
        texture = look.roughness_map or look.metalness_map
        paths = [self._path(item, span) for item in (look.roughness_map, look.metalness_map)]
        found = tuple(path or Path() for path in paths)
        if texture is None or not any(paths):
            return None
        if found not in self._pictures:
            try:
                layers = [None if p is None else load_picture(p, mode="RGB") for p in paths]
            except PictureError as error:
                self._say(texture, span, str(error))
                self._pictures[found] = None
            else:
                data = png_bytes(_joined(layers))
                stem = next(path.stem for path in paths if path)
                number = self._image(data, "image/png", f"{stem} rough metal")
                self._pictures[found] = _Picture(number, has_holes=False)
        picture = self._pictures[found]
        return None if picture is None else self._reference(picture, texture)

    def _say(self, texture: Texture, span: SourceSpan, why: str) -> None:
        if texture.uri not in self._said:
            self._said.add(texture.uri)
            self.log.warning(LOST, span, f'the picture "{texture.uri}" is left out: {why}')


def from_above(uv: Any) -> Any:
    """Return texture coordinates (n, 2) as glTF has them: v from above."""
    return np.column_stack((uv[:, 0], 1.0 - uv[:, 1]))


def moved_coordinates(uv: Any, transform: TextureTransform | None) -> Any:
    """Return texture coordinates (n, 2) that are moved as VRML97 does."""
    if transform is not None:
        center = np.asarray(transform.center)
        c, s = math.cos(transform.rotation), math.sin(transform.rotation)
        turned = (uv + np.asarray(transform.translation) + center) @ np.array(((c, s), (-s, c)))
        uv = turned * np.asarray(transform.scale) - center
    return uv


def _joined(layers: list[Any]) -> Any:
    """Return one picture with red of the first as green and red of the second as blue."""
    from PIL import Image

    there = [layer for layer in layers if layer is not None]
    size = max((layer.size for layer in there), key=lambda wide: wide[0] * wide[1])
    red = [
        Image.new("L", size, _OPAQUE) if layer is None else layer.resize(size).getchannel(0)
        for layer in layers
    ]
    return Image.merge("RGB", (Image.new("L", size, _OPAQUE), *red))


def _share(value: float) -> float:
    return min(max(float(value), 0.0), 1.0)


def _shares(values: tuple[float, ...]) -> list[float]:
    return [_share(value) for value in values]
