"""Lamps that programs switch: LEDs and the lights of robots."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.random import Generator

from solidbody.devices.core.device_binding import BoundDevice
from solidbody.devices.core.device_frames import DeviceWorld
from solidbody.devices.core.group import Group
from solidbody.model.appearance import Color
from solidbody.model.devices import DeviceLed, DeviceLight

BLACK: Color = (0.0, 0.0, 0.0)


def led_color(device: DeviceLed, value: int) -> Color:
    """Return what an LED shows for a value: 0 = off, n = its n-th colour, or by brightness.

    A gradual one with colours dims the first of them by value/255; without any, the value is 0xRRGGBB.
    A value that names no colour shows the last one.
    """
    if value <= 0:
        return BLACK
    if not device.gradual:
        return device.colors[min(value, len(device.colors)) - 1] if device.colors else BLACK
    if device.colors:
        share = min(value, 255) / 255.0
        r, g, b = device.colors[0]
        return r * share, g * share, b * share
    return (value >> 16 & 255) / 255.0, (value >> 8 & 255) / 255.0, (value & 255) / 255.0


class Leds(Group[DeviceLed]):
    """Let shapes and lamps glow; the value is what a program has set."""

    keeps_state = True

    def __init__(self, devices: Sequence[BoundDevice], world: DeviceWorld, rng: Generator) -> None:
        super().__init__(devices, world, rng)
        self.reset()

    def reset(self) -> None:
        """All are off."""
        for row in range(len(self.devices)):
            self.set(row, 0)

    def resume(self, before: Group[DeviceLed]) -> None:
        """Glow as before."""
        for row, value in enumerate(self.values[:, 0].tolist()):
            self.set(row, int(value))

    def withdraw(self) -> None:
        """See `Group.withdraw`."""
        for bound, device in zip(self.bound, self.devices, strict=True):
            for number in device.shapes:
                self.world.surfaces.glow.pop((bound.link, number), None)

    def set(self, row: int, value: int) -> None:
        """Show a colour, see `led_color`."""
        device, surfaces = self.devices[row], self.world.surfaces
        color = led_color(device, value)
        self.values[row] = value
        for number in device.shapes:
            surfaces.set_glow((self.bound[row].link, number), color)
        for number in device.lights:
            light = self.world.scene.lights[number]
            surfaces.set_lamp(number, is_on=color != BLACK, color=color, strength=light.intensity)

    def color(self, row: int) -> Color:
        """Return what it shows."""
        return led_color(self.devices[row], int(self.values[row, 0]))


class RobotLights(Group[DeviceLight]):
    """Lights that can be switched and dimmed; the value is 1 if a light is on, else 0."""

    keeps_state = True

    def __init__(self, devices: Sequence[BoundDevice], world: DeviceWorld, rng: Generator) -> None:
        super().__init__(devices, world, rng)
        first = len(world.scene.lights)
        numbers = {
            place: first + k
            for k, place in enumerate(
                (row, number)
                for row, link in enumerate(world.scene.links())
                for number, device in enumerate(link.devices)
                if isinstance(device, DeviceLight)
            )
        }
        self._lamp = [numbers[bound.link, bound.number] for bound in devices]
        self.reset()

    def reset(self) -> None:
        """As in the file."""
        self.states: list[tuple[Color | None, float | None]] = [(None, None)] * len(self.devices)
        for row, device in enumerate(self.devices):
            self.switch(row, is_on=device.light.is_on)

    def resume(self, before: Group[DeviceLight]) -> None:
        """Shine as before."""
        for row, (color, intensity) in enumerate(self.states):
            self.switch(row, is_on=self.is_on(row), color=color, intensity=intensity)

    def is_on(self, row: int) -> bool:
        """See `Group.is_on`."""
        return bool(self.values[row, 0])

    def turn(self, row: int, *, is_on: bool) -> bool:
        """See `Group.turn`."""
        self.switch(row, is_on=is_on)
        return True

    def switch(
        self,
        row: int,
        *,
        is_on: bool,
        color: Color | None = None,
        intensity: float | None = None,
    ) -> None:
        """Turn a light on or off; colour and intensity are those of the file unless given."""
        light = self.devices[row].light
        self.values[row], self.states[row] = is_on, (color, intensity)
        self.world.surfaces.set_lamp(
            self._lamp[row],
            is_on=is_on,
            color=light.color if color is None else color,
            strength=light.intensity if intensity is None else intensity,
        )
