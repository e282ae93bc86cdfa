"""Steering geometry, gears and differentials: how a car shares out speed and torque to its wheels.

A car that steers by the angle a turns about a point on the line of its rear axle. With the wheelbase L and
the track w, cot(right) = cot(a) - w/2L and cot(left) = cot(a) + w/2L; positive angles are to the right.
"""

from __future__ import annotations

import math

from .chassis import (
    COMBUSTION,
    ELECTRIC,
    FOUR_BY_FOUR,
    PARALLEL_HYBRID,
    POWER_SPLIT_HYBRID,
    PROPULSION,
    TRACTION,
    Chassis,
)

RPM = 60.0 / (2.0 * math.pi)
"""Turns per minute of 1 rad/s."""

STRONGEST = 50.0
"""[rad/s^2] A wheel that speeds up more than this has lost the ground; it gets less torque."""


def steering_angles(car: Chassis, angle: float) -> tuple[float, float]:
    """Return the angles of the right and left front wheel [rad]."""
    if angle == 0.0:
        return 0.0, 0.0
    cot, part = 1.0 / math.tan(angle), car.track_front / (2.0 * car.wheelbase)
    return math.atan(1.0 / (cot - part)), math.atan(1.0 / (cot + part))


def shares(car: Chassis, angle: float) -> tuple[float, float, float]:
    """Return how turning divides speed: right of the front, right of the rear, front of the whole."""
    if angle == 0.0:
        return 0.5, 0.5, 0.5
    right, left = (car.wheelbase / math.sin(a) for a in steering_angles(car, angle))
    front = right / (left + right)
    middle = car.wheelbase / math.tan(angle)
    rear = (middle - 0.5 * car.track_rear) / (2.0 * middle)
    outer = car.wheelbase / math.sin(angle)
    return front, rear, car.radii[1] / car.radii[0] * outer / (outer + middle)


def wheel_speeds(car: Chassis, angle: float, speed: float) -> list[float]:
    """Return the speed of each wheel for a car that drives at `speed` [m/s]; [rad/s]."""
    front, rear, central = shares(car, angle)
    if car.kind != FOUR_BY_FOUR:
        central = 0.5
    sides = (front, 1.0 - front, rear, 1.0 - rear)
    ends = (central, central, 1.0 - central, 1.0 - central)
    radii = (car.radii[0], car.radii[0], car.radii[1], car.radii[1])
    return [4.0 * speed * side * end / radius for side, end, radius in zip(sides, ends, radii)]


class Differentials:
    """Torque for each wheel; where slip is limited, a wheel that spins gets less."""

    def __init__(self, car: Chassis) -> None:
        self._car = car
        self._slips = [0.0, 0.0, 0.0]

    def torques(self, angle: float, torque: float) -> list[float]:
        """Return the torque of each wheel [N*m]."""
        car = self._car
        parts = list(shares(car, angle))
        if car.has_limited_slip:
            self._watch()
            parts = [part * (1.0 - slip) for part, slip in zip(parts, self._slips)]
        front, rear, central = parts
        if car.kind == TRACTION:
            central = 1.0
        elif car.kind == PROPULSION:
            central = 0.0
        return [
            torque * front * central,
            torque * (1.0 - front) * central,
            torque * rear * (1.0 - central),
            torque * (1.0 - rear) * (1.0 - central),
        ]

    def _watch(self) -> None:
        """Add up how far each pair of speeds is apart, between -1 and 1."""
        a, b, c, d = self._car.speeds
        for index, (first, second) in enumerate(((a, b), (c, d), (a + b, c + d))):
            both = first + second
            slip = self._slips[index] + 2.0 * first / both - 1.0 if both else 0.0
            self._slips[index] = min(max(slip, -1.0), 1.0)


def engine_rpm(car: Chassis, gear: int) -> float:
    """Return how fast the engine turns with a gear engaged [1/min]."""
    if gear == 0:
        return 0.0
    ratio = car.gear_ratios[max(gear, 0)]
    return min(abs(sum(car.speeds) / 4.0 * RPM * ratio), car.max_rpm)


def engine_torque(car: Chassis, rpm: float) -> float:
    """Return the greatest torque of the engine [N*m]."""
    burns = max(rpm, car.min_rpm)
    a, b, c = car.engine_coefficients
    torque = 0.0
    if car.engine == COMBUSTION or (car.engine == PARALLEL_HYBRID and burns == rpm):
        torque += a + burns * (b + burns * c)
    if car.engine == POWER_SPLIT_HYBRID and burns == rpm:
        torque += (1.0 - car.split_ratio) * (a + car.split_rpm * (b + car.split_rpm * c))
    if car.engine in (ELECTRIC, PARALLEL_HYBRID, POWER_SPLIT_HYBRID):
        torque += min(car.max_power * RPM / rpm, car.max_torque) if rpm else car.max_torque
    return torque


def output_torque(car: Chassis, gear: int, throttle: float) -> float:
    """Return the torque behind the gearbox [N*m], negative in the reverse gear."""
    rpm = engine_rpm(car, gear)
    if gear == 0 or rpm >= car.max_rpm:
        return 0.0
    # the ratio of the reverse gear is negative
    torque = engine_torque(car, rpm) * throttle * car.gear_ratios[max(gear, 0)]
    if abs(car.acceleration) > STRONGEST:
        torque *= STRONGEST / abs(car.acceleration)
    return torque
