"""Drag stops at most what it slows, and is what it was wherever it did no more than that."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from solidbody.base.transforms import Pose, Vec3
from solidbody.contact.reference import fluids as reference_fluids
from solidbody.model.fluids import DragArea, Fluid, Immersion
from solidbody.model.geometry import GeometryBox, GeometryMesh
from solidbody.model.links import Body, Link
from solidbody.model.scene import Scene
from solidbody.sim import Sim
from tests.physics import building as b
from tests.physics.referee import OUR_ENGINES

BRICK = GeometryBox((0.4, 0.3, 0.1))
FIN = GeometryBox((0.2, 0.02, 0.1))
STREAM = (0.3, -0.2, 0.1)
TETRAHEDRON = GeometryMesh(
    ((-0.1, -0.1, -0.1), (0.3, -0.1, -0.1), (-0.1, 0.3, -0.1), (-0.1, -0.1, 0.3)),
    ((0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)),
)

WETTED = Immersion("sea", DragArea.IMMERSED, (1.0, 0.0, 0.0), (1.0, 0.0, 0.0))
SEEN = Immersion("sea", DragArea.PROJECTED, (1.0, 5.0, 0.2), (0.5, 2.0, 1.0))
STICKY = Immersion("sea", viscous_force=1e3, viscous_torque=1e3)
KINDS = {"wetted area": WETTED, "projected area": SEEN, "viscous": STICKY}


def scaled(immersion: Immersion, factor: float) -> Immersion:
    """Return an immersion with all coefficients times a factor."""

    def times(vector: Vec3) -> Vec3:
        x, y, z = (factor * value for value in vector)
        return x, y, z

    return replace(
        immersion,
        drag_force=times(immersion.drag_force),
        drag_torque=times(immersion.drag_torque),
        viscous_force=factor * immersion.viscous_force,
        viscous_torque=factor * immersion.viscous_torque,
    )


def sea(*links: Link, step: float, stream: Vec3 = (0.0, 0.0, 0.0), gravity: float = 0.0) -> Scene:
    """Links deep in a fluid, by default without weight."""
    box = b.collider(GeometryBox((100.0, 100.0, 100.0)))
    fluid = Fluid("sea", Pose((0, 0, 0)), (box,), viscosity=1.0, stream_velocity=stream)
    scene = b.scene(b.robot("body", *links), step=step, gravity=(0, 0, -gravity))
    return replace(scene, fluids=(fluid,))


def brick(immersion: Immersion, step: float, stream: Vec3 = (0.0, 0.0, 0.0)) -> Scene:
    """A brick of 12 kg that flies and tumbles."""
    link = b.free_link("brick", BRICK, mass=12.0, velocity=(2.0, 1.0, -3.0), spin=(4.0, -2.0, 7.0))
    return sea(replace(link, immersions=(immersion,)), step=step, stream=stream)


def fish(immersion: Immersion, step: float, *, effort: float = -1.0, speed: float = 6.0) -> Scene:
    """A body of 12 kg with two fins of 50 g, one behind the other; on motors if `effort` is given."""
    names, effort_or_0 = ("m1", "m2"), max(0.0, effort)
    motors = [b.velocity_motor(name, effort_or_0) if effort >= 0 else None for name in names]
    body = b.free_link("body", BRICK, mass=12.0, velocity=(0.5, 0.0, 0.0))
    joints = [
        b.hinge("j1", (0, 0, 1), (0.2, 0, 0), motor=motors[0]),
        b.hinge("j2", (0, 0, 1), (0.1, 0, 0), motor=motors[1]),
    ]
    one = b.jointed_link("one", FIN, joints[0], parent=0, at=(0.3, 0, 0), mass=0.05)
    two = b.jointed_link(
        "two", FIN, joints[1], parent=1, parent_at=(0.3, 0, 0), at=(0.5, 0, 0), mass=0.05
    )
    links = [replace(link, immersions=(immersion,)) for link in (body, one, two)]
    for k in (1, 2):
        links[k] = replace(links[k], angular_velocity=(0.0, 0.0, speed * k))
    return sea(*links, step=step)


def started(scene: Scene, engine: str) -> Sim:
    """Return a simulation whose motors all turn at 6 rad/s."""
    sim = Sim(scene, engine=engine)  # pyright: ignore[reportArgumentType]
    for name in ("m1", "m2"):
        if name in {axis.motor.name for axis in sim.compiled.axes if axis.motor}:
            sim.joint(name).target_velocity = 6.0
    return sim


def state(sim: Sim) -> NDArray[np.float64]:
    """Return poses and velocities."""
    return np.concatenate([sim.poses(), sim.velocities()], axis=1)


def unbounded(scene: Scene, steps: int, monkeypatch: pytest.MonkeyPatch) -> NDArray[np.float64]:
    """Return the state after some steps of the plain explicit rule."""
    with monkeypatch.context() as patch:
        patch.setattr(reference_fluids, "bound_drags", lambda *_: None)
        sim = started(scene, "reference")
        sim.step(steps)
        return state(sim)


MILD = {
    "brick, wetted": brick(scaled(WETTED, 0.002), 0.004, STREAM),
    "brick, projected": brick(scaled(SEEN, 0.002), 0.004, STREAM),
    "brick, viscous": brick(scaled(STICKY, 0.002), 0.004, STREAM),
    "fish": fish(scaled(SEEN, 0.0005), 0.002),
    "fish on motors": fish(scaled(SEEN, 0.0005), 0.002, effort=20.0),
}
"""Drag changes each velocity by up to a half of it in a step."""


@pytest.mark.parametrize("name", MILD)
def test_nothing_changes_where_the_explicit_rule_only_slows(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To the last bit in the reference; the native step agrees with it as ever."""
    scene = MILD[name]
    explicit = unbounded(scene, 15, monkeypatch)
    sim = started(scene, "reference")
    sim.step(15)
    assert (state(sim) == explicit).all()
    native = started(scene, "native")
    native.step(15)
    np.testing.assert_allclose(state(native), explicit, rtol=0.0, atol=1e-12)
    start = started(scene, "native")
    assert abs(state(start) - explicit).max() > 0.01  # it has moved and been slowed


