"""Robot nodes to the model's robots."""

from __future__ import annotations

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
    )


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
