"""Files on this machine that an address in a world means. Nothing is fetched here."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

OFFICIAL: Final = re.compile(r"https://raw\.githubusercontent\.com/cyberbotics/webots/[^/]+/")
"""Addresses of files that a Webots installation has as well."""

_REMOTE = re.compile(r"https?://", re.IGNORECASE)
_INSTALLED: Final = "webots://"


def downloads_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return where downloaded files are kept: $SOLIDBODY_CACHE, or in the user's cache folder."""
    chosen = environment.get("SOLIDBODY_CACHE", "")
    if chosen:
        return Path(chosen)
    base = environment.get("XDG_CACHE_HOME", "")
    return Path(base or os.path.expanduser("~/.cache")) / "solidbody" / "downloads"


def downloaded_file(url: str, folder: Path) -> Path:
    """Return where the copy of a url is, or would be: in a folder named after the url's SHA-256."""
    name = urlsplit(url).path.rsplit("/", 1)[-1] or "file"
    return folder / hashlib.sha256(url.encode()).hexdigest() / name


def local_file(
    address: str, folders: Iterable[str], environment: Mapping[str, str] = os.environ
) -> Path | None:
    """Return the file that an address means, None if it is not on this machine.

    Args:
        address: A path, relative to the first of `folders` that has it; a `webots://` address, which needs
            WEBOTS_HOME; or an `https://` address, of which an installation or the cache may have a copy.
        folders: Where paths begin.
        environment: Has WEBOTS_HOME and the place of the cache.
    """
    if not address:
        return None
    try:
        return next(
            (path for path in _places(address, folders, environment) if path.is_file()), None
        )
    except (OSError, ValueError):  # a name that no file can have
        return None


def _places(address: str, folders: Iterable[str], environment: Mapping[str, str]) -> list[Path]:
    home = environment.get("WEBOTS_HOME", "")
    if address.startswith(_INSTALLED):
        return [Path(home) / address.removeprefix(_INSTALLED).lstrip("/")] if home else []
    if _REMOTE.match(address):
        official = OFFICIAL.match(address)
        installed = [Path(home) / address[official.end() :]] if official and home else []
        return [*installed, downloaded_file(address, downloads_folder(environment))]
    if "://" in address:
        return []
    return [Path(folder) / address for folder in folders]