def test_fin_on_a_strong_motor_drags_its_fish_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would stop a loose fin many times over in a step, but the motors bear it: nothing is taken away."""
    scene = fish(scaled(SEEN, 0.05), 0.008, effort=1000.0)
    loose = fish(scaled(SEEN, 0.05), 0.008)
    explicit = unbounded(scene, 10, monkeypatch)
    for engine in ("native", "reference"):
        sim = started(scene, engine)
        sim.step(10)
        np.testing.assert_allclose(state(sim), explicit, rtol=0.0, atol=1e-9)
    assert not abs(unbounded(loose, 20, monkeypatch)).max() < 1e3  # without motors it explodes


@pytest.mark.parametrize("engine", OUR_ENGINES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("factor", [10.0, 1e4, 1e8])
def test_strong_drag_stops_a_body_and_turns_nothing_round(
    engine: str, kind: str, factor: float
) -> None:
    """No component in the body's axes changes its sign in the first step; soon it goes with the stream."""
    scene = brick(scaled(KINDS[kind], factor), 0.008, STREAM)
    sim = Sim(scene, engine=engine)  # pyright: ignore[reportArgumentType]
    before = sim.velocities()[0] - (*STREAM, 0, 0, 0)
    sim.step()
    after = sim.velocities()[0] - (*STREAM, 0, 0, 0)
    gyro = 1e-2 * np.abs(before[3:]).max()  # turned by the gyroscopic torque, which is not drag
    assert (after[:3] * np.sign(before[:3]) > -1e-6).all()
    assert (after[3:] * np.sign(before[3:]) > -20 * gyro).all()
    assert np.linalg.norm(after[:3]) < np.linalg.norm(before[:3])
    sim.step(200 if engine == "native" else 20)
    assert np.linalg.norm(sim.velocities()[0, :3] - STREAM) < 0.5
    assert np.linalg.norm(sim.velocities()[0, 3:]) < 2.0


def kinetic(sim: Sim, mass: NDArray[np.float64]) -> float:
    """Return the kinetic energy with a mass matrix [J]."""
    return float(sim.data.qvel @ mass @ sim.data.qvel) / 2.0


