"""Distance and light sensors: what their fields change, one by one."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from solidbody.devices.scalar.distance import ray_directions, ray_pattern
from solidbody.model.devices import DeviceDistanceSensor, DistanceKind
from tests.devices.worlds import sim_of

WALL = "Solid { translation 2.05 0 0 boundingObject Box { size 0.1 20 20 } } "
METRES = "lookupTable [ 0 0 0, 10 10 0 ]"


def _reading(nodes: str, sensor: str, name: str = "distance sensor") -> float:
    sim = sim_of(f"{nodes}\nRobot {{ children [ {sensor} ] }}")
    sim.device(name).enable()
    sim.step()
    return float(sim.device(name).value)


def _degrees(count: int) -> list[tuple[int, float]]:
    return [(round(math.degrees(a)) % 360, round(t, 6)) for a, t in ray_pattern(count)]


def test_rays_stand_where_the_specification_puts_them() -> None:
    """Turn about x [degrees] and share of the half aperture, by their number."""
    centre = [(0, 0.0)]
    assert _degrees(1) == centre
    assert sorted(_degrees(2)) == [(90, 1.0), (270, 1.0)]
    assert sorted(_degrees(3)) == [(0, 1.0), (120, 1.0), (240, 1.0)]
    for count in range(4, 9):
        around = [(round(360 * k / (count - 1)) % 360, 1.0) for k in range(count - 1)]
        assert sorted(_degrees(count)) == sorted(centre + around)
    six = [(60 * k, 1.0) for k in range(6)]
    assert sorted(_degrees(9)) == sorted([(0, 0.3), (120, 0.3), (240, 0.3), *six])
    assert sorted(_degrees(10)) == sorted([*centre, (0, 0.5), (120, 0.5), (240, 0.5), *six])
    # rings of 1, 4, 7 and what is left of 10
    shares = [share for _, share in _degrees(20)]
    assert [shares.count(s) for s in sorted(set(shares))] == [1, 4, 7, 8]
    assert sorted(set(shares)) == pytest.approx([0.0, 1 / 3, 2 / 3, 1.0], abs=1e-6)


def test_two_rays_lie_in_the_level_plane() -> None:
    """At ±90 degrees the ray points to ±y: (cos θ, ∓sin θ, 0)."""
    device = DeviceDistanceSensor(name="d", ray_count=2, aperture=1.0, kind=DistanceKind.GENERIC)
    directions, weights = ray_directions(device)
    assert np.abs(directions[:, 2]).max() < 1e-12
    assert sorted(directions[:, 1].tolist()) == pytest.approx([-math.sin(0.5), math.sin(0.5)])
    assert weights.tolist() == [0.5, 0.5]


def test_weights_fall_as_a_bell_with_its_width() -> None:
    """Four rays, one in the middle: exp(-(θ/(aperture·width))²) at θ = aperture/2."""
    device = DeviceDistanceSensor(
        name="d", ray_count=4, aperture=1.0, gaussian_width=0.5, kind=DistanceKind.GENERIC
    )
    _, weights = ray_directions(device)
    side = math.exp(-((0.5 / 0.5) ** 2))
    total = 1.0 + 3.0 * side
    assert weights.tolist() == pytest.approx([1.0 / total, *[side / total] * 3])


@pytest.mark.parametrize("kind", ["generic", "infra-red", "laser", "sonar"])
def test_a_world_without_shapes_is_out_of_reach(kind: str) -> None:
    assert _reading("", f'DistanceSensor {{ type "{kind}" {METRES} }}') == pytest.approx(10.0)


def test_rays_without_a_hit_count_as_the_end_of_the_table() -> None:
    """Of two rays at ±0.25 rad only the left one meets the wall: (d/cos + 10)/2."""
    half = "Solid { translation 2.05 10 0 boundingObject Box { size 0.1 20 20 } }"
    found = _reading(half, f"DistanceSensor {{ numberOfRays 2 aperture 0.5 {METRES} }}")
    assert found == pytest.approx((2.0 / math.cos(0.25) + 10.0) / 2.0, rel=1e-6)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ('type "laser" numberOfRays 9 aperture 1', 2.0),  # one ray only
        ("numberOfRays 9 aperture 0", 2.0),  # all would be the same
        ("numberOfRays 2 aperture -1", 2.0 / math.cos(0.5)),  # its absolute value
        ("numberOfRays 0", 2.0),  # one
        ("numberOfRays 2 aperture 1 gaussianWidth -3", 2.0 / math.cos(0.5)),  # 1
        ("resolution 0.3", 2.1),
    ],
)
def test_odd_values_are_mended_as_in_the_original(fields: str, expected: float) -> None:
    """Against a wall at 2 m; steps are taken last."""
    found = _reading(WALL, f"DistanceSensor {{ {fields} {METRES} }}")
    assert found == pytest.approx(expected, rel=2e-6)


def test_an_unknown_type_is_a_sonar() -> None:
    """A wall that is turned away by 30 degrees, more than π/8, sends nothing back."""
    wall = f"Solid {{ translation 2 0 0 rotation 0 0 1 {math.pi / 6} boundingObject Box {{ size 0.1 9 9 }} }}"
    for kind in ("sonar", "radar"):
        assert _reading(wall, f'DistanceSensor {{ type "{kind}" {METRES} }}') == 10.0
    assert _reading(wall, f"DistanceSensor {{ {METRES} }}") < 3.0


def test_an_empty_table_reads_nothing() -> None:
    """0, whatever is there."""
    assert _reading(WALL, "DistanceSensor { lookupTable [ ] }") == 0.0


def test_the_default_table_ends_at_ten_centimetres() -> None:
    """0.05 m are 500, and everything beyond 0.1 m is 1000."""
    near = "Solid { translation 0.1 0 0 boundingObject Box { size 0.1 1 1 } }"
    assert _reading(near, "DistanceSensor { }") == pytest.approx(500.0, rel=1e-5)
    assert _reading(WALL, "DistanceSensor { }") == pytest.approx(1000.0)


def test_a_robot_that_collides_with_itself_is_seen_by_itself() -> None:
    """The same arm is seen with selfCollision TRUE and not without."""
    arm = (
        "HingeJoint { jointParameters HingeJointParameters { } endPoint Solid { translation 1 0 0 "
        "boundingObject Box { size 0.2 1 1 } physics Physics { } } }"
    )
    for says, expected in (("TRUE", 0.9), ("FALSE", 10.0)):
        sim = sim_of(
            f"Robot {{ selfCollision {says} children [ DistanceSensor {{ {METRES} }} {arm} ] }}",
            world="gravity 0",
        )
        sim.device("distance sensor").enable()
        sim.step()
        assert sim.device("distance sensor").value == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("sensitivity", [0.0, 0.5, 1.0])
def test_red_light_comes_back_by_the_colour_it_meets(sensitivity: float) -> None:
    """f = 0.2 + 0.8·0.5·(1 - 0.5·0.6) = 0.48 at d = 2: d + (d/f - d)·sensitivity."""
    look = "appearance PBRAppearance { baseColor 0.5 1 1 roughness 0.6 metalness 0 }"
    wall = f"Solid {{ translation 2.05 0 0 children [ Shape {{ {look} geometry Box {{ size 0.1 9 9 }} }} ] }}"
    sensor = f'DistanceSensor {{ type "infra-red" redColorSensitivity {sensitivity} {METRES} }}'
    # colours are kept in single precision
    expected = 2.0 + (2.0 / 0.48 - 2.0) * sensitivity
    assert _reading(wall, sensor) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize(
    ("look", "red"),
    [
        ("NULL", 1.0),
        ("Appearance { material Material { diffuseColor 0.5 1 1 } }", 0.5),
        (
            "Appearance { material Material { diffuseColor 0.5 1 1 } texture ImageTexture { %s } }",
            0.4,
        ),
    ],
)
def test_which_colour_sends_red_light_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, look: str, red: float
) -> None:
    """White without a look; a texture takes the place of the diffuse colour of a classic material.

    As in Webots' test distance_sensor_infra-red, whose green board reads d/(0.2 + 0.8·113/255).
    """
    monkeypatch.chdir(tmp_path)  # a world without a file reads what is in the working folder
    Image.new("RGB", (8, 8), (102, 200, 100)).save(tmp_path / "board.png")
    if "%s" in look:
        look %= 'url "board.png"'
    wall = (
        f"Solid {{ translation 2.05 0 0 children [ Shape {{ appearance {look} "
        "geometry Box { size 0.1 9 9 } } ] }"
    )
    sensor = f'DistanceSensor {{ type "infra-red" {METRES} }}'
    assert _reading(wall, sensor) == pytest.approx(2.0 / (0.2 + 0.8 * red), rel=1e-5)


def _light(lamp: str, sensor: str = "", nodes: str = "") -> float:
    table = "lookupTable [ 0 0 0, 100 100 0 ]"
    return _reading(f"{lamp} {nodes}", f"LightSensor {{ {table} {sensor} }}", "light sensor")


def test_a_colour_filter_takes_its_share_of_each_colour() -> None:
    """Light (1, 0.5, 0) through the filter (0.6, 0.2, 1): (0.6 + 0.1)/3 of intensity 3."""
    lamp = "DirectionalLight { direction -1 0 0 intensity 3 color 1 0.5 0 }"
    assert _light(lamp, "colorFilter 0.6 0.2 1") == pytest.approx(0.7, rel=1e-6)


def test_all_attenuation_terms_and_the_radius_count() -> None:
    """1/(1 + 0.5·2 + 0.25·4) = 1/3 of intensity 3 and of the ambient 0.3; nothing beyond the radius."""
    lamp = "PointLight { location 2 0 0 intensity 3 ambientIntensity 0.3 attenuation 1 0.5 0.25 radius %s }"
    assert _light(lamp % "2.1") == pytest.approx(1.1, rel=1e-6)
    assert _light(lamp % "1.9") == 0.0


def test_lights_that_are_off_give_nothing_and_others_add_up() -> None:
    """1 + 2, not 4."""
    lamps = "".join(
        f"DirectionalLight {{ direction -1 0 0 intensity {value} on {on} }} "
        for value, on in ((1, "TRUE"), (2, "TRUE"), (4, "FALSE"))
    )
    assert _light(lamps) == pytest.approx(3.0, rel=1e-6)


@pytest.mark.parametrize(("angle", "share"), [(0.1, 1.0), (0.45, 0.5), (0.7, 0.0)])
def test_a_spot_fades_between_its_beam_and_its_edge(angle: float, share: float) -> None:
    """Full up to 0.3 rad, nothing from 0.6 on, straight between; the sensor faces the lamp."""
    direction = f"{-math.cos(angle)} {-math.sin(angle)} 0"
    lamp = (
        f"SpotLight {{ location 2 0 0 direction {direction} intensity 1 attenuation 1 0 0 "
        "beamWidth 0.3 cutOffAngle 0.6 }"
    )
    assert _light(lamp) == pytest.approx(share, abs=1e-6)


def test_the_shade_of_the_sun_reaches_far_but_not_endlessly() -> None:
    """A wall 100 m away takes the light of a directional light; one beyond 1000 m does not."""
    lamp = "DirectionalLight { direction -1 0 0 intensity 2 ambientIntensity 0.25 }"
    for distance, expected in ((100, 0.25), (1100, 2.25)):
        wall = f"Solid {{ translation {distance} 0 0 boundingObject Box {{ size 1 9 9 }} }}"
        assert _light(lamp, "occlusion TRUE", wall) == pytest.approx(expected, rel=1e-6)


def test_the_default_table_of_light_ends_at_one() -> None:
    """Half of 1 W/m² reads 500, more than 1 stays at 1000; values come in steps last."""
    for intensity, fields, expected in (
        (0.5, "", 500.0),
        (3, "", 1000.0),
        (0.123, "resolution 10", 120),
    ):
        lamp = f"DirectionalLight {{ direction -1 0 0 intensity {intensity} }}"
        found = _reading(lamp, f"LightSensor {{ {fields} }}", "light sensor")
        assert found == pytest.approx(expected, rel=1e-6)
