"""Sampling clock: in which steps each device is sampled."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

OFF = 0
"""Period of a device that is off."""


class SamplingClock:
    """Sampling periods of all devices.

    A device that is enabled has its first value one period later; a period that is not a multiple
    of the time step is rounded up to the next one.
    """

    def __init__(self, count: int, time_step: float) -> None:
        self.time_step = time_step
        self.periods: NDArray[np.int64] = np.zeros(count, dtype=np.int64)
        """Steps between samples; OFF = never."""
        self.last: NDArray[np.int64] = np.zeros(count, dtype=np.int64)
        """Step of the last sample, or of being enabled."""
        self.asked: NDArray[np.float64] = np.zeros(count)
        """Periods as they were asked for [s]."""
        self._together = 0
        self._next = -1
        self._all: NDArray[np.intp] | None = None
        """All devices that are on, if they are sampled at the same steps; None = not known, or not so."""
        self._was_together = False
        """Whether they were at the time before the last one, so that the same time has passed for all."""
        self._elapsed: NDArray[np.float64] = np.zeros(0)
        self._kept: dict[int, tuple[int, int]] = {}
        """Devices that keep their rate: step of the start, samples since then."""

    def enable(self, device: int, period: float, now: int, *, keeps_rate: bool = False) -> None:
        """Sample `device` every `period` seconds from step `now` on; 0 turns it off.

        With `keeps_rate`, sample number n comes at the first step at or after n periods.
        """
        self.periods[device] = self._steps(period) if period > 0.0 else OFF
        self._kept.pop(device, None)
        if keeps_rate and period > 0.0:
            self._kept[device] = (now, 0)
        self.last[device] = now
        self.asked[device] = max(period, 0.0)
        self._next = -1
        self._all = None

    def _steps(self, time: float) -> int:
        # less than a part in 1e9 above a whole number of steps is rounding, not another step
        return math.ceil(time / self.time_step * (1.0 - 1e-9))

    def steps_until_due(self, now: int) -> int | None:
        """Return how many steps may pass before a device is due; None = none is on."""
        if self._next < 0:
            on = self.periods > 0
            self._next = int((self.last + self.periods)[on].min()) if on.any() else 0
        return max(self._next - now, 1) if self._next > 0 else None

    def is_due(self, devices: NDArray[np.intp], now: int) -> NDArray[np.bool_]:
        """Return which of some devices are to be sampled at step `now`."""
        periods = self.periods[devices]
        return (periods > 0) & (now - self.last[devices] >= periods)

    def due(self, now: int) -> NDArray[np.intp]:
        """Return the devices to be sampled at step `now`, and take them as sampled.

        The same array comes again and again while all devices are sampled at the same steps.
        """
        if self._all is not None and now == self._next:
            self._next = now + self._together
            self._was_together = True
            return self._all
        self._was_together = False
        ready = np.flatnonzero((self.periods > 0) & (now - self.last >= self.periods))
        self._next = -1
        on = np.flatnonzero(self.periods > 0)
        is_common = len(ready) == len(on) > 0 and not self._kept
        self._all = None
        if is_common and (self.periods[on] == self.periods[on[0]]).all():
            self._all, self._together = ready, int(self.periods[on[0]])
            self._elapsed = np.full(len(ready), float(self._together)) * self.time_step
            self._elapsed.flags.writeable = False
            self._next = now + self._together
        return ready

    def sampled(self, devices: NDArray[np.intp], now: int) -> NDArray[np.float64]:
        """Note that `devices` were sampled at step `now`; return the time since their last sample [s]."""
        if self._was_together and devices is self._all:
            self.last[devices] = now
            return self._elapsed
        elapsed = (now - self.last[devices]).astype(np.float64) * self.time_step
        self.last[devices] = now
        if self._kept:
            for device in self._kept.keys() & set(devices.tolist()):
                start, count = self._kept[device]
                self._kept[device] = (start, count + 1)
                due = start + self._steps((count + 2) * float(self.asked[device]))
                self.periods[device] = max(due - now, 1)
        return elapsed

    def go_back(self, now: int) -> None:
        """Go back to step `now`: who has been sampled after it is sampled again at the same steps."""
        late = np.flatnonzero((self.last > now) & (self.periods > 0))
        self.last[late] = now - (now - self.last[late]) % self.periods[late]
        for device in self._kept.keys() & set(late.tolist()):
            start, count = self._kept[device]
            asked = float(self.asked[device])
            while count > 0 and start + self._steps(count * asked) > now:
                count -= 1
            start = min(start, now)
            self._kept[device] = (start, count)
            self.last[device] = start + self._steps(count * asked)
            self.periods[device] = start + self._steps((count + 1) * asked) - self.last[device]
        self._all = None
        self._next = -1

    def reset(self) -> None:
        """Go back to step 0; periods stay."""
        self.last[:] = 0
        self._all = None
        for device in self._kept:
            self._kept[device] = (0, 0)
            self.periods[device] = self._steps(float(self.asked[device]))
        self._next = -1
