"""Devices of a body as Choreonoid's classes: what controllers are told of them, and where their state goes.

A device has a slot of DEVICE_WIDTH numbers in the sections. Sensors fill it with what they measured,
devices with a switch begin with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from solidbody.base.transforms import Pose
from solidbody.devices.actuators.lamps import RobotLights
from solidbody.devices.core.device_binding import BoundDevice
from solidbody.devices.core.errors import DeviceError
from solidbody.devices.core.handles import DeviceHandle
from solidbody.model import devices as d
from solidbody.model.environment import LightPoint, LightSpot
from solidbody.model.links import Body

if TYPE_CHECKING:
    from solidbody.sim import Sim

Floats = NDArray[np.float64]

_SENSORS: Final[dict[type[Any], tuple[str, int]]] = {
    d.DeviceForceSensor: ("ForceSensor", 6),
    d.DeviceGyro: ("RateGyroSensor", 3),
    d.DeviceAccelerometer: ("AccelerationSensor", 3),
    d.DeviceImu: ("Imu", 6),
}
"""Classes of sensors, and how many numbers they measure."""

_SWITCHED: Final[dict[type[Any], str]] = {
    d.DeviceMarker: "MarkerDevice",
    d.DeviceHolder: "HolderDevice",
    d.DeviceAttachment: "AttachmentDevice",
    d.DeviceConveyor: "ConveyorDevice",
}
"""Classes of devices that are only switched."""

_LENSES: Final = {d.Projection.FISHEYE: 1.0, d.Projection.DUAL_FISHEYE: 2.0}


def pose_numbers(pose: Pose) -> tuple[float, ...]:
    """Return a pose as the protocol has it: x y z qw qx qy qz."""
    return (*pose.position, *pose.rotation)


@dataclass(slots=True)
class DeviceSlot:
    """One device of a body.

    Attributes:
        kind: Its class in Choreonoid.
        link: Its link, by its place in the body.
        model: Its description.
        width: How many numbers it measures; 0 = it is no sensor of numbers.
        pictures: File of its pictures; empty = it has none.
    """

    kind: str
    link: int
    model: d.Device
    width: int = 0
    pictures: str = ""

    def facts(self) -> tuple[Any, ...]:
        """Return what hosts are told, the fields of a `BodyDeviceFacts`."""
        model = self.model
        number = -1 if model.number is None else model.number
        numbers, state = _numbers(model), _state(model)
        place = pose_numbers(model.pose)
        return (model.name, self.kind, self.link, number, place, numbers, state, self.pictures)

    def picture_bytes(self) -> int:
        """Return the size of its file of pictures; 0 = it takes none.

        Cameras: three bytes for each pixel; behind them, if they see points, three floats (32 bits) for each.
        Range sensors: a float of 32 bits for each ray.
        """
        match self.model:
            case d.DeviceCamera(width=width, height=height):
                return width * height * (15 if self.kind == "RangeCamera" else 3)
            case d.DeviceLidar(samples=samples, layers=layers):
                return 4 * samples * layers
            case _:
                return 0


def device_slots(body: Body) -> list[DeviceSlot]:
    """Return the devices of a body, in the order of its links."""
    out: list[DeviceSlot] = []
    for index, link in enumerate(body.links):
        for device in link.devices:
            kind, width = _kind(device)
            if kind:
                out.append(DeviceSlot(kind, index, device, width))
    return out


def _kind(device: d.Device) -> tuple[str, int]:
    found = _SENSORS.get(type(device))
    if found is not None:
        return found
    match device:
        case d.DeviceLight(light=LightSpot()):
            return "SpotLight", 0
        case d.DeviceLight(light=LightPoint()):
            return "PointLight", 0
        case d.DeviceLight():
            return "DirectionalLight", 0
        case d.DeviceCamera(content=d.ImageContent.COLOR):
            return "Camera", 0
        case d.DeviceCamera():
            return "RangeCamera", 0
        case d.DeviceLidar():
            return "RangeSensor", 0
        case d.DeviceEffect(kind=kind):
            return f"{kind.value.capitalize()}Device", 0
        case d.DeviceUnknown(kind=name):
            return name, 0
        case _:
            return _SWITCHED.get(type(device), ""), 0


def _numbers(device: d.Device) -> list[float]:
    """Return what a class of Choreonoid knows of its device, in the order of `hosted_body.cpp`."""
    match device:
        case d.DeviceCamera():
            lens = _LENSES.get(device.projection, 0.0)
            colors = float(device.content not in (d.ImageContent.DEPTH, d.ImageContent.POINT_CLOUD))
            view = _across_shorter_side(device)
            out = [device.width, device.height, view, device.near, device.far]
            out += [device.frame_rate or 30.0, lens, colors]
            if device.depth is not None:
                out += [device.depth.min_range, device.depth.max_range]
            return [float(value) for value in out]
        case d.DeviceLidar():
            yaw = device.yaw_range[1] - device.yaw_range[0]
            pitch = device.pitch_range[1] - device.pitch_range[0]
            out = [device.samples, yaw, device.layers, pitch, device.min_range, device.max_range]
            return [float(value) for value in (*out, device.scan_rate or 10.0)]
        case _:
            return []


def _across_shorter_side(camera: d.DeviceCamera) -> float:
    """Return the angle that files give, across the shorter side; the model has that across the width."""
    if camera.projection is not d.Projection.PLANAR or camera.width <= camera.height:
        return camera.field_of_view
    half = np.tan(0.5 * camera.field_of_view) * camera.height / camera.width
    return float(2.0 * np.arctan(half))


def _state(device: d.Device) -> list[float]:
    """Return how a device stands at the start."""
    match device:
        case d.DeviceLight(light=light):
            state = [float(light.is_on), *light.color, light.intensity]
            if isinstance(light, LightSpot):
                state += [light.beam_width, light.cut_off_angle]
            return state
        case _ if type(device) in _SENSORS:
            return []
        case _:
            return [float(getattr(device, "is_on", True))]


# --------------------------------------------------------------------------------- in a simulation


class DeviceCopies:
    """Copies between the devices of a running simulation and their slots.

    Args:
        sim: The simulation.
        slots: The devices of a body.
        first: Row of the body's first link.
        senses: For each device whether somebody reads it.
        show: Told of each new picture: the place of its device, and the shot.
    """

    def __init__(
        self,
        sim: Sim,
        slots: list[DeviceSlot],
        first: int,
        senses: list[int],
        show: Callable[[int, Any], None],
    ) -> None:
        self._slots, self._show = slots, show
        self._handles: list[DeviceHandle | None] = [None] * len(slots)
        self._sim, self._first = sim, first
        read = [k for k, wanted in enumerate(senses) if wanted]
        self._sensed = [k for k in read if slots[k].width]
        self._seeing = [k for k in read if slots[k].picture_bytes()]
        seen = {*self._sensed, *self._seeing}
        self._switched = [k for k in read if k not in seen and self._is_on(k) is not None]
        self._shots: dict[int, object] = {}
        self._stands: dict[int, list[float]] = {}
        self._given = np.zeros(len(slots))
        self._seen = self._given.tobytes()
        for k in (*self._sensed, *self._seeing):
            self._handle(k).enable()

    def _handle(self, k: int) -> DeviceHandle:
        handle = self._handles[k]
        if handle is None:
            slot, engine = self._slots[k], self._sim.devices
            bound = _bound(engine.devices, self._first + slot.link, slot.model)
            engine.wake(bound)
            handle = self._handles[k] = DeviceHandle(engine, bound)
        return handle

    def read(self, changes: Floats, states: Floats) -> None:
        """Write what sensors have measured in the last step; 0 before the first."""
        for k in self._sensed:
            width = self._slots[k].width
            values = self._handle(k).values[:width]
            states[k, :width] = np.nan_to_num(values)
            changes[k] += 1.0
        for k in self._switched:
            now = self._state_now(k)
            if self._stands.get(k) != now:  # somebody has switched it
                states[k, : len(now)], self._stands[k] = now, now
                changes[k] += 1.0
        for k in self._seeing:
            self._look(k, changes, states)

    def _is_on(self, k: int) -> bool | None:
        handle = self._handle(k)
        return handle.group.is_on(handle.row)

    def _state_now(self, k: int) -> list[float]:
        """Return how a switched device stands now, in the order of `_state`."""
        handle, state = self._handle(k), _state(self._slots[k].model)
        state[0] = float(bool(handle.group.is_on(handle.row)))
        if isinstance(handle.group, RobotLights):
            color, intensity = handle.group.states[handle.row]
            state[1:4] = state[1:4] if color is None else color
            state[4] = state[4] if intensity is None else intensity
        return state

    def _look(self, k: int, changes: Floats, states: Floats) -> None:
        """Show the last picture of a sensor, if it is a new one."""
        handle = self._handle(k)
        group: Any = handle.group
        taken = group.shots[handle.row]
        if taken is None or taken is self._shots.get(k):
            return
        self._shots[k] = taken
        self._show(k, taken())
        states[k, :2] = 1.0, states[k, 1] + 1.0
        changes[k] += 1.0

    def write(self, changes: Floats, states: Floats) -> None:
        """Do what programs have said of switches and lights."""
        now = changes.tobytes()
        if now == self._seen:
            return
        self._seen = now
        for k in np.flatnonzero(changes != self._given).tolist():
            self._given[k] = changes[k]
            self._switch(k, states[k])

    def _switch(self, k: int, state: Floats) -> None:
        slot = self._slots[k]
        if slot.width or not np.isfinite(state).all():
            return
        handle = self._handle(k)
        is_on = bool(state[0])
        group = handle.group
        if isinstance(group, RobotLights):
            color = (float(state[1]), float(state[2]), float(state[3]))
            group.switch(handle.row, is_on=is_on, color=color, intensity=float(state[4]))
            return
        try:
            handle.is_on = is_on
        except DeviceError:  # no switch here: nothing comes of it
            return


def picture(slot: DeviceSlot, shot: Any) -> bytes:
    """Return a picture as hosts read it, of just the size that `picture_bytes` says."""
    image = np.asarray(shot.image)
    if not isinstance(slot.model, d.DeviceCamera):
        return image.astype("<f4").tobytes()[: slot.picture_bytes()]
    pixels = slot.model.width * slot.model.height
    colors = np.zeros((pixels, 3), np.uint8)
    if image.ndim == 3:
        colors[:] = image[:, :, :3].reshape(-1, 3)
    if slot.kind != "RangeCamera":
        return colors.tobytes()
    points = np.full((pixels, 3), np.nan, "<f4")
    if shot.points is not None:
        seen = np.asarray(shot.points).reshape(-1, 3)[:pixels]
        points[: len(seen)] = seen
    return colors.tobytes() + points.tobytes()


def _bound(devices: Sequence[BoundDevice], link: int, model: d.Device) -> BoundDevice:
    here = [one for one in devices if one.link == link]
    found = next((one for one in here if one.device is model), None)
    return found or next(one for one in here if one.name == model.name)
