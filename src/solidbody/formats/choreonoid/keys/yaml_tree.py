"""Parses YAML text into a small tree that knows where every key and value stands.

Events come from PyYAML (libyaml where it is compiled in); no tag is ever resolved, so a file cannot make
objects. Aliases give the very object that carries the anchor. What cannot be read safely is refused
here: circles and bombs of aliases, and nesting that later stages could not follow.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast

import yaml

from solidbody.base.diagnostics import DiagnosticLog, did_you_mean
from solidbody.base.limits import MAX_YAML_DEPTH, MAX_YAML_VALUES, BudgetError, Cost, load_budget
from solidbody.base.span import SourceSpan
from solidbody.formats.gc_pause import collector_paused

MERGE: Final = "<<"

MAP_SIZE: Final = 6
"""What a mapping counts for in sizes."""

_LOADER: Final = getattr(yaml, "CLoader", yaml.Loader)


@dataclass(frozen=True, slots=True, eq=False)
class YamlScalar:
    """A single value as written, without its quotes; `tag`: the type that is written before it, if any."""

    text: str
    is_quoted: bool
    span: SourceSpan
    anchor: str = ""
    tag: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class YamlList:
    """A list of values."""

    items: tuple[YamlNode, ...]
    span: SourceSpan
    anchor: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class YamlMap:
    """Keys and values in file order, each key once; what `<<` merges in stands at the end."""

    pairs: tuple[tuple[YamlScalar, YamlNode], ...]
    span: SourceSpan
    anchor: str = ""

    def get(self, name: str) -> YamlNode | None:
        """Return the value of a key, or None."""
        return next((value for key, value in self.pairs if key.text == name), None)


YamlNode = YamlScalar | YamlList | YamlMap


@dataclass(frozen=True, slots=True)
class YamlDocument:
    """A file's value and its anchors by name."""

    root: YamlNode
    anchors: Mapping[str, YamlNode]

    def size(self) -> int:
        """Return its values, with every alias written out."""
        return size_of(self.root)


def parse_yaml(
    text: str, name: str, log: DiagnosticLog, *, anchors: Mapping[str, YamlNode] | None = None
) -> YamlDocument | None:
    """Return the tree of a YAML text, or None after an error message.

    Args:
        text: The file's text.
        name: Its name in messages.
        log: Takes all messages.
        anchors: Anchors of another file that aliases here may name; own ones hide them.
    """
    builder = _Builder(name, log, dict(anchors or {}))
    try:
        with collector_paused():
            for event in _events(text):
                builder.take(event)
                if builder.is_done:
                    break
    except _RefusedError as error:
        log.error(error.code, error.span, error.text)
        return None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        span = _point(name, mark.line + 1, mark.column + 1) if mark else _point(name, 1, 1)
        problem = error.problem or error.context or "it cannot be read"
        hint = _tab_hint(text, mark.line if mark else -1)
        log.error("bad-yaml", span, f"this is not YAML: {problem}.{hint}")
        return None
    except yaml.reader.ReaderError as error:
        log.error("bad-character", _position(text, name, error.position), _character_text(error))
        return None
    except UnicodeEncodeError as error:
        log.error(
            "bad-character",
            _position(text, name, error.start),
            f"half of a surrogate pair (U+{ord(text[error.start]):04X}) is not a character.",
        )
        return None
    try:  # what is written in files is paid for by their size
        load_budget().spend(Cost.YAML_VALUES, max(0, builder.size - builder.written))
    except BudgetError as error:
        if error.is_new:
            text = f"{error}; from here on files with such aliases are not read."
            log.error("alias-bomb", _point(name, 1, 1), text)
        return None
    if builder.root is None:
        log.error("empty-file", _point(name, 1, 1), "the file holds no value.")
        return None
    return YamlDocument(builder.root, builder.own_anchors)


Plain = str | bool | int | float | Sequence["Plain"] | Mapping[str, "Plain"] | YamlNode
"""A value that a program has made; parts of it may be trees already."""


def yaml_of(value: Plain, span: SourceSpan) -> YamlNode:
    """Return a value as the tree that it would be read as; all that is no tree yet stands at `span`."""
    match value:
        case YamlScalar() | YamlList() | YamlMap():
            return value
        case str():
            return YamlScalar(value, True, span)
        case bool():
            return YamlScalar(str(value).lower(), False, span)
        case int() | float():
            return YamlScalar(repr(value), False, span)
        case Mapping():
            return yaml_map_of(value, span)
        case _:
            return YamlList(tuple(yaml_of(item, span) for item in value), span)


