"""Downloads files from the web once and caches them with a checksum.

Each file lies in a folder named after the SHA-256 of its url, beside a small JSON file with the url
and the SHA-256 of the content. Both are written beside their place and then moved there, so that a
crash or a second process never sees half a file.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from solidbody.base.errors import SolidbodyError
from solidbody.base.local_files import downloaded_file, downloads_folder

MAX_DOWNLOAD: Final = 100_000_000
"""Bytes. Larger files are refused; the largest texture of Webots has about 20 MB."""

TIMEOUT: Final = 20.0
"""Seconds without a byte after which a server counts as dead."""

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class DownloadError(SolidbodyError):
    """A url could not be fetched."""


class DownloadCache:
    """The folder of fetched files."""

    def __init__(self, folder: str | os.PathLike[str], environment: Mapping[str, str]) -> None:
        self._folder = Path(folder) if folder else downloads_folder(environment)

    def get(self, url: str, *, allow_download: bool) -> Path:
        """Return the local copy of `url`, fetched first if that is allowed and needed.

        Raises:
            DownloadError: There is no sound copy, and fetching is not allowed or failed.
        """
        _check_scheme(url)
        path = downloaded_file(url, self._folder)
        home, record = path.parent, path.parent / "record.json"
        if _is_sound(path, record):
            return path
        if not allow_download:
            raise DownloadError("it is not in the download cache, and downloads are not allowed")
        content = _fetch(url)
        digest = hashlib.sha256(content).hexdigest()
        try:
            home.mkdir(parents=True, exist_ok=True)
            _write(path, content)
            _write(record, json.dumps({"url": url, "sha256": digest}).encode())
        except OSError as error:
            raise DownloadError(f"the download cache cannot be written: {error}") from error
        return path

    def drawn(self, world: str) -> Path:
        """Return the folder of the pictures that templates of a world draw; others may use the same names."""
        name = hashlib.sha256(os.fsencode(os.path.abspath(world))).hexdigest()
        return self._folder / "drawn" / name


def _check_scheme(url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK):
        return
    raise DownloadError("only https:// is fetched")


def _is_sound(path: Path, record: Path) -> bool:
    """Whether the copy is there and still has the content that was fetched."""
    try:
        wanted = json.loads(record.read_text(encoding="utf-8"))["sha256"]
        return hashlib.sha256(path.read_bytes()).hexdigest() == wanted
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return False


def _fetch(url: str) -> bytes:
    import urllib.request  # with HTTP, TLS and mail: worlds that fetch nothing do not wait for it
    from http.client import HTTPException

    class SafeRedirects(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, req, fp, code, msg, headers, newurl):  # type: ignore[no-untyped-def]
            _check_scheme(newurl)
            return super().redirect_request(req, fp, code, msg, headers, newurl)

    opener = urllib.request.build_opener(SafeRedirects)
    try:
        with opener.open(url, timeout=TIMEOUT) as answer:
            content = answer.read(MAX_DOWNLOAD + 1)
    except (OSError, HTTPException, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        raise DownloadError(f"fetching it failed: {reason}") from error
    if len(content) > MAX_DOWNLOAD:
        raise DownloadError(f"it has more than {MAX_DOWNLOAD} bytes")
    return content


def _write(path: Path, content: bytes) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".part-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
