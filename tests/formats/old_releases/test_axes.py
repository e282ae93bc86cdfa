"""Nodes of releases before R2022a stand and look as they did."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.transforms import Pose, Vec3
from solidbody.formats.loading import read_scene_text
from solidbody.formats.vrml.parser import parse_text
from solidbody.formats.vrml.syntax import FileSyntax, ListSyntax, NodeSyntax, NumbersSyntax, Scope
from solidbody.formats.webots.releases.release import Release
from solidbody.formats.webots.releases.turns import field_of, items_of, rotation_of
from solidbody.formats.webots.releases.upgrade import modern_items, modern_tree, turned_instance
from solidbody.model.shapes import ShapeRole
from tests.formats.reading import codes, read

OLD = Release(2019, "a")
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
MINUS_Z, MINUS_Y = (0.0, 0.0, -1.0), (0.0, -1.0, 0.0)


def parsed(text: str) -> FileSyntax:
    """Return the tree of nodes written for R2019a."""
    log = DiagnosticLog()
    tree = parse_text(f"#VRML_SIM R2019a utf8\n{text}", "old.wbt", log)
    assert tree is not None and not log.items
    return tree


def converted(text: str) -> tuple[NodeSyntax, DiagnosticLog]:
    """Return the only node of `text` in the form of today."""
    log = DiagnosticLog()
    (node,) = modern_items(parsed(text).nodes, OLD, log)
    assert isinstance(node, NodeSyntax)
    return node, log


def turned(node: NodeSyntax, v: Vec3) -> Vec3:
    """Return a direction of the node's frame in that of its parent."""
    rotation = rotation_of(node, "orientation" if node.type_name == "Viewpoint" else "rotation")
    assert rotation is not None
    return Pose(rotation=rotation).direction(v)


@pytest.mark.parametrize("form", ["Cylinder", "Capsule", "Plane"])
def test_forms_along_y_still_stand_along_y(form: str) -> None:
    scene, log = read(
        f"Solid {{ children [ Shape {{ geometry {form} {{ }} }} ] }}", release="R2021b"
    )
    assert codes(log) == []
    (shape,) = scene.bodies[0].links[0].shapes
    assert shape.pose.direction(Z) == pytest.approx(Y)


@pytest.mark.parametrize("form", ["Cylinder", "Capsule", "Plane"])
@pytest.mark.parametrize(
    "bounding",
    ["{}", "Shape {{ geometry {} }}", "Transform {{ children {} }}", "Group {{ children [ {} ] }}"],
)
def test_bounding_objects_still_stand_along_y(form: str, bounding: str) -> None:
    node = bounding.format(f"{form} {{ }}")
    scene, log = read(f"Solid {{ boundingObject {node} }}", release="R2019a")
    assert codes(log) == []
    (shape,) = scene.bodies[0].links[0].shapes
    assert shape.role is ShapeRole.COLLISION
    assert shape.pose.direction(Z) == pytest.approx(Y)


def test_the_pose_around_a_form_takes_the_turn() -> None:
    node, _ = converted("Transform { translation 1 2 3 children [ Shape { geometry Cone { } } ] }")
    assert node.type_name == "Pose"
    assert field_of(node, "translation") is not None
    (child,) = items_of(getattr(field_of(node, "children"), "value", None))
    assert isinstance(child, NodeSyntax) and child.type_name == "Shape"
    assert turned(node, Z) == pytest.approx(Y)


def test_the_scale_of_the_pose_around_a_form_turns_with_it() -> None:
    node, _ = converted("Transform { scale 1 2 3 children [ Shape { geometry Cone { } } ] }")
    scale = field_of(node, "scale")
    assert node.type_name == "Transform"
    assert scale is not None and isinstance(scale.value, NumbersSyntax)
    assert scale.value.values == (1.0, 3.0, 2.0)


def test_several_forms_in_one_pose_get_a_pose_each() -> None:
    scene, log = read(
        "Transform { children [ Shape { geometry Cylinder { } } Shape { geometry Box { } } ] }",
        release="R2019a",
    )
    assert codes(log) == []
    cylinder, box = scene.bodies[0].links[0].shapes
    assert cylinder.pose.direction(Z) == pytest.approx(Y)
    assert box.pose == Pose()


def test_used_forms_are_turned_wherever_they_are_used() -> None:
    scene, log = read(
        "Solid { children [ DEF S Shape { geometry DEF G Capsule { } } ] boundingObject USE S }\n"
        'Solid { children [ Shape { geometry USE G } ] boundingObject USE G name "b" }',
        release="R2020a",
    )
    assert codes(log) == []
    shapes = [shape for link in scene.links() for shape in link.shapes]
    assert len(shapes) == 4
    for shape in shapes:
        assert shape.pose.direction(Z) == pytest.approx(Y)


