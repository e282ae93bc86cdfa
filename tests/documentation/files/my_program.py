"""An extern controller: it turns a wheel until the simulation ends."""

from controller import Robot

robot = Robot()
wheel = robot.getDevice("left wheel motor")
wheel.setPosition(float("inf"))
wheel.setVelocity(3.0)
while robot.step(32) != -1:
    pass
