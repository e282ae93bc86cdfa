"""Diagnostics: what they say, where they point, and what they guess."""

from __future__ import annotations

import pytest

from solidbody.base.diagnostics import Diagnostic, DiagnosticLog, Severity, did_you_mean
from solidbody.base.errors import LoadError, NameLookupError, SolidbodyError
from solidbody.base.span import NOWHERE, SourceSpan

SPAN = SourceSpan("arena.wbt", 212, 9, 212, 16)


def test_span_prints_as_file_line_column() -> None:
    """The form that editors turn into a link."""
    assert str(SPAN) == "arena.wbt:212:9"


def test_spans_join_from_start_to_end() -> None:
    """The union of the first and the last token."""
    last = SourceSpan("arena.wbt", 220, 1, 220, 4)
    assert SPAN.until(last) == SourceSpan("arena.wbt", 212, 9, 220, 4)


def test_diagnostic_names_place_subject_and_problem() -> None:
    """One line says it all; absent subjects leave no colon behind."""
    item = Diagnostic(Severity.ERROR, "bad-value", SPAN, "expected a number.", "Solid", "mass")
    assert str(item) == "arena.wbt:212:9: error: Solid.mass: expected a number."
    bare = Diagnostic(Severity.INFO, "note", NOWHERE, "hello")
    assert str(bare) == "<memory>:1:1: info: hello"


def test_log_keeps_order_and_knows_errors() -> None:
    """All messages are kept, in the order they were found."""
    log = DiagnosticLog()
    log.warning("w", SPAN, "first")
    log.info("i", SPAN, "second", node="Solid", field="name")
    assert not log.has_errors
    log.extend([Diagnostic(Severity.ERROR, "e", SPAN, "third")])
    log.error("e", SPAN, "fourth")
    assert log.has_errors
    assert [item.text for item in log] == ["first", "second", "third", "fourth"]
    assert len(log) == 4


@pytest.mark.parametrize(
    ("word", "guess"),
    [
        ("dampingConst", ' Did you mean "dampingConstant"?'),
        ("DAMPINGCONSTANT", ' Did you mean "dampingConstant"?'),
        ("xyzzy", ""),
    ],
)
def test_did_you_mean_guesses_close_words_only(word: str, guess: str) -> None:
    """Case does not matter; far words give nothing."""
    assert did_you_mean(word, ["springConstant", "dampingConstant", "axis"]) == guess


def test_did_you_mean_of_nothing_is_empty() -> None:
    """No known words, no guess."""
    assert did_you_mean("a", []) == ""


def test_load_error_lists_errors_and_counts_the_rest() -> None:
    """Warnings are carried along but not shown; only twenty errors are."""
    items = [Diagnostic(Severity.ERROR, "e", SPAN, f"problem {i}.") for i in range(25)]
    items.append(Diagnostic(Severity.WARNING, "w", SPAN, "unimportant."))
    error = LoadError("arena.wbt", items)
    assert isinstance(error, SolidbodyError)
    assert len(error.diagnostics) == 26
    text = str(error)
    assert "25 error(s)" in text
    assert "problem 19." in text
    assert "problem 20." not in text
    assert "... and 5 more errors" in text
    assert "unimportant" not in text


def test_name_lookup_error_guesses_and_lists_names() -> None:
    """It is a KeyError for programs and a sentence for people."""
    error = NameLookupError("body", "BXO", ["BOX", "BALL"])
    assert isinstance(error, KeyError)
    assert str(error) == 'no body is named "BXO". Did you mean "BOX"? Known: BOX, BALL'
    assert str(NameLookupError("joint", "x", [])).endswith("Known: none")
    many = NameLookupError("body", "zz", [f"b{i}" for i in range(20)])
    assert str(many).endswith("b11, ...")
