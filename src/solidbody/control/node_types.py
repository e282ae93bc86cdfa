"""Numbers of node types, as controllers know them (`Node.ROBOT`, `device.getNodeType()`)."""

from __future__ import annotations

from typing import Final

from solidbody.control.client.solidbody_node_types import NAMES
from solidbody.model import devices as d
from solidbody.model.motors import Brake, Motor, PositionSensor

NUMBERS: Final = {name: number for number, name in enumerate(NAMES)}

OF_DEVICE: Final[dict[type, str]] = {
    d.DeviceAccelerometer: "ACCELEROMETER",
    d.DeviceAltimeter: "ALTIMETER",
    Brake: "BRAKE",
    d.DeviceCamera: "CAMERA",
    d.DeviceCompass: "COMPASS",
    d.DeviceConnector: "CONNECTOR",
    d.DeviceDisplay: "DISPLAY",
    d.DeviceDistanceSensor: "DISTANCE_SENSOR",
    d.DeviceEmitter: "EMITTER",
    d.DeviceGps: "GPS",
    d.DeviceGyro: "GYRO",
    d.DeviceInertialUnit: "INERTIAL_UNIT",
    d.DeviceLed: "LED",
    d.DeviceLidar: "LIDAR",
    d.DeviceLightSensor: "LIGHT_SENSOR",
    Motor: "ROTATIONAL_MOTOR",
    d.DevicePen: "PEN",
    PositionSensor: "POSITION_SENSOR",
    d.DeviceRadar: "RADAR",
    d.DeviceRangeFinder: "RANGE_FINDER",
    d.DeviceReceiver: "RECEIVER",
    d.DeviceSkin: "SKIN",
    d.DeviceSpeaker: "SPEAKER",
    d.DeviceTouchSensor: "TOUCH_SENSOR",
    d.DeviceVacuumGripper: "VACUUM_GRIPPER",
    d.DeviceImu: "INERTIAL_UNIT",
    d.DeviceForceSensor: "TOUCH_SENSOR",
}
"""Node type of each kind of device that a controller can ask for."""
