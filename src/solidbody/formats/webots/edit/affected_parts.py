"""Tells which part of the model an edit touches, so that only that is updated."""

from __future__ import annotations

from enum import Enum
from typing import Final

from solidbody.formats.webots.nodes import NODES
from solidbody.formats.webots.nodes.table import Field


class AffectedPart(Enum):
    """A part of the model."""

    POSE = "pose"
    SHAPE = "shape"
    PHYSICS = "physics"
    CONTACT = "contact"
    DEVICE = "device"
    STRUCTURE = "structure"
    LOOK = "look"


_BY_MODEL_FIELD: Final = {
    "Link.pose": AffectedPart.POSE,
    "Shape.pose": AffectedPart.POSE,
    "JointAxis.position": AffectedPart.POSE,
    "Shape.contact_material": AffectedPart.CONTACT,
    "Shape.appearance": AffectedPart.LOOK,
    "Shape.casts_shadows": AffectedPart.LOOK,
    "Shape.is_pickable": AffectedPart.LOOK,
    "JointAxis.motor": AffectedPart.DEVICE,
    "JointAxis.sensor": AffectedPart.DEVICE,
    "JointAxis.brake": AffectedPart.DEVICE,
    "Body.links": AffectedPart.STRUCTURE,
    "Link.joint": AffectedPart.STRUCTURE,
    "Link.parent": AffectedPart.STRUCTURE,
    "Link.name": AffectedPart.STRUCTURE,
    "Link.path": AffectedPart.STRUCTURE,
    "Link.shapes": AffectedPart.SHAPE,
}
_BY_CLASS: Final = (
    (("Geometry", "Shape"), AffectedPart.SHAPE),
    (("Contact",), AffectedPart.CONTACT),
    (
        ("Physics", "Mass", "Damping", "Sleeping", "Joint", "Stops", "Suspension"),
        AffectedPart.PHYSICS,
    ),
    (("Link", "Fluid", "Immersion", "Loop"), AffectedPart.PHYSICS),
    (
        ("Appearance", "Texture", "Light", "Background", "Fog", "Viewpoint", "Scene"),
        AffectedPart.LOOK,
    ),
)
_BY_NODE: Final = (
    ("Solid", AffectedPart.STRUCTURE),
    ("Joint", AffectedPart.STRUCTURE),
    ("Group", AffectedPart.STRUCTURE),
    ("Shape", AffectedPart.SHAPE),
    ("Geometry", AffectedPart.SHAPE),
    ("Physics", AffectedPart.PHYSICS),
    ("Damping", AffectedPart.PHYSICS),
    ("JointParameters", AffectedPart.PHYSICS),
    ("ContactProperties", AffectedPart.CONTACT),
    ("JointDevice", AffectedPart.DEVICE),
    ("AnyAppearance", AffectedPart.LOOK),
    ("Light", AffectedPart.LOOK),
)


def parts_of_field(row: Field | None, *, is_bounding: bool) -> frozenset[AffectedPart]:
    """Return what a change of a field touches; a bounding object gives mass and contacts as well."""
    if row is None:
        return frozenset(
            {AffectedPart.STRUCTURE}
        )  # a parameter of a PROTO: anything may follow from it
    parts = {_part_of(target.strip()) for target in row.to.split(",") if target.strip()}
    if is_bounding or row.name == "boundingObject":
        parts |= {AffectedPart.SHAPE, AffectedPart.PHYSICS}
    return frozenset(parts)


def parts_of_node(type_name: str, *, is_bounding: bool) -> frozenset[AffectedPart]:
    """Return what the insertion or removal of a node touches."""
    parts: set[AffectedPart] = set()
    if NODES.find(type_name) is None:
        parts.add(AffectedPart.STRUCTURE)
    else:
        if _has_base(type_name, "Device"):
            parts.add(AffectedPart.DEVICE)
        parts |= {part for base, part in _BY_NODE if _has_base(type_name, base)}
    if is_bounding:
        parts |= {AffectedPart.SHAPE, AffectedPart.PHYSICS}
    return frozenset(parts or {AffectedPart.LOOK})


def _has_base(type_name: str, base: str) -> bool:
    return NODES.derives(type_name, base)


def _part_of(target: str) -> AffectedPart:
    if target in _BY_MODEL_FIELD:
        return _BY_MODEL_FIELD[target]
    for starts, part in _BY_CLASS:
        if target.startswith(starts):
            return part
    return AffectedPart.DEVICE
