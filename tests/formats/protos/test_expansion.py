"""Expansion: IS, scopes, derived and nested PROTOs, paths and places in messages, origins."""

from __future__ import annotations

from pathlib import Path

from solidbody.base.diagnostics import Severity
from solidbody.formats.vrml.syntax import FileSyntax, ListSyntax, NodeSyntax
from tests.formats.protos.projects import BALL, expand_project, read_project, read_quietly
from tests.formats.reading import link_named, read, read_clean, the


def field_value(node: NodeSyntax, name: str) -> object:
    return next(part.value for part in node.fields if part.name == name)


def children(node: NodeSyntax) -> list[NodeSyntax]:
    value = field_value(node, "children")
    assert isinstance(value, ListSyntax)
    return [item for item in value.items if isinstance(item, NodeSyntax)]


def last(tree: FileSyntax) -> NodeSyntax:
    return tree.nodes[-1]


# IS


def test_one_parameter_may_be_linked_several_times(tmp_path: Path) -> None:
    proto = (
        "PROTO P [ field SFFloat r 1 ] { Solid { children [ Shape { geometry Sphere { radius IS r } } ] "
        "boundingObject Sphere { radius IS r } } }"
    )
    scene = read_quietly(tmp_path, "P { r 0.5 }", {"P": proto})
    radii = [shape.geometry.radius for shape in scene.bodies[0].links[0].shapes]
    assert radii == [0.5, 0.5]


def test_link_counts_more_than_a_value_of_the_same_field(tmp_path: Path) -> None:
    """Webots gives fields the values of parameters when it has read all of a node."""
    proto = 'PROTO P [ field SFString name "a" ] { Robot { name IS name children [ ] name "b" } }'
    scene, log = read_project(tmp_path, 'P { name "c" }', {"P": proto})
    assert [link.name for link in scene.links()] == ["c"]
    said = the(log, "repeated-field")
    assert said.text == "the field is written twice; the one with IS counts."
    assert said.field == "name"


def test_first_of_two_values_for_a_parameter_counts(tmp_path: Path) -> None:
    """Webots reads a second one and throws it away; of fields of plain nodes the last one counts."""
    proto = 'PROTO P [ field SFString name "a" ] { Robot { name IS name } }'
    scene, log = read_project(tmp_path, 'P { name "b" name "c" }', {"P": proto})
    assert [link.name for link in scene.links()] == ["b"]
    said = the(log, "repeated-field")
    assert said.text == "the parameter is written twice; the first value counts."
    assert said.field == "name"


def test_solid_that_comes_out_twice_is_a_warning(tmp_path: Path) -> None:
    proto = (
        "PROTO P [ field MFNode c [ ] ] { Group { children [ Group { children IS c } "
        "Pose { children IS c } ] } }"
    )
    read_quietly(tmp_path, "P { c [ Shape { } ] }", {"P": proto})
    _, log = read_project(tmp_path, "P { c [ Group { children [ Solid { } ] } ] }", {"P": proto})
    text = 'the parameter "c" holds a Solid and is linked more than once'
    assert text in the(log, "shared-node").text


def test_unknown_target_of_is_is_a_warning_that_names_the_closest(tmp_path: Path) -> None:
    """Webots takes the default and says nothing: 22 of its own worlds have such links."""
    proto = "PROTO P [ field SFVec3f place 1 2 3 ] { Solid { translation IS plase } }"
    scene, log = read_project(tmp_path, "P { } P { }", {"P": proto})
    found = the(log, "bad-link")
    said = 'PROTO "P" has no parameter "plase"; the default is used. Did you mean "place"?'
    assert (found.text, found.severity) == (said, Severity.WARNING)
    assert {body.links[0].pose.position for body in scene.bodies} == {(0.0, 0.0, 0.0)}
    assert (found.node, found.field) == ("P (PROTO)", "translation")
    assert found.span.line == 2 and found.span.file.endswith("P.proto")


def test_is_needs_the_same_type_on_both_sides(tmp_path: Path) -> None:
    proto = "PROTO P [ field SFFloat x 0 ] { Solid { translation IS x } }"
    _, log = read_project(tmp_path, "P { }", {"P": proto})
    found = the(log, "bad-link")
    assert 'the field is SFVec3f but the parameter "x" is SFFloat' in found.text
    assert found.severity is Severity.ERROR


def test_is_in_a_list_is_refused(tmp_path: Path) -> None:
    proto = "PROTO P [ field SFNode x NULL ] { Group { children [ IS x ] } }"
    _, log = read_project(tmp_path, "P { }", {"P": proto})
    assert "not in a list" in the(log, "bad-link").text


def test_is_in_a_world_is_refused(tmp_path: Path) -> None:
    _, log = read_project(tmp_path, "Blob { radius IS r }", {"Blob": BALL})
    assert "only in the body of a PROTO" in the(log, "bad-link").text


