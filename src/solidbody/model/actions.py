"""What scenes and simulations do with packages that they may not know; installed from outside."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from solidbody.base.diagnostics import Diagnostic
    from solidbody.base.transforms import Pose
    from solidbody.model.scene import Scene


class SceneActions(Protocol):
    """Reads and writes files for scenes."""

    def add(
        self,
        scene: Scene,
        what: str | os.PathLike[str] | Scene,
        at: Sequence[float] | Pose | None,
    ) -> Scene:
        """Return `scene` with what a file or another scene describes."""
        ...

    def save(
        self, scene: Scene, path: str | os.PathLike[str], robot: str | None
    ) -> tuple[Diagnostic, ...]:
        """Write `scene` by the extension of `path`; return what that format cannot say."""
        ...


class SimActions(Protocol):
    """Records simulations and shows them in notebooks."""

    def record(
        self, sim: Any, path: str | os.PathLike[str], period: float | None, *, all_sensors: bool
    ) -> Any:
        """Return a recorder that goes along with `sim`."""
        ...

    def log(
        self, sim: Any, patterns: Sequence[str], period: float | None, *, all_sensors: bool
    ) -> Any:
        """Return a log in memory that goes along with `sim`."""
        ...

    def html(self, sim: Any) -> str:
        """Return what a notebook shows of `sim`."""
        ...


_installed: list[SceneActions] = []


def install_scene_actions(actions: SceneActions) -> None:
    """Let scenes use `actions`; the package does so when it is imported."""
    _installed[:] = [actions]


def scene_actions() -> SceneActions:
    """Return what was installed."""
    if not _installed:
        raise RuntimeError("nothing was installed that reads and writes files")
    return _installed[0]


_for_sims: list[SimActions] = []


def install_sim_actions(actions: SimActions) -> None:
    """Let simulations use `actions`; the package does so when it is imported."""
    _for_sims[:] = [actions]


def sim_actions() -> SimActions:
    """Return what was installed."""
    if not _for_sims:
        raise RuntimeError("nothing was installed that shows simulations")
    return _for_sims[0]
