"""Contact materials: tables of Choreonoid to the model's contact table (docs/behaviour, C13.4).

A pair that an entry names has the entry's numbers. Any other pair has friction sqrt(roughness1*roughness2)
and restitution sqrt((1-viscosity1)*(1-viscosity2)).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations, combinations_with_replacement
from typing import Any, Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.formats.choreonoid.keys.access import BodyFileReading, Keys
from solidbody.formats.choreonoid.keys.bodies import material_name
from solidbody.formats.choreonoid.keys.projects import (
    ContactMaterialKeys,
    MaterialFileKeys,
    SurfaceMaterialKeys,
)
from solidbody.formats.choreonoid.keys.settings import ContactMaterial, Material, SimulatorSettings
from solidbody.formats.choreonoid.keys.table import Key, plain_values
from solidbody.formats.choreonoid.keys.yaml_tree import YamlList, YamlMap, YamlNode, parse_yaml
from solidbody.formats.choreonoid.project.simulator import contact_of
from solidbody.model.contacts import DEFAULT_MATERIAL, ContactProperties, ContactTable

Pair = frozenset[str]


@dataclass(frozen=True, slots=True)
class ContactMaterials:
    """Materials by name and entries by pair of names; "default" stands for links without material."""

    materials: Mapping[str, Material] = field(default_factory=dict[str, Material])
    contacts: Mapping[Pair, ContactMaterial] = field(default_factory=dict[Pair, ContactMaterial])

    def over(self, other: ContactMaterials) -> ContactMaterials:
        """Return both tables as one, in which this one's entries win."""
        return ContactMaterials(
            {**other.materials, **self.materials}, {**other.contacts, **self.contacts}
        )

    def find(self, first: str, second: str) -> ContactMaterial:
        """Return what holds between two materials."""
        found = self.contacts.get(frozenset((first, second)))
        if found is not None:
            return found
        a, b = self._material(first), self._material(second)
        return ContactMaterial(
            friction=math.sqrt(a.roughness * b.roughness),
            restitution=math.sqrt((1.0 - a.viscosity) * (1.0 - b.viscosity)),
        )

    def _material(self, name: str) -> Material:
        found = self.materials.get(name) or self.materials.get(DEFAULT_MATERIAL)
        return found or Material()


NO_TABLE: Final = ContactMaterials()
"""No table at all: friction 0.5 between everything."""

SHIPPED: Final = ContactMaterials(
    materials={
        DEFAULT_MATERIAL: Material(roughness=1.0),
        "Ground": Material(roughness=1.0),
        "Tire": Material(roughness=1.0),
        "Sole": Material(roughness=1.0),
        "Hand": Material(roughness=1.0),
        "Ball": Material(roughness=0.5, viscosity=0.36),
        "Slider": Material(roughness=0.0),
        "Tracks": Material(roughness=0.5),
        "OilWetGround": Material(roughness=0.1),
    },
    contacts={
        frozenset((DEFAULT_MATERIAL,)): ContactMaterial(friction=0.5),
        frozenset(("Ground", DEFAULT_MATERIAL)): ContactMaterial(friction=0.5),
        frozenset(("Ground", "Ball")): ContactMaterial(friction=0.5, restitution=0.8),
        frozenset((DEFAULT_MATERIAL, "Slider")): ContactMaterial(friction=0.0),
        frozenset(("Ground", "Slider")): ContactMaterial(friction=0.0),
        frozenset(("Ground", "Sole")): ContactMaterial(friction=1.0),
        frozenset(("Ground", "Tire")): ContactMaterial(friction=3.0),
        frozenset((DEFAULT_MATERIAL, "Hand")): ContactMaterial(friction=1.0),
    },
)
"""The numbers of the table that comes with Choreonoid and holds where nothing else is said."""


