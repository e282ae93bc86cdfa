"""`Camera` of Webots' controller API, with recognition and segmentation."""

from __future__ import annotations

import os
from typing import Any

from .connection import protocol
from .device import DecodedText, Sensor
from .facts import fact


class CameraRecognitionObject:
    """Something that a camera has recognised.

    Attributes:
        id: Number of its node.
        position: Of its centre in the camera's frame [m].
        orientation: Axis and angle in the camera's frame.
        size: Width and height as the camera sees it [m].
        position_on_image: Of its centre [pixels].
        size_on_image: Width and height [pixels].
        colors: Red, green and blue of each recognition colour, one after the other.
        model: Text of its model field.
    """

    def __init__(self, values: tuple[Any, ...]) -> None:
        number, position, orientation, size, *image, colors, model = values
        self.id: int = number
        self.position: list[float] = list(position)
        self.orientation: list[float] = list(orientation)
        self.size: list[float] = list(size)
        self.position_on_image: list[int] = image[:2]
        self.size_on_image: list[int] = image[2:]
        self.colors: list[float] = list(colors)
        self.model: str = DecodedText(model)

    def getId(self) -> int:
        """Return the number of its node."""
        return self.id

    def getPosition(self) -> list[float]:
        """Return its centre in the camera's frame [m]."""
        return self.position

    def getOrientation(self) -> list[float]:
        """Return axis and angle in the camera's frame."""
        return self.orientation

    def getSize(self) -> list[float]:
        """Return width and height [m]."""
        return self.size

    def getPositionOnImage(self) -> list[int]:
        """Return its centre [pixels]."""
        return self.position_on_image

    def getSizeOnImage(self) -> list[int]:
        """Return width and height [pixels]."""
        return self.size_on_image

    def getNumberOfColors(self) -> int:
        """Return how many colours it has."""
        return self.number_of_colors

    def getColors(self) -> list[float]:
        """Return its colours."""
        return self.colors

    def getModel(self) -> str:
        """Return the text of its model field."""
        return self.model

    @property
    def number_of_colors(self) -> int:
        """How many colours it has."""
        return len(self.colors) // 3

    # as they were called until R2022a
    get_id, get_position, get_orientation, get_size = getId, getPosition, getOrientation, getSize
    get_position_on_image, get_size_on_image = getPositionOnImage, getSizeOnImage
    get_number_of_colors, get_colors, get_model = getNumberOfColors, getColors, getModel


REQUESTS = {
    "image": protocol.ImageFetch,
    "objects": protocol.CameraObjects,
    "segments": protocol.SegmentsFetch,
    "points": protocol.PointsFetch,
}
"""How to ask for what a report has told of."""


class ImageSensor(Sensor):
    """A sensor whose image the simulator makes when it is read; reports say only that there is a new one."""

    _blank = 0
    _black = b"\0\0\0\0"
    """A pixel before the first image."""

    def __init__(self, robot: Any, facts: dict[str, Any]) -> None:
        super().__init__(robot, facts)
        self._since = float("inf")
        self._fetches: dict[str, tuple[int, Any]] = {}
        self._reads = 0
        self._wants = self._is_here = False

    def _report(self, message: Any) -> None:
        self._update(message[2])

    def _update(self, value: int) -> None:
        """A program that has read two images in a row gets the next ones without asking."""
        self._is_here = self._wants
        was_read = self._value and self._fetches.get("image", (0,))[0] == self._value
        self._value = value
        self._reads = self._reads + 1 if was_read else 0
        if self._wants != (self._reads > 1):
            self._wants = not self._wants
            self._command(protocol.ImageWant, self._wants)

    def enable(self, samplingPeriod: float) -> None:
        """See `Sensor.enable`; with the next step there is an image, black until the first one is taken."""
        self._since = min(self._since, self._robot._sb_time)
        super().enable(samplingPeriod)

    def _has_image(self, function: str) -> bool:
        """Whether there is an image to read, if only a black one; says so if it is off."""
        return self._is_on(function) and bool(self._value or self._robot._sb_time > self._since)

    def _bytes(self, function: str) -> bytes | None:
        """Return the image; None before the step that follows the first `enable`."""
        if not self._has_image(function):
            return None
        if not self._value:
            return self._black * (self.getWidth() * self.getHeight())
        return self._fetched("image", self._value)

    def _fetched(self, what: str, number: int) -> Any:
        """Return what a report has told of, from the simulator the first time it is read."""
        known, value = self._fetches.get(what, (0, None))
        if known == number or self._robot._sb_is_pending:
            return value
        answer = (what == "image" and self._is_here) or self._ask(REQUESTS[what])
        value = self._received(what) if answer is True else answer or None
        self._fetches[what] = (number, value)
        return value

    def _received(self, what: str) -> bytes:
        """Return the bytes that the simulator has put into shared memory."""
        key, memory = (
            (self._tag, "memory") if what == "image" else ((self._tag, what), f"{what}_memory")
        )
        return self._robot._sb_link.image(key, self._facts[memory])

    def _unread(self) -> list[tuple[str, int]]:
        """Return what reports have told of, to be read before the simulator is busy."""
        return [("image", self._value)] if self._period and self._value else []

    def _read_all(self) -> None:
        """Read everything now."""
        for what, number in self._unread():
            self._fetched(what, number)

    def _reset(self) -> None:
        super()._reset()
        self._since = -1.0 if self._period else float("inf")
        self._fetches = {}

    getWidth = fact("width", int, "The width of the image [pixels].")
    getHeight = fact("height", int, "The height of the image [pixels].")
    getFov = fact("fov", float, "The horizontal field of view [rad].")

    def saveImage(self, filename: str, quality: int) -> int:
        """Write the image to a PNG or JPEG file; return 0, or -1 if that was not possible."""
        return self._save("saveImage", protocol.ImageSave, filename, quality)

    def _save(self, function: str, request: Any, filename: str, quality: int) -> int:
        if not self._is_on(function):
            return -1
        problem = self._ask(request, os.path.abspath(filename), int(quality))
        if problem:
            self._error(function, problem)
        return -1 if problem or problem is None else 0

    width = property(getWidth)
    height = property(getHeight)


