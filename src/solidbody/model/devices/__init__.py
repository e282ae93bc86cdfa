"""Devices: sensors and actuators fixed to links, one frozen dataclass per kind."""

from __future__ import annotations

from solidbody.model.devices.base import AxisMask, DeviceBase, LookupRow, LookupTable
from solidbody.model.devices.driving import (
    Battery,
    BeltWheel,
    ConveyorKind,
    DeviceCharger,
    DeviceConveyor,
    DeviceMuscle,
    DevicePropeller,
    DeviceRotor,
    DeviceTrackBelt,
    ProximityEffect,
)
from solidbody.model.devices.gripping import (
    ConnectorKind,
    DeviceAttachment,
    DeviceConnector,
    DeviceHolder,
    DeviceVacuumGripper,
    HoldCondition,
)
from solidbody.model.devices.messaging import (
    DeviceDigitalIo,
    DeviceEmitter,
    DeviceMicrophone,
    DeviceReceiver,
    DeviceSpeaker,
    Medium,
)
from solidbody.model.devices.motion import (
    AccelerationRule,
    DeviceAccelerometer,
    DeviceAltimeter,
    DeviceCompass,
    DeviceForceSensor,
    DeviceGps,
    DeviceGyro,
    DeviceImu,
    DeviceInertialUnit,
    DeviceZmp,
    GpsKind,
)
from solidbody.model.devices.proximity import (
    DeviceDistanceSensor,
    DeviceLightSensor,
    DeviceRadar,
    DeviceTouchSensor,
    DistanceKind,
    TouchKind,
)
from solidbody.model.devices.showing import (
    DeviceDisplay,
    DeviceEffect,
    DeviceLed,
    DeviceLight,
    DeviceMarker,
    DevicePen,
    DeviceSkin,
    EffectKind,
    MarkerKind,
)
from solidbody.model.devices.unknown import DeviceUnknown
from solidbody.model.devices.vision import (
    DepthQuality,
    DeviceCamera,
    DeviceLidar,
    DeviceRangeFinder,
    Focus,
    ImageContent,
    Lens,
    LensFlare,
    OcclusionTest,
    Projection,
    Recognition,
    RotatingHead,
    ScanOrder,
    ScanPattern,
    Zoom,
)

Device = (
    DeviceAccelerometer
    | DeviceGyro
    | DeviceImu
    | DeviceInertialUnit
    | DeviceCompass
    | DeviceGps
    | DeviceAltimeter
    | DeviceForceSensor
    | DeviceZmp
    | DeviceDistanceSensor
    | DeviceTouchSensor
    | DeviceLightSensor
    | DeviceRadar
    | DeviceCamera
    | DeviceRangeFinder
    | DeviceLidar
    | DeviceEmitter
    | DeviceReceiver
    | DeviceSpeaker
    | DeviceMicrophone
    | DeviceDigitalIo
    | DeviceConnector
    | DeviceVacuumGripper
    | DeviceHolder
    | DeviceAttachment
    | DevicePropeller
    | DeviceRotor
    | DeviceTrackBelt
    | DeviceConveyor
    | DeviceMuscle
    | DeviceCharger
    | DeviceLight
    | DeviceLed
    | DeviceDisplay
    | DevicePen
    | DeviceSkin
    | DeviceMarker
    | DeviceEffect
    | DeviceUnknown
)
"""Everything that can be fixed to a link and sense, act or be seen."""

__all__ = [
    "AccelerationRule",
    "AxisMask",
    "Battery",
    "BeltWheel",
    "ConnectorKind",
    "ConveyorKind",
    "DepthQuality",
    "Device",
    "DeviceAccelerometer",
    "DeviceAltimeter",
    "DeviceAttachment",
    "DeviceBase",
    "DeviceCamera",
    "DeviceCharger",
    "DeviceCompass",
    "DeviceConnector",
    "DeviceConveyor",
    "DeviceDigitalIo",
    "DeviceDisplay",
    "DeviceDistanceSensor",
    "DeviceEffect",
    "DeviceEmitter",
    "DeviceForceSensor",
    "DeviceGps",
    "DeviceGyro",
    "DeviceHolder",
    "DeviceImu",
    "DeviceInertialUnit",
    "DeviceLed",
    "DeviceLidar",
    "DeviceLight",
    "DeviceLightSensor",
    "DeviceMarker",
    "DeviceMicrophone",
    "DeviceMuscle",
    "DevicePen",
    "DevicePropeller",
    "DeviceRadar",
    "DeviceRangeFinder",
    "DeviceReceiver",
    "DeviceRotor",
    "DeviceSkin",
    "DeviceSpeaker",
    "DeviceTouchSensor",
    "DeviceTrackBelt",
    "DeviceUnknown",
    "DeviceVacuumGripper",
    "DeviceZmp",
    "DistanceKind",
    "EffectKind",
    "Focus",
    "GpsKind",
    "HoldCondition",
    "ImageContent",
    "Lens",
    "LensFlare",
    "LookupRow",
    "LookupTable",
    "MarkerKind",
    "Medium",
    "OcclusionTest",
    "Projection",
    "ProximityEffect",
    "Recognition",
    "RotatingHead",
    "ScanOrder",
    "ScanPattern",
    "TouchKind",
    "Zoom",
]
