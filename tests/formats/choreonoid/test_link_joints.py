"""Joint keys of links: types, axes, start, ratings, modes, numbers."""

from __future__ import annotations

import math

import pytest

from solidbody.base.transforms import Pose
from solidbody.model.joints import (
    JointFixed,
    JointFree,
    JointHinge,
    JointSlider,
    JointTrack,
)
from solidbody.model.links import Motion
from solidbody.model.motors import ControlMode
from tests.formats.choreonoid.bodies import (
    RADIANS,
    axis_of,
    clean_link,
    read_body,
    read_clean,
    read_link,
)
from tests.formats.reading import assert_error, assert_warning, codes

DEGREE = math.pi / 180
ROUNDING = 1e-15


# ------------------------------------------------------------------------------------------- types


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("revolute", JointHinge),
        ("prismatic", JointSlider),
        ("slide", JointSlider),
        ("free", JointFree),
        ("fixed", JointFixed),
        ("pseudo_continuous_track", JointTrack),
        ("pseudoContinuousTrack", JointTrack),
    ],
)
@pytest.mark.parametrize("key", ["joint_type", "jointType"])
def test_joint_types(word: str, kind: type, key: str) -> None:
    assert isinstance(clean_link(f"{key}: {word}").joint, kind)


def test_links_are_fixed_unless_said_otherwise() -> None:
    assert isinstance(clean_link("mass: 1").joint, JointFixed)


@pytest.mark.parametrize("word", ["ball", "universal", "Revolute", "[ fixed ]"])
def test_other_types_are_an_error(word: str) -> None:
    link, log = read_link(f"joint_type: {word}")
    item = assert_error(log, "joint-type", "expected one of revolute, prismatic, slide, free")
    assert item.field == "joint_type"
    assert isinstance(link.joint, JointFixed)


def test_continuous_is_an_error_that_says_what_to_write() -> None:
    link, log = read_link("joint_type: continuous")
    assert_error(log, "joint-type", "write revolute without a joint_range")
    assert isinstance(link.joint, JointHinge)


def test_only_a_free_root_floats() -> None:
    """Any other root is bolted to the world, even one that is called revolute."""
    free = read_clean("  - { name: A, joint_type: free, translation: [ 0, 0, 1 ] }").links[0]
    assert isinstance(free.joint, JointFree) and free.motion is Motion.DYNAMIC
    assert free.pose == Pose((0.0, 0.0, 1.0))
    for word in ("fixed", "revolute"):
        root = read_clean(f"  - {{ name: A, joint_type: {word} }}").links[0]
        assert isinstance(root.joint, JointFixed) and root.motion is Motion.KINEMATIC


def test_a_free_link_may_stand_anywhere() -> None:
    """The manual allows it for the root only; elsewhere it starts a tree of its own."""
    body = read_clean(
        "  - name: A\n  - { name: B, parent: A, joint_type: free, translation: [ 1, 0, 0 ] }"
    )
    assert isinstance(body.links[1].joint, JointFree)
    assert body.links[1].motion is Motion.DYNAMIC
    assert body.links[1].pose.position == (1.0, 0.0, 0.0)


def test_a_track_drives_its_link_forward_on_flat_ground() -> None:
    """Axis +y, ground below: positive speed drives towards +x (crawler run of the original)."""
    joint = clean_link("joint_type: pseudo_continuous_track; joint_axis: Y").joint
    assert isinstance(joint, JointTrack)
    assert joint.direction == (1.0, 0.0, 0.0) and joint.up == (0.0, 0.0, 1.0)
    assert joint.axis.direction == (0.0, 1.0, 0.0), "its own, not where it drives"
    assert joint.axis.motor is not None and joint.axis.motor.mode is ControlMode.VELOCITY


# -------------------------------------------------------------------------------------------- axes


