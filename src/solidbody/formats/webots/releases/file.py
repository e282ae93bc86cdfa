"""Rewrites a whole world file of an older release as one of the newest."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.span import NOWHERE
from solidbody.formats.assets import AssetError, AssetFinder
from solidbody.formats.options import LoadOptions
from solidbody.formats.text_files import read_text
from solidbody.formats.vrml.proto import ProtoDefinition, read_proto
from solidbody.formats.vrml.syntax import ExternProtoSyntax, FileSyntax, NodeSyntax
from solidbody.formats.webots.nodes import NODES
from solidbody.formats.webots.protos.library import expand_world
from solidbody.formats.webots.protos.slots import with_turned_slots
from solidbody.formats.webots.protos.standin_protos import (
    find_own,
    is_own,
    is_turned_back,
    keeps_axes,
    turned_back,
    with_modern_sizes,
    with_old_place,
)
from solidbody.formats.webots.protos.standin_urls import standard_url
from solidbody.formats.webots.releases.release import (
    FIRST_EXTERN_PROTO,
    FIRST_POSE,
    FIRST_Z_UP,
    NEWEST,
    parse_release,
)
from solidbody.formats.webots.releases.turns import (
    field_of,
    items_of,
    mapped_nodes,
    numbers_in,
)
from solidbody.formats.webots.releases.upgrade import modern_tree, unwritten_nodes

WRITTEN_RELEASE: Final = "R2025a"
"""What the header of converted files says."""

LAST_SCALED: Final = "R2023a"
"""Last release whose solids have a scale; a file that needs it keeps this header."""


MAX_PROTO_BYTES: Final = 50_000_000
"""PROTO files larger than this are not looked into."""


def modern_world(
    tree: FileSyntax, path: str, options: LoadOptions, log: DiagnosticLog
) -> FileSyntax:
    """Return a world in the form of today, with the nodes that it has without writing them.

    Args:
        tree: The file as written.
        path: Its name.
        options: Where PROTOs are looked for.
        log: Takes what has to be done by hand.
    """
    release = parse_release(tree.header) or NEWEST
    missing = unwritten_nodes(tree.nodes, release)
    if missing:  # unless a PROTO stands for one
        instances = tuple(node for node in tree.nodes if NODES.find(node.type_name) is None)
        only = replace(tree, nodes=instances)
        roots = expand_world(only, path, release, options, DiagnosticLog()).tree.nodes
        types = {node.type_name for node in roots}
        missing = tuple(node for node in missing if node.type_name not in types)
    return modern_file(replace(tree, nodes=(*missing, *tree.nodes)), path, options, log)


def modern_file(
    tree: FileSyntax, path: str, options: LoadOptions, log: DiagnosticLog
) -> FileSyntax:
    """Return nodes in the form of today: axes, node names, header and PROTO declarations.

    Args:
        tree: The file as written: a world, or what is to be imported into one.
        path: Name of the world.
        options: Where PROTOs are looked for.
        log: Takes what has to be done by hand.
    """
    release = parse_release(tree.header) or NEWEST
    finder = AssetFinder(path, options)
    shipped = _shipped(tree, finder) if release < FIRST_Z_UP else {}
    # in the order in which a world is read: the same numbers, to the last digit
    placed = replace(tree, nodes=tuple(_placed(node, shipped) for node in tree.nodes))
    out = modern_tree(_mapped(placed, _slot_turner(shipped)), release, log)
    out = _mapped(out, _instance_turner(shipped))
    nodes = _all_nodes(out)
    header = (
        WRITTEN_RELEASE if release <= (parse_release(WRITTEN_RELEASE) or NEWEST) else tree.header
    )
    scaled = next((node for node in nodes if _needs_scale(node)), None)
    if scaled is not None and release < FIRST_POSE:
        header = LAST_SCALED
        log.warning(
            "manual-conversion",
            scaled.type_span,
            "solids and bounding objects have no scale since R2023b; "
            f"the file is written for {LAST_SCALED}.",
            node=scaled.label,
        )
    if release < FIRST_Z_UP:
        _report_friction(nodes, log)
    if release < FIRST_EXTERN_PROTO:
        out = _with_declarations(out, nodes, finder, log)
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


def _needs_scale(node: NodeSyntax) -> bool:
    """Whether a solid or something in its bounding object has a scale."""
    if NODES.find(node.type_name) is None or not NODES.derives(node.type_name, "Solid"):
        return False
    if _is_scaled(node):
        return True
    bounding = field_of(node, "boundingObject")
    stack = list(items_of(bounding.value if bounding else None))
    while stack:
        item = stack.pop()
        if isinstance(item, NodeSyntax):
            if item.type_name == "Transform" and _is_scaled(item):
                return True
            stack.extend(inner for part in item.fields for inner in items_of(part.value))
    return False


def _is_scaled(node: NodeSyntax) -> bool:
    scale = numbers_in(node, "scale", (1.0, 1.0, 1.0))
    return scale is not None and scale != (1.0, 1.0, 1.0)


def _shipped(tree: FileSyntax, finder: AssetFinder) -> dict[str, ProtoDefinition]:
    """Return the PROTOs in use that come with Webots (or are ours) and have the axes of today."""
    names = {node.type_name for node in _all_nodes(tree) if NODES.find(node.type_name) is None}
    found = {
        name: _remade(name, _file_of(name, tree, finder), finder)
        for name in sorted(names - {proto.name for proto in tree.protos})
    }
    return {name: proto for name, proto in found.items() if proto is not None}


def _mapped(tree: FileSyntax, change: Callable[[NodeSyntax], NodeSyntax]) -> FileSyntax:
    return replace(tree, nodes=tuple(mapped_nodes(node, change) for node in tree.nodes))


def _placed(node: NodeSyntax, shipped: dict[str, ProtoDefinition]) -> NodeSyntax:
    proto = shipped.get(node.type_name)
    return node if proto is None or not is_own(proto.file) else with_old_place(node, proto)


def _slot_turner(shipped: dict[str, ProtoDefinition]) -> Callable[[NodeSyntax], NodeSyntax]:
    """Return what turns the nodes in the slots of instances."""

    def find(name: str) -> tuple[ProtoDefinition, bool] | None:
        proto = shipped.get(name)
        return None if proto is None else (proto, not keeps_axes(proto.name))

    def turn(node: NodeSyntax) -> NodeSyntax:
        pair = find(node.type_name)
        return with_turned_slots(node, pair[0], find) if pair is not None and pair[1] else node

    return turn


def _instance_turner(shipped: dict[str, ProtoDefinition]) -> Callable[[NodeSyntax], NodeSyntax]:
    """Return what turns instances, with their sizes along the axes of today."""

    def turn(node: NodeSyntax) -> NodeSyntax:
        proto = shipped.get(node.type_name)
        if proto is None:
            return node
        if is_own(proto.file):
            node = with_modern_sizes(node, proto)
            if keeps_axes(proto.name):
                return node
        return turned_back(node, proto.name) if is_turned_back(proto) else node

    return turn


def _file_of(name: str, tree: FileSyntax, finder: AssetFinder) -> str | None:
    extern = next((item for item in tree.externs if item.name == name), None)
    try:
        found = finder.find_proto(name) if extern is None else finder.find(extern.url, finder.world)
    except AssetError:
        return None
    return None if found is None else str(found)


def _remade(name: str, file: str | None, finder: AssetFinder) -> ProtoDefinition | None:
    """Return a PROTO that comes with Webots, or ours in its place, if it has the axes of today."""
    log = DiagnosticLog()
    if file is None:
        own = find_own(name)
        return None if own is None else read_proto(own.text, own.file, own.name, log)
    if not finder.is_shipped(file):
        return None
    text = read_text(file, log, max_bytes=MAX_PROTO_BYTES)
    proto = None if text is None else read_proto(text, file, name, log)
    if proto is None or (parse_release(proto.header) or NEWEST) < FIRST_Z_UP:
        return None
    return proto


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
    tree: FileSyntax, nodes: list[NodeSyntax], finder: AssetFinder, log: DiagnosticLog
) -> FileSyntax:
    """Return the tree with EXTERNPROTO lines for the PROTOs that it uses without declaring them."""
    declared = {item.name for item in tree.externs} | {proto.name for proto in tree.protos}
    used: dict[str, NodeSyntax] = {}
    for node in nodes:
        if NODES.find(node.type_name) is None and node.type_name not in declared:
            used.setdefault(node.type_name, node)
    externs = list(tree.externs)
    for name, node in used.items():
        url = _url_of(name, tree, finder)
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


def _url_of(name: str, tree: FileSyntax, finder: AssetFinder) -> str | None:
    """Return how the world would name the file of a PROTO, or None if there is none."""
    file = _file_of(name, tree, finder)
    if file is None:
        return standard_url(name, tree.externs)
    home = finder.webots_home
    if home is not None and finder.is_of_webots(file):
        return f"webots://{Path(os.path.relpath(file, home)).as_posix()}"
    return Path(os.path.relpath(file, Path(finder.world).parent)).as_posix()
