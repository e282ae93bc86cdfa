"""Webots' controller API in plain Python, for robots that solidbody simulates."""

import sys

from . import device, joints, lidar, radar, sensors
from .ansi_codes import AnsiCodes
from .camera import Camera, CameraRecognitionObject
from .connector import Connector
from .contact_point import ContactPoint
from .device import Device, Sensor
from .differential_wheels import DifferentialWheels
from .display import Display
from .emitter import Emitter
from .field import Field
from .joints import Brake, Motor, PositionSensor
from .joystick import Joystick
from .keyboard import Keyboard
from .led import LED
from .lidar import Lidar, LidarPoint
from .motion import Motion
from .mouse import Mouse, MouseState
from .node import Node
from .pen import Pen
from .proto import Proto
from .radar import Radar, RadarTarget
from .range_finder import RangeFinder
from .receiver import Receiver
from .robot import Robot
from .sensors import (
    GPS,
    Accelerometer,
    Altimeter,
    Compass,
    DistanceSensor,
    Gyro,
    InertialUnit,
    LightSensor,
    TouchSensor,
)
from .servo import Servo
from .skin import Skin
from .speaker import Speaker
from .supervisor import Supervisor
from .vacuum_gripper import VacuumGripper

__all__ = [
    "GPS",
    "LED",
    "Accelerometer",
    "Altimeter",
    "AnsiCodes",
    "Brake",
    "Camera",
    "CameraRecognitionObject",
    "Compass",
    "Connector",
    "ContactPoint",
    "Device",
    "DifferentialWheels",
    "Display",
    "DistanceSensor",
    "Emitter",
    "Field",
    "Gyro",
    "InertialUnit",
    "Joystick",
    "Keyboard",
    "Lidar",
    "LidarPoint",
    "LightSensor",
    "Motion",
    "Motor",
    "Mouse",
    "MouseState",
    "Node",
    "Pen",
    "PositionSensor",
    "Proto",
    "Radar",
    "RadarTarget",
    "RangeFinder",
    "Receiver",
    "Robot",
    "Sensor",
    "Servo",
    "Skin",
    "Speaker",
    "Supervisor",
    "TouchSensor",
    "VacuumGripper",
]

_MODULES = {
    device: ("sensor",),
    joints: ("brake", "motor", "position_sensor"),
    lidar: ("lidar_point",),
    radar: ("radar_target",),
    sensors: (
        "accelerometer",
        "altimeter",
        "compass",
        "distance_sensor",
        "gps",
        "gyro",
        "inertial_unit",
        "light_sensor",
        "touch_sensor",
    ),
}
"""Modules that Webots' library has beside ours: programs write `from controller.motor import Motor`."""

for _module, _names in _MODULES.items():
    for _name in _names:
        globals()[_name] = sys.modules[f"{__name__}.{_name}"] = _module
