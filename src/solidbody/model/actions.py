"""Hooks for loading and saving on `Scene`; installed from outside, since the model knows no format."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

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


_installed: list[SceneActions] = []


def install_scene_actions(actions: SceneActions) -> None:
    """Let scenes use `actions`; the package does so when it is imported."""
    _installed[:] = [actions]


def scene_actions() -> SceneActions:
    """Return what was installed."""
    if not _installed:
        raise RuntimeError("nothing was installed that reads and writes files")
    return _installed[0]
