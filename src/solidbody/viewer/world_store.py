"""The file of the world on show: whether it has edits, whether others have changed it, and saving it."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from solidbody.base.limits import MAX_FILE_BYTES
from solidbody.base.output_files import reason_of, write_whole
from solidbody.viewer.body_editor import BodyEditor, BodyFile
from solidbody.viewer.folder_files import FileFolder, FolderError, project_folder
from solidbody.viewer.protocol_files import CommandStore, EventDocument, EventStored
from solidbody.viewer.yaml_editing import YamlEditError

if TYPE_CHECKING:
    from solidbody.sim import Sim
    from solidbody.viewer.world_editor import WorldEditor

LOOK_PERIOD: Final = 1.0
"""[s] between looks at the file on disk."""

Disk = Literal["same", "changed", "gone"]


class WorldStore:
    """Saves the document of an editor, in its own file or in others of a folder.

    Args:
        sim: The simulation of the file.
        editor: Its document; None = it cannot be edited, and so not saved.
        folder: Where files may be written; None = the project of the file.
        opens: Whether other files can be opened in its place.
        is_start: Whether it is shown only because nothing was chosen yet.
        writes: Whether anything may be written at all.
    """

    def __init__(
        self,
        sim: Sim,
        editor: WorldEditor | BodyEditor | None,
        *,
        folder: FileFolder | None = None,
        opens: bool = False,
        is_start: bool = False,
        writes: bool = True,
    ) -> None:
        self._sim = sim
        self._editor = editor
        self._path = Path(sim.scene.source)
        self.folder = folder or FileFolder(project_folder(self._path))
        self._opens = opens
        self._is_start = is_start
        self.writes = writes
        self._saved = None if editor is None else editor.world.tree
        self._content = content_of(self._path)
        self._stat = stat_of(self._path)
        self._disk: Disk = "same"
        self._next_look = 0.0
        self._shown: EventDocument | None = None

    @property
    def is_changed(self) -> bool:
        """Whether there are edits that are not in the file."""
        return self._editor is not None and self._editor.world.tree is not self._saved

    def reread(self) -> None:
        """The file was read again: it is what the document says."""
        self._saved = None if self._editor is None else self._editor.world.tree
        self._content, self._stat = content_of(self._path), stat_of(self._path)
        self._disk = "same"

    def look(self, now: float) -> EventDocument | None:
        """Look at the file once in a while; return how it stands with it if that is new."""
        if now >= self._next_look:
            self._next_look = now + LOOK_PERIOD
            self._look_at_disk()
        elif self._shown is not None and self._is_as_shown(self._shown):
            return None  # all else needs the disk, too, and this is asked before every frame
        event = self.event()
        if event == self._shown:
            return None
        self._shown = event
        return event

    def _is_as_shown(self, shown: EventDocument) -> bool:
        return (shown.is_changed, shown.disk) == (self.is_changed, self._disk)

    def event(self) -> EventDocument:
        """Return how it stands with the file."""
        return EventDocument(
            name=self.folder.name_of(self._path) or self._path.name,
            folder=self.folder.name,
            is_changed=self.is_changed,
            disk=self._disk,
            remark=self._remark(),
            opens=self._opens,
            is_start=self._is_start,
        )

    def store(self, command: CommandStore) -> tuple[EventStored, Path | None]:
        """Save, or say why not; ask before something is lost that is not on show here.

        Returns:
            How it went, and the file that was written if it is another one.
        """

        def answer(
            text: str, *, is_error: bool = True, asks: bool = False, other: Path | None = None
        ) -> tuple[EventStored, Path | None]:
            return EventStored(command.name, command.state, text, is_error, asks), other

        if self._editor is None or not self.writes:
            return answer(self._remark())
        try:
            is_own, target = self._target(command.name)
            if not command.overwrite:
                question = self._question(target, is_own=is_own)
                if question:
                    return answer(question, is_error=False, asks=True)
            world = self._editor.world
            is_world = not isinstance(world, BodyFile)
            if command.state and is_world and self._sim.scene is not world.scene:
                self._sim.describe_anew(world.scene)  # the same content; saving asks for the object
            sim = self._sim if command.state else None
            other = None if is_own else target
            text = world.text(sim=sim, target=other, keeps_layout=True)
            data = text.encode("utf-8")
            write_whole(target, data)
        except (FolderError, YamlEditError) as error:
            return answer(str(error))
        except OSError as error:
            return answer(f'"{command.name or self._path.name}" was not saved: {reason_of(error)}')
        name = self.folder.name_of(target) or target.name
        if not is_own:
            return answer(f"{name} was written.", is_error=False, other=target)
        self._saved = world.tree
        self._content, self._stat = hashlib.sha256(data).digest(), stat_of(self._path)
        self._disk = "same"
        has_run = self._sim.step_count > 0
        how = " as it stands now" if command.state else " as it starts"
        return answer(f"{name} was saved{how if has_run else ''}.", is_error=False)

    # ------------------------------------------------------------------ inside

    def _target(self, name: str) -> tuple[bool, Path]:
        """Return whether a name is that of the own file, and the file."""
        if not name:
            if remark := self._remark():
                raise FolderError(remark)
            return True, self._path.resolve()
        ending = self._path.suffix.lower()
        if not name.lower().endswith(ending):
            raise FolderError(f'the name of such a file ends with "{ending}", got "{name[:80]}"')
        target = self.folder.place(name)
        if not target.parent.is_dir():
            parent = name.rpartition("/")[0]
            raise FolderError(f'there is no folder "{parent}" in "{self.folder.name}"')
        is_own = target == self._path.resolve() and not self._remark()
        return is_own, target

    def _question(self, target: Path, *, is_own: bool) -> str:
        """Return what to ask before a file is written; empty = nothing is lost by it."""
        if is_own:
            self._look_at_disk(afresh=True)
            if self._disk == "changed":
                return f"{target.name} was changed on disk since it was read. Overwrite it?"
            return ""
        if target.exists():
            return f"{self.folder.name_of(target)} is there already. Overwrite it?"
        return ""

    def _remark(self) -> str:
        """Return why the file cannot be saved in its place; empty = it can."""
        if self._editor is None:
            return "Only worlds (.wbt), bodies (.body) and projects (.cnoid) can be edited and saved here."
        if not self.writes:
            return "This page is open to other machines, so it writes no files: download the world."
        if self.folder.name_of(self._path) is None:
            return (
                f"{self._path.name} is not in the folder “{self.folder.name}” that this page may write to:"
                " save it under another name."
            )
        if not os.access(self._path if self._path.exists() else self._path.parent, os.W_OK):
            return f"{self._path.name} may not be written: save it under another name."
        return ""

    def _look_at_disk(self, *, afresh: bool = False) -> None:
        """See whether others have written the file; one that was written and says the same is the same."""
        stat = stat_of(self._path)
        if stat == self._stat and not afresh:
            return
        self._stat = stat
        content = content_of(self._path)
        self._disk = (
            "gone" if content is None else "same" if content == self._content else "changed"
        )


def stat_of(path: Path) -> tuple[int, int] | None:
    """Return what changes when a file is written; None = there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def content_of(path: Path) -> bytes | None:
    """Return a hash of what a file holds; None = it cannot be read."""
    try:
        if not path.is_file() or path.stat().st_size > MAX_FILE_BYTES:
            return None
        return hashlib.sha256(path.read_bytes()).digest()
    except OSError:
        return None
