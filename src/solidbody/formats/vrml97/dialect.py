"""Parses VRML97 text with the parser of `vrml/`.

What VRML97 has beyond it moves things or comes from elsewhere, and is blanked out before parsing, so that
every place in the rest stays right: ROUTEs, events, EXTERNPROTOs. A PROTO inside another one is
parsed by itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.span import SourceSpan
from solidbody.formats.vrml.header import VRML97
from solidbody.formats.vrml.lexer import (
    CLOSING,
    OPENING,
    Token,
    TokenKind,
    behind_group,
    split_named,
    tokenize,
)
from solidbody.formats.vrml.parser import parse_source
from solidbody.formats.vrml.source import SourceText
from solidbody.formats.vrml.syntax import FileSyntax, ProtoSyntax

MAX_WORK: Final = 50_000_000
"""Characters that PROTOs inside others may cost: each is parsed by itself, in a text of the whole length."""

MAX_INNER: Final = 100
"""PROTOs inside others that are looked for."""

_HEADER: Final = re.compile(r"#VRML[ \t]+V2\.0[ \t]+utf8\b")
_OTHER_HEADER: Final = re.compile(r"#(VRML[ \t]+V1\.0|VRML_SIM|X3D)")
_FIRST_NODE: Final = re.compile(
    r"\s*(?:#[^\n]*\n\s*)*(?:PROTO\s+\w+\s*\[|(?:DEF\s+\S+\s+)?[A-Z]\w*\s*\{)"
)
"""How a file goes on behind its header."""
_SPECIAL: Final = re.compile(r"\b(?:ROUTE|eventIn|eventOut|EXTERNPROTO|PROTO)\b")
_VISIBLE: Final = re.compile(r"[^\s]")


def parse_vrml97(text: str, name: str, log: DiagnosticLog) -> FileSyntax | None:
    """Return the syntax tree of a `.wrl` file, or None if it is no VRML97."""
    source = SourceText(text, name)
    if not _HEADER.match(source.text) and not _read_without_header(source, name, log):
        return None
    if not _SPECIAL.search(source.text):
        return parse_source(source, VRML97, log)
    found = _Specials(source, log)
    if len(found.protos) * len(source.text) > MAX_WORK:
        log.error(
            "too-many-protos",
            source.span(*found.protos[0]),
            f"{len(found.protos)} PROTOs stand inside others, too many for a file of this length; "
            "they are not read.",
        )
        found.dropped.extend(found.protos)
        found.protos.clear()
    cuts = [*found.dropped, *found.protos]
    tree = parse_source(SourceText(_blanked(source.text, cuts), name), VRML97, log)
    protos = [*tree.protos]
    for start, end in found.protos:
        inner = [cut for cut in cuts if cut != (start, end) and start <= cut[0] < end]
        shown = _blanked(source.text, [(0, start), (end, len(source.text)), *inner])
        protos.extend(parse_source(SourceText(shown, name), VRML97, log).protos)
    return FileSyntax(tree.header, tree.nodes, tree.externs, _last_of_each(protos))


def _read_without_header(source: SourceText, name: str, log: DiagnosticLog) -> bool:
    """Whether a file that does not say so is VRML97 all the same: Choreonoid takes headers for comments."""
    first = re.split(r"[\r\n]", source.text, maxsplit=1)[0][:60]
    span = SourceSpan(name, 1, 1, 1, 1 + len(first))
    fault = f'invalid header: the first line must be "#VRML V2.0 utf8", got "{first}".'
    is_other = _OTHER_HEADER.match(first) is not None
    if not is_other and _FIRST_NODE.match(source.text):
        log.warning("bad-header", span, f"{fault} The file is read as if it were.")
        return True
    hint = " This is another language." if is_other else ""
    log.error("bad-header", span, f"{fault}{hint} The file is not read.")
    return False


def _last_of_each(protos: list[ProtoSyntax]) -> tuple[ProtoSyntax, ...]:
    return tuple({proto.name: proto for proto in protos}.values())


def _blanked(text: str, cuts: list[tuple[int, int]]) -> str:
    """Return the text with blanks in place of some ranges; lines stay where they are."""
    pieces: list[str] = []
    end = 0
    for first, last in sorted(cuts):
        if last <= end:
            continue
        pieces.append(text[end : max(first, end)])
        pieces.append(_VISIBLE.sub(" ", text[max(first, end) : last]))
        end = last
    pieces.append(text[end:])
    return "".join(pieces)


@dataclass(slots=True)
class _Specials:
    """Finds what has to be blanked out, and the PROTOs inside others."""

    dropped: list[tuple[int, int]]
    protos: list[tuple[int, int]]

    def __init__(self, source: SourceText, log: DiagnosticLog) -> None:
        self.dropped, self.protos = [], []
        silent = DiagnosticLog()  # the parser will say it again
        tokens = split_named(tokenize(source, silent))
        index = depth = 0
        while tokens[index].kind is not TokenKind.END:
            token = tokens[index]
            if token.kind is not TokenKind.WORD:
                depth += 1 if token.kind in OPENING else -1 if token.kind in CLOSING else 0
                index += 1
            elif token.text == "ROUTE":
                index = self._drop(tokens, index, 4)
            elif token.text in ("eventIn", "eventOut"):
                following = tokens[min(index + 3, len(tokens) - 1)]
                index = self._drop(tokens, index, 5 if following.text == "IS" else 3)
            elif token.text == "EXTERNPROTO":
                end = behind_group(tokens, behind_group(tokens, index + 2))
                log.info(
                    "extern-proto",
                    source.span(token.start, token.end),
                    "the EXTERNPROTO is not followed; nodes of its type are left out.",
                )
                index = self._drop(tokens, index, end - index)
            elif token.text == "PROTO" and depth > 0 and len(self.protos) < MAX_INNER:
                end = behind_group(tokens, behind_group(tokens, index + 2))
                self.protos.append((token.start, tokens[end - 1].end))
                index += 1  # what is inside is looked at too
            else:
                index += 1

    def _drop(self, tokens: list[Token], index: int, count: int) -> int:
        end = min(index + count, len(tokens) - 1)
        self.dropped.append((tokens[index].start, tokens[end - 1].end))
        return end
