"""Holds a drone at its place by a policy: GPS, inertial unit, gyro, four propellers."""

import math

from controller import Robot
from policy import LearnedPolicy

ROTORS = [place + " motor" for place in ("front left", "front right", "rear left", "rear right")]
PLACE = (0.0, 0.0, 1.5)  # [m]
HOVER, SPAN = 110.74, 40.0  # [rad/s] of an action of 0, and what an action of 1 adds
CONTROL_STEPS = 2  # of the world, for each action

robot = Robot()
step = int(robot.getBasicTimeStep())
policy = LearnedPolicy("policy.json")
gps, imu, gyro = (robot.getDevice(name) for name in ("gps", "imu", "gyro"))
motors = [robot.getDevice(name) for name in ROTORS]
for sensor in (gps, imu, gyro):
    sensor.enable(step)
for motor in motors:
    motor.setPosition(math.inf)
    motor.setVelocity(HOVER)
robot.step(step)


def unrotated(quaternion, vector):
    """Return a vector of the world in the robot's axes; quaternions are x y z w."""
    x, y, z, w = quaternion
    a, b, c = vector
    # v - 2 w (u x v) + 2 u x (u x v), with u = (x, y, z)
    i, j, k = y * c - z * b, z * a - x * c, x * b - y * a
    p, q, r = y * k - z * j, z * i - x * k, x * j - y * i
    return [a - 2.0 * (w * i - p), b - 2.0 * (w * j - q), c - 2.0 * (w * k - r)]


while True:
    turn = imu.getQuaternion()
    way = [there - here for there, here in zip(PLACE, gps.getValues())]
    observed = unrotated(turn, way) + unrotated(turn, gps.getSpeedVector())
    observed += unrotated(turn, [0.0, 0.0, 1.0]) + list(gyro.getValues())
    for motor, action in zip(motors, policy(observed)):
        motor.setVelocity(HOVER + SPAN * action)
    if robot.step(step * CONTROL_STEPS) == -1:
        break
