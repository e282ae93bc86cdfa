"""Images drawn by Lua templates with lua-gd functions, which Webots had until R2022a.

Runs in the process of the templates. A picture is a number there; `Pictures.call` is all that Lua sees, and
what is drawn goes out as files in memory.
"""

from __future__ import annotations

import base64
import io
import math
from collections.abc import Callable
from typing import Any, Final, cast

from PIL import Image, ImageDraw, ImageFont

from solidbody.formats.webots.protos.template_answers import (
    MAX_PICTURE_BYTES,
    MAX_PICTURES,
    is_base_name,
)

MAX_PIXELS: Final = 4096 * 4096
"""Of all pictures that one template draws, and of the square that a text needs."""

MAX_TEXT: Final = 1000
"""[characters] Of one text."""

MAX_LETTERS: Final = 4096.0
"""[pixels] Height of letters."""

_POINT: Final = 96.0 / 72.0
"""[pixels] gd draws letters at 96 dots to the inch."""

_FONT_SIZES: Final = (6.0, 10.0, 10.0, 13.0, 12.0)
"""[pixels] Our letters in place of gd's own fonts: tiny, small, medium bold, large, giant."""

_FORMATS: Final = {"png": "PNG", "jpeg": "JPEG", "gif": "GIF"}
_PALETTES: Final = ("create", "createPalette")
_CREATORS: Final = (*_PALETTES, "createTrueColor")

_Ink = tuple[int, int, int, int]


class LuaPictureError(Exception):
    """What a template asks for cannot be drawn."""


