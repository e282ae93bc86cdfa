"""Lets a TIAGo raise its arm and wave; arrow keys drive it.

Places, speeds and keys are those of Webots' controller of this name. TIAGos without an arm or a torso move
what they have; a TIAGo++ keeps its arms.
"""

from math import sin

from controller import Keyboard, Robot

SPEED = 7.0
"""Of the wheels [rad/s]."""
KEYS = {
    Keyboard.UP: (SPEED, SPEED),
    Keyboard.DOWN: (-SPEED, -SPEED),
    Keyboard.RIGHT: (SPEED, -SPEED),
    Keyboard.LEFT: (-SPEED, SPEED),
}
"""Speeds of the left and the right wheel."""
PLACES = {
    "head_2_joint": 0.24,
    "head_1_joint": -0.67,
    "torso_lift_joint": 0.09,
    "arm_1_joint": 0.07,
    "arm_2_joint": 0.26,
    "arm_3_joint": -3.16,
    "arm_4_joint": 1.27,
    "arm_5_joint": 1.32,
    "arm_6_joint": 0.0,
    "arm_7_joint": 1.41,
}
"""Where joints go at the start [rad, m]."""

robot = Robot()
step = int(robot.getBasicTimeStep())
keyboard = robot.getKeyboard()
keyboard.enable(step)
names = {robot.getDeviceByIndex(k).getName() for k in range(robot.getNumberOfDevices())}
joints = {name: robot.getDevice(name) for name in PLACES if name in names}
wheels = [robot.getDevice(f"wheel_{side}_joint") for side in ("left", "right")]
for name, joint in joints.items():
    joint.setVelocity(joint.getMaxVelocity() / 2.0)
    joint.setPosition(PLACES[name])
for wheel in wheels:
    wheel.setPosition(float("inf"))
    wheel.setVelocity(0.0)

print("arrow keys drive the robot")
while robot.step(step) != -1:
    for k, speed in enumerate(KEYS.get(keyboard.getKey(), (0.0, 0.0))):
        wheels[k].setVelocity(speed)
    if "arm_6_joint" in joints:
        joints["arm_6_joint"].setPosition(0.3 * sin(5.0 * robot.getTime()) - 0.3)
