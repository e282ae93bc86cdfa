"""Nodes and fields that were renamed, changed or removed between releases.

Source: change logs of Webots 5 to R2019 (docs/reference of its repository). What a field did is
said in today's words; what Webots no longer has in any form is left out with a warning.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.formats.vrml.syntax import (
    BoolSyntax,
    FieldSyntax,
    IsSyntax,
    ListSyntax,
    NodeSyntax,
    NumbersSyntax,
    StringSyntax,
    ValueSyntax,
)
from solidbody.formats.webots.nodes import NODES
from solidbody.formats.webots.releases.release import Release
from solidbody.formats.webots.releases.turns import field_of, numbers_in, with_value, without

_NODES: Final = {
    "ColladaShape": "CadShape",  # R2021b to R2022a
    "CustomRobot": "Robot",  # up to 5
    "Hinge2JointParameters": "HingeJointParameters",  # 7.2
}
_RENAMED: Final[dict[tuple[str, str], str]] = {
    ("Camera", "colorNoise"): "noise",  # 6.4 to 8.3
    ("Camera", "gaussianNoise"): "noise",  # 5.7 to 6.4
    ("ContactProperties", "softCfm"): "softCFM",  # up to 7.2
    ("ContactProperties", "softErp"): "softERP",
    ("Motor", "controlP"): "controlPID",  # 7.2
    ("Robot", "robotWindow"): "window",  # up to 8.4
    ("RotationalMotor", "maxForce"): "maxTorque",  # 7.2
    ("Skin", "model"): "modelUrl",  # up to R2023a
}
"""Today's names of fields, by the node type (or one it derives from) and the old name."""

_DEPTH: Final = "a RangeFinder node, which gives depth since release 8.4"
_GONE: Final[dict[tuple[str, str], str]] = {
    ("Background", "cubemap"): "the fields rightUrl, leftUrl, topUrl, bottomUrl, frontUrl, backUrl",
    ("Camera", "depthNoise"): _DEPTH,
    ("Camera", "display"): "nothing: overlays belong to Webots' own GUI",
    ("Camera", "maxRange"): _DEPTH,
    ("Camera", "rangeNoise"): _DEPTH,
    ("Camera", "rangeResolution"): _DEPTH,
    ("Robot", "showRobotWindow"): "nothing: windows open by themselves",
    ("Solid", "author"): "description",  # up to 6.1
    ("Solid", "constructor"): "description",
    ("Solid", "joint"): "nothing: solids of robots are joined by themselves",  # up to 5.4
    ("PBRAppearance", "environmentMap"): "nothing: surfaces mirror the images of the Background",
}
"""What to write instead of fields that are gone."""

_OLD_NAMES: Final = frozenset(name for _, name in (*_RENAMED, *_GONE))

_DEPTH_FIELDS: Final = {
    "depthNoise": "noise",
    "rangeNoise": "noise",
    "rangeResolution": "resolution",
}
"""Fields of a Camera that gave depth, as a RangeFinder has them."""

_LAST_GPS_RESOLUTION: Final = Release(0, "7.3")
"""Last release in which `GPS.resolution` was what is called `accuracy` since."""

_SIDES: Final = ("right", "left", "top", "bottom", "front", "back")


def with_modern_names(node: NodeSyntax, release: Release, log: DiagnosticLog) -> NodeSyntax:
    """Return a node of an old release under its name of today, with the fields of today.

    Cameras that give depth keep the fields for it: they have to be turned as cameras first
    (`as_range_finder`).
    """
    if NODES.find(node.type_name) is None:
        return node
    for part in node.fields:
        if part.name not in _OLD_NAMES and part.name != "resolution":  # as nearly all are
            continue
        gives_depth = part.name in ("maxRange", *_DEPTH_FIELDS) and _gives_depth(node)
        new, instead = _lookup(_RENAMED, node, part), _lookup(_GONE, node, part)
        if node.type_name == "GPS" and part.name == "resolution" and _is_accuracy(release):
            new = "accuracy"
        if gives_depth or not (new or instead):
            continue
        text = f"deprecated; use {new} instead." if new else f"deprecated; use {instead}."
        log.warning("deprecated-field", part.name_span, text, node=node.label, field=part.name)
        node = _renamed(node, part, new) if new else _left_out(node, part, log)
    for name, change in _FORMS.items():
        part = field_of(node, name[1]) if node.type_name == name[0] else None
        if part is not None:
            node = with_value(node, part.name, change(part.value))
    today = _NODES.get(node.type_name)
    if today is None:
        return node
    text = f"{node.type_name} no longer exists in Webots; it is read as a {today}."
    log.warning("deprecated-node", node.type_span, text, node=node.label)
    return replace(node, type_name=today)


