"""Robot simulator: opens Webots worlds as they are, simulates them with ODE's contact law on MuJoCo.

    import solidbody as sb

    scene = sb.load("world.wbt")
    sim = sb.Sim(scene)
    sim.run(2.0)
    print(sim["BOX"].position)

The names below are the public interface. They are imported on first use, so that `import solidbody`
and `solidbody --help` do not wait for MuJoCo.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from solidbody._version import __version__
from solidbody.model.actions import install_scene_actions, install_sim_actions

if TYPE_CHECKING:
    from solidbody import live as live
    from solidbody.base.diagnostics import Diagnostic, Severity
    from solidbody.base.errors import (
        CompileError,
        LoadError,
        NameLookupError,
        SaveError,
        SimulationError,
        SolidbodyError,
    )
    from solidbody.base.transforms import Pose
    from solidbody.compiler import compile_scene
    from solidbody.control.body_controller import BodyController
    from solidbody.control.in_process import run_controller
    from solidbody.exports.saving import save
    from solidbody.formats.loading import load, read_scene
    from solidbody.formats.options import LoadOptions
    from solidbody.formats.webots.edit.document import World, load_world
    from solidbody.formats.webots.edit.paths import EditError
    from solidbody.model.scene import Scene
    from solidbody.series.reading import read_recording
    from solidbody.sim import Sim
    from solidbody.sweeps.sweep import sweep
    from solidbody.viewer.passive_view import view

__all__ = [
    "BodyController",
    "CompileError",
    "Diagnostic",
    "EditError",
    "LoadError",
    "LoadOptions",
    "NameLookupError",
    "SaveError",
    "Scene",
    "Severity",
    "Sim",
    "SimulationError",
    "SolidbodyError",
    "World",
    "__version__",
    "compile_scene",
    "load",
    "load_world",
    "read_recording",
    "read_scene",
    "run_controller",
    "save",
    "sweep",
    "view",
]

_HOMES = {
    "BodyController": "solidbody.control.body_controller",
    "CompileError": "solidbody.base.errors",
    "Diagnostic": "solidbody.base.diagnostics",
    "EditError": "solidbody.formats.webots.edit.paths",
    "LoadError": "solidbody.base.errors",
    "LoadOptions": "solidbody.formats.options",
    "NameLookupError": "solidbody.base.errors",
    "SaveError": "solidbody.base.errors",
    "Scene": "solidbody.model.scene",
    "Severity": "solidbody.base.diagnostics",
    "Sim": "solidbody.sim",
    "SimulationError": "solidbody.base.errors",
    "SolidbodyError": "solidbody.base.errors",
    "World": "solidbody.formats.webots.edit.document",
    "compile_scene": "solidbody.compiler",
    "load": "solidbody.formats.loading",
    "load_world": "solidbody.formats.webots.edit.document",
    "read_recording": "solidbody.series.reading",
    "read_scene": "solidbody.formats.loading",
    "run_controller": "solidbody.control.in_process",
    "save": "solidbody.exports.saving",
    "sweep": "solidbody.sweeps.sweep",
    "view": "solidbody.viewer.passive_view",
}


class _Files:
    """What `Scene.add` and `Scene.save` do, imported when they are called."""

    def add(
        self,
        scene: Scene,
        what: str | os.PathLike[str] | Scene,
        at: Sequence[float] | Pose | None,
    ) -> Scene:
        from solidbody.formats.scene_merging import add_to_scene

        return add_to_scene(scene, what, at)

    def save(
        self, scene: Scene, path: str | os.PathLike[str], robot: str | None
    ) -> tuple[Diagnostic, ...]:
        from solidbody.exports.saving import save

        return save(scene, path, robot=robot)


class _Showing:
    """What `Sim.record`, `Sim.log` and notebooks do, imported when they ask."""

    def record(
        self, sim: Any, path: str | os.PathLike[str], period: float | None, *, all_sensors: bool
    ) -> Any:
        from solidbody.live.ros.bag import bag_recorder
        from solidbody.viewer.recordings import record

        return record(sim, path, period, all_sensors=all_sensors, others={"": bag_recorder})

    def log(
        self, sim: Any, patterns: Sequence[str], period: float | None, *, all_sensors: bool
    ) -> Any:
        from solidbody.series.run_log import log_run

        return log_run(sim, patterns, period, all_sensors=all_sensors)

    def html(self, sim: Any) -> str:
        from solidbody.viewer.notebook import sim_html

        return sim_html(sim)


install_scene_actions(_Files())
install_sim_actions(_Showing())


_SUBPACKAGES = ("live",)
"""Found as attributes without an import of their own."""


def __getattr__(name: str) -> object:
    if name in _SUBPACKAGES:
        return importlib.import_module(f"solidbody.{name}")
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f'module "solidbody" has no attribute "{name}"')
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value  # next time it is found without coming here
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
