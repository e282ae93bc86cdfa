"""Our stand-ins behave as the public descriptions of the real PROTOs say."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import solidbody as sb
from solidbody.model.devices import (
    DeviceDisplay,
    DeviceDistanceSensor,
    DeviceGyro,
    DeviceInertialUnit,
)
from solidbody.model.environment import LightDirectional
from solidbody.model.geometry import GeometryBox, GeometryHeightField
from solidbody.model.joints import JointHinge, JointHinge2, JointSlider
from solidbody.model.links import Motion
from solidbody.model.shapes import ShapeRole
from tests.standins.driving import URL, complaints, load_world, write_world


def read(folder: Path, nodes: str) -> sb.Scene:
    """Return the scene of a world that has nothing to complain of."""
    scene, log = load_world(write_world(folder, nodes))
    assert complaints(log) == []
    return scene


@pytest.mark.parametrize(
    ("node", "mass", "said"),
    [
        ("WoodenBox { size 0.5 0.5 0.5 mass 10 }", 10.0, ""),
        ("WoodenBox { size 0.5 0.5 0.5 mass 0.1 }", 0.25, '"mass" must be between 0.25 and 250'),
        ("WoodenBox { size 4 0.5 0.5 mass 5 }", 5.0, '"size" must be between 0.01 and 3, got 4'),
        ("CardboardBox { size 0.5 0.5 0.5 mass 90 }", 25.0, '"mass" must be between 0.25 and 25'),
        ("CardboardBox { size 2 2 2 }", None, '"size" must hold between 1 cm^3 and 1 m^3, got 8'),
    ],
)  # fmt: skip
def test_boxes_keep_to_the_masses_and_sizes_that_the_real_ones_allow(
    tmp_path: Path, node: str, mass: float | None, said: str
) -> None:
    """A volume V allows V^(2/3) kg and more, here (1/8)^(2/3) = 1/4."""
    scene, log = load_world(write_world(tmp_path, node))
    found = scene.bodies[0].links[0].mass
    assert (None if found is None else found.mass) == pytest.approx(mass)
    texts = complaints(log)
    assert (said in texts[0]) if said else texts == []


def test_lights_of_skies_have_the_direction_of_the_real_ones(tmp_path: Path) -> None:
    """Given along y up there; a hall has none."""
    nodes = 'TexturedBackgroundLight { luminosity 2 } TexturedBackgroundLight { texture "factory" }'
    sun, none = read(tmp_path, nodes).lights
    assert isinstance(sun, LightDirectional)
    # (x, y, z) of a world with y up is (z, x, y) of one with z up
    length = math.hypot(0.55, 0.6, 1.0)
    assert [x * length for x in sun.direction] == pytest.approx([0.55, -0.6, -1.0])
    assert sun.intensity == 2 * 2.7
    assert not none.is_on


@pytest.mark.parametrize("name", ["SolidBox", "SolidPipe", "SolidRoundedBox", "SolidTorus"])
def test_solid_forms_collide_unless_told_not_to(tmp_path: Path, name: str) -> None:
    nodes = f'{name} {{ }} {name} {{ name "b" enableBoundingObject FALSE }}'
    roles = [
        {shape.role for link in body.links for shape in link.shapes}
        for body in read(tmp_path, nodes).bodies
    ]
    assert [x == {ShapeRole.VISUAL} for x in roles] == [False, True]


def test_sumo_interface_shows_on_the_display_in_its_slot(tmp_path: Path) -> None:
    scene = read(tmp_path, "SumoInterface { display SumoDisplay { zoom 2 } }")
    (display,) = [x for body in scene.bodies for link in body.links for x in link.devices]
    assert isinstance(display, DeviceDisplay)
    assert (display.name, display.width) == ("sumo", 256)


def test_linked_walls_bend_by_their_angles(tmp_path: Path) -> None:
    """Twelve times 7.5 degrees are a right angle: the second wall starts where the first one ends."""
    scene = read(tmp_path, "LinkedWalls { length 2 angles [ 12 0 ] }")
    walls = [link.pose.position for link in scene.bodies[0].links if link.name.startswith("wall")]
    # middles: half a wall up, half a wall aside, then a whole one aside
    assert walls == [pytest.approx(x) for x in ((0, 0, 0), (1, 1, 0), (3, 1, 0))]


def test_straight_arm_of_a_youbot_is_as_long_as_the_real_one(tmp_path: Path) -> None:
    """Links of 77, 70, 155, 135 and 81 mm stand on the frame; the second joint is 33 mm before the first."""
    sim = sb.Sim(read(tmp_path, 'Youbot { controller "<none>" }'))
    way = sim["arm5"].position - sim["youBot"].position
    assert way.tolist() == pytest.approx([0.156 + 0.033, 0.0, 0.077 + 0.07 + 0.155 + 0.135 + 0.081])


def test_mass_of_a_youbot_is_that_of_its_parts(tmp_path: Path) -> None:
    """Platform, plate, arm with its base and its fingers, four wheels."""
    sim = sb.Sim(read(tmp_path, 'Youbot { controller "<none>" }'))
    arm = 0.845 + 2.412 + 1.155 + 0.934 + 0.877 + 0.251 + 2 * 0.03
    assert sim.model.body_mass.sum() == pytest.approx(22 + 0.5 + arm + 4 * 0.4)


def test_summit_has_the_sensors_of_the_real_one(tmp_path: Path) -> None:
    scene = read(tmp_path, 'SummitXlSteel { controller "<none>" }')
    names = {x.name for body in scene.bodies for link in body.links for x in link.devices}
    sensors = {"accelerometer", "gyro", "compass", "gps", "rgb_camera", "depth_camera"}
    assert sensors <= names


def test_bb8_has_the_sensors_of_the_real_one(tmp_path: Path) -> None:
    """A pair in each part, of which only those of the body roll."""
    scene = read(tmp_path, 'BB-8 { controller "<none>" bodySlot [ Receiver { } ] }')
    found = {link.name: {x.name for x in link.devices} for link in scene.bodies[0].links}
    pairs = {part: {f"{part} gyro", f"{part} accelerometer"} for part in ("body", "head")}
    assert found["BB-8"] >= {"counterweight gyro", "counterweight accelerometer", "receiver"}
    assert found["solid"] >= pairs["body"]
    assert found["head"] >= pairs["head"]


def test_pit_is_a_ring_around_a_flat_middle(tmp_path: Path) -> None:
    """Its height g (1 - g) size.z is greatest where g = 1/2, which is sqrt(2 ln 2) radii from the middle."""
    node = "Pit { size 20 20 4 xDimension 201 yDimension 201 noiseAmplitude 0 pitRadius 2 }"
    (grid,) = (
        x.geometry
        for x in read(tmp_path, node).bodies[0].links[0].shapes
        if x.role != ShapeRole.VISUAL
    )
    assert isinstance(grid, GeometryHeightField)
    row = grid.heights[100 * 201 : 101 * 201]
    assert row[100] == 0
    top = max(range(201), key=row.__getitem__)
    assert row[top] == pytest.approx(1.0, abs=1e-3)
    assert abs(top - 100) * 0.1 == pytest.approx(2 * math.sqrt(2 * math.log(2)), abs=0.05)
    assert row[0] == row[200] == 0


@pytest.mark.parametrize("name", ["PitEscapeBenchmark", "HighwayDrivingBenchmark"])
def test_referees_of_benchmarks_load_and_do_nothing(tmp_path: Path, name: str) -> None:
    scene, log = load_world(_declaring(tmp_path, name, f"{name} {{ }}"))
    assert complaints(log) == []
    assert [robot.controller for body in scene.bodies for robot in body.robots] == ["<none>"]


def test_pioneers_of_benchmarks_are_pioneers(tmp_path: Path) -> None:
    node = 'WallFollowingPioneer3dx { name "participant" controller "<none>" }'
    scene, log = load_world(_declaring(tmp_path, "WallFollowingPioneer3dx", node))
    assert complaints(log) == []
    names = {x.name for body in scene.bodies for link in body.links for x in link.devices}
    assert {"so0", "so15"} <= names
    joints = [link.joint for body in scene.bodies for link in body.links]
    motors = [joint.axis.motor for joint in joints if isinstance(joint, JointHinge)]
    assert [motor.max_velocity for motor in motors if motor] == [5.24, 5.24]  # their programs' top


@pytest.mark.parametrize(("density", "motion"), [(400, Motion.DYNAMIC), (-1, Motion.KINEMATIC)])
def test_duck_without_density_has_no_physics(
    tmp_path: Path, density: float, motion: Motion
) -> None:
    scene = read(tmp_path, f"RubberDuck {{ density {density} }}")
    assert scene.bodies[0].links[0].motion is motion


def test_things_in_the_head_of_an_aibo_turn_with_it(tmp_path: Path) -> None:
    """What is in headSlot lies on the link of the camera."""
    node = 'AiboErs7 { controller "<none>" headSlot [ GPS { } ] }'
    links = read(tmp_path, node).bodies[0].links
    (head,) = [{x.name for x in link.devices} for link in links if "gps" in str(link.devices)]
    assert {"gps", "PRM:/r1/c1/c2/c3/i1-FbkImageSensor:F1"} <= head


def _declaring(folder: Path, name: str, node: str) -> Path:
    """Write a world that names a PROTO by its address."""
    path = write_world(folder, node)
    text = path.read_text("utf-8")
    path.write_text(text.replace("utf8\n", f'utf8\nEXTERNPROTO "{URL}/{name}.proto"\n', 1), "utf-8")
    return path


def test_walls_of_bricks_close_a_row(tmp_path: Path) -> None:
    """As public mazes place them: 96 mm apart and turned by 90 degrees, they leave no gap between them."""
    nodes = "".join(
        f'LegoTallWall {{ translation {x} 0 0.0699 rotation 0 0 1 1.570796 name "{x}" }}'
        for x in (0.0, 0.096)
    )
    boxes = [x.geometry for b in read(tmp_path, nodes).bodies for x in b.links[0].shapes]
    sizes = {x.size for x in boxes if isinstance(x, GeometryBox)}
    assert sizes == {(0.016, 0.096, 0.1398)}


@pytest.mark.parametrize("name", ["Obstacle", "NaoChallengeRoom"])
def test_what_has_no_rotation_stands_up_in_old_worlds(tmp_path: Path, name: str) -> None:
    """Their z axis points where y does."""
    scene, log = load_world(write_world(tmp_path, f"{name} {{ }}", release="R2020a"))
    assert complaints(log) == []
    turned = scene.bodies[0].links[0].pose.direction((0.0, 0.0, 1.0))
    assert turned == pytest.approx((0.0, 1.0, 0.0))


def lookup(scene: sb.Scene, name: str) -> list[float]:
    """Return the inputs of the lookup table of a device."""
    devices = [x for body in scene.bodies for link in body.links for x in link.devices]
    (device,) = [x for x in devices if x.name == name]
    assert isinstance(device, DeviceDistanceSensor)
    return [row.output for row in device.lookup.rows]


@pytest.mark.parametrize(("release", "second"), [("R2019b", 3474.0), ("R2020a", 2133.33)])
def test_a_stand_in_follows_the_release_of_its_world(
    tmp_path: Path, release: str, second: float
) -> None:
    """The e-puck's distance sensors were calibrated anew in R2020a; names are given since R2019a."""
    nodes = 'E-puck { } Robot { children [ E-puckDistanceSensor { name "a" } E-puckDistanceSensor { } ] }'
    scene, log = load_world(write_world(tmp_path, nodes, release=release))
    assert complaints(log) == []
    assert {lookup(scene, name)[1] for name in ("ps0", "a", "ds")} == {second}


