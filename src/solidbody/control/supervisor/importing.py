"""Imports nodes into a running world: allowed PROTOs, names, places."""

from __future__ import annotations

import re
from typing import Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.span import SourceSpan
from solidbody.control.supervisor.errors import SupervisorError
from solidbody.control.supervisor.stage import Stage
from solidbody.control.supervisor.tree import is_visible
from solidbody.formats.vrml.field_types import items_of
from solidbody.formats.vrml.parser import parse_source
from solidbody.formats.vrml.source import SourceText
from solidbody.formats.vrml.syntax import NodeSyntax
from solidbody.formats.vrml97.dialect import parse_vrml97
from solidbody.formats.webots.nodes import NODES
from solidbody.formats.webots.nodes.typed import TypedNode
from solidbody.formats.webots.releases.file import modern_file
from solidbody.formats.webots.releases.release import FIRST_EXTERN_PROTO, FIRST_POSE
from solidbody.formats.webots.write.text import node_text

ONCE_IN_A_WORLD: Final = frozenset({"Background", "NavigationInfo", "Viewpoint", "WorldInfo"})
"""Nodes of VRML97 files that stay away: the world has its own."""

_NUMBER_AT_END: Final = re.compile(r"\(\d+\)$")


def without_surplus(stage: Stage, text: str) -> str:
    """Return a text without closing braces after its last node, which Webots leaves unread.

    Referees of RoboCup import their players with one too many.
    """
    source, log = SourceText(text, "<import>"), DiagnosticLog()
    nodes = parse_source(source, stage.world.tree.header, log).nodes
    end = source.offset(*nodes[-1].span[3:]) if nodes else 0
    rest = source.text[end:]
    if not nodes or "}" not in rest or rest.strip(" \t\r\n,}"):
        return text  # should anything be wrong, the import will say so
    stage.notes.append(
        f"Warning: {rest.count('}')} closing brace(s) too many after the imported node"
    )
    return source.text[:end]


def nodes_of_vrml97(text: str, file: str) -> str:
    """Return the nodes of a VRML97 file as an import takes them, without those that a world has once.

    Webots until R2021b imports such files. Raises SupervisorError if it cannot be read.
    """
    log = DiagnosticLog()
    tree = parse_vrml97(text, file, log)
    if tree is None or log.has_errors:
        raise SupervisorError(next(map(str, log), f'"{file}" is no VRML97 file'))
    source = SourceText(text, file)
    nodes = [node for node in tree.nodes if node.type_name not in ONCE_IN_A_WORLD]
    if not nodes:
        raise SupervisorError(f'"{file}" has no node to import')
    return "\n".join(_text_of(source, node.span) for node in nodes)


def _text_of(source: SourceText, span: SourceSpan) -> str:
    first, behind = (
        source.offset(span.line, span.column),
        source.offset(span.end_line, span.end_column),
    )
    return source.text[first:behind]


def check_protos(stage: Stage, text: str) -> None:
    """See that all PROTOs in a text are declared as importable. Raises SupervisorError otherwise."""
    tree = stage.world.tree
    if stage.document.release < FIRST_EXTERN_PROTO:
        return  # files of these releases declare nothing
    importable = {item.name for item in tree.externs if item.is_importable}
    importable |= {item.name for item in tree.protos}
    declared = {item.name for item in tree.externs}
    for name in _types(text, tree.header):
        if NODES.find(name) is not None or name in importable:
            continue
        if name in declared:
            raise SupervisorError(
                f'the PROTO "{name}" must be declared with IMPORTABLE EXTERNPROTO in the world to be '
                "imported; EXTERNPROTO alone is not enough"
            )
        raise SupervisorError(
            f'in order to import the PROTO "{name}", the world must declare it: '
            f'IMPORTABLE EXTERNPROTO "url of {name}.proto"'
        )


def modern_import(stage: Stage, text: str) -> tuple[str, tuple[str, ...]]:
    """Return nodes of a text in the form of today, and the urls of PROTOs that they need declared.

    Only a world of an older release makes a difference: its document is in the form of today, but its
    programs are not. What cannot be read comes back as it is: the import will say what is wrong.
    """
    if stage.document.release >= FIRST_POSE:
        return text, ()
    log = DiagnosticLog()
    file = parse_source(SourceText(text, "<import>"), str(stage.document.release), log)
    if log.has_errors or not file.nodes:
        return text, ()
    new = modern_file(file, stage.world.path, stage.document.options, DiagnosticLog())
    urls = {item.name: item.url for item in new.externs}
    if stage.document.release < FIRST_EXTERN_PROTO:
        own = (
            name for name in _types(text, str(stage.document.release)) if NODES.find(name) is None
        )
        urls = {name: f"{name}.proto" for name in own} | urls
    nodes = [node_text(node, keep_defaults=True) for node in new.nodes]
    return "\n".join(nodes), tuple(urls.values())


def _types(text: str, header: str) -> list[str]:
    """Return the types of all nodes in a text; none if it cannot be read (the import will say so)."""
    log = DiagnosticLog()
    file = parse_source(SourceText(text, "<import>"), header, log)
    found: list[str] = []
    stack = list(file.nodes)
    while stack:
        node = stack.pop()
        found.append(node.type_name)
        for part in node.fields:
            stack.extend(item for item in items_of(part.value) if isinstance(item, NodeSyntax))
    return found


def make_names_unique(stage: Stage, known: set[int]) -> list[str]:
    """Rename new solids whose names are taken beside them; returns what could not be renamed.

    Args:
        stage: The world, after nodes were inserted.
        known: Numbers of the nodes before.
    """
    notes: list[str] = []
    new: list[TypedNode] = []
    taken: dict[int, set[str]] = {}  # by the solid above
    for number, node in stage.tree.all():
        if not node.is_a("Solid"):
            continue
        if number in known or not is_visible(node):
            taken.setdefault(id(_upper(node)), set()).add(node.string("name"))
        elif not _is_in_new(stage, node, known):
            new.append(node)
    for node in new:
        names = taken.setdefault(id(_upper(node)), set())
        name = unique = node.string("name")
        base = _NUMBER_AT_END.sub("", name)
        count = 0
        while unique in names:
            count += 1
            unique = f"{base}({count})"
        names.add(unique)
        if unique == name:
            continue
        if node.syntax.origins and not _names_itself(node):
            notes.append(
                f'Warning: the name "{name}" of {node.syntax.label} is taken, and its PROTO does not let '
                "it be changed"
            )
            continue
        path = f"{stage.path(node)}.name"
        kind = "SFString" if node.syntax.origins else None
        stage.change(lambda world, at=path, to=unique, k=kind: world.set(at, to, type_name=k))
    return notes


def _is_in_new(stage: Stage, node: TypedNode, known: set[int]) -> bool:
    """Whether a node stands in another solid that is new as well."""
    above = node.parent
    while above is not None:
        if stage.tree.number(above) not in known and above.is_a("Solid"):
            return True
        above = above.parent
    return False


def _upper(node: TypedNode) -> TypedNode | None:
    """Return the nearest solid above."""
    above = node.parent
    while above is not None and not above.is_a("Solid"):
        above = above.parent
    return above


def _names_itself(node: TypedNode) -> bool:
    """Whether the name of a PROTO instance is one of its parameters."""
    return any(part.name == "name" and part.is_linked for part in node.syntax.fields)
