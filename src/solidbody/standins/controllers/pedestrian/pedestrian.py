"""Walks a Pedestrian round a closed path: `--trajectory=x y, x y, ...`, `--speed` [m/s] and `--step` [ms].

In worlds with y up the points are x and z.
"""

from __future__ import annotations

import argparse
import sys
from math import atan2, hypot, pi, sin

from controller import Field, Node, Supervisor

Point = tuple[float, float]

HEIGHT = 1.27
"""[m] Of the frame above the ground."""

STRIDE = 1.76
"""[m] Way of two steps."""

SWINGS = {
    "Leg": (0.5, -0.2, 0.0),
    "LowerLeg": (0.5, 0.5, -0.25),
    "Foot": (0.15, 0.0, 0.25),
    "Arm": (0.5, 0.0, 0.5),
    "LowerArm": (0.25, -0.35, 0.5),
    "Hand": (0.1, 0.0, 0.5),
}
"""Joint -> swing and mean [rad], and by how many turns it leads; the right side is half a turn apart."""


def read_path(text: str) -> list[Point]:
    """Return the points of a path. Raises ValueError for what is none."""
    pairs = [[float(x) for x in part.split()] for part in text.split(",")]
    if len(pairs) < 2:
        raise ValueError
    return [(x, y) for x, y in pairs]


def place_at(path: list[Point], way: float) -> tuple[Point, Point]:
    """Return where one is after a way [m] round a path, and in which direction its side leads."""
    sides = [(path[k], path[(k + 1) % len(path)]) for k in range(len(path))]
    lengths = [hypot(b[0] - a[0], b[1] - a[1]) for a, b in sides]
    rest = way % sum(lengths) if any(lengths) else 0.0
    k = 0
    while k < len(sides) - 1 and rest >= lengths[k]:
        rest -= lengths[k]
        k += 1
    (ax, ay), (bx, by) = sides[k]
    share = rest / lengths[k] if lengths[k] else 0.0
    return (ax + share * (bx - ax), ay + share * (by - ay)), (bx - ax, by - ay)


def field_of(node: Node | None, name: str) -> Field:
    """Return a field that a node has."""
    found = node.getField(name) if node is not None else None
    assert found is not None, name
    return found


def swing(walker: Node | None, phase: float) -> None:
    """Set all joints; `phase` counts strides."""
    for joint, (size, mean, lead) in SWINGS.items():
        for side, late in (("left", 0.0), ("right", 0.5)):
            angle = mean + size * sin(2 * pi * (phase + lead + late))
            field_of(walker, f"{side}{joint}Angle").setSFFloat(angle)


def main() -> None:
    """Walk for ever."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--trajectory", default="")
    parser.add_argument("--speed", type=float, default=0.5)
    parser.add_argument("--step", type=int, default=0)
    options, _ = parser.parse_known_args()
    try:
        path = read_path(options.trajectory)
    except ValueError:
        sys.exit(f'expected "--trajectory=x y, x y, ...", got "{options.trajectory}"')
    robot = Supervisor()
    step = options.step if options.step > 0 else int(robot.getBasicTimeStep())
    speed = options.speed if options.speed > 0 else 0.5
    world = field_of(robot.getRoot(), "children").getMFNode(0)
    is_z_up = field_of(world, "coordinateSystem").getSFString() == "ENU"
    walker = robot.getSelf()
    while robot.step(step) != -1:
        way = robot.getTime() * speed
        swing(walker, way / STRIDE)
        (x, y), (dx, dy) = place_at(path, way)
        height = HEIGHT + 0.02 * sin(4 * pi * way / STRIDE)
        place, turn = [x, y, height], [0.0, 0.0, 1.0, atan2(dy, dx)]
        if not is_z_up:
            place, turn = [x, height, y], [0.0, 1.0, 0.0, atan2(dx, dy)]
        field_of(walker, "translation").setSFVec3f(place)
        field_of(walker, "rotation").setSFRotation(turn)


main()
