"""Services by which ROS commands time and spawns robots.

`std_srvs/srv/Trigger` is on every installation; the others are those of the package `simulation_interfaces`,
which simulators share.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from solidbody.base.errors import SolidbodyError
from solidbody.live.ros.names import joined
from solidbody.live.ros.settings import Ros2Settings
from solidbody.live.ros.spawning import SpawnError, spawn
from solidbody.live.viewer_commands import MOST_STEPS, CommandError, ViewerCommands

if TYPE_CHECKING:
    from solidbody.sim import Sim

Answer = Callable[[dict[str, Any]], None]
"""Sends a response; may be called later, in another thread."""

UNSUPPORTED, OK, _, INCORRECT_STATE, FAILED = range(5)
"""Results of `simulation_interfaces`."""

ALREADY_THERE: Final = 101
STATE_STOPPED, STATE_PLAYING, STATE_PAUSED = range(3)
SCOPES_OF_RESET: Final = (0, 1, 2, 3, 255)


@dataclass(frozen=True, slots=True)
class Service:
    """A service: its name, the type of its requests and responses, and what it does."""

    name: str
    kind: str
    call: Callable[[dict[str, Any], Answer], None]


def _result(code: int = OK, text: str = "") -> dict[str, Any]:
    return {"result": {"result": code, "error_message": text}}


class Services:
    """What is done for callers; each call is answered once."""

    def __init__(self, sim: Sim, settings: Ros2Settings, queue: ViewerCommands) -> None:
        self._sim, self._settings, self._queue = sim, settings, queue
        trigger = "std_srvs/srv/Trigger"
        shared = "simulation_interfaces/srv/"
        space = settings.namespace
        self.all = [
            Service(joined(space, "pause"), trigger, self._pause),
            Service(joined(space, "play"), trigger, self._play),
            Service(joined(space, "step"), trigger, self._step),
            Service(joined(space, "reset"), trigger, self._reset),
            Service(
                joined(space, "get_simulation_state"),
                f"{shared}GetSimulationState",
                self._tell_state,
            ),
            Service(
                joined(space, "set_simulation_state"),
                f"{shared}SetSimulationState",
                self._set_state,
            ),
            Service(joined(space, "step_simulation"), f"{shared}StepSimulation", self._steps),
            Service(
                joined(space, "reset_simulation"), f"{shared}ResetSimulation", self._reset_scope
            ),
            Service(joined(space, "spawn_entity"), f"{shared}SpawnEntity", self._spawn),
        ]

    # ------------------------------------------------------------------ Trigger

    def _pause(self, _: dict[str, Any], answer: Answer) -> None:
        self._queue.pause({})
        answer({"success": True})

    def _play(self, _: dict[str, Any], answer: Answer) -> None:
        self._queue.play({})
        answer({"success": True})

    def _step(self, _: dict[str, Any], answer: Answer) -> None:
        def told() -> None:
            answer({"success": True, "message": f"{self._sim.time:.9g}"})

        self._queue.count_steps(1, told)

    def _reset(self, _: dict[str, Any], answer: Answer) -> None:
        self._do_later(
            self._sim.reset,
            lambda: answer({"success": True}),
            lambda text: answer({"success": False, "message": text}),
        )

    def _do_later(
        self, act: Callable[[], None], done: Callable[[], None], failed: Callable[[str], None]
    ) -> None:
        """Do something before the next step, and answer then."""

        def both() -> None:
            try:
                act()
            except (SolidbodyError, ValueError) as error:
                failed(str(error))
            else:
                done()

        try:
            self._queue.queue(both)
        except CommandError as error:
            failed(str(error))

    # ------------------------------------------------------------------ simulation_interfaces

    def _tell_state(self, _: dict[str, Any], answer: Answer) -> None:
        state = STATE_PAUSED if self._queue.is_paused else STATE_PLAYING
        answer({"state": {"state": state}} | _result())

    def _set_state(self, request: dict[str, Any], answer: Answer) -> None:
        wanted = request["state"]["state"]
        if wanted not in (STATE_STOPPED, STATE_PLAYING, STATE_PAUSED):
            answer(_result(UNSUPPORTED, f"state {wanted} cannot be asked for"))
        elif wanted == STATE_STOPPED:  # the start, at rest

            def stop() -> None:
                self._queue.pause({})
                self._sim.reset()

            self._do_later(stop, lambda: answer(_result()), lambda t: answer(_result(FAILED, t)))
        elif (wanted == STATE_PAUSED) == self._queue.is_paused:
            answer(_result(ALREADY_THERE, "it is so already"))
        else:
            act = self._queue.pause if wanted == STATE_PAUSED else self._queue.play
            act({})
            answer(_result())

    def _steps(self, request: dict[str, Any], answer: Answer) -> None:
        count = request["steps"]
        if not self._queue.is_paused:
            answer(_result(INCORRECT_STATE, "the simulation must be paused to be stepped"))
        elif not 1 <= count <= MOST_STEPS:
            answer(_result(FAILED, f"steps must be from 1 to {MOST_STEPS}, got {count}"))
        else:
            self._queue.count_steps(count, lambda: answer(_result()))

    def _reset_scope(self, request: dict[str, Any], answer: Answer) -> None:
        scope = request["scope"]
        if scope not in SCOPES_OF_RESET:
            answer(_result(UNSUPPORTED, f"scope {scope}: time and state are reset together"))
            return
        self._do_later(
            self._sim.reset,
            lambda: answer(_result()),
            lambda text: answer(_result(FAILED, text)),
        )

    def _spawn(self, request: dict[str, Any], answer: Answer) -> None:
        pose = request["initial_pose"]["pose"]
        numbers = [*pose["position"].values(), *pose["orientation"].values()]
        if not all(map(math.isfinite, numbers)):
            answer(_result(109, "initial_pose must be of finite numbers") | {"entity_name": ""})
            return
        names: list[str] = []

        def act() -> None:
            names.append(spawn(self._sim, self._settings, request))

        def failed(text: str, code: int = FAILED) -> None:
            answer(_result(code, text) | {"entity_name": ""})

        def both() -> None:
            try:
                act()
            except SpawnError as error:
                failed(str(error), error.code)
            except (SolidbodyError, ValueError, OSError) as error:
                failed(str(error))
            else:
                answer(_result() | {"entity_name": names[0]})

        try:
            self._queue.queue(both)
        except CommandError as error:
            failed(str(error))
