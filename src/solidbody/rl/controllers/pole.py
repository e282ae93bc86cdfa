"""Balances a pole by a policy: two position sensors, one motor."""

from controller import Robot
from policy import LearnedPolicy

FORCE = 15.0  # [N] of an action of 1
CONTROL_STEPS = 2  # of the world, for each action

robot = Robot()
step = int(robot.getBasicTimeStep())
policy = LearnedPolicy("policy.json")
motor = robot.getDevice("cart motor")
sensors = [robot.getDevice(name + " sensor") for name in ("cart", "pole")]
for sensor in sensors:
    sensor.enable(step)
motor.setForce(0.0)
robot.step(step)

before = places = [sensor.getValue() for sensor in sensors]
rates = [0.0, 0.0]
while True:
    (action,) = policy(places + rates)
    motor.setForce(FORCE * action)
    for _ in range(CONTROL_STEPS):
        before = places
        if robot.step(step) == -1:
            raise SystemExit
        places = [sensor.getValue() for sensor in sensors]
    rates = [(now - was) * 1000.0 / step for now, was in zip(places, before)]
