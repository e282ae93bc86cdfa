"""Lamps, displays and pens as controllers see them."""

from __future__ import annotations

from typing import Any, Final

from solidbody.control.adapters.base import Adapter, Warn
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


class LedAdapter(Adapter):
    """A lamp."""

    def do_set(self, value: int) -> Warn:
        """Show a colour."""
        group, row = self.sim.devices.group_of(self.bound)
        assert isinstance(group, Leds)
        group.set(row, value)
        device = group.devices[row]
        if not device.gradual and not 0 <= value <= len(device.colors):
            return (
                f'Warning: "{self.bound.name}" has {len(device.colors)} colours; '
                f"{value} is none of them"
            )
        return None


class PenAdapter(Adapter):
    """A pen."""

    def _group(self) -> tuple[Pens, int]:
        group, row = self.sim.devices.group_of(self.bound)
        assert isinstance(group, Pens)
        return group, row

    def do_write(self, is_writing: bool) -> Warn:
        """Put the pen down or lift it."""
        group, row = self._group()
        group.write(row, is_writing)
        return None

    def do_ink(self, color: int, density: float) -> Warn:
        """Change the ink."""
        group, row = self._group()
        r, g, b = _bytes_of(color)
        group.set_ink(row, (r / 255.0, g / 255.0, b / 255.0), density)
        return None


class DisplayAdapter(Adapter):
    """A display: it draws as it is told, `show` ends the drawing of a step."""

    def properties(self) -> dict[str, Any]:
        """Size."""
        device = self.bound.device
        assert isinstance(device, d.DeviceDisplay)
        return {"width": device.width, "height": device.height}

    def _group(self) -> tuple[Displays, int]:
        group, row = self.sim.devices.group_of(self.bound)
        assert isinstance(group, Displays)
        return group, row

    @property
    def _canvas(self) -> Canvas:
        group, row = self._group()
        return group.canvas(row)

    def do_show(self) -> None:
        """What was drawn is seen from now on."""
        group, row = self._group()
        group.refresh(row)

    # how to draw

    def do_color(self, color: int) -> None:
        """Draw in a colour."""
        self._canvas.color = _bytes_of(color)

    def do_alpha(self, alpha: float) -> None:
        """How opaque new pixels are."""
        self._canvas.alpha = alpha

    def do_opacity(self, opacity: float) -> None:
        """How much new pixels replace old ones."""
        self._canvas.opacity = opacity

    def do_font(self, name: str, size: int, is_smooth: bool) -> None:
        """Size and edges of text; there is one font."""
        self._canvas.font_size, self._canvas.is_smooth = size, is_smooth

    def do_attach(self, tag: int) -> Warn:
        """Show a camera behind what is drawn."""
        group, row = self._group()
        camera = dict(self.session.tagged).get(tag)
        found = None if camera is None else self.sim.devices.group_of(camera)
        if found is None or not isinstance(found[0], Cameras):
            return f'Error: "{self.bound.name}": only a camera can be attached'
        group.attach_camera(row, found[0], found[1])
        return None

    def do_detach(self) -> None:
        """Show what is drawn only."""
        group, row = self._group()
        group.detach_camera(row)

    # figures

    def do_pixel(self, x: int, y: int) -> None:
        """Draw a point."""
        self._canvas.draw_pixel(x, y)

    def do_line(self, x1: int, y1: int, x2: int, y2: int) -> None:
        """Draw a line."""
        self._canvas.draw_line(x1, y1, x2, y2)

    def do_rectangle(self, x: int, y: int, width: int, height: int) -> None:
        """Draw the outline of a rectangle."""
        self._canvas.draw_rectangle(x, y, width, height, fill=False)

    def do_fill_rectangle(self, x: int, y: int, width: int, height: int) -> None:
        """Draw a rectangle."""
        self._canvas.draw_rectangle(x, y, width, height, fill=True)

    def do_oval(self, cx: int, cy: int, a: int, b: int) -> None:
        """Draw the outline of an ellipse."""
        self._canvas.draw_oval(cx, cy, a, b, fill=False)

    def do_fill_oval(self, cx: int, cy: int, a: int, b: int) -> None:
        """Draw an ellipse."""
        self._canvas.draw_oval(cx, cy, a, b, fill=True)

    def do_polygon(self, x: list[int], y: list[int]) -> None:
        """Draw the outline of a polygon."""
        self._canvas.draw_polygon(list(zip(x, y, strict=True)), fill=False)

    def do_fill_polygon(self, x: list[int], y: list[int]) -> None:
        """Draw a polygon."""
        self._canvas.draw_polygon(list(zip(x, y, strict=True)), fill=True)

    def do_text(self, text: str, x: int, y: int) -> None:
        """Draw text."""
        self._canvas.draw_text(text, x, y)

    # images

    def do_image_new(self, number: int, data: bytes, order: int, width: int, height: int) -> Warn:
        """Keep an image made of bytes."""
        group, row = self._group()
        return self._warning(
            "imageNew", group.image_new(row, number, data, FORMATS[order], width, height)
        )

    def do_image_copy(self, number: int, x: int, y: int, width: int, height: int) -> None:
        """Keep a part of what was drawn."""
        group, row = self._group()
        group.image_copy(row, number, x, y, width, height)

    def do_image_paste(self, number: int, x: int, y: int, blend: bool) -> Warn:
        """Draw an image that is kept."""
        group, row = self._group()
        return self._warning("imagePaste", group.image_paste(row, number, x, y, blend=blend))

    def do_image_delete(self, number: int) -> Warn:
        """Forget an image."""
        group, row = self._group()
        return self._warning("imageDelete", group.image_delete(row, number))

    def _warning(self, function: str, problem: str) -> Warn:
        return f'Error: Display.{function}() of "{self.bound.name}": {problem}' if problem else None

    def ask_image_load(self, number: int, path: str) -> str:
        """Keep an image from a file; return what is wrong, or nothing."""
        group, row = self._group()
        return group.image_load(row, number, path)

    def ask_image_save(self, number: int, path: str) -> str:
        """Write an image (0 = what is shown) to a file; return what is wrong, or nothing."""
        group, row = self._group()
        return group.image_save(row, number or None, path)
