"""Drives a Pioneer 3-DX ahead; before obstacles it turns on the spot until the way is free.

Weights, speeds and bounds are those of Webots' controller of this name.
"""

from controller import Robot

TOP = 5.24
"""Speed of the wheels [rad/s]."""
WEIGHTS = (150, 200, 300, 600)
"""Of the sensors on the left, from the side to the front; those on the right come the other way round."""
NEAR = 1.0
"""Distance within which obstacles count [m]."""
ENOUGH = 100
"""Sum of weights from which on it turns."""
BLINK = 70
"""Steps between the changes of the lamps."""

robot = Robot()
step = int(robot.getBasicTimeStep())
motors = [robot.getDevice(f"{side} wheel") for side in ("left", "right")]
lamps = [robot.getDevice(f"red led {k}") for k in (1, 2, 3)]
sensors = [robot.getDevice(f"so{k}") for k in range(8)]
for sensor in sensors:
    sensor.enable(step)
for motor in motors:
    motor.setPosition(float("inf"))
    motor.setVelocity(0.0)


def nearness(sensor):
    """Return 0 for what is far away, up to 1 for what touches it: it reads 1024 then, and 0 from 5 m on."""
    value = sensor.getValue()
    return 0.0 if value == 0.0 else max(0.0, 1.0 - 5.0 * (1.0 - value / 1024) / NEAR)


turn = 0  # to the right: 1, to the left: -1
count = 0
while robot.step(step) != -1:
    near = [nearness(sensor) for sensor in sensors]
    left = sum(weight * near[k] for k, weight in enumerate(WEIGHTS))
    right = sum(weight * near[7 - k] for k, weight in enumerate(WEIGHTS))
    if max(left, right) <= ENOUGH:
        turn = 0
    elif turn == 0:
        turn = 1 if left > ENOUGH else -1
    motors[0].setVelocity(0.7 * TOP * turn if turn else TOP)
    motors[1].setVelocity(-0.7 * TOP * turn if turn else TOP)
    count += 1
    if count % BLINK == 0:
        for k, lamp in enumerate(lamps):
            lamp.set(int(k == count // BLINK % 3))
