"""`Skin` of Webots' controller API: accepted, but solidbody does not draw deformable meshes."""

from __future__ import annotations

from typing import Sequence

from .device import NAN, Device


class Skin(Device):
    """A skin has no bones here: every call says so."""

    def _unsupported(self, function: str) -> None:
        self._error(function, "solidbody does not animate skins")

    def getBoneCount(self) -> int:
        """Return 0, with a message."""
        self._unsupported("getBoneCount")
        return 0

    def getBoneName(self, index: int) -> str:
        """Return an empty text, with a message."""
        self._unsupported("getBoneName")
        return ""

    def getBoneOrientation(self, index: int, absolute: bool) -> list[float]:
        """Return not-a-number, with a message."""
        self._unsupported("getBoneOrientation")
        return [NAN] * 4

    def getBonePosition(self, index: int, absolute: bool) -> list[float]:
        """Return not-a-number, with a message."""
        self._unsupported("getBonePosition")
        return [NAN] * 3

    def setBoneOrientation(self, index: int, orientation: Sequence[float], absolute: bool) -> None:
        """Do nothing, with a message."""
        self._unsupported("setBoneOrientation")

    def setBonePosition(self, index: int, position: Sequence[float], absolute: bool) -> None:
        """Do nothing, with a message."""
        self._unsupported("setBonePosition")

    bone_count = property(getBoneCount)
