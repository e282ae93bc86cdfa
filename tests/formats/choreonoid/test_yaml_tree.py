"""The YAML layer: places, aliases, merging, and what is refused."""

from __future__ import annotations

import time

import pytest
import yaml

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.limits import MAX_YAML_DEPTH
from solidbody.formats.choreonoid.keys import yaml_tree
from solidbody.formats.choreonoid.keys.yaml_tree import (
    YamlDocument,
    YamlList,
    YamlMap,
    YamlNode,
    YamlScalar,
    parse_yaml,
)
from tests.formats.reading import assert_error, assert_warning

LONGEST = 5.0
"""Seconds of computing that any refusal may take; the machine may do other things meanwhile."""


def parse(text: str) -> tuple[YamlDocument | None, DiagnosticLog]:
    log = DiagnosticLog()
    return parse_yaml(text, "x.body", log), log


def parse_clean(text: str) -> YamlMap:
    document, log = parse(text)
    assert document is not None
    assert [str(item) for item in log] == []
    assert isinstance(document.root, YamlMap)
    return document.root


def plain(node: YamlNode | None) -> object:
    match node:
        case YamlScalar():
            return node.text
        case YamlList():
            return [plain(item) for item in node.items]
        case YamlMap():
            return {key.text: plain(value) for key, value in node.pairs}
        case None:
            return None


def test_every_key_and_value_knows_its_place() -> None:
    root = parse_clean("é: 1\nlinks:\n  - name: [ a, 'b c' ]\n")
    key, value = root.pairs[1]
    assert (key.span.line, key.span.column) == (2, 1)
    assert isinstance(value, YamlList) and isinstance(value.items[0], YamlMap)
    names = value.items[0].pairs[0][1]
    assert isinstance(names, YamlList)
    assert str(names.items[1].span) == "x.body:3:16"
    assert isinstance(names.items[1], YamlScalar) and names.items[1].is_quoted


def test_aliases_give_the_same_object() -> None:
    root = parse_clean("a: &A { x: 1 }\nb: *A\nc: &S word\nd: *S\n")
    assert root.get("a") is root.get("b")
    assert root.get("c") is root.get("d")


def test_explicit_keys_win_whether_before_or_after_a_merge() -> None:
    """Choreonoid, by experiment: as in standard YAML."""
    root = parse_clean("a: &A { x: 1, y: 1 }\nb: { x: 2, <<: *A }\nc: { <<: *A, x: 2 }\n")
    assert plain(root.get("b")) == plain(root.get("c")) == {"x": "2", "y": "1"}


def test_the_first_of_several_merged_mappings_wins() -> None:
    root = parse_clean("a: &A { x: 1 }\nb: &B { x: 2, y: 2 }\nc: { <<: [ *A, *B ] }\n")
    assert plain(root.get("c")) == {"x": "1", "y": "2"}


def test_a_second_merge_key_is_merged_after_the_first() -> None:
    root = parse_clean("a: &A { x: 1 }\nb: &B { x: 2, y: 2 }\nc: { <<: *A, <<: *B }\n")
    assert plain(root.get("c")) == {"x": "1", "y": "2"}


def test_merging_something_else_than_a_mapping_is_an_error() -> None:
    _, log = parse("a: { <<: 3, x: 1 }\n")
    assert_error(log, "bad-merge", "only mappings can be merged")


def test_redefining_an_anchor_is_an_error() -> None:
    document, log = parse("a: &A 1\nb: &A 2\nc: *A\n")
    assert_error(log, "duplicate-anchor", '"&A" is defined twice, first in line 1')
    assert document is not None and isinstance(document.root, YamlMap)
    assert plain(document.root.get("c")) == "2"


def test_aliases_may_name_anchors_of_another_file() -> None:
    main, _ = parse("a: &A { x: 1 }\n")
    assert main is not None
    log = DiagnosticLog()
    other = parse_yaml("b: *A\n", "y.yaml", log, anchors=main.anchors)
    assert other is not None and isinstance(other.root, YamlMap)
    assert other.root.get("b") is main.anchors["A"]
    assert dict(other.anchors) == {}


