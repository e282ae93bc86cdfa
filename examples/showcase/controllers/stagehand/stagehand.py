"""Puts dominoes and balls back every 30 seconds, drops the balls and gives the first domino a push."""

from controller import Supervisor

PERIOD, PUSH = 30.0, 7.0
"""[s] Between two performances; after which the first domino is pushed."""

robot = Supervisor()
step = int(robot.getBasicTimeStep())
names = [f"DOMINO_{k}" for k in range(1, 45)] + [f"BALL_{k}" for k in range(1, 8)]
things = [thing for name in names if (thing := robot.getFromDef(name)) is not None]
begin, is_pushed = 0.0, False
while robot.step(step) != -1:
    since = robot.getTime() - begin
    if since >= PERIOD:
        for thing in things:
            thing.loadState("__init__")
        begin, is_pushed = robot.getTime(), False
    elif since >= PUSH and not is_pushed:
        # tips it over its lower edge, along the line
        matrix = things[0].getOrientation()
        x, y = matrix[0], matrix[3]
        things[0].setVelocity([0.35 * x, 0.35 * y, 0.0, -2.0 * y, 2.0 * x, 0.0])
        is_pushed = True
