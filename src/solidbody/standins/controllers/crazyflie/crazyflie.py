"""Lets a Crazyflie take off and hover at 1 m; arrow keys fly it, Q and E turn it, W and S change its height.

Keys and speeds are those of Webots' controller of this name, the way it is held upright is ours.
"""

import sys
from math import cos, sin

from controller import Keyboard, Robot

HOVER = 55.4
"""Speed of the rotors which carries it [rad/s]."""
WISHES = {
    # key: speed ahead and to the left [m/s], turn to the left [rad/s], climb [m/s]
    Keyboard.UP: (0.5, 0.0, 0.0, 0.0),
    Keyboard.DOWN: (-0.5, 0.0, 0.0, 0.0),
    Keyboard.LEFT: (0.0, 0.5, 0.0, 0.0),
    Keyboard.RIGHT: (0.0, -0.5, 0.0, 0.0),
    ord("Q"): (0.0, 0.0, 1.0, 0.0),
    ord("E"): (0.0, 0.0, -1.0, 0.0),
    ord("W"): (0.0, 0.0, 0.0, 0.1),
    ord("S"): (0.0, 0.0, 0.0, -0.1),
}
TILT = 0.2
"""Most that it leans [rad]."""
ROTORS = ((-1, -1, -1, 1), (1, -1, 1, -1), (-1, 1, 1, 1), (1, 1, -1, -1))
"""Of each motor: way it turns, signs of roll, pitch and yaw."""

robot = Robot()
step = int(robot.getBasicTimeStep())
names = {robot.getDeviceByIndex(i).getName() for i in range(robot.getNumberOfDevices())}
unit = "inertial_unit" if "inertial_unit" in names else "inertial unit"  # before R2023b
imu, gps, gyro = (robot.getDevice(name) for name in (unit, "gps", "gyro"))
keyboard = robot.getKeyboard()
motors = [robot.getDevice(f"m{k}_motor") for k in (1, 2, 3, 4)]
for sensor in (imu, gps, gyro, keyboard):
    sensor.enable(step)
for k, motor in enumerate(motors):
    motor.setPosition(float("inf"))
    motor.setVelocity(ROTORS[k][0])


def held_wishes():
    """Return what the held keys ask for: speed ahead and to the left, turn and climb."""
    wishes = [0.0, 0.0, 0.0, 0.0]
    while (key := keyboard.getKey()) > 0:
        for k, wish in enumerate(WISHES.get(key, ())):
            wishes[k] += wish
    return wishes


def lean(error):
    """Return how far to lean for a speed that is missing [m/s]."""
    return max(-TILT, min(TILT, 0.3 * error))


print("arrow keys fly the drone, Q and E turn it, W and S change its height")
while robot.getTime() <= 2.0:
    if robot.step(step) == -1:
        sys.exit(0)
goal = 1.0
while robot.step(step) != -1:
    ahead, left, turn, climb = held_wishes()
    goal += climb * step / 1000
    roll, pitch, yaw = imu.getRollPitchYaw()
    vx, vy, vz = gps.getSpeedVector()
    roll_rate, pitch_rate, yaw_rate = gyro.getValues()
    along = vx * cos(yaw) + vy * sin(yaw)
    across = vy * cos(yaw) - vx * sin(yaw)
    lift = HOVER + 10.0 * (goal - gps.getValues()[2]) - 5.0 * vz
    inputs = (
        2.0 * (-lean(left - across) - roll) - 0.4 * roll_rate,
        2.0 * (lean(ahead - along) - pitch) - 0.4 * pitch_rate,
        2.0 * (turn - yaw_rate),
    )
    for k, (way, *signs) in enumerate(ROTORS):
        speed = lift + sum(sign * inputs[axis] for axis, sign in enumerate(signs))
        motors[k].setVelocity(way * speed)
