"""Nodes below a link: spellings, transforms, purposes, optional and unknown types."""

from __future__ import annotations

from pathlib import Path

import pytest

from solidbody.base.diagnostics import DiagnosticLog, Severity
from solidbody.model.devices import DeviceUnknown
from solidbody.model.geometry import GeometryBox
from solidbody.model.links import Link
from solidbody.model.shapes import ShapeRole
from tests.formats.choreonoid.bodies import (
    HEADER,
    clean_link,
    read_body,
    read_clean,
    read_files,
    read_link,
)
from tests.formats.reading import assert_error, assert_warning, codes

ROUNDING = 1e-14
BOX = "geometry: { type: Box, size: [ 1, 2, 3 ] }"
DEVICE = "ForceSensor: { name: F }"


def roles(link: Link) -> list[ShapeRole]:
    return [shape.role for shape in link.shapes]


@pytest.mark.parametrize(
    "elements",
    [
        f"[ {{ type: Shape, {BOX} }} ]",
        f"{{ type: Shape, {BOX} }}",
        f"{{ Shape: {{ {BOX} }} }}",
        f"{{ Shape: {{ type: Shape, {BOX} }} }}",
    ],
)
def test_elements_have_three_spellings(elements: str) -> None:
    link = clean_link(f"elements: {elements}")
    assert [shape.geometry for shape in link.shapes] == [GeometryBox((1.0, 2.0, 3.0))]


def test_a_type_inside_must_agree_with_the_key() -> None:
    link, log = read_link(f"elements: {{ Shape: {{ type: Group, {BOX} }} }}")
    assert_error(log, "wrong-node", 'the node is called Shape but its type is "Group"')
    assert len(link.shapes) == 1


@pytest.mark.parametrize("elements", ["5", "[ 5 ]", "{ Shape: 5 }", "[ { type: [ a ] } ]"])
def test_something_else_than_nodes_is_an_error(elements: str) -> None:
    link, log = read_link(f"elements: {elements}")
    assert len(log) == 1 and log.items[0].severity is Severity.ERROR
    assert log.items[0].code in ("wrong-value", "wrong-node")
    assert link.shapes == ()


def test_empty_elements_are_nothing() -> None:
    assert clean_link("elements: ").shapes == clean_link("elements: []").shapes == ()


def test_type_names_are_case_sensitive() -> None:
    _, log = read_link(f"elements: {{ type: shape, {BOX} }}")
    item = assert_error(log, "unknown-node", 'no node type is named "shape"')
    assert 'Did you mean "Shape"?' in item.text
    assert item.node == 'Link "A" > elements shape'


def test_skipped_nodes_are_not_read() -> None:
    link = clean_link(
        f"elements: [ {{ type: Skip, elements: {{ Shape: {{ {BOX} }} }}, mass: x }} ]"
    )
    assert link.shapes == ()


def test_groups_pass_their_content_on() -> None:
    link = clean_link(f"elements: {{ Group: {{ name: g, elements: {{ Shape: {{ {BOX} }} }} }} }}")
    assert len(link.shapes) == 1


def test_transforms_translate_then_rotate_then_scale() -> None:
    link = clean_link(
        "elements: { Transform: { translation: [ 1, 0, 0 ], rotation: [ 0, 0, 1, 90 ], "
        "scale: [ 2, 2, 2 ], elements: { Transform: { translation: [ 1, 0, 0 ], "
        f"elements: {{ Shape: {{ {BOX} }} }} }} }} }} }}"
    )
    (shape,) = link.shapes
    assert shape.pose.position == pytest.approx((1.0, 2.0, 0.0), abs=ROUNDING)
    assert shape.geometry == GeometryBox((2.0, 4.0, 6.0))


def test_scale_orientation_has_no_effect_below_a_link() -> None:
    _, log = read_link("elements: { Transform: { scale_orientation: [ 0, 0, 1, 45 ] } }")
    assert_warning(log, "unread-key", "it has no effect below a link")


def test_a_scale_of_0_is_an_error() -> None:
    _, log = read_link("elements: { Transform: { scale: [ 1, 0, 1 ] } }")
    assert_error(log, "null-scale", "a scale of 0 leaves nothing")


def test_content_outside_visual_and_collision_is_both() -> None:
    shape = f"{{ type: Shape, {BOX} }}"
    link = clean_link(
        f"elements: [ {shape}, {{ type: Visual, elements: {shape} }}, "
        f"{{ type: Collision, elements: {shape} }} ]"
    )
    assert roles(link) == [ShapeRole.BOTH, ShapeRole.VISUAL, ShapeRole.COLLISION]


def test_a_link_with_only_visual_nodes_does_not_collide() -> None:
    assert roles(clean_link(f"elements: {{ Visual: {{ shape: {{ {BOX} }} }} }}")) == [
        ShapeRole.VISUAL
    ]


def test_visual_and_collision_have_a_place_and_an_inline_shape() -> None:
    link = clean_link(
        f"elements: {{ Collision: {{ translation: [ 0, 0, 1 ], shape: {{ {BOX} }} }} }}"
    )
    assert link.shapes[0].pose.position == (0.0, 0.0, 1.0)


@pytest.mark.parametrize(
    ("outer", "inner", "role"),
    [
        ("Visual", "Collision", ShapeRole.VISUAL),
        ("Collision", "Visual", ShapeRole.COLLISION),
    ],
)
def test_visual_inside_collision_is_an_error(outer: str, inner: str, role: ShapeRole) -> None:
    link, log = read_link(
        f"elements: {{ {outer}: {{ elements: {{ {inner}: {{ shape: {{ {BOX} }} }} }} }} }}"
    )
    assert_error(log, "nested-purpose", "the outer one counts")
    assert roles(link) == [role]


