"""Sensors and cameras of MuJoCo as devices; those that have no counterpart are named.

| MuJoCo                     | device                                                               |
|----------------------------|----------------------------------------------------------------------|
| accelerometer, gyro        | accelerometer, gyro, at the site                                     |
| framepos, framequat        | GPS, inertial unit                                                   |
| magnetometer               | compass                                                              |
| force, torque              | force sensor of the joint of the body, at the site                   |
| touch                      | touch sensor: the push on the body along z of the site               |
| rangefinder                | distance sensor along z of the site                                  |
| jointpos                   | position sensor of the joint                                         |
| camera                     | camera; its resolution, or 640 x 480                                 |
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, Final

from solidbody.base.transforms import Pose, quat_from_matrix
from solidbody.formats.link_trees.messages import Messages, Spot
from solidbody.formats.mjcf.bodies import AxisParts, Trees
from solidbody.formats.mjcf.compiling import Compilation
from solidbody.formats.mjcf.frames import quaternion, unit, vector
from solidbody.formats.webots.lower.names import UniqueNames
from solidbody.model.devices import (
    Device,
    DeviceAccelerometer,
    DeviceCamera,
    DeviceCompass,
    DeviceDistanceSensor,
    DeviceForceSensor,
    DeviceGps,
    DeviceGyro,
    DeviceInertialUnit,
    DeviceTouchSensor,
    DistanceKind,
    LookupRow,
    LookupTable,
    TouchKind,
)
from solidbody.model.motors import PositionSensor

FAR: Final = 100.0
"""[m] Reach of a range finder without cutoff."""

SIZE: Final = (640, 480)
"""[pixels] Of a camera without resolution."""

CAMERA_TURN: Final = quat_from_matrix(((0.0, -1.0, 0.0), (0.0, 0.0, 1.0), (-1.0, 0.0, 0.0)))
"""Our camera looks along x with z up, in the axes of MuJoCo's, which looks along -z with y up."""

ALONG_Z: Final = quat_from_matrix(((0.0, 0.0, -1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0)))
"""A device that looks along x, turned so that it looks along z."""


