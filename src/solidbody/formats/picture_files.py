"""Pictures of looks for formats that carry them along: found, decoded, and PNG or JPEG as they are."""

from __future__ import annotations

import io
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from solidbody.base.file_access import FileAccess
from solidbody.base.local_files import find_file
from solidbody.base.pictures import load_picture
from solidbody.base.span import SourceSpan
from solidbody.model.appearance import Appearance, Texture

NEUTRAL: Final = Appearance(base_color=(0.62, 0.64, 0.68), roughness=0.55)
"""Of shapes without an appearance: what the page shows."""

_AS_THEY_ARE: Final = {"PNG": "image/png", "JPEG": "image/jpeg"}
_OPAQUE: Final = 255


@dataclass(frozen=True, slots=True)
class PictureData:
    """A picture as it goes into a file: its bytes, their type, and whether it has holes."""

    data: bytes
    mime: str
    has_holes: bool

    @property
    def extension(self) -> str:
        """That of a file with these bytes."""
        return ".jpg" if self.mime == "image/jpeg" else ".png"


def picture_path(texture: Texture, span: SourceSpan, source: str, access: FileAccess) -> Path:
    """Return the file of a picture that a shape names.

    Args:
        texture: Its address, relative to the shape's file or to the scene's.
        span: Of the shape.
        source: The scene's file.
        access: Which files may be read.

    Raises:
        FileError: It is not here, or may not be read.
    """
    folders = (os.path.dirname(span.file), os.path.dirname(source))
    return find_file(texture.uri, folders, access)


def picture_data(path: Path) -> PictureData:
    """Return a picture to be carried along; what is neither PNG nor JPEG becomes PNG.

    Raises:
        PictureError: It cannot be decoded.
        OSError: It cannot be read.
    """
    picture = load_picture(path)
    mime = _AS_THEY_ARE.get(str(picture.format))
    data = path.read_bytes() if mime else png_bytes(picture)
    has_holes = bool(np.asarray(picture.convert("RGBA"))[..., 3].min() < _OPAQUE)
    return PictureData(data, mime or "image/png", has_holes)


def png_bytes(picture: Any) -> bytes:
    """Return a picture as PNG."""
    out = io.BytesIO()
    picture = picture if picture.mode in ("L", "LA", "RGB", "RGBA") else picture.convert("RGBA")
    picture.save(out, "PNG")
    return out.getvalue()


def roughness_of(look: Appearance) -> float:
    """Return the roughness of a look; a classic one gets that whose highlight is as wide."""
    if look.specular is None:
        return look.roughness
    # Blinn and Phong's exponent n = 128 shininess: alpha = sqrt(2/(n + 2)) = roughness^2, as on the page
    return (2.0 / (2.0 + 128.0 * look.shininess)) ** 0.25