class Picture:
    """A picture and how it is drawn on.

    Numbers of colours are gd's: alpha (0 = opaque to 127 = clear), red, green and blue, a byte each, from
    the highest to the lowest. Places are cut to whole pixels, as gd does.
    """

    def __init__(self, width: int, height: int, *, has_ground: bool) -> None:
        self.image = Image.new("RGBA", (width, height), (0, 0, 0, 255))
        self.keeps_alpha = False
        self._thickness = 1
        self._blends = True
        self._has_ground = has_ground

    def color(self, red: float, green: float, blue: float, clear: float = 0.0) -> int:
        """Return the number of a colour; the first one of a palette fills the picture."""
        parts = (int(red) & 255, int(green) & 255, int(blue) & 255)
        if not self._has_ground:
            self._has_ground = True
            self.image.paste((*parts, 255), (0, 0, *self.image.size))
        return (int(clear) & 127) << 24 | parts[0] << 16 | parts[1] << 8 | parts[2]

    def color_at(self, x: float, y: float) -> int:
        """Return the colour of a pixel."""
        red, green, blue, alpha = cast("_Ink", self.image.getpixel((int(x), int(y))))
        return self.color(red, green, blue, round((255 - alpha) * 127 / 255))

    def set_pixel(self, x: float, y: float, color: float) -> None:
        """Colour a pixel."""
        self._paint(color, lambda draw, ink: draw.point((int(x), int(y)), ink))

    def line(self, x1: float, y1: float, x2: float, y2: float, color: float) -> None:
        """Draw a line."""
        ends = (int(x1), int(y1), int(x2), int(y2))
        self._paint(color, lambda draw, ink: draw.line(ends, ink, self._thickness))

    def rectangle(self, x1: float, y1: float, x2: float, y2: float, color: float) -> None:
        """Draw the edges of a box."""
        box = _box(x1, y1, x2, y2)
        self._paint(color, lambda draw, ink: draw.rectangle(box, None, ink, self._thickness))

    def fill_rectangle(self, x1: float, y1: float, x2: float, y2: float, color: float) -> None:
        """Draw a box, both corners included."""
        self._paint(color, lambda draw, ink: draw.rectangle(_box(x1, y1, x2, y2), ink))

    def polygon(self, points: Any, color: float) -> None:
        """Draw the edges of a polygon; its corners are pairs."""
        corners = _corners(points)
        closed = [*corners, *corners[:1]]
        self._paint(color, lambda draw, ink: draw.line(closed, ink, self._thickness))

    def fill_polygon(self, points: Any, color: float) -> None:
        """Draw a polygon."""
        self._paint(color, lambda draw, ink: draw.polygon(_corners(points), ink))

    def arc(
        self, x: float, y: float, width: float, height: float, start: float, end: float, color: float
    ) -> None:  # fmt: skip
        """Draw a part of an ellipse about a point; angles in degrees, clockwise from the right."""
        box = _about(x, y, width, height)
        self._paint(color, lambda draw, ink: draw.arc(box, start, end, ink, self._thickness))

    def fill_arc(
        self, x: float, y: float, width: float, height: float, start: float, end: float, color: float,
        _style: float = 0.0,
    ) -> None:  # fmt: skip
        """Draw a piece of a pie; the styles that leave out edges are not told apart."""
        box = _about(x, y, width, height)
        self._paint(color, lambda draw, ink: draw.pieslice(box, start, end, ink))

    def fill_ellipse(self, x: float, y: float, width: float, height: float, color: float) -> None:
        """Draw an ellipse about a point."""
        self._paint(color, lambda draw, ink: draw.ellipse(_about(x, y, width, height), ink))

    def fill(self, x: float, y: float, color: float) -> None:
        """Colour all that hangs together with a pixel and looks like it."""
        ImageDraw.floodfill(self.image, (int(x), int(y)), _ink(color))

    def string(self, font: float, x: float, y: float, text: str, color: float) -> None:
        """Write in a font of gd's own, from the upper left corner."""
        self._write(str(text), _FONT_SIZES[int(font)], 0.0, (int(x), int(y)), "la", color)

    def string_up(self, font: float, x: float, y: float, text: str, color: float) -> None:
        """Write upwards, from the lower left corner."""
        turn = math.pi / 2.0
        self._write(str(text), _FONT_SIZES[int(font)], turn, (int(x), int(y)), "la", color)

    def string_ft(
        self, color: float, _font: str, points: float, turn: float, x: float, y: float, text: str
    ) -> tuple[int, ...]:
        """Write from the left end of the base line, turned counter-clockwise [rad].

        Whatever font is asked for, ours is taken: those of one machine are not on another.

        Returns:
            The corners of the text before it is turned, lower left first, counter-clockwise.
        """
        place = (int(x), int(y))
        edges = self._write(str(text), points * _POINT, turn, place, "ls", color)
        return _text_corners(edges)

    def copy(
        self, source: Picture, x: float, y: float, from_x: float, from_y: float, width: float, height: float
    ) -> None:  # fmt: skip
        """Copy a part of another picture, pixel by pixel."""
        self.copy_resized(source, x, y, from_x, from_y, width, height, width, height)

    def copy_resized(
        self, source: Picture, x: float, y: float, from_x: float, from_y: float,
        width: float, height: float, from_width: float, from_height: float,
    ) -> None:  # fmt: skip
        """Copy a part of another picture in another size."""
        if int(width) < 1 or int(height) < 1 or int(from_width) < 1 or int(from_height) < 1:
            return
        if int(width) * int(height) > MAX_PIXELS or int(from_width) * int(from_height) > MAX_PIXELS:
            raise LuaPictureError(f"a part of a picture has at most {MAX_PIXELS} pixels")
        left, top = int(from_x), int(from_y)
        part = source.image.crop((left, top, left + int(from_width), top + int(from_height)))
        if part.size != (int(width), int(height)):
            part = part.resize((int(width), int(height)), Image.Resampling.BILINEAR)
        if self._blends:
            layer = Image.new("RGBA", self.image.size)
            layer.paste(part, (int(x), int(y)))
            self.image.alpha_composite(layer)
        else:
            self.image.paste(part, (int(x), int(y)))

    def set_thickness(self, pixels: float) -> None:
        """Let lines be that thick."""
        self._thickness = int(pixels)

    def set_blending(self, blends: bool) -> None:
        """Let clear colours be mixed with what is below them, or replace it."""
        self._blends = blends

    def set_alpha(self, keeps: bool) -> None:
        """Let files of the picture be clear where it is."""
        self.keeps_alpha = keeps

    def size(self) -> tuple[int, int]:
        """Return width and height."""
        return self.image.size

    def width(self) -> int:
        """Return the number of columns."""
        return self.image.width

    def height(self) -> int:
        """Return the number of rows."""
        return self.image.height

    def _paint(self, color: float, paint: Callable[[ImageDraw.ImageDraw, _Ink], object]) -> None:
        ink = _ink(color)
        if ink[3] == 255 or not self._blends:
            paint(ImageDraw.Draw(self.image), ink)
        else:
            layer = Image.new("RGBA", self.image.size)
            paint(ImageDraw.Draw(layer), ink)
            self.image.alpha_composite(layer)

    def _write(
        self, text: str, size: float, turn: float, at: tuple[int, int], anchor: str, color: float
    ) -> tuple[int, int, int, int]:
        """Write a text; return its left, upper, right and lower edge before it is turned."""
        font, edges, reach = _set_text(text, size, anchor)
        letters = Image.new("L", (2 * reach, 2 * reach))
        ImageDraw.Draw(letters).text((reach, reach), text, 255, font, anchor)
        letters = letters.rotate(math.degrees(turn), Image.Resampling.BICUBIC)
        corner = (at[0] - reach, at[1] - reach)
        self._paint(color, lambda draw, ink: draw.bitmap(corner, letters, ink))
        return at[0] + edges[0], at[1] + edges[1], at[0] + edges[2], at[1] + edges[3]


