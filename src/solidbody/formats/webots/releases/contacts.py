"""Reads contact properties that old files write in Physics nodes.

A solid whose Physics has coulombFriction, bounce, bounceVelocity or forceDependentSlip gets a contact
material of its own, and the contact table an entry for it against every other material: the entry that
held before, with the solid's own values in it. Between two such solids the mean of both counts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from solidbody.formats.webots.nodes.typed import TypedNode
from solidbody.model.contacts import ContactProperties, ContactTable


@dataclass(frozen=True, slots=True)
class OwnValues:
    """What one Physics node says; None = it does not."""

    material: str
    friction: float | None
    bounce: float | None
    bounce_velocity: float | None
    slip: float | None


@dataclass(slots=True)
class OldContacts:
    """Gathers solids with contact properties of their own."""

    values: dict[str, OwnValues] = field(default_factory=dict[str, OwnValues])

    def material(self, solid: TypedNode, path: str) -> str:
        """Return the contact material of a solid: its own if its Physics has old contact fields."""
        material = solid.string("contactMaterial")
        physics = solid.node("physics")
        if physics is None:
            return material
        friction = _written(physics, "coulombFriction")
        values = OwnValues(
            material,
            math.inf if friction == -1.0 else friction,
            _written(physics, "bounce"),
            _written(physics, "bounceVelocity"),
            _written(physics, "forceDependentSlip"),
        )
        if values == OwnValues(material, None, None, None, None):
            return material
        name = f"{material} of {path}"
        self.values[name] = values
        return name

    def extended(self, table: ContactTable, materials: Iterable[str]) -> ContactTable:
        """Return the table with entries for the solids gathered here, against all `materials`."""
        if not self.values:
            return table
        names = sorted({*materials, *self.values})
        entries: list[ContactProperties] = []
        for first in sorted(self.values):
            for second in names:
                if second in self.values and second < first:
                    continue
                entries.append(self._entry(first, second, table))
        return ContactTable((*entries, *table.entries), table.default)

    def _entry(self, first: str, second: str, table: ContactTable) -> ContactProperties:
        one, two = self.values[first], self.values.get(second)
        found = table.find(one.material, two.material if two else second)
        friction = _mean(one.friction, two.friction if two else None)
        bounce = _mean(one.bounce, two.bounce if two else None)
        speed = _mean(one.bounce_velocity, two.bounce_velocity if two else None)
        slip = _mean(one.slip, two.slip if two else None)
        return replace(
            found,
            materials=(first, second),
            friction=found.friction if friction is None else (friction,),
            bounce=found.bounce if bounce is None else bounce,
            bounce_velocity=found.bounce_velocity if speed is None else speed,
            slip=found.slip if slip is None else (slip,),
        )


def _written(physics: TypedNode, name: str) -> float | None:
    return physics.number(name) if physics.is_written(name) else None


def _mean(a: float | None, b: float | None) -> float | None:
    known = [x for x in (a, b) if x is not None]
    return math.fsum(known) / len(known) if known else None
