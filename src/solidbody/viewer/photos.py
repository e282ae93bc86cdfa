"""Takes photos for the page: one at a time, in a thread of its own, while the simulation goes on."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Final

import numpy as np

from solidbody.base.errors import SolidbodyError
from solidbody.base.vectors import matrices
from solidbody.record.photo import PhotoMoment, Picture, check_photo, png, take_photo
from solidbody.viewer.protocol_photo import CommandPhoto, CommandPhotoStop, EventPhoto, PhotoCommand

if TYPE_CHECKING:
    from solidbody.render.path_tracing import PhotoEye
    from solidbody.sim import Sim

TELL_PERIOD: Final = 0.5
"""[s] between two words about how far a photo is."""

LONGEST: Final = 600.0
"""[s] No photo takes longer: it stays as fine as it is then."""

CLOSING: Final = 5.0
"""[s] that a photo which was stopped may take to end."""

_TO_VIEWER: Final = np.array([[0.0, -1.0, 0.0], [0.0, 0.0, 1.0], [-1.0, 0.0, 0.0]])
"""Axes of a viewer (columns: forward, left, up) in those of a camera of the page (right, up, back)."""


class Photos:
    """Takes the photos that tabs ask for.

    Args:
        sim: What they are taken of; read in the thread that calls `obey`.
        tell: Tells all tabs.
        unseen: Shapes that nobody is to see now.
    """

    def __init__(
        self,
        sim: Sim,
        tell: Callable[[EventPhoto], None],
        unseen: Callable[[], Collection[tuple[int, int]]] = frozenset,
    ) -> None:
        self._sim, self._tell, self._unseen = sim, tell, unseen
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self._ticket = ""
        self._picture: Picture | None = None
        self._lock = threading.Lock()

    def obey(self, command: PhotoCommand) -> None:
        """Begin a photo, or end it."""
        if isinstance(command, CommandPhotoStop):
            if command.ticket == self._ticket:
                self._stop.set()
            return
        try:
            self._begin(command)
        except (SolidbodyError, ValueError) as error:
            self._tell(EventPhoto(command.ticket, 0.0, "failed", str(error)))

    def png(self) -> bytes | None:
        """Return the newest photo as it is now; None = there is none. Callable from any thread."""
        with self._lock:
            picture = self._picture
        return None if picture is None else png(picture())

    def close(self) -> None:
        """Stop the photo that is being taken."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(CLOSING)

    # ------------------------------------------------------------------

    def _begin(self, command: CommandPhoto) -> None:
        if self._thread is not None and self._thread.is_alive():
            raise ValueError("Another photo is being taken.")
        check_photo(command.width, command.height, command.samples)
        eye = _eye(command, self._sim)
        moment = PhotoMoment.of(self._sim, self._unseen())
        self._stop.clear()
        self._ticket = command.ticket
        with self._lock:
            self._picture = None
        self._thread = threading.Thread(
            target=self._take, args=(command, moment, eye), name="photo", daemon=True
        )
        self._thread.start()

    def _take(self, command: CommandPhoto, moment: PhotoMoment, eye: PhotoEye) -> None:
        told = time.monotonic()
        self._tell(EventPhoto(command.ticket, 0.0, "working", ""))
        share = 0.0

        def go_on(done: float, picture: Picture | None) -> bool:
            nonlocal told, share
            share = done
            if picture is not None:
                with self._lock:
                    self._picture = picture
            now = time.monotonic()
            if now - told > TELL_PERIOD:
                told = now
                self._tell(EventPhoto(command.ticket, done, "working", ""))
            return not self._stop.is_set()

        size = (command.width, command.height)
        try:
            found = take_photo(
                moment, eye, size, samples=command.samples, seconds=LONGEST, go_on=go_on
            )
        except (SolidbodyError, MemoryError, RuntimeError) as error:
            self._tell(EventPhoto(command.ticket, share, "failed", str(error)))
            return
        if found is None:
            self._tell(EventPhoto(command.ticket, share, "stopped", ""))
            return
        with self._lock:
            self._picture = lambda: found
        self._tell(EventPhoto(command.ticket, 1.0, "done", ""))


def _eye(command: CommandPhoto, sim: Sim) -> PhotoEye:
    """Return the camera of a command.

    Raises:
        ValueError: It cannot be.
    """
    from solidbody.render.path_tracing import PhotoEye

    turn = np.array([command.rotation], dtype=np.float64)
    length = float(np.linalg.norm(turn))
    if not 0.5 < length < 2.0 or not 0.001 < command.angle < 3.1:
        raise ValueError("A photo needs a camera with a direction and an angle below 180 degrees.")
    rotation = matrices(turn / length)[0] @ _TO_VIEWER
    across = 2.0 * math.atan(math.tan(0.5 * command.angle) * command.width / command.height)
    exposure = min(max(sim.scene.viewpoint.exposure, 0.1), 4.0)
    return PhotoEye(np.array(command.position), rotation, across, exposure=exposure)
