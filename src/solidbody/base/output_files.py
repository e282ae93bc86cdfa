"""Writes output files safely: an interrupted run never loses what was in the file before.

A file that is written in one piece takes its place in one move. One that grows while the simulation runs is
written in place if there was nothing; otherwise beside it (`run.part.mcap` for `run.mcap`), and takes the old
one's place when it is complete. A process that is killed leaves the old file and what it has written.
"""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
import time
from pathlib import Path
from typing import IO, Final

from solidbody.base.errors import SolidbodyError

FLUSH_PERIOD: Final = 1.0
"""[s] Most that a killed process loses of a file that grows, by the clock."""

DRAFT_PERIOD: Final = 10.0
"""[s] Time by the clock between drafts of a file that can only be written in one piece ..."""

DRAFT_SHARE: Final = 0.05
"""... and the share of that time which drafts may take."""

MAX_PARTS: Final = 100
"""Files of runs that did not end beside one output, before a new run takes the last one's place."""


class OutputError(SolidbodyError):
    """A file cannot be written; the text says which and why."""


def check_target(path: Path, option: str, *, is_folder: bool = False) -> None:
    """Find out whether a file could be written, before anything is done for it.

    Args:
        path: The file.
        option: What names it, for the message.
        is_folder: Whether it is a folder of files that is written.

    Raises:
        OutputError: It could not; the text tells what to do about it.
    """
    folder = path.parent
    try:
        path.resolve()  # tells of characters that no name may have
        if is_folder and path.exists() and not path.is_dir():
            raise OutputError(f'{option}: "{path}" is a file, not a folder')
        if path.is_dir() and not is_folder:
            raise OutputError(f'{option}: "{path}" is a folder, not a file')
        if not folder.exists():
            raise OutputError(
                f'{option}: "{path}" cannot be written: there is no folder "{folder}"; make it first'
            )
        if not folder.is_dir():
            raise OutputError(
                f'{option}: "{path}" cannot be written: "{folder}" is a file, not a folder'
            )
        if not os.access(path if path.exists() else folder, os.W_OK):
            raise OutputError(f'{option}: "{path}" may not be written')
    except (OSError, RuntimeError, ValueError) as error:  # a circle of links, a name too long
        raise OutputError(f'{option}: "{path}" cannot be written: {reason_of(error)}') from error


def reason_of(error: Exception) -> str:
    """Return what the system says about a file, without numbers and names."""
    return str(getattr(error, "strerror", None) or error)


def write_whole(path: Path, data: bytes) -> None:
    """Replace a file in one move: a crash at any moment leaves the old file or the new.

    The data go to a new file in the same folder, to disk, and then take the old one's place. A link is
    followed, and the permissions of an existing file are kept. What is no regular file (a pipe, a device) and
    a file in a folder that takes no new ones, is written to as it is.

    Raises:
        OSError: The folder cannot be written to, or the disk is full; the old file is untouched.
    """
    target = path.resolve()
    if is_special(target) or _is_folder_closed(target):
        with target.open("wb") as out:
            out.write(data)
        return
    handle, name = tempfile.mkstemp(
        prefix=f".{target.name[:100]}.", suffix=".tmp", dir=target.parent
    )
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        temporary.chmod(_mode_of(target))
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


