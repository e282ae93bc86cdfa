"""Between devices and controllers: what a device tells of itself, obeys, and reports."""

from __future__ import annotations

import math
import mmap
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from solidbody.contact.tables import MotorMode
from solidbody.control.node_types import NUMBERS, OF_DEVICE
from solidbody.devices.bound import Bound, JointDevice
from solidbody.devices.vision import Cameras, ImageGroup, Lidars
from solidbody.model import devices as d
from solidbody.model.joints import JointSlider, JointTrack
from solidbody.model.motors import Brake, Motor, PositionSensor

if TYPE_CHECKING:
    from solidbody.control.session import Session

Warn = str | None
"""A message for the controller's console, or nothing."""


class Adapter:
    """A device as its controller sees it. Commands return a message for the console, or None."""

    def __init__(self, session: Session, bound: Bound, tag: int) -> None:
        self.session, self.bound, self.tag = session, bound, tag
        self.sim = session.sim
        self.sent = -1  # step of the last value that was reported

    def describe(self) -> dict[str, Any]:
        """Return what the controller is told at the start."""
        device = self.bound.device
        kind = OF_DEVICE.get(type(device), "NO_NODE")
        return {
            "tag": self.tag,
            "name": device.name,
            "type": NUMBERS[kind],
            "class": kind,
            "model": getattr(device, "model", ""),
            **self.properties(),
        }

    def properties(self) -> dict[str, Any]:
        """Return what is particular to this kind."""
        return {}

    def command(self, name: str, arguments: tuple[Any, ...]) -> Warn:
        """Obey a command."""
        handler = getattr(self, f"do_{name}", None)
        if handler is None:
            return f'Warning: "{self.bound.name}" does not know the command {name}'
        return handler(*arguments)

    def report(self) -> Any:
        """Return the present value for the controller; None if there is no new one."""
        return None

    def reset(self) -> None:
        """The simulation went back to its start."""
        self.sent = -1


class SensorAdapter(Adapter):
    """A sensor that is sampled by the device engine."""

    def do_enable(self, period_ms: int) -> Warn:
        """Sample every `period_ms`; 0 = off."""
        self.sim.devices.enable(self.bound, period_ms / 1000.0)
        self.sent = self.sim.step_count
        return None

    def report(self) -> Any:
        """The value, if it was sampled since the last report."""
        clock = self.sim.devices.clock
        last = int(clock.last[self.bound.index])
        if last <= self.sent or not clock.periods[self.bound.index]:
            return None
        self.sent = last
        return self.value()

    def value(self) -> Any:
        """The value as plain numbers."""
        group, row = self.sim.devices.group_of(self.bound)
        values = group.values[row]
        return float(values[0]) if group.width == 1 else tuple(values.tolist())


class LookupAdapter(SensorAdapter):
    """A sensor with a lookup table."""

    def properties(self) -> dict[str, Any]:
        """The table."""
        rows = self.bound.device.lookup.rows  # type: ignore[union-attr]
        return {"table": [x for row in rows for x in (row.input, row.output, row.noise)]}


class DistanceAdapter(LookupAdapter):
    """A distance sensor."""

    def properties(self) -> dict[str, Any]:
        """Table, range of values, cone and type."""
        device = self.bound.device
        assert isinstance(device, d.DeviceDistanceSensor)
        outputs = [row.output for row in device.lookup.rows] or [0.0]
        kinds = list(d.DistanceKind)
        return {
            **super().properties(),
            "min_value": min(outputs),
            "max_value": max(outputs),
            "aperture": device.aperture,
            "kind": kinds.index(device.kind),
        }


class TouchAdapter(LookupAdapter):
    """A touch sensor."""

    def properties(self) -> dict[str, Any]:
        """Table and type."""
        device = self.bound.device
        assert isinstance(device, d.DeviceTouchSensor)
        return {**super().properties(), "kind": list(d.TouchKind).index(device.kind)}


class GpsAdapter(SensorAdapter):
    """A GPS."""

    def properties(self) -> dict[str, Any]:
        """Coordinate system: 0 local, 1 on the globe."""
        return {"system": int(self.sim.scene.geodesy.gps_system != "local")}


class InertialAdapter(SensorAdapter):
    """An inertial unit."""

    def properties(self) -> dict[str, Any]:
        """Its noise."""
        return {"noise": getattr(self.bound.device, "noise", 0.0)}


def is_linear(session: Session, bound: Bound) -> bool:
    """Whether a joint device sits on a joint that slides."""
    link = session.links[bound.link]
    return isinstance(link.joint, JointSlider | JointTrack)


