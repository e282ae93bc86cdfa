"""Field types with Webots' numbers, and conversion of field values for controllers."""

from __future__ import annotations

from typing import Any, Final

from solidbody.control.supervisor.errors import SupervisorError
from solidbody.control.supervisor.tree import NodeField, Tree, proto_at
from solidbody.formats.vrml.syntax import ValueSyntax
from solidbody.formats.webots.nodes import NODES
from solidbody.formats.webots.nodes.table import Field, FieldType
from solidbody.formats.webots.nodes.typed import TypedNode
from solidbody.formats.webots.nodes.values import read_value

LIST: Final = 0x10
"""Flag of the numbers of list types."""

_SINGLE: Final = (
    FieldType.SFBool,
    FieldType.SFInt32,
    FieldType.SFFloat,
    FieldType.SFVec2f,
    FieldType.SFVec3f,
    FieldType.SFRotation,
    FieldType.SFColor,
    FieldType.SFString,
    FieldType.SFNode,
)

CODES: Final = {
    **{kind: number for number, kind in enumerate(_SINGLE, start=1)},
    **{
        FieldType["MF" + kind.name[2:]]: LIST | number
        for number, kind in enumerate(_SINGLE, start=1)
    },
}
"""Numbers of the field types, as in Webots' headers."""

_BLANK: Final[dict[str, Any]] = {
    "bool": False,
    "int": 0,
    "float": 0.0,
    "string": "",
}


def written(tree: Tree, place: NodeField) -> Any:
    """Return what the world says of a field that holds no nodes."""
    node = tree.node(place.node)
    scope = proto_at(node, place.level)
    if scope is None:
        row = NODES.fields(node.type)[place.name]
        value = node.values.get(place.name, row.default)
        if place.type is not row.type:
            value = _as_before(node, place.type, value)
        return plain(place.type, value)
    return plain(place.type, _parameter(place, scope.parameters[place.name].value))


def _as_before(node: TypedNode, kind: FieldType, value: Any) -> Any:
    """Return a value in the type that its field had in the world's release (`Field.also`)."""
    match kind:
        case FieldType.SFBool:
            return bool(value)
        case FieldType.SFString if isinstance(value, tuple):
            return " ".join(value)
        case FieldType.SFVec3f if isinstance(value, int | float):  # gravity, along the down axis
            is_z_up = node.string("coordinateSystem") == "ENU"
            return (0.0, 0.0, -value) if is_z_up else (0.0, -value, 0.0)
        case _:
            return value


def _parameter(place: NodeField, value: ValueSyntax) -> Any:
    row = Field(place.name, place.type, None)
    return read_value(row, value, lambda severity, code, text, span: None)


def plain(kind: FieldType, value: Any) -> Any:
    """Return a value in the form of its type, also where older files write it in another one."""
    if value is None:
        return () if kind.is_list else blank(kind)
    if kind.is_list and not isinstance(value, tuple):
        return (value,)
    return value


def blank(kind: FieldType) -> Any:
    """Return the value of an item that nobody gave."""
    return _BLANK[kind.item] if kind.width < 2 else (0.0,) * kind.width


def item_index(place: NodeField, index: int, count: int, *, for_insertion: bool = False) -> int:
    """Return a place in a list; negative ones count from its end.

    Raises:
        SupervisorError: The list has no such place.
    """
    last = count if for_insertion else count - 1
    found = index + last + 1 if index < 0 else index
    if not 0 <= found <= last:
        if last < 0:
            raise SupervisorError(f'the field "{place.name}" is empty: there is no item {index}')
        raise SupervisorError(
            f'the index {index} is out of range: the field "{place.name}" has {count} items '
            f"(allowed: {-last - 1} to {last})"
        )
    return found
