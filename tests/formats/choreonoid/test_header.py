"""The top of a body file: format, version, angle unit, name, root, handlers, wrapper mode."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from solidbody.formats.loading import read_scene_text
from tests.formats.choreonoid.bodies import axis_of, read_body, read_clean, read_files, read_text
from tests.formats.reading import assert_error, assert_warning, codes

TURNED = "  - name: ROOT\n  - { name: A, parent: ROOT, joint_type: revolute, joint_angle: 90 }"


def test_another_format_is_refused() -> None:
    body, log = read_text("format: ChoreonoidScene\nformat_version: 1.0\nlinks: [ { name: A } ]\n")
    assert body is None
    assert_error(log, "wrong-format", 'expected "ChoreonoidBody", got "ChoreonoidScene"')


@pytest.mark.parametrize("version", ["0.5", "1.0", "1.7", "2.0", "2.05"])
@pytest.mark.parametrize("key", ["format_version", "formatVersion"])
def test_every_version_below_2_1_is_accepted(version: str, key: str) -> None:
    read_clean("  - name: A", header=f"format: ChoreonoidBody\n{key}: {version}\n")


@pytest.mark.parametrize("version", ["2.1", "3.0"])
def test_versions_from_2_1_on_are_an_error(version: str) -> None:
    _, log = read_body("  - name: A", header=f"format: ChoreonoidBody\nformat_version: {version}\n")
    assert_error(log, "unknown-version", f"versions below 2.1 are known, got {float(version):g}")


def test_a_missing_version_is_an_error() -> None:
    _, log = read_body("  - name: A", header="format: ChoreonoidBody\n")
    item = assert_error(log, "missing-key", "a body file needs it")
    assert item.field == "format_version"


def test_angles_are_degrees_unless_said_otherwise() -> None:
    body = read_clean(TURNED)
    assert axis_of(body.links[1]).position == math.pi / 2


@pytest.mark.parametrize("key", ["angle_unit", "angleUnit"])
def test_version_1_may_use_radians(key: str) -> None:
    header = f"format: ChoreonoidBody\nformat_version: 1.0\n{key}: radian\n"
    body = read_clean(TURNED.replace("90", "0.5"), header=header)
    assert axis_of(body.links[1]).position == 0.5


def test_radians_are_an_error_in_version_2() -> None:
    header = "format: ChoreonoidBody\nformat_version: 2.0\nangle_unit: radian\n"
    body, log = read_body(TURNED.replace("90", "0.5"), header=header)
    assert_error(log, "radian-unit", "angles are in degrees")
    assert axis_of(body.links[1]).position == 0.5


def test_an_unknown_angle_unit_is_an_error() -> None:
    _, log = read_body("  - name: A", more="angle_unit: degrees\n")
    item = assert_error(log, "wrong-value", "expected one of degree, radian")
    assert 'Did you mean "degree"?' in item.text


def test_the_name_defaults_to_the_name_of_the_file() -> None:
    text = "format: ChoreonoidBody\nformat_version: 1.0\nlinks: [ { name: A } ]\n"
    scene, _ = read_scene_text(text, "folder/crane.body")
    assert scene is not None and scene.bodies[0].name == scene.name == "crane"


@pytest.mark.parametrize("key", ["root_link", "rootLink"])
def test_the_root_may_be_named(key: str) -> None:
    """The manual says that the first link is the root; this key overrides it."""
    body = read_clean("  - { name: A, parent: B }\n  - name: B", more=f"{key}: B\n")
    assert [link.name for link in body.links] == ["B", "A"]


def test_the_first_link_is_the_root_otherwise() -> None:
    body = read_clean("  - name: A\n  - { name: B, parent: A }")
    assert [(link.name, link.parent) for link in body.links] == [("A", None), ("B", 0)]


def test_a_root_that_does_not_exist_is_an_error() -> None:
    body, log = read_body("  - name: WAIST", more="root_link: WAISS\n")
    item = assert_error(log, "unknown-link", 'no link is named "WAISS"; the first link is the root')
    assert 'Did you mean "WAIST"?' in item.text
    assert body.links[0].name == "WAIST"


@pytest.mark.parametrize("links", ["", "links: []\n", "links: 5\n", "links: {}\n"])
def test_a_body_needs_links(links: str) -> None:
    body, log = read_text(f"format: ChoreonoidBody\nformat_version: 1.0\n{links}")
    assert body is None
    assert codes(log)[-1] == "no-links"


def test_links_may_be_a_mapping_from_type_to_node() -> None:
    body, log = read_text(
        "format: ChoreonoidBody\nformat_version: 1.0\nlinks:\n  Link: { name: A, mass: 3 }\n"
    )
    assert not log.items and body is not None
    assert body.links[0].mass is not None and body.links[0].mass.mass == 3.0


def test_link_types_are_listed_when_one_is_wrong() -> None:
    _, log = read_body("  - name: A\n  - { type: link, name: B }")
    item = assert_error(log, "link-type", "expected one of Link, SubBody, ContinuousTrack, Skip")
    assert 'Did you mean "Link"?' in item.text


def test_skipped_entries_are_not_read() -> None:
    body = read_clean("  - { type: Skip, mass: nonsense }\n  - name: A")
    assert [link.name for link in body.links] == ["A"]


def test_other_keys_are_kept_as_information() -> None:
    body = read_clean("  - name: A", more="standard_pose: [ 1, 2 ]\nlink_group: { a: [ b ] }\n")
    assert dict(body.metadata) == {"standard_pose": "[1, 2]", "link_group": "{a: [b]}"}


@pytest.mark.parametrize("handlers", ["MyHandler", "[ MyHandler ]"])
def test_handlers_are_reported_and_kept(handlers: str) -> None:
    body, log = read_body("  - name: A", more=f"body_handlers: {handlers}\n")
    assert_warning(log, "body-handler", "native plug-ins are not run: MyHandler")
    assert dict(body.metadata) == {"body_handlers": "[MyHandler]"}


def test_a_wrapper_takes_the_body_of_another_file(tmp_path: Path) -> None:
    body, log = read_files(
        tmp_path,
        {
            "w.body": "modelFile: a.body\nlinkInfo: { A: { color: red } }\nteam: blue\n",
            "a.body": "format: ChoreonoidBody\nformat_version: 1.0\nname: Inner\nlinks: [ { name: A } ]\n",
        },
    )
    assert not log.items and body is not None
    assert body.name == "Inner"
    assert dict(body.links[0].metadata) == {"color": "red"}
    assert dict(body.metadata) == {"team": "blue"}


def test_a_wrapper_of_another_format_says_what_is_possible() -> None:
    body, log = read_text("model_file: robot.sdf\n")
    assert body is None
    assert_error(log, "unsupported-model-file", 'got "robot.sdf"')


@pytest.mark.parametrize("text", ["name: A\n", "[ 1, 2 ]\n", "word\n"])
def test_other_yaml_is_no_body_file(text: str) -> None:
    body, log = read_text(text)
    assert body is None
    assert_error(log, "wrong-format", "body file")
