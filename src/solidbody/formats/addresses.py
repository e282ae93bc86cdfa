"""Resolves relative addresses of files against the file that names them."""

from __future__ import annotations

import os


def address_from(uri: str, source: str, target: str) -> str:
    """Return the address `uri`, written in a file in `source`, for a file in the folder `target`."""
    if "://" in uri or not uri:
        return uri.removeprefix("file://")
    full = os.path.normpath(os.path.join(source or ".", uri))
    try:
        return os.path.relpath(full, target or ".").replace(os.sep, "/")
    except ValueError:  # on another drive
        return full.replace(os.sep, "/")
