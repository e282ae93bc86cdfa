"""Constants and state: what is compiled never changes, what changes is one row per simulation."""

from __future__ import annotations

from dataclasses import fields, replace

import mujoco
import numpy as np
import pytest

from solidbody.base.transforms import Pose
from solidbody.compiler import Compiled, compile_scene
from solidbody.contact.state import PARTS
from solidbody.model.contacts import ContactProperties
from solidbody.model.devices import DeviceHolder
from solidbody.model.geometry import GeometryBox, GeometrySphere
from solidbody.model.joints import JointAxis, JointFixed, JointHinge
from solidbody.model.links import Body, Link, Motion
from solidbody.model.motors import PositionSensor
from solidbody.sim import Sim
from tests.physics import building as b
from tests.physics.test_kinematic_joints import base, motor, part

ENGINES = ("native", "reference")


def arm() -> Body:
    """A robot without physics whose motor turns a part of it: MuJoCo keeps the pose of that in its model."""
    joint = JointHinge("arm", JointAxis((0, 0, 1), motor=motor()))
    links = (base(pose=Pose((0, 3.0, 0.5))), part("hand", joint, Pose((1.0, 0.0, 0.0))))
    return Body("r", links)


def box(name: str, at: tuple[float, float, float]) -> Body:
    return b.free_body(name, GeometryBox((0.2, 0.2, 0.2)), at=at)


def gripper() -> Body:
    body = b.free_body("gripper", GeometrySphere(0.1), at=(2.0, 0.0, 0.1))
    return replace(body, links=(replace(body.links[0], devices=(DeviceHolder(name="grip"),)),))


def plain() -> Sim:
    return Sim(b.scene(b.floor(), box("one", (0, 0, 0.1)), gripper()))


def lively() -> Sim:
    """A scene in which programs and steps change all that can be changed."""
    return Sim(b.scene(b.floor(), box("one", (0, 0, 0.1)), arm(), gripper()))


def model_bytes(model: mujoco.MjModel) -> bytes:
    out = np.empty(mujoco.mj_sizeModel(model), dtype=np.uint8)
    mujoco.mj_saveModel(model, None, out)
    return out.tobytes()


def arrays_of(compiled: Compiled) -> dict[str, np.ndarray]:
    """All arrays of ours that were compiled."""
    found: dict[str, np.ndarray] = {"initial_qvel": compiled.initial_qvel}
    for owner in (compiled.tables, compiled.tables.collision, compiled.binding):
        for item in fields(owner):
            value = getattr(owner, item.name)
            if isinstance(value, np.ndarray):
                found[f"{type(owner).__name__}.{item.name}"] = value
    return found | {f"start.{name}": getattr(compiled.start, name) for name in ("rows", *PARTS)}


# ------------------------------------------------------------------ constants


@pytest.mark.parametrize("engine", ENGINES)
def test_nothing_that_programs_or_steps_do_changes_what_is_compiled(engine: str) -> None:
    scene = b.scene(b.floor(), box("one", (0, 0, 0.1)), arm(), gripper())
    sim = Sim(scene, engine=engine)  # pyright: ignore[reportArgumentType]
    model = model_bytes(sim.compiled.model)
    arrays = {name: array.tobytes() for name, array in arrays_of(sim.compiled).items()}
    sim.joint("arm").target_velocity = 2.0
    sim["hand"].position = (1.0, 3.0, 0.7)
    sim.attach_links(1, 4)
    sim["one"].add_force((1.0, 0.0, 0.0))
    sim["base"].set_velocity((0.1, 0.0, 0.0), (0.0, 0.0, 0.2))
    sim["floor"].position = (0.0, 0.0, -0.1)
    sim.keep_commands()
    sim.step(5)
    sim.reset()
    sim.step(2)
    assert sim.core.owns_model
    assert model_bytes(sim.compiled.model) == model
    assert {name: array.tobytes() for name, array in arrays_of(sim.compiled).items()} == arrays


