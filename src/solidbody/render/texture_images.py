"""Loads texture images as arrays, with mipmaps."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from solidbody.base.file_access import FileAccess, FileError
from solidbody.base.local_files import find_file
from solidbody.base.pictures import PictureError, load_picture

Bytes = NDArray[np.uint8]

MAX_SIDE: Final = 2048
"""Larger pictures are halved until they fit: a sensor sees no difference, and memory is bounded."""


def find_image(uri: str, access: FileAccess, *folders: str) -> Path:
    """Return the local file that an address means, relative to the first folder that has it.

    Addresses on the web mean their copies in a Webots installation or in the download cache.

    Raises:
        PictureError: It is not here, or may not be read.
    """
    try:
        return find_file(uri, folders, access)
    except FileError as error:
        raise PictureError(str(error)) from error


def load_image(path: Path) -> Bytes:
    """Return an image as (height, width, 4) bytes, made small enough for sensors.

    Raises:
        PictureError: It cannot be decoded, or is too large for that.
    """
    return _loaded(path, time_of(path))


def time_of(path: Path) -> int:
    """Return when a file was written [ns]. Raises PictureError if it is not there."""
    try:
        return path.stat().st_mtime_ns
    except OSError as error:
        raise PictureError(f"cannot be read: {error.strerror or error}") from error


def forget_images() -> None:
    """Decode everything anew: for files that are written again within the tick of a file system's clock."""
    _loaded.cache_clear()


@lru_cache(maxsize=64)
def _loaded(path: Path, _: int) -> Bytes:
    """Decode a file as it was at that time."""
    picture = load_picture(path, mode="RGBA")
    while max(picture.size) > MAX_SIDE:
        picture = picture.resize((max(picture.width // 2, 1), max(picture.height // 2, 1)))
    return np.asarray(picture).copy()


def mipmaps(image: Bytes) -> list[Bytes]:
    """Return an image (height, width, 4) and copies of it, each half as wide and high, down to one pixel."""
    from PIL import Image

    copies = [image]
    while max(copies[-1].shape[:2]) > 1:
        height, width = copies[-1].shape[:2]
        # colours count as much as they are seen: clear texels have none
        weighed = Image.fromarray(copies[-1]).convert("RGBa")
        small = weighed.resize((max(width // 2, 1), max(height // 2, 1)), Image.Resampling.BOX)
        copies.append(np.asarray(small.convert("RGBA")).copy())
    return copies
