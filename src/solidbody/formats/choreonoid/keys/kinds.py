"""Value types of keys (numbers, angles, flags, vectors, choices): how each is read and written.

Each reader takes the mapping, the spelling of the key and its value, and returns None after one message.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any, Final, TypeGuard, TypeVar

from solidbody.base.transforms import (
    IDENTITY,
    ZERO,
    Quat,
    Vec3,
    add,
    normalized,
    quat_from_axis_angle,
    quat_multiply,
)
from solidbody.formats.choreonoid.keys.access import Keys, shown
from solidbody.formats.choreonoid.keys.table import ValueKind
from solidbody.formats.choreonoid.keys.yaml_text import (
    Yaml,
    degrees,
    rotation_value,
    translation_value,
)
from solidbody.formats.choreonoid.keys.yaml_tree import YamlList, YamlNode, YamlScalar
from solidbody.formats.geometry.affine import MAX_COORDINATE
from solidbody.model.mass import Tensor

V = TypeVar("V")
E = TypeVar("E", bound=Enum)

Pair = tuple[float, float]

_FLAGS: Final = {
    form: word in ("y", "yes", "true", "on")
    for word in ("y", "yes", "true", "on", "n", "no", "false", "off")
    for form in (word, word.capitalize(), word.upper())
}

_NUMBER: Final = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)
_DECIMAL: Final = re.compile(r"-?\d{1,17}(?:\.\d*)?", re.ASCII)
_NOT_FINITE: Final = re.compile(r"[-+]?\.?(?:nan|inf(?:inity)?)", re.IGNORECASE)

_ASYMMETRY: Final = 1e-6
"""Share of the largest entry by which opposite entries may differ: six written digits."""

_SHORTEST_AXIS: Final = 1e-6
"""Length below which Choreonoid refuses the axis of a rotation."""


# ---------------------------------------------------------------------------------------- numbers


def number_of(keys: Keys, name: str, value: YamlNode) -> float | None:
    """Return a finite number."""
    number = _scalar_number(keys, name, value) if isinstance(value, YamlScalar) else None
    if number is None:
        keys.wrong(name, value, "a number")
    elif not math.isfinite(number):
        text = f"expected a finite number, got {shown(value)}."
        keys.error("not-finite", name, text, span=value.span)
        return None
    return number


def _scalar_number(keys: Keys, name: str, value: YamlScalar) -> float | None:
    text = value.text.strip()
    if _NUMBER.fullmatch(text):
        return float(text)
    return math.nan if _NOT_FINITE.fullmatch(text) else _leading_number(keys, name, value)


def _leading_number(keys: Keys, name: str, value: YamlScalar) -> float | None:
    """Return the number that a text begins with: Choreonoid reads that much and no more."""
    match = _NUMBER.match(value.text.lstrip())
    if match is None:
        return None
    text = f"expected a number, got {shown(value)}; read as {match.group()}."
    keys.warning("trailing-text", name, text, span=value.span)
    return float(match.group())


def angle_of(keys: Keys, name: str, value: YamlNode) -> float | None:
    """Return an angle [rad], converted from the file's unit."""
    number = number_of(keys, name, value)
    return None if number is None else number * keys.reading.angle_factor


def integer_of(keys: Keys, name: str, value: YamlNode) -> int | None:
    """Return a whole number."""
    number = number_of(keys, name, value)
    if number is None:
        return None
    if number != int(number):
        text = f"expected a whole number, got {shown(value)}; read as {int(number)}."
        keys.warning("not-whole", name, text, span=value.span)
    return int(number)


def _positive_of(keys: Keys, name: str, value: YamlNode) -> float | None:
    number = number_of(keys, name, value)
    if number is None or number > 0.0:
        return number
    return keys.error("out-of-range", name, f"expected a number above 0, got {number:g}.")


def _not_negative_of(keys: Keys, name: str, value: YamlNode) -> float | None:
    number = number_of(keys, name, value)
    if number is None or number >= 0.0:
        return number
    return keys.error("out-of-range", name, f"expected a number not below 0, got {number:g}.")


def _share_of(keys: Keys, name: str, value: YamlNode) -> float | None:
    number = number_of(keys, name, value)
    if number is None:
        return None
    cut = min(max(number, 0.0), 1.0)
    if cut != number:
        text = f"expected a number from 0 to 1, got {number:g}; {cut:g} is used."
        keys.warning("out-of-range", name, text)
    return cut


def _same(value: Any) -> Yaml:
    return value


