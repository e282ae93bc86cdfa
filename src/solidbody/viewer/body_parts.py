"""Parts that can be put into bodies of Choreonoid on the page, and the fields of their mappings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from solidbody.formats.choreonoid.keys.bodies import BodyKeys, LinkKeys
from solidbody.formats.choreonoid.keys.projects import ItemKeys, ProjectKeys
from solidbody.formats.choreonoid.keys.shapes import AppearanceKeys, GeometryKeys, MaterialKeys
from solidbody.formats.choreonoid.keys.table import TABLES, Key, Table
from solidbody.formats.choreonoid.keys.yaml_tree import YamlList, YamlMap, YamlNode, YamlScalar
from solidbody.viewer.protocol_work import WireField
from solidbody.viewer.yaml_editing import value_text

TEXT_SHOWN: Final = 2000
"""Longest value that is shown for editing [characters]."""

TYPE_KEYS: Final = ("type", "class")
"""Keys that say what a mapping is."""

WIDGETS: Final = {
    "number": "SFFloat",
    "integer": "SFInt32",
    "2 numbers": "SFVec2f",
    "3 numbers": "SFVec3f",
}
"""Words of the key table -> the type by which the page chooses how a value is edited."""

BY_KEY: Final[dict[str, type[Table]]] = {
    "links": LinkKeys,
    "geometry": GeometryKeys,
    "appearance": AppearanceKeys,
    "material": MaterialKeys,
    "items": ItemKeys,
}
"""Tables of mappings that stand below these keys, where no type says more."""


@dataclass(frozen=True, slots=True)
class Part:
    """Something ready to use: a block of YAML, and what it is."""

    text: str
    what: str


def _shape(geometry: str) -> str:
    color = "appearance: { material: { diffuse: [ 0.9, 0.45, 0.1 ] } }"
    return f"type: Shape\ngeometry: {geometry}\n{color}"


LINKS: Final = {
    "link on a hinge": Part(
        "name: {name}\nparent: {parent}\njoint_type: revolute\njoint_axis: Z\njoint_range: [ -90, 90 ]\n"
        "translation: [ 0, 0, 0.3 ]\nelements:\n  - type: RigidBody\n    mass: 1.0\n"
        "    inertia: [ 0.01, 0, 0, 0, 0.01, 0, 0, 0, 0.01 ]\n"
        "  - type: Shape\n    geometry: { type: Box, size: [ 0.1, 0.1, 0.3 ] }",
        "turns about an axis, with a mass and a box",
    ),
    "link on a slider": Part(
        "name: {name}\nparent: {parent}\njoint_type: prismatic\njoint_axis: Z\njoint_range: [ 0, 0.3 ]\n"
        "translation: [ 0, 0, 0.3 ]\nelements:\n  - type: RigidBody\n    mass: 1.0\n"
        "    inertia: [ 0.01, 0, 0, 0, 0.01, 0, 0, 0, 0.01 ]\n"
        "  - type: Shape\n    geometry: { type: Box, size: [ 0.1, 0.1, 0.3 ] }",
        "slides along an axis, with a mass and a box",
    ),
    "fixed link": Part(
        "name: {name}\nparent: {parent}\njoint_type: fixed\ntranslation: [ 0, 0, 0.3 ]",
        "stays on its parent",
    ),
}

ELEMENTS: Final = {
    "box": Part(
        _shape("{ type: Box, size: [ 0.1, 0.1, 0.1 ] }"), "a shape that is seen and collides"
    ),
    "ball": Part(_shape("{ type: Sphere, radius: 0.1 }"), "a shape that is seen and collides"),
    "cylinder": Part(
        _shape("{ type: Cylinder, radius: 0.05, height: 0.2 }"), "a shape that is seen and collides"
    ),
    "mass": Part(
        "type: RigidBody\nmass: 1.0\ninertia: [ 0.01, 0, 0, 0, 0.01, 0, 0, 0, 0.01 ]",
        "mass and inertia",
    ),
    "camera": Part(
        "type: Camera\nname: {name}\nformat: COLOR\nwidth: 320\nheight: 240\nfrequency: 30",
        "takes pictures",
    ),
    "range sensor": Part(
        "type: RangeSensor\nname: {name}\nyaw_range: 120\nyaw_step: 1\nfrequency: 20\nmax_distance: 10",
        "measures distances all around",
    ),
    "force sensor": Part("type: ForceSensor\nname: {name}", "forces and torques on its link"),
    "gyro": Part("type: RateGyroSensor\nname: {name}", "measures turning"),
    "acceleration sensor": Part("type: AccelerationSensor\nname: {name}", "measures acceleration"),
    "light": Part("type: SpotLight\nname: {name}", "a lamp with a cone of light"),
}

PARTS: Final = LINKS | ELEMENTS


def tables_of(root: YamlMap, path: str, *, is_project: bool) -> list[type[Table]]:
    """Return the tables whose rows a mapping at a path can have."""
    parts = [part for part in path.split(".") if part]
    if not parts:
        return [ProjectKeys if is_project else BodyKeys]
    chain: list[YamlNode] = [root]
    for part in parts:
        here = chain[-1]
        found = here.get(part) if isinstance(here, YamlMap) else None
        if isinstance(here, YamlList) and part.isdecimal() and int(part) < len(here.items):
            found = here.items[int(part)]
        if found is None:
            return []
        chain.append(found)
    key = next((part for part in reversed(parts) if not part.isdecimal()), "")
    # what belongs to an item of a project stands in a mapping below it
    typed = chain[-2] if key == "data" else chain[-1]
    name = type_of(typed)
    found = [table for table in TABLES if name and name in table.types]
    if key in BY_KEY and not any(issubclass(table, BY_KEY[key]) for table in found):
        found.append(BY_KEY[key])
    return found


def type_of(node: YamlNode) -> str:
    """Return what a mapping says it is; empty = nothing."""
    values = (node.get(key) for key in TYPE_KEYS) if isinstance(node, YamlMap) else iter(())
    return next((value.text for value in values if isinstance(value, YamlScalar)), "")


def fields_of(text: str, node: YamlMap, tables: list[type[Table]]) -> Iterator[WireField]:
    """Yield the values of a mapping, and then those that it could have."""
    rows: dict[str, Key[Any]] = {}
    for table in tables:
        for row in table.rows.values():
            if row.to:
                rows.update({name: row for name in row.names if name not in rows})
    there: set[str] = set()
    for key, value in node.pairs:
        row = rows.get(key.text)
        there.update((key.text,) if row is None else row.names)
        if isinstance(value, YamlMap) or (isinstance(value, YamlList) and not _is_flat(value)):
            continue  # nodes of their own
        shown = _shown(text, value)
        yield _field(key.text, row, shown, is_short=len(shown) <= TEXT_SHOWN)
    for name, row in rows.items():
        if (
            name == row.name
            and not there.intersection(row.names)
            and row.by not in ("tree", "type")
        ):
            yield _field(name, row, "", is_short=True)


def _field(name: str, row: Key[Any] | None, shown: str, *, is_short: bool) -> WireField:
    if row is None:
        return WireField(name, "text", shown, "", "", "", "", is_short, [])
    words = row.kind.words
    choices = ["true", "false"] if words == "flag" else []
    if words == "word" and row.kind.allowed:
        choices = row.kind.allowed.split(", ")
    kind = WIDGETS.get(words, words)
    if words == "3 numbers" and row.kind.allowed == "between 0 and 1":
        kind = "SFColor"
    if not shown or not is_short:
        kind = words  # there are no numbers yet to be dragged
    if choices:
        choices = ["", *choices]
    return WireField(name, kind, shown, "", row.unit, row.kind.allowed, row.doc, is_short, choices)


def _is_flat(value: YamlList) -> bool:
    return all(isinstance(item, YamlScalar) for item in value.items)


def _shown(text: str, value: YamlNode) -> str:
    """Return a value as people type it: numbers of a list without brackets."""
    if isinstance(value, YamlScalar):
        return value.text
    if isinstance(value, YamlList) and value.items:
        items = [item.text for item in value.items if isinstance(item, YamlScalar)]
        if len(items) > 1 and all(_is_number(item) for item in items):
            return " ".join(items)
    return " ".join(value_text(text, value).split())


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
