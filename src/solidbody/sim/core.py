"""Core of a simulation: constants, state, and the step from one state to the next.

The constants (`Compiled`) are shared by all simulations of a scene. The state is MuJoCo's (`MjData`), ours
(one row of `contact/state.py`) and the step's memory of the last forces; snapshots, copies and going back to
the start copy these three and nothing else.

One thing has no place in either: MuJoCo keeps the poses of bodies that are fixed to others in its model. A
simulation that moves such a body takes a copy of the model for itself (`Core.own_model`), and the arrays in
question (PLACES) are then part of its state.
"""

from __future__ import annotations

import copy
import math
from typing import Any, Final

import mujoco
import numpy as np
from numpy.typing import NDArray

from solidbody.compiler import Compiled
from solidbody.compiler.patching import carry_joints
from solidbody.contact.engine import EngineName, make_step
from solidbody.contact.state import StepState
from solidbody.contact.tables import Record, Table
from solidbody.model.scene import Scene
from solidbody.sim.failures import make_data, no_room
from solidbody.sim.look_ahead import LookAhead
from solidbody.sim.snapshot import FOREIGN, Snapshot, fill_all
from solidbody.sim.snapshot_check import check_state
from solidbody.sim.waking import check_sleep, restore_sleep, wake_tree

PLACES: Final = ("body_pos", "body_quat", "jnt_pos", "jnt_axis")
"""Arrays of MjModel that say where bodies are fixed to others, and where their joints are."""

_SIZES: Final = (
    *("nq", "nv", "nu", "nbody", "njnt", "ngeom", "nmocap", "neq", "ntree", "nC", "nM"),
    *("nD", "nB"),
)
"""Of MjModel: what MjData and the step are laid out by."""

_COUNTS: Final = ("axes", "balls", "loops", "grips", "tracks", "kinematics", "immersions")
"""The same of WORLD."""


