"""Files through which programs see pictures and points: they map them, the simulator writes them.

The simulator does not map them itself: memory of a file that a program cuts off would end who touches it.
"""

from __future__ import annotations

import tempfile
from pathlib import Path


class SharedImage:
    """The file of one picture. Whatever a program does to it, it harms nobody else.

    Args:
        path: Where the program finds it.
        size: [bytes] Its length.
    """

    def __init__(self, path: Path, size: int) -> None:
        self.path = str(path)
        self._file = path.open("xb", buffering=0)
        self._file.truncate(max(size, 1))

    def put(self, data: bytes) -> None:
        """Write a picture."""
        self._file.seek(0)
        self._file.write(data)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class SharedImages:
    """The files of one session, in a folder of its own.

    Args:
        parent: Folder of the simulator's run.
    """

    def __init__(self, parent: str) -> None:
        self._parent = parent
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._files: dict[str, SharedImage] = {}

    def image(self, size: int, name: str) -> SharedImage:
        """Return the file of `size` bytes for a name.

        The same one for the same size: a program looks at what is in it, also when the scene has changed.
        """
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="images-", dir=self._parent)
        key = f"{name}-{size}"
        if key not in self._files:
            self._files[key] = SharedImage(Path(self._folder.name, key), size)
        return self._files[key]

    def close(self) -> None:
        """Remove the files."""
        for file in self._files.values():
            file.close()
        self._files.clear()
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None
