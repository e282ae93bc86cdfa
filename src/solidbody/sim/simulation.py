"""The simulation: a compiled scene and its state."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Sequence

import mujoco
import numpy as np
from numpy.typing import NDArray

from solidbody.base.diagnostics import Diagnostic
from solidbody.base.errors import NameLookupError, SimulationError
from solidbody.base.progress import Progress
from solidbody.base.transforms import Pose
from solidbody.compiler import Compiled, compile_scene
from solidbody.contact.engine import EngineName, Step, make_step
from solidbody.contact.outcome import StepOutcome
from solidbody.contact.readings import read_balls, read_loops
from solidbody.contact.tables import AxisKind, Record, Table
from solidbody.devices import DeviceEngine
from solidbody.devices.core.engine import acts_alone
from solidbody.devices.core.handles import DeviceHandle
from solidbody.devices.core.places import cross
from solidbody.devices.core.plain import Plain
from solidbody.model.joints import JointAxis
from solidbody.model.links import Link
from solidbody.model.scene import Scene
from solidbody.sim.attaching import attach, bond_force, detach
from solidbody.sim.batch import Batch
from solidbody.sim.companion import Companion
from solidbody.sim.contacts import Contacts, contacts_of, joint_wrenches
from solidbody.sim.drives import bound_drives, push_back, turn_wheels_into_motion
from solidbody.sim.failures import failure_of, make_data
from solidbody.sim.feelers import bound_feelers
from solidbody.sim.handles import JointHandle, LinkHandle
from solidbody.sim.indices import (
    axis_links,
    changing_arrays,
    joint_rows,
    link_index,
    link_origins,
    link_poses,
    movers_now,
)
from solidbody.sim.kinematic_rates import add_kinematic_velocities
from solidbody.sim.motors import MotorWriter
from solidbody.sim.present import Present
from solidbody.sim.rebuild import KeptState
from solidbody.sim.senses import Floats, SenseReader, can_sense, make_reader
from solidbody.sim.snapshot import FOREIGN, Snapshot, fill_all
from solidbody.sim.snapshot_check import check_commands
from solidbody.sim.stats import SimStats, contact_messages, stats_of
from solidbody.sim.waking import check_sleep, restore_sleep, wake_tree

SLICE = 0.1
"""[s] Longest stay in one native call, so that Ctrl-C and other threads get their turn."""

KEEP_EVERY = 0.25
"""[s] of wall-clock time between snapshots that are kept in case the simulation fails: one costs less than
a thousandth of that."""

KEPT = 4
"""How many of them."""


class Sim:
    """A scene in motion.

    Args:
        scene: What to simulate.
        engine: "native", "reference" (numpy, slow) or "auto".
        progress: Told how far slow work is (hollow meshes are cut when they first meet).
        cut_meshes: Whether hollow meshes that meet are cut into convex parts, which takes seconds for
            each the first time; if not, their hulls stand in for them.
        threads: How many may share one step (groups of bodies that do not touch are solved at the same
            time); None = one per processor, four at most. Results do not depend on it.
    """

    def __init__(
        self,
        scene: Scene,
        *,
        engine: EngineName = "auto",
        progress: Progress | None = None,
        cut_meshes: bool = True,
        threads: int | None = None,
    ) -> None:
        self._engine: EngineName = engine
        self._threads = threads
        self._cut_meshes = cut_meshes
        self._companions: list[Companion] = []
        self._build(scene, progress)
        self.reset()

    def _build(self, scene: Scene, progress: Progress | None = None) -> None:
        """Compile a scene and take it as the one to simulate."""
        self._take(scene, compile_scene(scene, progress=progress, cut_meshes=self._cut_meshes))

    def _take(self, scene: Scene, compiled: Compiled) -> None:
        self.scene = scene
        self.compiled: Compiled = compiled
        self.model = self.compiled.model
        self.data = make_data(scene, self.model)
        self._step = make_step(
            self.model, self.data, compiled.tables, engine=self._engine, threads=self._threads
        )
        self._links = tuple(scene.links())
        self._changing = changing_arrays(self)
        self._initial = [array.copy() for array in self._changing]
        self._initial_mover_of = movers_now(self)
        self.axis_links = axis_links(self)
        self.motors = MotorWriter(self, compiled.tables.axes)
        self._motor_axes = compiled.tables.axes.view()
        self._motor_axes.setflags(write=False)
        self._link_index = link_index(self.compiled)
        self._joint_row = joint_rows(self.compiled)
        self.step_count = 0
        self._slice = 1
        self._kept: deque[Snapshot] = deque(maxlen=KEPT)
        # some devices do something though nobody asks for them
        self._devices = DeviceEngine(self) if acts_alone(scene) else None
        self._drives = bound_drives(self)
        self._feelers = bound_feelers(self)
        self.present = Present(compiled, self.data, self.engine_name)

    # ------------------------------------------------------------------ many at once

    def copy(self) -> Sim:
        """Return another simulation of the same scene, at its start, without compiling it again."""
        other = Sim.__new__(Sim)
        other._engine, other._threads = self._engine, self._threads
        other._cut_meshes = self._cut_meshes
        other._companions = []
        # not what has been commanded or moved since the start
        state = [array.copy() for array in self._changing]
        for array, initial in zip(self._changing, self._initial, strict=True):
            array[...] = initial
        compiled = self.compiled.copy()
        for array, now in zip(self._changing, state, strict=True):
            array[...] = now
        other._take(self.scene, compiled)
        other.reset()
        return other

    def batch(self, count: int, *, threads: int | None = None) -> Batch:
        """Return `count` copies that step together on several threads; see `sim/batch.py`."""
        if count < 1:
            raise ValueError(f"a batch needs at least one simulation, got {count}")
        return Batch([self.copy() for _ in range(count)], threads=threads)

    @property
    def native_step(self) -> Step:
        """What advances it."""
        return self._step

    @property
    def native_steps_done(self) -> int:
        """Steps that the native code has counted."""
        return int(self._step.stats["steps"][0])

    @property
    def needs_attention(self) -> bool:
        """Whether something has its say between steps: devices, controllers, wheels of old robots."""
        return bool(self._companions or self._devices or self._drives or self._feelers)

    def note_steps(self, count: int) -> None:
        """Note that the step was run from outside."""
        self.step_count += count
        self.poses_are_fresh = False

    # ------------------------------------------------------------------ time

    @property
    def time(self) -> float:
        """Simulated time since the start [s]."""
        return self.step_count * self.time_step

    @property
    def time_step(self) -> float:
        """Length of a step [s]."""
        return self.scene.physics.time_step

    @property
    def engine_name(self) -> str:
        """Which step is in use: "native" or "reference"."""
        return self._step.name

    def step(self, n: int = 1) -> None:
        """Advance by `n` steps. Raises SimulationError when the simulation cannot go on."""
        while n > 0:
            for companion in self._companions:
                companion.before_steps()
            until_due = None if self._devices is None else self._devices.steps_until_due()
            limits = [until_due, *(companion.steps_until_due() for companion in self._companions)]
            chunk = min([n, *(limit for limit in limits if limit is not None)])
            if self._drives:  # their robots go where the wheels now point
                chunk = 1
                for drive in self._drives:
                    turn_wheels_into_motion(self, drive)
            self._advance(chunk)
            if self._drives:
                push_back(self, self._drives)
            n -= chunk
            if self._devices is not None and chunk == until_due:
                self._devices.after_steps()
            for companion in self._companions:
                companion.after_steps()

    def _advance(self, n: int) -> None:
        """Advance in slices: short enough for Ctrl-C, other threads and an occasional snapshot."""
        while n > 0:
            started = time.perf_counter()
            if started - self._kept_at > KEEP_EVERY:
                self._kept.append(self.snapshot())
                self._kept_at = started
            before = int(self._step.stats["steps"][0])
            outcome = self._step.run(min(n, self._slice))
            n -= min(n, self._slice)
            self.step_count += int(self._step.stats["steps"][0]) - before
            self.poses_are_fresh = False
            if outcome is not StepOutcome.OK:
                raise self.failure_of(outcome)
            took = time.perf_counter() - started
            self._slice = self._slice * 2 if took < SLICE / 2 else max(1, self._slice // 2)

    def run(self, seconds: float) -> None:
        """Advance by at least `seconds` of simulated time (whole steps)."""
        self.step(max(0, math.ceil(seconds / self.time_step - 1e-9)))

    def replace_scene(self, scene: Scene) -> None:
        """Go on with another scene: what both have keeps its state, the rest starts as the scene says.

        Links are recognised by their paths and places in the file. Handles of links, joints and devices
        that were asked for before must be asked for again. Nothing changes if the scene cannot be compiled
        (raises CompileError then).
        """
        kept = KeptState(self, self._devices, self._initial)
        self._build(scene)
        self._go_to_start()
        self._devices = kept.give_to(self) or self._devices
        self._mover_of = movers_now(self)
        self.poses_are_fresh = False

    def describe_anew(self, scene: Scene) -> None:
        """Take another scene whose links, joints and shapes are the same: looks, texts, programs.

        Raises:
            ValueError: It has other links.
        """
        links = tuple(scene.links())
        if [link.name for link in links] != [link.name for link in self._links]:
            raise ValueError("the scene has other links; use replace_scene")
        kept = KeptState(self, self._devices, self._initial)
        self.scene, self._links = scene, links
        self._devices = kept.devices_for(self) or self._devices

    def reset(self) -> None:
        """Go back to the start: same poses, velocities and motor commands as after loading."""
        self._go_to_start()
        if self._devices is not None:
            self._devices.reset()
        for companion in self._companions:
            companion.reset()

    def _go_to_start(self) -> None:
        mujoco.mj_resetData(self.model, self.data)
        self.data.qvel[:] = self.compiled.initial_qvel
        for array, initial in zip(self._changing, self._initial, strict=True):
            array[...] = initial
        self._mover_of = dict(self._initial_mover_of)
        self._step.clear()
        self._kept.clear()
        self._kept_at = -math.inf
        self.step_count = 0
        if len(self.scene.start_accelerations) == self.model.nv:
            self.data.qacc[:] = self.scene.start_accelerations
        elif self.compiled.tables.world["middle_coriolis"][0] and self.data.qvel.any():
            self._guess_acceleration()
        self.poses_are_fresh = False

    def _guess_acceleration(self) -> None:
        """Take the acceleration of the first step for the one before it, for what starts in motion."""
        start = self.snapshot()
        self._step.run(1)
        acceleration = self.data.qacc.copy()
        self.restore(start)
        self._step.clear()
        if np.isfinite(acceleration).all():
            self.data.qacc[:] = acceleration

    def attach(self, companion: Companion) -> None:
        """Let something go along with every step: controllers, recorders."""
        self._companions.append(companion)

    @property
    def companions(self) -> tuple[Companion, ...]:
        """What goes along."""
        return tuple(self._companions)

    def detach(self, companion: Companion) -> None:
        """Let it go along no more."""
        self._companions.remove(companion)

    def keep_commands(self) -> None:
        """Make the present motor commands those that `reset` goes back to."""
        axes = self.compiled.tables.axes
        for array, initial in zip(self._changing, self._initial, strict=True):
            if array is axes:
                initial[...] = axes

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
            commands=b"".join(array.tobytes() for array in self._changing),
            motors=self._step.motor_states.tobytes(),
            solver=self._step.memory(),
        )

    def restore(self, snapshot: Snapshot) -> None:
        """Continue from `snapshot`: the following steps give the same bytes as they did then."""
        d = self.data
        parts = (
            (snapshot.qpos, (d.qpos,)),
            (snapshot.qvel, (d.qvel,)),
            (snapshot.qacc, (d.qacc,)),
            (snapshot.mocap, (d.mocap_pos, d.mocap_quat)),
            (snapshot.forces, (d.qfrc_applied, d.xfrc_applied)),
            (snapshot.commands, tuple(self._changing)),
            (snapshot.motors, (self._step.motor_states,)),
        )
        if not (check_sleep(self, snapshot.asleep) and check_commands(self, snapshot.commands)):
            raise ValueError(FOREIGN)
        fill_all(parts)
        restore_sleep(self, snapshot.asleep)
        self._step.restore_memory(snapshot.solver)
        self._mover_of = movers_now(self)
        self.step_count = snapshot.step_count
        d.time = self.time
        self.poses_are_fresh = False

    @property
    def stats(self) -> SimStats:
        """How well the steps went since the start."""
        return stats_of(self._step.stats[0], self.compiled)

    @property
    def contact_messages(self) -> tuple[Diagnostic, ...]:
        """Pairs of links that had more contacts than are kept: by their limit, for lack of room."""
        return contact_messages(self.stats, self.scene)

    # ------------------------------------------------------------------ state by index

    @property
    def moving(self) -> NDArray[np.intp]:
        """Indices of the links that can move."""
        return self.compiled.binding.moving

    @property
    def link_names(self) -> tuple[str, ...]:
        """Names of all links, in the order of the rows of `poses`."""
        return self.compiled.binding.link_names

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of all joint axes, in the order of the rows of `joint_states`."""
        return tuple(self._joint_row)

    def poses(self) -> NDArray[np.float64]:
        """Return (links, 7): position and orientation x y z qw qx qy qz, world frame."""
        return link_poses(self)

    def pose(self, row: int) -> NDArray[np.float64]:
        """Return one row of `poses`, without working out the others."""
        return link_poses(self, slice(row, row + 1))[0]

    def velocities(self) -> NDArray[np.float64]:
        """Return (links, 6): linear velocity of the origin, angular velocity, world frame."""
        self.refresh()
        b, d = self.compiled.binding, self.data
        mujoco.mj_comVel(self.model, d)
        out = np.empty((len(b.body), 6))
        angular, linear = d.cvel[b.body, :3], d.cvel[b.body, 3:]
        # cvel is about the centre of mass of the kinematic tree
        centre = d.subtree_com[self.model.body_rootid[b.body]]
        origin = link_origins(self.data, b)
        out[:, :3] = linear + cross(angular, origin - centre)
        out[:, 3:] = angular
        add_kinematic_velocities(self, origin, out)
        return out

    def joint_states(self) -> NDArray[np.float64]:
        """Return (axes, 2): position and velocity of each joint axis."""
        tables, d = self.compiled.tables, self.data
        axes = tables.axes[: len(self.compiled.binding.axes)]
        out = np.zeros((len(axes), 2))
        own = axes["kind"] == AxisKind.JOINT
        out[own, 0], out[own, 1] = d.qpos[axes["qpos"][own]], d.qvel[axes["dof"][own]]
        if own.all():
            return out
        motors = self.motor_states[: len(axes)]
        out[~own, 0], out[~own, 1] = motors["position"][~own], motors["velocity"][~own]
        readings = read_balls(self.model, d, tables, self.motor_states)
        if (axes["kind"] == AxisKind.LOOP).any():
            self.refresh()
            readings |= read_loops(self.model, d, tables, self.motor_states)
        for row, reading in readings.items():
            assert reading.jacobian is not None
            out[row] = reading.position, float(reading.jacobian @ d.qvel)
        return out

    @property
    def motor_states(self) -> Table:
        """Memory of the axes between steps, one row each."""
        return self._step.motor_states

    @property
    def motor_axes(self) -> Table:
        """Commands of the axes, one row each, to be read: `motors` writes them."""
        return self._motor_axes

    def accelerations(self) -> NDArray[np.float64]:
        """Return the accelerations of the last step, one per degree of freedom."""
        return self.data.qacc.copy()

    def link_model(self, index: int) -> Link:
        """Return what the file says about the link in a row of `poses`."""
        return self._links[index]

    def contacts(self) -> Contacts:
        """Return the contact points of the last step."""
        return contacts_of(self.data, self.compiled.binding)

    def touches(self) -> Contacts:
        """Return the contact points of the present poses, which act in the next step."""
        return self.present.contacts()

    def felt(self, link: int, device: int) -> dict[int, float]:
        """Return the links that a device without physics, by its number, touches now, and how deep [m]."""
        feelers = self._feelers.get((link, device))
        return {} if feelers is None else feelers.touched(self)

    def joint_wrenches(self) -> NDArray[np.float64]:
        """Return (links, 6): what each link exerts on its parent, as `sim/contacts.py` defines it.

        To be asked right after a step, before poses are.
        """
        if self.poses_are_fresh:
            raise RuntimeError("poses were asked for first; the state of the last step is gone")
        return joint_wrenches(self)

    def loop_forces(self) -> NDArray[np.float64]:
        """Return (loops, 6): what each loop gave in the last step; see `Step.loop_forces`."""
        return self._step.loop_forces()

    def start_rotations(self) -> NDArray[np.float64]:
        """Return (links, 4): orientations that wrenches belong to; to be asked before poses are."""
        return self.data.xquat[self.compiled.binding.body]

    def can_sense(self, plain: Plain) -> bool:
        """Whether `plain_reader` can read such a sensor."""
        return can_sense(self, plain)

    def plain_reader(self, plains: Sequence[Plain], to: Sequence[Floats]) -> SenseReader | None:
        """Return what reads plain sensors in one native call; None where there is no native library."""
        return make_reader(self, plains, to)

    def attach_links(self, first: int, second: int, *, shift: Pose | None = None) -> int:
        """Hold two links together; see `sim/attaching.py`."""
        return attach(self, first, second, shift=shift)

    def detach_links(self, number: int) -> None:
        """Let go of what `attach_links` holds under that number."""
        detach(self, number)

    def bond_force(self, number: int) -> NDArray[np.float64]:
        """Return the force on the second link of what `attach_links` holds, world axes [N]."""
        return bond_force(self, number)

    def axis_row(self, link: int, number: int) -> int:
        """Return the row in `joint_states` of an axis of the joint of a link."""
        return self.compiled.binding.axis_of_link[link] + number

    def propeller_row(self, link: int, device: int) -> int:
        """Return the row in `joint_states` of the shaft of a propeller, the link's device of that number."""
        return self.compiled.binding.axis_of_propeller[link, device]

    def axis_model(self, row: int) -> JointAxis:
        """Return the model of the joint axis in a row of `joint_states`."""
        return self.compiled.axes[row]

    # ------------------------------------------------------------------ state by name

    def __getitem__(self, name: str) -> LinkHandle:
        """Return the link of that name, label or path."""
        if name not in self._link_index:
            raise NameLookupError("link", name, self._link_index)
        return LinkHandle(self, self._link_index[name], name)

    def link(self, name: str) -> LinkHandle:
        """Return the link of that name, label or path."""
        return self[name]

    def joint(self, name: str) -> JointHandle:
        """Return the joint of that name; a motor, sensor or child link may name it as well."""
        row = self._joint_row.get(name)
        if row is None:
            row = self.compiled.binding.joint_aliases.get(name)
        if row is None:
            raise NameLookupError("joint", name, self._joint_row)
        return JointHandle(self, row, name)

    @property
    def devices(self) -> DeviceEngine:
        """All devices; made when they are first asked for."""
        if self._devices is None:
            self._devices = DeviceEngine(self)
        return self._devices

    @property
    def device_messages(self) -> tuple[Diagnostic, ...]:
        """What devices have said so far: files that cannot be read, batteries that ran out."""
        return () if self._devices is None else tuple(self._devices.world.log)

    def device(self, name: str) -> DeviceHandle:
        """Return a device by its name, or by `link/name`, `robot/name`, `body/name`."""
        bound = self.devices.names[name]
        self.devices.wake(bound)
        return DeviceHandle(self.devices, bound)

    # ------------------------------------------------------------------ inside

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

    def is_asleep(self, link: int) -> bool:
        """Whether a link has come to rest and is left out of the steps."""
        tree = int(self.model.body_treeid[self.compiled.binding.body[link]])
        return bool(tree >= 0 and self.data.tree_asleep[tree] >= 0)

    def forces_changed(self, link: int) -> None:
        """Note that a force will act on a link in the next step."""
        self.wake(link)
        self.compiled.tables.world["has_forces"] = 1

    def has_mover(self, link: int) -> bool:
        """Whether a kinematic link has been given a velocity."""
        return link in self._mover_of

    def mover_row(self, link: int) -> Record:
        """Return the row that moves a kinematic link by its velocity, a new one if need be."""
        world, movers = self.compiled.tables.world, self.compiled.tables.movers
        if link not in self._mover_of:
            self._mover_of[link] = int(world["movers"][0])
            world["movers"] += 1
        return movers[self._mover_of[link]]

    def refresh(self) -> None:
        """Positions of bodies lag one step after the integrator: bring them up to date."""
        if not self.poses_are_fresh:
            mujoco.mj_kinematics(self.model, self.data)
            mujoco.mj_comPos(self.model, self.data)
            self.poses_are_fresh = True

    def failure_of(self, outcome: StepOutcome) -> SimulationError:
        """Return the error for a step that went wrong."""
        return failure_of(self, outcome, tuple(self._kept))
