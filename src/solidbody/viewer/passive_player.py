"""A player for simulations that somebody else steps: all that it does happens when it is asked to follow."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from typing import Final

from solidbody.base.errors import SolidbodyError
from solidbody.viewer.pacing import FRAME_PERIOD, LAG_LIMIT
from solidbody.viewer.player import LOOK_PERIOD, Attendant, Player
from solidbody.viewer.protocol import PlayState
from solidbody.viewer.simulation import Simulation

LONGEST_SLEEP: Final = 0.1
"""[s] After that time a caller who is slowed down looks at what users want."""


class PassivePlayer(Player):
    """Shows and obeys in `follow`, in the thread of the caller, who owns the simulation.

    Frames that come faster than anyone can see are left out, but never the last one: a thread sends it when
    its time has come, from a copy of what it shows.

    Args:
        sim: The simulation.
        speed: Factor of real time beyond which `follow` waits; infinite = never.
        attendant: Serves the panels; None = there are none.
        is_watched: Tells whether anybody looks; a page that nobody looks at holds nobody up.
    """

    def __init__(
        self,
        sim: Simulation,
        *,
        speed: float,
        attendant: Attendant | None,
        is_watched: Callable[[], bool],
    ) -> None:
        super().__init__(sim, speed=speed, attendant=attendant)
        self._is_watched = is_watched
        self._publishing = threading.Lock()
        self._is_late = threading.Event()
        self._thread = threading.Thread(
            target=self._publish_late, name="solidbody-view", daemon=True
        )
        self._held_until = 0
        self._seen = (sim.time, sim.step_count)
        self._schedule = (time.monotonic(), sim.time)

    @property
    def is_paused(self) -> bool:
        """Whether a user has pressed pause."""
        return self._state is PlayState.PAUSED

    def close(self) -> None:
        """End the thread that sends late frames."""
        self._closing = True
        self._is_late.set()
        super().close()

    def follow(self, *, wait: bool) -> None:
        """Show the present moment and do what users of the page want.

        Args:
            wait: Whether to return only when time may pass: not in a pause, nor ahead of the speed that was
                chosen.
        """
        self._note_progress()
        self._turn()
        while wait and self._is_held():
            self._wake.wait(LOOK_PERIOD)
            self._wake.clear()
            self._turn()
        while wait and (ahead := self._ahead()) > 0.0 and not self._closing:
            self._wake.wait(min(ahead, LONGEST_SLEEP))
            self._wake.clear()
            self._turn()

    def _note_progress(self) -> None:
        moment = (self._sim.time, self._sim.step_count)
        if moment[0] < self._seen[0]:  # somebody has gone back to the start
            self._epoch += 1
            self._held_until = 0
            self._restart_schedule()
        elif moment != self._seen:
            self._rate = self._meter.add(time.monotonic(), moment[0])
        self._seen = moment

    def _turn(self) -> None:
        """Obey, and show what is new."""
        try:
            obeyed = self._obey()
            has_news = self._observe()
            self._follow_scene()
            moment = self._find_moment()
        except Exception as error:
            # a slip of the page must not end the caller's program
            self._fail(error)
            self._state = PlayState.RUNNING
            return
        with self._publishing:
            self._moment = moment
            is_due = obeyed or time.monotonic() - self._published >= FRAME_PERIOD
            if is_due:
                self._publish()
        if not is_due:
            self._is_late.set()
            if has_news:
                self._tell()

    def _publish_late(self) -> None:
        while not self._closing:
            self._is_late.wait()
            self._is_late.clear()
            time.sleep(max(0.0, self._published + FRAME_PERIOD - time.monotonic()))
            with self._publishing:
                if time.monotonic() - self._published >= FRAME_PERIOD:
                    self._publish()

    def _is_held(self) -> bool:
        if not self.is_paused or self._closing:
            return False
        return self._sim.step_count >= self._held_until and self._is_watched()

    def _take(self, steps: int) -> None:
        """Let the caller take steps in a pause."""
        self._held_until = self._sim.step_count + steps

    def _reset(self) -> None:
        self._held_until = 0
        super()._reset()
        self._seen = (self._sim.time, self._sim.step_count)

    def _restart_schedule(self) -> None:
        super()._restart_schedule()
        self._schedule = (time.monotonic(), self._sim.time)

    def _ahead(self) -> float:
        """Return how far simulated time is ahead of the clock [s of the clock]."""
        if math.isinf(self._speed):
            return 0.0
        now = time.monotonic()
        start, first = self._schedule
        ahead = start + (self._sim.time - first) / self._speed - now
        if ahead < -LAG_LIMIT:  # the caller is slower: nothing is made up for later
            self._schedule = (start - LAG_LIMIT - ahead, first)
        return ahead

    def _fail(self, error: Exception) -> None:
        with self._publishing:
            super()._fail(error)
        self._failure = ""


class ViewClosedError(SolidbodyError):
    """The page was closed by its program and shows nothing any more."""

    def __init__(self) -> None:
        super().__init__("the view was closed; open another one")
