"""Loads the page's own files into memory; nothing else can be served."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from pathlib import Path

from solidbody.base.errors import SolidbodyError

PAGE_FOLDER = Path(__file__).parent / "page"
"""Where the build of `web/` puts the page."""

MEDIA_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".txt": "text/plain; charset=utf-8",
}
"""Kinds of files that the build makes; others are left out."""


class PageMissingError(SolidbodyError):
    """The page was not built."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        super().__init__(
            f"the browser page is missing: {folder / 'index.html'} does not exist. In a checkout,"
            " build it with `npm ci && npm run build` in web/ (or run `make run`, which does that);"
            " an installed solidbody without it is broken and should be installed again."
        )


@dataclass(frozen=True, slots=True)
class PageFile:
    """One file, plain and compressed."""

    content: bytes
    compressed: bytes
    media_type: str
    is_hashed: bool
    """Whether the name changes with the content, so that browsers may keep it for good."""


def load_page(folder: Path = PAGE_FOLDER) -> dict[str, PageFile]:
    """Return the files of the page by URL path.

    Raises:
        PageMissingError: There is no built page in `folder`.
    """
    if not (folder / "index.html").is_file():
        raise PageMissingError(folder)
    files: dict[str, PageFile] = {}
    for path in sorted(folder.rglob("*")):
        media_type = MEDIA_TYPES.get(path.suffix)
        if media_type is None or not path.is_file():
            continue
        content = path.read_bytes()
        url_path = "/" + path.relative_to(folder).as_posix()
        files[url_path] = PageFile(
            content,
            gzip.compress(content, compresslevel=6, mtime=0),
            media_type,
            is_hashed=url_path.startswith("/assets/"),
        )
    files["/"] = files["/index.html"]
    return files
