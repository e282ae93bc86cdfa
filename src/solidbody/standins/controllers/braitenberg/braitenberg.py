"""Drives small robots about and away from what their distance sensors see, in the way of Braitenberg.

Each wheel turns at the sum over all sensors of weight * (1 - value / middle), in units of the robot. Robots,
weights and units are those of Webots' controller of this name.
"""

import sys

from controller import Robot

ROBOTS = {
    # start of the name, in small letters without spaces: names of the sensors, middle of their range,
    # unit [rad/s], top speed [rad/s], weights for the left and the right wheel
    "e-puck": ("ps", 512, 0.00628, 6.28, (
        (150, -35), (100, -15), (80, -10), (-10, -10), (-10, -10), (-10, 80), (-30, 100), (-20, 150),
    )),
    "kheperaiii": ("ds", 2000, 0.00053429, 19.1, (
        (-5000, -5000), (-20000, 40000), (-30000, 50000), (-70000, 70000), (70000, -60000),
        (50000, -40000), (40000, -20000), (-5000, -5000), (-10000, -10000),
    )),
    "khepera": ("ds", 512, 1.0, 1.0, (
        (-2, 4), (-3, 5), (-7, 7), (7, -6), (5, -4), (4, -2), (-0.5, -0.5), (-0.5, -0.5),
    )),
    "koala": ("ds", 512, 0.1, 10.0, (
        (17, -1), (8, -2), (4, -3), (9, -2), (5, -3), (-4, -2), (-4, -2), (-2, -2),
        (-2, -2), (-2, -4), (-2, -4), (-4, 5), (-3, 8), (-3, 5), (-2, 10), (-1, 15),
    )),
    "pioneer2": ("ds", 512, 0.1, 10.0, (
        (-1, 15), (-3, 13), (-3, 8), (-2, 7), (-3, -4), (-4, -2), (-3, -2), (-1, -1),
        (-1, -1), (-2, -3), (-2, -4), (4, -3), (7, -5), (7, -3), (10, -2), (11, -1),
    )),
}  # fmt: skip

robot = Robot()
step = int(robot.getBasicTimeStep())
name = robot.getName().lower().replace(" ", "")
kind = next((row for start, row in ROBOTS.items() if name.startswith(start)), None)
if kind is None:
    known = ", ".join(ROBOTS)
    sys.exit(
        f'The controller "braitenberg" drives {known} by their names, not "{robot.getName()}".'
    )
prefix, middle, unit, top, weights = kind
sensors = [robot.getDevice(f"{prefix}{k}") for k in range(len(weights))]
motors = [robot.getDevice(f"{side} wheel motor") for side in ("left", "right")]
for sensor in sensors:
    sensor.enable(step)
for motor in motors:
    motor.setPosition(float("inf"))
    motor.setVelocity(0.0)
while robot.step(step) != -1:
    free = [1.0 - sensor.getValue() / middle for sensor in sensors]
    for side, motor in enumerate(motors):
        speed = unit * sum(row[side] * free[k] for k, row in enumerate(weights))
        motor.setVelocity(max(-top, min(top, speed)))
