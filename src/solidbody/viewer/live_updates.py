"""Collects changes of looks and sounds of a running simulation for the page.

Works in the player's thread, which owns the simulation; tabs read the latest news whenever they like.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from solidbody.base.diagnostics import Diagnostic
from solidbody.viewer.appearance_updates import LookWatcher
from solidbody.viewer.probe import Probe
from solidbody.viewer.protocol_live import CommandShow, LiveEvent
from solidbody.viewer.rays import RayWatcher
from solidbody.viewer.scene_encoding import to_json
from solidbody.viewer.sounds import SoundStage

if TYPE_CHECKING:
    from solidbody.sim import Sim

NEWS_PERIOD: Final = 1.0 / 30.0
"""[s] Shortest time between two looks at what has changed."""

COSTLY_PERIOD: Final = 1.0 / 15.0
"""[s] The same for rays, points and paint."""

COSTLY_SHARE: Final = 0.1
"""Share of the player's time that each of these may take."""

NOTHING: Final = CommandShow(sounds=False, listens=False, rays=False, points=False)
"""What a tab wants that has not said anything."""


@dataclass(frozen=True, slots=True)
class Numbered:
    """Something published, with the number that says whether a tab has it already."""

    number: int
    data: bytes


class LiveUpdates:
    """Serves sounds, looks, rays and points to all tabs.

    Args:
        sim: The simulation.
        probe: Sees what sensors see.
        report: Told what cannot be played.
    """

    def __init__(self, sim: Sim, probe: Probe, report: Callable[[Diagnostic], None]) -> None:
        self._sim = sim
        self._probe = probe
        self._report = report
        self._lock = threading.Lock()
        self._wanted: dict[int, CommandShow] = {}
        self._scene = sim.scene
        self._sounds = SoundStage(sim)
        self._looks = LookWatcher(sim)
        self._rays = RayWatcher(sim, probe)
        self._count = 0
        self._last = 0.0
        self._due: dict[str, float] = {}
        self.news: dict[str, Numbered] = {}
        """The latest event of each kind."""
        self.paintings: dict[tuple[int, int], Numbered] = {}
        """The latest picture on each shape that is painted on."""

    def unseen(self) -> frozenset[tuple[int, int]]:
        """Return the shapes (link, number in it) that are hidden from the view."""
        return self._looks.unseen()

    def close(self) -> None:
        """Nobody listens any more."""
        self._sounds.switch(is_on=False, is_heard=False)

    # ------------------------------------------------------------------ from any thread

    def want(self, tab: int, wanted: CommandShow | None) -> None:
        """Note what a tab plays and draws; None = it has gone."""
        with self._lock:
            if wanted is None:
                self._wanted.pop(tab, None)
            else:
                self._wanted[tab] = wanted

    def wishes(self, tab: int) -> CommandShow:
        """Return what a tab has said last; its fields tell which kinds of events it wants."""
        return self._wanted.get(tab, NOTHING)

    def clip(self, number: int) -> bytes | None:
        """Return a sound as a WAV file; None = there is none of that number."""
        return self._sounds.clip(number)

    # ------------------------------------------------------------------ in the player's thread

    def observe(self, now: float) -> bool:
        """Look for what has changed; return whether there is anything new to tell."""
        if now - self._last < NEWS_PERIOD:
            return False
        self._last = now
        if self._sim.scene is not self._scene:
            self._follow_scene()
        with self._lock:
            wanted = list(self._wanted.values())
        before = self._count
        self._listen([item for item in wanted if item.sounds])
        looks = self._looks.event()
        if looks is not None:
            self._publish(looks)
            self._costly("paint", now, self._paint)
        if any(item.rays for item in wanted):
            self._costly("rays", now, lambda: self._publish(self._rays.rays()))
        if any(item.points for item in wanted):
            self._costly("points", now, lambda: self._publish(self._rays.points()))
        return self._count != before

    def _follow_scene(self) -> None:
        self._scene = self._sim.scene
        self._looks = LookWatcher(self._sim)
        self._rays = RayWatcher(self._sim, self._probe)
        self.paintings = {}
        for kind in ("looks", "rays", "points"):
            self.news.pop(kind, None)

    def _listen(self, wanted: Sequence[CommandShow]) -> None:
        self._sounds.switch(is_on=bool(wanted), is_heard=any(item.listens for item in wanted))
        if wanted:
            self._publish(self._sounds.event())
            for item in self._sounds.complaints():
                self._report(item)

    def _paint(self) -> None:
        for key, message in self._looks.paintings():
            self._count += 1
            self.paintings[key] = Numbered(self._count, message)

    def _costly(self, kind: str, now: float, make: Callable[[], None]) -> None:
        """Do something unless it was done a moment ago, or takes too large a share of the time."""
        if now < self._due.get(kind, 0.0):
            return
        began = time.monotonic()
        make()
        cost = time.monotonic() - began
        self._due[kind] = now + max(COSTLY_PERIOD, cost / COSTLY_SHARE)

    def _publish(self, event: LiveEvent) -> None:
        """Tell it, unless it was told last."""
        data, last = to_json(event), self.news.get(event.event)
        if last is None or last.data != data:
            self._count += 1
            self.news[event.event] = Numbered(self._count, data)
