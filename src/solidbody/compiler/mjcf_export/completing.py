"""Completes an MjSpec that is to be written: step, contacts, actuators, sensors, lights, the start."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import mujoco
import numpy as np
from numpy.typing import NDArray

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.compiler.bodies import LinkPart, SpecBuilder
from solidbody.compiler.mjcf_export.actuators import add_actuators
from solidbody.compiler.mjcf_export.contacts import describe_contacts
from solidbody.compiler.mjcf_export.losses import Losses, SourceWords
from solidbody.compiler.mjcf_export.scenery import add_lights, look_from
from solidbody.compiler.mjcf_export.sensors import add_sensors
from solidbody.model.scene import Scene

MOST_STEP: Final = 0.002
"""[s] Steps that are longer are divided: MuJoCo's contacts need two steps to give way."""

IMPRATIO: Final = 10.0
"""How much harder friction is than the normal: MuJoCo's own creeps under load."""

START: Final = "start"
"""Name of the keyframe."""


Velocities = Callable[[mujoco.MjModel, list[LinkPart]], NDArray[np.float64]]
"""Returns the velocities at the start."""


def complete_spec(
    builder: SpecBuilder, scene: Scene, log: DiagnosticLog, velocities: Velocities
) -> None:
    """Add to a spec that has bodies, joints and geoms what else MJCF can say.

    Args:
        builder: Has built the spec.
        scene: What it was built from.
        log: Takes what MJCF cannot say, one warning for each kind.
        velocities: Returns those at the start.
    """
    spec = builder.spec
    losses = Losses(scene, SourceWords.of(scene.source))
    step = scene.physics.time_step
    parts = 1 if losses.words.is_mjcf else max(math.ceil(step / MOST_STEP - 1e-9), 1)
    spec.option.timestep = step / parts
    if parts > 1:
        losses.say(
            f"a step of {step * 1e3:g} ms is written as {parts} of {step / parts * 1e3:g} ms"
        )
    robots = [robot for body in scene.bodies for robot in body.robots]
    if len(robots) == 1:
        spec.modelname = robots[0].name
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.impratio = IMPRATIO
    # pairs that ignore each other are named
    spec.option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_FILTERPARENT)
    add_lights(builder, scene)
    look_from(spec, scene)
    model = spec.compile()
    start = velocities(model, builder.parts)  # before elements are added: those renumber
    describe_contacts(builder, scene, model, losses)
    controls = add_actuators(builder, scene, model, losses)
    add_sensors(builder, scene, losses)
    _add_start(spec, model, controls, start)
    losses.report(log)


def _add_start(
    spec: Any, model: mujoco.MjModel, controls: list[float], velocity: NDArray[np.float64]
) -> None:
    """Write the state at the start as a keyframe, with the commands that hold it."""
    if not controls and not velocity.any():
        return
    key: Any = spec.add_key(name=START)
    key.qpos = model.qpos0.copy()
    key.qvel = velocity
    key.ctrl = controls
