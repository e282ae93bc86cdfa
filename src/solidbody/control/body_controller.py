"""Controllers of bodies in Python, with the interface of Choreonoid's SimpleController (docs/behaviour, C17).

class Stand(solidbody.BodyController):
    def initialize(self, io):
        self.joints = io.body().joints()
        for joint in self.joints:
            joint.setActuationMode(self.JointTorque)
            io.enableIO(joint)
        self.goal = self.last = [joint.q for joint in self.joints]
        self.dt = io.timeStep()
        return True

    def control(self):
        for joint, goal, last in zip(self.joints, self.goal, self.last):
            joint.u = 3000 * (goal - joint.q) - 100 * (joint.q - last) / self.dt
        self.last = [joint.q for joint in self.joints]
        return True

Names and meanings are those of C++ (`control/io_body/`), so that a program can be carried over line by line.
What `control` writes acts one step after the state that it has read; with `io.setNoDelayMode(True)` at once.

A controller whose `initialize` takes nothing has the short form: `self.io.joints` with `q`, `dq` and `u`, no
modes and nothing to enable; `no_delay = True` is said in its class.
"""

from __future__ import annotations

import importlib.util
import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TextIO

from solidbody.base.errors import NameLookupError, SolidbodyError
from solidbody.control.body_copies.link_states import LinkStates
from solidbody.model.joints import JointFixed, JointFree

if TYPE_CHECKING:
    from solidbody.control.io_body.simple_controller_io import SimpleControllerIO
    from solidbody.devices.core.handles import DeviceHandle
    from solidbody.model.links import Body
    from solidbody.sim import Sim
    from solidbody.sim.handles import JointHandle, LinkHandle


class BodyControllerError(SolidbodyError):
    """A body controller cannot be used; the text says why."""


class JointIo:
    """One joint of a body: its state, and what it is told."""

    def __init__(self, io: BodyIo, name: str, handle: JointHandle) -> None:
        self.name, self._io, self._handle = name, io, handle
        self._orders: list[tuple[str, float]] = []

    @property
    def q(self) -> float:
        """Position [rad] or [m]."""
        return self._io.states[self._handle.row][0]

    @property
    def dq(self) -> float:
        """Velocity [rad/s] or [m/s]."""
        return self._io.states[self._handle.row][1]

    @property
    def u(self) -> float:
        """Effort [N*m] or [N]; setting it is an order."""
        return self._handle.measured_effort

    @u.setter
    def u(self, value: float) -> None:
        self._orders.append(("effort", value))

    @property
    def q_target(self) -> float:
        """Position to go to; setting it is an order."""
        return self._handle.target_position

    @q_target.setter
    def q_target(self, value: float) -> None:
        self._orders.append(("target_position", value))

    @property
    def dq_target(self) -> float:
        """Velocity to turn at (speed of the surface, for a track); setting it is an order."""
        return self._handle.target_velocity

    @dq_target.setter
    def dq_target(self, value: float) -> None:
        self._orders.append(("target_velocity", value))

    def forget(self) -> None:
        """Forget orders that were not carried out."""
        self._orders.clear()

    def rebind(self, handle: JointHandle) -> None:
        """Go on with the same joint of a changed scene."""
        self._handle = handle

    def carry_out(self) -> None:
        """Give the orders to the simulation."""
        for name, value in self._orders:
            setattr(self._handle, name, value)
        self._orders.clear()


