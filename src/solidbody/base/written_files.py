"""What a writer makes: the content of the file that was asked for, and files beside it that it names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from solidbody.base.output_files import write_whole


@dataclass(frozen=True, slots=True)
class WrittenFiles:
    """A file and those that it names.

    Attributes:
        content: Of the file.
        beside: Contents of other files, by their paths relative to it.
    """

    content: bytes
    beside: Mapping[str, bytes] = field(default_factory=dict[str, bytes])

    @staticmethod
    def of_text(text: str) -> WrittenFiles:
        """Return a text alone."""
        return WrittenFiles(text.encode("utf-8"))

    def save(self, path: Path) -> None:
        """Write all files, the one that names the others last.

        Raises:
            OSError: One cannot be written.
        """
        for name, content in self.beside.items():
            place = path.parent / name
            place.parent.mkdir(parents=True, exist_ok=True)
            write_whole(place, content)
        write_whole(path, self.content)
