"""SR1 walks over flat ground: `Walk.cpp` beside it, line by line, in Python.

    solidbody run examples/choreonoid/walk.cnoid --body-controller SR1=walk.py

The robot is taken as a cart on a table: its mass, at the height h, stands on the point

    z = c - (h / g) c''          c: where the mass is, z: where the ground carries it (ZMP)

z is led from foot to foot; c follows by solving the equation for the whole walk at once. Waist and feet are
then in place in every step, joints by inverse kinematics, and torques hold the joints there.
"""

from math import cos, pi
from typing import NamedTuple

import numpy as np

from solidbody import BodyController
from solidbody.control.io_body import JointPath, Link

STEPS = 10
LENGTH = 0.3  # [m] of a step; the first and last are half as long
LIFT = 0.05  # [m] of a foot
SINGLE = 0.6  # [s] on one foot
DOUBLE = 0.3  # [s] on both, in between
SETTLE = 1.2  # [s] on both, at the beginning and at the end
SOLE = 0.055  # [m] from the ankle ahead to the middle of the sole
INSIDE = 0.015  # [m] by which the weight stays inside of that
GRAVITY = 9.80665
ARM, REST = 3000.0, 16000.0  # [N m/rad] of arms; of legs and trunk
DAMPING = 200.0  # [N m s/rad]


class Phase(NamedTuple):
    swing: int  # which foot is in the air; -1 = none
    duration: float
    start: np.ndarray  # of the ZMP
    end: np.ndarray
    from_: np.ndarray = np.zeros(3)  # of the foot
    to: np.ndarray = np.zeros(3)


def under_foot(ankle):
    return ankle + np.array([SOLE, -INSIDE if ankle[1] > 0.0 else INSIDE, 0.0])


class Walk(BodyController):
    def plan_steps(self, start):
        place, zmp = list(self.feet), start
        self.phases = []
        for k in range(STEPS):
            swing = k % 2
            carried = under_foot(place[1 - swing])
            self.phases.append(Phase(-1, DOUBLE if k else SETTLE, zmp, carried))
            is_half = k in (0, STEPS - 1)
            to = place[swing] + (LENGTH / 2 if is_half else LENGTH, 0.0, 0.0)
            self.phases.append(Phase(swing, SINGLE, carried, carried, place[swing], to))
            place[swing], zmp = to, carried
        middle = (under_foot(place[0]) + under_foot(place[1])) / 2.0
        self.phases.append(Phase(-1, SETTLE, zmp, middle))
        self.phases.append(Phase(-1, SETTLE, middle, middle))

    def plan_mass(self, height):
        """Solve -a c[k-1] + (1 + 2 a) c[k] - a c[k+1] = z[k], a = h / (g dt^2), at rest at both ends."""
        z = []
        for one in self.phases:
            count = round(one.duration / self.dt)
            z += [one.start + (one.end - one.start) * k / count for k in range(count)]
        a = height / (GRAVITY * self.dt * self.dt)
        factor = [0.0] * len(z)
        before = 0.0
        for k in range(1, len(z) - 1):
            pivot = 1.0 + 2.0 * a - a * before
            before = factor[k] = a / pivot
            z[k] = (z[k] + a * z[k - 1]) / pivot
        for k in range(len(z) - 2, 0, -1):
            z[k] = z[k] + factor[k] * z[k + 1]
        self.mass = z

    def initialize(self, io):
        self.plan = io.body().clone()
        self.dt = io.timeStep()
        self.waist = self.plan.rootLink()
        self.legs, self.feet = [], []
        for name in ("RLEG_ANKLE_R", "LLEG_ANKLE_R"):
            ankle = self.plan.link(name)
            if ankle is None:
                io.os().write(f"{self.plan.name()} has no {name}\n")
                return False
            self.legs.append(JointPath.getCustomPath(self.waist, ankle))
            self.feet.append(np.array(ankle.p))
        center = self.plan.calcCenterOfMass()
        self.offset = center - self.waist.p
        self.plan_steps(center)
        self.plan_mass(center[2])
        self.now = self.phase = 0
        self.since = 0.0

        self.joints = io.body().joints()
        for joint in self.joints:
            joint.setActuationMode(Link.JointTorque)
            io.enableIO(joint)
        self.gains = [ARM if "ARM" in joint.name() else REST for joint in self.joints]
        self.last = [joint.q for joint in self.joints]
        self.goal = list(self.last)
        return True

    def control(self):
        last_phase = len(self.phases) - 1
        while (
            self.phase < last_phase and self.since > self.phases[self.phase].duration - self.dt / 2
        ):
            self.since -= self.phases[self.phase].duration
            self.phase += 1
        one = self.phases[self.phase]
        if one.swing >= 0:
            s = self.since / one.duration
            foot = one.from_ + (one.to - one.from_) * s * s * (3.0 - 2.0 * s)
            foot[2] += LIFT * (1.0 - cos(2.0 * pi * s)) / 2.0
            self.feet[one.swing] = foot
        T = np.array(self.waist.T)
        T[:2, 3] = (self.mass[self.now] - self.offset)[:2]
        for leg, foot in zip(self.legs, self.feet, strict=True):
            leg.setBaseLinkGoal(T).calcInverseKinematics(foot, np.eye(3))

        for i, joint in enumerate(self.joints):
            wanted = self.plan.joint(i).q
            speed = (joint.q - self.last[i]) / self.dt
            joint.u = self.gains[i] * (wanted - joint.q) + DAMPING * (
                (wanted - self.goal[i]) / self.dt - speed
            )
            self.last[i] = joint.q
            self.goal[i] = wanted
        self.since += self.dt
        self.now = min(self.now + 1, len(self.mass) - 1)
        return self.now + 1 < len(self.mass)
