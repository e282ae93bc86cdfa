"""Drives a Robotino 3 about and away from what its sensors see; keys take over.

Arrows move it any way, page up and down turn it, space stops it; D lets it move along a square, A lets it go
by itself again. The keys are those of Webots' controller of this name; speeds and how it avoids obstacles are
ours.
"""

import sys
from math import cos, pi, sin

from controller import Keyboard, Robot

RADIUS, DISTANCE = 0.063, 0.1826
"""Of the wheels, and from the middle to them [m]."""
WHEELS = (pi, -pi / 3, pi / 3)
"""Where they are [rad, left of ahead]."""
SPEED, TURN = 0.25, 0.6
"""[m/s], [rad/s]"""
NEAR = 0.25
"""Distance within which obstacles count [m]."""
STOP = (0.0, 0.0, 0.0)
KEYS = {
    # key: speed ahead, to the left, turn to the left
    Keyboard.UP: (SPEED, 0.0, 0.0),
    Keyboard.DOWN: (-SPEED, 0.0, 0.0),
    Keyboard.LEFT: (0.0, SPEED, 0.0),
    Keyboard.RIGHT: (0.0, -SPEED, 0.0),
    Keyboard.PAGEUP: (0.0, 0.0, TURN),
    Keyboard.PAGEDOWN: (0.0, 0.0, -TURN),
    Keyboard.END: STOP,
    ord(" "): STOP,
}
SQUARE = (Keyboard.UP, Keyboard.LEFT, Keyboard.DOWN, Keyboard.RIGHT)

robot = Robot()
step = int(robot.getBasicTimeStep())
keyboard = robot.getKeyboard()
eyes = [robot.getDevice(f"ir{k}") for k in range(1, 10)]
motors = [robot.getDevice(f"wheel{k}_joint") for k in range(3)]
for sensor in (keyboard, *eyes):
    sensor.enable(step)
for motor in motors:
    motor.setPosition(float("inf"))
    motor.setVelocity(0.0)


def wait(seconds):
    """Go on as it is for some time; the program ends with the run."""
    end = robot.getTime() + seconds
    while robot.getTime() < end:
        if robot.step(step) == -1:
            sys.exit(0)


def drive(ahead, left, turn):
    """Move the robot: a wheel that turns forwards pushes it to the right of the way out to it."""
    for k, angle in enumerate(WHEELS):
        push = sin(angle) * ahead - cos(angle) * left - DISTANCE * turn
        motors[k].setVelocity(push / RADIUS)


def nearness(eye):
    """Return 0 for what is far away, up to 1 for what touches it; eyes give volts."""
    distance = 0.1594 * max(eye.getValue(), 0.1) ** -0.8533 - 0.02916
    return max(0.0, min(1.0, 1.0 - distance / NEAR))


def avoid():
    """Drive ahead; turn away from the side where more is near, to the left where it is right ahead."""
    near = [nearness(eye) for eye in eyes]
    sides = [near[k] * cos(k * 2 * pi / 9) for k in (8, 7, 1, 2)]
    turn = sides[0] + sides[1] - sides[2] - sides[3]
    if near[0] > 0.0 and abs(turn) < near[0]:
        turn = near[0] if turn >= 0.0 else -near[0]
    drive(SPEED * (1.0 - 2.0 * near[0]), 0.0, 4.0 * TURN * turn)


print("arrows, page up and page down move the robot, space stops it, D: a square, A: by itself")
wait(2.0)
is_alone = True
last = -1
while robot.step(step) != -1:
    key = keyboard.getKey()
    if key != last:
        last = key
        if key in KEYS:
            is_alone = False
            drive(*KEYS[key])
        elif key == ord("A"):
            is_alone = not is_alone
        elif key == ord("D"):
            for side in SQUARE:
                drive(*KEYS[side])
                wait(2.0)
                drive(*STOP)
                wait(1.0)
    if is_alone:
        avoid()
