"""Limits fluid drag so that it never reverses a motion (native: sb_drag.c, which says why)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

import mujoco
import numpy as np
from numpy.typing import NDArray

from solidbody.contact import layout
from solidbody.contact import tables as t
from solidbody.contact.reference.contact_response import DRIVING
from solidbody.contact.state import StepState

Array = NDArray[np.float64]

TURNED = 1 + 1e-9
"""See SB_TURNED."""


@dataclass(slots=True)
class Drag:
    """What a fluid does to one shape in one step (SbDrag).

    Attributes:
        body: Of the shape.
        lift: Buoyancy.
        force: Drag, without the lift.
        torque: Drag.
        per_speed: Drag per velocity and per spin, along the axes of the body (6).
        centre: Where both forces act.
    """

    body: int
    lift: Array
    force: Array
    torque: Array
    per_speed: Array
    centre: Array


@dataclass(frozen=True, slots=True)
class _DraggedBody:
    """The shapes of one body, and its Jacobian along its axes: velocity, then spin (6, nv)."""

    body: int
    items: list[Drag]
    axes: Array
    rows: Array

    @classmethod
    def of(cls, m: mujoco.MjModel, d: mujoco.MjData, body: int, items: list[Drag]) -> _DraggedBody:
        moves, turns = np.zeros((3, m.nv)), np.zeros((3, m.nv))
        mujoco.mj_jacBodyCom(m, d, moves, turns, body)
        axes = d.xmat[body].reshape(3, 3).copy()
        return cls(body, items, axes, np.concatenate((axes.T @ moves, axes.T @ turns)))

    @property
    def per_speed(self) -> Array:
        return np.sum([one.per_speed for one in self.items], axis=0)

    def drag(self) -> Array:
        """Return force and torque along the body's axes."""
        force = np.sum([one.force for one in self.items], axis=0)
        torque = np.sum([one.torque for one in self.items], axis=0)
        return np.concatenate((self.axes.T @ force, self.axes.T @ torque))

    def is_safe_alone(self, m: mujoco.MjModel) -> bool:
        """Whether drag in a step is below the inertia of the body by itself."""
        c = m.opt.timestep * self.per_speed
        if (c[:3] > TURNED * m.body_mass[self.body]).any():
            return False
        turn = np.zeros(9)
        mujoco.mju_quat2Mat(turn, m.body_iquat[self.body])
        inverse = turn.reshape(3, 3) @ np.diag(1 / m.body_inertia[self.body]) @ turn.reshape(3, 3).T
        root = np.sqrt(c[3:])
        return bool(np.linalg.eigvalsh(root[:, None] * inverse * root)[-1] <= TURNED)

    def change(self, change: Array) -> None:
        """Add a change along the axes to the shapes, to each in proportion to its own drag."""
        whole = self.per_speed
        for one in self.items:
            own = np.where(whole > 0, change * one.per_speed / np.where(whole > 0, whole, 1.0), 0.0)
            one.force = one.force + self.axes @ own[:3]
            one.torque = one.torque + self.axes @ own[3:]


def bound_drags(
    m: mujoco.MjModel,
    d: mujoco.MjData,
    tables: t.StepTables,
    state: StepState,
    drags: list[Drag],
) -> None:
    """Let drag stop at most what it slows: the items are changed where it would do more."""
    for tree, items in groupby(drags, key=lambda one: int(m.body_treeid[one.body])):
        bodies = [
            _DraggedBody.of(m, d, body, list(group))
            for body, group in groupby(items, key=lambda one: one.body)
        ]
        if tree >= 0 and not all(body.is_safe_alone(m) for body in bodies):
            _bound_tree(m, d, tables, state, tree, bodies)


def _bound_tree(
    m: mujoco.MjModel,
    d: mujoco.MjData,
    tables: t.StepTables,
    state: StepState,
    tree: int,
    bodies: list[_DraggedBody],
) -> None:
    h, first = m.opt.timestep, int(m.tree_dofadr[tree])
    on_dofs = np.sum([body.drag() @ body.rows for body in bodies], axis=0)
    held = {
        int(axis["dof"])
        for axis, told in zip(tables.axes, state.commands, strict=False)
        if axis["kind"] == layout.AxisKind.JOINT
        and told["mode"] in DRIVING
        and told["available_effort"] >= abs(on_dofs[int(axis["dof"])])
    }
    free = [k for k in range(first, first + int(m.tree_dofnum[tree])) if k not in held]
    mass = np.zeros((m.nv, m.nv))
    mujoco.mj_fullM(m, d, mass)
    factor = np.linalg.cholesky(mass[np.ix_(free, free)])
    whitened = [np.linalg.solve(factor, body.rows[:, free].T).T for body in bodies]
    p = np.linalg.solve(factor, on_dofs[free])
    pairs = list(zip(bodies, whitened, strict=True))
    modes = h * np.sum([rows.T @ np.diag(body.per_speed) @ rows for body, rows in pairs], axis=0)
    values, vectors = np.linalg.eigh(modes)
    turned = [pair for pair in zip(values, vectors.T, strict=True) if pair[0] > TURNED]
    for _ in range(2 if turned else 0):
        now = np.sum([body.drag() @ rows for body, rows in pairs], axis=0)
        x = np.zeros(len(free))
        for value, mode in turned:
            x += h / value * (mode @ now - mode @ p / value) * mode
        for body, rows in pairs:
            body.change(-body.per_speed * (rows @ x))


__all__ = ["Drag", "bound_drags"]
