"""Lets a Spot lie down, stand up, sit down and give a paw, over and over.

It does what Webots' controller of this name does; postures and times are ours.
"""

import sys
from math import sin

from controller import Robot

LEGS = ("front left", "front right", "rear left", "rear right")
JOINTS = ("shoulder abduction", "shoulder rotation", "elbow")
STAND = (-0.1, 0.0, 0.0, 0.1, 0.0, 0.0, -0.1, 0.0, 0.0, 0.1, 0.0, 0.0)
LIE = (-0.4, -0.99, 1.59, 0.4, -0.99, 1.59, -0.4, -0.99, 1.59, 0.4, -0.99, 1.59)
SIT = (-0.2, -0.4, -0.19, 0.2, -0.4, -0.19, -0.4, -0.9, 1.18, 0.4, -0.9, 1.18)
LEAN = (-0.2, -0.3, 0.05, 0.2, -0.4, -0.19, -0.4, -0.9, 1.18, 0.49, -0.9, 0.8)
"""Angles of all joints [rad]; it leans over before it gives its left paw."""
PAW = (4.0, 8.0)
"""Times to lean over and back, and to give the paw [s]."""

robot = Robot()
step = int(robot.getBasicTimeStep())
motors = [robot.getDevice(f"{leg} {joint} motor") for leg in LEGS for joint in JOINTS]
angles = [motor.getTargetPosition() for motor in motors]


def advance():
    """Go on for a step; the program ends with the run."""
    if robot.step(step) == -1:
        sys.exit(0)


def move(posture, seconds):
    """Take all joints to their angles at even speeds."""
    count = max(1, round(1000 * seconds / step))
    start = list(angles)
    for done in range(1, count + 1):
        for k, motor in enumerate(motors):
            angles[k] = start[k] + (posture[k] - start[k]) * done / count
            motor.setPosition(angles[k])
        advance()


def give_paw():
    """Lean to the right, move the left paw up and down, and sit as before."""
    lean, give = PAW
    move(LEAN, lean)
    end = robot.getTime() + give
    while robot.getTime() < end:
        angles[1] = 0.6 + 0.2 * sin(2.0 * robot.getTime())
        angles[2] = 0.4 * sin(2.0 * robot.getTime())
        motors[1].setPosition(angles[1])
        motors[2].setPosition(angles[2])
        advance()
    move(SIT, lean)


while True:
    move(LIE, 4.0)
    move(STAND, 4.0)
    move(SIT, 4.0)
    give_paw()
    move(STAND, 4.0)
    for seconds in (3.0, 2.0, 1.0):
        move(LIE, seconds)
        move(STAND, seconds)
