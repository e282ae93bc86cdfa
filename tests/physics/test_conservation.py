"""Energy and momentum over long times, beside ODE's on the same scenes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from solidbody.base.transforms import Vec3
from solidbody.formats.loading import read_scene_text
from solidbody.model.geometry import GeometrySphere
from solidbody.model.scene import CoriolisRule, GyroRule, RotationRule, Scene
from solidbody.sim import Sim
from tests.ode.harness import OdeWorld
from tests.ode.marks import NEEDS_ODE
from tests.physics import building as b
from tests.physics.conserving import (
    brick,
    centered,
    chain_body,
    cradle,
    double_pendulum,
    energy,
    floating_chain,
    lost,
    momenta,
    row_of_balls,
)
from tests.physics.referee import OUR_ENGINES, deviation, run

MINUTE = 60.0


def with_ode(*steps: float) -> list[object]:
    """Return steps as parameters of a test that needs ODE."""
    return [pytest.param(step, marks=NEEDS_ODE) for step in steps]


def theirs(scene: Scene) -> float:
    """Return what ODE loses or gains in a minute [J]."""
    with OdeWorld(scene) as world:
        return lost(world, scene, MINUTE)


@pytest.mark.slow
@pytest.mark.parametrize("step", with_ode(0.001, 0.002, 0.008, 0.016, 0.032))
def test_double_pendulum_keeps_its_energy_better_than_in_ode(step: float) -> None:
    """A minute of chaotic swinging.

    `python -m benchmarks.energy` prints the table. With 1, 2, 8, 16, 32 ms ours changes by 0.14, 0.33, 2.5,
    5.6, 4.5 of 7.8 J, ODE's by 0.59, 2.6, 5.4, 6.6, 7.4 J.
    """
    scene = double_pendulum(step)
    assert lost(Sim(scene), scene, MINUTE) < theirs(scene)


@pytest.mark.slow
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


PENDULUM_WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 1 }
Viewpoint { }
Robot { children [
  HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 }
    endPoint Solid { translation 0.2 0 0 name "one" children [
      HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 anchor 0.2 0 0 }
        endPoint Solid { name "two" translation 0.4 0 0 physics DEF BAR Physics {
          density -1 mass 1 centerOfMass [ 0 0 0 ] inertiaMatrix [ 0.001 0.0134 0.0134, 0 0 0 ] } } }
      ] physics USE BAR } } ] }
"""


def test_pendulum_of_a_world_with_steps_of_a_millisecond_keeps_its_energy() -> None:
    """It has 7.8 J to lose. In a minute 0.13 J go; with the forces of the start of the step 4.6 J did."""
    scene, log = read_scene_text(PENDULUM_WORLD)
    assert scene is not None
    assert not list(log)
    assert lost(Sim(scene), scene, MINUTE) < 0.2


@pytest.mark.parametrize("step", [0.032, 0.064])
def test_chains_do_not_explode_at_long_steps(step: float) -> None:
    """They turn by 0.2 to 0.7 rad per step. From the start of the step both explode within seconds."""
    swinging, tumbling = double_pendulum(step), floating_chain(step)
    sim, start = Sim(swinging), energy(Sim(swinging), swinging)
    for _ in range(round(MINUTE / step)):
        sim.step()
        # 7.8 J is what it has between the top and the bottom
        assert energy(sim, swinging) < start + 0.4 * 7.848
    sim, start = Sim(tumbling), energy(Sim(tumbling), tumbling)
    for _ in range(round(MINUTE / step)):
        sim.step()
        # its angular momentum is kept: about the axis of least inertia it is 7 times the energy
        assert energy(sim, tumbling) < (1.05 if step < 0.05 else 7.0) * start


@pytest.mark.slow
@pytest.mark.parametrize("step", with_ode(0.001, 0.008, 0.016))
def test_tumbling_brick_changes_its_energy_no_more_than_in_ode(step: float) -> None:
    """A minute: explicit equals ODE's to rounding, implicit loses less than that one gains."""
    explicit, implicit = brick(GyroRule.EXPLICIT, step), brick(GyroRule.IMPLICIT, step)
    allowed = theirs(explicit)
    assert lost(Sim(explicit), explicit, MINUTE) <= allowed * (1 + 1e-3)
    assert lost(Sim(implicit), implicit, MINUTE) <= allowed