@pytest.mark.parametrize("device", ["Camera", "RangeFinder", "Lidar", "Radar", "Viewpoint"])
def test_cameras_look_along_minus_z_with_y_up(device: str) -> None:
    node, log = converted(f"{device} {{ }}")
    assert codes(log) == []
    assert turned(node, X) == pytest.approx(MINUS_Z)
    assert turned(node, Z) == pytest.approx(Y)


@pytest.mark.parametrize("device", ["Emitter", "Receiver", "Connector", "TouchSensor"])
def test_cones_and_docks_point_along_z(device: str) -> None:
    node, log = converted(f"{device} {{ rotation 0 1 0 0 }}")
    assert codes(log) == []
    assert turned(node, X) == pytest.approx(Z)
    assert turned(node, Z) == pytest.approx(Y)


def test_pens_paint_along_minus_y() -> None:
    node, _ = converted("Pen { }")
    assert turned(node, (0.0, 0.0, -1.0)) == pytest.approx(MINUS_Y)


def test_tracks_keep_forward_and_up() -> None:
    node, _ = converted("Track { }")
    assert turned(node, X) == pytest.approx(X)
    assert turned(node, Z) == pytest.approx(Y)


@pytest.mark.parametrize("device", ["Camera", "Emitter", "Pen"])
def test_content_of_turned_devices_stays_where_it_was(device: str) -> None:
    text = (
        f"Robot {{ children [ {device} {{ rotation 1 0 0 0.3 translation 1 0 0 children ["
        " Shape { geometry Box { } } Shape { geometry Cylinder { } }"
        " Transform { translation 0 1 2 rotation 0 0 1 0.2 children [ Shape { geometry Box { } } ] }"
        " Group { children [ Shape { geometry Sphere { } } ] } ] } ] }"
    )
    scene, log = read(text, release="R2021b")
    same, _ = read(text.replace(device, "Solid"), release="R2021b")
    assert "manual-conversion" not in codes(log)
    (link,), (twin,) = scene.bodies[0].links[:1], same.bodies[0].links[:1]
    links = [shape for item in scene.bodies[0].links for shape in item.shapes] or link.shapes
    twins = [shape for item in same.bodies[0].links for shape in item.shapes] or twin.shapes
    assert len(links) == len(twins) == 4
    for k, (shape, other) in enumerate(zip(links, twins, strict=True)):
        for v in (X, Y, Z):
            here = scene_point(scene, shape.pose, k, v)
            there = scene_point(same, other.pose, k, v)
            assert here == pytest.approx(there)


def scene_point(scene: object, pose: Pose, index: int, v: Vec3) -> Vec3:
    """Return a point of a shape of a world in which all links but the first carry the shapes."""
    from solidbody.model.scene import Scene, world_poses

    assert isinstance(scene, Scene)
    body = scene.bodies[0]
    places = world_poses(body)
    flat = [place for place, link in zip(places, body.links, strict=True) for _ in link.shapes]
    return (flat[index] * pose).point(v)


def test_mass_of_a_turned_device_stays_where_it_was() -> None:
    text = (
        "TouchSensor { boundingObject Group { children [ Box { size 1 2 3 }"
        " Transform { translation 1 0 0 children Cylinder { } } ] }"
        " physics Physics { density -1 mass 2 centerOfMass 1 2 3 inertiaMatrix [1 2 3, .1 .2 .3] } }"
    )
    node, _ = converted(text)
    other, _ = converted(text.replace("TouchSensor", "Solid"))
    rotation = rotation_of(node)
    assert rotation is not None
    physics, plain = (field_of(item, "physics") for item in (node, other))
    assert physics and plain
    assert isinstance(physics.value, NodeSyntax) and isinstance(plain.value, NodeSyntax)
    center = field_of(physics.value, "centerOfMass")
    assert center and isinstance(center.value, NumbersSyntax)
    x, y, z = center.value.values
    assert Pose(rotation=rotation).point((x, y, z)) == pytest.approx((1.0, 2.0, 3.0))
    inertia = field_of(physics.value, "inertiaMatrix")
    (numbers,) = items_of(inertia.value if inertia else None)
    assert isinstance(numbers, NumbersSyntax)
    # new x is old z, new y is old x, new z is old y
    assert numbers.values == pytest.approx((3.0, 1.0, 2.0, 0.2, 0.3, 0.1))


