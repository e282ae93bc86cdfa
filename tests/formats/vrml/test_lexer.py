"""Characters to tokens."""

from __future__ import annotations

import math
import time

import pytest

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.formats.vrml.lexer import (
    Token,
    TokenKind,
    numbers_of,
    split_named,
    string_of,
    tokenize,
)
from solidbody.formats.vrml.source import SourceText

SLOWEST = 2e5
"""Characters per second: a fiftieth of what is measured (10 million), so that only a change in how
the time grows with the text can fail, not a busy machine."""


def lex(text: str) -> list[Token]:
    """Return the tokens before the end; nothing may be wrong."""
    log = DiagnosticLog()
    tokens = tokenize(SourceText(text, "x.wbt"), log)
    assert len(log) == 0
    assert tokens[-1].kind is TokenKind.END
    return tokens[:-1]


def texts(text: str) -> list[str]:
    """Return the characters of each token."""
    return [token.text for token in lex(text)]


def test_numbers_of_an_exploded_simulation_are_infinite() -> None:
    """Webots saves nan and inf; what only begins like them is a word."""
    (numbers,) = lex("-nan 1 inf")
    assert numbers_of(numbers.text) == (-math.inf, 1.0, math.inf)
    assert [token.kind for token in lex("info infrared nano")] == [TokenKind.WORD] * 3


LONG = ", ".join(f"{k} -{k}.5e-1 .25" for k in range(60))


@pytest.mark.parametrize(
    "inner",
    ["1 2nd", "1.2.3", "1 # a word", "nan", "--1", "1e", "a 7", "7 [8]", "{ 7", ". -", "1_0"],
)
def test_long_lists_are_read_as_short_ones(inner: str) -> None:
    """Numbers alone go to `float` at once; where something else is among them, it is found as ever."""
    kept: dict[str, tuple[float, ...]] = {}
    text = f"a [ ,{LONG},\n] b [{LONG} {inner}\n]"
    tokens = tokenize(SourceText(text, "x.wbt"), DiagnosticLog(), kept)
    assert [token.text for token in tokens[:5]] == ["a", "[", LONG, "]", "b"]
    assert tokens[2].start == text.index(LONG) and tokens[2].kind is TokenKind.NUMBERS
    assert kept[LONG] == numbers_of(LONG) and len(kept) == 1
    short = texts(f"b [0 {inner}\n]")
    assert [token.text for token in tokens[6:-1]] == [
        piece.replace("0", LONG, 1) if k == 2 else piece for k, piece in enumerate(short)
    ][2:]


def test_a_long_list_of_gaps_is_empty() -> None:
    assert texts(f"a [{' ,' * 200}]") == ["a", "[", "]"]


def test_comma_is_white_space() -> None:
    assert numbers_of(lex("1, 2,,3")[0].text) == (1.0, 2.0, 3.0)


def test_numbers_in_a_row_are_one_token() -> None:
    assert [token.kind for token in lex("1 -2.5e3 .5 +1.")] == [TokenKind.NUMBERS]


def test_brackets_separate_without_spaces() -> None:
    assert texts("a{b[1]}") == ["a", "{", "b", "[", "1", "]", "}"]


def test_comment_runs_to_the_end_of_the_line() -> None:
    assert texts('a # { [ "\nb') == ["a", "b"]


def test_comment_sign_inside_a_string_is_text() -> None:
    assert string_of(lex('"a # b"')[0].text) == "a # b"


def test_string_escapes_quote_and_backslash_only() -> None:
    assert string_of(lex(r'"a\"b\\c\n"')[0].text) == 'a"b\\c\\n'


def test_string_may_span_lines() -> None:
    assert string_of(lex('"a\nb"')[0].text) == "a\nb"


@pytest.mark.parametrize("word", ["1.2.3", "2nd", "1e", "--1", "0x10", "1_000", "e-puck"])
def test_what_is_no_number_is_a_word(word: str) -> None:
    assert [token.kind for token in lex(word)] == [TokenKind.WORD]


def test_malformed_number_does_not_take_its_neighbours_along() -> None:
    assert texts("1 2 3.4.5 6") == ["1 2", "3.4.5", "6"]


def test_every_token_knows_line_and_column() -> None:
    source = SourceText("ab {\r\n  c 1\n}", "x.wbt")
    tokens = tokenize(source, DiagnosticLog())
    places = [str(source.span(token.start, token.end)) for token in split_named(tokens)[:-1]]
    assert places == ["x.wbt:1:1", "x.wbt:1:4", "x.wbt:2:3", "x.wbt:2:5", "x.wbt:3:1"]


def test_name_and_value_in_braces_are_one_token() -> None:
    _, _, size, name, _ = lex('Box { size 1 2 # two\n 3 name "a" }')
    assert (size.kind, size.text, size.start) == (TokenKind.NAMED_NUMBERS, "size", 6)
    assert (numbers_of(size.value), size.value_start) == ((1.0, 2.0, 3.0), 11)
    assert (name.kind, name.text, name.value) == (TokenKind.NAMED_STRING, "name", '"a"')


def test_name_and_value_in_brackets_stay_apart() -> None:
    assert texts('[ field SFFloat x 1 field SFString y "a" ]')[1:-1] == [
        *("field", "SFFloat", "x", "1"),
        *("field", "SFString", "y", '"a"'),
    ]


def test_named_tokens_split_into_what_they_are_made_of() -> None:
    text = 'a { b 1 2 c "d" e { } }'
    parts = split_named(lex(text))
    assert [part.text for part in parts] == ["a", "{", "b", "1 2", "c", '"d"', "e", "{", "}", "}"]
    assert all(text[part.start : part.end] == part.text for part in parts)


def test_byte_order_mark_is_dropped() -> None:
    assert texts("\ufeffa") == ["a"]


def test_unterminated_string_ends_with_its_line() -> None:
    log = DiagnosticLog()
    tokens = tokenize(SourceText('name "abc\nsize 1', "x.wbt"), log)
    assert [item.code for item in log] == ["unterminated-string"]
    assert string_of(tokens[1].text) == "abc"
    assert [token.text for token in tokens[2:4]] == ["size", "1"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        'Solid { translation 0.1 0.2 0.3 name "box" children [ USE A ] } # note\n' * 10_000,
        "point [ " + "0.123456 -1.5e-3, 7\n" * 50_000 + "]",
        "1" * 1_000_000 + "x",
        "1 " * 300_000 + "1x",
        '"' + "\\" * 1_000_000,
    ],
    ids=["world", "mesh", "long-word", "long-run", "open-string"],
)
def test_lexer_is_fast_on_any_text(text: str) -> None:
    source = SourceText(text, "x.wbt")
    best = min(_seconds(source) for _ in range(3))
    assert len(text) / best > SLOWEST


def _seconds(source: SourceText) -> float:
    start = time.process_time()
    tokenize(source, DiagnosticLog())
    return time.process_time() - start