@pytest.mark.parametrize(
    ("written", "axis"),
    [
        ("[ 0, 1, 0 ]", (0.0, 1.0, 0.0)),
        ("X", (1.0, 0.0, 0.0)),
        ("y", (0.0, 1.0, 0.0)),
        ("-Z", (0.0, 0.0, -1.0)),
        ("-x", (-1.0, 0.0, 0.0)),
    ],
)
@pytest.mark.parametrize("key", ["joint_axis", "jointAxis"])
def test_axes_are_vectors_or_letters(written: str, axis: object, key: str) -> None:
    assert axis_of(clean_link(f"joint_type: revolute; {key}: {written}")).direction == axis


def test_the_axis_is_z_by_default() -> None:
    assert axis_of(clean_link("joint_type: revolute")).direction == (0.0, 0.0, 1.0)


def test_an_axis_of_another_length_is_normalised_with_a_warning() -> None:
    """By experiment Choreonoid takes it as it is, which breaks the kinematics."""
    link, log = read_link("joint_type: revolute; joint_axis: [ 0, 2, 0 ]")
    assert_warning(log, "axis-length", "the axis has length 2, not 1")
    assert axis_of(link).direction == (0.0, 1.0, 0.0)


def test_rounded_axes_are_normalised_quietly() -> None:
    axis = axis_of(clean_link("joint_type: revolute; joint_axis: [ 0.7071, 0.7071, 0 ]"))
    assert math.hypot(*axis.direction) == pytest.approx(1.0, abs=ROUNDING)


@pytest.mark.parametrize("written", ["[ 0, 0, 0 ]", "W", "+X", "[ 1, 0 ]"])
def test_a_wrong_axis_is_an_error(written: str) -> None:
    link, log = read_link(f"joint_type: revolute; joint_axis: {written}")
    assert codes(log) in (["null-axis"], ["wrong-value"])
    assert axis_of(link).direction == (0.0, 0.0, 1.0)


@pytest.mark.parametrize("kind", ["fixed", "free"])
@pytest.mark.parametrize("written", ["[ 0, 0, 0 ]", "[ 0, 5, 0 ]"])
def test_joints_without_an_axis_may_name_any(kind: str, written: str) -> None:
    """Exporters write zeros; Choreonoid does not look at them."""
    body = read_clean(
        "  - { name: A }\n"
        f"  - {{ name: B, parent: A, joint_type: {kind}, joint_axis: {written} }}"
    )
    assert len(body.links) == 2


def test_the_axis_is_given_in_the_link_frame() -> None:
    """In the model it is given in the parent's: turned by the offset."""
    link = clean_link("joint_type: revolute; joint_axis: X; rotation: [ 0, 0, 1, 90 ]")
    assert axis_of(link).direction == pytest.approx((0.0, 1.0, 0.0), abs=ROUNDING)


# ------------------------------------------------------------------------------------------- start


@pytest.mark.parametrize("key", ["joint_angle", "jointAngle"])
def test_the_joint_angle_is_the_start(key: str) -> None:
    link = clean_link(f"joint_type: revolute; {key}: 30; translation: [ 1, 0, 0 ]")
    assert axis_of(link).position == 30 * DEGREE
    turn = (math.cos(15 * DEGREE), 0.0, 0.0, math.sin(15 * DEGREE))
    assert link.pose.rotation == pytest.approx(turn, abs=ROUNDING)
    assert link.pose.position == (1.0, 0.0, 0.0)


@pytest.mark.parametrize("key", ["joint_displacement", "jointDisplacement"])
def test_joint_displacement_is_in_degrees_for_revolute_joints(key: str) -> None:
    """By experiment; the manual says radians."""
    link, log = read_link(f"joint_type: revolute; {key}: 90")
    assert axis_of(link).position == math.pi / 2
    assert codes(log) == ["displacement-unit"]
    assert "read as 90 degrees" in log.items[0].text


def test_joint_displacement_follows_the_unit_of_the_file() -> None:
    link = clean_link("joint_type: revolute; joint_displacement: 0.5", header=RADIANS)
    assert axis_of(link).position == 0.5


def test_joint_displacement_is_in_metres_for_prismatic_joints() -> None:
    link = clean_link("joint_type: prismatic; joint_axis: X; joint_displacement: 0.25")
    assert axis_of(link).position == 0.25
    assert link.pose.position == (0.25, 0.0, 0.0)


