"""Lowers Robot nodes to the model's robots."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.formats.webots.lower.plain import lower_plain
from solidbody.formats.webots.nodes.typed import TypedNode
from solidbody.formats.webots.releases.release import FIRST_ARGUMENT_LISTS, Release, release_of_file
from solidbody.model.links import Robot


def lower_robot(node: TypedNode, link: int, release: Release, log: DiagnosticLog) -> Robot:
    """Return the robot of a Robot node that link `link` of its body carries, in a world of `release`."""
    return lower_plain(
        Robot,
        node,
        log,
        link=link,
        controller_args=_arguments(node, release, log),
        is_supervisor=node.boolean("supervisor") or node.type == "Supervisor",
        device_order=tuple(_device_names(node)),
    )


def _arguments(node: TypedNode, release: Release, log: DiagnosticLog) -> tuple[str, ...]:
    """Return the arguments of the controller; in files before R2020b they are one text."""
    given = node.strings("controllerArgs")
    if len(given) != 1 or " " not in given[0]:
        return given
    file = node.span.file
    if file.lower().endswith(".proto"):
        release = min(release, release_of_file(Path(file)))
    if release >= FIRST_ARGUMENT_LISTS:
        return given
    parts = split_arguments(given[0])
    node.warn(
        log,
        "deprecated-field",
        f"is a list of strings since R2020b; this text is split into {len(parts)} of them.",
        field="controllerArgs",
    )
    return parts


def split_arguments(text: str) -> tuple[str, ...]:
    """Split a text at spaces outside quotes, as Webots converts it; a quote after a backslash opens nothing.

    Quotes are left out, single and double ones, wherever they are.
    """
    parts, quote, before = [""], "", ""
    for letter in text.strip():
        if letter in "\"'" and before != "\\" and quote in ("", letter):
            quote = "" if quote else letter
        if letter == " " and not quote:
            if before != " ":
                parts.append("")
        elif letter not in "\"'":
            parts[-1] += letter
        before = letter
    return tuple(parts)


_NO_DEVICES = ("Solid", "Charger")
"""What has a name but is none."""


def _device_names(robot: TypedNode) -> Iterator[str]:
    """Yield the names of a robot's devices in the order of the tree."""
    for node in nodes_of_robot(robot):
        if node.has("name") and node.type not in _NO_DEVICES:
            yield node.string("name")


def nodes_of_robot(robot: TypedNode) -> Iterator[TypedNode]:
    """Yield the nodes below a robot, each once, in the order of the tree; nested robots have their own."""
    seen = {robot}
    stack = robot.held()
    while stack:
        node = stack.pop()
        if node not in seen and not node.is_a("Robot"):
            seen.add(node)
            yield node
            stack.extend(node.held())
