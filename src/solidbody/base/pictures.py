"""Decodes image files with Pillow, checked for size first; Pillow is imported on demand.

A picture is written by somebody else. Size and number of pixels are looked at before anything is decoded,
and whatever a decoder raises about a broken file becomes one error with a text.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any, Final

from solidbody.base.errors import SolidbodyError

MAX_BYTES: Final = 64_000_000
MAX_PIXELS: Final = 8192 * 8192
"""Larger pictures are refused: decoded they would need more than 256 MB each."""
FORMATS: Final = ("PNG", "JPEG", "BMP", "GIF", "TGA", "TIFF")
"""What Pillow may decode here; some of its other decoders run programs."""


class PictureError(SolidbodyError):
    """A file holds no usable picture."""


def load_picture(
    path: Path,
    *,
    formats: tuple[str, ...] = FORMATS,
    mode: str = "",
    max_pixels: int | None = None,
) -> Any:  # PIL.Image.Image
    """Return a decoded picture.

    Args:
        path: The file.
        formats: What it may be.
        mode: How pixels are wanted, such as RGBA; empty = as in the file.
        max_pixels: How many pixels it may have; None = MAX_PIXELS.

    Raises:
        PictureError: The file cannot be read, is too large, or broken.
    """
    check_bytes(path)
    from PIL import Image, UnidentifiedImageError

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about sizes that are refused below anyway
            with Image.open(path, formats=formats) as image:
                check_pixels(*image.size, max_pixels)
                if mode:
                    return image.convert(mode)
                image.load()
                return image
    except PictureError:
        raise
    except Image.DecompressionBombError as error:
        raise PictureError(f"it has too many pixels; at most {MAX_PIXELS} are decoded") from error
    except UnidentifiedImageError as error:
        raise PictureError(f"it is none of {', '.join(formats)}") from error
    except Exception as error:  # a broken file may make the decoders raise anything at all
        raise PictureError(f"it is broken: {type(error).__name__}: {error}") from error


def check_bytes(path: Path) -> None:
    """Raise PictureError for what is no file, cannot be read or is too large."""
    try:
        if not path.is_file():
            raise PictureError("there is no such file")
        size = path.stat().st_size
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise PictureError(f"cannot be read: {reason}") from error
    if size > MAX_BYTES:
        raise PictureError(f"the file has {size} bytes; at most {MAX_BYTES} are read")


def check_pixels(width: int, height: int, most: int | None = None) -> None:
    """Raise PictureError if a picture is too large to be decoded."""
    most = MAX_PIXELS if most is None else most
    if width * height > most:
        raise PictureError(f"it has {width} x {height} pixels; at most {most} are decoded")
