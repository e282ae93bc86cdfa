"""Position sensors of joint axes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from solidbody.devices.core.device_binding import BoundDevice
from solidbody.devices.core.device_frames import DeviceWorld, Floats, Rows
from solidbody.devices.core.group import Group
from solidbody.devices.core.measurement_model import rounded
from solidbody.devices.core.plain import Plain, PlainKind
from solidbody.model.motors import PositionSensor


class PositionSensors(Group[PositionSensor]):
    """Position of the axis, with absolute noise."""

    def __init__(self, devices: Sequence[BoundDevice], world: DeviceWorld, rng: Generator) -> None:
        super().__init__(devices, world, rng)
        self._axis = np.array([-1 if b.axis is None else b.axis for b in devices], dtype=np.intp)
        self._noise = np.array([d.noise for d in self.devices])
        self._step = np.array(
            [np.nan if d.resolution is None else d.resolution for d in self.devices]
        )
        self._is_plain = not self._noise.any() and bool(np.isnan(self._step).all())

    def plain(self, row: int) -> Plain | None:
        """See `Group.plain`."""
        device = self.devices[row]
        if device.noise > 0.0 or device.resolution is not None or self._axis[row] < 0:
            return None
        return Plain(PlainKind.AXIS, int(self._axis[row]))

    def sample(self, rows: Rows, elapsed: Floats) -> None:
        """See `Group.sample`."""
        axis = self._axis[rows]
        position = np.where(axis >= 0, self.world.joints[axis, 0], np.nan)
        if not self._is_plain:
            if self._noise[rows].any():
                position = position + self._noise[rows] * self.random.standard_normal(len(rows))
            step = self._step[rows]
            position = np.where(np.isnan(step), position, rounded(position, step))
        self.values[rows, 0] = position
