"""Headers that programs name as Windows and macOS find them: in letters of another case, with backslashes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

_INCLUDE: Final = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^">\n]+)[>"]', re.MULTILINE)

HEADERS: Final = (".h", ".hh", ".hpp", ".hxx")

LONGEST: Final = 1_000_000
"""Characters of a file that are looked at."""


def write_forwarding_headers(
    files: Iterable[Path], folders: Sequence[Path], place: Path, *, hidden: Sequence[Path] = ()
) -> bool:
    """Write headers that lead from names that no file has to the files that are meant.

    Args:
        files: Sources and headers of a program.
        folders: Where the compiler looks for its headers, beside the folder of the file that names one.
        place: Folder for the headers that are written.
        hidden: Folders that the compiler does not look in, and whose headers are meant as well.

    Returns:
        Whether there are any: then the compiler should look in that folder, after the others.
    """
    meant: dict[str, Path] = {}
    known: dict[Path, dict[str, Path]] = {}
    for path in files:
        searched = (path.parent, *folders)
        for name in _names(path):
            if name in meant or any((folder / name).is_file() for folder in searched):
                continue
            for folder in (*searched, *hidden):
                if folder not in known:
                    known[folder] = dict(_headers_below(folder))
                found = known[folder].get(name.replace("\\", "/").lower())
                if found is not None:
                    meant[name] = found
                    break
    for name, found in meant.items():
        written = place / name
        written.parent.mkdir(parents=True, exist_ok=True)
        written.write_text(f'#include "{found}"\n', encoding="utf-8")
    return bool(meant)


def _names(path: Path) -> Iterator[str]:
    """Yield the headers that a file names, those that lead elsewhere left out."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            text = file.read(LONGEST)
    except OSError:
        return
    for name in _INCLUDE.findall(text):
        parts = name.replace("\\", "/").split("/")
        if name.isprintable() and ".." not in parts and parts[0]:
            yield name


def _headers_below(folder: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() in HEADERS:
            yield path.relative_to(folder).as_posix().lower(), path.resolve()
