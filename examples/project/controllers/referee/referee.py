"""Judges the explorers: which squares of the arena they visit, and whether one of them got stuck or fell."""

import argparse

from controller import Supervisor

SQUARE = 0.2
"""[m] Side of a square; the arena has 6 x 6 of them."""

parser = argparse.ArgumentParser()
parser.add_argument("--seconds", type=float, default=60.0)
parser.add_argument("--share", type=float, default=0.5)
wanted = parser.parse_args()

referee = Supervisor()
step = int(referee.getBasicTimeStep())
robots = {name: referee.getFromDef(name) for name in ("RED", "GREEN", "BLUE")}
visited = set()
fallen = set()
has_moved = False
share = 0.0

while referee.step(step) != -1:
    for name, robot in robots.items():
        x, y, _ = robot.getPosition()
        visited.add((int(x // SQUARE), int(y // SQUARE)))
        if robot.getOrientation()[8] < 0.9:  # its own z axis is not the world's any more
            fallen.add(name)
    seconds, share = referee.getTime(), len(visited) / 36.0
    referee.setLabel(0, f"{share:.0%} of the arena", 0.02, 0.1, 0.06, 0xFFFFFF)
    if seconds > wanted.seconds / 2 and not has_moved:
        has_moved = True
        box = referee.getFromDef("MOVED")
        box.getField("translation").setSFVec3f([0.0, 0.0, 0.05])
        print(f"{share:.0%} at half time; a box is put in the middle")
    if seconds >= wanted.seconds:
        break

is_good = share >= wanted.share and not fallen
print(
    f"{share:.0%} of the arena visited, {len(fallen)} fallen: {'passed' if is_good else 'failed'}"
)
referee.simulationQuit(0 if is_good else 1)
referee.step(step)
