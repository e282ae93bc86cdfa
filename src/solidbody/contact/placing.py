"""Forward kinematics of bodies without physics: their poses from joint positions (native: sb_motion.c)."""

from __future__ import annotations

import mujoco
import numpy as np

from solidbody.contact.state import StepState
from solidbody.contact.tables import StepTables
from solidbody.contact.vectors import rotate


def place_kinematic(
    m: mujoco.MjModel,
    d: mujoco.MjData,
    tables: StepTables,
    state: StepState,
    *,
    owns_model: bool,
) -> None:
    """Put bodies without physics where their joints say; carried ones only in a model of its own."""
    for row, at in zip(tables.kinematics, state.kinematics, strict=False):
        pos, quat = at["pos"].copy(), at["quat"].copy()
        for i in reversed(range(int(row["axes"]))):
            moved = float(state.motors[row["axis"] + i]["position"] - row["start"][i])
            if row["slides"]:
                pos += moved * row["direction"][i]
                continue
            turn, turned = np.zeros(4), np.zeros(4)
            mujoco.mju_axisAngle2Quat(turn, row["direction"][i].copy(), moved)
            mujoco.mju_mulQuat(turned, turn, quat)
            pos, quat = rotate(turn, pos - row["anchor"]) + row["anchor"], turned
        mocap = int(m.body_mocapid[row["body"]])
        if mocap >= 0:
            d.mocap_pos[mocap], d.mocap_quat[mocap] = pos, quat
        elif owns_model:
            m.body_pos[row["body"]], m.body_quat[row["body"]] = pos, quat
