"""Rotors: forces that a program sets, within their limits."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.random import Generator

from solidbody.devices.core.device_binding import BoundDevice
from solidbody.devices.core.device_frames import DeviceWorld
from solidbody.devices.core.group import Group
from solidbody.model.devices import DevicePropeller, DeviceRotor
from solidbody.model.scene import Scene


class Rotors(Group[DeviceRotor]):
    """The value is the force [N] along the rotor's direction and the torque [N*m] against it."""

    width = 2
    keeps_state = True

    def __init__(self, devices: Sequence[BoundDevice], world: DeviceWorld, rng: Generator) -> None:
        super().__init__(devices, world, rng)
        rows = _table_rows(world.scene)
        self._rows = [rows[bound.link, bound.number] for bound in devices]
        self.values[:] = [(d.force, d.torque) for d in self.devices]
        for device in self.devices:
            if device.wall_effect is not None or device.ground_effect is not None:
                world.log.info(
                    "rotor-effect",
                    device.span,
                    "forces do not change near walls and the ground here.",
                    node=f'RotorDevice "{device.name}"',
                )

    def reset(self) -> None:
        """As in the file."""
        for row, device in enumerate(self.devices):
            self.set(row, device.force, device.torque)

    def set(self, row: int, force: float, torque: float | None = None) -> None:
        """Push with a force [N] and turn against it with a torque [N*m], as far as the limits go.

        A torque that is not given stays.
        """
        device = self.devices[row]
        if torque is None:
            torque = float(self.values[row, 1])
        self.values[row] = (
            _within(force, device.force_range),
            _within(torque, device.torque_range),
        )
        commands = self.world.source.state.propellers
        commands["force"][self._rows[row]], commands["moment"][self._rows[row]] = self.values[row]


def _within(value: float, limits: tuple[float, float] | None) -> float:
    return value if limits is None else min(max(value, limits[0]), limits[1])


def _table_rows(scene: Scene) -> dict[tuple[int, int], int]:
    """Return rows of the command table, which lists rotors and driven propellers in the scene's order."""
    found: dict[tuple[int, int], int] = {}
    for row, link in enumerate(scene.links()):
        for number, device in enumerate(link.devices):
            if isinstance(device, DeviceRotor) or (
                isinstance(device, DevicePropeller) and device.motor is not None
            ):
                found[row, number] = len(found)
    return found
