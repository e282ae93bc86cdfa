"""Devices of an io body: state as the last input had it, and what a program changes in it.

Each class has Choreonoid's name and says how it takes its state from the simulated device and gives it back.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from solidbody.base.transforms import quat_to_matrix
from solidbody.control.io_body.rotations import Floats
from solidbody.model import devices as d
from solidbody.model.links import Body

if TYPE_CHECKING:
    from solidbody.control.io_body.link import Link


class Device:
    """A device of a kind that programs only know by name.

    Attributes:
        T_local: Its frame in that of its link, a 4 x 4 matrix.
    """

    def __init__(self, model: d.Device, link: Link, index: int) -> None:
        self.model, self._link, self._index = model, link, index
        self.T_local = np.eye(4)
        self.T_local[:3, :3] = quat_to_matrix(model.pose.rotation)
        self.T_local[:3, 3] = model.pose.position
        self._is_on = bool(getattr(model, "is_on", True))
        self.has_changed = False
        """Whether the next output gives its state to the simulated one."""

    def name(self) -> str:
        """Return its name."""
        return self.model.name

    def id(self) -> int:
        """Return its number in the file; -1 = it has none."""
        return -1 if self.model.number is None else self.model.number

    def index(self) -> int:
        """Return its place among the devices of the body."""
        return self._index

    def typeName(self) -> str:
        """Return the name of its class."""
        return type(self).__name__

    def link(self) -> Link:
        """Return the link that carries it."""
        return self._link

    @property
    def p_local(self) -> Floats:
        """Its place in its link [m]."""
        return self.T_local[:3, 3]

    @property
    def R_local(self) -> Floats:
        """Its rotation in its link."""
        return self.T_local[:3, :3]

    def localTranslation(self) -> Floats:
        """Return `p_local`."""
        return self.p_local

    def localRotation(self) -> Floats:
        """Return `R_local`."""
        return self.R_local

    def on(self, on: bool | None = None) -> bool:
        """Return whether it is switched on; with an argument, switch it."""
        if on is not None:
            self._is_on = bool(on)
        return self._is_on

    def notifyStateChange(self) -> None:
        """Let the next output give this state to the simulated device."""
        self.has_changed = True

    def read_state(self, state: Floats) -> None:
        """Copy the state of the simulated device, as `body_copies/device_slots.py` lays it out."""
        self._is_on = bool(state[0])

    def write_state(self, state: Floats) -> None:
        """Copy the state to where the simulated device takes it from."""
        state[0] = float(self._is_on)

    def show(self, shot: Any) -> None:
        """Take a new picture, of those that see."""


class _Numbers(Device):
    """A sensor of a few numbers, 0 before the first sample."""

    size: ClassVar[int] = 3

    def __init__(self, model: d.Device, link: Link, index: int) -> None:
        super().__init__(model, link, index)
        self.numbers = np.zeros(self.size)

    def read_state(self, state: Floats) -> None:
        """See `Device.read_state`."""
        self.numbers[:] = state[: self.size]

    def write_state(self, state: Floats) -> None:
        """See `Device.write_state`."""
        state[: self.size] = self.numbers


class ForceSensor(_Numbers):
    """Force `f` [N] and torque `tau` [N*m], together `F`."""

    size = 6

    @property
    def F(self) -> Floats:
        return self.numbers

    @property
    def f(self) -> Floats:
        return self.numbers[:3]

    @property
    def tau(self) -> Floats:
        return self.numbers[3:]

    def wrench(self) -> Floats:
        """Return `F`."""
        return self.numbers

    def force(self) -> Floats:
        """Return `f`."""
        return self.f

    def torque(self) -> Floats:
        """Return `tau`."""
        return self.tau


class RateGyroSensor(_Numbers):
    """Angular velocity `w` [rad/s]."""

    @property
    def w(self) -> Floats:
        return self.numbers


class AccelerationSensor(_Numbers):
    """Acceleration less gravity, `dv` [m/s^2]."""

    @property
    def dv(self) -> Floats:
        return self.numbers


class Imu(_Numbers):
    """Acceleration `dv` and angular velocity `w` in one."""

    size = 6

    @property
    def dv(self) -> Floats:
        return self.numbers[:3]

    @property
    def w(self) -> Floats:
        return self.numbers[3:]


class Image:
    """Pixels (height, width, 3), 0 to 255; none before the first picture."""

    def __init__(self, pixels: NDArray[np.uint8] | None = None) -> None:
        self._pixels = pixels

    def empty(self) -> bool:
        """Whether there is no picture yet."""
        return self._pixels is None

    def width(self) -> int:
        """Return the number of columns."""
        return 0 if self._pixels is None else self._pixels.shape[1]

    def height(self) -> int:
        """Return the number of rows."""
        return 0 if self._pixels is None else self._pixels.shape[0]

    def numComponents(self) -> int:
        """Return the numbers per pixel."""
        return 0 if self._pixels is None else self._pixels.shape[2]

    def pixels(self) -> NDArray[np.uint8]:
        """Return the pixels from the top left on, as an array."""
        return np.zeros((0, 0, 3), np.uint8) if self._pixels is None else self._pixels

    def save(self, filename: str) -> bool:
        """Write a picture, in the format that the end of the name says; False if there is none."""
        if self._pixels is None:
            return False
        from PIL import Image as Picture

        Picture.fromarray(self._pixels).save(Path(filename))
        return True


class Camera(Device):
    """Takes pictures."""

    def __init__(self, model: d.DeviceCamera, link: Link, index: int) -> None:
        super().__init__(model, link, index)
        self._view = model
        self._image = Image()

    def constImage(self) -> Image:
        """Return the last picture."""
        return self._image

    image = constImage

    def resolutionX(self) -> int:
        """Return the number of columns."""
        return self._view.width

    def resolutionY(self) -> int:
        """Return the number of rows."""
        return self._view.height

    def fieldOfView(self) -> float:
        """Return the angle across the shorter side [rad]."""
        view = self._view
        share = min(1.0, view.height / view.width)
        return 2.0 * math.atan(math.tan(0.5 * view.field_of_view) * share)

    def frameRate(self) -> float:
        """Return how many pictures it takes a second."""
        return self._view.frame_rate or 0.0

    def show(self, shot: Any) -> None:
        """See `Device.show`."""
        if shot.image is not None:
            self._image = Image(np.asarray(shot.image))


class RangeCamera(Camera):
    """A camera that sees points, too."""

    def __init__(self, model: d.DeviceCamera, link: Link, index: int) -> None:
        super().__init__(model, link, index)
        self._points = np.zeros((0, 3), np.float32)

    def constPoints(self) -> NDArray[np.float32]:
        """Return the last points (n, 3), in the device's frame [m]."""
        return self._points

    points = constPoints

    def numPoints(self) -> int:
        """Return how many points it saw."""
        return len(self._points)

    def show(self, shot: Any) -> None:
        """See `Device.show`."""
        super().show(shot)
        if shot.points is not None:
            self._points = shot.points


