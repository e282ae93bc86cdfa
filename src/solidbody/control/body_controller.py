"""Controllers of bodies in Python, in the manner of Choreonoid's SimpleController (docs/behaviour, C17.1).

class Stand(solidbody.BodyController):
    def start(self):
        self.goal = [joint.q for joint in self.io.joints]

    def control(self):
        for joint, goal in zip(self.io.joints, self.goal):
            joint.u = 3000 * (goal - joint.q) - 100 * joint.dq
        return True

What `control` writes acts one step after the state that it has read, as in Choreonoid; with
`no_delay = True` it acts at once.
"""

from __future__ import annotations

import importlib.util
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from solidbody.base.errors import NameLookupError, SolidbodyError
from solidbody.model.joints import JointFixed, JointFree

if TYPE_CHECKING:
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


class BodyController:
    """To be derived from. `io` is there from `initialize` on."""

    no_delay = False
    io: BodyIo

    def initialize(self) -> None:
        """Called once, before the simulation starts."""

    def start(self) -> None:
        """Called when the simulation starts, and again after a reset."""

    def control(self) -> bool:
        """Called before each step; return False to be called no more."""
        return False


class BodyControllers:
    """Runs body controllers along with a simulation (a `StepHook` of it)."""

    def __init__(self, sim: Sim) -> None:
        self._sim = sim
        self._active: list[BodyController] = []
        self._all: list[BodyController] = []
        self._compiled = sim.compiled
        self._computed_at = -1

    def add(self, controller: BodyController, body: str | None = None) -> None:
        """Let a controller drive a body (the only one with joints, if not named)."""
        controller.io = BodyIo(self._sim, _chosen(self._sim, body))
        controller.initialize()
        controller.start()
        self._all.append(controller)
        self._active.append(controller)

    def rebind(self, change: object = None) -> None:
        """The scene has changed: controllers whose body is there no more are not called any more."""
        self._compiled = self._sim.compiled
        self._all = [one for one in self._all if one.io.rebind()]
        self._active = [one for one in self._active if one in self._all]

    def before_steps(self) -> None:
        """Let all controllers compute; orders of the step before, or of this one, are carried out."""
        if self._sim.compiled is not self._compiled:
            self.rebind()
        if self._computed_at == self._sim.step_count:
            return  # the same step is tried again: somebody else was not ready
        self._computed_at = self._sim.step_count
        for controller in list(self._active):
            if not controller.no_delay:
                _carry_out(controller)
            if not controller.control():
                self._active.remove(controller)
            if controller.no_delay:
                _carry_out(controller)

    def steps_until_due(self) -> int | None:
        """Controllers compute before every step."""
        return 1 if self._active else None

    def after_steps(self) -> None:
        """Nothing is due then."""

    def reset(self) -> None:
        """Start again."""
        if self._sim.compiled is not self._compiled:
            self.rebind()
        self._active = list(self._all)
        self._computed_at = -1
        for controller in self._all:
            controller.io.forget()
            controller.start()


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


def parse_choice(text: str, folder: Path) -> BodyControllerChoice:
    """Return the choice of `[BODY=]FILE.py[:Class]`; files are relative to `folder`."""
    body, mark, rest = text.partition("=")
    place = rest if mark else body
    file, colon, name = place.rpartition(":") if ".py:" in place else (place, "", "")
    if not file.endswith(".py"):
        raise BodyControllerError(f'expected [BODY=]FILE.py[:Class], got "{text}"')
    return BodyControllerChoice(folder / file, name if colon else "", body if mark else None)


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


def attach_controllers(sim: Sim, choices: Sequence[BodyControllerChoice]) -> BodyControllers | None:
    """Load controllers and let them go along with a simulation."""
    if not choices:
        return None
    runner = BodyControllers(sim)
    for choice in choices:
        runner.add(load_controller(choice), choice.body)
    sim.attach(runner)
    return runner