NUMBER: Final = ValueKind[float]("number", number_of, _same)
ANGLE: Final = ValueKind[float]("number", angle_of, degrees, unit="degree")
"""In the file's unit, which is the degree unless `angle_unit` says otherwise."""
INTEGER: Final = ValueKind[int]("integer", integer_of, _same)
POSITIVE: Final = ValueKind[float]("number", _positive_of, _same, allowed="> 0")
FAR: Final = ValueKind[float](
    "number", _positive_of, lambda value: value if math.isfinite(value) else None, allowed="> 0"
)
"""A distance; none is written for what is seen however far it is."""
NOT_NEGATIVE: Final = ValueKind[float]("number", _not_negative_of, _same, allowed=">= 0")
SHARE: Final = ValueKind[float]("number", _share_of, _same, allowed="between 0 and 1")


def whole(least: int, most: int) -> ValueKind[int]:
    """Return the kind of whole numbers within limits."""

    def read(keys: Keys, name: str, value: YamlNode) -> int | None:
        number = integer_of(keys, name, value)
        if number is None or least <= number <= most:
            return number
        text = f"expected a whole number from {least} to {most}, got {number}."
        return keys.error("out-of-range", name, text)

    return ValueKind("integer", read, _same, allowed=f"{least} to {most}")


# --------------------------------------------------------------------------------- flags and texts


def flag_of(keys: Keys, name: str, value: YamlNode) -> bool | None:
    """Return a truth value: y, yes, true, on and their opposites."""
    flag = _FLAGS.get(value.text) if isinstance(value, YamlScalar) else None
    if flag is None:
        keys.wrong(name, value, "true or false (or yes, no, on, off, y, n)")
    return flag


def _opposite_of(keys: Keys, name: str, value: YamlNode) -> bool | None:
    flag = flag_of(keys, name, value)
    return None if flag is None else not flag


def _text_of(keys: Keys, name: str, value: YamlNode) -> str | None:
    if isinstance(value, YamlScalar):
        return value.text
    return keys.wrong(name, value, "a text")


def _texts_of(keys: Keys, name: str, value: YamlNode) -> tuple[str, ...]:
    """Return a list of texts; a single one counts as a list of one."""
    items = value.items if isinstance(value, YamlList) else (value,)
    return tuple(text for item in items if (text := _text_of(keys, name, item)) is not None)


FLAG: Final = ValueKind[bool]("flag", flag_of, _same)
OPPOSITE: Final = ValueKind[bool]("flag", _opposite_of, lambda value: not value)
"""A flag that says the opposite of what the model has."""
TEXT: Final = ValueKind[str]("text", _text_of, _same)
TEXTS: Final = ValueKind[tuple[str, ...]]("texts", _texts_of, list)


def choice(table: Mapping[str, V]) -> ValueKind[V]:
    """Return the kind of words that stand for something; the first word for a thing is written."""
    words = {value: word for word, value in reversed(list(table.items()))}

    def read(keys: Keys, name: str, value: YamlNode) -> V | None:
        text = value.text if isinstance(value, YamlScalar) else None
        if text is not None and text in table:
            return table[text]
        hint = keys.reading.guess(text, table) if text is not None else ""
        said = f"expected one of {', '.join(table)}, got {shown(value)}.{hint}"
        return keys.error("wrong-value", name, said, span=value.span)

    return ValueKind("word", read, lambda value: words[value], allowed=", ".join(table))


def word_of(words: type[E]) -> ValueKind[E]:
    """Return the kind of the words that are the values of an enumeration."""
    return choice({str(member.value): member for member in words})


# ------------------------------------------------------------------------------------------- lists


def numbers_of(keys: Keys, name: str, value: YamlNode) -> tuple[float, ...] | None:
    """Return a list of numbers of any length."""
    if not isinstance(value, YamlList):
        return keys.wrong(name, value, "a list of numbers")
    read = [
        float(item.text)  # the way of nearly all; anything odd is looked at closely
        if isinstance(item, YamlScalar) and _DECIMAL.fullmatch(item.text)
        else number_of(keys, name, item)
        for item in value.items
    ]
    numbers = tuple(number for number in read if number is not None)
    return numbers if len(numbers) == len(read) else None


def vector_of(keys: Keys, name: str, value: YamlNode, size: int) -> Any:
    """Return a list of exactly `size` numbers."""
    if not isinstance(value, YamlList) or len(value.items) != size:
        return keys.wrong(name, value, f"a list of {size} numbers")
    return numbers_of(keys, name, value)