def test_joint_angle_is_converted_even_for_prismatic_joints() -> None:
    """By experiment: 90 gives 1.5708 m."""
    link, log = read_link("joint_type: prismatic; joint_angle: 90")
    assert axis_of(link).position == math.pi / 2
    assert_warning(log, "angle-of-slider", "write joint_displacement for metres")


def test_joint_displacement_wins_over_joint_angle() -> None:
    link, log = read_link("joint_type: prismatic; joint_angle: 90; joint_displacement: 0.1")
    assert axis_of(link).position == 0.1
    assert_warning(log, "duplicate-key", "joint_displacement is given too and counts")


def test_the_range_does_not_change_the_start() -> None:
    link = clean_link("joint_type: revolute; joint_angle: 30; joint_range: [ -10, 10 ]")
    assert axis_of(link).position == 30 * DEGREE


# ----------------------------------------------------------------------------------------- ratings


@pytest.mark.parametrize(
    ("written", "ends"),
    [
        ("90", (-90.0, 90.0)),
        ("[ -30, 60 ]", (-30.0, 60.0)),
        ("[ unlimited, 60 ]", (-math.inf, 60.0)),
        ("[ -30, unlimited ]", (-30.0, math.inf)),
    ],
)
@pytest.mark.parametrize("key", ["joint_range", "jointRange"])
def test_joint_ranges(written: str, ends: tuple[float, float], key: str) -> None:
    link = clean_link(f"joint_type: revolute; {key}: {written}")
    assert axis_of(link).rated_range == (ends[0] * DEGREE, ends[1] * DEGREE)


@pytest.mark.parametrize("written", ["unlimited", "[ unlimited, unlimited ]"])
def test_unlimited_ranges_are_none(written: str) -> None:
    assert axis_of(clean_link(f"joint_type: revolute; joint_range: {written}")).rated_range is None


def test_ranges_of_prismatic_joints_are_in_metres() -> None:
    link = clean_link("joint_type: prismatic; joint_range: [ -0.1, 0.2 ]")
    assert axis_of(link).rated_range == (-0.1, 0.2)


def test_joint_ranges_do_not_stop_the_joint() -> None:
    """The manual calls it the range of motion; the AIST simulator does not enforce it."""
    assert axis_of(clean_link("joint_type: revolute; joint_range: 30")).stops is None


def test_infinity_is_no_limit_but_meant_as_one() -> None:
    link, log = read_link("joint_type: revolute; joint_range: [ 0, inf ]")
    assert_warning(log, "infinite-limit", 'write "unlimited"')
    assert axis_of(link).rated_range == (0.0, math.inf)


def test_infinite_ends_are_none_whatever_their_sign() -> None:
    """A range that ends at minus infinity would hold no angle at all."""
    link, _ = read_link("joint_type: revolute; joint_range: [ inf, -inf ]")
    assert axis_of(link).rated_range is None


@pytest.mark.parametrize("written", ["[ 1 ]", "[ 1, 2, 3 ]", "wide", "{ low: 1 }", "[ 1, x ]"])
def test_wrong_ranges_are_an_error(written: str) -> None:
    link, log = read_link(f"joint_type: revolute; joint_range: {written}")
    assert_error(log, "wrong-value", "expected a")
    assert axis_of(link).rated_range is None


def test_a_range_upside_down_is_turned() -> None:
    link, log = read_link("joint_type: prismatic; joint_range: [ 2, 1 ]")
    assert_warning(log, "range-order", "[2, 1] is upside down")
    assert axis_of(link).rated_range == (1.0, 2.0)


@pytest.mark.parametrize("key", ["max_joint_velocity", "maxJointVelocity"])
def test_velocity_limits_are_in_degrees_for_revolute_joints(key: str) -> None:
    link = clean_link(f"joint_type: revolute; {key}: 90")
    assert axis_of(link).velocity_limit == math.pi / 2


def test_max_joint_velocity_wins_over_joint_velocity_range() -> None:
    """By experiment; the manual has it the other way round."""
    keys = "joint_type: prismatic; joint_velocity_range: [ -5, 5 ]; max_joint_velocity: 2"
    link, log = read_link(keys)
    assert axis_of(link).velocity_limit == 2.0
    assert_warning(log, "velocity-limits", "max_joint_velocity is given too and counts")