@pytest.mark.parametrize("engine", OUR_ENGINES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("effort", [-1.0, 0.02], ids=["loose", "weak motors"])
def test_strong_drag_of_a_mechanism_never_adds_energy(
    engine: str, kind: str, effort: float
) -> None:
    """Of three bodies together, at any strength: each may stop, and none drives the others on.

    Explicit drag multiplies the energy by up to 1e30 in these single steps.
    """
    import mujoco

    for factor in (0.1, 10.0, 1e4, 1e8):
        scene = fish(scaled(KINDS[kind], factor), 0.008, effort=effort)
        sim = started(scene, engine)
        mass = np.zeros((sim.model.nv, sim.model.nv))
        mujoco.mj_forward(sim.model, sim.data)
        mujoco.mj_fullM(sim.model, sim.data, mass)
        start = kinetic(sim, mass)
        sim.step()
        assert kinetic(sim, mass) < 1.02 * start + 0.01  # motors of 0.02 N m may add a little
        for _ in range(60 if engine == "native" else 3):
            sim.step()
            assert abs(state(sim)).max() < 30.0


@pytest.mark.parametrize("engine", OUR_ENGINES)
@pytest.mark.parametrize("kind", KINDS)
def test_strong_drag_stops_joints_and_does_not_swing_them(engine: str, kind: str) -> None:
    """Both fins drag each other along; they stop together, though each alone would already stop both."""
    sim = started(fish(scaled(KINDS[kind], 1e3), 0.008), engine)
    for _ in range(3):
        sim.step()
        assert abs(sim.joint_states()[:, 1]).max() < 1e-5


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("make", [brick, fish], ids=["brick", "fish"])
def test_engines_agree_where_drag_is_bounded(kind: str, make: object) -> None:
    """On the factors too."""
    assert callable(make)
    scene = make(scaled(KINDS[kind], 30.0), 0.008)
    assert isinstance(scene, Scene)
    states: list[NDArray[np.float64]] = []
    for engine in ("native", "reference"):
        sim = started(scene, engine)
        sim.step(6)
        states.append(state(sim))
    np.testing.assert_allclose(states[0], states[1], rtol=0.0, atol=1e-9)


def test_two_shapes_share_what_stops_their_body() -> None:
    """Each alone would just stop it; together they stop it too, and do not turn it round."""
    step, mass = 0.008, 12.0
    half = GeometryBox((0.2, 0.3, 0.1))
    shapes = tuple(b.collider(half, pose=Pose((x, 0.0, 0.0))) for x in (-0.1, 0.1))
    link = b.free_link("brick", BRICK, mass=mass, velocity=(2.0, 0.0, 0.0))
    sticky = Immersion("sea", viscous_force=mass / step)
    sim = Sim(sea(replace(link, shapes=shapes, immersions=(sticky,)), step=step))
    sim.step()
    assert sim.velocities()[0, 0] == pytest.approx(0.0, abs=1e-12)


def test_tetrahedron_thrown_into_water_comes_to_float() -> None:
    """As in Webots' world of floating geometries at 32 ms, where its drag of rotation drove it to 10 km/s."""
    immersion = Immersion("sea", DragArea.IMMERSED, (0.1, 0, 0), (0.001, 0, 0), 0.0, 0.005)
    volume = 0.4**3 / 6
    link = Link(
        "t",
        "t",
        pose=Pose((0.0, 0.0, 51.0)),
        mass=b.solid_mass(GeometryBox((0.2, 0.2, 0.2)), 400.0 * volume),
        shapes=(b.collider(TETRAHEDRON),),
        angular_velocity=(5.0, 3.0, -8.0),
        immersions=(immersion,),
    )
    scene = sea(link, step=0.032, gravity=b.GRAVITY)
    scene = replace(scene, bodies=(Body("body", (link,)),))
    sim, fastest = Sim(scene), 0.0
    for _ in range(400):
        sim.step()
        fastest = max(fastest, float(np.abs(sim.velocities()).max()))
    assert fastest < 30.0
    assert abs(sim.velocities()).max() < 1.0
    assert 49.0 < sim.poses()[0, 2] < 50.5
