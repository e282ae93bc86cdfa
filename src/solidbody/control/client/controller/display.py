"""`Display` of Webots' controller API: every call is sent with the next step and drawn by the simulator."""

from __future__ import annotations

import contextlib
import os
from typing import Any, Sequence

from .camera import Camera
from .connection import protocol
from .device import Device
from .facts import fact

BYTES_PER_PIXEL = {3: 3, 4: 4, 5: 4, 6: 4, 7: 4}


class Display(Device):
    """An image that the robot draws on."""

    RGB, RGBA, ARGB, BGRA, ABGR = 3, 4, 5, 6, 7

    def __init__(self, robot: Any, facts: dict[str, Any]) -> None:
        super().__init__(robot, facts)
        self._last_image = 0

    def _command(self, kind: Any, *arguments: Any) -> None:
        super()._command(kind, *arguments)
        self._robot._sb_drawn[self._tag] = self

    def _show(self) -> None:
        """End the drawing of this step."""
        super()._command(protocol.DisplayShow)

    getWidth = fact("width", int, "The width [pixels].")
    getHeight = fact("height", int, "The height [pixels].")

    # how to draw

    def setColor(self, color: int) -> None:
        """Set the colour, 0xRRGGBB."""
        if not 0 <= color <= 0xFFFFFF:
            self._error("setColor", f"{color} is not a colour 0xRRGGBB")
            return
        self._command(protocol.DisplayColor, int(color))

    def setAlpha(self, alpha: float) -> None:
        """Set how opaque new pixels are, 0 to 1."""
        if self._is_share("setAlpha", alpha):
            self._command(protocol.DisplayAlpha, float(alpha))

    def setOpacity(self, opacity: float) -> None:
        """Set how much new pixels replace old ones, 0 to 1."""
        if self._is_share("setOpacity", opacity):
            self._command(protocol.DisplayOpacity, float(opacity))

    def _is_share(self, function: str, value: float) -> bool:
        is_one = 0.0 <= value <= 1.0
        if not is_one:
            self._error(function, f"{value:g} is outside of 0 to 1")
        return is_one

    def setFont(self, font: str, size: int, antiAliasing: bool) -> None:
        """Set the font of text, by the name of its file."""
        if size <= 0:
            self._error("setFont", f"the size {size} is not positive")
            return
        self._command(protocol.DisplayFont, str(font), int(size), bool(antiAliasing))

    def attachCamera(self, camera: Camera) -> None:
        """Show a camera's images behind what is drawn."""
        self._command(protocol.DisplayAttach, camera.tag)

    def detachCamera(self) -> None:
        """Show no camera's images any more."""
        self._command(protocol.DisplayDetach)

    # drawing

    def drawPixel(self, x: int, y: int) -> None:
        """Draw a point."""
        self._command(protocol.DisplayPixel, int(x), int(y))

    def drawLine(self, x1: int, y1: int, x2: int, y2: int) -> None:
        """Draw a line."""
        self._command(protocol.DisplayLine, int(x1), int(y1), int(x2), int(y2))

    def drawRectangle(self, x: int, y: int, width: int, height: int) -> None:
        """Draw the outline of a rectangle."""
        self._shape("drawRectangle", protocol.DisplayRectangle, (x, y, width, height))

    def fillRectangle(self, x: int, y: int, width: int, height: int) -> None:
        """Draw a rectangle."""
        self._shape("fillRectangle", protocol.DisplayRectangle, (x, y, width, height), True)

    def drawOval(self, cx: int, cy: int, a: int, b: int) -> None:
        """Draw the outline of an ellipse with the half axes a and b."""
        self._shape("drawOval", protocol.DisplayOval, (cx, cy, a, b))

    def fillOval(self, cx: int, cy: int, a: int, b: int) -> None:
        """Draw an ellipse with the half axes a and b."""
        self._shape("fillOval", protocol.DisplayOval, (cx, cy, a, b), True)

    def _shape(self, function: str, kind: Any, box: tuple[int, ...], fill: bool = False) -> None:
        _, _, width, height = box
        if width <= 0 or height <= 0:
            self._error(function, f"the size {width} x {height} is not positive")
            return
        self._command(kind, *map(int, box), fill)

    def drawPolygon(self, x: Sequence[int], y: Sequence[int]) -> None:
        """Draw the outline of a polygon."""
        self._polygon("drawPolygon", x, y, False)

    def fillPolygon(self, x: Sequence[int], y: Sequence[int]) -> None:
        """Draw a polygon."""
        self._polygon("fillPolygon", x, y, True)

    def _polygon(self, function: str, x: Sequence[int], y: Sequence[int], fill: bool) -> None:
        points = [(int(a), int(b)) for a, b in zip(x, y)]
        if len(points) < 3:
            self._error(function, f"a polygon needs three points, not {len(points)}")
            return
        corners = [a for a, _ in points], [b for _, b in points]
        self._command(protocol.DisplayPolygon, *corners, fill)

    def drawText(self, text: str, x: int, y: int) -> None:
        """Draw text; x and y are its upper left corner."""
        self._command(protocol.DisplayText, str(text), int(x), int(y))

    # images

    def imageNew(self, data: Any, format: int, width: int, height: int) -> int | None:
        """Return a new image made of bytes, an array, or rows of pixels; None if they do not fit."""
        flat = bytes(_flattened(data))
        size = BYTES_PER_PIXEL.get(format)
        if size is None:
            self._error("imageNew", f"{format} is not a format: RGB, RGBA, ARGB, BGRA or ABGR")
            return None
        if width <= 0 or height <= 0 or len(flat) < width * height * size:
            wanted = width * height * size
            self._error("imageNew", f"{width} x {height} needs {wanted} bytes, not {len(flat)}")
            return None
        return self._image(protocol.DisplayImageNew, flat, int(format), int(width), int(height))

    def imageLoad(self, filename: str) -> int | None:
        """Return an image from a PNG or JPEG file; None if it cannot be read."""
        self._last_image += 1
        problem = self._ask(protocol.DisplayImageLoad, self._last_image, os.path.abspath(filename))
        if problem:
            self._error("imageLoad", problem)
        return self._last_image if problem == "" else None

    def imageCopy(self, x: int, y: int, width: int, height: int) -> int | None:
        """Return a copy of a part of the display."""
        if width <= 0 or height <= 0:
            self._error("imageCopy", f"the size {width} x {height} is not positive")
            return None
        return self._image(protocol.DisplayImageCopy, int(x), int(y), int(width), int(height))

    def _image(self, kind: Any, *arguments: Any) -> int:
        self._last_image += 1
        self._command(kind, self._last_image, *arguments)
        return self._last_image

    def imagePaste(self, image: int | None, x: int, y: int, blend: bool = False) -> None:
        """Draw an image; with `blend` it is mixed with what is there."""
        if image is None:
            self._error("imagePaste", "there is no image")
            return
        self._command(protocol.DisplayImagePaste, image, int(x), int(y), bool(blend))

    def imageSave(self, image: int | None, filename: str) -> int:
        """Write an image (None = the display) to a PNG or JPEG file; return 0, or -1 if not."""
        problem = self._ask(protocol.DisplayImageSave, image or 0, os.path.abspath(filename))
        if problem:
            self._error("imageSave", problem)
        return 0 if problem == "" else -1

    def imageDelete(self, image: int | None) -> None:
        """Forget an image."""
        if image is not None:
            self._command(protocol.DisplayImageDelete, image)

    width = property(getWidth)
    height = property(getHeight)
    color = property(fset=setColor)
    alpha = property(fset=setAlpha)
    opacity = property(fset=setOpacity)


def _flattened(data: Any) -> bytes | bytearray:
    """Return anything made of bytes, or nested lists of their values, as bytes."""
    with contextlib.suppress(TypeError):
        return memoryview(data).tobytes()
    out = bytearray()
    for item in data:
        if isinstance(item, int):
            out.append(item)
        else:
            out += _flattened(item)
    return out
