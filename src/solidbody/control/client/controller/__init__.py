"""Webots' controller API in plain Python, for robots that solidbody simulates."""

from .device import Device, Sensor
from .joints import Brake, Motor, PositionSensor
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
from .supervisor import Supervisor

__all__ = [
    "GPS",
    "Accelerometer",
    "Altimeter",
    "Brake",
    "Compass",
    "Device",
    "DistanceSensor",
    "Gyro",
    "InertialUnit",
    "LightSensor",
    "Motor",
    "PositionSensor",
    "Robot",
    "Sensor",
    "Supervisor",
    "TouchSensor",
]
