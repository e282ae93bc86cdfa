"""Bindings of rows of the node table to attributes of the model, and the conversions between their values."""

from __future__ import annotations

import math
import os
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, is_dataclass
from dataclasses import fields as dataclass_fields
from enum import Enum
from functools import cache, partial
from itertools import pairwise
from typing import Any, Final, NamedTuple, get_args, get_type_hints

from solidbody.base.transforms import (
    IDENTITY,
    Quat,
    Vec3,
    normalized,
    quat_from_axis_angle,
    quat_to_axis_angle,
)
from solidbody.formats.webots.nodes import NODES
from solidbody.formats.webots.nodes.table import Field
from solidbody.model import (
    appearance,
    contacts,
    devices,
    environment,
    fluids,
    geometry,
    joints,
    links,
    motors,
    scene,
    shapes,
)
from solidbody.model.devices import (
    Battery,
    DistanceKind,
    LookupRow,
    LookupTable,
    OcclusionTest,
    Projection,
)
from solidbody.model.motors import Pid

_MODULES: Final = (
    *(appearance, contacts, devices, environment, fluids, geometry, joints, links, motors),
    *(scene, shapes),
)
MODEL_CLASSES: Final[Mapping[str, type]] = {
    name: item
    for module in _MODULES
    for name, item in vars(module).items()
    if isinstance(item, type) and is_dataclass(item)
}
"""Classes that nodes may become, by name."""

DISTANCE_KINDS: Final = {
    "generic": DistanceKind.GENERIC,
    "infra-red": DistanceKind.INFRARED,
    "sonar": DistanceKind.SONAR,
    "laser": DistanceKind.LASER,
}
NO_LIMIT: Final = 1e9
"""[rad, m, N...] Stands for no limit where a file has no word for it."""

_FAR: Final = 1e6
"""[m] Reach of lights without one: beyond any world."""


@dataclass(frozen=True, slots=True)
class Conversion:
    """From the value of a field to that of an attribute and back; None back leaves the field out."""

    read: Callable[[Any], Any]
    write: Callable[[Any], Any]


def _same(value: Any) -> Any:
    return value


def _each(one: Conversion) -> Conversion:
    return Conversion(lambda xs: tuple(map(one.read, xs)), lambda xs: tuple(map(one.write, xs)))


def _share(value: float) -> float:
    return min(max(value, 0.0), 1.0)


def _ratio(decibel: float) -> float:
    """Return 10^(dB/10), within what a number can hold."""
    return 10.0 ** (min(max(decibel, -3000.0), 3000.0) / 10.0)


def _decibel(ratio: float) -> float:
    return 10.0 * math.log10(ratio) if ratio > 0.0 else -300.0


def _lookup(rows: tuple[Vec3, ...]) -> LookupTable:
    """Return the curve of a sensor; rows out of order are sorted, repeated inputs dropped."""
    first = {row[0]: row for row in reversed(rows)}
    return LookupTable(tuple(LookupRow(*first[key]) for key in sorted(first)))


def _turn(axis_angle: tuple[float, float, float, float]) -> Quat:
    x, y, z, angle = axis_angle
    return quat_from_axis_angle((x, y, z), angle)


def _axis_and_angle(rotation: Quat) -> tuple[float, float, float, float] | None:
    if rotation == IDENTITY:
        return None
    axis, angle = quat_to_axis_angle(rotation)
    return (*axis, angle)


def _seed(number: int) -> int:
    """Return a seed; -1 asks for another one at every load."""
    return (int(time.time() * 1000) + os.getpid()) % 2**31 if number == -1 else number


