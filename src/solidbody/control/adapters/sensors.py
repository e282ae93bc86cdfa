"""Sensors that tell their controllers more than a value and a curve."""

from __future__ import annotations

from typing import Any

from solidbody.control import protocol as p
from solidbody.control.adapters.base import SensorAdapter
from solidbody.model import devices as d


class DistanceAdapter(SensorAdapter):
    """A distance sensor."""

    facts = p.DistanceSensorFacts

    def properties(self) -> dict[str, Any]:
        """Table, range of values, cone and type."""
        device = self.bound.device
        assert isinstance(device, d.DeviceDistanceSensor)
        outputs = [row.output for row in device.lookup.rows] or [0.0]
        kinds = list(d.DistanceKind)
        return {
            **super().properties(),
            "min_value": min(outputs),
            "max_value": max(outputs),
            "aperture": device.aperture,
            "kind": kinds.index(device.kind),
        }


class TouchAdapter(SensorAdapter):
    """A touch sensor."""

    facts = p.TouchSensorFacts

    def properties(self) -> dict[str, Any]:
        """Table and type."""
        device = self.bound.device
        assert isinstance(device, d.DeviceTouchSensor)
        return {**super().properties(), "kind": list(d.TouchKind).index(device.kind)}


class GpsAdapter(SensorAdapter):
    """A GPS."""

    facts = p.GpsFacts

    def properties(self) -> dict[str, Any]:
        """Coordinate system: 0 local, 1 on the globe."""
        return {"system": int(self.sim.scene.geodesy.gps_system != "local")}


class InertialAdapter(SensorAdapter):
    """An inertial unit."""

    facts = p.InertialUnitFacts

    def properties(self) -> dict[str, Any]:
        """Its noise, and whether angles are counted as in worlds with y up."""
        return {
            "noise": getattr(self.bound.device, "noise", 0.0),
            "y_up": self.sim.scene.geodesy.up[1] > 0.5,
        }
