"""Rules of PROTOs that no other file here proves, one small project each."""

from __future__ import annotations

from pathlib import Path

import pytest

from solidbody.base.diagnostics import Severity
from solidbody.formats.loading import load
from solidbody.model.geometry import GeometrySphere
from solidbody.model.joints import JointHinge2
from tests.formats.protos.projects import (
    BALL,
    HEADER,
    JAVASCRIPT,
    read_project,
    read_quietly,
    write_project,
)
from tests.formats.reading import link_named, the


def extern(*names: str) -> str:
    """Return declarations of PROTOs in the same folder."""
    return "".join(f'EXTERNPROTO "{name}.proto"\n' for name in names)


# names


@pytest.mark.parametrize("word", ["USE", "TRUE", "NULL", "field", "w3dField", "SFVec3f", "MFNode"])
def test_reserved_words_are_no_def_names(tmp_path: Path, word: str) -> None:
    scene, log = read_project(tmp_path, f'DEF {word} Solid {{ name "a" }}', {})
    found = the(log, "reserved-name")
    assert found.text == f'"{word}" is a word of the language and cannot be a DEF name.'
    assert (found.span.line, found.span.column) == (4, 5)
    assert link_named(scene, "a").label == ""


def test_reserved_words_are_no_proto_names(tmp_path: Path) -> None:
    _, log = read_project(tmp_path, "", {"field": "PROTO field [ ] { Solid { } }"})
    assert log.items == []  # nobody asked for it
    _, log = read_project(tmp_path, "field { }", {"field": "PROTO field [ ] { Solid { } }"})
    assert "cannot be a PROTO name" in the(log, "reserved-name").text


# links


def test_nested_protos_may_have_parameters_of_the_same_name(tmp_path: Path) -> None:
    outer = extern("Blob") + (
        'PROTO Outer [ field SFString name "outer" field SFFloat radius 0.5 ] { Group { children [ '
        'Solid { name IS name } Blob { name "inner" } Blob { name "big" radius IS radius } ] } }'
    )
    scene = read_quietly(tmp_path, "Outer { }", {"Outer": outer, "Blob": BALL})
    sizes = {
        link.name: shape.geometry.radius
        for link in scene.links()
        for shape in link.shapes
        if isinstance(shape.geometry, GeometrySphere)
    }
    assert sizes == {"inner": 0.1, "big": 0.5}
    assert link_named(scene, "outer").shapes == ()


def test_is_passes_through_two_protos(tmp_path: Path) -> None:
    middle = extern("Blob") + "PROTO Middle [ field SFFloat r 2 ] { Blob { radius IS r } }"
    outer = extern("Middle") + "PROTO Outer [ field SFFloat size 3 ] { Middle { r IS size } }"
    protos = {"Outer": outer, "Middle": middle, "Blob": BALL}
    for world, radius in (("Outer { }", 3.0), ("Outer { size 4 }", 4.0), ("Middle { }", 2.0)):
        geometry = read_quietly(tmp_path, world, protos).bodies[0].links[0].shapes[0].geometry
        assert isinstance(geometry, GeometrySphere) and geometry.radius == radius


def test_nodes_pass_through_two_protos(tmp_path: Path) -> None:
    inner = "PROTO Inner [ field MFNode parts [ ] ] { Group { children IS parts } }"
    outer = extern("Inner") + (
        "PROTO Outer [ field MFNode things [ ] ] { Pose { translation 1 0 0 "
        "children [ Inner { parts IS things } ] } }"
    )
    world = 'Outer { things [ Solid { name "a" } Solid { name "b" translation 0 2 0 } ] }'
    scene = read_quietly(tmp_path, world, {"Outer": outer, "Inner": inner})
    assert [link.pose.position for link in scene.links()] == [(1.0, 0.0, 0.0), (1.0, 2.0, 0.0)]


@pytest.mark.parametrize("keyword", ["unconnectedField", "hiddenField"])
def test_parameters_that_nothing_has_to_read(tmp_path: Path, keyword: str) -> None:
    proto = f"PROTO P [ {keyword} SFInt32 level 3 ] {{ Solid {{ }} }}"
    assert len(list(read_quietly(tmp_path, "P { level 4 }", {"P": proto}).links())) == 1


