"""Our own PROTOs in y-up worlds: which way they look, and what is in their slots."""

from __future__ import annotations

from pathlib import Path

import pytest

import solidbody as sb
from solidbody.base.diagnostics import Severity
from solidbody.base.transforms import Pose, Vec3, quat_rotate
from solidbody.formats.loading import read_scene
from solidbody.formats.options import LoadOptions
from solidbody.model.environment import LightDirectional
from solidbody.model.geometry import GeometryBox
from solidbody.model.scene import Scene
from tests.formats.reading import link_named

FORWARD = (1.0, 0.0, 0.0)


def old_world(folder: Path, nodes: str) -> Path:
    path = folder / "old.wbt"
    path.write_text(f"#VRML_SIM R2020a utf8\nWorldInfo {{ }}\nViewpoint {{ }}\n{nodes}\n", "utf-8")
    return path


def scene_of(path: Path) -> Scene:
    scene, log = read_scene(path, options=LoadOptions())
    assert [str(item) for item in log if item.code not in ("own-proto", "mass-ratio")] == []
    assert scene is not None
    return scene


def read(folder: Path, nodes: str) -> Scene:
    return scene_of(old_world(folder, nodes))


def ahead(pose: Pose) -> Vec3:
    return quat_rotate(pose.rotation, FORWARD)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("node", "direction"),
    [
        ("E-puck { }", (0, 0, -1)),
        ("Hotel { }", (0, 0, -1)),
        ("BmwX5 { }", (0, 0, 1)),
        ("TruckSimple { }", (0, 0, 1)),
        ("StraightRoadSegment { }", (0, 0, 1)),
        ("FastFoodRestaurant { }", (1, 0, 0)),
        ("Blimp { }", (1, 0, 0)),
        ("LegoWall { }", (1, 0, 0)),
        ("Pedestrian { }", (0, 0, 1)),
        ("Thymio2 { }", (0, 0, 1)),
        ("WoodenChair { }", (0, 0, 1)),
        ("Chair { }", (1, 0, 0)),
        ("CreateWall { }", (1, 0, 0)),
        ("Bed { }", (-1, 0, 0)),
        ("LinkedWalls { }", (-1, 0, 0)),
    ],
)
def test_what_lies_along_x_today_lay_along_another_axis(
    tmp_path: Path, node: str, direction: Vec3
) -> None:
    """Robots and houses along -z, vehicles, roads and walkers along z, some along x or -x."""
    assert ahead(read(tmp_path, node).bodies[0].links[0].pose) == pytest.approx(direction, abs=1e-9)


def test_the_sun_shines_from_above(tmp_path: Path) -> None:
    """Down is -y in a y-up world, and -z today."""
    (old,) = read(tmp_path, "TexturedBackgroundLight { }").lights
    path = old_world(tmp_path, "TexturedBackgroundLight { }")
    extern = 'R2025a utf8\nEXTERNPROTO "TexturedBackgroundLight.proto"'
    path.write_text(path.read_text("utf-8").replace("R2020a utf8", extern), "utf-8")
    (new,) = scene_of(path).lights
    assert isinstance(old, LightDirectional) and isinstance(new, LightDirectional)
    assert old.direction[1] == pytest.approx(new.direction[2])
    assert new.direction[2] < -0.7


def test_a_road_lies_where_its_way_points_are(tmp_path: Path) -> None:
    """From the origin along z, then to the side of positive x."""
    scene = read(tmp_path, "Road { wayPoints [ 0 0 0, 0 0 50, 20 0 60 ] rightBorder FALSE }")
    link = scene.bodies[0].links[0]
    corners = [
        link.pose.point(shape.pose.point(vertex))
        for shape in link.shapes
        for vertex in getattr(shape.geometry, "vertices", ())
    ]
    assert max(z for _, _, z in corners) > 55 and min(z for _, _, z in corners) > -5
    assert max(x for x, _, _ in corners) > 20 and min(x for x, _, _ in corners) > -10