class JointAdapter(Adapter):
    """A device on a joint: it knows the other devices on the same axis."""

    def properties(self) -> dict[str, Any]:
        """Type of joint and tags of the companions."""
        return {"linear": is_linear(self.session, self.bound), "companions": self._companions()}

    def _companions(self) -> dict[str, int]:
        found: dict[str, int] = {}
        key = (self.bound.link, self.bound.axis_number)
        for tag, other in self.session.tagged:
            if isinstance(other.device, JointDevice) and (other.link, other.axis_number) == key:
                found[type(other.device).__name__] = tag
        return found


class PositionAdapter(JointAdapter, SensorAdapter):
    """A position sensor."""


class BrakeAdapter(JointAdapter):
    """A brake: damping that is added to that of the joint."""

    def do_damping(self, value: float) -> Warn:
        """Brake with this damping constant."""
        if value < 0.0:
            return (
                f'Error: wb_brake_set_damping_constant(): "{self.bound.name}" got a negative value'
            )
        assert self.bound.axis is not None
        self.sim.compiled.tables.axes[self.bound.axis]["brake"] = value
        return None


class MotorAdapter(JointAdapter):
    """A motor, with the commands, limits and messages of section 7.4; coupled motors follow each other."""

    def __init__(self, session: Session, bound: Bound, tag: int) -> None:
        super().__init__(session, bound, tag)
        assert isinstance(bound.device, Motor)
        self.motor: Motor = bound.device
        self.is_effort = False

    def properties(self) -> dict[str, Any]:
        """Limits and controller."""
        m = self.motor
        low, high = m.range or (0.0, 0.0)
        return {
            **super().properties(),
            "max_velocity": m.max_velocity,
            "max_effort": m.max_effort,
            "min_position": low,
            "max_position": high,
            "acceleration": -1.0 if m.acceleration is None else m.acceleration,
            "multiplier": m.multiplier,
            "pid": (m.pid.p, m.pid.i, m.pid.d),
            "target_position": self._axis_value("target_position", 0.0),
        }

    @property
    def _axis(self) -> Any:
        return self.sim.compiled.tables.axes[self.bound.axis]

    def _axis_value(self, name: str, otherwise: float) -> float:
        return otherwise if self.bound.axis is None else float(self._axis[name])

    def _coupled(self) -> list[MotorAdapter]:
        base, mark, _ = self.motor.name.partition("::")
        if not mark:
            return [self]
        return [
            other
            for other in self.session.adapters
            if isinstance(other, MotorAdapter) and other.motor.name.partition("::")[0] == base
        ]

    def do_position(self, value: float) -> Warn:
        """Go to a position; an infinite one means: turn at the target velocity."""
        return _first(motor.go_to(value) for motor in self._coupled())

    def go_to(self, value: float) -> Warn:
        """The same, for this motor only."""
        if self.bound.axis is None:
            return None
        axis, motor = self._axis, self.motor
        if self.is_effort or axis["mode"] == MotorMode.NONE:
            self.is_effort = False
        if math.isinf(value):
            axis["mode"] = MotorMode.VELOCITY
            axis["target_velocity"] = self._velocity
            return None
        goal, warning = value * motor.multiplier, None
        if motor.range is not None and not motor.range[0] <= goal <= motor.range[1]:
            low, high = motor.range
            side, limit = ("low", low) if goal < low else ("big", high)
            word = "minPosition" if goal < low else "maxPosition"
            warning = (
                f"Warning: {motor.name}: too {side} requested position: {goal:g} "
                f"{'<' if goal < low else '>'} {word} {limit:g}"
            )
            goal = limit
        axis["target_position"] = goal
        axis["target_velocity"] = abs(self._velocity)
        axis["mode"] = MotorMode.POSITION
        return warning

    _wanted: float | None = None

    @property
    def _velocity(self) -> float:
        return self.motor.max_velocity if self._wanted is None else self._wanted

    def do_velocity(self, value: float) -> Warn:
        """Target velocity, or greatest velocity in position control."""
        return _first(motor.turn_at(value) for motor in self._coupled())

    def turn_at(self, value: float) -> Warn:
        """The same, for this motor only."""
        motor, warning = self.motor, None
        wanted = value * motor.multiplier
        if abs(wanted) > motor.max_velocity:
            warning = (
                f"Warning: {motor.name}: The requested velocity {wanted:g} exceeds 'maxVelocity' = "
                f"{motor.max_velocity:g}."
            )
            wanted = math.copysign(motor.max_velocity, wanted)
        self._wanted = wanted
        if self.bound.axis is not None:
            is_position = self._axis["mode"] == MotorMode.POSITION
            self._axis["target_velocity"] = abs(wanted) if is_position else wanted
        return warning

    def do_effort(self, value: float) -> Warn:
        """Push with this force or torque."""
        return _first(motor.push(value) for motor in self._coupled())

    def push(self, value: float) -> Warn:
        """The same, for this motor only."""
        if self.bound.axis is None:
            return None
        axis, motor, warning = self._axis, self.motor, None
        raw = value * motor.multiplier
        limit = float(axis["available_effort"])
        if abs(raw) > limit:
            if len(self._coupled()) == 1:
                warning = (
                    f"Warning: {motor.name}: The requested motor force {raw:g} exceeds the available "
                    f"{limit:g}."
                )
            raw = math.copysign(limit, raw)
        axis["target_effort"] = raw
        axis["mode"] = MotorMode.EFFORT
        self.is_effort = True
        return warning

    def do_available(self, value: float) -> Warn:
        """Greatest force or torque from now on."""
        if self.bound.axis is None:
            return None
        warning = None
        if value > self.motor.max_effort:
            warning = (
                f"Warning: {self.motor.name}: The requested available force {value:g} exceeds "
                f"{self.motor.max_effort:g}."
            )
            value = self.motor.max_effort
        self._axis["available_effort"] = max(value, 0.0)
        return warning

    def do_acceleration(self, value: float) -> Warn:
        """Limit of the change of velocity; -1 = none."""
        if self.bound.axis is not None:
            self._axis["acceleration"] = math.inf if value < 0.0 else value
        return None

    def do_pid(self, p: float, i: float, d: float) -> Warn:
        """Gains of the position controller; its memory is cleared."""
        if self.bound.axis is not None:
            axis = self._axis
            axis["p"], axis["i"], axis["d"] = p, i, d
            state = self.sim.motor_states[self.bound.axis]
            state["integral"] = state["error"] = 0.0
        return None

    feedback_period = 0
    feedback_last = 0

    def do_feedback(self, period_ms: int) -> Warn:
        """Report force or torque every `period_ms`; 0 = not."""
        step_ms = self.sim.time_step * 1000.0
        self.feedback_period = math.ceil(period_ms / step_ms - 1e-9)
        self.feedback_last = self.sim.step_count
        return None

    def report(self) -> Any:
        """The force feedback, if it is due."""
        now = self.sim.step_count
        if not self.feedback_period or now - self.feedback_last < self.feedback_period:
            return None
        self.feedback_last = now
        return float(self.sim.motor_states[self.bound.axis]["reaction"])

    def reset(self) -> None:
        """Back to the state after loading."""
        super().reset()
        self._wanted, self.is_effort, self.feedback_last = None, False, 0


