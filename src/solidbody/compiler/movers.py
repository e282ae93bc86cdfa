"""What a program may move: kinematic links by velocity, and rows that hold two links together."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np

from solidbody.compiler.bodies import LinkPart, has_velocity
from solidbody.contact import tables as t
from solidbody.model.devices import DeviceConnector, DeviceHolder, DeviceVacuumGripper
from solidbody.model.links import Motion
from solidbody.model.scene import Scene


def mover_table(model: mujoco.MjModel, parts: Sequence[LinkPart]) -> tuple[t.Table, int]:
    """Return room for one MOVER row per kinematic link, and how many have a velocity at the start.

    Rows in use come first; a link that is given a velocity later takes the next one.
    """
    kinematic = [part for part in parts if part.link.motion is Motion.KINEMATIC]
    moving = [part for part in kinematic if has_velocity(part.link)]
    out = t.table(t.MOVER, len(kinematic))
    for row, part in zip(out, moving, strict=False):
        fill_mover(row, model, part.body.id)
        row["linear"], row["angular"] = part.link.linear_velocity, part.link.angular_velocity
    return out, len(moving)


def fill_mover(row: t.Record, model: mujoco.MjModel, body: int) -> None:
    """Make a row move `body`: by its mocap pose, or by its pose in the body that carries it."""
    row["mocap"] = model.body_mocapid[body]
    row["body"] = body


def spare_loops(scene: Scene) -> int:
    """Return how many pairs of links can be held together at once: one per gripping device."""
    grips = (DeviceConnector, DeviceHolder, DeviceVacuumGripper)
    devices = [device for link in scene.links() for device in link.devices]
    return int(np.count_nonzero([isinstance(device, grips) for device in devices]))