def yaml_map_of(value: Mapping[str, Plain], span: SourceSpan) -> YamlMap:
    """Return a mapping as the tree that it would be read as, all of it at `span`."""
    pairs = ((YamlScalar(key, False, span), yaml_of(item, span)) for key, item in value.items())
    return YamlMap(tuple(pairs), span)


def _events(text: str) -> Iterator[Any]:
    # Any: the two loaders have event marks of different classes with the same fields
    return cast("Any", yaml).parse(text, Loader=_LOADER)


@dataclass(slots=True)
class _Open:
    """A list or mapping whose end has not been reached."""

    is_map: bool
    start: Any
    anchor: str
    items: list[YamlNode] = field(default_factory=list["YamlNode"])
    size: int = 1
    height: int = 0

    def __post_init__(self) -> None:
        if self.is_map:
            self.size = MAP_SIZE


class _RefusedError(Exception):
    def __init__(self, code: str, span: SourceSpan, text: str) -> None:
        self.code = code
        self.span = span
        self.text = text
        super().__init__(text)


class _Builder:
    """Puts events together; sizes and heights count every alias as if it were written out."""

    def __init__(self, name: str, log: DiagnosticLog, anchors: dict[str, YamlNode]) -> None:
        self.root: YamlNode | None = None
        self.own_anchors: dict[str, YamlNode] = {}
        self.is_done = False
        self.size = 0
        """Values with every alias written out."""
        self.written = 0
        """Values as written."""
        self._name = name
        self._log = log
        self._anchors = anchors
        self._stack: list[_Open] = []
        self._extent: dict[int, tuple[int, int]] = {}  # id of an anchored node -> (size, height)
        self._count = 0
        self._has_aliases = False
        for node in anchors.values():
            self._extent[id(node)] = _measure(node, self._extent)

    def take(self, event: Any) -> None:
        kind = cast("object", type(event))
        if kind is yaml.ScalarEvent:
            anchor = event.anchor or ""
            is_quoted = event.style in ("'", '"')
            node = YamlScalar(event.value, is_quoted, self._span(event), anchor, event.tag or "")
            if anchor:
                self._register(node, 1, 0)
            self.written += 1
            self._place(node, 1, 0)
        elif kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
            if len(self._stack) >= MAX_YAML_DEPTH:
                raise self._too_deep(self._span(event))
            is_map = kind is yaml.MappingStartEvent
            self.written += MAP_SIZE if is_map else 1
            self._stack.append(_Open(is_map, event.start_mark, event.anchor or ""))
        elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
            self._close(event.end_mark)
        elif kind is yaml.AliasEvent:
            node = self._aliased(event)
            self._has_aliases = True
            self.written += 1
            self._place(node, *self._extent[id(node)])
        elif kind is yaml.DocumentStartEvent and self.root is not None:
            self._log.warning(
                "second-document",
                self._span(event),
                "only the first document of a file is read; this one is ignored.",
            )
            self.is_done = True

    def _close(self, end: Any) -> None:
        opened = self._stack.pop()
        start = opened.start
        span = SourceSpan(
            self._name, start.line + 1, start.column + 1, end.line + 1, end.column + 1
        )
        node: YamlNode
        if opened.is_map:
            node = YamlMap(self._pairs(opened.items), span, opened.anchor)
        else:
            node = YamlList(tuple(opened.items), span, opened.anchor)
        size, height = opened.size, opened.height + 1
        if opened.anchor:
            self._register(node, size, height)
        self._place(node, size, height)

    def _place(self, node: YamlNode, size: int, height: int) -> None:
        """Put a finished node where it belongs, and watch how large the whole becomes."""
        self._count += 1
        if self._count > MAX_YAML_VALUES:
            raise _RefusedError(
                "file-too-large", node.span, f"more than {MAX_YAML_VALUES} values are not read."
            )
        if not self._stack:
            if self.root is None:
                self.root, self.size = node, size
            return
        top = self._stack[-1]
        top.items.append(node)
        top.size += size
        if height > top.height:
            top.height = height
        if top.size > MAX_YAML_VALUES:
            code = "alias-bomb" if self._has_aliases else "file-too-large"
            written = "with its aliases written out " if self._has_aliases else ""
            raise _RefusedError(
                code, node.span, f"{written}the file has more than {MAX_YAML_VALUES} values."
            )
        if len(self._stack) + height > MAX_YAML_DEPTH:
            raise self._too_deep(node.span)

    def _register(self, node: YamlNode, size: int, height: int) -> None:
        anchor = node.anchor
        if anchor in self.own_anchors:
            before = self.own_anchors[anchor].span
            self._log.error(
                "duplicate-anchor",
                node.span,
                f'the anchor "&{anchor}" is defined twice, first in line {before.line}; '
                "Choreonoid refuses such a file. Aliases below mean this one.",
            )
        self._anchors[anchor] = self.own_anchors[anchor] = node
        self._extent[id(node)] = (size, height)

    def _aliased(self, event: Any) -> YamlNode:
        anchor: str = event.anchor
        if any(opened.anchor == anchor for opened in self._stack):
            raise _RefusedError(
                "alias-circle",
                self._span(event),
                f'the alias "*{anchor}" stands inside the value that it names.',
            )
        node = self._anchors.get(anchor)
        if node is None:
            raise _RefusedError(
                "unknown-alias",
                self._span(event),
                f'no anchor "&{anchor}" is defined before this alias.'
                f"{did_you_mean(anchor, self._anchors)}",
            )
        return node

    def _pairs(self, items: list[YamlNode]) -> tuple[tuple[YamlScalar, YamlNode], ...]:
        """Return the pairs of a mapping: explicit keys first, then those merged in, first come first."""
        own: dict[str, tuple[YamlScalar, YamlNode]] = {}
        merged: list[YamlNode] = []
        for key, value in zip(items[::2], items[1::2], strict=True):
            if not isinstance(key, YamlScalar):
                self._log.error("bad-key", key.span, "a key must be a single word.")
            elif key.text == MERGE and not key.is_quoted:
                merged.append(value)
            else:
                if key.text in own:
                    self._log.warning(
                        "duplicate-key",
                        key.span,
                        f'"{key.text}" is given twice, first in line '
                        f"{own[key.text][0].span.line}; this one counts.",
                    )
                own[key.text] = (key, value)
        for value in merged:
            for source in value.items if isinstance(value, YamlList) else (value,):
                if not isinstance(source, YamlMap):
                    self._log.error(
                        "bad-merge", source.span, 'only mappings can be merged in with "<<".'
                    )
                    continue
                for key, item in source.pairs:
                    own.setdefault(key.text, (key, item))
        return tuple(own.values())

    def _span(self, event: Any) -> SourceSpan:
        start, end = event.start_mark, event.end_mark
        return SourceSpan(
            self._name, start.line + 1, start.column + 1, end.line + 1, end.column + 1
        )

    def _too_deep(self, span: SourceSpan) -> _RefusedError:
        return _RefusedError(
            "too-deep",
            span,
            f"values are nested more than {MAX_YAML_DEPTH} deep (aliases followed); this is not read.",
        )


