"""Errors of MuJoCo end a call, never the process; its memory suffices for thousands of links."""

from __future__ import annotations

import threading
import time

import mujoco
import pytest

import solidbody as sb
from solidbody.base.errors import CompileError, SimulationError
from solidbody.compiler import compile as compiling
from solidbody.contact.native import NativeStep
from solidbody.formats.loading import read_scene_text
from solidbody.model.scene import Scene
from solidbody.sim import Sim, failures

LINKS = 500
PAIRS = 4 * LINKS * (LINKS - 1) // 2
"""[bytes] MuJoCo's list of all pairs of links: 0.5 MB."""


def loose_links(count: int) -> Scene:
    """A ball that falls to a floor, and many free links without a form."""
    weight = "density -1 mass 1 centerOfMass [ 0 0 0 ] inertiaMatrix [ 1 1 1, 0 0 0 ]"
    links = "".join(
        f'Solid {{ name "s{i}" translation {i} 0 0.05 physics Physics {{ {weight} }} }}\n'
        for i in range(count)
    )
    scene, log = read_scene_text(
        "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 8 }\nViewpoint { }\n"
        'Solid { name "floor" boundingObject Plane { size 10 10 } }\n'
        'Solid { name "ball" translation 0 0 0.1 boundingObject Sphere { radius 0.1 } physics Physics { } }\n'
        + links
    )
    assert scene is not None
    assert not list(log)
    return scene


@pytest.fixture(scope="module")
def crowd() -> Scene:
    """Links enough to fill a small memory with their pairs."""
    return loose_links(LINKS)


@pytest.fixture
def tight(crowd: Scene, monkeypatch: pytest.MonkeyPatch) -> Scene:
    """The same, for simulations that get less memory than their pairs take."""

    def less(*_: object) -> int:
        return PAIRS * 7 // 8

    monkeypatch.setattr(compiling, "_memory", less)
    return crowd


def test_memory_suffices_for_all_pairs_of_links(
    crowd: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What geoms and the rest get by themselves is less than the list of pairs takes.

    With 5,472 links of a public world it was 60 MB, of 32 MB, and the process ended.
    """
    monkeypatch.setattr(compiling, "MEMORY_BASE", PAIRS // 8)
    monkeypatch.setattr(compiling, "MEMORY_PER_GEOM", 0)
    began = time.process_time()
    sim = Sim(crowd)
    sim.step(20)
    assert sim.data.maxuse_stack > PAIRS
    assert sim.stats.memory_full == 0
    assert sim.stats.contacts == 1
    assert (
        time.process_time() - began < 20.0
    )  # 0.4 s; 5,600 links take 7 s to compile, 1.7 ms per step


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_error_within_a_step_is_an_error_of_the_simulation(tight: Scene, engine: str) -> None:
    """MuJoCo's own words are kept, on one line; the same again after a reset. MuJoCo itself still works."""
    sim = Sim(tight, engine=engine)  # pyright: ignore[reportArgumentType]
    for _ in range(2):
        with pytest.raises(
            SimulationError, match="MuJoCo cannot go on at t = 0 s: mj_stackAlloc"
        ) as e:
            sim.step(3)
        assert "\n" not in str(e.value)
        assert (sim.data.ncon, sim.data.nefc, sim.step_count) == (0, 0, 0)
        sim.reset()
    with pytest.raises(mujoco.FatalError, match="mj_stackAlloc"):
        mujoco.mj_step(sim.model, sim.data)
    mujoco.mj_kinematics(sim.model, sim.data)


def test_simulation_goes_on_after_an_error_of_another(tight: Scene) -> None:
    """In the same thread, between its steps: to the same bytes as without."""
    scene, _ = read_scene_text(
        "#VRML_SIM R2025a utf8\nWorldInfo { }\nViewpoint { }\n"
        'Solid { boundingObject Plane { size 10 10 } }\nSolid { name "box" translation 0 0 0.3 '
        "rotation 1 1 0 1 boundingObject Box { size 0.1 0.2 0.3 } physics Physics { } }\n"
    )
    assert scene is not None
    failing = Sim(tight)
    room = 64 << 20
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiling, "_memory", lambda *_: room)
        alone, disturbed = Sim(scene), Sim(scene)
    alone.step(60)
    for _ in range(6):
        disturbed.step(10)
        with pytest.raises(SimulationError):
            failing.step()
    assert alone.poses().tobytes() == disturbed.poses().tobytes()


def test_errors_on_several_threads_at_once_stay_apart(tight: Scene) -> None:
    """The handler is one for the process; each thread goes back to its own call."""
    sims = [Sim(tight) for _ in range(2)]
    texts: list[str] = []

    def fail(sim: Sim) -> None:
        for _ in range(50):
            with pytest.raises(SimulationError) as e:
                sim.step()
            texts.append(str(e.value))

    threads = [threading.Thread(target=fail, args=(sim,)) for sim in sims]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(texts) == 100
    assert all("mj_stackAlloc" in text for text in texts)


def test_error_in_a_batch_names_the_simulation(tight: Scene) -> None:
    """Steps of a batch run on threads of their own."""
    batch = Sim(tight).batch(2, threads=2)
    with pytest.raises(SimulationError, match="simulation 0: MuJoCo cannot go on"):
        batch.step()


def test_contacts_that_are_asked_for_end_in_an_error_too(tight: Scene) -> None:
    step = Sim(tight).core.step
    assert isinstance(step, NativeStep)
    with pytest.raises(SimulationError, match="mj_stackAlloc"):
        step.find_contacts()


def test_memory_that_cannot_be_had_is_an_error_of_the_scene(
    crowd: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiling, "_memory", lambda *_: 1 << 46)
    with pytest.raises(CompileError, match=r"with 67108864 MiB .*Could not allocate memory"):
        Sim(crowd)


def test_state_without_room_is_an_error_of_the_scene(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = loose_links(1)

    def refuse(_: object) -> None:
        raise mujoco.FatalError("Could not allocate memory")

    monkeypatch.setattr(failures.mujoco, "MjData", refuse)
    with pytest.raises(CompileError, match="no room for the state"):
        sb.Sim(scene)


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_contacts_without_room_are_counted_and_named(
    engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten boxes on a floor have 40 contacts; there is room for some of them only."""
    boxes = "".join(
        f'Solid {{ name "b{i}" translation {i} 0 0.05 boundingObject Box {{ size 0.1 0.1 0.1 }} '
        "physics Physics { } }\n"
        for i in range(10)
    )
    scene, _ = read_scene_text(
        "#VRML_SIM R2025a utf8\nWorldInfo { }\nViewpoint { }\n"
        f'Solid {{ name "floor" boundingObject Plane {{ size 30 30 }} }}\n{boxes}'
    )
    assert scene is not None
    monkeypatch.setattr(compiling, "_memory", lambda *_: 24 << 10)
    sim = Sim(scene, engine=engine)  # pyright: ignore[reportArgumentType]
    sim.step(2)
    assert sim.stats.memory_full == 2
    assert sim.stats.contacts_lost >= 20
    pair = sim.stats.lost_pair
    assert pair is not None
    assert (pair.names, pair.found) == (("floor", "b0"), 4)
    (message,) = sim.contact_messages
    assert message.code == "contacts-lost"
    assert f"{sim.stats.contacts_lost} contacts found no room in 2 steps" in message.text
    assert 'between "floor" and "b0"' in message.text
