"""SubBody and ContinuousTrack entries of `links`."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.formats.choreonoid.body import sub_bodies
from solidbody.model.joints import JointFree, JointHinge
from solidbody.model.links import Body
from solidbody.model.motors import ControlMode
from tests.formats.choreonoid.bodies import HEADER, axis_of, read_body, read_clean, read_files
from tests.formats.reading import assert_error, assert_warning, codes

DEGREE = math.pi / 180

ARM = """format: ChoreonoidBody
format_version: 1.0
angle_unit: radian
name: Arm
standard_pose: [ 1 ]
maker: us
links:
  - { name: BASE, joint_type: free, mass: 5, joint_range: 2, translation: [ 0, 0, 9 ] }
  - name: TIP
    parent: BASE
    joint_type: revolute
    joint_id: 0
    joint_angle: 0.5
    joint_range: 1
    elements: { ForceSensor: { name: F } }
extra_joints:
  - { link1_name: BASE, link2_name: TIP, joint_type: ball }
"""


def with_arm(folder: Path, entry: str, *, more: str = "") -> tuple[Body, DiagnosticLog]:
    main = (
        f"{HEADER}{more}links:\n  - name: ROOT\n  - {{ type: SubBody, uri: arm.body, {entry} }}\n"
    )
    body, log = read_files(folder, {"main.body": main, "arm.body": ARM})
    assert body is not None
    return body, log


def test_a_sub_body_brings_its_links_joints_devices_and_loops(tmp_path: Path) -> None:
    body, log = with_arm(tmp_path, "parent: ROOT, joint_type: fixed, translation: [ 1, 0, 0 ]")
    assert [str(item) for item in log] == []
    assert [link.name for link in body.links] == ["ROOT", "BASE", "TIP"]
    assert body.links[1].pose.position == (1.0, 0.0, 0.0)
    assert [device.name for device in body.links[2].devices] == ["F"]
    assert [end.link for end in body.loops[0].ends] == ["Robot:BASE", "Robot:TIP"]


def test_names_get_prefix_and_suffix(tmp_path: Path) -> None:
    body, log = with_arm(tmp_path, "parent: ROOT, joint_type: fixed, prefix: L_, suffix: _1")
    assert not log.items
    assert [link.name for link in body.links[1:]] == ["L_BASE_1", "L_TIP_1"]
    joint = body.links[2].joint
    assert isinstance(joint, JointHinge) and joint.name == "L_TIP_1"
    assert [device.name for device in body.links[2].devices] == ["L_F"]  # no suffix for devices
    assert [end.link for end in body.loops[0].ends] == ["Robot:L_BASE_1", "Robot:L_TIP_1"]


@pytest.mark.parametrize("key", ["device_prefix", "devicePrefix"])
def test_devices_may_have_a_prefix_of_their_own(tmp_path: Path, key: str) -> None:
    body, _ = with_arm(tmp_path, f"parent: ROOT, joint_type: fixed, prefix: L_, {key}: X_")
    assert [device.name for device in body.links[2].devices] == ["X_F"]


@pytest.mark.parametrize("key", ["joint_id_offset", "jointIdOffset"])
def test_joint_numbers_are_shifted(tmp_path: Path, key: str) -> None:
    body, log = with_arm(tmp_path, f"parent: ROOT, joint_type: fixed, {key}: 3")
    assert codes(log) == ["joint-id-gap"]
    assert body.links[2].joint_number == 3


def test_each_file_has_its_own_angle_unit(tmp_path: Path) -> None:
    body, _ = with_arm(tmp_path, "parent: ROOT, joint_type: revolute, joint_angle: 90")
    assert axis_of(body.links[1]).position == math.pi / 2
    assert axis_of(body.links[2]).position == 0.5


def test_joint_keys_are_written_to_the_root_of_the_sub_body(tmp_path: Path) -> None:
    body, _ = with_arm(
        tmp_path,
        "parent: ROOT, joint_type: revolute, joint_axis: Y, joint_id: 1, actuation_mode: joint_effort",
    )
    axis = axis_of(body.links[1])
    assert axis.direction == (0.0, 1.0, 0.0)
    assert axis.motor is not None and axis.motor.mode is ControlMode.EFFORT
    assert axis.rated_range is None  # reset to unlimited, since the joint reader writes it always
    assert axis_of(body.links[2]).rated_range == (-1.0, 1.0)


def test_without_joint_and_frame_keys_the_root_stays_as_it_is(tmp_path: Path) -> None:
    body, _ = with_arm(tmp_path, "parent: ROOT")
    assert isinstance(body.links[1].joint, JointFree)
    assert body.links[1].pose.position == (0.0, 0.0, 9.0)


def test_mass_keys_have_no_effect(tmp_path: Path) -> None:
    body, log = with_arm(tmp_path, "parent: ROOT, joint_type: fixed, mass: 77")
    assert_warning(log, "unread-key", "a SubBody keeps its own masses and joint names")
    assert body.links[1].mass is not None and body.links[1].mass.mass == 5.0


def test_elements_are_added_to_the_root(tmp_path: Path) -> None:
    body, _ = with_arm(
        tmp_path, "parent: ROOT, joint_type: fixed, elements: { ForceSensor: { name: G } }"
    )
    assert [device.name for device in body.links[1].devices] == ["G"]


def test_information_of_the_main_file_wins(tmp_path: Path) -> None:
    body, _ = with_arm(tmp_path, "parent: ROOT, joint_type: fixed", more="maker: them\n")
    # the arm's file is in radians, information in degrees: 1 rad = 180/pi degrees
    assert dict(body.metadata) == {"maker": "them", "standard_pose": "[57.2957795130823]"}


def test_collision_rules_of_a_sub_body_hold_where_the_main_file_has_none(tmp_path: Path) -> None:
    """They are information of the body, which is merged; names in them get no prefix."""
    arm = ARM + "collision_detection_rules: [ disabled_links: [ TIP ] ]\n"
    entry = (
        "  - name: ROOT\n  - { type: SubBody, uri: arm.body, parent: ROOT, joint_type: fixed }\n"
    )
    body, log = read_files(tmp_path, {"m.body": f"{HEADER}links:\n{entry}", "arm.body": arm})
    assert not log.items and body is not None
    assert body.collision.disabled_links == ("Robot:TIP",)
    own = "collision_detection_rules: [ disabled_links: [ ROOT ] ]\n"
    body, _ = read_files(tmp_path, {"m.body": f"{HEADER}{own}links:\n{entry}", "arm.body": arm})
    assert body is not None and body.collision.disabled_links == ("Robot:ROOT",)


def test_one_file_may_be_included_twice(tmp_path: Path) -> None:
    entry = (
        "{{ type: SubBody, uri: arm.body, parent: ROOT, joint_type: fixed, prefix: {p}, {more} }}"
    )
    main = f"{HEADER}links:\n  - name: ROOT\n" + "".join(
        f"  - {entry.format(p=p, more=more)}\n"
        for p, more in (("L_", "joint_id_offset: 0"), ("R_", "joint_id_offset: 1"))
    )
    body, log = read_files(tmp_path, {"main.body": main, "arm.body": ARM})
    assert not log.items and body is not None
    assert [link.name for link in body.links] == ["ROOT", "L_BASE", "L_TIP", "R_BASE", "R_TIP"]


def test_a_sub_body_may_be_the_root(tmp_path: Path) -> None:
    main = f"{HEADER}links:\n  - {{ type: SubBody, uri: arm.body }}\n"
    body, log = read_files(tmp_path, {"main.body": main, "arm.body": ARM})
    assert not log.items and body is not None
    assert isinstance(body.links[0].joint, JointFree) and body.links[0].name == "BASE"


def test_including_itself_is_an_error(tmp_path: Path) -> None:
    for name in ("main.body", "other.body"):
        main = (
            f"{HEADER}links:\n  - name: ROOT\n  - {{ type: SubBody, parent: ROOT, uri: {name} }}\n"
        )
        other = f"{HEADER}links:\n  - {{ name: A }}\n  - {{ type: SubBody, parent: A, uri: main.body }}\n"
        _, log = read_files(tmp_path, {"main.body": main, "other.body": other})
        assert [code for code in codes(log) if code == "include-circle"] == ["include-circle"]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    main = (
        f"{HEADER}links:\n  - name: ROOT\n  - {{ type: SubBody, uri: none.body, parent: ROOT }}\n"
    )
    body, log = read_files(tmp_path, {"main.body": main})
    assert_error(log, "missing-file", 'the body file "none.body" cannot be read')
    assert body is not None and len(body.links) == 1


def test_a_sub_body_needs_a_uri() -> None:
    _, log = read_body("  - name: ROOT\n  - { type: SubBody, parent: ROOT }")
    assert_error(log, "missing-key", "a SubBody needs the path of a body file")


def test_files_outside_the_project_are_refused(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "arm.body").write_text(ARM, encoding="utf-8")
    main = f"{HEADER}links:\n  - name: R\n  - {{ type: SubBody, uri: ../arm.body, parent: R }}\n"
    _, log = read_files(tmp_path / "inner", {"main.body": main})
    assert_error(log, "refused-file", "leads out of the folders")


def test_files_that_double_each_other_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Forty levels that each include the next one twice would be 10^12 links."""
    monkeypatch.setattr(sub_bodies, "MAX_LINKS", 500)
    files: dict[str, str] = {}
    for level in range(40):
        links = "".join(
            f"  - {{ type: SubBody, uri: b{level + 1}.body, parent: A, prefix: {side}{level} }}\n"
            for side in "LR"
        )
        files[f"b{level}.body"] = f"{HEADER}links:\n  - name: A\n{links}"
    files["b40.body"] = f"{HEADER}links:\n  - name: A\n"
    _, log = read_files(tmp_path, files)
    assert "too-deep" in codes(log)


