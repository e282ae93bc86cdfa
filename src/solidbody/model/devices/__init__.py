"""Devices: sensors and actuators fixed to links, one frozen dataclass per kind."""

from __future__ import annotations

from solidbody.model.devices import (
    base,
    driving,
    gripping,
    messaging,
    motion,
    proximity,
    showing,
    unknown,
    vision,
)
from solidbody.model.devices.base import *
from solidbody.model.devices.driving import *
from solidbody.model.devices.gripping import *
from solidbody.model.devices.messaging import *
from solidbody.model.devices.motion import *
from solidbody.model.devices.proximity import *
from solidbody.model.devices.showing import *
from solidbody.model.devices.unknown import *
from solidbody.model.devices.vision import *

Device = (
    DrivingDevice
    | GrippingDevice
    | MessagingDevice
    | MotionDevice
    | ProximityDevice
    | ShowingDevice
    | VisionDevice
    | DeviceUnknown
)
"""Everything that can be fixed to a link and sense, act or be seen."""

__all__ = ["Device"]
__all__ += base.__all__
__all__ += driving.__all__
__all__ += gripping.__all__
__all__ += messaging.__all__
__all__ += motion.__all__
__all__ += proximity.__all__
__all__ += showing.__all__
__all__ += unknown.__all__
__all__ += vision.__all__
