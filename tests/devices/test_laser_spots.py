"""Cameras see where the beam of a laser ends, as a red spot of its width."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import solidbody as sb
from tests.devices.worlds import sim_of

WORLD = """
Background {{ skyColor [ 0 0 0 ] }}
DirectionalLight {{ direction 1 0 0 }}
Solid {{ translation {distance} 0 0 rotation 0 0 1 {turn} children [ DEF WALL Shape {{
    appearance PBRAppearance {{ baseColor 0.2 0.2 0.2 roughness 1 metalness 0 }}
    geometry Box {{ size 0.1 3 3 }} }} ] boundingObject USE WALL }}
Robot {{ children [
  DistanceSensor {{ type "{kind}" aperture 0.1 lookupTable [ 0 0 0, 2 2 0 ] }}
  Camera {{ width 64 height 64 fieldOfView 0.8 }} ] }}
"""

PIXEL = 2.0 * np.tan(0.4) / 64
"""Width of a pixel at a distance of 1 m."""


def sim_with(*, distance: float = 1.05, turn: float = 0.0, kind: str = "laser") -> sb.Sim:
    sim = sim_of(WORLD.format(distance=distance, turn=turn, kind=kind))
    sim.device("camera").enable()
    return sim


def red(sim: sb.Sim) -> NDArray[np.bool_]:
    """Return the pixels that are red."""
    picture = sim.device("camera").value[..., :3].astype(int)
    return (picture[..., 0] > 200) & (picture[..., 1] < 100)


def test_spot_is_a_disc_with_the_radius_of_the_beam() -> None:
    sim = sim_with()
    sim.device("distance sensor").enable()
    sim.step(2)
    spot = red(sim)
    # a disc of 0.1 m at 1 m; its edge is uncertain by a pixel
    width = 0.2 / PIXEL
    assert spot.any(axis=0).sum() == pytest.approx(width, abs=1.5)
    assert spot.any(axis=1).sum() == pytest.approx(width, abs=1.5)
    assert np.argwhere(spot).mean(axis=0) == pytest.approx([31.5, 31.5], abs=0.6)


def test_spot_glows_and_takes_the_ambient_light() -> None:
    """Light of strength 2, as in Webots' test distance_sensor_laser: (1 - exp(-2))^(1/2.2) of 255."""
    sim = sim_of(
        WORLD.format(distance=1.05, turn=0.0, kind="laser").replace(
            "DirectionalLight {", "DirectionalLight { ambientIntensity 1 intensity 0"
        )
    )
    for name in ("camera", "distance sensor"):
        sim.device(name).enable()
    sim.step(2)
    assert sim.device("camera").value[32, 32, :3].tolist() == [239, 0, 0]


def test_spot_lies_flat_on_a_wall_that_is_turned() -> None:
    """At 60 degrees it is seen half as wide as it is high."""
    sim = sim_with(turn=np.pi / 3)
    sim.device("distance sensor").enable()
    sim.step(2)
    spot = red(sim)
    assert spot.any(axis=0).sum() == pytest.approx(spot.any(axis=1).sum() / 2, abs=1.5)


@pytest.mark.parametrize(
    ("change", "is_on"),
    [
        ({"distance": 3.0}, True),  # out of reach
        ({"turn": 1.42}, True),  # grazing: 81 degrees
        ({"kind": "generic"}, True),
        ({}, False),
    ],
)
def test_there_is_no_spot(change: dict[str, float], is_on: bool) -> None:
    sim = sim_with(**change)  # type: ignore[arg-type]
    if is_on:
        sim.device("distance sensor").enable()
    sim.step(2)
    assert not red(sim).any()


def test_spot_goes_and_comes_with_the_sensor() -> None:
    sim = sim_with()
    sensor = sim.device("distance sensor")
    sensor.enable()
    sim.step(2)
    assert red(sim).any()
    sensor.disable()
    sim.step(2)
    assert not red(sim).any()
    sensor.enable()
    sim.step(2)
    assert red(sim).any()
