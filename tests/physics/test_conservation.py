"""Energy and momentum over long times, beside ODE's on the same scenes."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from solidbody.base.transforms import Pose, Quat, Vec3
from solidbody.model.contacts import ContactProperties
from solidbody.model.geometry import GeometryBox, GeometrySphere
from solidbody.model.scene import CoriolisRule, GyroRule, RotationRule, Scene
from solidbody.sim import Sim
from tests.ode.harness import OdeWorld
from tests.ode.marks import NEEDS_ODE
from tests.physics import building as b
from tests.physics.referee import OUR_ENGINES, Steppable

BAR = GeometryBox((0.05, 0.05, 0.4))
LYING: Quat = b.turned((0, 1, 0), 0.5 * math.pi)


def energy(simulation: Steppable, scene: Scene) -> float:
    """Return kinetic and potential energy of all dynamic links [J]."""
    total = 0.0
    gravity = np.array(scene.physics.gravity)
    poses, velocities = simulation.poses(), simulation.velocities()
    for link, pose, velocity in zip(scene.links(), poses, velocities, strict=True):
        if link.mass is None:
            continue
        tensor, spin = _tensor(link.mass.inertia), _local(pose, velocity[3:])
        total += 0.5 * link.mass.mass * float(velocity[:3] @ velocity[:3])
        total += 0.5 * float(spin @ tensor @ spin) - link.mass.mass * float(gravity @ pose[:3])
    return total


def momenta(simulation: Steppable, scene: Scene) -> NDArray[np.float64]:
    """Return linear and angular momentum (about the origin) of all dynamic links."""
    out = np.zeros(6)
    poses, velocities = simulation.poses(), simulation.velocities()
    for link, pose, velocity in zip(scene.links(), poses, velocities, strict=True):
        if link.mass is None:
            continue
        linear = link.mass.mass * velocity[:3]
        own = _tensor(link.mass.inertia) @ _local(pose, velocity[3:])
        out[:3] += linear
        out[3:] += np.cross(pose[:3], linear) + _world(pose, own)
    return out


def _tensor(inertia: tuple[float, ...]) -> NDArray[np.float64]:
    xx, yy, zz, xy, xz, yz = inertia
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _local(pose: NDArray[np.float64], v: NDArray[np.float64]) -> NDArray[np.float64]:
    turn = Pose(rotation=tuple(pose[3:].tolist())).inverse()
    return np.array(turn.direction(tuple(v.tolist())))


def _world(pose: NDArray[np.float64], v: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.array(Pose(rotation=tuple(pose[3:].tolist())).direction(tuple(v.tolist())))


def lost(simulation: Steppable, scene: Scene, seconds: float) -> float:
    """Return the greatest change of energy over a run [J], looked at every tenth step."""
    start, worst = energy(simulation, scene), 0.0
    for _ in range(round(seconds / scene.physics.time_step / 10)):
        simulation.step(10)
        worst = max(worst, abs(energy(simulation, scene) - start))
    return worst


def double_pendulum(step: float) -> Scene:
    """Two bars, let go from the horizontal, as a world from Webots would swing them."""
    joints = (b.hinge("j1", (0, 1, 0), (0, 0, 0)), b.hinge("j2", (0, 1, 0), (0.2, 0, 0)))
    one = b.jointed_link("one", BAR, joints[0], parent=None, at=(0.2, 0, 0), shape_rotation=LYING)
    two = b.jointed_link(
        "two",
        BAR,
        joints[1],
        parent=0,
        parent_at=(0.2, 0, 0),
        at=(0.6, 0, 0),
        shape_rotation=LYING,
    )
    scene = b.scene(b.robot("pendulum", one, two), step=step, rotation=RotationRule.EXACT)
    return replace(scene, physics=replace(scene.physics, coriolis=CoriolisRule.MIDDLE))


@pytest.mark.parametrize(
    ("step", "share"),
    [pytest.param(0.002, 0.2, marks=NEEDS_ODE), pytest.param(0.008, 0.8, marks=NEEDS_ODE)],
)
def test_double_pendulum_keeps_its_energy_better_than_in_ode(step: float, share: float) -> None:
    """60 s of chaotic swinging. Measured at 2 ms: 4 % of 7.8 J, ODE 33 %; at 8 ms: 49 %, ODE 69 %."""
    scene = double_pendulum(step)
    with OdeWorld(scene) as world:
        theirs = lost(world, scene, 60.0)
    assert lost(Sim(scene), scene, 60.0) < share * theirs


@pytest.mark.parametrize("engine", OUR_ENGINES)
def test_middle_of_the_step_keeps_energy_better_than_its_start(engine: str) -> None:
    """Two seconds of swinging."""
    errors: dict[CoriolisRule, float] = {}
    for rule in CoriolisRule:
        scene = double_pendulum(0.002)
        scene = replace(scene, physics=replace(scene.physics, coriolis=rule))
        sim = Sim(scene, engine=engine)  # type: ignore[arg-type]
        errors[rule] = lost(sim, scene, 2.0)
    assert errors[CoriolisRule.MIDDLE] < 0.6 * errors[CoriolisRule.START]


def test_swinging_chain_at_32_ms_gains_no_energy_to_speak_of() -> None:
    """Webots' default step, 10 rad/s: a third of a radian per step. From its start it explodes."""
    scene = double_pendulum(0.032)
    sim = Sim(scene)
    start = energy(sim, scene)
    for _ in range(1875):
        sim.step()
        # 7.8 J is what it has between the top and the bottom
        assert energy(sim, scene) < start + 0.4 * 7.848


