"""User input for robots and their output on the page: keys, mouse, joystick, windows, labels.

The page knows the programs that drive robots only as far as `Controllers` says; `control.hub` is one.
Everything here happens in the player's thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Final, Protocol, runtime_checkable

from solidbody.viewer.protocol_work import (
    CommandJoystick,
    CommandKeys,
    CommandMouse,
    CommandSelect,
    CommandWindowText,
    EventInputs,
    EventLabels,
    EventWindowText,
    WireLabel,
)

if TYPE_CHECKING:
    from solidbody.sim import Sim

AXIS_RANGE: Final = 32_767
"""What a joystick's axis says at its end."""

LISTEN_PERIOD: Final = 0.1
"""[s] How long a step may wait for programs before commands of users are looked at."""

NOWHERE: Final = (float("nan"), float("nan"), float("nan"))

RobotCommand = CommandKeys | CommandMouse | CommandJoystick | CommandWindowText | CommandSelect


class SupervisorMode(IntEnum):
    """What supervisors call the ways to run."""

    PAUSE = 0
    REAL_TIME = 1
    FAST = 2


@dataclass(frozen=True, slots=True)
class MouseState:
    """Where the mouse is in the picture (0..1 to the right and down), over which point, what is pressed."""

    u: float
    v: float
    point: tuple[float, float, float]
    left: bool
    middle: bool
    right: bool


@dataclass(frozen=True, slots=True)
class JoystickState:
    """State of a joystick: axes from -32768 to 32767, directions of hats, numbers of pressed buttons."""

    model: str
    axes: tuple[int, ...]
    povs: tuple[int, ...]
    buttons: tuple[int, ...]


@runtime_checkable
class Controllers(Protocol):
    """The programs that drive robots, as far as the page has to do with them."""

    mode: int
    """What supervisors have asked for, or are told: a `SupervisorMode`."""

    patience: float | None
    """[s] How long a step waits for programs before it is given up (`SimulationWaits`) to be tried again."""

    def press_keys(self, robot: str | None, keys: Iterable[int]) -> None:
        """Hold down keys for a robot, or for all of them."""
        ...

    def move_mouse(self, robot: str | None, state: Any) -> None:
        """Tell a robot, or all of them, where the mouse is; `state` looks like a `MouseState`."""
        ...

    def move_joystick(self, robot: str | None, state: Any) -> None:
        """Tell a robot, or all of them, how the joystick stands; `state` looks like a `JoystickState`."""
        ...

    def send_window_text(self, robot: str, text: str) -> None:
        """Let a robot's window say something to it."""
        ...

    def listen_to_windows(self, listener: Callable[[str, str], None]) -> None:
        """Hear what robots send to their windows."""
        ...

    def listen_to_output(
        self, output: Callable[[str, str, bool], None], say: Callable[[str, str], None]
    ) -> None:
        """Hear what programs print, and what there is to say about them."""
        ...


class Robots:
    """Stands between the page and the controllers of a simulation, if there are any.

    Args:
        sim: The simulation.
        tell: Publishes a text of a robot's window.
        show: Publishes what holds until it is replaced.
    """

    def __init__(
        self,
        sim: Sim,
        *,
        tell: Callable[[EventWindowText], None],
        show: Callable[[EventInputs | EventLabels], None],
    ) -> None:
        self.controllers = [item for item in sim.step_hooks if isinstance(item, Controllers)]
        self._show = show
        self._inputs: list[str] = []
        self._labels: dict[int, tuple[Any, ...]] = {}
        self._modes = [item.mode for item in self.controllers]
        for item in self.controllers:
            item.patience = LISTEN_PERIOD
            item.listen_to_windows(lambda robot, text: tell(EventWindowText(robot, text)))

    def obey(self, command: RobotCommand) -> None:
        """Pass on what a user does."""
        for item in self.controllers:
            match command:
                case CommandKeys(keys):
                    item.press_keys(None, keys)
                case CommandMouse():
                    item.move_mouse(None, _mouse(command))
                case CommandJoystick():
                    item.move_joystick(None, _joystick(command))
                case CommandWindowText(robot, text):
                    item.send_window_text(robot, text)
                case CommandSelect(path):
                    select = getattr(item, "select_node", None)
                    if select is not None:
                        select(path or None)

    def restart(self) -> None:
        """Let programs begin anew."""
        for item in self.controllers:
            restart = getattr(item, "restart_all", None)
            if restart is not None:
                restart()

    def restart_named(self, names: list[str]) -> None:
        """Let the programs of some robots begin anew."""
        for item in self.controllers:
            restart = getattr(item, "restart_named", None)
            if restart is not None:
                restart(names)

    def look(self) -> None:
        """Tell the page if labels have changed, or what controllers want to hear."""
        labels: dict[int, tuple[Any, ...]] = {}
        inputs: set[str] = set()
        for item in self.controllers:
            labels.update(_labels_of(item))
            inputs.update(_inputs_of(item))
        if labels != self._labels:
            self._labels = labels
            self._show(EventLabels([_label(*parts) for parts in labels.values()]))
        if sorted(inputs) != self._inputs:
            self._inputs = sorted(inputs)
            self._show(EventInputs(self._inputs))

    def take_mode(self) -> SupervisorMode | None:
        """Return the mode that a supervisor has asked for since the last call; None = none."""
        wanted = None
        for k, item in enumerate(self.controllers):
            if item.mode != self._modes[k]:
                self._modes[k] = item.mode
                wanted = SupervisorMode(item.mode)
        return wanted

    def note_mode(self, mode: SupervisorMode) -> None:
        """Let supervisors see how the simulation runs now."""
        for k, item in enumerate(self.controllers):
            self._modes[k] = item.mode = int(mode)


def _mouse(command: CommandMouse) -> MouseState:
    return MouseState(
        min(max(command.u, 0.0), 1.0),
        min(max(command.v, 0.0), 1.0),
        command.point if command.hits else NOWHERE,
        command.left,
        command.middle,
        command.right,
    )


def _joystick(command: CommandJoystick) -> JoystickState:
    axes = tuple(round(AXIS_RANGE * min(max(axis, -1.0), 1.0)) for axis in command.axes)
    return JoystickState(command.model, axes, tuple(command.povs), tuple(command.buttons))


def _labels_of(item: Controllers) -> Mapping[int, tuple[Any, ...]]:
    """Return the texts of supervisors by number: text, x, y, size, colour, transparency, font."""
    return getattr(getattr(item, "stage", None), "labels", {})


def _inputs_of(item: Controllers) -> Iterable[str]:
    """Return the kinds of input that sessions of controllers have enabled."""
    sessions = (slot.session for slot in getattr(item, "slots", ()))
    asked = [kind for session in sessions if session is not None for kind in session.inputs.periods]
    return [*asked, *getattr(item, "wanted_inputs", ())]


def _label(
    text: str, x: float, y: float, size: float, color: int, transparency: float, font: str
) -> WireLabel:
    opacity = 1.0 - min(max(transparency, 0.0), 1.0)
    return WireLabel(text, x, y, size, color & 0xFFFFFF, opacity, font)