# ------------------------------------------------------------------ whose model it is


def test_a_model_is_shared_until_a_body_must_be_placed_in_it() -> None:
    sim = plain()
    twin = sim.copy()
    sim.step(3)
    assert sim.model is twin.model is sim.compiled.model
    sim["one"].position = (0.0, 0.0, 0.3)
    assert not sim.core.owns_model, "a free body has its pose in qpos"
    carried = Sim(b.scene(b.floor(), arm()))
    assert carried.core.owns_model, "its steps move a part of a body"
    assert carried.copy().model is not carried.model


@pytest.mark.parametrize("engine", ENGINES)
def test_placed_bodies_stay_where_they_are_through_snapshots_and_go_back_on_reset(
    engine: str,
) -> None:
    joint = JointFixed()
    shelf = Link("shelf", "shelf", joint=joint, pose=Pose((0, 0, 1.0)), motion=Motion.KINEMATIC)
    hook = Link(
        "hook", "hook", parent=0, joint=joint, pose=Pose((0.5, 0, 1.0)), motion=Motion.KINEMATIC
    )
    hinge = JointHinge("swing", JointAxis((0.0, 1.0, 0.0)), anchor=(0.0, 0.0, 1.0))
    weight = b.jointed_link("weight", GeometrySphere(0.1), hinge, parent=None, at=(0.3, 0.0, 0.8))
    sim = Sim(
        b.scene(Body("s", (shelf, hook)), b.robot("w", weight)),
        engine=engine,  # pyright: ignore[reportArgumentType]
    )
    start = sim.snapshot()
    assert not sim.core.owns_model
    assert start.places == b""
    sim["weight"].position = (0.3, 0.4, 0.8)
    assert sim.core.owns_model
    sim.step(20)
    moved = sim.snapshot()
    sim.step(20)
    later = sim.snapshot()
    other = sim.copy()
    assert not other.core.owns_model
    other.restore(moved)
    other.step(20)
    assert other.snapshot() == later
    sim.restore(start)
    assert sim["weight"].position == pytest.approx((0.3, 0.0, 0.8), abs=1e-12)
    sim.restore(moved)
    sim.reset()
    assert sim["weight"].position == pytest.approx((0.3, 0.0, 0.8), abs=1e-12)
    sim.step(5)
    other.reset()
    other.step(5)
    assert sim.data.qpos.tobytes() == other.data.qpos.tobytes()


# ------------------------------------------------------------------ one row per simulation


def test_the_states_of_a_batch_are_the_rows_of_one_array() -> None:
    batch = lively().batch(3)
    assert batch.rows is not None
    assert batch.rows.flags.c_contiguous
    assert batch.rows.shape == (3,)
    batch.rows["commands"]["target_velocity"][:, 0] = (1.0, 2.0, 3.0)
    assert [sim.joint("arm").target_velocity for sim in batch] == [1.0, 2.0, 3.0]
    batch[1].joint("arm").target_velocity = 5.0
    assert batch.rows["commands"]["target_velocity"][:, 0].tolist() == [1.0, 5.0, 3.0]
    batch.step(4)
    alone = lively()
    alone.joint("arm").target_velocity = 5.0
    alone.step(4)
    assert batch[1].state.rows.tobytes() == alone.state.rows.tobytes()


def test_a_state_is_the_bytes_of_its_row() -> None:
    """Copying a row is all there is to a copy of our part of the state."""
    sim, other = lively(), lively()
    sim.joint("arm").target_velocity = 2.0
    sim.attach_links(1, 4)
    sim.step(10)
    other.restore(replace(other.snapshot(), state=sim.state.rows.tobytes()))
    assert other.joint("arm").target_velocity == 2.0
    assert other.state.grips["kind"].tolist() == sim.state.grips["kind"].tolist() != [0]
    kept = sim.state.copy()
    sim.step(1)
    assert kept.rows.tobytes() != sim.state.rows.tobytes()
    sim.state.take(kept)
    assert kept.rows.tobytes() == sim.state.rows.tobytes()


