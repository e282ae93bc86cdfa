"""Scenes of Choreonoid's reference runs, run again; benchmarks use them too, where there is no pytest."""

from __future__ import annotations

import csv
import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solidbody.base.transforms import Quat, quat_to_axis_angle
from solidbody.formats.loading import read_scene
from solidbody.formats.options import LoadOptions
from solidbody.model.joints import JointHinge, JointSlider
from solidbody.sim import Sim
from tests.formats.choreonoid.projects import FLOOR, body, item, project, world

SHARED = Path(__file__).parents[3] / "shared"
REFERENCE = SHARED / "reference" / "choreonoid"
CHOREONOID = SHARED / "corpus" / "choreonoid" / "choreonoid+choreonoid"


class NotHereError(FileNotFoundError):
    """Files that a run needs are not on this machine."""


@dataclass(frozen=True, slots=True)
class Run:
    """What the original and we make of one scene, at the logged times.

    Attributes:
        times: [s].
        ours: Root position of each moving body, (time, body, 3).
        theirs: The same of the reference.
        our_joints: Joint positions, (time, joint).
        their_joints: The same of the reference.
    """

    times: NDArray[np.float64]
    ours: NDArray[np.float64]
    theirs: NDArray[np.float64]
    our_joints: NDArray[np.float64]
    their_joints: NDArray[np.float64]


def prepared(name: str, folder: Path, *, until: float) -> tuple[Sim, list[dict[str, str]]]:
    """Return the simulation of a reference scene, and the rows of the reference up to a time."""
    description = json.loads((REFERENCE / f"{name}.json").read_text())
    with (REFERENCE / f"{name}.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if float(row["time"]) <= until + 1e-9]
    (folder / "floor.body").write_text(FLOOR)
    items = [body_item(entry, rows[0]) for entry in description["bodies"]]
    path = folder / f"{name}.cnoid"
    data = f"integration_mode: {description['integration']}"
    path.write_text(project(world(*items, item("AISTSimulatorItem", "AIST", data))))
    scene, log = read_scene(path, options=LoadOptions(share=share_of(description)))
    assert scene is not None
    assert not log.has_errors, [str(message) for message in log]
    return Sim(scene), rows


def repeat(name: str, folder: Path, *, until: float = math.inf) -> Run:
    """Run a reference scene again, from its description."""
    sim, rows = prepared(name, folder, until=until)
    scene = sim.scene
    labels = [column[:-3] for column in rows[0] if column.endswith(".pz")]
    roots = {found.name: found.links[0].name for found in scene.bodies}
    names = [link.name for link in scene.links()]
    at = [names.index(roots[label]) for label in labels]
    moving = {
        link.name for link in scene.links() if isinstance(link.joint, JointHinge | JointSlider)
    }
    joints = [
        column[:-2]
        for column in rows[0]
        if column.endswith(".q") and column.split(".")[1] in moving
    ]
    ours: list[NDArray[np.float64]] = []
    our_joints: list[list[float]] = []
    for row in rows:
        sim.step(round(float(row["time"]) / 0.001) - sim.stats.steps)
        ours.append(sim.poses()[at, :3])
        our_joints.append([sim.joint(joint.split(".", 1)[1]).position for joint in joints])
    return Run(
        np.array([float(row["time"]) for row in rows]),
        np.array(ours),
        np.array(
            [[[float(row[f"{label}.p{a}"]) for a in "xyz"] for label in labels] for row in rows]
        ),
        np.array(our_joints),
        np.array([[float(row[f"{joint}.q"]) for joint in joints] for row in rows]),
    )


def share_of(description: dict[str, Any]) -> Path:
    """Return the folder that the run's files are in: ours, or Choreonoid's."""
    is_theirs = any(
        entry["file"].startswith("share/") and not entry["file"].endswith("/floor.body")
        for entry in description["bodies"]
    )
    if is_theirs and not CHOREONOID.is_dir():
        raise NotHereError("the corpus is not here")
    return CHOREONOID / "share" if is_theirs else REFERENCE


def body_item(entry: dict[str, Any], start: dict[str, str]) -> str:
    """Return the body item of an entry, with joints where the first row has them."""
    file = entry["file"]
    url = (
        "floor.body" if file.endswith("/floor.body") else "${SHARE}/" + file.removeprefix("share/")
    )
    w, x, y, z = entry["initial_root_q_wxyz"]
    rotation: Quat = (w, x, y, z)
    axis, angle = quat_to_axis_angle(rotation)
    data = [
        f"initial_root_translation: {entry['initial_root_p']}",
        f"initial_root_rotation: {[*axis, math.degrees(angle)]}",
    ]
    joints = [
        math.degrees(float(value))
        for column, value in start.items()
        if column.startswith(f"{entry['label']}.") and column.endswith(".q")
    ]
    if joints:
        data.append(f"initial_joint_displacements: {joints}")
    return body(entry["label"], url, ", ".join(data))