def _first(messages: Any) -> Warn:
    """Run all, return the first message."""
    found = [message for message in list(messages) if message]
    return found[0] if found else None


class ImageAdapter(SensorAdapter):
    """A device that takes images: they go through shared memory, reports only count them."""

    pixel = 4

    def __init__(self, session: Session, bound: Bound, tag: int) -> None:
        super().__init__(session, bound, tag)
        self.count = 0
        self._memory: mmap.mmap | None = None
        self._path: Path | None = None

    def size(self) -> tuple[int, int]:
        """Width and height of the image."""
        device = self.bound.device
        return device.width, device.height  # type: ignore[union-attr]

    def properties(self) -> dict[str, Any]:
        """Size and where to find images."""
        width, height = self.size()
        device = self.bound.device
        path = self.session.shared_file(width * height * self.pixel, f"image{self.tag}")
        self._path = path
        return {
            "width": width,
            "height": height,
            "fov": getattr(device, "field_of_view", 0.0),
            "near": getattr(device, "near", 0.0),
            "memory": "" if path is None else str(path),
        }

    def value(self) -> Any:
        """The number of the picture, which is in shared memory by then."""
        group, row = self.sim.devices.group_of(self.bound)
        assert isinstance(group, ImageGroup)
        image = group.images[row]
        if image is None:
            return None
        self.write(self.encoded(image))
        self.count += 1
        return self.count

    def encoded(self, image: np.ndarray) -> bytes:
        """Return the bytes that the controller sees."""
        return np.ascontiguousarray(image).tobytes()

    def write(self, data: bytes) -> None:
        """Put an image where the controller finds it."""
        if self._path is None:  # a controller in our own process
            self.session.local_images[self.tag] = data
            return
        if self._memory is None:
            with self._path.open("r+b") as file:
                self._memory = mmap.mmap(file.fileno(), 0)
        self._memory[: len(data)] = data