def test_bodies_have_a_greatest_number_of_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sub_bodies, "MAX_LINKS", 2)
    body, log = with_arm(tmp_path, "parent: ROOT, joint_type: fixed")
    assert_error(log, "too-many-links", "a body has at most 2 links; left out")
    assert len(body.links) == 1


# -------------------------------------------------------------------------------- chains of shoes

TRACK = (
    "  - name: R\n  - {{ type: ContinuousTrack, name: T, parent: R, numJoints: {n}, "
    "joint_offset: [ 0.1, 0, 0 ], joint_axis: Y, initialJointAngles: [ 90, 45 ], mass: 2 }}"
)


def test_a_track_is_a_free_shoe_and_hinged_ones() -> None:
    body = read_clean(TRACK.format(n=3))
    assert [link.name for link in body.links] == ["R", "T0", "T1", "T2"]
    assert isinstance(body.links[1].joint, JointFree)
    assert dict(body.links[1].metadata) == {"isContinuousTrack": "true"}
    assert [axis_of(link).position for link in body.links[2:]] == [90 * DEGREE, 45 * DEGREE]
    turned = body.links[1].pose.inverse()
    assert turned.direction(axis_of(body.links[2]).direction) == (0.0, 1.0, 0.0)
    assert [link.parent for link in body.links] == [None, 0, 1, 2]
    assert body.links[2].pose.position == (0.1, 0.0, 0.0)
    assert [link.mass.mass for link in body.links[1:] if link.mass] == [2.0, 2.0, 2.0]


