"""`RangeFinder` of Webots' controller API: depth images."""

from __future__ import annotations

from array import array
from typing import Any, Sequence

from .camera import ImageSensor
from .depths import depth_array, depth_buffer
from .facts import fact


class RangeFinder(ImageSensor):
    """A camera that measures depth [m]."""

    def getRangeImage(self, data_type: str = "list") -> Any:
        """Return depths row by row [m]: a list, or with "buffer" a `depth_buffer`."""
        found = self._bytes("getRangeImage")
        if found is None:
            return None
        return array("f", found).tolist() if data_type == "list" else depth_buffer(found)

    def getRangeImageArray(self) -> list[list[float]] | None:
        """Return the rows of the image; see `depth_array`."""
        found = self._bytes("getRangeImageArray")
        is_old = self._robot._sb_facts["is_old"]
        return None if found is None else depth_array(found, self.getWidth(), is_old)

    @staticmethod
    def rangeImageGetDepth(image: Sequence[float], width: int, x: int, y: int) -> float:
        """Return the depth of a pixel [m]."""
        return image[y * width + x]

    getMinRange = fact("min_range", float, "The smallest depth [m].")
    getMaxRange = fact("max_range", float, "The largest depth [m].")

    range_image = property(getRangeImage)
    fov = property(ImageSensor.getFov)
    min_range = property(getMinRange)
    max_range = property(getMaxRange)
