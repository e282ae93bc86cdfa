"""The demo worlds: each loads without a word, runs, and shows what its title claims."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import solidbody as sb

EXAMPLES = Path(__file__).parent.parent / "examples"
WORLDS = sorted(path.stem for path in EXAMPLES.glob("*.wbt"))

BUSY = ("playground", "robot")
"""Worlds with piles of boxes, for which the reference step needs a tenth of a second per step."""

GRAVITY = 9.81

STEP_ERROR = 0.02
"""Relative. Steps of 4 to 8 ms are short against the motions below, which last a second or more."""


def load(name: str) -> sb.Sim:
    """Return a simulation of one example; busy worlds are skipped without the native step."""
    sim = sb.Sim(sb.load(str(EXAMPLES / f"{name}.wbt")))
    if name in BUSY and sim.engine_name != "native":
        pytest.skip("the reference step would take minutes for this world")
    return sim


def positions(sim: sb.Sim, *names: str) -> NDArray[np.float64]:
    """Return the positions of links by name, one per row."""
    return np.array([sim[name].position for name in names])


def numbered(stem: str, count: int) -> list[str]:
    """Return `stem 1`, `stem 2`, ..."""
    return [f"{stem} {k + 1}" for k in range(count)]


def tilt(sim: sb.Sim, name: str) -> float:
    """Return the angle between a link's own z axis and the vertical [rad]."""
    _, x, y, _ = sim[name].orientation
    return math.acos(1.0 - 2.0 * (x * x + y * y))


def test_every_kind_of_example_is_there() -> None:
    """The list in the README."""
    assert WORLDS == [
        "asymmetric",
        "bounce",
        "looks",
        "playground",
        "robot",
        "rolling",
        "sensors",
        "slip",
        "slopes",
        "terrain",
    ]


@pytest.mark.parametrize("name", WORLDS)
def test_example_loads_without_any_diagnostic(name: str) -> None:
    """Not even an info: these files are what others copy from."""
    scene = sb.load(str(EXAMPLES / f"{name}.wbt"))
    assert [str(item) for item in scene.diagnostics] == []
    assert [str(item) for item in sb.compile_scene(scene).diagnostics] == []
    assert scene.title
    assert scene.info
    assert any(light.casts_shadows for light in scene.lights)


@pytest.mark.parametrize("name", WORLDS)
def test_example_is_plain_text_of_one_release(name: str) -> None:
    """One header, no absolute paths; the only files beside it are pictures of our own."""
    text = (EXAMPLES / f"{name}.wbt").read_text(encoding="utf-8")
    assert text.startswith("#VRML_SIM R2025a utf8\n")
    for word in ("PROTO", "://"):
        assert word not in text
    for address in re.findall(r"""[uU]rl \[? ?"([^"]*)""", text):
        assert address.startswith("textures/")
        assert (EXAMPLES / address).is_file()


@pytest.mark.slow
@pytest.mark.native
@pytest.mark.parametrize("name", WORLDS)
def test_example_runs_twenty_seconds_and_every_step_converges(name: str) -> None:
    """Finite, solved to tolerance, and nothing falls through the ground."""
    sim = load(name)
    sim.run(20.0)
    assert np.isfinite(sim.poses()).all()
    assert sim.stats.not_converged == 0
    assert sim.stats.memory_full == 0
    assert sim.poses()[:, 2].min() > -0.05


def test_slopes_boxes_slide_only_below_the_friction_angle() -> None:
    """Acceleration g (sin - mu cos) for mu < tan(20 deg), rest above it."""
    angle = math.radians(20.0)
    sim = load("slopes")
    names = numbered("box", 5)
    start = positions(sim, *names)
    sim.run(0.4)
    early = np.array([np.linalg.norm(sim[name].linear_velocity) for name in names])
    sim.run(0.4)
    late = np.array([np.linalg.norm(sim[name].linear_velocity) for name in names])
    for mu, speed in zip((0.12, 0.2, 0.28), (late - early)[:3], strict=True):
        expected = GRAVITY * (math.sin(angle) - mu * math.cos(angle)) * 0.4
        assert speed == pytest.approx(expected, rel=STEP_ERROR)
    sim.run(19.2)
    moved = np.linalg.norm(positions(sim, *names) - start, axis=1)
    assert moved[3:].max() < 0.002  # the softness of the friction rows lets them creep a little
    x = positions(sim, *names)[:3, 0]
    assert x[0] > x[1] > x[2] > 0.2  # at rest on the flat, the slippery one farthest
    assert max(np.linalg.norm(sim[name].linear_velocity) for name in names) < 1e-3