def test_a_key_given_twice_warns_and_the_last_counts() -> None:
    document, log = parse("a: 1\na: 2\n")
    assert_warning(log, "duplicate-key", '"a" is given twice, first in line 1')
    assert document is not None and plain(document.root) == {"a": "2"}


def test_only_the_first_document_is_read() -> None:
    document, log = parse("a: 1\n---\nb: 2\n")
    assert_warning(log, "second-document", "only the first document")
    assert document is not None and plain(document.root) == {"a": "1"}


def test_the_loader_written_in_python_reads_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """It stands in where PyYAML comes without libyaml."""
    text = (
        "a: &A { x: 1, y: [ 'q', \"r\", s ] }\nb: { <<: *A, x: two }\nc: *A\nd: |\n  two\n  lines\n"
    )
    fast = parse_clean(text)
    monkeypatch.setattr(yaml_tree, "_LOADER", yaml.Loader)
    slow = parse_clean(text)
    assert plain(fast) == plain(slow)
    assert [key.span for key, _ in fast.pairs] == [key.span for key, _ in slow.pairs]
    assert parse("a: [ 1")[1].items[0].code == parse("a:\n\t- b")[1].items[0].code == "bad-yaml"


BOMB = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"a{i + 1}: &a{i + 1} [{','.join([f'*a{i}'] * 9)}]\n" for i in range(12)
)
CHAIN = "a0: &a0 [x]\n" + "".join(f"a{i + 1}: &a{i + 1} [*a{i}]\n" for i in range(3000))


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("a: &A [ *A ]\n", "alias-circle", '"*A" stands inside the value that it names'),
        ("a: &A { b: { c: *A } }\n", "alias-circle", "stands inside"),
        (BOMB, "alias-bomb", "written out the file has more than"),
        (CHAIN, "too-deep", f"more than {MAX_YAML_DEPTH} deep"),
        ("[" * 10_000, "too-deep", f"more than {MAX_YAML_DEPTH} deep"),
        ("- " * 10_000, "too-deep", f"more than {MAX_YAML_DEPTH} deep"),
        ("{a: " * 10_000, "too-deep", f"more than {MAX_YAML_DEPTH} deep"),
        ("a: *Leg\n", "unknown-alias", 'no anchor "&Leg"'),
        ("a: &Left 1\nb: *Lefr\n", "unknown-alias", 'Did you mean "Left"?'),
        ("a:\n\t- b\n", "bad-yaml", "A tab cannot indent; use spaces."),
        ("a: { b: c: d }\n", "bad-yaml", "this is not YAML"),
        ("\0\1\2", "bad-character", "U+0000 is not allowed"),
        ("a: \ud800", "bad-character", "U+D800"),
        ("", "empty-file", "holds no value"),
        ("# only a comment\n", "empty-file", "holds no value"),
    ],
)
def test_bad_text_is_refused_with_one_message_in_time(text: str, code: str, message: str) -> None:
    start = time.process_time()
    document, log = parse(text)
    assert time.process_time() - start < LONGEST
    assert document is None
    assert_error(log, code, message)


def test_a_file_with_too_many_values_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the real limit this takes three seconds."""
    monkeypatch.setattr(yaml_tree, "MAX_YAML_VALUES", 1000)
    document, log = parse("- 1\n" * 1010)
    assert document is None
    item = assert_error(log, "file-too-large", "more than 1000 values")
    assert item.span.line in (1000, 1001)  # the list itself counts too


def test_errors_name_line_and_column() -> None:
    _, log = parse("a: 1\nb: [ *Q ]\n")
    assert str(log.items[0]).startswith("x.body:2:6: error: ")


def test_a_bad_character_is_located() -> None:
    _, log = parse("a: 1\nbc: \x07\n")
    assert (log.items[0].span.line, log.items[0].span.column) == (2, 5)


def test_a_list_as_key_is_an_error_and_left_out() -> None:
    document, log = parse("? [ a, b ]\n: c\nd: 1\n")
    assert_error(log, "bad-key", "a key must be a single word")
    assert document is not None and plain(document.root) == {"d": "1"}
