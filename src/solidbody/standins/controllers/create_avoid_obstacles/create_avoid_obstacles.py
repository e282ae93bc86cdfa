"""Drives a Create ahead; where it bumps or the floor ends it goes back and turns, at virtual walls too.

Speeds, times and bounds are those of Webots' controller of this name; turns by chance are the same each time.
"""

import math
import random
import sys

from controller import Robot

FAST, SLOW = 16.0, 8.0
"""Speeds of the wheels [rad/s]."""
RADIUS, AXLE = 0.031, 0.271756
"""Of the wheels, and between them [m]."""
FLOOR = 100
"""What the sensors under it read above a floor, at least."""

robot = Robot()
step = int(robot.getBasicTimeStep())
chance = random.Random(1)
motors = [robot.getDevice(f"{side} wheel motor") for side in ("left", "right")]
turned = [robot.getDevice(f"{side} wheel sensor") for side in ("left", "right")]
bumpers = [robot.getDevice(f"bumper_{side}") for side in ("left", "right")]
cliffs = [
    robot.getDevice(f"cliff_{side}") for side in ("left", "front_left", "right", "front_right")
]
receiver = robot.getDevice("receiver")
for sensor in (*turned, *bumpers, *cliffs, receiver):
    sensor.enable(step)


def advance():
    """Go on for a step; the program ends with the run."""
    if robot.step(step) == -1:
        sys.exit(0)


def drive(left, right):
    """Let both wheels turn [rad/s]."""
    motors[0].setVelocity(left)
    motors[1].setVelocity(right)


def wait(seconds):
    """Go on as it is for some time."""
    end = robot.getTime() + seconds
    advance()
    while robot.getTime() < end:
        advance()


def turn(angle):
    """Turn by an angle, to the right if it is positive [rad]."""
    drive(0.0, 0.0)
    start = [sensor.getValue() for sensor in turned]
    advance()
    speed = math.copysign(SLOW, angle)
    drive(speed, -speed)
    done = 0.0
    while done < abs(angle):
        ways = [RADIUS * (sensor.getValue() - start[k]) for k, sensor in enumerate(turned)]
        done = math.copysign(1.0, angle) * (ways[0] - ways[1]) / AXLE
        advance()
    drive(0.0, 0.0)
    advance()


def is_blocked(side):
    """Whether it bumps or the floor ends on the left (0) or on the right (1)."""
    under = cliffs[2 * side : 2 * side + 2]
    return bumpers[side].getValue() != 0 or any(sensor.getValue() < FLOOR for sensor in under)


for motor in motors:
    motor.setPosition(float("inf"))
drive(0.0, 0.0)
robot.getDevice("led_on").set(1)
wait(0.5)
while True:
    if receiver.getQueueLength() > 0:
        turn(math.pi)
    elif is_blocked(0) or is_blocked(1):
        away = math.pi if is_blocked(0) else -math.pi
        drive(-SLOW, -SLOW)
        wait(0.5)
        turn(away * chance.random())
    else:
        drive(FAST, FAST)
    while receiver.getQueueLength() > 0:
        receiver.nextPacket()
    advance()