def size_of(node: YamlNode) -> int:
    """Return the values in a tree, with every alias written out."""
    return _measure(node, {})[0]


def _measure(node: YamlNode, known: dict[int, tuple[int, int]]) -> tuple[int, int]:
    """Return (size, height) of a finished tree; shared parts are measured once."""
    found = known.get(id(node))
    if found is not None:
        return found
    match node:
        case YamlScalar():
            return 1, 0
        case YamlList():
            children = list(node.items)
        case YamlMap():
            children = [part for pair in node.pairs for part in pair]
    extents = [_measure(child, known) for child in children]
    size = MAP_SIZE if isinstance(node, YamlMap) else 1
    size += sum(extent[0] for extent in extents)
    height = 1 + max((extent[1] for extent in extents), default=0)
    known[id(node)] = size, height
    return size, height


def _point(name: str, line: int, column: int) -> SourceSpan:
    return SourceSpan(name, line, column, line, column)


def _position(text: str, name: str, offset: int) -> SourceSpan:
    line = text.count("\n", 0, offset) + 1
    return _point(name, line, offset - text.rfind("\n", 0, offset))


def _character_text(error: yaml.reader.ReaderError) -> str:
    code = error.character
    shown = f"U+{code:04X}" if isinstance(code, int) else repr(code)
    return f"the character {shown} is not allowed in YAML; is this a text file?"


def _tab_hint(text: str, line: int) -> str:
    if line < 0:
        return ""
    lines = text.split("\n", line + 1)
    before = (
        lines[line][: len(lines[line]) - len(lines[line].lstrip())] if line < len(lines) else ""
    )
    return " A tab cannot indent; use spaces." if "\t" in before else ""