@pytest.mark.parametrize("step", with_ode(0.032))
def test_brick_that_tumbles_in_long_steps(step: float) -> None:
    """Six seconds equal ODE's; then rounding, which grows tenfold every 0.7 s, decides when it turns over."""
    explicit, implicit = brick(GyroRule.EXPLICIT, step), brick(GyroRule.IMPLICIT, step)
    assert deviation(run(explicit, "native", 200), run(explicit, "ode", 200)).worst < 1e-9
    assert lost(Sim(implicit), implicit, MINUTE) < 0.7 * theirs(explicit)


def nudged(scene: Scene, by: Vec3) -> Scene:
    """The brick's scene with a spin changed by a little."""
    body = scene.bodies[0]
    x, y, z = (a + c for a, c in zip(body.links[0].angular_velocity, by, strict=True))
    link = replace(body.links[0], angular_velocity=(x, y, z))
    return replace(scene, bodies=(replace(body, links=(link,)),))


@pytest.mark.parametrize("step", with_ode(0.032))
def test_what_a_brick_gains_in_long_steps_is_chance_in_ode_itself(step: float) -> None:
    """Starts that differ by 1e-12 rad/s gain 49 to 69 % in a minute there; ours, 58 %, is one of them."""
    scene, little = brick(GyroRule.EXPLICIT, step), 1e-12
    nudges = ((0.0, 0.0, 0.0), (little, 0.0, 0.0), (0.0, -little, 0.0), (0.0, 0.0, -little))
    gained = [theirs(nudged(scene, by)) for by in nudges]
    start = energy(Sim(scene), scene)
    assert max(gained) - min(gained) > 0.1 * start
    assert min(gained) <= lost(Sim(scene), scene, MINUTE) <= max(gained)


@pytest.mark.slow
@pytest.mark.parametrize("step", with_ode(0.002, 0.008, 0.032))
def test_balls_in_a_row_lose_no_more_than_in_ode(step: float) -> None:
    """Bounce 1, a minute between two walls."""
    scene = row_of_balls(step)
    assert lost(Sim(scene), scene, MINUTE) <= theirs(scene) + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("step", with_ode(0.001, 0.008, 0.032))
def test_newtons_cradle_loses_no_more_than_in_ode(step: float) -> None:
    """Hanging balls, a minute of knocking."""
    scene = cradle(step)
    assert lost(Sim(scene), scene, MINUTE) <= theirs(scene)


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


@pytest.mark.slow
@pytest.mark.parametrize("step", [0.001, 0.008, 0.032])
def test_momenta_of_a_floating_mechanism_are_kept_in_every_step(step: float) -> None:
    """1e-9 of what it has, over 5 s; its centre of mass moves on a straight line."""
    scene = floating_chain(step)
    sim = Sim(scene)
    first = before = momenta(sim, scene)
    scale = np.abs(first).max()
    start = sim.poses()[:, :3].mean(axis=0)  # links of equal mass
    for _ in range(round(5.0 / step)):
        sim.step()
        after = momenta(sim, scene)
        assert np.abs(after - before).max() < 1e-9 * scale
        before = after
    moved = (sim.poses()[:, :3].mean(axis=0) - start) / sim.time
    assert moved == pytest.approx(first[:3] / 4.0, abs=1e-9)  # 4 kg
    assert np.abs(before - first).max() < 1e-9 * scale


def test_momenta_of_colliding_mechanisms_are_kept_in_every_step() -> None:
    """Two chains that run into each other, with friction and bounce."""
    scene = centered(
        b.scene(
            chain_body("one", (0, 0, 0), (1.0, 0, 0)),
            chain_body("two", (0.6, 0.1, 0.6), (-1.0, 0, -1.0)),
            gravity=(0, 0, 0),
            rotation=RotationRule.EXACT,
        )
    )
    sim = Sim(scene)
    before, touched = momenta(sim, scene), 0
    scale = np.abs(before).max()
    for _ in range(250):
        sim.step()
        after = momenta(sim, scene)
        assert np.abs(after - before).max() < 1e-9 * scale
        before = after
        touched += sim.stats.contacts
    assert touched > 5


def test_momentum_of_a_falling_mechanism_grows_by_its_weight_only() -> None:
    """4 kg for a second, torque free about its centre of mass."""
    scene = floating_chain(0.008, gravity=(0.0, 0.0, -9.81))
    sim = Sim(scene)
    first = momenta(sim, scene)
    sim.step(125)
    gained = momenta(sim, scene) - first
    assert gained[:3] == pytest.approx([0.0, 0.0, -4.0 * 9.81], abs=1e-9)


def _triple(v: NDArray[np.float64]) -> Vec3:
    x, y, z = v.tolist()
    return x, y, z
