"""Finds the local file that a URL or path in a world file refers to; downloads nothing."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from solidbody.base.file_access import FileAccess, FileError
from solidbody.base.webots_home import webots_home

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


def find_file(
    address: str,
    folders: Iterable[str],
    access: FileAccess,
    environment: Mapping[str, str] = os.environ,
) -> Path:
    """Return the file that an address means.

    Args:
        address: A path, relative to the first of `folders` that has it; a `webots://` address, which needs
            a Webots; or an `https://` address, of which that or the cache may have a copy.
        folders: Where paths begin; the Webots that one of them lies in counts if WEBOTS_HOME is not set.
        access: What may be read.
        environment: Has WEBOTS_HOME and the place of the cache.

    Raises:
        FileError: The file is not on this machine, or may not be read.
    """
    if not address:
        raise FileError("the address is empty")
    problem: FileError | None = None
    try:
        for place in _places(address.replace("\\", "/"), tuple(folders), environment):
            try:
                return access.check(place)
            except FileError as error:
                problem = error if problem is None or error.is_refused else problem
        copy = _downloaded(address, access, environment)
        if copy is not None and copy.is_file():
            return copy
    except (OSError, ValueError) as error:  # a name that no file can have
        raise FileError("there is no such file") from error
    raise problem or FileError("there is no such file")


def _places(address: str, folders: tuple[str, ...], environment: Mapping[str, str]) -> list[Path]:
    if address.startswith(_INSTALLED):
        return _installed(address.removeprefix(_INSTALLED).lstrip("/"), folders, environment)
    if _REMOTE.match(address):
        official = OFFICIAL.match(address)
        return _installed(address[official.end() :], folders, environment) if official else []
    if "://" in address:
        return []
    return [Path(os.path.abspath(folder)) / address for folder in folders]


def _downloaded(address: str, access: FileAccess, environment: Mapping[str, str]) -> Path | None:
    """Return where the copy of a file on the web would be: our own folder, named after its address."""
    if not _REMOTE.match(address):
        return None
    return downloaded_file(
        address, Path(access.cache) if access.cache else downloads_folder(environment)
    )


def _installed(rest: str, folders: tuple[str, ...], environment: Mapping[str, str]) -> list[Path]:
    """Return where a file of Webots may be, given its path there."""
    homes = (webots_home(os.path.join(folder, "_"), environment) for folder in folders or ("",))
    return [home / rest.lstrip("/") for home in dict.fromkeys(homes) if home is not None]
