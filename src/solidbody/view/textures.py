"""Pictures on surfaces for the page: each found once, made small, and sent inside the scene.

Nothing is served by its path: what a world names is read here, decoded, and encoded anew.
"""

from __future__ import annotations

import base64
import io
import os
from typing import Final

from PIL import Image

from solidbody.model.appearance import Appearance, Texture
from solidbody.render.images import find_image, load_image
from solidbody.render.looks import uv_rows
from solidbody.view.protocol_scene import WireTexture

SIDE_LIMIT: Final = 1024
"""Longest side of a picture [pixels]; larger ones are made smaller."""

TOTAL_LIMIT: Final = 12_000_000
"""Bytes of all pictures of a scene; what comes after that is left plain."""

OPAQUE: Final = 255


class TextureTable:
    """The pictures of a scene, each listed once.

    Args:
        source: The scene's file; addresses are relative to it or to the file that names them.
    """

    def __init__(self, source: str) -> None:
        self.textures: list[WireTexture] = []
        self._folder = os.path.dirname(source)
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

    def _add(self, texture: Texture, folder: str) -> int | None:
        path = find_image(texture.uri, folder, self._folder)
        pixels = None if path is None else load_image(path)
        if pixels is None or self._size > TOTAL_LIMIT:
            return None
        image = Image.fromarray(pixels)
        image.thumbnail((SIDE_LIMIT, SIDE_LIMIT))
        is_opaque = bool((pixels[..., 3] == OPAQUE).all())
        out = io.BytesIO()
        if is_opaque:
            image.convert("RGB").save(out, "JPEG", quality=85)
        else:
            image.save(out, "PNG")
        self._size += out.tell()
        kind = "jpeg" if is_opaque else "png"
        text = f"data:image/{kind};base64,{base64.b64encode(out.getvalue()).decode()}"
        self.textures.append(WireTexture(text, *texture.repeat, opaque=is_opaque))
        return len(self.textures) - 1


def texture_matrix(appearance: Appearance) -> list[float]:
    """Return the two upper rows of the matrix that moves texture coordinates, one after the other."""
    first, second = uv_rows(appearance.texture_transform)
    return [float(value) for value in (*first, *second)]
