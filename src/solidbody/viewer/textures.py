"""Textures for the page: found once, made smaller, and sent inside the scene.

Nothing is served by its path: what a world names is read here, decoded, and encoded anew.
"""

from __future__ import annotations

import base64
import io
import os
from pathlib import Path
from typing import Final

from PIL import Image

from solidbody.base.file_access import FileAccess
from solidbody.base.pictures import PictureError
from solidbody.model.appearance import Appearance, Texture
from solidbody.render.materials import uv_rows
from solidbody.render.panorama import load_sides
from solidbody.render.texture_images import Bytes, find_image, load_image
from solidbody.viewer.protocol_scene import WireTexture
from solidbody.viewer.scene_delta import content_key

SIDE_LIMIT: Final = 1024
"""Longest side of a picture [pixels]; larger ones are made smaller."""

TOTAL_LIMIT: Final = 16_000_000
"""Characters of all pictures of a scene; what comes after that is left plain."""

OPAQUE: Final = 255

SIDES: Final = ("right", "left", "top", "bottom", "front", "back")


PictureKey = tuple[Path, int, tuple[bool, bool]]
"""File, when it was written last [ns], whether it goes on beyond its ends."""


class TextureCache:
    """Pictures that were encoded for the scene before."""

    def __init__(self) -> None:
        self._found: dict[PictureKey, WireTexture] = {}
        self._used: set[PictureKey] = set()

    def get(self, path: Path, repeat: tuple[bool, bool]) -> WireTexture:
        """Return a picture. Raises PictureError if it cannot be decoded."""
        key = (path, path.stat().st_mtime_ns, repeat)
        if key not in self._found:
            self._found[key] = encode_texture(load_image(path), repeat)
        self._used.add(key)
        return self._found[key]

    def sides(self, path: Path) -> list[WireTexture]:
        """Return the sides of a panorama. Raises PictureError if it cannot be decoded."""
        time = path.stat().st_mtime_ns
        keys: list[PictureKey] = [(path / side, time, (False, False)) for side in SIDES]
        if keys[0] not in self._found:
            encoded = [encode_texture(picture, (False, False)) for picture in load_sides(path)]
            self._found.update(zip(keys, encoded, strict=True))
        self._used.update(keys)
        return [self._found[key] for key in keys]

    def forget_unused(self) -> None:
        """Keep only what was asked for since the last call."""
        self._found = {key: self._found[key] for key in self._used}
        self._used.clear()


class TextureTable:
    """The pictures of a scene, each listed once.

    Args:
        source: The scene's file; addresses are relative to it or to the file that names them.
        access: Which files may be read.
        cache: Knows pictures that were encoded before.
    """

    def __init__(self, source: str, access: FileAccess, cache: TextureCache | None = None) -> None:
        self._cache = TextureCache() if cache is None else cache
        self.textures: list[WireTexture] = []
        self._folder = os.path.dirname(source)
        self._access = access
        self._index: dict[tuple[str, str, tuple[bool, bool]], int | None] = {}
        self._size = 0

    def index(self, texture: Texture | None, file: str) -> int | None:
        """Return the place of a texture in the list; None = there is no picture to show."""
        if texture is None:
            return None
        folder = os.path.dirname(file)
        key = (texture.uri, folder, texture.repeat)
        if key not in self._index:
            self._index[key] = self._add(texture, folder)
        return self._index[key]

    def sides(self, uri: str, file: str) -> list[int]:
        """Return the places of the six sides of a panorama; none if it cannot be had."""
        try:
            path = find_image(uri, self._access, os.path.dirname(file), self._folder)
            pictures = self._cache.sides(path)
        except (OSError, PictureError):
            return []
        return [index for found in pictures if (index := self._kept(found)) is not None]

    def _add(self, texture: Texture, folder: str) -> int | None:
        try:
            path = find_image(texture.uri, self._access, folder, self._folder)
            found = self._cache.get(path, texture.repeat)
        except (OSError, PictureError):  # what a world names and cannot have is told by `check`
            return None
        return self._kept(found)

    def _kept(self, found: WireTexture) -> int | None:
        if self._size > TOTAL_LIMIT:
            return None
        self._size += len(found.image)
        self.textures.append(found)
        return len(self.textures) - 1


def encode_texture(pixels: Bytes, repeat: tuple[bool, bool]) -> WireTexture:
    """Return a picture (rows, columns, 4) as it travels: not too large, and compressed."""
    image = Image.fromarray(pixels)
    image.thumbnail((SIDE_LIMIT, SIDE_LIMIT))
    is_opaque = bool((pixels[..., 3] == OPAQUE).all())
    out = io.BytesIO()
    if is_opaque:
        image.convert("RGB").save(out, "JPEG", quality=88)
    else:
        image.save(out, "PNG")
    kind = "jpeg" if is_opaque else "png"
    text = f"data:image/{kind};base64,{base64.b64encode(out.getvalue()).decode()}"
    return WireTexture(content_key("picture", text), text, *repeat, opaque=is_opaque)


def texture_matrix(appearance: Appearance) -> list[float]:
    """Return the two upper rows of the matrix that moves texture coordinates, one after the other."""
    first, second = uv_rows(appearance.texture_transform)
    return [float(value) for value in (*first, *second)]
