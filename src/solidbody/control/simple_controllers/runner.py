"""Lets Choreonoid's controllers go along with a simulation, in the original's order (docs/behaviour, C17.1).

Each controller of a body that no other one is above has a process of its own, with those below it. A step:

    input copies, controllers are asked ........ before the step
    those without delay are waited for, and their output is copied
    the step, while the others compute
    the others are waited for, and their output is copied: it acts in the next step
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
import weakref
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from solidbody.base.errors import SimulationEnd
from solidbody.control.body_controller import BodyControllers
from solidbody.control.body_copies.copies import (
    BodyCopies,
    Enabled,
    OrderError,
    free_led_roots,
    give_motors,
)
from solidbody.control.body_copies.device_slots import DeviceSlot, device_slots, picture
from solidbody.control.body_copies.link_facts import joint_links, link_facts
from solidbody.control.building import ControllerBuildError, MissingTool
from solidbody.control.client import solidbody_protocol as codec
from solidbody.control.client import solidbody_wire as wire
from solidbody.control.console import Console, SayListener
from solidbody.control.handshakes import Handshakes
from solidbody.control.process import ControllerProcess, OutputListener
from solidbody.control.process_registry import ProcessRegistry
from solidbody.control.programs import Program
from solidbody.control.simple_controllers.block import Block
from solidbody.control.simple_controllers.host import HANG, PATIENCE, POLL, Host, HostLost
from solidbody.control.simple_controllers.host_program import host_program
from solidbody.control.simple_controllers.joystick import JoystickScript, page_state
from solidbody.control.simple_controllers.modules import ModuleError, ModuleFinder
from solidbody.control.user_input import JoystickInput
from solidbody.model.links import Body
from solidbody.model.programs import SimpleController

if TYPE_CHECKING:
    from solidbody.sim import Sim

CONNECTING: Final = 30.0
"""[s] Wall time in which a host has to connect: it loads nothing before that."""


@dataclass(slots=True)
class HostedTree:
    """A controller, those that share its body, and their host.

    Attributes:
        body: The body.
        programs: The controllers; the first one owns the shared body.
        modules: Their shared objects.
        slots: The body's devices.
        host: The process; None = there is none (any more).
        enabled: What its controllers have enabled, once they are initialised.
        active: Which of the controllers run.
        copies: Between simulation and host, once it is initialised.
        no_delay: Whether output acts in the step in which it was computed.
        is_asked: Whether it computes now.
    """

    body: Body
    programs: list[SimpleController]
    modules: list[Path]
    slots: list[DeviceSlot]
    host: Host | None = None
    enabled: Enabled | None = None
    active: list[bool] = field(default_factory=list[bool])
    copies: BodyCopies | None = None
    no_delay: bool = False
    is_asked: bool = False

    @property
    def title(self) -> str:
        """What messages call it."""
        names = ", ".join(f'"{one.name}"' for one in self.programs)
        plural = "s" if len(self.programs) > 1 else ""
        return f'the controller{plural} {names} of "{self.body.name}"'


class SimpleControllers:
    """Runs the controllers of a scene's bodies. Call `start`, and `close` at the end.

    Args:
        sim: The simulation, at its start.
        output: Told what controllers print.
        say: Told what there is to say of them.
        share: Choreonoid's share folder, for controllers that read it; empty = the project's folder.
        without: Names of bodies whose controllers are not run: others drive them.
        hang: Wall time after which a controller that computes is ended [s].
        joystick: What a joystick does; None = the page's, if there is one.

    Attributes:
        wanted_inputs: What the page should tell of its user.
    """

    wanted_inputs = ("joystick",)

    def __init__(
        self,
        sim: Sim,
        *,
        output: OutputListener | None = None,
        say: SayListener | None = None,
        share: str = "",
        without: frozenset[str] = frozenset(),
        hang: float = HANG,
        joystick: JoystickScript | None = None,
    ) -> None:
        self.sim = sim
        self.console = Console(output, say)
        self.say = self.console.say
        self.failures: list[str] = []
        self.folder = tempfile.mkdtemp(prefix="solidbody-")
        self._sweep = weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)
        self._share, self._without, self._hang = share, without, hang
        self._trees: list[HostedTree] = []
        self._arrived: dict[str, wire.Connection] = {}
        self._handshakes = Handshakes(self.folder, self._seat)
        self._processes = ProcessRegistry(self._handshakes.secret, self.folder)
        self._joystick = joystick
        self._page_joystick: NDArray[np.float64] | None = None
        self.mode = 0
        self.patience: float | None = None
        self._computed_at = -1
        self._compiled = sim.compiled
        self._was_idle = False
        self.is_closed = False

    # ------------------------------------------------------------------ start and end

    def start(self) -> None:
        """Load and start the controllers, and go along with the simulation from now on."""
        self._trees = self._found()
        self._start_processes()
        self.sim.attach(self)
        for tree in self._trees:
            for k, program in enumerate(tree.programs):
                if not program.reloads:
                    self._configure(tree, k)
        self._begin()

    def _found(self) -> list[HostedTree]:
        """Return the controllers whose shared objects are there; others are said and left out."""
        finder = ModuleFinder(self.sim.scene.source, self.say)
        trees: list[HostedTree] = []
        try:
            for body in self.sim.scene.bodies:
                if body.name not in self._without:
                    trees += self._trees_of(body, finder)
        except MissingTool as error:  # said once, not for each of them
            self._fail(f"controllers are not run: {error}")
            return []
        return trees

    def _trees_of(self, body: Body, finder: ModuleFinder) -> list[HostedTree]:
        slots = device_slots(body)
        by_top: dict[int, HostedTree] = {}
        for k, program in enumerate(body.programs):
            top = k if program.parent is None else program.parent
            if top != k and top not in by_top:
                continue  # the one above it is not run
            try:
                module = finder.find(program)
            except MissingTool:
                raise
            except (ModuleError, ControllerBuildError) as error:
                self._fail(f'the controller "{program.name}" of "{body.name}" is not run: {error}')
                continue
            tree = by_top.setdefault(top, HostedTree(body, [], [], slots))
            tree.programs.append(program)
            tree.modules.append(module)
        return list(by_top.values())

    def _start_processes(self) -> None:
        if not self._trees:
            return
        try:
            executable = host_program()
        except ControllerBuildError as error:
            self._fail(f"controllers are not run: {error}")
            self._trees = []
            return
        processes: list[ControllerProcess] = []
        environment = {"SOLIDBODY_CNOID_SHARE": self._share_folder()}
        for number, tree in enumerate(self._trees):
            program = Program((str(executable),), Path.cwd(), environment)
            process = ControllerProcess(
                tree.body.name,
                program,
                self._handshakes.address,
                self._handshakes.secret,
                self.console.output,
                key=f"{number}",
            )
            self._processes.begun(process.pid)
            processes.append(process)
        for number, (tree, process) in enumerate(zip(self._trees, processes, strict=True)):
            self._connect(tree, f"{number}", process)
        self._trees = [tree for tree in self._trees if tree.host is not None]

    def _share_folder(self) -> str:
        """Return the share folder: the given one, that of CNOID_SHARE, one above the project, its folder."""
        given = self._share or os.environ.get("CNOID_SHARE", "")
        if given:
            return str(Path(given).resolve())
        folder = Path(self.sim.scene.source).resolve().parent
        found = (above / "share" for above in (folder, *folder.parents))
        return str(next((place for place in found if place.is_dir()), folder))

    def _seat(self, connection: wire.Connection, name: str, pid: int) -> None:
        """A host has come in."""
        self._arrived[name] = connection

    def _connect(self, tree: HostedTree, name: str, process: ControllerProcess) -> None:
        deadline = time.monotonic() + CONNECTING
        while name not in self._arrived:
            self._handshakes.let_in()
            if process.status is not None or time.monotonic() > deadline:
                process.end(0.0, whole=True)
                lines = "".join(f"\n    {line}" for line in process.last_lines)
                self._fail(f"{tree.title}: its process has not come up{lines}")
                return
            time.sleep(POLL / 50)
        links = link_facts(tree.body)
        tree.slots = [self._with_pictures(slot, f"{name}-{k}") for k, slot in enumerate(tree.slots)]
        block = Block(
            os.path.join(self.folder, f"block-{name}"),
            len(links),
            len(joint_links(tree.body)),
            len(tree.slots),
            len(tree.programs),
        )
        controllers = [
            (
                program.name,
                str(module),
                program.options,
                program.simulator_options,
                -1 if k == 0 else 0,
                program.no_delay,
                program.reloads,
                program.exports,
                program.old_targets,
            )
            for k, (program, module) in enumerate(zip(tree.programs, tree.modules, strict=True))
        ]
        connection = self._arrived.pop(name)
        connection.post(
            codec.BodyWelcome.pack(
                tree.body.name,
                tree.body.name,
                self.sim.time_step,
                self._joystick is not None,
                block.path,
                block.size,
                block.offsets,
                links,
                [slot.facts() for slot in tree.slots],
                controllers,
            )
        )
        tree.host = Host(
            tree.title, process, connection, block, lambda text: self.say("warning", text)
        )
        tree.host.hang = self._hang
        tree.active = [True] * len(tree.programs)

    def _with_pictures(self, slot: DeviceSlot, name: str) -> DeviceSlot:
        """Return a device with a file of its own for its pictures, if it takes any."""
        size = slot.picture_bytes()
        if not size:
            return slot
        path = os.path.join(self.folder, f"pictures-{name}")
        with open(path, "wb") as file:
            os.chmod(path, 0o600)
            file.truncate(size)
        return replace(slot, pictures=path)

    def _fail(self, text: str) -> None:
        self.failures.append(text)
        self.say("error", text)

    def close(self) -> None:
        """Stop all controllers, end their processes, and remove what was made for them."""
        if self.is_closed:
            return
        self.is_closed = True
        if self in self.sim.step_hooks:
            self.sim.detach(self)
        self._stop()
        for tree in self._trees:
            if tree.host is not None:
                tree.host.end(PATIENCE)
                self._processes.ended(tree.host.process.pid)
        self._processes.close()
        self._handshakes.close()
        self._sweep()

    # ------------------------------------------------------------------ life cycle

    def _guarded(self, tree: HostedTree, action: Callable[[Host], None]) -> bool:
        """Do something with a host; one that is lost is said, and the simulation goes on without it."""
        host = tree.host
        if host is None:
            return False
        try:
            action(host)
        except HostLost as error:
            self._lose(tree, f"{error}")
        except OrderError as error:
            host.end(0.0)
            self._lose(tree, f"{tree.title} was ended: {error}")
        return tree.host is not None

    def _lose(self, tree: HostedTree, text: str) -> None:
        assert tree.host is not None
        self._processes.ended(tree.host.process.pid)
        tree.host = tree.copies = None
        tree.active = [False] * len(tree.programs)
        self._fail(text)

    def _configure(self, tree: HostedTree, k: int) -> None:
        def configure(host: Host) -> None:
            report = host.order("configure", k)
            if report["result"] < 1:
                reason = report["problem"] or "configure() has returned false"
                self._drop(tree, k, reason)

        self._guarded(tree, configure)

    def _drop(self, tree: HostedTree, k: int, reason: str) -> None:
        """Go on without a controller, and without those that share its body if it owns that."""
        tree.active = [was and k > 0 and other != k for other, was in enumerate(tree.active)]
        name = tree.programs[k].name
        self._fail(f'the controller "{name}" of "{tree.body.name}" is not run: {reason}')

    def _begin(self) -> None:
        """Initialise and start all controllers."""
        self._computed_at, self._was_idle = -1, False
        modes: dict[str, list[int]] = {}
        for tree in self._trees:
            self._guarded(tree, lambda host, tree=tree: self._initialize(tree, host, modes))
        if self.sim.compiled is not self._compiled:  # one that began later has changed the scene
            self.rebind()
        for tree in self._trees:
            for k, is_active in enumerate(list(tree.active)):
                if is_active:
                    self._guarded(tree, lambda host, tree=tree, k=k: self._let_start(tree, k, host))
        is_idle = not any(any(tree.active) for tree in self._trees) and not self._others_are_busy
        if self.sim.scene.ends_with_programs and is_idle:
            self._fail(
                "the simulation lasts as long as controllers are active, and there is none: it does not start"
            )

    def _initialize(self, tree: HostedTree, host: Host, modes: dict[str, list[int]]) -> None:
        report = None
        for k, program in enumerate(tree.programs):
            if tree.active[k] and program.reloads:
                self._configure(tree, k)
            if not tree.active[k]:
                continue
            report = host.order("initialize", k, modes.get(tree.body.name, ()))
            if not report["result"]:
                self._drop(tree, k, "initialize() has returned false")
        if report is None or not any(tree.active):
            return
        modes[tree.body.name] = report["modes"]
        tree.no_delay = report["no_delay"]
        tree.enabled = Enabled(report["inputs"], report["outputs"], report["senses"])
        free_led_roots(self.sim, tree.body.name, tree.enabled.outputs)
        give_motors(self.sim, tree.body.name, tree.enabled.outputs)
        self._bind(tree, host)
        assert tree.copies is not None
        for complaint in tree.copies.complaints:
            self.say("warning", f"{tree.title}: {complaint}")
        for name in tree.copies.without_motor:
            self.say("warning", f'{tree.title}: the joint of "{name}" cannot have a motor')
        tree.copies.write()

    def _bind(self, tree: HostedTree, host: Host) -> None:
        """Find the body, and what is copied, in the simulation as it is now."""
        assert tree.enabled is not None
        slots = tree.slots

        def show(k: int, shot: object) -> None:
            with open(slots[k].pictures, "r+b") as file:
                file.write(picture(slots[k], shot))

        tree.copies = BodyCopies(self.sim, tree.body.name, slots, host.block, tree.enabled, show)

    def rebind(self, change: object = None) -> None:
        """The scene is another one: bodies are found again; those that have gone are driven no more."""
        self._compiled = self.sim.compiled
        for tree in self._trees:
            if tree.copies is not None:
                self._guarded(tree, lambda host, tree=tree: self._bind(tree, host))

    def _let_start(self, tree: HostedTree, k: int, host: Host) -> None:
        if not host.order("start", k)["result"]:
            self._drop(tree, k, "start() has returned false")

    def _stop(self) -> None:
        """Stop all controllers, those that share a body before the one that owns it."""
        for tree in self._trees:
            if tree.is_asked:
                self._guarded(tree, Host.wait)
                tree.is_asked = False
            if tree.host is not None:
                tree.host.block["time"][0] = self._now
            for k in reversed(range(len(tree.programs))):
                if tree.active and tree.active[k]:
                    self._guarded(tree, lambda host, k=k: self._let_stop(k, host))

    def _let_stop(self, k: int, host: Host) -> None:
        host.order("stop", k)

    # ------------------------------------------------------------------ in step with the simulation

    def steps_until_due(self) -> int | None:
        """Controllers compute before every step."""
        return 1 if any(tree.copies is not None for tree in self._trees) else None

    def before_steps(self) -> None:
        """Let all controllers compute; those without delay act in this step."""
        if self._computed_at == self.sim.step_count:
            return  # the same step is tried again: somebody else was not ready
        self._computed_at = self.sim.step_count
        if self.sim.compiled is not self._compiled:
            self.rebind()
        if self.sim.scene.ends_with_programs and self._was_idle:
            raise SimulationEnd(0)
        now = self._now
        for tree in self._trees:
            if tree.copies is not None:
                self._guarded(tree, lambda host, tree=tree: self._ask(tree, host, now))
        for tree in self._trees:
            if tree.no_delay and tree.is_asked:
                self._finish(tree)

    @property
    def _now(self) -> float:
        """The time [s], divided as in the original: the same bytes."""
        return self.sim.step_count / (1.0 / self.sim.time_step)

    def _ask(self, tree: HostedTree, host: Host, now: float) -> None:
        assert tree.copies is not None
        host.block["time"][0] = now
        stick = self._page_joystick if self._joystick is None else self._joystick.state(now)
        if stick is not None:
            section = host.block["joystick"]
            section[0], section[1:] = 1.0, stick
        tree.copies.read()
        host.ask()
        tree.is_asked = True

    def _finish(self, tree: HostedTree) -> None:
        """Wait for a host and carry out what it has written."""
        tree.is_asked = False

        def finish(host: Host) -> None:
            host.wait()
            assert tree.copies is not None
            tree.copies.write()

        self._guarded(tree, finish)

    def after_steps(self) -> None:
        """Wait for the others: what they have written acts in the next step."""
        for tree in self._trees:
            if tree.is_asked:
                self._finish(tree)
        if self.sim.scene.ends_with_programs:
            hosts = [tree.host for tree in self._trees if tree.host is not None]
            is_idle = not any(host.block["results"].any() for host in hosts)
            self._was_idle = is_idle and not self._others_are_busy

    @property
    def _others_are_busy(self) -> bool:
        """Whether a controller in Python has more to do, or a motion is not at its end."""
        hooks = (hook for hook in self.sim.step_hooks if isinstance(hook, BodyControllers))
        return self.sim.plays_motion or any(hook.is_busy for hook in hooks)

    # ------------------------------------------------------------------ the page

    def move_joystick(self, robot: str | None, state: JoystickInput) -> None:
        """Tell controllers how the page's joystick stands."""
        self._page_joystick = page_state(state.axes, state.buttons, state.povs)

    def press_keys(self, robot: str | None, keys: Iterable[int]) -> None:
        """Controllers here do not hear of keys."""

    def move_mouse(self, robot: str | None, state: object) -> None:
        """Nor of the mouse."""

    def send_window_text(self, robot: str, text: str) -> None:
        """They have no windows."""

    def listen_to_windows(self, listener: Callable[[str, str], None]) -> None:
        """They have no windows."""

    def listen_to_output(self, output: OutputListener, say: SayListener) -> None:
        """Hear what controllers print and what is said of them, the last lines so far included."""
        self.console.listen(output, say)

    # ------------------------------------------------------------------ beginning anew

    def reset(self) -> None:
        """The simulation went back to its start: controllers begin anew."""
        self._stop()
        for tree in self._trees:
            if tree.host is not None:
                tree.host.block["time"][0] = 0.0
                tree.active = [True] * len(tree.programs)
                tree.copies = None
        self._begin()
