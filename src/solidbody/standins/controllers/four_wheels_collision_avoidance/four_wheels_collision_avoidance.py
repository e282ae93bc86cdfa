"""Drives the robot of the tutorials ahead; before obstacles it turns to the right for a while.

It does what Webots' controller of this name does; speeds, times and bounds are ours.
"""

from controller import Robot

STEP = 64
"""Time between its decisions [ms]."""
NEAR = 950
"""What the sensors read at obstacles, at most."""
TURN = 100
"""Decisions for which it turns."""

robot = Robot()
eyes = [robot.getDevice(name) for name in ("ds_left", "ds_right")]
left, right = ([robot.getDevice(f"wheel{k}") for k in pair] for pair in ((1, 3), (2, 4)))
for eye in eyes:
    eye.enable(STEP)
for motor in (*left, *right):
    motor.setPosition(float("inf"))
    motor.setVelocity(0.0)

count = 0
while robot.step(STEP) != -1:
    is_turning = count > 0
    if is_turning:
        count -= 1
    elif any(eye.getValue() < NEAR for eye in eyes):
        count = TURN
    for motor in left:
        motor.setVelocity(1.0)
    for motor in right:
        motor.setVelocity(-1.0 if is_turning else 1.0)
