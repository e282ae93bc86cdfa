"""Runs a conveyor belt: arguments are its speed [m/s] and for how long [s]; 0 = for ever."""

import sys

from controller import Robot

robot = Robot()
speed = float(sys.argv[1]) if len(sys.argv) > 1 else 0.5
duration = float(sys.argv[2]) if len(sys.argv) > 2 else 0.0
step = int(robot.getBasicTimeStep())

motor = robot.getDevice("belt_motor")
motor.setPosition(float("inf"))
motor.setVelocity(speed)
while robot.step(step) != -1:
    if 0.0 < duration <= robot.getTime():
        motor.setVelocity(0.0)
        break
while robot.step(step) != -1:
    pass
