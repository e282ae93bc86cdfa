"""Brings the hand of an arm to a point by a policy; arguments: x, y and z of the point [m].

Four joints with position sensors, and a GPS in the hand.
"""

import math
import sys

from controller import Robot
from policy import LearnedPolicy

JOINTS = ("base", "shoulder", "elbow", "wrist")
SPEED = 2.0  # [rad/s] of an action of 1
CONTROL_STEPS = 4  # of the world, for each action

point = [float(word) for word in sys.argv[1:4]] or [0.4, 0.3, 0.5]
robot = Robot()
step = int(robot.getBasicTimeStep())
policy = LearnedPolicy("policy.json")
gps = robot.getDevice("gps")
motors = [robot.getDevice(name) for name in JOINTS]
sensors = [robot.getDevice(name + " sensor") for name in JOINTS]
for sensor in [gps, *sensors]:
    sensor.enable(step)
for motor in motors:
    motor.setPosition(math.inf)
    motor.setVelocity(0.0)
robot.step(step)

before = angles = [sensor.getValue() for sensor in sensors]
rates = [0.0] * 4
while True:
    hand = gps.getValues()
    x, y, z = (there - here for there, here in zip(point, hand))
    sine, cosine = math.sin(angles[0]), math.cos(angles[0])
    observed = angles + [0.3 * rate for rate in rates] + list(hand)
    observed += [cosine * x + sine * y, cosine * y - sine * x, z, sine, cosine]
    for motor, action in zip(motors, policy(observed)):
        motor.setVelocity(SPEED * action)
    for _ in range(CONTROL_STEPS):
        before = angles
        if robot.step(step) == -1:
            raise SystemExit
        angles = [sensor.getValue() for sensor in sensors]
    rates = [(now - was) * 1000.0 / step for now, was in zip(angles, before)]