class Core:
    """Constants, state and step of one simulation.

    Args:
        scene: What is simulated.
        compiled: What it was compiled to.
        engine: "native", "reference" or "auto".
        threads: How many may share a step.
        start: The state to begin with and to go back to; None = that of `compiled`.
        rows: One row of memory for the state, for simulations that lie side by side.
        clock: Two numbers of memory likewise: steps since the start, whether poses are up to date.
    """

    def __init__(
        self,
        scene: Scene,
        compiled: Compiled,
        *,
        engine: EngineName,
        threads: int | None,
        start: StepState | None = None,
        rows: Table | None = None,
        clock: NDArray[np.int64] | None = None,
    ) -> None:
        self.clock = np.zeros(2, dtype=np.int64) if clock is None else clock
        self.compiled = compiled
        self.model = compiled.model
        self.start = start or compiled.start
        self.state = self.start.copy() if rows is None else StepState(rows)
        self.state.take(self.start)
        # of copies side by side most are never looked at one by one
        data = make_data(scene, self.model) if rows is None else None
        try:
            self.step = make_step(
                self.model, data, compiled.tables, self.state, engine=engine, threads=threads
            )
        except MemoryError as error:
            raise no_room(scene, self.model, error) from error
        self.look_ahead = LookAhead(compiled, self.model, self.step, self.state)
        self._own_what_steps_move()

    @property
    def data(self) -> mujoco.MjData:
        """MuJoCo's part of the state."""
        return self.step.data

    # ------------------------------------------------------------------ clock

    @property
    def step_count(self) -> int:
        """Steps since the start."""
        return self.clock.item(0)

    @step_count.setter
    def step_count(self, count: int) -> None:
        self.clock[0] = count

    @property
    def poses_are_fresh(self) -> bool:
        """Whether positions of bodies are those of now, not of the start of the last step."""
        return bool(self.clock.item(1))

    @poses_are_fresh.setter
    def poses_are_fresh(self, are_fresh: bool) -> None:
        self.clock[1] = are_fresh

    # ------------------------------------------------------------------ constants

    @property
    def owns_model(self) -> bool:
        """Whether the model is this simulation's own."""
        return self.model is not self.compiled.model

    def own_model(self) -> mujoco.MjModel:
        """Return a model in which bodies may be placed: PLACES and what follows from them, nothing else."""
        if not self.owns_model:
            self._use(self.compiled, copy.copy(self.compiled.model))
        return self.model

    def adopt(self, compiled: Compiled) -> None:
        """Go on with other constants of the same layout: other surfaces, masses, springs, stops, gravity.

        The state stays as it is. What `compiled` has another start for takes effect when the simulation goes
        back to it.

        Raises:
            ValueError: It has other links, joints or shapes.
        """
        old = self.compiled
        if not _is_alike(old, compiled):
            raise ValueError("the scene has another layout; use replace_scene")
        model = compiled.model
        if self.owns_model:
            model = self.model if old.model is model else self._with_places(old.model, model)
        if self.start is old.start:
            self.start = compiled.start
        else:  # commands that were kept stay
            commands = self.start.commands
            self.start = compiled.start.copy()
            self.start.commands[...] = commands
        self._use(compiled, model)
        self.poses_are_fresh = False

    def _with_places(self, old: mujoco.MjModel, new: mujoco.MjModel) -> mujoco.MjModel:
        """Return a copy of `new` in which what was placed since `old` stands as it does now."""
        out, bodies = copy.copy(new), np.zeros(new.nbody, dtype=bool)
        for name in PLACES:
            now = getattr(self.model, name)
            moved = (now != getattr(old, name)).any(axis=1)
            getattr(out, name)[moved] = now[moved]
            bodies[moved if name.startswith("body") else new.jnt_bodyid[moved]] = True
        if carry_joints(out, bodies):
            mujoco.mj_setConst(out, mujoco.MjData(out))
        return out

    def _use(self, compiled: Compiled, model: mujoco.MjModel) -> None:
        self.compiled, self.model = compiled, model
        self.step.adopt(model, compiled.tables, owns_model=self.owns_model)
        self.look_ahead.adopt(compiled, model)

    def _own_what_steps_move(self) -> None:
        """Take a model of its own if steps move bodies that are fixed to others."""
        bodies = self.compiled.tables.kinematics["body"][: len(self.state.kinematics)]
        if (self.model.body_mocapid[bodies] < 0).any() or (self.state.moving["mocap"] < 0).any():
            self.own_model()

    # ------------------------------------------------------------------ state

    @property
    def time_step(self) -> float:
        """Length of a step [s]."""
        return self.compiled.scene.physics.time_step

    @property
    def time(self) -> float:
        """Simulated time since the start [s]."""
        return self.step_count * self.time_step

    def refresh(self) -> None:
        """Positions of bodies lag one step after the integrator: bring them up to date."""
        if not self.poses_are_fresh:
            mujoco.mj_kinematics(self.model, self.data)
            mujoco.mj_comPos(self.model, self.data)
            self.poses_are_fresh = True

    @property
    def steps_done(self) -> int:
        """Steps that the step itself has counted."""
        return int(self.step.stats["steps"][0])

    def note_steps(self, count: int) -> None:
        """Note that the step was run."""
        self.step_count += count
        self.poses_are_fresh = False

    def state_changed(self, link: int) -> None:
        """Note that a link (-1: nobody in particular) was moved from outside."""
        self.poses_are_fresh = False
        self.wake(link)

    def wake(self, link: int) -> None:
        """Wake the links of one tree, if they sleep."""
        if link >= 0:
            tree = int(self.model.body_treeid[self.compiled.binding.body[link]])
            if tree >= 0:
                wake_tree(self, tree)

    def mover_of(self, link: int) -> Record | None:
        """Return the row that moves a kinematic link by its velocity; None if it was never given one."""
        body = self.compiled.binding.body[link]
        found = np.flatnonzero(self.state.moving["body"] == body)
        return self.state.movers[int(found[0])] if len(found) else None

    def mover_row(self, link: int) -> Record:
        """Return the row that moves a kinematic link by its velocity, a new one if need be."""
        found = self.mover_of(link)
        if found is not None:
            return found
        body = int(self.compiled.binding.body[link])
        row = self.state.movers[int(self.state.flags["movers"][0])]
        row["body"], row["mocap"] = body, self.model.body_mocapid[body]
        self.state.flags["movers"] += 1
        if row["mocap"] < 0:
            self.own_model()
        return row

    def keep_commands(self) -> None:
        """Make the present motor commands part of the state at the start."""
        self.start = self.start.copy()
        self.start.commands[...] = self.state.commands

    def go_to_start(self, accelerations: tuple[float, ...]) -> None:
        """Go back to the start, with the accelerations of the step before it if they are known."""
        self._place(b"")
        velocity = self.compiled.initial_qvel
        self.step.begin(
            velocity, np.array(accelerations) if len(accelerations) == self.model.nv else None
        )
        self.state.take(self.start)
        self.step.clear()
        self.step_count = 0
        if (
            len(accelerations) != self.model.nv
            and self.compiled.tables.world["middle_coriolis"][0]
            and velocity.any()
        ):
            self._guess_acceleration()
        self.poses_are_fresh = False

    def _guess_acceleration(self) -> None:
        """Take the acceleration of the first step for the one before it, for what starts in motion."""
        start = self.snapshot()
        self.step.run(1)
        acceleration = self.step.qacc
        self.restore(start)
        self.step.clear()
        if np.isfinite(acceleration).all():
            self.data.qacc[:] = acceleration

    def snapshot(self) -> Snapshot:
        """Return the complete state."""
        d = self.data
        return Snapshot(
            step_count=self.step_count,
            qpos=d.qpos.tobytes(),
            qvel=d.qvel.tobytes(),
            qacc=d.qacc.tobytes(),
            mocap=d.mocap_pos.tobytes() + d.mocap_quat.tobytes(),
            asleep=d.tree_asleep.tobytes(),
            forces=d.qfrc_applied.tobytes() + d.xfrc_applied.tobytes(),
            state=self.state.rows.tobytes(),
            places=b"".join(array.tobytes() for array in self._places()),
            solver=self.step.memory(),
        )

    def restore(self, snapshot: Snapshot) -> None:
        """Continue from `snapshot`: the following steps give the same bytes as they did then."""
        d = self.data
        sizes = sum(getattr(self.model, name).nbytes for name in PLACES)
        if not (
            check_sleep(d, snapshot.asleep)
            and check_state(self.compiled, self.state, snapshot.state)
            and len(snapshot.places) in (0, sizes)
        ):
            raise ValueError(FOREIGN)
        parts = (
            (snapshot.qpos, (d.qpos,)),
            (snapshot.qvel, (d.qvel,)),
            (snapshot.qacc, (d.qacc,)),
            (snapshot.mocap, (d.mocap_pos, d.mocap_quat)),
            (snapshot.forces, (d.qfrc_applied, d.xfrc_applied)),
            (snapshot.state, (self.state.rows,)),
        )
        fill_all(parts)
        self._place(snapshot.places)
        self._own_what_steps_move()
        restore_sleep(self.model, d, snapshot.asleep)
        self.step.restore_memory(snapshot.solver)
        self.step_count = snapshot.step_count
        d.time = self.time
        self.poses_are_fresh = False

    def _places(self) -> tuple[Any, ...]:
        """Return what this simulation has changed in the model, which is then its own."""
        return tuple(getattr(self.model, name) for name in PLACES) if self.owns_model else ()

    def _place(self, places: bytes) -> None:
        """Take over PLACES as bytes; none = those of the compiled model."""
        if places:
            self.own_model()
            fill_all([(places, self._places())])
        elif self.owns_model:
            for name in PLACES:
                getattr(self.model, name)[...] = getattr(self.compiled.model, name)


def _is_alike(one: Compiled, two: Compiled) -> bool:
    """Whether a state of one is a state of the other."""
    return (
        one.start.rows.dtype == two.start.rows.dtype
        and one.binding.link_names == two.binding.link_names
        and all(getattr(one.model, name) == getattr(two.model, name) for name in _SIZES)
        and all(one.tables.world[name] == two.tables.world[name] for name in _COUNTS)
        and math.isclose(one.model.opt.timestep, two.model.opt.timestep)
    )
