"""The table applied to what is written: unknown names, wrong values, DEF and USE."""

from __future__ import annotations

import math

import pytest

from solidbody.base.diagnostics import Severity
from solidbody.base.span import NOWHERE
from solidbody.formats.vrml.syntax import NumbersSyntax
from solidbody.formats.webots.nodes import NODES
from solidbody.formats.webots.nodes.values import read_value
from solidbody.model.geometry import GeometryBox, GeometrySphere
from tests.formats.reading import (
    assert_error,
    assert_warning,
    codes,
    link_named,
    read,
    read_clean,
    the,
)


def test_unknown_field_names_the_closest_one() -> None:
    text = "Robot { children [ HingeJoint { jointParameters HingeJointParameters { dampingConst 1 } } ] }"
    _, log = read(text)
    found = the(log, "unknown-field")
    assert found.text == (
        'HingeJointParameters has no field "dampingConst". Did you mean "dampingConstant"?'
    )
    assert (found.node, found.field) == (
        "Robot > HingeJoint > HingeJointParameters",
        "dampingConst",
    )


def test_unknown_node_names_the_closest_one() -> None:
    scene, log = read("Solld { } Solid { }")
    found = assert_error(log, "unknown-node", 'unknown node type "Solld". Did you mean "Solid"?')
    assert (found.span.line, found.span.column) == (4, 1)
    assert len(scene.bodies) == 1


def test_undeclared_node_of_an_old_release_may_be_a_proto() -> None:
    _, log = read("OvalTable { }", release="R2019a")
    assert '"OvalTable" may be a PROTO' in the(log, "missing-proto").text


def test_unsupported_node_is_a_warning() -> None:
    _, log = read("Robot { children [ Radio { anything 64 } ] }")
    found = assert_warning(log, "unsupported-node", "Radio is not supported yet")
    assert found.node == "Robot > Radio"


def test_unsupported_field_is_a_warning_unless_it_is_the_default() -> None:
    read_clean('WorldInfo { physics "<none>" }')
    _, log = read('WorldInfo { physics "my_plugin" }')
    assert_warning(log, "unsupported-field", "not supported yet")


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ('minStop "left"', 'expected one number [rad], got "left"; the default 0 is used.'),
        ("minStop left", "expected one number [rad], got left; the default 0 is used."),
        ("minStop TRUE", "expected one number [rad], got TRUE"),
        ("minStop 1 2", "expected one number [rad], got 1 2"),
        ("minStop [ 1 ]", "expected one number [rad], got a list"),
        ("minStop Box { }", "expected one number [rad], got a node Box"),
        ("minStop NULL", "expected one number [rad], got NULL"),
        ("minStop IS x", "expected one number [rad], got IS x"),
        ("axis 1 2", "expected 3 numbers, got 1 2; the default 1 0 0 is used."),
        ("axis 1 2 3 4", "expected 3 numbers, got 1 2 3 4"),
    ],
)
def test_value_of_another_type_says_what_is_allowed(field: str, expected: str) -> None:
    node = f"HingeJoint {{ jointParameters HingeJointParameters {{ {field} }} }}"
    _, log = read(f"Robot {{ children [ {node} ] }}")
    found = the(log, "bad-value")
    assert found.severity is Severity.ERROR
    assert expected in found.text
    assert found.field == field.split()[0]


@pytest.mark.parametrize(
    ("world", "expected"),
    [
        ("Solid { name 3 }", "expected a string in quotes, got 3"),
        ('Solid { locked "x" }', 'expected TRUE or FALSE, got "x"'),
        ("Solid { rotation 0 0 1 }", "expected 4 numbers (axis x y z and angle), got 0 0 1"),
        ("Solid { recognitionColors [ 1 0 ] }", "a list of colours, 3 numbers each, got a list"),
        ("WorldInfo { randomSeed 1.5 }", "expected one whole number, got 1.5"),
        ('WorldInfo { info [ "a" 1 ] }', "expected a list of strings in quotes, got a list"),
        ("Robot { controllerArgs TRUE }", "expected a list of strings in quotes, got TRUE"),
        ("Solid { physics 5 }", "expected a node or NULL, got 5"),
        ("Solid { physics [ Physics { } ] }", "expected a node or NULL, got a list"),
        ("Solid { children [ 5 ] }", "expected a list of nodes, got 5"),
    ],
)
def test_each_type_says_what_it_takes(world: str, expected: str) -> None:
    _, log = read(world)
    assert expected in the(log, "bad-value").text


