"""Opens a PROTO file by itself: a world with one instance and its default values."""

from __future__ import annotations

from pathlib import PurePath

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.span import SourceSpan
from solidbody.formats.vrml.parser import parse_text
from solidbody.formats.vrml.syntax import ExternProtoSyntax, FileSyntax, NodeSyntax


def world_of_proto(text: str, name: str, log: DiagnosticLog) -> FileSyntax | None:
    """Return a world with an instance of the PROTO of a file, or None after a message.

    Args:
        text: What the file holds.
        name: Its name, which is that of the PROTO with `.proto`.
        log: Takes the messages.
    """
    file = PurePath(name)
    found = DiagnosticLog()  # expanding the instance reads the file again and says all of it
    tree = parse_text(text, name, found)
    if tree is None or not tree.protos:
        log.extend(found)
        if not found.has_errors:
            place = SourceSpan(name, 1, 1, 1, 1)
            log.error("no-proto", place, "the file declares no PROTO.")
        return None
    proto = tree.protos[0]
    extern = ExternProtoSyntax(file.name, None, False, proto.span)
    nodes = tuple(
        NodeSyntax(type_name, None, (), proto.span, proto.span)
        for type_name in ("WorldInfo", "Viewpoint", file.stem)
    )
    return FileSyntax(tree.header, nodes, (extern,))
