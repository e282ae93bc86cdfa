"""Compiles template statements in PROTO bodies (`%< code >%`, `%<= value >%`) to a script (rules W1.6).

The script calls `__lit(k)` for the k-th piece of plain text and `__put(k, value)` for a value, in the
order in which they come out; what was called is put together again with the place of each piece, so
that a message about generated text names the line of the template that made it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

MODULES: Final = (
    "wbrandom",
    "wbrotation",
    "wbvector2",
    "wbvector3",
    "wbgeometry",
    "wbutility",
    "wbcore",
    "wbmath",
    "wbfile",
    "wbenv",
)
"""JavaScript modules that templates may import."""

_IMPORT = re.compile(
    r"(?<![\w.$])import\s*(?:\*\s*as\s+(?P<all>\w+)|\{(?P<some>[^}]*)\})\s*from\s*"
    r"(?P<quote>['\"])(?P<module>[^'\"\n]*)(?P=quote)[ \t]*;?"
)
_TAGS: Final = {"javascript": ("%<", ">%"), "lua": ("%{", "}%")}


class TemplateError(Exception):
    """A template that cannot be evaluated; `offset` is its place in the file."""

    def __init__(self, text: str, offset: int) -> None:
        self.text = text
        self.offset = offset
        super().__init__(text)


class TemplateSegmentKind(Enum):
    """What a piece of a template is."""

    TEXT = "text"
    CODE = "code"
    VALUE = "value"


@dataclass(frozen=True, slots=True)
class TemplateSegment:
    """A part of a template and its offset in the file."""

    kind: TemplateSegmentKind
    text: str
    offset: int


@dataclass(frozen=True, eq=False)
class Script:
    """A program made from a template.

    Attributes:
        code: What the engine runs.
        pieces: The template's pieces; `__lit` and `__put` name them by index.
        imports: For JavaScript the statements that bring modules, in one line.
        line_starts: For each line of `code` its offset in the file.
    """

    code: str
    pieces: tuple[TemplateSegment, ...]
    imports: str
    line_starts: tuple[int, ...]

    @cached_property
    def texts(self) -> NDArray[np.object_]:
        """The texts of the pieces."""
        texts = np.empty(len(self.pieces), dtype=np.object_)
        texts[:] = [piece.text for piece in self.pieces]
        return texts

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Their lengths."""
        return np.array([len(piece.text) for piece in self.pieces], dtype=np.int64)

    @cached_property
    def offsets(self) -> NDArray[np.int64]:
        """Their offsets in the file."""
        return np.array([piece.offset for piece in self.pieces], dtype=np.int64)

    @cached_property
    def is_text(self) -> NDArray[np.bool_]:
        """Whether they are plain text."""
        return np.array(
            [piece.kind is TemplateSegmentKind.TEXT for piece in self.pieces], dtype=np.bool_
        )


def split_template(text: str, start: int, language: str) -> tuple[TemplateSegment, ...]:
    """Return the pieces of a template that begins at offset `start` of a file.

    A comment hides the tags in it; a string does not.
    """
    opening, closing = _TAGS[language]
    mark = re.compile(rf'\\.|"|#[^\n\r]*|{re.escape(opening)}', re.DOTALL)
    pieces: list[TemplateSegment] = []
    is_string = False
    text_from = position = start

    def add_text(end: int) -> None:
        if end > text_from:
            pieces.append(TemplateSegment(TemplateSegmentKind.TEXT, text[text_from:end], text_from))

    while (found := mark.search(text, position)) is not None:
        position = found.end()
        word = found.group()
        if word == '"':
            is_string = not is_string
        elif word.startswith("#"):
            if is_string:
                position = found.start() + 1
            else:
                add_text(found.start())
                text_from = position
        elif word == opening:
            add_text(found.start())
            end = text.find(closing, position)
            if end < 0:
                raise TemplateError(f'"{opening}" is not closed by "{closing}"', found.start())
            is_value = text.startswith("=", position)
            inner = position + is_value
            kind = TemplateSegmentKind.VALUE if is_value else TemplateSegmentKind.CODE
            if is_value and not text[inner:end].strip(" \t\r\n;"):
                raise TemplateError(f'"{opening}=" needs an expression', found.start())
            pieces.append(TemplateSegment(kind, text[inner:end], inner))
            text_from = position = end + len(closing)
    add_text(len(text))
    return tuple(pieces)


def make_script(pieces: tuple[TemplateSegment, ...], language: str) -> Script:
    """Return the program that a template stands for."""
    lines: list[str] = []
    starts: list[int] = []
    imports: list[str] = []
    # Lua would take the call for the rest of an unfinished statement; in JavaScript a semicolon would
    # end an `if` without braces.
    before = ";" if language == "lua" else ""

    def add(code: str, offset: int) -> None:
        for line in code.split("\n"):
            lines.append(line)
            starts.append(offset)
            offset += len(line) + 1

    for index, piece in enumerate(pieces):
        match piece.kind:
            case TemplateSegmentKind.TEXT:
                add(f"{before}__lit({index});", piece.offset)
            case TemplateSegmentKind.VALUE:
                add(f"{before}__put({index}, (", piece.offset)
                add(piece.text.rstrip(" \t\r\n;"), piece.offset)
                add("));", piece.offset)
            case TemplateSegmentKind.CODE:
                code = piece.text
                if language == "javascript":
                    code = _without_imports(piece, imports)
                add(code, piece.offset)
    return Script("\n".join(lines), pieces, " ".join(imports), tuple(starts))


def _without_imports(piece: TemplateSegment, imports: list[str]) -> str:
    """Move import statements to `imports`, as constants; the lines of the code stay where they are."""

    def moved(found: re.Match[str]) -> str:
        name = found.group("module").rsplit("/", 1)[-1].removesuffix(".js")
        if name not in MODULES:
            raise TemplateError(
                f'unknown module "{found.group("module")}"; known: '
                f"{', '.join(f'{known}.js' for known in MODULES)}",
                piece.offset + found.start(),
            )
        if found.group("all"):
            target = found.group("all")
        else:
            target = "{" + re.sub(r"\s+as\s+", ": ", found.group("some")) + "}"
        target = " ".join(target.split())
        statement = f'const {target} = __modules["{name}"];'
        if statement not in imports:
            imports.append(statement)
        return "\n" * found.group().count("\n")

    return _IMPORT.sub(moved, piece.text)


def script_offset(script: Script, line: int) -> int:
    """Return the offset in the file of a line (from 1) of a script."""
    if not script.line_starts:
        return 0
    return script.line_starts[min(max(line, 1), len(script.line_starts)) - 1]