def test_single_value_of_a_list_needs_no_brackets() -> None:
    scene = read_clean('Robot { controllerArgs "a" recognitionColors 1 0 0 children Group { } }')
    assert scene.bodies[0].robots[0].controller_args == ("a",)
    assert scene.bodies[0].links[0].recognition_colors == ((1.0, 0.0, 0.0),)


@pytest.mark.parametrize("number", ["1e999", "-1e999"])
def test_number_that_is_not_finite_is_an_error(number: str) -> None:
    scene, log = read(f"Solid {{ translation 0 {number} 0 }}")
    assert_error(log, "non-finite", "too large")
    assert scene.bodies[0].links[0].pose.position == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("word", ["nan", "inf", "-inf"])
def test_word_for_a_number_that_is_not_finite_is_an_error(word: str) -> None:
    """Webots writes them after an explosion."""
    _, log = read(f"WorldInfo {{ gravity {word} }}")
    assert_error(log, "non-finite", "a number is not finite")


def test_words_are_no_numbers() -> None:
    _, log = read("WorldInfo { gravity NaN }")
    assert_error(log, "bad-value", "expected one number [m/s^2], got NaN")


def test_rotation_axis_is_normalised() -> None:
    scene = read_clean("Solid { rotation 0 0 5 1 }")
    assert scene.bodies[0].links[0].pose.rotation == pytest.approx(
        (math.cos(0.5), 0.0, 0.0, math.sin(0.5))
    )


def test_an_axis_that_was_saved_as_a_unit_vector_keeps_its_numbers() -> None:
    """Its length is 1 up to rounding; divided by it, the last digits would change."""
    axis = (-0.15446004944406294, -0.9863303157332812, -0.05739861837381841)
    length = math.hypot(*axis)
    assert length != 1.0 and axis[0] / length != axis[0]
    row = NODES.fields("Viewpoint")["orientation"]
    written = NumbersSyntax((*axis, 1.2), NOWHERE)
    assert read_value(row, written, lambda *_: None) == (*axis, 1.2)


def test_null_rotation_axis_is_no_rotation_with_a_warning() -> None:
    scene, log = read("Solid { rotation 0 0 0 1 }")
    assert_warning(log, "null-axis", "no rotation")
    assert scene.bodies[0].links[0].pose.rotation == (1.0, 0.0, 0.0, 0.0)


def test_field_written_twice_keeps_the_last_value() -> None:
    scene, log = read('Solid { name "a" name "b" }')
    assert_warning(log, "repeated-field", "written twice")
    assert scene.bodies[0].name == "b"


def test_colour_out_of_range_is_clamped() -> None:
    scene, log = read("Background { skyColor [ 2 0.5 -1 ] }")
    assert_warning(log, "value-reset", "must be between 0 and 1")
    assert scene.background is not None and scene.background.color == (1.0, 0.5, 0.0)


def test_node_of_the_wrong_kind_is_left_out_with_what_is_allowed() -> None:
    scene, log = read("Solid { physics Damping { } children [ ContactProperties { } ] }")
    assert codes(log) == ["wrong-node", "wrong-node"]
    assert "a Damping node is not allowed here (allowed: Physics)" in log.items[0].text
    assert scene.bodies[0].links[0].mass is None


def test_node_that_is_not_for_the_top_is_left_out() -> None:
    scene, log = read("Camera { } Physics { }")
    assert codes(log) == ["wrong-node", "wrong-node"]
    assert scene.bodies == ()


def test_field_gone_since_a_release_is_unknown_after_it() -> None:
    _, log = read("Solid { scale 2 2 2 }")
    found = assert_error(log, "unknown-field", 'Solid has no field "scale"')
    assert "up to R2023a" in found.text
    _, log = read("Solid { scale 2 2 2 }", release="R2022a")
    assert codes(log) == []


# DEF and USE


def test_use_means_the_closest_preceding_def() -> None:
    world = """
        Solid { name "a" children [ Shape { geometry DEF G Box { } } ] }
        Solid { name "b" boundingObject USE G }
        Solid { name "c" children [ Shape { geometry DEF G Sphere { } } ] boundingObject USE G }
    """
    scene = read_clean(world)
    assert isinstance(link_named(scene, "b").shapes[0].geometry, GeometryBox)
    assert isinstance(link_named(scene, "c").shapes[0].geometry, GeometrySphere)