def columns_of(image: bytes | None, width: int, height: int) -> list[list[list[int]]] | None:
    """Return an image as columns of [red, green, blue]: `array[x][y]`."""
    if image is None:
        return None
    return [
        [
            [image[i + 2], image[i + 1], image[i]]
            for i in range(4 * x, 4 * width * height, 4 * width)
        ]
        for x in range(width)
    ]


class Camera(ImageSensor):
    """A camera: images of blue, green, red and alpha bytes."""

    _black = b"\0\0\0\xff"

    def __init__(self, robot: Any, facts: dict[str, Any]) -> None:
        super().__init__(robot, facts)
        self._recognition_period = 0
        self._segments = False
        self._objects = 0
        self._segmented = 0

    def _report(self, message: Any) -> None:
        _, _, image, objects, segments = message
        if image is not None:
            self._update(image)
        self._objects = self._objects if objects is None else objects
        self._segmented = self._segmented if segments is None else segments

    def _reset(self) -> None:
        super()._reset()
        self._objects = self._segmented = 0

    def _unread(self) -> list[tuple[str, int]]:
        found = super()._unread()
        if self._recognition_period and self._objects:
            found.append(("objects", self._objects))
            if self._segments and self._segmented:
                found.append(("segments", self._segmented))
        return found

    def getImage(self) -> bytes | None:
        """Return the image, four bytes per pixel: blue, green, red, alpha; None before there is one."""
        return self._bytes("getImage")

    def getImageArray(self) -> list[list[list[int]]] | None:
        """Return the image as columns of [red, green, blue]: `array[x][y]`."""
        return columns_of(self._bytes("getImageArray"), self.getWidth(), self.getHeight())

    @staticmethod
    def imageGetRed(image: bytes, width: int, x: int, y: int) -> int:
        """Return the red part of a pixel, 0 to 255."""
        return image[4 * (y * width + x) + 2]

    @staticmethod
    def imageGetGreen(image: bytes, width: int, x: int, y: int) -> int:
        """Return the green part of a pixel, 0 to 255."""
        return image[4 * (y * width + x) + 1]

    @staticmethod
    def imageGetBlue(image: bytes, width: int, x: int, y: int) -> int:
        """Return the blue part of a pixel, 0 to 255."""
        return image[4 * (y * width + x)]

    @staticmethod
    def imageGetGray(image: bytes, width: int, x: int, y: int) -> int:
        """Return the mean of red, green and blue, rounded down."""
        start = 4 * (y * width + x)
        return sum(image[start : start + 3]) // 3

    # zoom, exposure, focus

    def setFov(self, fov: float) -> None:
        """Zoom; needs a camera with a Zoom node."""
        low, high = self.getMinFov(), self.getMaxFov()
        if not self._facts["has_zoom"]:
            self._error("setFov", "the camera has no Zoom node")
        elif not low <= fov <= high:
            self._error("setFov", f"{fov:g} is outside of the zoom range {low:g} to {high:g}")
        else:
            self._facts["fov"] = float(fov)
            self._command(protocol.CameraFov, float(fov))

    getMinFov = fact("min_fov", float, "The smallest field of view [rad].")
    getMaxFov = fact("max_fov", float, "The largest field of view [rad].")
    getNear = fact("near", float, "The distance below which nothing is seen [m].")
    getExposure = fact("exposure", float, "The factor on the light.")

    def setExposure(self, exposure: float) -> None:
        """Set the factor on the light."""
        if not exposure >= 0.0:
            self._error("setExposure", f"{exposure} is negative")
            return
        self._facts["exposure"] = float(exposure)
        self._command(protocol.CameraExposure, float(exposure))

    getFocalLength = fact("focal_length", float, "The focal length [m].")
    getFocalDistance = fact(
        "focal_distance", float, "The distance at which the image is sharp [m]."
    )

    def setFocalDistance(self, focalDistance: float) -> None:
        """Set the distance at which the image is sharp; needs a camera with a Focus node."""
        low, high = self.getMinFocalDistance(), self.getMaxFocalDistance()
        if not self._facts["has_focus"]:
            self._error("setFocalDistance", "the camera has no Focus node")
        elif not low <= focalDistance <= high:
            self._error("setFocalDistance", f"{focalDistance:g} is outside of {low:g} to {high:g}")
        else:
            self._facts["focal_distance"] = float(focalDistance)
            self._command(protocol.CameraFocalDistance, float(focalDistance))

    getMinFocalDistance = fact("min_focal_distance", float, "The smallest focal distance [m].")
    getMaxFocalDistance = fact("max_focal_distance", float, "The largest focal distance [m].")

    # recognition

    hasRecognition = fact("has_recognition", bool, "Whether the camera has a Recognition node.")

    def recognitionEnable(self, samplingPeriod: int) -> None:
        """Recognise objects every `samplingPeriod` milliseconds; 0 = not."""
        if not self.hasRecognition():
            self._error("recognitionEnable", "the camera has no Recognition node")
            return
        self._recognition_period = int(samplingPeriod)
        if not self._recognition_period:
            self._objects = 0
        self._command(protocol.CameraRecognition, self._recognition_period)

    def recognitionDisable(self) -> None:
        """Recognise nothing from now on."""
        self.recognitionEnable(0)

    def getRecognitionSamplingPeriod(self) -> int:
        """Return the period of recognition [ms]; 0 = off."""
        return self._recognition_period

    def getRecognitionNumberOfObjects(self) -> int:
        """Return how many objects were recognised."""
        return len(self._recognised("getRecognitionNumberOfObjects"))

    def getRecognitionObjects(self) -> list[CameraRecognitionObject]:
        """Return what was recognised."""
        return list(self._recognised("getRecognitionObjects"))

    def _recognised(self, function: str) -> list[CameraRecognitionObject]:
        if not self._recognition_period:
            self._error(function, "call recognitionEnable() first")
        found = self._fetched("objects", self._objects) if self._objects else None
        return [CameraRecognitionObject(values) for values in found or ()]

    # segmentation

    hasRecognitionSegmentation = fact(
        "has_segmentation",
        bool,
        "Whether the Recognition node asks for an image of object colours.",
    )

    def enableRecognitionSegmentation(self) -> None:
        """Make an image of object colours with each recognition."""
        self._segment("enableRecognitionSegmentation", True)

    def disableRecognitionSegmentation(self) -> None:
        """Make no image of object colours."""
        self._segment("disableRecognitionSegmentation", False)

    def _segment(self, function: str, wanted: bool) -> None:
        if not self.hasRecognitionSegmentation():
            self._error(function, "the camera's Recognition node has no segmentation")
            return
        self._segments = wanted
        self._command(protocol.CameraSegmentation, wanted)

    def isRecognitionSegmentationEnabled(self) -> bool:
        """Return whether images of object colours are made."""
        return self._segments

    def getRecognitionSegmentationImage(self) -> bytes | None:
        """Return the image of object colours, as `getImage` does; None before the first one."""
        function = "getRecognitionSegmentationImage"
        if not self._segments or not self._recognition_period:
            self._error(
                function, "call recognitionEnable() and enableRecognitionSegmentation() first"
            )
            return None
        if not self._segmented:
            return None
        return self._fetched("segments", self._segmented)

    def getRecognitionSegmentationImageArray(self) -> list[list[list[int]]] | None:
        """Return the image of object colours as columns of [red, green, blue]: `array[x][y]`."""
        image = self.getRecognitionSegmentationImage()
        return columns_of(image, self.getWidth(), self.getHeight())

    def saveRecognitionSegmentationImage(self, filename: str, quality: int) -> int:
        """Write the image of object colours to a file; return 0, or -1 if that was not possible."""
        function = "saveRecognitionSegmentationImage"
        if not self._segments or not self._recognition_period:
            self._error(
                function, "call recognitionEnable() and enableRecognitionSegmentation() first"
            )
            return -1
        return self._save(function, protocol.SegmentsSave, filename, quality)

    image = property(getImage)
    fov = property(ImageSensor.getFov, setFov)
    min_fov = property(getMinFov)
    max_fov = property(getMaxFov)
    near = property(getNear)
    exposure = property(getExposure, setExposure)
    focal_length = property(getFocalLength)
    focal_distance = property(getFocalDistance, setFocalDistance)
    min_focal_distance = property(getMinFocalDistance)
    max_focal_distance = property(getMaxFocalDistance)
    recognition_sampling_period = property(getRecognitionSamplingPeriod, recognitionEnable)
    recognition_number_of_objects = property(getRecognitionNumberOfObjects)
    recognition_objects = property(getRecognitionObjects)
    segmentation_image = property(getRecognitionSegmentationImage)
