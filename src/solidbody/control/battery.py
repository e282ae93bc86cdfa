"""The battery of a robot as its controller reads it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from solidbody.control import protocol as p

if TYPE_CHECKING:
    from solidbody.control.session import Session


class BatterySensor:
    """Tells a controller what is left, every so often (period in steps; 0 = never)."""

    def __init__(self) -> None:
        self._period = self._last = 0

    def enable(self, period_ms: int, session: Session) -> None:
        """Measure every `period_ms`; 0 = not."""
        self._period = math.ceil(period_ms / (session.sim.time_step * 1000.0) - 1e-9)
        self._last = session.sim.step_count

    def news(self, session: Session) -> list[p.News]:
        """Return the charge [J], if it is due; -1 without a battery."""
        if not self._period:
            return []
        now = session.sim.step_count
        if now - self._last < self._period:
            return []
        self._last = now
        charge = session.sim.devices.power.charge(session.place.body.name, session.place.name)
        return [p.NewsBattery(-1.0 if math.isnan(charge) else charge)]

    def reset(self) -> None:
        """The simulation went back to its start."""
        self._last = 0
