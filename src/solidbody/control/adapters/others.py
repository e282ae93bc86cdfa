"""Devices that hold or sound, as controllers see them; what the engine does not simulate says so."""

from __future__ import annotations

from typing import Any

from solidbody.control.adapters.base import Adapter, SensorAdapter, Warn
from solidbody.model import devices as d


class UnsimulatedAdapter(Adapter):
    """A device whose commands change nothing that can be seen: it says so once."""

    effect = ""
    """What does not happen."""
    _has_said = False

    def command(self, name: str, arguments: tuple[Any, ...]) -> Warn:
        """Take any command that a controller's library sends."""
        if self._has_said:
            return None
        self._has_said = True
        return f'Warning: "{self.bound.name}": {self.effect}'


class RadarAdapter(SensorAdapter):
    """A radar."""

    def properties(self) -> dict[str, Any]:
        """Range and fields of view."""
        device = self.bound.device
        assert isinstance(device, d.DeviceRadar)
        return {
            "min_range": device.min_range,
            "max_range": device.max_range,
            "horizontal_fov": device.horizontal_field_of_view,
            "vertical_fov": device.vertical_field_of_view,
        }


class ConnectorAdapter(UnsimulatedAdapter):
    """A connector."""

    effect = "connectors do not attach in this version"

    def properties(self) -> dict[str, Any]:
        """Kind and state."""
        device = self.bound.device
        assert isinstance(device, d.DeviceConnector)
        return {"kind": device.kind.value, "is_on": device.is_locked}


class GripperAdapter(UnsimulatedAdapter):
    """A vacuum gripper."""

    effect = "vacuum grippers do not hold in this version"

    def properties(self) -> dict[str, Any]:
        """State."""
        device = self.bound.device
        assert isinstance(device, d.DeviceVacuumGripper)
        return {"is_on": device.is_on}


class SpeakerAdapter(UnsimulatedAdapter):
    """A speaker."""

    effect = "speakers are not heard in this version"
