"""Parser: turns tokens into a syntax tree, with error recovery.

The parser never raises: whatever the text, it returns a tree of what could be understood and
reports the rest. Recovery rules: a closing bracket of the wrong kind closes what lies inside the
bracket it fits; a node that begins where a field name should be means that a brace is missing; a
run of tokens that fit nowhere is reported once.
"""

from __future__ import annotations

from typing import Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.span import SourceSpan
from solidbody.formats.vrml.field_types import RESERVED_WORDS
from solidbody.formats.vrml.frames import (
    BodyFrame,
    FileFrame,
    Frame,
    InterfaceFrame,
    ListFrame,
    NodeFrame,
    PendingField,
    start_of,
)
from solidbody.formats.vrml.header import VRML97, read_header
from solidbody.formats.vrml.lexer import (
    CLOSING,
    OPENING,
    Token,
    TokenKind,
    behind_group,
    numbers_of,
    shown_token,
    split_named,
    string_of,
    tokenize,
)
from solidbody.formats.vrml.source import SourceText
from solidbody.formats.vrml.syntax import (
    BoolSyntax,
    ExternProtoSyntax,
    FieldSyntax,
    FileSyntax,
    IsSyntax,
    ItemSyntax,
    ListSyntax,
    NodeSyntax,
    NullSyntax,
    NumbersSyntax,
    ParameterSyntax,
    ProtoSyntax,
    StringSyntax,
    UseSyntax,
    ValueSyntax,
    WordSyntax,
    group_of_use,
    shown_path,
)

MAX_NESTING: Final = 1000
"""Frames open at once. Real files stay below 300 (a chain of 100 joints needs about 400); more is
a damaged file, and trees much deeper would overflow the stack when they are compared or printed."""

MAX_SYNTAX_ERRORS: Final = 200
"""Errors after which parsing stops: a file with more is not a world, and nobody reads further."""

_KEY_WORDS = ("DEF", "USE", "IS", "TRUE", "FALSE", "NULL")
_BEFORE_NAMES = ("DEF", "USE", "hidden")
_NAMED = (TokenKind.NAMED_NUMBERS, TokenKind.NAMED_STRING)
_SHORT_RUN = 80
"""Characters of numbers that are remembered: the same few poses, sizes and colours again and again."""


def parse_text(
    text: str, name: str, log: DiagnosticLog, *, otherwise: str = ""
) -> FileSyntax | None:
    """Return the syntax tree of a file, or None if its header is wrong.

    Args:
        text: What it holds.
        name: Its name.
        log: Takes all messages.
        otherwise: The release to read a file without a header as; empty = it cannot be read.
    """
    source = SourceText(text, name)
    header = read_header(source, log, otherwise=otherwise)
    return None if header is None else parse_source(source, header, log)


def parse_source(source: SourceText, header: str, log: DiagnosticLog) -> FileSyntax:
    """Return the syntax tree of a text whose header is known to be `header`."""
    return _Parser(source, header, log).parse()