def _set_text(
    text: str, size: float, anchor: str
) -> tuple[ImageFont.FreeTypeFont | ImageFont.ImageFont, list[int], int]:
    """Return the font of a text, its edges about its point, and how far it reaches from there."""
    if len(text) > MAX_TEXT:
        raise LuaPictureError(f"a text has at most {MAX_TEXT} characters, got {len(text)}")
    if size > MAX_LETTERS:
        raise LuaPictureError("the letters are too large")
    font = ImageFont.load_default(max(1.0, size))
    edges = [round(edge) for edge in font.getbbox(text, anchor=anchor)]
    reach = max(abs(edge) for edge in edges) + 1  # the letters lie in a square about the point
    if 4 * reach * reach > MAX_PIXELS:
        raise LuaPictureError("the letters are too large")
    return font, edges, reach


def measured(
    _color: float, _font: str, points: float, _turn: float, x: float, y: float, text: str
) -> tuple[int, ...]:
    """Return the corners that `Picture.string_ft` would, without a picture."""
    _, (left, top, right, bottom), _ = _set_text(str(text), points * _POINT, "ls")
    return _text_corners((int(x) + left, int(y) + top, int(x) + right, int(y) + bottom))


def _text_corners(edges: tuple[int, int, int, int]) -> tuple[int, ...]:
    left, top, right, bottom = edges
    return left, bottom, right, bottom, right, top, left, top


def _ink(color: float) -> _Ink:
    code = int(color)
    return code >> 16 & 255, code >> 8 & 255, code & 255, 255 - (code >> 24 & 127) * 255 // 127


def _box(x1: float, y1: float, x2: float, y2: float) -> tuple[int, int, int, int]:
    """Return two corners, the upper left one first."""
    left, right = sorted((int(x1), int(x2)))
    top, bottom = sorted((int(y1), int(y2)))
    return left, top, right, bottom


def _about(x: float, y: float, width: float, height: float) -> tuple[int, int, int, int]:
    """Return the corners of a box about its middle."""
    half_x, half_y = int(width) // 2, int(height) // 2
    return int(x) - half_x, int(y) - half_y, int(x) + half_x, int(y) + half_y


def _corners(points: Any) -> list[tuple[int, int]]:
    return [(int(point[1]), int(point[2])) for point in points.values()]


