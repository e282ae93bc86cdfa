"""Exports plain nodes: attributes of the model to the fields that the node table binds them to."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType
from typing import Any, Final, cast

from solidbody.formats.vrml.syntax import NodeSyntax
from solidbody.formats.webots.export.nodes import Content, Fields, node
from solidbody.formats.webots.nodes import NODES
from solidbody.formats.webots.nodes.attributes import AttributeBinding, Holds, bindings

_MOTOR: Final = (
    "name acceleration consumptionFactor controlPID minPosition maxPosition maxVelocity multiplier "
    "sound"
)
_FIRST: Final[Mapping[str, str]] = {
    "Camera": "name fieldOfView width height projection near motionBlur noise far exposure "
    "antiAliasing ambientOcclusionRadius bloomThreshold noiseMaskUrl",
    "Capsule": "radius height top side bottom",
    "Cone": "bottomRadius height side bottom",
    "Cylinder": "radius height top side bottom",
    "DirectionalLight": "direction",
    "ElevationGrid": "xDimension xSpacing yDimension ySpacing height thickness",
    "Focus": "focalDistance focalLength minFocalDistance",
    "PointLight": "attenuation location radius",
    "LinearMotor": _MOTOR,
    "RotationalMotor": _MOTOR,
    "Solid": "translation rotation children name model description contactMaterial boundingObject "
    "physics locked radarCrossSection recognitionColors translationStep rotationStep",
    "SpotLight": "attenuation location direction radius beamWidth cutOffAngle",
    "Zoom": "minFieldOfView",
}
"""Fields that are written first, where that is not the order of the table."""

NODE_TYPES: Final[Mapping[str, str]] = {
    row.model: row.name
    for row in NODES
    if row.model and not (row.is_abstract or row.is_gone or row.unsupported)
}
"""Class of the model -> the node type that means the same; where there are several, one of them."""


def plain_fields(
    node_type: str,
    item: object,
    given: Mapping[str, Content] = MappingProxyType({}),
    *,
    without: Collection[str] = (),
    child: Callable[[Any], NodeSyntax] | None = None,
) -> Fields:
    """Return the fields of a node that an object of the model becomes.

    Args:
        node_type: A type whose row names the class of `item`.
        item: What is written.
        given: Fields that are written by hand; addresses must be, as they depend on the file to be written.
        without: Fields that are left out.
        child: Makes the nodes that stand in fields; without it they are plain as well.
    """
    rows = bindings(node_type, type(item)).rows
    bound = {part.row.name: part for part in rows if part.holds is not Holds.ADDRESS}
    names = [*_FIRST.get(node_type, "").split(), *NODES.fields(node_type)]
    return {
        name: given[name] if name in given else _content(bound[name], item, child or plain_node)
        for name in dict.fromkeys(names)
        if name in given or (name in bound and name not in without)
    }


def plain_node(item: object, node_type: str = "") -> NodeSyntax:
    """Return the node that an object of the model becomes; the type is needed where there are several."""
    node_type = node_type or NODE_TYPES[type(item).__name__]
    return node(node_type, **plain_fields(node_type, item))


def _content(bound: AttributeBinding, item: object, child: Callable[[Any], NodeSyntax]) -> Content:
    row, name, part, conversion, holds, default = bound
    value: Any = getattr(item, name)
    if part:
        if value is None:
            return cast(Content, row.default)
        value = value[int(part)] if part.isdigit() else getattr(value, part)
    match holds:
        case Holds.LIST:
            kind = NODES[row.nodes[0]]
            return node(kind.name, **{kind.fields[0].name: value}) if value else None
        case Holds.NODES:
            return [child(inner) for inner in value]
        case Holds.NODE:
            return None if value == default else child(value)
        case _:
            return conversion.write(value)
