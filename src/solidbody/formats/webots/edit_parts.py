"""Which part of the model a change touches, so that what was built from it can be brought up to date."""

from __future__ import annotations

from enum import Enum
from typing import Final

from solidbody.formats.webots.nodes import NODES
from solidbody.formats.webots.table import Field


class Part(Enum):
    """A part of the model."""

    POSE = "pose"
    SHAPE = "shape"
    PHYSICS = "physics"
    CONTACT = "contact"
    DEVICE = "device"
    STRUCTURE = "structure"
    LOOK = "look"


_BY_MODEL_FIELD: Final = {
    "Link.pose": Part.POSE,
    "Shape.pose": Part.POSE,
    "JointAxis.position": Part.POSE,
    "Shape.contact_material": Part.CONTACT,
    "Shape.appearance": Part.LOOK,
    "Shape.casts_shadows": Part.LOOK,
    "Shape.is_pickable": Part.LOOK,
    "JointAxis.motor": Part.DEVICE,
    "JointAxis.sensor": Part.DEVICE,
    "JointAxis.brake": Part.DEVICE,
    "Body.links": Part.STRUCTURE,
    "Link.joint": Part.STRUCTURE,
    "Link.parent": Part.STRUCTURE,
    "Link.name": Part.STRUCTURE,
    "Link.path": Part.STRUCTURE,
    "Link.shapes": Part.SHAPE,
}
_BY_CLASS: Final = (
    (("Geometry", "Shape"), Part.SHAPE),
    (("Contact",), Part.CONTACT),
    (("Physics", "Mass", "Damping", "Sleeping", "Joint", "Stops", "Suspension"), Part.PHYSICS),
    (("Link", "Fluid", "Immersion", "Loop"), Part.PHYSICS),
    (("Appearance", "Texture", "Light", "Background", "Fog", "Viewpoint", "Scene"), Part.LOOK),
)
_BY_NODE: Final = (
    ("Solid", Part.STRUCTURE),
    ("Joint", Part.STRUCTURE),
    ("Group", Part.STRUCTURE),
    ("Shape", Part.SHAPE),
    ("Geometry", Part.SHAPE),
    ("Physics", Part.PHYSICS),
    ("Damping", Part.PHYSICS),
    ("JointParameters", Part.PHYSICS),
    ("ContactProperties", Part.CONTACT),
    ("JointDevice", Part.DEVICE),
    ("AnyAppearance", Part.LOOK),
    ("Light", Part.LOOK),
)


def parts_of_field(row: Field | None, *, is_bounding: bool) -> frozenset[Part]:
    """Return what a change of a field touches; a bounding object gives mass and contacts as well."""
    if row is None:
        return frozenset({Part.STRUCTURE})  # a parameter of a PROTO: anything may follow from it
    parts = {_part_of(target.strip()) for target in row.to.split(",") if target.strip()}
    if is_bounding or row.name == "boundingObject":
        parts |= {Part.SHAPE, Part.PHYSICS}
    return frozenset(parts)


def parts_of_node(type_name: str, *, is_bounding: bool) -> frozenset[Part]:
    """Return what the insertion or removal of a node touches."""
    parts: set[Part] = set()
    if NODES.find(type_name) is None:
        parts.add(Part.STRUCTURE)
    else:
        if _has_base(type_name, "Device"):
            parts.add(Part.DEVICE)
        parts |= {part for base, part in _BY_NODE if _has_base(type_name, base)}
    if is_bounding:
        parts |= {Part.SHAPE, Part.PHYSICS}
    return frozenset(parts or {Part.LOOK})


def _has_base(type_name: str, base: str) -> bool:
    return NODES.derives(type_name, base)


def _part_of(target: str) -> Part:
    if target in _BY_MODEL_FIELD:
        return _BY_MODEL_FIELD[target]
    for starts, part in _BY_CLASS:
        if target.startswith(starts):
            return part
    return Part.DEVICE
