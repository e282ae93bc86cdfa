"""Pictures on surfaces, as arrays."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from solidbody.base.local_files import local_file

Bytes = NDArray[np.uint8]

MAX_SIDE: Final = 2048
"""Larger pictures are halved until they fit: a sensor sees no difference, and memory is bounded."""
MAX_BYTES: Final = 64_000_000


def find_image(uri: str, *folders: str) -> Path | None:
    """Return the local file that an address means, relative to the first folder that has it.

    Addresses on the web mean their copies in a Webots installation or in the download cache.
    """
    path = local_file(uri, folders)
    return path if path is not None and path.stat().st_size <= MAX_BYTES else None


@lru_cache(maxsize=64)
def load_image(path: Path) -> Bytes | None:
    """Return an image as (height, width, 4) bytes; None if it cannot be decoded."""
    from PIL import Image

    try:
        with Image.open(path, formats=("PNG", "JPEG", "BMP", "GIF", "TGA", "TIFF")) as image:
            if image.width * image.height > 8192 * 8192:
                return None
            picture = image.convert("RGBA")
            while max(picture.size) > MAX_SIDE:
                picture = picture.resize((max(picture.width // 2, 1), max(picture.height // 2, 1)))
            return np.asarray(picture).copy()
    except (OSError, ValueError, SyntaxError):
        # Pillow's decoders raise SyntaxError on some broken files
        return None


def pyramid(image: Bytes) -> list[Bytes]:
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
