"""Webots' controller API in plain Python, for robots that solidbody simulates."""

import sys

from . import device, kinds, lidar, radar
from .ansi_codes import AnsiCodes
from .camera import CameraRecognitionObject
from .contact_point import ContactPoint
from .device import Device, Sensor
from .differential_wheels import DifferentialWheels
from .field import Field
from .joystick import Joystick
from .keyboard import Keyboard
from .kinds import *  # noqa: F403 - one class per kind of device
from .lidar import LidarPoint
from .motion import Motion
from .mouse import Mouse, MouseState
from .node import Node
from .proto import Proto
from .radar import RadarTarget
from .robot import Robot
from .servo import Servo
from .supervisor import Supervisor

__all__ = [
    "AnsiCodes",
    "CameraRecognitionObject",
    "ContactPoint",
    "Device",
    "DifferentialWheels",
    "Field",
    "Joystick",
    "Keyboard",
    "LidarPoint",
    "Motion",
    "Mouse",
    "MouseState",
    "Node",
    "Proto",
    "RadarTarget",
    "Robot",
    "Sensor",
    "Servo",
    "Supervisor",
]
__all__ += kinds.__all__

_MODULES = {"sensor": device, "lidar_point": lidar, "radar_target": radar}
_MODULES.update((name, sys.modules[made.__module__]) for name, made in kinds.MODULES.items())
"""Modules of Webots' library, which ours has under other names: `from controller.motor import Motor`."""

for _name, _module in _MODULES.items():
    globals()[_name] = sys.modules[f"{__name__}.{_name}"] = _module
