"""Lexer: splits the text of a world file into tokens.

One compiled expression does the work. Numbers that follow each other make one token, and a long list of
them is not even looked at one by one; each token keeps its offset, from which `SourceText` gives line and
column.
"""

from __future__ import annotations

import re
from enum import Enum
from sys import intern
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.formats.vrml.source import SourceText

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MAX_TOKENS: Final = 1_000_000
"""Tokens of one file, those of 12 MB of small nodes or any mesh: a scene of so many takes up to 0.8 GB."""


class TokenKind(Enum):
    """What a token is; words (names and key words) are told apart by the parser."""

    NUMBERS = "numbers"
    WORD = "word"
    STRING = "string"
    NAMED_NUMBERS = "name and numbers"
    NAMED_STRING = "name and string"
    OPEN_BRACE = "{"
    CLOSE_BRACE = "}"
    OPEN_BRACKET = "["
    CLOSE_BRACKET = "]"
    END = "end of file"


class Token(NamedTuple):
    """A piece of the text: its kind, its characters as written, and its offset.

    Inside braces, a name and the numbers or the string behind it are one token, since most of any file
    are such fields: `text` and `start` are those of the name, `value` and `value_start` of the rest.
    """

    kind: TokenKind
    text: str
    start: int
    value: str = ""
    value_start: int = -1

    @property
    def end(self) -> int:
        """Offset just behind the token (behind the name, if it is named)."""
        return self.start + len(self.text)


# A number ends where a separator begins: `1.2.3` and `2nd` are words, not numbers. `nan` and `inf` are
# what Webots writes when it saves a world whose simulation has exploded.
# Only single characters are repeated possessively: on groups, Python before 3.11.5 forgets to step back.
_DIGITS = r"(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:[eE][-+]?[0-9]++)?"
_NUMBER = rf"[-+]?(?:{_DIGITS}|nan|inf)(?=[\s,\[\]{{}}#\"]|\Z)"
_NUMBERS = rf"{_NUMBER} (?: [\s,]++ {_NUMBER} ){{0,63}}"
_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*"'
_PLAIN_STRING = r'"[^"\\]*+"'
"""A string without escapes; one that does not end is found to be so only once where it might have some."""
_TOKEN = re.compile(
    rf"""
    [\s,]*+ (?: \#[^\n\r]*+ [\s,]*+ )*               # white space and comments are skipped
    (?: (?P<NUMBERS> {_NUMBERS} )
    | (?P<WORD> [^\s,\[\]{{}}\#"]++ )
      (?: [\s,]++ (?: (?P<NAMED_NUMBERS> {_NUMBERS} ) | (?P<NAMED_STRING> {_PLAIN_STRING} ) ) )?
    | (?P<STRING> {_STRING} )
    | (?P<OPEN_BRACE> \{{ )
    | (?P<CLOSE_BRACE> \}} )
    | (?P<OPEN_BRACKET> \[ )
    | (?P<CLOSE_BRACKET> \] )
    | (?P<UNTERMINATED> "[^\n\r]*+ )
    | (?P<END> \Z ) )
    """,
    re.VERBOSE | re.DOTALL,
)
_LONG_LIST = re.compile(r"[-+.0-9eE \n\r\t,]{200,}+(?=\])")
"""Behind a bracket: what may be a list of numbers alone. Whether it is, `float` says."""
_COMMENT = re.compile(r"#[^\n\r]*")
_GAP = re.compile(r"[\s,]")
_CHUNK = 100_000
"""Characters of a long list that are split at once: the pieces take ten times their room."""
_KINDS = {kind.name: kind for kind in TokenKind}

OPENING: Final = (TokenKind.OPEN_BRACE, TokenKind.OPEN_BRACKET)
CLOSING: Final = (TokenKind.CLOSE_BRACE, TokenKind.CLOSE_BRACKET)
_NAMED: Final = {
    TokenKind.NAMED_NUMBERS: TokenKind.NUMBERS,
    TokenKind.NAMED_STRING: TokenKind.STRING,
}
"""Tokens that hold a name too, and what they are without it."""


_new = cast(
    "Callable[[type[Token], tuple[TokenKind, str, int, str, int]], Token]",
    tuple.__new__,  # pyright: ignore[reportUnknownMemberType]
)
"""Makes tokens in a third of the time that `Token(...)` takes."""