class BodyIo:
    """What a controller sees of its body.

    Attributes:
        name: Of the body.
        joints: Joints by their ids, then the others in the order of the links.
    """

    def __init__(self, sim: Sim, body: Body) -> None:
        self._sim, self._body = sim, body
        self.name = body.name
        moving = [link for link in body.links if not isinstance(link.joint, JointFree | JointFixed)]
        numbered = [link for link in moving if link.joint_number is not None]
        numbered.sort(key=lambda link: link.joint_number or 0)
        others = [link for link in moving if link.joint_number is None]
        self._by_name = {
            link.name: JointIo(self, link.name, sim.joint(link.name)) for link in moving
        }
        self._seen = -1
        self._states: list[list[float]] = []
        self.joints = [self._by_name[link.name] for link in (*numbered, *others)]

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self._sim.time

    @property
    def time_step(self) -> float:
        """[s]."""
        return self._sim.time_step

    @property
    def states(self) -> list[list[float]]:
        """Position and velocity of all axes of the simulation, read once per step."""
        if self._seen != self._sim.step_count:
            self._seen = self._sim.step_count
            self._states = self._sim.joint_states().tolist()
        return self._states

    def joint(self, name: str) -> JointIo:
        """Return the joint of a link."""
        found = self._by_name.get(name)
        if found is None:
            raise NameLookupError("joint", name, self._by_name)
        return found

    def rebind(self) -> bool:
        """Find the body and its joints in a changed scene; False = it, or one of them, has gone."""
        body = next((one for one in self._sim.scene.bodies if one.name == self.name), None)
        names = set() if body is None else {link.name for link in body.links}
        if body is None or not names >= self._by_name.keys():
            return False
        self._body, self._seen = body, -1
        for name, joint in self._by_name.items():
            joint.rebind(self._sim.joint(name))
        return True

    def forget(self) -> None:
        """Forget orders and states: the simulation has begun anew."""
        self._seen = -1
        for joint in self.joints:
            joint.forget()

    def link(self, name: str) -> LinkHandle:
        """Return a link."""
        return self._sim.link(name)

    def device(self, name: str) -> DeviceHandle:
        """Return a device of the body."""
        try:
            return self._sim.device(f"{self.name}/{name}")
        except NameLookupError:
            return self._sim.device(name)


class BodyController(LinkStates):
    """To be derived from; names of states (`JointTorque`) stand in it as in C++.

    Attributes:
        no_delay: Whether orders of the short form act at once.
        io: Of the short form: the body with its joints.
    """

    no_delay = False
    io: BodyIo

    def configure(self, config: SimpleControllerIO) -> bool | None:
        """Called once, before the first `initialize`; False = the controller cannot be used."""
        return True

    def initialize(self, io: SimpleControllerIO) -> bool | None:
        """Called before the simulation starts, and again after a reset; False = it cannot be used.

        Modes are set and inputs and outputs enabled here. The short form leaves `io` out and is called once.
        """
        return True

    def start(self) -> bool | None:
        """Called when the simulation starts, and again after a reset; False = it cannot be used."""
        return True

    def control(self) -> bool:
        """Called before each step; False says that it has nothing more to do.

        It is called on nevertheless, except in the short form.
        """
        return False

    def stop(self) -> None:
        """Called when the simulation ends or goes back to its start; not in the short form."""

    def unconfigure(self) -> None:
        """Called at the very end; not in the short form."""


class _ShortForm:
    """A controller that orders joints through its `io`."""

    def __init__(self, sim: Sim, controller: BodyController) -> None:
        self._controller, self._is_active = controller, True

    def begin(self) -> None:
        initialize: Callable[[], object] = self._controller.initialize  # type: ignore[assignment]
        if type(self._controller).initialize is not BodyController.initialize:
            initialize()
        self._controller.start()

    def step(self) -> None:
        controller = self._controller
        if not controller.no_delay:
            _carry_out(controller)
        self._is_active = bool(controller.control())
        if controller.no_delay:
            _carry_out(controller)

    @property
    def is_active(self) -> bool:
        return self._is_active

    @property
    def is_busy(self) -> bool:
        return self._is_active

    def begin_again(self) -> None:
        self._is_active = True
        self._controller.io.forget()
        self._controller.start()

    def rebind(self) -> bool:
        return self._controller.io.rebind()

    def end(self) -> None:
        pass


