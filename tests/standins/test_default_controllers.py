"""Robots run our versions of the controllers of Webots' library, which worlds do not bring along."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import solidbody as sb
from tests.standins.driving import FLOOR, Drive, load_world, write_world

# node -> name of the robot, side of its arena [m], way it makes in 20 s [m]
DRIVEN = {
    "E-puck { }": ("e-puck", 1.0, 0.5),
    'E-puck { controller "braitenberg" }': ("e-puck", 1.0, 0.3),
    "Khepera1 { }": ("Khepera", 0.4, 0.1),
    "Khepera3 { }": ("Khepera III", 1.5, 1.0),
    "Pioneer2 { }": ("Pioneer 2", 4.0, 1.0),
    "Pioneer3dx { }": ("Pioneer 3-DX", 4.0, 5.0),
    "Create { }": ("Create", 3.0, 3.0),
    "Koala { }": ("Koala", 3.0, 1.0),
    "Khepera4 { }": ("Khepera IV", 1.0, 2.5),
    "Elisa3 { }": ("Elisa-3", 0.3, 0.8),
    "Hemisson { }": ("Hemisson", 0.5, 0.3),
    "FireBird6 { translation 0 0 0.126 }": ("Fire Bird 6", 2.0, 0.7),
    "BoeBot { translation 0 0 0.038 rotation 0 0 1 0.4 }": ("BoeBot", 2.0, 3.0),
    "FourWheelsRobot { translation 0 0 0.04 }": ("robot", 1.0, 0.4),
    "Robotino3 { rotation 0 0 1 0.6 }": ("Robotino 3", 2.0, 3.0),
}


@pytest.mark.slow
@pytest.mark.parametrize("node", DRIVEN)
def test_robots_drive_about_between_walls(tmp_path: Path, node: str) -> None:
    """They go on as long as it lasts: also in the last seconds, and never over a wall."""
    name, side, way = DRIVEN[node]
    arena = f"RectangleArena {{ floorSize {side} {side} wallHeight {side / 10} }}"
    drive = Drive(tmp_path, arena + node, step_ms=32)
    places: list[np.ndarray] = []

    def watch(sim: sb.Sim) -> None:
        places.append(sim[name].position[:2])

    drive.run("", 20, watch)
    steps = np.linalg.norm(np.diff(places, axis=0), axis=1)
    assert steps.sum() > way
    assert steps[-100:].sum() > 0.05 * way
    assert np.abs(places).max() < side / 2


def test_braitenberg_says_which_robots_it_drives(tmp_path: Path) -> None:
    drive = Drive(tmp_path, 'Floor { } Create { controller "braitenberg" }')
    with pytest.raises(AssertionError, match=r"drives e-puck, .*, not .*Create"):
        drive.run("", 0.5)


def test_elisa_says_which_arguments_it_takes(tmp_path: Path) -> None:
    drive = Drive(tmp_path, 'Floor { } Elisa3 { controllerArgs [ "red" ] }')
    with pytest.raises(AssertionError, match=r"expected red, green and blue .*got \['red'\]"):
        drive.run("", 0.5)


def test_epuck_goes_back_from_edges(tmp_path: Path) -> None:
    """On a table of 40 cm; its ground sensors read more than 500 above it, and less beside it."""
    table = """Solid { translation 0 0 -0.05 boundingObject DEF TABLE Box { size 0.4 0.4 0.1 }
      children [ Shape { appearance PBRAppearance { baseColor 1 1 1 metalness 0 } geometry USE TABLE } ] }"""
    epuck = "E-puck { groundSensorsSlot [ E-puckGroundSensors { } ] }"
    drive = Drive(tmp_path, table + epuck, step_ms=32)
    sim = drive.run("", 20)
    assert sim["e-puck"].position[2] == pytest.approx(0, abs=0.001)


def test_khepera_iii_has_all_sensors(tmp_path: Path) -> None:
    """Nine around it, two that look at the floor, five sonars."""
    scene, _ = load_world(write_world(tmp_path, 'Khepera3 { controller "<none>" }'))
    names = {x.name for link in scene.bodies[0].links for x in link.devices}
    assert names >= {f"ds{k}" for k in range(11)} | {f"us{k}" for k in range(5)}


@pytest.mark.slow
def test_spot_lies_stands_sits_and_gives_its_paw(tmp_path: Path) -> None:
    """Which takes 4 s each, then 16 s for the paw; it stands again after 32 s and has not fallen."""
    drive = Drive(tmp_path, FLOOR + "Spot { }")
    heights: list[float] = []
    noses: list[float] = []
    paws: list[float] = []

    def watch(sim: sb.Sim) -> None:
        w, x, y, z = (float(v) for v in sim["Spot"].orientation)
        heights.append(float(sim["Spot"].position[2]))
        noses.append(2 * (x * z - w * y))  # height of its x axis: sine of how far its nose is up
        paws.append(sim.joint("front left shoulder rotation motor").position)

    drive.run("", 32, watch)
    lying, standing, sitting, *_, end = (round(4 * k / 0.016) - 1 for k in range(1, 9))
    assert heights[lying] < 0.25
    assert heights[standing] == pytest.approx(0.6, abs=0.05)
    assert noses[sitting] > 0.4
    giving = paws[round(18 / 0.016) : round(24 / 0.016)]
    assert (min(giving), max(giving)) == pytest.approx((0.4, 0.8), abs=0.05)
    assert heights[end] == pytest.approx(0.6, abs=0.05)
    assert abs(noses[end]) < 0.05