@pytest.mark.slow
@pytest.mark.parametrize(
    ("node", "position", "up"),
    [
        ("Create { }", (0, 0.044, 0), (0, 1, 0)),
        # its frame was at the height of its axles, and is on the floor
        ("Pioneer3at { }", (0, 0.11, 0), (0, 1, 0)),
        ("BmwX5 { }", (0, 0.4, 0), (0, 1, 0)),
        ("Nao { }", (0, 0.334, 0), (0, 1, 0)),
        ("Create { translation 1 2 3 }", (1, 2, 3), (0, 1, 0)),
        # its axes were always those of today: the world says how it lies
        ("Nao { translation 1 2 3 rotation 0 0 1 0 }", (1, 2, 3), (0, 0, 1)),
    ],
)
def test_where_no_place_is_written_the_height_is_along_y(
    tmp_path: Path, node: str, position: Vec3, up: Vec3
) -> None:
    pose = read(tmp_path, node).bodies[0].links[0].pose
    assert pose.position == pytest.approx(position, abs=1e-9)
    assert quat_rotate(pose.rotation, (0.0, 0.0, 1.0)) == pytest.approx(up, abs=1e-9)


def test_steps_of_old_stairs_are_as_wide_and_high_as_written(tmp_path: Path) -> None:
    """They rose along x, as today; sizes are along the axes of the file: y up, z to the side."""
    scene = read(tmp_path, "StraightStairs { stepSize 0.3 0.02 1.2 nSteps 4 stepRise 0.2 }")
    boxes = [shape.geometry for body in scene.bodies for shape in body.links[0].shapes]
    assert (0.3, 1.2, 0.02) in [
        pytest.approx(box.size) for box in boxes if isinstance(box, GeometryBox)
    ]


DEVICES = "Lidar { translation 0 0.06 -0.01 } GPS { translation 0.02 0.03 0 }"


@pytest.mark.parametrize(
    ("robot", "slot", "place"),
    [("E-puck", "turretSlot", (-0.0095, 0, 0.0486)), ("BmwX5", "sensorsSlotCenter", (0, 0, 0))],
)
def test_devices_in_slots_lie_where_they_lay(
    tmp_path: Path, robot: str, slot: str, place: Vec3
) -> None:
    """Up was y and is z; ahead was -z and is x; to the right was x and is -y."""
    x, y, z = place
    devices = read(tmp_path, f"{robot} {{ {slot} [ {DEVICES} ] }}").bodies[0].links[0].devices
    poses = {device.name: device.pose for device in devices}
    assert poses["lidar"].position == pytest.approx((x + 0.01, y, z + 0.06), abs=1e-12)
    assert ahead(poses["lidar"]) == pytest.approx(FORWARD, abs=1e-12)
    assert poses["gps"].position == pytest.approx((x, y - 0.02, z + 0.03), abs=1e-12)


@pytest.mark.parametrize(
    ("fields", "position", "direction"),
    [
        ("", (0, 0, 0), (1, 0, 0)),
        ("translation 0 0.24 -0.136", (0.136, 0, 0.24), (1, 0, 0)),
        ("rotation 0 1 0 1.5707963267948966", (0, 0, 0), (0, 1, 0)),
    ],
)
def test_proto_in_a_slot_looks_where_it_looked(
    tmp_path: Path, fields: str, position: Vec3, direction: Vec3
) -> None:
    """A quarter turn to the left is one to the left."""
    scene = read(tmp_path, f"Pioneer3at {{ extensionSlot [ SickLms291 {{ {fields} }} ] }}")
    (lidar,) = [
        device
        for link in scene.bodies[0].links
        for device in link.devices
        if device.name == "Sick LMS 291"
    ]
    assert lidar.pose.position == pytest.approx(position, abs=1e-9)
    assert ahead(lidar.pose) == pytest.approx(direction, abs=1e-9)


@pytest.mark.parametrize(("place", "height"), [("", 0.11), ("translation 0 0.5 0", 0.5)])
def test_axles_are_at_the_frame_where_they_were(tmp_path: Path, place: str, height: float) -> None:
    """The frame of a Pioneer 3-AT is on the floor since R2022a; it was amid its axles."""
    sim = sb.Sim(read(tmp_path, f"Pioneer3at {{ {place} }}"))
    assert sim.link("front left wheel").position[1] == pytest.approx(height)


def test_things_in_a_slot_lie_where_an_old_cart_had_them(tmp_path: Path) -> None:
    """Its frame in an old world is that of the file, whichever way it looks today."""
    box = 'Solid { name "box" translation 0.1 0.2 0.3 boundingObject Box { size 0.1 0.1 0.1 } }'
    sim = sb.Sim(
        read(tmp_path, f"PlatformCart {{ translation 1 0 0 physics NULL slot [ {box} ] }}")
    )
    assert sim.link("box").position == pytest.approx((1.1, 0.2, 0.3), abs=1e-9)


