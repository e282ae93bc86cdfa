"""Drives to a goal among obstacles by a policy; arguments: x and y of the goal [m].

Eight distance sensors, GPS, inertial unit, two wheels with position sensors.
"""

import math
import sys

from controller import Robot
from policy import LearnedPolicy

SPEED = 8.0  # [rad/s] of an action of 1
RANGE = 2.0  # [m] of the distance sensors
REACHED = 0.25  # [m] from the goal
CONTROL_STEPS = 8  # of the world, for each action

goal = [float(word) for word in sys.argv[1:3]] or [2.3, 2.3]
robot = Robot()
step = int(robot.getBasicTimeStep())
policy = LearnedPolicy("policy.json")
distances = [robot.getDevice("ds" + str(k)) for k in range(8)]
gps, imu = robot.getDevice("gps"), robot.getDevice("imu")
wheels = [robot.getDevice(side + " sensor") for side in ("left", "right")]
motors = [robot.getDevice(side + " motor") for side in ("left", "right")]
for sensor in [*distances, gps, imu, *wheels]:
    sensor.enable(step)
for motor in motors:
    motor.setPosition(math.inf)
    motor.setVelocity(0.0)
robot.step(step)

before = turns = [wheel.getValue() for wheel in wheels]
rates = [0.0, 0.0]
while True:
    x, y, _ = gps.getValues()
    way = math.hypot(goal[0] - x, goal[1] - y)
    if way < REACHED:
        break
    angle = math.atan2(goal[1] - y, goal[0] - x) - imu.getRollPitchYaw()[2]
    observed = [math.sqrt(max(0.0, sensor.getValue() / RANGE)) for sensor in distances]
    observed += [math.cos(angle), math.sin(angle), way / 3.0]
    observed += [rate / SPEED for rate in rates]
    for motor, action in zip(motors, policy(observed)):
        motor.setVelocity(SPEED * action)
    for _ in range(CONTROL_STEPS):
        before = turns
        if robot.step(step) == -1:
            raise SystemExit(1)
        turns = [wheel.getValue() for wheel in wheels]
    rates = [(now - was) * 1000.0 / step for now, was in zip(turns, before)]
for motor in motors:
    motor.setVelocity(0.0)
robot.step(step)
print(f"arrived at {goal[0]:g} {goal[1]:g} after {robot.getTime():.1f} s", flush=True)
