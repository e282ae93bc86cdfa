"""Worlds of SDF: physics, lights, surfaces, sensors, forms; the same law for what they say."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import solidbody as sb
from solidbody.formats.loading import read_scene
from solidbody.model.devices import (
    DeviceCamera,
    DeviceDistanceSensor,
    DeviceGps,
    DeviceImu,
    DeviceLidar,
    DeviceTouchSensor,
)
from solidbody.model.environment import LightDirectional, LightPoint, LightSpot
from solidbody.model.geometry import (
    GeometryBox,
    GeometryCapsule,
    GeometryCone,
    GeometryCylinder,
    GeometryHeightField,
    GeometryMesh,
    GeometryPlane,
    GeometrySphere,
)
from tests.formats.reading import the
from tests.formats.sdf.test_models import MASS, named, read, scene_of

PLANE = """<model name="ground"><static>true</static><link name="l"><collision name="c"><geometry><plane>
<normal>0 0 1</normal><size>100 100</size></plane></geometry>{}</collision></link></model>"""

CUBE = """<model name="cube"><pose>0 0 {} 0 0 0</pose>
<link name="l"><inertial><mass>1</mass><inertia><ixx>0.0067</ixx>
<iyy>0.0067</iyy><izz>0.0067</izz></inertia></inertial>
<collision name="c"><geometry><box><size>0.2 0.2 0.2</size>
</box></geometry>{}</collision></link></model>"""


def friction(mu: float) -> str:
    return f"<surface><friction><ode><mu>{mu}</mu><mu2>{mu}</mu2></ode></friction></surface>"


def world(*parts: str) -> str:
    return f'<world name="w">{"".join(parts)}</world>'


def test_physics_and_lights(tmp_path: Path) -> None:
    text = world(
        '<physics name="p" type="ode"><max_step_size>0.004</max_step_size>'
        "</physics><gravity>0 0 -1.6</gravity>",
        '<light name="s" type="directional"><direction>0 1 -1</direction>'
        "<diffuse>1 0.5 0 1</diffuse></light>",
        '<light name="p" type="point"><pose>1 2 3 0 0 0</pose>'
        "<attenuation><range>7</range></attenuation></light>",
        '<light name="c" type="spot"><pose>0 0 3 0 0 0</pose>'
        "<spot><outer_angle>1</outer_angle></spot></light>",
        "<scene><background>0.1 0.2 0.3 1</background></scene>",
        CUBE.format(1, ""),
    )
    scene = scene_of(tmp_path, text)
    assert scene.physics.time_step == 0.004
    assert scene.physics.gravity == (0.0, 0.0, -1.6)
    sun, lamp, cone = scene.lights
    assert isinstance(sun, LightDirectional) and sun.color == (1.0, 0.5, 0.0)
    assert isinstance(lamp, LightPoint) and (lamp.position, lamp.radius) == ((1.0, 2.0, 3.0), 7.0)
    assert isinstance(cone, LightSpot) and cone.cut_off_angle == 0.5
    assert scene.background is not None and scene.background.color == (0.1, 0.2, 0.3)


def test_friction_is_the_smaller_of_both(tmp_path: Path) -> None:
    """A cube on a slope of 20 degrees (tan = 0.364) slides with 0.3 and rests with 0.5, whoever has it."""
    slope = math.radians(20.0)
    for mu, ground, slides in ((0.3, 1.0, True), (1.0, 0.3, True), (0.5, 1.0, False)):
        text = world(
            f"<gravity>{9.81 * math.sin(slope)} 0 {-9.81 * math.cos(slope)}</gravity>",
            PLANE.format(friction(ground)),
            CUBE.format(0.1, friction(mu)),
        )
        sim = sb.Sim(scene_of(tmp_path, text))
        sim.run(1.0)
        way = 0.5 * 9.81 * (math.sin(slope) - min(mu, ground) * math.cos(slope))
        assert sim["cube"].position[0] == pytest.approx(way if slides else 0.0, abs=0.01)


def test_bounce(tmp_path: Path) -> None:
    """Dropped from 1 m with a restitution of 0.5 it comes up to a quarter of that."""
    bounce = (
        "<surface><bounce><restitution_coefficient>0.5</restitution_coefficient>"
        "<threshold>0.1</threshold></bounce></surface>"
    )
    scene = scene_of(tmp_path, world(PLANE.format(bounce), CUBE.format(1.1, bounce)))
    sim = sb.Sim(scene)
    sim.run(0.5)
    top = 0.0
    for _ in range(400):
        sim.step()
        top = max(top, sim["cube"].position[2] - 0.1)
    assert top == pytest.approx(0.25, abs=0.02)


FORMS = {
    "<box><size>1 2 3</size></box>": GeometryBox,
    "<sphere><radius>1</radius></sphere>": GeometrySphere,
    "<cylinder><radius>1</radius><length>2</length></cylinder>": GeometryCylinder,
    "<capsule><radius>1</radius><length>2</length></capsule>": GeometryCapsule,
    "<cone><radius>1</radius><length>2</length></cone>": GeometryCone,
    "<ellipsoid><radii>1 2 3</radii></ellipsoid>": GeometryMesh,
    "<plane><normal>0 1 0</normal><size>1 2</size></plane>": GeometryPlane,
    "<mesh><uri>m.obj</uri><scale>2 2 2</scale></mesh>": GeometryMesh,
    "<heightmap><uri>h.png</uri><size>10 10 2</size></heightmap>": GeometryHeightField,
}


@pytest.mark.parametrize("form", FORMS)
def test_forms(form: str, tmp_path: Path) -> None:
    (tmp_path / "m.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    )
    heights = np.zeros((5, 5), dtype=np.uint8)
    heights[0, 4] = 255
    Image.fromarray(heights).save(tmp_path / "h.png")
    part = f'<collision name="c"><geometry>{form}</geometry></collision>'
    scene = scene_of(
        tmp_path, f'<model name="m"><static>1</static><link name="l">{part}</link></model>'
    )
    (shape,) = named(scene, "m").shapes
    assert isinstance(shape.geometry, FORMS[form])
    if isinstance(
        shape.geometry, GeometryHeightField
    ):  # the first row is at +y, white is as high as size z
        assert shape.geometry.heights[-1] == 2.0
        assert shape.pose.position == (-5.0, -5.0, 0.0)
    if isinstance(shape.geometry, GeometryPlane):
        assert shape.pose.direction((0.0, 0.0, 1.0)) == pytest.approx((0.0, 1.0, 0.0))


SENSORS = """
<sensor name="cam" type="camera"><pose>0.1 0 0 0 0 0</pose>
<update_rate>30</update_rate><camera><horizontal_fov>1.2</horizontal_fov>
<image><width>64</width><height>48</height></image><clip>
<near>0.05</near><far>20</far></clip></camera></sensor>
<sensor name="scan" type="gpu_lidar"><ray><scan><horizontal>
<samples>90</samples><min_angle>-1</min_angle><max_angle>1</max_angle>
</horizontal></scan><range><min>0.1</min><max>12</max></range></ray></sensor>
<sensor name="beam" type="ray"><ray><scan><horizontal><samples>1</samples>
<min_angle>0</min_angle><max_angle>0</max_angle></horizontal>
</scan><range><min>0.1</min><max>5</max></range></ray></sensor>
<sensor name="imu" type="imu"/><sensor name="gps" type="navsat"/><sensor name="touch" type="contact"/>"""


def test_sensors(tmp_path: Path) -> None:
    box = "<geometry><box><size>1 1 1</size></box></geometry>"
    inside = f'{MASS}<visual name="v">{box}</visual><collision name="c">{box}</collision>{SENSORS}'
    scene = scene_of(tmp_path, f'<model name="m"><link name="l">{inside}</link></model>')
    camera, scan, beam, imu, gps, touch = named(scene, "m").devices
    assert isinstance(camera, DeviceCamera)
    assert (camera.width, camera.height, camera.field_of_view) == (64, 48, 1.2)
    assert (camera.near, camera.far, camera.frame_rate) == (0.05, 20.0, 30.0)
    assert camera.pose.position == (0.1, 0.0, 0.0)
    assert isinstance(scan, DeviceLidar) and (scan.samples, scan.max_range) == (90, 12.0)
    assert isinstance(beam, DeviceDistanceSensor) and beam.lookup.max_input == 5.0
    assert isinstance(imu, DeviceImu) and isinstance(gps, DeviceGps)
    assert isinstance(touch, DeviceTouchSensor) and touch.shapes == (1,)
    sim = sb.Sim(scene)
    sim.device("gps").enable(0.001)
    sim.run(0.01)
    assert np.isfinite(sim.device("gps").value).all()


def test_links_of_a_model_do_not_touch_each_other_unless_it_says_so(tmp_path: Path) -> None:
    box = '<collision name="c"><geometry><box><size>0.2 0.2 0.2</size></box></geometry></collision>'
    parts = "".join(
        f'<link name="{name}"><pose>0 0 {height} 0 0 0</pose>{MASS}{box}</link>'
        for name, height in (("a", 1.0), ("b", 1.3), ("c", 2.0))
    )
    joint = '<joint name="j" type="fixed"><parent>world</parent><child>a</child></joint>'
    for self_collide, falls in (("true", False), ("false", True)):
        text = f'<model name="m"><self_collide>{self_collide}</self_collide>{parts}{joint}</model>'
        sim = sb.Sim(scene_of(tmp_path, text))
        sim.run(0.6)
        assert bool(sim["b"].position[2] < 0.5) is falls


def test_what_is_not_sdf_is_told(tmp_path: Path) -> None:
    path = tmp_path / "x.sdf"
    path.write_text("<robot/>")
    with pytest.raises(sb.LoadError, match="outermost element of SDF"):
        sb.load(path)
    scene, log = read(tmp_path, world(PLANE.format(""), "<actor name='a'/>"), "9.9")
    assert scene is not None
    assert [item.code for item in log] == ["unknown-version", "unread-element"]


def test_entity_bombs_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.world"
    path.write_text(
        '<!DOCTYPE sdf [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><sdf version="1.6">&b;</sdf>'
    )
    with pytest.raises(sb.LoadError, match="entities"):
        sb.load(path)


def test_a_declaration_behind_an_empty_line(tmp_path: Path) -> None:
    """And a comment, as many files on the web have it; messages still name the line of the file."""
    path = tmp_path / "w.sdf"
    path.write_text(
        '\n<!-- <a> -->\n<?xml version="1.0"?>\n<sdf version="1.6"><model name="m"><link name="a"/>\n'
        '<link name="a"/></model></sdf>'
    )
    scene, log = read_scene(path)
    assert scene is not None
    assert next(item.span.line for item in log if item.code == "duplicate-name") == 5


def test_comments_may_hold_what_xml_forbids(tmp_path: Path) -> None:
    """As the empty world of Gazebo's own examples does; messages keep line and column."""
    path = tmp_path / "w.sdf"
    path.write_text(
        '<?xml version="1.0"?>\n<!-- gz sim --physics-engine x --->\n<sdf version="1.6"><model name="m">'
        '<!-- -- --><link name="a"/><link name="a"/></model></sdf><!-- open --'
    )
    scene, log = read_scene(path)
    assert scene is None and "unclosed token" in the(log, "bad-xml").text
    path.write_text(path.read_text().replace("<!-- open --", ""))
    scene, log = read_scene(path)
    assert scene is not None
    said = the(log, "duplicate-name")
    assert (said.span.line, said.span.column) == (3, 63)
