"""Lowers plain nodes: each row of the node table that names an attribute of the model is read into it.

What a row alone cannot say (values that must fit each other) is a rule: a function that gets the values of
the attributes and mends them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from math import pi
from typing import Any, Final, TypeVar

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.transforms import normalized
from solidbody.formats.webots.nodes import NODES
from solidbody.formats.webots.nodes.attributes import DISTANCE_KINDS, bindings
from solidbody.formats.webots.nodes.typed import TypedNode
from solidbody.model.devices import DistanceKind, Projection

T = TypeVar("T")
Values = dict[str, Any]
Rule = Callable[[TypedNode, Values, DiagnosticLog], None]

MAX_PIXELS: Final = 4096 * 4096
"""Of one picture: each takes some hundred bytes while it is drawn."""

MAX_RAYS: Final = 4_000_000
"""Of one lidar: seven times those of the largest that we know, 4500 in 128 layers."""


def lower_plain(
    model: type[T],
    node: TypedNode,
    log: DiagnosticLog | None = None,
    /,
    *,
    child: Callable[[TypedNode], Any] | None = None,
    **given: Any,
) -> T:
    """Return what a node is in the model.

    Args:
        model: The class that the table names for the node, or a base of it.
        node: A node whose row names a class of the model.
        log: Takes the messages of rules; needed where the node has any.
        child: Lowers the nodes in its fields; without it they are plain as well.
        given: Attributes that are known already: their rows are not read.
    """
    bound = bindings(node.type)
    assert issubclass(bound.model, model)
    values: Values = {"span": node.span} if bound.has_span else {}
    written = node.values
    for row, path, conversion in bound.rows:
        if path[0] in given:
            continue
        if row.type.item == "node":
            inner = node.node(row.name)
            value = None if inner is None else (child or _plain_child(log))(inner)
        else:
            name = row.name
            value = conversion.read(written.get(name, row.default))
        if len(path) == 1:
            values[path[0]] = value
        else:
            values.setdefault(path[0], {})[path[1]] = value
    for name, make in bound.groups.items():
        if name in values:
            values[name] = make(**values[name])
    values.update(given)
    for rule in RULES.get(node.type, ()):
        assert log is not None
        rule(node, values, log)
    return bound.model(**values)


def _plain_child(log: DiagnosticLog | None) -> Callable[[TypedNode], Any]:
    return lambda node: lower_plain(object, node, log)


# rules


def _mend(node: TypedNode, log: DiagnosticLog, field: str, text: str) -> None:
    node.warn(log, "inconsistent-values", text, field=field)


def _warn_of_lookup(node: TypedNode, values: Values, log: DiagnosticLog) -> None:
    if not all(b[0] > a[0] for a, b in pairwise(node.vec3s("lookupTable"))):
        node.warn(
            log,
            "lookup-order",
            "the inputs of a lookup table must increase; the rows are sorted and repeated ones dropped.",
            field="lookupTable",
        )


def _know_distance_kind(node: TypedNode, values: Values, log: DiagnosticLog) -> None:
    word, rays = node.string("type"), values["ray_count"]
    if word not in DISTANCE_KINDS:
        node.warn(
            log,
            "unknown-type",
            f'"{word}" is no type of distance sensor '
            f"(known: {', '.join(DISTANCE_KINDS)}); it acts as a sonar.",
            field="type",
        )
    if values["kind"] is DistanceKind.LASER and rays > 1:
        _mend(node, log, "numberOfRays", f"a laser has one ray, got {rays}; reset to 1.")
        values["ray_count"] = 1


def _order(low_field: str, high_field: str) -> Rule:
    """Return the rule that exchanges two limits in the wrong order."""

    def rule(node: TypedNode, values: Values, log: DiagnosticLog) -> None:
        low, high = (NODES.fields(node.type)[name].attribute for name in (low_field, high_field))
        a, b = values[low], values[high]
        if a > b:
            text = f"{low_field} {a:g} is above {high_field} {b:g}; they are exchanged."
            _mend(node, log, low_field, text)
            values[low], values[high] = b, a

    return rule


def _order_speeds(node: TypedNode, values: Values, log: DiagnosticLog) -> None:
    low, high = values["radial_speed_range"]
    is_open = low == high == 0.0
    values["radial_speed_range"] = None if is_open else (min(low, high), max(low, high))


def _limit_product(across: str, up: str, most: int) -> Rule:
    """Return the rule that the product of two counts is at most `most`."""

    def rule(node: TypedNode, values: Values, log: DiagnosticLog) -> None:
        names = [NODES.fields(node.type)[name].attribute for name in (across, up)]
        first, second = (values[name] for name in names)
        if first * second <= most:
            return
        node.fail(
            log,
            "too-large",
            f"{first} x {second} is more than the {most} that are simulated; 64 x 1 is used.",
            field=across,
        )
        values.update(zip(names, (64, 1), strict=True))

    return rule


_limit_pixels = _limit_product("width", "height", MAX_PIXELS)


def _fit_projection(node: TypedNode, values: Values, log: DiagnosticLog) -> None:
    """Mend the projection and the angle of an image; older files say `spherical`."""
    if node.boolean("spherical") and not node.is_written("projection"):
        values["projection"] = Projection.CYLINDRICAL
    angle = values["field_of_view"]
    if values["projection"] is Projection.PLANAR and angle >= pi:
        text = f"must be below pi for a planar projection, got {angle:g}; reset to 0.785398."
        _mend(node, log, "fieldOfView", text)
        values["field_of_view"] = 0.785398


def _fit_range(node: TypedNode, values: Values, log: DiagnosticLog) -> None:
    """Mend minRange and maxRange: near <= minRange < maxRange."""
    near, low, high = values["near"], values["min_range"], values["max_range"]
    if low < near:
        _mend(node, log, "minRange", f"minRange {low:g} is below near {near:g}; reset to near.")
        values["min_range"] = low = near
    if high <= low:
        text = f"maxRange {high:g} is not above minRange; reset to {low + 1.0:g}."
        _mend(node, log, "maxRange", text)
        values["max_range"] = low + 1.0


def _count_layers(node: TypedNode, values: Values, log: DiagnosticLog) -> None:
    layers, most = values["layers"], values["pitch_range"][1] * values["samples"]
    most /= values["yaw_range"][1]
    if layers > 1 and layers >= most:
        node.warn(
            log,
            "too-many-layers",
            f"{layers} layers are more than the vertical field of view holds at this resolution "
            f"(below {most:g}).",
            field="numberOfLayers",
        )


def _limit_reach(node: TypedNode, values: Values, log: DiagnosticLog) -> None:
    reach, most = values["range"], values["max_range"]
    if reach > most:
        text = f"range {reach:g} is above maxRange {most:g}; reset to maxRange."
        _mend(node, log, "range", text)
        values["range"] = most


def _allow_channel(node: TypedNode, values: Values, log: DiagnosticLog) -> None:
    channel, allowed = node.integer("channel"), values["allowed_channels"]
    if not allowed or channel in allowed:
        return
    listed = ", ".join(map(str, allowed))
    text = f"{channel} is not one of allowedChannels ({listed}); reset to {allowed[0]}."
    _mend(node, log, "channel", text)
    values["channel"] = None if allowed[0] == -1 else allowed[0]


def _point_shaft(node: TypedNode, values: Values, log: DiagnosticLog) -> None:
    axis = values["shaft_axis"]
    if axis == (0.0, 0.0, 0.0):
        node.warn(log, "null-axis", "the axis is null; reset to 0 1 0.", field="shaftAxis")
    values["shaft_axis"] = normalized(axis, fallback=(0.0, 1.0, 0.0))


def _count_battery(node: TypedNode, values: Values, log: DiagnosticLog) -> None:
    count = len(node.numbers("battery"))
    if count not in (0, 3):
        node.warn(
            log,
            "value-reset",
            f"takes 3 values (energy, capacity, charging power) or none, got {count}; "
            + ("the rest is ignored." if count > 3 else "none is used."),
            field="battery",
        )


def _one_to_four(field: str) -> Rule:
    """Return the rule for a list of coefficients."""

    def rule(node: TypedNode, values: Values, log: DiagnosticLog) -> None:
        row = NODES.fields(node.type)[field]
        given = values[row.attribute]
        if 1 <= len(given) <= 4:
            return
        text = f"takes 1 to 4 values, got {len(given)}; "
        text += "the first 4 are used." if given else "the default is used."
        node.warn(log, "value-reset", text, field=field)
        values[row.attribute] = given[:4] or row.default

    return rule


RULES: Final[Mapping[str, tuple[Rule, ...]]] = {
    **dict.fromkeys(("Accelerometer", "Gyro", "Compass"), (_warn_of_lookup,)),
    **dict.fromkeys(("LightSensor", "TouchSensor"), (_warn_of_lookup,)),
    "DistanceSensor": (_know_distance_kind, _warn_of_lookup),
    "Radar": (_order_speeds, _order("minRange", "maxRange")),
    "Camera": (_limit_pixels, _fit_projection),
    "RangeFinder": (_limit_pixels, _fit_range, _fit_projection),
    "Lidar": (
        _limit_product("horizontalResolution", "numberOfLayers", MAX_RAYS),
        _count_layers,
        _fit_range,
    ),
    "Display": (_limit_pixels,),
    "Zoom": (_order("minFieldOfView", "maxFieldOfView"),),
    "Emitter": (_limit_reach, _allow_channel),
    "Receiver": (_allow_channel,),
    "Propeller": (_point_shaft,),
    **dict.fromkeys(
        ("Charger", "Robot", "Supervisor", "CustomRobot", "DifferentialWheels"), (_count_battery,)
    ),
    "ContactProperties": (_one_to_four("coulombFriction"), _one_to_four("forceDependentSlip")),
}
"""What values of one node must fit each other, in the order of the messages."""