def contact_table(
    table: ContactMaterials, settings: SimulatorSettings, used: Iterable[str] = ()
) -> ContactTable:
    """Return the contact table of a scene.

    Args:
        table: Materials and entries.
        settings: Of the simulator: limits of friction, depth of contacts.
        used: Names that shapes have; those that the table does not know count as the default material.
    """
    names = {DEFAULT_MATERIAL, *table.materials, *used}
    for pair in table.contacts:
        names |= pair
    entries = {
        pair: _properties(table, settings, pair)
        for pair in combinations_with_replacement(sorted(names), 2)
    }
    default = entries.pop((DEFAULT_MATERIAL, DEFAULT_MATERIAL))
    return ContactTable(tuple(entries.values()), default)


def _properties(
    table: ContactMaterials, settings: SimulatorSettings, pair: tuple[str, str]
) -> ContactProperties:
    found = table.find(*pair)
    return contact_of(
        settings,
        pair,
        friction=found.friction,
        static_friction=found.static_friction,
        restitution=found.restitution,
        culling_depth=found.culling_depth,
        max_points=found.max_points,
        span=found.span,
    )


# ------------------------------------------------------------------------------------------- reading


def read_materials(text: str, name: str, log: DiagnosticLog) -> ContactMaterials | None:
    """Return the table of a material file, None (after an error message) if it is none.

    Args:
        text: The file's text.
        name: Its name in messages.
        log: Takes all messages.
    """
    document = parse_yaml(text, name, log)
    if document is None:
        return None
    root = document.root
    reading = BodyFileReading(log)
    if not isinstance(root, YamlMap):
        log.error("not-a-table", root.span, 'expected a mapping with "materials".')
        return None
    keys = Keys(root, reading)
    materials: dict[str, Material] = {}
    for item in _mappings(keys, MaterialFileKeys.materials):
        material = Material(**plain_values(item, SurfaceMaterialKeys))
        materials[material_name(material.name)] = material
        item.warn_of_slips(SurfaceMaterialKeys)
    contacts: dict[Pair, ContactMaterial] = {}
    for item in _mappings(keys, MaterialFileKeys.contact_materials):
        entry = _read_entry(item)
        for pair in _pairs(item, entry):
            contacts[pair] = entry
        item.warn_of_slips(ContactMaterialKeys)
    return ContactMaterials(materials, contacts)


def _mappings(keys: Keys, row: Key[Any]) -> Iterator[Keys]:
    """Yield the keys of each mapping of a list."""
    found = keys.find(row)
    if found is None:
        return
    label, value = found
    if not isinstance(value, YamlList):
        keys.wrong(label, value, "a list of mappings")
        return
    for number, item in enumerate(value.items):
        if isinstance(item, YamlMap):
            yield keys.child(item, f"{label}[{number}]")
        else:
            keys.wrong(label, item, "a mapping")


def _read_entry(keys: Keys) -> ContactMaterial:
    both = keys.read(ContactMaterialKeys.friction)
    values = plain_values(keys, ContactMaterialKeys)
    for name in ("friction", "static_friction"):
        values[name] = both if values[name] is None else values[name]
    if values["static_friction"] == values["friction"]:
        values["static_friction"] = None
    keys.pass_over(ContactMaterialKeys)
    handler = keys.read(ContactMaterialKeys.collision_handler)
    if handler:
        keys.info(
            "no-handler",
            ContactMaterialKeys.collision_handler,
            f'the collision handler "{handler}" is a plugin; contacts follow the usual law.',
        )
    return ContactMaterial(**values, span=keys.span)


def _pairs(keys: Keys, entry: ContactMaterial) -> list[Pair]:
    """Return the pairs that an entry covers: all of its names with each other."""
    value: YamlNode | None = keys.node(ContactMaterialKeys.materials)
    names = [material_name(text) for text in entry.materials]
    if not isinstance(value, YamlList) or len(names) < 2:
        text = "an entry needs a list of at least two material names."
        keys.error("wrong-value", ContactMaterialKeys.materials, text)
        return []
    return [frozenset(pair) for pair in combinations(names, 2)]