def brick(gyro: GyroRule) -> Scene:
    """A free brick that tumbles about its middle axis."""
    body = b.free_body("brick", GeometryBox((0.4, 0.2, 0.1)), spin=(0.05, 3.0, -0.05))
    scene = b.scene(body, gravity=(0, 0, 0), step=0.002)
    return replace(scene, physics=replace(scene.physics, gyro=gyro))


@pytest.mark.parametrize("seconds", [pytest.param(60.0, marks=NEEDS_ODE)])
def test_tumbling_brick_changes_its_energy_no_more_than_in_ode(seconds: float) -> None:
    """60 s at 2 ms: explicit equals ODE's to rounding, implicit loses instead of gaining."""
    explicit, implicit = brick(GyroRule.EXPLICIT), brick(GyroRule.IMPLICIT)
    with OdeWorld(explicit) as world:
        theirs = lost(world, explicit, seconds)
    assert lost(Sim(explicit), explicit, seconds) <= theirs * (1 + 1e-3)
    assert lost(Sim(implicit), implicit, seconds) <= theirs * 1.5


@pytest.mark.parametrize("seconds", [pytest.param(60.0, marks=NEEDS_ODE)])
def test_newtons_cradle_loses_no_more_than_in_ode(seconds: float) -> None:
    """Five balls in a row without gravity or friction, bounce 1, 60 s between two walls."""
    surface = ContactProperties(friction=(0.0,), bounce=1.0, bounce_velocity=0.0)
    balls = [
        b.free_body(
            f"ball{k}",
            GeometrySphere(0.1),
            at=(0.21 * k, 0, 0),
            velocity=(1.0 if k == 0 else 0.0, 0, 0),
        )
        for k in range(5)
    ]
    walls = [b.static_body(f"wall{x}", GeometryBox((0.2, 1, 1)), at=(x, 0, 0)) for x in (-1.0, 2.0)]
    scene = b.scene(*balls, *walls, surface=surface, gravity=(0, 0, 0), step=0.008)
    with OdeWorld(scene) as world:
        theirs = lost(world, scene, seconds)
    assert lost(Sim(scene), scene, seconds) <= theirs + 1e-9


def test_momenta_of_colliding_balls_are_kept_in_every_step() -> None:
    """Eight balls with friction and bounce in empty space: 1e-9 of what each ball carries."""
    rng = np.random.default_rng(3)
    balls = [
        b.free_body(
            f"ball{k}",
            GeometrySphere(0.3),
            mass=float(rng.uniform(0.5, 3.0)),
            at=_triple(0.05 * rng.normal(size=3) + 1.2 * np.array((k % 2, k // 2 % 2, k // 4))),
            velocity=_triple(-1.5 * np.array((k % 2 - 0.5, k // 2 % 2 - 0.5, k // 4 - 0.5))),
            spin=_triple(3.0 * rng.normal(size=3)),
        )
        for k in range(8)
    ]
    scene = b.scene(*balls, gravity=(0, 0, 0), step=0.008, rotation=RotationRule.EXACT)
    sim = Sim(scene)
    before, touched = momenta(sim, scene), 0
    for _ in range(250):
        sim.step()
        after = momenta(sim, scene)
        assert np.abs(after - before).max() < 1e-9 * 3.0
        before = after
        touched += sim.stats.contacts
    assert touched > 5


def _triple(v: NDArray[np.float64]) -> Vec3:
    x, y, z = v.tolist()
    return x, y, z
