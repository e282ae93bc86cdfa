"""Lets Spot trot in a ring: two diagonal legs swing while the other two stand."""

import math

from controller import Robot

THIGH, SHANK, FOOT = 0.3205, 0.337, 0.03
"""[m] Of the legs; radius of the feet."""

STANCE = math.acos((0.624 - FOOT) / (THIGH + SHANK))
"""[rad] How far thighs lean back, and shanks ahead, where the joints are at zero."""

PERIOD, SHARE = 0.5, 0.55
"""[s] Of a step, and the share of it for which a foot is on the floor."""

HEIGHT, LIFT = 0.52, 0.06
"""[m] Of the hips above the feet while it walks; of a swinging foot."""

SPEED, CENTRE, RADIUS = 0.4, (-0.2, 1.9), 0.8
"""[m/s] Of the trunk; the ring that it follows [m]."""

LEGS = (("front left", 1, 1), ("front right", 1, -1), ("rear left", -1, 1), ("rear right", -1, -1))


def leg_angles(x, z):
    """Return the angles of thigh and knee [rad] that put the foot at (x, z) before and above the hip [m]."""
    reach = min(math.hypot(x, z), THIGH + SHANK - 1e-4)
    knee = math.acos((THIGH**2 + SHANK**2 - reach**2) / (2 * THIGH * SHANK))
    thigh = math.atan2(-x, -z) + math.acos((THIGH**2 + reach**2 - SHANK**2) / (2 * THIGH * reach))
    return STANCE - thigh, math.pi - knee - 2 * STANCE


robot = Robot()
step = int(robot.getBasicTimeStep())
motors = {
    name: [
        robot.getDevice(f"{name} {joint} motor")
        for joint in ("shoulder abduction", "shoulder rotation", "elbow")
    ]
    for name, _, _ in LEGS
}
gps, compass = robot.getDevice("gps"), robot.getDevice("inertial unit")
gps.enable(step)
compass.enable(step)

while robot.step(step) != -1:
    time = robot.getTime()
    start = min(1.0, max(0.0, (time - 0.5) / 2.0))
    x, y, _ = gps.getValues()
    yaw = compass.getRollPitchYaw()[2]
    # turn along the ring, and towards it where it is off
    around = math.atan2(y - CENTRE[1], x - CENTRE[0])
    off = math.hypot(x - CENTRE[0], y - CENTRE[1]) - RADIUS
    wrong = around + math.pi / 2 + 0.8 * off - yaw
    wrong = math.atan2(math.sin(wrong), math.cos(wrong))
    speed = start * SPEED
    turn = start * max(-0.7, min(0.7, SPEED / RADIUS + wrong))
    height = 0.624 - FOOT - (0.624 - FOOT - HEIGHT) * min(1.0, time / 0.5)
    for name, front, left in LEGS:
        phase = (time / PERIOD + (0.0 if front * left > 0 else 0.5)) % 1.0
        if phase < SHARE:
            way, z = 0.5 - phase / SHARE, -height
        else:
            swing = (phase - SHARE) / (1.0 - SHARE)
            way = swing - math.sin(2 * math.pi * swing) / (2 * math.pi) - 0.5
            z = -height + start * LIFT * math.sin(math.pi * swing) ** 2
        ahead = way * (speed - turn * left * 0.25) * PERIOD * SHARE
        aside = way * turn * front * 0.3 * PERIOD * SHARE
        thigh, knee = leg_angles(ahead, z)
        for motor, angle in zip(motors[name], (-aside / height, thigh, knee), strict=True):
            motor.setPosition(angle)
