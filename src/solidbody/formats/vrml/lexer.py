"""Characters to tokens.

One compiled expression does the work. Numbers that follow each other make one token, so a mesh with
a million coordinates costs one step of the loop; each token keeps its offset, from which
`SourceText` gives line and column.
"""

from __future__ import annotations

import re
from enum import Enum
from sys import intern
from typing import Final, NamedTuple

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.formats.vrml.source import SourceText

MAX_TOKENS: Final = 3_000_000
"""Tokens of one file: ten times those of the largest worlds; so many already take 300 MB."""


class TokenKind(Enum):
    """What a token is; words (names and key words) are told apart by the parser."""

    NUMBERS = "numbers"
    WORD = "word"
    STRING = "string"
    OPEN_BRACE = "{"
    CLOSE_BRACE = "}"
    OPEN_BRACKET = "["
    CLOSE_BRACKET = "]"
    END = "end of file"


class Token(NamedTuple):
    """A piece of the text: its kind, its characters as written, and its offset."""

    kind: TokenKind
    text: str
    start: int

    @property
    def end(self) -> int:
        """Offset just behind the token."""
        return self.start + len(self.text)


# A number ends where a separator begins: `1.2.3` and `2nd` are words, not numbers.
# Only single characters are repeated possessively: on groups, Python before 3.11.5 forgets to step back.
_NUMBER = r"[-+]?(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:[eE][-+]?[0-9]++)?(?=[\s,\[\]{}#\"]|\Z)"
_TOKEN = re.compile(
    rf"""
      [\s,]++ | \#[^\n\r]*+                           # white space and comments: no group, skipped
    | (?P<NUMBERS> {_NUMBER} (?: [\s,]++ {_NUMBER} ){{0,63}} )
    | (?P<WORD> [^\s,\[\]{{}}\#"]++ )
    | (?P<STRING> "[^"\\]*+(?:\\.[^"\\]*+)*" )
    | (?P<OPEN_BRACE> \{{ )
    | (?P<CLOSE_BRACE> \}} )
    | (?P<OPEN_BRACKET> \[ )
    | (?P<CLOSE_BRACKET> \] )
    | (?P<UNTERMINATED> "[^\n\r]*+ )
    """,
    re.VERBOSE | re.DOTALL,
)
_COMMENT = re.compile(r"#[^\n\r]*")
_GAP = re.compile(r"[\s,]")
_CHUNK = 100_000
"""Characters of a long list that are split at once: the pieces take ten times their room."""
_ESCAPE = re.compile(r'\\(["\\])')
_KINDS = {kind.name: kind for kind in TokenKind}


def tokenize(source: SourceText, log: DiagnosticLog) -> list[Token]:
    """Return all tokens of `source`, ended by one of kind END."""
    text = source.text
    tokens: list[Token] = []
    append = tokens.append
    # Runs of numbers come in pieces, which bounds what the expression has to remember of them; they
    # are put together here, over comments between them too.
    first, last = -1, -1
    for match in _TOKEN.finditer(text):
        group = match.lastgroup
        if group is None:
            continue
        if group == "NUMBERS":
            start, last = match.span()
            first = start if first < 0 else first
            continue
        if first >= 0:
            append(Token(TokenKind.NUMBERS, text[first:last], first))
            first = -1
        kind = _KINDS.get(group)
        if kind is None:
            start, end = match.span()
            log.error(
                "unterminated-string",
                source.span(start, end),
                "this string has no closing quote; it is taken to end with the line.",
            )
            append(Token(TokenKind.STRING, match.group().rstrip() + '"', start))
            continue
        piece = match.group()
        if kind is TokenKind.WORD:
            piece = intern(piece)  # the same few names again and again
        append(Token(kind, piece, match.start()))
        if len(tokens) >= MAX_TOKENS:
            log.error(
                "too-many-tokens",
                source.span(match.start(), match.end()),
                f"more than {MAX_TOKENS} words, lists and brackets; the rest of the file is not read.",
            )
            break
    if first >= 0:
        append(Token(TokenKind.NUMBERS, text[first:last], first))
    append(Token(TokenKind.END, "", len(text)))
    return tokens


def numbers_of(text: str) -> tuple[float, ...]:
    """Return the numbers of a NUMBERS token (those beyond double precision become infinite)."""
    if "#" in text:
        text = _COMMENT.sub(" ", text)
    if len(text) <= _CHUNK:
        return tuple(map(float, text.replace(",", " ").split()))
    values: list[float] = []
    start = 0
    while start < len(text):
        gap = _GAP.search(text, start + _CHUNK)
        end = gap.start() if gap else len(text)
        values.extend(map(float, text[start:end].replace(",", " ").split()))
        start = end
    return tuple(values)


def string_of(text: str) -> str:
    """Return the content of a STRING token: without quotes, escapes of quote and backslash undone."""
    inner = text[1:-1]
    return _ESCAPE.sub(r"\1", inner) if "\\" in inner else inner
