"""Sensors of rays: distance, light, depth, lidar; distances to shapes that have a formula."""

from __future__ import annotations

import math

import numpy as np
import pytest

from solidbody.devices.scalar.distance import ray_directions, ray_pattern
from solidbody.model.devices import DeviceDistanceSensor, DistanceKind
from tests.devices.worlds import sim_of

METRES = "lookupTable [ 0 0 0, 10 10 0 ]"

SHAPES = {
    "Box { size 1 1 1 }": 1.5,
    "Sphere { radius 0.5 subdivision 5 }": 1.5,
    "Cylinder { radius 0.5 height 1 }": 1.5,
    "Capsule { radius 0.5 height 1 }": 1.5,
}


def _reading(nodes: str, sensor: str, name: str = "distance sensor") -> float:
    sim = sim_of(nodes + f"\nRobot {{ children [ {sensor} ] }}")
    sim.device(name).enable()
    sim.step()
    return sim.device(name).value


def _body(
    geometry: str, *, at: str = "2 0 0", look: str = "", drawn: bool = True, solid: bool = True
) -> str:
    shape = f"children [ Shape {{ {look} geometry {geometry} }} ]" if drawn else ""
    bounding = f"boundingObject {geometry}" if solid else ""
    return f"Solid {{ translation {at} {shape} {bounding} }}"


def _material(color: str) -> str:
    return f"appearance Appearance {{ material Material {{ diffuseColor {color} }} }}"


@pytest.mark.parametrize(("geometry", "distance"), SHAPES.items())
def test_the_distance_to_a_primitive(geometry: str, distance: float) -> None:
    """Its centre is 2 m ahead, its surface half a metre nearer."""
    # 32-bit rays: 1e-6 of the distance
    assert _reading(_body(geometry), f"DistanceSensor {{ {METRES} }}") == pytest.approx(
        distance, rel=2e-6
    )


def test_the_distance_to_a_height_field_and_a_mesh() -> None:
    """A wall of two triangles, and a flat field that is looked down on."""
    mesh = (
        "IndexedFaceSet { coord Coordinate { point [ 0 -1 -1, 0 1 -1, 0 1 1, 0 -1 1 ] } "
        "coordIndex [ 0, 1, 2, 3, -1 ] }"
    )
    assert _reading(_body(mesh), f"DistanceSensor {{ {METRES} }}") == pytest.approx(2.0, rel=2e-6)
    field = "ElevationGrid { xDimension 3 yDimension 3 height [ 1 1 1 1 1 1 1 1 1 ] }"
    down = "rotation 0 1 0 1.5707963267948966"
    found = _reading(_body(field, at="-1 -1 -3"), f"DistanceSensor {{ {down} {METRES} }}")
    assert found == pytest.approx(2.0, rel=2e-6)


def test_nothing_in_reach_reads_the_end_of_the_table() -> None:
    """The reach is the largest input."""
    assert _reading(_body("Box { }", at="20 0 0"), f"DistanceSensor {{ {METRES} }}") == 10.0


def test_a_sensor_sees_bounding_objects_and_an_infrared_one_what_is_drawn() -> None:
    """One box is drawn only, another collides only."""
    nodes = _body("Box { size 1 1 1 }", solid=False) + _body(
        "Box { size 1 1 1 }", at="4 0 0", drawn=False
    )
    assert _reading(nodes, f"DistanceSensor {{ {METRES} }}") == pytest.approx(3.5, rel=2e-6)
    red = f"Shape {{ {_material('1 0 0')} geometry Box {{ size 1 1 1 }} }}"
    nodes = f"Solid {{ translation 2 0 0 children [ {red} ] }}"
    found = _reading(nodes, f'DistanceSensor {{ type "infra-red" {METRES} }}')
    assert found == pytest.approx(1.5, rel=2e-6)


def test_an_infrared_sensor_takes_dark_things_for_farther_ones() -> None:
    """Red 0: the factor is 0.2, the distance d/0.2, at full sensitivity."""
    blue = f"Shape {{ {_material('0 0 1')} geometry Box {{ size 1 1 1 }} }}"
    nodes = f"Solid {{ translation 1 0 0 children [ {blue} ] }}"
    found = _reading(nodes, f'DistanceSensor {{ type "infra-red" {METRES} }}')
    assert found == pytest.approx(0.5 / 0.2, rel=2e-6)
    found = _reading(
        nodes, f'DistanceSensor {{ type "infra-red" redColorSensitivity 0.5 {METRES} }}'
    )
    assert found == pytest.approx(0.5 + (0.5 / 0.2 - 0.5) * 0.5, rel=2e-6)


def test_a_sonar_hears_only_what_faces_it() -> None:
    """A wall turned by more than pi/8 sends nothing back."""
    for turn, expected in ((0.3, 2.0 - 0.05 / math.cos(0.3)), (0.5, 10.0)):
        wall = f"Solid {{ translation 2 0 0 rotation 0 0 1 {turn} boundingObject Box {{ size 0.1 4 4 }} }}"
        found = _reading(wall, f'DistanceSensor {{ type "sonar" aperture 0 {METRES} }}')
        assert found == pytest.approx(expected, rel=2e-6)


