"""Tokens to a syntax tree, and recovery from mistakes."""

from __future__ import annotations

import pytest

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.formats.vrml.parser import MAX_NESTING, MAX_SYNTAX_ERRORS, parse_text
from solidbody.formats.vrml.syntax import (
    BoolSyntax,
    FileSyntax,
    IsSyntax,
    ListSyntax,
    NodeSyntax,
    NullSyntax,
    NumbersSyntax,
    StringSyntax,
    UseSyntax,
    ValueSyntax,
)

HEADER = "#VRML_SIM R2025a utf8\n"


def parse(text: str) -> tuple[FileSyntax, DiagnosticLog]:
    """Return the tree of a text after the header, and what there was to say."""
    log = DiagnosticLog()
    tree = parse_text(HEADER + text, "x.wbt", log)
    assert tree is not None
    return tree, log


def parse_clean(text: str) -> FileSyntax:
    """Return the tree of a text without faults."""
    tree, log = parse(text)
    assert [str(item) for item in log] == []
    return tree


def value(text: str) -> ValueSyntax:
    """Return the value of one field."""
    return parse_clean(f"A {{ f {text} }}").nodes[0].fields[0].value


def faults(text: str) -> list[str]:
    """Return code and place of each diagnostic."""
    _, log = parse(text)
    return [f"{item.code} {item.span.line}:{item.span.column}" for item in log]


def test_node_has_name_type_and_fields() -> None:
    node = parse_clean('DEF A Solid { name "n" }').nodes[0]
    assert (node.def_name, node.type_name, node.label) == ("A", "Solid", "DEF A Solid")
    assert [item.name for item in node.fields] == ["name"]


def test_each_kind_of_value_is_told_apart() -> None:
    assert isinstance(value("1 2"), NumbersSyntax)
    assert isinstance(value('"s"'), StringSyntax)
    assert isinstance(value("TRUE"), BoolSyntax)
    assert isinstance(value("NULL"), NullSyntax)
    assert isinstance(value("USE X"), UseSyntax)
    assert isinstance(value("IS x"), IsSyntax)
    assert isinstance(value("[ ]"), ListSyntax)
    assert isinstance(value("DEF X Box { }"), NodeSyntax)


def test_spans_cover_what_was_written() -> None:
    node = parse_clean("DEF A Solid {\n  size 1 2 3\n}").nodes[0]
    field = node.fields[0]
    assert (node.span.line, node.span.column, node.span.end_line, node.span.end_column) == (
        2,
        1,
        4,
        2,
    )
    assert (field.span.column, field.span.end_column) == (3, 13)
    assert (field.name_span.column, field.name_span.end_column) == (3, 7)


def test_same_text_with_other_spacing_gives_an_equal_tree() -> None:
    assert parse_clean("A { b [ 1, 2 ] }") == parse_clean("A{b[1 2]} # c")


def test_hidden_parameters_are_marked() -> None:
    field = parse_clean("A { hidden position_0_1 3 }").nodes[0].fields[0]
    assert (field.name, field.is_hidden) == ("position_0_1", True)


def test_extern_protos_are_kept() -> None:
    tree = parse_clean('EXTERNPROTO "a/Ball.proto"\nIMPORTABLE EXTERNPROTO Alias "b\\\\C.proto"')
    assert [(item.name, item.is_importable) for item in tree.externs] == [
        ("Ball", False),
        ("Alias", True),
    ]


def test_proto_declarations_are_kept() -> None:
    text = 'PROTO P [ field SFString{"a", "b"} kind "a" field SFNode n NULL ] { Box { size IS s } }'
    proto = parse_clean(text).protos[0]
    assert proto.name == "P"
    assert [(item.type_name, item.name) for item in proto.parameters] == [
        ("SFString", "kind"),
        ("SFNode", "n"),
    ]
    assert isinstance(proto.body[0], NodeSyntax)


@pytest.mark.parametrize("first", ["", "Solid { }", "#VRML V2.0 utf8", "#VRML_SIM R2025a", "\0"])
def test_wrong_header_is_fatal(first: str) -> None:
    log = DiagnosticLog()
    assert parse_text(first + "\nSolid { }", "x.wbt", log) is None
    assert [item.code for item in log] == ["bad-header"]
    assert "#VRML_SIM R2025a utf8" in log.items[0].text


@pytest.mark.parametrize("release", ["R2025a", "R2019a", "V8.6", "V6.0"])
def test_header_names_the_release(release: str) -> None:
    tree = parse_text(f"#VRML_SIM {release} utf8\n", "x.wbt", DiagnosticLog())
    assert tree is not None and tree.header == release


@pytest.mark.parametrize("first", ["VRML_OBJ R2020a", "VRML_SIM R2020a revision 1"])
def test_headers_of_saved_nodes_and_revisions_name_the_release(first: str) -> None:
    tree = parse_text(f"#{first} utf8\n", "x.proto", DiagnosticLog())
    assert tree is not None and tree.header == "R2020a"


def test_header_after_a_byte_order_mark_is_found() -> None:
    assert parse_text("\ufeff" + HEADER, "x.wbt", DiagnosticLog()) is not None


def test_error_in_one_node_leaves_the_others() -> None:
    tree, log = parse("A { 1 2 } B { ] x 1 } C { y 2 }")
    assert [node.type_name for node in tree.nodes] == ["A", "B", "C"]
    assert [item.name for item in tree.nodes[1].fields] == ["x"]
    assert len(log) == 2


