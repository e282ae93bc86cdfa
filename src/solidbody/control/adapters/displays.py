"""Lamps, displays and pens as controllers see them."""

from __future__ import annotations

from typing import Any, Final

from solidbody.control import protocol as p
from solidbody.control.adapters.base import Adapter, Warn, handles
from solidbody.devices.actuators.canvas import Canvas
from solidbody.devices.actuators.displays import Displays
from solidbody.devices.actuators.lamps import Leds
from solidbody.devices.actuators.pens import Pens
from solidbody.devices.imaging.cameras import Cameras
from solidbody.model import devices as d

FORMATS: Final = {3: "RGB", 4: "RGBA", 5: "ARGB", 6: "BGRA", 7: "ABGR"}
"""Orders of bytes in a pixel, by the numbers of the controllers' library."""


def _bytes_of(color: int) -> tuple[int, int, int]:
    """Return red, green and blue of 0xRRGGBB, 0 to 255."""
    return color >> 16 & 255, color >> 8 & 255, color & 255


class LedAdapter(Adapter[Leds, d.DeviceLed]):
    """A lamp."""

    @handles(p.LedSet)
    def set(self, value: int) -> Warn:
        """Show a colour."""
        self.group.set(self.row, value)
        device = self.device
        if not device.gradual and not 0 <= value <= len(device.colors):
            return (
                f'Warning: "{self.bound.name}" has {len(device.colors)} colours; '
                f"{value} is none of them"
            )
        return None


class PenAdapter(Adapter[Pens, d.DevicePen]):
    """A pen."""

    @handles(p.PenWrite)
    def write(self, is_writing: bool) -> None:
        """Put the pen down or lift it."""
        self.group.write(self.row, is_writing)

    @handles(p.PenInk)
    def set_ink(self, color: int, density: float) -> None:
        """Change the ink."""
        r, g, b = _bytes_of(color)
        self.group.set_ink(self.row, (r / 255.0, g / 255.0, b / 255.0), density)


class DisplayAdapter(Adapter[Displays, d.DeviceDisplay]):
    """A display: it draws as it is told, `show` ends the drawing of a step."""

    facts = p.DisplayFacts

    def properties(self) -> dict[str, Any]:
        """Size."""
        return {"width": self.device.width, "height": self.device.height}

    @property
    def _canvas(self) -> Canvas:
        return self.group.canvas(self.row)

    @handles(p.DisplayShow)
    def show(self) -> None:
        """What was drawn is seen from now on."""
        self.group.refresh(self.row)

    # how to draw

    @handles(p.DisplayColor)
    def set_color(self, color: int) -> None:
        """Draw in a colour."""
        self._canvas.color = _bytes_of(color)

    @handles(p.DisplayAlpha)
    def set_alpha(self, alpha: float) -> None:
        """How opaque new pixels are."""
        self._canvas.alpha = alpha

    @handles(p.DisplayOpacity)
    def set_opacity(self, opacity: float) -> None:
        """How much new pixels replace old ones."""
        self._canvas.opacity = opacity

    @handles(p.DisplayFont)
    def set_font(self, name: str, size: int, is_smooth: bool) -> None:
        """Size and edges of text; there is one font."""
        self._canvas.font_size, self._canvas.is_smooth = size, is_smooth

    @handles(p.DisplayAttach)
    def attach(self, camera: int) -> Warn:
        """Show a camera behind what is drawn."""
        bound = dict(self.session.tagged).get(camera)
        found = None if bound is None else self.sim.devices.group_of(bound)
        if found is None or not isinstance(found[0], Cameras):
            return f'Error: "{self.bound.name}": only a camera can be attached'
        self.group.attach_camera(self.row, found[0], found[1])
        return None

    @handles(p.DisplayDetach)
    def detach(self) -> None:
        """Show what is drawn only."""
        self.group.detach_camera(self.row)

    # figures

    @handles(p.DisplayPixel)
    def draw_pixel(self, x: int, y: int) -> None:
        """Draw a point."""
        self._canvas.draw_pixel(x, y)

    @handles(p.DisplayLine)
    def draw_line(self, x1: int, y1: int, x2: int, y2: int) -> None:
        """Draw a line."""
        self._canvas.draw_line(x1, y1, x2, y2)

    @handles(p.DisplayRectangle)
    def draw_rectangle(self, x: int, y: int, width: int, height: int, fill: bool) -> None:
        """Draw a rectangle, or its outline."""
        self._canvas.draw_rectangle(x, y, width, height, fill=fill)

    @handles(p.DisplayOval)
    def draw_oval(self, cx: int, cy: int, a: int, b: int, fill: bool) -> None:
        """Draw an ellipse, or its outline."""
        self._canvas.draw_oval(cx, cy, a, b, fill=fill)

    @handles(p.DisplayPolygon)
    def draw_polygon(self, x: tuple[int, ...], y: tuple[int, ...], fill: bool) -> None:
        """Draw a polygon, or its outline."""
        self._canvas.draw_polygon(list(zip(x, y, strict=True)), fill=fill)

    @handles(p.DisplayText)
    def draw_text(self, text: str, x: int, y: int) -> None:
        """Draw text."""
        self._canvas.draw_text(text, x, y)

    # images

    @handles(p.DisplayImageNew)
    def image_new(self, number: int, data: bytes, order: int, width: int, height: int) -> Warn:
        """Keep an image made of bytes."""
        problem = self.group.image_new(self.row, number, data, FORMATS[order], width, height)
        return self._warning("imageNew", problem)

    @handles(p.DisplayImageCopy)
    def image_copy(self, number: int, x: int, y: int, width: int, height: int) -> None:
        """Keep a part of what was drawn."""
        self.group.image_copy(self.row, number, x, y, width, height)

    @handles(p.DisplayImagePaste)
    def image_paste(self, number: int, x: int, y: int, blend: bool) -> Warn:
        """Draw an image that is kept."""
        problem = self.group.image_paste(self.row, number, x, y, blend=blend)
        return self._warning("imagePaste", problem)

    @handles(p.DisplayImageDelete)
    def image_delete(self, number: int) -> Warn:
        """Forget an image."""
        return self._warning("imageDelete", self.group.image_delete(self.row, number))

    def _warning(self, function: str, problem: str) -> Warn:
        return f'Error: Display.{function}() of "{self.bound.name}": {problem}' if problem else None

    @handles(p.DisplayImageLoad)
    def image_load(self, number: int, path: str) -> str:
        """Keep an image from a file; return what is wrong, or nothing."""
        return self.group.image_load(self.row, number, path)

    @handles(p.DisplayImageSave)
    def image_save(self, number: int, path: str) -> str:
        """Write an image (0 = what is shown) to a file; return what is wrong, or nothing."""
        return self.group.image_save(self.row, number or None, path)
