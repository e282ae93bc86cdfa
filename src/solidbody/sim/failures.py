"""Turns failed steps and memory shortage into errors that callers can catch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mujoco
import numpy as np

from solidbody.base.errors import CompileError, SimulationError
from solidbody.contact.layout import StepOutcome
from solidbody.model.scene import Scene
from solidbody.sim.snapshot import Snapshot

if TYPE_CHECKING:
    from solidbody.sim.core import Core

_FAILURES = {
    StepOutcome.NOT_FINITE: "the state is no longer finite",
    StepOutcome.NO_MEMORY: "out of memory",
    StepOutcome.MUJOCO: "MuJoCo cannot go on",
}


def failure_of(core: Core, outcome: StepOutcome, kept: tuple[Snapshot, ...]) -> SimulationError:
    """Return the error for a step that went wrong, with the states that were kept before it."""
    body = None
    if outcome is StepOutcome.NOT_FINITE:
        bad = ~np.isfinite(core.data.qvel)
        dof = int(np.argmax(bad)) if bad.any() else 0
        found = np.flatnonzero(core.compiled.binding.body == core.model.dof_bodyid[dof])
        body = core.compiled.binding.link_names[int(found[0])] if len(found) else None
    text = f"{_FAILURES[outcome]} at t = {core.time:.6g} s"
    if outcome is StepOutcome.MUJOCO:
        text += f": {core.step.error_text}"
    if body is not None:
        text += f', first in "{body}"'
    return SimulationError(text, time=core.time, body=body, snapshots=kept)


def make_data(scene: Scene, model: mujoco.MjModel) -> mujoco.MjData:
    """Return MuJoCo's state of a model, or raise CompileError where there is no room for it."""
    try:
        return mujoco.MjData(model)
    except (MemoryError, ValueError, mujoco.FatalError) as error:
        raise no_room(scene, model, error) from error


def no_room(scene: Scene, model: mujoco.MjModel, error: Exception) -> CompileError:
    """Return the error for a state that the machine has no memory for."""
    text = f"{scene.source}: no room for the state ({model.narena >> 20} MiB for contacts)"
    return CompileError(f"{text}: {error}")
