"""Drives a Boe-Bot ahead; it turns away from what it sees on a side, and goes back from what is ahead.

Speeds are those of Webots' controller of this name. A lamp is on where an obstacle is.
"""

from controller import Robot

STEP = 64
"""Time between its decisions [ms]."""
BACK = 10
"""Decisions for which it goes back."""
SPEEDS = {
    # obstacle on the left and on the right: speeds of the wheels [rad/s]
    (False, False): (8.0, 8.0),
    (True, False): (10.0, -10.0),
    (False, True): (-10.0, 10.0),
    (True, True): (-10.0, -20.0),
}

robot = Robot()
sides = ("left", "right")
eyes = [robot.getDevice(f"{side[0]}ds") for side in sides]
lamps = [robot.getDevice(f"{side}_led") for side in sides]
motors = [robot.getDevice(f"{side} wheel motor") for side in sides]
for eye in eyes:
    eye.enable(STEP)
for motor in motors:
    motor.setPosition(float("inf"))
    motor.setVelocity(0.0)

back = 0
while robot.step(STEP) != -1:
    blocked = tuple(eye.getValue() == 0 for eye in eyes)
    if back > 0:
        back -= 1
        blocked = (True, True)
    elif all(blocked):
        back = BACK
    for k, speed in enumerate(SPEEDS[blocked]):
        motors[k].setVelocity(speed)
        lamps[k].set(int(blocked[k]))
