"""Drives a Fire Bird 6 ahead; it turns away from what its sonars see.

Speeds and the distance are those of Webots' controller of this name.
"""

from controller import Robot

STEP = 64
"""Time between its decisions [ms]."""
NEAR = 0.25
"""Distance within which obstacles count [m]."""

robot = Robot()
sonars = [robot.getDevice(f"ps{k}") for k in range(5)]  # from the left to the right
motors = [robot.getDevice(f"{side} wheel motor") for side in ("left", "right")]
for sonar in sonars:
    sonar.enable(STEP)
for motor in motors:
    motor.setPosition(float("inf"))
    motor.setVelocity(0.0)

while robot.step(STEP) != -1:
    near = [sonar.getValue() < NEAR for sonar in sonars]
    if near[2]:
        speeds = (0.0, -1.0)
    elif near[0] or near[1]:
        speeds = (3.0, -1.0)
    elif near[3] or near[4]:
        speeds = (-1.0, 3.0)
    else:
        speeds = (1.0, 1.0)
    for k, speed in enumerate(speeds):
        motors[k].setVelocity(speed)