def test_masses_and_devices_are_read_inside_collision_nodes() -> None:
    link = clean_link(
        "elements: { Collision: { elements: [ { type: RigidBody, mass: 3 }, "
        "{ type: ForceSensor, name: F } ] } }"
    )
    assert link.mass is not None and link.mass.mass == 3.0
    assert [device.name for device in link.devices] == ["F"]


def test_devices_carry_shapes_and_devices_of_their_own() -> None:
    link = clean_link(
        "elements: { ForceSensor: { name: F, translation: [ 1, 0, 0 ], elements: [ "
        f"{{ type: Shape, {BOX} }}, {{ type: ForceSensor, name: G, translation: [ 1, 0, 0 ] }} ] }} }}"
    )
    assert [device.pose.position[0] for device in link.devices] == [1.0, 2.0]
    assert link.shapes[0].pose.position == (1.0, 0.0, 0.0)


def test_devices_of_one_name_get_a_number() -> None:
    body = read_clean(
        f"  - {{ name: A, elements: {{ {DEVICE} }} }}\n"
        f"  - {{ name: B, parent: A, elements: {{ {DEVICE} }} }}"
    )
    assert [device.name for link in body.links for device in link.devices] == ["F", "F(1)"]


@pytest.mark.parametrize("key", ["is_optional", "isOptional"])
def test_optional_nodes_of_unknown_types_are_left_out(key: str) -> None:
    link, log = read_link(f"elements: {{ PlasmaCannon: {{ {key}: true }} }}")
    assert_warning(log, "optional-node", 'nothing here knows the node type "PlasmaCannon"')
    assert link.devices == ()


def test_nodes_of_unknown_types_become_devices_that_do_nothing() -> None:
    """Choreonoid refuses the file without the plugin: an error, but here the body still loads."""
    link, log = read_link(
        f"elements: {{ PlasmaCannon: {{ name: P, power: 9, elements: {{ Shape: {{ {BOX} }} }} }} }}"
    )
    assert_error(log, "unknown-node", 'no node type is named "PlasmaCannon"')
    (device,) = link.devices
    assert isinstance(device, DeviceUnknown)
    assert (device.name, device.kind, dict(device.fields)) == ("P", "PlasmaCannon", {"power": "9"})
    assert len(link.shapes) == 1


def test_scenery_is_left_out_with_a_note() -> None:
    _, log = read_link("elements: { DirectionalLight: { intensity: 1 } }")
    assert codes(log) == ["scenery-node"]
    assert log.items[0].severity is Severity.INFO


def test_shapes_reached_through_an_alias_are_read_for_each_use() -> None:
    body, log = read_body(
        "  - { name: A, elements: *E }\n  - { name: B, parent: A, elements: *E }",
        more=f"e: &E {{ Shape: {{ {BOX} }} }}\n",
    )
    assert not log.items
    first, second = (link.shapes[0].geometry for link in body.links)
    assert first == second


# ------------------------------------------------------------------------- parts from YAML files


def with_part(
    folder: Path, part: str, resource: str, *, more: str = ""
) -> tuple[Link, DiagnosticLog]:
    """Read a link with one Resource node, beside the file `parts/part.yaml`."""
    (folder / "parts").mkdir()
    (folder / "parts" / "part.yaml").write_text(part, encoding="utf-8")
    main = (
        f"{HEADER}{more}links:\n  - name: A\n"
        f"    elements: {{ Resource: {{ uri: parts/part.yaml, {resource} }} }}\n"
    )
    body, log = read_files(folder, {"main.body": main})
    assert body is not None
    return body.links[0], log


def test_a_yaml_part_may_hold_masses_and_devices(tmp_path: Path) -> None:
    part = "- { type: RigidBody, mass: 3 }\n- { type: ForceSensor, name: F }\n"
    part += f"- {{ type: Shape, {BOX} }}\n"
    link, log = with_part(tmp_path, part, "translation: [ 0, 0, 1 ]")
    assert not log.items
    assert link.mass is not None and (link.mass.mass, link.mass.center) == (3.0, (0.0, 0.0, 1.0))
    assert [device.pose.position for device in link.devices] == [(0.0, 0.0, 1.0)]
    assert [shape.pose.position for shape in link.shapes] == [(0.0, 0.0, 1.0)]


@pytest.mark.parametrize("key", ["node", "fragment"])
def test_one_node_of_a_yaml_part_is_taken_by_its_anchor(tmp_path: Path, key: str) -> None:
    part = "a: &HEAVY { RigidBody: { mass: 3 } }\nb: &LIGHT { RigidBody: { mass: 1 } }\n"
    link, log = with_part(tmp_path, part, f"{key}: LIGHT")
    assert not log.items
    assert link.mass is not None and link.mass.mass == 1.0


def test_a_yaml_part_sees_the_anchors_of_the_main_file(tmp_path: Path) -> None:
    link, log = with_part(
        tmp_path, "{ RigidBody: { mass: *M } }\n", "name: p", more="heavy: &M 7\n"
    )
    assert not log.items
    assert link.mass is not None and link.mass.mass == 7.0


def test_angles_in_a_yaml_part_follow_the_main_file(tmp_path: Path) -> None:
    """A part has no header of its own."""
    link, _ = with_part(
        tmp_path, "{ ForceSensor: { name: F, rotation: [ 0, 0, 1, 180 ] } }\n", "name: p"
    )
    assert link.devices[0].pose.rotation == pytest.approx((0.0, 0.0, 0.0, 1.0), abs=ROUNDING)


def test_a_yaml_part_that_takes_itself_is_an_error(tmp_path: Path) -> None:
    _, log = with_part(tmp_path, "{ Resource: { uri: part.yaml } }\n", "name: p")
    assert_error(log, "include-circle", '"part.yaml" takes parts from itself')
