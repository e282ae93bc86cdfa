"""Extra joints: kinds, anchors and axes in their real and documented spellings."""

from __future__ import annotations

import pytest

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.model.joints import Loop, LoopBall, LoopFixed, LoopHinge, LoopPiston
from solidbody.model.links import Body
from tests.formats.choreonoid.bodies import read_body
from tests.formats.reading import assert_error, assert_warning, codes

ROUNDING = 1e-15
LINKS = "  - name: A\n  - { name: B, parent: A }"
ENDS = "link1_name: A, link2_name: B"


def read(entry: str, *, key: str = "extra_joints") -> tuple[Body, DiagnosticLog]:
    return read_body(LINKS, more=f"{key}: [ {{ {entry} }} ]\n")


def clean(entry: str, *, key: str = "extra_joints") -> Loop:
    body, log = read(entry, key=key)
    assert [str(item) for item in log] == []
    return body.loops[0]


def axes(loop: Loop) -> list[tuple[float, ...]]:
    return [end.pose.direction((0.0, 0.0, 1.0)) for end in loop.ends]


@pytest.mark.parametrize(
    ("word", "kind"), [("ball", LoopBall), ("hinge", LoopHinge), ("piston", LoopPiston)]
)
def test_kinds_of_extra_joints(word: str, kind: type) -> None:
    for key in ("extra_joints", "extraJoints"):
        loop = clean(f"{ENDS}, joint_type: {word}", key=key)
        assert isinstance(loop, kind)
        assert [end.link for end in loop.ends] == ["Robot:A", "Robot:B"]
    assert isinstance(clean(f"link1Name: A, link2Name: B, jointType: {word}"), kind)


def test_fixed_extra_joints_are_held_though_choreonoid_does_not() -> None:
    body, log = read(f"{ENDS}, joint_type: fixed")
    assert_warning(log, "fixed-extra-joint", "Choreonoid's own simulator does nothing with it")
    assert isinstance(body.loops[0], LoopFixed)


@pytest.mark.parametrize("stem", ["translation_in_link{}", "link{}LocalPos"])
def test_anchors_stand_in_each_link(stem: str) -> None:
    loop = clean(
        f"{ENDS}, joint_type: ball, {stem.format(1)}: [ 1, 0, 0 ], {stem.format(2)}: [ 0, 2, 0 ]"
    )
    assert [end.pose.position for end in loop.ends] == [(1.0, 0.0, 0.0), (0.0, 2.0, 0.0)]


def test_the_anchors_of_the_manual_are_read_with_a_warning() -> None:
    """By experiment Choreonoid silently ignores them."""
    body, log = read(f"{ENDS}, joint_type: ball, link1_local_pos: [ 1, 0, 0 ]")
    assert_warning(log, "unread-key", 'write "translation_in_link1"')
    assert body.loops[0].ends[0].pose.position == (1.0, 0.0, 0.0)


def test_the_axis_is_x_by_default() -> None:
    for axis in axes(clean(f"{ENDS}, joint_type: hinge")):
        assert axis == pytest.approx((1.0, 0.0, 0.0), abs=ROUNDING)


@pytest.mark.parametrize("key", ["axis", "jointAxis"])
@pytest.mark.parametrize("written", ["[ 0, 3, 0 ]", "[ 0, 0, -2 ]", "[ 1, 2, -4 ]"])
def test_the_axis_holds_in_both_links_and_is_normalised(key: str, written: str) -> None:
    """The manual says link-1 coordinates."""
    numbers = [float(word) for word in written.strip("[] ").split(",")]
    length = sum(number * number for number in numbers) ** 0.5
    for axis in axes(clean(f"{ENDS}, joint_type: hinge, {key}: {written}")):
        assert axis == pytest.approx([number / length for number in numbers], abs=ROUNDING)


def test_a_ball_needs_no_axis() -> None:
    """Zeros are no error where nothing is to be turned about; for a hinge they are."""
    clean(f"{ENDS}, joint_type: ball, axis: [ 0, 0, 0 ]")
    _, log = read(f"{ENDS}, joint_type: hinge, axis: [ 0, 0, 0 ]")
    assert_error(log, "null-axis", "the axis has no direction")


def test_joint_axis_is_read_with_a_warning() -> None:
    """By experiment Choreonoid does not read it."""
    body, log = read(f"{ENDS}, joint_type: hinge, joint_axis: [ 0, 1, 0 ]")
    assert_warning(log, "unread-key", 'write "axis"')
    assert axes(body.loops[0])[0] == pytest.approx((0.0, 1.0, 0.0), abs=ROUNDING)


def test_letters_are_no_axis_here() -> None:
    _, log = read(f"{ENDS}, joint_type: hinge, axis: Y")
    assert_error(log, "wrong-value", "expected a list of 3 numbers")


def test_rotations_turn_the_axis_in_each_link() -> None:
    loop = clean(f"{ENDS}, joint_type: hinge, rotation_in_link2: [ 0, 0, 1, 90 ]")
    first, second = axes(loop)
    assert first == pytest.approx((1.0, 0.0, 0.0), abs=ROUNDING)
    assert second == pytest.approx((0.0, 1.0, 0.0), abs=ROUNDING)


def test_unknown_links_are_an_error() -> None:
    body, log = read("link1_name: A, link2_name: BB, joint_type: ball")
    item = assert_error(log, "unknown-link", 'no link is named "BB"')
    assert (item.field, item.node) == ("link2_name", "extra_joints[0]")
    assert body.loops == ()


@pytest.mark.parametrize(
    ("entry", "field"),
    [
        ("link1_name: A, joint_type: ball", "link2_name"),
        ("link2_name: A, joint_type: ball", "link1_name"),
        (ENDS, "joint_type"),
    ],
)
def test_links_and_type_are_required(entry: str, field: str) -> None:
    body, log = read(entry)
    assert [(item.code, item.field) for item in log] == [("missing-key", field)]
    assert body.loops == ()


def test_other_types_are_an_error() -> None:
    _, log = read(f"{ENDS}, joint_type: revolute")
    assert_error(log, "wrong-value", "expected one of fixed, hinge, ball, piston")


def test_entries_must_be_mappings() -> None:
    _, log = read_body(LINKS, more="extra_joints: [ 5 ]\n")
    assert codes(log) == ["wrong-value"]
