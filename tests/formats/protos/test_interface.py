"""PROTO files: interface, defaults, allowed values, names, comments at the top."""

from __future__ import annotations

from pathlib import Path

import pytest

from solidbody.base.diagnostics import DiagnosticLog, Severity
from solidbody.formats.vrml.proto import read_proto
from tests.formats.protos.projects import BALL, HEADER, JAVASCRIPT, read_project, read_quietly
from tests.formats.reading import link_named, the


def test_every_keyword_declares_a_parameter() -> None:
    words = ("field", "vrmlField", "w3dField", "hiddenField", "unconnectedField", "deprecatedField")
    lines = "\n".join(f"  {word} SFFloat x{i} {i}" for i, word in enumerate(words))
    log = DiagnosticLog()
    proto = read_proto(f"{HEADER}PROTO P [\n{lines}\n] {{ Solid {{ }} }}", "P.proto", "P", log)
    assert proto is not None
    assert [item.keyword for item in proto.parameters.values()] == list(words)
    assert [item.code for item in log if item.severity is Severity.ERROR] == []


def test_metadata_is_read_from_the_comments_at_the_top() -> None:
    text = (
        "#VRML_SIM R2023b utf8\n# license: Own licence\n# tags: static, nonDeterministic\n"
        "# documentation url: https://example.org/p\n# A round thing.\n# template language: javascript\n"
        "PROTO P [ ] # tags: late\n{ Solid { } }"
    )
    proto = read_proto(text, "P.proto", "P", DiagnosticLog())
    assert proto is not None
    assert proto.metadata.tags == {"static", "nonDeterministic"}
    assert proto.metadata.entries["license"] == "Own licence"
    assert proto.metadata.description == ("A round thing.",)
    assert proto.header == "R2023b"


def test_default_is_used_and_an_instance_overrides_it(tmp_path: Path) -> None:
    world = 'Blob { } Blob { translation 1 2 3 name "other" }'
    scene = read_quietly(tmp_path, world, {"Blob": BALL})
    assert link_named(scene, "ball").pose.position == (0.0, 0.0, 0.0)
    assert link_named(scene, "other").pose.position == (1.0, 2.0, 3.0)


@pytest.mark.parametrize("inside", ["blob", "BLOB", "lob"])
def test_names_of_file_and_proto_may_differ_in_case_and_beginning(
    tmp_path: Path, inside: str
) -> None:
    proto = BALL.replace("PROTO Blob", f"PROTO {inside}")
    assert link_named(read_quietly(tmp_path, "Blob { }", {"Blob": proto}), "ball")


def test_file_must_have_the_name_of_its_proto(tmp_path: Path) -> None:
    _, log = read_project(tmp_path, "Blob { }", {"Blob": BALL.replace("PROTO Blob", "PROTO Boll")})
    assert 'the PROTO is called "Boll" but its file "Blob"' in the(log, "proto-name").text
    assert "its file has errors" in the(log, "missing-proto").text


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("field SFFlot x 1", 'unknown field type "SFFlot". Did you mean "SFFloat"?'),
        ("feld SFFloat x 1", 'unknown word "feld". Did you mean "field"?'),
        ("field SFFloat x 1 field SFFloat x 2", "declared twice"),
        ("field SFVec3f x 1 2", "the default must be 3 numbers"),
        ("field SFNode x 3", "the default must be a node or NULL"),
    ],
)
def test_bad_parameter_is_reported_with_its_name(tmp_path: Path, line: str, expected: str) -> None:
    proto = f"PROTO P [ {line} ] {{ Solid {{ }} }}"
    _, log = read_project(tmp_path, "P { }", {"P": proto})
    found = the(log, "bad-parameter")
    assert expected in found.text
    assert found.field == "x" and found.span.file.endswith("P.proto")


def test_unknown_field_of_an_instance_names_the_closest_parameter(tmp_path: Path) -> None:
    _, log = read_project(tmp_path, "DEF B Blob { radios 1 }", {"Blob": BALL})
    found = the(log, "unknown-field")
    assert found.text == 'PROTO "Blob" has no field "radios". Did you mean "radius"?'
    assert found.node == "DEF B Blob (PROTO)"
    assert found.span.line == 5 and found.span.file.endswith("world.wbt")


