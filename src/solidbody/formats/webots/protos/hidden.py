"""Applies `hidden` values of a PROTO instance: poses and joint positions inside it (rules W1.5).

`hidden translation_2 x y z` sets the pose of the third solid of the instance, counted from 0 at the root
and down in the order of the file; `hidden position_2_0 v` the position of the first joint below that
solid and above the next ones. An index that does not fit means that the PROTO has changed since the
world was saved: then none of the values counts. Of one of our own PROTOs, whose parts may be others than
those of Webots' PROTO, the values of the root count then.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, replace
from typing import Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.formats.vrml.proto_library import Trail
from solidbody.formats.vrml.stepping import Steps, run_steps
from solidbody.formats.vrml.syntax import (
    FieldSyntax,
    ItemSyntax,
    ListSyntax,
    NodeSyntax,
    NumbersSyntax,
)
from solidbody.formats.webots.nodes import NODES
from solidbody.formats.webots.protos.hidden_fit import poses_fit

_NAME = re.compile(
    r"(translation|rotation|linearVelocity|angularVelocity)_(\d{1,6})"
    r"|(position|position2|position3)_(\d{1,6})_(\d{1,6})"
)
_PARAMETERS: Final = {
    "position": "jointParameters",
    "position2": "jointParameters2",
    "position3": "jointParameters3",
}
_WALKED: Final = frozenset({"children", "endPoint"})

_SolidKey = tuple[int, str]
_JointKey = tuple[int, int, str]


@dataclass(slots=True)
class _Hidden:
    solids: dict[_SolidKey, FieldSyntax] = field(default_factory=dict[_SolidKey, FieldSyntax])
    joints: dict[_JointKey, FieldSyntax] = field(default_factory=dict[_JointKey, FieldSyntax])
    used: int = 0
    next_solid: int = 0
    next_joint: dict[int, int] = field(default_factory=dict[int, int])


def apply_hidden(
    root: NodeSyntax,
    instance: NodeSyntax,
    log: DiagnosticLog,
    trail: Trail,
    *,
    is_own: bool = False,
) -> NodeSyntax:
    """Return the expanded `root` with the hidden values of its instance.

    Args:
        root: The instance, expanded.
        instance: As it is written.
        log: Takes messages.
        trail: Where the instance stands.
        is_own: Whether the PROTO is ours, and stands in for the one that the world was saved with.
    """
    written = [part for part in instance.fields if part.is_hidden]
    if not written:
        return root
    hidden = _Hidden()
    for part in written:
        found = _NAME.fullmatch(part.name)
        if found is None:
            text = f'"{part.name}" is no hidden value that a world can have; it is ignored.'
            log.warning("unknown-hidden", part.name_span, text, node=trail.path, field=part.name)
        elif not _is_finite(part):
            text = "the hidden value is not finite; it is ignored."
            log.warning("non-finite", part.name_span, text, node=trail.path, field=part.name)
        elif found.group(1):
            hidden.solids[int(found.group(2)), found.group(1)] = part
        else:
            hidden.joints[int(found.group(4)), int(found.group(5)), found.group(3)] = part
    wanted = len(hidden.solids) + len(hidden.joints)
    if not wanted:
        return root
    changed = run_steps(_walk(root, hidden, -1))
    if is_own and not (hidden.used == wanted and _fits(root, hidden)):
        log.info(
            "hidden-of-original",
            instance.type_span,
            f"solidbody's own {instance.type_name} has other parts than the one that the world was saved "
            "with: of the hidden values only those of the whole are used.",
            node=trail.path,
        )
        whole = {key: part for key, part in hidden.solids.items() if key[0] == 0}
        return run_steps(_walk(root, _Hidden(whole), -1))
    if hidden.used == wanted:
        return changed
    log.warning(
        "hidden-mismatch",
        instance.type_span,
        f"the hidden values do not fit the PROTO ({wanted - hidden.used} of {wanted} name a solid or "
        "joint that it does not have): it has changed since the world was saved. None of them is used.",
        node=trail.path,
    )
    return root


def _is_finite(part: FieldSyntax) -> bool:
    """Whether a hidden value is as it was before the simulation exploded."""
    return not isinstance(part.value, NumbersSyntax) or all(map(math.isfinite, part.value.values))


def _fits(root: NodeSyntax, hidden: _Hidden) -> bool:
    return poses_fit(
        root,
        lambda solid, name: hidden.solids.get((solid, name)),
        lambda solid, joint, name: hidden.joints.get((solid, joint, name)),
    )


def _walk(node: NodeSyntax, hidden: _Hidden, solid: int) -> Steps[NodeSyntax]:
    """Change a node and those below it; `solid` is the index of the nearest solid above."""
    if NODES.find(node.type_name) is None:
        return node
    if NODES.derives(node.type_name, "Solid"):
        solid = hidden.next_solid
        hidden.next_solid += 1
        node = _moved_solid(node, hidden, solid)
    elif NODES.derives(node.type_name, "Joint"):
        joint = hidden.next_joint.get(solid, 0)
        hidden.next_joint[solid] = joint + 1
        node = _moved_joint(node, hidden, solid, joint)
    parts: list[FieldSyntax] = []
    for part in node.fields:
        if part.name not in _WALKED:
            parts.append(part)
        elif isinstance(part.value, NodeSyntax):
            value = yield _walk(part.value, hidden, solid)
            parts.append(part.with_value(value))
        elif isinstance(part.value, ListSyntax):
            items: list[ItemSyntax] = []
            for item in part.value.items:
                if isinstance(item, NodeSyntax):
                    items.append((yield _walk(item, hidden, solid)))
                else:
                    items.append(item)
            parts.append(part.with_value(replace(part.value, items=tuple(items))))
        else:
            parts.append(part)
    return replace(node, fields=tuple(parts))


def _moved_solid(node: NodeSyntax, hidden: _Hidden, index: int) -> NodeSyntax:
    for (solid, name), part in hidden.solids.items():
        if solid == index:
            hidden.used += 1
            node = _with_field(node, name, part)
    return node


def _moved_joint(node: NodeSyntax, hidden: _Hidden, solid: int, joint: int) -> NodeSyntax:
    fields = NODES.fields(node.type_name)
    for key, part in hidden.joints.items():
        name = _PARAMETERS[key[2]]
        if key[:2] != (solid, joint) or name not in fields:
            continue
        hidden.used += 1
        old = next((item for item in node.fields if item.name == name), None)
        if old is not None and isinstance(old.value, NodeSyntax):
            parameters = old.value
        else:
            kind = _parameters_type(fields[name].nodes)
            parameters = NodeSyntax(kind, None, (), node.span, node.type_span, node.scope)
        parameters = _with_field(parameters, "position", part)
        place = (old or part).name_span
        node = _with_field(node, name, FieldSyntax(name, parameters, place))
    return node


def _parameters_type(allowed: tuple[str, ...]) -> str:
    return next((name for name in allowed if NODES.find(name) is not None), "JointParameters")


def _with_field(node: NodeSyntax, name: str, part: FieldSyntax) -> NodeSyntax:
    """Return `node` with the field `name` set to the value of `part`."""
    new = FieldSyntax(name, part.value, part.name_span)
    kept = tuple(item for item in node.fields if item.name != name)
    return replace(node, fields=(*kept, new))
