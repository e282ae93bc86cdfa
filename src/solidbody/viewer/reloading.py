"""Reloads the file on show and restarts the simulation with it."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from solidbody.base.diagnostics import Diagnostic, DiagnosticLog, Severity
from solidbody.formats.loading import read_scene
from solidbody.formats.options import DEFAULT_OPTIONS, LoadOptions
from solidbody.model.scene import Scene

if TYPE_CHECKING:
    from solidbody.sim import Sim

Reread = Callable[[], tuple[Scene | None, DiagnosticLog]]
"""Reads what is on show from its file or files again."""


def reread_file(sim: Sim, options: LoadOptions = DEFAULT_OPTIONS) -> Reread:
    """Return what reads the file of a simulation again."""
    return lambda: read_scene(sim.scene.source, options=options)


def reload_scene(sim: Sim, reread: Reread) -> list[Diagnostic]:
    """Begin anew with the file as it is now, controllers included; return what there is to say about it.

    Raises:
        ValueError: The file cannot be read; nothing has changed.
    """
    source = sim.scene.source
    if not os.path.isfile(source):
        raise ValueError("There is no file to read again.")
    scene, log = reread()
    if scene is None:
        first = next((item for item in log if item.severity is Severity.ERROR), None)
        raise ValueError(f"{first or source}: the file cannot be read, so the old scene stays.")
    sim.replace_scene(scene)
    stages = [stage for one in sim.step_hooks if (stage := getattr(one, "stage", None)) is not None]
    for stage in stages:  # supervisors see the file as it is now
        if source.lower().endswith(".wbt"):
            world = stage.document.read(source)
            stage.take(world, scene.bodies[len(world.scene.bodies) :])
    sim.reset()
    for hook in sim.step_hooks:
        start_over = getattr(hook, "start_over", None)
        if start_over is not None:  # programs begin anew too
            start_over()
    return [item for item in log if item.severity is not Severity.INFO]