class CameraAdapter(ImageAdapter):
    """A camera: blue, green, red, alpha."""

    def properties(self) -> dict[str, Any]:
        """Exposure, zoom and focus as well."""
        device = self.bound.device
        assert isinstance(device, d.DeviceCamera)
        zoom, focus = device.zoom, device.focus
        return {
            **super().properties(),
            "exposure": device.exposure,
            "min_fov": zoom.min_field_of_view if zoom else device.field_of_view,
            "max_fov": zoom.max_field_of_view if zoom else device.field_of_view,
            "has_zoom": zoom is not None,
            "focal_length": focus.focal_length if focus else 0.0,
            "focal_distance": focus.focal_distance if focus else 0.0,
            "min_focal_distance": focus.min_focal_distance if focus else 0.0,
            "max_focal_distance": focus.max_focal_distance if focus else 0.0,
            "has_recognition": device.recognition is not None,
            "has_segmentation": bool(device.recognition and device.recognition.segmentation),
        }

    def encoded(self, image: np.ndarray) -> bytes:
        """BGRA."""
        out = np.empty((*image.shape[:2], 4), dtype=np.uint8)
        out[..., :3] = image[..., ::-1]
        out[..., 3] = 255
        return out.tobytes()

    def _group(self) -> tuple[Cameras, int]:
        group, row = self.sim.devices.group_of(self.bound)
        assert isinstance(group, Cameras)
        return group, row

    def do_fov(self, angle: float) -> Warn:
        """Zoom."""
        group, row = self._group()
        group.set_field_of_view(row, angle)
        return None

    def do_exposure(self, value: float) -> Warn:
        """Factor on the light."""
        group, row = self._group()
        group.states[row].exposure = value
        return None

    def do_focal_distance(self, value: float) -> Warn:
        """Where the picture is sharp."""
        group, row = self._group()
        group.states[row].focal_distance = value
        return None


class RangeAdapter(ImageAdapter):
    """A range finder: 32-bit floats."""

    def properties(self) -> dict[str, Any]:
        """Range as well."""
        device = self.bound.device
        assert isinstance(device, d.DeviceRangeFinder)
        return {
            **super().properties(),
            "min_range": device.min_range,
            "max_range": device.max_range,
        }


class LidarAdapter(ImageAdapter):
    """A lidar: 32-bit floats, and points when they are asked for."""

    wants_points = False

    def size(self) -> tuple[int, int]:
        """Samples and layers."""
        device = self.bound.device
        assert isinstance(device, d.DeviceLidar)
        return device.samples, device.layers

    def properties(self) -> dict[str, Any]:
        """Geometry of the scan."""
        device = self.bound.device
        assert isinstance(device, d.DeviceLidar)
        head = device.head
        low, high = device.yaw_range
        bottom, top = device.pitch_range
        points = self.session.shared_file(device.samples * device.layers * 40, f"points{self.tag}")
        self._points_path = points
        return {
            **super().properties(),
            "fov": 2 * math.pi if head else high - low,
            "vertical_fov": top - bottom,
            "min_range": device.min_range,
            "max_range": device.max_range,
            "frequency": head.frequency if head else 0.0,
            "min_frequency": head.min_frequency if head else 0.0,
            "max_frequency": head.max_frequency if head else 0.0,
            "points_memory": "" if points is None else str(points),
        }

    def do_point_cloud(self, wanted: bool) -> Warn:
        """Whether points are reported as well."""
        self.wants_points = wanted
        return None

    def do_frequency(self, value: float) -> Warn:
        """Turns of the head per second."""
        group, row = self.sim.devices.group_of(self.bound)
        assert isinstance(group, Lidars)
        group.states[row].frequency = value
        return None

    def value(self) -> Any:
        """The number of the scan; points are in shared memory by then."""
        number = super().value()
        if number is not None and self.wants_points:
            group, row = self.sim.devices.group_of(self.bound)
            assert isinstance(group, Lidars)
            data = group.points(row).tobytes()
            if self._points_path is None:
                self.session.local_images[-self.tag] = data
            else:
                with self._points_path.open("r+b") as file:
                    file.write(data)
        return number


ADAPTERS: Final[dict[type, type[Adapter]]] = {
    Motor: MotorAdapter,
    PositionSensor: PositionAdapter,
    Brake: BrakeAdapter,
    d.DeviceAccelerometer: LookupAdapter,
    d.DeviceGyro: LookupAdapter,
    d.DeviceCompass: LookupAdapter,
    d.DeviceAltimeter: SensorAdapter,
    d.DeviceGps: GpsAdapter,
    d.DeviceInertialUnit: InertialAdapter,
    d.DeviceImu: SensorAdapter,
    d.DeviceForceSensor: SensorAdapter,
    d.DeviceDistanceSensor: DistanceAdapter,
    d.DeviceLightSensor: LookupAdapter,
    d.DeviceTouchSensor: TouchAdapter,
    d.DeviceCamera: CameraAdapter,
    d.DeviceRangeFinder: RangeAdapter,
    d.DeviceLidar: LidarAdapter,
}
"""Adapter of each kind of device; the others are known by name only."""
