"""Contact tables: friction and softness per pair of materials, and the material of each geom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from solidbody.contact import layout
from solidbody.contact import tables as t
from solidbody.model.contacts import ContactProperties, ContactTable
from solidbody.model.scene import RollingRule, Scene
from solidbody.model.shapes import Shape


class ContactTables(NamedTuple):
    """SURFACE and PAIR rows, and whether any surface has tangents that follow the sliding."""

    surfaces: t.Table
    pairs: t.Table
    follows_sliding: bool


def contact_tables(scene: Scene, materials: Sequence[str]) -> ContactTables:
    """Return the rows of a scene's contact properties for pairs of these materials."""
    entries = (scene.contacts.default, *scene.contacts.entries)
    return ContactTables(
        surface_table(entries, scene.physics.rolling),
        pair_table(materials, scene.contacts),
        any(entry.follows_sliding for entry in entries),
    )


def surface_table(entries: Sequence[ContactProperties], rolling: RollingRule) -> t.Table:
    """Return SURFACE rows for the given properties."""
    out = t.table(layout.SURFACE, len(entries))
    for row, entry in zip(out, entries, strict=True):
        row["friction"][: len(entry.friction)] = entry.friction
        row["slip"][: len(entry.slip)] = entry.slip
        row["rotation"] = entry.friction_rotation
        row["rolling"] = entry.rolling_friction
        row["bounce"] = entry.bounce
        row["bounce_velocity"] = entry.bounce_velocity
        row["erp"] = entry.soft_erp
        row["cfm"] = entry.soft_cfm
        row["static_friction"] = (
            entry.friction[0] if entry.static_friction is None else entry.static_friction
        )
        row["rest_depth"] = entry.rest_depth
        row["depth_scale"] = entry.depth_scale
        row["min_depth"] = entry.min_depth
        row["max_depth"] = entry.max_depth
        row["friction_count"] = len(entry.friction)
        row["slip_count"] = len(entry.slip)
        row["max_contacts"] = entry.max_contacts
        row["second_zero"] = rolling is RollingRule.SECOND_ZERO
        row["follows_sliding"] = entry.follows_sliding
        row["keeps_spread"] = entry.keeps_spread
        row["remembers_loads"] = entry.remembers_loads
        row["shares_depth"] = entry.shares_depth
    return out


def pair_table(materials: Sequence[str], contacts: ContactTable) -> t.Table:
    """Return PAIR rows, materials x materials; surface 0 is the default."""
    count = len(materials)
    index = {id(entry): 1 + k for k, entry in enumerate(contacts.entries)}
    out = t.table(layout.PAIR, count * count)
    for i, first in enumerate(materials):
        for j, second in enumerate(materials):
            entry = contacts.find(first, second)
            row = out[i * count + j]
            row["surface"] = index.get(id(entry), 0)
            if first == second:
                row["first"] = layout.PairFirst.EITHER
            else:
                row["first"] = (
                    layout.PairFirst.ROW if entry.materials[0] == first else layout.PairFirst.COLUMN
                )
    return out


def geom_table(shapes: Sequence[Shape], materials: Sequence[str]) -> t.Table:
    """Return GEOM rows for shapes in the order of MuJoCo's geoms."""
    index = {name: k for k, name in enumerate(materials)}
    out = t.table(layout.GEOM, len(shapes))
    out[["cap", "on_cap", "on_side"]] = np.array(
        (-1, -1, -1), dtype=out[["cap", "on_cap", "on_side"]].dtype
    )
    for row, shape in zip(out, shapes, strict=False):
        row["material"] = index[shape.contact_material]
        if shape.friction_axes is not None:
            row["cap"] = shape.friction_axes.cap.value
            row["on_cap"] = shape.friction_axes.on_cap.value
            row["on_side"] = shape.friction_axes.on_side.value
    return out