def test_e_puck_has_a_gyro_since_r2020b(tmp_path: Path) -> None:
    for release, expected in (("R2020a", 0), ("R2020b", 1)):
        scene, _ = load_world(write_world(tmp_path, "E-puck { }", release=release))
        devices = [x for body in scene.bodies for link in body.links for x in link.devices]
        assert sum(isinstance(x, DeviceGyro) for x in devices) == expected


def test_nao_has_the_motors_of_the_real_one(tmp_path: Path) -> None:
    """Legs of 9.8 and 14.8 Nm, arms and head of 8.27 rad/s; with its fingers at zero the hand is closed."""
    scene = read(tmp_path, "Nao { }")
    motors = {
        joint.axis.motor.name: joint.axis.motor
        for joint in (link.joint for link in scene.bodies[0].links)
        if isinstance(joint, JointHinge) and joint.axis.motor
    }
    assert motors["LKneePitch"].max_effort == 9.8
    assert motors["RAnkleRoll"].max_effort == 14.8
    assert motors["HeadYaw"].max_velocity == motors["LShoulderPitch"].max_velocity == 8.26797
    names = {x.name for link in scene.bodies[0].links for x in link.devices}
    assert {"super_emitter", "emitter"} <= names


@pytest.mark.parametrize(
    ("node", "release", "names"),
    [
        ("Crazyflie { }", "R2023a", {"inertial unit"}),
        ("Crazyflie { }", "R2023b", {"inertial_unit"}),
        ("Youbot { }", "R2021b", {"finger1", "finger2"}),
        ("Youbot { }", "R2022a", {"finger::left", "finger::right"}),
    ],
)
def test_devices_have_the_names_of_the_release(
    tmp_path: Path, node: str, release: str, names: set[str]
) -> None:
    scene, _ = load_world(write_world(tmp_path, node, release=release))
    links = [link for body in scene.bodies for link in body.links]
    motors = {
        link.joint.axis.motor.name
        for link in links
        if isinstance(link.joint, JointSlider) and link.joint.axis.motor
    }
    units = {x.name for link in links for x in link.devices if isinstance(x, DeviceInertialUnit)}
    assert (motors or units) == names


@pytest.mark.parametrize(("release", "speed"), [("R2020a", 200.0), ("R2020b", 50 / 0.374)])
def test_wheels_of_cars_turn_as_fast_as_in_the_release(
    tmp_path: Path, release: str, speed: float
) -> None:
    """Until R2020b wheels were bounded by a speed of their own, since then by that of the car."""
    scene, _ = load_world(write_world(tmp_path, "BmwX5 { }", release=release))
    joints = [link.joint for body in scene.bodies for link in body.links]
    motors = [
        axis.motor
        for joint in joints
        if isinstance(joint, JointHinge2)
        for axis in (joint.axis1, joint.axis2)
        if axis.motor and axis.motor.name.endswith("front_wheel")
    ]
    assert [motor.max_velocity for motor in motors] == [pytest.approx(speed)] * 2
