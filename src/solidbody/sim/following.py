"""Applies changes of the scene to a running simulation: as a patch where possible, else by a rebuild.

| different                              | done                                                          |
|----------------------------------------|---------------------------------------------------------------|
| texts, looks, lights, the view         | devices are told; the ray engine is painted anew               |
| contact properties                     | rows of surfaces and pairs                                    |
| masses; springs, dampers, stops, limits | numbers of the model and rows of axes, commands not given yet |
| where links stand at the start         | frames of bodies and joints; rows of loops, balls and tracks  |
| fields of devices                      | those devices are bound anew, their values and states stay    |
| anything else                          | the scene is compiled, and what is still there keeps its state |

Supervisors (`control/supervisor/stage.py`) and the page (`viewer/world_editor.py`) both come through here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from solidbody.compiler import Compiled
from solidbody.compiler.differences import Difference, difference
from solidbody.compiler.patching import patched
from solidbody.contact.layout import COMMAND
from solidbody.model.scene import Scene
from solidbody.sim.waking import wake_tree

if TYPE_CHECKING:
    from solidbody.sim.simulation import Sim


def follow(sim: Sim, scene: Scene) -> Difference | None:
    """Let a simulation go on with a changed scene.

    The steps that follow give the same bytes as after `Sim.replace_scene`, which is what happens if there
    is no shorter way.

    Returns:
        What was different; None if the scene was compiled. Handles of links, joints and devices that were
        asked for before must be asked for again if it was; those of devices also after other `looks`, and
        those of `devices` that are different.

    Raises:
        CompileError: The scene cannot be simulated; nothing has changed then.
    """
    change = difference(sim.scene, scene)
    compiled: Compiled | None = None
    if change is not None and change.is_physical:
        compiled = patched(sim.compiled, scene, change)
        change = None if compiled is None else change
    if change is None:
        sim.replace_scene(scene)
        return None
    if compiled is not None:
        _adopt(sim, compiled, change)
    sim.describe_anew(scene, change)
    return change


def _adopt(sim: Sim, compiled: Compiled, change: Difference) -> None:
    """Go on with other constants as if the scene had been compiled: nobody sleeps, forces are forgotten."""
    before, stood = sim.core.start.commands, sim.core.start.kinematics
    sim.adopt(compiled)
    for now, old, new in zip(sim.state.kinematics, stood, sim.core.start.kinematics, strict=True):
        for name in ("pos", "quat"):
            if np.array_equal(now[name], old[name]):  # nobody has put it elsewhere
                now[name] = new[name]
    binding = compiled.binding
    for link in change.axes:
        first = binding.axis_of_link[link]
        name = binding.axes[first].joint
        for row in range(first, len(binding.axes)):
            if binding.axes[row].joint != name:
                break
            now, new = sim.state.commands[row], sim.core.start.commands[row]
            for field in COMMAND.names or ():
                if now[field] == before[row][field]:  # nobody has commanded otherwise
                    now[field] = new[field]
    for tree in np.flatnonzero(sim.data.tree_asleep >= 0).tolist():
        wake_tree(sim.core, tree)
    sim.state.trees[...] = sim.core.start.trees
    sim.core.step.clear()
