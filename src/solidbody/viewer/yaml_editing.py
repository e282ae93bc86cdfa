"""Changes of a YAML text in place: values, keys and items of lists; comments and layout stay.

Paths are keys and numbers with points between them: `links.2.elements.0.mass`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.errors import SolidbodyError
from solidbody.formats.choreonoid.keys.yaml_text import word_text
from solidbody.formats.choreonoid.keys.yaml_tree import (
    YamlList,
    YamlMap,
    YamlNode,
    YamlScalar,
    parse_yaml,
)

VALUE_LIMIT: Final = 4000
"""Longest value that is written by hand [characters]."""

_NUMBER: Final = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_NAME: Final = re.compile(r"^(\s*(?:- )?\s*name\s*:\s*)(.*?)(\s*(?:#.*)?)$", re.MULTILINE)


class YamlEditError(SolidbodyError):
    """A text cannot be changed like this; nothing has changed."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Part of a text, from one character up to another."""

    start: int
    end: int


def parsed(text: str, name: str) -> YamlMap:
    """Return the tree of a text that is one mapping. Raises YamlEditError."""
    log = DiagnosticLog()
    document = parse_yaml(text, name, log)
    if document is None or not isinstance(document.root, YamlMap):
        first = next((str(item) for item in log), "the file is no mapping")
        raise YamlEditError(first)
    return document.root


def node_at(root: YamlMap, path: str) -> YamlNode:
    """Return what a path leads to; the root for an empty one. Raises YamlEditError."""
    node: YamlNode = root
    for part in path.split(".") if path else []:
        found: YamlNode | None = None
        if isinstance(node, YamlMap):
            found = node.get(part)
        elif isinstance(node, YamlList) and part.isdecimal() and int(part) < len(node.items):
            found = node.items[int(part)]
        if found is None:
            raise YamlEditError(f"there is no {part} at {path}")
        node = found
    return node


def value_text(text: str, node: YamlNode) -> str:
    """Return a value as it is written."""
    place = _place(text, node)
    return text[place.start : place.end].strip()


def with_value(text: str, path: str, value: str, name: str) -> str:
    """Return the text with another value at a path; a new key is put into its mapping, none takes it out.

    Args:
        text: The file.
        path: Of a scalar or a list of scalars.
        value: As it is written in the file; empty = the key goes.
        name: Of the file, for messages.
    """
    holder_path, _, key = path.rpartition(".")
    root = parsed(text, name)
    holder = node_at(root, holder_path)
    if not isinstance(holder, YamlMap):
        raise YamlEditError(f"{holder_path} has no keys")
    value = _checked(value, key)
    pair = next((pair for pair in holder.pairs if pair[0].text == key), None)
    if pair is None:
        return text if not value else _with_key(text, holder, key, value)
    if not _is_inside(holder, pair[1]):
        raise YamlEditError(
            f"{key} comes from another place of the file by an alias: change it there"
        )
    if value:
        place = _place(text, pair[1])
        return text[: place.start] + value + text[place.end :]
    return _without_key(text, holder, pair)


def with_item(text: str, path: str, item: str, name: str) -> str:
    """Return the text with a mapping, written as a block, at the end of the list at a path.

    The key of the list is made if it is not there.
    """
    root = parsed(text, name)
    holder_path, _, key = path.rpartition(".")
    holder = node_at(root, holder_path)
    if not isinstance(holder, YamlMap):
        raise YamlEditError(f"{holder_path} has no keys")
    found = holder.get(key)
    if found is None:
        if _is_flow(text, holder):
            raise YamlEditError(f"{holder_path} is written on one line: it takes no nodes here")
        indent = holder.span.column - 1
        lines = _item_lines(item, indent + 2)
        return _after(text, _last(text, holder), [f"{' ' * indent}{key}:", *lines])
    if not isinstance(found, YamlList):
        raise YamlEditError(f"{key} is no list")
    if _is_flow(text, found):
        if found.items:
            raise YamlEditError(f"{key} is written on one line: it takes no nodes here")
        place = _place(text, found)
        lines = _item_lines(item, holder.span.column + 1)
        return text[: place.start].rstrip(" ") + "\n" + "\n".join(lines) + text[place.end :]
    dash = _dash(text, found.items[0])
    lines = _item_lines(item, dash - _line_start(text, dash))
    return _after(text, _last(text, found), lines)


def without_item(text: str, path: str, name: str) -> str:
    """Return the text without an item of a list; a list that has no other goes with its key."""
    root = parsed(text, name)
    list_path, _, number = path.rpartition(".")
    holder = node_at(root, list_path)
    if not isinstance(holder, YamlList) or not number.isdecimal():
        raise YamlEditError(
            "this part belongs to the one that holds it: it cannot be taken out alone"
        )
    if _is_flow(text, holder):
        raise YamlEditError("this list is written on one line: change it in the text")
    item = node_at(root, path)
    if len(holder.items) == 1:
        outer = node_at(root, list_path.rpartition(".")[0])
        key = list_path.rpartition(".")[2]
        if isinstance(outer, YamlMap):
            pair = next(pair for pair in outer.pairs if pair[0].text == key)
            return _without_key(text, outer, pair)
    start = _line_start(text, _dash(text, item))
    return text[:start] + text[_line_end(text, _last(text, item)) :]


def item_text(text: str, path: str, name: str) -> str:
    """Return an item of a list as a block of its own, without the dash before it."""
    item = node_at(parsed(text, name), path)
    start, end = _dash(text, item), _line_end(text, _last(text, item))
    indent = start - _line_start(text, start)
    lines = (" " * indent + " " + text[start + 1 : end]).splitlines()
    first = len(lines[0]) - len(lines[0].lstrip())
    return "\n".join(
        line[first:] if line[:first].isspace() or not line.strip() else line.lstrip()
        for line in lines
    )