class RangeSensor(Device):
    """Distances by angle."""

    def __init__(self, model: d.Device, link: Link, index: int) -> None:
        super().__init__(model, link, index)
        self._data = np.zeros(0)

    def constRangeData(self) -> Floats:
        """Return the last distances [m], row by row."""
        return self._data

    rangeData = constRangeData

    def show(self, shot: Any) -> None:
        """See `Device.show`."""
        self._data = np.asarray(shot.image, dtype=float).ravel()


class Light(Device):
    """A lamp: `on` and how bright."""

    def __init__(self, model: d.DeviceLight, link: Link, index: int) -> None:
        super().__init__(model, link, index)
        self._is_on = model.light.is_on
        self._intensity = model.light.intensity
        self._color = np.array(model.light.color)

    def intensity(self) -> float:
        """Return how bright it is."""
        return self._intensity

    def setIntensity(self, intensity: float) -> None:
        """Set how bright it is."""
        self._intensity = float(intensity)

    def color(self) -> Floats:
        """Return its colour."""
        return self._color

    def setColor(self, color: Sequence[float]) -> None:
        """Set its colour."""
        self._color[:] = color

    def read_state(self, state: Floats) -> None:
        """See `Device.read_state`."""
        super().read_state(state)
        self._color[:], self._intensity = state[1:4], float(state[4])

    def write_state(self, state: Floats) -> None:
        """See `Device.write_state`."""
        super().write_state(state)
        state[1:4], state[4] = self._color, self._intensity


class PointLight(Light):
    """A lamp that shines everywhere."""


class SpotLight(Light):
    """A lamp with a beam."""


class MarkerDevice(Device):
    """A mark for the eye."""


class HolderDevice(Device):
    """Holds what fits while it is on."""


def _class_of(model: d.Device) -> type[Device]:
    if isinstance(model, d.DeviceCamera):
        return Camera if model.content is d.ImageContent.COLOR else RangeCamera
    if isinstance(model, d.DeviceLight):
        return SpotLight if type(model.light).__name__ == "LightSpot" else PointLight
    return _CLASSES.get(type(model), Device)


_CLASSES: dict[type, type[Device]] = {
    d.DeviceForceSensor: ForceSensor,
    d.DeviceGyro: RateGyroSensor,
    d.DeviceAccelerometer: AccelerationSensor,
    d.DeviceImu: Imu,
    d.DeviceLidar: RangeSensor,
    d.DeviceMarker: MarkerDevice,
    d.DeviceHolder: HolderDevice,
}


def devices_of(body: Body, links: Sequence[Link]) -> list[Device]:
    """Return the devices of a body, link by link as in the file."""
    found: list[Device] = []
    for link, source in zip(links, body.links, strict=True):
        for model in source.devices:
            make: Any = _class_of(model)
            found.append(make(model, link, len(found)))
    return found