def vec3_of(keys: Keys, name: str, value: YamlNode) -> Vec3 | None:
    """Return a list of exactly three numbers."""
    return vector_of(keys, name, value, 3)


def _pair_of(keys: Keys, name: str, value: YamlNode) -> Pair | None:
    return vector_of(keys, name, value, 2)


def _ends_of(keys: Keys, name: str, value: YamlNode) -> Pair | None:
    ends = _pair_of(keys, name, value)
    return None if ends is None else (min(ends), max(ends))


def groups_of(keys: Keys, name: str, value: YamlNode, width: int) -> list[tuple[float, ...]] | None:
    """Return a flat list of numbers in groups; what is left over is ignored."""
    numbers = numbers_of(keys, name, value)
    if not numbers:
        return None
    large = next((x for x in numbers if abs(x) >= MAX_COORDINATE), None)
    if large is not None:
        text = f"expected numbers below {MAX_COORDINATE:g}, got {large:g}; the list is not read."
        return keys.error("wrong-value", name, text)
    if len(numbers) % width:
        text = f"expected numbers in groups of {width}, got {len(numbers)}; "
        keys.warning("wrong-value", name, f"{text}those behind the last group are ignored.")
    return [numbers[i : i + width] for i in range(0, len(numbers) - width + 1, width)]


def groups(words: str, width: int) -> ValueKind[Any]:
    """Return the kind of flat lists of numbers that belong together."""

    def read(keys: Keys, name: str, value: YamlNode) -> Any:
        found = groups_of(keys, name, value, width)
        return None if found is None else tuple(found)

    return ValueKind(words, read, _flat)


def _flat(groups: Iterable[Iterable[float]]) -> Yaml:
    return [number for group in groups for number in group]


def _turns_of(keys: Keys, name: str, value: YamlNode) -> tuple[Quat, ...] | None:
    found = groups_of(keys, name, value, 4)
    if found is None:
        return None
    factor = keys.reading.angle_factor
    return tuple(quat_from_axis_angle((x, y, z), angle * factor) for x, y, z, angle in found)


def _indices_of(keys: Keys, name: str, value: YamlNode) -> tuple[int, ...] | None:
    numbers = numbers_of(keys, name, value)
    return None if numbers is None else tuple(map(int, numbers))


def _segments_of(keys: Keys, name: str, value: YamlNode) -> tuple[tuple[int, int], ...] | None:
    found = groups_of(keys, name, value, 2)
    return None if found is None else tuple((int(a), int(b)) for a, b in found)


def _direction_of(keys: Keys, name: str, value: YamlNode) -> Vec3 | None:
    vector = vec3_of(keys, name, value)
    if vector is None or any(vector):
        return None if vector is None else normalized(vector)
    return keys.error("null-axis", name, "a direction must not be null.")


def _color_of(keys: Keys, name: str, value: YamlNode) -> Vec3 | None:
    color = vec3_of(keys, name, value)
    if color is None:
        return None
    r, g, b = (min(max(x, 0.0), 1.0) for x in color)
    return (r, g, b)


def _rating_of(keys: Keys, name: str, value: YamlNode) -> Vec3 | None:
    """Return a data-sheet limit per axis; a single number is left out, as Choreonoid does."""
    if not isinstance(value, YamlScalar):
        return vec3_of(keys, name, value)
    said = f"expected a list of 3 numbers, got {shown(value)}; the sensor has no rated range."
    return keys.warning("not-read", name, said)


NINE: Final = ValueKind[tuple[float, ...]](
    "9 numbers", lambda keys, name, value: vector_of(keys, name, value, 9), _same
)
"""A matrix, row by row."""
NUMBERS: Final = ValueKind[tuple[float, ...]]("numbers", numbers_of, _same)
PAIRS: Final = groups("pairs", 2)
TRIPLES: Final = groups("triples", 3)
TURNS: Final = ValueKind[tuple[Quat, ...]](
    "axes and angles",
    _turns_of,
    lambda turns: _flat(rotation_value(turn) or (0.0, 0.0, 1.0, 0.0) for turn in turns),
    unit="–, degree",
)
INDICES: Final = ValueKind[tuple[int, ...]]("indices", _indices_of, list)
SEGMENTS: Final = ValueKind[tuple[tuple[int, int], ...]]("pairs of indices", _segments_of, _flat)
PAIR: Final = ValueKind[Pair]("2 numbers", _pair_of, _same)
ENDS: Final = ValueKind[Pair]("2 numbers", _ends_of, _same)
"""Both ends of a range, in any order."""
VEC3: Final = ValueKind[Vec3]("3 numbers", vec3_of, _same)
DIRECTION: Final = ValueKind[Vec3]("3 numbers", _direction_of, _same, allowed="not all 0")
COLOR: Final = ValueKind[Vec3]("3 numbers", _color_of, _same, allowed="between 0 and 1")
RATING: Final = ValueKind[Vec3]("3 numbers", _rating_of, _same)