@dataclass(slots=True)
class SensorReader:
    """Reads sensors and cameras into the devices of links and joints."""

    compilation: Compilation
    messages: Messages
    trees: Trees
    names: UniqueNames
    _forces: set[int] = field(default_factory=set[int])

    def read_cameras(self) -> None:
        """Put all cameras on their links."""
        import mujoco

        model = self.compilation.model
        for number, camera in enumerate(self.compilation.spec.cameras):
            spot = self.compilation.spot(self.messages, camera)
            if int(model.cam_mode[number]) != mujoco.mjtCamLight.mjCAMLIGHT_FIXED:
                spot.info("moving-camera", "cameras that track or aim stay fixed to their body.")
            if model.cam_projection[number] != 0:
                spot.warning("no-orthographic", "orthographic cameras are left out.")
                continue
            width, height = (int(x) for x in model.cam_resolution[number])
            if width <= 1 or height <= 1:
                width, height = SIZE
            half = math.tan(math.radians(min(float(model.cam_fovy[number]), 170.0)) / 2.0)
            body = int(model.cam_bodyid[number])
            pose = Pose(vector(model.cam_pos[number]), quaternion(model.cam_quat[number]))
            self._add(
                body,
                DeviceCamera(
                    name=self.names.take(camera.name or f"camera {number}"),
                    pose=pose * Pose(rotation=CAMERA_TURN),
                    field_of_view=2.0 * math.atan(half * width / height),
                    width=width,
                    height=height,
                    span=spot.span,
                ),
            )

    def read_sensors(self) -> None:
        """Put all sensors on their links and joints."""
        for number, sensor in enumerate(self.compilation.spec.sensors):
            spot = self.compilation.spot(self.messages, sensor)
            self._read(number, sensor, spot)

    def _read(self, number: int, sensor: Any, spot: Spot) -> None:
        import mujoco

        model, kinds = self.compilation.model, mujoco.mjtSensor
        kind, target = kinds(int(model.sensor_type[number])), int(model.sensor_objid[number])
        if kind == kinds.mjSENS_JOINTPOS:
            parts = self.trees.parts.setdefault(target, AxisParts())
            if parts.sensor is None:
                name = sensor.name or f"{self.trees.joint_names[target]} sensor"
                parts.sensor = PositionSensor(self.names.take(name), span=spot.span)
            return
        place = self._place(number)
        word = kind.name.removeprefix("mjSENS_").lower()
        if place is None or (place[0] == 0 and kind in (kinds.mjSENS_FORCE, kinds.mjSENS_TORQUE)):
            spot.warning("no-sensor", f"sensors of type {word} are not read; it is left out.")
            return
        body, pose = place
        name = sensor.name or f"{word} {number}"
        common: dict[str, Any] = {"pose": pose, "span": spot.span}
        made: Device | None = None
        match kind:
            case kinds.mjSENS_ACCELEROMETER:
                made = DeviceAccelerometer(name=name, **common)
            case kinds.mjSENS_GYRO:
                made = DeviceGyro(name=name, **common)
            case kinds.mjSENS_FRAMEPOS:
                made = DeviceGps(name=name, **common)
            case kinds.mjSENS_FRAMEQUAT:
                made = DeviceInertialUnit(name=name, **common)
            case kinds.mjSENS_MAGNETOMETER:
                made = DeviceCompass(name=name, **common)
            case kinds.mjSENS_FORCE | kinds.mjSENS_TORQUE:
                if target in self._forces:  # one device tells both
                    return
                self._forces.add(target)
                made = DeviceForceSensor(name=name, **common)
            case kinds.mjSENS_TOUCH:
                common["pose"] = pose * Pose(rotation=ALONG_Z)
                made = DeviceTouchSensor(
                    name=name, kind=TouchKind.FORCE, lookup=LookupTable(), **common
                )
            case kinds.mjSENS_RANGEFINDER:
                common["pose"] = pose * Pose(rotation=ALONG_Z)
                reach = float(model.sensor_cutoff[number]) or FAR
                rows = (LookupRow(0.0, 0.0), LookupRow(reach, reach))
                made = DeviceDistanceSensor(
                    name=name,
                    kind=DistanceKind.LASER,
                    lookup=LookupTable(rows),
                    aperture=0.0,
                    **common,
                )
            case _:
                spot.warning("no-sensor", f"sensors of type {word} are not read; it is left out.")
                return
        self._add(body, _named(made, self.names))

    def _place(self, number: int) -> tuple[int, Pose] | None:
        """Return the body that a sensor is fixed to and where, or None if it is on no body."""
        import mujoco

        model, kinds = self.compilation.model, mujoco.mjtObj
        kind, target = int(model.sensor_objtype[number]), int(model.sensor_objid[number])
        if model.sensor_refid[number] >= 0:
            return None
        match kinds(kind):
            case kinds.mjOBJ_SITE:
                pose = Pose(vector(model.site_pos[target]), quaternion(model.site_quat[target]))
                return int(model.site_bodyid[target]), pose
            case kinds.mjOBJ_XBODY:
                return target, Pose()
            case kinds.mjOBJ_BODY:
                return target, Pose(vector(model.body_ipos[target]), unit(model.body_iquat[target]))
            case kinds.mjOBJ_GEOM:
                pose = Pose(vector(model.geom_pos[target]), quaternion(model.geom_quat[target]))
                return int(model.geom_bodyid[target]), pose
            case _:
                return None

    def _add(self, body: int, device: Device) -> None:
        self.trees.devices.setdefault(body, []).append(device)


def _named(device: Device, names: UniqueNames) -> Device:
    return replace(device, name=names.take(device.name))
