"""Robot nodes to the model's robots."""

from __future__ import annotations

from collections.abc import Iterator

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.formats.webots.typed import TypedNode
from solidbody.model.links import Robot


def lower_robot(node: TypedNode, link: int, log: DiagnosticLog) -> Robot:
    """Return the robot of a Robot node that link number `link` of its body carries."""
    is_old_data = node.is_written("data") and not node.is_written("customData")
    return Robot(
        node.string("name"),
        link,
        node.string("controller"),
        node.strings("controllerArgs"),
        node.string("data" if is_old_data else "customData"),
        node.boolean("supervisor") or node.type == "Supervisor",
        node.boolean("synchronization"),
        _battery(node, log),
        node.number("cpuConsumption"),
        node.boolean("selfCollision"),
        _without_none(node.string("window")),
        _without_none(node.string("remoteControl")),
        node.span,
        device_order=tuple(_device_names(node)),
        speed_unit=node.number("speedUnit") if node.has("speedUnit") else 1.0,
    )


def _device_names(robot: TypedNode) -> Iterator[str]:
    """Yield the names of a robot's devices in the order of the tree; nested robots have their own."""
    seen = {robot}
    stack = _held(robot)
    while stack:
        node = stack.pop()
        if node in seen or node.is_a("Robot"):
            continue
        seen.add(node)
        if node.has("name") and node.type not in _NO_DEVICES:
            yield node.string("name")
        stack.extend(_held(node))


_NO_DEVICES = ("Solid", "Charger")
"""What has a name but is none."""


def _held(node: TypedNode) -> list[TypedNode]:
    """Return the nodes in the fields of a node, last first."""
    return [item for nodes in node.nodes.values() for item in nodes if item is not None][::-1]


def _battery(node: TypedNode, log: DiagnosticLog) -> tuple[float, float, float] | None:
    values = node.numbers("battery")
    if not values:
        return None
    if len(values) != 3:
        node.warn(
            log,
            "value-reset",
            "takes 3 values (energy, capacity, charging power) or none, "
            f"got {len(values)}; "
            + ("the rest is ignored." if len(values) > 3 else "none is used."),
            field="battery",
        )
    return (values[0], values[1], values[2]) if len(values) >= 3 else None


def _without_none(word: str) -> str:
    return "" if word == "<none>" else word