def test_shared_bounds_and_mass_of_turned_devices_stay_where_they_were() -> None:
    # DEF in a device that is turned, USE in another one and in a solid that is not
    bounds = (
        "Group { children [ Transform { translation 1 2 3 children [ Box { size 1 2 3 } ] } ] }"
    )
    physics = "Physics { density -1 mass 2 centerOfMass [ 1 2 3 ] }"
    scene, log = read(
        f"""Robot {{ children [
          TouchSensor {{ name "a" boundingObject DEF B {bounds} physics DEF P {physics} }}
          TouchSensor {{ name "b" rotation 0 0 1 3.14 boundingObject USE B physics USE P }}
          Solid {{ name "c" boundingObject USE B physics USE P }}
          Pen {{ name "d" boundingObject USE B }}
        ] }}""",
        release="R2019a",
    )
    assert not log.has_errors
    for name, place in (("a", (1, 2, 3)), ("b", (-1, -2, 3)), ("c", (1, 2, 3)), ("d", (1, 2, 3))):
        (link,) = (item for item in scene.links() if item.path.endswith(name))
        (shape,) = link.shapes
        assert link.pose.point(shape.pose.position) == pytest.approx(place, abs=0.01), name
        if link.mass is not None:
            assert link.pose.point(link.mass.center) == pytest.approx(place, abs=0.01), name


@pytest.mark.parametrize(
    "text",
    [
        "DEF A Group { children [ TouchSensor { boundingObject USE A } ] }",
        "Solid { children [ DEF A TouchSensor { boundingObject Group { children [ USE A ] } } ] }",
        "TouchSensor { boundingObject DEF A Group { children [ USE A ] } }",
    ],
)
def test_bounds_of_a_turned_device_that_hold_themselves_are_an_error(text: str) -> None:
    _, log = read(f"Robot {{ children [ {text} ] }}", release="R2019a")
    assert "is used inside itself" in " ".join(item.text for item in log)


def test_groups_that_use_each_other_in_bounds_of_devices_stay_small() -> None:
    # copies of copies would be 2^24 nodes
    text = "TouchSensor { boundingObject DEF A0 Group { children [ Box { } ] } }"
    for k in range(1, 25):
        inner = f"USE A{k - 1} USE A{k - 1}"
        text += f"TouchSensor {{ boundingObject DEF A{k} Group {{ children [ {inner} ] }} }}\n"
    began = time.process_time()
    modern_items(parsed(f"Robot {{ children [ {text} ] }}").nodes, OLD, DiagnosticLog())
    assert time.process_time() - began < 3.0


def test_wheels_of_a_track_may_be_used_in_another_one() -> None:
    """Webots' own sample of tracks does so."""
    wheels = (
        "DEF A TrackWheel { position 1 2 radius 0.3 } DEF B TrackWheel { position -1 2 radius 0.3 }"
    )
    motor = "device LinearMotor { }"
    tracks = (
        f'Track {{ name "one" children [ {wheels} ] {motor} }} '
        f'Track {{ name "two" children [ USE A USE B ] {motor} }}'
    )
    node, log = converted(f"Robot {{ children [ {tracks} ] }}")
    _, said = read(f"Robot {{ children [ {tracks} ] }}", release="R2019a")
    assert not log.items and not said.has_errors
    part = field_of(node, "children")
    assert part is not None
    found = [item for item in items_of(part.value) if isinstance(item, NodeSyntax)]
    inner = [field_of(track, "children") for track in found]
    kinds = [[type(item).__name__ for item in items_of(item.value)] for item in inner if item]
    assert kinds == [["NodeSyntax"] * 2, ["UseSyntax"] * 2]


def test_forms_given_to_a_proto_are_left_to_the_user() -> None:
    _, log = converted("MyTable { leg Cylinder { } }")
    assert codes(log) == ["manual-conversion"]
    assert "cannot be turned in MyTable.leg" in log.items[0].text


def test_elevation_grids_keep_every_height_at_its_place() -> None:
    shape, log = converted(
        "Solid { boundingObject Pose { children ElevationGrid {"
        " xDimension 2 zDimension 3 zSpacing 0.5 height [1 2 3 4 5 6] } } }"
    )
    assert codes(log) == []
    pose = shape.fields[0].value
    assert isinstance(pose, NodeSyntax)
    node = getattr(field_of(pose, "children"), "value", None)
    assert isinstance(node, NodeSyntax)
    names = [item.name for item in node.fields]
    assert names == ["xDimension", "yDimension", "ySpacing", "height"]
    (heights,) = items_of(node.fields[3].value)
    assert isinstance(heights, NumbersSyntax) and heights.values == (5, 6, 3, 4, 1, 2)
    solid, _ = converted(
        "Solid { boundingObject ElevationGrid { xDimension 2 zDimension 3 zSpacing 0.5 } }"
    )
    pose = solid.fields[0].value
    assert isinstance(pose, NodeSyntax)
    place = field_of(pose, "translation")
    assert place and isinstance(place.value, NumbersSyntax)
    shift = place.value.values
    # the last row of the new grid, 2 * 0.5 along its y, is the first one of the old grid: z = 0
    assert (shift[2] + turned(pose, (0.0, 1.0, 0.0))[2]) == pytest.approx(0.0)


