"""Links: frames, names, parents, roots, order, materials, information and import."""

from __future__ import annotations

import math

import pytest

from solidbody.base.transforms import Pose
from solidbody.model.links import Motion
from tests.formats.choreonoid.bodies import clean_link, read_body, read_clean, read_link
from tests.formats.reading import assert_error, assert_warning, codes

ROUNDING = 1e-15
SHAPE = "elements: { Shape: { geometry: { type: Box, size: [ 1, 1, 1 ] } } }"


def names(links: str, *, more: str = "") -> list[str]:
    return [link.name for link in read_clean(links, more=more).links]


def test_the_offset_is_given_in_the_parent() -> None:
    link = clean_link("translation: [ 1, 2, 3 ]; rotation: [ 0, 0, 1, 90 ]")
    half = math.sqrt(0.5)
    assert link.pose.position == (1.0, 2.0, 3.0)
    assert link.pose.rotation == pytest.approx((half, 0.0, 0.0, half), abs=ROUNDING)


def test_lists_of_translations_and_rotations_add_up() -> None:
    link = clean_link(
        "translation: [ [ 1, 0, 0 ], [ [ 0, 1, 0 ], [ 0, 1, 0 ] ] ]; "
        "rotation: [ [ 0, 0, 1, 30 ], [ 0, 0, 1, 60 ] ]"
    )
    half = math.sqrt(0.5)
    assert link.pose.position == (1.0, 2.0, 0.0)
    assert link.pose.rotation == pytest.approx((half, 0.0, 0.0, half), abs=1e-15)


def test_the_root_stands_where_its_offset_says() -> None:
    root = read_clean("  - { name: A, translation: [ 0, 0, 0.7 ] }").links[0]
    assert root.pose == Pose((0.0, 0.0, 0.7))


def test_parents_may_be_defined_later() -> None:
    assert names("  - name: A\n  - { name: C, parent: B }\n  - { name: B, parent: A }") == [
        "A",
        "B",
        "C",
    ]


def test_links_are_in_depth_first_order_with_children_in_file_order() -> None:
    found = names(
        "  - name: R\n  - { name: A, parent: R }\n  - { name: B, parent: R }\n"
        "  - { name: A1, parent: A }\n  - { name: A2, parent: A }"
    )
    assert found == ["R", "A", "A1", "A2", "B"]


def test_a_link_without_parent_is_an_error() -> None:
    body, log = read_body("  - name: A\n  - name: B")
    item = assert_error(log, "no-parent", "every link but the root needs the name of its parent")
    assert str(item).startswith('x.body:6:5: error: Link "B".parent: ')
    assert len(body.links) == 1


def test_an_unknown_parent_is_an_error() -> None:
    body, log = read_body("  - name: WAIST\n  - { name: B, parent: WAISY }")
    item = assert_error(log, "unknown-parent", 'no link is named "WAISY"')
    assert 'Did you mean "WAIST"?' in item.text
    assert len(body.links) == 1


def test_what_hangs_on_a_link_that_is_left_out_is_named_too() -> None:
    body, log = read_body("  - name: A\n  - { name: B, parent: Q }\n  - { name: C, parent: B }")
    assert codes(log) == ["unknown-parent", "lost-link"]
    assert '"C" hangs on "B", which is left out; so is this link.' in log.items[1].text
    assert len(body.links) == 1


def test_a_ring_of_parents_is_an_error_and_the_root_is_kept() -> None:
    """Choreonoid silently keeps the root only."""
    body, log = read_body("  - name: R\n  - { name: A, parent: B }\n  - { name: B, parent: A }")
    assert codes(log) == ["parent-ring", "parent-ring"]
    assert '"A" hangs on a ring of parents that does not reach the root "R"' in log.items[0].text
    assert [link.name for link in body.links] == ["R"]


def test_a_link_below_itself_is_a_ring() -> None:
    _, log = read_body("  - name: R\n  - { name: A, parent: A }")
    assert codes(log) == ["parent-ring"]


