"""The page of a simulation that a program steps: `solidbody.view(sim)`.

with sb.view(sim) as view:
    while view.is_running():
        sim.step(10)
        view.sync()

The server has a thread of its own. The simulation belongs to the program: the page sees it, and its users
change it, in `sync` alone.
"""

from __future__ import annotations

import contextlib
import html
import logging
import math
import secrets
import threading
import time
import webbrowser
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self
from urllib.parse import urljoin

from solidbody.sim import Sim
from solidbody.viewer.address import (
    LOOPBACK,
    WARNING,
    allowed_names,
    is_loopback,
    open_listener,
    page_url,
)
from solidbody.viewer.application import Application
from solidbody.viewer.guard import frame_path
from solidbody.viewer.notebook_frames import live_frame
from solidbody.viewer.page_files import load_page
from solidbody.viewer.passive_player import PassivePlayer, ViewClosedError
from solidbody.viewer.server import encode_all, has_display, make_panels, make_server

if TYPE_CHECKING:
    from solidbody.sim.batch.batch import Batch

_log = logging.getLogger(__name__)

PATIENCE: Final = 10.0
"""[s] How long opening waits for the server, and closing for its end."""


def view(
    shown: Sim | Batch,
    *,
    copy: int = 0,
    port: int = 0,
    host: str = LOOPBACK,
    speed: float = math.inf,
    open_browser: bool | None = None,
) -> PassiveView:
    """Open the page for a simulation that the caller steps; return at once.

    Args:
        shown: A simulation, or a batch, of which one copy is shown.
        copy: Number of that copy.
        port: TCP port; 0, or a port that is taken, gives a free one.
        host: Address of this machine to serve at; others than the loopback let other machines in.
        speed: Factor of real time that `sync` keeps to; infinite = the caller's own pace. Users of the page
            can change it.
        open_browser: Whether to open a browser; None = where there is a display.

    Raises:
        PageMissingError: The page was not built.
        AddressError: The host is none of this machine.
        IndexError: There is no such copy.
    """
    if isinstance(shown, Sim):
        return PassiveView(shown, None, 0, port, host, speed, open_browser)
    if not 0 <= copy < len(shown):
        raise IndexError(f"there is no copy {copy}: they are 0 to {len(shown) - 1}")
    return PassiveView(shown[copy].copy(), shown, copy, port, host, speed, open_browser)


class PassiveView:
    """An open page. Several may be open, of one simulation or of several.

    Attributes:
        url: Address of the page, with the token that lets in.
        frame_url: The same for a frame of another site, such as a notebook.
    """

    def __init__(
        self,
        sim: Sim,
        batch: Batch | None,
        copy: int,
        port: int,
        host: str,
        speed: float,
        open_browser: bool | None,
    ) -> None:
        self._sim, self._batch, self._copy = sim, batch, copy
        page = load_page()
        self._listener = open_listener(port, host)
        token = secrets.token_urlsafe(12)
        self.url = page_url(self._listener, host, token)
        self.frame_url = urljoin(self.url, frame_path(token))
        self._is_open = True
        self._panels = make_panels(sim, holds_time=False, host=host)
        assert self._panels is not None
        self._player = PassivePlayer(
            sim, speed=speed, attendant=self._panels, is_watched=lambda: self._application.has_tabs
        )
        scene, outline = encode_all(sim, self._panels)
        self._application = Application(
            self._player,
            scene,
            page,
            outline=outline,
            panels=self._panels,
            token=token,
            names=allowed_names(host),
        )
        self._server = make_server(self._application)
        # uvicorn takes no signals where it does not run in the main thread
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [self._listener]}, daemon=True
        )
        self._player.start()
        self._thread.start()
        self._wait_for_server()
        if not is_loopback(host):
            _log.warning(WARNING.format(host=host))
        if has_display() if open_browser is None else open_browser:
            threading.Thread(target=webbrowser.open, args=(self.url,), daemon=True).start()

    def _wait_for_server(self) -> None:
        end = time.monotonic() + PATIENCE
        while not self._server.started and self._thread.is_alive() and time.monotonic() < end:
            time.sleep(0.001)

    def _repr_html_(self) -> str:
        """Return what a notebook shows of it."""
        return self.frame_html() if self._is_open else f"<code>{html.escape(repr(self))}</code>"

    def frame_html(self) -> str:
        """Return a frame with the live page, for notebooks and other pages.

        Where it cannot be reached, it shows a replay of the present moment.
        """
        return live_frame(self.frame_url, self._sim)

    def __repr__(self) -> str:
        return f"<PassiveView {self.url}>" if self._is_open else "<PassiveView, closed>"

    def is_running(self) -> bool:
        """Return whether the page is served: until `close`."""
        return self._is_open

    @property
    def has_viewers(self) -> bool:
        """Whether a browser shows the page now."""
        return self._is_open and self._application.has_tabs

    @property
    def is_paused(self) -> bool:
        """Whether a user of the page has pressed pause."""
        return self._player.is_paused

    def sync(self, *, wait: bool = True) -> None:
        """Show the present state, and do what users of the page want: pull, drive joints, edit, reset.

        A pause on the page holds the program here while somebody looks. There are 60 frames a second at most.

        Args:
            wait: False = return at once, also in a pause.

        Raises:
            ViewClosedError: The view was closed.
        """
        if not self._is_open:
            raise ViewClosedError
        if self._batch is not None:
            self._sim.restore(self._batch.snapshot([self._copy])[0])
        self._player.follow(wait=wait)

    def close(self) -> None:
        """End the server; the simulation goes on without the page."""
        if not self._is_open:
            return
        self._is_open = False
        self._player.close()
        self._server.should_exit = True
        self._thread.join(PATIENCE)
        if self._panels is not None:
            self._panels.close()
        with contextlib.suppress(OSError):
            self._listener.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __del__(self) -> None:
        with contextlib.suppress(Exception):
            self.close()