def test_asymmetric_boxes_drift_along_their_own_easy_direction() -> None:
    """The path leaves the line of steepest descent by the rotation of the friction directions."""
    slope = math.radians(15.0)
    down = np.array([math.cos(slope), 0.0, -math.sin(slope)])
    sim = load("asymmetric")
    names = numbered("skate", 5)
    start = positions(sim, *names)
    sim.run(1.0)
    path = positions(sim, *names) - start
    angles = np.arctan2(path[:, 1], path @ down)
    assert angles == pytest.approx([-0.6, -0.3, 0.0, 0.3, 0.6], abs=0.03)
    lengths = np.linalg.norm(path, axis=1)
    for angle, length in zip(angles, lengths, strict=True):
        acceleration = GRAVITY * (math.sin(slope) * math.cos(angle) - 0.05 * math.cos(slope))
        assert length == pytest.approx(0.5 * acceleration, rel=3 * STEP_ERROR)


def test_bounce_balls_rise_to_the_square_of_their_bounce() -> None:
    """First rebound e^2 h, in the order of e."""
    bounces = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
    drop, radius = 2.0, 0.16
    sim = load("bounce")
    names = numbered("ball", 6)
    heights = []
    while sim.time < 2.4:
        sim.step()
        heights.append([sim[name].position[2] - radius for name in names])
    track = np.array(heights)
    rises = []
    for column in track.T:
        touched = int(np.argmax(column < 0.0))
        left = touched + int(np.argmax(np.diff(column[touched:]) > 0.0))
        falling = np.flatnonzero(np.diff(column[left:]) < 0.0)
        rises.append(column[left : left + int(falling[0]) + 1].max())
    assert rises == sorted(rises)
    # the ball meets the ground up to one step late, at most h*g*2 = 2 % too fast
    assert rises == pytest.approx([e * e * drop for e in bounces], rel=0.06)


def test_rolling_balls_stop_where_their_rolling_friction_says() -> None:
    """Deceleration 5/7 g rho/r: twice the friction, half the way."""
    speed, radius = 1.6, 0.15
    frictions = (0.005, 0.008, 0.0125, 0.02, 0.04)
    sim = load("rolling")
    sim.run(12.0)
    names = numbered("ball", 5)
    way = positions(sim, *names)[:, 0]
    expected = [speed**2 / (2.0 * 5.0 / 7.0 * GRAVITY * rho / radius) for rho in frictions]
    assert way == pytest.approx(expected, rel=STEP_ERROR)
    assert max(np.linalg.norm(sim[name].linear_velocity) for name in names) < 1e-6


def test_rolling_spinners_lose_spin_by_the_third_rolling_friction() -> None:
    """Angular deceleration rho_n g / (2/5 r^2); none without it."""
    sim = load("rolling")
    names = numbered("spinner", 3)
    sim.run(0.2)  # they have settled on the ground
    before = [float(sim[name].angular_velocity[2]) for name in names]
    sim.run(1.0)
    lost = [a - float(sim[n].angular_velocity[2]) for a, n in zip(before, names, strict=True)]
    rates = [rho * GRAVITY / (0.4 * 0.22**2) for rho in (0.0, 0.005, 0.02)]
    assert lost == pytest.approx(rates, rel=STEP_ERROR, abs=1e-6)
    sim.run(10.0)
    assert sim["spinner 1"].angular_velocity[2] == pytest.approx(15.0, abs=1e-3)
    assert abs(sim["spinner 2"].angular_velocity[2]) < 1e-6


def test_slip_boxes_creep_at_slip_times_force() -> None:
    """Four contact points share the force m g sin: speed k m g sin / 4."""
    weight = GRAVITY * math.sin(math.radians(15.0))
    sim = load("slip")
    sim.run(1.0)
    names = [*numbered("slip", 4), "mass 1", "mass 2", "mass 4", "mass 8"]
    slips = (0.0, 0.1, 0.2, 0.4, 0.1, 0.1, 0.1, 0.1)
    masses = (1.0, 1.0, 1.0, 1.0, 1.0, 2.0, 4.0, 8.0)
    speeds = [float(np.linalg.norm(sim[name].linear_velocity)) for name in names]
    expected = [k * m * weight / 4.0 for k, m in zip(slips, masses, strict=True)]
    assert speeds == pytest.approx(expected, rel=STEP_ERROR, abs=1e-3)


@pytest.mark.native
def test_terrain_rolls_round_things_down_and_leaves_the_hole_open() -> None:
    """Ball and capsule in the bowl, box where it landed, ring around the post, marble down the stairs."""
    sim = load("terrain")
    sim.run(1.5)
    box, marble = positions(sim, "box", "marble")
    steps = {round(float(marble[2] - 0.08) / 0.2)}
    for _ in range(17):
        sim.run(0.5)
        steps.add(round(float(sim["marble"].position[2] - 0.08) / 0.2))
    ball, capsule, ring, post = positions(sim, "ball", "capsule", "ring", "post")
    assert np.hypot(*ball[:2]) < 0.7 and np.hypot(*capsule[:2]) < 0.7
    assert np.linalg.norm(sim["box"].position - box) < 0.01
    assert np.hypot(*(ring - post)[:2]) < 0.2 and ring[2] < 0.3
    assert sim["marble"].position[0] > 5.0 and len(steps) >= 4, "it was on most of the steps"


