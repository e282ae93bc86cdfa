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
from typing import TYPE_CHECKING

from solidbody._version import __version__

if TYPE_CHECKING:
    from solidbody.base.diagnostics import Diagnostic, Severity
    from solidbody.base.errors import (
        CompileError,
        LoadError,
        NameLookupError,
        SimulationError,
        SolidbodyError,
    )
    from solidbody.compiler import compile_scene
    from solidbody.formats.loading import load, read_scene
    from solidbody.formats.options import LoadOptions
    from solidbody.formats.webots.document import World, load_world
    from solidbody.formats.webots.edit_places import EditError
    from solidbody.model.scene import Scene
    from solidbody.sim import Sim

__all__ = [
    "CompileError",
    "Diagnostic",
    "EditError",
    "LoadError",
    "LoadOptions",
    "NameLookupError",
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
    "read_scene",
]

_HOMES = {
    "CompileError": "solidbody.base.errors",
    "Diagnostic": "solidbody.base.diagnostics",
    "EditError": "solidbody.formats.webots.edit_places",
    "LoadError": "solidbody.base.errors",
    "LoadOptions": "solidbody.formats.options",
    "NameLookupError": "solidbody.base.errors",
    "Scene": "solidbody.model.scene",
    "Severity": "solidbody.base.diagnostics",
    "Sim": "solidbody.sim",
    "SimulationError": "solidbody.base.errors",
    "SolidbodyError": "solidbody.base.errors",
    "World": "solidbody.formats.webots.document",
    "compile_scene": "solidbody.compiler",
    "load": "solidbody.formats.loading",
    "load_world": "solidbody.formats.webots.document",
    "read_scene": "solidbody.formats.loading",
}


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f'module "solidbody" has no attribute "{name}"')
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value  # next time it is found without coming here
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
