"""Writes plain values as YAML text, in the style of Choreonoid's own files.

Mappings and lists of mappings are blocks; lists of numbers and words stand on one line, long ones on
several. Numbers are written in the shortest form that gives the same double again.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast

from solidbody.base.transforms import ZERO, Pose, Quat, Vec3, quat_to_axis_angle
from solidbody.formats.choreonoid.keys.access import DEGREE

INDENT: Final = "  "
_NUMBERS_PER_LINE: Final = 12
_ESCAPES: Final = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_NOISE: Final = 1e-15
"""[m] Positions below this come from rounding."""

_PLAIN_WORD: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_./+-]*")


@dataclass(frozen=True, slots=True)
class RawYaml:
    """A value that is YAML on one line already."""

    text: str


Yaml = (
    bool
    | int
    | float
    | str
    | RawYaml
    | Sequence["Yaml"]
    | Sequence[float]
    | Mapping[str, "Yaml"]
    | None
)
"""What can be written; pairs with None are left out."""

YamlPairs = dict[str, Yaml]


def yaml_text(pairs: Mapping[str, Yaml]) -> str:
    """Return a document that is one mapping."""
    return "\n".join(_mapping_lines(pairs, 0)) + "\n"


def number_text(value: float) -> str:
    """Return the shortest text that reads back as the same number."""
    if float(value).is_integer() and abs(value) < 1e15:
        return str(int(value))
    return repr(float(value))


def word_text(value: str) -> str:
    """Return a text as a scalar, in quotes where it is more than a plain word."""
    if _PLAIN_WORD.fullmatch(value):
        return value
    return f'"{"".join(map(_escaped, value))}"'


def _escaped(character: str) -> str:
    """Return a character as it stands between double quotes; YAML takes printable ones as they are."""
    known = _ESCAPES.get(character)
    if known is not None:
        return known
    if character.isprintable():
        return character
    code = ord(character)
    if code < 0x10000:
        return f"\\x{code:02X}" if code < 0x100 else f"\\u{code:04X}"
    return f"\\U{code:08X}"


def degrees(angle: float) -> float:
    """Return an angle [rad] in degrees: the shortest number that is read as the same angle, if any."""
    nearest = angle / DEGREE
    for digits in range(3, 18):
        rounded = float(f"{nearest:.{digits}g}")
        if rounded * DEGREE == angle:
            return rounded
    for way in (-math.inf, math.inf):
        neighbour = nearest
        for _ in range(3):
            neighbour = math.nextafter(neighbour, way)
            if neighbour * DEGREE == angle:
                return neighbour
    return nearest


def rotation_value(rotation: Quat) -> tuple[float, float, float, float] | None:
    """Return a rotation as axis and angle [degree], without the noise of last places; None for none.

    Rounding moves the rotation by less than 1e-14 rad.
    """
    axis, angle = quat_to_axis_angle(rotation)
    turn = round(angle / DEGREE, 12)
    if turn == 0.0:
        return None
    x, y, z = (round(component, 15) + 0.0 for component in axis)
    return (x, y, z, turn)


def translation_value(position: Vec3) -> Vec3 | None:
    """Return a displacement without the noise of last places; None for none."""
    x, y, z = (0.0 if abs(component) < _NOISE else component for component in position)
    return None if (x, y, z) == ZERO else (x, y, z)


def place_pairs(pose: Pose) -> YamlPairs:
    """Return the keys of a place; what is at its default is left out."""
    return {
        "translation": translation_value(pose.position),
        "rotation": rotation_value(pose.rotation),
    }


def value_text(value: Yaml) -> str:
    """Return a scalar or a list of scalars on one line."""
    if not isinstance(value, list | tuple):
        return _scalar_text(value)
    return f"[{', '.join(map(_scalar_text, cast('Sequence[Yaml]', value)))}]"


def _scalar_text(value: Yaml) -> str:
    match value:
        case RawYaml():
            return value.text
        case bool():
            return "true" if value else "false"
        case str():
            return word_text(value)
        case int() | float():
            return number_text(value)
        case _:
            raise TypeError(f"{value!r} is no scalar")


def _is_block(value: Yaml) -> bool:
    """Whether a value is written on lines of its own."""
    if isinstance(value, Mapping):
        return bool(value)
    if isinstance(value, list | tuple):
        return any(isinstance(item, Mapping) for item in cast("Sequence[Yaml]", value))
    return False


def _mapping_lines(pairs: Mapping[str, Yaml], level: int) -> Iterator[str]:
    for key, value in pairs.items():
        if value is None:
            continue
        before = f"{INDENT * level}{word_text(key)}:"
        if isinstance(value, Mapping):
            inner = cast("Mapping[str, Yaml]", value)
            if all(item is None for item in inner.values()):
                yield f"{before} {{}}"
            else:
                yield before
                yield from _mapping_lines(inner, level + 1)
        elif _is_block(value):
            yield before
            yield from _list_lines(cast("Sequence[Mapping[str, Yaml]]", value), level + 1)
        else:
            yield from _flow_lines(before, value, level + 1)


def _list_lines(items: Sequence[Mapping[str, Yaml]], level: int) -> Iterator[str]:
    for item in items:
        for number, line in enumerate(_mapping_lines(item, level + 1)):
            start = f"{INDENT * level}- "
            yield start + line[len(start) :] if number == 0 else line


def _flow_lines(before: str, value: Yaml, level: int) -> Iterator[str]:
    if not isinstance(value, list | tuple):
        yield f"{before} {_scalar_text(value)}"
        return
    if len(value) <= _NUMBERS_PER_LINE:
        yield f"{before} {value_text(value)}"
        return
    texts = [_scalar_text(item) for item in cast("Sequence[Yaml]", value)]
    yield f"{before} ["
    for start in range(0, len(texts), _NUMBERS_PER_LINE):
        comma = "," if start + _NUMBERS_PER_LINE < len(texts) else ""
        row = ", ".join(texts[start : start + _NUMBERS_PER_LINE])
        yield f"{INDENT * level}{row}{comma}"
    yield f"{INDENT * level}]"
