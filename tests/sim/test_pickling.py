"""Pickles: a simulation goes on in another process, with the same bytes."""

from __future__ import annotations

import pickle
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

import solidbody as sb
from solidbody.devices.imaging.lazy_rendering import ImageGroup
from solidbody.model.geometry import GeometrySphere
from solidbody.sim import Sim, Snapshot, load_snapshots
from tests.physics import building as b
from tests.sim.test_snapshots import busy, command
from tests.sim.test_state import arrays_of, lively

ROOT = Path(__file__).parents[2]

ELSEWHERE = """
import pickle, sys
from pathlib import Path
from solidbody.sim import save_snapshots
sim = pickle.loads(Path(sys.argv[1]).read_bytes())
sim.step(80)
save_snapshots(Path(sys.argv[2]), [sim.snapshot()])
"""


def twin(sim: Sim) -> Sim:
    return pickle.loads(pickle.dumps(sim))


@pytest.mark.slow
def test_another_process_goes_on_bit_for_bit(tmp_path: Path) -> None:
    """Contacts, tracks, kinematic joints and forces; nothing but the pickle goes there."""
    sim = busy()
    command(sim)
    sim.step(60)
    sim["ball"].add_force((0.0, 2.0, 0.0))  # acts in the next step
    (tmp_path / "sim").write_bytes(pickle.dumps(sim))
    sim.step(80)
    subprocess.run(
        [sys.executable, "-c", ELSEWHERE, str(tmp_path / "sim"), str(tmp_path / "after")],
        check=True,
        env={"PYTHONPATH": str(ROOT / "src"), "PATH": ""},
        timeout=120,
    )
    assert load_snapshots(tmp_path / "after") == (sim.snapshot(),)


@pytest.mark.parametrize("make", [busy, lively])
def test_a_twin_goes_back_to_the_same_start(make: object) -> None:
    """`reset` after pickling: poses of bodies fixed to others and kept commands too."""
    sim: Sim = make()  # type: ignore[operator]
    sim.joint("arm").target_velocity = 1.5
    sim.keep_commands()
    start = _after_reset(sim)
    sim.step(20)
    assert _after_reset(twin(sim)) == start


def _after_reset(sim: Sim) -> Snapshot:
    sim.reset()
    sim.step(5)
    return sim.snapshot()


@pytest.mark.slow
def test_every_example_goes_on_with_its_devices() -> None:
    """State, statistics, and what sensors read 60 steps later, noise included."""
    worlds = sorted((ROOT / "examples").glob("*.wbt"))
    assert len(worlds) > 8
    for world in worlds:
        sim = Sim(sb.load(world))
        _turn_all_on(sim)
        sim.step(37)
        other = twin(sim)
        for one in (sim, other):
            one.step(60)
        assert sim.snapshot() == other.snapshot(), world
        assert sim.stats == other.stats
        for ours, theirs in zip(sim.devices.groups, other.devices.groups, strict=True):
            assert np.array_equal(ours.values, theirs.values, equal_nan=True), (world, type(ours))


def _turn_all_on(sim: Sim) -> None:
    for bound in sim.devices.devices:
        if not sim.devices.has_group(bound):
            continue
        group, _ = sim.devices.group_of(bound)
        if not isinstance(group, ImageGroup):
            sim.devices.enable(bound, 3 * sim.time_step)


def test_the_reference_step_travels_too() -> None:
    """With the options of the simulation."""
    sim = Sim(
        b.scene(b.floor(), b.free_body("ball", GeometrySphere(0.1), at=(0, 0, 1.0))),
        engine="reference",
    )
    sim.step(10)
    other = twin(sim)
    assert other.engine_name == "reference"
    sim.step(3)
    other.step(3)
    assert sim.snapshot() == other.snapshot()


def test_constants_stay_constant_and_equal() -> None:
    """Arrays of a compiled scene that came out of a pickle refuse to be written, as before."""
    compiled = sb.compile_scene(sb.load(ROOT / "examples" / "terrain.wbt"))
    other = pickle.loads(pickle.dumps(compiled))
    assert other.scene == compiled.scene
    assert other.spec is None
    ours, theirs = arrays_of(compiled), arrays_of(other)
    assert ours.keys() == theirs.keys()
    for name, array in theirs.items():
        assert array.tobytes() == ours[name].tobytes(), name
        assert not array.flags.writeable, name
    assert {item.name for item in fields(other)} == {item.name for item in fields(compiled)}


def test_a_scene_comes_back_equal() -> None:
    """With the folders that its files may be read from, which comparisons leave out."""
    scene = sb.load(ROOT / "examples" / "playground.wbt")
    other = pickle.loads(pickle.dumps(scene))
    assert other == scene
    assert other.files == scene.files


def test_what_is_attached_is_named_and_refused() -> None:
    """Programs and files do not travel."""

    class Recorder:
        def before_steps(self) -> None: ...
        def steps_until_due(self) -> None: ...
        def after_steps(self) -> None: ...
        def reset(self) -> None: ...

    sim = busy()
    hook = Recorder()
    sim.attach(hook)
    with pytest.raises(pickle.PicklingError, match=r"\(Recorder\).*Detach it"):
        pickle.dumps(sim)
    sim.detach(hook)
    assert twin(sim).snapshot() == sim.snapshot()
