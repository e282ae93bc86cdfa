"""`Sim`, the public class of a simulation: a compiled scene and its state."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, overload

import numpy as np
from numpy.typing import NDArray

from solidbody.base.diagnostics import Diagnostic
from solidbody.base.errors import SimulationError
from solidbody.base.extras import need
from solidbody.base.progress import Progress
from solidbody.base.transforms import Pose
from solidbody.compiler import Compiled, compile_scene
from solidbody.compiler.differences import Difference
from solidbody.compiler.geoms import FormCache
from solidbody.contact.engine import EngineName
from solidbody.contact.layout import StepOutcome
from solidbody.contact.state import StepState
from solidbody.contact.tables import Table
from solidbody.devices import DeviceEngine
from solidbody.devices.core.device_engine import acts_alone
from solidbody.devices.core.handles import DeviceHandle
from solidbody.devices.core.plain import Plain
from solidbody.model.actions import sim_actions
from solidbody.model.joints import JointAxis
from solidbody.model.links import Link
from solidbody.model.scene import Scene
from solidbody.sim.attaching import attach, bond_force, detach
from solidbody.sim.contacts import Contacts, contacts_of, joint_wrenches
from solidbody.sim.core import Core
from solidbody.sim.drives import bound_drives
from solidbody.sim.handles import JointHandle, LinkHandle
from solidbody.sim.lookup import Lookup
from solidbody.sim.motors import MotorWriter
from solidbody.sim.native_sensors import Floats, NativeSensorReader, can_sense, make_reader
from solidbody.sim.pickling import PickledSim, pickled
from solidbody.sim.played_motions import bound_motions
from solidbody.sim.readings import axis_states, link_poses, link_velocities
from solidbody.sim.rebuild import KeptState
from solidbody.sim.recording import MemoryLog, RunRecording
from solidbody.sim.runner import Runner
from solidbody.sim.snapshot import Snapshot
from solidbody.sim.stats import SimStats, contact_messages, stats_of
from solidbody.sim.step_hook import StepHook
from solidbody.sim.touch_probes import touch_probes_of

if TYPE_CHECKING:
    import mujoco

    from solidbody.sim.batch.batch import Batch
    from solidbody.sim.batch.device_batch import DeviceBatch


class Sim:
    """A scene in motion.

    It is the face of its state (`sim/core.py`), of its names (`sim/lookup.py`) and of what advances it
    (`sim/runner.py`).

    Args:
        scene: What to simulate.
        engine: "native", "reference" (numpy, slow) or "auto".
        progress: Told how far slow work is (hollow meshes are cut when they first meet).
        cut_meshes: Whether hollow meshes that meet are cut into convex parts, which takes seconds for
            each the first time; if not, their hulls stand in for them.
        threads: How many may share one step (groups of bodies that do not touch are solved at the same
            time); None = one per processor, four at most. Results do not depend on it.

    Attributes:
        scene: What is simulated.
        core: Its constants, its state and the step between states.
        motors: The one writer of motor commands.
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
        self._forms: FormCache | None = None
        self._runner = Runner()
        self._build(scene, progress)
        self.reset()

    def _build(self, scene: Scene, progress: Progress | None = None) -> None:
        """Compile a scene and take it as the one to simulate."""
        compiled = compile_scene(
            scene, progress=progress, cut_meshes=self._cut_meshes, forms=self._forms
        )
        self._take(scene, compiled)

    def _take(
        self,
        scene: Scene,
        compiled: Compiled,
        start: StepState | None = None,
        rows: Table | None = None,
        clock: NDArray[np.int64] | None = None,
    ) -> None:
        self.scene = scene
        self.core = Core(
            scene,
            compiled,
            engine=self._engine,
            threads=self._threads,
            start=start,
            rows=rows,
            clock=clock,
        )
        self._told = self.state.commands.view()
        self._told.setflags(write=False)
        self._bind()
        self._touch_probes = touch_probes_of(self)
        self._runner.take(self.core)
        self._runner.drives = bound_drives(self)
        self._runner.motions = bound_motions(self)
        self._start_devices()

    def _start_devices(self) -> None:
        """Some devices do something though nobody asks for them."""
        if acts_alone(self.scene):
            self._runner.devices = DeviceEngine(self)

    def _bind(self) -> None:
        """Look up what the constants say."""
        self._lookup = Lookup(self.scene, self.compiled)
        self.motors = MotorWriter(self.core, self._lookup.axis_links)

    # ------------------------------------------------------------------ many at once

    @classmethod
    def of(
        cls,
        scene: Scene,
        compiled: Compiled,
        *,
        engine: EngineName = "auto",
        threads: int | None = None,
    ) -> Sim:
        """Return a simulation of a scene that is compiled already, at its start."""
        sim = cls.__new__(cls)
        sim._engine, sim._threads = engine, threads
        sim._cut_meshes, sim._forms = True, None
        sim._runner = Runner()
        sim._take(scene, compiled)
        sim.reset()
        return sim

    def copy(self, rows: Table | None = None, clock: NDArray[np.int64] | None = None) -> Sim:
        """Return another simulation of the same scene, at its start; they share all that does not change.

        `rows`, `clock`: Memory for its state, for simulations that lie side by side (`sim/core.py`).
        """
        other = Sim.__new__(Sim)
        other._engine, other._threads = self._engine, self._threads
        other._cut_meshes, other._forms = self._cut_meshes, None
        other._runner = Runner()
        other._take(self.scene, self.compiled, self.core.start, rows, clock)
        other.reset()
        return other

    @overload
    def batch(self, count: int, *, threads: int | None = None, seed: int = 0) -> Batch: ...

    @overload
    def batch(
        self, count: int, *, device: str, contacts: int | None = None, seed: int = 0
    ) -> DeviceBatch: ...

    def batch(
        self,
        count: int,
        *,
        threads: int | None = None,
        seed: int = 0,
        device: str | None = None,
        contacts: int | None = None,
    ) -> Batch | DeviceBatch:
        """Return `count` copies that step together.

        Args:
            count: How many.
            threads: On the processor, how many threads (`sim/batch/batch.py`).
            seed: Of the noise of sensors, which is another one in each copy.
            device: "cuda", "cuda:1", ...: on a graphics card (`sim/batch/device_batch.py`, docs/gpu.md);
                "cpu": the same kernels on the processor, to try them without one. None = the native step.
            contacts: On a device, room for contact points in each world.
        """
        if count < 1:
            raise ValueError(f"a batch needs at least one simulation, got {count}")
        from solidbody.sim.batch.batch import Batch
        from solidbody.sim.batch.chosen import whole

        count = whole("count", count, 1)
        if device is not None:
            need("cameras", "a batch on a device")
            from solidbody.sim.batch.device_batch import DeviceBatch

            if threads is not None:
                raise ValueError("threads are a matter of the processor, not of a device")
            if contacts is not None and (not isinstance(contacts, int) or contacts < 1):
                raise ValueError(
                    f"room for contacts is a whole number, at least 1, got {contacts!r}"
                )
            return DeviceBatch(self, count, device=device, contacts=contacts, seed=seed)
        if contacts is not None:
            raise ValueError(
                "room for contacts is a matter of devices: the processor takes what it needs"
            )
        rows = np.zeros(count, dtype=self.state.rows.dtype)
        clock = np.zeros((count, 2), dtype=np.int64)
        copies = [self.copy(rows[k : k + 1], clock[k]) for k in range(count)]
        return Batch(copies, rows, clock, threads=threads, seed=seed)

    def __getstate__(self) -> PickledSim:
        """See `sim/pickling.py`."""
        return pickled(self, self._runner.devices, self._engine, self._threads, self._cut_meshes)

    def __setstate__(self, state: PickledSim) -> None:
        self._engine, self._threads = state.engine, state.threads
        self._cut_meshes, self._forms = state.cut_meshes, None
        self._runner = Runner()
        self._take(state.scene, state.compiled, state.start)
        self.reset()
        self.core.step.stats[...] = state.stats
        self.core.restore(state.snapshot)
        if state.devices is not None:
            self._runner.devices = state.devices.given_to(DeviceEngine(self))

    @property
    def has_touch_probes(self) -> bool:
        """Whether touch sensors feel what the contacts of a step do not cover."""
        return bool(self._touch_probes)

    @property
    def steps_alone(self) -> bool:
        """Whether nothing at all has its say between steps, so that many can be done in one native call."""
        return not self._runner.needs_attention

    # ------------------------------------------------------------------ constants and state

    @property
    def compiled(self) -> Compiled:
        """What never changes: the model, the tables, the state at the start, names."""
        return self.core.compiled

    @property
    def model(self) -> mujoco.MjModel:
        """MuJoCo's model: shared by all simulations of the scene, or this one's own (`Core.own_model`)."""
        return self.core.model

    @property
    def data(self) -> mujoco.MjData:
        """MuJoCo's part of the state."""
        return self.core.data

    @property
    def state(self) -> StepState:
        """Our part of the state: commands, motors, movers, grips, rotors, rest."""
        return self.core.state

    @property
    def step_count(self) -> int:
        """Steps since the start."""
        return self.core.step_count

    def adopt(self, compiled: Compiled) -> None:
        """Go on with other constants of the same layout (surfaces, masses, springs); the state stays.

        Raises:
            ValueError: It has other links, joints or shapes: `replace_scene` is for that.
        """
        is_bound = compiled.binding is self.compiled.binding
        self.core.adopt(compiled)
        if is_bound:
            self._lookup.describe_anew(self.scene, compiled)
            self.motors = MotorWriter(self.core, self._lookup.axis_links)
        else:
            self._bind()

    # ------------------------------------------------------------------ time

    @property
    def time(self) -> float:
        """Simulated time since the start [s]."""
        return self.core.time

    @property
    def time_step(self) -> float:
        """Length of a step [s]."""
        return self.core.time_step

    @property
    def engine_name(self) -> str:
        """Which step is in use: "native" or "reference"."""
        return self.core.step.name

    def step(self, n: int = 1) -> None:
        """Advance by `n` steps. Raises SimulationError when the simulation cannot go on."""
        self._runner.step(n)

    def run(self, seconds: float) -> None:
        """Advance by at least `seconds` of simulated time (whole steps)."""
        self.step(max(0, math.ceil(seconds / self.time_step - 1e-9)))

    def replace_scene(self, scene: Scene) -> None:
        """Go on with another scene: what both have keeps its state, the rest starts as the scene says.

        Links are recognised by their paths and places in the file. Handles of links, joints and devices
        that were asked for before must be asked for again. Nothing changes if the scene cannot be compiled
        (raises CompileError then).
        """
        kept = KeptState(self, self._runner.devices)
        self._forms = self._forms or FormCache()  # it will be replaced again, maybe
        self._build(scene)
        self._go_to_start()
        self._runner.devices = kept.give_to(self) or self._runner.devices
        self.core.poses_are_fresh = False

    def describe_anew(self, scene: Scene, change: Difference | None = None) -> None:
        """Take another scene whose links, joints and shapes are the same: looks, texts, programs.

        Args:
            scene: The scene.
            change: What is different in it; None = anything may be.

        Raises:
            ValueError: It has other links.
        """
        if [link.name for link in scene.links()] != [link.name for link in self._lookup.links]:
            raise ValueError("the scene has other links; use replace_scene")
        devices = self._runner.devices
        before, self.scene = self.scene, scene
        self._lookup.describe_anew(scene, self.compiled)
        if devices is None:
            if change is None or change.devices:
                self._start_devices()
            return
        if change is None or change.looks:
            self._runner.devices = KeptState(self, devices, before).devices_for(self)
        else:
            devices.rebind(scene, change.devices, painted=change.shapes)

    def reset(self) -> None:
        """Go back to the start: same poses, velocities and motor commands as after loading."""
        self._go_to_start()
        if self._runner.devices is not None:
            self._runner.devices.reset()
        for hook in self._runner.step_hooks:
            hook.reset()

    def _go_to_start(self) -> None:
        self.core.go_to_start(self.scene.start_accelerations)
        self._runner.forget()

    def attach(self, hook: StepHook) -> None:
        """Let something go along with every step: controllers, recorders."""
        self._runner.step_hooks.append(hook)

    def record(
        self,
        path: str | os.PathLike[str],
        *,
        period: float | None = None,
        all_sensors: bool = False,
    ) -> RunRecording:
        """Record to a file from now on; the extension chooses: .mcap, .csv, .html, .gif, .mp4.

        A name without extension is the folder of a bag of ROS 2.

        Args:
            path: The file. It is complete when the recording is closed, or its `with` block ends.
            period: Time between records [s]; None = what is usual for the format.
            all_sensors: Whether sensors are turned on that nobody has turned on.

        Raises:
            RecordError: The extension is unknown, or the file cannot be written.
        """
        return sim_actions().record(self, path, period, all_sensors=all_sensors)

    def log(
        self, *patterns: str, period: float | None = None, all_sensors: bool = False
    ) -> MemoryLog:
        """Keep numbers of the run in memory from now on: joints, moving links, sensors of numbers.

        `with sim.log("left motor") as log: sim.run(5)`; then `log["left motor.position"].values`, or
        `pandas.DataFrame(log.columns())`.

        Args:
            *patterns: Which; all without one. `*` stands for any text, `left motor` is all of that joint.
            period: Time between rows [s]; None = 0.01, or each step if steps are longer.
            all_sensors: Whether sensors are turned on that nobody has turned on.

        Raises:
            NameLookupError: A pattern fits nothing.
            ValueError: The period is not above 0.
        """
        return sim_actions().log(self, patterns, period, all_sensors=all_sensors)

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the live page, or a picture of now where no server is reached."""
        return sim_actions().html(self)

    @property
    def step_hooks(self) -> tuple[StepHook, ...]:
        """What goes along."""
        return tuple(self._runner.step_hooks)

    def detach(self, hook: StepHook) -> None:
        """Let it go along no more."""
        self._runner.step_hooks.remove(hook)

    def keep_commands(self) -> None:
        """Make the present motor commands those that `reset` goes back to."""
        self.core.keep_commands()

    def snapshot(self) -> Snapshot:
        """Return the complete state."""
        return self._runner.snapshot()

    def restore(self, snapshot: Snapshot) -> None:
        """Continue from `snapshot`: the following steps give the same bytes as they did then."""
        self._runner.restore(snapshot)

    @property
    def stats(self) -> SimStats:
        """How well the steps went since the start."""
        return stats_of(self.core.step.stats[0], self.compiled)

    @property
    def contact_messages(self) -> tuple[Diagnostic, ...]:
        """Pairs of links that had more contacts than are kept: by their limit, for lack of room."""
        return contact_messages(self.stats, self.scene)

    @property
    def plays_motion(self) -> bool:
        """Whether a body goes through a recorded motion that is not at its end."""
        return any(self.step_count < len(motion.frames) for motion in self._runner.motions)

    # ------------------------------------------------------------------ state by index

    @property
    def axis_links(self) -> tuple[int, ...]:
        """For each named axis the link that it moves, -1 for axes of loops."""
        return self._lookup.axis_links

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
        return tuple(self._lookup.joint_rows)

    def poses(self) -> NDArray[np.float64]:
        """Return (links, 7): position and orientation x y z qw qx qy qz, world frame."""
        return link_poses(self.core)

    def pose(self, row: int) -> NDArray[np.float64]:
        """Return one row of `poses`, without working out the others."""
        return link_poses(self.core, slice(row, row + 1))[0]

    def velocities(self) -> NDArray[np.float64]:
        """Return (links, 6): linear velocity of the origin, angular velocity, world frame."""
        return link_velocities(self.core)

    def velocity(self, row: int) -> NDArray[np.float64]:
        """Return one row of `velocities`, without working out the others."""
        return link_velocities(self.core, slice(row, row + 1))[0]

    def joint_states(self) -> NDArray[np.float64]:
        """Return (axes, 2): position and velocity of each joint axis."""
        return axis_states(self.core)

    @property
    def motor_states(self) -> Table:
        """Memory of the axes between steps, one row each."""
        return self.state.motors

    @property
    def motor_axes(self) -> Table:
        """Commands of the axes, one row each, to be read: `motors` writes them."""
        return self._told

    def accelerations(self) -> NDArray[np.float64]:
        """Return the accelerations of the last step, one per degree of freedom."""
        return self.core.step.qacc

    def link_model(self, index: int) -> Link:
        """Return what the file says about the link in a row of `poses`."""
        return self._lookup.links[index]

    def contacts(self) -> Contacts:
        """Return the contact points of the last step."""
        return contacts_of(self.data, self.compiled.binding)

    def touches(self) -> Contacts:
        """Return the contact points of the present poses, which act in the next step."""
        return self.core.look_ahead.contacts()

    def felt(self, link: int, device: int) -> dict[int, float]:
        """Return the links that a device without physics, by its number, touches now, and how deep [m]."""
        probes = self._touch_probes.get((link, device))
        return {} if probes is None else probes.touched(self)

    def joint_wrenches(self) -> NDArray[np.float64]:
        """Return (links, 6): what each link exerts on its parent, as `sim/contacts.py` defines it.

        To be asked right after a step, before poses are.
        """
        if self.core.poses_are_fresh:
            raise RuntimeError("poses were asked for first; the state of the last step is gone")
        return joint_wrenches(self)

    def start_rotations(self) -> NDArray[np.float64]:
        """Return (links, 4): orientations that wrenches belong to; to be asked before poses are."""
        return self.data.xquat[self.compiled.binding.body]

    def can_sense(self, plain: Plain) -> bool:
        """Whether `plain_reader` can read such a sensor."""
        return can_sense(self, plain)

    def plain_reader(
        self, plains: Sequence[Plain], to: Sequence[Floats]
    ) -> NativeSensorReader | None:
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
        return self._lookup.axis(link, number)

    def propeller_row(self, link: int, device: int) -> int:
        """Return the row in `joint_states` of the shaft of a propeller, the link's device of that number."""
        return self._lookup.propeller(link, device)

    def axis_model(self, row: int) -> JointAxis:
        """Return the model of the joint axis in a row of `joint_states`."""
        return self._lookup.axis_model(row)

    def joint_efforts(self) -> NDArray[np.float64]:
        """Return what the motor of each joint axis did in the last step [N*m] or [N]; 0 without one."""
        return self.state.motors["effort"][: len(self.joint_names)].copy()  # then come hidden axes

    # ------------------------------------------------------------------ state by name

    def __getitem__(self, name: str) -> LinkHandle:
        """Return the link of that name, label or path."""
        return LinkHandle(self, self._lookup.link(name), name)

    def link(self, name: str) -> LinkHandle:
        """Return the link of that name, label or path."""
        return self[name]

    def joint(self, name: str) -> JointHandle:
        """Return the joint of that name; a motor, sensor or child link may name it as well."""
        return JointHandle(self, self._lookup.joint(name), name)

    @property
    def devices(self) -> DeviceEngine:
        """All devices; made when they are first asked for."""
        if self._runner.devices is None:
            self._runner.devices = DeviceEngine(self)
        return self._runner.devices

    @property
    def device_messages(self) -> tuple[Diagnostic, ...]:
        """What devices have said so far: files that cannot be read, batteries that ran out."""
        devices = self._runner.devices
        return () if devices is None else tuple(devices.world.log)

    def device(self, name: str) -> DeviceHandle:
        """Return a device by its name, or by `link/name`, `robot/name`, `body/name`."""
        bound = self.devices.names[name]
        self.devices.wake(bound)
        return DeviceHandle(self.devices, bound)

    # ------------------------------------------------------------------ inside

    def wake(self, link: int) -> None:
        """Wake the links of one tree, if they sleep."""
        self.core.wake(link)

    def is_asleep(self, link: int) -> bool:
        """Whether a link has come to rest and is left out of the steps."""
        tree = int(self.model.body_treeid[self.compiled.binding.body[link]])
        return bool(tree >= 0 and self.data.tree_asleep[tree] >= 0)

    def forces_changed(self, link: int) -> None:
        """Note that a force will act on a link in the next step."""
        self.wake(link)
        self.state.flags["has_forces"] = 1

    def failure_of(self, outcome: StepOutcome) -> SimulationError:
        """Return the error for a step that went wrong."""
        return self._runner.failure_of(outcome)
