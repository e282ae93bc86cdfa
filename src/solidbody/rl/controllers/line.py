"""Follows a line by a policy: the grey picture of a camera, two wheels."""

import math

from controller import Robot
from policy import LearnedPolicy

SPEED = 10.0  # [rad/s] of an action of 1
CONTROL_STEPS = 2  # of the world, for each action

robot = Robot()
step = int(robot.getBasicTimeStep())
policy = LearnedPolicy("policy.json")
camera = robot.getDevice("camera")
camera.enable(step)
motors = [robot.getDevice(side + " motor") for side in ("left", "right")]
for motor in motors:
    motor.setPosition(math.inf)
    motor.setVelocity(0.0)
robot.step(step)

while True:
    picture = camera.getImage()  # blue, green, red, alpha
    observed = [sum(picture[at : at + 3]) // 3 for at in range(0, len(picture), 4)]
    for motor, action in zip(motors, policy(observed)):
        motor.setVelocity(SPEED * action)
    if robot.step(step * CONTROL_STEPS) == -1:
        break
