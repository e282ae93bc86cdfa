"""Exports the common model as Webots files: worlds, and robots as PROTOs."""

from __future__ import annotations

import os
import re
from typing import Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.span import NOWHERE, SourceSpan
from solidbody.formats.vrml.syntax import (
    FieldSyntax,
    FileSyntax,
    IsSyntax,
    NodeSyntax,
    ParameterSyntax,
    ProtoSyntax,
)
from solidbody.formats.webots.export.nodes import node
from solidbody.formats.webots.export.shapes import LOST, ShapeExport
from solidbody.formats.webots.export.solids import BodyExport
from solidbody.formats.webots.export.world import surroundings
from solidbody.formats.webots.lower.names import UniqueNames
from solidbody.formats.webots.nodes import NODES
from solidbody.formats.webots.releases.release import NEWEST
from solidbody.formats.webots.write.text import file_text
from solidbody.model.links import Body
from solidbody.model.scene import Scene

_OPEN_FIELDS: Final = (
    "translation",
    "rotation",
    "name",
    "controller",
    "controllerArgs",
    "customData",
    "supervisor",
    "synchronization",
    "selfCollision",
    "window",
)
"""Fields of a robot that its PROTO lets a world set, in the order in which they are declared."""


def world_text(scene: Scene, log: DiagnosticLog, *, target: str = "") -> str:
    """Return the scene as a world of the newest release.

    Args:
        scene: What is written.
        log: Told what Webots cannot say.
        target: File that the text is for: addresses of images are relative to it.
    """
    nodes = surroundings(scene, log)
    shapes, names = _shapes(scene, log, target), UniqueNames()
    for body in scene.bodies:
        nodes += BodyExport(body, shapes, scene.lights, log, names).nodes()
    for fluid in scene.fluids:
        log.warning(LOST, fluid.span, f'fluid "{fluid.name}" is left out')
    return file_text(FileSyntax(str(NEWEST), tuple(nodes)))


def proto_text(scene: Scene, body: Body, name: str, log: DiagnosticLog, *, target: str = "") -> str:
    """Return one body of a scene as a PROTO.

    Args:
        scene: What the body is part of.
        body: The one.
        name: Of the PROTO, which is that of its file.
        log: Told what Webots cannot say.
        target: File that the text is for.
    """
    nodes = BodyExport(body, _shapes(scene, log, target), scene.lights, log).nodes()
    if len(nodes) > 1:
        others = ", ".join(f'"{_name_of(item)}"' for item in nodes[1:])
        log.warning(
            LOST,
            body.span,
            f'"{body.name}" has parts that nothing holds together; '
            f"a PROTO is one node, so these are left out: {others}",
        )
    if scene.contacts.entries:
        log.info(
            LOST,
            SourceSpan(scene.source, 1, 1, 1, 1),
            "contact properties belong to the WorldInfo of a world; a PROTO has none",
        )
    proto = _proto(name, nodes[0])
    return file_text(FileSyntax(str(NEWEST), (), protos=(proto,)))


def proto_name(stem: str) -> str:
    """Return a legal name of a PROTO, made of that of its file."""
    word = re.sub(r"[^A-Za-z0-9_]", "_", stem)
    return word if re.match(r"[A-Za-z]", word) else f"Robot{word}"


def _proto(name: str, base: NodeSyntax) -> ProtoSyntax:
    rows = NODES.fields(base.type_name)
    written = {item.name: item for item in base.fields}
    parameters: list[ParameterSyntax] = []
    opened: list[FieldSyntax] = []
    for field_name in _OPEN_FIELDS:
        row = rows.get(field_name)
        if row is None:
            continue
        held = written.get(field_name)
        default = (
            held.value
            if held
            else node(base.type_name, **{field_name: row.default}).fields[0].value
        )
        parameters.append(ParameterSyntax("field", row.type.name, field_name, default, NOWHERE))
        opened.append(FieldSyntax(field_name, IsSyntax(field_name, NOWHERE), NOWHERE))
    rest = [item for item in base.fields if item.name not in _OPEN_FIELDS]
    body = NodeSyntax(base.type_name, None, (*opened, *rest), NOWHERE, NOWHERE)
    return ProtoSyntax(name, tuple(parameters), (body,), NOWHERE)


def _name_of(solid: NodeSyntax) -> str:
    found = [item.value for item in solid.fields if item.name == "name"]
    return getattr(found[0], "value", "") if found else ""


def _shapes(scene: Scene, log: DiagnosticLog, target: str) -> ShapeExport:
    folder = os.path.dirname(os.path.abspath(target)) if target else ""
    source = os.path.dirname(os.path.abspath(scene.source)) if scene.source else ""
    return ShapeExport(log, folder, source)