def test_shoes_share_everything_but_number_and_devices() -> None:
    body = read_clean(
        "  - name: R\n  - { type: ContinuousTrack, name: T, parent: R, numJoints: 3, joint_id: 0,\n"
        "      joint_offset: [ 0.1, 0, 0 ], rotation: [ 0, 0, 1, 90 ], joint_range: 20,\n"
        "      joint_type: revolute,\n"
        "      elements: { ForceSensor: { name: F } } }"
    )
    first, second, third = body.links[1:]
    assert first.pose.rotation == second.pose.rotation == third.pose.rotation
    assert [link.joint_number for link in (first, second, third)] == [0, None, None]
    assert [len(link.devices) for link in (first, second, third)] == [1, 0, 0]
    assert axis_of(second).rated_range == (-20 * DEGREE, 20 * DEGREE)


def test_shoes_need_an_axis() -> None:
    """Although the entry itself has no type of joint."""
    _, log = read_body(TRACK.format(n=3).replace("joint_axis: Y", "joint_axis: [ 0, 0, 0 ]"))
    assert_error(log, "null-axis", "the axis has no direction")


@pytest.mark.parametrize("count", [0, 2, 1_000_000])
def test_a_track_has_at_least_three_shoes(count: int) -> None:
    body, log = read_body(TRACK.format(n=count))
    assert_error(log, "track-length", f"got {count}; left out")
    assert len(body.links) == 1


def test_a_track_needs_parent_and_offset() -> None:
    _, log = read_body("  - name: R\n  - { type: ContinuousTrack, name: T, numJoints: 3 }")
    assert [(item.code, item.field) for item in log] == [
        ("missing-key", "joint_offset"),
        ("missing-key", "parent"),
    ]


def test_variables_in_the_address_are_followed_with_a_warning(tmp_path: Path) -> None:
    """Choreonoid takes such an address as it is, and finds nothing."""
    entry = "{ type: SubBody, uri: '${PROJECT_DIR}/arm.body', parent: ROOT, joint_type: fixed }"
    main = f"{HEADER}links:\n  - name: ROOT\n  - {entry}\n"
    body, log = read_files(tmp_path, {"main.body": main, "arm.body": ARM})
    assert body is not None and [link.name for link in body.links] == ["ROOT", "BASE", "TIP"]
    assert_warning(log, "uri-variable", "they are followed here")