def as_range_finder(node: NodeSyntax, log: DiagnosticLog) -> NodeSyntax:
    """Return a Camera of type "range-finder" as what it is called since release 8.4."""
    if node.type_name != "Camera" or not _gives_depth(node):
        return node
    text = 'a Camera of type "range-finder" is read as a RangeFinder, as it is called since 8.4.'
    log.warning("deprecated-node", node.type_span, text, node=node.label)
    node = replace(without(node, "type"), type_name="RangeFinder")
    fields = (
        replace(part, name=_DEPTH_FIELDS.get(part.name, part.name))
        for part in without(node, "noise").fields  # that of colours
    )
    known = NODES.fields("RangeFinder")
    return replace(node, fields=tuple(part for part in fields if part.name in known))


def _lookup(table: dict[tuple[str, str], str], node: NodeSyntax, part: FieldSyntax) -> str:
    return next(
        (
            text
            for (kind, name), text in table.items()
            if name == part.name and NODES.derives(node.type_name, kind)
        ),
        "",
    )


def _is_accuracy(release: Release) -> bool:
    return release <= _LAST_GPS_RESOLUTION


def _gives_depth(node: NodeSyntax) -> bool:
    """Whether a camera is of the type that gives depth and no colours."""
    part = field_of(node, "type")
    value = part.value if part is not None else None
    return isinstance(value, StringSyntax) and value.value == "range-finder"


def _renamed(node: NodeSyntax, part: FieldSyntax, new: str) -> NodeSyntax:
    """Return the node with a field under its new name, unless that is written as well."""
    if field_of(node, new) is not None:
        return without(node, part.name)
    value = part.value
    if new == "controlPID" and isinstance(value, NumbersSyntax):
        value = replace(value, values=(*value.values, 0.0, 0.0))
    if new == "modelUrl" and isinstance(value, StringSyntax) and value.value:
        # the name of a folder in the project's folder of skins, beside its worlds and PROTOs
        value = replace(value, value=f"../skins/{value.value}/{value.value}.mesh")
    fields = tuple(
        replace(item, name=new).with_value(value) if item is part else item for item in node.fields
    )
    return replace(node, fields=fields)


def _left_out(node: NodeSyntax, part: FieldSyntax, log: DiagnosticLog) -> NodeSyntax:
    """Return the node without a field that is gone; the images of a cubemap go to the six sides.

    Which files there are decides between JPEG, PNG and one panorama for all sides, so each side names them
    all: the first that is found counts.
    """
    node = without(node, part.name)
    cube = part.value
    if part.name != "cubemap" or not isinstance(cube, NodeSyntax):
        return node
    if any(isinstance(item.value, IsSyntax) for item in cube.fields):
        text = "the name of its images is a parameter of a PROTO; write the six sides by hand."
        log.warning("manual-conversion", part.name_span, text, node=node.label, field=part.name)
        return node
    name = _string(cube, "textureBaseName")
    path = f"{_string(cube, 'directory') or 'textures/cubic'}/{name}"
    for side in _SIDES if name else ():
        if field_of(node, f"{side}Url") is None:
            files = (f"{path}_{side}.jpg", f"{path}_{side}.png", f"{path}.hdr")
            urls = tuple(StringSyntax(file, cube.span) for file in files)
            node = with_value(node, f"{side}Url", ListSyntax(urls, cube.span))
    return node


def _string(node: NodeSyntax, name: str) -> str:
    part = field_of(node, name)
    value = part.value if part is not None else None
    return value.value if isinstance(value, StringSyntax) else ""


def _filtering(value: ValueSyntax) -> ValueSyntax:
    """Return the level of texture filtering for the flag that it was up to 8.5."""
    if not isinstance(value, BoolSyntax):
        return value
    return NumbersSyntax((4.0 if value.value else 0.0,), value.span)


def _inertia(value: ValueSyntax) -> ValueSyntax:
    """Return the six numbers of an inertia matrix of which all nine were written (up to 6.2)."""
    holder = NodeSyntax("", None, (FieldSyntax("m", value, value.span),), value.span, value.span)
    m = numbers_in(holder, "m", ())
    if m is None or len(m) != 9:
        return value
    six = NumbersSyntax((m[0], m[4], m[8], m[1], m[2], m[5]), value.span)
    return ListSyntax((six,), value.span)


_FORMS: Final[dict[tuple[str, str], Callable[[ValueSyntax], ValueSyntax]]] = {
    ("ImageTexture", "filtering"): _filtering,
    ("Physics", "inertiaMatrix"): _inertia,
}
"""Fields that kept their name and are written in another way."""