class GrowingFile:
    """A file that is written while a simulation runs.

    Args:
        path: The file.

    Raises:
        OSError: It cannot be written.

    Attributes:
        stream: Where to write.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._target = path.resolve()
        self._part: Path | None = None
        self._flushed = time.monotonic()
        self.stream: IO[bytes]
        if _is_kept(self._target):
            self._part, self.stream = _open_part(self._target)
        else:
            self.stream = self._target.open("wb")

    @property
    def place(self) -> Path:
        """Where the bytes are until `finish`."""
        return self._part or self._target

    def write(self, text: str) -> None:
        """Write text in UTF-8, as writers of tables do."""
        self.stream.write(text.encode("utf-8"))
        self.keep()

    def keep(self) -> None:
        """Let go of what waits in memory, once in a while: a killed process loses no more than that."""
        now = time.monotonic()
        if now - self._flushed > FLUSH_PERIOD:
            self._flushed = now
            self.stream.flush()

    def finish(self) -> None:
        """Close the file, and let it take the place of an older one. Raises OSError if that fails."""
        if self._part is None:
            self.stream.close()
            return
        self.stream.flush()
        os.fsync(self.stream.fileno())
        self.stream.close()
        self._part.chmod(_mode_of(self._target))
        os.replace(self._part, self._target)

    def abandon(self) -> None:
        """Close the file as far as it goes; an older one stays."""
        with contextlib.suppress(OSError, ValueError):
            self.stream.close()

    def drop(self) -> None:
        """Leave nothing but an older file: there is nothing to write."""
        self.abandon()
        if not is_special(self._target):
            with contextlib.suppress(OSError):
                self.place.unlink()


class DraftedFile:
    """A file that can only be written in one piece, with drafts of it on the way.

    Args:
        path: The file.

    Raises:
        OSError: It cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        target = path.resolve()
        self._is_special = is_special(target)
        self._draft = target
        self._part: Path | None = None
        if _is_kept(target):
            self._part, stream = _open_part(target)
            stream.close()
            self._draft = self._part
        elif not self._is_special and not _is_folder_closed(target):
            # what cannot be written is told now, not after the run
            with tempfile.TemporaryFile(prefix=".probe-", dir=target.parent):
                pass
        self._next = 0.0

    @property
    def is_due(self) -> bool:
        """Whether it is time for a draft; the first one is at once."""
        return not self._is_special and time.monotonic() >= self._next

    def draft(self, data: bytes, started: float) -> None:
        """Keep what there is, made since `started` [s, monotonic]; a full disk is told by `finish`."""
        with contextlib.suppress(OSError):
            write_whole(self._draft, data)
        now = time.monotonic()
        self._next = now + max(DRAFT_PERIOD, (now - started) / DRAFT_SHARE)

    def finish(self, data: bytes) -> None:
        """Write the file. Raises OSError if that fails: the last draft and an older file stay."""
        write_whole(self.path, data)
        if self._part is not None:
            with contextlib.suppress(OSError):
                self._part.unlink()

    def drop(self) -> None:
        """Leave nothing but an older file: there is nothing to write."""
        with contextlib.suppress(OSError):
            if not self._is_special:
                self._draft.unlink()


def _open_part(target: Path) -> tuple[Path, IO[bytes]]:
    """Open a file beside another: of runs side by side, and of those that were killed, each has its own."""
    for number in range(1, MAX_PARTS + 1):
        name = f"{target.stem}.part{number if number > 1 else ''}{target.suffix}"
        part = target.with_name(name)
        try:
            return part, part.open("xb" if number < MAX_PARTS else "wb")
        except FileExistsError:
            continue
    raise AssertionError  # the last one is opened whatever is there


def is_special(target: Path) -> bool:
    """Whether there is a pipe, a device or another thing that is no file of bytes."""
    try:
        return not stat.S_ISREG(target.stat().st_mode)
    except OSError:
        return False


def _is_kept(target: Path) -> bool:
    """Whether there is a file with something in it, and a new one can be put beside it."""
    try:
        size = target.stat().st_size
    except OSError:
        return False
    return bool(size) and not is_special(target) and not _is_folder_closed(target)


def _is_folder_closed(target: Path) -> bool:
    """Whether a file may be written and its folder may not: there is no way but in place."""
    return os.access(target, os.W_OK) and not os.access(target.parent, os.W_OK)


def _mode_of(target: Path) -> int:
    try:
        return target.stat().st_mode & 0o7777
    except FileNotFoundError:
        return 0o666 & ~_umask()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
