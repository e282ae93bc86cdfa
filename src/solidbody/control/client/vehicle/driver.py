"""`Driver` of Webots' vehicle library: steering, speed, gears, brakes and lights of a car."""

from __future__ import annotations

import math

from controller import Supervisor
from controller.device import complain
from controller.facts import Fact

from .chassis import Chassis
from .drive import Differentials, engine_rpm, output_torque, steering_angles, wheel_speeds

KMH = 3.6
"""km/h of 1 m/s."""

TURNED_BACK = 0.1
"""[rad] An indicator goes off when the steering wheel turns back by this."""

SPEEDOMETER, TACHOMETER = 220.0, 11000.0
"""Ends of the scales [km/h], [1/min]."""


class Driver(Supervisor):
    """Drives a robot made of Webots' Car PROTO: at a cruising speed, or by throttle and gears."""

    INDICATOR_OFF, INDICATOR_RIGHT, INDICATOR_LEFT = range(3)
    SPEED, TORQUE = range(2)
    DOWN, SLOW, NORMAL, FAST = range(4)

    def __init__(self) -> None:
        super().__init__()
        self._sb_chassis = Chassis(self)
        self._sb_differentials = Differentials(self._sb_chassis)
        self._sb_control: int | None = None
        self._sb_angle = self._sb_cruising = self._sb_throttle = self._sb_brake = 0.0
        self._sb_gear = 0
        self._sb_indicator, self._sb_indicator_angle, self._sb_hazard = (
            self.INDICATOR_OFF,
            0.0,
            False,
        )
        self._sb_wiper_mode = self.DOWN
        self._sb_dipped = False

    def step(self, time_step: float | None = None) -> int:
        """Let the simulation advance by one basic time step; return 0, or -1 when it is over."""
        car = self._sb_chassis
        self._sb_blink()
        self._sb_wipe()
        is_reverse = (
            self._sb_cruising < 0.0 if self._sb_control == self.SPEED else self._sb_gear == -1
        )
        car.set_light("backwards", is_reverse and self._sb_control is not None)
        if self._sb_control == self.TORQUE:
            torque = output_torque(car, self._sb_gear, self._sb_throttle)
            for wheel, part in zip(
                car.wheels, self._sb_differentials.torques(self._sb_angle, torque)
            ):
                if wheel is not None:
                    wheel.setTorque(part)
        if self._sb_brake > 0.0:
            self._sb_slow_down()
        before = self.getTime()
        status = super().step(int(self.getBasicTimeStep()))
        if self.getTime() > before:
            car.measure(self.getTime() - before)
            self._sb_turn_needles()
        return status

    def _sb_blink(self) -> None:
        is_on = int(self.getTime() / self._sb_chassis.indicator_period) % 2 == 0
        for side, value in (("right", self.INDICATOR_RIGHT), ("left", self.INDICATOR_LEFT)):
            self._sb_chassis.set_light(
                side, is_on and (self._sb_hazard or self._sb_indicator == value)
            )

    def _sb_wipe(self) -> None:
        car = self._sb_chassis
        if not car.wipers or car.wiper_sensor is None or self._sb_wiper_mode == self.DOWN:
            return
        first = car.wipers[0]
        position = car.wiper_sensor.getValue()
        if position == first.getMinPosition():
            self._sb_move_wipers(first.getMaxPosition())
        pauses = self._sb_wiper_mode == self.SLOW and int(self.getTime()) % 4 != 0
        if position == first.getMaxPosition() or pauses:
            self._sb_move_wipers(first.getMinPosition())

    def _sb_move_wipers(self, position: float) -> None:
        for wiper in self._sb_chassis.wipers:
            wiper.setPosition(position)

    def _sb_slow_down(self) -> None:
        """Brake with the same torque at any speed: damping times speed."""
        car = self._sb_chassis
        for brake, speed in zip(car.brakes, car.speeds):
            if speed:
                brake.setDampingConstant(abs(self._sb_brake * car.brake_coefficient / speed))

    def _sb_turn_needles(self) -> None:
        values = (
            ("speed", abs(self.getCurrentSpeed()) / SPEEDOMETER),
            ("rpm", engine_rpm(self._sb_chassis, self._sb_gear) / TACHOMETER),
        )
        for name, share in values:
            needle = self._sb_chassis.needles[name]
            if needle is not None:
                needle.setPosition(min(share, 1.0) * needle.getMaxPosition())

    # steering and speed

    def setSteeringAngle(self, steeringAngle: float) -> None:
        """Steer; positive = to the right [rad]."""
        if steeringAngle != steeringAngle:
            complain("Warning: Driver.setSteeringAngle() called with NaN")
            return
        car = self._sb_chassis
        self._sb_angle = float(steeringAngle)
        car.angles = list(steering_angles(car, self._sb_angle))
        for motor, angle in zip(car.steering, car.angles):
            motor.setPosition(angle)
        if car.steering_wheel is not None:
            car.steering_wheel.setPosition(10.0 * self._sb_angle)
        if self._sb_control == self.SPEED:
            self.setCruisingSpeed(self._sb_cruising)
        self._sb_stop_indicator()

    def _sb_stop_indicator(self) -> None:
        sign = {self.INDICATOR_RIGHT: 1.0, self.INDICATOR_LEFT: -1.0}.get(self._sb_indicator, 0.0)
        if not sign or not self._sb_chassis.indicator_stops_itself:
            return
        turned = sign * (self._sb_angle - self._sb_indicator_angle)
        if turned > 0.0:
            self._sb_indicator_angle = self._sb_angle
        elif turned <= -TURNED_BACK:
            self.setIndicator(self.INDICATOR_OFF)

    def getSteeringAngle(self) -> float:
        """Return the mean angle of the front wheels [rad]."""
        right, left = (sensor.getValue() for sensor in self._sb_chassis.steering_sensors)
        return 0.5 * (right + left)

    def setCruisingSpeed(self, speed: float) -> None:
        """Drive at a speed [km/h]."""
        car = self._sb_chassis
        was_torque = self._sb_control == self.TORQUE
        for wheel, turn in zip(car.wheels, wheel_speeds(car, self._sb_angle, float(speed) / KMH)):
            if wheel is not None:
                wheel.setVelocity(turn)
                if was_torque:
                    wheel.setPosition(math.inf)
        self._sb_cruising, self._sb_control = float(speed), self.SPEED

    def getTargetCruisingSpeed(self) -> float:
        """Return the speed that was set [km/h]."""
        return self._sb_cruising

    def getCurrentSpeed(self) -> float:
        """Return how fast the driven wheels roll [km/h]."""
        return KMH * self._sb_chassis.mean_speed()

    def setThrottle(self, throttle: float) -> None:
        """Set the throttle, 0 to 1; the engine drives from now on."""
        self._sb_throttle = self._sb_share("throttle", throttle)
        self._sb_control = self.TORQUE

    def getThrottle(self) -> float:
        """Return the throttle."""
        return self._sb_throttle

    def setBrakeIntensity(self, intensity: float) -> None:
        """Brake, 0 to 1."""
        self._sb_brake = self._sb_share("intensity", intensity)
        self._sb_chassis.set_light("brake", self._sb_brake > 0.0)
        if not self._sb_brake:
            for brake in self._sb_chassis.brakes:
                brake.setDampingConstant(0.0)

    def getBrakeIntensity(self) -> float:
        """Return how strongly the car brakes."""
        return self._sb_brake

    @staticmethod
    def _sb_share(name: str, value: float) -> float:
        if 0.0 <= value <= 1.0:
            return float(value)
        side, limit = ("bigger", 0.0) if value < 0.0 else ("smaller", 1.0)
        complain(
            f"Warning: '{name}' should be {side} or equal to {limit:g}, used {limit:g} instead."
        )
        return limit

    def setBrake(self, brake: float) -> None:
        """The same as `setBrakeIntensity` (deprecated)."""
        complain("Warning: Driver.setBrake() is deprecated, use setBrakeIntensity() instead")
        self.setBrakeIntensity(brake)

    def getBrake(self) -> float:
        """The same as `getBrakeIntensity` (deprecated)."""
        complain("Warning: Driver.getBrake() is deprecated, use getBrakeIntensity() instead")
        return self.getBrakeIntensity()

    # gears

    def setGear(self, gear: int) -> None:
        """Engage a gear; 0 = none, -1 = backwards."""
        last = self._sb_chassis.gear_count - 1
        if gear > last:
            complain(f"Warning: this car has only {last} gears.")
        elif gear < -1:
            complain("Warning: Minimum gear value is -1")
        self._sb_gear = min(max(int(gear), -1), last)

    def getGear(self) -> int:
        """Return the gear."""
        return 0 if self._sb_has_no_engine("getGear") else self._sb_gear

    def getGearNumber(self) -> int:
        """Return how many gear ratios there are, that of the reverse gear included."""
        return self._sb_chassis.gear_count

    def getRpm(self) -> float:
        """Return how fast the engine turns [1/min]."""
        return (
            0.0 if self._sb_has_no_engine("getRpm") else engine_rpm(self._sb_chassis, self._sb_gear)
        )

    def _sb_has_no_engine(self, function: str) -> bool:
        is_cruising = self._sb_control == self.SPEED
        if is_cruising:
            complain(
                f"Warning: Driver.{function}() means nothing while the car drives at a cruising speed"
            )
        return is_cruising

    def getControlMode(self) -> int | None:
        """Return SPEED or TORQUE; None before either was chosen."""
        return self._sb_control

    # lights and wipers

    def setIndicator(self, indicator: int) -> None:
        """Set INDICATOR_OFF, INDICATOR_RIGHT or INDICATOR_LEFT."""
        self._sb_indicator, self._sb_indicator_angle = int(indicator), self._sb_angle
        lever = self._sb_chassis.lever
        if lever is not None:
            places = {
                self.INDICATOR_RIGHT: lever.getMaxPosition(),
                self.INDICATOR_LEFT: lever.getMinPosition(),
            }
            lever.setPosition(places.get(self._sb_indicator, 0.0))

    def getIndicator(self) -> int:
        """Return the state of the indicators."""
        return self._sb_indicator

    def setHazardFlashers(self, state: bool) -> None:
        """Let all indicators blink, or not."""
        self._sb_hazard = bool(state)

    def getHazardFlashers(self) -> bool:
        """Return whether all indicators blink."""
        return self._sb_hazard

    def setDippedBeams(self, state: bool) -> None:
        """Switch the front and rear lights."""
        self._sb_dipped = bool(state)
        self._sb_chassis.set_light("front", self._sb_dipped)
        self._sb_chassis.set_light("rear", self._sb_dipped)

    def getDippedBeams(self) -> bool:
        """Return whether front and rear lights are on."""
        return self._sb_dipped

    def setAntifogLights(self, state: bool) -> None:
        """Switch the fog lights."""
        self._sb_chassis.set_light("antifog", bool(state))

    def getAntifogLights(self) -> bool:
        """Return whether the fog lights are on."""
        return self._sb_chassis.light("antifog")

    def setWiperMode(self, mode: int) -> None:
        """Set DOWN, SLOW, NORMAL or FAST."""
        if mode not in range(4):
            complain(f"Error: Driver.setWiperMode(): {mode!r} is none of DOWN, SLOW, NORMAL, FAST")
            return
        if not self._sb_chassis.wipers:
            return
        self._sb_wiper_mode = int(mode)
        for wiper in self._sb_chassis.wipers:
            wiper.setVelocity(4.0 if mode == self.FAST else 2.0)
        if mode == self.DOWN:
            self._sb_move_wipers(self._sb_chassis.wipers[0].getMinPosition())

    def getWiperMode(self) -> int:
        """Return how the wipers move."""
        return self._sb_wiper_mode

    antifog_lights = property(getAntifogLights, setAntifogLights)
    brake_intensity = property(getBrakeIntensity, setBrakeIntensity)
    control_mode = Fact(getControlMode)
    current_speed = Fact(getCurrentSpeed)
    dipped_beams = property(getDippedBeams, setDippedBeams)
    gear = property(getGear, setGear)
    gear_number = Fact(getGearNumber)
    hazard_flashers = property(getHazardFlashers, setHazardFlashers)
    indicator = property(getIndicator, setIndicator)
    rpm = Fact(getRpm)
    steering_angle = property(getSteeringAngle, setSteeringAngle)
    target_cruising_speed = property(getTargetCruisingSpeed, setCruisingSpeed)
    throttle = property(getThrottle, setThrottle)
    wiper_mode = property(getWiperMode, setWiperMode)