# ------------------------------------------------------------------------------------------ masses


def _mass_of(keys: Keys, name: str, value: YamlNode) -> float | None:
    mass = number_of(keys, name, value)
    if mass is None or mass >= 0.0:
        return mass
    keys.error("negative-mass", name, f"a mass is not negative, got {mass:g}; 0 is used.")
    return 0.0


def _inertia_of(keys: Keys, name: str, value: YamlNode) -> Tensor | None:
    numbers = numbers_of(keys, name, value)
    match numbers:
        case None:
            return None
        case (xx, xy, xz, yy, yz, zz):
            return (xx, yy, zz, xy, xz, yz)
        case (xx, xy, xz, yx, yy, yz, zx, zy, zz):
            largest = max(map(abs, numbers))
            if max(abs(xy - yx), abs(xz - zx), abs(yz - zy)) > _ASYMMETRY * largest:
                text = "an inertia is symmetric; the mean of opposite entries is used."
                keys.warning("asymmetric-inertia", name, text)
            return (xx, yy, zz, (xy + yx) / 2, (xz + zx) / 2, (yz + zy) / 2)
        case _:
            text = "expected 9 numbers (row by row) or 6 (xx, xy, xz, yy, yz, zz), "
            return keys.error("wrong-value", name, f"{text}got {len(numbers)}.")


def _rows_of(inertia: Tensor) -> Yaml:
    xx, yy, zz, xy, xz, yz = inertia
    return (xx, xy, xz, xy, yy, yz, xz, yz, zz)


MASS: Final = ValueKind[float]("number", _mass_of, _same, allowed=">= 0")
INERTIA: Final = ValueKind[Tensor]("9 or 6 numbers", _inertia_of, _rows_of)

# ------------------------------------------------------------------------------------------ places


def _is_nested(value: YamlNode) -> TypeGuard[YamlList]:
    return isinstance(value, YamlList) and any(isinstance(item, YamlList) for item in value.items)


def _translation_of(keys: Keys, name: str, value: YamlNode) -> Vec3 | None:
    """Return a displacement [m]; a list of displacements (or of such lists) gives their sum."""
    if not _is_nested(value):
        return vec3_of(keys, name, value)
    total = ZERO
    for item in value.items:
        total = add(total, _translation_of(keys, name, item) or ZERO)
    return total


def _rotation_of(keys: Keys, name: str, value: YamlNode) -> Quat | None:
    """Return the rotation of [x, y, z, angle]; a list of such lists is multiplied left to right."""
    if not _is_nested(value):
        return _turn_of(keys, name, value)
    product = IDENTITY
    for item in value.items:
        product = quat_multiply(product, _rotation_of(keys, name, item) or IDENTITY)
    return product


def _turn_of(keys: Keys, name: str, value: YamlNode) -> Quat | None:
    if not isinstance(value, YamlList) or len(value.items) != 4:
        return keys.wrong(name, value, "a list of 4 numbers (axis x, y, z and angle)")
    numbers = numbers_of(keys, name, value)
    if numbers is None:
        return None
    x, y, z, angle = numbers
    if math.hypot(x, y, z) < _SHORTEST_AXIS:
        text = f"the axis of a rotation must not be null, got {shown(value)}."
        return keys.error("null-axis", name, text, span=value.span)
    return quat_from_axis_angle((x, y, z), angle * keys.reading.angle_factor)


TRANSLATION: Final = ValueKind[Vec3]("3 numbers", _translation_of, translation_value, unit="m")
ROTATION: Final = ValueKind[Quat](
    "4 numbers", _rotation_of, rotation_value, unit="–, degree", allowed="axis and angle"
)

# ------------------------------------------------------------------------- values that code reads


def _node_of(keys: Keys, name: str, value: YamlNode) -> YamlNode:
    return value


def as_written(words: str, allowed: str = "") -> ValueKind[YamlNode]:
    """Return the kind of values that code of their own reads."""
    return ValueKind(words, _node_of, _same, allowed=allowed)


ANY: Final = as_written("any")
MAPPING: Final = as_written("mapping")
LIST: Final = as_written("list")
