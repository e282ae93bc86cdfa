"""Drives a Khepera IV about: it turns away from what its three infra-red sensors in front see.

Gains and speeds are those of Webots' controller of this name; colours by chance are the same each time.
"""

import random

from controller import Robot

TOP = 47.6
"""Speed of the wheels [rad/s]."""
GAIN = 0.03

robot = Robot()
step = int(robot.getBasicTimeStep())
chance = random.Random(1)
left_eye, front_eye, right_eye = eyes = [
    robot.getDevice(f"{name} infrared sensor") for name in ("front left", "front", "front right")
]
lamps = [robot.getDevice(f"{name} led") for name in ("front left", "front right", "rear")]
motors = [robot.getDevice(f"{side} wheel motor") for side in ("left", "right")]
for eye in eyes:
    eye.enable(step)
for motor in motors:
    motor.setPosition(float("inf"))
    motor.setVelocity(0.0)

second = 0
while robot.step(step) != -1:
    if int(robot.getTime()) != second:
        second = int(robot.getTime())
        for lamp in lamps:
            lamp.set(chance.randrange(0x1000000))
    mean = 0.2 * (TOP - GAIN * front_eye.getValue())
    turn = GAIN * (left_eye.getValue() - right_eye.getValue())
    for k, speed in enumerate((mean + turn, mean - turn)):
        motors[k].setVelocity(max(-TOP, min(TOP, speed)))
