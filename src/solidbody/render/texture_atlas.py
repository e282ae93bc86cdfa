"""Texture atlas: pictures of materials in one array of texels; the next ray engine finds those that stay."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solidbody.model.appearance import Texture
from solidbody.render.device import GrowingArray
from solidbody.render.texture_images import mipmaps, time_of

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int32]

ImageFinder = Callable[[Texture, str], tuple[Path, Bytes] | None]
"""Takes a texture and the folder of the file that names it; returns its file and picture, if it has one."""

_Key = tuple[Texture, str]


@dataclass(slots=True, eq=False)
class _Picture:
    """A picture with its mipmaps; `copies` are there until it is in the atlas, from texel `start` on."""

    copies: list[Bytes]
    repeat: tuple[bool, bool]
    is_blended: bool
    size: tuple[int, int]
    levels: int
    texels: int
    file: Path | None = None
    time: int = 0
    start: int = -1

    @classmethod
    def of(cls, copies: list[Bytes], repeat: tuple[bool, bool], *, is_blended: bool) -> _Picture:
        height, width = copies[0].shape[:2]
        texels = sum(copy.shape[0] * copy.shape[1] for copy in copies)
        return cls(copies, repeat, is_blended, (width, height), len(copies), texels)


@dataclass(frozen=True, slots=True)
class PictureTable:
    """Arrays of `texturing.Materials`; `texels` is on the processor."""

    texture_start: Ints
    texture_size: Ints
    texture_levels: Ints
    texture_repeat: Ints
    texture_is_blended: Ints
    texels: Bytes


class TextureAtlas:
    """The pictures of a scene, and some of those before it."""

    def __init__(self, device: str) -> None:
        self._device = device
        self._kept: dict[_Key, _Picture] = {}
        self._texels = self._empty()

    def _empty(self) -> GrowingArray:
        return GrowingArray(np.full((1, 4), 255, dtype=np.uint8), self._device)

    @property
    def texels(self) -> Any:
        """All texels on the device."""
        return self._texels.array

    def hold(self, found: AtlasPage) -> PictureTable:
        """Put the pictures of a page into the atlas, and forget others; returns where they are."""
        used = sum(picture.texels for picture in found.pictures)
        fresh = [picture for picture in found.pictures if picture.start < 0]
        if self._texels.count + sum(picture.texels for picture in fresh) > 2 * used + 1:
            self._tidy(found.pictures)  # more than half of it is nobody's
            fresh = found.pictures
        first = self._texels.count
        self._texels.add([copy.reshape(-1, 4) for x in fresh for copy in x.copies])
        for picture in fresh:
            picture.start, picture.copies = first, []
            first += picture.texels
        self._kept = found.kept
        shown = found.pictures
        return PictureTable(
            texture_start=np.array([x.start for x in shown] or [0], dtype=np.int32),
            texture_size=np.array([x.size for x in shown] or [(1, 1)], dtype=np.int32),
            texture_levels=np.array([x.levels for x in shown] or [1], dtype=np.int32),
            texture_repeat=np.array([x.repeat for x in shown] or [(1, 1)], dtype=np.int32),
            texture_is_blended=np.array([x.is_blended for x in shown] or [1], dtype=np.int32),
            texels=self._texels.host,
        )

    def _tidy(self, pictures: list[_Picture]) -> None:
        """Begin anew with an empty atlas; pictures that were in the old one are to be copied."""
        for picture in pictures:
            if picture.start >= 0:
                picture.copies = [self._texels.host[picture.start :][: picture.texels]]
        self._texels = self._empty()

    def page(self, find: ImageFinder) -> AtlasPage:
        """Return a page to collect the pictures of a scene on."""
        return AtlasPage(find, self._kept)


class AtlasPage:
    """Pictures that are wanted, by number.

    Args:
        find: Reads the picture of a texture.
        before: Pictures that are in the atlas.
    """

    def __init__(self, find: ImageFinder, before: dict[_Key, _Picture]) -> None:
        self._find = find
        self._before = before
        self._numbers: dict[_Key, int] = {}
        self.pictures: list[_Picture] = []
        self.kept: dict[_Key, _Picture] = {}

    def number(self, texture: Texture | None, folder: str) -> int:
        """Return the number of the picture of a texture that a file in `folder` names; -1 = there is none."""
        if texture is None:
            return -1
        key = (texture, folder)
        if key not in self._numbers:
            picture = self._before.get(key)
            if picture is None or picture.file is None or time_of(picture.file) != picture.time:
                picture = self._read(texture, folder)
            if picture is None:
                self._numbers[key] = -1
            else:
                self._numbers[key] = self._add(picture)
                self.kept[key] = picture
        return self._numbers[key]

    def _read(self, texture: Texture, folder: str) -> _Picture | None:
        found = self._find(texture, folder)
        if found is None:
            return None
        file, image = found
        copies = mipmaps(image) if texture.filtering else [image]
        picture = _Picture.of(copies, texture.repeat, is_blended=texture.filtering > 0)
        picture.file, picture.time = file, time_of(file)
        return picture

    def add_own(self, image: Bytes, *, is_blended: bool) -> int:
        """Return the number of a picture that nothing else shows and that changes.

        Smaller copies of it would have to be made again each time.
        """
        return self._add(_Picture.of([image], (True, True), is_blended=is_blended))

    def _add(self, picture: _Picture) -> int:
        self.pictures.append(picture)
        return len(self.pictures) - 1
