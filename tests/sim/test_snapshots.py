"""Snapshots: complete, portable, kept for the case of failure."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from solidbody.base.errors import SimulationError
from solidbody.base.transforms import Pose
from solidbody.model.geometry import GeometrySphere
from solidbody.model.joints import JointAxis, JointHinge
from solidbody.model.links import Body
from solidbody.sim import Sim, Snapshot, load_snapshots, save_snapshots
from tests.physics import building as b
from tests.physics.test_kinematic_joints import base, motor, part
from tests.physics.test_tracks import GRIP, tank
from tests.sim.test_state import lively

ROOT = Path(__file__).parents[2]


def busy() -> Sim:
    """A tank on the floor, a kinematic arm, a ball that falls."""
    joint = JointHinge("arm", JointAxis((0, 0, 1), motor=motor()))
    arm = Body("r", (base(pose=Pose((0, 3.0, 0.5))), part("hand", joint, Pose((1.0, 0.0, 0.0)))))
    ball = b.free_body("ball", GeometrySphere(0.1), at=(0.1, 0.05, 0.6))
    return Sim(b.scene(b.floor(), tank(around=False), arm, ball, surface=GRIP))


def command(sim: Sim) -> None:
    """Set everything in motion."""
    sim.joint("left").target_velocity = 0.4
    sim.joint("right").target_velocity = 0.5
    sim.joint("arm").target_velocity = 2.0
    sim["ball"].add_force((0.3, 0.0, 0.0))


SCRIPT = """
import sys
from solidbody.sim import load_snapshots, save_snapshots
from pathlib import Path
from tests.sim.test_snapshots import busy
sim = busy()
sim.restore(load_snapshots(Path(sys.argv[1]))[0])
sim.step(80)
save_snapshots(Path(sys.argv[2]), [sim.snapshot()])
"""


def test_another_process_goes_on_bit_for_bit(tmp_path: Path) -> None:
    """Saved to a file, restored elsewhere, 80 steps with contacts, tracks and kinematic joints."""
    sim = busy()
    command(sim)
    sim.step(60)
    save_snapshots(tmp_path / "before", [sim.snapshot()])
    sim.step(80)
    subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path / "before"), str(tmp_path / "after")],
        check=True,
        cwd=ROOT,
        env={"PYTHONPATH": f"{ROOT / 'src'}:{ROOT}", "PATH": ""},
        timeout=120,
    )
    assert load_snapshots(tmp_path / "after") == (sim.snapshot(),)


def test_forces_added_before_a_snapshot_act_after_it() -> None:
    """They belong to the state until the step that they act in."""
    sim = busy()
    sim["ball"].add_force((5.0, 0.0, 0.0))
    saved = sim.snapshot()
    sim.step(3)
    other = busy()
    other.restore(saved)
    other.step(3)
    assert other.snapshot() == sim.snapshot()
    assert sim["ball"].linear_velocity[0] > 0.01


def test_bytes_of_a_snapshot_give_it_back() -> None:
    """And nothing else does."""
    saved = busy().snapshot()
    assert Snapshot.from_bytes(saved.to_bytes()) == saved
    for bad in (b"", b"something", saved.to_bytes()[:-1], saved.to_bytes() + b"x"):
        with pytest.raises(ValueError, match="not one snapshot"):
            Snapshot.from_bytes(bad)


def test_file_of_something_else_is_refused(tmp_path: Path) -> None:
    """By its name."""
    path = tmp_path / "world.wbt"
    path.write_text("#VRML_SIM R2025a utf8")
    with pytest.raises(ValueError, match=r"world\.wbt is not a file of snapshots"):
        load_snapshots(path)


def test_failure_brings_states_to_go_back_to() -> None:
    """The last of them is from before, and the simulation can be restored to it."""
    sim = busy()
    sim.step(10)
    sim.data.qvel[2] = float("nan")
    with pytest.raises(SimulationError) as caught:
        sim.step(1)
    (state, *_) = caught.value.snapshots
    assert isinstance(state, Snapshot)
    sim.restore(state)
    sim.step(20)


def _with_head(data: bytes, head: bytes) -> bytes:
    """Return a snapshot with another table of lengths."""
    start, end = data.index(b"["), data.index(b"]") + 1
    return data[: start - 4] + len(head).to_bytes(4, "little") + head + data[end:]


@pytest.mark.parametrize(
    "head",
    [
        *(b"3", b"null", b'"abc"', b"{}", b"[]", b"[" * 100_000),
        *(b'[0, "a", 1, 1, 1, 1, 1, 1, 1, 1]', b"[0, 1.5, 1, 1, 1, 1, 1, 1, 1, 1]"),
        b"[0, -200, 0, 0, 0, 0, 0, 0, 0, 0]",
        b"[true, 0, 0, 0, 0, 0, 0, 0, 0, 0]",
        b"[1" + b"0" * 400 + b", 0, 0, 0, 0, 0, 0, 0, 0, 0]",
    ],
)
def test_false_lengths_are_refused(tmp_path: Path, head: bytes) -> None:
    """Negative ones led back to the start of the file, which was read for ever."""
    data = _with_head(busy().snapshot().to_bytes(), head)
    (tmp_path / "a").write_bytes(data)
    with pytest.raises(ValueError, match="not one snapshot"):
        Snapshot.from_bytes(data)
    with pytest.raises(ValueError, match="is not a file of snapshots"):
        load_snapshots(tmp_path / "a")


@pytest.mark.parametrize("part", ["qpos", "mocap", "state", "places", "asleep", "solver"])
def test_a_snapshot_that_does_not_fit_is_refused(part: str) -> None:
    """All parts but the last are looked at before the first is taken over."""
    sim = busy()
    before = sim.snapshot()
    other = replace(before, **{part: getattr(before, part) + b"\0" * 8}, step_count=7)
    with pytest.raises(ValueError, match="does not belong to this simulation"):
        sim.restore(other)
    assert sim.snapshot() == before


@pytest.mark.parametrize("sleepers", [(99, -1), (1, 1), (2**31 - 1, 0)])
def test_sleepers_that_name_no_circle_are_refused(sleepers: tuple[int, int]) -> None:
    """MuJoCo would follow them out of its arrays, or for ever."""
    sim = busy()
    before = sim.snapshot()
    saved = np.frombuffer(before.asleep, dtype=np.int32).copy()
    saved[:2] = sleepers
    with pytest.raises(ValueError, match="does not belong to this simulation"):
        sim.restore(replace(before, asleep=saved.tobytes()))


@pytest.mark.parametrize(
    ("part", "field", "value"),
    [
        ("commands", "mode", 4999),
        ("commands", "mode", -1),
        ("movers", "body", 4999),
        ("movers", "mocap", 4),
        ("movers", "mocap", -2),
        ("flags", "movers", 4999),
        ("flags", "has_forces", 2),
        ("grips", "kind", 3),
        ("grips", "body", -1),
        ("grips", "axis", 0),
        ("trees", "ready", 7),
    ],
)
def test_places_that_lead_out_of_the_arrays_are_refused(part: str, field: str, value: int) -> None:
    """Numbers of bodies and axes are read from a snapshot as well."""
    sim = lively()
    sim["base"].set_velocity((0.1, 0.0, 0.0), (0.0, 0.0, 0.0))
    before = sim.snapshot()
    wrong = sim.state.copy()
    assert len(getattr(wrong, part))
    getattr(wrong, part)[field] = value
    with pytest.raises(ValueError, match="does not belong to this simulation"):
        sim.restore(replace(before, state=wrong.rows.tobytes()))
    assert sim.snapshot() == before


def test_snapshots_of_another_release_are_refused_as_such(tmp_path: Path) -> None:
    """What is stored has changed; the bytes of old ones would be taken for something else."""
    data = busy().snapshot().to_bytes().replace(b"state 2", b"state 1", 1)
    (tmp_path / "a").write_bytes(data)
    with pytest.raises(ValueError, match="made by another one"):
        Snapshot.from_bytes(data)
    with pytest.raises(ValueError, match="made by another one"):
        load_snapshots(tmp_path / "a")