class _FullForm:
    """A controller with an io body of its own."""

    is_active = True

    def __init__(
        self, sim: Sim, controller: BodyController, body: Body, options: str, stream: TextIO | None
    ) -> None:
        self._sim, self._controller, self._body = sim, controller, body.name
        self._options, self._stream = options, stream
        self._is_configured = self._is_started = False
        self.is_busy = True

    def begin(self) -> None:
        from solidbody.control.io_body.simple_controller_io import SimpleControllerIO

        name = type(self._controller).__name__
        body = next(one for one in self._sim.scene.bodies if one.name == self._body)
        self._io = SimpleControllerIO(self._sim, body, name, self._options, self._stream)
        self._io.setNoDelayMode(self._controller.no_delay)
        if not self._is_configured:
            self._is_configured = True
            self._check("configure", self._controller.configure(self._io))
        self._check("initialize", self._controller.initialize(self._io))
        for method in ("start", "control", "stop", "unconfigure"):
            if not callable(getattr(self._controller, method)):
                raise BodyControllerError(
                    f'{name} for "{self._body}" sets self.{method}, which is a method of BodyController:'
                    " the attribute needs another name"
                )
        self._io.fix_modes()
        self._io.copy_out()
        self._has_computed, self.is_busy = False, True
        self._check("start", self._controller.start())
        self._is_started = True

    def _check(self, method: str, answer: bool | None) -> None:
        if answer is False:
            name = type(self._controller).__name__
            raise BodyControllerError(f'{method} of {name} for "{self._body}" returned False')

    def step(self) -> None:
        io = self._io
        if self._has_computed and not io.isNoDelayMode():
            io.copy_out()
        io.copy_in()
        self.is_busy = bool(self._controller.control())
        self._has_computed = True
        if io.isNoDelayMode():
            io.copy_out()

    def begin_again(self) -> None:
        self._controller.stop()
        self.begin()

    def rebind(self) -> bool:
        return self._io.find_rows()

    def end(self) -> None:
        if self._is_started:
            self._controller.stop()
        if self._is_configured:
            self._controller.unconfigure()
        self._is_started = self._is_configured = False


class BodyControllers:
    """Runs body controllers along with a simulation (a `StepHook` of it).

    Args:
        sim: The simulation.
        stream: Where controllers write messages; None = standard output.

    Attributes:
        bodies: Names of the bodies that are driven.
    """

    def __init__(self, sim: Sim, stream: TextIO | None = None) -> None:
        self._sim, self._stream = sim, stream
        self._all: list[_ShortForm | _FullForm] = []
        self.bodies: set[str] = set()
        self._compiled = sim.compiled
        self._computed_at = -1

    def add(self, controller: BodyController, body: str | None = None, options: str = "") -> None:
        """Let a controller drive a body (the only one with joints, if not named).

        Raises:
            BodyControllerError: It says that it cannot, or which body is meant is not clear.
        """
        chosen = _chosen(self._sim, body)
        controller.io = BodyIo(self._sim, chosen)
        form: _ShortForm | _FullForm = (
            _FullForm(self._sim, controller, chosen, options, self._stream)
            if _takes_io(controller)
            else _ShortForm(self._sim, controller)
        )
        try:
            form.begin()
        except SolidbodyError:
            form.end()
            raise
        self._all.append(form)
        self.bodies.add(chosen.name)

    def rebind(self, change: object = None) -> None:
        """The scene has changed: controllers whose body is there no more are not called any more."""
        self._compiled = self._sim.compiled
        self._all = [one for one in self._all if one.rebind()]

    def before_steps(self) -> None:
        """Let all controllers compute; orders of the step before, or of this one, are carried out."""
        if self._sim.compiled is not self._compiled:
            self.rebind()
        if self._computed_at == self._sim.step_count:
            return  # the same step is tried again: somebody else was not ready
        self._computed_at = self._sim.step_count
        for one in self._all:
            if one.is_active:
                one.step()

    def steps_until_due(self) -> int | None:
        """Controllers compute before every step."""
        return 1 if any(one.is_active for one in self._all) else None

    def after_steps(self) -> None:
        """Nothing is due then."""

    @property
    def is_busy(self) -> bool:
        """Whether one of them has more to do: its `control` has not returned False in the last step."""
        return any(one.is_busy for one in self._all)

    def reset(self) -> None:
        """Start again."""
        if self._sim.compiled is not self._compiled:
            self.rebind()
        self._computed_at = -1
        for one in self._all:
            one.begin_again()

    def close(self) -> None:
        """Stop all controllers: the simulation has ended."""
        for one in self._all:
            one.end()
        self._all = []