@pytest.mark.parametrize(
    ("info", "gravity"),
    [
        ("", (0.0, -9.81, 0.0)),
        ("gravity 5", (0.0, -5.0, 0.0)),
        ("gravity 0 -3 0", (0.0, -3.0, 0.0)),
        ("gravity 0 0 -3", (0.0, 0.0, -3.0)),
        ("gravity 0 0 0", (0.0, 0.0, 0.0)),
        ('coordinateSystem "ENU"', (0.0, 0.0, -9.81)),
        ('coordinateSystem "EUN" gravity 0 -2 0', (0.0, -2.0, 0.0)),
    ],
)
def test_gravity_keeps_its_direction(info: str, gravity: Vec3) -> None:
    scene, log = read(f"WorldInfo {{ {info} }}", release="R2018a")
    assert codes(log) == []
    assert scene.physics.gravity == gravity


def test_slanted_gravity_is_kept_and_reported() -> None:
    scene, log = read("WorldInfo { gravity 1 -9 0 }", release="R2018a")
    assert codes(log) == ["manual-conversion"]
    assert scene.physics.gravity == (1.0, -9.0, 0.0)


def test_transform_without_scale_is_a_pose_since_r2023b() -> None:
    log = DiagnosticLog()
    tree = parsed("Transform { scale 1 1 1 } Transform { scale 2 1 1 }")
    first, second = modern_tree(tree, Release(2023, "a"), log).nodes
    assert (first.type_name, first.fields) == ("Pose", ())
    assert second.type_name == "Transform"
    assert modern_tree(tree, Release(2023, "b"), log) is tree


def test_instances_of_shipped_protos_are_turned_like_cameras() -> None:
    (node,) = parsed("Pioneer3at { rotation 0 1 0 1.5707963267948966 }").nodes
    out = turned_instance(node)
    assert turned(out, X) == pytest.approx((-1.0, 0.0, 0.0))
    assert turned(out, Z) == pytest.approx(Y)


def test_nodes_of_a_proto_are_converted_by_the_release_of_its_file() -> None:
    log = DiagnosticLog()
    (node,) = parsed("Solid { children [ Camera { } ] }").nodes
    (camera,) = items_of(node.fields[0].value)
    assert isinstance(camera, NodeSyntax)
    for header, is_turned in (("R2023b", False), ("R2021a", True)):
        scope = Scope("Eye", "Eye.proto", header, camera, None)
        inner = ListSyntax((replace(camera, scope=scope),), camera.span)
        whole = replace(node, fields=(replace(node.fields[0], value=inner),))
        (out,) = modern_items((whole,), Release(2021, "b"), log)
        assert isinstance(out, NodeSyntax)
        (eye,) = items_of(out.fields[0].value)
        assert isinstance(eye, NodeSyntax)
        assert (field_of(eye, "rotation") is not None) == is_turned


def test_viewpoint_without_position_stands_on_the_z_axis() -> None:
    scene, _ = read("Viewpoint { }", release="R2021b")
    assert scene.viewpoint.pose.position == (0.0, 0.0, 10.0)
    assert scene.viewpoint.pose.direction(X) == pytest.approx(MINUS_Z)


def test_viewpoint_of_an_old_world_without_one_looks_as_a_written_one() -> None:
    """It is brought to the form of today once, not twice."""
    scene, _ = read_scene_text("#VRML_SIM R2019a utf8\nGroup { }\n")
    assert scene is not None
    assert scene.viewpoint.pose.position == (0.0, 0.0, 10.0)
    assert scene.viewpoint.pose.direction(X) == pytest.approx(MINUS_Z)


def test_old_spherical_flags_become_projections() -> None:
    camera, _ = converted("Camera { spherical TRUE }")
    lidar, _ = converted("Lidar { spherical FALSE }")
    projection = getattr(field_of(camera, "projection"), "value", None)
    assert getattr(projection, "value", "") == "cylindrical"
    assert getattr(getattr(field_of(lidar, "projection"), "value", None), "value", "") == "planar"


def test_numbers_that_are_not_finite_are_reported_and_not_turned() -> None:
    camera = "Camera { rotation nan 0 0 1 }"
    scene, log = read(
        f"Viewpoint {{ orientation 0 1 0 inf }} Robot {{ children [ {camera} ] }}", release="R2019a"
    )
    assert codes(log) == ["manual-conversion", "non-finite", "non-finite"]
    assert scene.viewpoint is not None
