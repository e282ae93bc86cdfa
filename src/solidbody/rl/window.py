"""The page that shows an environment in the browser: `render_mode="human"`."""

from __future__ import annotations

import contextlib
import logging
import secrets
import threading
import time
import webbrowser
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from solidbody.viewer.address import LOOPBACK, allowed_names, open_listener, page_url
from solidbody.viewer.application import Application
from solidbody.viewer.page_files import load_page
from solidbody.viewer.player import Player
from solidbody.viewer.scene_encoding import encode_scene
from solidbody.viewer.server import has_display, make_server

if TYPE_CHECKING:
    from solidbody.model.scene import Scene
    from solidbody.sim import Sim
    from solidbody.sim.stats import SimStats

_log = logging.getLogger(__name__)

PATIENCE = 0.05
"""[s] How long the page waits for the next action before it hears what its users want."""

CLOSE_TIMEOUT = 5.0
"""[s] How long closing waits for the server."""


class FollowedEnv:
    """Stands for the simulation towards the player: time passes when the environment says so."""

    def __init__(self, double: Sim) -> None:
        self._double = double
        self._lock = threading.Condition()
        self._is_new = False
        self._is_closed = False
        self._take()

    def _take(self) -> None:
        self._poses = self._double.poses()
        self.step_count, self.time = self._double.step_count, self._double.time

    @property
    def scene(self) -> Scene:
        """What is simulated."""
        return self._double.scene

    @property
    def time_step(self) -> float:
        """Length of a step [s]."""
        return self._double.time_step

    @property
    def moving(self) -> NDArray[np.intp]:
        """Rows of the links that can move: all, since markers are placed for pictures."""
        return np.arange(len(self._double.link_names))

    @property
    def stats(self) -> SimStats:
        """Counters."""
        return self._double.stats

    def poses(self) -> NDArray[np.float64]:
        """Return (links, 7), as they were shown last."""
        return self._poses

    def reset(self) -> None:
        """The environment alone starts episodes."""

    def step(self, n: int = 1) -> None:
        """Wait for what the environment shows next; called by the player."""
        with self._lock:
            self._lock.wait_for(lambda: self._is_new or self._is_closed, PATIENCE)
            self._is_new = False
            self._lock.notify_all()

    def show(self) -> None:
        """Show the present state of the double; waits while the page is paused."""
        with self._lock:
            self._take()
            self._is_new = True
            self._lock.notify_all()
            self._lock.wait_for(lambda: not self._is_new or self._is_closed)

    def close(self) -> None:
        """Nobody waits any more."""
        with self._lock:
            self._is_closed = True
            self._lock.notify_all()


class Window:
    """Serves the page on a free port of this machine and opens a browser where there is a display.

    Attributes:
        url: Address of the page.
    """

    def __init__(self, double: Sim, period: float) -> None:
        self._followed = FollowedEnv(double)
        self._period, self._due = period, time.monotonic()
        self._listener = open_listener(0, LOOPBACK)
        token = secrets.token_urlsafe(12)
        self.url = page_url(self._listener, LOOPBACK, token)
        self._player = Player(self._followed, speed=float("inf"))
        scene = encode_scene(
            double.scene, double.poses(), self._followed.moving, time_step=double.time_step
        )
        application = Application(
            self._player, scene, load_page(), token=token, names=allowed_names(LOOPBACK)
        )
        self._server = make_server(application)
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [self._listener]}, daemon=True
        )
        self._player.start()
        self._thread.start()
        _log.warning("watch the environment at %s", self.url)
        if has_display():
            webbrowser.open(self.url)

    def show(self) -> None:
        """Show the present state, at the pace of simulated time."""
        self._followed.show()
        self._due = max(self._due + self._period, time.monotonic() - self._period)
        time.sleep(max(0.0, self._due - time.monotonic()))

    def close(self) -> None:
        """End the server."""
        self._followed.close()
        self._player.close()
        self._server.should_exit = True
        self._thread.join(CLOSE_TIMEOUT)
        with contextlib.suppress(OSError):
            self._listener.close()