def test_robot_holds_still_until_its_motors_are_driven() -> None:
    """Motors hold the position they start in."""
    sim = load("robot")
    sim.run(2.0)
    assert np.linalg.norm(sim["robot"].position) < 0.01


@pytest.mark.native
def test_robot_drives_straight_over_the_ramp_and_into_the_blocks() -> None:
    """Wheel radius times wheel speed, up the stage, down again, and through the wall."""
    sim = load("robot")
    for motor in ("left motor", "right motor"):
        sim.joint(motor).target_velocity = 8.0
    sim.run(0.5)
    assert sim["robot"].linear_velocity[0] == pytest.approx(0.12 * 8.0, rel=STEP_ERROR)
    sim.run(1.9)
    assert sim["robot"].position[2] > 0.1  # on the stage
    sim.run(4.0)
    assert sim["robot"].position[0] > 4.5
    assert abs(sim["robot"].position[1]) < 0.3
    moved = positions(sim, *numbered("block", 14))[:, 0] - 5.2
    assert (moved > 0.2).sum() >= 3


@pytest.mark.native
def test_robot_turns_when_its_wheels_differ() -> None:
    """Yaw rate r (right - left) / track width, to the left when the right wheel is faster.

    The wheels touch along their width, so the track lies between their inner and outer edges.
    """
    sim = load("robot")
    sim.joint("left motor").target_velocity = 3.0
    sim.joint("right motor").target_velocity = 5.0
    sim.run(1.0)
    rate = float(sim["robot"].angular_velocity[2])
    assert 0.12 * 2.0 / 0.49 * 0.99 < rate < 0.12 * 2.0 / 0.39 * 1.01


@pytest.mark.slow
@pytest.mark.native
def test_playground_tells_its_whole_story() -> None:
    """Tower, dominoes, see-saw, slope, balls, marbles, ride and pendulums all do their part."""
    sim = load("playground")
    pendulums = numbered("pendulum", 12)
    ride = float(sim["ride"].angular_velocity[2])
    crate_height = 0.0
    while sim.time < 30.0 - 1e-6:
        sim.run(0.2)
        crate_height = max(crate_height, float(sim["crate 1"].position[2]))
    assert sim.stats.not_converged == 0
    assert positions(sim, *numbered("brick", 23))[:, 2].max() < 1.2  # two metres before
    assert [name for name in numbered("domino", 34) if tilt(sim, name) < 0.5] == []
    assert crate_height > 0.8
    slide = positions(sim, *numbered("slope box", 5))[:, 1]
    assert slide[0] < slide[1] < slide[2] < slide[3]
    assert positions(sim, *numbered("marble", 7))[:, 2].max() < 0.5
    assert 0.5 * ride < sim["ride"].angular_velocity[2] <= ride
    # thirty seconds are a whole number of swings for all of them
    angles = np.array([sim.joint(name).position for name in pendulums])
    assert angles == pytest.approx(np.full(12, 0.5), abs=0.12)


def test_the_looker_sees_three_things_and_measures_their_distance() -> None:
    """The box stands 2 m ahead, a little to the left; the beam of the distance sensor passes it."""
    sim = load("sensors")
    for name in ("camera", "range-finder", "distance sensor"):
        sim.device(name).enable()
    sim.run(0.2)
    image = sim.device("camera").value.astype(int)
    red = (image[..., 0] > 2 * image[..., 1]) & (image[..., 0] > 2 * image[..., 2])
    rows, columns = red.nonzero()
    assert 1000 < len(rows) < 15000
    assert columns.mean() < 160  # left of the middle
    depth = sim.device("range-finder").value[rows, columns]
    # the box reaches from 2 - 0.35 to 2 + 0.35 m, the camera looks from 0.16 m; its far side is hidden
    assert 1.45 < depth.min() < 1.6
    assert depth.max() < 2.2


def test_looks_shows_sky_glass_and_a_lamp() -> None:
    """Blue above, white clouds somewhere, green where the charger stands."""
    sim = load("looks")
    sim.device("camera").enable()
    sim.step(2)
    picture = sim.device("camera").value.astype(int)
    assert not sim.device_messages
    assert (picture[:40, :, 2] > picture[:40, :, 0]).mean() > 0.9
    assert (picture[:120].min(axis=2) > 200).any()
    lamp = picture[250:290, 160:230]
    assert ((lamp[..., 1] > 120) & (lamp[..., 0] < 60)).mean() > 0.5
