"""Drives an e-puck about: away from obstacles, and back from edges if it has ground sensors.

Weights, speeds and bounds are those of Webots' controller of this name.
"""

from controller import Robot

TOP = 6.28
"""Speed of the wheels [rad/s]."""
WEIGHTS = (
    (-1.3, -1.0), (-1.3, -1.0), (-0.5, 0.5), (0.0, 0.0), (0.0, 0.0), (0.05, -0.5), (-0.75, 0.0), (-0.75, 0.0),
)  # fmt: skip
"""Of each sensor: what it adds to the speeds of both wheels, of the top speed, if it reads its most."""
MOST = 4096
"""What the sensors read next to an obstacle."""
EDGE = 500
"""What ground sensors read above a floor, at least."""

robot = Robot()
step = int(robot.getBasicTimeStep())
names = {robot.getDeviceByIndex(k).getName() for k in range(robot.getNumberOfDevices())}
sensors = [robot.getDevice(f"ps{k}") for k in range(8)]
ground = [robot.getDevice(name) for name in ("gs0", "gs1", "gs2") if name in names]
leds = [robot.getDevice(f"led{k}") for k in range(10)]
motors = [robot.getDevice(f"{side} wheel motor") for side in ("left", "right")]


def drive(*speeds):
    """Let the left and the right wheel turn [rad/s]."""
    for k, speed in enumerate(speeds):
        motors[k].setVelocity(max(-TOP, min(TOP, speed)))


def wait(seconds):
    """Go on as it is for some time; return whether the run goes on."""
    end = robot.getTime() + seconds
    while robot.step(step) != -1:
        if robot.getTime() >= end:
            return True
    return False


for sensor in (*sensors, *ground):
    sensor.enable(step)
for motor in motors:
    motor.setPosition(float("inf"))
drive(0.0, 0.0)
count = 0
while robot.step(step) != -1:
    count += 1
    for k, led in enumerate(leds):
        led.set(int(k == count // 10 % 10))
    if len(ground) == 3 and any(sensor.getValue() < EDGE for sensor in ground):
        drive(-TOP, -TOP)
        if not wait(0.2):
            break
        drive(-TOP, TOP)
        if not wait(0.2):
            break
        drive(0.0, 0.0)
        continue
    values = [sensor.getValue() / MOST for sensor in sensors]
    changes = [sum(v * WEIGHTS[k][side] for k, v in enumerate(values)) for side in (0, 1)]
    drive(*(TOP * (0.5 + change) for change in changes))