def test_the_parent_of_a_root_is_ignored_with_a_warning() -> None:
    body, log = read_body("  - { name: A, parent: B }\n  - { name: B, parent: A }")
    assert_warning(log, "root-parent", 'the root of a body has no parent; "B" is ignored')
    assert [link.name for link in body.links] == ["A", "B"]


def test_two_links_of_one_name_are_an_error() -> None:
    body, log = read_body("  - name: A\n  - { name: B, parent: A }\n  - { name: B, parent: A }")
    assert_error(log, "duplicate-name", 'two links are named "B", the first in line 6')
    assert [link.name for link in body.links] == ["A", "B", "B(1)"]


def test_links_without_name_get_one() -> None:
    body = read_clean("  - { joint_type: free }")
    assert body.links[0].name == "Robot link"


def test_paths_are_the_names_of_body_and_link() -> None:
    body = read_clean("  - name: 'A:1'\n  - { name: B, parent: 'A:1' }")
    assert [link.path for link in body.links] == ["Robot:A\\:1", "Robot:B"]


def test_what_is_fixed_to_the_world_does_not_move() -> None:
    body = read_clean(
        "  - name: BASE\n  - { name: PLATE, parent: BASE }\n"
        "  - { name: ARM, parent: PLATE, joint_type: revolute }\n  - { name: HAND, parent: ARM }"
    )
    still, moves = Motion.KINEMATIC, Motion.DYNAMIC
    assert [link.motion for link in body.links] == [still, still, moves, moves]


def test_everything_on_a_free_root_moves() -> None:
    body = read_clean("  - { name: A, joint_type: free }\n  - { name: B, parent: A }")
    assert all(link.motion is Motion.DYNAMIC for link in body.links)


def test_the_material_is_that_of_the_contact() -> None:
    link = clean_link(f"material: Sole; {SHAPE}")
    assert [shape.contact_material for shape in link.shapes] == ["Sole"]


@pytest.mark.parametrize(
    "keys", [SHAPE, f"material: Default; {SHAPE}", f"material: default; {SHAPE}"]
)
def test_links_without_material_have_the_default_one(keys: str) -> None:
    assert [shape.contact_material for shape in clean_link(keys).shapes] == ["default"]


def test_other_keys_are_kept_as_information() -> None:
    link = clean_link("AMOR: true; autoSleep: { time: 3 }")
    assert dict(link.metadata) == {"AMOR": "true", "autoSleep": "{time: 3}"}


def test_keys_that_look_mistyped_are_reported() -> None:
    """Choreonoid takes any key for information; these are found in real files."""
    for key, meant in (("joinType", "jointType"), ("centerofMass", "centerOfMass")):
        _, log = read_link(f"{key}: 3")
        assert_warning(log, "unknown-key", f'Did you mean "{meant}"?')


def test_import_adds_information_only() -> None:
    """By experiment; the manual says that it loads the node."""
    link, log = read_link("name2: x; import: { mass: 7, color: red, name2: y }")
    assert link.mass is not None and link.mass.mass == 1.0
    assert dict(link.metadata) == {"name2": "x", "mass": "7", "color": "red"}
    assert_warning(log, "import-is-info", "so mass has no effect")


def test_the_last_of_several_imported_mappings_wins() -> None:
    link = clean_link("import: [ { a: 1, b: 1 }, { a: 2 } ]")
    assert dict(link.metadata) == {"a": "2", "b": "1"}


def test_merged_keys_do_take_effect() -> None:
    body = read_clean(
        "  - name: R\n  - { <<: *COMMON, name: A, parent: R }", more="common: &COMMON { mass: 7 }\n"
    )
    assert body.links[1].mass is not None and body.links[1].mass.mass == 7.0


def test_a_body_with_joints_or_devices_is_a_robot() -> None:
    assert read_clean("  - name: A").robots == ()
    robot = read_clean("  - name: R\n  - { name: A, parent: R, joint_id: 0 }").robots[0]
    assert (robot.name, robot.link, robot.controller) == ("Robot", 0, "<none>")
    assert not robot.self_collision
