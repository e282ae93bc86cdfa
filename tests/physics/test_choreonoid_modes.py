"""Modes of Choreonoid's simulators without full dynamics: in a plane, and by commands alone."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from solidbody.base.transforms import Quat, quat_conjugate, quat_rotate
from solidbody.sim import Sim
from solidbody.sim.handles import LinkHandle
from tests.formats.choreonoid.projects import body, item, project, read, world
from tests.physics.referee import OUR_ENGINES

H = 0.001
G = 9.80665
START = "initial_root_translation: [0, 0.3, 2], initial_root_rotation: [0, 0, 1, 30]"


def simulated(folder: Path, simulator: str, *, engine: str = "native", place: str = START) -> Sim:
    """Return the simulation of the arm of `projects`, in the air, under a simulator item."""
    arm = body("Arm", "arm.body", place)
    scene, messages = read(folder, project(world(arm, simulator)))
    assert all(": info: " in message for message in messages), messages
    return Sim(scene, engine=engine)  # type: ignore[arg-type]


def orientation(link: LinkHandle) -> Quat:
    """Return where a link points."""
    w, x, y, z = link.orientation.tolist()
    return w, x, y, z


@pytest.mark.parametrize("engine", OUR_ENGINES)
@pytest.mark.parametrize("key", ["use_2d_mode", "2Dmode"])
def test_a_root_keeps_to_its_plane(tmp_path: Path, engine: str, key: str) -> None:
    """Pushed every way while a joint turns: no motion along y, no turn but about y; the rest as without.

    Rows of softness 1e-8 m/(s N) under some 10 N let 1e-7 m/s through.
    """
    simulator = item("AISTSimulatorItem", "AIST", f"{key}: true")
    sim = simulated(tmp_path, simulator, engine=engine)
    base = sim["BASE"]
    # the direction in the link that is along y at the start
    across = quat_rotate(quat_conjugate(orientation(base)), (0.0, 1.0, 0.0))
    for _ in range(50):
        base.add_force((10.0, 20.0, 0.0))
        sim.joint("TURN").effort = 3.0
        sim.step()
    assert base.position[1] == pytest.approx(0.3, abs=1e-7)
    assert base.linear_velocity[1] == pytest.approx(0.0, abs=1e-6)
    assert base.angular_velocity[[0, 2]] == pytest.approx(0.0, abs=1e-6)
    # what the joint's reaction turns out of the plane is held, but it does turn
    assert abs(sim.joint("TURN").velocity) > 0.01
    assert quat_rotate(orientation(base), across) == pytest.approx((0, 1, 0), abs=1e-6)
    assert base.position[0] > 1e-4 and base.position[2] < 1.995


def test_falling_in_a_plane_is_falling(tmp_path: Path) -> None:
    """Nothing is held along x and z: z = z0 - g h^2 n(n+1)/2, and the arm does not swing."""
    sim = simulated(tmp_path, item("AISTSimulatorItem", "AIST", "use_2d_mode: true"))
    sim.step(200)
    assert sim["BASE"].position[2] == pytest.approx(2.0 - G * H * H * 200 * 201 / 2, abs=1e-9)
    assert sim.joint("TURN").velocity == pytest.approx(0.0, abs=1e-9)


def test_without_the_mode_the_same_push_leaves_the_plane(tmp_path: Path) -> None:
    """20 N for 50 ms on links of 5 kg in all."""
    sim = simulated(tmp_path, item("AISTSimulatorItem", "AIST"))
    for _ in range(50):
        sim["BASE"].add_force((10.0, 20.0, 0.0))
        sim.step()
    # alone it would go F/m h^2 n(n+1)/2 = 13 mm with the 2 kg of its root, 5 mm with all four links
    assert 0.305 < sim["BASE"].position[1] < 0.313


SIMULATORS = [
    item("AISTSimulatorItem", "AIST", "dynamics_mode: Kinematics"),
    item("AISTSimulatorItem", "AIST", "dynamicsMode: Kinematics, gravity: [0, 0, -9.80665]"),
    item("KinematicSimulatorItem", "Kinematic"),
]


@pytest.mark.slow
@pytest.mark.parametrize("engine", OUR_ENGINES)
@pytest.mark.parametrize("simulator", SIMULATORS)
def test_joints_go_where_they_are_told_and_nothing_falls(
    tmp_path: Path, engine: str, simulator: str
) -> None:
    """A target is reached in one step, a speed is kept from the first, a torque does nothing."""
    sim = simulated(tmp_path, simulator, engine=engine, place="")
    turn, slide = sim.joint("TURN"), sim.joint("SLIDE")
    turn.target_position, slide.target_velocity = 1.0, 0.5
    sim.step()
    assert turn.position == pytest.approx(1.0, abs=1e-12)
    sim.step(99)
    assert slide.position == pytest.approx(0.5 * 100 * H, abs=1e-12)
    assert sim["BASE"].position == pytest.approx((0, 0, 0), abs=0)
    # TURN is at (1, 0, 0) of the base, SLIDE a metre along its x axis and then along its own
    out = 1.0 + 0.05
    place = (1.0 + out * math.cos(1.0), out * math.sin(1.0), 0.0)
    assert sim["SLIDE"].position == pytest.approx(place, abs=1e-9)
    slide.effort = 100.0
    sim.step(100)
    assert slide.position == pytest.approx(0.05, abs=1e-12)


def test_the_root_moves_by_a_given_velocity(tmp_path: Path) -> None:
    """What a program gives it: 0.2 m/s for 0.1 s, everything on it along."""
    sim = simulated(tmp_path, SIMULATORS[0], place="")
    sim["BASE"].linear_velocity = (0.2, 0.0, 0.0)
    sim.step(100)
    assert sim["BASE"].position == pytest.approx((0.02, 0, 0), abs=1e-12)
    assert sim["TURN"].position == pytest.approx((1.02, 0, 0), abs=1e-12)


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("written.body", 'loop "plane of BASE": that a body moves in a plane is said by projects'),
        ("written.wbt", 'the plane loop "plane of BASE" starts at no link; it is left out'),
    ],
)
def test_formats_without_planes_say_so(tmp_path: Path, target: str, message: str) -> None:
    """What a written body or world loses."""
    sim = simulated(tmp_path, item("AISTSimulatorItem", "AIST", "use_2d_mode: true"))
    found = [str(item) for item in sim.scene.save(tmp_path / target)]
    assert any(message in text for text in found), found
