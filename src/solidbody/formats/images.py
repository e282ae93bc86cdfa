"""Image files of textures and skies; Pillow decodes them and is imported on demand.

Loading a scene opens no image: it keeps addresses. Whoever wants to see an image, or to know whether
it can be seen, asks here.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from solidbody.base.errors import SolidbodyError

MAX_BYTES: Final = 64_000_000
MAX_PIXELS: Final = 8192 * 8192
"""Larger images are refused: decoded they would need more than 256 MB each."""
FORMATS: Final = ("PNG", "JPEG", "BMP", "GIF", "TGA", "TIFF")
"""What Pillow may decode here; some of its other decoders run programs."""

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
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise ImageError(f"the file has {size} bytes; at most {MAX_BYTES} are read")
        info = _radiance(path) if path.suffix.lower() == _RADIANCE else _decoded(path)
    except OSError as error:
        raise ImageError(f"cannot be read: {error.strerror or error}") from error
    return info


def _decoded(path: Path) -> ImageInfo:
    from PIL import Image, UnidentifiedImageError

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about sizes that are refused below anyway
            with Image.open(path, formats=FORMATS) as image:
                info = ImageInfo(image.format or "", *image.size)
                _check_size(info)
                image.load()
    except ImageError:
        raise
    except UnidentifiedImageError as error:
        raise ImageError(f"it is none of {', '.join(FORMATS)} and Radiance HDR") from error
    except Exception as error:  # a broken file may make the decoders raise anything at all
        raise ImageError(f"it is broken: {type(error).__name__}: {error}") from error
    return info


def _radiance(path: Path) -> ImageInfo:
    """Read the head of a Radiance picture: `#?` and, after an empty line, `-Y height +X width`."""
    with path.open("rb") as file:
        head = file.read(4096)
    found = _RADIANCE_SIZE.search(head)
    if not head.startswith(b"#?") or found is None:
        raise ImageError("it is broken: a Radiance picture starts with #? and gives its size")
    info = ImageInfo("HDR", int(found.group(2)), int(found.group(1)))
    _check_size(info)
    return info


def _check_size(info: ImageInfo) -> None:
    if info.width * info.height > MAX_PIXELS:
        raise ImageError(
            f"it has {info.width} x {info.height} pixels; at most {MAX_PIXELS} are decoded"
        )
