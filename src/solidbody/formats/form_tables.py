"""Reads tables of forms (`.forms`): what a thing looks like, one line for each box, lathed profile, tube ...

Our own stand-ins are drawn with them: some thousand triangles from a few hundred bytes, made in milliseconds.

    paint white 0.9 0.9 0.9 0.4 0        colour, then roughness and metalness; clear=t, glow=r,g,b
    part head                            what follows, up to the next `part`, is `table.forms#head`
    box white 0.1 0.12 0.1 bevel=0.01    a form, its paint, its sizes; where: at=x,y,z turn=x,y,z [deg] axis=y
    use head mirror=y                    the forms of another part again

Lengths are in metres. `mirror=y` draws a form on both sides (`mirror=xy`: four times), `repeat=n` n times
around the z axis of the part. All forms of a part with one paint are one mesh.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from solidbody.base.transforms import Vec3
from solidbody.formats.assets import STANDINS
from solidbody.formats.geometry.car_shells import CarShell
from solidbody.formats.geometry.drawn_forms import (
    Drawn,
    ball,
    box,
    joined,
    lathe,
    loft,
    prism,
    rounded,
    tube,
)
from solidbody.formats.geometry.polygons import Floats
from solidbody.formats.meshes import MAX_TRIANGLES, MeshError, MeshPart, read_bytes
from solidbody.model.geometry import GeometryMesh

SUFFIX: Final = ".forms"
INSIDE: Final = "black"
"""Paint of the underside of cars and the insides of their wheel arches."""
MAX_COUNT: Final = 512
"""Of pieces around, copies, or steps."""
MAX_LENGTH: Final = 1e4
"""No form is larger [m]."""

_AXES: Final = {
    "x": np.array(((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (-1.0, 0.0, 0.0))),
    "y": np.array(((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, -1.0, 0.0))),
    "z": np.eye(3),
}
"""Turns that take z to an axis."""


@dataclass(frozen=True, slots=True)
class Paint:
    """How a form looks."""

    color: Vec3
    roughness: float
    metalness: float
    opacity: float
    glow: Vec3 | None


PAINTS: Final[Mapping[str, Paint]] = {
    name: Paint((r, g, b), roughness, metalness, opacity, None)
    for name, r, g, b, roughness, metalness, opacity in (
        ("white", 0.86, 0.86, 0.85, 0.35, 0.0, 1.0),
        ("grey", 0.42, 0.43, 0.45, 0.45, 0.0, 1.0),
        ("dark", 0.06, 0.06, 0.065, 0.5, 0.0, 1.0),
        ("black", 0.015, 0.015, 0.016, 0.4, 0.0, 1.0),
        ("rubber", 0.02, 0.02, 0.02, 0.95, 0.0, 1.0),
        ("steel", 0.6, 0.6, 0.62, 0.3, 0.9, 1.0),
        ("alu", 0.78, 0.79, 0.8, 0.35, 0.85, 1.0),
        ("brass", 0.8, 0.6, 0.25, 0.3, 0.9, 1.0),
        ("copper", 0.75, 0.42, 0.25, 0.3, 0.9, 1.0),
        ("red", 0.65, 0.03, 0.02, 0.35, 0.0, 1.0),
        ("orange", 0.9, 0.26, 0.02, 0.4, 0.0, 1.0),
        ("yellow", 0.9, 0.6, 0.02, 0.4, 0.0, 1.0),
        ("green", 0.03, 0.3, 0.08, 0.4, 0.0, 1.0),
        ("blue", 0.02, 0.12, 0.55, 0.35, 0.0, 1.0),
        ("board", 0.01, 0.16, 0.05, 0.4, 0.0, 1.0),
        ("lens", 0.01, 0.01, 0.015, 0.05, 0.0, 1.0),
        ("glass", 0.015, 0.02, 0.025, 0.05, 0.0, 1.0),
        ("clear", 0.8, 0.9, 0.95, 0.1, 0.0, 0.3),
        ("trim", 0.03, 0.03, 0.032, 0.5, 0.0, 1.0),
        ("chrome", 0.7, 0.7, 0.72, 0.15, 0.95, 1.0),
        ("lamp", 0.85, 0.88, 0.9, 0.08, 0.2, 1.0),
        ("tail", 0.5, 0.01, 0.01, 0.15, 0.0, 1.0),
    )
}
"""Paints that every table knows."""


@dataclass(slots=True)
class _Words:
    """What stands behind the first word of a line."""

    plain: list[str]
    named: dict[str, str]

    def number(self, key: str, default: float) -> float:
        return _number(self.named.pop(key)) if key in self.named else default

    def count(self, key: str, default: int) -> int:
        value = self.number(key, default)
        if not 1 <= value <= MAX_COUNT:
            raise MeshError(f"{key} must be between 1 and {MAX_COUNT}, got {value:g}")
        return int(value)

    def vector(self, key: str, default: Vec3 = (0.0, 0.0, 0.0)) -> Floats:
        return _numbers(self.named.pop(key), 3) if key in self.named else np.array(default)

    def sizes(self, *defaults: float | None) -> list[float]:
        """Return the plain numbers; those with a default may be missing."""
        given = [_number(word) for word in self.plain]
        rest = defaults[len(given) :]
        if len(given) > len(defaults) or None in rest:
            raise MeshError(f"it takes {len(defaults)} numbers, got {len(given)}")
        return given + [value for value in rest if value is not None]

    def points(self, width: int, least: int) -> Floats:
        """Return the plain words as points."""
        if len(self.plain) < least:
            raise MeshError(f"it needs {least} points at least")
        return np.stack([_numbers(word, width) for word in self.plain])

    def curve(self, key: str) -> Floats:
        """Return places and values `x:v,x:v...`."""
        if key not in self.named:
            raise MeshError(f"it needs {key}=")
        rows = np.stack(
            [_numbers(pair.replace(":", ","), 2) for pair in self.named.pop(key).split(",")]
        )
        if len(rows) < 2 or not np.all(np.diff(rows[:, 0]) > 0.0):
            raise MeshError(f"the places of {key} must grow")
        return rows


def _number(word: str) -> float:
    try:
        value = float(word)
    except ValueError:
        raise MeshError(f'"{word}" is no number') from None
    if not abs(value) <= MAX_LENGTH:
        raise MeshError(f"{word} is out of range")
    return value


def _numbers(word: str, count: int) -> Floats:
    found = [_number(item) for item in word.split(",")]
    if len(found) != count:
        raise MeshError(f'"{word}" should be {count} numbers')
    return np.array(found)


# forms


def _cylinder(words: _Words) -> Drawn:
    radius, height = words.sizes(None, None)
    upper = words.number("top", radius)
    hollow = words.number("hole", 0.0)
    half = height / 2.0
    corners = [(radius, -half), (upper, half)]
    bevel = words.number("bevel", 0.0)
    if hollow > 0.0:
        line = np.array([(hollow, -half), *corners, (hollow, half)])
        profile = rounded(line, bevel, is_closed=True)
        profile = np.concatenate([profile, profile[:1]])
    else:
        profile = rounded(np.array([(0.0, -half), *corners, (0.0, half)]), bevel, is_closed=False)
    return lathe(profile, words.count("n", 32))


def _lathe(words: _Words) -> Drawn:
    profile = rounded(words.points(2, 2), words.number("round", 0.0), is_closed=False)
    return lathe(profile, words.count("n", 32), tread=words.number("tread", 0.0))


def _tyre(words: _Words) -> Drawn:
    """A tyre: radius, width, radius of the rim."""
    radius, width, rim = words.sizes(None, None, None)
    depth, half = radius - rim, width / 2.0
    profile = np.array([
        (rim, -0.8 * half), (rim + 0.35 * depth, -half), (rim + 0.75 * depth, -half), (radius, -0.8 * half),
        (radius, 0.8 * half), (rim + 0.75 * depth, half), (rim + 0.35 * depth, half), (rim, 0.8 * half),
    ])  # fmt: skip
    profile = rounded(profile, 0.22 * depth, is_closed=False, pieces=1)
    profile[:, 0] = np.minimum(profile[:, 0], radius)
    return lathe(profile, words.count("n", 40), tread=words.number("tread", 0.0))


def _box(words: _Words) -> Drawn:
    x, y, z = words.sizes(None, None, None)
    taper = _numbers(words.named.pop("taper", "1,1"), 2)
    return box(np.array((x, y, z)), words.number("bevel", 0.0), (float(taper[0]), float(taper[1])))


def _ball(words: _Words) -> Drawn:
    x, y, z = words.sizes(None, 0.0, 0.0)
    radii = np.array((x, y or x, z or x))
    return ball(radii, words.count("n", 24), max(words.number("power", 2.0), 0.5))


def _tube(words: _Words) -> Drawn:
    radius, *path = words.plain
    words.plain = path
    bend = words.number("bend", 0.0)
    line = rounded(words.points(3, 2), bend, is_closed=False)
    return tube(_number(radius), line, words.count("n", 12), words.number("flat", 1.0))


def _prism(words: _Words) -> Drawn:
    height, *outline = words.plain
    words.plain = outline
    line = rounded(words.points(2, 3), words.number("round", 0.0), is_closed=True)
    return prism(line, _number(height), words.number("bevel", 0.0))


def _loft(words: _Words) -> Drawn:
    rows = [word.split(",") for word in words.plain]
    words.plain = [",".join([*row, *("0", "2.5")[len(row) - 3 :]]) for row in rows]
    return loft(words.points(5, 2), words.count("n", 24), words.count("steps", 3))


_FORMS: Final[Mapping[str, Callable[[_Words], Drawn]]] = {
    "box": _box,
    "cyl": _cylinder,
    "lathe": _lathe,
    "tyre": _tyre,
    "ball": _ball,
    "tube": _tube,
    "prism": _prism,
    "loft": _loft,
}


def _placed(form: Drawn, words: _Words) -> list[Drawn]:
    """Return a form where its line says, as often as it says."""
    axis = words.named.pop("axis", "z")
    if axis not in _AXES:
        raise MeshError(f'axis must be x, y or z, got "{axis}"')
    turn = _turn(words.vector("turn")) @ _AXES[axis]
    forms = [form.moved(turn, words.vector("at"))]
    copies = words.count("repeat", 1)
    if copies > 1:
        about = words.vector("about")
        spin = [_turn(np.array((0.0, 0.0, 360.0 * k / copies))) for k in range(copies)]
        forms = [forms[0].moved(np.eye(3), -about).moved(way, about) for way in spin]
    for letter in words.named.pop("mirror", ""):
        if letter not in _AXES:
            raise MeshError(f'mirror must name axes, got "{letter}"')
        flip = np.eye(3)
        k = "xyz".index(letter)
        flip[k, k] = -1.0
        forms += [item.moved(flip, np.zeros(3)) for item in forms]
    return forms


def _turn(degrees: Floats) -> Floats:
    """Return a turn about x, then y, then z."""
    a, b, c = np.radians(degrees).tolist()
    x = np.array(((1, 0, 0), (0, math.cos(a), -math.sin(a)), (0, math.sin(a), math.cos(a))))
    y = np.array(((math.cos(b), 0, math.sin(b)), (0, 1, 0), (-math.sin(b), 0, math.cos(b))))
    z = np.array(((math.cos(c), -math.sin(c), 0), (math.sin(c), math.cos(c), 0), (0, 0, 1)))
    return z @ y @ x


# tables


@dataclass(slots=True)
class _Table:
    """What was read of a table so far."""

    paints: dict[str, Paint] = field(default_factory=lambda: dict(PAINTS))
    parts: dict[str, list[tuple[str, Drawn]]] = field(
        default_factory=dict[str, "list[tuple[str, Drawn]]"]
    )
    part: str = ""
    shell: CarShell | None = None
    triangles: int = 0

    def take(self, line: str) -> None:
        """Read a line."""
        first, *rest = line.split()
        words = _Words(
            [word for word in rest if "=" not in word],
            dict(word.split("=", 1) for word in rest if "=" in word),
        )
        match first:
            case "paint":
                self._paint(words)
            case "part":
                (self.part,) = words.plain or ("",)
                self.parts.setdefault(self.part, [])
            case "use":
                name = words.plain.pop(0) if words.plain else ""
                if name not in self.parts:
                    raise MeshError(f'there is no part "{name}" above')
                again = list(self.parts[name])
                placed = [_placed(form, _copy(words)) for _, form in again]
                _placed(again[0][1], words) if again else None
                for (paint, _), forms in zip(again, placed, strict=True):
                    self._add(paint, forms)
            case "shell":
                self._shell(words)
            case "pane":
                self._pane(words)
            case _ if first in _FORMS:
                paint = self._paint_name(words)
                form = _FORMS[first](words)
                self._add(paint, _placed(form, words))
            case _:
                raise MeshError(f'there is no form "{first}"; known: {", ".join(_FORMS)}')
        if words.named:
            raise MeshError(f'"{next(iter(words.named))}" is not known here')

    def _paint_name(self, words: _Words) -> str:
        name = words.plain.pop(0) if words.plain else ""
        if name not in self.paints:
            raise MeshError(f'there is no paint "{name}"')
        return name

    def _paint(self, words: _Words) -> None:
        name = words.plain.pop(0) if words.plain else ""
        r, g, b, rough, metal = words.sizes(None, None, None, 0.4, 0.0)
        clear = words.number("clear", 0.0)
        values = np.clip([r, g, b, rough, metal, 1.0 - clear], 0.0, 1.0).tolist()
        glow = words.vector("glow") if "glow" in words.named else None
        lit = None if glow is None else (float(glow[0]), float(glow[1]), float(glow[2]))
        self.paints[name] = Paint(
            (values[0], values[1], values[2]), values[3], values[4], values[5], lit
        )

    def _shell(self, words: _Words) -> None:
        paint = self._paint_name(words)
        arches = tuple(
            (float(x), float(z), float(r))
            for x, z, r in (
                _numbers(item, 3) for item in words.named.pop("arches", "").split(";") if item
            )
        )
        curves = {key: words.curve(key) for key in ("low", "belt", "roof", "wide")}
        soft = {key: words.number(f"{key}_round", 0.0) for key in curves}
        for key, radius in soft.items():
            curves[key] = rounded(curves[key], radius, is_closed=False)
        self.shell = CarShell(**curves, top=words.number("top", 0.7), arches=arches)
        skin, dark = self.shell.skin()
        self._add(paint, [skin])
        self._add(INSIDE, [dark])

    def _pane(self, words: _Words) -> None:
        if self.shell is None:
            raise MeshError("a pane needs a shell above it")
        paint = self._paint_name(words)
        kind = words.plain.pop(0) if words.plain else ""
        if kind == "top":
            start, end, share = words.sizes(None, None, 0.9)
            self._add(paint, [self.shell.top_pane(start, end, share)])
        elif kind == "side":
            self._add(paint, [self.shell.side_pane(words.points(2, 3), words.number("round", 0.0))])
        else:
            raise MeshError('a pane is "top" or "side"')

    def _add(self, paint: str, forms: list[Drawn]) -> None:
        self.triangles += sum(len(form.triangles) for form in forms)
        if self.triangles > MAX_TRIANGLES:
            raise MeshError(f"it has more than {MAX_TRIANGLES} triangles")
        self.parts.setdefault(self.part, []).extend((paint, form) for form in forms)


def _copy(words: _Words) -> _Words:
    return _Words(list(words.plain), dict(words.named))


def split_address(address: str) -> tuple[str, str | None]:
    """Return the file of an address and the part that stands behind "#"; None if it is no table of forms."""
    file, _, part = address.partition("#")
    return (file, part) if file.endswith(SUFFIX) else (address, None)


def read_forms(path: Path, part: str) -> tuple[MeshPart, ...]:
    """Return a part of a table, one mesh for each paint; "" is what stands before all parts.

    The meshes are made when somebody looks at them: a run that draws nothing does not wait for them.

    Raises:
        MeshError: It is none of our own tables, cannot be read, or has no such part.
    """
    if not path.is_relative_to(STANDINS):
        raise MeshError("only solidbody's own stand-ins are drawn with tables of forms")
    text = read_bytes(path).decode("utf-8")
    found = _listed(text).get(part)
    if not found:
        raise MeshError(f'it has no part "{part}"; known: {", ".join(filter(None, _listed(text)))}')
    return found


@lru_cache(maxsize=256)
def _listed(text: str) -> Mapping[str, tuple[MeshPart, ...]]:
    """Return what each part of a table will be drawn with; sizes and places are not read yet."""
    table = _Table()
    used: dict[str, dict[str, None]] = {"": {}}
    part = ""
    for line in _lines(text):
        first, *rest = line.split()
        match first:
            case "paint":
                table.take(line)
            case "part":
                part = rest[0]
                used.setdefault(part, {})
            case "use":
                used[part].update(used[rest[0]])
            case "shell":
                used[part].update({rest[0]: None, INSIDE: None})
            case _:
                used[part][rest[0]] = None
    return {
        name: tuple(_part(text, name, paint, table.paints[paint]) for paint in paints)
        for name, paints in used.items()
    }


def _part(text: str, name: str, paint: str, look: Paint) -> MeshPart:
    return MeshPart(
        paint, GeometryMeshOfForms(text, name, paint), look.color, look.opacity,
        roughness=look.roughness, metalness=look.metalness, glow=look.glow,
    )  # fmt: skip


def _lines(text: str) -> list[str]:
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    return [line for line in lines if line]


@lru_cache(maxsize=64)
def meshes_of(text: str) -> Mapping[str, Mapping[str, GeometryMesh]]:
    """Return the meshes of a table by part and paint.

    Raises:
        MeshError: A line of it is wrong.
    """
    table = _Table()
    for line in _lines(text):
        try:
            table.take(line)
        except (MeshError, ValueError) as error:
            raise MeshError(f"{line[:60]}: {error}") from error
    return {name: _meshes(forms) for name, forms in table.parts.items()}


def _meshes(forms: list[tuple[str, Drawn]]) -> Mapping[str, GeometryMesh]:
    by_paint: dict[str, list[Drawn]] = {}
    for name, form in forms:
        by_paint.setdefault(name, []).append(form)
    result: dict[str, GeometryMesh] = {}
    for name, same in by_paint.items():
        drawn = joined(same)
        result[name] = GeometryMesh(
            tuple((x, y, z) for x, y, z in drawn.points.tolist()),
            tuple((a, b, c) for a, b, c in drawn.triangles.tolist()),
            tuple((x, y, z) for x, y, z in drawn.normals.tolist()),
        )
    return result


class GeometryMeshOfForms(GeometryMesh):
    """A mesh of a table of forms, made when its triangles are asked for."""

    __slots__ = ("_of",)
    _of: tuple[str, str, str]

    def __init__(self, text: str, part: str, paint: str) -> None:
        object.__setattr__(self, "_of", (text, part, paint))

    def _mesh(self) -> GeometryMesh:
        text, part, paint = self._of
        return meshes_of(text)[part][paint]

    @property
    def vertices(self) -> Any:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Return the points [m]."""
        return self._mesh().vertices

    @property
    def triangles(self) -> Any:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Return the triangles."""
        return self._mesh().triangles

    @property
    def normals(self) -> Any:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Return the normals of the corners."""
        return self._mesh().normals

    @property
    def texture_coordinates(self) -> Any:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Return nothing: such meshes have no pictures."""
        return ()

    @property
    def two_sided(self) -> Any:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Return that they are seen from outside only."""
        return False

    def __eq__(self, other: object) -> bool:
        if isinstance(other, GeometryMeshOfForms):
            return self._of == other._of
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self._of)

    def __reduce__(self) -> Any:
        return GeometryMeshOfForms, self._of
