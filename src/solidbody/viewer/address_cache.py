"""The address of a file's page from one run to the next, so that open tabs find back after a restart."""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from solidbody.base.cache import cache_folder

TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{16,64}")

LONGEST: Final = 30 * 86_400.0
"""[s] An address that was not used for so long is forgotten."""

MOST_BYTES: Final = 1024
"""[bytes] Of the file that keeps it."""

PRIVATE: Final = 0o600
"""What others may do with that file: nothing. Whoever knows the token can drive the page."""


@dataclass(frozen=True, slots=True)
class KeptAddress:
    """A port and the token that went with it."""

    port: int
    token: str


class AddressMemory:
    """Remembers the address of one file's page, for this user alone.

    Args:
        path: The file on show.
        environment: Says where the cache is.
    """

    def __init__(self, path: Path, environment: Mapping[str, str] = os.environ) -> None:
        name = hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:32]
        self._file = cache_folder(environment, "addresses") / f"{name}.json"

    def recall(self) -> KeptAddress | None:
        """Return the address of the last run; None if there is none, or others could have read it."""
        try:
            stat = self._file.stat()
            is_private = os.name == "nt" or (
                stat.st_uid == os.getuid() and not stat.st_mode & 0o077
            )
            if not is_private or stat.st_size > MOST_BYTES or time.time() - stat.st_mtime > LONGEST:
                return None
            data = json.loads(self._file.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return None
        port, token = (
            (data.get("port"), data.get("token")) if isinstance(data, dict) else (None, None)
        )
        if not isinstance(port, int) or isinstance(port, bool) or not 0 < port < 65_536:
            return None
        if not isinstance(token, str) or not TOKEN.fullmatch(token):
            return None
        return KeptAddress(port, token)

    def keep(self, address: KeptAddress) -> None:
        """Remember an address; a cache that cannot be written to does no harm."""
        part = self._file.with_name(f".{self._file.name}.{secrets.token_hex(4)}")
        with suppress(OSError):
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump({"port": address.port, "token": address.token}, file)
            part.replace(self._file)
