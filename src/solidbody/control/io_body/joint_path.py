"""Joint paths: the joints between two links of an io body, with forward and inverse kinematics (C17.3)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from solidbody.control.io_body.body import Body
from solidbody.control.io_body.link import Link
from solidbody.control.io_body.rotations import Floats, omegaFromRot

DELTA_SCALE: Final = 0.9
"""Share of each correction that is made."""

MAX_ITERATIONS: Final = 50

MAX_IK_ERROR: Final = 1e-7
"""Length of the error, metres and radians together, at which the goal counts as reached."""

DAMPING: Final = 1e-6

MAX_STAGNATION: Final = 3
"""Steps in a row without progress at which it gives up."""


class JointPath:
    """What C++ programs know as cnoid::JointPath."""

    def __init__(self, base: Link, end: Link) -> None:
        self._links, self._upward = _path(base, end)
        self._joints, self._is_downward = self._find_joints()
        self._limits = self._best_effort = False
        self._iterations, self._max_error = MAX_ITERATIONS, MAX_IK_ERROR
        self._scale, self._damping = DELTA_SCALE, DAMPING
        self._stagnation, self._done = MAX_STAGNATION, 0
        self._base_moved = False

    @classmethod
    def getCustomPath(
        cls, first: Body | Link, second: Link, third: Link | None = None
    ) -> JointPath:
        """Return the path from a base link to an end link (a body in front of them is not needed)."""
        if third is not None:
            assert not isinstance(first, Body) or second.body() is first
            return cls(second, third)
        assert isinstance(first, Link)
        return cls(first, second)

    # ------------------------------------------------------------------ what it consists of

    def empty(self) -> bool:
        """Whether no links are connected."""
        return not self._links

    def numJoints(self) -> int:
        """Return how many joints lie between the links."""
        return len(self._joints)

    def joint(self, index: int) -> Link:
        """Return a joint, counted from the base."""
        return self._joints[index]

    def joints(self) -> Sequence[Link]:
        """Return the joints from the base to the end."""
        return tuple(self._joints)

    def isJointDownward(self, index: int) -> bool:
        """Whether a joint is passed from its parent to itself."""
        return self._is_downward[index]

    def baseLink(self) -> Link:
        """Return where it begins."""
        return self._links[0]

    def endLink(self) -> Link:
        """Return where it ends."""
        return self._links[-1]

    def indexOf(self, joint: Link) -> int:
        """Return the place of a joint; -1 if it is not on the path."""
        return next((k for k, one in enumerate(self._joints) if one is joint), -1)

    def _find_joints(self) -> tuple[list[Link], list[bool]]:
        """Return the joints with numbers that lie on the path, and whether each is passed downwards."""
        joints: list[Link] = []
        down: list[bool] = []
        last = len(self._links) - 1
        for k, link in enumerate(self._links):
            # upwards a link's own joint is passed on leaving it, downwards on coming to it
            goes_up, came_down = k < self._upward, k > self._upward
            if (
                last > 0
                and (goes_up or came_down)
                and link.jointId() >= 0
                and link.hasActualJoint()
            ):
                joints.append(link)
                down.append(came_down)
        return joints, down

    # ------------------------------------------------------------------ settings

    def setBaseLinkGoal(self, T: ArrayLike) -> JointPath:
        """Put the base link somewhere; returns the path, so that `calcInverseKinematics` may follow."""
        self.baseLink().T = T
        self._base_moved = True
        return self

    def setIkJointLimitEnabled(self, on: bool) -> None:
        """Say whether joints stay within their ranges."""
        self._limits = bool(on)

    def setBestEffortIkEnabled(self, on: bool) -> None:
        """Say whether, where the goal is not reached, the best found is kept."""
        self._best_effort = bool(on)

    setBestEffortIKMode = setBestEffortIkEnabled

    def setNumericalIkMaxIterations(self, n: int) -> None:
        """Set how many corrections are made at most."""
        self._iterations = int(n)

    def setNumericalIkMaxIkError(self, e: float) -> None:
        """Set the error at which the goal counts as reached."""
        self._max_error = float(e)

    def setNumericalIkDeltaScale(self, s: float) -> None:
        """Set the share of each correction that is made."""
        self._scale = float(s)

    def setNumericalIkDampingConstant(self, d: float) -> None:
        """Set the damping near singular poses."""
        self._damping = float(d)

    def numIterations(self) -> int:
        """Return how many corrections the last solution took."""
        return self._done

    # ------------------------------------------------------------------ kinematics

    def calcForwardKinematics(self) -> None:
        """Put the links of the path where the base link and the positions of the joints have them."""
        for k in range(1, len(self._links)):
            link, before = self._links[k], self._links[k - 1]
            if k <= self._upward:
                link.T = before.T @ _inverse(before.local_pose())
            else:
                link.T = before.T @ link.local_pose()

    def calcJacobian(self) -> Floats:
        """Return (6, joints): velocity and angular velocity of the end link by those of the joints."""
        out = np.zeros((6, len(self._joints)))
        end = self.endLink().p
        for k, joint in enumerate(self._joints):
            axis = joint.R @ joint.a
            if not self._is_downward[k]:
                axis = -axis
            if joint.isRevoluteJoint():
                hinge = joint.p - joint.R @ joint.arm
                out[:3, k], out[3:, k] = np.cross(axis, end - hinge), axis
            else:
                out[:3, k] = axis
        return out

    def calcInverseKinematics(self, first: ArrayLike, rotation: ArrayLike | None = None) -> bool:
        """Move the joints until the end link is at a pose: a 4 x 4 matrix, or translation and rotation.

        On failure joints and end link are as before, and the answer is False.
        """
        goal = np.eye(4)
        if rotation is None:
            goal[:] = first
        else:
            goal[:3, 3], goal[:3, :3] = first, rotation
        end = self.endLink()
        if not self._joints:
            if end is not self.baseLink():
                return False
            end.T = goal
            return True
        if self._base_moved:
            self.calcForwardKinematics()
            self._base_moved = False
        start, pose = [joint.q for joint in self._joints], end.T.copy()
        best, least = start, math.inf
        last, stuck, reached = math.inf, 0, False
        most = self._max_error**2
        self._done = self._iterations
        for done in range(self._iterations):
            error = np.empty(6)
            error[:3] = goal[:3, 3] - end.p
            error[3:] = end.R @ omegaFromRot(end.R.T @ goal[:3, :3])
            square = float(error @ error)
            if self._best_effort and square < least:
                best, least, stuck = [joint.q for joint in self._joints], square, 0
            reached = square < most
            if last - square < most:
                stuck += 1
            elif not self._best_effort:
                stuck = 0
            if reached or stuck >= self._stagnation:
                self._done = done
                break
            last = square
            J = self.calcJacobian()
            change = J.T @ np.linalg.solve(J @ J.T + self._damping**2 * np.eye(6), error)
            for joint, step, q0 in zip(self._joints, change.tolist(), start, strict=True):
                joint.q = self._moved(joint, joint.q + self._scale * step, q0)
            self.calcForwardKinematics()
        if reached:
            end.T = goal
            return True
        for joint, q in zip(self._joints, best if self._best_effort else start, strict=True):
            joint.q = q
        self.calcForwardKinematics()
        if not self._best_effort:
            end.T = pose
        return False

    def _moved(self, joint: Link, q: float, start: float) -> float:
        """Return a position of a joint in the turn nearest its start, within its range if that counts."""
        if joint.isRevoluteJoint():
            q = _nearest_turn(q, start, joint.q_lower, joint.q_upper)
        return min(max(q, joint.q_lower), joint.q_upper) if self._limits else q


def _nearest_turn(q: float, start: float, low: float, high: float) -> float:
    """Return the angle plus whole turns that is nearest the start, of those within the range if any is."""
    turn = 2.0 * math.pi
    q += turn * round((start - q) / turn)
    if not math.isfinite(high - low) or low <= q <= high:
        return q
    fits = range(math.ceil((low - q) / turn), math.floor((high - q) / turn) + 1)
    return min((q + turn * k for k in fits), key=lambda x: abs(x - start), default=q)


def _path(base: Link, end: Link) -> tuple[list[Link], int]:
    """Return the links from one to another, and how many steps at the beginning go up."""
    above = _chain(base)
    below = _chain(end)
    common = next((link for link in above if any(link is one for one in below)), None)
    if common is None:
        return [], 0
    up = above[: next(k for k, link in enumerate(above) if link is common) + 1]
    down = below[: next(k for k, link in enumerate(below) if link is common)]
    return [*up, *reversed(down)], len(up) - 1


def _chain(link: Link) -> list[Link]:
    found: list[Link] = []
    above: Link | None = link
    while above is not None:
        found.append(above)
        above = above.parent()
    return found


def _inverse(T: Floats) -> Floats:
    out = np.eye(4)
    out[:3, :3] = T[:3, :3].T
    out[:3, 3] = -T[:3, :3].T @ T[:3, 3]
    return out
