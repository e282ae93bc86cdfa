"""The reference step: the native step in numpy, one plain stage after the other.

It gives the same results (to rounding) at a hundredth of the speed or less. It is what runs when
the native library is not there, and what the native library is tested against. Its solver shares
nothing with the native one: dense matrices and principal pivoting instead of sparse sweeps.
"""

from __future__ import annotations

from itertools import groupby

import mujoco
import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from solidbody.contact import law, layout
from solidbody.contact import tables as t
from solidbody.contact.layout import StepOutcome
from solidbody.contact.placing import place_kinematic
from solidbody.contact.readings import AxisReading, read_balls, read_loops
from solidbody.contact.reference.box_qp import solve_box
from solidbody.contact.reference.contact_loads import Kin, LastForces, share_loads, shorten_friction
from solidbody.contact.reference.contacts import (
    ContactSurface,
    Dropped,
    prepare_contacts,
    terrain_points,
)
from solidbody.contact.reference.delayed_collision import DelayedFrames
from solidbody.contact.reference.fluids import apply_fluids
from solidbody.contact.reference.forces import apply_gyro, apply_thrust, center_coriolis
from solidbody.contact.reference.joint_axes import axis_rows, read_joint
from solidbody.contact.reference.loops import loop_rows
from solidbody.contact.reference.momentum import carry, floating_trees
from solidbody.contact.reference.motion import (
    damp,
    integrate,
    is_too_fast,
    move_kinematic,
)
from solidbody.contact.reference.motors import command_motors, command_surfaces, command_tracks
from solidbody.contact.reference.rk4 import integrate_rk4
from solidbody.contact.reference.sleep import count_idle, fall_asleep, rest, wake_touched
from solidbody.contact.state import StepState

GOOD_RESIDUAL = 1e-9
"""[m/s] See SB_RESIDUAL_GOOD."""

_KIND = mujoco.mjtConstraint
DRY_ROWS = (int(_KIND.mjCNSTR_FRICTION_DOF), int(_KIND.mjCNSTR_FRICTION_TENDON))
LIMIT_ROWS = (int(_KIND.mjCNSTR_LIMIT_JOINT), int(_KIND.mjCNSTR_LIMIT_TENDON))
"""Rows of MuJoCo that are bounded, by their type."""


def _lost_so_far(d: mujoco.MjData) -> tuple[int, int]:
    """Return how many contacts, and rows of how many steps, found no room so far."""
    kinds = mujoco.mjtWarning.mjWARN_CONTACTFULL, mujoco.mjtWarning.mjWARN_CNSTRFULL
    contacts, steps = (int(d.warning[int(kind)].number) for kind in kinds)
    return contacts, steps


