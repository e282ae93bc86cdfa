"""Writes a changed world over its own text: what was not touched keeps its comments and its layout.

Places of the tree that was read tell where in the text each piece stands. A piece that is as it was is
copied; of a node that was changed, the fields that differ are written anew. What cannot be matched is written
as `write/text.py` does. Whether the text says what the tree says is checked at the end by reading it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.span import SourceSpan
from solidbody.formats.vrml.parser import parse_text
from solidbody.formats.vrml.source import SourceText
from solidbody.formats.vrml.syntax import (
    ExternProtoSyntax,
    FieldSyntax,
    FileSyntax,
    ItemSyntax,
    ListSyntax,
    NodeSyntax,
    ValueSyntax,
)
from solidbody.formats.webots.write.text import (
    INDENT,
    NO_TYPES,
    ParameterTypes,
    extern_text,
    field_text,
    file_text,
    inner_text,
    is_default,
    width_in,
)

_BEHIND: Final = re.compile(r"[ \t,]*(#[^\r\n]*)?(\r\n|\n|\r|\Z)")
"""Nothing but a remark behind a piece, up to the end of its line."""

_BEFORE: Final = re.compile(r"(?:\A|[\r\n])([ \t]*)\Z")
"""Nothing before a piece in its line."""


class _Edit(NamedTuple):
    """Characters from `start` to `end` become `text`."""

    start: int
    end: int
    text: str


def text_in_place(
    text: str, before: FileSyntax, after: FileSyntax, *, types: ParameterTypes = NO_TYPES
) -> str | None:
    """Return the text of a file with what differs between two of its trees; None = that cannot be done.

    Args:
        text: The file.
        before: Its tree, as it was read.
        after: What it is to say.
        types: Field types of PROTO parameters, for values that are written anew.
    """
    if before.header != after.header or before.protos != after.protos:
        return None
    writer = _Writer(text, before, types)
    changed = writer.file(before, after)
    if changed is None:
        return None
    again = parse_text(changed, "saved", DiagnosticLog())
    if again is None:
        return None
    # numbers in brackets may be grouped in another way and say the same: compared as they are written
    if again != after and file_text(again) != file_text(after):
        return None
    return changed


class _Writer:
    """Writes pieces of a tree with the words of the text that an earlier tree was read from."""

    def __init__(self, text: str, before: FileSyntax, types: ParameterTypes) -> None:
        self._mark = "\ufeff" if text.startswith("\ufeff") else ""
        self._source = SourceText(text, "")
        self._text = self._source.text
        self._break = "\r\n" if "\r\n" in self._text else "\n"
        self._types = types
        self._old = {node.span: node for node in _all_nodes(before.nodes)}

    def file(self, before: FileSyntax, after: FileSyntax) -> str | None:
        """Return the whole text; None if nodes at the top have changed their order."""
        edits = self._externs(before.externs, after.externs)
        end = len(self._text)
        rows = self._items(before.nodes, after.nodes, (end, end), "")
        if edits is None or rows is None:
            return None
        return self._mark + self._applied(0, end, edits + rows)

    # ------------------------------------------------------------------ pieces

    def _externs(
        self, old: tuple[ExternProtoSyntax, ...], new: tuple[ExternProtoSyntax, ...]
    ) -> list[_Edit] | None:
        if new[: len(old)] != old:
            return None
        lines = [extern_text(item) for item in new[len(old) :]]
        if not lines:
            return []
        at = self._end(old[-1].span) if old else 0
        at = self._line_end(at)
        gap = "" if old else self._break
        return [_Edit(at, at, gap + "".join(self._break + line for line in lines))]

    def _value(self, old: ValueSyntax | None, new: ValueSyntax, level: int, width: int) -> str:
        """Return a value as text; `level` is that of the line in which it begins."""
        if isinstance(new, NodeSyntax) and (known := self._known(new)) is not None:
            return self._node(known, new)
        if isinstance(new, ListSyntax):
            if isinstance(old, ListSyntax) and _holds_nodes(old) and _holds_nodes(new):
                start, end = self._range(old.span)
                indent = INDENT * (level + 1)
                edits = self._items(old.items, new.items, (end - 1, end), indent)
                if edits is not None:
                    return self._applied(start, end, edits)
            if any(self._known(item) for item in new.items if isinstance(item, NodeSyntax)):
                indent = INDENT * (level + 1)
                rows = [indent + self._value(None, item, level + 1, 1) for item in new.items]
                return self._break.join(["[", *rows, INDENT * level + "]"])
        written = inner_text(new, level, width, self._types)
        if isinstance(new, ListSyntax) and old is not None and not _holds_nodes(new):
            start, end = self._range(old.span)
            if "\n" not in self._text[start:end]:
                return " ".join(line.strip() for line in written.split("\n"))
        return written.replace("\n", self._break)

    def _node(self, old: NodeSyntax, new: NodeSyntax) -> str:
        """Return a node that was changed (or not) in the words of what it was."""
        start, end = self._range(old.span)
        if new is old or new == old:
            return self._text[start:end]
        edits: list[_Edit] = []
        if (old.type_name, old.def_name) != (new.type_name, new.def_name):
            label = f"DEF {new.def_name} " if new.def_name else ""
            edits.append(_Edit(start, self._end(old.type_span), label + new.type_name))
        left = list(new.fields)
        last = None
        for part in old.fields:
            twin = next((item for item in left if _is_same_field(item, part)), None)
            if twin is None:
                edits.append(self._without(*self._field_range(part)))
                continue
            left.remove(twin)
            last = part
            if twin.value is not part.value and twin.value != part.value:
                level, width = self._level(part), self._width(new, part)
                place = self._range(part.value.span)
                edits.append(_Edit(*place, self._value(part.value, twin.value, level, width)))
        edits += self._added(old, new, left, last)
        return self._applied(start, end, edits)

    def _added(
        self,
        old: NodeSyntax,
        new: NodeSyntax,
        more: Iterable[FieldSyntax],
        last: FieldSyntax | None,
    ) -> list[_Edit]:
        """Return the edit that writes fields which a node did not have, behind its last one."""
        parts = [part for part in more if not is_default(new.type_name, part)]
        if not parts:
            return []
        start, _ = self._range(old.span)
        if last is not None:
            at, level = self._field_range(last)[1], self._level(last)
        else:
            at = self._text.index("{", self._end(old.type_span)) + 1
            level = self._level_at(start) + 1
        behind = _BEHIND.match(self._text, at)
        texts = [field_text(part, level, self._width(new, part), self._types) for part in parts]
        for k, part in enumerate(parts):  # nodes from elsewhere in the file keep their words
            if isinstance(part.value, NodeSyntax | ListSyntax):
                hidden = "hidden " if part.is_hidden else ""
                texts[k] = f"{hidden}{part.name} {self._value(None, part.value, level, 1)}"
        if behind is not None:
            lines = "".join(f"{self._break}{INDENT * level}{text}" for text in texts)
            at = behind.start(2)
            return [_Edit(at, at, lines)]
        return [_Edit(at, at, "".join(" " + text for text in texts))]

    def _items(
        self,
        old: tuple[ItemSyntax, ...],
        new: tuple[ItemSyntax, ...],
        close: tuple[int, int],
        indent: str,
    ) -> list[_Edit] | None:
        """Return the edits of a list of nodes; None if what is kept stands in another order.

        `close` is the place of its bracket (of the end of the file), `indent` that of its items.
        """
        place_of = {item.span: k for k, item in enumerate(old)}
        kept = [place_of.get(item.span) for item in new]
        order = [k for k in kept if k is not None]
        if order != sorted(set(order)):
            return None
        edits = [
            self._without(*self._range(old[k].span)) for k in range(len(old)) if k not in set(order)
        ]
        level = len(indent) // len(INDENT)
        last: int | None = None
        waiting: list[str] = []
        for item, k in zip(new, kept, strict=True):
            if k is None:
                waiting.append(self._value(None, item, level, 1))
                continue
            if waiting:
                at = self._range(old[k].span)[0]
                indent = self._indent_at(at)
                edits.append(
                    _Edit(at, at, "".join(f"{one}{self._break}{indent}" for one in waiting))
                )
                waiting.clear()
            last = k
            if item is not old[k] and item != old[k]:
                edits.append(_Edit(*self._range(old[k].span), self._value(old[k], item, level, 1)))
        if waiting:
            edits.append(self._at_end(old, last, close, indent, waiting))
        return edits

    def _at_end(
        self,
        old: tuple[ItemSyntax, ...],
        last: int | None,
        close: tuple[int, int],
        indent: str,
        texts: list[str],
    ) -> _Edit:
        if close[0] == close[1]:  # the end of the file
            gap = "" if not self._text or self._text.endswith(("\n", "\r")) else self._break
            return _Edit(*close, gap + "".join(text + self._break for text in texts))
        if last is None:
            at = len(self._text[: close[0]].rstrip(" \t"))
            if _BEFORE.search(self._text, 0, close[0]) is not None:  # the bracket has its own line
                return _Edit(at, at, "".join(f"{indent}{text}{self._break}" for text in texts))
            lines = "".join(f"{self._break}{indent}{text}" for text in texts)
            return _Edit(at, close[0], lines + self._break + indent[: -len(INDENT)])
        start, at = self._range(old[last].span)
        indent = self._indent_at(start)
        behind = _BEHIND.match(self._text, at)
        if behind is not None:
            at = behind.start(2)
        lines = "".join(f"{self._break}{indent}{text}" for text in texts)
        return _Edit(at, at, lines)

    # ------------------------------------------------------------------ places

    def _known(self, node: NodeSyntax) -> NodeSyntax | None:
        return self._old.get(node.span)

    def _range(self, span: SourceSpan) -> tuple[int, int]:
        return self._source.offset(span.line, span.column), self._end(span)

    def _end(self, span: SourceSpan) -> int:
        return self._source.offset(span.end_line, span.end_column)

    def _field_range(self, part: FieldSyntax) -> tuple[int, int]:
        start, end = self._range(part.span)
        if part.is_hidden:
            start = self._text.rindex("hidden", 0, start)
        return start, end

    def _line_end(self, at: int) -> int:
        found = re.compile(r"\r\n|\n|\r|\Z").search(self._text, at)
        assert found is not None
        return found.start()

    def _without(self, start: int, end: int) -> _Edit:
        """Return the edit that takes a piece away, with its lines if nothing else stands in them."""
        behind = _BEHIND.match(self._text, end)
        before = _BEFORE.search(self._text, 0, start)
        if behind is not None and before is not None:
            return _Edit(before.start(1), behind.end(), "")
        while end < len(self._text) and self._text[end] in " \t,":
            end += 1
        return _Edit(start, end, "")

    def _indent_at(self, at: int) -> str:
        """Return the blanks at the begin of the line of a place."""
        begin = max(self._text.rfind("\n", 0, at), self._text.rfind("\r", 0, at)) + 1
        line = self._text[begin:at]
        return line[: len(line) - len(line.lstrip(" \t"))]

    def _level_at(self, at: int) -> int:
        return len(self._indent_at(at).expandtabs(len(INDENT))) // len(INDENT)

    def _level(self, part: FieldSyntax) -> int:
        return self._level_at(self._field_range(part)[0])

    def _width(self, node: NodeSyntax, part: FieldSyntax) -> int:
        return width_in(node.type_name, part.name, self._types)

    def _applied(self, start: int, end: int, edits: list[_Edit]) -> str:
        """Return the text between two places with edits in it, which do not overlap."""
        pieces: list[str] = []
        at = start
        for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
            pieces += [self._text[at : edit.start], edit.text]
            at = max(at, edit.end)
        return "".join([*pieces, self._text[at:end]])


def _is_same_field(one: FieldSyntax, other: FieldSyntax) -> bool:
    return (one.name, one.is_hidden) == (other.name, other.is_hidden)


def _holds_nodes(value: ListSyntax) -> bool:
    return all(isinstance(item, NodeSyntax) or not value.items for item in value.items)


def _all_nodes(nodes: tuple[NodeSyntax, ...]) -> Iterable[NodeSyntax]:
    stack = list(nodes)
    while stack:
        node = stack.pop()
        yield node
        for part in node.fields:
            items = part.value.items if isinstance(part.value, ListSyntax) else (part.value,)
            stack += [item for item in items if isinstance(item, NodeSyntax)]
