"""Lets a UR5e sort cubes by colour with a vacuum gripper, mix them again, and so on.

Where the cubes are at the start and which colours they have is known; what the arm has moved it knows.
"""

import math

from controller import Robot

SHOULDER, ASIDE, UPPER, FORE, WRIST = 0.163, 0.138 - 0.131 + 0.127, 0.425, 0.392, 0.1
"""[m] Height of the shoulder, how far the tool is aside, upper arm and forearm, down to the flange."""

TOOL, CUBE = 0.137, 0.06
"""[m] Length of the gripper, edge of a cube."""

ROW = [(0.49, -0.2), (0.49, 0.0), (0.49, 0.2), (0.62, -0.2), (0.62, 0.0), (0.62, 0.2)]
TRAYS = {
    "blue": [(0.02, 0.5), (0.12, 0.55), (0.2, 0.62)],
    "orange": [(0.02, -0.5), (0.12, -0.55), (0.2, -0.62)],
}
"""[m] Places of the cubes, before the arm and on its trays."""

COLORS = ["blue", "orange", "orange", "blue", "orange", "blue"]
MIXED = [(3, 1, 5), (0, 4, 2)]
"""Places of the row to which the blue and the orange cubes go back."""

HIGH, SPEED = 0.2, 0.55
"""[m] Height of the cubes on their way; [m/s] of the tool."""

JOINTS = ("shoulder_pan", "shoulder_lift", "elbow", "wrist_1", "wrist_2", "wrist_3")


def joint_angles(x, y, z):
    """Return the angles [rad] that hold the tip of the tool at a place before the foot [m], straight down."""
    out = math.sqrt(x * x + y * y - ASIDE * ASIDE)
    pan = math.atan2(y, x) - math.atan2(ASIDE, out)
    out -= WRIST
    up = z + TOOL + WRIST - SHOULDER
    bend = math.acos((out * out + up * up - UPPER**2 - FORE**2) / (2 * UPPER * FORE))
    lift = -math.atan2(up, out) - math.atan2(FORE * math.sin(bend), UPPER + FORE * math.cos(bend))
    return pan, lift, bend, -math.pi / 2 - lift - bend, -math.pi / 2, pan


robot = Robot()
step = int(robot.getBasicTimeStep())
motors = [robot.getDevice(f"{name}_joint") for name in JOINTS]
gripper = robot.getDevice("vacuum gripper")
gripper.enablePresence(step)
place = [0.45, 0.0, 0.3]


def hold(seconds):
    """Let time go by."""
    end = robot.getTime() + seconds
    while robot.getTime() < end:
        if robot.step(step) == -1:
            raise SystemExit


def move(where, z, speed=SPEED):
    """Take the tip to a place (x, y) and height around the foot, gently at both ends."""
    x, y = where
    start = [math.hypot(place[0], place[1]), math.atan2(place[1], place[0]), place[2]]
    goal = [math.hypot(x, y), math.atan2(y, x), z]
    way = math.hypot(goal[0] - start[0], 0.5 * (goal[1] - start[1]), goal[2] - start[2])
    count = max(1, round(1000 * way / (speed * step)))
    for k in range(1, count + 1):
        share = 0.5 - 0.5 * math.cos(math.pi * k / count)
        out, around, place[2] = (a + (b - a) * share for a, b in zip(start, goal, strict=True))
        place[0], place[1] = out * math.cos(around), out * math.sin(around)
        for motor, angle in zip(motors, joint_angles(*place), strict=True):
            motor.setPosition(angle)
        if robot.step(step) == -1:
            raise SystemExit


def carry(source, goal):
    """Take the cube at a place to another one."""
    move(source, HIGH)
    gripper.turnOn()
    move(source, CUBE - 0.003, 0.25)
    hold(0.2)
    move(source, HIGH, 0.35)
    move(goal, HIGH)
    move(goal, CUBE + 0.002, 0.25)
    gripper.turnOff()
    hold(0.2)
    move(goal, HIGH, 0.35)


hold(0.1)
move(place[:2], place[2])
hold(1.0)
cubes = list(enumerate(COLORS))
while True:
    filled = dict.fromkeys(TRAYS, 0)
    for k, color in cubes:
        carry(ROW[k], TRAYS[color][filled[color]])
        filled[color] += 1
    hold(1.0)
    back = [
        (TRAYS[color][i], spot, color)
        for color, spots in zip(TRAYS, MIXED, strict=True)
        for i, spot in enumerate(spots)
    ]
    for source, spot, _ in back:
        carry(source, ROW[spot])
    cubes = sorted((spot, color) for _, spot, color in back)
    hold(1.0)
