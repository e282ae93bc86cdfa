"""Pictures that Lua templates draw with gd: what is on them, where they go, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from solidbody.formats.loading import read_scene
from solidbody.formats.options import LoadOptions
from solidbody.formats.webots.protos.lua_gd import Pictures
from tests.formats.protos.projects import LUA, write_project
from tests.formats.reading import the

WHITE, RED = 0xFFFFFF, 0xFF0000

SIGN = (
    f'{LUA}PROTO Sign [ field SFString text "H" field SFBool isFound FALSE ] {{\n'
    "%{\n"
    'local gd, debug = require("gd"), require("debug")\n'
    "local im = gd.createTrueColor(64, 64)\n"
    "im:filledRectangle(0, 0, 63, 63, im:colorAllocate(255, 255, 255))\n"
    "gd.fontCacheSetup()\n"
    'im:stringFT(im:colorAllocate(0, 0, 0), "Arial", 48, 0, 9, 56, fields.text.value)\n'
    "gd.fontCacheShutdown()\n"
    "local name = debug.getinfo(1, 'S').source\n"
    "local i = 0\n"
    'local file = io.open(name .. i .. ".png", "r")\n'
    'while file do file:close() i = i + 1 file = io.open(name .. i .. ".png", "r") end\n'
    'im:png(name .. i .. ".png")\n'
    "}%\n"
    "Solid { name IS text children [ Shape { appearance Appearance { texture ImageTexture { url [ "
    "%{= '\"' .. context.temporary_files_path .. name .. i .. '.png\"' }% ] } } "
    "geometry Box { } } ] }\n}\n"
)


def addresses(folder: Path, world: str) -> list[str]:
    """Return the addresses of the textures of a world of signs, all of which can be opened."""
    path = write_project(folder, world, {"Sign": SIGN})
    scene, log = read_scene(path, options=LoadOptions(cache=folder / "cache", check_images=True))
    assert [item.text for item in log] == []
    assert scene is not None
    looks = [shape.appearance for link in scene.links() for shape in link.shapes]
    return [look.texture.uri for look in looks if look is not None and look.texture is not None]


def darkness(picture: Image.Image) -> int:
    """Return how many pixels letters cover."""
    return sum(picture.convert("L").histogram()[:128])


def drawn(*steps: tuple[object, ...], size: tuple[int, int] = (20, 10)) -> Pictures:
    """Return a picture, number 1, after some steps that all must go well."""
    pictures = Pictures("/cache/drawn/")
    assert pictures.call("createTrueColor", *size) == (True, 1)
    for name, *arguments in steps:
        answer = pictures.call(str(name), 1, *arguments)
        assert answer[0] is True, answer
    return pictures


def pixels(pictures: Pictures, *places: tuple[int, int]) -> list[int]:
    """Return the colours of the first picture at some places."""
    return [pictures.call("getPixel", 1, *place)[1] for place in places]


def test_signs_show_their_letters(tmp_path: Path) -> None:
    """A dot covers fewer pixels than an H; white paper is the rest."""
    names = addresses(tmp_path, 'Sign { text "H" } Sign { text "." }')
    letters = [darkness(Image.open(name)) for name in names]
    assert len(set(names)) == 2 and all(
        Path(name).is_relative_to(tmp_path / "cache") for name in names
    )
    assert letters[0] > 5 * letters[1] > 0


def test_pictures_of_other_values_have_other_names(tmp_path: Path) -> None:
    """A camera may have kept the picture of the first ones; the same values give the same name."""
    first, second, again = (
        addresses(tmp_path, f'Sign {{ text "H" isFound {found} }}')
        for found in ("FALSE", "TRUE", "FALSE")
    )
    assert first == again != second


def test_what_gd_cannot_do_here_is_said_where_it_is_asked_for(tmp_path: Path) -> None:
    body = 'local im = require("gd").createTrueColor(2, 2)\nim:gaussianBlur()'
    proto = f"{LUA}PROTO P [ ] {{\n%{{\n{body}\n}}%\nGroup {{ }} }}\n"
    _, log = read_scene(write_project(tmp_path, "P { }", {"P": proto}))
    said = the(log, "template-error")
    assert 'pictures of gd have no "gaussianBlur" here; they have alphaBlending, arc,' in said.text
    assert said.span is not None and said.span.line == 5


def test_boxes_have_both_their_corners() -> None:
    pictures = drawn(("filledRectangle", 6, 5, 2.9, 1, WHITE), ("rectangle", 0, 0, 19, 9, RED))
    inside = pixels(pictures, (2, 1), (6, 5), (1, 1), (7, 5), (0, 0), (19, 9))
    assert inside == [WHITE, WHITE, 0, 0, RED, RED]


def test_lines_polygons_ellipses_and_floods() -> None:
    corners = {1: {1: 0, 2: 0}, 2: {1: 8, 2: 0}, 3: {1: 0, 2: 8}}
    pictures = drawn(
        ("filledPolygon", corners, WHITE),
        ("filledEllipse", 15, 5, 8, 8, RED),
        ("line", 0, 9, 19, 9, RED),
        ("setPixel", 19, 0, WHITE),
        ("fill", 10, 0, 0x0000FF),
    )
    found = pixels(pictures, (1, 1), (15, 5), (7, 9), (19, 0), (10, 4))
    assert found == [WHITE, RED, RED, WHITE, 0x0000FF]


def test_clear_colours_are_mixed_with_what_is_below() -> None:
    """64 of 127: half of red on white; without blending the picture itself is clear there."""
    ground = ("filledRectangle", 0, 0, 19, 9, WHITE)
    half = (64 << 24) | RED
    mixed = drawn(ground, ("filledRectangle", 0, 0, 0, 0, half))
    assert pixels(mixed, (0, 0)) == [0xFF8080]
    replaced = drawn(ground, ("alphaBlending", False), ("filledRectangle", 0, 0, 0, 0, half))
    assert pixels(replaced, (0, 0)) == [half]


def test_first_colour_of_a_palette_is_that_of_the_ground() -> None:
    pictures = Pictures("/cache/drawn/")
    pictures.call("create", 2, 2)
    assert pictures.call("colorAllocate", 1, 255, 0, 0) == (True, RED)
    assert pictures.call("colorAllocate", 1, 255, 255, 255) == (True, WHITE)
    assert pixels(pictures, (1, 1)) == [RED]


def test_turned_letters_go_upwards() -> None:
    """Of a text at the middle of a square, turned by a quarter, nothing is right of the middle and below."""
    pictures = drawn(("stringFT", WHITE, "any", 15, 3.14159 / 2, 40, 40, "HHH"), size=(80, 80))
    column = [y for y in range(80) for x in range(80) if pixels(pictures, (x, y)) == [WHITE]]
    assert max(column) <= 40 and min(column) < 10


@pytest.mark.parametrize("name", ["../x.png", "/etc/x.png", "", "a/b.png", ".."])
def test_pictures_go_nowhere_else(name: str) -> None:
    pictures = drawn()
    answer = pictures.call("png", 1, name)
    text = f'gd: png: pictures go to the folder of temporary files, not to "{name}"'
    assert answer == (False, text)
    assert pictures.files == {}


@pytest.mark.parametrize(
    ("name", "arguments", "text"),
    [
        ("createTrueColor", (0, 5), "gd: createTrueColor: a picture of 0 x 5 pixels has none"),
        (
            "createTrueColor",
            (9e3, 9e3),
            "gd: createTrueColor: pictures have at most 16777216 pixels",
        ),
        ("line", (1, 2, 3), "gd: line: wrong arguments ("),
        ("png", (7, "x.png"), "gd: png: there is no picture 7"),
        ("png", (1, "a\0b.png"), "gd: png: the name of a file is a text that can be printed"),
        ("png", (1, None), "gd: png: the name of a file is a text that can be printed"),
        ("stringFT", (1, 0, "f", 9, 0, 0, 0, "x" * 1001), "gd: stringFT: a text has at most 1000"),
        ("stringFT", (1, 0, "f", 3e3, 0, 0, 0, "H"), "gd: stringFT: the letters are too large"),
        ("stringFT", (1, 0, "f", 1e9, 0, 0, 0, "H"), "gd: stringFT: the letters are too large"),
        ("stringFT", (1, 0, "f", "x", 0, 0, 0, "H"), "gd: stringFT: wrong arguments ("),
    ],
)
def test_mistakes_are_named(name: str, arguments: tuple[object, ...], text: str) -> None:
    is_well, said = drawn().call(name, *arguments)
    assert not is_well and said.startswith(text)


def gd_result(folder: Path, code: str) -> tuple[str, list[str]]:
    """Return what a Lua template with gd writes as the name of a solid, and all messages."""
    proto = (
        f'{LUA}PROTO P [ ] {{\n%{{\nlocal gd = require("gd")\n{code}\n}}%\n'
        'Solid { name "%{= result }%" }\n}\n'
    )
    scene, log = read_scene(write_project(folder, "P { }", {"P": proto}))
    assert scene is not None
    return next((link.name for link in scene.links()), ""), [item.text for item in log]


def test_texts_are_measured_without_a_picture(tmp_path: Path) -> None:
    """As panels of Webots do before they write: the corners are the same as with one."""
    code = (
        'local a = {gd.stringFT(nil, 0, "Arial", 24, 0, 5, 40, "Hallo")}\n'
        "local im = gd.createTrueColor(200, 100)\n"
        'local b = {im:stringFT(0, "Arial", 24, 0, 5, 40, "Hallo")}\n'
        'local result = table.concat(a, " ")\n'
        'if result ~= table.concat(b, " ") then result = "differs" end\n'
    )
    name, said = gd_result(tmp_path, code)
    left, lower, right, *_, upper = (int(part) for part in name.split())
    assert said == [] and right > left >= 5 and lower >= 40 > upper


def test_functions_of_pictures_are_functions_of_the_module_too(tmp_path: Path) -> None:
    code = (
        "local a, b = gd.createTrueColor(8, 8), gd.createTrueColor(4, 4)\n"
        "gd.filledRectangle(a, 0, 0, 7, 7, gd.colorAllocate(a, 255, 0, 0))\n"
        "gd.copy(b, a, 1, 1, 0, 0, 2, 2)\n"
        "b:copyResized(a, 3, 3, 0, 0, 1, 1, 8, 8)\n"
        "local result = table.concat({gd.sizeX(a), gd.getPixel(b, 0, 0), gd.getPixel(b, 2, 2), "
        'b:getPixel(3, 3)}, " ")\n'
    )
    assert gd_result(tmp_path, code) == (f"8 0 {RED} {RED}", [])


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("gd.line(nil, 0, 0, 1, 1, 0)", "gd.line: expected a picture first, got nil"),
        ("gd.line({}, 0, 0, 1, 1, 0)", "gd.line: expected a picture first, got table"),
        ("gd.line({number = 3}, 0, 0, 1, 1, 0)", "gd: line: there is no picture 3"),
        ('gd.createFromPng("x.png")', "gd.createFromPng: expected a picture first, got string"),
        ("gd.createTrueColor(2, 2):copy(nil, 0, 0, 0, 0, 1, 1)", "gd: copy: wrong arguments ("),
        ('gd.stringFT(nil, 0, "Arial", 1e9, 0, 0, 0, "x")', "the letters are too large"),
        ('gd.stringFT(nil, 0, "Arial")', "gd: measureFT: wrong arguments ("),
    ],
)
def test_mistakes_with_the_module_are_named(tmp_path: Path, code: str, text: str) -> None:
    name, said = gd_result(tmp_path, f"{code}\nlocal result = 1")
    assert name == "" and len(said) == 1 and text in said[0]
