"""Drives an Elisa-3 about and away from what it sees; arguments: red, green and blue of its lamp (0..255).

Weights are those of Webots' controller of this name: each wheel turns at the sum over all sensors of
weight * (1 - value / middle) [rad/s].
"""

import sys

from controller import Robot

MIDDLE = 63
"""Of what the sensors read."""
WEIGHTS = ((10, 8), (7, -1.5), (5, -1), (-1, -1), (-1, -1), (-1, -1), (-1, 5), (-1.5, 7))
"""Of each sensor for the left and the right wheel."""

robot = Robot()
step = int(robot.getBasicTimeStep())
sensors = [robot.getDevice(f"ps{k}") for k in range(8)]
motors = [robot.getDevice(f"{side} wheel motor") for side in ("left", "right")]
for sensor in sensors:
    sensor.enable(step)
for motor in motors:
    motor.setPosition(float("inf"))
    motor.setVelocity(0.0)
for k in range(8):
    robot.getDevice(f"led{k}").set(1)
if len(sys.argv) > 1:
    try:
        red, green, blue = (int(value) for value in sys.argv[1:])
    except ValueError:
        sys.exit(f"expected red, green and blue (0..255) as arguments, got {sys.argv[1:]}")
    robot.getDevice("ledrgb").set((red << 16) + (green << 8) + blue)

while robot.step(step) != -1:
    free = [1.0 - sensor.getValue() / MIDDLE for sensor in sensors]
    for side, motor in enumerate(motors):
        speed = sum(row[side] * free[k] for k, row in enumerate(WEIGHTS))
        top = motor.getMaxVelocity()
        motor.setVelocity(max(-top, min(top, speed)))