def test_use_of_a_def_inside_an_earlier_field_of_the_same_node() -> None:
    scene = read_clean(
        "Solid { children [ DEF S Shape { geometry Box { } } ] boundingObject USE S }"
    )
    assert len(scene.bodies[0].links[0].shapes) == 2


def test_undefined_use_is_an_error_with_a_guess() -> None:
    _, log = read("Solid { children [ DEF WHEEL Shape { } USE WHEAL ] }")
    assert_error(log, "undefined-use", 'the DEF name "WHEAL". Did you mean "WHEEL"?')


def test_use_before_its_def_is_undefined() -> None:
    _, log = read("Solid { children [ USE S DEF S Shape { } ] }")
    assert_error(log, "undefined-use", "no node before this place")


def test_use_inside_itself_is_an_error() -> None:
    _, log = read("DEF G Group { children [ Pose { children [ USE G ] } ] }")
    assert_error(log, "recursive-use", "used inside itself")


@pytest.mark.parametrize(
    "text",
    [
        "DEF X Solid { } Group { children [ USE X ] }",
        "DEF X Robot { } Group { children [ USE X ] }",
        "Solid { children [ DEF X HingeJoint { endPoint NULL } USE X ] }",
        "Robot { children [ HingeJoint { jointParameters DEF X HingeJointParameters { } }"
        " HingeJoint { jointParameters USE X } ] }",
    ],
)
def test_use_is_forbidden_for_solids_and_joints(text: str) -> None:
    _, log = read(text)
    assert "USE is not allowed for" in the(log, "illegal-use").text


@pytest.mark.parametrize(
    ("world", "text"),
    [
        (
            "Robot { children [ LED { children Shape { appearance PBRAppearance { } } } "
            'LED { name "b" children Shape { appearance DEF LOOK PBRAppearance { } } } '
            "Shape { appearance USE LOOK } ] }",
            "the LED changes this PBRAppearance",
        ),
        (
            "Shape { appearance DEF LOOK Appearance { material Material { } } } "
            "Robot { children [ LED { children Shape { appearance USE LOOK } } ] }",
            "the LED changes this Material",
        ),
        (
            "Shape { appearance Appearance { textureTransform DEF T TextureTransform { } } } "
            "Robot { children [ Track { textureAnimation 1 0 children Shape { appearance PBRAppearance { "
            "textureTransform USE T } } } ] }",
            "the Track changes this TextureTransform",
        ),
    ],
    ids=["out of an LED", "into an LED", "into a track"],
)
def test_use_of_what_a_device_changes_is_a_warning(world: str, text: str) -> None:
    _, log = read(world)
    assert text in the(log, "driven-use").text


def test_use_of_what_an_led_leaves_alone_is_fine() -> None:
    world = (
        "Robot { children [ LED { children Shape { appearance PBRAppearance { } "
        "geometry DEF G Sphere { } } } Shape { geometry USE G } Track { children Shape { appearance "
        "PBRAppearance { textureTransform DEF T TextureTransform { } } } } "
        "Shape { appearance PBRAppearance { textureTransform USE T } } ] }"
    )
    assert "driven-use" not in codes(read(world)[1])


def test_use_of_a_group_with_a_solid_inside_is_forbidden() -> None:
    _, log = read("DEF G Group { children [ Solid { } ] } Group { children [ USE G ] }")
    assert "Solid nodes, which lies in this Group" in the(log, "illegal-use").text


def test_use_of_a_node_that_was_left_out_says_so() -> None:
    _, log = read("Pipe { children [ DEF S Shape { } ] } Group { children [ USE S ] }")
    assert codes(log) == ["unknown-node", "undefined-use"]
    assert "was left out" in log.items[1].text


def test_nested_use_that_multiplies_without_end_is_stopped() -> None:
    """Twenty doublings of a pair are a million nodes, forty would be a trillion."""
    levels = "".join(
        f"DEF G{i + 1} Group {{ children [ USE G{i} USE G{i} ] }}\n" for i in range(40)
    )
    _, log = read("DEF G0 Group { }\n" + levels)
    assert "too-many-nodes" in codes(log)
