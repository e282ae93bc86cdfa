"""Counts what real worlds need to be read: which part of them uses which package beyond numpy and MuJoCo.

    python tools/count_needs.py FOLDER [ENDING...]

What more than one world in ten needs belongs to the plain install, the rest is extras (docs/install.md).
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from solidbody.formats import collada, meshes
from solidbody.formats.loading import read_scene
from solidbody.formats.webots.protos.template_process import TemplateProcess
from solidbody.model.devices import DeviceCamera, DeviceDistanceSensor, DeviceLidar
from solidbody.model.scene import Scene


def watch(used: set[str]) -> None:
    """Note in `used` whenever a package is asked for."""
    evaluate = TemplateProcess.evaluate

    def evaluated(self: TemplateProcess, *given: Any) -> Any:
        used.add("mini-racer" if self._language == "javascript" else "lupa")
        return evaluate(self, *given)

    TemplateProcess.evaluate = evaluated  # type: ignore[method-assign]
    for module, names in {
        meshes: {"trimesh": "trimesh"},
        collada: {"collada": "pycollada"},
    }.items():
        real = module.import_module

        def imported(name: str, real: Any = real, names: dict[str, str] = names) -> Any:
            used.add(names.get(name, name))
            return real(name)

        module.import_module = imported  # type: ignore[attr-defined]


def optical(scene: Scene) -> set[str]:
    """Return which kinds of sensors that look at something a scene has."""
    kinds = {
        DeviceCamera: "cameras (warp-lang)",
        DeviceDistanceSensor: "distance sensors (rays)",
        DeviceLidar: "lidars (rays)",
    }
    return {
        kinds[type(device)]
        for link in scene.links()
        for device in link.devices
        if type(device) in kinds
    }


def main(folder: str, *endings: str) -> None:
    """Print how many files use what."""
    used: set[str] = set()
    watch(used)
    counts: Counter[str] = Counter()
    files = [
        path
        for path in sorted(Path(folder).rglob("*"))
        if path.suffix in (endings or (".wbt", ".body", ".cnoid"))
    ]
    start = time.process_time()
    for path in files:
        used.clear()
        scene, _ = read_scene(str(path))
        counts.update(used)
        if scene is not None:
            counts.update(optical(scene))
    print(f"{len(files)} files, {time.process_time() - start:.0f} s of processor time")
    for name, count in counts.most_common():
        print(f"{name:28}{count:6}{100 * count / len(files):7.1f} %")


if __name__ == "__main__":
    main(*sys.argv[1:])