_METHODS: Final[dict[str, Callable[..., Any]]] = {
    **dict.fromkeys(("colorAllocate", "colorClosest", "colorExact", "colorResolve"), Picture.color),
    "colorAllocateAlpha": Picture.color,
    "getPixel": Picture.color_at,
    "setPixel": Picture.set_pixel,
    "line": Picture.line,
    "rectangle": Picture.rectangle,
    "filledRectangle": Picture.fill_rectangle,
    "polygon": Picture.polygon,
    "filledPolygon": Picture.fill_polygon,
    "arc": Picture.arc,
    "filledArc": Picture.fill_arc,
    "filledEllipse": Picture.fill_ellipse,
    "fill": Picture.fill,
    "string": Picture.string,
    "stringUp": Picture.string_up,
    "stringFT": Picture.string_ft,
    "copy": Picture.copy,
    "copyResized": Picture.copy_resized,
    "copyResampled": Picture.copy_resized,
    "setThickness": Picture.set_thickness,
    "alphaBlending": Picture.set_blending,
    "saveAlpha": Picture.set_alpha,
    "sizeXY": Picture.size,
    "sizeX": Picture.width,
    "sizeY": Picture.height,
}
"""Functions of a picture by their names in lua-gd."""

_COPIES: Final = ("copy", "copyResized", "copyResampled")


class Pictures:
    """The pictures of one template."""

    def __init__(self, folder: str) -> None:
        self.files: dict[str, str] = {}
        """Name in the folder of drawn pictures -> content in base 64."""
        self._folder = folder
        self._pictures: list[Picture] = []

    def call(self, name: str, *arguments: Any) -> tuple[Any, ...]:
        """Do what a function of lua-gd does; those of a picture get its number first.

        Returns:
            True and the results, or False and what is wrong, so that Lua can say where.
        """
        try:
            if name == "measureFT":
                return True, *measured(*arguments)
            if name in _CREATORS:
                return True, self._create(*arguments, has_ground=name not in _PALETTES)
            picture = self._picture(arguments[0])
            if name in _COPIES:  # the second one is a picture too
                arguments = (arguments[0], self._picture(arguments[1]["number"]), *arguments[2:])
            if name in _FORMATS:
                return True, self._save(picture, arguments[1], name)
            if name not in _METHODS:
                known = ", ".join(sorted((*_METHODS, *_FORMATS)))
                return False, f'pictures of gd have no "{name}" here; they have {known}'
            result = _METHODS[name](picture, *arguments[1:])
        except LuaPictureError as error:
            return False, f"gd: {name}: {error}"
        except (
            ArithmeticError,
            AttributeError,
            LookupError,
            OSError,
            TypeError,
            ValueError,
        ) as error:
            return False, f"gd: {name}: wrong arguments ({error})"
        return (True, *cast("tuple[Any]", result)) if isinstance(result, tuple) else (True, result)

    def _picture(self, number: Any) -> Picture:
        index = int(number)
        if not 0 < index <= len(self._pictures):
            raise LuaPictureError(f"there is no picture {index}")
        return self._pictures[index - 1]

    def _create(self, width: float, height: float, *, has_ground: bool) -> int:
        size = int(width), int(height)
        if min(size) < 1:
            raise LuaPictureError(f"a picture of {size[0]} x {size[1]} pixels has none")
        drawn = sum(math.prod(picture.size()) for picture in self._pictures)
        if drawn + math.prod(size) > MAX_PIXELS:
            raise LuaPictureError(f"pictures have at most {MAX_PIXELS} pixels together")
        self._pictures.append(Picture(*size, has_ground=has_ground))
        return len(self._pictures)

    def _save(self, picture: Picture, name: Any, kind: str) -> bool:
        if not isinstance(name, str) or not name.isprintable():
            raise LuaPictureError("the name of a file is a text that can be printed")
        place = name.replace("\\", "/").removeprefix(self._folder)
        if not is_base_name(place):
            raise LuaPictureError(f'pictures go to the folder of temporary files, not to "{name}"')
        mode = "RGBA" if picture.keeps_alpha and kind != "jpeg" else "RGB"
        content = io.BytesIO()
        picture.image.convert(mode).save(content, _FORMATS[kind])
        self.files[place] = base64.b64encode(content.getvalue()).decode("ascii")
        if len(self.files) > MAX_PICTURES:
            raise LuaPictureError(f"a template draws at most {MAX_PICTURES} pictures")
        if sum(map(len, self.files.values())) * 3 // 4 > MAX_PICTURE_BYTES:
            raise LuaPictureError(f"pictures have at most {MAX_PICTURE_BYTES} bytes together")
        return True