class ReferenceStep:
    """One simulation's step in Python. Same interface as NativeStep."""

    name = "reference"

    def __init__(
        self,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        tables: t.StepTables,
        state: StepState,
        *,
        owns_model: bool = False,
    ) -> None:
        self._data, self._state = data, state
        self._take(model, tables, owns_model=owns_model)
        self.stats = t.table(layout.STATS, 1)
        self.error_text = ""
        self._loop_forces = np.zeros((int(self._world["loops"]), 6))
        self._last = LastForces()
        self._held = DelayedFrames(model)

    def _take(self, model: mujoco.MjModel, tables: t.StepTables, *, owns_model: bool) -> None:
        self._model, self._tables = model, tables
        self._owns_model = owns_model
        self._world = tables.world[0]
        self._axes = tables.axes[: int(self._world["axes"])]

    @property
    def data(self) -> mujoco.MjData:
        """See `Step.data`."""
        return self._data

    @property
    def qpos(self) -> NDArray[np.float64]:
        """See `Step.qpos`."""
        return self._data.qpos.copy()

    @property
    def qvel(self) -> NDArray[np.float64]:
        """See `Step.qvel`."""
        return self._data.qvel.copy()

    @property
    def qacc(self) -> NDArray[np.float64]:
        """See `Step.qacc`."""
        return self._data.qacc.copy()

    def begin(self, qvel: NDArray[np.float64], qacc: NDArray[np.float64] | None) -> None:
        """See `Step.begin`."""
        mujoco.mj_resetData(self._model, self._data)
        self._data.qvel[:] = qvel
        if qacc is not None:
            self._data.qacc[:] = qacc

    def adopt(self, model: mujoco.MjModel, tables: t.StepTables, *, owns_model: bool) -> None:
        """See `Step.adopt`."""
        self._take(model, tables, owns_model=owns_model)
        self._held.adopt(model)

    def run(self, steps: int) -> StepOutcome:
        """Advance by `steps` steps."""
        # the matrices are small: several threads would wait for each other more than they compute
        with threadpool_limits(limits=1, user_api="blas"):
            for _ in range(steps):
                try:
                    self._step()
                except mujoco.FatalError as error:
                    self.error_text = " ".join(str(error).split())
                    return StepOutcome.MUJOCO
                d = self._data
                if not (np.isfinite(d.qpos).all() and np.isfinite(d.qvel).all()):
                    return StepOutcome.NOT_FINITE
        return StepOutcome.OK

    def find_contacts(self) -> None:
        """See `Step.find_contacts`."""
        m, d = self._model, self._data
        mujoco.mj_fwdKinematics(m, d)
        mujoco.mj_makeM(m, d)
        mujoco.mj_factorM(m, d)
        self._collide()

    def _collide(self) -> list[ContactSurface | None]:
        """Find contacts; return their surfaces."""
        m, d = self._model, self._data
        self._held.exchange(d)
        mujoco.mj_collision(m, d)
        surfaces, dropped = prepare_contacts(m, d, self._tables, self._state)
        self._held.exchange(d)
        self._count_dropped(dropped)
        return surfaces

    def hold_frames(self, body: int) -> None:
        """See `Step.hold_frames`."""
        self._held.take(self._data, body)

    def terrain_points(self, terrain: int, geom: int) -> NDArray[np.float64]:
        """See `Step.terrain_points`."""
        tables = self._tables.collision
        found = terrain_points(self._model, self._data, tables, tables.terrains[terrain], geom)
        return np.array([[*normal, depth] for _, normal, depth in found]).reshape(-1, 4)

    def clear(self) -> None:
        """Forget forces and statistics; nothing is warm-started here."""
        self._last = LastForces()
        self._held.clear()
        self.stats[:] = 0

    def loop_forces(self) -> NDArray[np.float64]:
        """See `Step.loop_forces`."""
        return self._loop_forces.copy()

    def memory(self) -> bytes:
        """Return the forces of the last step where loads are remembered, and frames that are held."""
        return b"\n".join((self._last.to_bytes(), self._held.to_bytes())).rstrip(b"\n")

    def restore_memory(self, memory: bytes) -> None:
        """Accept only what `memory` returns."""
        try:
            forces, _, held = memory.partition(b"\n")
            self._last = LastForces.from_bytes(forces)
            self._held.restore(held)
        except (ValueError, TypeError, IndexError, KeyError):
            raise ValueError("the snapshot was made by the native step") from None

    def _step(self) -> None:
        m, d = self._model, self._data
        tables, state, world = self._tables, self._state, self._world
        d.flg_energypos = d.flg_energyvel = d.flg_subtreevel = d.flg_rnepost = 0
        lost = _lost_so_far(d)
        command_surfaces(tables, state, m.opt.timestep)
        if not world["moves_late"]:
            self._move_kinematic()
        sleeps = bool(world["sleep_time"] > 0)
        while True:
            mujoco.mj_fwdKinematics(m, d)
            if sleeps:
                fall_asleep(m, d, state.trees)
            mujoco.mj_makeM(m, d)
            mujoco.mj_factorM(m, d)
            surfaces = self._collide()
            if not sleeps or not wake_touched(m, d, tables, state):
                break
        self._held.clear()
        if world["moves_late"]:
            self._move_kinematic()
            mujoco.mj_fwdKinematics(m, d)
            mujoco.mj_makeM(m, d)
            mujoco.mj_factorM(m, d)
        command_tracks(tables, state, m.opt.timestep, around=False)
        mujoco.mj_makeConstraint(m, d)
        self._count_lost(lost)
        mujoco.mj_sensorPos(m, d)
        mujoco.mj_fwdVelocity(m, d)
        self.stats["too_fast"] += is_too_fast(m, d, self._tables.collision.body_sizes)
        mujoco.mj_sensorVel(m, d)
        centered = bool(world["middle_coriolis"])
        far = center_coriolis(m, d, tables, state)
        apply_thrust(m, d, tables, state)
        apply_fluids(m, d, tables, state)
        apply_gyro(m, d, far, always=bool(world["implicit_gyro"]))
        mujoco.mj_fwdActuation(m, d)
        readings = self._read_axes()
        targets = command_motors(d, self._axes, state, readings, m.opt.timestep)
        mujoco.mj_fwdAcceleration(m, d)
        residual = self._solve(surfaces, self._axis_rows(readings, targets))
        mujoco.mj_sensorAcc(m, d)
        if sleeps:
            rest(m, d)
        floating = floating_trees(m, d) if centered else set[int]()
        before = d.qvel.copy()
        if world["runge_kutta"]:
            integrate_rk4(m, d, self._axes, state.commands)
        else:
            integrate(m, d, ode_rotation=bool(world["ode_rotation"]))
        damp(m, d, self._tables.dampers[: int(self._world["dampers"])])
        carry(m, d, before, floating, far)
        if state.flags["has_forces"][0]:
            d.xfrc_applied[:] = 0
            state.flags["has_forces"] = 0
        stats = self.stats[0]
        stats["steps"] += 1
        stats["contacts"] = np.count_nonzero(d.contact.efc_address >= 0)
        stats["residual"] = residual
        stats["worst_residual"] = max(stats["worst_residual"], residual)
        stats["not_converged"] += not residual < GOOD_RESIDUAL

    def _count_dropped(self, dropped: Dropped) -> None:
        """See sb_count_dropped."""
        stats = self.stats[0]
        for geoms, count in dropped:
            stats["contacts_dropped"] += count
            if count > stats["most_dropped"]:
                stats["most_dropped"], stats["dropped_geom"] = count, geoms

    def _count_lost(self, before: tuple[int, int]) -> None:
        """See count_lost of sb_step.c."""
        d, stats = self._data, self.stats[0]
        now = _lost_so_far(d)
        if now == before:
            return
        stats["memory_full"] += 1
        stats["contacts_lost"] += now[0] - before[0] + (d.ncon if now[1] > before[1] else 0)
        for pair, run in groupby(map(tuple, d.contact.geom.tolist())):
            count = len(list(run))
            if count > stats["most_found"] and min(pair) >= 0:
                stats["most_found"], stats["lost_geom"] = count, pair

    def _move_kinematic(self) -> None:
        """Move what no force moves."""
        m, d, state = self._model, self._data, self._state
        place_kinematic(m, d, self._tables, state, owns_model=self._owns_model)
        move_kinematic(m, d, state.moving, owns_model=self._owns_model)

    def _read_axes(self) -> list[AxisReading]:
        """Return where each axis stands; axes that sleep have no rows."""
        m, d, tables, motors = self._model, self._data, self._tables, self._state.motors
        found = read_balls(m, d, tables, motors) | read_loops(m, d, tables, motors)
        out: list[AxisReading] = []
        for k, axis in enumerate(self._axes):
            dof = int(axis["dof"])
            if dof >= 0 and d.tree_asleep[m.dof_treeid[dof]] >= 0:
                out.append(AxisReading(float(motors[k]["position"])))
            elif axis["kind"] == layout.AxisKind.JOINT:
                out.append(read_joint(m, d, axis))
            else:
                out.append(found.get(k, AxisReading(float(motors[k]["position"]))))
        return out

    def _axis_rows(
        self, readings: list[AxisReading], targets: list[tuple[float, float]]
    ) -> list[tuple[int, int, NDArray[np.float64], law.Row]]:
        """Return (axis, part, Jacobian, row) of motors, springs and stops."""
        d, h, cfm = self._data, self._model.opt.timestep, float(self._world["cfm"])
        return [
            (k, part, reading.jacobian, row)
            for k, (axis, told, reading, target) in enumerate(
                zip(self._axes, self._state.commands, readings, targets, strict=True)
            )
            if reading.jacobian is not None
            for part, row in axis_rows(
                axis, told, reading, float(reading.jacobian @ d.qvel), target, h, cfm
            )
        ]

    def _count_idle(self, groups: list[list[int]]) -> None:
        if self._world["sleep_time"] > 0:
            count_idle(self._model, self._data, self._tables, self._state, groups)

    def _note_efforts(self, rows: list[tuple[int, int]], forces: NDArray[np.float64]) -> None:
        """Keep what motors and stops gave."""
        for motor, axis in zip(self._state.motors, self._axes, strict=True):
            if axis["kind"] <= layout.AxisKind.LOOP:
                motor["reaction"] = motor["effort"]
        for (k, part), force in zip(rows, forces, strict=True):
            motor = self._state.motors[k]
            if part == 0:
                motor["effort"] += force
            if part != 1:
                motor["reaction"] += force

    def _contact_rows(self, surfaces: list[ContactSurface | None], rows: list[law.Row]) -> None:
        """Replace the rows of contacts by the law's."""
        d, h, cfm = self._data, self._model.opt.timestep, float(self._world["cfm"])
        for contact, surface in zip(d.contact, surfaces, strict=True):
            a = contact.efc_address
            if a < 0 or surface is None:
                continue
            s = surface.surface
            rows[a] = law.row_normal(
                h,
                -contact.dist,
                d.efc_vel[a],
                s["erp"],
                s["cfm"],
                s["bounce"],
                s["bounce_velocity"],
                s["rest_depth"],
                s["depth_scale"],
            )
            for j in range(1, contact.dim):
                is_friction = j < 3
                rows[a + j] = (
                    law.row_friction(surface.speed[j - 1], surface.slip[j - 1], cfm)
                    if is_friction
                    else law.row_rolling(cfm)
                )

    def _solve(
        self,
        surfaces: list[ContactSurface | None],
        own: list[tuple[int, int, NDArray[np.float64], law.Row]],
    ) -> float:
        """Solve both phases, set qacc and forces; returns the residual [m/s]."""
        m, d, h = self._model, self._data, self._model.opt.timestep
        count = d.nefc
        erp, cfm = float(self._world["erp"]), float(self._world["cfm"])
        rows = [_plain_row(d, i, h, erp, cfm) for i in range(count)]
        self._contact_rows(surfaces, rows)
        loops = loop_rows(m, d, self._tables, self._state)
        rows += [row for *_, row in own] + [row for _, row, _ in loops]
        self._loop_forces[:] = 0.0
        self.stats["rows"] = len(rows)
        if not rows:
            self._last = LastForces()
            self._count_idle([])
            self._note_efforts([], np.zeros(0))
            d.qacc[:] = d.qacc_smooth
            d.qfrc_constraint[:] = 0
            return 0.0

        jacobian = np.zeros((len(rows), m.nv))
        jacobian[:count] = _dense_jacobian(m, d)
        for k, (*_, row, _) in enumerate(own):
            jacobian[count + k] = row
        for k, (row, *_) in enumerate(loops):
            jacobian[count + len(own) + k] = row
        response = np.zeros_like(jacobian)
        mujoco.mj_solveM(m, d, response, jacobian)
        c, soft, lo, hi = (np.array(column) for column in zip(*rows, strict=True))
        r = soft / h
        b = jacobian @ (d.qvel / h + d.qacc_smooth) - c / h
        friction = _friction_rows(d, surfaces)
        islands = _islands(m, jacobian)
        self._count_idle([np.unique(m.dof_treeid[dofs]).tolist() for _, dofs in islands])
        force = np.zeros(len(rows))
        residual = 0.0
        kins = _kins(self._model, d, surfaces)
        remembers = _remembering_rows(d, surfaces, len(rows))
        names = _equality_names(d)
        names += [("axis", axis, part) for axis, part, *_ in own]
        names += [("loop", *at) for *_, at in loops]
        last, loads = self._last.find(d, names, kins) if remembers.any() else (force, force.copy())
        for island, dofs in islands:
            hard = jacobian[np.ix_(island, dofs)] @ response[np.ix_(island, dofs)].T
            a = hard + np.diag(r[island])
            bounded = [row for row in island.tolist() if row in friction]
            if not bounded or not all(remembers[friction[row][0]] for row in bounded):
                loads[island] = force[island] = solve_box(a, b[island], lo[island], hi[island])
            if bounded:
                carriers = np.flatnonzero(remembers[island])
                if len(carriers):
                    speed = b[island] + r[island] * last[island]
                    shared = share_loads(hard, speed, last[island], loads[island], carriers)
                    loads[island[carriers]] = shared[carriers]
                for row in bounded:
                    normal, mu = friction[row]
                    hi[row] = law.friction_bound(mu, loads[normal])
                    lo[row] = -hi[row]
                force[island] = solve_box(a, b[island], lo[island], hi[island])
                pairs = [i for i in bounded if friction[i][0] == i - 1 and remembers[i - 1]]
                if shorten_friction(force, lo, hi, pairs):
                    force[island] = solve_box(a, b[island], lo[island], hi[island])
            f, diagonal = force[island], np.diag(a)
            best = np.clip(f - (a @ f + b[island]) / diagonal, lo[island], hi[island])
            residual = max(residual, float(np.max(np.abs(best - f) * diagonal)) * h)
        self._last = (
            LastForces.of(d, names, kins, force, loads) if remembers.any() else LastForces()
        )
        self._note_efforts(
            [(axis, part) for axis, part, *_ in own], force[count : count + len(own)]
        )
        for (_, _, at), value in zip(loops, force[count + len(own) :], strict=True):
            self._loop_forces[at] = value
        d.efc_force[:] = force[:count]
        d.qfrc_constraint[:] = jacobian.T @ force
        d.qacc[:] = d.qacc_smooth + response.T @ force
        return residual


