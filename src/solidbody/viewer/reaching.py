"""Inverse kinematics by hand: the joints of a model at rest follow the mouse, within their limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import mujoco
import numpy as np
from numpy.typing import NDArray

from solidbody.sim.handles import JointHandle, LinkHandle
from solidbody.viewer.outline import axis_limits

if TYPE_CHECKING:
    from solidbody.sim import Sim

Floats = NDArray[np.float64]

ITERATIONS: Final = 40
"""Most steps of a solution: the next movement of the mouse goes on from there."""

DAMPING: Final = 1e-3
MOST_DAMPING: Final = 1e6
"""[m^2] Keeps joints still near singular poses; beyond the most, nothing moves."""

LONGEST_STEP: Final = 0.3
"""[rad] or [m] Of a joint in one iteration: beyond that the linear map is no good any more."""

BEND: Final = 0.15
"""[rad] or [m] By which joints are moved towards the middle of their range where nothing else helps."""

NEAR: Final = 1e-6
"""[m] An error below this is none."""

TURN_WEIGHT: Final = 0.3
"""[m/rad] What a turn of an end that is held counts for beside a shift of it."""

HOLD_WEIGHT: Final = 5.0
"""How much more ends that are held count than the one that is dragged: feet stay on the ground."""

_MOVES: Final = (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE))


class PointReach:
    """Brings a point of a link to places by the joints of its tree.

    Args:
        sim: The simulation, at rest.
        link: What is dragged.
        grip: The point, in the link's frame [m].
        holds: Whether the other ends of the tree (hands, feet) stay; then a free root moves, too.

    Raises:
        ValueError: No joint could bring it anywhere.
    """

    def __init__(self, sim: Sim, link: int, grip: Floats, *, holds: bool = False) -> None:
        m, binding = sim.model, sim.compiled.binding
        self._sim, self._link, self._grip = sim, link, np.asarray(grip, float)
        self._body = int(binding.body[link])
        self._root = int(m.body_rootid[self._body])
        self._rows = [
            row
            for row, axis in enumerate(binding.axes)
            if axis.dof >= 0
            and int(m.jnt_type[m.dof_jntid[axis.dof]]) in _MOVES
            and int(m.body_rootid[m.dof_bodyid[axis.dof]]) == self._root
            and (holds or self._is_above(int(m.dof_bodyid[axis.dof])))
        ]
        self._dofs = np.array([binding.axes[row].dof for row in self._rows], int)
        self._places = np.array([binding.axes[row].qpos for row in self._rows], int)
        free = np.flatnonzero(m.jnt_bodyid == self._root)
        is_free = len(free) == 1 and int(m.jnt_type[free[0]]) == int(mujoco.mjtJoint.mjJNT_FREE)
        self._free = int(m.jnt_dofadr[free[0]]) if holds and is_free else -1
        if not len(self._rows) and self._free < 0:
            raise ValueError(
                f'"{sim.link_names[link]}" hangs on no joint that could bring it anywhere.'
            )
        self._data = mujoco.MjData(m)
        self._take()
        limits = [axis_limits(sim.axis_model(row)) for row in self._rows]
        states = sim.joint_states()[self._rows, 0] if self._rows else np.zeros(0)
        offset = self._data.qpos[self._places] - states
        self._low = np.array([-np.inf if one is None else one[0] for one in limits]) + offset
        self._high = np.array([np.inf if one is None else one[1] for one in limits]) + offset
        self._offset = offset
        self._held = self._ends() if holds else []

    def to(self, target: Floats) -> None:
        """Bring the point as near to a place as the joints can."""
        d = self._data
        self._take()
        goal = np.asarray(target, float)
        left = self._solve(goal)
        if left > NEAR:  # a stretched arm cannot be pushed in: bend it, and look whether that helps
            best = d.qpos.copy()
            middle = np.where(
                np.isfinite(self._low + self._high), 0.5 * (self._low + self._high), np.inf
            )
            d.qpos[self._places] += BEND * np.sign(middle - d.qpos[self._places])
            self._refresh()
            if self._solve(goal) > left - NEAR:
                d.qpos[:] = best
                self._refresh()
        self._give()

    def _solve(self, goal: Floats) -> float:
        """Move joints until the error is no smaller any more; return it."""
        m, d = self._sim.model, self._data
        columns = self._dofs if self._free < 0 else np.append(self._dofs, self._free + np.arange(6))
        damping = DAMPING
        jacobian, error = self._task(goal)
        for _ in range(ITERATIONS):
            if float(np.linalg.norm(error)) < NEAR or damping > MOST_DAMPING:
                break
            before = d.qpos.copy()
            step = self._solved(jacobian[:, columns], error, damping)
            whole = np.zeros(m.nv)
            whole[columns] = step * min(1.0, LONGEST_STEP / max(float(np.abs(step).max()), 1e-12))
            mujoco.mj_integratePos(m, d.qpos, whole, 1.0)
            d.qpos[self._places] = np.clip(d.qpos[self._places], self._low, self._high)
            self._refresh()
            next_jacobian, next_error = self._task(goal)
            if float(next_error @ next_error) < float(error @ error):
                jacobian, error, damping = next_jacobian, next_error, 0.3 * damping
                continue
            d.qpos[:] = before  # too far for a linear map: go shorter
            self._refresh()
            damping = max(10.0 * damping, DAMPING)
        return float(np.linalg.norm(error))

    def _solved(self, part: Floats, error: Floats, damping: float) -> Floats:
        """Return how far joints go; those at their limits that would go beyond stay out of it."""
        places = self._data.qpos[self._places]
        active = np.ones(part.shape[1], bool)
        step = np.zeros(part.shape[1])
        for _ in range(3):
            use = part[:, active]
            damped = use @ use.T + damping * np.eye(len(error))
            step[:] = 0.0
            step[active] = use.T @ np.linalg.solve(damped, error)
            joint = step[: len(places)]
            beyond = ((places <= self._low) & (joint < 0)) | ((places >= self._high) & (joint > 0))
            if not beyond.any():
                break
            active[: len(places)] &= ~beyond
            step[: len(places)][beyond] = 0.0
        return step

    def _task(self, target: Floats) -> tuple[Floats, Floats]:
        """Return how the task changes with the joints, and how far it is from done."""
        m, d = self._sim.model, self._data
        linear, angular = np.zeros((3, m.nv)), np.zeros((3, m.nv))
        at = self._at()
        mujoco.mj_jac(m, d, linear, angular, at, self._body)
        rows, errors = [linear.copy()], [target - at]
        for body, place, turn in self._held:
            mujoco.mj_jac(m, d, linear, angular, d.xpos[body], body)
            turned = np.zeros(3)
            mujoco.mju_subQuat(turned, turn, d.xquat[body])
            spin = d.xmat[body].reshape(3, 3) @ turned
            rows += [HOLD_WEIGHT * linear, HOLD_WEIGHT * TURN_WEIGHT * angular]
            errors += [HOLD_WEIGHT * (place - d.xpos[body]), HOLD_WEIGHT * TURN_WEIGHT * spin]
        return np.concatenate(rows), np.concatenate(errors)

    def _at(self) -> Floats:
        d, offset = self._data, self._sim.compiled.binding.offset_position[self._link]
        return d.xpos[self._body] + d.xmat[self._body].reshape(3, 3) @ (offset + self._grip)

    def _is_above(self, body: int) -> bool:
        """Whether a body is the dragged one or one that it hangs on."""
        parents, at = self._sim.model.body_parentid, self._body
        while at > 0:
            if at == body:
                return True
            at = int(parents[at])
        return False

    def _ends(self) -> list[tuple[int, Floats, Floats]]:
        """Return the bodies at the ends of the tree but the dragged one, and where they are."""
        m, d = self._sim.model, self._data
        tree = np.flatnonzero(m.body_rootid == self._root)
        ends = [
            int(body) for body in tree if body not in m.body_parentid[tree] and body != self._root
        ]
        return [
            (body, d.xpos[body].copy(), d.xquat[body].copy())
            for body in ends
            if body != self._body and not self._is_above(body)
        ]

    def _take(self) -> None:
        """Begin where the simulation is."""
        self._sim.core.refresh()
        self._data.qpos[:] = self._sim.data.qpos
        self._data.mocap_pos[:] = self._sim.data.mocap_pos
        self._data.mocap_quat[:] = self._sim.data.mocap_quat
        self._refresh()

    def _refresh(self) -> None:
        mujoco.mj_kinematics(self._sim.model, self._data)
        mujoco.mj_comPos(self._sim.model, self._data)

    def _give(self) -> None:
        """Put the simulation where this is; motors hold what was found."""
        sim, d = self._sim, self._data
        if self._free >= 0:
            index = int(np.flatnonzero(np.asarray(sim.compiled.binding.body) == self._root)[0])
            offset = sim.compiled.binding.offset_position[index]
            place = d.xpos[self._root] + d.xmat[self._root].reshape(3, 3) @ offset
            LinkHandle(sim, index, sim.link_names[index]).set_pose(place, d.xquat[self._root])
        positions = d.qpos[self._places] - self._offset
        for row, position in zip(self._rows, positions, strict=True):
            joint = JointHandle(sim, row, sim.joint_names[row])
            if joint.has_motor:
                joint.target_position = float(position)
            joint.position = float(position)
