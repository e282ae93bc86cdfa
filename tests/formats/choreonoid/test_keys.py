"""Typed keys: what is accepted, what is said, what is used instead."""

from __future__ import annotations

import math
from typing import TypeVar

import pytest

from solidbody.base.diagnostics import DiagnosticLog, Severity
from solidbody.base.transforms import IDENTITY, ZERO, quat_from_axis_angle, quat_multiply
from solidbody.formats.choreonoid.keys.access import BodyFileReading, Keys
from solidbody.formats.choreonoid.keys.kinds import (
    ANGLE,
    FLAG,
    INTEGER,
    NUMBER,
    ROTATION,
    TEXT,
    TRANSLATION,
    VEC3,
    choice,
)
from solidbody.formats.choreonoid.keys.table import Key, ValueKind
from solidbody.formats.choreonoid.keys.yaml_tree import YamlMap, parse_yaml
from tests.formats.reading import assert_error, assert_warning

T = TypeVar("T")
D = TypeVar("D")

EXACT = 1e-15
"""A rotation from axis and angle is exact to rounding."""


def row(kind: ValueKind[T], default: D, names: str) -> Key[T | D]:
    """Return a row of no table, by its spellings."""
    name, _, old = names.partition(" ")
    return Key(kind, default, "Link.name", name=name, old=old)


def keys_of(text: str, *, radians: bool = False) -> tuple[Keys, DiagnosticLog]:
    log = DiagnosticLog()
    document = parse_yaml(text, "x.body", log)
    assert document is not None and isinstance(document.root, YamlMap)
    reading = BodyFileReading(log, 1.0) if radians else BodyFileReading(log)
    return Keys(document.root, reading, 'Link "A"'), log


@pytest.mark.parametrize("text", ["1", "1.0", "+1.", "1e0", ".1e1", "'1'", '" 1 "'])
def test_numbers_are_read_in_all_their_spellings(text: str) -> None:
    keys, log = keys_of(f"mass: {text}")
    assert keys.read(row(NUMBER, 0.0, "mass")) == 1.0
    assert not log.items


@pytest.mark.parametrize("text", [".nan", "nan", "inf", "-.inf", "1e999"])
def test_numbers_must_be_finite(text: str) -> None:
    keys, log = keys_of(f"mass: {text}")
    assert keys.read(row(NUMBER, 2.0, "mass")) == 2.0
    item = assert_error(log, "not-finite", f'expected a finite number, got "{text}"')
    assert str(item).startswith('x.body:1:7: error: Link "A".mass: ')


@pytest.mark.parametrize("text", ["left", "[ 1 ]", "{ a: 1 }", "''", "_1"])
def test_something_else_than_a_number_gives_the_default(text: str) -> None:
    keys, log = keys_of(f"mass: {text}")
    assert keys.read(row(NUMBER, 2.0, "mass")) == 2.0
    assert_error(log, "wrong-value", "expected a number, got")


def test_text_after_a_number_is_left_out_with_a_warning() -> None:
    keys, log = keys_of("mass: 1.5kg")
    assert keys.read(row(NUMBER, 0.0, "mass")) == 1.5
    assert_warning(log, "trailing-text", 'got "1.5kg"; read as 1.5')


@pytest.mark.parametrize("word", ["y", "yes", "true", "on", "n", "no", "false", "off"])
def test_flags_are_read_in_lower_capitalised_and_upper_case(word: str) -> None:
    for text in (word, word.capitalize(), word.upper()):
        keys, log = keys_of(f"on: {text}")
        assert keys.read(row(FLAG, None, "on")) is (word in ("y", "yes", "true", "on"))
        assert not log.items


def test_other_words_are_no_flags() -> None:
    keys, log = keys_of("on: tRUE")
    assert keys.read(row(FLAG, False, "on")) is False
    assert_error(
        log, "wrong-value", 'expected true or false (or yes, no, on, off, y, n), got "tRUE"'
    )


