"""Between devices and controllers: what a device tells of itself, obeys, and reports."""

from __future__ import annotations

from typing import Final

from solidbody.control.adapters import holding, images, joints, others, radio, sensors, showing
from solidbody.control.adapters.base import Adapter, SensorAdapter, Warn
from solidbody.model import devices as d
from solidbody.model.motors import Brake, Motor, PositionSensor

ADAPTERS: Final[dict[type, type[Adapter]]] = {
    Motor: joints.MotorAdapter,
    PositionSensor: joints.PositionAdapter,
    Brake: joints.BrakeAdapter,
    d.DeviceAccelerometer: sensors.LookupAdapter,
    d.DeviceGyro: sensors.LookupAdapter,
    d.DeviceCompass: sensors.LookupAdapter,
    d.DeviceAltimeter: SensorAdapter,
    d.DeviceGps: sensors.GpsAdapter,
    d.DeviceInertialUnit: sensors.InertialAdapter,
    d.DeviceImu: SensorAdapter,
    d.DeviceForceSensor: SensorAdapter,
    d.DeviceDistanceSensor: sensors.DistanceAdapter,
    d.DeviceLightSensor: sensors.LookupAdapter,
    d.DeviceTouchSensor: sensors.TouchAdapter,
    d.DeviceCamera: images.CameraAdapter,
    d.DeviceRangeFinder: images.RangeAdapter,
    d.DeviceLidar: images.LidarAdapter,
    d.DeviceEmitter: radio.EmitterAdapter,
    d.DeviceReceiver: radio.ReceiverAdapter,
    d.DeviceRadar: others.RadarAdapter,
    d.DeviceConnector: holding.ConnectorAdapter,
    d.DeviceVacuumGripper: holding.GripperAdapter,
    d.DeviceLed: showing.LedAdapter,
    d.DevicePen: showing.PenAdapter,
    d.DeviceDisplay: showing.DisplayAdapter,
    d.DeviceSpeaker: others.SpeakerAdapter,
}
"""Adapter of each kind of device; the others are known by name only."""

__all__ = ["ADAPTERS", "Adapter", "SensorAdapter", "Warn"]