def renamed(item: str, name: str) -> str:
    """Return a block with another name at its top."""
    return _NAME.sub(lambda found: f"{found[1]}{word_text(name)}{found[3]}", item, count=1)


# --------------------------------------------------------------------------- places


def _checked(value: str, key: str) -> str:
    """Return a value that may stand behind a key. Raises YamlEditError if it would be more than that."""
    value = value.strip()
    if not value:
        return ""
    if len(value) > VALUE_LIMIT or "\n" in value:
        raise YamlEditError(f"{key}: a value stands on one line")
    parts = value.split()
    if len(parts) > 1 and all(_NUMBER.fullmatch(part.rstrip(",")) for part in parts):
        value = f"[ {', '.join(part.rstrip(',') for part in parts)} ]"  # as numbers are typed
    log = DiagnosticLog()
    document = parse_yaml(f"value: {value}\n", "the page", log)
    root = None if document is None else document.root
    is_one = isinstance(root, YamlMap) and len(root.pairs) == 1 and root.pairs[0][0].text == "value"
    if not is_one or log.has_errors:
        return word_text(value)
    return value


def _is_inside(holder: YamlNode, node: YamlNode) -> bool:
    outer, inner = holder.span, node.span
    return (
        (outer.line, outer.column)
        <= (inner.line, inner.column)
        <= (outer.end_line, outer.end_column)
    )


def _offset(text: str, line: int, column: int) -> int:
    start = 0
    for _ in range(line - 1):
        start = text.index("\n", start) + 1
    return start + column - 1


def _place(text: str, node: YamlNode) -> _Place:
    span = node.span
    start = _offset(text, span.line, span.column)
    end = _offset(text, span.end_line, span.end_column)
    return _Place(start, start + len(text[start:end].rstrip()))


def _is_flow(text: str, node: YamlNode) -> bool:
    return text[_offset(text, node.span.line, node.span.column)] in "[{"


def _last(text: str, node: YamlNode) -> int:
    """Return where the content of a node ends, without the comments and blanks behind it."""
    if isinstance(node, YamlScalar) or _is_flow(text, node):
        return _place(text, node).end
    inner = (
        [value for _, value in node.pairs if _is_inside(node, value)]
        if isinstance(node, YamlMap)
        else list(node.items)
    )
    ends = [_last(text, item) for item in inner]
    keys = (
        [_place(text, key).end for key, _ in node.pairs if _is_inside(node, key)]
        if isinstance(node, YamlMap)
        else []
    )
    return max([*ends, *keys], default=_place(text, node).end)


def _line_start(text: str, place: int) -> int:
    return text.rfind("\n", 0, place) + 1


def _line_end(text: str, place: int) -> int:
    """Return where the next line begins."""
    end = text.find("\n", place)
    return len(text) if end < 0 else end + 1


def _dash(text: str, item: YamlNode) -> int:
    """Return where the dash of an item of a block stands."""
    start = _offset(text, item.span.line, item.span.column)
    dash = text.rfind("-", 0, start)
    between = text[dash + 1 : start]
    if dash < 0 or any(
        line.strip() and not line.strip().startswith("#") for line in between.splitlines()
    ):
        raise YamlEditError("this item is written in a way that cannot be changed here")
    return dash


def _after(text: str, place: int, lines: list[str]) -> str:
    """Return the text with lines after that of a place."""
    end = _line_end(text, place)
    before = text[:end] if text[:end].endswith("\n") else text[:end] + "\n"
    return before + "".join(f"{line}\n" for line in lines) + text[end:]


def _item_lines(item: str, indent: int) -> list[str]:
    lines = item.rstrip("\n").split("\n")
    return [
        f"{' ' * indent}{'- ' if k == 0 else '  '}{line}".rstrip() for k, line in enumerate(lines)
    ]


def _with_key(text: str, holder: YamlMap, key: str, value: str) -> str:
    if _is_flow(text, holder):
        place = _place(text, holder)
        inner = text[place.start + 1 : place.end - 1].rstrip()
        joint = ", " if inner.strip() else " "
        return f"{text[: place.start + 1]}{inner}{joint}{key}: {value} }}{text[place.end :]}"
    indent = " " * (holder.span.column - 1)
    first = holder.pairs[0][1]
    is_short = isinstance(first, YamlScalar) or _is_flow(text, first)
    place = _place(text, first).end if is_short else _last(text, holder)
    return _after(text, place, [f"{indent}{key}: {value}"])


def _without_key(text: str, holder: YamlMap, pair: tuple[YamlScalar, YamlNode]) -> str:
    key, value = pair
    if len(holder.pairs) == 1:
        raise YamlEditError(f"{key.text} is all that there is: take the whole out")
    start = _offset(text, key.span.line, key.span.column)
    if _is_flow(text, holder):
        end = _last(text, value)
        rest = re.match(r"\s*,\s*", text[end:])
        if rest:
            return text[:start] + text[end + rest.end() :]
        return re.sub(r"\s*,\s*\Z", " ", text[:start]) + text[end:].lstrip(" ")
    end = _line_end(text, _last(text, value))
    line = _line_start(text, start)
    if text[line:start].strip():  # behind the dash of an item: the next key comes there
        following = text[end:]
        return text[:start] + following.lstrip(" ")
    return text[:line] + text[end:]