def test_angles_follow_the_unit_of_the_file() -> None:
    keys, _ = keys_of("a: 90")
    assert keys.read(row(ANGLE, 0.0, "a")) == math.pi / 2
    keys, _ = keys_of("a: 0.5", radians=True)
    assert keys.read(row(ANGLE, 0.0, "a")) == 0.5


@pytest.mark.parametrize("text", ["[ 1, 2 ]", "[ 1, 2, 3, 4 ]", "[]", "5", "[ 1, 2, x ]"])
def test_vectors_must_have_their_exact_length(text: str) -> None:
    keys, log = keys_of(f"size: {text}")
    assert keys.read(row(VEC3, (7.0, 7.0, 7.0), "size")) == (7.0, 7.0, 7.0)
    assert_error(log, "wrong-value", "expected a")


def test_a_list_of_translations_is_summed() -> None:
    keys, log = keys_of("translation: [ [ 1, 0, 0 ], [ 0, 2, 0 ] ]")
    assert keys.read(row(TRANSLATION, ZERO, "translation")) == (1.0, 2.0, 0.0)
    assert not log.items


def test_rotation_axes_are_normalised() -> None:
    keys, _ = keys_of("rotation: [ 0, 0, 5, 90 ]")
    expected = (math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5))
    assert keys.read(row(ROTATION, IDENTITY, "rotation")) == pytest.approx(expected, abs=EXACT)


def test_a_list_of_rotations_is_multiplied_left_to_right() -> None:
    keys, _ = keys_of("rotation: [ [ 1, 0, 0, 90 ], [ 0, 0, 1, 30 ] ]")
    about_x = quat_from_axis_angle((1.0, 0.0, 0.0), math.pi / 2)
    about_z = quat_from_axis_angle((0.0, 0.0, 1.0), math.pi / 6)
    assert keys.read(row(ROTATION, IDENTITY, "rotation")) == pytest.approx(
        quat_multiply(about_x, about_z), abs=EXACT
    )


def test_a_rotation_about_a_null_axis_is_an_error() -> None:
    keys, log = keys_of("rotation: [ 0, 1.0e-7, 0, 90 ]")
    assert keys.read(row(ROTATION, IDENTITY, "rotation")) == IDENTITY
    assert_error(log, "null-axis", "must not be null")


def test_choices_list_what_is_allowed_and_guess() -> None:
    keys, log = keys_of("joint_type: revolut")
    table = {"fixed": 0, "revolute": 1}
    assert keys.read(row(choice(table), 0, "joint_type")) == 0
    item = assert_error(log, "wrong-value", "expected one of fixed, revolute, got")
    assert 'Did you mean "revolute"?' in item.text


def test_the_first_name_wins_over_its_aliases() -> None:
    keys, log = keys_of("jointId: 2\njoint_id: 1")
    assert keys.read(row(INTEGER, -1, "joint_id jointId")) == 1
    item = assert_warning(log, "duplicate-key", '"joint_id" says the same and counts')
    assert item.span.line == 1


def test_what_nobody_asked_for_is_left_over() -> None:
    keys, _ = keys_of("a: 1\nb: 2\nc: 3")
    keys.read(row(NUMBER, 0.0, "b"))
    assert [key.text for key, _ in keys.rest()] == ["a", "c"]


def test_left_over_keys_that_look_mistyped_are_reported() -> None:
    keys, log = keys_of("joint_tipe: fixed\njoint_friction: 1\ntranslaton: [ 0, 0, 0 ]")
    keys.read(row(TEXT, "", "joint_type"))
    keys.read(row(TRANSLATION, ZERO, "translation"))
    keys.warn_of_slips()
    assert [(item.severity, item.field) for item in log] == [
        (Severity.WARNING, "joint_tipe"),
        (Severity.WARNING, "translaton"),
    ]
    assert 'Did you mean "joint_type"?' in log.items[0].text


def test_the_same_message_is_given_once() -> None:
    """A mapping that several aliases share is read several times."""
    keys, log = keys_of("mass: x")
    again = Keys(keys.yaml, keys.reading, keys.path)
    keys.read(row(NUMBER, 0.0, "mass"))
    again.read(row(NUMBER, 0.0, "mass"))
    assert len(log) == 1
