"""Devices in motion: what sensors read and actuators do, step by step."""

from solidbody.devices.engine import DeviceEngine
from solidbody.devices.errors import DeviceError

__all__ = ["DeviceEngine", "DeviceError"]