def test_wrong_value_is_reported_where_it_was_written(tmp_path: Path) -> None:
    """The type fits, the range does not: the place is in the world, not in the PROTO."""
    _, log = read_project(tmp_path, "DEF B Blob {\n radius -1 }", {"Blob": BALL})
    found = next(item for item in log if item.code == "value-reset")
    assert found.span.file.endswith("world.wbt") and found.span.line == 6
    assert found.node.startswith("DEF B Blob (PROTO) > ")


# scopes


def test_def_names_of_a_body_are_not_seen_outside(tmp_path: Path) -> None:
    _, log = read_project(tmp_path, "Blob { } Group { children [ USE SHAPE ] }", {"Blob": BALL})
    assert 'no node before this place has the DEF name "SHAPE"' in the(log, "undefined-use").text


def test_def_names_of_the_world_are_not_seen_in_a_body(tmp_path: Path) -> None:
    world = "DEF LOOK Group { children [ Shape { } ] } P { }"
    _, log = read_project(tmp_path, world, {"P": "PROTO P [ ] { Group { children [ USE LOOK ] } }"})
    found = the(log, "undefined-use")
    assert found.span.file.endswith("P.proto")


def test_two_instances_do_not_share_def_names(tmp_path: Path) -> None:
    world = 'Blob { name "a" radius 0.1 } Blob { name "b" radius 0.2 }'
    scene = read_quietly(tmp_path, world, {"Blob": BALL})
    radii = [link.shapes[0].geometry.radius for link in scene.links()]
    assert radii == [0.1, 0.2]


def test_values_keep_the_scope_of_the_instance(tmp_path: Path) -> None:
    """USE in a value finds a DEF of the world although the body has one of the same name."""
    proto = (
        "PROTO P [ field MFNode parts [ ] ] { Group { children [ "
        "DEF G Shape { geometry Sphere { radius 5 } } Group { children IS parts } ] } }"
    )
    world = "DEF G Shape { geometry Sphere { radius 2 } } P { parts [ USE G ] }"
    scene = read_quietly(tmp_path, world, {"P": proto})
    radii = sorted(shape.geometry.radius for link in scene.links() for shape in link.shapes)
    assert radii == [2.0, 2.0, 5.0]


def test_def_in_a_value_is_seen_in_the_world(tmp_path: Path) -> None:
    proto = "PROTO P [ field MFNode parts [ ] ] { Group { children IS parts } }"
    world = "P { parts [ DEF S Shape { geometry Box { } } ] } Group { children [ USE S ] }"
    read_quietly(tmp_path, world, {"P": proto})


def test_def_in_a_default_is_seen_in_the_world(tmp_path: Path) -> None:
    """From the instance on."""
    proto = (
        "PROTO P [ field MFNode a DEF BALL Shape { geometry Sphere { radius 0.2 } } "
        "field MFNode b [ ] ] "
        "{ Group { children [ Group { children IS a } Solid { children IS b } ] } }"
    )
    world = 'P { b [ USE BALL ] } Solid { name "out" boundingObject USE BALL }'
    scene = read_quietly(tmp_path, world, {"P": proto})
    radii = [shape.geometry.radius for link in scene.links() for shape in link.shapes]
    assert radii == [0.2, 0.2, 0.2]


def test_def_name_of_an_instance_names_the_root(tmp_path: Path) -> None:
    proto = "PROTO P [ ] { DEF INNER Solid { } }"
    scene = read_quietly(tmp_path, "DEF OUTER P { }", {"P": proto})
    assert scene.bodies[0].links[0].label == "OUTER"


# derived and nested


def test_derived_proto_passes_values_to_its_base(tmp_path: Path) -> None:
    derived = (
        'EXTERNPROTO "Blob.proto"\nPROTO Big [ field SFVec3f at 0 0 0 ] '
        "{ Blob { translation IS at radius 2 } }"
    )
    scene = read_quietly(tmp_path, "Big { at 0 0 7 }", {"Blob": BALL, "Big": derived})
    link = link_named(scene, "ball")
    assert link.pose.position == (0.0, 0.0, 7.0)
    assert link.shapes[0].geometry.radius == 2.0


def test_derived_parameter_may_only_go_to_its_namesake(tmp_path: Path) -> None:
    derived = (
        'EXTERNPROTO "Blob.proto"\nPROTO Big [ field SFString name "n" field SFFloat radius 1 ] '
        "{ Blob { name IS name radius IS radius } }"
    )
    read_quietly(tmp_path, "Big { }", {"Blob": BALL, "Big": derived})
    base = BALL.replace(
        "field SFFloat radius 0.1", "field SFFloat radius 0.1 field SFFloat width 1"
    )
    wrong = derived.replace("radius IS radius", "width IS radius")
    _, log = read_project(tmp_path, "Big { }", {"Blob": base, "Big": wrong})
    assert '"radius" is also a parameter of the base PROTO "Blob"' in the(log, "bad-link").text


