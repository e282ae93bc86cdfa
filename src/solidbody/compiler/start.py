"""The initial state of a compiled scene: first commands of motors, kinematic bodies and rotors."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np

from solidbody.base import random_streams
from solidbody.compiler.axes import AxisList, fill_command
from solidbody.compiler.bodies import LinkPart, has_velocity
from solidbody.compiler.mechanisms import kinematic_joints, propellers
from solidbody.contact import tables as t
from solidbody.contact.state import StepState, state_dtype
from solidbody.model.devices import (
    DeviceConnector,
    DeviceHolder,
    DeviceRotor,
    DeviceVacuumGripper,
)
from solidbody.model.links import Motion
from solidbody.model.scene import Scene


def start_state(
    scene: Scene,
    model: mujoco.MjModel,
    parts: Sequence[LinkPart],
    axes: AxisList,
    tables: t.StepTables,
) -> StepState:
    """Return the state at the start, which nobody changes."""
    kinematic = [part for part in parts if part.link.motion is Motion.KINEMATIC]
    layout = state_dtype(tables, movers=len(kinematic), trees=int(model.ntree))
    out = StepState.zeros(layout)
    for command, motor, (axis, _) in zip(out.commands, out.motors, axes.rows, strict=True):
        fill_command(command, axis)
        motor["position"] = axis.position
    # rows in use come first; a link that is given a velocity later takes the next one
    moving = [part for part in kinematic if has_velocity(part.link)]
    out.flags["movers"] = len(moving)
    for row, part in zip(out.moving, moving, strict=True):
        fill_mover(row, model, part.body.id)
        row["linear"], row["angular"] = part.link.linear_velocity, part.link.angular_velocity
    out.grips["quat"][:, :, 0] = 1.0
    out.grips["axis"] = -1
    for row, (_, part) in zip(out.kinematics, kinematic_joints(parts), strict=True):
        pose = part.parent_offset * part.link.pose
        row["pos"], row["quat"] = pose.position, pose.rotation
    for row, (*_, device) in zip(out.propellers, propellers(parts), strict=True):
        if isinstance(device, DeviceRotor):
            row["force"], row["moment"] = device.force, device.torque
    return with_seed(out, scene.physics.random_seed)


def with_seed(start: StepState, seed: int) -> StepState:
    """Return the state at the start with other random numbers: those of another seed."""
    out = start.copy()
    random_streams.store(np.random.Generator(np.random.PCG64(seed)), out.random)
    return out.make_constant()


def fill_mover(row: t.Record, model: mujoco.MjModel, body: int) -> None:
    """Make a row move `body`: by its mocap pose, or by its pose in the body that carries it."""
    row["mocap"] = model.body_mocapid[body]
    row["body"] = body


def spare_loops(scene: Scene) -> int:
    """Return how many pairs of links can be held together at once: one per gripping device."""
    grips = (DeviceConnector, DeviceHolder, DeviceVacuumGripper)
    devices = [device for link in scene.links() for device in link.devices]
    return int(np.count_nonzero([isinstance(device, grips) for device in devices]))
