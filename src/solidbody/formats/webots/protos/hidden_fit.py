"""Decides whether hidden values of an instance fit one of our own PROTOs.

A world that Webots has saved holds the poses of the parts of Webots' PROTO. Ours has the same joints at
best: its parts may be others, or be turned otherwise. A pose fits if the joint above the solid gives it:

    hinge:  rotation = turn * rest,  translation = anchor + turn * (rest - anchor)
    slider: rotation = rest,         translation = rest + axis * way
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from solidbody.base.transforms import (
    Quat,
    Vec3,
    add,
    norm,
    normalized,
    quat_from_axis_angle,
    quat_multiply,
    quat_rotate,
    scale,
    subtract,
)
from solidbody.formats.vrml.syntax import FieldSyntax, NodeSyntax, NumbersSyntax
from solidbody.formats.webots.nodes import NODES
from solidbody.formats.webots.releases.turns import field_of, items_of, numbers_in, rotation_of

_NEAR: Final = 1e-4
"""[m] and half angles [rad]: far above what saving rounds, far below what parts of robots differ by."""

_AXES: Final[dict[str, Vec3]] = {"HingeJoint": (1.0, 0.0, 0.0), "SliderJoint": (0.0, 0.0, 1.0)}
"""Joints of one axis, with the direction that it has where none is written."""
_WALKED: Final = frozenset({"children", "endPoint"})

SolidValues = Callable[[int, str], FieldSyntax | None]
"""Gives the hidden value of a solid: by its index and the name of the field."""
JointValues = Callable[[int, int, str], FieldSyntax | None]
"""Gives the hidden value of a joint: by the index of the solid above, its own, and the field."""


class _Solid(NamedTuple):
    """A solid with its index, and the joint that it ends with the indices of that."""

    node: NodeSyntax
    number: int
    joint: NodeSyntax | None
    joint_key: tuple[int, int]


def poses_fit(root: NodeSyntax, solids: SolidValues, joints: JointValues) -> bool:
    """Whether the hidden poses of the parts of an instance are such as its joints allow."""
    return all(
        _fits(solid, solids(solid.number, "translation"), solids(solid.number, "rotation"), joints)
        for solid in _solids(root)
        if solid.number > 0
    )


def _solids(root: NodeSyntax) -> Iterator[_Solid]:
    """Yield the solids of an instance in the order in which hidden values count them."""
    count = 0
    used: dict[int, int] = {}
    stack: list[tuple[NodeSyntax, int, NodeSyntax | None, tuple[int, int]]] = [
        (root, -1, None, (-1, 0))
    ]
    while stack:
        node, solid, joint, key = stack.pop()
        if NODES.find(node.type_name) is None:
            continue
        is_joint = NODES.derives(node.type_name, "Joint")
        if NODES.derives(node.type_name, "Solid"):
            yield _Solid(node, count, joint, key)
            solid = count
            count += 1
        elif is_joint:
            key = (solid, used.get(solid, 0))
            used[solid] = key[1] + 1
        below = [
            (item, solid, node if is_joint and part.name == "endPoint" else None, key)
            for part in node.fields
            if part.name in _WALKED
            for item in items_of(part.value)
            if isinstance(item, NodeSyntax)
        ]
        stack.extend(reversed(below))


def _fits(
    solid: _Solid, place: FieldSyntax | None, turn: FieldSyntax | None, joints: JointValues
) -> bool:
    rest = _vector(field_of(solid.node, "translation"), (0.0, 0.0, 0.0))
    rest_turn = rotation_of(solid.node)
    if rest is None or rest_turn is None:
        return False
    expected, expected_turn = rest, rest_turn
    if solid.joint is not None:
        moved = _moved(solid.joint, rest, rest_turn, joints(*solid.joint_key, "position"))
        if moved is None:
            return True  # a joint of several axes: taken as it is
        expected, expected_turn = moved
    position = _vector(place, expected)
    numbers = _numbers(turn, 4)
    if position is None or norm(subtract(position, expected)) > _NEAR:
        return False
    if turn is None:
        return True
    if numbers is None:
        return False
    rotation = quat_from_axis_angle((numbers[0], numbers[1], numbers[2]), numbers[3])
    cosine = abs(sum(a * b for a, b in zip(rotation, expected_turn, strict=True)))
    return math.acos(min(cosine, 1.0)) <= _NEAR


def _moved(
    joint: NodeSyntax, rest: Vec3, rest_turn: Quat, position: FieldSyntax | None
) -> tuple[Vec3, Quat] | None:
    """Return the pose that a joint gives its solid at a position; None for other kinds of joints."""
    written = field_of(joint, "jointParameters")
    parameters = written.value if written is not None else None
    if not isinstance(parameters, NodeSyntax):
        parameters = NodeSyntax("JointParameters", None, (), joint.span, None)
    before = numbers_in(parameters, "position", (0.0,))
    after = before if position is None else _numbers(position, 1)
    default = _AXES.get(joint.type_name)
    if before is None or after is None or default is None:
        return None
    way = after[0] - before[0]
    axis = _vector(field_of(parameters, "axis"), default)
    anchor = _vector(field_of(parameters, "anchor"), (0.0, 0.0, 0.0))
    if axis is None or anchor is None or norm(axis) == 0.0:
        return None
    if joint.type_name == "SliderJoint":
        return add(rest, scale(normalized(axis), way)), rest_turn
    turn = quat_from_axis_angle(axis, way)
    return add(anchor, quat_rotate(turn, subtract(rest, anchor))), quat_multiply(turn, rest_turn)


def _vector(written: FieldSyntax | None, default: Vec3) -> Vec3 | None:
    """Return the vector of a field, `default` without one, None for what is no vector."""
    numbers = default if written is None else _numbers(written, 3)
    return None if numbers is None else (numbers[0], numbers[1], numbers[2])


def _numbers(written: FieldSyntax | None, count: int) -> tuple[float, ...] | None:
    value = written.value if written is not None else None
    if isinstance(value, NumbersSyntax) and len(value.values) == count:
        return tuple(value.values)
    return None