# ------------------------------------------------------------------ other constants for the same state


def sliding(mu: float) -> Sim:
    return Sim(
        b.scene(b.floor(), box("one", (0, 0, 0.1)), surface=ContactProperties(friction=(mu,)))
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_other_surfaces_are_adopted_in_the_middle_of_a_run(engine: str) -> None:
    """A box slides on without friction and stops with it: as if it had been compiled so."""
    slick, rough = sliding(0.0), sliding(0.8)
    scene = slick.scene
    sim = Sim(scene, engine=engine)  # pyright: ignore[reportArgumentType]
    sim["one"].set_velocity((1.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    sim.step(10)
    state, steps = sim.snapshot(), sim.step_count
    sim.adopt(rough.compiled)
    assert (sim.snapshot(), sim.step_count) == (state, steps)
    sim.step(10)
    expected = Sim(rough.scene, engine=engine)  # pyright: ignore[reportArgumentType]
    expected.restore(state)
    expected.step(10)
    assert sim.data.qpos.tobytes() == expected.data.qpos.tobytes()
    assert sim["one"].linear_velocity[0] < 0.9


def test_other_masses_are_adopted_with_what_was_placed() -> None:
    """The new model keeps the poses of bodies that this simulation has moved in its own."""
    sim = lively()
    sim["hand"].position = (1.0, 3.0, 0.9)
    sim.step(2)
    place = sim["hand"].position
    heavy = compile_scene(sim.scene)
    body = int(heavy.binding.body[1])
    heavy.model.body_mass[body] *= 3.0
    mujoco.mj_setConst(heavy.model, mujoco.MjData(heavy.model))
    sim.adopt(heavy)
    assert sim.model.body_mass[body] == heavy.model.body_mass[body]
    assert sim.model is not heavy.model
    sim.step(1)
    assert sim["hand"].position == pytest.approx(place, abs=1e-9)


def test_kept_commands_outlive_other_constants() -> None:
    sim = lively()
    sim.joint("arm").target_velocity = 1.5
    sim.keep_commands()
    sim.adopt(compile_scene(sim.scene))
    sim.joint("arm").target_velocity = 0.5
    sim.reset()
    assert sim.joint("arm").target_velocity == 1.5


def test_constants_of_another_layout_are_refused() -> None:
    sim = plain()
    with pytest.raises(ValueError, match="replace_scene"):
        sim.adopt(lively().compiled)


# ------------------------------------------------------------------ noise


def noisy() -> Sim:
    """A hinge whose sensor is read with noise."""
    axis = JointAxis((0.0, 1.0, 0.0), sensor=PositionSensor("angle", noise=0.5))
    joint = JointHinge("swing", axis, anchor=(0.0, 0.0, 1.0))
    weight = b.jointed_link("weight", GeometrySphere(0.1), joint, parent=None, at=(0.3, 0.0, 0.8))
    return Sim(b.scene(b.robot("w", weight)))


def readings(sim: Sim, count: int) -> list[float]:
    out: list[float] = []
    for _ in range(count):
        sim.step()
        out.append(float(np.ravel(sim.device("angle").value)[0]))
    return out


def test_noise_goes_on_as_it_did_after_the_snapshot() -> None:
    """Its stream is part of the state, in simulations that read before and in those that did not."""
    sim = noisy()
    sim.device("angle").enable(0.008)
    readings(sim, 5)
    saved = sim.snapshot()
    expected = readings(sim, 5)
    assert len(set(expected)) == 5
    sim.restore(saved)
    assert readings(sim, 5) == expected
    other = noisy()
    other.restore(saved)
    other.device("angle").enable(0.008)
    assert readings(other, 5) == expected
    assert other.snapshot() == sim.snapshot()