def _plain_row(d: mujoco.MjData, i: int, h: float, erp: float, cfm: float) -> law.Row:
    """Return the row of an equality, of friction in a joint or tendon, or of their limits."""
    if d.efc_type[i] in DRY_ROWS:
        return law.row_motor(0.0, d.efc_frictionloss[i], cfm)
    if d.efc_type[i] in LIMIT_ROWS:
        gap = d.efc_pos[i] - d.efc_margin[i]
        return law.row_stop(h, 1, gap, d.efc_vel[i], erp, cfm, 0.0)
    return law.row_bilateral(h, d.efc_pos[i], erp, cfm)


def _dense_jacobian(m: mujoco.MjModel, d: mujoco.MjData) -> NDArray[np.float64]:
    out = np.zeros((d.nefc, m.nv))
    for i in range(d.nefc):
        start = d.efc_J_rowadr[i]
        entries = slice(start, start + d.efc_J_rownnz[i])
        out[i, d.efc_J_colind[entries]] = d.efc_J[entries]
    return out


def _islands(
    m: mujoco.MjModel, jacobian: NDArray[np.float64]
) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Return (rows, dofs) of each group of kinematic trees that rows tie together."""
    touches = np.zeros((len(jacobian), m.ntree), dtype=bool)
    for tree in range(m.ntree):
        first = m.tree_dofadr[tree]
        touches[:, tree] = jacobian[:, first : first + m.tree_dofnum[tree]].any(axis=1)
    left = touches.any(axis=1)
    out: list[tuple[NDArray[np.intp], NDArray[np.intp]]] = []
    while left.any():
        trees: NDArray[np.bool_] = touches[int(np.argmax(left))]
        while True:
            rows = left & touches[:, trees].any(axis=1)
            grown = np.asarray(touches[rows].any(axis=0))
            if (grown == trees).all():
                break
            trees = grown
        out.append((np.flatnonzero(rows), np.flatnonzero(trees[m.dof_treeid])))
        left &= ~rows
    return out


def _equality_names(d: mujoco.MjData) -> list[tuple[str | int, ...]]:
    """Return by what rows of equalities are known again; other rows of MuJoCo are not."""
    out: list[tuple[str | int, ...]] = []
    for i in range(d.ne):
        first = i == 0 or d.efc_id[i] != d.efc_id[i - 1]
        out.append(("equality", int(d.efc_id[i]), 0 if first else int(out[-1][2]) + 1))
    return out + [()] * (d.nefc - d.ne)


def _kins(m: mujoco.MjModel, d: mujoco.MjData, surfaces: list[ContactSurface | None]) -> list[Kin]:
    """Return of each contact what it has in common with those that may be the same in the next step."""
    out: list[Kin] = []
    for contact, surface in zip(d.contact, surfaces, strict=True):
        one, two = contact.geom.tolist()
        if surface is not None and surface.surface["keeps_spread"]:
            low, high = sorted(m.geom_bodyid[[one, two]].tolist())
            out.append((1, low, high))
        else:
            out.append((0, one, two))
    return out


def _remembering_rows(
    d: mujoco.MjData, surfaces: list[ContactSurface | None], count: int
) -> NDArray[np.bool_]:
    """Return which rows are normals of contacts that remember loads."""
    out = np.zeros(count, dtype=bool)
    for contact, surface in zip(d.contact, surfaces, strict=True):
        if contact.efc_address >= 0 and surface is not None:
            out[contact.efc_address] = bool(surface.surface["remembers_loads"])
    return out


def _friction_rows(
    d: mujoco.MjData, surfaces: list[ContactSurface | None]
) -> dict[int, tuple[int, float]]:
    """Return row -> (row of its normal, coefficient) of all friction and rolling rows."""
    return {
        contact.efc_address + j: (contact.efc_address, surface.coefficients[j - 1])
        for contact, surface in zip(d.contact, surfaces, strict=True)
        if contact.efc_address >= 0 and surface is not None
        for j in range(1, contact.dim)
    }
