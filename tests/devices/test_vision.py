"""Images: depth against planes and spheres for every projection, colours, lidars."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

from solidbody.devices.imaging.optics import cylindrical, dual_fisheye, equidistant, fisheye, planar
from solidbody.devices.imaging.range_images import Lidars
from solidbody.model.devices import Lens
from tests.devices.worlds import sim_of
from tests.render.seeing import shown

WALL = "Solid { translation 2.05 0 0 children [ Shape { geometry Box { size 0.1 50 50 } } ] }"
BALL = (
    "Solid { children [ Shape { geometry Sphere { radius 3 subdivision 5 } } ] translation 5 0 0 }"
)


def _image(nodes: str, device: str, name: str) -> np.ndarray:
    sim = sim_of(nodes + f"\nRobot {{ children [ {device} ] }}")
    sim.device(name).enable()
    sim.step()
    return sim.device(name).value


def test_a_planar_depth_image_of_a_wall_is_flat() -> None:
    """Depth along the optical axis is the same in every pixel."""
    found = _image(
        WALL, "RangeFinder { width 64 height 48 fieldOfView 1.2 maxRange 5 }", "range-finder"
    )
    assert found.shape == (48, 64)
    # 32-bit rays and cosines
    assert found == pytest.approx(np.full((48, 64), 2.0), rel=3e-6)


def _middles(half: float, count: int) -> np.ndarray:
    """Angles of pixels that share a field from `half` to -`half`."""
    return half * (1.0 - (2.0 * np.arange(count) + 1.0) / count)


def test_a_cylindrical_depth_image_of_a_wall_grows_with_the_angle() -> None:
    """Distance along the ray: d/(cos(yaw) cos(pitch))."""
    device = (
        'RangeFinder { width 32 height 16 fieldOfView 1.2 maxRange 10 projection "cylindrical" }'
    )
    found = _image(WALL, device, "range-finder")
    expected = 2.0 / np.outer(np.cos(_middles(0.3, 16)), np.cos(_middles(0.6, 32)))
    assert found == pytest.approx(expected, rel=3e-6)


def test_a_spherical_depth_image_of_a_wall_grows_from_the_centre() -> None:
    """Distance along the ray: d/cos(angle), the angle being in proportion to the way from the centre.

    Webots takes shares of width and height alike: the field of view is the same up and down.
    """
    device = 'RangeFinder { width 32 height 16 fieldOfView 1.2 maxRange 10 projection "spherical" }'
    found = _image(WALL, device, "range-finder")
    angle = np.hypot(_middles(0.6, 32)[None, :], _middles(0.6, 16)[:, None])
    assert found == pytest.approx(2.0 / np.cos(angle), rel=3e-6)


def test_a_depth_image_of_a_sphere() -> None:
    """|p + t d - c| = r for each pixel that sees it, inf for the others."""
    found = _image(
        BALL, "RangeFinder { width 41 height 31 fieldOfView 2 maxRange 20 }", "range-finder"
    )
    d = planar(41, 31, 2.0)
    middle = d @ np.array([5.0, 0.0, 0.0])
    rest = 9.0 - (25.0 - middle**2)
    distance = np.where(rest >= 0.0, middle - np.sqrt(np.maximum(rest, 0.0)), np.inf)
    expected = distance * d[..., 0]
    # the rim is within a pixel; elsewhere 32-bit rays
    clear = np.abs(rest) > 0.05
    assert found[clear] == pytest.approx(expected[clear], rel=1e-5)


def test_out_of_range_reads_inf() -> None:
    """Farther than maxRange and nearer than minRange."""
    found = _image(WALL, "RangeFinder { width 8 height 8 maxRange 1.5 }", "range-finder")
    assert np.isinf(found).all()
    found = _image(WALL, "RangeFinder { width 8 height 8 minRange 2.5 maxRange 5 }", "range-finder")
    assert np.isinf(found).all()


@pytest.mark.parametrize("projection", ["planar", "cylindrical", "spherical"])
def test_cameras_begin_to_see_at_the_depth_near(projection: str) -> None:
    """In planar pictures, of which Webots makes all others: also where rays are 1.3 times as long."""
    wall = WALL.replace("geometry", "appearance PBRAppearance { emissiveColor 1 1 1 } geometry")
    for near, is_seen in ((1.99, True), (2.01, False)):
        camera = (
            f'Camera {{ width 16 height 8 fieldOfView 1.4 near {near} projection "{projection}" }}'
        )
        found = _image(wall, camera, "camera")[..., 0]
        assert ((found > 0) == is_seen).all()


def test_the_edges_of_the_field_of_view() -> None:
    """They are the outer edges of the outermost pixels, through whose middles rays go."""
    d = planar(100, 50, 1.0)
    half_pixel = math.atan(math.tan(0.5) * (1 - 1 / 100))
    assert math.atan2(d[25, 0, 1], d[25, 0, 0]) == pytest.approx(half_pixel)
    c = cylindrical(100, 50, 3.0)
    assert math.atan2(c[25, 0, 1], c[25, 0, 0]) == pytest.approx(1.5 * (1 - 1 / 100))
    assert math.asin(c[0, 50, 2]) == pytest.approx(0.75 * (1 - 1 / 50))
    s = equidistant(101, 51, 3.0)
    assert s[25, 0] == pytest.approx([math.cos(1.5 * 100 / 101), math.sin(1.5 * 100 / 101), 0.0])
    assert s[0, 50] == pytest.approx([math.cos(1.5 * 50 / 51), 0.0, math.sin(1.5 * 50 / 51)])
    assert s[25, 50] == pytest.approx([1.0, 0.0, 0.0])
    f, inside = fisheye(100, math.pi)
    radius = math.hypot(0.5 - 50, 49.5 - 50) / 50  # centre of the leftmost pixel in the middle row
    assert math.acos(f[49, 0, 0]) == pytest.approx(radius * math.pi / 2)
    assert not inside[0, 0]
    assert inside[50, 50]
    dual, _ = dual_fisheye(100)
    assert dual.shape == (50, 100, 3)
    assert dual[25, 25, 0] > 0.99
    assert dual[25, 75, 0] < -0.99


def test_a_lens_bends_straight_lines() -> None:
    """Without coefficients nothing changes; barrel distortion looks wider at the edge than at the centre."""
    assert planar(20, 10, 1.0, Lens()) == pytest.approx(planar(20, 10, 1.0))
    bent = planar(20, 10, 1.0, Lens(radial=(0.5, 0.0)))
    plain = planar(20, 10, 1.0)
    assert bent[5, 0, 1] / bent[5, 0, 0] > plain[5, 0, 1] / plain[5, 0, 0]


def test_the_colour_of_a_lit_wall() -> None:
    """Light straight on: diffuse colour times direct light, a share of it of the ambient light; as light.

    Colours stand for ((c + 0.055)/1.055)^2.4 of light: 0.6038 for 0.8, 0.1329 for 0.4, 0.0976 for 0.8 times
    the ambient share 0.43, 0.0247 for 0.4 times it.
    """
    nodes = (
        "DirectionalLight { direction 1 0 0 intensity 0.5 ambientIntensity 0.25 }"
        "Solid { translation 2 0 0 children [ Shape { appearance Appearance { "
        "material Material { diffuseColor 0.8 0.4 0 ambientIntensity 0.43 } } "
        "geometry Box { size 0.1 50 50 } } ] }"
    )
    found = _image(nodes, "Camera { width 16 height 16 }", "camera")
    light = [0.5 * 0.6038 + 0.25 * 0.0976, 0.5 * 0.1329 + 0.25 * 0.0247, 0.0]
    assert found[8, 8] == pytest.approx(shown(light), abs=1.0)


def test_a_shadow_takes_the_direct_light() -> None:
    """A ball above the floor, the sun straight above, a camera that looks at the floor below it."""
    nodes = (
        "DirectionalLight { direction 0 0 -1 ambientIntensity 0.2 castShadows TRUE }"
        "Solid { children [ Shape { appearance Appearance { material Material { diffuseColor 1 1 1 "
        "ambientIntensity 1 } } geometry Plane { size 20 20 } } ] translation 0 0 -1 }"
        "Solid { translation 3 0 2 children [ Shape { geometry Sphere { radius 0.5 } } ] }"
    )
    # looks down by atan(1/3) at the point (3, 0, -1)
    camera = f"Camera {{ width 33 height 33 rotation 0 1 0 {math.atan2(1, 3)} }}"
    found = _image(nodes, camera, "camera")
    assert found[16, 16] == pytest.approx(shown([0.2] * 3), abs=1)
    assert found[30, 0] == pytest.approx(shown([1.2] * 3), abs=1)


def test_the_sky_is_where_nothing_is() -> None:
    """The first colour of the background."""
    found = _image(
        "Background { skyColor [ 0.2 0.4 0.6 ] }", "Camera { width 4 height 4 }", "camera"
    )
    assert found[0, 0].tolist() == [51, 102, 153]


def test_camera_noise_has_the_given_deviation() -> None:
    """0.1 of full scale, on mid-grey, where nothing is cut off."""
    found = _image(
        "Background { skyColor [ 0.5 0.5 0.5 ] }",
        "Camera { width 100 height 100 noise 0.1 }",
        "camera",
    )
    # 30,000 samples: 0.4 % per deviation
    assert found.astype(float).std() == pytest.approx(25.5, rel=0.02)


def test_a_transparent_pane_mixes() -> None:
    """Half transparent red before a blue sky: half of each; the sky is bright enough for twice its colour."""
    nodes = (
        "Background { skyColor [ 0 0 1 ] } Solid { translation 2 0 0 children [ Shape { "
        "appearance PBRAppearance { baseColor 0 0 0 emissiveColor 1 0 0 transparency 0.5 "
        "roughness 1 metalness 0 } "
        "geometry Plane { size 9 9 } } ] rotation 0 1 0 -1.5707963267948966 }"
    )
    found = _image(nodes, "Camera { width 8 height 8 }", "camera")
    assert found[4, 4] == pytest.approx([float(shown(0.5)), 0, 255], abs=1)


def test_a_lidar_measures_a_wall() -> None:
    """Rows from the top, columns from the left: middles of equal parts, as pixels of a cylinder."""
    device = (
        "Lidar { horizontalResolution 64 numberOfLayers 3 verticalFieldOfView 0.2 "
        "fieldOfView 1 maxRange 9 }"
    )
    nodes = (
        WALL
        + "Solid { translation 1 0.3 0 children [ Shape { geometry Box { size 0.1 0.1 9 } } ] }"
    )
    sim = sim_of(nodes + f"\nRobot {{ children [ {device} ] }}")
    sim.device("lidar").enable()
    sim.step()
    found = sim.device("lidar").value
    yaw, pitch = _middles(0.5, 64), np.linspace(0.1, -0.1, 3)
    expected = 2.0 / np.outer(np.cos(pitch), np.cos(yaw))
    right = slice(32, None)
    assert found[:, right] == pytest.approx(expected[:, right], rel=1e-5)
    assert (found[:, :32] < 1.5).any()  # the post is to the left


def test_a_rotating_lidar_fills_its_image_as_it_turns() -> None:
    """10 turns per second: a quarter of the image after 25 ms, all of it after 100 ms.

    The head looks ahead at the start, the middle of the image, and turns to the right.
    """
    room = "Solid { children [ Shape { geometry Cylinder { radius 2 height 9 top FALSE bottom FALSE } } ] }"
    device = (
        'Lidar { type "rotating" horizontalResolution 100 numberOfLayers 1 maxRange 9 '
        "defaultFrequency 10 }"
    )
    sim = sim_of(room + f"\nRobot {{ children [ {device} ] }}", step_ms=5)
    sim.device("lidar").enable()
    sim.step(5)
    seen = np.flatnonzero(sim.device("lidar").value)
    assert seen.tolist() == list(range(50, 75)), "0 where it has not been"
    sim.step(15)
    found = sim.device("lidar").value
    assert found == pytest.approx(np.full((1, 100), 2.0), rel=1e-5)


def test_points_that_were_not_hit_are_infinite_without_a_warning() -> None:
    """A wall at 2 m before half of the view: the other half is at infinity on every axis."""
    half = "Solid { translation 2.05 5 0 children [ Shape { geometry Box { size 0.1 10 50 } } ] }"
    device = "Lidar { horizontalResolution 64 numberOfLayers 3 fieldOfView 1 maxRange 9 }"
    sim = sim_of(half + f"\nRobot {{ children [ {device} ] }}")
    sim.device("lidar").enable()
    group, row = sim.devices.group_of(sim.devices.names["lidar"])
    assert isinstance(group, Lidars)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim.step()
        found = group.points(row).reshape(3, 64, 5)
    assert found[:, :32, 0] == pytest.approx(np.full((3, 32), 2.0), rel=1e-5)
    assert np.isinf(found[:, 32:, :3]).all()
    assert (found[..., 3] == [[0.0], [1.0], [2.0]]).all()


def test_billboards_are_not_seen_by_cameras_and_lidars() -> None:
    """They hang before the eyes of the user only."""
    ball = """Shape { appearance PBRAppearance { emissiveColor 1 1 1 } geometry Sphere { radius 0.5 } }"""
    sim = sim_of(
        "Background { skyColor [ 0 0 0 ] }"
        f"Billboard {{ children [ Pose {{ translation 2 0 0 children [ {ball} ] }} ] }}"
        "Robot { children [ Camera { width 8 height 8 } RangeFinder { width 8 height 8 maxRange 5 } ] }"
    )
    for name in ("camera", "range-finder"):
        sim.device(name).enable()
    sim.step(1)
    assert not sim.device("camera").value[..., :3].any()
    assert np.isinf(sim.device("range-finder").value).all()
