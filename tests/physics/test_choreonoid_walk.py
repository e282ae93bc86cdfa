"""A humanoid of Choreonoid walks as there, with the public pattern that its sample plays."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import numpy as np
import pytest

import solidbody as sb
from solidbody.control.body_controller import attach_controllers, parse_choice
from tests.formats.choreonoid.projects import body, item, project, world
from tests.physics.choreonoid_runs import CHOREONOID, REFERENCE

SHARE = Path(os.environ.get("CNOID_SHARE") or CHOREONOID / "share")
PATTERN = SHARE / "motion" / "SR1" / "SR1WalkPattern1.seq"
WALK = REFERENCE / "programs" / "sr1_walk.csv"
EXAMPLE = Path(__file__).parents[2] / "examples" / "choreonoid" / "sr1_walk.py"
LEG, ARM = "0, -2.1, 0, 4.50001, -2.40001, 0", "10, -0.20002, 0, -90, 0, 0, 0"
START = f"{LEG}, {ARM}, {LEG}, {ARM}, 0, 0, 0"  # [degree]
WITHIN = 0.01  # [m] asked for; 5.2 mm reached
LANDING = 5e-5  # [m] after 1 s; 0.25 mm where each corner of a foot has a depth of its own


@pytest.mark.slow
@pytest.mark.skipif(not PATTERN.is_file() or not WALK.is_file(), reason=f"no {PATTERN.name} here")
def test_a_humanoid_walks_as_there(tmp_path: Path) -> None:
    """13.4 s, 0.45 m, by torques: the root is never more than 10 mm away."""
    robot = (
        "initial_root_translation: [ 0, 0, 0.7135 ], fix_root: false, joint_displacements: [ %s ]"
    )
    items = (
        body("SR1", "${SHARE}/model/SR1/SR1.body", robot % START),
        body("Floor", "${SHARE}/model/misc/floor.body", "initial_root_translation: [ 0, 0, -0.1 ]"),
        item("AISTSimulatorItem", "AIST", "time_step: 0.002"),
    )
    table = 'default_material_table_file: "${SHARE}/default/materials.yaml"'
    path = tmp_path / "walk.cnoid"
    path.write_text(project(world(*items, data=table)))
    sim = sb.Sim(sb.load(path, options=sb.LoadOptions(share=SHARE)))
    attach_controllers(sim, [parse_choice(f"SR1={EXAMPLE.name} {PATTERN} torque", EXAMPLE.parent)])
    with WALK.open(encoding="utf-8") as file:
        rows = [[float(cell) for cell in row[:4]] for row in list(csv.reader(file))[1:]]
    apart: list[float] = []
    for _, *there in rows:
        apart.append(float(np.linalg.norm(sim.link("WAIST").position - there)))
        sim.step(5)
    assert max(apart[:100]) < LANDING
    assert max(apart) < WITHIN
