"""Rotates nodes in a syntax tree: the change from y-up to z-up releases.

All functions take nodes as written and return new ones; a rotation that is not a plain value (IS)
cannot be turned, which the functions say by returning None.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Final

from solidbody.base.span import SourceSpan
from solidbody.base.transforms import (
    IDENTITY,
    ZERO,
    Quat,
    Vec3,
    add,
    norm,
    quat_conjugate,
    quat_from_axis_angle,
    quat_multiply,
    quat_rotate,
    quat_to_axis_angle,
)
from solidbody.formats.vrml.syntax import (
    FieldSyntax,
    ItemSyntax,
    ListSyntax,
    NodeSyntax,
    NumbersSyntax,
    UseSyntax,
    ValueSyntax,
)

_HALF: Final = 0.5**0.5

CAMERA_TURN: Final[Quat] = (0.5, -0.5, 0.5, 0.5)
"""Takes x to -z, y to -x, z to y: a camera that looked along -z with y up now looks along x."""

EMITTER_TURN: Final[Quat] = (0.5, -0.5, -0.5, -0.5)
"""Takes x to z, y to x, z to y: a cone along z is now along x."""

UPRIGHT_TURN: Final[Quat] = (_HALF, -_HALF, 0.0, 0.0)
"""-90 degrees about x: takes z to y, so a form along z stands where one along y stood."""


@dataclass(frozen=True, slots=True)
class AxisTurn:
    """A rotation, then a shift: where a new form lies in the frame of the old one."""

    rotation: Quat = UPRIGHT_TURN
    shift: Vec3 = ZERO


def field_of(node: NodeSyntax, name: str) -> FieldSyntax | None:
    """Return the field of that name that counts (the last one), or None."""
    return next((item for item in reversed(node.fields) if item.name == name), None)


def items_of(value: ValueSyntax | None) -> tuple[ItemSyntax, ...]:
    """Return the items of a list, or a single value as the only item."""
    if value is None:
        return ()
    return value.items if isinstance(value, ListSyntax) else (value,)


def numbers_in(node: NodeSyntax, name: str, default: tuple[float, ...]) -> tuple[float, ...] | None:
    """Return the numbers of a field, `default` if it is not written, None if they are no (finite) numbers."""
    written = field_of(node, name)
    if written is None:
        return default
    items = items_of(written.value)
    numbers = tuple(x for item in items if isinstance(item, NumbersSyntax) for x in item.values)
    is_plain = all(isinstance(item, NumbersSyntax) for item in items)
    is_plain = is_plain and all(map(math.isfinite, numbers))
    return numbers if is_plain and (not default or len(numbers) == len(default)) else None


def with_value(
    node: NodeSyntax, name: str, value: ValueSyntax, *, first: bool = False
) -> NodeSyntax:
    """Return the node with a field set; a new field goes to the end, or to the front."""
    old = field_of(node, name)
    if old is None:
        item = FieldSyntax(name, value, node.type_span)
        return replace(node, fields=(item, *node.fields) if first else (*node.fields, item))
    fields = tuple(old.with_value(value) if item is old else item for item in node.fields)
    return replace(node, fields=fields)


def with_numbers(
    node: NodeSyntax, name: str, values: Iterable[float], *, first: bool = False
) -> NodeSyntax:
    """Return the node with a field of numbers set, in the form (list or not) in which it was."""
    old = field_of(node, name)
    span = old.value.span if old else node.type_span
    numbers = NumbersSyntax(tuple(x + 0.0 for x in values), span)  # + 0.0: no minus zero
    is_list = old is not None and isinstance(old.value, ListSyntax)
    return with_value(node, name, ListSyntax((numbers,), span) if is_list else numbers, first=first)


def without(node: NodeSyntax, *names: str) -> NodeSyntax:
    """Return the node without the fields of these names."""
    return replace(node, fields=tuple(item for item in node.fields if item.name not in names))


def with_items(value: ValueSyntax, items: tuple[ItemSyntax, ...]) -> ValueSyntax:
    """Return a value of the same form with other items."""
    if isinstance(value, ListSyntax):
        return replace(value, items=items)
    return items[0]


def mapped_nodes(top: NodeSyntax, change: Callable[[NodeSyntax], NodeSyntax]) -> NodeSyntax:
    """Return a tree in which `change` has been applied to every node, children before parents."""
    order: list[NodeSyntax] = []
    stack = [top]
    while stack:
        node = stack.pop()
        order.append(node)
        inner = (item for part in node.fields for item in items_of(part.value))
        stack.extend(item for item in inner if isinstance(item, NodeSyntax))
    done: dict[int, NodeSyntax] = {}
    for node in reversed(order):
        fields = tuple(_mapped_field(part, done) for part in node.fields)
        is_same = all(a is b for a, b in zip(fields, node.fields, strict=True))
        done[id(node)] = change(node if is_same else replace(node, fields=fields))
    return done[id(top)]


def _mapped_field(part: FieldSyntax, done: dict[int, NodeSyntax]) -> FieldSyntax:
    items = items_of(part.value)
    new = tuple(done[id(item)] if isinstance(item, NodeSyntax) else item for item in items)
    if all(a is b for a, b in zip(new, items, strict=True)):
        return part
    return part.with_value(with_items(part.value, new))


def rotation_of(node: NodeSyntax, name: str = "rotation") -> Quat | None:
    """Return the rotation that a field gives, or None if it is no plain value."""
    numbers = numbers_in(node, name, (0.0, 0.0, 1.0, 0.0))
    if numbers is None:
        return None
    x, y, z, angle = numbers
    return quat_from_axis_angle((x, y, z), angle)


def axis_angle(rotation: Quat) -> tuple[float, float, float, float]:
    """Return a rotation as files have it; one of less than rounding size is none."""
    if norm((rotation[1], rotation[2], rotation[3])) < 1e-15:
        return (0.0, 0.0, 1.0, 0.0)
    (x, y, z), angle = quat_to_axis_angle(rotation)
    return (x, y, z, angle)


def turned_after(node: NodeSyntax, turn: AxisTurn, name: str = "rotation") -> NodeSyntax | None:
    """Return a node whose content is turned: rotation := rotation * turn, shift and scale follow."""
    rotation = rotation_of(node, name)
    if rotation is None:
        return None
    out = with_numbers(node, name, axis_angle(quat_multiply(rotation, turn.rotation)), first=True)
    scale = numbers_in(node, "scale", (1.0, 1.0, 1.0))
    if scale is None:
        return None
    if scale != (1.0, 1.0, 1.0) and turn.rotation == UPRIGHT_TURN:
        out = with_numbers(out, "scale", (scale[0], scale[2], scale[1]))
    if turn.shift != ZERO:
        place = numbers_in(node, "translation", ZERO)
        if place is None:
            return None
        x, y, z = (a * s for a, s in zip(turn.shift, scale, strict=True))
        moved = add((place[0], place[1], place[2]), quat_rotate(rotation, (x, y, z)))
        out = with_numbers(out, "translation", moved, first=True)
    return out


def turned_before(node: NodeSyntax, rotation: Quat) -> NodeSyntax | None:
    """Return a Pose as seen from a frame turned by `rotation`: both its fields are turned."""
    own = rotation_of(node)
    place = numbers_in(node, "translation", ZERO)
    if own is None or place is None:
        return None
    moved = quat_rotate(rotation, (place[0], place[1], place[2]))
    out = with_numbers(node, "rotation", axis_angle(quat_multiply(rotation, own)), first=True)
    return with_numbers(out, "translation", moved, first=True) if moved != ZERO else out


def wrapped(item: NodeSyntax | UseSyntax, turn: AxisTurn) -> NodeSyntax:
    """Return a Pose that holds `item` with that turn."""
    span = item.span
    fields: list[FieldSyntax] = []
    if turn.shift != ZERO:
        fields.append(_field("translation", NumbersSyntax(turn.shift, span), span))
    if turn.rotation != IDENTITY:
        fields.append(_field("rotation", NumbersSyntax(axis_angle(turn.rotation), span), span))
    fields.append(_field("children", ListSyntax((item,), span), span))
    return NodeSyntax("Pose", None, tuple(fields), span, span)


def _field(name: str, value: ValueSyntax, span: SourceSpan) -> FieldSyntax:
    return FieldSyntax(name, value, span)


def turned_mass(physics: NodeSyntax, rotation: Quat) -> NodeSyntax:
    """Return a Physics node with centre of mass and inertia in a frame turned by `rotation`."""
    center = numbers_in(physics, "centerOfMass", ())
    if center and len(center) == 3:
        moved = quat_rotate(rotation, (center[0], center[1], center[2]))
        physics = with_numbers(physics, "centerOfMass", moved)
    inertia = numbers_in(physics, "inertiaMatrix", ())
    if inertia and len(inertia) == 6:
        physics = with_numbers(physics, "inertiaMatrix", _turned_inertia(inertia, rotation))
    return physics


def _turned_inertia(inertia: tuple[float, ...], rotation: Quat) -> tuple[float, ...]:
    """Return Q I Q^T as (Ixx, Iyy, Izz, Ixy, Ixz, Iyz)."""
    xx, yy, zz, xy, xz, yz = inertia
    rows = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
    back = quat_conjugate(rotation)
    # columns of I Q^T are I applied to the columns of Q^T
    axes = [quat_rotate(back, axis) for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))]

    def entry(i: int, j: int) -> float:
        applied = [sum(row[k] * axes[j][k] for k in range(3)) for row in rows]
        return sum(axes[i][k] * applied[k] for k in range(3))

    return (entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2))
