"""Rolls a BB-8 in wide bends; arrow keys roll and turn it, space stops it, A lets it go by itself again.

Speeds and keys are those of Webots' controller of this name.
"""

from math import sin

from controller import Keyboard, Robot

TOP = 4.0
"""Speed of the motors [rad/s]."""
FADE = 0.9
"""What a key adds to a speed in each step [rad/s], and what is left of the sum."""
PUSHES = {
    # key: what it adds to pitch and yaw
    Keyboard.UP: (FADE, 0.0),
    Keyboard.DOWN: (-FADE, 0.0),
    Keyboard.LEFT: (0.0, FADE),
    Keyboard.RIGHT: (0.0, -FADE),
}

robot = Robot()
step = int(robot.getBasicTimeStep())
keyboard = robot.getKeyboard()
keyboard.enable(step)
pitch, *yaws = motors = [
    robot.getDevice(f"{name} motor") for name in ("body pitch", "body yaw", "head yaw")
]
for motor in motors:
    motor.setPosition(float("inf"))
    motor.setVelocity(0.0)

print("arrow keys roll and turn the robot, space stops it, A lets it go by itself")
is_alone = True
speeds = [0.0, 0.0]
while robot.step(step) != -1:
    while (key := keyboard.getKey()) > 0:
        if is_alone or key == ord(" "):
            speeds = [0.0, 0.0]
        is_alone = key == ord("A")
        for k, push in enumerate(PUSHES.get(key, ())):
            speeds[k] += push
    speeds = [max(-TOP, min(TOP, FADE * speed)) for speed in speeds]
    if is_alone and robot.getTime() > 1.0:
        speeds = [TOP, sin(5.0 * robot.getTime() / 6.24)]
    pitch.setVelocity(speeds[0])
    for yaw in yaws:
        yaw.setVelocity(speeds[1])