def test_all_faults_come_out_in_one_run() -> None:
    assert faults("A { f }\nB { 1 }\nDEF C 1\nD { g [ { } ] }") == [
        "missing-value 2:5",
        "unexpected-token 3:5",
        "unexpected-token 4:1",
        "unexpected-token 5:9",
    ]


def test_missing_brace_before_the_next_node_is_found() -> None:
    tree, log = parse("A { x 1\nB { y 2 }")
    assert [node.type_name for node in tree.nodes] == ["A", "B"]
    assert [str(item) for item in log] == [
        "x.wbt:3:1: error: A: \"}\" is missing before 'B', to close A."
    ]


def test_missing_bracket_is_closed_by_the_brace() -> None:
    tree, log = parse("A { list [ B { } C { }\n} D { }")
    assert [node.type_name for node in tree.nodes] == ["A", "D"]
    assert [item.code for item in log] == ["missing-bracket"]
    items = tree.nodes[0].fields[0].value
    assert isinstance(items, ListSyntax) and len(items.items) == 2


def test_missing_brace_is_closed_by_the_bracket() -> None:
    tree, log = parse("A { list [ B { x 1 ] y 2 }")
    assert [item.name for item in tree.nodes[0].fields] == ["list", "y"]
    assert [item.code for item in log] == ["missing-bracket"]


def test_brackets_open_at_the_end_are_reported_and_closed() -> None:
    tree, log = parse("A { x 1 list [ B { y 2")
    assert [item.name for item in tree.nodes[0].fields] == ["x", "list"]
    assert [item.code for item in log] == ["missing-bracket"]
    assert "3 open bracket(s)" in log.items[0].text


@pytest.mark.parametrize(
    "text",
    ["PROTO", "PROTO P", "PROTO P [", "PROTO P [ ]", "PROTO P [ field", "PROTO P [ field SFInt32 x",
     "PROTO P [ ] {", "EXTERNPROTO", "IMPORTABLE", "EXTERNPROTO X", "DEF", "DEF A", "DEF A B", "USE",
     "A", "A {", "A { f", "A { f [", "A { hidden", "A { hidden x", "A { f USE", "A { f DEF", '"'],
)  # fmt: skip
def test_file_may_end_anywhere(text: str) -> None:
    _, log = parse(text)
    assert log.has_errors


def test_run_of_stray_tokens_is_reported_once() -> None:
    assert faults('A { 1 "x" 2 "y" } ] ] }') == ["unexpected-token 2:5", "unexpected-token 2:19"]


def test_messages_name_the_nearest_node_with_a_name() -> None:
    _, log = parse("Solid { a [ DEF X Solid { b HingeJoint { 1 } } ] }")
    assert log.items[0].node == "DEF X Solid > HingeJoint"


@pytest.mark.parametrize(
    "text",
    ["Group { children [ " * 10_000, "A { b " * 10_000, "[" * 10_000, "A { b [" + "{" * 10_000],
)
def test_deep_nesting_gives_a_diagnostic(text: str) -> None:
    _, log = parse(text)
    assert log.has_errors


def test_nesting_up_to_the_limit_is_read() -> None:
    depth = MAX_NESTING - 2
    tree, log = parse("A { b " * depth + "1 " + "}" * depth)
    assert len(log) == 0
    node: NodeSyntax | None = tree.nodes[0]
    count = 0
    while node is not None:
        count += 1
        inner = node.fields[0].value
        node = inner if isinstance(inner, NodeSyntax) else None
    assert count == depth


def test_parsing_stops_after_many_errors() -> None:
    _, log = parse("A { 1 }\n" * (10 * MAX_SYNTAX_ERRORS))
    assert len(log) == MAX_SYNTAX_ERRORS + 1
    assert log.items[-1].code == "too-many-errors"


def test_comment_between_name_and_value_changes_nothing() -> None:
    plain = parse_clean('A { size 1 2 3 name "n" hidden position_0_0 4 }')
    commented = parse_clean(
        'A { size # three\n 1 2 # so far\n 3 name # of it\n "n" hidden # x\n position_0_0 # y\n 4 }'
    )
    assert plain == commented


def test_places_of_fields_are_those_of_the_text() -> None:
    text = 'A {\n  near 1 2\n  far\n    3\n  name   "n"\n  inner B {\n  }\n}'
    near, far, name, inner = parse_clean(text).nodes[0].fields
    assert [str(item.name_span) for item in (near, far, name, inner)] == [
        *("x.wbt:3:3", "x.wbt:4:3", "x.wbt:6:3", "x.wbt:7:3"),
    ]
    assert (far.span.line, far.span.end_line, far.value.span.line) == (4, 5, 5)
    assert (name.name_span.end_column, name.value.span.column) == (7, 10)
    assert (inner.span.end_line, inner.span.end_column) == (8, 4)


def test_value_from_elsewhere_leaves_the_name_where_it_is() -> None:
    first, second = parse_clean("A {\n  a 1\n  b 2\n}").nodes[0].fields
    swapped = second.with_value(first.value)
    assert (str(swapped.name_span), str(swapped.span)) == ("x.wbt:4:3", "x.wbt:4:3")
    assert swapped.value == first.value