class _Parser:
    def __init__(self, source: SourceText, header: str, log: DiagnosticLog) -> None:
        self._source = source
        self._header = header
        self._log = log
        self._numbers: dict[str, tuple[float, ...]] = {}
        self._tokens = tokenize(source, log, self._numbers)
        self._index = 0
        self._file = FileFrame()
        self._stack: list[Frame] = [self._file]
        self._errors = 0
        self._last_bad = -2  # index of the last token reported as unexpected

    def parse(self) -> FileSyntax:
        tokens = self._tokens
        while self._errors < MAX_SYNTAX_ERRORS:
            token = tokens[self._index]
            if token.kind is TokenKind.END:
                break
            frame = self._stack[-1]
            if isinstance(frame, NodeFrame):
                self._step_node(frame, token)
                continue
            if token.kind in _NAMED:
                self._split_named()
                continue
            match frame:
                case ListFrame():
                    self._step_list(frame, token)
                case FileFrame():
                    self._step_file(token)
                case InterfaceFrame():
                    self._step_interface(frame, token)
                case BodyFrame():
                    self._step_body(frame, token)
        else:
            self._log.error(
                "too-many-errors",
                self._span_of(tokens[self._index]),
                f"more than {MAX_SYNTAX_ERRORS} syntax errors; the rest of the file is not read.",
            )
            self._close_everything(is_reported=False)
        self._close_everything()
        return FileSyntax(
            self._header,
            tuple(self._file.nodes),
            tuple(self._file.externs),
            tuple(self._file.protos),
        )

    # one step inside each kind of frame

    def _step_file(self, token: Token) -> None:
        if token.kind is TokenKind.WORD:
            if token.text == "EXTERNPROTO" or token.text == "IMPORTABLE":
                self._parse_extern(token)
                return
            if token.text == "PROTO":
                self._open_proto(token)
                return
            if self._begins_node(token):
                self._parse_item(token)
                return
        self._unexpected(token, "a node")

    def _step_node(self, frame: NodeFrame, token: Token) -> None:
        if frame.pending is not None:
            self._step_field_value(frame, frame.pending, self._look(0))
        elif token.kind is TokenKind.CLOSE_BRACE:
            self._index += 1
            self._close_top(token.end)
        elif token.kind in _NAMED:
            self._read_named(frame)
        elif token.kind is TokenKind.WORD:
            self._step_field_name(frame, token)
        elif token.kind is TokenKind.CLOSE_BRACKET and self._has_open_list():
            self._missing(token, "}", frame.label)
            self._close_top(token.start)
        else:
            self._unexpected(token, 'a field name or "}"')

    def _read_named(self, frame: NodeFrame, *, is_hidden: bool = False) -> None:
        """Read all fields from here on whose values are numbers or a string, the most of any file."""
        tokens, source = self._tokens, self._source
        index = self._index
        while (token := tokens[index]).kind in _NAMED:
            kind, name, start, text, value_start = token
            place = source.span(value_start, value_start + len(text))
            if kind is TokenKind.NAMED_NUMBERS:
                value = NumbersSyntax(self._numbers_of(text), place)
            else:
                value = StringSyntax(string_of(text), place)
            at = value_start - start
            if at >= place.column or source.is_mapped:  # in a line before, or not as written
                at = source.span(start, start + len(name))
            frame.fields.append(FieldSyntax(name, value, at, is_hidden))
            index += 1
            if is_hidden:
                break
        self._index = index

    def _step_field_name(self, frame: NodeFrame, token: Token) -> None:
        following = self._tokens[self._index + 1]
        if following.kind in _NAMED:
            if token.text == "hidden":
                self._index += 1
                self._read_named(frame, is_hidden=True)
            else:
                self._split_named()
            return
        if (
            following.kind is TokenKind.WORD
            and self._tokens[self._index + 2].kind is TokenKind.OPEN_BRACE
            and following.text not in _KEY_WORDS
            and token.text not in _BEFORE_NAMES
        ):  # `name Type {`, nearly all that is left
            frame.pending = PendingField(token)
            self._index += 3
            self._push(NodeFrame(following.start, following, None), following)
            return
        if self._begins_node(token):
            self._missing(token, "}", frame.label)
            self._close_top(token.start)
            return
        if token.text == "hidden" and following.kind is TokenKind.WORD:
            frame.pending = PendingField(following, is_hidden=True)
            self._index += 2
        else:
            frame.pending = PendingField(token)
            self._index += 1

    def _step_field_value(self, frame: NodeFrame, pending: PendingField, token: Token) -> None:
        if token.kind in CLOSING:
            frame.pending = None
            self._error(
                "missing-value",
                self._span_of(pending.name),
                "the field has no value.",
                field=pending.name.text,
            )
        elif token.kind is TokenKind.OPEN_BRACKET:
            self._index += 1
            self._push(ListFrame(token.start), token)
        elif token.kind is TokenKind.OPEN_BRACE:
            self._unexpected(token, "a value")
            frame.pending = None
        else:
            self._parse_item(token)

    def _step_list(self, frame: ListFrame, token: Token) -> None:
        if token.kind is TokenKind.CLOSE_BRACKET:
            self._index += 1
            self._close_top(token.end)
        elif token.kind is TokenKind.CLOSE_BRACE:
            self._missing(token, "]", "list")
            self._close_top(token.start)
        elif token.kind in OPENING:
            self._unexpected(token, 'a value or "]"')
        else:
            self._parse_item(token)

    def _step_interface(self, frame: InterfaceFrame, token: Token) -> None:
        if frame.pending is not None:
            if token.kind is TokenKind.OPEN_BRACKET:
                self._index += 1
                self._push(ListFrame(token.start), token)
            elif token.kind in CLOSING or token.kind is TokenKind.OPEN_BRACE:
                frame.pending = None
                self._unexpected(token, "the default value of a PROTO parameter")
            else:
                self._parse_item(token)
        elif token.kind is TokenKind.CLOSE_BRACKET:
            self._index += 1
            body = self._look(0)
            self._stack.pop()
            if body.kind is TokenKind.OPEN_BRACE:
                self._index += 1
                self._stack.append(BodyFrame(frame.start, frame.name, tuple(frame.parameters)))
            else:
                self._unexpected(body, "the body of a PROTO")
        elif token.kind is TokenKind.WORD:
            self._parse_parameter(frame, token)
        else:
            self._unexpected(token, 'a PROTO parameter or "]"')

    def _step_body(self, frame: BodyFrame, token: Token) -> None:
        if token.kind is TokenKind.CLOSE_BRACE:
            self._index += 1
            self._close_top(token.end)
        elif token.kind is TokenKind.WORD:
            self._parse_item(token)
        else:
            self._unexpected(token, 'a node or "}"')

    # pieces

    def _split_named(self) -> None:
        """Take names and values apart from here on: something is wrong, or a PROTO's interface."""
        self._tokens[self._index :] = split_named(self._tokens[self._index :])

    def _numbers_of(self, text: str) -> tuple[float, ...]:
        values = self._numbers.get(text)
        if values is None:
            values = numbers_of(text)
            if len(text) <= _SHORT_RUN:
                self._numbers[text] = values
        return values

    def _look(self, offset: int) -> Token:
        """Return the token `offset` behind the current one, a name and its value taken apart."""
        index = min(self._index + offset, len(self._tokens) - 1)
        if self._tokens[index].kind in _NAMED:
            self._split_named()
        return self._tokens[index]

    def _begins_node(self, token: Token) -> bool:
        """Whether `DEF`, `USE name` or `Type {` stands at the current token."""
        if token.text in ("DEF", "USE"):
            return self._look(1).kind is TokenKind.WORD
        return self._look(1).kind is TokenKind.OPEN_BRACE

    def _parse_item(self, token: Token) -> None:
        """Read one value (not a list) at the current token; a node is opened instead."""
        self._index += 1
        if token.kind is TokenKind.WORD and token.text not in _KEY_WORDS:
            if self._tokens[self._index].kind is TokenKind.OPEN_BRACE:
                self._index += 1
                self._push(NodeFrame(token.start, token, None), token)
            else:
                self._deliver(WordSyntax(token.text, self._span_of(token)))
            return
        span = self._span_of(token)
        if token.kind is TokenKind.NUMBERS:
            self._deliver(NumbersSyntax(self._numbers_of(token.text), span))
            return
        if token.kind is TokenKind.STRING:
            self._deliver(StringSyntax(string_of(token.text), span))
            return
        match token.text:
            case "TRUE" | "FALSE":
                self._deliver(BoolSyntax(token.text == "TRUE", span))
            case "NULL":
                self._deliver(NullSyntax(span))
            case "USE" | "IS":
                name = self._look(0)
                if name.kind is TokenKind.WORD:
                    self._index += 1
                    whole = self._source.span(token.start, name.end)
                    syntax = UseSyntax if token.text == "USE" else IsSyntax
                    self._deliver(syntax(name.text, whole))
                else:
                    self._error("unexpected-token", span, f"{token.text} needs a name.")
                    self._deliver(NullSyntax(span))
            case _:
                self._parse_def(token)

    def _parse_def(self, start: Token) -> None:
        name, node_type, brace = self._look(0), self._look(1), self._look(2)
        kinds = (name.kind, node_type.kind, brace.kind)
        if kinds == (TokenKind.WORD, TokenKind.WORD, TokenKind.OPEN_BRACE):
            self._index += 3
            def_name = name.text if self._is_free(name, "DEF") else None
            self._push(NodeFrame(start.start, node_type, def_name), start)
            return
        if kinds[:2] == (TokenKind.WORD, TokenKind.OPEN_BRACE) and self._header == VRML97:
            # Choreonoid's own models have such nodes, and it reads them
            self._index += 2
            self._log.warning(
                "nameless-def",
                self._span_of(start),
                f"DEF must be followed by a name: DEF NAME {name.text} {{ ... }}; the node has none.",
            )
            self._push(NodeFrame(start.start, name, None), start)
            return
        self._error(
            "unexpected-token",
            self._span_of(start),
            "DEF must be followed by a name and a node: DEF NAME Type { ... }.",
        )
        self._last_bad = self._index - 1
        self._deliver(NullSyntax(self._span_of(start)))

    def _is_free(self, name: Token, keyword: str) -> bool:
        """Whether a name may be given to a node or PROTO; if not, this is reported."""
        if name.text not in RESERVED_WORDS:
            return True
        self._error(
            "reserved-name",
            self._span_of(name),
            f'"{name.text}" is a word of the language and cannot be a {keyword} name.',
        )
        return False

    def _parse_extern(self, token: Token) -> None:
        start, is_importable = token.start, token.text == "IMPORTABLE"
        self._index += 1
        if is_importable:
            if self._look(0).text != "EXTERNPROTO":
                self._error(
                    "unexpected-token", self._span_of(token), "IMPORTABLE needs EXTERNPROTO."
                )
                return
            self._index += 1
        alias: str | None = None
        following = self._look(0)
        if following.kind is TokenKind.WORD:
            alias = following.text
            self._index += 1
            following = self._look(0)
        if following.kind is not TokenKind.STRING:
            self._error(
                "unexpected-token",
                self._span_of(token),
                'EXTERNPROTO must be followed by a url in quotes: EXTERNPROTO "url".',
            )
            return
        self._index += 1
        span = self._source.span(start, following.end)
        url = string_of(following.text)
        self._file.externs.append(ExternProtoSyntax(url, alias, is_importable, span))

    def _open_proto(self, token: Token) -> None:
        name, bracket = self._look(1), self._look(2)
        if name.kind is TokenKind.WORD and bracket.kind is TokenKind.OPEN_BRACKET:
            self._is_free(name, "PROTO")
            self._index += 3
            self._push(InterfaceFrame(token.start, name.text), token)
        else:
            self._index += 1
            self._error(
                "unexpected-token",
                self._span_of(token),
                "PROTO must be followed by a name and its interface: PROTO Name [ ... ] { ... }.",
            )

    def _parse_parameter(self, frame: InterfaceFrame, keyword: Token) -> None:
        self._index += 1
        type_name = self._look(0)
        if type_name.kind is TokenKind.WORD:
            self._index += 1
            frame.allowed = ()
            if self._look(0).kind is TokenKind.OPEN_BRACE:
                frame.allowed = self._parse_allowed()
            name = self._look(0)
            if name.kind is TokenKind.WORD:
                self._index += 1
                frame.pending = (keyword, type_name, name)
                return
        self._error(
            "unexpected-token",
            self._span_of(keyword),
            "a PROTO parameter is written: field SFType name default.",
        )

    def _parse_allowed(self) -> tuple[ItemSyntax, ...]:
        """Read the allowed values behind a parameter's type: `{"a", "b"}` or `{Solid{}, Pose{}}`."""
        start = self._index
        self._index = behind_group(self._tokens, self._index)
        if any(token.kind in _NAMED for token in self._tokens[start : self._index]):
            self._index = start
            self._split_named()
            self._index = behind_group(self._tokens, self._index)
        items: list[ItemSyntax] = []
        depth = 0
        for token in self._tokens[start : self._index]:
            span = self._span_of(token)
            if token.kind in OPENING or token.kind in CLOSING:
                depth += 1 if token.kind in OPENING else -1
            elif depth != 1:
                continue  # inside the braces of a node type
            elif token.kind is TokenKind.STRING:
                items.append(StringSyntax(string_of(token.text), span))
            elif token.kind is TokenKind.NUMBERS:
                items.append(NumbersSyntax(numbers_of(token.text), span))
            elif token.text in ("TRUE", "FALSE"):
                items.append(BoolSyntax(token.text == "TRUE", span))
            else:
                items.append(WordSyntax(token.text, span))
        return tuple(items)

    # frames

    def _push(self, frame: Frame, token: Token) -> None:
        if len(self._stack) < MAX_NESTING:
            self._stack.append(frame)
            return
        self._error(
            "too-deep",
            self._span_of(token),
            f"more than {MAX_NESTING} levels of nesting; what lies deeper is skipped.",
        )
        self._index -= 1  # back to the opening bracket
        self._index = behind_group(self._tokens, self._index)
        self._deliver(NullSyntax(self._span_of(token)))

    def _deliver(self, value: ValueSyntax, start: int = -1) -> None:
        """Give a finished value (that starts at offset `start`, if given) to what waits for it."""
        frame = self._stack[-1]
        match frame:
            case NodeFrame():
                pending = frame.pending
                frame.pending = None
                if pending is not None:
                    name = pending.name
                    at = start - name.start
                    if start < 0 or at >= value.span.column or self._source.is_mapped:
                        at = self._span_of(name)
                    frame.fields.append(FieldSyntax(name.text, value, at, pending.is_hidden))
            case ListFrame() | BodyFrame():
                if not isinstance(value, ListSyntax):
                    frame.items.append(value)
            case InterfaceFrame():
                if frame.pending is not None:
                    keyword, type_name, name = frame.pending
                    frame.pending = None
                    span = self._span_of(keyword).until(value.span)
                    frame.parameters.append(
                        ParameterSyntax(
                            keyword.text, type_name.text, name.text, value, span, frame.allowed
                        )
                    )
            case FileFrame():
                if isinstance(value, NodeSyntax):
                    frame.nodes.append(value)
                elif isinstance(value, UseSyntax):
                    frame.nodes.append(group_of_use(value))

    def _close_top(self, end: int) -> None:
        """Finish the innermost open frame at offset `end` and deliver what it has become."""
        frame = self._stack.pop()
        match frame:
            case NodeFrame():
                name = frame.type_name
                is_first = name.start == frame.start and not self._source.is_mapped
                node = NodeSyntax(
                    name.text,
                    frame.def_name,
                    tuple(frame.fields),
                    self._source.span(frame.start, end),
                    None if is_first else self._span_of(name),
                )
                self._deliver(node, frame.start)
            case ListFrame():
                span = self._source.span(frame.start, end)
                self._deliver(ListSyntax(tuple(frame.items), span), frame.start)
            case BodyFrame():
                span = self._source.span(frame.start, end)
                self._file.protos.append(
                    ProtoSyntax(frame.name, frame.parameters, tuple(frame.items), span)
                )
            case FileFrame() | InterfaceFrame():
                pass

    def _close_everything(self, *, is_reported: bool = True) -> None:
        end = self._tokens[-1].start
        if is_reported and len(self._stack) > 1:
            top = self._stack[-1]
            self._error(
                "missing-bracket",
                self._source.span(end, end),
                f"the file ends before {len(self._stack) - 1} open bracket(s) are closed; "
                f"the innermost was opened at line {self._source.span(start_of(top), end).line}.",
            )
        while len(self._stack) > 1:
            self._close_top(end)

    def _has_open_list(self) -> bool:
        return any(isinstance(frame, ListFrame | InterfaceFrame) for frame in self._stack)

    # errors

    def _unexpected(self, token: Token, expected: str) -> None:
        """Report a token that fits nowhere (a run of them once) and step over it."""
        if self._last_bad != self._index - 1:
            self._error(
                "unexpected-token",
                self._span_of(token),
                f"expected {expected}, got {shown_token(token)}.",
            )
        if token.kind in OPENING:
            self._index = behind_group(self._tokens, self._index)
        elif token.kind is not TokenKind.END:
            self._index += 1
        self._last_bad = self._index - 1

    def _missing(self, token: Token, bracket: str, opened: str) -> None:
        self._error(
            "missing-bracket",
            self._span_of(token),
            f'"{bracket}" is missing before {shown_token(token)}, to close {opened}.',
        )

    def _error(self, code: str, span: SourceSpan, text: str, *, field: str = "") -> None:
        self._errors += 1
        labels = [frame.label for frame in self._stack if isinstance(frame, NodeFrame)]
        self._log.error(code, span, text, node=shown_path(labels), field=field)

    def _span_of(self, token: Token) -> SourceSpan:
        return self._source.span(token.start, token.end)
