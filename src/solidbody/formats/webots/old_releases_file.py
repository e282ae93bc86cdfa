"""A whole world file of an older release as one of the newest."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.span import NOWHERE
from solidbody.formats.vrml.syntax import ExternProtoSyntax, FileSyntax, NodeSyntax
from solidbody.formats.webots.nodes import NODES
from solidbody.formats.webots.old_releases import modern_tree
from solidbody.formats.webots.old_releases_turns import items_of, numbers_in
from solidbody.formats.webots.release import FIRST_EXTERN_PROTO, FIRST_Z_UP, NEWEST, parse_release

WRITTEN_RELEASE: Final = "R2025a"
"""What the header of converted files says."""

LAST_SCALED: Final = "R2023a"
"""Last release whose solids have a scale; a file that needs it keeps this header."""


def modern_file(tree: FileSyntax, path: str, log: DiagnosticLog) -> FileSyntax:
    """Return a world in the form of today: axes, node names, header and PROTO declarations.

    Args:
        tree: The file as written.
        path: Its name; PROTOs are looked for in the `protos` folders beside and above it.
        log: Takes what has to be done by hand.
    """
    release = parse_release(tree.header) or NEWEST
    out = modern_tree(tree, release, log)
    nodes = _all_nodes(out)
    header = (
        WRITTEN_RELEASE if release <= (parse_release(WRITTEN_RELEASE) or NEWEST) else tree.header
    )
    scaled = [node for node in nodes if _is_scaled_solid(node)]
    if scaled:
        header = LAST_SCALED
        log.warning(
            "manual-conversion",
            scaled[0].type_span,
            f"solids have no scale since R2023b; the file is written for {LAST_SCALED}.",
            node=scaled[0].label,
        )
    if release < FIRST_Z_UP:
        _report_friction(nodes, log)
    if release < FIRST_EXTERN_PROTO:
        out = _with_declarations(out, nodes, path, log)
    return replace(out, header=header)


def _all_nodes(tree: FileSyntax) -> list[NodeSyntax]:
    found: list[NodeSyntax] = []
    stack = list(reversed(tree.nodes))
    while stack:
        node = stack.pop()
        found.append(node)
        inner = [item for part in node.fields for item in items_of(part.value)]
        stack.extend(item for item in reversed(inner) if isinstance(item, NodeSyntax))
    return found


def _is_scaled_solid(node: NodeSyntax) -> bool:
    if NODES.find(node.type_name) is None or not NODES.derives(node.type_name, "Solid"):
        return False
    scale = numbers_in(node, "scale", (1.0, 1.0, 1.0))
    return scale is not None and scale != (1.0, 1.0, 1.0)


def _report_friction(nodes: list[NodeSyntax], log: DiagnosticLog) -> None:
    """Say that friction directions of boxes were other ones, if the world has directions at all."""
    for node in nodes:
        if node.type_name != "ContactProperties":
            continue
        friction = numbers_in(node, "coulombFriction", ()) or ()
        slip = numbers_in(node, "forceDependentSlip", ()) or ()
        if len(friction) > 1 or len(slip) > 1:
            log.warning(
                "manual-conversion",
                node.type_span,
                f"friction depends on direction here, and before {FIRST_Z_UP} its directions on "
                "boxes, cylinders and planes were other ones: check the order of the values.",
                node=node.label,
                field="coulombFriction",
            )


def _with_declarations(
    tree: FileSyntax, nodes: list[NodeSyntax], path: str, log: DiagnosticLog
) -> FileSyntax:
    """Return the tree with EXTERNPROTO lines for the PROTOs that it uses without declaring them."""
    declared = {item.name for item in tree.externs} | {proto.name for proto in tree.protos}
    used: dict[str, NodeSyntax] = {}
    for node in nodes:
        if NODES.find(node.type_name) is None and node.type_name not in declared:
            used.setdefault(node.type_name, node)
    externs = list(tree.externs)
    folder = Path(path).parent
    for name, node in used.items():
        url = _url_of(name, folder)
        if url is None:
            log.warning(
                "manual-conversion",
                node.type_span,
                f'the PROTO "{name}" must be declared since {FIRST_EXTERN_PROTO}, and it is in no '
                f'"protos" folder: add a line EXTERNPROTO "url of {name}.proto".',
                node=node.label,
            )
        else:
            externs.append(ExternProtoSyntax(url, None, False, NOWHERE))
    return replace(tree, externs=tuple(externs))


def _url_of(name: str, folder: Path) -> str | None:
    for protos, prefix in ((folder.parent / "protos", "../protos"), (folder / "protos", "protos")):
        if protos.is_dir():
            for file in sorted(protos.rglob(f"{name}.proto")):
                return f"{prefix}/{file.relative_to(protos).as_posix()}"
    return None
