"""Pulls and turns a link that is held by the mouse: a damped spring, computed afresh before every step.

The spring acts on the mass that is felt at the grip (operational-space inertia), so that every body
follows the mouse alike, a feather or a crate, free or at the end of an arm. Far targets pull no harder
than near ones: damping ends every pull at a speed that can be followed.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import mujoco
import numpy as np
from numpy.typing import NDArray

from solidbody.contact.vectors import rotate
from solidbody.sim import moving

if TYPE_CHECKING:
    from solidbody.sim.simulation import Sim

Floats = NDArray[np.float64]

FREQUENCY: Final = 10.0
"""[rad/s] of a spring at the default scale: what is held arrives within half a second, without overshoot."""

STEPS_PER_RADIAN: Final = 4.0
"""Fewest steps per radian of the spring: explicit damping is stable up to one."""

ACCELERATION: Final = 100.0
"""[m/s^2] or [rad/s^2] Most that the spring gives: what follows a far target moves at 5 m/s."""

SPIN_DAMPING: Final = 3.0
"""[1/s] How fast the spin of a body dies out that is pulled beside its centre of mass."""

DEFAULT_FORCE_SCALE: Final = 30.0
DEFAULT_TORQUE_SCALE: Final = 5.0
"""Scales of a scene (`dragForceScale`, `dragTorqueScale`) that leave the frequency as it is."""

NEGLIGIBLE: Final = 1e-9
"""Share of the largest mobility under which joints do not let a link go some way at all."""


class Grip:
    """Holds a link at a point of its own, or by its centre of mass to turn it.

    Args:
        sim: The simulation.
        index: The link. ValueError if forces do not move it.
        point: What is gripped, in the link's frame [m].
        turns: Whether to turn the link instead of pulling it.
    """

    def __init__(self, sim: Sim, index: int, point: Floats, *, turns: bool = False) -> None:
        moving.mass_of(sim, index)
        self._sim, self.index, self.turns = sim, index, turns
        self._point = np.asarray(point, float)
        scene = sim.scene
        scale = (
            scene.drag_torque_scale / DEFAULT_TORQUE_SCALE
            if turns
            else scene.drag_force_scale / DEFAULT_FORCE_SCALE
        )
        self._frequency = min(
            FREQUENCY * math.sqrt(scale), 1.0 / (STEPS_PER_RADIAN * sim.time_step)
        )

    @property
    def at(self) -> Floats:
        """Where the grip is in the world [m]."""
        pose = self._sim.pose(self.index)
        return pose[:3] + rotate(pose[3:], self._point)

    def pull(self, target: Floats) -> None:
        """Add what acts during the next step: a force to a world point, or a torque about the way to it."""
        sim, at = self._sim, self.at
        sim.core.refresh()
        m, d = sim.model, sim.data
        body = int(sim.compiled.binding.body[self.index])
        linear, angular = np.zeros((3, m.nv)), np.zeros((3, m.nv))
        mujoco.mj_jac(m, d, linear, angular, at, body)
        mujoco.mj_crb(m, d)
        mujoco.mj_factorM(m, d)
        spring = self._frequency**2 * (np.asarray(target, float) - at)
        size = float(np.linalg.norm(spring))
        if size > ACCELERATION:
            spring *= ACCELERATION / size
        if self.turns:
            wanted = spring - 2.0 * self._frequency * (angular @ d.qvel)
            moving.add_torque(sim, self.index, self._inertia(angular) @ wanted, relative=False)
            return
        wanted = spring - 2.0 * self._frequency * (linear @ d.qvel)
        # where joints let it not go, no more than all that hangs together is felt
        whole = float(m.body_subtreemass[m.body_rootid[body]])
        values, axes = np.linalg.eigh(self._mobility(linear))
        force = axes @ ((axes.T @ wanted) / np.maximum(values, 1.0 / whole))
        # what turns about the grip comes to rest, and the grip itself does not feel that
        both = np.concatenate([linear, angular])
        spin = -min(SPIN_DAMPING, self._frequency) * (angular @ d.qvel)
        wrench = self._inertia(both) @ np.concatenate([np.zeros(3), spin])
        moving.add_force(sim, self.index, force + wrench[:3], at, None, relative=False)
        moving.add_torque(sim, self.index, wrench[3:], relative=False)

    def _inertia(self, jacobian: Floats) -> Floats:
        """Return the inertia that forces and torques feel; 0 where joints let the link not go."""
        mobility = self._mobility(jacobian)
        return np.linalg.pinv(mobility, rcond=NEGLIGIBLE, hermitian=True).astype(np.float64)

    def _mobility(self, jacobian: Floats) -> Floats:
        """Return what unit forces accelerate, J M^-1 J^T."""
        m, d = self._sim.model, self._sim.data
        out = np.zeros_like(jacobian)
        mujoco.mj_solveM(m, d, out, np.ascontiguousarray(jacobian))
        return jacobian @ out.T