def test_derived_parameter_may_not_go_into_a_node_of_its_namesake(tmp_path: Path) -> None:
    base = "PROTO Base [ field MFNode slot [ ] ] { Group { children IS slot } }"
    inner = (
        'EXTERNPROTO "Base.proto"\nPROTO Inner [ field MFNode slot [ ] ] '
        "{ Base { slot [ Group { children IS slot } ] } }"
    )
    _, log = read_project(tmp_path, "Inner { }", {"Base": base, "Inner": inner})
    assert '"slot" is also a parameter of the base PROTO "Base"' in the(log, "bad-link").text


def test_default_may_be_an_instance(tmp_path: Path) -> None:
    proto = 'EXTERNPROTO "Blob.proto"\nPROTO P [ field MFNode c [ Blob { } ] ] { Group { children IS c } }'
    scene = read_quietly(tmp_path, "P { }", {"Blob": BALL, "P": proto})
    assert link_named(scene, "ball").name == "ball"


def test_instances_may_lie_in_values_of_the_same_proto(tmp_path: Path) -> None:
    proto = "PROTO P [ field MFNode c [ ] ] { Group { children IS c } }"
    world = "P { c [ P { c [ P { c [ Blob { } ] } ] } ] }"
    scene = read_quietly(tmp_path, world, {"Blob": BALL, "P": proto})
    assert len(scene.bodies) == 1


def test_world_may_define_a_proto_itself() -> None:
    scene = read_clean(
        'PROTO P [ field SFString name "x" ] { Solid { name IS name } } P { name "y" }'
    )
    assert scene.bodies[0].links[0].name == "y"


def test_proto_needs_its_own_declarations(tmp_path: Path) -> None:
    """What the world declares is not declared in the PROTO; it is found by its name."""
    proto = "PROTO P [ ] { Group { children [ Blob { } ] } }"
    scene, log = read_project(tmp_path, "P { }", {"P": proto, "Blob": BALL})
    assert link_named(scene, "ball")
    said = the(log, "undeclared-proto")
    assert said.span.file.endswith("P.proto") and "does not declare the PROTO" in said.text


def test_recursion_is_an_error_that_shows_the_circle(tmp_path: Path) -> None:
    protos = {
        "A": 'EXTERNPROTO "B.proto"\nPROTO A [ ] { Group { children [ B { } ] } }',
        "B": 'EXTERNPROTO "A.proto"\nPROTO B [ ] { Group { children [ A { } ] } }',
    }
    _, log = read_project(tmp_path, "A { }", protos)
    found = the(log, "recursive-proto")
    assert "a PROTO cannot contain itself: A > B > A." in found.text
    assert found.node == "A (PROTO) > B (PROTO) > A (PROTO)"


def test_recursion_through_a_default_is_an_error(tmp_path: Path) -> None:
    proto = (
        'EXTERNPROTO "P.proto"\nPROTO P [ field SFNode x P { } ] { Solid { boundingObject IS x } }'
    )
    _, log = read_project(tmp_path, "P { }", {"P": proto})
    assert "P > P" in the(log, "recursive-proto").text


# places and origins


def test_messages_name_the_instance_and_the_line_of_the_proto(tmp_path: Path) -> None:
    proto = "PROTO P [ ] {\n Solid {\n  children [ DEF I Solid {\n   massive 3 } ] } }"
    _, log = read_project(tmp_path, "DEF R P { }", {"P": proto})
    found = the(log, "unknown-field")
    assert found.span.file.endswith("P.proto") and found.span.line == 5
    assert found.node == "DEF R P (PROTO) > DEF I Solid"


def test_expanded_nodes_know_their_origin(tmp_path: Path) -> None:
    derived = 'EXTERNPROTO "Blob.proto"\nPROTO Big [ ] { Blob { radius 2 } }'
    tree, log = expand_project(tmp_path, "DEF B Big { }", {"Blob": BALL, "Big": derived})
    assert len(log) == 0
    root = last(tree)
    assert root.type_name == "Solid" and root.def_name == "B" and root.scope is None
    assert [scope.proto for scope in root.origins] == ["Big", "Blob"]
    assert root.origins[0].instance.type_name == "Big"
    assert root.origins[0].instance.span.file.endswith("world.wbt")
    inner = children(root)[0]
    assert inner.origins == () and inner.scope is root.origins[1]
    assert inner.span.file.endswith("Blob.proto") and inner.span.line == 12
    assert root.origins[1].outer is root.origins[0] and root.origins[0].header == "R2025a"


def test_world_without_instances_comes_back_unchanged(tmp_path: Path) -> None:
    tree, log = expand_project(tmp_path, "Solid { children [ Shape { } ] }", {})
    assert len(log) == 0
    assert last(tree).scope is None and last(tree).origins == ()


def test_undeclared_node_of_a_new_release_is_unknown() -> None:
    _, log = read("OvalTable { }")
    assert 'declared with EXTERNPROTO "url"' in the(log, "unknown-node").text
