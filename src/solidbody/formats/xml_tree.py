"""Parses XML text into a small tree with source spans; entities of a file's own are refused."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final
from xml.parsers import expat

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.errors import SolidbodyError
from solidbody.base.span import SourceSpan

MAX_DEPTH: Final = 100
"""Elements inside each other; real robots use 6."""

_DECLARATION: Final = re.compile(r"<\?xml\s[^>]{0,200}\?>")
_SPACE: Final = re.compile(r"\s*")


@dataclass(slots=True, eq=False)
class XmlElement:
    """An element with its attributes, the elements in it and the text that stands directly in it."""

    tag: str
    attributes: dict[str, str]
    span: SourceSpan
    children: list[XmlElement] = field(default_factory=list["XmlElement"])
    text: str = ""

    def all(self, tag: str) -> Iterator[XmlElement]:
        """Yield the elements of a tag that stand directly in this one."""
        return (child for child in self.children if child.tag == tag)

    def first(self, tag: str) -> XmlElement | None:
        """Return the first element of a tag that stands directly in this one."""
        return next(self.all(tag), None)

    def walk(self) -> Iterator[XmlElement]:
        """Yield this element and all below it, in the order of the file."""
        stack: list[XmlElement] = [self]
        while stack:
            element = stack.pop()
            yield element
            stack.extend(reversed(element.children))


class _RefusedError(SolidbodyError):
    """The text has something that is not read."""


def parse_xml(
    text: str, name: str, log: DiagnosticLog, *, max_depth: int = MAX_DEPTH
) -> XmlElement | None:
    """Return the outermost element of a text, or None after an error message.

    Args:
        text: What the file holds.
        name: The file, for places.
        log: Takes what is wrong.
        max_depth: Elements that may stand inside each other.
    """
    text = _with_plain_comments(_without_late_declaration(text))
    parser = expat.ParserCreate()
    top = XmlElement("", {}, SourceSpan(name, 1, 1, 1, 1))
    stack = [top]
    texts: list[list[str]] = [[]]

    def here() -> SourceSpan:
        line, column = parser.CurrentLineNumber, parser.CurrentColumnNumber + 1
        return SourceSpan(name, line, column, line, column)

    def start(tag: str, attributes: dict[str, str]) -> None:
        if len(stack) > max_depth:
            raise _RefusedError(f"elements stand more than {max_depth} deep in each other")
        element = XmlElement(tag, attributes, here())
        stack[-1].children.append(element)
        stack.append(element)
        texts.append([])

    def end(_: str) -> None:
        stack.pop().text = "".join(texts.pop()).strip()

    def characters(text: str) -> None:
        texts[-1].append(text)

    def entity(*_: object) -> None:
        raise _RefusedError("entities of a file's own are not read")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = characters
    parser.buffer_text = True
    parser.EntityDeclHandler = entity
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        line, column = error.lineno, error.offset + 1
        problem = expat.ErrorString(error.code)
        place = SourceSpan(name, line, column, line, column)
        log.error("bad-xml", place, f"this is not XML: {problem}.")
        return None
    except _RefusedError as error:
        log.error("bad-xml", here(), f"{error}.")
        return None
    return top.children[0]


def _with_plain_comments(text: str) -> str:
    """Return a text without `--` in comments, which XML forbids and the readers of robots let pass.

    All else stays at its place.
    """
    pieces: list[str] = []
    done = 0
    while (start := text.find("<!--", done)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        pieces += text[done:start], "<!--", text[start + 4 : end].replace("-", " "), "-->"
        done = end + 3
    return "".join((*pieces, text[done:]))


def _without_late_declaration(text: str) -> str:
    """Return a text without the declaration that stands behind empty lines or comments.

    Other readers let it pass, too. Spaces take its place, so that all else keeps its own.
    """
    at = 0
    while True:
        space = _SPACE.match(text, at)
        at = at if space is None else space.end()
        if not text.startswith("<!--", at):
            break
        end = text.find("-->", at)
        if end < 0:
            return text
        at = end + 3
    found = _DECLARATION.match(text, at) if at else None
    if found is None:
        return text
    return text[:at] + re.sub(r"[^\n]", " ", found[0]) + text[found.end() :]
