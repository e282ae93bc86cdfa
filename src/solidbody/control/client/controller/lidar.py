"""`Lidar` of Webots' controller API: layers of distances and point clouds."""

from __future__ import annotations

import struct
from array import array
from typing import Any

from .camera import ImageSensor
from .connection import protocol
from .depths import depth_array, depth_buffer
from .facts import fact

_POINT = struct.Struct("<3fif")
"""A point as in Webots' C library: x, y, z, layer, time."""


class LidarPoint:
    """A point that a lidar has measured.

    Attributes:
        x: In the lidar's frame [m].
        y: In the lidar's frame [m].
        z: In the lidar's frame [m].
        layer_id: Layer that it belongs to.
        time: When it was measured [s].
    """

    def __init__(self, x: float, y: float, z: float, layer_id: int, time: float) -> None:
        self.x, self.y, self.z = x, y, z
        self.layer_id = layer_id
        self.time = time

    @property
    def layer(self) -> int:
        """Layer that it belongs to."""
        return self.layer_id


class Lidar(ImageSensor):
    """Distances along the rays of one or more layers [m]."""

    def __init__(self, robot: Any, facts: dict[str, Any]) -> None:
        super().__init__(robot, facts)
        self._has_cloud = False

    def getRangeImage(self, data_type: str = "list") -> Any:
        """Return distances, layer after layer [m]: a list, or with "buffer" a `depth_buffer`."""
        found = self._bytes("getRangeImage")
        if found is None:
            return None
        return array("f", found).tolist() if data_type == "list" else depth_buffer(found)

    def getLayerRangeImage(self, layer: int) -> list[float] | None:
        """Return the distances of one layer [m]."""
        found = self._bytes("getLayerRangeImage")
        if found is None or not self._is_layer("getLayerRangeImage", layer):
            return None
        width = self.getHorizontalResolution()
        return array("f", found[4 * layer * width : 4 * (layer + 1) * width]).tolist()

    def getRangeImageArray(self) -> list[list[float]] | None:
        """Return the distances of each layer [m]; see `depth_array`."""
        found = self._bytes("getRangeImageArray")
        is_old = self._robot._sb_facts["is_old"]
        return None if found is None else depth_array(found, self.getHorizontalResolution(), is_old)

    def _is_layer(self, function: str, layer: int) -> bool:
        is_one = 0 <= layer < self.getNumberOfLayers()
        if not is_one:
            self._error(function, f"{layer} is not a layer of 0 to {self.getNumberOfLayers() - 1}")
        return is_one

    # points

    def _unread(self) -> list[tuple[str, int]]:
        found = super()._unread()
        return [*found, ("points", self._value)] if found and self._has_cloud else found

    def enablePointCloud(self) -> None:
        """Measure points as well."""
        self._has_cloud = True

    def disablePointCloud(self) -> None:
        """Measure distances only."""
        self._has_cloud = False

    def isPointCloudEnabled(self) -> bool:
        """Return whether points are measured."""
        return self._has_cloud

    def getPointCloud(self, data_type: str = "list") -> Any:
        """Return the points of all layers: a list of LidarPoint, or with "buffer" their bytes.

        A point has 20 bytes: x, y, z as 32-bit floats, the layer as an integer, the time as a float.
        """
        return self._points("getPointCloud", 0, self.getNumberOfPoints(), data_type)

    def getLayerPointCloud(self, layer: int, data_type: str = "list") -> Any:
        """Return the points of one layer, as `getPointCloud` does."""
        if not self._is_layer("getLayerPointCloud", layer):
            return None
        count = self.getHorizontalResolution()
        return self._points("getLayerPointCloud", layer * count, count, data_type)

    def _points(self, function: str, first: int, count: int, data_type: str) -> Any:
        if not self._has_image(function):
            return None
        if not self._has_cloud:
            self._error(function, "call enablePointCloud() first")
            return None
        if self._value:
            data = self._fetched("points", self._value) or b""
            part = data[first * _POINT.size : (first + count) * _POINT.size]
        else:
            part = bytes(count * _POINT.size)
        if data_type == "list":
            return [LidarPoint(*values) for values in _POINT.iter_unpack(part)]
        return part

    def getNumberOfPoints(self) -> int:
        """Return how many points a scan has."""
        return self.getHorizontalResolution() * self.getNumberOfLayers()

    # geometry

    getHorizontalResolution = fact("width", int, "How many points a layer has.")
    getNumberOfLayers = fact("height", int, "How many layers there are.")
    getVerticalFov = fact("vertical_fov", float, "The angle between the outer layers [rad].")
    getMinRange = fact("min_range", float, "The smallest distance [m].")
    getMaxRange = fact("max_range", float, "The largest distance [m].")
    getFrequency = fact("frequency", float, "How often the head turns [Hz].")

    def setFrequency(self, frequency: float) -> None:
        """Let the head turn more or less often."""
        low, high = self.getMinFrequency(), self.getMaxFrequency()
        if not low <= frequency <= high:
            self._error("setFrequency", f"{frequency:g} is outside of {low:g} to {high:g}")
            return
        self._facts["frequency"] = float(frequency)
        self._command(protocol.LidarFrequency, float(frequency))

    getMinFrequency = fact("min_frequency", float, "The lowest frequency [Hz].")
    getMaxFrequency = fact("max_frequency", float, "The highest frequency [Hz].")

    range_image = property(getRangeImage)
    point_cloud = property(getPointCloud)
    number_of_points = property(getNumberOfPoints)
    horizontal_resolution = property(getHorizontalResolution)
    number_of_layers = property(getNumberOfLayers)
    fov = property(ImageSensor.getFov)
    vertical_fov = property(getVerticalFov)
    min_range = property(getMinRange)
    max_range = property(getMaxRange)
    frequency = property(getFrequency, setFrequency)
    min_frequency = property(getMinFrequency)
    max_frequency = property(getMaxFrequency)
