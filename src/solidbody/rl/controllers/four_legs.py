"""Walks on four legs by a policy: inertial unit, gyro, GPS, eight joints with position sensors."""

import math

from controller import Robot
from policy import LearnedPolicy

LEGS = ("front left", "front right", "hind left", "hind right")
JOINTS = [leg + " " + joint for leg in LEGS for joint in ("hip", "knee")]
STANCE = [0.45, -0.9] * 4  # [rad]
REACH = [0.45, 0.55] * 4  # [rad] from the stance, of an action of 1
CADENCE = 2.0  # [Hz] of the clock
CONTROL_STEPS = 4  # of the world, for each action
SETTLE_STEPS = 10

robot = Robot()
step = int(robot.getBasicTimeStep())
policy = LearnedPolicy("policy.json")
gps, imu, gyro = (robot.getDevice(name) for name in ("gps", "imu", "gyro"))
motors = [robot.getDevice(name) for name in JOINTS]
sensors = [robot.getDevice(name + " sensor") for name in JOINTS]
for sensor in [gps, imu, gyro, *sensors]:
    sensor.enable(step)
for motor, angle in zip(motors, STANCE):
    motor.setPosition(angle)
for _ in range(SETTLE_STEPS):
    robot.step(step)


def unrotated(quaternion, vector):
    """Return a vector of the world in the robot's axes; quaternions are x y z w."""
    x, y, z, w = quaternion
    a, b, c = vector
    # v - 2 w (u x v) + 2 u x (u x v), with u = (x, y, z)
    i, j, k = y * c - z * b, z * a - x * c, x * b - y * a
    p, q, r = y * k - z * j, z * i - x * k, x * j - y * i
    return [a - 2.0 * (w * i - p), b - 2.0 * (w * j - q), c - 2.0 * (w * k - r)]


before = angles = [sensor.getValue() for sensor in sensors]
rates = [0.0] * 8
clock = 0.0
while True:
    turn = imu.getQuaternion()
    place, speed = gps.getValues(), gps.getSpeedVector()
    observed = unrotated(turn, [0.0, 0.0, 1.0]) + unrotated(turn, speed)
    observed += [0.3 * rate for rate in gyro.getValues()]
    observed += [imu.getRollPitchYaw()[2], place[1], place[2] - 0.27]
    observed += [angle - stance for angle, stance in zip(angles, STANCE)]
    observed += [0.1 * rate for rate in rates]
    observed += [math.sin(clock), math.cos(clock)]
    for motor, action, stance, reach in zip(motors, policy(observed), STANCE, REACH):
        motor.setPosition(stance + reach * action)
    clock += 2.0 * math.pi * CADENCE * CONTROL_STEPS * step / 1000.0
    for _ in range(CONTROL_STEPS):
        before = angles
        if robot.step(step) == -1:
            raise SystemExit
        angles = [sensor.getValue() for sensor in sensors]
    rates = [(now - was) * 1000.0 / step for now, was in zip(angles, before)]