def test_a_laser_goes_through_glass() -> None:
    """It stops at the wall behind."""
    glass = "appearance Appearance { material Material { transparency 0.5 } }"
    shape = f"Shape {{ {glass} geometry Box {{ size 1 1 1 }} }}"
    nodes = f"Solid {{ translation 2 0 0 children [ {shape} ] boundingObject {shape} }}" + _body(
        "Box { size 1 1 1 }", at="5 0 0"
    )
    assert _reading(nodes, f'DistanceSensor {{ type "laser" {METRES} }}') == pytest.approx(
        4.5, rel=2e-6
    )


def test_a_sensor_does_not_see_its_own_robot() -> None:
    """The box around it belongs to its robot."""
    text = (
        "Robot { boundingObject Box { size 1 1 1 } physics Physics { density -1 mass 1 } "
        f"children [ DistanceSensor {{ {METRES} }} ] }} " + _body("Box { size 1 1 1 }", at="3 0 0")
    )
    sim = sim_of(text)
    sim.device("distance sensor").enable()
    sim.step()
    assert sim.device("distance sensor").value == pytest.approx(2.5, rel=2e-6)


@pytest.mark.parametrize("count", range(1, 25))
def test_the_rays_of_a_cone(count: int) -> None:
    """As many as asked for, unit vectors inside the aperture, weights that add up to 1."""
    device = DeviceDistanceSensor(
        name="d", ray_count=count, aperture=1.0, kind=DistanceKind.GENERIC
    )
    directions, weights = ray_directions(device)
    assert directions.shape == (count, 3)
    assert np.linalg.norm(directions, axis=1) == pytest.approx(np.ones(count))
    assert np.arccos(np.clip(directions[:, 0], -1, 1)).max() <= 0.5 + 1e-9
    assert weights.sum() == pytest.approx(1.0)
    assert len({(round(a, 9), round(t, 9)) for a, t in ray_pattern(count)}) == count


def test_a_generic_sensor_takes_the_weighted_mean() -> None:
    """Two rays at half the aperture to both sides, against a wall: d/cos(aperture/2)."""
    wall = "Solid { translation 2.05 0 0 boundingObject Box { size 0.1 20 20 } }"
    found = _reading(wall, f"DistanceSensor {{ numberOfRays 2 aperture 1 {METRES} }}")
    assert found == pytest.approx(2.0 / math.cos(0.5), rel=2e-6)


def _light(lamp: str, sensor: str = "", nodes: str = "") -> float:
    table = "lookupTable [ 0 0 0, 100 100 0 ]"
    return _reading(f"{lamp} {nodes}", f"LightSensor {{ {table} {sensor} }}", "light sensor")


def test_light_of_a_lamp_falls_with_its_attenuation() -> None:
    """Intensity 3 from 2 m ahead with attenuation 1/(d^2), white: 3/4."""
    lamp = "PointLight { location 2 0 0 intensity 3 attenuation 0 0 1 ambientIntensity 0 }"
    assert _light(lamp) == pytest.approx(0.75, rel=1e-6)


def test_light_from_the_side_counts_with_its_cosine() -> None:
    """A sensor turned by 60 degrees gets half; ambient light comes from everywhere."""
    lamp = "DirectionalLight { direction -1 0 0 intensity 2 ambientIntensity 0.25 }"
    assert _light(lamp, f"rotation 0 0 1 {math.pi / 3}") == pytest.approx(1.0 + 0.25, rel=1e-6)
    assert _light(lamp, "rotation 0 0 1 3.1415926535") == pytest.approx(0.25, rel=1e-6)


def test_something_in_between_takes_the_direct_light() -> None:
    """Only for sensors that see occlusion."""
    lamp = "PointLight { location 2 0 0 ambientIntensity 0.1 }"
    wall = "Solid { translation 1 0 0 boundingObject Box { size 0.1 1 1 } }"
    assert _light(lamp, nodes=wall) == pytest.approx(1.1, rel=1e-6)
    assert _light(lamp, "occlusion TRUE", wall) == pytest.approx(0.1, rel=1e-6)


def test_sensors_of_one_ray_read_the_same_alone_and_together() -> None:
    """To the byte, through a curve: those of one ray that are all sampled at once go a shorter way."""
    curve = "lookupTable [ 0 1000 0, 1 500 0, 10 0 0 ]"
    three = "".join(
        f'DistanceSensor {{ name "{k}" rotation 0 0 1 {0.1 * k} {curve} }}' for k in range(3)
    )
    cone = f'DistanceSensor {{ name "cone" numberOfRays 5 aperture 0.3 {curve} }}'

    def read(devices: str, *names: str) -> dict[str, float]:
        sim = sim_of(_body("Sphere { radius 0.5 }") + f"Robot {{ children [ {devices} ] }}")
        for name in names:
            sim.device(name).enable()
        sim.step(3)
        return {name: sim.device(name).value for name in names}

    together = read(three, "0", "1", "2")
    assert together["0"] == pytest.approx(500.0 - 500.0 / 9.0 * 0.5, rel=1e-5)
    assert read(three, "2", "0") == {name: together[name] for name in ("2", "0")}
    beside = read(three + cone, "0", "1", "2", "cone")
    assert beside.pop("cone") > 0.0
    assert beside == together
