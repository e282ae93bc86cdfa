"""Bindings of rows of the node table to attributes of the model, and the conversions between their values."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, is_dataclass
from dataclasses import fields as dataclass_fields
from enum import Enum
from functools import cache, partial
from typing import Any, Final, NamedTuple, get_type_hints

from solidbody.base.transforms import Vec3, normalized
from solidbody.formats.webots.nodes import NODES
from solidbody.formats.webots.nodes.table import Field
from solidbody.model import (
    appearance,
    contacts,
    devices,
    environment,
    fluids,
    geometry,
    links,
    motors,
)
from solidbody.model.devices import Battery, DistanceKind, LookupRow, LookupTable, OcclusionTest
from solidbody.model.motors import Pid

_MODULES: Final = (appearance, contacts, devices, environment, fluids, geometry, links, motors)
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


def _scaled(factor: float) -> Conversion:
    return Conversion(lambda x: x / factor, lambda x: factor * x)


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
    "share": Conversion(_same, _share),
    "shares": Conversion(_same, lambda xs: tuple(_share(x) for x in xs[:3])),
    "ms": _scaled(1000.0),
    "GHz": Conversion(lambda x: 1e9 * x, lambda x: x / 1e9),
    "dBi": Conversion(_ratio, _decibel),
    "dBm": Conversion(lambda x: 1e-3 * _ratio(x), lambda x: _decibel(1e3 * x)),
    "slashes": Conversion(lambda x: x.replace("\\", "/"), _same),
    "direction": Conversion(partial(normalized, fallback=(0.0, 0.0, -1.0)), _same),
    "first": Conversion(lambda xs: xs[0] if xs else (0.0, 0.0, 0.0), lambda x: [x]),
    "pid": Conversion(lambda x: Pid(*x), lambda x: (x.p, x.i, x.d)),
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


class AttributeBinding(NamedTuple):
    """A row and its attribute: `path` is (attribute,) or (attribute, part)."""

    row: Field
    path: tuple[str, ...]
    conversion: Conversion


class Bindings(NamedTuple):
    """How a node type and a class of the model fit together; `groups` makes attributes of several rows."""

    model: type
    rows: tuple[AttributeBinding, ...]
    groups: Mapping[str, Callable[..., Any]]
    has_span: bool


@cache
def bindings(node_type: str) -> Bindings:
    """Return the bindings of a node type that becomes a class of the model."""
    node = NODES[node_type]
    while not node.model:
        node = NODES[node.base]
    name, model = node.model, MODEL_CLASSES[node.model]
    hints = get_type_hints(model)
    rows: list[AttributeBinding] = []
    groups: dict[str, Callable[..., Any]] = {}
    for row in NODES.fields(node_type).values():
        if not row.attribute or not row.to.startswith(f"{name}."):
            continue
        path = tuple(row.attribute.split("."))
        if len(path) == 2:
            groups[path[0]] = _tuple_of if path[1].isdigit() else hints[path[0]]
        rows.append(AttributeBinding(row, path, _conversion(row, hints.get(path[0]))))
    has_span = any(item.name == "span" for item in dataclass_fields(model))
    return Bindings(model, tuple(rows), groups, has_span)


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