@pytest.mark.parametrize("key", ["joint_velocity_range", "jointVelocityRange"])
def test_joint_velocity_ranges(key: str) -> None:
    link = clean_link(f"joint_type: prismatic; {key}: [ -5, 5 ]")
    assert axis_of(link).velocity_limit == 5.0


def test_a_velocity_range_is_a_list_only() -> None:
    _, log = read_link("joint_type: prismatic; joint_velocity_range: 5")
    assert_error(log, "wrong-value", "expected a list [low, high]")


def test_an_uneven_velocity_range_warns() -> None:
    link, log = read_link("joint_type: prismatic; joint_velocity_range: [ -1, 5 ]")
    assert_warning(log, "velocity-range", "the limits -1 and 5 differ")
    assert axis_of(link).velocity_limit == 5.0


def test_effort_limits_exist_in_snake_case_only() -> None:
    assert axis_of(clean_link("joint_type: revolute; max_joint_effort: 7")).effort_limit == 7.0
    link, log = read_link("joint_type: revolute; maxJointEffort: 7")
    assert_warning(log, "unknown-key", 'Did you mean "max_joint_effort"?')
    assert axis_of(link).effort_limit == math.inf


def test_a_negative_limit_is_an_error() -> None:
    link, log = read_link("joint_type: revolute; max_joint_effort: -7")
    assert_error(log, "wrong-value", "a limit is not negative")
    assert axis_of(link).effort_limit == math.inf


def test_the_rotor_is_seen_through_the_gear() -> None:
    """Equivalent inertia = gear_ratio^2 * rotor_inertia."""
    for keys in ("rotor_inertia: 0.001; gear_ratio: 10", "rotorInertia: 0.001; gearRatio: 10"):
        armature = axis_of(clean_link(f"joint_type: revolute; {keys}")).armature
        assert armature == pytest.approx(0.1, abs=ROUNDING)


def test_joint_axis_inertia_replaces_rotor_and_gear() -> None:
    keys = "joint_type: revolute; rotor_inertia: 9; gear_ratio: 9; joint_axis_inertia: 0.5"
    assert axis_of(clean_link(keys)).armature == 0.5


def test_a_negative_rotor_inertia_is_an_error() -> None:
    _, log = read_link("joint_type: revolute; rotor_inertia: -1")
    assert_error(log, "wrong-value", "an inertia is finite and not negative")


@pytest.mark.parametrize(
    "key", ["rotor_resistor", "torque_const", "gear_efficiency", "encoder_pulse"]
)
def test_keys_of_the_vrml_era_have_no_meaning(key: str) -> None:
    link, log = read_link(f"joint_type: revolute; {key}: 3")
    assert codes(log) == ["no-meaning"]
    assert dict(link.metadata) == {key: "3"}
    assert axis_of(link).damping == 0.0


# ----------------------------------------------------------------------------------------- driving


@pytest.mark.parametrize(
    ("word", "mode"),
    [
        ("joint_effort", ControlMode.EFFORT),
        ("jointEffort", ControlMode.EFFORT),
        ("jointTorque", ControlMode.EFFORT),
        ("jointForce", ControlMode.EFFORT),
        ("joint_displacement", ControlMode.POSITION),
        ("jointDisplacement", ControlMode.POSITION),
        ("jointAngle", ControlMode.POSITION),
        ("joint_velocity", ControlMode.VELOCITY),
        ("jointVelocity", ControlMode.VELOCITY),
    ],
)
@pytest.mark.parametrize("key", ["actuation_mode", "actuationMode"])
def test_actuation_modes(word: str, mode: ControlMode, key: str) -> None:
    motor = axis_of(clean_link(f"joint_type: revolute; {key}: {word}")).motor
    assert motor is not None and motor.mode is mode


def test_surface_velocity_makes_a_track() -> None:
    link = clean_link("joint_type: fixed; actuation_mode: jointSurfaceVelocity")
    assert isinstance(link.joint, JointTrack)


