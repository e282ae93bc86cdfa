"""What charts are drawn on: a picture, or SVG."""

from __future__ import annotations

import html
import io
from typing import Final

import numpy as np

from solidbody.series.chart import FONT, Color, Points

FINER: Final = 3
"""Pictures are drawn so many times larger, and then made smaller: lines become smooth."""


class SvgCanvas:
    """Collects SVG elements."""

    def __init__(self, size: tuple[int, int]) -> None:
        self._size = size
        self._out: list[str] = []

    def line(self, points: Points, color: Color, width: float) -> None:
        """Draw a line; a single point is a dot."""
        text = " ".join(f"{x:.1f},{y:.1f}" for x, y in points.tolist())
        if len(points) == 1:
            text += " " + text
        self._out.append(
            f'<polyline points="{text}" fill="none" stroke="rgb{color}" stroke-width="{width:g}"'
            ' stroke-linejoin="round" stroke-linecap="round"/>'
        )

    def text(
        self, at: tuple[float, float], text: str, color: Color, anchor: str, *, bold: bool
    ) -> None:
        """Write a text."""
        weight = ' font-weight="bold"' if bold else ""
        self._out.append(
            f'<text x="{at[0]:.1f}" y="{at[1]:.1f}" fill="rgb{color}" text-anchor="{anchor}"'
            f' dominant-baseline="central"{weight}>{html.escape(text)}</text>'
        )

    def box(self, corner: tuple[float, float], size: tuple[float, float], color: Color) -> None:
        """Fill a rectangle."""
        self._out.append(
            f'<rect x="{corner[0]:g}" y="{corner[1]:g}" width="{size[0]:g}" height="{size[1]:g}"'
            f' fill="rgb{color}"/>'
        )

    def finish(self) -> str:
        """Return the SVG."""
        width, height = self._size
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
            f' width="{width}" height="{height}" style="max-width:100%;height:auto"'
            f' font-family="sans-serif" font-size="{FONT}">{"".join(self._out)}</svg>'
        )


class PictureCanvas:
    """Draws a picture."""

    def __init__(self, size: tuple[int, int]) -> None:
        from PIL import Image, ImageDraw, ImageFont

        self._size = size
        self._image = Image.new("RGB", (size[0] * FINER, size[1] * FINER), "white")
        self._draw = ImageDraw.Draw(self._image)
        self._font = ImageFont.load_default(FONT * FINER)

    def line(self, points: Points, color: Color, width: float) -> None:
        """Draw a line; a single point is a dot."""
        places = (FINER * points).ravel().tolist()
        wide = max(1, round(FINER * width))
        if len(points) == 1:
            x, y = places
            self._draw.ellipse((x - wide, y - wide, x + wide, y + wide), fill=color)
        else:
            self._draw.line(places, fill=color, width=wide, joint="curve")

    def text(
        self, at: tuple[float, float], text: str, color: Color, anchor: str, *, bold: bool
    ) -> None:
        """Write a text; what the font does not have is a box."""
        place = (FINER * at[0], FINER * at[1])
        mark = {"start": "lm", "middle": "mm", "end": "rm"}[anchor]
        self._draw.text(
            place, text, fill=color, font=self._font, anchor=mark, stroke_width=int(bold)
        )

    def box(self, corner: tuple[float, float], size: tuple[float, float], color: Color) -> None:
        """Fill a rectangle."""
        (x, y), (w, h) = np.multiply(corner, FINER).tolist(), np.multiply(size, FINER).tolist()
        self._draw.rectangle((x, y, x + w, y + h), fill=color)

    def finish(self) -> bytes:
        """Return the picture as PNG."""
        from PIL import Image

        buffer = io.BytesIO()
        self._image.resize(self._size, Image.Resampling.BOX).save(buffer, "PNG", optimize=True)
        return buffer.getvalue()
