"""Drawing operations of displays on an image: lines, shapes, text, images."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from solidbody.base.output_files import write_whole
from solidbody.base.pictures import PictureError, load_picture

Bytes = NDArray[np.uint8]

ORDERS: Final = {
    "RGB": (0, 1, 2),
    "RGBA": (0, 1, 2, 3),
    "ARGB": (1, 2, 3, 0),
    "BGRA": (2, 1, 0, 3),
    "ABGR": (3, 2, 1, 0),
}
"""Where red, green, blue and alpha are in the bytes of a pixel, by the name of the format."""

BLACK: Final = (0, 0, 0, 255)

MAX_PIXELS: Final = 1 << 25
"""Pictures of more pixels are not kept: four bytes each."""

MAX_REACH: Final = 1 << 15
"""[pixels] How far from the corner figures are drawn: drawing takes time for each pixel, seen or not."""

MAX_FONT: Final = 1024
"""[pixels] Larger text is not drawn."""


def pixels_of(data: bytes, order: str, width: int, height: int) -> Bytes:
    """Return raw bytes as (height, width, 4) red, green, blue, alpha; ValueError if they do not fit."""
    places = ORDERS[order]
    wanted = width * height * len(places)
    if len(data) < wanted or width <= 0 or height <= 0:
        raise ValueError(f"{width} x {height} {order} takes {wanted} bytes, got {len(data)}")
    raw = np.frombuffer(data[:wanted], dtype=np.uint8).reshape(height, width, len(places))
    out = np.full((height, width, 4), 255, dtype=np.uint8)
    out[..., : len(places)] = raw[..., list(places)]
    return out


def load_pixels(path: Path) -> Bytes:
    """Return the pixels of a PNG or JPEG file; raises ValueError with the reason."""
    try:
        picture = load_picture(path, formats=("PNG", "JPEG"), mode="RGBA", max_pixels=MAX_PIXELS)
        return np.asarray(picture).copy()
    except PictureError as problem:
        raise ValueError(str(problem)) from problem


def _check_size(width: int, height: int) -> None:
    if width < 0 or height < 0:
        raise ValueError(f"a picture of {width} x {height} pixels")
    if width * height > MAX_PIXELS:
        raise ValueError(f"{width} x {height} pixels are more than {MAX_PIXELS}")


def _check_reach(*places: int) -> None:
    if any(abs(place) > MAX_REACH for place in places):
        raise ValueError(f"nothing is drawn further than {MAX_REACH} pixels from the corner")


class Canvas:
    """Pixels (height, width, 4) of red, green, blue and alpha, opaque black at first.

    New pixels have the colour and `alpha` that are set; `opacity` is the share with which they
    replace what was there. Coordinates count from the upper left corner, x to the right, y down.
    """

    def __init__(self, width: int, height: int) -> None:
        self.pixels: Bytes = np.zeros((height, width, 4), dtype=np.uint8)
        self.clear()

    def clear(self) -> None:
        """Go back to the start."""
        self.pixels[:] = BLACK
        self.color: tuple[int, int, int] = (255, 255, 255)
        self.alpha = 1.0
        self.opacity = 1.0
        self.font_size = 8
        self.is_smooth = True

    @property
    def size(self) -> tuple[int, int]:
        """Width and height."""
        return self.pixels.shape[1], self.pixels.shape[0]

    # ------------------------------------------------------------------ figures

    def draw_pixel(self, x: int, y: int) -> None:
        """Draw a point."""
        if 0 <= x < self.size[0] and 0 <= y < self.size[1]:
            self._cover(np.full((1, 1), 255, dtype=np.uint8), x, y)

    def draw_line(self, x1: int, y1: int, x2: int, y2: int) -> None:
        """Draw a line, both ends included."""
        _check_reach(x1, y1, x2, y2)
        self._draw(lambda pen: pen.line((x1, y1, x2, y2), fill=255))

    def draw_rectangle(self, x: int, y: int, width: int, height: int, *, fill: bool) -> None:
        """Draw a rectangle or its outline."""
        corners = (x, y, x + width - 1, y + height - 1)
        # what lies far outside is as good just outside
        box = tuple(min(max(place, -MAX_REACH), MAX_REACH) for place in corners)
        self._draw(lambda pen: pen.rectangle(box, fill=255 if fill else None, outline=255))

    def draw_oval(self, cx: int, cy: int, a: int, b: int, *, fill: bool) -> None:
        """Draw an ellipse with the half axes a and b, or its outline."""
        if a < 1 or b < 1:
            return
        _check_reach(cx, cy, a, b)

        def draw(pen: ImageDraw.ImageDraw) -> None:
            for x, y in _oval(a, b):
                for row in (cy - y, cy + y):
                    if fill:
                        pen.line((cx - x, row, cx + x, row), fill=255)
                    else:
                        pen.point([(cx - x, row), (cx + x, row)], fill=255)

        self._draw(draw)

    def draw_polygon(self, points: Sequence[tuple[int, int]], *, fill: bool) -> None:
        """Draw a polygon or its outline."""
        corners = list(points)
        _check_reach(*(place for corner in corners for place in corner))
        if fill:
            self._draw(lambda pen: pen.polygon(corners, fill=255, outline=255))
        else:
            self._draw(lambda pen: pen.line([*corners, corners[0]], fill=255))

    def draw_text(self, text: str, x: int, y: int) -> None:
        """Draw text from x on; the first line stands `font_size` pixels below y."""
        _check_reach(x, y)
        if not 0 < self.font_size <= MAX_FONT:
            raise ValueError(f"a font of {self.font_size} pixels; 1 to {MAX_FONT} can be drawn")
        font = ImageFont.load_default(float(self.font_size))

        def write(pen: ImageDraw.ImageDraw) -> None:
            pen.fontmode = "L" if self.is_smooth else "1"
            pen.multiline_text((x, y + self.font_size), text, fill=255, font=font, anchor="ls")

        self._draw(write)

    def _draw(self, figure: Callable[[ImageDraw.ImageDraw], None]) -> None:
        mask = Image.new("L", self.size, 0)
        figure(ImageDraw.Draw(mask))
        box = mask.getbbox()
        if box is not None:
            self._cover(np.asarray(mask.crop(box)), box[0], box[1])

    def _cover(self, mask: Bytes, x: int, y: int) -> None:
        """Blend the present colour over the part at x, y, as far as the mask says."""
        new = np.array([*self.color, 255.0 * self.alpha])
        if self.alpha == 0.0 and self.opacity == 1.0:
            new[:] = 0.0
        part = self.pixels[y : y + mask.shape[0], x : x + mask.shape[1]]
        share = (mask.astype(np.float64) * (self.opacity / 255.0))[..., None]
        part[:] = np.round(share * new + (1.0 - share) * part).astype(np.uint8)

    # ------------------------------------------------------------------ images

    def copy(self, x: int, y: int, width: int, height: int) -> Bytes:
        """Return a part; what lies outside is clear."""
        _check_size(width, height)
        out = np.zeros((height, width, 4), dtype=np.uint8)
        left, top = max(x, 0), max(y, 0)
        part = self.pixels[top : max(y + height, top), left : max(x + width, left)]
        out[top - y : top - y + part.shape[0], left - x : left - x + part.shape[1]] = part
        return out

    def paste(self, image: Bytes, x: int, y: int, *, blend: bool) -> None:
        """Put an image at x, y: instead of what is there, or over it as its alpha says; alphas add up."""
        left, top = max(x, 0), max(y, 0)
        right = min(x + image.shape[1], self.size[0])
        bottom = min(y + image.shape[0], self.size[1])
        if left >= right or top >= bottom:
            return
        new = image[top - y : bottom - y, left - x : right - x].astype(np.float64)
        part = self.pixels[top:bottom, left:right]
        if blend:
            share = new[..., 3:] / 255.0
            alpha = np.minimum(new[..., 3] + part[..., 3], 255.0)
            new = share * new + (1.0 - share) * part
            new[..., 3] = alpha
        part[:] = np.round(new).astype(np.uint8)

    def uncover(self) -> None:
        """Make what is opaque and black clear, for a picture behind it."""
        self.pixels[(self.pixels == BLACK).all(axis=-1)] = 0

    def over(self, background: Bytes) -> Bytes:
        """Return the picture in front of an opaque one of any size."""
        out = np.zeros_like(self.pixels)
        out[..., 3] = 255
        # nearest pixels: a display may have another size than its camera
        height, width = out.shape[:2]
        y = np.arange(height) * background.shape[0] // height
        x = np.arange(width) * background.shape[1] // width
        out[..., :3] = background[np.ix_(y, x)][..., :3]
        share = self.pixels[..., 3:].astype(np.float64) / 255.0
        front = self.pixels[..., :3]
        out[..., :3] = np.round(share * front + (1.0 - share) * out[..., :3]).astype(np.uint8)
        return out


def _oval(a: int, b: int) -> Iterator[tuple[int, int]]:
    """Yield half widths x and rows y of an ellipse from its middle on, by the midpoint rule as Webots has it.

    The error r = b^2 x^2 - a^2 y^2 (up to a constant) says whether to go up or inwards next; rows whose half
    width shrinks by several pixels come several times, the widest first.
    """
    x, y, r = a, 0, a * b * b
    yield x, y
    inwards, upwards = 2 * r, 0
    while x > 0:
        if r > 0:
            y += 1
            upwards += 2 * a * a
            r -= upwards
        if r <= 0:
            x -= 1
            inwards -= 2 * b * b
            r += inwards
        yield x, y


def save_pixels(pixels: Bytes, path: Path) -> None:
    """Write a PNG or JPEG file, by its ending; raises OSError or ValueError with the reason."""
    image = Image.fromarray(np.ascontiguousarray(pixels))
    out = io.BytesIO()
    if path.suffix.lower() in (".jpg", ".jpeg"):
        image.convert("RGB").save(out, "JPEG")
    elif path.suffix.lower() == ".png":
        image.save(out, "PNG")
    else:
        raise ValueError("its name must end with .png, .jpg or .jpeg")
    write_whole(path, out.getvalue())