def test_suffix_allows_types_derived_from_the_named_one(tmp_path: Path) -> None:
    proto = "PROTO P [ field MFNode{Solid+{}} parts [ ] ] { Group { children IS parts } }"
    scene, log = read_project(tmp_path, "P { parts [ Robot { } Shape { } ] }", {"P": proto})
    assert [link.name for link in scene.links()] == ["robot"]
    assert "a Shape node is not allowed here (allowed: Solid+)" in the(log, "wrong-node").text


def test_suffix_allows_protos_derived_from_the_named_one(tmp_path: Path) -> None:
    """Without it only the PROTO itself is allowed; the type of a PROTO's root counts as well."""
    protos = {
        "P": "PROTO P [ field MFNode{Part{}} a [ ] field MFNode{Part+{}} b [ ] "
        "field MFNode{Solid{}} c [ ] ] { Group { children [ Group { children IS a } "
        "Group { children IS b } Group { children IS c } ] } }",
        "Part": 'PROTO Part [ field SFString name "x" ] { Solid { name IS name } }',
        "Derived": 'PROTO Derived [ field SFString name "x" ] { Part { name IS name } }',
    }
    world = (
        'P { a [ Part { name "1" } Derived { name "2" } Solid { name "3" } ] '
        'b Derived { name "4" } c Derived { name "5" } }'
    )
    scene, _ = read_project(tmp_path, world, protos)
    assert [link.name for link in scene.links()] == ["1", "4", "5"]


@pytest.mark.parametrize(
    ("declared", "written", "field", "expected"),
    [
        ("MFBool", "[ TRUE FALSE ]", "x.value.length", "2"),
        ("MFRotation", "[ 0 0 1 1, 0 1 0 2 ]", "x.value[1].a", "2"),
        ("MFVec2f", "[ 1 2, 3 4 ]", "x.value[1].y", "4"),
        ("MFColor", "[ 1 0 0, 0 0.5 1 ]", "x.value[1].g", "0.5"),
        ("MFInt32", "[ 7 8 ]", "x.value[0]", "7"),
    ],
)
def test_lists_of_every_type_are_parameters(
    tmp_path: Path, declared: str, written: str, field: str, expected: str
) -> None:
    proto = JAVASCRIPT + (
        f"PROTO P [ field {declared} x [ ] ]\n{{ %< const x = fields.x; >% Solid {{ "
        f'name "%<= {field} >%" }} }}'
    )
    scene = read_quietly(tmp_path, f"P {{ x {written} }}", {"P": proto})
    assert [link.name for link in scene.links()] == [expected]


# files


def test_proto_finds_its_own_parts_beside_it(tmp_path: Path) -> None:
    path = write_project(tmp_path, "Outer { }", {"Outer": extern("parts/Blob") + _around("Blob")})
    (tmp_path / "protos" / "parts").mkdir()
    (tmp_path / "protos" / "parts" / "Blob.proto").write_text(HEADER + BALL, "utf-8")
    scene = load(path)
    assert [str(item) for item in scene.diagnostics] == []
    assert "ball" in [link.name for link in scene.links()]


def test_urls_of_a_proto_start_at_its_file_and_those_of_an_instance_at_the_world(
    tmp_path: Path,
) -> None:
    shape = (
        "children [ Shape { appearance PBRAppearance { baseColorMap ImageTexture { url IS look } "
        'roughnessMap ImageTexture { url "rough.png" } } geometry Box { } } ]'
    )
    proto = (
        'PROTO P [ field SFString name "" field MFString look "own.png" ] '
        f"{{ Solid {{ name IS name {shape} }} }}"
    )
    for folder in ("worlds", "protos"):
        (tmp_path / folder).mkdir()
        for name in ("own.png", "rough.png", "given.png"):
            (tmp_path / folder / name).write_bytes(b"")
    scene = read_quietly(tmp_path, 'P { name "a" } P { name "b" look "given.png" }', {"P": proto})
    looks = [shape.appearance for link in scene.links() for shape in link.shapes]
    found = [
        (look.texture.uri, look.roughness_map.uri)
        for look in looks
        if look is not None and look.texture and look.roughness_map
    ]
    own = (tmp_path / "protos").as_posix()
    assert found == [(f"{own}/own.png", f"{own}/rough.png"), ("given.png", f"{own}/rough.png")]


# hidden values


