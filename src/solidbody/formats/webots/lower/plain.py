"""Lowers plain nodes: each row of the node table that names an attribute of the model is read into it.

What a row alone cannot say (values that must fit each other) is a rule: a function that gets the values of
the attributes and mends them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from itertools import pairwise
from math import pi
from typing import Any, Final, TypeVar, cast

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.transforms import normalized
from solidbody.formats.assets import AssetFinder
from solidbody.formats.webots.lower.images import written_url
from solidbody.formats.webots.nodes import NODES
from solidbody.formats.webots.nodes.attributes import DISTANCE_KINDS, Bindings, Holds, bindings
from solidbody.formats.webots.nodes.typed import TypedNode
from solidbody.model.appearance import Appearance
from solidbody.model.contacts import ContactProperties
from solidbody.model.devices import (
    DeviceAccelerometer,
    DeviceCamera,
    DeviceCharger,
    DeviceCompass,
    DeviceDisplay,
    DeviceDistanceSensor,
    DeviceEmitter,
    DeviceGyro,
    DeviceLidar,
    DeviceLightSensor,
    DevicePropeller,
    DeviceRadar,
    DeviceRangeFinder,
    DeviceReceiver,
    DeviceTouchSensor,
    DistanceKind,
    Projection,
    Zoom,
)
from solidbody.model.environment import Background, Viewpoint
from solidbody.model.joints import JointAxis
from solidbody.model.links import Robot

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
    finder: AssetFinder | None = None,
    **given: Any,
) -> T:
    """Return what a node is in the model.

    Args:
        model: The class that the table names for the node, a base of it, or another class that rows name.
        node: The node.
        log: Takes the messages of rules; needed where those of the class have any.
        child: Lowers the nodes in its fields; without it they are plain as well.
        finder: Knows where addresses lead; needed where a field holds one.
        given: Attributes that are known already: their rows are not read.
    """
    bound = bindings(node.type, model)
    values = plain_values(bound, node, log, child=child, finder=finder, **given)
    return bound.model(**values)


def plain_values(
    bound: Bindings,
    node: TypedNode,
    log: DiagnosticLog | None = None,
    /,
    *,
    child: Callable[[TypedNode], Any] | None = None,
    finder: AssetFinder | None = None,
    **given: Any,
) -> Values:
    """Return the attributes that `lower_plain` gives to an object."""
    values: Values = {"span": node.span} if bound.has_span else {}
    written = node.values
    for row, name, part, conversion, holds, default in bound.rows:
        if name in given:
            continue
        if holds is _VALUE:
            value = conversion.read(written.get(row.name, row.default))
        elif holds is Holds.ADDRESS:
            assert finder is not None
            value = finder.address(written_url(node, row.name, finder), node.place(row.name).file)
        elif holds is Holds.NODE and default is not None and node.node(row.name) is None:
            continue  # what it is without a node is for the class to say
        else:
            value = _of_nodes(node, row.name, holds, child or partial(_lower_child, log))
        if part:
            values.setdefault(name, {})[part] = value
        else:
            values[name] = value
    for (row, name, *_, conversion, _, _), today in bound.old:
        if row.name in written and today not in written and name not in given:
            value = conversion.read(written[row.name])
            values[name] = values[name] if value is None else value
    values.update(given)
    for rule in RULES.get(bound.model, ()):
        rule(node, values, cast(DiagnosticLog, log))  # None where the class has no rule that speaks
    for name, make in bound.groups.items():
        if isinstance(values.get(name), dict):
            values[name] = make(**values[name])
    return values


_VALUE: Final = Holds.VALUE
"""Asked of every row: looking a member up takes longer than the question."""


def _of_nodes(node: TypedNode, name: str, holds: Holds, lower: Callable[[TypedNode], Any]) -> Any:
    """Return what the nodes in a field are in the model."""
    if holds is Holds.NODES:
        return tuple(lower(item) for item in node.children(name))
    inner = node.node(name)
    if holds is Holds.LIST:
        return () if inner is None else next(iter(inner.values.values()), ())
    return None if inner is None else lower(inner)


def _lower_child(log: DiagnosticLog | None, node: TypedNode) -> Any:
    return lower_plain(object, node, log)


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
    low, high = values["radial_speed_range"].values()
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


def _turn_head(node: TypedNode, values: Values, log: DiagnosticLog) -> None:
    """A head that turns sees all around; its rate lies between its limits."""
    head = values["head"]
    if node.string("type") == "rotating":
        low, high = sorted((head["min_frequency"], head["max_frequency"]))
        rate = min(max(head["frequency"], low), high)
        values["head"] = {"frequency": rate, "min_frequency": low, "max_frequency": high}
        values["yaw_range"] = (-pi, pi)
    else:
        values["head"] = None
    values["has_sectors"] = True
    if node.is_written("spherical") and not node.boolean("spherical"):
        values["projection"] = Projection.PLANAR


def _scale_noise(node: TypedNode, values: Values, log: DiagnosticLog) -> None:
    """The noise of a lidar is a share of its range."""
    values["noise"] *= values["max_range"]


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


def _fit_stops(node: TypedNode, values: Values, log: DiagnosticLog) -> None:
    """Mend the stops of an axis; equal ones are none."""
    stops, position = values["stops"], values["position"]
    low, high = stops["low"], stops["high"]
    if low == high:
        values["stops"] = None
        return
    if low > high:
        text = f"minStop {low:g} is above maxStop {high:g}; they are exchanged."
        node.warn(log, "value-reset", text, field="minStop")
        stops["low"], stops["high"] = low, high = high, low
    if not low <= position <= high:
        text = f"position {position:g} lies outside [minStop, maxStop] = [{low:g}, {high:g}]."
        node.warn(log, "position-outside-stops", text, field="position")
    if node.type == "Servo":
        is_rotational = node.string("type") == "rotational"
    else:
        is_rotational = node.parent is None or node.parent.type != "SliderJoint"
    for field, side, reaches in (
        ("minStop", "below -", low <= -pi),
        ("maxStop", "above ", high >= pi),
    ):
        if is_rotational and reaches:
            text = f"a stop at or {side}pi is not effective."
            node.warn(log, "stop-not-effective", text, field=field)


def _count_images(node: TypedNode, values: Values, log: DiagnosticLog) -> None:
    """The images of a sky count only if all six sides have one."""
    for name in ("images", "irradiance_images"):
        if not all(values[name].values()):
            values[name] = ()


def _ask_for_corners(node: TypedNode, values: Values, log: DiagnosticLog) -> None:
    """Ambient occlusion costs several times the rest of a picture: only who asks for it has it."""
    if not node.is_written("ambientOcclusionRadius"):
        values["ambient_occlusion_radius"] = 0.0


def _shine(node: TypedNode, values: Values, log: DiagnosticLog) -> None:
    """The glow is a colour times an intensity; a map takes the place of the colour."""
    if node.type == "PBRAppearance":
        r, g, b = values["emissive"] if values["emissive_map"] is None else (1.0, 1.0, 1.0)
        intensity = node.number("emissiveIntensity")
        values["emissive"] = (r * intensity, g * intensity, b * intensity)


RULES: Final[Mapping[type, tuple[Rule, ...]]] = {
    DeviceAccelerometer: (_warn_of_lookup,),
    DeviceGyro: (_warn_of_lookup,),
    DeviceCompass: (_warn_of_lookup,),
    DeviceLightSensor: (_warn_of_lookup,),
    DeviceTouchSensor: (_warn_of_lookup,),
    DeviceDistanceSensor: (_know_distance_kind, _warn_of_lookup),
    DeviceRadar: (_order_speeds, _order("minRange", "maxRange")),
    DeviceCamera: (_limit_pixels, _fit_projection),
    DeviceRangeFinder: (_limit_pixels, _fit_range, _fit_projection),
    DeviceLidar: (
        _turn_head,
        _limit_product("horizontalResolution", "numberOfLayers", MAX_RAYS),
        _count_layers,
        _fit_range,
        _scale_noise,
    ),
    DeviceDisplay: (_limit_pixels,),
    Zoom: (_order("minFieldOfView", "maxFieldOfView"),),
    DeviceEmitter: (_limit_reach, _allow_channel),
    DeviceReceiver: (_allow_channel,),
    DevicePropeller: (_point_shaft,),
    DeviceCharger: (_count_battery,),
    Robot: (_count_battery,),
    ContactProperties: (_one_to_four("coulombFriction"), _one_to_four("forceDependentSlip")),
    JointAxis: (_fit_stops,),
    Background: (_count_images,),
    Viewpoint: (_ask_for_corners,),
    Appearance: (_shine,),
}
"""What values of one object must fit each other, in the order of the messages."""
