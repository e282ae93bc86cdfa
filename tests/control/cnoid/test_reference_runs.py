"""The original's sample controllers, compiled as they are, beside its recorded runs.

They need Choreonoid's sources: `CNOID_SOURCE` names the folder that has `sample` and `share`. The motions of
its humanoid stand beside its controller there, and in `share/motion/SR1` of an installation.
"""

from __future__ import annotations

import csv
import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from solidbody.control.simple_controllers import SimpleControllers
from solidbody.control.simple_controllers.joystick import read_script
from solidbody.formats.loading import read_scene
from solidbody.formats.options import LoadOptions
from solidbody.sim import Sim
from tests.control.cnoid.projects import needs_cpp
from tests.physics.choreonoid_runs import REFERENCE

SOURCE = Path(os.environ.get("CNOID_SOURCE") or "nowhere")
RUNS = REFERENCE / "programs"

pytestmark = [
    needs_cpp,
    pytest.mark.slow,
    pytest.mark.skipif(not (SOURCE / "sample").is_dir(), reason="CNOID_SOURCE is not set"),
    pytest.mark.skipif(not RUNS.is_dir(), reason="the reference runs are not here"),
]


@dataclass(frozen=True, slots=True)
class Bounds:
    """How far a run may be from the original's.

    Attributes:
        name: Of the run.
        root: Of any body that moves, at worst [m].
        joints: Of any joint, at worst [rad or m].
        way: Share of the body's way by which its root may be off, on top of `root`.
    """

    name: str
    root: float
    joints: float
    way: float = 0.0


BOUNDS = (
    Bounds("sr1_minimum", 2e-6, 4e-6),
    Bounds("sr1_walk", 0.010, 0.010),
    Bounds("sr1_walk_slippy", 0.060, 0.020),  # where a slip begins differs
    Bounds("spring_model", 1e-4, 1e-4),
    Bounds("conveyor", 0.0, 1e-9, way=0.03),
    Bounds("tank_tutorial2", 1e-5, 1e-4),
    Bounds("tank_tutorial6_camera", 2e-3, 1e-5),
    Bounds("tank_joystick", 0.0, 0.05, way=0.03),
    Bounds("tank_joystick_absent", 1e-4, 1e-3),
    Bounds("aizu_spider_joystick", 0.0, 1e-6, way=0.03),
)


def played(name: str, folder: Path) -> tuple[NDArray[np.float64], ...]:
    """Return roots (time, body, 3) and joints (time, joint), each as here and as there."""
    about: dict[str, Any] = json.loads((RUNS / f"{name}.json").read_text())
    with (RUNS / f"{name}.csv").open() as file:
        rows = list(csv.DictReader(file))
    share = folder / "share"
    shutil.copytree(SOURCE / "share" / "model", share / "model", symlinks=True)
    shutil.copytree(SOURCE / "share" / "default", share / "default")
    patterns = share / "motion" / "SR1"
    patterns.mkdir(parents=True)
    for path in (SOURCE / "sample" / "SimpleController").glob("*.seq"):
        shutil.copy(path, patterns)
    scene, log = read_scene(SOURCE / about["project"], options=LoadOptions(share=share))
    assert scene is not None and not log.has_errors, [str(message) for message in log]
    sim = Sim(scene)
    said: list[str] = []
    controllers = SimpleControllers(
        sim,
        say=lambda level, text: said.append(text) if level == "error" else None,
        share=str(share),
        joystick=read_script(RUNS / f"{name}.json")
        if isinstance(about.get("joystick"), dict)
        else None,
    )
    labels = [column[:-3] for column in rows[0] if column.endswith(".px")]
    names = [link.name for link in scene.links()]
    first = {found.name: names.index(found.links[0].name) for found in scene.bodies}
    columns = [c for c in rows[0] if c.endswith(".q") and c.count(".") == 2]
    roots: list[NDArray[np.float64]] = []
    joints: list[list[float]] = []
    try:
        controllers.start()
        for row in rows:
            sim.step(round(float(row["time"]) / about["time_step"]) - sim.step_count)
            roots.append(sim.poses()[[first[label] for label in labels], :3])
            joints.append([sim.joint(c.split(".")[1]).position for c in columns])
    finally:
        controllers.close()
    assert said == []
    theirs = [[[float(row[f"{x}.p{a}"]) for a in "xyz"] for x in labels] for row in rows]
    their_joints = [[float(row[c]) for c in columns] for row in rows]
    return np.array(roots), np.array(theirs), np.array(joints), np.array(their_joints)


@pytest.mark.parametrize("bounds", BOUNDS, ids=lambda bounds: bounds.name)
def test_a_run_of_the_original_is_repeated(
    bounds: Bounds, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Roots and joints at all logged times."""
    monkeypatch.chdir(tmp_path)  # a controller writes a picture where it runs
    ours, theirs, joints, their_joints = played(bounds.name, tmp_path)
    ways = np.linalg.norm(np.diff(theirs, axis=0), axis=2).sum(axis=0)
    off = np.linalg.norm(ours - theirs, axis=2).max(axis=0)
    assert (off <= bounds.root + bounds.way * ways).all(), (off, ways)
    assert np.abs(joints - their_joints).max(initial=0.0) <= bounds.joints
    assert (tmp_path / "Kinect.png").is_file() == (bounds.name == "tank_tutorial6_camera")
