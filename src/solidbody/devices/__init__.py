"""Devices of a running simulation: what sensors read and actuators do, step by step."""

from solidbody.devices.core.device_engine import DeviceEngine
from solidbody.devices.core.errors import DeviceError

__all__ = ["DeviceEngine", "DeviceError"]
