"""Displays: images that programs draw on, shown on a surface."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from numpy.random import Generator

from solidbody.devices.actuators.canvas import Bytes, Canvas, load_pixels, pixels_of, save_pixels
from solidbody.devices.core.device_binding import BoundDevice
from solidbody.devices.core.device_frames import DeviceWorld
from solidbody.devices.core.group import Group
from solidbody.devices.imaging.cameras import Cameras
from solidbody.model.devices import DeviceDisplay


@dataclass(slots=True)
class DisplayState:
    """What a program has drawn, the images that it keeps by number, and the camera behind it."""

    canvas: Canvas
    images: dict[int, Bytes] = field(default_factory=dict[int, Bytes])
    camera: tuple[Cameras, int] | None = None
    shown: Bytes | None = None


class Displays(Group[DeviceDisplay]):
    """Draw on `canvas(row)`, then call `refresh(row)`: the picture is on the surface from then on."""

    acts = True

    def __init__(self, devices: Sequence[BoundDevice], world: DeviceWorld, rng: Generator) -> None:
        super().__init__(devices, world, rng)
        self.states = [DisplayState(Canvas(d.width, d.height)) for d in self.devices]
        for row in range(len(self.devices)):
            self.refresh(row)

    def reset(self) -> None:
        """Nothing is drawn, no image is kept."""
        super().reset()
        for row, state in enumerate(self.states):
            state.canvas.clear()
            state.images.clear()
            state.camera = state.shown = None
            self.refresh(row)

    def resume(self, before: Group[DeviceDisplay]) -> None:
        """Show what was drawn; in another world cameras are other ones, and have to be attached again."""
        for row, (device, state) in enumerate(zip(self.devices, self.states, strict=True)):
            if before.world is not self.world:
                state.camera = None
            if state.canvas.size != (device.width, device.height):
                state = DisplayState(Canvas(device.width, device.height), camera=state.camera)
                self.states[row] = state
                if state.camera is not None:
                    state.canvas.uncover()
            state.shown = None
            self.refresh(row)

    def withdraw(self) -> None:
        """See `Group.withdraw`."""
        for bound, device in zip(self.bound, self.devices, strict=True):
            if device.shape is not None:
                self.world.surfaces.pictures.pop((bound.link, device.shape), None)

    def canvas(self, row: int) -> Canvas:
        """Return what to draw on."""
        return self.states[row].canvas

    def picture(self, row: int) -> Bytes:
        """Return (height, width, 4): what the display shows, in front of its camera's picture."""
        state = self.states[row]
        behind = None if state.camera is None else state.camera[0].image(state.camera[1])
        return state.canvas.pixels.copy() if behind is None else state.canvas.over(behind)

    def refresh(self, row: int) -> None:
        """Show what was drawn."""
        shape = self.devices[row].shape
        if shape is not None:
            self.world.surfaces.set_picture((self.bound[row].link, shape), self.picture(row))

    # ------------------------------------------------------------------ camera

    def attach_camera(self, row: int, cameras: Cameras, camera: int) -> None:
        """Show the pictures of a camera behind what is drawn; what is black becomes clear for it."""
        self.states[row].camera = (cameras, camera)
        self.canvas(row).uncover()

    def exchange_cameras(self, old: Cameras, new: Cameras) -> None:
        """Show the pictures of another group of cameras, which took the place of one."""
        for state in self.states:
            if state.camera is not None and state.camera[0] is old:
                state.camera = new, state.camera[1]

    def detach_camera(self, row: int) -> None:
        """Show what is drawn only."""
        self.states[row].camera = None

    def is_busy(self) -> bool:
        """Pictures of cameras change by themselves."""
        return any(state.camera is not None for state in self.states)

    def shown_devices(self) -> list[int]:
        """Cameras come before those that see their pictures on displays, as in a mirror."""
        behind = [state.camera for state in self.states if state.camera is not None]
        return [cameras.bound[row].index for cameras, row in behind]

    def act(self) -> None:
        """Show new pictures of cameras."""
        for row, state in enumerate(self.states):
            if state.camera is not None:
                cameras, camera = state.camera
                image = cameras.image(camera)
                if image is not state.shown:
                    state.shown = image
                    self.refresh(row)

    # ------------------------------------------------------------------ images

    def image_new(
        self, row: int, number: int, data: bytes, order: str, width: int, height: int
    ) -> str:
        """Keep an image made of raw bytes under a number; returns what is wrong, or nothing."""
        try:
            self.states[row].images[number] = pixels_of(data, order, width, height)
        except ValueError as problem:
            return str(problem)
        return ""

    def image_load(self, row: int, number: int, path: str) -> str:
        """Keep an image from a file under a number; returns what is wrong, or nothing."""
        try:
            self.states[row].images[number] = load_pixels(Path(path))
        except (OSError, ValueError) as problem:
            return f'cannot read "{path}" as a PNG or JPEG picture: {problem}'
        return ""

    def image_copy(self, row: int, number: int, x: int, y: int, width: int, height: int) -> None:
        """Keep a part of what was drawn under a number."""
        self.states[row].images[number] = self.canvas(row).copy(x, y, width, height)

    def image_paste(self, row: int, number: int, x: int, y: int, *, blend: bool) -> str:
        """Draw an image that is kept; returns what is wrong, or nothing."""
        image = self.states[row].images.get(number)
        if image is None:
            return f"there is no image {number}"
        self.canvas(row).paste(image, x, y, blend=blend)
        return ""

    def image_save(self, row: int, number: int | None, path: str) -> str:
        """Write an image that is kept (None: what is shown) to a file; returns what is wrong, or nothing."""
        image = self.picture(row) if number is None else self.states[row].images.get(number)
        if image is None:
            return f"there is no image {number}"
        try:
            save_pixels(image, Path(path))
        except (OSError, ValueError) as problem:
            return f'cannot write "{path}": {problem}'
        return ""

    def image_delete(self, row: int, number: int) -> str:
        """Forget an image; returns what is wrong, or nothing."""
        if self.states[row].images.pop(number, None) is None:
            return f"there is no image {number}"
        return ""