def _takes_io(controller: BodyController) -> bool:
    """Whether `initialize` of a controller wants an `io`, so that it has the full interface."""
    if type(controller).initialize is BodyController.initialize:
        return False
    return bool(inspect.signature(controller.initialize).parameters)


def _carry_out(controller: BodyController) -> None:
    for joint in controller.io.joints:
        joint.carry_out()


def _chosen(sim: Sim, name: str | None) -> Body:
    bodies = {body.name: body for body in sim.scene.bodies}
    if name is not None:
        if name not in bodies:
            raise NameLookupError("body", name, bodies)
        return bodies[name]
    jointed = [
        body
        for body in sim.scene.bodies
        if any(not isinstance(link.joint, JointFree | JointFixed) for link in body.links)
    ]
    if len(jointed) != 1:
        names = ", ".join(body.name for body in jointed) or "none"
        raise BodyControllerError(f"say which body the controller drives; with joints: {names}")
    return jointed[0]


@dataclass(frozen=True, slots=True)
class BodyControllerChoice:
    """A controller as the command line or a mapping file names it: FILE.py[:Class] for a body."""

    file: Path
    class_name: str
    body: str | None
    options: str = ""


_CHOICE: Final = re.compile(r"(?P<place>.*?\.py)(?::(?P<name>\w+))?(?:\s+(?P<options>.*))?")
"""A file, a class in it, and options for it."""


def parse_choice(text: str, folder: Path) -> BodyControllerChoice:
    """Return the choice of `[BODY=]FILE.py[:Class] [options]`; files are relative to `folder`."""
    found = _CHOICE.fullmatch(text)
    if found is None:
        raise BodyControllerError(f'expected [BODY=]FILE.py[:Class] [options], got "{text}"')
    body, mark, file = found["place"].rpartition("=")
    options = found["options"] or ""
    return BodyControllerChoice(folder / file, found["name"] or "", body if mark else None, options)


def read_mapping(path: Path) -> list[BodyControllerChoice]:
    """Return the choices of a mapping file: `BODY: FILE.py:Class`, one per line."""
    import yaml

    try:
        found: Any = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise BodyControllerError(f"{path}: {error}") from error
    if not isinstance(found, dict):
        raise BodyControllerError(f"{path}: expected lines of the form BODY: FILE.py:Class")
    return [parse_choice(f"{body}={place}", path.parent) for body, place in found.items()]


def load_controller(choice: BodyControllerChoice) -> BodyController:
    """Return a new controller of the class that a choice names (the only one, if it names none)."""
    if not choice.file.is_file():
        raise BodyControllerError(f"{choice.file}: no such file")
    spec = importlib.util.spec_from_file_location(
        f"body_controller_{choice.file.stem}", choice.file
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # whatever the user's file raises
        raise BodyControllerError(f"{choice.file}: {type(error).__name__}: {error}") from error
    classes: dict[str, Callable[[], BodyController]] = {
        name: item
        for name, item in vars(module).items()
        if inspect.isclass(item) and issubclass(item, BodyController) and item is not BodyController
    }
    if choice.class_name:
        if choice.class_name not in classes:
            raise NameLookupError("BodyController", choice.class_name, classes)
        return classes[choice.class_name]()
    if len(classes) != 1:
        names = ", ".join(classes) or "none"
        raise BodyControllerError(f"{choice.file}: say which class; there are: {names}")
    return next(iter(classes.values()))()


def attach_controllers(
    sim: Sim, choices: Sequence[BodyControllerChoice], stream: TextIO | None = None
) -> BodyControllers | None:
    """Load controllers and let them go along with a simulation; their messages go to `stream`."""
    if not choices:
        return None
    runner = BodyControllers(sim, stream)
    for choice in choices:
        runner.add(load_controller(choice), choice.body, choice.options)
    sim.attach(runner)
    return runner