def _segments(indices: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    """Return the pairs of neighbours between the -1 that end lines."""
    return tuple(pair for pair in pairwise(indices) if -1 not in pair)


def _none_at_minus_one(value: float) -> float | None:
    return None if value == -1 else value


_MINUS_ONE_IS_INF: Final = Conversion(
    lambda x: math.inf if x == -1 else x, lambda x: -1.0 if math.isinf(x) else x
)
_OCCLUSION: Final = (OcclusionTest.NONE, OcclusionTest.CENTER, OcclusionTest.MANY)

CONVERSIONS: Final[Mapping[str, Conversion]] = {
    "": Conversion(_same, _same),
    "none at -1": Conversion(_none_at_minus_one, _same),
    "none = -1": Conversion(_none_at_minus_one, lambda x: -1.0 if x is None else x),
    "none = 0": Conversion(lambda x: x or None, lambda x: x or 0.0),
    "none at -1 or 0": Conversion(lambda x: _none_at_minus_one(x) or None, _same),
    "inf = -1": _MINUS_ONE_IS_INF,
    "each inf = -1": _each(_MINUS_ONE_IS_INF),
    "inf = 0": Conversion(lambda x: x or math.inf, lambda x: 0.0 if math.isinf(x) else x),
    "inf = 1e9": Conversion(_same, lambda x: x if math.isfinite(x) else NO_LIMIT),
    "at most 1e6": Conversion(_same, lambda x: min(x, _FAR)),
    "within 1e9": Conversion(_same, lambda x: min(max(x, -NO_LIMIT), NO_LIMIT)),
    "at least 0": Conversion(lambda x: max(x, 0.0), _same),
    "unless 0": Conversion(lambda x: max(x, 0.0), lambda x: x or None),
    "share": Conversion(_same, _share),
    "shares": Conversion(_same, lambda xs: tuple(_share(x) for x in xs[:3])),
    "ms": Conversion(lambda x: x / 1000.0, lambda x: round(1000.0 * x, 9)),
    "GHz": Conversion(lambda x: 1e9 * x, lambda x: x / 1e9),
    "dBi": Conversion(_ratio, _decibel),
    "dBm": Conversion(lambda x: 1e-3 * _ratio(x), lambda x: _decibel(1e3 * x)),
    "address": Conversion(_same, _same),
    "counts": Conversion(lambda x: 1.0 / x if x > 0.0 else None, lambda x: 1.0 / x if x else -1.0),
    "cylindrical if true": Conversion(lambda x: Projection.CYLINDRICAL if x else None, _same),
    "mounted if true": Conversion(lambda x: "Mounted Shot" if x else None, _same),
    "middle": Conversion(lambda x: (-x / 2.0, x / 2.0), lambda x: max(x[1] - x[0], 1e-3)),
    "moment = -1": Conversion(_seed, _same),
    "segments": Conversion(_segments, lambda xs: [x for pair in xs for x in (*pair, -1)]),
    "turn": Conversion(_turn, _axis_and_angle),
    "slashes": Conversion(lambda x: x.replace("\\", "/"), _same),
    "direction": Conversion(partial(normalized, fallback=(0.0, 0.0, -1.0)), _same),
    "first": Conversion(lambda xs: xs[0] if xs else (0.0, 0.0, 0.0), lambda x: [x]),
    "pid": Conversion(lambda x: Pid(*x), lambda x: (x.p, x.i, x.d)),
    "p alone": Conversion(lambda x: Pid(x, 0.0, 0.0), lambda x: x.p),
    "battery": Conversion(
        lambda x: Battery(*x[:3]) if len(x) >= 3 else None,
        lambda x: (x.charge, x.capacity, x.power) if x else None,
    ),
    "three or none": Conversion(lambda xs: xs[:3] if len(xs) >= 3 else None, _same),
    "empty = <none>": Conversion(
        lambda word: "" if word == "<none>" else word, lambda word: word or "<none>"
    ),
    "distance kind": Conversion(
        lambda word: DISTANCE_KINDS.get(word, DistanceKind.SONAR),
        {kind: word for word, kind in DISTANCE_KINDS.items()}.__getitem__,
    ),
    "occlusion": Conversion(lambda x: _OCCLUSION[int(x)], _OCCLUSION.index),
    "lookup": Conversion(
        _lookup,
        lambda table: [(row.input, row.output, row.noise) for row in table.rows],
    ),
}
"""By the name that the table has. `none at` leaves out what is None, `none =` writes the number for it."""


class Holds(Enum):
    """What stands in a field."""

    VALUE = "a value"
    ADDRESS = "the address of a file, which depends on where it is written"
    LIST = "a node whose only field is meant"
    NODE = "a node"
    NODES = "nodes"


class AttributeBinding(NamedTuple):
    """A row and its attribute, or the part of an attribute that several rows make.

    `default` is what the attribute is without a node in the field.
    """

    row: Field
    attribute: str
    part: str
    conversion: Conversion
    holds: Holds
    default: Any


class Bindings(NamedTuple):
    """How a node type and a class of the model fit together.

    `old` rows are read where they are written and those of today are not, by name; `groups` makes attributes
    of several rows.
    """

    model: type
    rows: tuple[AttributeBinding, ...]
    old: tuple[tuple[AttributeBinding, str], ...]
    groups: Mapping[str, Callable[..., Any]]
    has_span: bool


@cache
def bindings(node_type: str, asked: type = object) -> Bindings:
    """Return the bindings of a node type to the class that it becomes, or to another that is asked for."""
    node = NODES[node_type]
    while not node.model and node.base:
        node = NODES[node.base]
    made = MODEL_CLASSES.get(node.model, object)
    model: Any = made if issubclass(made, asked) else asked
    names = {item.__name__ for item in model.__mro__}
    hints = get_type_hints(model)
    known = {item.name: item for item in dataclass_fields(model)}
    found: list[AttributeBinding] = []
    groups: dict[str, Callable[..., Any]] = {}
    for row in NODES.fields(node_type).values():
        for target in row.bound:
            owner, attribute, *part = target.split(".")
            if owner not in names:
                continue
            if part:
                groups[attribute] = _tuple_of if part[0].isdigit() else _class_in(hints[attribute])
            hint = hints[attribute]
            default = None if type(None) in get_args(hint) else known[attribute].default
            conversion = _conversion(row, hint)
            found.append(
                AttributeBinding(row, attribute, "".join(part), conversion, _held(row), default)
            )
    today = {item[1:3]: item.row.name for item in found if not _is_old(item.row)}
    rows = tuple(item for item in found if not _is_old(item.row))
    old = tuple((item, today[item[1:3]]) for item in found if _is_old(item.row))
    return Bindings(model, rows, old, groups, "span" in known)


def _is_old(row: Field) -> bool:
    return bool(row.deprecated or row.until)


def _held(row: Field) -> Holds:
    if row.type.item != "node":
        return Holds.ADDRESS if row.conversion == "address" else Holds.VALUE
    if row.nodes and NODES[row.nodes[0]].is_list:
        return Holds.LIST
    return Holds.NODES if row.type.is_list else Holds.NODE


def _class_in(hint: Any) -> Callable[..., Any]:
    """Return the class of an attribute that may be None."""
    return next((item for item in get_args(hint) if item is not type(None)), hint)


def _tuple_of(**parts: Any) -> tuple[Any, ...]:
    return tuple(parts.values())


def _conversion(row: Field, hint: Any) -> Conversion:
    """Return the conversion of a row; the words of an enumeration are those that the row allows."""
    if row.conversion or not (isinstance(hint, type) and issubclass(hint, Enum)):
        return CONVERSIONS[row.conversion]
    assert row.check is not None
    by_letters = {_letters(str(member.value)): member for member in hint}
    members = {word: by_letters[_letters(word)] for word in row.check.words}
    return Conversion(members.__getitem__, {kind: word for word, kind in members.items()}.get)


def _letters(word: str) -> str:
    return re.sub(r"\W", "", word)