def test_second_axis_of_a_joint_has_its_own_hidden_position(tmp_path: Path) -> None:
    proto = (
        "PROTO P [ ] { Robot { children [ Hinge2Joint { jointParameters HingeJointParameters { "
        "axis 0 0 1 } jointParameters2 JointParameters { axis 1 0 0 } endPoint Solid { "
        'name "end" boundingObject Box { } physics Physics { } } } ] } }'
    )
    world = "P { hidden position_0_0 0.25 hidden position2_0_0 0.5 }"
    joint = link_named(read_quietly(tmp_path, world, {"P": proto}), "end").joint
    assert isinstance(joint, JointHinge2)
    assert (joint.axis1.position, joint.axis2.position) == (0.25, 0.5)


# templates


def test_template_in_an_interface_is_refused_at_its_place(tmp_path: Path) -> None:
    proto = JAVASCRIPT + "PROTO P [\n  field SFFloat x %<= 1 >%\n]\n{ Solid { } }"
    _, log = read_project(tmp_path, "P { }", {"P": proto})
    found = the(log, "bad-proto")
    assert "allowed in the body of a PROTO only, not in its interface" in found.text
    assert (found.span.line, found.span.column) == (4, 19)


def test_template_tag_in_a_default_string_is_text(tmp_path: Path) -> None:
    proto = 'PROTO P [ field SFString name "50 %< 60" ] { Solid { name IS name } }'
    assert [link.name for link in read_quietly(tmp_path, "P { }", {"P": proto}).links()] == [
        "50 %< 60"
    ]


def test_template_that_reads_the_pose_is_a_warning(tmp_path: Path) -> None:
    proto = JAVASCRIPT + (
        "PROTO P [ field SFVec3f translation 0 0 0 ]\n"
        "{ Solid { translation IS translation %< const z = fields.translation.value.z; >% } }"
    )
    _, log = read_project(tmp_path, "P { }", {"P": proto})
    found = the(log, "moving-regenerator")
    assert found.severity is Severity.WARNING and found.field == "translation"
    assert 'the template reads "translation"' in found.text


def test_templates_run_in_strict_mode(tmp_path: Path) -> None:
    proto = JAVASCRIPT + "PROTO P [ ]\n{ %< undeclared = 3; >% Solid { } }"
    _, log = read_project(tmp_path, "P { }", {"P": proto})
    assert "undeclared is not defined" in the(log, "template-error").text


def test_statements_may_span_lines_and_open_what_others_close(tmp_path: Path) -> None:
    proto = JAVASCRIPT + (
        'PROTO P [ field MFString names [ ] ]\n{\n  Group { # it\'s "a group" %< not here >%\n'
        "    children [\n      %< for (let i = 0;\n             i < fields.names.value.length &&\n"
        "             i < 9; ++i) {\n      >%\n      %< if (fields.names.value[i] === 'door') { >%\n"
        "        Robot {\n          supervisor TRUE\n      %< } else { >%\n        Solid {\n"
        "      %< } >%\n          name %<= '\"' + fields.names.value[i].replace(/[\" ]/g, '_') + '\"' >%\n"
        "        }\n      %< } >%\n    ]\n  }\n}\n"
    )
    scene = read_quietly(tmp_path, 'P { names [ "door" "a \\"b\\"" ] }', {"P": proto})
    assert [link.name for link in scene.links()] == ["door", "a__b_"]
    assert [robot.is_supervisor for body in scene.bodies for robot in body.robots] == [True]


def _around(name: str) -> str:
    return f'PROTO Outer [ ] {{ Solid {{ name "outer" children [ {name} {{ }} ] }} }}'


def test_templates_see_the_instances_that_are_defaults(tmp_path: Path) -> None:
    line = (
        'PROTO Line [ unconnectedField SFString{"dashed", "double"} type "dashed" '
        "unconnectedField SFColor color 1 1 1 ] { Group { } }"
    )
    road = (
        JAVASCRIPT
        + extern("Line")
        + (
            'PROTO Road [ field MFNode{Line {}} lines [ Line { } Line { type "double" } ] ]\n'
            "{ %< const lines = fields.lines.value; >% Solid { children [ Group { children IS lines } ]\n"
            'name "%<= lines.map(l => l.node_name + l.fields.type.value + l.fields.color.value.r) >%"\n'
            'model "%<= typeof lines[9] >%" } }'
        )
    )
    scene = read_quietly(tmp_path, "Road { }", {"Road": road, "Line": line})
    link = scene.bodies[0].links[0]
    assert (link.name, link.model) == ("Linedashed1,Linedouble1", "undefined")
    scene = read_quietly(tmp_path, "Road { lines [ ] }", {"Road": road, "Line": line})
    assert scene.bodies[0].links[0].name == ""
