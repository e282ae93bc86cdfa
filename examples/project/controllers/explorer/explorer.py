"""Drives an e-puck through an arena: turns away from what its eight distance sensors see."""

import random

from controller import Robot

CRUISE = 4.0
"""[rad/s] Speed of the wheels on free ground."""

NEAR = 120.0
"""Reading of a sensor that sees something within some two centimetres."""

TURN = (1.0, 0.7, 0.3, 0.0, 0.0, -0.3, -0.7, -1.0)
"""How much each sensor, from front right around the back to front left, turns the robot to the left."""

robot = Robot()
step = int(robot.getBasicTimeStep())
random.seed(robot.getName())  # each robot in its own way, each run in the same one

wheels = [robot.getDevice(f"{side} wheel motor") for side in ("left", "right")]
for wheel in wheels:
    wheel.setPosition(float("inf"))
    wheel.setVelocity(0.0)
sensors = [robot.getDevice(f"ps{k}") for k in range(8)]
for sensor in sensors:
    sensor.enable(step)

wander = 0.0
while robot.step(step) != -1:
    seen = [max(sensor.getValue() - NEAR, 0.0) / 400.0 for sensor in sensors]
    ahead = seen[0] + seen[7] + 0.5 * (seen[1] + seen[6])
    away = sum(TURN[k] * seen[k] for k in range(8))
    if ahead > 0.1 and abs(away) < 0.1:
        away = 1.0  # straight into a wall: any side will do
    wander = max(-1.0, min(1.0, wander + random.uniform(-0.2, 0.2)))
    forward = CRUISE * max(1.0 - 2.0 * ahead, -0.3)
    turn = 3.0 * max(-1.0, min(1.0, away)) + (0.8 * wander if ahead < 0.05 else 0.0)
    wheels[0].setVelocity(max(-6.2, min(6.2, forward - turn)))
    wheels[1].setVelocity(max(-6.2, min(6.2, forward + turn)))
