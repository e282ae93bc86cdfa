"""Drives a Hemisson ahead; it turns away from what it sees, and goes back where both sides are blocked.

Speeds and bounds are those of Webots' controller of this name.
"""

from controller import Robot

STEP = 64
"""Time between its decisions [ms]."""
SPEED, SLOW = 1.378, 0.41
"""Of the wheels [rad/s]."""
NEAR = 10
"""What the sensors read at obstacles, at least."""
BACK = 15
"""Decisions for which it goes back."""

robot = Robot()
right_eye, left_eye, front_eye = eyes = [robot.getDevice(f"ds{k}") for k in range(3)]
motors = [robot.getDevice(f"{side} wheel motor") for side in ("left", "right")]
for eye in eyes:
    eye.enable(STEP)
for motor in motors:
    motor.setPosition(float("inf"))
    motor.setVelocity(0.0)


back = 0
while robot.step(STEP) != -1:
    front, left, right = (eye.getValue() > NEAR for eye in (front_eye, left_eye, right_eye))
    if back == 0 and left and right and not front:
        back = BACK + 1
    if back > 0:
        back -= 1
        speeds = (-SPEED, -SLOW)
    elif front or right:
        speeds = (-SPEED, SPEED)
    elif left:
        speeds = (SPEED, -SPEED)
    else:
        speeds = (SPEED, SPEED)
    for k, speed in enumerate(speeds):
        motors[k].setVelocity(speed)
