"""Drives a car around in a ring, at the speed of a pedestrian."""

import math

from vehicle import Driver

WHEELBASE = 2.55
"""[m] Between the axles."""

CENTRE, RADIUS = (-1.6, 0.9), 4.2
"""[m] The ring on which the rear axle goes."""

driver = Driver()
step = int(driver.getBasicTimeStep())
gps = driver.getDevice("gps")
gps.enable(step)
driver.setCruisingSpeed(6.0)
driver.setDippedBeams(True)
before = 0.0
while driver.step() != -1:
    x, y, _ = gps.getValues()
    off = math.hypot(x - CENTRE[0], y - CENTRE[1]) - RADIUS
    drift = (off - before) * 1000.0 / step
    before = off
    turn = math.atan(WHEELBASE / RADIUS) + 0.3 * off + 0.5 * max(-0.5, min(0.5, drift))
    driver.setSteeringAngle(-max(0.3, min(0.54, turn)))
