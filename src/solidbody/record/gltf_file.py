"""Writes a run as glTF: what the scene looks like at its start, and its motion as an animation."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.written_files import WrittenFiles
from solidbody.formats.gltf.motion import LinkMotion
from solidbody.formats.gltf.scene import gltf_files
from solidbody.formats.saving import choose_robot
from solidbody.record.base import Recorder

if TYPE_CHECKING:
    from solidbody.sim import Sim

PERIOD: Final = 1.0 / 30.0
"""[s] Simulated time between frames, if not asked for otherwise: viewers interpolate between them."""


class GltfRecorder(Recorder):
    """Keeps the poses of a run and writes the file when it is closed.

    Args:
        sim: The simulation.
        path: The file, `.glb` or `.gltf`.
        period: Time between frames [s]; None = 1/30.
        robot: The one robot that is shown; None = everything.
    """

    def __init__(
        self, sim: Sim, path: Path, period: float | None = None, *, robot: str | None = None
    ) -> None:
        super().__init__(sim, path, PERIOD if period is None else period)
        self.log = DiagnosticLog()
        """What the file cannot say."""
        self._robot = robot
        self._start()

    def _start(self) -> None:
        scene = self.sim.scene
        self._paths = [link.path for link in scene.links()]
        if self._robot is not None:
            scene = replace(scene, bodies=(choose_robot(scene, self._robot),))
        self._shown = scene
        shown = {link.path for link in scene.links()}
        self._rows = [row for row, path in enumerate(self._paths) if path in shown]
        self._times: list[float] = []
        self._frames: list[NDArray[np.float32]] = []

    def scene_changed(self) -> None:
        """Begin anew if there are other links: the file shows one scene, with the looks of its start."""
        if [link.path for link in self.sim.scene.links()] != self._paths:
            self._start()

    def reset(self) -> None:
        """Begin anew."""
        super().reset()
        self._start()

    def write(self) -> None:
        """Keep where everything is now."""
        self._times.append(self.sim.time)
        self._frames.append(self.sim.poses()[self._rows].astype(np.float32))

    def files(self) -> WrittenFiles:
        """Return the file, and what stands beside it."""
        self.log = DiagnosticLog()
        poses = np.array(self._frames, dtype=np.float64)
        motion = LinkMotion(np.array(self._times), poses) if self._times else None
        return gltf_files(self._shown, self.log, target=str(self.path), motion=motion)

    def finish(self) -> None:
        """Write the file."""
        self.files().save(self.path)

    def abandon(self) -> None:
        """Nothing was written."""
