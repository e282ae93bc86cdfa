"""Adjusts relative URLs when a world is saved in another folder.

A url is relative to the file it stands in, so saving a world elsewhere has to rewrite it. Urls of PROTO
files are not touched: they stand where they stood, unless they are in defaults that the world spells out.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.formats.text_files import read_text
from solidbody.formats.vrml.field_types import items_of
from solidbody.formats.vrml.proto import read_proto
from solidbody.formats.vrml.syntax import (
    FieldSyntax,
    FileSyntax,
    ItemSyntax,
    NodeSyntax,
    ParameterSyntax,
    ProtoSyntax,
    StringSyntax,
    ValueSyntax,
)
from solidbody.formats.webots.nodes import NODES
from solidbody.formats.webots.releases.turns import mapped_nodes, with_items

_FILE_FIELDS: Final = re.compile(r"url|\w+Url|sound|\w+Sound")
"""Fields of built-in nodes that name files."""

_MAX_PROTO_BYTES: Final = 50_000_000

_NOT_RELATIVE: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|[/\\]")
"""Addresses (https:, webots:), drives and absolute paths."""


def with_moved_urls(tree: FileSyntax, source: str, target: str) -> FileSyntax:
    """Return a world with its relative urls as they have to be written in another file.

    Strings in PROTO instances may be anything; those that name a file from the old place are urls.

    Args:
        tree: The world.
        source: The file that it was read from.
        target: The file that it will be written to.
    """
    move = _Move(_folder(source), _folder(target))
    return replace(
        tree,
        externs=tuple(replace(item, url=move.url(item.url)) for item in tree.externs),
        nodes=tuple(mapped_nodes(node, move.node) for node in tree.nodes),
        protos=tuple(move.proto(item) for item in tree.protos),
    )


def declarations_for(value: ValueSyntax, file: str, target: str) -> tuple[str, ...]:
    """Return the urls of the PROTOs in a value of a PROTO file, as another file has to declare them."""
    names = {node.type_name for node in _nodes_in(value) if NODES.find(node.type_name) is None}
    log = DiagnosticLog()
    text = read_text(file, log, max_bytes=_MAX_PROTO_BYTES) if names else None
    proto = None if text is None else read_proto(text, file, PurePath(file).stem, log)
    move = _Move(_folder(file), _folder(target))
    return tuple(
        move.url(item.url) for item in (proto.externs if proto else ()) if item.name in names
    )


def _nodes_in(value: ValueSyntax) -> Iterator[NodeSyntax]:
    stack: list[ValueSyntax] = [value]
    while stack:
        for item in items_of(stack.pop()):
            if isinstance(item, NodeSyntax):
                yield item
                stack.extend(part.value for part in item.fields)


def _folder(file: str) -> str:
    return os.path.dirname(os.path.abspath(file))


@dataclass(frozen=True, slots=True)
class _Move:
    old: str
    new: str

    def url(self, url: str) -> str:
        """Return a url as it has to be written in the new folder."""
        if not url or _NOT_RELATIVE.match(url) or self.old == self.new:
            return url
        path = os.path.normpath(os.path.join(self.old, url.replace("\\", "/")))
        with contextlib.suppress(ValueError):  # on another drive
            path = os.path.relpath(path, self.new)
        return PurePath(path).as_posix()

    def node(self, node: NodeSyntax) -> NodeSyntax:
        is_built_in = NODES.find(node.type_name) is not None
        parts = tuple(self._field(part, is_built_in=is_built_in) for part in node.fields)
        if all(new is old for new, old in zip(parts, node.fields, strict=True)):
            return node
        return replace(node, fields=parts)

    def proto(self, proto: ProtoSyntax) -> ProtoSyntax:
        body = tuple(
            mapped_nodes(item, self.node) if isinstance(item, NodeSyntax) else item
            for item in proto.body
        )
        return replace(proto, body=body, parameters=tuple(map(self._parameter, proto.parameters)))

    def _parameter(self, item: ParameterSyntax) -> ParameterSyntax:
        if item.default is None:
            return item
        items = tuple(
            mapped_nodes(part, self.node) if isinstance(part, NodeSyntax) else part
            for part in items_of(item.default)
        )
        default = with_items(item.default, items) if items else item.default
        return replace(item, default=self._value(default, is_url=False))

    def _field(self, part: FieldSyntax, *, is_built_in: bool) -> FieldSyntax:
        is_url = is_built_in and _FILE_FIELDS.fullmatch(part.name) is not None
        if is_built_in and not is_url:
            return part
        value = self._value(part.value, is_url=is_url)
        return part if value is part.value else part.with_value(value)

    def _value(self, value: ValueSyntax, *, is_url: bool) -> ValueSyntax:
        """Return a value with its urls moved; `is_url` says that its strings are such."""
        items = items_of(value)
        moved = tuple(self._item(item, is_url=is_url) for item in items)
        if all(new is old for new, old in zip(moved, items, strict=True)):
            return value
        return with_items(value, moved)

    def _item(self, item: ItemSyntax, *, is_url: bool) -> ItemSyntax:
        if isinstance(item, NodeSyntax):
            return item  # its own fields have had their turn
        if not isinstance(item, StringSyntax):
            return item
        file = item.span.file  # of a default that is spelled out, that of its PROTO
        move = replace(self, old=_folder(file)) if file.lower().endswith(".proto") else self
        url = move.url(item.value) if is_url or move.is_file(item.value) else item.value
        return item if url == item.value else replace(item, value=url)

    def is_file(self, text: str) -> bool:
        """Whether a text names a file from the old folder."""
        if "\0" in text or not text or _NOT_RELATIVE.match(text):
            return False
        return os.path.isfile(os.path.join(self.old, text.replace("\\", "/")))
