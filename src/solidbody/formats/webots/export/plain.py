"""Exports plain nodes: attributes of the model to the fields that the node table binds them to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, cast

from solidbody.formats.vrml.syntax import NodeSyntax
from solidbody.formats.webots.export.nodes import Content, Fields, node
from solidbody.formats.webots.nodes import NODES
from solidbody.formats.webots.nodes.attributes import AttributeBinding, bindings

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
    "Focus": "focalDistance focalLength minFocalDistance",
    "PointLight": "attenuation location radius",
    "LinearMotor": _MOTOR,
    "RotationalMotor": _MOTOR,
    "SpotLight": "attenuation location direction radius beamWidth cutOffAngle",
    "Zoom": "minFieldOfView",
}
"""Fields that are written first, where that is not the order of the table."""

NODE_TYPES: Final[Mapping[str, str]] = {
    row.model: row.name for row in NODES if row.model and not row.is_abstract
}
"""Class of the model -> the node type that means the same; where there are several, one of them."""


def plain_fields(
    node_type: str,
    item: object,
    /,
    *without: str,
    child: Callable[[Any], NodeSyntax] | None = None,
    **given: Content,
) -> Fields:
    """Return the fields of a node that an object of the model becomes.

    Args:
        node_type: A type whose row names the class of `item`.
        item: What is written.
        without: Fields that are left out.
        child: Makes the nodes that stand in fields; without it they are plain as well.
        given: Fields that are written by hand.
    """
    bound = {part.row.name: part for part in bindings(node_type).rows}
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
    row, path, conversion = bound
    value: Any = getattr(item, path[0])
    if len(path) > 1:
        if value is None:
            return cast(Content, row.default)
        value = value[int(path[1])] if path[1].isdigit() else getattr(value, path[1])
    if row.type.item == "node":
        return None if value is None else child(value)
    return conversion.write(value)
