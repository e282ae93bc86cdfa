"""Sensors with extra methods (distance, touch, GPS, inertial unit) as controllers see them."""

from __future__ import annotations

from typing import Any

import numpy as np

from solidbody.control import protocol as p
from solidbody.control.adapters.base import SensorAdapter
from solidbody.model import devices as d


class DistanceAdapter(SensorAdapter[Any, d.DeviceDistanceSensor]):
    """A distance sensor."""

    facts = p.DistanceSensorFacts

    def properties(self) -> dict[str, Any]:
        """Table, range of values, cone and type."""
        outputs = [row.output for row in self.device.lookup.rows] or [0.0]
        return {
            **super().properties(),
            "min_value": min(outputs),
            "max_value": max(outputs),
            "aperture": self.device.aperture,
            "kind": list(d.DistanceKind).index(self.device.kind),
        }


class TouchAdapter(SensorAdapter[Any, d.DeviceTouchSensor]):
    """A touch sensor."""

    facts = p.TouchSensorFacts

    def properties(self) -> dict[str, Any]:
        """Table and type."""
        return {**super().properties(), "kind": list(d.TouchKind).index(self.device.kind)}


class ForceAdapter(SensorAdapter[Any, Any]):
    """A force sensor of Choreonoid, as a touch sensor that reports a force vector."""

    facts = p.TouchSensorFacts

    def properties(self) -> dict[str, Any]:
        """No table, and the type."""
        return {"table": [], "kind": list(d.TouchKind).index(d.TouchKind.FORCE_3D)}

    def value(self) -> tuple[float, ...]:
        """The force, without the moment."""
        return super().value()[:3]


class GpsAdapter(SensorAdapter[Any, Any]):
    """A GPS."""

    facts = p.GpsFacts

    def properties(self) -> dict[str, Any]:
        """Coordinate system: 0 local, 1 on the globe."""
        return {"system": int(self.sim.scene.geodesy.gps_system != "local")}


class InertialAdapter(SensorAdapter[Any, Any]):
    """An inertial unit."""

    facts = p.InertialUnitFacts

    def properties(self) -> dict[str, Any]:
        """Its noise, and whether angles are counted as in worlds with y up."""
        return {
            "noise": getattr(self.device, "noise", 0.0),
            "y_up": self.sim.scene.geodesy.up[1] > 0.5,
        }


class ImuAdapter(InertialAdapter):
    """An IMU of Choreonoid, which has no attitude of its own: that of its frame."""

    def value(self) -> tuple[float, ...]:
        """The attitude, x y z w."""
        group, row = self.sim.devices.group_of(self.bound)
        w, x, y, z = group.places.rotations(group.world, np.array([row]))[0].tolist()
        return x, y, z, w
