"""Rotates nodes in the slots of PROTO instances in y-up worlds.

PROTOs that come with Webots (and ours) have x forward and z up today, and an instance in an old world is
turned so that they stand as they stood: F_today = F_old * T. What an old world puts into one of their
slots is written for the frame of that time, and has to be turned back: T^-1 * pose.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from solidbody.base.transforms import ZERO, Quat, quat_conjugate, quat_multiply, quat_rotate
from solidbody.formats.vrml.proto import ProtoDefinition
from solidbody.formats.vrml.syntax import FieldSyntax, ItemSyntax, NodeSyntax
from solidbody.formats.webots.nodes import NODES
from solidbody.formats.webots.protos.standin_protos import is_plugged, slot_turn
from solidbody.formats.webots.releases.turns import (
    CAMERA_TURN,
    AxisTurn,
    axis_angle,
    field_of,
    items_of,
    numbers_in,
    rotation_of,
    turned_before,
    with_items,
    with_numbers,
    wrapped,
)

_BACK: Final = quat_conjugate(CAMERA_TURN)

_CHILDREN: Final = ("Group", "Joint", "Light", "Propeller", "Shape", "Skin", "Slot")
"""Nodes without a pose that may stand among the children of a solid; others are looks, physics, forms."""

Definitions = Callable[[str], tuple[ProtoDefinition, bool] | None]
"""Gives the PROTO of a name, and whether it has the axes of today and is turned in old worlds."""


def with_turned_slots(
    node: NodeSyntax, definition: ProtoDefinition, find: Definitions
) -> NodeSyntax:
    """Return an instance of a PROTO with today's axes in a y-up world, the content of its slots turned.

    Args:
        node: The instance.
        definition: Its PROTO.
        find: Finds the PROTOs of instances in slots.
    """
    parts: list[FieldSyntax] = []
    for part in node.fields:
        parameter = definition.parameters.get(part.name)
        if parameter is None or parameter.type_name not in ("MFNode", "SFNode"):
            parts.append(part)
            continue
        back = quat_conjugate(slot_turn(definition.name, part.name))
        items = tuple(_in_slot(item, back, find) for item in items_of(part.value))
        parts.append(part.with_value(with_items(part.value, items)))
    return replace(node, fields=tuple(parts))


def _in_slot(item: ItemSyntax, back: Quat, find: Definitions) -> ItemSyntax:
    if not isinstance(item, NodeSyntax):
        return item
    if NODES.find(item.type_name) is None:
        return _instance_in_slot(item, back, find)
    if NODES.derives(item.type_name, "Pose"):
        return turned_before(item, back) or item
    if any(NODES.derives(item.type_name, base) for base in _CHILDREN):
        return wrapped(item, AxisTurn(back))
    return item


def _instance_in_slot(item: NodeSyntax, back: Quat, find: Definitions) -> NodeSyntax:
    found = find(item.type_name)
    if found is None:
        return item
    definition, is_turned = found
    if is_plugged(definition.name):
        return item
    whole = _with_defaults(item, definition)
    place, rotation = numbers_in(whole, "translation", ZERO), rotation_of(whole)
    if place is None or rotation is None:
        return item

    def is_meant_for_today(name: str) -> bool:
        """Whether a value is the default of a PROTO with today's axes."""
        return is_turned and field_of(item, name) is None

    out = item
    if "translation" in definition.parameters and not is_meant_for_today("translation"):
        out = with_numbers(out, "translation", quat_rotate(back, (place[0], place[1], place[2])))
    if "rotation" in definition.parameters:
        # such an instance is turned by T when it is expanded
        is_default = is_meant_for_today("rotation")
        pair = (rotation, _BACK) if is_default else (back, rotation)
        out = with_numbers(out, "rotation", axis_angle(quat_multiply(*pair)))
    return out


def _with_defaults(item: NodeSyntax, definition: ProtoDefinition) -> NodeSyntax:
    """Return an instance with its pose written out."""
    for name in ("translation", "rotation"):
        parameter = definition.parameters.get(name)
        default = parameter.default if parameter is not None else None
        if default is not None and field_of(item, name) is None:
            part = FieldSyntax(name, default, item.type_span)
            item = replace(item, fields=(*item.fields, part))
    return item
