"""Sensors of Webots' controller API that report numbers; the plainest are generated in `kinds.py`."""

from __future__ import annotations

import math

from .device import NAN, Sensor, complain
from .facts import fact


class VectorSensor(Sensor):
    """Three numbers and a lookup table."""

    _blank = (NAN, NAN, NAN)

    def getValues(self) -> list[float]:
        """Return the last sample."""
        return list(self._read("getValues"))

    def getLookupTable(self) -> list[float]:
        """Return the rows of the lookup table, one after the other."""
        return list(self._facts.get("table", []))

    @property
    def values(self) -> list[float]:
        """The last sample."""
        return self.getValues()

    @property
    def lookup_table(self) -> list[float]:
        """The rows of the lookup table."""
        return self.getLookupTable()


class NumberSensor(Sensor):
    """One number."""

    def getValue(self) -> float:
        """Return the last sample."""
        if not self._period:
            self._is_on("getValue")
        return self._value

    @property
    def value(self) -> float:
        """The last sample."""
        return self.getValue()


class CurveSensor(NumberSensor):
    """One number and a lookup table."""

    def getLookupTable(self) -> list[float]:
        """Return the rows of the lookup table, one after the other."""
        return list(self._facts.get("table", []))

    @property
    def lookup_table(self) -> list[float]:
        """The rows of the lookup table."""
        return self.getLookupTable()


class DistanceSensor(CurveSensor):
    """Distance, through a lookup table."""

    GENERIC, INFRA_RED, SONAR, LASER = range(4)

    getMinValue = fact("min_value", float, "The smallest output of the table.")
    getMaxValue = fact("max_value", float, "The largest output of the table.")
    getAperture = fact("aperture", float, "The opening angle [rad].")
    getType = fact("kind", int, "GENERIC, INFRA_RED, SONAR or LASER.")

    min_value = property(getMinValue)
    max_value = property(getMaxValue)
    aperture = property(getAperture)
    type = property(getType)


class TouchSensor(CurveSensor):
    """Touch or force."""

    BUMPER, FORCE, FORCE3D = range(3)
    _blank = (NAN, NAN, NAN)

    def getValue(self) -> float:
        """Return touch (0 or 1) or force."""
        return self._read("getValue")[0]

    def getValues(self) -> list[float] | None:
        """Return the force vector of a sensor of type "force-3d"."""
        if self.getType() != self.FORCE3D:
            complain('Error: TouchSensor.getValues() needs a sensor of type "force-3d"')
            return None
        return list(self._read("getValues"))

    getType = fact("kind", int, "BUMPER, FORCE or FORCE3D.")

    values = property(getValues)
    type = property(getType)


class GPS(VectorSensor):
    """Position, or latitude, longitude and altitude."""

    LOCAL, WGS84 = range(2)
    _blank = (NAN,) * 7

    def getValues(self) -> list[float]:
        """Return the position."""
        return list(self._read("getValues")[:3])

    def getSpeed(self) -> float:
        """Return the speed [m/s]."""
        return self._read("getSpeed")[3]

    def getSpeedVector(self) -> list[float]:
        """Return the velocity [m/s]."""
        return list(self._read("getSpeedVector")[4:])

    getCoordinateSystem = fact("system", int, "LOCAL or WGS84.")

    @staticmethod
    def convertToDegreesMinutesSeconds(decimalDegrees: float) -> str:
        """Return an angle as text: degrees, minutes, seconds, each with its sign."""
        degrees = int(decimalDegrees)
        minutes = int((decimalDegrees - degrees) * 60)
        seconds = int(((decimalDegrees - degrees) * 60 - minutes) * 60)
        return "%d\u00b0 %d\u2032 %d\u2033" % (degrees, minutes, seconds)

    speed = property(getSpeed)
    speed_vector = property(getSpeedVector)
    coordinate_system = property(getCoordinateSystem)


class InertialUnit(Sensor):
    """Attitude."""

    _blank = (NAN,) * 4

    def getQuaternion(self) -> list[float]:
        """Return the attitude as a quaternion x y z w."""
        return list(self._read("getQuaternion"))

    def getRollPitchYaw(self) -> list[float]:
        """Return roll, pitch and yaw [rad]: about x, y and z, in worlds with y up about x, z and y.

        The attitude is Rz(yaw) Ry(pitch) Rx(roll), with y up Ry(yaw) Rz(pitch) Rx(roll).
        """
        x, y, z, w = self._read("getRollPitchYaw")
        if self._facts["y_up"]:
            sines = (w * x - y * z, x * y + z * w, w * y - x * z)
            cosines = (1 - 2 * (x * x + z * z), 1 - 2 * (y * y + z * z))
        else:
            sines = (w * x + y * z, w * y - z * x, w * z + x * y)
            cosines = (1 - 2 * (x * x + y * y), 1 - 2 * (y * y + z * z))
        return [
            math.atan2(2 * sines[0], cosines[0]),
            math.asin(max(-1.0, min(1.0, 2 * sines[1]))) if x == x else NAN,
            math.atan2(2 * sines[2], cosines[1]),
        ]

    getNoise = fact("noise", float, "The noise field.")

    quaternion = property(getQuaternion)
    roll_pitch_yaw = property(getRollPitchYaw)
    noise = property(getNoise)
