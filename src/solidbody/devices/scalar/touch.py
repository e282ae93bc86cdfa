"""Force and touch sensors: joint wrenches, and contact forces on a surface (docs/behaviour, W9.3)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from solidbody.base.vectors import cross, multiply, rotate, unrotate
from solidbody.devices.core.device_binding import BoundDevice
from solidbody.devices.core.device_frames import DeviceWorld, Floats, Rows
from solidbody.devices.core.group import Group
from solidbody.devices.core.measurement_model import Finish
from solidbody.model.devices import DeviceForceSensor, DeviceTouchSensor, TouchKind
from solidbody.model.links import Motion


class ForceSensors(Group[DeviceForceSensor]):
    """Force, then moment about the device origin, in the device frame."""

    width = 6
    needs_forces = True

    def sample(self, rows: Rows, elapsed: Floats) -> None:
        """See `Group.sample`."""
        link = self.places.link[rows]
        wrench = self.world.wrenches[link]
        # forces are those of the pose in which the step began, as in Choreonoid
        turn = self.world.start_rotations[link]
        q = multiply(turn, self.places.rotation[rows])
        arm = rotate(turn, self.places.position[rows])
        self.values[rows, :3] = unrotate(q, wrench[:, :3])
        self.values[rows, 3:] = unrotate(q, wrench[:, 3:] - cross(arm, wrench[:, :3]))


class TouchSensors(Group[DeviceTouchSensor]):
    """Touched or not (x), pushed along -x (x), or the force on the sensor (x y z)."""

    width = 3
    needs_every_step = True
    needs_forces = True

    def __init__(self, devices: Sequence[BoundDevice], world: DeviceWorld, rng: Generator) -> None:
        super().__init__(devices, world, rng)
        kinds = [d.kind for d in self.devices]
        self._is_bumper = np.array([kind is TouchKind.BUMPER for kind in kinds])
        self._is_vector = np.array([kind is TouchKind.FORCE_3D for kind in kinds])
        self._finish = Finish(
            [d.lookup for d in self.devices], [d.resolution for d in self.devices]
        )
        links = list(world.scene.links())
        # a force is read from the joint that holds the sensor: without physics there is none
        self._is_real = np.array([links[b.link].motion is Motion.DYNAMIC for b in devices])
        self._was_touched = np.zeros(len(devices), dtype=bool)
        most = max(len(link.shapes) for link in links) + 1
        self._most = most
        # place of each sensor without physics: it feels what its link does not
        self._feels = [(bound.link, bound.number) for bound in devices]
        self._surfaces = [
            np.array([bound.link * most + number for number in device.shapes], dtype=np.intp)
            for bound, device in zip(devices, self.devices, strict=True)
        ]

    def reset(self) -> None:
        """Forget touches as well."""
        super().reset()
        self._was_touched[:] = False

    def value(self, row: int) -> float | Floats:
        """A vector for three components, else a number."""
        return self.values[row].copy() if self._is_vector[row] else float(self.values[row, 0])

    def watch(self, rows: Rows) -> None:
        """A bumper remembers every touch since it was read last."""
        contacts = self.world.contacts
        touching = np.unique(contacts.link * self._most + contacts.shape)
        for row in rows[self._is_bumper[rows]]:
            if not self._was_touched[row]:
                self._was_touched[row] = np.isin(self._surfaces[row], touching).any() or bool(
                    self.world.source.felt(*self._feels[row])
                )

    def sample(self, rows: Rows, elapsed: Floats) -> None:
        """See `Group.sample`."""
        felt = rows[~self._is_bumper[rows]]
        if felt.size:
            wrench = self.world.wrenches[self.places.link[felt], :3]
            force = unrotate(self.places.rotations(self.world, felt), wrench)
            push = np.maximum(-force[:, :1], 0.0)
            force = np.where(self._is_vector[felt, None], force, push)
            force[~self._is_real[felt]] = np.nan
            self.values[felt] = self._finish(felt, force, self.random)
        touched = rows[self._is_bumper[rows]]
        self.values[touched] = self._was_touched[touched, None]
        self._was_touched[touched] = False