def test_value_of_another_type_gives_the_default(tmp_path: Path) -> None:
    scene, log = read_project(tmp_path, "Blob { translation 1 2 }", {"Blob": BALL})
    assert "expected 3 numbers; the default is used" in the(log, "bad-value").text
    assert link_named(scene, "ball").pose.position == (0.0, 0.0, 0.0)


def test_string_outside_the_allowed_ones_gives_the_default(tmp_path: Path) -> None:
    proto = 'PROTO P [ field SFString{"a", "b"} name "a" ] { Solid { name IS name } }'
    read_quietly(tmp_path, 'P { name "b" }', {"P": proto})
    scene, log = read_project(tmp_path, 'P { name "c" }', {"P": proto})
    assert the(log, "bad-value").text == 'must be one of "a", "b"; the default is used.'
    assert link_named(scene, "a")


def test_vectors_and_numbers_outside_the_allowed_ones_are_refused(tmp_path: Path) -> None:
    proto = (
        "PROTO P [ field SFVec3f{0 0 0, 1 1 1} at 0 0 0 field MFFloat{1, 2} many [ ] ] "
        "{ Solid { translation IS at } }"
    )
    _, log = read_project(tmp_path, "P { at 1 1 2 many [ 2 3 ] }", {"P": proto})
    texts = [item.text for item in log if item.code == "bad-value"]
    assert texts[0].startswith("must be one of 0 0 0, 1 1 1") and texts[1].startswith(
        "must be one of 1, 2"
    )


def test_node_outside_the_allowed_types_is_left_out(tmp_path: Path) -> None:
    proto = "PROTO P [ field MFNode{Solid{}, Blob{}} parts [ ] ] { Group { children IS parts } }"
    world = 'P { parts [ Solid { name "s" } Blob { } Robot { } Shape { } ] }'
    scene, log = read_project(tmp_path, world, {"P": proto, "Blob": BALL})
    text = "a {} node is not allowed here (allowed: Solid, Blob); it is left out."
    assert [item.text for item in log] == [text.format("Robot"), text.format("Shape")]
    assert [link.name for link in scene.links()] == ["s", "ball"]


def test_parameter_that_nothing_reads_is_a_warning(tmp_path: Path) -> None:
    proto = (
        "PROTO P [ field SFFloat x 1 unconnectedField SFFloat y 1 deprecatedField SFFloat z 1 ] "
        "{ Solid { } }"
    )
    _, log = read_project(tmp_path, "P { x 2 y 3 }", {"P": proto})
    found = the(log, "unconnected-field")
    assert (found.severity, found.field) == (Severity.WARNING, "x")


def test_parameter_of_a_template_is_none(tmp_path: Path) -> None:
    """Tiles of rescue worlds have some for their supervisor alone; Webots says nothing of templates."""
    proto = JAVASCRIPT + 'PROTO P [ field SFInt32 room 1 ] { Solid { name "%<= 1 >%" } }'
    read_quietly(tmp_path, "P { room 2 }", {"P": proto})


def test_deprecated_parameter_is_a_warning(tmp_path: Path) -> None:
    proto = "PROTO P [ deprecatedField SFVec3f at 0 0 0 ] { Solid { translation IS at } }"
    _, log = read_project(tmp_path, "P { at 1 0 0 }", {"P": proto})
    assert "deprecated" in the(log, "deprecated-field").text


@pytest.mark.parametrize(
    ("body", "expected"),
    [("", "it is empty"), ("Solid { } Solid { }", "got 2 items"), ("Solid", "got 1 items")],
)
def test_body_must_be_one_node(tmp_path: Path, body: str, expected: str) -> None:
    _, log = read_project(tmp_path, "P { }", {"P": f"PROTO P [ ] {{ {body} }}"})
    assert expected in the(log, "bad-proto").text


def test_file_with_two_protos_is_refused(tmp_path: Path) -> None:
    two = "PROTO P [ ] { Solid { } }\nPROTO Q [ ] { Solid { } }"
    _, log = read_project(tmp_path, "P { }", {"P": two})
    assert "holds one PROTO, got 2" in the(log, "bad-proto").text


def test_template_tags_in_a_comment_do_not_make_a_template(tmp_path: Path) -> None:
    text = JAVASCRIPT + "PROTO P [ ] { # %< if >%\n Solid { } }"
    assert len(read_quietly(tmp_path, "P { }", {"P": text}).bodies) == 1