def test_a_root_with_prescribed_position_moves_by_program_only() -> None:
    for word in ("link_position", "linkPosition"):
        root = read_clean(f"  - {{ name: A, joint_type: free, actuation_mode: {word} }}").links[0]
        assert root.motion is Motion.KINEMATIC and isinstance(root.joint, JointFree)
        assert dict(root.metadata) == {"actuation_mode": "link_position"}


@pytest.mark.parametrize(
    ("word", "advice"),
    [
        ("joint_torque", "joint_effort"),
        ("joint_angle", "joint_displacement"),
        ("joint_surface_velocity", "jointSurfaceVelocity"),
    ],
)
def test_some_modes_exist_in_camel_case_only(word: str, advice: str) -> None:
    _, log = read_link(f"joint_type: revolute; actuation_mode: {word}")
    assert_error(log, "actuation-mode", f'got "{word}". Write "{advice}".')


def test_other_modes_are_an_error() -> None:
    link, log = read_link("joint_type: revolute; actuation_mode: joint_efort")
    item = assert_error(log, "actuation-mode", "No mode is set")
    assert 'Did you mean "joint_effort"?' in item.text
    assert axis_of(link).motor is None


def test_a_joint_with_a_number_can_be_driven_and_moves_freely_until_then() -> None:
    motor = axis_of(clean_link("joint_type: revolute; joint_id: 0; max_joint_effort: 7")).motor
    assert motor is not None
    assert (motor.mode, motor.max_effort) == (ControlMode.FREE, 7.0)
    assert axis_of(clean_link("joint_type: revolute")).motor is None


# ------------------------------------------------------------------------------------------- names


def test_the_joint_has_the_name_of_the_link_unless_it_has_its_own() -> None:
    joint = clean_link("joint_type: revolute").joint
    assert isinstance(joint, JointHinge) and joint.name == "A"
    joint = clean_link("joint_type: revolute; joint_name: KNEE").joint
    assert isinstance(joint, JointHinge) and joint.name == "KNEE"


def test_two_joints_of_one_name_are_an_error() -> None:
    body, log = read_body(
        "  - name: R\n  - { name: A, parent: R, joint_type: revolute, joint_name: J }\n"
        "  - { name: B, parent: A, joint_type: revolute, joint_name: J }"
    )
    assert_error(log, "duplicate-name", 'the joint of "A" is named "J" too')
    joints = [link.joint for link in body.links[1:]]
    assert [joint.name for joint in joints if isinstance(joint, JointHinge)] == ["J", "J(1)"]


def test_joint_names_exist_in_snake_case_only() -> None:
    _, log = read_link("joint_type: revolute; jointName: KNEE")
    assert_warning(log, "unknown-key", 'Did you mean "joint_name"?')


@pytest.mark.parametrize("key", ["joint_id", "jointId"])
def test_joint_numbers(key: str) -> None:
    assert clean_link(f"joint_type: revolute; {key}: 0").joint_number == 0
    assert clean_link(f"joint_type: revolute; {key}: -1").joint_number is None


def test_a_fixed_link_with_a_number_counts_as_a_joint() -> None:
    assert clean_link("joint_id: 0").joint_number == 0


def test_the_first_link_keeps_a_number_that_is_given_twice() -> None:
    body, log = read_body(
        "  - name: R\n  - { name: A, parent: R, joint_type: revolute, joint_id: 0 }\n"
        "  - { name: B, parent: A, joint_type: revolute, joint_id: 0 }"
    )
    item = assert_warning(log, "duplicate-joint-id", 'joint id 0 is taken by "A", which keeps it')
    assert item.span.line == 7
    assert [link.joint_number for link in body.links] == [None, 0, None]


def test_gaps_between_joint_numbers_are_reported() -> None:
    _, log = read_body(
        "  - name: R\n  - { name: A, parent: R, joint_type: revolute, joint_id: 0 }\n"
        "  - { name: B, parent: A, joint_type: revolute, joint_id: 3 }"
    )
    assert_warning(log, "joint-id-gap", "no joint has the id 1 to 2")