def test_what_is_built_on_a_car_lies_where_it_lay(tmp_path: Path) -> None:
    """A car of an old world goes along z, and so do the parts of its body."""
    bonnet = 'Solid { name "bonnet" translation 0.1 1 3 boundingObject Box { size 0.1 0.1 0.1 } }'
    car = f"Car {{ translation 0 0 0 extensionSlot [ {bonnet} ] }}"
    sim = sb.Sim(read(tmp_path, car))
    assert sim.link("bonnet").position == pytest.approx((0.1, 1, 3), abs=1e-9)
    assert sim.link("front left wheel").position[2] == pytest.approx(4.0)


@pytest.mark.parametrize(
    ("car", "slot", "direction"),
    [
        ("BmwX5", "sensorsSlotFront", 1),
        ("BmwX5", "sensorsSlotCenter", 1),
        ("BmwX5", "sensorsSlotRear", -1),
        ("Bus", "sensorsSlotCenter", -1),
    ],
)
def test_cameras_of_cars_look_where_they_looked(
    tmp_path: Path, car: str, slot: str, direction: int
) -> None:
    """Slots for sensors were turned towards what is ahead, but not all of them."""
    scene = read(tmp_path, f'{car} {{ {slot} [ Camera {{ name "eye" }} ] }}')
    devices = {device.name: device for device in scene.bodies[0].links[0].devices}
    assert ahead(devices["eye"].pose) == pytest.approx((direction, 0, 0), abs=1e-5)


def test_joint_in_a_slot_turns_about_the_same_line(tmp_path: Path) -> None:
    joint = (
        "HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 position 1.5707963267948966 } "
        'endPoint Solid { name "arm" translation 0 0.3 -0.1 boundingObject Sphere { radius 0.01 } '
        "physics Physics { } } }"
    )
    sim = sb.Sim(read(tmp_path, f"Pioneer3at {{ translation 0 0 0 extensionSlot [ {joint} ] }}"))
    # seen from above, a point ahead (-z) has not moved: positions are read as written
    assert sim.link("arm").position == pytest.approx((0, 0.3, -0.1), abs=1e-9)


def test_looks_in_slots_are_not_wrapped(tmp_path: Path) -> None:
    scene = read(tmp_path, "SolidBox { appearance PBRAppearance { baseColor 1 0 0 metalness 0 } }")
    assert link_named(scene, "box").shapes


def test_converted_world_is_the_same_world(tmp_path: Path) -> None:
    """Written in the form of today, devices in slots and roads lie where they lay.

    An e-puck would be that of today, which has other devices.
    """
    nodes = f"Khepera3 {{ turretSlot [ {DEVICES} ] }}\nBmwX5 {{ translation 5 0.4 0 }}"
    path = old_world(tmp_path, nodes)
    world = sb.load_world(path)
    new = tmp_path / "new.wbt"
    world.save(new, sim=sb.Sim(world.scene))
    for before, after in zip(scene_of(path).bodies, sb.load(new).bodies, strict=True):
        assert ahead(after.links[0].pose) == pytest.approx(ahead(before.links[0].pose), abs=1e-9)
        for one, two in zip(before.links[0].devices, after.links[0].devices, strict=True):
            assert two.pose.position == pytest.approx(one.pose.position, abs=1e-9), one.name
            assert ahead(two.pose) == pytest.approx(ahead(one.pose), abs=1e-9), one.name


def test_protos_are_found_under_the_names_of_old_releases(tmp_path: Path) -> None:
    """An EPuck of release 6 is our E-puck; fields that ours does not have are ignored with a warning."""
    path = old_world(tmp_path, "EPuck { camera_pixelSize 0 } CheckeredFloor { }")
    scene, log = read_scene(path, options=LoadOptions())
    assert scene is not None
    assert {link.name for link in scene.links()} >= {"e-puck", "floor"}
    (said,) = [item for item in log if item.severity is not Severity.INFO]
    assert (said.severity, said.code) == (Severity.WARNING, "unknown-field")
    assert (
        'the PROTO used for "E-puck" has no field "camera_pixelSize"; it is ignored.' in said.text
    )
