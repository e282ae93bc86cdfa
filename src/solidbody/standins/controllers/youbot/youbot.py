"""Drives a youBot by keys: arrows and page up/down move it on until space stops it.

Shift and arrows move its arm, plus and minus open and close its gripper. It does what
Webots' controller of this name does, without its demonstration; speeds and places of the arm are ours.
"""

from math import pi

from controller import Keyboard, Robot

SPEED = 4.0
"""Of the wheels [rad/s]."""
WAYS = {
    # key: ways of the wheels: front right, front left, rear right, rear left
    Keyboard.UP: (1, 1, 1, 1),
    Keyboard.DOWN: (-1, -1, -1, -1),
    Keyboard.LEFT: (1, -1, -1, 1),
    Keyboard.RIGHT: (-1, 1, 1, -1),
    Keyboard.PAGEUP: (1, -1, 1, -1),
    Keyboard.PAGEDOWN: (-1, 1, -1, 1),
    Keyboard.END: (0, 0, 0, 0),
    ord(" "): (0, 0, 0, 0),
}
HEIGHTS = (
    (-0.97, -1.55, -0.61, 0.0),
    (-0.62, -0.98, -1.53, 0.0),
    (0.0, -0.77, -1.21, 0.0),
    (1.57, -2.635, 1.78, 0.0),
    (0.678, 0.682, 1.74, 0.0),
    (0.92, 0.42, 1.78, 0.0),
    (-0.4, -1.2, -pi / 2, pi / 2),
)
"""Angles of "arm2" to "arm5" [rad]: floor, plate and box before it, folded, high and low behind, towers."""
FOLDED = 3
TURNS = (-2.949, -pi / 2, -0.2, 0.0, 0.2, pi / 2, 2.949)
"""Angles of "arm1" [rad]."""
AHEAD = 3
ARM = {
    # key: steps in heights and in turns
    Keyboard.SHIFT + Keyboard.UP: (1, 0),
    Keyboard.SHIFT + Keyboard.DOWN: (-1, 0),
    Keyboard.SHIFT + Keyboard.RIGHT: (0, 1),
    Keyboard.SHIFT + Keyboard.LEFT: (0, -1),
}
GRIP = {ord("+"): 0.025, ord("-"): 0.0}
"""Ways of the fingers [m]."""

robot = Robot()
step = int(robot.getBasicTimeStep())
keyboard = robot.getKeyboard()
keyboard.enable(step)
names = {robot.getDeviceByIndex(k).getName() for k in range(robot.getNumberOfDevices())}
wheels = [robot.getDevice(f"wheel{k}") for k in (1, 2, 3, 4)]
joints = [robot.getDevice(f"arm{k}") for k in range(1, 6) if f"arm{k}" in names]
fingers = [robot.getDevice(name) for name in ("finger::left", "finger::right") if name in names]
for wheel in wheels:
    wheel.setPosition(float("inf"))
    wheel.setVelocity(0.0)
if joints:
    joints[1].setVelocity(0.5)
for finger in fingers:
    finger.setVelocity(0.03)


def place_arm(height, turn):
    """Move the arm, if there is one, to a row of HEIGHTS and of TURNS."""
    for k, joint in enumerate(joints):
        joint.setPosition((TURNS[turn], *HEIGHTS[height])[k])


print("arrows, page up and page down drive the robot, space stops it")
print("shift and arrows move its arm, + and - its gripper")
place = [FOLDED, AHEAD]
place_arm(*place)
last = -1
while robot.step(step) != -1:
    key = keyboard.getKey()
    if key == last:
        continue
    last = key
    for k, way in enumerate(WAYS.get(key, ())):
        wheels[k].setVelocity(SPEED * way)
    if key in (ord(" "), Keyboard.END):
        place = [FOLDED, AHEAD]
    for k, change in enumerate(ARM.get(key, ())):
        place[k] = max(0, min(6, place[k] + change))
    place_arm(*place)
    if key in GRIP:
        for finger in fingers:
            finger.setPosition(GRIP[key])
