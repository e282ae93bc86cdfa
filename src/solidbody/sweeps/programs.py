"""Runs the programs of a simulation while a run lasts: Webots' controllers, Choreonoid's, ours in Python."""

from __future__ import annotations

import io
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from solidbody.formats.options import LoadOptions
from solidbody.sweeps.study import Conditions

if TYPE_CHECKING:
    from solidbody.formats.webots.edit.document import World
    from solidbody.sim import Sim

PATIENCE: Final = 0.2
"""[s] Wall time that a step waits for programs before the time limit of the run is looked at."""

LINES_KEPT: Final = 10_000
"""Lines of output of the programs of a run."""


@dataclass(slots=True)
class Programs:
    """What programs have printed, and which of them have failed."""

    lines: deque[str] = field(default_factory=lambda: deque[str](maxlen=LINES_KEPT))
    failures: list[str] = field(default_factory=list[str])

    def output(self, robot: str, line: str, is_error: bool) -> None:
        """A program has printed a line."""
        self.lines.append(f"[{robot}] {line}")

    def say(self, level: str, text: str) -> None:
        """There is something to say about programs."""
        if level != "info":
            self.lines.append(f"{level}: {text}")


@contextmanager
def programs_of(
    sim: Sim,
    conditions: Conditions,
    options: LoadOptions,
    document: Callable[[], World] | None,
) -> Iterator[Programs]:
    """Run the programs of a simulation while the block runs it.

    Args:
        sim: The simulation, at its start.
        conditions: What holds for every run.
        options: How the world was read; supervisors change it by the same rules.
        document: Makes the world file with the values of this run, for supervisors.
    """
    programs = Programs()
    with ExitStack() as stack:
        if conditions.body_controllers:
            _attach_body_controllers(stack, sim, conditions.body_controllers)
        if conditions.controllers and any(body.programs for body in sim.scene.bodies):
            _start_simple_controllers(stack, sim, programs, options)
        if conditions.controllers and any(body.robots for body in sim.scene.bodies):
            _start_robot_controllers(stack, sim, conditions, programs, options, document)
        yield programs


def _attach_body_controllers(stack: ExitStack, sim: Sim, texts: tuple[str, ...]) -> None:
    from solidbody.control.body_controller import attach_controllers, parse_choice

    choices = [parse_choice(text, Path()) for text in texts]
    bodies = attach_controllers(sim, choices, io.StringIO())
    if bodies is not None:
        stack.callback(bodies.close)


def _start_simple_controllers(
    stack: ExitStack, sim: Sim, programs: Programs, options: LoadOptions
) -> None:
    from solidbody.control.body_controller import BodyControllers
    from solidbody.control.simple_controllers import SimpleControllers

    hooks = [hook for hook in sim.step_hooks if isinstance(hook, BodyControllers)]
    controllers = SimpleControllers(
        sim,
        output=programs.output,
        say=programs.say,
        share=str(options.share),
        without=frozenset(name for hook in hooks for name in hook.bodies),
    )
    controllers.patience = PATIENCE

    def close() -> None:
        controllers.close()
        programs.failures += controllers.failures

    stack.callback(close)
    controllers.start()


def _start_robot_controllers(
    stack: ExitStack,
    sim: Sim,
    conditions: Conditions,
    programs: Programs,
    options: LoadOptions,
    document: Callable[[], World] | None,
) -> None:
    from solidbody.control.hub import ControllerHub, ControllerOptions

    hub = ControllerHub(
        sim,
        options=ControllerOptions(python=conditions.python, ends_at_pause=True),
        output=programs.output,
        say=programs.say,
    )
    hub.patience = PATIENCE
    hub.stage.document.options = options
    hub.stage.edited = document

    def close() -> None:
        hub.close()
        programs.failures += hub.failures

    stack.callback(close)
    hub.start()
