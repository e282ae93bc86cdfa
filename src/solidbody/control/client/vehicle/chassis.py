"""Dimensions, engine and devices of a car, found by the names that Webots' Car PROTO gives them."""

from __future__ import annotations

import math
import sys
from typing import Any

TRACTION, PROPULSION, FOUR_BY_FOUR = range(3)
COMBUSTION, ELECTRIC, PARALLEL_HYBRID, POWER_SPLIT_HYBRID = range(4)
ENGINES = {"C": COMBUSTION, "E": ELECTRIC, "P": PARALLEL_HYBRID, "S": POWER_SPLIT_HYBRID}

WHEELS = ("right_front", "left_front", "right_rear", "left_rear")
"""Wheels in the order of their numbers."""

LIGHTS = {
    "front": ("front_lights",),
    "rear": ("rear_lights",),
    "antifog": ("antifog_lights",),
    "backwards": ("backwards_lights",),
    "brake": ("brake_lights", "brake_ligths"),  # the second is how Webots' library spells it
    "right": ("right_indicators", "interior_right_indicators"),
    "left": ("left_indicators", "interior_left_indicators"),
}
"""LEDs that a car may have."""

NUMBERS = 20
"""How many values come before the gear ratios in customData."""

PERIOD = 0.34
"""[s] How long an indicator is on, and off."""


class Chassis:
    """What the Car PROTO writes into customData, and the devices.

    Attributes:
        wheelbase: Between the axles [m].
        track_front: Between the front wheels [m].
        track_rear: Between the rear wheels [m].
        radii: Of the front and rear wheels [m].
        kind: TRACTION, PROPULSION or FOUR_BY_FOUR.
        gear_ratios: Of the reverse gear, then of gear 1, 2, ...
        speeds: Of the four wheels [rad/s].
    """

    def __init__(self, robot: Any) -> None:
        self.robot = robot
        words = robot.getCustomData().split(" ")
        try:
            self._read(words)
        except (ValueError, IndexError):
            sys.exit("Error: Only nodes based on the 'Car' node can use the car library.")
        names = robot.devices
        self.steering = [self._needed(f"{side}_steer") for side in ("right", "left")]
        self.steering_sensors = [self._needed(f"{side}_steer_sensor") for side in ("right", "left")]
        self.wheels = [names.get(f"{wheel}_wheel") for wheel in WHEELS]
        self.sensors = [self._needed(f"{wheel}_sensor") for wheel in WHEELS]
        self.brakes = [self._needed(f"{wheel}_brake") for wheel in WHEELS]
        self.lights = {
            light: [names[name] for name in known if name in names]
            for light, known in LIGHTS.items()
        }
        self.steering_wheel = names.get("steering_wheel_motor")
        self.lever = names.get("indicator_lever_motor")
        wipers = [names.get(f"{side}_wiper_motor") for side in ("right", "left")]
        self.wipers = [] if None in wipers else wipers
        self.wiper_sensor = names.get("wiper_sensor")
        self.needles = {name: names.get(f"{name}_needle_motor") for name in ("rpm", "speed")}
        self.kind = self._kind()
        self.indicator_period = PERIOD
        self.has_limited_slip = True
        self.indicator_stops_itself = True
        self.angles = [0.0, 0.0]
        self.speeds = [0.0] * 4
        self.acceleration = 0.0
        self._positions = [0.0] * 4
        self._start()

    def _read(self, words: list[str]) -> None:
        first = [float(word) for word in words[:7]]
        self.wheelbase, self.track_front, self.track_rear = first[:3]
        self.radii = (first[3], first[4])
        self.brake_coefficient, self.damping = first[5:7]
        self.engine = ENGINES.get(words[7], COMBUSTION)
        rest = [float(word) for word in words[8:18]]
        self.max_torque, self.max_power, self.min_rpm, self.max_rpm = rest[:4]
        self.engine_coefficients = rest[4:7]
        self.split_ratio, self.split_rpm, self.sound_rpm = rest[7:10]
        self.gear_count = int(words[18])
        self.gear_ratios = [float(word) for word in words[NUMBERS : NUMBERS + self.gear_count]]
        if len(self.gear_ratios) < 2:
            raise ValueError("a car has two gear ratios at least")

    def _needed(self, name: str) -> Any:
        device = self.robot.devices.get(name)
        if device is None:
            sys.exit(f"Error: Any car should have a device named '{name}'.")
        return device

    def _kind(self) -> int:
        front = None not in self.wheels[:2]
        rear = None not in self.wheels[2:]
        if not front and not rear:
            sys.exit("Error: this car does not have the required motors")
        return FOUR_BY_FOUR if front and rear else TRACTION if front else PROPULSION

    def _start(self) -> None:
        step = int(self.robot.getBasicTimeStep())
        for sensor in (*self.steering_sensors, *self.sensors, self.wiper_sensor):
            if sensor is not None:
                sensor.enable(step)
        for wheel in self.driven():
            wheel.setPosition(math.inf)
            wheel.setVelocity(0.0)
        for side in ("rear", "left_wing", "right_wing"):
            self._show_mirror(side, step)

    def _show_mirror(self, side: str, step: int) -> None:
        """Let a mirror show its camera, at most 25 times per second."""
        display = self.robot.devices.get(f"{side}_display")
        camera = self.robot.devices.get(f"{side}_camera")
        if display is None or camera is None:
            return
        if (display.getWidth(), display.getHeight()) == (camera.getWidth(), camera.getHeight()):
            camera.enable(math.ceil(40 / step) * step)
            display.attachCamera(camera)

    def driven(self) -> list[Any]:
        """Return the motors of the wheels that are driven."""
        return [wheel for wheel in self.wheels if wheel is not None]

    def set_light(self, light: str, state: bool) -> None:
        """Switch a light, where there is one."""
        for led in self.lights[light]:
            led.set(int(state))

    def light(self, light: str) -> bool:
        """Return whether a light is on."""
        return any(led.get() for led in self.lights[light])

    def measure(self, step: float) -> None:
        """Find how fast the wheels turn; `step` seconds have passed."""
        positions = [sensor.getValue() for sensor in self.sensors]
        if any(position != position for position in positions):
            return  # the first sample is still to come
        before = self.speeds
        self.speeds = [(now - old) / step for now, old in zip(positions, self._positions)]
        changes = [(now - old) / step for now, old in zip(self.speeds, before)]
        self.acceleration = max(changes, key=abs)
        self._positions = positions

    def mean_speed(self) -> float:
        """Return how fast the driven wheels roll [m/s]."""
        front = 0.5 * (self.speeds[0] + self.speeds[1]) * self.radii[0]
        rear = 0.5 * (self.speeds[2] + self.speeds[3]) * self.radii[1]
        if self.kind == FOUR_BY_FOUR:
            return 0.5 * (front + rear)
        return front if self.kind == TRACTION else rear
