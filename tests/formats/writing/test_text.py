"""Syntax trees as text: canonical, and the same tree when read again."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.formats.vrml.parser import parse_text
from solidbody.formats.vrml.syntax import FileSyntax
from solidbody.formats.webots.nodes import NODES
from solidbody.formats.webots.write.text import file_text, number_text
from tests.property.table_strategies import node_text


def parsed(text: str) -> FileSyntax:
    """Return the tree of a file without mistakes."""
    log = DiagnosticLog()
    tree = parse_text(text, "world.wbt", log)
    assert tree is not None and not log.items, [str(item) for item in log]
    return tree


def canonical(nodes: str) -> str:
    """Return nodes as they are written, without the header."""
    return file_text(parsed(f"#VRML_SIM R2025a utf8\n{nodes}")).split("\n", 2)[2]


def test_two_spaces_per_level_and_default_values_left_out() -> None:
    text = "DEF A Solid{translation 1 2.50 -0.0 rotation 0 0 1 0 children[Shape{geometry Box{}}]}"
    assert canonical(text) == (
        "DEF A Solid {\n"
        "  translation 1 2.5 -0\n"
        "  children [\n"
        "    Shape {\n"
        "      geometry Box {\n"
        "      }\n"
        "    }\n"
        "  ]\n"
        "}\n"
    )


def test_absent_nodes_and_empty_lists_are_left_out() -> None:
    assert canonical("Solid { children [ ] physics NULL boundingObject NULL }") == "Solid {\n}\n"


def test_def_use_and_protos_stay_as_they_are() -> None:
    text = (
        "#VRML_SIM R2025a utf8\n"
        "\n"
        'EXTERNPROTO "../protos/Table.proto"\n'
        'IMPORTABLE EXTERNPROTO Chair "https://example.org/Stool.proto"\n'
        "\n"
        "DEF T Table {\n"
        "  hidden position_0_1 0.5\n"
        "  legs [\n"
        "    DEF LEG Shape {\n"
        "    }\n"
        "    USE LEG\n"
        "  ]\n"
        "  unknown NULL\n"
        "}\n"
    )
    assert file_text(parsed(text)) == text


def test_vectors_stand_one_in_a_line() -> None:
    text = canonical("Physics { centerOfMass [ 1 2 3 ] inertiaMatrix [ 1 1 1, 0 0 0 ] }")
    assert "  inertiaMatrix [\n    1 1 1\n    0 0 0\n  ]\n" in text


def test_strings_are_escaped() -> None:
    assert canonical(r'Solid { name "a\"b\\c" }') == 'Solid {\n  name "a\\"b\\\\c"\n}\n'


def test_names_are_written_also_if_they_are_the_default() -> None:
    assert 'name "solid"' in canonical('DEF A Solid { name "solid" }')


def test_comments_between_numbers_lose_no_number() -> None:
    assert canonical("Solid { translation 1 # x\n 2 # y\n 3 }") == (
        "Solid {\n  translation 1 2 3\n}\n"
    )


def test_protos_in_a_file_are_kept() -> None:
    text = (
        '#VRML_SIM R2025a utf8\nPROTO Leg [ field SFFloat length 1 field SFString{"a", "b"} kind "a"'
        " unconnectedField MFNode{Shape{}} parts [ Shape { } ] ]\n"
        "{ Solid { translation IS length } }\nLeg { length 2 }"
    )
    tree = parsed(text)
    assert parsed(file_text(tree, keep_defaults=True)) == tree


@given(st.floats(allow_nan=False))
def test_numbers_read_back_as_the_same_double(value: float) -> None:
    back = float(number_text(value))
    assert back == value and math.copysign(1.0, back) == math.copysign(1.0, value)


@pytest.mark.parametrize("value", [0.1, 1e-300, 1.5707963267948966])
def test_numbers_are_short(value: float) -> None:
    assert len(number_text(value)) <= 20


@given(st.sampled_from(NODES.names()).flatmap(node_text))
def test_any_node_of_the_table_survives_writing_and_reading(text: str) -> None:
    tree = parsed(f"#VRML_SIM R2025a utf8\n{text}")
    assert parsed(file_text(tree, keep_defaults=True)) == tree
    short = file_text(tree)
    assert file_text(parsed(short)) == short


@pytest.mark.parametrize("start", ["\ufeff", "\n  ", "\ufeff\r\n", "\t"])
@pytest.mark.parametrize("header", ["#VRML_SIM R2025a utf8", "# VRML_SIM  R2025a utf8"])
def test_headers_with_blanks_are_read_and_written_without(start: str, header: str) -> None:
    tree = parsed(f"{start}{header}\nSolid {{ }}")
    assert file_text(tree) == "#VRML_SIM R2025a utf8\n\nSolid {\n}\n"
