"""One address of the page for several files after each other: the listener, the token, what to show next."""

from __future__ import annotations

import secrets
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from solidbody.base.diagnostics import DiagnosticLog, Severity
from solidbody.base.errors import SolidbodyError
from solidbody.formats.loading import read_scene
from solidbody.formats.options import LoadOptions
from solidbody.model.scene import Scene
from solidbody.viewer.address import DEFAULT_PORT, LOOPBACK, is_loopback, open_listener, page_url
from solidbody.viewer.address_cache import AddressMemory, KeptAddress
from solidbody.viewer.folder_files import FileFolder


class OpenError(SolidbodyError):
    """A file cannot be shown; the old one stays."""


@dataclass(frozen=True, slots=True)
class WantedFile:
    """A file that a user of the page has opened, as it was read; `is_new` = it was made just now."""

    path: Path
    scene: Scene
    log: DiagnosticLog
    is_new: bool


class PageSession:
    """Holds the address of the page while the file on show is replaced by another.

    Connections that come in between wait, and are served by the next file's server.

    Args:
        port: Wanted TCP port; 0, or a port that is taken, gives a free one.
        host: Address of this machine to serve at.
        folder: What can be opened and written to; None = the project of the first file.
        is_start: Whether the first file is shown only until the user has chosen one.
        memory: Knows the address of the last run, which is taken again if it is free; None = a new one.

    Attributes:
        wanted: What to show next; None = nothing.
        is_shown: Whether the address was told to the user.
        is_paused: Whether the file on show waits for its user.
        on_wanted: Ends the server of the file on show.
    """

    def __init__(
        self,
        *,
        port: int = DEFAULT_PORT,
        host: str = LOOPBACK,
        folder: FileFolder | None = None,
        is_start: bool = False,
        memory: AddressMemory | None = None,
    ) -> None:
        self.host = host
        self.folder = folder
        self.is_start = is_start
        self.token = secrets.token_urlsafe(12)
        self.wanted: WantedFile | None = None
        self.is_shown = False
        self.is_paused = is_start
        self.on_wanted: Callable[[], None] = lambda: None
        self._port = port
        self._memory = memory if is_loopback(host) and port != 0 else None
        self._listener: socket.socket | None = None

    @property
    def url(self) -> str:
        """The address of the page, with its token."""
        assert self._listener is not None
        return page_url(self._listener, self.host, self.token)

    def listen(self) -> socket.socket:
        """Return a listener for one server, which closes it; the address stays. Raises AddressError."""
        if self._listener is None:
            self._listener = self._open()
        return self._listener.dup()

    def _open(self) -> socket.socket:
        """Return a listener where the last run of this file was, with its token; else a new one."""
        if self._memory is None:
            return open_listener(self._port, self.host)
        kept = self._memory.recall()
        is_wanted = kept is not None and self._port in (DEFAULT_PORT, kept.port)
        listener = open_listener(kept.port if kept and is_wanted else self._port, self.host)
        port = int(listener.getsockname()[1])
        if kept is not None and port == kept.port:
            self.token = kept.token
        elif kept is not None and is_wanted:
            return listener  # another run of this file is there: its address stays its own
        self._memory.keep(KeptAddress(port, self.token))
        return listener

    def want(self, path: Path, options: LoadOptions, *, is_new: bool) -> None:
        """Read a file and let the server end, so that it is shown next. Raises OpenError."""
        scene, log = read_scene(path, options=options)
        if scene is None:
            first = next((item for item in log if item.severity is Severity.ERROR), None)
            raise OpenError(f"{first or path.name}: it cannot be opened, so the old one stays.")
        self.wanted = WantedFile(path, scene, log, is_new)
        self.on_wanted()

    def take_wanted(self) -> WantedFile | None:
        """Return what to show now; None = the user has ended the page."""
        wanted, self.wanted = self.wanted, None
        if wanted is not None:
            self.is_start = False
            self.is_paused = wanted.is_new
        return wanted

    def close(self) -> None:
        """Give the address up."""
        if self._listener is not None:
            self._listener.close()
            self._listener = None
