"""Checks image files of textures and skies while a world is read.

Loading a scene opens no image: it keeps addresses. Whoever wants to see an image, or to know whether
it can be seen, asks here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from solidbody.base.errors import SolidbodyError
from solidbody.base.pictures import PictureError, check_bytes, check_pixels, load_picture

_RADIANCE = ".hdr"  # light of skies; Pillow does not know it
_RADIANCE_SIZE = re.compile(rb"[-+]Y (\d{1,9}) [-+]X (\d{1,9})\n")


class ImageError(SolidbodyError):
    """A file holds no usable image."""


@dataclass(frozen=True, slots=True)
class ImageInfo:
    """What an image file holds."""

    format: str
    width: int
    height: int


def check_image(path: Path) -> ImageInfo:
    """Decode an image file and say what it holds.

    Raises:
        ImageError: The file cannot be read, is too large, or broken.
    """
    try:
        check_bytes(path)
        if path.suffix.lower() == _RADIANCE:
            return _radiance(path)
        image = load_picture(path)
    except PictureError as error:
        text = str(error)
        raise ImageError(f"{text} and Radiance HDR" if "none of" in text else text) from error
    return ImageInfo(image.format or "", *image.size)


def _radiance(path: Path) -> ImageInfo:
    """Read the head of a Radiance picture: `#?` and, after an empty line, `-Y height +X width`."""
    try:
        with path.open("rb") as file:
            head = file.read(4096)
    except OSError as error:
        raise ImageError(f"cannot be read: {error.strerror or error}") from error
    found = _RADIANCE_SIZE.search(head)
    if not head.startswith(b"#?") or found is None:
        raise ImageError("it is broken: a Radiance picture starts with #? and gives its size")
    info = ImageInfo("HDR", int(found.group(2)), int(found.group(1)))
    check_pixels(info.width, info.height)
    return info