def tokenize(
    source: SourceText, log: DiagnosticLog, numbers: dict[str, tuple[float, ...]] | None = None
) -> list[Token]:
    """Return all tokens of `source`, ended by one of kind END; `numbers` takes those of long lists."""
    text = source.text
    tokens: list[Token] = []
    append = tokens.append
    in_braces: list[bool] = [False]  # of each open bracket: whether fields may stand in it
    # Runs of numbers come in pieces, which bounds what the expression has to remember of them; they
    # are put together here, over comments between them too.
    first, last = -1, -1
    name, name_start = "", -1  # what stands before the run
    matches = _TOKEN.finditer(text)
    while True:
        match = next(matches)
        group = match.lastgroup
        assert group is not None  # one alternative fits whatever is there, also the end
        if group == "NUMBERS":
            start, last = match.span(group)
            first = start if first < 0 else first
            continue
        if first >= 0:
            append(_numbers_token(text[first:last], first, name, name_start))
            first, name = -1, ""
        if len(tokens) >= MAX_TOKENS:
            log.error(
                "too-many-tokens",
                source.span(match.start(group), match.end()),
                f"more than {MAX_TOKENS} fields, words and brackets; nothing of the file is read.",
            )
            tokens.clear()
            break
        if group == "NAMED_NUMBERS":
            name_start = match.start("WORD")
            first, last = match.span(group)
            name = intern(match["WORD"])  # the same few names again and again
            if not in_braces[-1]:
                append(Token(TokenKind.WORD, name, name_start))
                name = ""
        elif group == "NAMED_STRING":
            word, start = intern(match["WORD"]), match.start("WORD")
            text_start, piece = match.start(group), match[group]
            if in_braces[-1]:
                append(_new(Token, (TokenKind.NAMED_STRING, word, start, piece, text_start)))
            else:
                append(Token(TokenKind.WORD, word, start))
                append(Token(TokenKind.STRING, piece, text_start))
        elif group == "WORD":
            append(_new(Token, (TokenKind.WORD, intern(match[group]), match.start(group), "", -1)))
        elif group == "UNTERMINATED":
            log.error(
                "unterminated-string",
                source.span(match.start(group), match.end()),
                "this string has no closing quote; it is taken to end with the line.",
            )
            append(Token(TokenKind.STRING, match[group].rstrip() + '"', match.start(group)))
        elif group == "END":
            break
        else:
            if group in ("OPEN_BRACE", "OPEN_BRACKET"):
                in_braces.append(group == "OPEN_BRACE")
            elif group != "STRING" and len(in_braces) > 1:
                in_braces.pop()
            append(_new(Token, (_KINDS[group], match[group], match.start(group), "", -1)))
            if group == "OPEN_BRACKET":
                long = _long_list(text, match.end(), {} if numbers is None else numbers)
                if long is not None:
                    append(long)
                    matches = _TOKEN.finditer(text, long.end)
    append(Token(TokenKind.END, "", len(text)))
    return tokens


def _long_list(text: str, start: int, numbers: dict[str, tuple[float, ...]]) -> Token | None:
    """Return the numbers that fill the bracket which opens before `start`, if they are many, at once."""
    found = _LONG_LIST.match(text, start)
    if found is None:
        return None
    inner = found.group()
    written = inner.strip(" \n\r\t,")
    if not written:
        return None
    try:
        numbers[written] = numbers_of(written)
    except ValueError:  # something else: word for word, then
        return None
    return Token(TokenKind.NUMBERS, written, start + inner.find(written[:1]))


def split_named(tokens: list[Token]) -> list[Token]:
    """Return tokens with a word and a value in place of each named value."""
    parts: list[Token] = []
    for token in tokens:
        kind = _NAMED.get(token.kind)
        if kind is None:
            parts.append(token)
        else:
            parts.append(Token(TokenKind.WORD, token.text, token.start))
            parts.append(Token(kind, token.value, token.value_start))
    return parts


def _numbers_token(text: str, start: int, name: str, name_start: int) -> Token:
    if name:
        return _new(Token, (TokenKind.NAMED_NUMBERS, name, name_start, text, start))
    return Token(TokenKind.NUMBERS, text, start)


def numbers_of(text: str) -> tuple[float, ...]:
    """Return the numbers of a NUMBERS token; what is beyond double precision or no number is infinite."""
    if "#" in text:
        text = _COMMENT.sub(" ", text)
    if "nan" in text:
        text = text.replace("nan", "inf")
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
    if "\\" not in inner:
        return inner
    # pairs of backslashes first, from the left: what is between them holds escaped quotes at most
    return "\\".join([part.replace('\\"', '"') for part in inner.split("\\\\")])


def shown_token(token: Token) -> str:
    """Return the token as messages show it: short and in quotes."""
    text = token.text if len(token.text) <= 30 else token.text[:27] + "..."
    return f"'{text}'" if token.text else token.kind.value


def behind_group(tokens: Sequence[Token], index: int) -> int:
    """Return the index behind a bracketed group (or the single token) at `index`."""
    index = min(index, len(tokens) - 1)
    depth = 0
    while tokens[index].kind is not TokenKind.END:
        kind = tokens[index].kind
        depth += 1 if kind in OPENING else -1 if kind in CLOSING else 0
        index += 1
        if depth <= 0:
            break
    return index
