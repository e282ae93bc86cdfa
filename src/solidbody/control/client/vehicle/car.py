"""`Car` of Webots' vehicle library: the properties of a car that do not change while it drives."""

from __future__ import annotations

from controller import Supervisor
from controller.facts import Fact

from . import chassis
from .chassis import Chassis


class Car(Supervisor):
    """A robot made of Webots' Car PROTO."""

    TRACTION, PROPULSION, FOUR_BY_FOUR = range(3)
    COMBUSTION_ENGINE, ELECTRIC_ENGINE = chassis.COMBUSTION, chassis.ELECTRIC
    PARALLEL_HYBRID_ENGINE = chassis.PARALLEL_HYBRID
    POWER_SPLIT_HYBRID_ENGINE = chassis.POWER_SPLIT_HYBRID
    WHEEL_FRONT_RIGHT, WHEEL_FRONT_LEFT, WHEEL_REAR_RIGHT, WHEEL_REAR_LEFT = range(4)

    def __init__(self) -> None:
        super().__init__()
        self._sb_chassis = Chassis(self)

    def step(self, time_step: float | None = None) -> int:
        """Let the simulation advance; return 0, or -1 when it is over."""
        before = self.getTime()
        status = super().step(time_step)
        if self.getTime() > before:
            self._sb_chassis.measure(self.getTime() - before)
        return status

    def getType(self) -> int:
        """Return TRACTION, PROPULSION or FOUR_BY_FOUR."""
        return self._sb_chassis.kind

    def getEngineType(self) -> int:
        """Return the kind of engine."""
        return self._sb_chassis.engine

    def getTrackFront(self) -> float:
        """Return the distance between the front wheels [m]."""
        return self._sb_chassis.track_front

    def getTrackRear(self) -> float:
        """Return the distance between the rear wheels [m]."""
        return self._sb_chassis.track_rear

    def getWheelbase(self) -> float:
        """Return the distance between the axles [m]."""
        return self._sb_chassis.wheelbase

    def getFrontWheelRadius(self) -> float:
        """Return the radius of the front wheels [m]."""
        return self._sb_chassis.radii[0]

    def getRearWheelRadius(self) -> float:
        """Return the radius of the rear wheels [m]."""
        return self._sb_chassis.radii[1]

    def getWheelEncoder(self, wheel: int) -> float:
        """Return how far a wheel has turned [rad]."""
        return self._sb_chassis.sensors[wheel].getValue()

    def getWheelSpeed(self, wheel: int) -> float:
        """Return how fast a wheel turns [rad/s]."""
        return self._sb_chassis.speeds[wheel]

    def getRightSteeringAngle(self) -> float:
        """Return the angle of the right front wheel [rad]."""
        return self._sb_chassis.steering_sensors[0].getValue()

    def getLeftSteeringAngle(self) -> float:
        """Return the angle of the left front wheel [rad]."""
        return self._sb_chassis.steering_sensors[1].getValue()

    def setRightSteeringAngle(self, angle: float) -> None:
        """Turn the right front wheel [rad]."""
        self._sb_chassis.steering[0].setPosition(angle)

    def setLeftSteeringAngle(self, angle: float) -> None:
        """Turn the left front wheel [rad]."""
        self._sb_chassis.steering[1].setPosition(angle)

    def getIndicatorPeriod(self) -> float:
        """Return how long an indicator is on, and off [s]."""
        return self._sb_chassis.indicator_period

    def setIndicatorPeriod(self, period: float) -> None:
        """Set how long an indicator is on, and off [s]."""
        self._sb_chassis.indicator_period = float(period)

    def getBackwardsLights(self) -> bool:
        """Return whether the lights for driving backwards are on."""
        return self._sb_chassis.light("backwards")

    def getBrakeLights(self) -> bool:
        """Return whether the brake lights are on."""
        return self._sb_chassis.light("brake")

    def enableLimitedSlipDifferential(self, enable: bool) -> None:
        """Let the differentials limit slip, or not."""
        self._sb_chassis.has_limited_slip = bool(enable)

    def enableIndicatorAutoDisabling(self, enable: bool) -> None:
        """Let indicators go off when the steering wheel turns back, or not."""
        self._sb_chassis.indicator_stops_itself = bool(enable)

    type = Fact(getType)
    engine_type = Fact(getEngineType)
    track_front = Fact(getTrackFront)
    track_rear = Fact(getTrackRear)
    wheelbase = Fact(getWheelbase)
    front_wheel_radius = Fact(getFrontWheelRadius)
    rear_wheel_radius = Fact(getRearWheelRadius)
    right_steering_angle = property(getRightSteeringAngle, setRightSteeringAngle)
    left_steering_angle = property(getLeftSteeringAngle, setLeftSteeringAngle)
    indicator_period = property(getIndicatorPeriod, setIndicatorPeriod)
    backwards_lights = Fact(getBackwardsLights)
    brake_lights = Fact(getBrakeLights)
