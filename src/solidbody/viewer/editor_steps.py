"""What was done to the world on show, and how it is undone: edits of its file, moves by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from solidbody.base.errors import SolidbodyError
from solidbody.base.transforms import Vec3
from solidbody.formats.webots.edit.changes import Change
from solidbody.formats.webots.edit.document import World
from solidbody.formats.webots.edit.paths import EditError
from solidbody.formats.webots.edit.values import FieldValue
from solidbody.sim.handles import LinkHandle

if TYPE_CHECKING:
    from solidbody.sim import Sim
    from solidbody.viewer.world_editor import WorldEditor

PlacedPose = tuple[Vec3, tuple[float, float, float, float]]
"""Position and quaternion (w x y z)."""


def place_link(sim: Sim, path: str, pose: PlacedPose) -> None:
    """Put a body somewhere, at rest. Raises EditError if it is not there."""
    for row, link in enumerate(sim.scene.links()):
        if link.path == path:
            handle = LinkHandle(sim, row, link.name)
            handle.set_pose(*pose)
            handle.reset_physics()
            return
    raise EditError("The body that was moved is not there any more.")


class EditorStep(Protocol):
    """Something that was done, can be undone, and done again."""

    @property
    def path(self) -> str:
        """What it was done to."""
        ...

    def do(self, editor: WorldEditor) -> None:
        """Do it (again)."""
        ...

    def undo(self, editor: WorldEditor) -> None:
        """Take it back."""
        ...


@dataclass(slots=True)
class EditorEdit:
    """A change of the file."""

    path: str
    make: Callable[[World], Change]
    change: Change | None = None

    def do(self, editor: WorldEditor) -> None:
        """Change the file."""
        self.change = editor.change(self.make)

    def undo(self, editor: WorldEditor) -> None:
        """Take the change back."""
        assert self.change is not None
        editor.take_back(self.change)


@dataclass(frozen=True, slots=True)
class EditorMove:
    """A body that was moved by hand."""

    path: str
    link: str
    before: PlacedPose
    after: PlacedPose

    def do(self, editor: WorldEditor) -> None:
        """Put the body where it was moved to."""
        editor.place(self.link, self.after)

    def undo(self, editor: WorldEditor) -> None:
        """Put the body back."""
        editor.place(self.link, self.before)


@dataclass(slots=True)
class EditorPlacement:
    """A body that was put somewhere by hand before time has run: it starts there from now on."""

    path: str
    node: str
    values: dict[str, FieldValue]
    changes: list[Change]

    def do(self, editor: WorldEditor) -> None:
        """Change the fields of its place, all or none."""
        self.changes.clear()
        try:
            for name, value in self.values.items():
                self.changes.append(editor.change_field(self.node, name, value))
        except SolidbodyError:
            self.undo(editor)
            raise

    def undo(self, editor: WorldEditor) -> None:
        """Take the changes back."""
        while self.changes:
            editor.take_back(self.changes.pop())
